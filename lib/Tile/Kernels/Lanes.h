//===- Lanes.h - element by element over tiles ------------------*- C++ -*-===//
//
// Applies meanings of lane groups (Meaning/Lanes.h) to the valid region of tiles.
// Rows that follow each other without a gap are one long row. A group is read as a
// whole before anything of it is written, so a destination may be a source; what
// is left of a row goes through a group of zeros.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_LANES_H
#define PTOSCOPE_LIB_TILE_KERNELS_LANES_H

#include "Kernels.h"
#include "pto/detail/layout.hpp"
#include "ptoscope/Meaning/Lanes.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace lanes = ptoscope::meaning;

/// Calls fn.template operator()<Tag>() with the tag of `elem` if it is one of Tags.
template <typename... Tags, typename Fn> void forElem(Elem elem, Fn fn) {
  constexpr auto elemOf = []<typename T>() {
    if constexpr (lanes::kIsSame<T, lanes::f32>)
      return Elem::f32;
    else if constexpr (lanes::kIsSame<T, lanes::f16>)
      return Elem::f16;
    else if constexpr (lanes::kIsSame<T, lanes::bf16>)
      return Elem::bf16;
    else
      return Elem(2 * (__builtin_ctz(sizeof(typename T::Elem))) + !lanes::kIsSigned<T>);
  };
  ((elem == elemOf.template operator()<Tags>() ? (fn.template operator()<Tags>(), 0) : 0), ...);
}

template <typename T> PTOM_INLINE lanes::Group<T> loadGroup(const uint8_t *from, size_t bytes = 64) {
  lanes::Group<T> group{};
  __builtin_memcpy(&group, from, bytes);
  return group;
}
template <typename T> PTOM_INLINE void storeGroup(uint8_t *to, lanes::Group<T> group, size_t bytes = 64) {
  __builtin_memcpy(to, &group, bytes);
}
/// Values that leave arithmetic have one NaN.
template <typename T> PTOM_INLINE lanes::Group<T> leaveArithmetic(lanes::Group<T> value) {
  if constexpr (lanes::kIsFloat<T>)
    return lanes::canon<T>(value);
  else
    return value;
}

/// One run of bytes: dst = fn(sources …), group by group.
template <typename T, typename Fn, typename... Src>
[[gnu::always_inline]] inline void runLanes(uint8_t *dst, size_t bytes, Fn fn, Src... src) {
  size_t at = 0;
  for (; at + 64 <= bytes; at += 64)
    storeGroup<T>(dst + at, fn(loadGroup<T>(src + at)...));
  if (at < bytes)
    storeGroup<T>(dst + at, fn(loadGroup<T>(src + at, bytes - at)...), bytes - at);
}

/// Lines of a tile: rows of row-major tiles, columns of column-major ones.
struct Lines {
  int64_t count, length; ///< of tile 0's valid region; length in elements
  bool plain;            ///< every tile has lines of the same direction
};
inline Lines linesOf(const Operands &ops, size_t tiles) {
  const TileRef &first = ops.tile[0].ref;
  bool rowMajor = BLayout(first.blockLayout) == BLayout::RowMajor, plain = true;
  for (size_t i = 0; i < tiles; ++i)
    plain = plain && SLayout(ops.tile[i].ref.innerLayout) == SLayout::NoneBox &&
            ops.tile[i].ref.blockLayout == first.blockLayout;
  return rowMajor ? Lines{first.validRows, first.validCols, plain} : Lines{first.validCols, first.validRows, plain};
}
/// Bytes from line to line.
inline size_t lineStride(const TileRef &tile, size_t width) {
  return size_t(BLayout(tile.blockLayout) == BLayout::RowMajor ? tile.cols : tile.rows) * width;
}

/// Tile 0 = fn(tile 1, …, tile Sources) over tile 0's valid region; all have
/// elements T. `fn` takes and gives groups.
template <typename T, int Sources, typename Fn> void mapTiles(const Operands &ops, Fn fn) {
  constexpr size_t width = sizeof(typename T::Elem);
  const Lines lines = linesOf(ops, Sources + 1);
  auto spread = [&]<int... I>(lanes::Sequence<int, I...>) {
    if (lines.plain) {
      const size_t strides[] = {lineStride(ops.tile[0].ref, width), lineStride(ops.tile[I + 1].ref, width)...};
      size_t bytes = size_t(lines.length) * width, count = size_t(lines.count);
      bool gapless = ((strides[0] == bytes) && ... && (strides[I + 1] == bytes));
      if (gapless) {
        bytes *= count;
        count = 1;
      }
      for (size_t line = 0; line < count; ++line)
        runLanes<T>(ops.tile[0].data + line * strides[0], bytes, fn,
                    static_cast<const uint8_t *>(ops.tile[I + 1].data + line * strides[I + 1])...);
      return;
    }
    // Layouts that differ, or boxed ones: a row at a time, gathered and scattered.
    const Map maps[] = {tileMap(ops.tile[0].ref), tileMap(ops.tile[I + 1].ref)...};
    constexpr int kLanes = lanes::kLanes<T>;
    for (int64_t r = 0; r < ops.tile[0].ref.validRows; ++r)
      for (int64_t c = 0; c < ops.tile[0].ref.validCols; c += kLanes) {
        const int64_t left = ops.tile[0].ref.validCols - c;
        const int n = left < kLanes ? int(left) : kLanes;
        auto gather = [&](int i) {
          alignas(64) uint8_t bytes[64] = {};
          for (int k = 0; k < n; ++k)
            __builtin_memcpy(bytes + size_t(k) * width,
                             ops.tile[i].data + size_t(maps[i].offset(r, c + k)) * width, width);
          return loadGroup<T>(bytes);
        };
        alignas(64) uint8_t result[64];
        storeGroup<T>(result, fn(gather(I + 1)...));
        for (int k = 0; k < n; ++k)
          __builtin_memcpy(ops.tile[0].data + size_t(maps[0].offset(r, c + k)) * width, result + size_t(k) * width,
                           width);
      }
  };
  spread(__make_integer_seq<lanes::Sequence, int, Sources>());
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_LANES_H
