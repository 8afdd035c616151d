//===- small_floats.hpp - codes of 8 and 4 bits -----------------*- C++ -*-===//
//
// For number types of programs and for kernels alike. Inlined always: kernels are
// compiled for several kinds of hosts, which must not share a copy.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_SMALL_FLOATS_HPP
#define PTO_DETAIL_SMALL_FLOATS_HPP

#include "pto/detail/abi.hpp"

#include <bit>

namespace ptoscope::tile {

/// Bits of exponent and fraction; the sign, if there is one, is above.
struct SmallFormat {
  int exponent, fraction, bias;
  bool hasSign;
};
[[gnu::always_inline]] inline constexpr SmallFormat smallFormat(Elem elem) {
  switch (elem) {
  case Elem::e4m3:
    return {4, 3, 7, true};
  case Elem::e5m2:
    return {5, 2, 15, true};
  case Elem::e2m1x2:
    return {2, 1, 1, true};
  case Elem::e1m2x2:
    return {1, 2, 1, true};
  default: // e8m0
    return {8, 0, 127, false};
  }
}

/// As the constructors of host simulators do it (SURF-14): the fraction is cut and the
/// exponent keeps its low bits, so that large numbers wrap around.
[[gnu::always_inline]] inline constexpr uint8_t cutFloat(Elem elem, double value) {
  const SmallFormat format = smallFormat(elem);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const int field = int(bits >> 52 & 0x7ff);
  if (field == 0)
    return 0;
  int exponent = field - 1023 + format.bias;
  uint32_t fraction = uint32_t((bits & ((uint64_t(1) << 52) - 1)) >> (52 - format.fraction));
  if (exponent < 0) {
    const int shift = 1 - exponent;
    fraction = shift > 31 ? 0 : (fraction | 1u << format.fraction) >> shift;
    exponent = 0;
  }
  const uint32_t sign = format.hasSign ? uint32_t(bits >> 63) << (format.exponent + format.fraction) : 0;
  return uint8_t(sign | (uint32_t(exponent) & ((1u << format.exponent) - 1)) << format.fraction | fraction);
}

/// The number that a code stands for, exactly.
[[gnu::always_inline]] inline constexpr double smallValue(Elem elem, uint32_t code) {
  const SmallFormat format = smallFormat(elem);
  const uint32_t largest = (1u << format.exponent) - 1, exponent = code >> format.fraction & largest,
                 fraction = code & ((1u << format.fraction) - 1);
  const bool isNegative = format.hasSign && code >> (format.exponent + format.fraction) & 1;
  const auto power = [](int n) { return std::bit_cast<double>(uint64_t(1023 + n) << 52); };
  const bool special = (elem == Elem::e5m2 || elem == Elem::e8m0) && exponent == largest;
  double value = 0;
  if (special && fraction == 0 && elem == Elem::e5m2)
    value = __builtin_inf();
  else if (special || (elem == Elem::e4m3 && (code & 0x7f) == 0x7f))
    value = __builtin_nan("");
  else if (exponent == 0 && format.hasSign)
    value = double(fraction) * power(1 - format.bias - format.fraction);
  else
    value = double(fraction | 1u << format.fraction) * power(int(exponent) - format.bias - format.fraction);
  return isNegative ? -value : value;
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_SMALL_FLOATS_HPP
