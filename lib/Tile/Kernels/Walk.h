//===- Walk.h - two layouts side by side ------------------------*- C++ -*-===//
//
// A move between layouts is cut into blocks in which both sides have constant
// strides along rows and along columns. Everything that goes from one layout to
// another is written on blocks.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_WALK_H
#define PTOSCOPE_LIB_TILE_KERNELS_WALK_H

#include "../Operands.h"
#include "pto/detail/layout.hpp"

#ifndef PTOSCOPE_LEVEL
#error "kernels are compiled once per level of host"
#endif

namespace ptoscope::tile::PTOSCOPE_LEVEL {

/// Elements of a layout from (row, col) on.
struct Side {
  uint8_t *data; ///< of the layout's element 0
  Map map;
  int64_t row = 0, col = 0;
  int64_t offset = 0; ///< added to that of every element
};

inline Side sideOf(const TileView &tile, int64_t row = 0, int64_t col = 0) {
  return {tile.data, tileMap(tile.ref), row, col};
}

/// A position on an axis that moves forward.
class Walk {
public:
  Walk(const Axis &axis, int64_t start) : axis(axis) {
    // Most walks start at 0, and divisions are what is dear here.
    for (int k = 0; start != 0; ++k) {
      const bool last = k + 1 == axis.digits;
      index[k] = last ? start : start % axis.digit[k].count;
      start = last ? 0 : start / axis.digit[k].count;
      offset += index[k] * axis.digit[k].stride;
    }
  }

  int64_t at() const { return offset; }
  int64_t stride() const { return axis.digit[0].stride; }
  /// Steps of stride() from here, this position included.
  int64_t run() const { return axis.digits == 1 ? INT64_MAX : axis.digit[0].count - index[0]; }

  /// n <= run()
  void advance(int64_t n) {
    index[0] += n;
    offset += n * axis.digit[0].stride;
    for (int k = 0; k + 1 < axis.digits && index[k] == axis.digit[k].count; ++k) {
      offset += axis.digit[k + 1].stride - index[k] * axis.digit[k].stride;
      index[k] = 0;
      ++index[k + 1];
    }
  }

private:
  const Axis &axis;
  int64_t offset = 0;
  int64_t index[Axis::kMaxDigits] = {};
};

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Offsets and strides in elements; the block starts at (row, col) of the region.
struct Block {
  int64_t row, col;
  int64_t rows, cols;
  int64_t dst, dstRow, dstCol;
  int64_t src, srcRow, srcCol;
};

/// Rows of a block, at most: narrow blocks beside each other then find the lines
/// of the wider side in the cache.
inline constexpr int64_t kBlockRows = 128;

/// Calls fn(block) for blocks that cover rows x cols. At most `maxCols` columns
/// each.
template <typename Fn>
void forEachBlock(const Side &dst, const Side &src, int64_t rows, int64_t cols, Fn fn, int64_t maxCols = INT64_MAX) {
  const auto plain = [](const Side &side) { return side.map.row.digits == 1 && side.map.col.digits == 1; };
  if (plain(dst) && plain(src) && cols <= maxCols) {
    const auto start = [](const Side &side) {
      return side.offset + side.row * side.map.row.digit[0].stride + side.col * side.map.col.digit[0].stride;
    };
    return fn(Block{0, 0, rows, cols, start(dst), dst.map.row.digit[0].stride, dst.map.col.digit[0].stride, start(src),
                    src.map.row.digit[0].stride, src.map.col.digit[0].stride});
  }
  Walk dstRow(dst.map.row, dst.row), srcRow(src.map.row, src.row);
  const bool wide = dst.map.col.digits == 1 && src.map.col.digits == 1;
  for (int64_t r = 0; r < rows;) {
    int64_t n = smaller(smaller(rows - r, wide ? rows : kBlockRows), smaller(dstRow.run(), srcRow.run()));
    Walk dstCol(dst.map.col, dst.col), srcCol(src.map.col, src.col);
    for (int64_t c = 0; c < cols;) {
      int64_t m = smaller(smaller(cols - c, maxCols), smaller(dstCol.run(), srcCol.run()));
      fn(Block{r, c, n, m, dst.offset + dstRow.at() + dstCol.at(), dstRow.stride(), dstCol.stride(),
               src.offset + srcRow.at() + srcCol.at(), srcRow.stride(), srcCol.stride()});
      c += m;
      if (c < cols) {
        dstCol.advance(m);
        srcCol.advance(m);
      }
    }
    r += n;
    if (r < rows) {
      dstRow.advance(n);
      srcRow.advance(n);
    }
  }
}

//===----------------------------------------------------------------------===//
// Blocks.cpp
//===----------------------------------------------------------------------===//

/// Copies rows x cols elements of `bits` bits. The sides may be the same bytes in
/// the same layout; if they overlap otherwise, what is read after it was written
/// is not defined, but the same at every level.
void moveElements(unsigned bits, const Side &dst, const Side &src, int64_t rows, int64_t cols);

/// Writes the low `bits` bits of `pattern` to rows x cols elements.
void fillElements(unsigned bits, const Side &dst, int64_t rows, int64_t cols, uint64_t pattern);

/// One element's bits; `offset` in elements.
uint64_t loadElement(unsigned bits, const uint8_t *data, int64_t offset);
void storeElement(unsigned bits, uint8_t *data, int64_t offset, uint64_t value);

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_WALK_H
