//===- Half.h - small float formats as integers -----------------*- C++ -*-===//
//
// f16, bf16, f32 and the fp8 formats, encoded and decoded by integer code that
// gives the same bits on every host, at compile time too. Rounding is to
// nearest, ties to even, unless another mode is asked for; denormals are kept,
// on both sides; overflow gives infinity (NaN in formats without one).
//
// NaN policy of conversions that narrow: `Canonical` (what the ISA's arithmetic
// gives) turns every NaN into the one positive quiet NaN of the format: 0x7E00
// for f16, 0x7FC0 for bf16, 0x7FC00000 for f32. `Payload` keeps the sign and
// the leading payload bits and sets the quiet bit, as host conversions do.
// Conversions that widen keep sign and payload bit by bit and quiet nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_HALF_H
#define PTOSCOPE_SUPPORT_HALF_H

#include "ptoscope/Support/Rounding.h"

#include <bit>
#include <cstdint>

namespace ptoscope {

enum class NanPolicy : uint8_t { Canonical, Payload };

/// A binary format of at most 32 bits: sign, exponent, fraction.
struct FloatFormat {
  int exponentBits;
  int fractionBits;
  /// False for "FN" formats: no infinity, and all ones is the only NaN.
  bool hasInfinity = true;
  /// False where every code is a finite number.
  bool hasNan = true;
  /// Added to the usual bias.
  int biasShift = 0;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1 + biasShift; }
  constexpr uint32_t signBit() const { return uint32_t(1) << (exponentBits + fractionBits); }
  constexpr uint32_t magnitudeMask() const { return signBit() - 1; }
  /// The bits of infinity; in FN formats, those of NaN; without either, the
  /// largest number.
  constexpr uint32_t overflow() const {
    return hasInfinity ? magnitudeMask() & ~((uint32_t(1) << fractionBits) - 1) : magnitudeMask();
  }
  constexpr uint32_t maxFinite() const { return hasNan ? overflow() - 1 : magnitudeMask(); }
  /// Zero in formats without NaN.
  constexpr uint32_t canonicalNan() const {
    if (!hasNan)
      return 0;
    return hasInfinity ? overflow() | (uint32_t(1) << (fractionBits - 1)) : magnitudeMask();
  }
  constexpr bool isNan(uint32_t bits) const { return (bits & magnitudeMask()) > maxFinite() && !isInfinity(bits); }
  constexpr bool isInfinity(uint32_t bits) const { return hasInfinity && (bits & magnitudeMask()) == overflow(); }
  constexpr bool isFinite(uint32_t bits) const { return (bits & magnitudeMask()) <= maxFinite(); }
};

inline constexpr FloatFormat kF16 = {5, 10};
inline constexpr FloatFormat kBF16 = {8, 7};
inline constexpr FloatFormat kF32 = {8, 23};
inline constexpr FloatFormat kF8E4M3FN = {4, 3, false};
inline constexpr FloatFormat kF8E5M2 = {5, 2};

/// Whether a magnitude is rounded up: its last bit kept is `odd` or not, and what
/// is cut off compares with half of that bit (`order` < 0, 0, > 0); nothing but
/// zero is exact.
constexpr bool roundsUp(Rounding rounding, bool negative, bool odd, int order, bool exact) {
  switch (rounding) {
  case Rounding::Even:
    return order > 0 || (order == 0 && odd);
  case Rounding::Away:
  case Rounding::Hybrid:
    return order >= 0;
  case Rounding::Floor:
    return negative && !exact;
  case Rounding::Ceil:
    return !negative && !exact;
  case Rounding::Odd:
    return !odd && !exact;
  case Rounding::None:
  case Rounding::Zero:
    return false;
  }
  return false;
}

/// `value` rounded once to `format`. Every f32 is exactly a double, so this
/// serves conversions from f32 as well.
constexpr uint32_t encodeFloat(const FloatFormat &format, double value, NanPolicy nans = NanPolicy::Canonical,
                               Rounding rounding = Rounding::Even) {
  const int fraction = format.fractionBits;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint32_t sign = (bits >> 63) ? format.signBit() : 0;
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  uint64_t significand = bits & ((uint64_t(1) << 52) - 1);
  // What is beyond an FN format is its NaN, which has one sign.
  uint32_t beyond = format.hasInfinity || !format.hasNan ? sign | format.overflow() : format.canonicalNan();
  if (exponent == 0x7ff) {
    if (significand == 0)
      return beyond;
    if (nans == NanPolicy::Canonical || !format.hasNan)
      return format.canonicalNan();
    uint32_t payload = format.hasInfinity ? static_cast<uint32_t>(significand >> (52 - fraction)) : 0;
    return sign | format.canonicalNan() | payload;
  }
  if (exponent == 0 && significand == 0)
    return sign;
  // Doubles that are denormal lie far below every format's smallest value: the
  // leading bit they lack does not matter.
  significand |= uint64_t(1) << 52;
  exponent -= 1023;
  const int minExponent = 1 - format.bias();
  bool denormal = exponent < minExponent;
  int shift = 52 - fraction + (denormal ? minExponent - exponent : 0);
  if (shift > 54) // less than half of the smallest denormal, by however much
    shift = 54;
  uint64_t magnitude = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  int order = rest < half ? -1 : rest > half;
  if (roundsUp(rounding, sign != 0, magnitude & 1, order, rest == 0))
    ++magnitude; // may carry into the exponent, which is then the right one
  if (!denormal)
    magnitude += static_cast<uint64_t>(exponent - minExponent) << fraction;
  return magnitude > format.maxFinite() ? beyond : sign | static_cast<uint32_t>(magnitude);
}

/// The exact value. NaNs keep sign and payload, shifted to the top.
constexpr double decodeFloat(const FloatFormat &format, uint32_t bits) {
  const int fraction = format.fractionBits;
  uint64_t sign = (bits & format.signBit()) ? uint64_t(1) << 63 : 0;
  uint32_t magnitude = bits & format.magnitudeMask();
  uint64_t field = magnitude & ((uint32_t(1) << fraction) - 1);
  int exponent = static_cast<int>(magnitude >> fraction);
  if (magnitude == 0)
    return std::bit_cast<double>(sign);
  if (format.isInfinity(bits))
    return std::bit_cast<double>(sign | (uint64_t(0x7ff) << 52));
  if (format.isNan(bits))
    return std::bit_cast<double>(sign | (uint64_t(0x7ff) << 52) | (field << (52 - fraction)));
  if (exponent == 0) { // denormal: normalise, doubles have room below
    int leading = std::countl_zero(field) - (63 - fraction);
    field = (field << leading) & ((uint64_t(1) << fraction) - 1);
    exponent = 1 - leading;
  }
  uint64_t biased = static_cast<uint64_t>(exponent - format.bias() + 1023);
  return std::bit_cast<double>(sign | (biased << 52) | (field << (52 - fraction)));
}

/// f16 -> f32, exact.
constexpr float f16ToF32(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) // infinity and NaN: the top exponent is not just rebiased
    return std::bit_cast<float>(sign | 0x7f800000 | ((magnitude & 0x3ff) << 13));
  if (magnitude >= 0x0400)
    return std::bit_cast<float>(sign | ((magnitude << 13) + ((127 - 15) << 23)));
  if (magnitude == 0)
    return std::bit_cast<float>(sign);
  int leading = std::countl_zero(magnitude) - 21; // from the hidden bit's place
  uint32_t fraction = (magnitude << leading) & 0x3ff;
  return std::bit_cast<float>(sign | static_cast<uint32_t>(127 - 14 - leading) << 23 | (fraction << 13));
}

/// bf16 -> f32, exact: bf16 is the upper half of f32.
constexpr float bf16ToF32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

/// f32 -> f16. NaNs are taken from the bits, since a host conversion of a
/// signalling NaN need not keep them.
constexpr uint16_t f32ToF16(float value, NanPolicy nans = NanPolicy::Canonical) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return nans == NanPolicy::Canonical ? 0x7e00 : sign | 0x7e00 | ((magnitude >> 13) & 0x3ff);
  if (magnitude >= 0x477ff000) // 65520 and above round to infinity
    return sign | 0x7c00;
  if (magnitude >= 0x38800000) { // 2^-14: normal in f16
    uint32_t odd = (magnitude >> 13) & 1;
    return sign | ((magnitude - ((127 - 15) << 23) + 0xfff + odd) >> 13);
  }
  if (magnitude <= 0x33000000) // 2^-25: half of the smallest denormal, ties to 0
    return sign;
  int shift = 126 - static_cast<int>(magnitude >> 23); // 14 .. 24
  uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  uint32_t kept = significand >> shift;
  uint32_t rest = significand & ((uint32_t(1) << shift) - 1);
  uint32_t half = uint32_t(1) << (shift - 1);
  return sign | (kept + (rest > half || (rest == half && (kept & 1))));
}

/// f32 -> bf16.
constexpr uint16_t f32ToBF16(float value, NanPolicy nans = NanPolicy::Canonical) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return nans == NanPolicy::Canonical ? 0x7fc0 : (bits >> 16) | 0x0040;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_HALF_H
