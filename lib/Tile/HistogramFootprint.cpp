//===- HistogramFootprint.cpp - what THISTOGRAM touches -------------------===//

#include "Footprints.h"

namespace ptoscope::tile {

// 256 counts for each row, and as many bytes of idx as the element has above the
// one that is counted (`mode`).
void thistogramFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &src = ops.tile[1].ref, &index = ops.tile[2].ref;
  const int64_t higher = int64_t(bitsOf(src.elem) / 8) - 1 - ops.mode;
  footprint.tile(0, {0, 0, src.validCols > 0 ? src.validRows : 0, 256}, Role::Write);
  footprint.tile(
      2, higher == 1 && index.validCols == 1 ? Region{0, 0, src.validRows, 1} : Region{0, 0, higher, src.validRows},
      Role::Read);
}

} // namespace ptoscope::tile
