//===- Transcendental.h - exp, ln and 1/sqrt of our own ---------*- C++ -*-===//
//
// Transcendental functions on vectors, as polynomials of our own: no host
// library has a say in a result. Only + - * / and square roots, each rounded once
// in double, without fused operations, branches or tables, so that every host
// gives the same bits. As FP-7 asks, a value is computed in double and
// rounded once to the element type.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_TRANSCENDENTAL_H
#define PTOSCOPE_MEANING_TRANSCENDENTAL_H

#include "ptoscope/Meaning/Rounding.h"

namespace ptoscope::meaning {

/// ln 2 in two parts: 42 bits, so that a product with an integer of 11 bits is
/// exact, and the rest.
inline constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;

/// e^x in double for |x| <= 104, relative error below 2^-51.
///
/// x = n ln 2 + r with |r| <= ln(2) / 2, and e^x = 2^n e^r.
template <typename V> PTOM_INLINE V expInDouble(V x) {
  using Bits = Vec<__UINT64_TYPE__, kCount<V>>;

  // Adding 1.5 * 2^52 rounds to an integer, which is then also the low bits.
  constexpr double kRound = 0x1.8p52;
  V shifted = x * 0x1.71547652b82fep+0 + kRound; // log2(e)
  V n = shifted - kRound;

  // The first product is exact, and so is the first difference.
  V r = (x - n * kLn2High) - n * kLn2Low;

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

/// A number as the sum of two, of which the second is small beside the first.
template <typename V> struct TwoPart {
  V high, low;
};

/// ln x for positive finite floats x of at most 24 bits; relative error below 2^-55.
///
/// x = 2^k m with m between sqrt(1/2) and sqrt(2), and ln x = k ln 2 + ln m. With
/// f = m - 1, s = f / (2 + f) and h = f^2 / 2,
///   ln m = f - h + s (h + R),  R = 2/3 s^2 + 2/5 s^4 + 2/7 s^6 + ...
/// f - h is the better part of it and known exactly, in two numbers: f has 24 bits,
/// and h 48.
template <typename V> PTOM_INLINE TwoPart<V> lnInDouble(V x) {
  using Bits = Vec<__UINT64_TYPE__, kCount<V>>;

  // Biased by 1023, k is positive. Below 2^52 it is the low bits of 2^52 + k.
  constexpr __UINT64_TYPE__ kSqrtHalf = 0x3FE6A09E667F3BCD, kOne = 0x3FF0000000000000;
  Bits biased = (bitcast<Bits>(x) + (kOne - kSqrtHalf)) >> 52;
  V k = bitcast<V>(biased | 0x4330000000000000) - (0x1p52 + 1023);
  V f = bitcast<V>(bitcast<Bits>(x) - (biased << 52) + kOne) - 1.0;

  // R / s^2 is the polynomial of degree 7 that interpolates it at the Chebyshev
  // nodes of 0 <= s^2 <= (3 - 2 sqrt(2))^2, computed with 80 decimal digits and
  // rounded to double; relative error of ln m with exact arithmetic 2^-60.7.
  V s = f / (2.0 + f);
  V z = s * s;
  V z2 = z * z;
  V q01 = 0x1.5555555555555p-1 + 0x1.9999999999a38p-2 * z;
  V q23 = 0x1.2492492476cccp-2 + 0x1.c71c720159177p-3 * z;
  V q45 = 0x1.745cf9048dd95p-3 + 0x1.3b1c355a8f7a2p-3 * z;
  V q67 = 0x1.0fbe95d716020p-3 + 0x1.0c039c49989c6p-3 * z;
  V r = ((q01 + q23 * z2) + (q45 + q67 * z2) * (z2 * z2)) * z;

  V h = 0.5 * f * f;
  V high = f - h;
  V low = (f - high) - h; // exact, as |f| >= |h|
  low += s * (h + r);
  // The product is exact, and either 0 or larger than the other summand.
  V sum = k * kLn2High + high;
  low += (high - (sum - k * kLn2High)) + k * kLn2Low;
  return {sum, low};
}

//===----------------------------------------------------------------------===//
// On elements
//===----------------------------------------------------------------------===//

// Correctly rounded for every input: the tests compare f16 exhaustively, f32 on
// request (AccuracyTest, DISABLED_EveryInput). NaNs give a NaN. f16 lanes come
// widened to f32. Special values are told by their bits: clang narrows a comparison
// of widened lanes to f16, which many hosts lack.

/// r, or `special` in the lanes where a comparison of 32-bit lanes holds.
template <typename T, typename M> PTOM_INLINE Group<T> selectSpecial(M where, typename T::Bits special, Group<T> r) {
  return fromBits<T>(select(convert<typename T::Mask>(where), BitsGroup<T>(special), toBits<T>(r)));
}

/// Overflow gives infinity, underflow denormals and zero.
template <typename T> PTOM_INLINE Group<T> expLanes(Vec<float, kLanes<T>> x) {
  using Bits = Vec<__UINT32_TYPE__, kLanes<T>>;
  Bits bits = bitcast<Bits>(x), magnitude = bits & ~f32::kSign;
  // e^-104 < 2^-150 and e^104 > 2^128: results do not change beyond.
  Bits clamped = __builtin_elementwise_min(magnitude, Bits(0x42D00000)) | (bits & f32::kSign);
  auto power = expInDouble(convert<double>(bitcast<Vec<float, kLanes<T>>>(clamped)));
  return selectSpecial<T>(magnitude > Bits(f32::kInf), T::kNaN, roundOnce<T>(power));
}

/// Both zeros give -inf, what is below a NaN.
template <typename T> PTOM_INLINE Group<T> lnLanes(Vec<float, kLanes<T>> x) {
  using Bits = Vec<__UINT32_TYPE__, kLanes<T>>;
  Bits bits = bitcast<Bits>(x), magnitude = bits & ~f32::kSign;
  auto [high, low] = lnInDouble(convert<double>(x));
  Group<T> result;
  if constexpr (kIsSame<T, f32>)
    result = roundOnce<T>(oddSum(high, low));
  else // no logarithm of an f16 is as close to a tie as the error of a sum in double
    result = roundOnce<T>(high + low);
  result = selectSpecial<T>(bits >= Bits(f32::kInf), T::kNaN, result);
  result = selectSpecial<T>(bits == Bits(f32::kInf), T::kInf, result);
  return selectSpecial<T>(magnitude == Bits(0), typename T::Bits(T::kSign | T::kInf), result);
}

/// Zeros give infinity of their sign, what is below a NaN. Scaling x by 4 scales
/// the result by 1/2, so there are 2^24 cases of f32.
template <typename T> PTOM_INLINE Group<T> rsqrtLanes(Vec<float, kLanes<T>> x) {
  return roundOnce<T>(1.0 / __builtin_elementwise_sqrt(convert<double>(x)));
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_TRANSCENDENTAL_H
