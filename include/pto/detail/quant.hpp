//===- quant.hpp - numbers of MX quantisation -------------------*- C++ -*-===//
//
// HMEAN-5 to HMEAN-9, one element or group at a time. TQUANT and the functions of
// `pto::cpu_quant` that programs compare it with are the same code. Inlined always:
// meanings are compiled for several hosts.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_QUANT_HPP
#define PTO_DETAIL_QUANT_HPP

#include "pto/detail/layout.hpp"

namespace ptoscope::tile::mx {

inline constexpr int kGroup = 32; ///< elements that share an exponent

/// Of the elements (fp8 or fp4), and how the exponent is chosen.
struct Kind {
  bool fp4, nv;
};

/// How a call of TQUANT_MX packs them, with the axis of a group (1: along a row).
struct Mode {
  Kind kind;
  bool alongColumns = false; ///< axis 0
  bool interleaved = false;  ///< of text: exponents are stored in the other order only (MXQ-5)
  bool byShape = false;      ///< of text: max and scaling lie as their shapes say (MXQ-4)

  PTO_DETAIL_INLINE uint32_t pack() const {
    return uint32_t(kind.fp4) | uint32_t(kind.nv) << 1 | uint32_t(alongColumns) << 2 | uint32_t(interleaved) << 3 |
           uint32_t(byShape) << 4;
  }
  PTO_DETAIL_INLINE static Mode unpack(uint32_t mode) {
    return {{(mode & 1) != 0, (mode >> 1 & 1) != 0}, (mode >> 2 & 1) != 0, (mode >> 3 & 1) != 0, (mode >> 4 & 1) != 0};
  }
};

/// HMEAN-8: by blocks of 16 rows, pairs of groups, rows of a block, groups of a pair.
PTO_DETAIL_INLINE int64_t reorderedPlace(int64_t row, int64_t group, int64_t groups) {
  return (row / 16 * ((groups + 1) / 2) + group / 2) * 32 + row % 16 * 2 + group % 2;
}

PTO_DETAIL_INLINE uint32_t bitsOfFloat(float value) { return __builtin_bit_cast(uint32_t, value); }
PTO_DETAIL_INLINE float floatOfBits(uint32_t bits) { return __builtin_bit_cast(float, bits); }
PTO_DETAIL_INLINE bool isNaN(float value) { return (bitsOfFloat(value) & 0x7fffffff) > 0x7f800000; }

/// The largest magnitude of a group, element after element from 0 on.
class Maximum {
public:
  [[gnu::always_inline]] explicit Maximum(Kind of) : kind(of) {}
  [[gnu::always_inline]] void add(float value) {
    const uint32_t magnitude = bitsOfFloat(value) & 0x7fffffff;
    if (kind.fp4 && !kind.nv) { // by the upper half, where a NaN is the largest
      const uint32_t upper = magnitude & 0xffff0000;
      bits = upper > bits ? upper : bits;
    } else if (magnitude > 0x7f800000) { // of fp8 it does not count, of fp4 the first one stays
      if (kind.fp4 && bits <= 0x7f800000)
        bits = bitsOfFloat(value);
    } else if (!isNaN(result())) {
      bits = magnitude > bits ? magnitude : bits;
    }
  }
  [[gnu::always_inline]] float result() const { return floatOfBits(bits); }

private:
  Kind kind;
  uint32_t bits = 0;
};

/// The shared exponent, e8m0.
PTO_DETAIL_INLINE uint8_t exponentOf(Kind kind, float largest) {
  const uint32_t bits = bitsOfFloat(largest);
  if (!kind.nv) {
    if (isNaN(largest))
      return 255;
    const int32_t code = int32_t(bits >> 23 & 255) - (kind.fp4 ? 2 : 8);
    return uint8_t(code < 0 ? 0 : code);
  }
  if (largest == 0.0f)
    return 0;
  const float scaled = largest * (kind.fp4 ? float(1.0 / 6) : float(1.0 / 448));
  const uint32_t e = bitsOfFloat(scaled) >> 23 & 255, f = bitsOfFloat(scaled) & 0x7fffff;
  if (e == 255)
    return f == 0 ? 254 : 255;
  return uint8_t(e + (f > 0 && e != 254 && !(e == 0 && f <= 0x400000)));
}

/// What elements are multiplied with: 2 to the minus of the exponent.
PTO_DETAIL_INLINE float scalingOf(float largest, uint8_t exponent) {
  if (exponent == 255)
    return largest;
  return floatOfBits(exponent == 254 ? 0x400000 : uint32_t(254 - exponent) << 23);
}

/// To nearest even of bits, as the upper half of a float.
PTO_DETAIL_INLINE float roundedToBf16(float value) {
  const uint32_t bits = bitsOfFloat(value);
  if (isNaN(value))
    return floatOfBits((bits & 0xffff0000) | 0x400000);
  return floatOfBits((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

/// The nearest code of a small format, ties to the even one. `magnitude` is the bits of a
/// finite float that does not exceed the largest number of the format.
PTO_DETAIL_INLINE uint32_t nearestCode(uint32_t magnitude, int32_t bias, uint32_t fractionBits) {
  const int32_t exponent = int32_t(magnitude >> 23) - 127;
  uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  if (magnitude >> 23 == 0)
    return 0; // far below half of the smallest
  int32_t field = exponent + bias;
  uint32_t shift = 23 - fractionBits;
  if (field < 1) { // steps stay those of the lowest power
    shift += uint32_t(1 - field);
    field = 0;
  }
  if (shift > 25)
    return 0;
  const uint32_t kept = significand >> shift, rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  // A carry goes into the exponent, where it belongs.
  const uint32_t base = field == 0 ? 0 : uint32_t(field - 1) << fractionBits;
  return base + kept + (rest > half || (rest == half && (kept & 1)));
}

/// e4m3: NaN 0x7f, clamped to 448.
PTO_DETAIL_INLINE uint8_t encodeE4m3(bool nv, float value) {
  if (isNaN(value))
    return 0x7f;
  const uint32_t bits = bitsOfFloat(value), sign = bits >> 24 & 0x80;
  uint32_t magnitude = bits & 0x7fffffff;
  if (nv && magnitude < 0x3a800000) // 2^-10
    return uint8_t(sign);
  if (magnitude > 0x43e00000) // 448
    magnitude = 0x43e00000;
  const uint32_t code = nearestCode(magnitude, 7, 3);
  return uint8_t(code ? sign | code : 0);
}

/// e2m1: NaN 7, saturates at 6, keeps the sign.
PTO_DETAIL_INLINE uint8_t encodeE2m1(float value) {
  if (isNaN(value))
    return 7;
  const uint32_t bits = bitsOfFloat(value), sign = bits >> 28 & 8;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x40c00000) // 6
    magnitude = 0x40c00000;
  return uint8_t(sign | nearestCode(magnitude, 1, 1));
}

} // namespace ptoscope::tile::mx

#endif // PTO_DETAIL_QUANT_HPP
