//===- Layout.cpp - bytes of a region of a layout -------------------------===//
//
// An interval of a coordinate is, in digits, at most a head, full turns of the
// inner digits, and a tail; each of them is a plain product of digits. A region
// is the product of an interval of rows and one of columns.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include <algorithm>

namespace ptoscope::tile {

namespace {
using Wide = __int128;

struct Extremes {
  Wide low, high;
};

/// Values of one inner turn at offset 0: digits below `level`, all of them.
Extremes fullTurn(const Axis &axis, int level) {
  Extremes result = {0, 0};
  for (int k = 0; k < level; ++k) {
    Wide reach = Wide(axis.digit[k].count - 1) * axis.digit[k].stride;
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
Extremes extremes(const Axis &axis, int level, int64_t first, int64_t n) {
  const Wide stride = axis.digit[level].stride;
  if (level == 0) {
    Wide a = first * stride, b = (Wide(first) + n - 1) * stride;
    return {std::min(a, b), std::max(a, b)};
  }
  const int64_t size = turn(axis, level), begin = first / size, last = (first + n - 1) / size;
  auto at = [&](Extremes inner, int64_t index) {
    return Extremes{inner.low + index * stride, inner.high + index * stride};
  };
  if (begin == last)
    return at(extremes(axis, level - 1, first % size, n), begin);
  Extremes head = at(extremes(axis, level - 1, first % size, size - first % size), begin);
  Extremes tail = at(extremes(axis, level - 1, 0, (first + n - 1) % size + 1), last);
  Extremes result = {std::min(head.low, tail.low), std::max(head.high, tail.high)};
  if (last - begin > 1) {
    Extremes inner = fullTurn(axis, level);
    for (int64_t index : {begin + 1, last - 1}) {
      Extremes full = at(inner, index);
      result = {std::min(result.low, full.low), std::max(result.high, full.high)};
    }
  }
  return result;
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

void split(std::vector<Piece> &pieces, const Axis &axis, int level, int64_t first, int64_t n,
           int64_t offset) {
  const int64_t stride = axis.digit[level].stride;
  if (level == 0) {
    Piece piece;
    piece.offset = offset + first * stride;
    piece.add(n, stride);
    pieces.push_back(piece);
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
    pieces.push_back(piece);
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
  Extremes r = extremes(map.row, map.row.digits - 1, region.row, region.rows);
  Extremes c = extremes(map.col, map.col.digits - 1, region.col, region.cols);
  const Wide bits = bitsOf(elem), limit = Wide(1) << 62;
  auto bytes = [&](Wide value) { return int64_t(std::clamp(value, -limit, limit)); };
  // Shifts round down, also below zero.
  return {bytes(((r.low + c.low) * bits) >> 3), bytes(((r.high + c.high + 1) * bits + 7) >> 3)};
}

void appendBoxes(std::vector<Box> &boxes, const Map &map, const Region &region, Elem elem, uint64_t base) {
  if (region.empty())
    return;
  std::vector<Piece> rows, cols;
  split(rows, map.row, map.row.digits - 1, region.row, region.rows, 0);
  split(cols, map.col, map.col.digits - 1, region.col, region.cols, 0);
  const bool nibbles = bitsOf(elem) == 4;
  const int64_t width = nibbles ? 1 : bitsOf(elem) / 8;
  for (const Piece &row : rows)
    for (const Piece &col : cols) {
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

} // namespace ptoscope::tile
