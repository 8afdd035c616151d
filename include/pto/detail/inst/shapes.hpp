//===- shapes.hpp - instructions whose signature the record names *- C++ -*-===//
//
// Every record names the shape of its signature; this header makes the functions.
// Each takes its operands, up to eight events to wait for, and its own place in the
// program.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_SHAPES_HPP
#define PTO_DETAIL_INST_SHAPES_HPP

#include "pto/detail/inst/elementwise.hpp"
#include "pto/detail/inst/reduce.hpp"

/// NAME(dst, src, events …)
#define PTO_SHAPE_Unary(NAME)                                                                                          \
  template <typename D, typename A> RecordEvent NAME(D &dst, A &src, PTO_AFTER) { return PTO_ISSUE(NAME, dst, src); }

/// NAME(dst, src0, src1, events …)
#define PTO_SHAPE_Binary(NAME)                                                                                         \
  template <typename D, typename A, typename B> RecordEvent NAME(D &dst, A &src0, B &src1, PTO_AFTER) {                \
    return PTO_ISSUE(NAME, dst, src0, src1);                                                                           \
  }

/// NAME(dst, src0, src1, src2, events …): three sources, or two and scratch
#define PTO_SHAPE_Ternary(NAME)                                                                                        \
  template <typename D, typename A, typename B, typename C>                                                            \
  RecordEvent NAME(D &dst, A &src0, B &src1, C &src2, PTO_AFTER) {                                                     \
    return PTO_ISSUE(NAME, dst, src0, src1, src2);                                                                     \
  }

/// NAME(dst, src, scalar, events …): the scalar is converted to the element type
#define PTO_SHAPE_Scalar(NAME)                                                                                         \
  template <typename D, typename A> RecordEvent NAME(D &dst, A &src, ptoscope_detail::ScalarOf<D> scalar, PTO_AFTER) { \
    return PTO_ISSUE_SCALAR(NAME, scalar, dst, src);                                                                   \
  }

/// NAME(dst, src, scalar, tile, events …): the tile is scratch or a second source
#define PTO_SHAPE_ScalarTile(NAME)                                                                                     \
  template <typename D, typename A, typename B>                                                                        \
  RecordEvent NAME(D &dst, A &src, ptoscope_detail::ScalarOf<D> scalar, B &tile, PTO_AFTER) {                          \
    return PTO_ISSUE_SCALAR(NAME, scalar, dst, src, tile);                                                             \
  }

/// NAME(dst, src, tmp, events …): a value for each row, in column 0
#define PTO_SHAPE_RowReduction(NAME)                                                                                   \
  template <typename D, typename A, typename S> RecordEvent NAME(D &dst, A &src, S &tmp, PTO_AFTER) {                  \
    ptoscope_detail::checkSources<A>();                                                                                \
    return PTO_ISSUE(NAME, dst, src, tmp);                                                                             \
  }

/// NAME(dst, src, events …): a value for each column, in row 0
#define PTO_SHAPE_ColumnReduction(NAME)                                                                                \
  template <typename D, typename A> RecordEvent NAME(D &dst, A &src, PTO_AFTER) {                                      \
    ptoscope_detail::checkSources<A>();                                                                                \
    return PTO_ISSUE(NAME, dst, src);                                                                                  \
  }

/// NAME(dstIdx, src, tmp, events …) and NAME(dstVal, dstIdx, src, tmp, events …)
#define PTO_SHAPE_Place(NAME)                                                                                          \
  template <typename I, typename A, typename S> RecordEvent NAME(I &dstIdx, A &src, S &tmp, PTO_AFTER) {               \
    ptoscope_detail::checkSources<A>();                                                                                \
    return PTO_ISSUE(NAME, dstIdx, src, tmp);                                                                          \
  }                                                                                                                    \
  template <typename D, typename I, typename A, ptoscope_detail::IsTile S>                                             \
  RecordEvent NAME(D &dstVal, I &dstIdx, A &src, S &tmp, PTO_AFTER) {                                                  \
    ptoscope_detail::checkSources<A>();                                                                                \
    ptoscope_detail::checkSameElements<D, A>();                                                                        \
    return PTO_ISSUE(NAME, dstIdx, src, tmp, dstVal);                                                                  \
  }

/// NAME(dst, src0, src1, events …), also with tmp before the events; one source is a column
#define PTO_SHAPE_RowExpansion(NAME) PTO_ROW_EXPANSION(NAME)

/// Written out in the header of its family.
#define PTO_SHAPE_Own(NAME)

namespace pto {
PTO_MODE_BEGIN

#define PTO_RECORD(NAME, KERNEL, SHAPE, ...) PTO_SHAPE_##SHAPE(NAME)
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD

PTO_MODE_END
} // namespace pto

#undef PTO_SHAPE_Unary
#undef PTO_SHAPE_Binary
#undef PTO_SHAPE_Ternary
#undef PTO_SHAPE_Scalar
#undef PTO_SHAPE_ScalarTile
#undef PTO_SHAPE_RowReduction
#undef PTO_SHAPE_ColumnReduction
#undef PTO_SHAPE_Place
#undef PTO_SHAPE_RowExpansion
#undef PTO_SHAPE_Own
#undef PTO_ROW_EXPANSION

#endif // PTO_DETAIL_INST_SHAPES_HPP
