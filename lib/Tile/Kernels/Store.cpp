//===- Store.cpp - TSTORE, TSTORE_FP --------------------------------------===//
//
// The valid region of a tile to a view of global memory (TSTORE-1); only
// its elements are touched there.
//
//===----------------------------------------------------------------------===//

#include "HostMove.h"
#include "Kernels.h"
#include "pto/detail/paths.hpp"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

void tstore(const Operands &ops) {
  const TileRef &tile = ops.tile[0].ref;
  const Side dst = {ops.global.data, globalMap(ops.global.ref)};
  const Side src = {ops.tile[0].data, tileMap(tile)};
  const MoveMode mode = MoveMode::unpack(ops.mode);
  const Matrix words = mode.quant == Quant::Vector ? matrixOf(ops.tile[1]) : Matrix{};
  const Conversion conversion = {tile.elem, ops.global.ref.elem, mode, ops.scalar[kWordScalar],
                                 &words,    /*finish=*/nullptr,  0,    ops.isText()};
  if (ops.isHost())
    return hostElements(conversion, {0, wordsGoByRow(tile)}, dst, src, tile.validRows, tile.validCols);
  convertElements(conversion, dst, src, tile.validRows, tile.validCols);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
