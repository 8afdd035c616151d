//===- Numbers.h - elements as numbers, one at a time -----------*- C++ -*-===//
//
// Every element of up to 32 bits is a double. Results are rounded from double to
// the element by scaling and rounding to an integer; nothing of the library's
// arithmetic is used. Double has more than twice the bits of f32, so that one
// + - * / or square root in double, rounded again, is rounded as once.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_TILE_NUMBERS_H
#define PTOSCOPE_UNITTESTS_TILE_NUMBERS_H

#include "Reference.h"

#include <cmath>
#include <limits>

namespace reference {

inline bool isFloat(Elem elem) { return elem == Elem::f16 || elem == Elem::bf16 || elem == Elem::f32; }
inline bool isSigned(Elem elem) { return elem == Elem::i8 || elem == Elem::i16 || elem == Elem::i32; }
inline constexpr Elem kArithmeticElems[] = {Elem::i8,  Elem::u8,  Elem::i16,  Elem::u16, Elem::i32,
                                            Elem::u32, Elem::f16, Elem::bf16, Elem::f32};

struct Format {
  int fraction, bias, width;
};
inline Format formatOf(Elem elem) {
  return elem == Elem::f16 ? Format{10, 15, 16} : elem == Elem::bf16 ? Format{7, 127, 16} : Format{23, 127, 32};
}

inline int64_t toInt(Elem elem, uint64_t bits) {
  int width = widthBits(elem);
  int64_t value = int64_t(bits & ((uint64_t(1) << width) - 1));
  return isSigned(elem) && value >> (width - 1) ? value - (int64_t(1) << width) : value;
}
inline uint64_t fromInt(Elem elem, int64_t value) { return uint64_t(value) & ((uint64_t(1) << widthBits(elem)) - 1); }

inline double toNumber(Elem elem, uint64_t bits) {
  if (!isFloat(elem))
    return double(toInt(elem, bits));
  Format f = formatOf(elem);
  int64_t fraction = int64_t(bits & ((uint64_t(1) << f.fraction) - 1));
  int exponent = int(bits >> f.fraction) & ((1 << (f.width - 1 - f.fraction)) - 1);
  double value;
  if (exponent == 2 * f.bias + 1)
    value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(double(fraction), 1 - f.bias - f.fraction);
  else
    value = std::ldexp(double(fraction + (int64_t(1) << f.fraction)), exponent - f.bias - f.fraction);
  return bits >> (f.width - 1) & 1 ? -value : value;
}

/// To nearest, ties to even.
inline uint64_t fromNumber(Elem elem, long double value) {
  Format f = formatOf(elem);
  uint64_t sign = uint64_t(std::signbit(value)) << (f.width - 1);
  uint64_t inf = (uint64_t(2 * f.bias + 1)) << f.fraction;
  value = std::fabs(value);
  if (std::isnan(value))
    return inf | uint64_t(1) << (f.fraction - 1);
  if (std::isinf(value))
    return sign | inf;
  if (value == 0)
    return sign;
  int exponent = std::max(std::ilogb(value), 1 - f.bias);
  long double units = std::rint(std::ldexp(value, f.fraction - exponent));
  // Denormals have exponent field 0 and no hidden bit; a carry goes into the field.
  uint64_t bits = uint64_t(exponent + f.bias - 1) * (uint64_t(1) << f.fraction) + uint64_t(units);
  return sign | std::min(bits, inf);
}
inline double rounded(Elem elem, long double value) { return toNumber(elem, fromNumber(elem, value)); }

/// Random bits for integers, with small ones among them; small and special values
/// for floats.
inline uint64_t randomElement(Elem elem, std::mt19937 &random) {
  if (!isFloat(elem))
    return fromInt(elem, random() % 3 == 0 ? int64_t(random() % 9) - 4 : int64_t(random()));
  const double inf = std::numeric_limits<double>::infinity();
  const double special[] = {0.0,   -0.0,     inf,    -inf, std::numeric_limits<double>::quiet_NaN(), 1.0, -1.0, 2.0,
                            1e-40, -65504.0, 3.0e38, 1e-7};
  switch (random() % 8) {
  case 0:
    return fromNumber(elem, special[random() % std::size(special)]);
  case 1:
    return fromNumber(elem, double(int(random() % 17) - 8) / 2);
  case 2: // anything but a NaN
  {
    uint64_t bits = random() & ((uint64_t(1) << widthBits(elem)) - 1);
    return std::isnan(toNumber(elem, bits)) ? 0 : bits;
  }
  default:
    return fromNumber(elem, double(int32_t(random())) * 0x1p-24);
  }
}

inline void fill(TestTile &tile, unsigned seed) {
  std::mt19937 random(seed);
  for (int r = 0; r < tile.ref.validRows; ++r)
    for (int c = 0; c < tile.ref.validCols; ++c)
      tile.set(r, c, randomElement(tile.ref.elem, random));
}

/// Equal bits, or both NaN; `ulps` apart at most for floats.
inline ::testing::AssertionResult same(Elem elem, uint64_t got, uint64_t expected, unsigned ulps = 0) {
  if (got == expected)
    return ::testing::AssertionSuccess();
  if (isFloat(elem)) {
    double a = toNumber(elem, got), b = toNumber(elem, expected);
    if (std::isnan(a) && std::isnan(b))
      return ::testing::AssertionSuccess();
    if (ulps && !std::isnan(a) && !std::isnan(b) && std::signbit(a) == std::signbit(b) &&
        (got > expected ? got - expected : expected - got) <= ulps)
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << a << " for " << b;
  }
  return ::testing::AssertionFailure() << toInt(elem, got) << " for " << toInt(elem, expected);
}

} // namespace reference

#endif // PTOSCOPE_UNITTESTS_TILE_NUMBERS_H
