//===- Reference.h - a plain model of the lane meanings ---------*- C++ -*-===//
//
// One lane at a time, written from docs/isa/20-compute.md and FUSE-1 to FUSE-11 without looking
// at the meanings under test: a value is its bits, integers are computed in 64
// bits, floats exactly enough in a wider format and rounded once by code of its
// own. Function names are those of the instructions. What is not a plain element
// type picks another overload: the second result of an instruction, or another
// type of result.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MEANING_REFERENCE_H
#define PTOSCOPE_UNITTESTS_MEANING_REFERENCE_H

#include <algorithm>
#include <bit>
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

/// Sign * magnitude * 2^exponent, exact, to nearest with ties to even.
inline Bits fromInteger(Type t, bool negative, unsigned __int128 magnitude, int exponent) {
  Bits sign = negative ? t.sign() : 0;
  if (magnitude == 0)
    return sign;
  int bits = 0;
  while (bits < 128 && magnitude >> bits)
    ++bits;
  int smallest = 1 - t.bias() - t.fraction;
  int last = std::max(exponent + bits - 1 - t.fraction, smallest); // weight of the last bit kept
  Bits units;
  if (last <= exponent) {
    units = Bits(magnitude) << (exponent - last);
  } else if (int drop = last - exponent; drop > 127) {
    units = 0;
  } else {
    units = Bits(magnitude >> drop);
    unsigned __int128 rest = magnitude & (((unsigned __int128)1 << drop) - 1);
    unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
    units += rest > half || (rest == half && (units & 1));
  }
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
  if (!t.isFloat()) // toward zero; the most negative / -1 wraps, x / 0 is all ones
    return (b & t.mask()) == 0 ? t.mask() : Bits(toInteger(t, a) / toInteger(t, b)) & t.mask();
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

//===----------------------------------------------------------------------===//
// Roots, logarithms, bits
//===----------------------------------------------------------------------===//

inline Bits vln(Type t, Bits x) { return fromReal(t, std::log((long double)(toDouble(t, x)))); }
inline Bits vsqrt(Type t, Bits x) { return fromReal(t, std::sqrt((long double)(toDouble(t, x)))); }
inline Bits vrec(Type t, Bits x) { return vdiv(t, fromReal(t, 1), x); }
inline Bits vrsqrt(Type t, Bits x) {
  if (t.magnitude(x) == 0)
    return t.infinity() | x;
  return fromReal(t, 1 / std::sqrt((long double)(toDouble(t, x))));
}

inline Bits vnot(Type t, Bits x) { return x ^ t.mask(); }
inline Bits vbcnt(Type, Bits x) { return Bits(std::popcount(x)); }
inline Bits vcls(Type t, Bits x) {
  int count = 1;
  while (count < t.width && (x >> (t.width - 1 - count) & 1) == x >> (t.width - 1))
    ++count;
  return Bits(count);
}

inline Bits vand(Type, Bits a, Bits b) { return a & b; }
inline Bits vor(Type, Bits a, Bits b) { return a | b; }
inline Bits vxor(Type, Bits a, Bits b) { return a ^ b; }
inline Bits vshl(Type t, Bits a, Bits b) { return a << (b & Bits(t.width - 1)) & t.mask(); }
inline Bits vshr(Type t, Bits a, Bits b) {
  for (Bits n = b & Bits(t.width - 1); n; --n)
    a = a >> 1 | (t.isSigned ? a & t.sign() : 0);
  return a;
}

// With a scalar: the same on one lane.
inline Bits vadds(Type t, Bits a, Bits b) { return vadd(t, a, b); }
inline Bits vsubs(Type t, Bits a, Bits b) { return vsub(t, a, b); }
inline Bits vmuls(Type t, Bits a, Bits b) { return vmul(t, a, b); }
inline Bits vdivs(Type t, Bits a, Bits b) { return vdiv(t, a, b); }
inline Bits vmaxs(Type t, Bits a, Bits b) { return vmax(t, a, b); }
inline Bits vmins(Type t, Bits a, Bits b) { return vmin(t, a, b); }
inline Bits vands(Type t, Bits a, Bits b) { return vand(t, a, b); }
inline Bits vors(Type t, Bits a, Bits b) { return vor(t, a, b); }
inline Bits vxors(Type t, Bits a, Bits b) { return vxor(t, a, b); }
inline Bits vshls(Type t, Bits a, Bits b) { return vshl(t, a, b); }
inline Bits vshrs(Type t, Bits a, Bits b) { return vshr(t, a, b); }

//===----------------------------------------------------------------------===//
// Two results
//===----------------------------------------------------------------------===//

/// Asks for the second result of an instruction on elements of this type.
struct Second {
  Type type;
};

/// A lane of a mask.
inline Bits lane(Type t, bool on) { return on ? t.mask() : 0; }

inline Bits vaddcs(Type t, Bits a, Bits b, Bits carry) { return (a + b + (carry & 1)) & t.mask(); }
inline Bits vaddcs(Second s, Bits a, Bits b, Bits carry) { return lane(s.type, (a + b + (carry & 1)) >> 32 != 0); }
inline Bits vsubcs(Type t, Bits a, Bits b, Bits carry) { return (a - b - (1 - (carry & 1))) & t.mask(); }
inline Bits vsubcs(Second s, Bits a, Bits b, Bits carry) { return lane(s.type, a >= b + (1 - (carry & 1))); }
inline Bits vaddc(Type t, Bits a, Bits b) { return vaddcs(t, a, b, 0); }
inline Bits vaddc(Second s, Bits a, Bits b) { return vaddcs(s, a, b, 0); }
inline Bits vsubc(Type t, Bits a, Bits b) { return vsubcs(t, a, b, 1); }
inline Bits vsubc(Second s, Bits a, Bits b) { return vsubcs(s, a, b, 1); }

inline Bits vmull(Type t, Bits a, Bits b) { return (a * b) & t.mask(); }
inline Bits vmull(Second s, Bits a, Bits b) {
  return Bits(__int128(toInteger(s.type, a)) * toInteger(s.type, b) >> 32) & s.type.mask();
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

inline bool ordered(Type t, Bits a, Bits b) { return !t.isNaN(a) && !t.isNaN(b); }
inline bool equal(Type t, Bits a, Bits b) {
  return ordered(t, a, b) && (a == b || (t.isFloat() && t.magnitude(a | b) == 0));
}
inline bool less(Type t, Bits a, Bits b) { return ordered(t, a, b) && !equal(t, a, b) && before(t, a, b); }

inline Bits vcmp_eq(Type t, Bits a, Bits b) { return lane(t, equal(t, a, b)); }
inline Bits vcmp_ne(Type t, Bits a, Bits b) { return lane(t, !equal(t, a, b)); }
inline Bits vcmp_lt(Type t, Bits a, Bits b) { return lane(t, less(t, a, b)); }
inline Bits vcmp_le(Type t, Bits a, Bits b) { return lane(t, less(t, a, b) || equal(t, a, b)); }
inline Bits vcmp_gt(Type t, Bits a, Bits b) { return lane(t, less(t, b, a)); }
inline Bits vcmp_ge(Type t, Bits a, Bits b) { return lane(t, less(t, b, a) || equal(t, a, b)); }
inline Bits vcmp_one(Type t, Bits a, Bits b) { return lane(t, ordered(t, a, b) && !equal(t, a, b)); }

inline Bits vcmps_eq(Type t, Bits a, Bits b) { return vcmp_eq(t, a, b); }
inline Bits vcmps_ne(Type t, Bits a, Bits b) { return vcmp_ne(t, a, b); }
inline Bits vcmps_lt(Type t, Bits a, Bits b) { return vcmp_lt(t, a, b); }
inline Bits vcmps_le(Type t, Bits a, Bits b) { return vcmp_le(t, a, b); }
inline Bits vcmps_gt(Type t, Bits a, Bits b) { return vcmp_gt(t, a, b); }
inline Bits vcmps_ge(Type t, Bits a, Bits b) { return vcmp_ge(t, a, b); }
inline Bits vcmps_one(Type t, Bits a, Bits b) { return vcmp_one(t, a, b); }

//===----------------------------------------------------------------------===//
// Fused
//===----------------------------------------------------------------------===//

/// x >= 0 ? x : alpha * x
inline Bits vprelu(Type t, Bits x, Bits alpha) { return toDouble(t, x) >= 0 ? x : vmul(t, x, alpha); }
inline Bits vlrelu(Type t, Bits x, Bits alpha) { return vprelu(t, x, alpha); }
inline Bits vaddrelu(Type t, Bits a, Bits b) { return vrelu(t, vadd(t, a, b)); }
inline Bits vsubrelu(Type t, Bits a, Bits b) { return vrelu(t, vsub(t, a, b)); }

/// A finite float as an integer times 2^exponent.
struct Scaled {
  __int128 value;
  int exponent;
};
inline Scaled toScaled(Type t, Bits x) {
  int exponent = std::max(int(t.magnitude(x) >> t.fraction), 1) - t.bias() - t.fraction;
  __int128 value = __int128(std::ldexp(toDouble(t, x), -exponent));
  return {value, exponent};
}

/// a * b + c rounded once, by exact integers.
inline Bits multiplyAdd(Type t, Bits a, Bits b, Bits c) {
  double inDouble = toDouble(t, a) * toDouble(t, b) + toDouble(t, c);
  if (!std::isfinite(inDouble))
    return fromReal(t, inDouble);
  bool negativeProduct = ((a ^ b) & t.sign()) != 0;
  Scaled x = toScaled(t, a), y = toScaled(t, b);
  Scaled large = {x.value * y.value, x.exponent + y.exponent}, small = toScaled(t, c);
  if (large.value == 0 && small.value == 0)
    return negativeProduct && (c & t.sign()) ? t.sign() : 0;
  if (large.value == 0 || (small.value != 0 && large.exponent < small.exponent))
    std::swap(large, small);
  // At most 48 bits each. What lies wholly below the other's last bit counts as a
  // little: it can break a tie, and no more.
  int shift = large.exponent - small.exponent;
  if (small.value == 0) {
    shift = 0;
  } else if (shift > 70) {
    small.value = small.value < 0 ? -1 : 1;
    shift = 70;
  }
  __int128 sum = large.value * (__int128(1) << shift) + small.value;
  return fromInteger(t, sum < 0, (unsigned __int128)(sum < 0 ? -sum : sum), large.exponent - shift);
}

inline Bits vmula(Type t, Bits sum, Bits a, Bits b) {
  return t.isFloat() ? multiplyAdd(t, a, b, sum) : (sum + a * b) & t.mask();
}
inline Bits vaxpy(Type t, Bits x, Bits y, Bits alpha) { return multiplyAdd(t, alpha, x, y); }

/// Operands of one type, result of another.
struct Mixed {
  Type operand, result;
};

/// e^(x - max); the difference is rounded to f32.
inline Bits vexpdif(Mixed m, Bits x, Bits max) {
  constexpr Type f32 = {32, true, 23};
  double difference = toDouble(m.operand, x) - toDouble(m.operand, max);
  double rounded = toDouble(f32, fromReal(f32, difference));
  return fromReal(m.result, std::exp((long double)rounded));
}

} // namespace reference

#endif // PTOSCOPE_UNITTESTS_MEANING_REFERENCE_H
