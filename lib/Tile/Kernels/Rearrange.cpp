//===- Rearrange.cpp - columns joined, mixed and repeated -----------------===//

#include "../Indexed.h"
#include "Kernels.h"
#include "Walk.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
/// Columns `first`, first + 2, … of the tile. Boxes have an even number of columns.
Side everyOther(const TileView &tile, int64_t first) {
  Side side = sideOf(tile);
  side.offset = side.map.col.offset(first);
  side.map.col.digit[0].count /= 2;
  side.map.col.digit[0].stride *= 2;
  return side;
}
} // namespace

// dst, src0, src1 | dst, src0, src1, idx0, idx1 | dst, src0, src1, dstIdx, idx0,
// idx1. What does not fit the destination's valid columns is left out, what is not
// reached stays.
void tconcat(const Operands &ops) {
  const TileView &dst = ops.tile[0], &first = ops.tile[1], &second = ops.tile[2];
  const unsigned bits = bitsOf(dst.ref.elem);
  const int64_t cols = dst.ref.validCols;
  if (ops.tiles == 3) {
    const int64_t head = smaller(first.ref.validCols, cols);
    moveElements(bits, sideOf(dst), sideOf(first), dst.ref.validRows, head);
    moveElements(bits, sideOf(dst, 0, head), sideOf(second), dst.ref.validRows,
                 smaller(second.ref.validCols, cols - head));
    return;
  }
  for (int64_t r = 0; r < dst.ref.validRows; ++r) {
    const auto [head, tail, cut] = joinedColumns(ops, r);
    moveElements(bits, sideOf(dst, r, 0), sideOf(first, r, 0), 1, head);
    moveElements(bits, sideOf(dst, r, head), sideOf(second, r, 0), 1, tail);
    if (ops.tiles == 6) {
      // HMEAN-32: in the host profile the sum of both numbers, as they are. Text has the
      // bytes.
      const TileView &total = ops.tile[3];
      const auto number = [&](const TileView &index) { return indexAt(index, tileMap(index.ref), r, 0); };
      const uint64_t said = ops.isHost()   ? number(ops.tile[4]) + number(ops.tile[5])
                            : ops.isText() ? uint64_t(bytesFor(dst.ref.elem, head + tail))
                                           : uint64_t(head + tail) * (bitsOf(total.ref.elem) / 8);
      storeElement(bitsOf(total.ref.elem), total.data, tileMap(total.ref).offset(r, 0), said);
    }
  }
}

// dst1, dst0, src1, src0. The columns of both sources in turn make a sequence
// twice as long; dst0 gets its first half.
void tinterleave(const Operands &ops) {
  const TileView *dst[] = {&ops.tile[1], &ops.tile[0]}, *src[] = {&ops.tile[3], &ops.tile[2]};
  const TileRef &shape = dst[0]->ref;
  const int64_t cols = shape.validCols;
  for (int half = 0; half < 2; ++half)
    for (int from = 0; from < 2; ++from) {
      const int64_t first = (half * cols + from) % 2; // column of `half` that comes from `from`
      if (first < cols)
        moveElements(bitsOf(shape.elem), everyOther(*dst[half], first),
                     sideOf(*src[from], 0, (half * cols + first) / 2), shape.validRows, (cols - first + 1) / 2);
    }
}

// dst1, dst0, src1, src0 | dst1, dst0, src. The sources one after the other make a
// sequence; dst0 gets its even elements.
void tdeinterleave(const Operands &ops) {
  const TileView *dst[] = {&ops.tile[1], &ops.tile[0]};
  const TileView *src[] = {&ops.tile[ops.tiles - 1], &ops.tile[2]};
  const int sources = ops.tiles == 4 ? 2 : 1;
  const TileRef &shape = src[0]->ref;
  const int64_t cols = shape.validCols;
  for (int from = 0; from < sources; ++from)
    for (int odd = 0; odd < 2; ++odd) {
      const int64_t first = (from * cols + odd) % 2; // column of `from` that goes to `odd`
      const int64_t to = (from * cols + first) / 2;
      const int64_t room = dst[odd]->ref.validCols - to;
      if (first < cols)
        moveElements(bitsOf(shape.elem), sideOf(*dst[odd], 0, to), everyOther(*src[from], first), shape.validRows,
                     smaller((cols - first + 1) / 2, room));
    }
}

// dst(r, c) = src(r, 0) over the destination's valid region.
void trowexpand(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref;
  Side src = sideOf(ops.tile[1]);
  src.map.col = Axis{{{1, 0}}, 1};
  moveElements(bitsOf(dst.elem), sideOf(ops.tile[0]), src, dst.validRows, dst.validCols);
}

// dst(r, c) = src(0, c) over the destination's valid region.
void tcolexpand(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref;
  Side src = sideOf(ops.tile[1]);
  src.map.row = Axis{{{1, 0}}, 1};
  moveElements(bitsOf(dst.elem), sideOf(ops.tile[0]), src, dst.validRows, dst.validCols);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
