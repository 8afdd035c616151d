//===- QueueStrips.cpp - queues that are typed by tiles -------------------===//
//
// FIFO-60 to FIFO-64: the wider of the two tiles of a TMPipe is cut into strips of columns
// as wide as the other one. An entry in global memory holds them strip after strip, each
// with the rows of the tile of the cube core; a vector core has half of these rows.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"

#include "ptoscope/Machine/QueueSentences.h"

namespace ptoscope::tile {

/// Columns [col, col + cols) of a tile whose columns of boxes are whole there.
static TileView stripOf(const TileView &tile, int64_t col, int64_t cols) {
  TileView strip = tile;
  const int64_t bits = tileMap(tile.ref).offset(0, col) * int64_t(bitsOf(tile.ref.elem));
  strip.data += bits / 8;
  strip.ref.address += uint32_t(bits / 8);
  strip.ref.validCols = int32_t(cols);
  return strip;
}

int32_t QueueUser::moveStrips(const TileView &tile, const QueueSide &side, bool pushes, bool toVector) {
  if (!queue.global)
    return tell(say::kQueueNoGm(), /*fatal=*/true);
  const TileRef &ref = tile.ref;
  const int64_t width = queue.stripCols, rows = ref.validRows;
  // A vector core with fewer rows than the entry has its own ones.
  const bool ofCube = pushes == toVector;
  const int64_t first = !ofCube && rows < int64_t(queue.entryRows) ? int64_t(subblock) * rows : 0;
  // The narrow tile is one strip, the wide one all of them.
  const bool wide = ref.validCols > width;
  const int64_t strips = wide ? ref.validCols / width : 1, begin = wide ? 0 : side.part;
  const int64_t stripElements = int64_t(queue.entryRows) * width;
  if (int32_t status = needBytes(bytesFor(ref.elem, (begin + strips) * stripElements), side.offset))
    return status;
  for (int64_t i = 0; i < strips; ++i) {
    Call call = callOf(pushes ? record::TSTORE : record::TLOAD, pushes ? MoveMode().pack() : uint32_t(load));
    call.operands.tile[call.operands.tiles++] = stripOf(tile, i * width, wide ? width : ref.validCols);
    if (wide)
      call.operands.mode = pushes ? call.operands.mode : uint32_t(LoadMode::Hardware);
    uint8_t *place = globalEntry(side, toVector) + bytesFor(ref.elem, (begin + i) * stripElements + first * width);
    setView(call, place, ref.elem, Layout::ND, rows, wide ? width : ref.validCols, width);
    if (int32_t status = issue(call, site))
      return status;
  }
  return 0;
}

} // namespace ptoscope::tile
