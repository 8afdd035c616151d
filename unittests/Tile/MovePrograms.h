//===- MovePrograms.h - what tests of moving programs share -----*- C++ -*-===//
//
// Global memory by layout, element by element (GT-8): the reference
// that programs are compared with.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_TILE_MOVEPROGRAMS_H
#define PTOSCOPE_UNITTESTS_TILE_MOVEPROGRAMS_H

#include "Programs.h"

#include <random>

using namespace pto;

inline std::vector<ptoscope::Options> schedules() { return programs::schedules(2); }

template <typename T> inline constexpr int kBitsOf = std::is_same_v<T, int4b_t> ? 4 : 8 * int(sizeof(T));

/// A tile whose layout is that of a matrix in global memory.
template <TileType Loc, typename T, int Rows, int Cols, Layout L>
using Laid = Tile<Loc, T, Rows, Cols, L == Layout::ND ? BLayout::RowMajor : BLayout::ColMajor, Rows, Cols,
                  L == Layout::NZ ? SLayout::RowMajor : SLayout::NoneBox>;

template <typename T, int Rows, int Cols, Layout L>
using Plain = GlobalTensor<T, TileShape2D<T, Rows, Cols, L>, BaseShape2D<T, Rows, Cols, L>, L>;

/// A matrix in global memory, random at first.
template <typename T> struct Image {
  Layout layout;
  int rows, cols;
  std::vector<uint8_t> bytes;

  Image(Layout layout, int rows, int cols, unsigned seed)
      : layout(layout), rows(rows), cols(cols), bytes(size_t(rows * cols * kBitsOf<T> / 8)) {
    std::mt19937 random(seed);
    for (uint8_t &byte : bytes)
      byte = uint8_t(random());
  }
  ptoscope::Buffer<T> buffer() {
    return ptoscope::buffer(reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T));
  }

  int64_t offset(int64_t r, int64_t c) const {
    constexpr int64_t c0 = 256 / kBitsOf<T>;
    switch (layout) {
    case Layout::DN:
      return c * rows + r;
    case Layout::NZ:
      return c / c0 * rows * c0 + r * c0 + c % c0;
    default:
      return r * cols + c;
    }
  }
  uint64_t get(int64_t r, int64_t c) const {
    const int64_t at = offset(r, c);
    if (kBitsOf<T> == 4)
      return bytes[size_t(at / 2)] >> (at % 2 * 4) & 15;
    uint64_t value = 0;
    std::memcpy(&value, &bytes[size_t(at) * sizeof(T)], sizeof(T));
    return value;
  }
  void set(int64_t r, int64_t c, uint64_t value) {
    const int64_t at = offset(r, c);
    if (kBitsOf<T> == 4) {
      uint8_t &byte = bytes[size_t(at / 2)];
      const int shift = int(at % 2 * 4);
      byte = uint8_t((byte & ~(15 << shift)) | int(value & 15) << shift);
      return;
    }
    std::memcpy(&bytes[size_t(at) * sizeof(T)], &value, sizeof(T));
  }
};

#endif // PTOSCOPE_UNITTESTS_TILE_MOVEPROGRAMS_H
