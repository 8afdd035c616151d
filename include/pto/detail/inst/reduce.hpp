//===- reduce.hpp - rows and columns reduced and repeated -------*- C++ -*-===//
//
// TRED-1 to TRED-12. Reductions go over the source's valid region and give a column
// (row forms) or a row (column forms); expansions take such a one.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_REDUCE_HPP
#define PTO_DETAIL_INST_REDUCE_HPP

#include "pto/detail/inst/elementwise.hpp"

namespace pto {
PTO_MODE_BEGIN

/// isBinary: neighbouring rows are added, then neighbouring sums.
template <typename D, typename A, ptoscope_detail::IsTile S>
RecordEvent TCOLSUM(D &dst, A &src, S &tmp, bool isBinary, PTO_AFTER) {
  ptoscope_detail::checkSources<A>();
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TCOLSUM>(at, dst, src, tmp);
  call.operands.mode = isBinary;
  return ptoscope_detail::finish(call);
}

template <typename D, typename A> RecordEvent TPAIRREDUCESUM(D &dst, A &src, PTO_AFTER) {
  ptoscope_detail::checkRows<D>();
  ptoscope_detail::checkSources<A>();
  return PTO_ISSUE(TPAIRREDUCESUM, dst, src);
}

/// idx has the bytes above `Byte` that an element needs to be counted: the highest
/// in row 0, the next in row 1 …, for row r of src in column r; one such byte may
/// also stand in row r of a column.
template <HistByte Byte = HistByte::BYTE_1, typename D, typename A, typename I>
RecordEvent THISTOGRAM(D &dst, A &src, I &idx, PTO_AFTER) {
  ptoscope_detail::checkSources<A>();
  static_assert(unsigned(Byte) < sizeof(typename A::DType), "the elements of src do not have this byte");
  constexpr int rows = A::ValidRow == DYNAMIC ? A::Rows : A::ValidRow;
  constexpr int higher = int(sizeof(typename A::DType)) - 1 - int(Byte);
  static_assert(D::Cols >= 256 && D::Rows >= rows,
                "a histogram has 256 bins for each row of src: raise Rows and Cols of the destination");
  static_assert(higher == 0 || (I::Rows >= higher && I::Cols >= rows) ||
                    (higher == 1 && I::ValidCol == 1 && I::Rows >= rows),
                "idx needs a row for each byte above the one that is counted, with a column for each row of src");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::THISTOGRAM>(at, dst, src, idx);
  call.operands.mode = uint32_t(Byte);
  return ptoscope_detail::finish(call);
}

// --- expansions ------------------------------------------------------------------------------

template <DivAlgorithm = DivAlgorithm::DEFAULT, typename D, typename A, typename B>
RecordEvent TCOLEXPANDDIV(D &dst, A &src0, B &src1, PTO_AFTER) {
  return PTO_ISSUE(TCOLEXPANDDIV, dst, src0, src1);
}

namespace ptoscope_detail {
/// src1 is the vector, unless src0 alone has other columns than dst. Where the types
/// tell, only that order is compiled: the other one would be refused.
template <const Record &R, typename D, typename A, typename B, typename... S>
RecordEvent expandRows(const Here &at, D &dst, A &src0, B &src1, S &...tmp) {
  const auto issued = [](Call call, bool first) {
    call.operands.mode = first;
    return finish(call);
  };
  if constexpr (!sameExtent(B::ValidCol, D::ValidCol)) {
    return issued(makeCall<R>(at, dst, src0, src1, tmp...), false);
  } else if constexpr (!sameExtent(A::ValidCol, D::ValidCol)) {
    return issued(makeCall<R>(at, dst, src1, src0, tmp...), true);
  } else {
    if (src0.GetValidCol() != dst.GetValidCol() && src1.GetValidCol() == dst.GetValidCol())
      return issued(makeCall<R>(at, dst, src1, src0, tmp...), true);
    return issued(makeCall<R>(at, dst, src0, src1, tmp...), false);
  }
}
} // namespace ptoscope_detail

/// NAME(dst, src0, src1, events …), also with tmp before the events; the shape RowExpansion
#define PTO_ROW_EXPANSION(NAME, ...)                                                                                   \
  template <__VA_ARGS__ typename D, typename A, typename B> RecordEvent NAME(D &dst, A &src0, B &src1, PTO_AFTER) {    \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::expandRows<ptoscope_detail::record::NAME>(at, dst, src0, src1);                            \
  }                                                                                                                    \
  template <__VA_ARGS__ typename D, typename A, typename B, ptoscope_detail::IsTile S>                                 \
  RecordEvent NAME(D &dst, A &src0, B &src1, S &tmp, PTO_AFTER) {                                                      \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::expandRows<ptoscope_detail::record::NAME>(at, dst, src0, src1, tmp);                       \
  }
PTO_ROW_EXPANSION(TROWEXPANDDIV, DivAlgorithm = DivAlgorithm::DEFAULT, )

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_REDUCE_HPP
