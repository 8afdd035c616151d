//===- Indexed.h - places that index tiles name -----------------*- C++ -*-===//
//
// What gathers and scatters do with indices, once for their meaning and once for
// their footprint. Inlined always: meanings are compiled for several hosts.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_INDEXED_H
#define PTOSCOPE_LIB_TILE_INDEXED_H

#include "pto/detail/gather.hpp"
#include "pto/detail/layout.hpp"

namespace ptoscope::tile {

/// An index counts from 0: what a program takes for negative is a large one.
[[gnu::always_inline]] inline uint64_t indexAt(const TileView &tile, const Map &map, int64_t r, int64_t c) {
  const unsigned bytes = bitsOf(tile.ref.elem) / 8;
  uint64_t value = 0;
  __builtin_memcpy(&value, tile.data + map.offset(r, c) * bytes, bytes);
  return value;
}

/// Calls fn(r, c, index) for the region of `shape`, row by row, until it gives false.
template <typename Fn> [[gnu::always_inline]] inline void forEachIndex(const TileView &indices, Extents shape, Fn fn) {
  const Map map = tileMap(indices.ref);
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t c = 0; c < shape.cols; ++c)
      fn(r, c, indexAt(indices, map, r, c));
}

/// `count` places; an index beyond them as `outside` has it. Negative: none.
[[gnu::always_inline]] inline int64_t resolve(uint64_t index, int64_t count, Outside outside) {
  if (index < uint64_t(count))
    return int64_t(index);
  if (count > 0 && outside == Outside::Clamp)
    return count - 1;
  if (count > 0 && outside == Outside::Wrap)
    return int64_t(index % uint64_t(count));
  return -1;
}

/// The rows of a tile with an index per row: its index stands in a row or a column.
[[gnu::always_inline]] inline Place rowIndexPlace(const TileRef &indices, int64_t row) {
  return indices.validCols == 1 ? Place{row, 0} : Place{0, row};
}

/// 32-byte blocks of a row.
[[gnu::always_inline]] inline int64_t blocksOf(const TileRef &tile) {
  return (bytesFor(tile.elem, tile.validCols) + 31) / 32;
}

/// Columns that the index forms of TCONCAT take from each source.
struct Joined {
  int64_t head, tail;
  bool isCut; ///< the indices said more
};

/// Numbers of index tiles count in units of `unit` bits, in column 0: their own size, in text
/// elements (HMEAN-31). A negative one is none.
[[gnu::always_inline]] inline int64_t elementsSaid(const TileView &count, int64_t row, bool text) {
  const unsigned unit = text ? 8 : bitsOf(count.ref.elem);
  const Elem type = count.ref.elem;
  const unsigned unused = 64 - bitsOf(type);
  const uint64_t raw = indexAt(count, tileMap(count.ref), row, 0);
  const bool isSigned = type == Elem::i8 || type == Elem::i16 || type == Elem::i32 || type == Elem::i64;
  if (isSigned && int64_t(raw << unused) < 0)
    return 0;
  return int64_t((raw < INT32_MAX ? raw : INT32_MAX) * 8 / unit);
}

[[gnu::always_inline]] inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

[[gnu::always_inline]] inline Joined joinedColumns(const Operands &ops, int64_t row) {
  const TileRef &dst = ops.tile[0].ref;
  const int64_t first = elementsSaid(ops.tile[ops.tiles - 2], row, ops.isText()),
                second = elementsSaid(ops.tile[ops.tiles - 1], row, ops.isText());
  const int64_t head = least(least(first, ops.tile[1].ref.validCols), dst.validCols);
  const int64_t tail = least(least(second, ops.tile[2].ref.validCols), dst.validCols - head);
  return {head, tail, head < first || tail < second};
}

/// HMEAN-35: records that a merge of every four runs of `run` records writes.
[[gnu::always_inline]] inline uint32_t mergedRecords(const TileRef &dst, const TileRef &src, uint32_t run) {
  const uint32_t records = uint32_t(least(dst.validCols, src.validCols)) * bitsOf(dst.elem) / 64;
  return run > UINT32_MAX / 4 ? 0 : records / (4 * run) * (4 * run);
}

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_INDEXED_H
