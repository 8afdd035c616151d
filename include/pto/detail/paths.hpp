//===- paths.hpp - which tiles may meet -------------------------*- C++ -*-===//
//
// Memories, layouts and elements that moves, loads and products take: templates of
// the C++ API ask at compile time, text asks before a run.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_PATHS_HPP
#define PTO_DETAIL_PATHS_HPP

#include "pto/detail/layout.hpp"

namespace ptoscope::tile {

enum class Window : uint8_t { None, OfSource, OfDestination };

/// The memories of MX scales (MXT-1).
PTO_DETAIL_INLINE bool isScale(TileType type) { return type == TileType::ScaleLeft || type == TileType::ScaleRight; }

/// TMOV-2, TMOV-3: from which memory to which tiles are moved.
PTO_DETAIL_INLINE bool moves(TileType from, TileType to, Window window) {
  switch (from) {
  case TileType::Vec:
  case TileType::Acc:
    return to == TileType::Vec || to == TileType::Mat;
  case TileType::Mat:
    return window != Window::OfDestination && (to == TileType::Left || to == TileType::Right || to == TileType::Bias ||
                                               to == TileType::Scaling || isScale(to));
  default:
    return false;
  }
}

/// TLOAD-2, TLOAD-3: which layouts of global memory a tile is loaded from. The microscaling
/// ones are not among them.
PTO_DETAIL_INLINE bool loads(TileType to, BLayout block, SLayout inner, Layout from, bool a5) {
  const bool mat = to == TileType::Mat, plain = inner == SLayout::NoneBox, rows = block == BLayout::RowMajor;
  const bool nz = !rows && inner == SLayout::RowMajor, zn = rows && inner == SLayout::ColMajor;
  switch (from) {
  case Layout::ND:
    return (plain && rows) || (mat && nz);
  case Layout::DN:
    return (plain && !rows) || (mat && (zn || (nz && a5)));
  default:
    return from == Layout::NZ && nz;
  }
}

/// HMOVE-13: a vector of words goes along the columns of a tile without boxes that has
/// them contiguous, in a store of the host profile.
PTO_DETAIL_INLINE bool wordsGoByRow(const TileRef &tile) {
  return BLayout(tile.blockLayout) == BLayout::ColMajor && SLayout(tile.innerLayout) == SLayout::NoneBox;
}

/// TMATMUL-1: f32 from two small floats of the same kind, i32 from bytes.
PTO_DETAIL_INLINE bool multiplies(Elem sum, Elem left, Elem right) {
  const auto byte = [](Elem elem) { return elem == Elem::e4m3 || elem == Elem::e5m2; };
  if (left == Elem::i8 || right == Elem::i8)
    return sum == Elem::i32 && left == right;
  return sum == Elem::f32 && (left == right || (byte(left) && byte(right)));
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_PATHS_HPP
