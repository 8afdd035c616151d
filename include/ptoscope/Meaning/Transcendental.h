//===- Transcendental.h - our own exp ---------------------------*- C++ -*-===//
//
// Transcendental functions on vectors, as polynomials of our own: no host
// library has a say in a result. Only +, - and *, each rounded once in double,
// without fused operations, branches or tables, so that every host gives the
// same bits. As isa/20 1.6 asks, a value is computed in double and rounded once
// to the element type.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_TRANSCENDENTAL_H
#define PTOSCOPE_MEANING_TRANSCENDENTAL_H

#include "ptoscope/Meaning/Vec.h"

namespace ptoscope::meaning {

/// Reduces every magnitude above `limit` to it, NaNs included. On bits: clang
/// narrows a comparison of widened lanes to f16, which many hosts lack.
template <typename T> PTOM_INLINE Group<T> clampMagnitude(Group<T> v, typename T::Bits limit) {
  BitsGroup<T> magnitude = toBits<T>(v) & typename T::Bits(~T::kSign);
  return fromBits<T>(__builtin_elementwise_min(magnitude, BitsGroup<T>(limit)) | (toBits<T>(v) & T::kSign));
}

/// e^x in double for |x| <= 104, relative error below 2^-51.
///
/// x = n ln 2 + r with |r| <= ln(2) / 2, and e^x = 2^n e^r.
template <typename V> PTOM_INLINE V expInDouble(V x) {
  using Bits = Vec<__UINT64_TYPE__, kCount<V>>;

  // Adding 1.5 * 2^52 rounds to an integer, which is then also the low bits.
  constexpr double kRound = 0x1.8p52;
  V shifted = x * 0x1.71547652b82fep+0 + kRound; // log2(e)
  V n = shifted - kRound;

  // ln 2 in two parts: 42 bits, so that n times it is exact and so is the first
  // difference, and the rest.
  V r = (x - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;

  // e^r = 1 + r + r^2 q(r). q is the polynomial of degree 9 that interpolates
  // (e^r - 1 - r) / r^2 at the Chebyshev nodes of |r| <= ln(2) / 2, computed
  // with 80 decimal digits and rounded to double; relative error of e^r with
  // exact arithmetic 2^-55.8. Summed as a tree, which is short of latency.
  V r2 = r * r;
  V r4 = r2 * r2;
  V q01 = 0x1.0000000000001p-1 + 0x1.5555555555556p-3 * r;
  V q23 = 0x1.5555555553d68p-5 + 0x1.11111111109b5p-7 * r;
  V q45 = 0x1.6c16c17889f18p-10 + 0x1.a01a01a7c2f16p-13 * r;
  V q67 = 0x1.a019b91490bdep-16 + 0x1.71de0db2f0d70p-19 * r;
  V q89 = 0x1.28917c94f5794p-22 + 0x1.af389eddb18bfp-26 * r;
  V q = (q01 + q23 * r2) + ((q45 + q67 * r2) + q89 * r4) * r4;
  V power = 1.0 + (r + q * r2);

  // Times 2^n, by adding n to the exponent: the sum stays a normal double.
  return bitcast<V>(bitcast<Bits>(power) + (bitcast<Bits>(shifted) << 52));
}

/// Double to f32 where a narrower format follows: bits that do not fit are
/// folded into the last one that does (rounding to odd), so that the next
/// rounding sees on which side of a tie the value was. Hosts convert double to
/// f16 in two roundings at best.
template <typename V> PTOM_INLINE Vec<float, kCount<V>> roundToOdd(V v) {
  using Bits = Vec<__UINT64_TYPE__, kCount<V>>;
  constexpr __UINT64_TYPE__ kLost = (1 << 29) - 1; // 53 - 24 bits
  Bits bits = bitcast<Bits>(v);
  Bits carry = (bits & kLost) + kLost; // reaches the bit above when any is lost
  return convert<float>(bitcast<V>((bits | carry) & ~kLost));
}

/// Correctly rounded for every input of both types: the tests compare f16
/// exhaustively, f32 on request (ExpTest, DISABLED_EveryInput). Overflow gives
/// infinity, underflow denormals and zero; NaNs pass.
template <typename T> PTOM_INLINE Group<T> expLanes(Group<T> x) {
  // e^-104 < 2^-150 and e^104 > 2^128: results do not change beyond.
  constexpr typename T::Bits kLimit = kIsSame<T, f32> ? 0x42D00000 : 0x5680;
  auto power = expInDouble(convert<double>(clampMagnitude<T>(x, kLimit)));
  if constexpr (kIsSame<T, f32>)
    return select(isNaN<T>(x), x, convert<float>(power));
  else
    return select(isNaN<T>(x), x, convert<_Float16>(roundToOdd(power)));
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_TRANSCENDENTAL_H
