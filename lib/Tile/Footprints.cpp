//===- Footprints.cpp - footprints of loads, products and conversions -----===//

#include "Footprints.h"
#include "pto/detail/modes.hpp"

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

/// A column for each group of 32.
void tquantmxFootprint(const Operands &ops, Footprint &footprint) {
  constexpr int32_t kGroup = 32;
  const TileRef &dst = ops.tile[0].ref;
  for (size_t i = 2; i < ops.tiles; ++i)
    footprint.tile(i, {0, 0, dst.validRows, (dst.validCols + kGroup - 1) / kGroup}, Role::Write);
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
