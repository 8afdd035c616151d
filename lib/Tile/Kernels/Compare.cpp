//===- Compare.cpp - packed bits from elements, and selection by them -----===//
//
// TCMP-1: bit c of row r is bit c mod W of element (r, c / W) of the
// mask, W bits wide: bytes of the mask's row, lowest bit first. Every row of the
// mask starts anew.
//
//===----------------------------------------------------------------------===//

#include "Lines.h"

#include "Walk.h"

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
  for (int64_t r = 0; r < dst.ref.validRows; ++r)
    line(row(dst, r), maskRow(ops.tile[1], r), row(a, r),
         Scalar ? reinterpret_cast<const uint8_t *>(&ops.scalar[0]) : row(b, r), size_t(dst.ref.validCols));
}
} // namespace

// mask, a, b | mask, a and a scalar. Bits of the last word that stand for no
// element are zero.
void tcmp(const Operands &ops) {
  const TileView &mask = ops.tile[0], &a = ops.tile[1];
  const bool scalar = ops.tiles == 2;
  const auto n = size_t(a.ref.validCols), wordBytes = size_t(bitsOf(mask.ref.elem) / 8);
  const size_t width = bitsOf(a.ref.elem) / 8, used = (n + 7) / 8, end = (used + wordBytes - 1) / wordBytes * wordBytes;
  const CompareLine line =
      scalar ? compareLineOf<true>(a.ref.elem, ops.mode) : compareLineOf<false>(a.ref.elem, ops.mode);
  for (int64_t r = 0; r < a.ref.validRows; ++r) {
    const uint8_t *second = scalar ? reinterpret_cast<const uint8_t *>(&ops.scalar[0])
                                   : ops.tile[2].data + size_t(r) * size_t(ops.tile[2].ref.cols) * width;
    uint8_t *bits = maskRow(mask, r);
    line(bits, a.data + size_t(r) * size_t(a.ref.cols) * width, second, n);
    __builtin_memset(bits + used, 0, end - used);
  }
}

// dst, mask, a, b, tmp
void tsel(const Operands &ops) { selectRows<false>(ops); }
// dst, mask, a, tmp and a scalar
void tsels(const Operands &ops) { selectRows<true>(ops); }

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
