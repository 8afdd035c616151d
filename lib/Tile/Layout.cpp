//===- Layout.cpp - bytes of a region of a layout -------------------------===//
//
// An interval of a coordinate is, in digits, at most a head, full turns of the
// inner digits, and a tail; each of them is a plain product of digits. A region
// is the product of an interval of rows and one of columns.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include <algorithm>
#include <span>

namespace ptoscope::tile {

namespace {
using Wide = __int128;

/// N: Wide, or int64_t where every number is small.
template <typename N> struct Extremes {
  N low, high;
};

/// Products of small numbers, and the bits of a sum of them, fit into 64 bits.
bool isSmall(int64_t number) {
  constexpr int64_t kSmall = int64_t(1) << 26;
  return uint64_t(number) + uint64_t(kSmall) < uint64_t(2 * kSmall);
}
bool isSmall(const Axis &axis, int64_t first, int64_t n) {
  bool result = isSmall(first) && isSmall(n);
  for (int k = 0; k < axis.digits; ++k)
    result = result && isSmall(axis.digit[k].stride) && isSmall(axis.digit[k].count);
  return result;
}

/// Values of one inner turn at offset 0: digits below `level`, all of them.
template <typename N> Extremes<N> fullTurn(const Axis &axis, int level) {
  Extremes<N> result = {0, 0};
  for (int k = 0; k < level; ++k) {
    N reach = N(axis.digit[k].count - 1) * axis.digit[k].stride;
    (reach < 0 ? result.low : result.high) += reach;
  }
  return result;
}

int64_t turn(const Axis &axis, int level) {
  int64_t result = 1;
  for (int k = 0; k < level; ++k)
    if (__builtin_mul_overflow(result, axis.digit[k].count, &result))
      return INT64_MAX;
  return result;
}

/// Smallest and largest offset of [first, first + n), n > 0, in digits [0, level].
template <typename N> Extremes<N> extremes(const Axis &axis, int level, int64_t first, int64_t n) {
  const N stride = axis.digit[level].stride;
  if (level == 0) {
    N a = first * stride, b = (N(first) + n - 1) * stride;
    return {std::min(a, b), std::max(a, b)};
  }
  const int64_t size = turn(axis, level), begin = first / size, last = (first + n - 1) / size;
  auto at = [&](Extremes<N> inner, int64_t index) {
    return Extremes<N>{inner.low + index * stride, inner.high + index * stride};
  };
  if (begin == last)
    return at(extremes<N>(axis, level - 1, first % size, n), begin);
  Extremes<N> head = at(extremes<N>(axis, level - 1, first % size, size - first % size), begin);
  Extremes<N> tail = at(extremes<N>(axis, level - 1, 0, (first + n - 1) % size + 1), last);
  Extremes<N> result = {std::min(head.low, tail.low), std::max(head.high, tail.high)};
  if (last - begin > 1) {
    Extremes<N> inner = fullTurn<N>(axis, level);
    for (int64_t index : {begin + 1, last - 1}) {
      Extremes<N> full = at(inner, index);
      result = {std::min(result.low, full.low), std::max(result.high, full.high)};
    }
  }
  return result;
}

/// Bits of a region's elements: the first, and one past the last.
template <typename N> Extremes<N> bitsOfRegion(const Map &map, const Region &region, N width) {
  Extremes<N> r = extremes<N>(map.row, map.row.digits - 1, region.row, region.rows);
  Extremes<N> c = extremes<N>(map.col, map.col.digits - 1, region.col, region.cols);
  return {(r.low + c.low) * width, (r.high + c.high + 1) * width};
}

/// A product of digits at an offset, in elements.
struct Piece {
  int64_t offset = 0;
  Digit dim[Axis::kMaxDigits];
  int dims = 0;

  void add(int64_t count, int64_t stride) {
    if (count > 1)
      dim[dims++] = {count, stride};
  }
};

/// Of an interval: a head and a tail at each level, and full turns.
struct Pieces {
  Piece piece[2 * Axis::kMaxDigits - 1];
  int count = 0;

  void add(const Piece &one) { piece[count++] = one; }
  std::span<const Piece> all() const { return {piece, size_t(count)}; }
};

void split(Pieces &pieces, const Axis &axis, int level, int64_t first, int64_t n, int64_t offset) {
  const int64_t stride = axis.digit[level].stride;
  if (level == 0) {
    Piece piece;
    piece.offset = offset + first * stride;
    piece.add(n, stride);
    pieces.add(piece);
    return;
  }
  const int64_t size = turn(axis, level), within = first % size;
  int64_t index = first / size;
  if (within != 0 || n < size) {
    const int64_t head = std::min(n, size - within);
    split(pieces, axis, level - 1, within, head, offset + index * stride);
    n -= head;
    ++index;
  }
  if (n >= size) {
    Piece piece;
    piece.offset = offset + index * stride;
    for (int k = 0; k < level; ++k)
      piece.add(axis.digit[k].count, axis.digit[k].stride);
    piece.add(n / size, stride);
    pieces.add(piece);
    index += n / size;
    n %= size;
  }
  if (n > 0)
    split(pieces, axis, level - 1, 0, n, offset + index * stride);
}

/// Strides of 0 repeat the same bytes and negative ones are walked backwards:
/// neither matters to a set.
void makePositive(Box &box) {
  std::erase_if(box.dims, [](const Box::Dim &dim) { return dim.stride == 0; });
  for (Box::Dim &dim : box.dims)
    if (dim.stride < 0) {
      box.base += (dim.count - 1) * uint64_t(dim.stride);
      dim.stride = -dim.stride;
    }
}

/// `box` counts nibbles. A dimension of odd stride starts every other row in the
/// upper half of a byte: rows of even and of odd number are boxes of their own.
void appendNibbles(std::vector<Box> &boxes, Box box) {
  for (size_t i = 0; i < box.dims.size(); ++i) {
    Box::Dim &dim = box.dims[i];
    if (dim.stride % 2 == 0)
      continue;
    Box odd = box;
    odd.base += uint64_t(dim.stride);
    odd.dims[i] = {dim.count / 2, 2 * dim.stride};
    dim = {dim.count - dim.count / 2, 2 * dim.stride};
    appendNibbles(boxes, odd);
  }
  Box bytes;
  bytes.base = box.base / 2;
  bytes.rowBytes = (box.base % 2 + box.rowBytes + 1) / 2;
  for (const Box::Dim &dim : box.dims)
    bytes.dims.push_back({dim.count, dim.stride / 2});
  bytes.normalise();
  boxes.push_back(std::move(bytes));
}
} // namespace

Hull hullOf(const Map &map, const Region &region, Elem elem) {
  if (region.empty())
    return {};
  const int64_t width = bitsOf(elem);
  // Shifts round down, also below zero.
  if (isSmall(map.row, region.row, region.rows) && isSmall(map.col, region.col, region.cols)) [[likely]] {
    auto [low, end] = bitsOfRegion<int64_t>(map, region, width);
    return {low >> 3, (end + 7) >> 3};
  }
  auto [low, end] = bitsOfRegion<Wide>(map, region, width);
  const Wide limit = Wide(1) << 62;
  return {int64_t(std::clamp(low >> 3, -limit, limit)), int64_t(std::clamp((end + 7) >> 3, -limit, limit))};
}

Hull hullOf(const TileRef &tile, const Region &region) {
  // Plain layouts are the most frequent ones, and offsets grow with both coordinates.
  if (SLayout(tile.innerLayout) == SLayout::NoneBox && !region.empty() && isSmall(region.row + region.rows) &&
      isSmall(region.col + region.cols) && isSmall(tile.rows) && isSmall(tile.cols)) [[likely]] {
    const bool rowMajor = BLayout(tile.blockLayout) == BLayout::RowMajor;
    const int64_t rowStride = rowMajor ? tile.cols : 1, colStride = rowMajor ? 1 : tile.rows, width = bitsOf(tile.elem);
    const int64_t low = region.row * rowStride + region.col * colStride;
    const int64_t high = low + (region.rows - 1) * rowStride + (region.cols - 1) * colStride;
    return {(low * width) >> 3, ((high + 1) * width + 7) >> 3};
  }
  return hullOf(tileMap(tile), region, tile.elem);
}

void appendBoxes(std::vector<Box> &boxes, const Map &map, const Region &region, Elem elem, uint64_t base) {
  if (region.empty())
    return;
  Pieces rows, cols;
  split(rows, map.row, map.row.digits - 1, region.row, region.rows, 0);
  split(cols, map.col, map.col.digits - 1, region.col, region.cols, 0);
  const bool nibbles = bitsOf(elem) == 4;
  const int64_t width = nibbles ? 1 : bitsOf(elem) / 8;
  for (const Piece &row : rows.all())
    for (const Piece &col : cols.all()) {
      Box box;
      box.base = (nibbles ? 2 * base : base) + uint64_t((row.offset + col.offset) * width);
      box.rowBytes = uint64_t(width);
      for (const Piece *piece : {&row, &col})
        for (int k = 0; k < piece->dims; ++k)
          box.dims.push_back({uint64_t(piece->dim[k].count), piece->dim[k].stride * width});
      makePositive(box);
      box.normalise();
      if (nibbles)
        appendNibbles(boxes, box);
      else
        boxes.push_back(std::move(box));
    }
}

std::optional<Box> rowOf(const Map &map, const Region &region, Elem elem, uint64_t base) {
  const Digit &row = map.row.digit[0], &col = map.col.digit[0];
  if (region.empty() || bitsOf(elem) == 4 || map.row.digits != 1 || map.col.digits != 1 ||
      !isSmall(map.row, region.row, region.rows) || !isSmall(map.col, region.col, region.cols))
    return std::nullopt;
  // Elements one after the other, along rows or along columns.
  const bool byRows = (col.stride == 1 || region.cols == 1) && (row.stride == region.cols || region.rows == 1);
  const bool byColumns = (row.stride == 1 || region.rows == 1) && (col.stride == region.rows || region.cols == 1);
  if (!byRows && !byColumns)
    return std::nullopt;
  const int64_t width = bitsOf(elem) / 8;
  return Box{base + uint64_t((region.row * row.stride + region.col * col.stride) * width),
             uint64_t(region.rows * region.cols * width),
             {}};
}

} // namespace ptoscope::tile
