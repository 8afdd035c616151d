//===- Power.h - powers -----------------------------------------*- C++ -*-===//
//
// x^y lane by lane (TEW-10). Floats by e^(y ln x) in double, which is
// rounded once: a result is off the exact power by less than 2^-45 of it before
// that. Special values are those of C. Integers by squaring, modulo their width.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_POWER_H
#define PTOSCOPE_MEANING_POWER_H

#include "ptoscope/Meaning/Division.h"
#include "ptoscope/Meaning/Transcendental.h"

namespace ptoscope::meaning {

/// |x|^y for x > 0; lanes whose result does not follow from it are set by the caller.
template <typename V> PTOM_INLINE V positivePower(V x, V y) {
  auto [high, low] = lnInDouble(x);
  V exponent = y * (high + low);
  // Results do not change beyond: 2^128 overflows and 2^-150 vanishes.
  exponent = select(exponent < 104.0, exponent, V(104)); // NaN too
  exponent = select(exponent > -104.0, exponent, V(-104));
  return expInDouble(exponent);
}

template <typename T> PTOM_INLINE Group<T> power(Group<T> base, Group<T> exponent) {
  if constexpr (kIsFloat<T>) {
    using V = Vec<double, kLanes<T>>;
    using Bits = Vec<__UINT64_TYPE__, kLanes<T>>;
    constexpr __UINT64_TYPE__ kSign = 0x8000000000000000;
    constexpr double kInf = __builtin_inf(), kWhole = 0x1p52;
    V x = toDouble<T>(base), y = toDouble<T>(exponent);
    V size = bitcast<V>(bitcast<Bits>(x) & ~kSign), count = bitcast<V>(bitcast<Bits>(y) & ~kSign);
    // An f32 from 2^24 on is even, infinity included.
    auto whole = ((count + kWhole) - kWhole == count) | (count >= 0x1p24);
    auto odd = whole & (count < 0x1p24) & ((count * 0.5 + kWhole) - kWhole != count * 0.5);
    auto negative = bitcast<Vec<__INT64_TYPE__, kLanes<T>>>(x) < 0;
    auto ordinary = (size > 0.0) & (size < kInf);
    V result = positivePower(select(ordinary, size, V(1)), y);
    V ofEnds = select((size == 0.0) ^ (y < 0.0), V(0), V(kInf));
    result = select(ordinary, result, ofEnds);
    result = select(size == 1.0, V(1), result);
    result = bitcast<V>(bitcast<Bits>(result) ^ (bitcast<Bits>(negative & odd) & kSign));
    result = select((negative & ordinary & ~whole) | (x != x) | (y != y), V(__builtin_nan("")), result);
    return roundOnce<T>(select((x == 1.0) | (y == 0.0), V(1), result));
  } else {
    using Bits = typename T::Bits;
    BitsGroup<T> result = BitsGroup<T>(1), square = toBits<T>(base), count = toBits<T>(exponent);
    for (unsigned i = 0; i < 8 * sizeof(Bits); ++i) {
      result = select(bitcast<MaskGroup<T>>((count & Bits(1)) != 0), result * square, result);
      square *= square;
      count >>= 1;
    }
    if constexpr (typename T::Elem(-1) < 0) {
      // 1 / x^n, truncated; 1 / 0 has all bits set, as a quotient by zero.
      BitsGroup<T> sign =
          select(bitcast<MaskGroup<T>>((toBits<T>(exponent) & Bits(1)) != 0), BitsGroup<T>(Bits(-1)), BitsGroup<T>(1));
      BitsGroup<T> inverse = select(bitcast<MaskGroup<T>>(base == splat<T>(1)), BitsGroup<T>(1), BitsGroup<T>(0));
      inverse = select(bitcast<MaskGroup<T>>(base == splat<T>(-1)), sign, inverse);
      inverse = select(bitcast<MaskGroup<T>>(base == splat<T>(0)), BitsGroup<T>(Bits(-1)), inverse);
      result = select(bitcast<MaskGroup<T>>(exponent < splat<T>(0)), inverse, result);
    }
    return fromBits<T>(result);
  }
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_POWER_H
