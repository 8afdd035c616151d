//===- alias.hpp - tiles that share storage ---------------------*- C++ -*-===//
//
// TSUBVIEW and TRESHAPE move nothing: they give a tile the storage of another
// (TMOV-8, TMOV-9), with the layout and valid region of its own type.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_ALIAS_HPP
#define PTO_DETAIL_INST_ALIAS_HPP

#include "pto/detail/sync.hpp"

namespace pto {
PTO_MODE_BEGIN

/// dst begins at element (row, col) of src. It keeps its own pitch: give it as many
/// Cols (row-major) or Rows (column-major) as src has, and valid extents for the window.
template <typename D, typename S> RecordEvent TSUBVIEW(D &dst, S &src, int64_t row, int64_t col, PTO_AFTER) {
  static_assert(is_tile_data_v<D> && is_tile_data_v<S>, "this operand has to be a tile");
  static_assert(D::Loc == S::Loc, "a view and its tile have to be in the same memory: give both the same TileType");
  static_assert(!D::isBoxedLayout && !S::isBoxedLayout,
                "views of boxed tiles are not possible: take SLayout::NoneBox, or copy with TEXTRACT");
  static_assert(ptoscope::tile::bitsOf(D::kElem) == ptoscope::tile::bitsOf(S::kElem),
                "a view has to have elements as wide as its tile's; TRESHAPE changes the type of elements");
  static_assert(D::ValidRow <= S::Rows && D::ValidCol <= S::Cols,
                "the view is larger than its tile: lower its RowValid and ColValid");
  PTO_WAIT;
  const ptoscope_detail::Source source = ptoscope_detail::sourceOf(at);
  dst.bind(
      ptoscope::tile::viewOf(src.view(at), row, col, int64_t(dst.GetValidRow()), int64_t(dst.GetValidCol()), source));
  return {source};
}

/// dst takes over the storage of src.
template <typename D, typename S> RecordEvent TRESHAPE(D &dst, S &src, PTO_AFTER) {
  static_assert(is_tile_data_v<D> && is_tile_data_v<S>, "this operand has to be a tile");
  static_assert(D::Loc == S::Loc, "TRESHAPE stays in one memory: both tiles need the same TileType");
  static_assert(D::kBytes == S::kBytes,
                "TRESHAPE keeps the size: Rows x Cols x element size have to be the same in both tiles");
  static_assert(D::isBoxedLayout == S::isBoxedLayout, "TRESHAPE needs two boxed tiles or two unboxed ones");
  PTO_WAIT;
  dst.bind(src.view(at).data);
  return {ptoscope_detail::sourceOf(at)};
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_ALIAS_HPP
