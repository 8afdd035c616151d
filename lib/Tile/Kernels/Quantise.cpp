//===- Quantise.cpp - floats as scaled small elements ---------------------===//
//
// TQUANT and TDEQUANT (TQUANT-1, TQUANT-2, HMEAN-2 to HMEAN-9). Products and sums
// are formed in f32, each rounded once.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Walk.h"
#include "pto/detail/quant.hpp"

#include "ptoscope/Meaning/Convert.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
using namespace ptoscope::meaning;

constexpr int kGroup = 32; ///< elements that share an exponent
using Line = Floats<kGroup>;

float floatAt(const TileView &tile, int64_t r, int64_t c) {
  return __builtin_bit_cast(float, uint32_t(loadElement(32, tile.data, tileMap(tile.ref).offset(r, c))));
}

float floatOf(Elem elem, uint64_t bits) {
  switch (elem) {
  case Elem::f16:
    return float(__builtin_bit_cast(_Float16, uint16_t(bits)));
  case Elem::bf16:
    return __builtin_bit_cast(float, uint32_t(bits) << 16);
  default:
    return __builtin_bit_cast(float, uint32_t(bits));
  }
}

/// A parameter of row r: tiles of parameters may end earlier, with the last one (HMEAN-3).
float parameterOf(const TileView &tile, int64_t r) { return floatAt(tile, smaller(r, tile.ref.validRows - 1), 0); }

/// Elements (r, col) … as f32; 0 beyond n.
Line readFloats(const TileView &tile, const Map &map, int64_t r, int64_t col, int64_t n) {
  Line result = {};
  for (int64_t k = 0; k < n; ++k) {
    const uint64_t bits = loadElement(ptoscope::tile::bitsOf(tile.ref.elem), tile.data, map.offset(r, col + k));
    result[k] = floatOf(tile.ref.elem, bits);
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
    const float scale = parameterOf(ops.tile[2], r), offset = isSigned ? 0.0f : parameterOf(ops.tile[3], r);
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

// dst, src, exponent, max, scaling [, the exponents again, reordered]; mode as mx::Mode has
// it. A group is numbered g along the axis, in lane r or c; max and scaling lie by their
// number in the tile's memory, unless the mode says by shape, and so do exponents in a tile of one row.
void tquantmx(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1], &exponents = ops.tile[2];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref), place = tileMap(exponents.ref);
  mx::Mode mode = mx::Mode::unpack(ops.mode);
  mode.kind.fp4 = dst.ref.elem == Elem::e2m1x2;
  const bool rounds = mode.kind.fp4 && src.ref.elem == Elem::bf16;
  const bool columns = mode.alongColumns;
  const int64_t lanes = columns ? dst.ref.validCols : dst.ref.validRows;
  const int64_t along = columns ? dst.ref.validRows : dst.ref.validCols, groups = (along + kGroup - 1) / kGroup;
  const bool flat = exponents.ref.validRows == 1 && (columns ? groups : lanes) > 1;
  const auto offset = [&](const Map &map, int64_t lane, int64_t k) {
    return columns ? map.offset(k, lane) : map.offset(lane, k);
  };
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t first = g * kGroup, n = smaller(kGroup, along - first);
      float value[kGroup];
      mx::Maximum largest(mode.kind);
      for (int64_t k = 0; k < n; ++k) {
        value[k] = floatOf(src.ref.elem,
                           loadElement(ptoscope::tile::bitsOf(src.ref.elem), src.data, offset(from, lane, first + k)));
        largest.add(value[k]);
      }
      const float max = largest.result();
      const uint8_t code = mx::exponentOf(mode.kind, max);
      const float scaling = mx::scalingOf(max, code);
      for (int64_t k = 0; k < n; ++k) {
        float scaled = value[k] * scaling;
        if (rounds)
          scaled = mx::roundedToBf16(scaled);
        storeElement(mode.kind.fp4 ? 4 : 8, dst.data, offset(to, lane, first + k),
                     mode.kind.fp4 ? mx::encodeE2m1(scaled) : mx::encodeE4m3(mode.kind.nv, scaled));
      }
      const int64_t number = columns ? g * lanes + lane : lane * groups + g;
      storeElement(8, exponents.data,
                   mode.interleaved ? mx::reorderedPlace(lane, g, groups)
                   : flat           ? number
                   : columns        ? place.offset(g, lane)
                                    : place.offset(lane, g),
                   code);
      for (int i = 3; i <= 4; ++i) {
        const TileView &tile = ops.tile[i];
        const bool shaped = mode.byShape && !(tile.ref.validRows == 1 && (columns ? groups : lanes) > 1);
        storeElement(ptoscope::tile::bitsOf(tile.ref.elem), tile.data,
                     !shaped   ? number
                     : columns ? tileMap(tile.ref).offset(g, lane)
                               : tileMap(tile.ref).offset(lane, g),
                     encodeScalar(tile.ref.elem, i == 3 ? max : scaling));
      }
      if (ops.tiles == 6)
        storeElement(8, ops.tile[5].data, mx::reorderedPlace(lane, g, groups), code);
    }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
