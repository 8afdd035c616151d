//===- ConvertFootprints.cpp - scales and offsets beside tiles ------------===//

#include "Footprints.h"

namespace ptoscope::tile {

/// A column for each group of 32.
void tquantmxFootprint(const Operands &ops, Footprint &footprint) {
  constexpr int32_t kGroup = 32;
  const TileRef &dst = ops.tile[0].ref;
  for (size_t i = 2; i < ops.tiles; ++i)
    footprint.tile(i, {0, 0, dst.validRows, (dst.validCols + kGroup - 1) / kGroup}, Role::Write);
}

} // namespace ptoscope::tile
