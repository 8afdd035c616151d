//===- Compare.cpp - packed bits from elements, and selection by them -----===//
//
// TCMP-1: bit c of row r is bit c mod W of element (r, c / W) of the
// mask, W bits wide: bytes of the mask's row, lowest bit first. Every row of the
// mask starts anew, but in the host profile (HMEAN-21, HMEAN-22).
//
//===----------------------------------------------------------------------===//

#include "Lines.h"

#include "Walk.h"
#include "pto/detail/bits.hpp"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

using namespace lanes;

namespace {
uint8_t *maskRow(const TileView &mask, int64_t row) {
  return mask.data + size_t(row) * size_t(mask.ref.cols) * (bitsOf(mask.ref.elem) / 8);
}

/// Lanes of 0 and -1 as bits, and back.
template <typename T> PTOM_INLINE uint64_t packLanes(MaskGroup<T> mask) {
  constexpr int N = kLanes<T>;
  auto bytes = convert<__INT8_TYPE__>(mask);
  auto bit = laneConstants<Vec<__UINT8_TYPE__, N>, [](int i) { return 1 << i % 8; }>();
  auto bits = bitcast<Vec<__UINT8_TYPE__, N>>(bytes) & bit;
  auto half = shuffle<N / 2, [](int i) { return 2 * i; }>(bits, bits) |
              shuffle<N / 2, [](int i) { return 2 * i + 1; }>(bits, bits);
  auto quarter = shuffle<N / 4, [](int i) { return 2 * i; }>(half, half) |
                 shuffle<N / 4, [](int i) { return 2 * i + 1; }>(half, half);
  auto eighth = shuffle<N / 8, [](int i) { return 2 * i; }>(quarter, quarter) |
                shuffle<N / 8, [](int i) { return 2 * i + 1; }>(quarter, quarter);
  uint64_t word = 0;
  __builtin_memcpy(&word, &eighth, N / 8);
  return word;
}
template <typename T> PTOM_INLINE MaskGroup<T> unpackLanes(uint64_t word) {
  constexpr int N = kLanes<T>;
  auto bytes = bitcast<Vec<__UINT8_TYPE__, 8>>(word);
  auto spread = shuffle<N, [](int i) { return i / 8; }>(bytes, bytes);
  auto bit = laneConstants<Vec<__UINT8_TYPE__, N>, [](int i) { return 1 << i % 8; }>();
  return convert<typename T::Mask>((spread & bit) != 0);
}

using CompareLine = void (*)(uint8_t *bits, const uint8_t *a, const uint8_t *b, size_t n);

template <typename T, Mode M, bool Scalar>
void compareLine(uint8_t *bits, const uint8_t *a, const uint8_t *b, size_t n) {
  constexpr size_t width = sizeof(typename T::Elem), lanes = kLanes<T>;
  Group<T> second;
  if constexpr (Scalar)
    second = loadSplat<T>(b);
  auto word = [&](size_t at, size_t bytes) __attribute__((always_inline)) {
    if constexpr (!Scalar)
      second = loadGroup<T>(b + at * width, bytes);
    return packLanes<T>(compare<M, T>(loadGroup<T>(a + at * width, bytes), second));
  };
  size_t at = 0;
  for (; at + lanes <= n; at += lanes) {
    const uint64_t all = word(at, 64);
    __builtin_memcpy(bits + at / 8, &all, lanes / 8);
  }
  if (at < n) {
    const uint64_t rest = word(at, (n - at) * width) & ((uint64_t(1) << (n - at)) - 1);
    __builtin_memcpy(bits + at / 8, &rest, (n - at + 7) / 8);
  }
}

template <bool Scalar> CompareLine compareLineOf(Elem elem, uint32_t mode) {
  CompareLine result = nullptr;
  forElem<i8, u8, i16, u16, i32, u32, f16, bf16, f32>(elem, [&]<typename T>() {
    // In the order of pto::CmpMode.
    constexpr CompareLine kModes[] = {compareLine<T, Mode::eq, Scalar>, compareLine<T, Mode::ne, Scalar>,
                                      compareLine<T, Mode::lt, Scalar>, compareLine<T, Mode::le, Scalar>,
                                      compareLine<T, Mode::gt, Scalar>, compareLine<T, Mode::ge, Scalar>};
    result = kModes[mode];
  });
  return result;
}

using SelectLine = void (*)(uint8_t *dst, const uint8_t *bits, const uint8_t *a, const uint8_t *b, size_t n);

template <typename T, bool Scalar>
void selectLine(uint8_t *dst, const uint8_t *bits, const uint8_t *a, const uint8_t *b, size_t n) {
  constexpr size_t width = sizeof(typename T::Elem), lanes = kLanes<T>;
  Group<T> second;
  if constexpr (Scalar)
    second = loadSplat<T>(b);
  for (size_t at = 0; at < n; at += lanes) {
    const size_t count = n - at < lanes ? n - at : lanes, bytes = count * width;
    uint64_t word = 0;
    __builtin_memcpy(&word, bits + at / 8, (count + 7) / 8);
    if constexpr (!Scalar)
      second = loadGroup<T>(b + at * width, bytes);
    storeGroup<T>(dst + at * width, select(unpackLanes<T>(word), loadGroup<T>(a + at * width, bytes), second), bytes);
  }
}

/// Byte `number` of the bytes that the valid rows of a mask have.
uint8_t *maskByte(const TileView &mask, int64_t rowBytes, int64_t number) {
  return maskRow(mask, number / rowBytes) + number % rowBytes;
}

/// HMEAN-22: element after element takes the next bit, whatever row it is in.
void selectByStream(const Operands &ops, SelectLine line) {
  const TileView &dst = ops.tile[0], &mask = ops.tile[1], &a = ops.tile[2], &b = ops.tile[3];
  const int64_t cols = dst.ref.validCols, width = bitsOf(dst.ref.elem) / 8, rowBytes = rowBytesOf(mask.ref);
  constexpr int64_t kChunk = 512;
  uint8_t bits[kChunk / 8];
  for (int64_t r = 0; rowBytes > 0 && r < dst.ref.validRows; ++r)
    for (int64_t c = 0; c < cols; c += kChunk) {
      const int64_t n = smaller(cols - c, kChunk), first = r * cols + c;
      __builtin_memset(bits, 0, sizeof(bits));
      for (int64_t k = 0; k < n; ++k) {
        const unsigned bit = *maskByte(mask, rowBytes, (first + k) / 8) >> (first + k) % 8 & 1;
        bits[k / 8] |= uint8_t(bit << k % 8);
      }
      const auto at = [&](const TileView &tile) { return tile.data + (r * tile.ref.cols + c) * width; };
      line(at(dst), bits, at(a), at(b), size_t(n));
    }
}

template <bool Scalar> void selectRows(const Operands &ops) {
  const TileView &dst = ops.tile[0], &a = ops.tile[2], &b = ops.tile[3];
  const unsigned bits = bitsOf(dst.ref.elem);
  const SelectLine line = bits == 8    ? selectLine<u8, Scalar>
                          : bits == 16 ? selectLine<u16, Scalar>
                          : bits == 32 ? selectLine<u32, Scalar>
                                       : selectLine<u64, Scalar>;
  auto row = [&](const TileView &tile, int64_t r) {
    return tile.data + size_t(r) * size_t(tile.ref.cols) * (bits / 8);
  };
  if (!Scalar && isStream(ops, ops.tile[1].ref, dst.ref))
    return selectByStream(ops, line);
  for (int64_t r = 0; r < dst.ref.validRows; ++r)
    line(row(dst, r), maskRow(ops.tile[1], r), row(a, r),
         Scalar ? reinterpret_cast<const uint8_t *>(&ops.scalar[0]) : row(b, r), size_t(dst.ref.validCols));
}
} // namespace

/// IRCMP-3, IRCMP-4: one bit after the other without regard to rows, then zeros up to 16
/// bytes.
static void compareLinear(const Operands &ops, CompareLine line) {
  const TileView &mask = ops.tile[0], &a = ops.tile[1];
  const int64_t rows = a.ref.validRows, cols = a.ref.validCols;
  constexpr int64_t kChunk = 512;
  if (rows <= 0 || cols <= 0)
    return;
  __builtin_memset(mask.data, 0, size_t(roundUp((rows * cols + 7) / 8, 16)));
  uint8_t bits[kChunk / 8];
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; c += kChunk) {
      const int64_t n = smaller(cols - c, kChunk), first = r * cols + c;
      line(bits, a.data + (r * a.ref.cols + c) * 4, reinterpret_cast<const uint8_t *>(&ops.scalar[0]), size_t(n));
      for (int64_t k = 0; k < (n + 7) / 8; ++k) {
        const unsigned shifted = unsigned(bits[k]) << first % 8;
        uint8_t *to = mask.data + first / 8 + k;
        to[0] |= uint8_t(shifted);
        if (shifted >> 8)
          to[1] |= uint8_t(shifted >> 8);
      }
    }
}

/// HMEAN-21: the bytes of all rows one behind the other over the valid region of the mask,
/// as many of each row as the capacity of the source has.
static void compareStream(const Operands &ops, CompareLine line, const uint8_t *second) {
  const TileView &mask = ops.tile[0], &a = ops.tile[1];
  const int64_t rowBytes = rowBytesOf(mask.ref), room = rowBytes * mask.ref.validRows;
  const int64_t width = bitsOf(a.ref.elem) / 8, perRow = capacityOf(a.ref).cols / 8, cols = a.ref.validCols;
  constexpr int64_t kChunk = 512;
  uint8_t bits[kChunk / 8];
  for (int64_t r = 0; r < a.ref.validRows; ++r)
    for (int64_t c = 0; c < cols; c += kChunk) {
      const int64_t n = smaller(cols - c, kChunk);
      line(bits, a.data + (r * a.ref.cols + c) * width, second, size_t(n));
      for (int64_t k = 0, at = r * perRow + c / 8; k < (n + 7) / 8 && at + k < room; ++k)
        *maskByte(mask, rowBytes, at + k) = bits[k];
    }
}

// mask, a, b | mask, a and a scalar, or element 0 of a tile. Bits of the last word that stand for no
// element are zero; in text also those of its group, as far as the mask's row goes.
void tcmp(const Operands &ops) {
  const TileView &mask = ops.tile[0], &a = ops.tile[1];
  const bool first = (ops.mode & kFirstElement) != 0, scalar = first || ops.tiles == 2;
  const uint8_t *value = first ? ops.tile[2].data : reinterpret_cast<const uint8_t *>(&ops.scalar[0]);
  const uint32_t mode = ops.mode & ~kFirstElement;
  const auto n = size_t(a.ref.validCols), wordBytes = size_t(bitsOf(mask.ref.elem) / 8);
  const size_t width = bitsOf(a.ref.elem) / 8, used = (n + 7) / 8;
  size_t end = (used + wordBytes - 1) / wordBytes * wordBytes;
  const CompareLine line = scalar ? compareLineOf<true>(a.ref.elem, mode) : compareLineOf<false>(a.ref.elem, mode);
  if (ops.isHost()) {
    const Extents own = capacityOf(mask.ref);
    for (int64_t r = 0; r < own.rows; ++r)
      __builtin_memset(maskRow(mask, r), 0, size_t(own.cols) * wordBytes);
    if (scalar && isStream(ops, mask.ref, a.ref))
      return compareStream(ops, line, value);
  }
  if (ops.isText()) {
    if (scalar && width == 4)
      return compareLinear(ops, line);
    const size_t group = width == 1 ? 32 : 16, room = size_t(capacityOf(mask.ref).cols) * wordBytes;
    const size_t whole = (used + group - 1) / group * group, last = whole < room ? whole : room;
    end = end < last ? last : end;
  }
  for (int64_t r = 0; r < a.ref.validRows; ++r) {
    const uint8_t *second = scalar ? value : ops.tile[2].data + size_t(r) * size_t(ops.tile[2].ref.cols) * width;
    uint8_t *bits = maskRow(mask, r);
    line(bits, a.data + size_t(r) * size_t(a.ref.cols) * width, second, n);
    __builtin_memset(bits + used, 0, end - used);
  }
}

// dst, counts, src [, scratch]; scalar 0 is what elements are compared with, scalar 1 is
// added to the columns of those that do (IRGATHER-3).
void tgathercmp(const Operands &ops) {
  const TileView &dst = ops.tile[0], &counts = ops.tile[1], &src = ops.tile[2];
  const Map to = tileMap(dst.ref), number = tileMap(counts.ref);
  const CompareLine line = compareLineOf<true>(src.ref.elem, ops.mode);
  constexpr int64_t kChunk = 512;
  const int64_t width = bitsOf(src.ref.elem) / 8;
  uint8_t bits[kChunk / 8];
  for (int64_t r = 0; r < src.ref.validRows && src.ref.validCols > 0; ++r) {
    int64_t found = 0;
    for (int64_t c = 0; c < src.ref.validCols; c += kChunk) {
      const int64_t n = smaller(src.ref.validCols - c, kChunk);
      line(bits, src.data + (r * src.ref.cols + c) * width, reinterpret_cast<const uint8_t *>(&ops.scalar[0]),
           size_t(n));
      for (int64_t k = 0; k < n; ++k) {
        if (!(bits[k / 8] >> k % 8 & 1))
          continue;
        if (found < dst.ref.validCols)
          storeElement(32, dst.data, to.offset(r, found), ops.scalar[1] + uint64_t(c + k));
        ++found;
      }
    }
    storeElement(32, counts.data, number.offset(r, 0), uint64_t(found));
  }
}

// dst, mask, a, b, tmp
void tsel(const Operands &ops) { selectRows<false>(ops); }
// dst, mask, a, tmp and a scalar
void tsels(const Operands &ops) { selectRows<true>(ops); }

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
