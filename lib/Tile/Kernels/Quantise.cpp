//===- Quantise.cpp - floats as scaled small elements ---------------------===//
//
// TQUANT and TDEQUANT (TQUANT-1 to TQUANT-4). Products and sums
// are formed in f32, each rounded once.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Walk.h"

#include "ptoscope/Meaning/Convert.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
using namespace ptoscope::meaning;

constexpr int kGroup = 32; ///< elements that share an exponent
using Line = Floats<kGroup>;

float floatAt(const TileView &tile, int64_t r, int64_t c) {
  return __builtin_bit_cast(float, uint32_t(loadElement(32, tile.data, tileMap(tile.ref).offset(r, c))));
}

/// Elements (r, col) … as f32; 0 beyond n.
Line readFloats(const TileView &tile, const Map &map, int64_t r, int64_t col, int64_t n) {
  Line result = {};
  for (int64_t k = 0; k < n; ++k) {
    const uint64_t bits = loadElement(ptoscope::tile::bitsOf(tile.ref.elem), tile.data, map.offset(r, col + k));
    switch (tile.ref.elem) {
    case Elem::f16:
      result[k] = float(__builtin_bit_cast(_Float16, uint16_t(bits)));
      break;
    case Elem::bf16:
      result[k] = __builtin_bit_cast(float, uint32_t(bits) << 16);
      break;
    default:
      result[k] = __builtin_bit_cast(float, uint32_t(bits));
    }
  }
  return result;
}

uint64_t encodeScalar(Elem elem, float value) {
  Floats<4> v = Floats<4>(value);
  switch (elem) {
  case Elem::f16:
    return __builtin_bit_cast(Vec<uint16_t, 4>, fromFloat<f16, Rounding::Even, false, 4>(v))[0];
  case Elem::bf16:
    return fromFloat<bf16, Rounding::Even, false, 4>(v)[0];
  default:
    return __builtin_bit_cast(uint32_t, value);
  }
}
} // namespace

// dst, src, scale [, scratch] to signed bytes; dst, src, scale, offset [, scratch] to
// unsigned ones. One scale and offset per row, in column 0.
void tquant(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  const bool isSigned = dst.ref.elem == Elem::i8;
  using I = Ints<kGroup>;
  const I low = I(isSigned ? -128 : 0), high = I(isSigned ? 127 : 255);
  for (int64_t r = 0; r < dst.ref.validRows; ++r) {
    const float scale = floatAt(ops.tile[2], r, 0), offset = isSigned ? 0.0f : floatAt(ops.tile[3], r, 0);
    for (int64_t c = 0; c < dst.ref.validCols; c += kGroup) {
      const int64_t n = smaller(kGroup, dst.ref.validCols - c);
      Line value = readFloats(src, from, r, c, n) * scale;
      if (!isSigned)
        value = value + offset;
      I result = toInt32<Rounding::Even, kGroup>(value);
      result = __builtin_elementwise_min(__builtin_elementwise_max(result, low), high);
      for (int64_t k = 0; k < n; ++k)
        storeElement(8, dst.data, to.offset(r, c + k), uint64_t(int64_t(result[k])));
    }
  }
}

// dst, src, scale, offset: (src - offset) * scale, per row.
void tdequant(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  const unsigned bits = ptoscope::tile::bitsOf(src.ref.elem);
  const bool isSigned = src.ref.elem != Elem::u8;
  for (int64_t r = 0; r < dst.ref.validRows; ++r) {
    const float scale = floatAt(ops.tile[2], r, 0), offset = floatAt(ops.tile[3], r, 0);
    for (int64_t c = 0; c < dst.ref.validCols; ++c) {
      const uint64_t raw = loadElement(bits, src.data, from.offset(r, c));
      const int64_t value = isSigned ? int64_t(raw << (64 - bits)) >> (64 - bits) : int64_t(raw);
      const Group<f32> result = canon<f32>((splat<f32>(float(value)) - offset) * scale);
      storeElement(32, dst.data, to.offset(r, c), __builtin_bit_cast(uint32_t, float(result[0])));
    }
  }
}

// dst, src, exponent, max, scaling: the exponent of a group is that of its largest
// magnitude, less the largest of the elements' format. A group with an infinity or
// a NaN has the exponent 255 (NaN), and elements that are NaN, or 0 where the
// format has none.
void tquantmx(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref);
  Map side[3];
  for (int i = 0; i < 3; ++i)
    side[i] = tileMap(ops.tile[2 + i].ref);
  const bool bytes = dst.ref.elem == Elem::e4m3;
  const int32_t largest = bytes ? 8 : 2;
  for (int64_t r = 0; r < dst.ref.validRows; ++r)
    for (int64_t c = 0; c < dst.ref.validCols; c += kGroup) {
      const int64_t n = smaller(kGroup, dst.ref.validCols - c), g = c / kGroup;
      const Line value = readFloats(src, from, r, c, n);
      uint32_t most = 0; // magnitudes order like their bits
      for (int k = 0; k < kGroup; ++k) {
        const uint32_t size = __builtin_bit_cast(uint32_t, float(value[k])) & ~kSign32;
        most = size > most ? size : most;
      }
      const bool finite = most < kInf32;
      // Denormals have an exponent below all others; e8m0 ends there as well.
      int32_t code = int32_t(most >> 23) - largest;
      code = !finite ? 255 : code < 0 ? 0 : code;
      // 2 to the minus of the exponent; the smallest one is a denormal's inverse.
      const float scaling = finite ? __builtin_bit_cast(float, uint32_t(code == 254 ? 0x400000 : (254 - code) << 23))
                                   : __builtin_bit_cast(float, uint32_t(f32::kNaN));
      const Line scaled = value * scaling;
      Codes<kGroup> codes;
      if (bytes)
        codes = finite ? encode<e4m3, Rounding::Even, true, kGroup>(scaled) : Codes<kGroup>(0x7F);
      else
        codes = encode<e2m1x2, Rounding::Even, true, kGroup>(scaled);
      for (int64_t k = 0; k < n; ++k)
        storeElement(ptoscope::tile::bitsOf(dst.ref.elem), dst.data, to.offset(r, c + k), codes[k]);
      const float max =
          most > kInf32 ? __builtin_bit_cast(float, uint32_t(f32::kNaN)) : __builtin_bit_cast(float, most);
      storeElement(8, ops.tile[2].data, side[0].offset(r, g), uint64_t(code));
      storeElement(ptoscope::tile::bitsOf(ops.tile[3].ref.elem), ops.tile[3].data, side[1].offset(r, g),
                   encodeScalar(ops.tile[3].ref.elem, max));
      storeElement(ptoscope::tile::bitsOf(ops.tile[4].ref.elem), ops.tile[4].data, side[2].offset(r, g),
                   encodeScalar(ops.tile[4].ref.elem, scaling));
    }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
