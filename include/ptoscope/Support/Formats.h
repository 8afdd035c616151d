//===- Formats.h - number formats of the ISA --------------------*- C++ -*-===//
//
// The formats FMT-4 to FMT-7 that are not plain sign, exponent and fraction,
// and conversion to any format by mode and saturation (RND-6, CVAL-4, CVAL-5). One
// value at a time, by integer code; the vector forms are in
// Meaning/SmallFloats.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_FORMATS_H
#define PTOSCOPE_SUPPORT_FORMATS_H

#include "ptoscope/Support/Half.h"

namespace ptoscope {

/// 19 bits, which the cube unit keeps in the upper bits of an f32.
inline constexpr FloatFormat kTF32 = {8, 10};
/// 4 bits; every code is a number. 0 .5 1 1.5 2 3 4 6
inline constexpr FloatFormat kF4E2M1 = {2, 1, false, false};
/// 0 to 1.75 in steps of a quarter.
inline constexpr FloatFormat kF4E1M2 = {1, 2, false, false, 1};

/// Saturating: the largest finite number of that sign instead of overflow and
/// infinity, +0 instead of NaN. Otherwise infinity or the canonical NaN.
constexpr uint32_t convertFloat(const FloatFormat &format, double value, Rounding rounding, bool saturate) {
  uint32_t code = encodeFloat(format, value, NanPolicy::Canonical, rounding);
  if (!saturate || format.isFinite(code))
    return code;
  return value == value ? (value < 0 ? format.signBit() : 0) | format.maxFinite() : 0;
}

/// A power of two: the scale of a block of small floats. 0xFF is the NaN.
constexpr double decodeE8M0(uint8_t code) {
  return std::bit_cast<double>(code == 0xff ? uint64_t(0x7ff8) << 48 : static_cast<uint64_t>(code - 127 + 1023) << 52);
}

//===----------------------------------------------------------------------===//
// hif8
//===----------------------------------------------------------------------===//

// After the sign a prefix says how many bits the exponent has; exponents near
// zero leave three bits to the fraction, distant ones none (FMT-7, FMT-8).

inline constexpr uint8_t kHif8Max = 0x6e, kHif8Infinity = 0x6f, kHif8Nan = 0x80;

/// Bits of the fraction beside an exponent of that size.
constexpr int hif8FractionBits(int exponentSize) {
  return exponentSize <= 3 ? 3 : exponentSize <= 7 ? 2 : exponentSize <= 15 ? 1 : 0;
}

constexpr double decodeHif8(uint8_t code) {
  if (code == kHif8Nan)
    return std::bit_cast<double>(uint64_t(0x7ff8) << 48);
  uint64_t sign = static_cast<uint64_t>(code & 0x80) << 56;
  int size = code & 0x7f, exponent = 0, fraction = size & 7, bits = 3;
  if (size == 0)
    return 0;
  if (size == kHif8Infinity)
    return std::bit_cast<double>(sign | uint64_t(0x7ff) << 52);
  if (size >= 0x20) {
    bits = 4 - (size >> 5);
    exponent = (1 << (4 - bits)) | ((size & 15) >> bits);
    exponent = size & 0x10 ? -exponent : exponent;
    fraction = size & ((1 << bits) - 1);
  } else if (size >= 0x10) {
    exponent = size & 8 ? -1 : 1;
  } else if (size < 8) {
    exponent = size - 23;
    fraction = 0;
  }
  uint64_t biased = static_cast<uint64_t>(exponent + 1023);
  return std::bit_cast<double>(sign | biased << 52 | static_cast<uint64_t>(fraction) << (52 - bits));
}

/// To nearest, ties away from zero. There is no -0.
constexpr uint8_t encodeHif8(double value, bool saturate) {
  if (value != value)
    return saturate ? 0 : kHif8Nan;
  uint64_t bits = std::bit_cast<uint64_t>(value), size = bits & ~(uint64_t(1) << 63);
  uint8_t sign = bits >> 63 ? 0x80 : 0;
  auto exponentOf = [](uint64_t magnitude) { return static_cast<int>(magnitude >> 52) - 1023; };
  int exponent = exponentOf(size);
  if (exponent < -23)
    return 0;
  // A carry into the exponent leaves a fraction of zero, whatever its width.
  int cut = 52 - hif8FractionBits(exponent < 0 ? -exponent : exponent);
  size = ((size >> (cut - 1)) + 1) >> 1 << cut;
  exponent = exponentOf(size);
  if (size >= std::bit_cast<uint64_t>(49152.0)) // 1.5 * 2^15, the place of infinity
    return sign | (saturate ? kHif8Max : kHif8Infinity);
  int distance = exponent < 0 ? -exponent : exponent, width = hif8FractionBits(distance);
  int fraction = static_cast<int>((size & ((uint64_t(1) << 52) - 1)) >> (52 - width));
  if (exponent < -15)
    return sign | static_cast<uint8_t>(exponent < -22 ? 1 : exponent + 23);
  if (distance == 0)
    return sign | static_cast<uint8_t>(0x08 | fraction);
  if (distance == 1)
    return sign | static_cast<uint8_t>(0x10 | (exponent < 0) << 3 | fraction);
  int last = ((distance << width) | fraction) & 15;
  return sign | static_cast<uint8_t>((4 - width) << 5 | (exponent < 0) << 4 | last);
}

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_FORMATS_H
