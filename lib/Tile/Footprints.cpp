//===- Footprints.cpp - footprints of loads, products and conversions -----===//

#include "Footprints.h"
#include "pto/detail/modes.hpp"
#include "pto/detail/quant.hpp"

namespace ptoscope::tile {

/// The valid region, and the padding around it.
void tloadFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &tile = ops.tile[0].ref;
  Region valid = validRegion(tile);
  footprint.global(valid, DirectRole::Read);
  if (LoadMode(ops.mode) == LoadMode::FullFill)
    return footprint.tile(0, wholeTile(tile), Role::Write);
  PadStrip strip = loadPadding(tile);
  footprint.tile(0, {0, 0, valid.rows + strip.rows, valid.cols + strip.cols}, Role::Write);
}

/// `left` is the number of the left tile.
static void tellProduct(const Operands &ops, size_t left, Footprint &footprint) {
  const TileRef &a = ops.tile[left].ref, &b = ops.tile[left + 1].ref;
  footprint.tile(left + 1, {0, 0, a.validCols, b.validCols}, Role::Read);
  footprint.tile(0, {0, 0, a.validRows, b.validCols}, Role::Write);
}

void tmatmulFootprint(const Operands &ops, Footprint &footprint) { tellProduct(ops, 1, footprint); }

void tmatmulaccFootprint(const Operands &ops, Footprint &footprint) {
  footprint.tile(1, {0, 0, ops.tile[2].ref.validRows, ops.tile[3].ref.validCols}, Role::Read);
  tellProduct(ops, 2, footprint);
}

void tmatmulbiasFootprint(const Operands &ops, Footprint &footprint) {
  footprint.tile(1, {0, 0, ops.tile[2].ref.validRows > 0, ops.tile[3].ref.validCols}, Role::Read);
  tellProduct(ops, 2, footprint);
}

/// HMEAN-7: the first `count` elements of the tile's memory.
static void tellFlat(const Operands &ops, size_t i, int64_t count, Footprint &footprint) {
  const TileRef &tile = ops.tile[i].ref;
  const int64_t room = flatCount(tile);
  if (count > room)
    return footprint.outside(say::kTileTooSmall(i < 5 ? footprint.name(i) : "`expZz`", room, count));
  if (count > 0)
    footprint.tileBytes(i, 0, bytesFor(tile.elem, count), Role::Write);
}

/// A number for each group of 32, along rows or columns.
void tquantmxFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref;
  const mx::Mode mode = mx::Mode::unpack(ops.mode);
  const bool columns = mode.alongColumns;
  const int64_t lanes = columns ? dst.validCols : dst.validRows, along = columns ? dst.validRows : dst.validCols;
  const int64_t groups = (along + mx::kGroup - 1) / mx::kGroup;
  const int64_t rows = columns ? groups : lanes, cols = columns ? lanes : groups;
  // All of the blocks of 16 rows, and of the pairs of groups.
  const int64_t reordered = lanes > 0 && groups > 0 ? mx::reorderedPlace(lanes - 1, groups - 1, groups) + 1 : 0;
  for (size_t i : {2, 3, 4}) {
    const TileRef &tile = ops.tile[i].ref;
    const Extents room = capacityOf(tile);
    if (i == 2 && mode.interleaved)
      tellFlat(ops, i, reordered, footprint);
    else if ((i > 2 && !mode.byShape) || (tile.validRows == 1 && rows > 1))
      tellFlat(ops, i, lanes * groups, footprint);
    else if (rows > room.rows || cols > room.cols)
      footprint.outside(
          say::kTileTooSmall(footprint.name(i), say::kShape(room.rows, room.cols), say::kShape(rows, cols)));
    else
      footprint.tile(i, {0, 0, rows, cols}, Role::Write);
  }
  if (ops.tiles == 6)
    tellFlat(ops, 5, reordered, footprint);
}

/// 256 counts for each row, and as many bytes of idx as the element has above the
/// one that is counted (`mode`).
void thistogramFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &src = ops.tile[1].ref, &index = ops.tile[2].ref;
  const int64_t higher = int64_t(bitsOf(src.elem) / 8) - 1 - ops.mode;
  footprint.tile(0, {0, 0, src.validCols > 0 ? src.validRows : 0, 256}, Role::Write);
  footprint.tile(
      2, higher == 1 && index.validCols == 1 ? Region{0, 0, src.validRows, 1} : Region{0, 0, higher, src.validRows},
      Role::Read);
}

} // namespace ptoscope::tile
