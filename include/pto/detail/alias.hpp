//===- alias.hpp - tiles that share storage ---------------------*- C++ -*-===//
//
// TSUBVIEW and TRESHAPE move nothing: they give a tile the storage of another
// (isa/30 section 12).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_ALIAS_HPP
#define PTO_DETAIL_ALIAS_HPP

#include "pto/detail/layout.hpp"

namespace ptoscope::tile {

/// Empty if `dst` can be a view of `src`, else what is wrong and what would be right.
PTO_DETAIL_INLINE const char *subviewProblem(const TileRef &dst, const TileRef &src) {
  if (dst.location != src.location)
    return "a view and its tile have to be in the same memory";
  if (SLayout(dst.innerLayout) != SLayout::NoneBox || SLayout(src.innerLayout) != SLayout::NoneBox)
    return "views of boxed tiles are not possible: take `SLayout::NoneBox`, or copy with `TEXTRACT`";
  if (bitsOf(dst.elem) != bitsOf(src.elem))
    return "a view has to have elements as wide as its tile's; `TRESHAPE` changes the type of elements";
  return "";
}

/// Bytes from the start of `src` to a view of it that begins at (row, col): rows and
/// columns of the source's capacity. Negative when it would begin inside a byte.
PTO_DETAIL_INLINE int64_t subviewBytes(const TileRef &src, int64_t row, int64_t col) {
  const int64_t bits = tileMap(src).offset(row, col) * int64_t(bitsOf(src.elem));
  return bits % 8 == 0 ? bits / 8 : -1;
}

/// Empty if `dst` can take over the storage of `src`, else what is wrong.
PTO_DETAIL_INLINE const char *reshapeProblem(const TileRef &dst, const TileRef &src) {
  if (dst.location != src.location)
    return "`TRESHAPE` stays in one memory: both tiles need the same `TileType`";
  const int64_t dstBits = int64_t(dst.rows) * dst.cols * int64_t(bitsOf(dst.elem));
  const int64_t srcBits = int64_t(src.rows) * src.cols * int64_t(bitsOf(src.elem));
  if (dstBits != srcBits)
    return "`TRESHAPE` keeps the size: rows x cols x element size have to be the same in both tiles";
  if ((SLayout(dst.innerLayout) == SLayout::NoneBox) != (SLayout(src.innerLayout) == SLayout::NoneBox))
    return "`TRESHAPE` needs two boxed tiles or two unboxed ones";
  return "";
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_ALIAS_HPP
