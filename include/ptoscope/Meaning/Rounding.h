//===- Rounding.h - from double to an element, rounded once -----*- C++ -*-===//
//
// What is computed in double and stored in a narrower format must not be rounded
// in between. Rounding to odd is the way: of the two neighbours of an inexact
// value, the one whose last bit is 1. It is never a tie of a format at least two
// bits narrower, and lies on the same side of each as the exact value, so that
// the next rounding decides as if it saw that one.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_ROUNDING_H
#define PTOSCOPE_MEANING_ROUNDING_H

#include "ptoscope/Meaning/Vec.h"

namespace ptoscope::meaning {

/// What to add to the bits of `nearest`, if they are even, to have the neighbour on
/// the other side of the exact value nearest + rest: 1, -1, or 0 if there is no
/// rest. Infinities and NaNs have a rest that is a NaN, and stay.
template <typename V> PTOM_INLINE Vec<__INT64_TYPE__, kCount<V>> stepToOdd(V nearest, V rest) {
  using Int = Vec<__INT64_TYPE__, kCount<V>>;
  Int inexact = (rest < 0.0) | (rest > 0.0);
  Int inward = (bitcast<Int>(nearest) ^ bitcast<Int>(rest)) < 0;
  return (inward | 1) & inexact;
}

/// a + b, rounded to odd. The rest of the sum is exact in double for any a and b
/// (Knuth).
template <typename V> PTOM_INLINE V oddSum(V a, V b) {
  using Int = Vec<__INT64_TYPE__, kCount<V>>;
  V sum = a + b;
  V part = sum - a;
  V rest = (a - (sum - part)) + (b - part);
  Int bits = bitcast<Int>(sum);
  Int even = (bits & 1) - 1;
  return bitcast<V>(bits + (stepToOdd(sum, rest) & even));
}

/// Double to f32, rounded to odd. Where the result is a denormal of f32 it is
/// rounded to nearest, which f16 cannot tell: all of them are zeros to it.
template <typename V> PTOM_INLINE Vec<float, kCount<V>> roundToOdd(V v) {
  using Bits = Vec<__UINT64_TYPE__, kCount<V>>;
  constexpr __UINT64_TYPE__ kLost = (1 << 29) - 1; // 53 - 24 bits
  Bits bits = bitcast<Bits>(v);
  Bits carry = (bits & kLost) + kLost; // reaches the bit above when any is lost
  return convert<float>(bitcast<V>((bits | carry) & ~kLost));
}

/// The same for denormals too.
template <typename V> PTOM_INLINE Vec<float, kCount<V>> roundToOddDenormals(V v) {
  using Int = Vec<__INT32_TYPE__, kCount<V>>;
  Vec<float, kCount<V>> nearest = convert<float>(v);
  V back = convert<double>(nearest);
  Int bits = bitcast<Int>(nearest);
  Int even = (bits & 1) - 1;
  return bitcast<Vec<float, kCount<V>>>(bits + (convert<__INT32_TYPE__>(stepToOdd(back, v - back)) & even));
}

/// To nearest, ties to even. Hosts convert double to f16 in two roundings at best.
template <typename T> PTOM_INLINE Group<T> roundOnce(Vec<double, kLanes<T>> v) {
  if constexpr (kIsSame<T, f32>)
    return convert<float>(v);
  else if constexpr (kIsSame<T, f16>)
    return convert<_Float16>(roundToOdd(v));
  else
    return narrow(roundToOddDenormals(v));
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_ROUNDING_H
