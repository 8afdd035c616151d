//===- MemoryFootprints.cpp - footprints of loads and stores --------------===//

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

} // namespace ptoscope::tile
