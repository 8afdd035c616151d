//===- Division.h - quotients and remainders --------------------*- C++ -*-===//
//
// Lane-wise division and remainders of integers and floats, as instructions on
// tiles have them (TEW-8, TEW-9). Integers are divided as
// floats of p bits that hold them exactly, which hosts do on vectors and no host
// traps on: a quotient a / b that is no integer is at least 1 / |b| away from one,
// and the rounding error of at most |a / b| / 2^p is less, since p exceeds the bits
// of a lane. A remainder of floats is exact, whatever the quotient.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_DIVISION_H
#define PTOSCOPE_MEANING_DIVISION_H

#include "ptoscope/Meaning/Rounding.h"

namespace ptoscope::meaning {

/// Float lanes as double, exact.
template <typename T> PTOM_INLINE Vec<double, kLanes<T>> toDouble(Group<T> v) {
  if constexpr (kIsSame<T, bf16>)
    return convert<double>(widen(v));
  else
    return convert<double>(convert<float>(v));
}

/// What holds an integer lane, and its quotients, exactly.
template <int Bytes> struct WiderThan {
  using Float = float;
  using Int = __INT32_TYPE__;
};
template <> struct WiderThan<4> {
  using Float = double;
  using Int = __INT64_TYPE__;
};

/// Of integers, toward zero; no lane of b is 0.
template <typename T> PTOM_INLINE Group<T> wholeQuotient(Group<T> a, Group<T> b) {
  using Wide = WiderThan<sizeof(typename T::Elem)>;
  auto exact = convert<typename Wide::Float>(a) / convert<typename Wide::Float>(b);
  return convert<typename T::Elem>(convert<typename Wide::Int>(exact));
}

/// Integers truncate; by zero all bits are ones (TEW-8).
template <typename T> PTOM_INLINE Group<T> quotient(Group<T> a, Group<T> b) {
  if constexpr (kIsSame<T, bf16>) {
    return narrow(widen(a) / widen(b));
  } else if constexpr (kIsFloat<T>) {
    return a / b;
  } else {
    MaskGroup<T> byZero = bitcast<MaskGroup<T>>(b == splat<T>(0));
    Group<T> whole = wholeQuotient<T>(a, select(byZero, splat<T>(1), b));
    return select(byZero, splat<T>(typename T::Elem(-1)), whole);
  }
}

/// x mod y for 0 <= x < inf and 0 < y, floats of at most 24 bits; exact.
///
/// Each step takes away q y, q being x / y cut to 28 bits, so that the product is
/// exact in double. What is left is a multiple of the last bit of x or of q y, and
/// no larger than either: exact as well. Where the quotient was rounded up, q
/// would be too large: it is taken a little smaller, but at least 1.
template <typename V> PTOM_INLINE V positiveRemainder(V x, V y) {
  using Bits = Vec<__UINT64_TYPE__, kCount<V>>;
  constexpr __UINT64_TYPE__ kCut = (1 << 25) - 1; // 53 - 28 bits
  constexpr double kWhole = 0x1p52;
  while (__builtin_reduce_or(x >= y)) {
    V q = x / y * (1 - 0x1p-52);
    q = bitcast<V>(bitcast<Bits>(q) & ~kCut);
    // From 2^28 on it is whole. Below, to nearest, and back if that went up.
    V nearest = (q + kWhole) - kWhole;
    nearest = select(nearest > q, nearest - 1.0, nearest);
    q = select(q < 0x1p28, nearest, q);
    q = select(q < 1.0, V(1), q);
    x = select(x >= y, x - q * y, x);
  }
  return x;
}

enum class SignOf { Dividend, Divisor };

/// The sign of a zero is the chosen operand's. By zero integers leave the dividend,
/// floats a NaN.
template <SignOf S, typename T> PTOM_INLINE Group<T> remainder(Group<T> a, Group<T> b) {
  if constexpr (kIsFloat<T>) {
    using V = Vec<double, kLanes<T>>;
    using Bits = Vec<__UINT64_TYPE__, kLanes<T>>;
    constexpr __UINT64_TYPE__ kSign = 0x8000000000000000;
    V x = toDouble<T>(a), y = toDouble<T>(b);
    V sizeX = bitcast<V>(bitcast<Bits>(x) & ~kSign), sizeY = bitcast<V>(bitcast<Bits>(y) & ~kSign);
    auto defined = (sizeX < __builtin_inf()) & (sizeY > 0.0);
    V rest = positiveRemainder(select(defined, sizeX, V(0)), select(defined, sizeY, V(1)));
    Bits sign = bitcast<Bits>(S == SignOf::Dividend ? x : y) & kSign;
    if constexpr (S == SignOf::Divisor) {
      // Rounded to odd: there is one more rounding to come.
      auto opposite = (bitcast<Vec<__INT64_TYPE__, kLanes<T>>>(bitcast<Bits>(x) ^ bitcast<Bits>(y)) < 0) & (rest > 0.0);
      rest = select(opposite & (sizeY < __builtin_inf()), oddSum(sizeY, -rest), rest);
      rest = select(opposite & (sizeY == __builtin_inf()), sizeY, rest);
    }
    V result = bitcast<V>(bitcast<Bits>(rest) ^ sign);
    return roundOnce<T>(select(defined, result, V(__builtin_nan(""))));
  } else {
    Group<T> rest = fromBits<T>(toBits<T>(a) - toBits<T>(quotient<T>(a, b)) * toBits<T>(b));
    if constexpr (S == SignOf::Divisor && typename T::Elem(-1) < 0) {
      auto opposite = ((rest ^ b) < splat<T>(0)) & (rest != splat<T>(0)) & (b != splat<T>(0));
      rest = select(bitcast<MaskGroup<T>>(opposite), fromBits<T>(toBits<T>(rest) + toBits<T>(b)), rest);
    }
    return rest;
  }
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_DIVISION_H
