//===- Layout.h - bytes of a region of a layout -----------------*- C++ -*-===//
//
// From regions of elements to bytes: the exact footprint as strided boxes, for
// observers, and its hull, for bounds. The layouts themselves are in
// pto/detail/layout.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_LAYOUT_H
#define PTOSCOPE_LIB_TILE_LAYOUT_H

#include "pto/detail/layout.hpp"
#include "ptoscope/Machine/Box.h"

#include <optional>
#include <vector>

namespace ptoscope::tile {

/// Rows [row, row + rows) of columns [col, col + cols).
struct Region {
  int64_t row = 0, col = 0;
  int64_t rows = 0, cols = 0;

  bool empty() const { return rows <= 0 || cols <= 0; }
  bool operator==(const Region &) const = default;
};

inline Region validRegion(const TileRef &tile) { return {0, 0, tile.validRows, tile.validCols}; }
inline Region wholeTile(const TileRef &tile) {
  const Extents room = capacityOf(tile);
  return {0, 0, room.rows, room.cols};
}

/// How far elements of a tile can be: those of a compact one end with its valid
/// boxes.
inline Extents roomOf(const TileRef &tile) {
  if (CompactMode(tile.compact) != CompactMode::Normal || SLayout(tile.innerLayout) == SLayout::NoneBox)
    return capacityOf(tile);
  const Extents box = innerBox(tile.elem, SLayout(tile.innerLayout), tile.fractalBytes);
  return {int32_t(roundUp(tile.validRows, box.rows)), int32_t(roundUp(tile.validCols, box.cols))};
}

/// Bytes relative to that of element 0: the lowest, and one past the highest.
/// Saturated at ±2^62, which no memory reaches.
struct Hull {
  int64_t low = 0, end = 0;
};

/// Empty for an empty region. No allocation, a few operations per digit.
Hull hullOf(const Map &map, const Region &region, Elem elem);
/// The same of a tile's layout.
Hull hullOf(const TileRef &tile, const Region &region);

/// Appends the boxes of a region whose element 0 is at byte `base`. They cover
/// exactly the bytes that hold an element of it; two boxes may share a byte only
/// where it holds two 4-bit elements or where strides overlap.
void appendBoxes(std::vector<Box> &boxes, const Map &map, const Region &region, Elem elem, uint64_t base);

/// The same where one row of bytes covers them, which most tiles are and which needs no memory; else nothing.
std::optional<Box> rowOf(const Map &map, const Region &region, Elem elem, uint64_t base);

inline std::vector<Box> boxesOf(const Map &map, const Region &region, Elem elem, uint64_t base) {
  std::vector<Box> boxes;
  appendBoxes(boxes, map, region, elem, base);
  return boxes;
}

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_LAYOUT_H
