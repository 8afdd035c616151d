//===- Reference.h - a plain model of the lane meanings ---------*- C++ -*-===//
//
// One lane at a time, written from isa/20 sections 1.4-1.6, 2 and 3 without
// looking at the meanings under test: a value is its bits, integers are
// computed in 64 bits, floats exactly enough in a wider format and rounded once
// by code of its own. Function names are those of the instructions: a meaning
// without a reference does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MEANING_REFERENCE_H
#define PTOSCOPE_UNITTESTS_MEANING_REFERENCE_H

#include <cmath>
#include <cstdint>
#include <limits>

namespace reference {

using Bits = uint64_t;

struct Type {
  int width; ///< bits
  bool isSigned = false;
  int fraction = 0; ///< bits of the fraction; 0 for integers

  bool isFloat() const { return fraction != 0; }
  Bits mask() const { return ~Bits(0) >> (64 - width); }
  Bits sign() const { return Bits(1) << (width - 1); }
  int exponentMax() const { return (1 << (width - 1 - fraction)) - 1; } ///< all ones
  int bias() const { return exponentMax() / 2; }
  Bits infinity() const { return Bits(exponentMax()) << fraction; }
  Bits quietNaN() const { return infinity() | Bits(1) << (fraction - 1); }
  Bits magnitude(Bits x) const { return x & ~sign(); }
  bool isNaN(Bits x) const { return isFloat() && magnitude(x) > infinity(); }
};

inline int64_t toInteger(Type t, Bits x) {
  x &= t.mask();
  return t.isSigned && (x & t.sign()) ? int64_t(x | ~t.mask()) : int64_t(x);
}

inline double toDouble(Type t, Bits x) {
  Bits m = t.magnitude(x);
  int exponent = int(m >> t.fraction);
  Bits fraction = m & ((Bits(1) << t.fraction) - 1);
  double value;
  if (exponent == t.exponentMax())
    value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(double(fraction), 1 - t.bias() - t.fraction);
  else
    value = std::ldexp(double(fraction | Bits(1) << t.fraction), exponent - t.bias() - t.fraction);
  return x & t.sign() ? -value : value;
}

/// To nearest, ties to even; every NaN is the canonical one.
inline Bits fromReal(Type t, long double value) {
  if (std::isnan(value))
    return t.quietNaN();
  Bits sign = std::signbit(value) ? t.sign() : 0;
  value = std::fabs(value);
  if (value == 0)
    return sign;
  if (std::isinf(value))
    return sign | t.infinity();
  int exponent; // value = [0.5, 1) * 2^exponent
  std::frexp(value, &exponent);
  // Weight of the last bit that can be kept.
  int last = exponent - 1 - t.fraction;
  int smallest = 1 - t.bias() - t.fraction;
  if (last < smallest)
    last = smallest;
  // Counting in units of the last bit, the encoding is continuous across
  // exponents: a carry out of the fraction is the next exponent.
  Bits units = Bits(std::nearbyint(std::ldexp(value, -last)));
  Bits encoded = units + (Bits(last - smallest) << t.fraction);
  return sign | (encoded > t.infinity() ? t.infinity() : encoded);
}

inline Bits canon(Type t, Bits x) { return t.isNaN(x) ? t.quietNaN() : x; }

inline Bits vabs(Type t, Bits x) {
  if (t.isFloat())
    return t.magnitude(x);
  return toInteger(t, x) < 0 ? (0 - x) & t.mask() : x;
}

inline Bits vneg(Type t, Bits x) { return t.isFloat() ? x ^ t.sign() : (0 - x) & t.mask(); }

inline Bits vexp(Type t, Bits x) { return fromReal(t, std::exp((long double)(toDouble(t, x)))); }

inline Bits vrelu(Type t, Bits x) {
  if (t.isNaN(x))
    return t.quietNaN();
  return x & t.sign() ? 0 : x;
}

// In double each of + - * / of two floats of at most 24 bits is rounded
// harmlessly: 53 >= 2 * 24 + 2.

inline Bits vadd(Type t, Bits a, Bits b) {
  return t.isFloat() ? fromReal(t, toDouble(t, a) + toDouble(t, b)) : (a + b) & t.mask();
}
inline Bits vsub(Type t, Bits a, Bits b) {
  return t.isFloat() ? fromReal(t, toDouble(t, a) - toDouble(t, b)) : (a - b) & t.mask();
}
inline Bits vmul(Type t, Bits a, Bits b) {
  return t.isFloat() ? fromReal(t, toDouble(t, a) * toDouble(t, b)) : (a * b) & t.mask();
}
inline Bits vdiv(Type t, Bits a, Bits b) {
  double x = toDouble(t, a), y = toDouble(t, b);
  bool negative = std::signbit(x) != std::signbit(y);
  if (std::isnan(x) || std::isnan(y) || (x == 0 && y == 0) || (std::isinf(x) && std::isinf(y)))
    return t.quietNaN();
  if (y == 0)
    return t.infinity() | (negative ? t.sign() : 0);
  return fromReal(t, x / y);
}

/// Whether a comes before b, with -0 before +0; neither is a NaN.
inline bool before(Type t, Bits a, Bits b) {
  if (!t.isFloat())
    return t.isSigned ? toInteger(t, a) < toInteger(t, b) : a < b;
  double x = toDouble(t, a), y = toDouble(t, b);
  return x < y || (x == y && std::signbit(x) && !std::signbit(y));
}

inline Bits vmax(Type t, Bits a, Bits b) {
  if (t.isNaN(a) || t.isNaN(b))
    return t.quietNaN();
  return before(t, a, b) ? b : a;
}
inline Bits vmin(Type t, Bits a, Bits b) {
  if (t.isNaN(a) || t.isNaN(b))
    return t.quietNaN();
  return before(t, b, a) ? b : a;
}

} // namespace reference

#endif // PTOSCOPE_UNITTESTS_MEANING_REFERENCE_H
