//===- MatrixFootprints.cpp - footprints of matrix products ---------------===//

#include "Footprints.h"

namespace ptoscope::tile {

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

} // namespace ptoscope::tile
