//===- Reference.h - tiles and views, element by element --------*- C++ -*-===//
//
// The formulas of GT-5 and TILE-5 written out, and memories whose
// every byte is compared. Shares nothing with the library but its descriptors.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_TILE_REFERENCE_H
#define PTOSCOPE_UNITTESTS_TILE_REFERENCE_H

#include "Kernels/Kernels.h"
#include "pto/detail/modes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace reference {

using namespace ptoscope::tile;

struct Name {
  const char *name;
  BLayout block;
  SLayout inner;
};
inline constexpr Name kND = {"ND", BLayout::RowMajor, SLayout::NoneBox};
inline constexpr Name kDN = {"DN", BLayout::ColMajor, SLayout::NoneBox};
inline constexpr Name kNZ = {"NZ", BLayout::ColMajor, SLayout::RowMajor};
inline constexpr Name kZN = {"ZN", BLayout::RowMajor, SLayout::ColMajor};
inline constexpr Name kZZ = {"ZZ", BLayout::RowMajor, SLayout::RowMajor};
inline constexpr Name kNN = {"NN", BLayout::ColMajor, SLayout::ColMajor};
inline constexpr Name kNames[] = {kND, kDN, kNZ, kZN, kZZ, kNN};
inline constexpr Elem kWidths[] = {Elem::i4x2, Elem::u8, Elem::f16, Elem::f32, Elem::i64};

inline int widthBits(Elem elem) {
  switch (elem) {
  case Elem::i4x2:
  case Elem::e2m1x2:
  case Elem::e1m2x2:
    return 4;
  case Elem::i16:
  case Elem::u16:
  case Elem::f16:
  case Elem::bf16:
    return 16;
  case Elem::i32:
  case Elem::u32:
  case Elem::f32:
    return 32;
  case Elem::i64:
  case Elem::u64:
    return 64;
  default:
    return 8;
  }
}

/// The table of section 4.2.
inline void box(const Name &name, Elem elem, int fractal, int &ir, int &ic) {
  ir = ic = 1;
  if (name.inner == SLayout::NoneBox)
    return;
  int perBlock = 32 * 8 / widthBits(elem);
  int other = fractal == 512 ? perBlock : fractal == 1024 ? 16 : 2;
  ir = name.inner == SLayout::RowMajor ? 16 : other;
  ic = name.inner == SLayout::RowMajor ? other : 16;
}

inline int64_t formula(const Name &name, int64_t rows, int64_t cols, int64_t ir, int64_t ic, int64_t r, int64_t c) {
  auto is = [&](const char *letters) { return name.name[0] == letters[0] && name.name[1] == letters[1]; };
  if (is("ND"))
    return r * cols + c;
  if (is("DN"))
    return c * rows + r;
  if (is("NZ"))
    return (c / ic) * rows * ic + (r / ir) * ir * ic + (r % ir) * ic + c % ic;
  if (is("ZN"))
    return (r / ir) * cols * ir + (c / ic) * ir * ic + (c % ic) * ir + r % ir;
  if (is("ZZ"))
    return (r / ir) * cols * ir + (c / ic) * ir * ic + (r % ir) * ic + c % ic;
  return (c / ic) * rows * ic + (r / ir) * ir * ic + (c % ic) * ir + r % ir;
}

/// Section 3.3, with the five indices written out.
inline int64_t viewOffset(const GlobalRef &g, int64_t r, int64_t c) {
  const int64_t *n = g.shape;
  int64_t i[5] = {0, 0, 0, 0, 0}, extra = 0;
  int64_t c0 = 256 / widthBits(g.elem);
  switch (Layout(g.layout)) {
  case Layout::ND:
    i[0] = r / (n[1] * n[2] * n[3]), i[1] = r / (n[2] * n[3]) % n[1], i[2] = r / n[3] % n[2], i[3] = r % n[3], i[4] = c;
    break;
  case Layout::DN:
    i[0] = c / (n[1] * n[2] * n[4]), i[1] = c / (n[2] * n[4]) % n[1], i[2] = c / n[4] % n[2], i[3] = r, i[4] = c % n[4];
    break;
  case Layout::NZ:
    i[0] = c / n[4] / n[1], i[1] = c / n[4] % n[1], i[2] = r / n[3], i[3] = r % n[3], i[4] = c % n[4];
    break;
  case Layout::MX_A_ZZ:
    i[1] = r / 16, i[2] = c / 2, i[3] = r % 16, i[4] = c % 2;
    break;
  case Layout::MX_B_NN:
    i[1] = c / 16, i[2] = r / 2, i[3] = c % 16, i[4] = r % 2;
    break;
  case Layout::MX_A_ND:
    i[2] = r, i[3] = c / 2, i[4] = c % 2;
    break;
  case Layout::MX_A_DN:
    i[2] = c / 2, i[3] = r, i[4] = c % 2;
    break;
  case Layout::MX_B_ND:
    i[2] = r / 2, i[3] = c, i[4] = r % 2;
    break;
  case Layout::MX_B_DN:
    i[2] = c, i[3] = r / 2, i[4] = r % 2;
    break;
  case Layout::NC1HWC0:
    i[0] = r / (n[2] * n[3]), i[1] = c / n[4], i[2] = r / n[3] % n[2], i[3] = r % n[3], i[4] = c % n[4];
    break;
  case Layout::NDC1HWC0:
    i[0] = r / (n[3] * n[4]), i[1] = c / (n[2] * c0), i[2] = c / c0 % n[2], i[3] = r / n[4] % n[3], i[4] = r % n[4];
    extra = c % c0;
    break;
  case Layout::FRACTAL_Z:
    i[0] = r / (n[1] * n[2] * n[4]), i[1] = r / (n[2] * n[4]) % n[1], i[2] = r / n[4] % n[2], i[3] = c, i[4] = r % n[4];
    break;
  default:
    ADD_FAILURE();
  }
  int64_t sum = extra;
  for (int k = 0; k < 5; ++k)
    sum += i[k] * g.stride[k];
  return sum;
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

/// Bytes with elements in them, random at first, with room on both sides.
struct Memory {
  static constexpr int64_t kGuard = 64;
  std::vector<uint8_t> bytes;

  Memory(int64_t size, unsigned seed) : bytes(size_t(size + 2 * kGuard)) {
    std::mt19937 random(seed);
    for (size_t at = 0; at < bytes.size(); at += 4)
      for (uint32_t i = 0, word = uint32_t(random()); i < 4 && at + i < bytes.size(); ++i)
        bytes[at + i] = uint8_t(word >> 8 * i);
  }
  uint8_t *data() { return bytes.data() + kGuard; }

  uint64_t get(Elem elem, int64_t offset) const {
    int bits = widthBits(elem);
    const uint8_t *base = bytes.data() + kGuard;
    if (bits == 4)
      return base[offset / 2] >> (offset % 2 * 4) & 15;
    uint64_t value = 0;
    std::memcpy(&value, base + offset * (bits / 8), size_t(bits / 8));
    return value;
  }
  void set(Elem elem, int64_t offset, uint64_t value) {
    int bits = widthBits(elem);
    uint8_t *base = bytes.data() + kGuard;
    if (bits == 4) {
      int shift = int(offset % 2 * 4);
      base[offset / 2] = uint8_t((base[offset / 2] & ~(15 << shift)) | int(value & 15) << shift);
      return;
    }
    std::memcpy(base + offset * (bits / 8), &value, size_t(bits / 8));
  }
};

/// A tile in a memory of its own.
struct TestTile {
  Name name;
  TileRef ref{};
  int ir, ic;
  Memory memory;

  TestTile(const Name &name, Elem elem, int rows, int cols, int validRows, int validCols, unsigned seed,
           int fractal = 512)
      : name(name), memory(0, 0) {
    box(name, elem, fractal, ir, ic);
    ref.elem = elem;
    ref.blockLayout = uint8_t(name.block);
    ref.innerLayout = uint8_t(name.inner);
    ref.fractalBytes = uint16_t(fractal);
    ref.rows = rows;
    ref.cols = cols;
    ref.validRows = validRows;
    ref.validCols = validCols;
    memory = Memory(int64_t(rows) * cols * widthBits(elem) / 8 + 8, seed);
  }
  int64_t offset(int64_t r, int64_t c) const { return formula(name, ref.rows, ref.cols, ir, ic, r, c); }
  uint64_t get(int64_t r, int64_t c) const { return memory.get(ref.elem, offset(r, c)); }
  void set(int64_t r, int64_t c, uint64_t value) { memory.set(ref.elem, offset(r, c), value); }
  TileView view() { return {memory.data(), ref}; }
  std::string text() const {
    return std::string(name.name) + " " + std::to_string(ref.rows) + "x" + std::to_string(ref.cols) + " valid " +
           std::to_string(ref.validRows) + "x" + std::to_string(ref.validCols) + " bits " +
           std::to_string(widthBits(ref.elem));
  }
};

/// Runs fn(kernels) for every level this host has.
template <typename Fn> void atEveryLevel(Fn fn) {
  const KernelLevels &levels = hostLevels();
  for (size_t i = 0; i < levels.count; ++i) {
    SCOPED_TRACE(levels.level[i]->level);
    fn(*levels.level[i]);
  }
}

} // namespace reference

#endif // PTOSCOPE_UNITTESTS_TILE_REFERENCE_H
