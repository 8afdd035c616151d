//===- Load.cpp - TLOAD, TPREFETCH ----------------------------------------===//
//
// A copy of bits from a view of global memory into a tile, and what is written
// around it (TLOAD-9 to TLOAD-11).
//
//===----------------------------------------------------------------------===//

#include "HostMove.h"
#include "Kernels.h"
#include "Walk.h"
#include "pto/detail/modes.hpp"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

void tload(const Operands &ops) {
  const TileRef &tile = ops.tile[0].ref;
  const unsigned bits = bitsOf(tile.elem);
  const Side dst = {ops.tile[0].data, tileMap(tile)};
  const Side src = {ops.global.data, globalMap(ops.global.ref)};
  if (ops.isHost() && ops.global.ref.elem != tile.elem)
    hostElements({ops.global.ref.elem, tile.elem, {}}, {}, dst, src, tile.validRows, tile.validCols);
  else
    moveElements(bits, dst, src, tile.validRows, tile.validCols);

  if (LoadMode(ops.mode) == LoadMode::FullFill) {
    const Extents own = capacityOf(tile);
    const bool custom = tile.pad >= uint64_t(PadValue::CustomBase);
    const uint64_t pad = custom ? 0 : padBits(tile.elem, tile.pad);
    fillElements(bits, sideOf(ops.tile[0], 0, tile.validCols), tile.validRows, own.cols - tile.validCols, pad);
    fillElements(bits, sideOf(ops.tile[0], tile.validRows), own.rows - tile.validRows, own.cols, pad);
    return;
  }
  const PadStrip strip = loadPadding(tile);
  if (strip.cols > 0)
    fillElements(bits, sideOf(ops.tile[0], 0, tile.validCols), tile.validRows, strip.cols,
                 padBits(tile.elem, tile.pad));
  if (strip.rows > 0)
    fillElements(bits, sideOf(ops.tile[0], tile.validRows), strip.rows, tile.validCols, padBits(tile.elem, tile.pad));
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
