//===- Gather.cpp - elements by index and by pattern ----------------------===//
//
// TGATHER-1 to TGATHER-9, HMEAN-25 to HMEAN-30. Indices count elements of the other tile in row-major order
// of its capacity, of a view in row-major order of what it covers. A datum that an
// index names and that does not exist is 0, or is not written; that was reported.
//
//===----------------------------------------------------------------------===//

#include "../Indexed.h"
#include "Fixpipe.h"
#include "Kernels.h"
#include "Walk.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
Extents validOf(const TileRef &tile) { return {tile.validRows, tile.validCols}; }

int64_t placeIn(const Map &map, int64_t index, int64_t cols) { return map.offset(index / cols, index % cols); }

void copyElement(unsigned bits, uint8_t *to, int64_t at, const uint8_t *from, int64_t place) {
  storeElement(bits, to, at, place < 0 ? 0 : loadElement(bits, from, place));
}
} // namespace

// dst, src, indices [, scratch]
void tgather(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  const unsigned bits = bitsOf(dst.ref.elem);
  const int64_t count = flatCount(src.ref);
  forEachIndex(ops.tile[2], validOf(dst.ref), [&](int64_t r, int64_t c, uint64_t index) {
    const int64_t i = resolve(index, count, Outside::Refuse);
    copyElement(bits, dst.data, to.offset(r, c), src.data, i < 0 ? i : placeIn(from, i, src.ref.cols));
  });
}

// dst, src; mode is the pattern. What it takes of each row of the source's valid
// region, one after the other, fills the destination's row by row.
void tgathermask(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  const unsigned bits = bitsOf(dst.ref.elem);
  const Pattern pattern = patternOf(ops.mode);
  const bool ofRows = ops.mode & kPatternOfRows;
  if (ops.isText() && !ofRows) { // IRGATHER-2: each row by itself
    for (int64_t r = 0; r < smaller(src.ref.validRows, dst.ref.validRows); ++r)
      for (int64_t k = 0; k < smaller(pattern.count(src.ref.validCols), dst.ref.validCols); ++k)
        copyElement(bits, dst.data, to.offset(r, k), src.data, from.offset(r, pattern.first + k * pattern.period));
    return;
  }
  if (ofRows) { // HMEAN-25
    const int64_t rows = smaller(pattern.count(src.ref.validRows), dst.ref.validRows);
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t c = 0; c < smaller(src.ref.validCols, dst.ref.validCols); ++c)
        copyElement(bits, dst.data, to.offset(k, c), src.data, from.offset(pattern.first + k * pattern.period, c));
    return;
  }
  int64_t row = 0, col = 0;
  for (int64_t r = 0; r < src.ref.validRows; ++r)
    for (int64_t c = pattern.first; c < src.ref.validCols && row < dst.ref.validRows; c += pattern.period) {
      copyElement(bits, dst.data, to.offset(row, col), src.data, from.offset(r, c));
      if (++col == dst.ref.validCols)
        col = 0, ++row;
    }
}

// dst, src, byte offsets: a 32-byte block of the source for each block of the
// destination's rows; offsets follow each other over the valid region of theirs.
void tgatherb(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1], &offsets = ops.tile[2];
  const Map to = tileMap(dst.ref), where = tileMap(offsets.ref);
  const int64_t room = bytesFor(src.ref.elem, flatCount(src.ref)), blocks = blocksOf(dst.ref);
  const int64_t rowBytes = bytesFor(dst.ref.elem, dst.ref.validCols), cols = offsets.ref.validCols;
  for (int64_t b = 0; cols > 0 && b < dst.ref.validRows * blocks; ++b) {
    const uint64_t offset = indexAt(offsets, where, b / cols, b % cols);
    uint8_t *row = dst.data + bytesFor(dst.ref.elem, to.offset(b / blocks, 0));
    const int64_t begin = b % blocks * 32, bytes = smaller(32, rowBytes - begin);
    if (offset <= uint64_t(room - bytes) && room >= bytes)
      __builtin_memmove(row + begin, src.data + offset, size_t(bytes));
    else
      __builtin_memset(row + begin, 0, size_t(bytes));
  }
}

// dst, src, indices, over the valid region of the indices: of several elements for
// one place the last stays. In text zeros come first, or indices are rows (IRGATHER-5,
// IRGATHER-6).
void tscatter(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  const unsigned bits = bitsOf(dst.ref.elem);
  const Extents own = capacityOf(dst.ref);
  const Extents given = validOf(ops.tile[2].ref);
  if (ops.rules == Rules::Text && given.rows && given.cols)
    fillElements(bits, sideOf(dst), own.rows, own.cols, 0);
  const int64_t count = flatCount(dst.ref);
  forEachIndex(ops.tile[2], given, [&](int64_t r, int64_t c, uint64_t index) {
    if (ops.rules == Rules::TextOfA3) {
      if (index < uint64_t(own.rows) && c < own.cols)
        copyElement(bits, dst.data, to.offset(int64_t(index), c), src.data, from.offset(r, c));
      return;
    }
    const int64_t i = resolve(index, count, Outside::Refuse);
    if (i >= 0)
      copyElement(bits, dst.data, placeIn(to, i, dst.ref.cols), src.data, from.offset(r, c));
  });
}

// dst, src; mode is the pattern. Columns that it takes get the source's in turn,
// the others 0; or rows.
void tscattermask(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  const unsigned bits = bitsOf(dst.ref.elem);
  const Pattern pattern = patternOf(ops.mode);
  const bool byRow = (ops.mode & kPatternOfRows) != 0; // HMEAN-26
  for (int64_t r = 0; r < dst.ref.validRows; ++r)
    for (int64_t c = 0; c < dst.ref.validCols; ++c) {
      const int64_t number = byRow ? r : c, k = number / pattern.period;
      const bool taken = number % pattern.period == pattern.first && (!byRow || k < src.ref.validRows);
      copyElement(bits, dst.data, to.offset(r, c), src.data,
                  !taken  ? -1
                  : byRow ? from.offset(k, c)
                          : from.offset(r, k));
    }
}

/// dst, and a view of indices (HMEAN-29).
static void gatherByView(const Operands &ops, IndexMode mode) {
  const TileView &dst = ops.tile[0];
  const GlobalRef indices = indexViewOf(ops);
  const Map to = tileMap(dst.ref), from = globalMap(ops.global.ref), where = globalMap(indices);
  const unsigned bits = bitsOf(dst.ref.elem);
  const Coverage view = coverage(ops.global.ref), named = coverage(indices);
  for (int64_t r = 0; r < dst.ref.validRows; ++r)
    for (int64_t c = 0; c < dst.ref.validCols; ++c) {
      const int64_t at = mode.byRow ? placeIn(where, r, named.cols) : where.offset(r, c);
      const uint64_t index = loadElement(32, static_cast<const uint8_t *>(indices.pointer), at);
      const int64_t i = resolve(index, mode.byRow ? view.rows : view.rows * view.cols, mode.outside);
      const bool there = i >= 0 && (!mode.byRow || c < view.cols);
      copyElement(bits, dst.data, to.offset(r, c), ops.global.data,
                  !there       ? -1
                  : mode.byRow ? from.offset(i, c)
                               : placeIn(from, i, view.cols));
    }
}

// dst, indices [, scratch]; from global memory.
void mgather(const Operands &ops) {
  if (const IndexMode mode = IndexMode::unpack(ops.mode); mode.fromView)
    return gatherByView(ops, mode);
  const TileView &dst = ops.tile[0], &indices = ops.tile[1];
  const IndexMode mode = IndexMode::unpack(ops.mode);
  const Map to = tileMap(dst.ref), from = globalMap(ops.global.ref), where = tileMap(indices.ref);
  const unsigned bits = bitsOf(dst.ref.elem);
  const Coverage view = coverage(ops.global.ref);
  if (!mode.byRow)
    return forEachIndex(indices, validOf(dst.ref), [&](int64_t r, int64_t c, uint64_t index) {
      const int64_t i = resolve(index, view.rows * view.cols, mode.outside);
      copyElement(bits, dst.data, to.offset(r, c), ops.global.data, i < 0 ? i : placeIn(from, i, view.cols));
    });
  for (int64_t r = 0; r < dst.ref.validRows; ++r) {
    const Place at = rowIndexPlace(indices.ref, r);
    const int64_t row = resolve(indexAt(indices, where, at.row, at.col), view.rows, mode.outside);
    for (int64_t c = 0; c < dst.ref.validCols; ++c)
      copyElement(bits, dst.data, to.offset(r, c), ops.global.data,
                  row < 0 || c >= view.cols ? -1 : from.offset(row, c));
  }
}

// src, indices; to global memory, element after element: the last one stays.
void mscatter(const Operands &ops) {
  const TileView &src = ops.tile[0], &indices = ops.tile[1];
  const IndexMode mode = IndexMode::unpack(ops.mode);
  const Map from = tileMap(src.ref), to = globalMap(ops.global.ref), where = tileMap(indices.ref);
  const unsigned bits = bitsOf(src.ref.elem);
  const Coverage view = coverage(ops.global.ref);
  const auto put = [&](int64_t at, int64_t place) {
    if (mode.atomic == 0)
      return copyElement(bits, ops.global.data, at, src.data, place);
    updateRun(AtomicType(mode.atomic), src.ref.elem, ops.global.data + at * int64_t(bits / 8),
              src.data + place * int64_t(bits / 8), 1);
  };
  if (!mode.byRow)
    return forEachIndex(indices, validOf(src.ref), [&](int64_t r, int64_t c, uint64_t index) {
      const int64_t i = resolve(index, view.rows * view.cols, mode.outside);
      if (i >= 0)
        put(placeIn(to, i, view.cols), from.offset(r, c));
    });
  for (int64_t r = 0; r < src.ref.validRows; ++r) {
    const Place at = rowIndexPlace(indices.ref, r);
    const int64_t row = resolve(indexAt(indices, where, at.row, at.col), view.rows, mode.outside);
    for (int64_t c = 0; row >= 0 && c < smaller(src.ref.validCols, view.cols); ++c)
      put(to.offset(row, c), from.offset(r, c));
  }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
