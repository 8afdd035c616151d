//===- SmallFloats.h - lanes of formats below f32 ---------------*- C++ -*-===//
//
// Rounding by any mode, and the formats FMT-1 to FMT-7 encoded and decoded
// on vectors of f32. Codes are carried in 32-bit lanes, the sign of a format at
// its own place. Rounding is integer arithmetic, so that every host and every
// mode takes the same way; only f16 to nearest even, and f16 back, are left to
// the host, for which they are an instruction.
//
// Denormals are kept on both sides. A conversion to a smaller format gives the
// canonical NaN or, saturating, +0; one to f32 keeps sign and payload and makes
// the NaN quiet.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_SMALLFLOATS_H
#define PTOSCOPE_MEANING_SMALLFLOATS_H

#include "ptoscope/Meaning/Vec.h"
#include "ptoscope/Support/Rounding.h"

namespace ptoscope::meaning {

//===----------------------------------------------------------------------===//
// Element tags
//===----------------------------------------------------------------------===//

/// Floats of one byte or less have no arithmetic of their own: a lane is a byte.
struct ByteFloatTag {
  using Elem = __UINT8_TYPE__;
  using Bits = __UINT8_TYPE__;
  using Mask = __INT8_TYPE__;
  static constexpr bool kIsFloat = true;
};
struct e4m3 : ByteFloatTag {};
struct e5m2 : ByteFloatTag {};
struct hif8 : ByteFloatTag {};
/// Two 4-bit floats, the first in the low half of the byte.
struct e1m2x2 : ByteFloatTag {};
struct e2m1x2 : ByteFloatTag {};

/// Codes of all formats are carried in lanes of 32 bits.
using Code = __UINT32_TYPE__;

/// Layout of a format of sign, exponent and fraction. kMax is the largest finite
/// magnitude, kBeyond what follows it in the format: infinity, or the NaN.
template <typename T> struct Layout;
template <> struct Layout<f16> {
  static constexpr int kWidth = 16, kFraction = 10, kBias = 15;
  static constexpr bool kHasInfinity = true;
  static constexpr Code kMax = 0x7BFF, kBeyond = 0x7C00, kNaN = 0x7E00;
};
template <> struct Layout<bf16> {
  static constexpr int kWidth = 16, kFraction = 7, kBias = 127;
  static constexpr bool kHasInfinity = true;
  static constexpr Code kMax = 0x7F7F, kBeyond = 0x7F80, kNaN = 0x7FC0;
};
template <> struct Layout<e4m3> {
  static constexpr int kWidth = 8, kFraction = 3, kBias = 7;
  static constexpr bool kHasInfinity = false;
  static constexpr Code kMax = 0x7E, kBeyond = 0x7F, kNaN = 0x7F;
};
template <> struct Layout<e5m2> {
  static constexpr int kWidth = 8, kFraction = 2, kBias = 15;
  static constexpr bool kHasInfinity = true;
  static constexpr Code kMax = 0x7B, kBeyond = 0x7C, kNaN = 0x7E;
};
/// One of the two. All codes are finite; only saturating conversions lead here.
template <> struct Layout<e1m2x2> {
  static constexpr int kWidth = 4, kFraction = 2, kBias = 1;
  static constexpr Code kMax = 7;
};
template <> struct Layout<e2m1x2> {
  static constexpr int kWidth = 4, kFraction = 1, kBias = 1;
  static constexpr Code kMax = 7;
};

template <int N> using Floats = Vec<float, N>;
template <int N> using Codes = Vec<Code, N>;
template <int N> using Ints = Vec<__INT32_TYPE__, N>;

inline constexpr Code kSign32 = f32::kSign, kInf32 = f32::kInf, kHidden32 = 0x800000;

template <int N> PTOM_INLINE Codes<N> bitsOf(Floats<N> v) { return bitcast<Codes<N>>(v); }

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// `size`, a magnitude, without its last Cut bits. All ones in `negative`: the
/// value is negative.
template <Rounding R, int Cut, typename V> PTOM_INLINE V roundOff(V size, V negative) {
  using Elem = typename Shape<V>::Elem;
  constexpr Elem kHalf = Elem(1) << (Cut - 1), kLost = (Elem(1) << Cut) - 1;
  if constexpr (R == Rounding::Even)
    return (size + (kHalf - 1) + ((size >> Cut) & 1)) >> Cut;
  else if constexpr (R == Rounding::Away || R == Rounding::Hybrid)
    return (size + kHalf) >> Cut;
  else if constexpr (R == Rounding::Floor)
    return (size + (negative & kLost)) >> Cut;
  else if constexpr (R == Rounding::Ceil)
    return (size + (~negative & kLost)) >> Cut;
  else if constexpr (R == Rounding::Odd)
    return (size | ((size & kLost) + kLost)) >> Cut; // the sum reaches the last bit kept
  else
    return size >> Cut;
}

/// Rounded to an integral value; the sign stays, on zero too. Infinities and
/// NaNs pass.
template <Rounding R, int N> PTOM_INLINE Floats<N> integral(Floats<N> x) {
  using V = Floats<N>;
  constexpr float kIntegral = 0x1p23f; // from here on there are no fractions
  Codes<N> sign = bitsOf<N>(x) & kSign32;
  V size = bitcast<V>(bitsOf<N>(x) ^ sign);
  V result = (size + kIntegral) - kIntegral; // to nearest even
  if constexpr (R != Rounding::Even) {
    V whole = select(result > size, result - 1.0f, result);
    auto inexact = whole < size;
    if constexpr (R == Rounding::Zero)
      result = whole;
    else if constexpr (R == Rounding::Away)
      result = select(size - whole >= 0.5f, whole + 1.0f, whole);
    else if constexpr (R == Rounding::Floor)
      result = select(inexact & (sign != 0), whole + 1.0f, whole);
    else if constexpr (R == Rounding::Ceil)
      result = select(inexact & (sign == 0), whole + 1.0f, whole);
    else if constexpr (R == Rounding::Odd) // the last bit of the sum is that of the integer
      result = select(inexact & ((bitsOf<N>(whole + kIntegral) & 1) == 0), whole + 1.0f, whole);
  }
  return bitcast<V>(select(size < kIntegral, bitsOf<N>(result) | sign, bitsOf<N>(x)));
}

//===----------------------------------------------------------------------===//
// Sign, exponent, fraction
//===----------------------------------------------------------------------===//

/// f32 to T, rounded once (RND-6).
template <typename T, Rounding R, bool Sat, int N> PTOM_INLINE Codes<N> encode(Floats<N> x) {
  using L = Layout<T>;
  constexpr int kCut = 23 - L::kFraction;
  Codes<N> bits = bitsOf<N>(x), size = bits & ~kSign32;
  Codes<N> code;
  if constexpr (kIsSame<T, f16> && R == Rounding::Even) {
    auto half = convert<_Float16>(bitcast<Floats<N>>(size));
    code = convert<Code>(bitcast<Vec<__UINT16_TYPE__, N>>(half));
  } else {
    Codes<N> aligned = size;
    if constexpr (L::kBias != 127) {
      // What is denormal in T moves down by its distance from the exponent of
      // denormals; bits that fall out are folded into the last one, which is
      // below every bit that matters. Denormals of f32 are all fallen out.
      constexpr Code kFirst = 128 - L::kBias;
      Codes<N> distance = __builtin_elementwise_min(kFirst - (size >> 23), Codes<N>(31));
      Codes<N> significand = (size & (kHidden32 - 1)) | (bitcast<Codes<N>>(size != 0) & kHidden32);
      Codes<N> kept = significand >> distance;
      Codes<N> small = kept | (bitcast<Codes<N>>((kept << distance) != significand) & 1);
      aligned = select(size < (kFirst << 23), small, size - ((kFirst - 1) << 23));
    }
    code = roundOff<R, kCut>(aligned, bitcast<Codes<N>>(bitcast<Ints<N>>(bits) < 0));
  }
  Codes<N> sign = (bits & kSign32) >> (32 - L::kWidth);
  if constexpr (Sat)
    return select(size > kInf32, Codes<N>(0), __builtin_elementwise_min(code, Codes<N>(L::kMax)) | sign);
  else if constexpr (L::kHasInfinity)
    return select(size > kInf32, Codes<N>(L::kNaN), __builtin_elementwise_min(code, Codes<N>(L::kBeyond)) | sign);
  else
    return select(code > L::kMax, Codes<N>(L::kNaN), code | sign); // a NaN exceeds kMax as well
}

/// T to f32, exact. Bits above T's width are zero.
template <typename T, int N> PTOM_INLINE Floats<N> decode(Codes<N> code) {
  using L = Layout<T>;
  constexpr int kCut = 23 - L::kFraction;
  constexpr Code kSign = Code(1) << (L::kWidth - 1);
  Codes<N> size = code & (kSign - 1), sign = (code & kSign) << (32 - L::kWidth);
  // 2 to the exponent of denormals' last bit.
  constexpr float kUnit = __builtin_bit_cast(float, (128 - L::kBias - L::kFraction) << 23);
  Codes<N> small = bitsOf<N>(convert<float>(bitcast<Ints<N>>(size)) * kUnit);
  Codes<N> normal = (size << kCut) + ((127 - L::kBias) << 23);
  Codes<N> result = select(size < (1 << L::kFraction), small, normal);
  if constexpr (kIsSame<T, e5m2>)
    result = select(size > L::kBeyond, kInf32 | (size << kCut) | (kHidden32 >> 1),
                    select(size == L::kBeyond, Codes<N>(kInf32), result));
  else if constexpr (kIsSame<T, e4m3>)
    result = select(size == L::kNaN, Codes<N>(f32::kNaN), result);
  return bitcast<Floats<N>>(result | sign);
}

/// What hosts do with signalling NaNs differs. Found by their bits: clang would
/// narrow a comparison of widened lanes to f16, which many hosts lack.
template <int N> PTOM_INLINE Floats<N> quiet(Floats<N> v) {
  Codes<N> bits = bitsOf<N>(v);
  return bitcast<Floats<N>>(select((bits & ~kSign32) > kInf32, bits | (kHidden32 >> 1), bits));
}

//===----------------------------------------------------------------------===//
// hif8
//===----------------------------------------------------------------------===//

// Significands have 3 fraction bits where the exponent is -3 to 3, 2 up to 7, 1
// up to 15 and none from -16 to -22. With `fraction` bits and an exponent of
// size 2 or more, the code is 4 - fraction in two bits, the sign of the
// exponent, and the last 4 bits of size followed by fraction.

/// Ties away from zero, which is also how mode H is executed.
template <bool Sat, int N> PTOM_INLINE Codes<N> encodeHif8(Floats<N> x) {
  Codes<N> bits = bitsOf<N>(x), size = bits & ~kSign32;

  // Half of the last bit kept is added where that bit is, and the rest cut off.
  // A carry into the exponent leaves a fraction of zero, whatever its width.
  auto sizeOf = [](Codes<N> magnitude) { return __builtin_elementwise_abs(bitcast<Ints<N>>(magnitude >> 23) - 127); };
  Ints<N> before = sizeOf(size);
  Ints<N> dropped = 20 - (before > 3) - (before > 7) - (before > 15);
  Codes<N> half = bitcast<Codes<N>>((Ints<N>(1) << dropped) >> 1);
  Codes<N> rounded = (size + half) & ~((half << 1) - 1);

  Ints<N> exponent = bitcast<Ints<N>>(rounded >> 23) - 127, after = sizeOf(rounded);
  Codes<N> below = bitcast<Codes<N>>(exponent < 0) & 1; // one if the exponent is negative
  Ints<N> width = 3 + (after > 3) + (after > 7);        // masks are -1
  Codes<N> fraction = (rounded & (kHidden32 - 1)) >> bitcast<Codes<N>>(23 - width);
  Codes<N> large = bitcast<Codes<N>>((4 - width) << 5) | (below << 4) |
                   (((bitcast<Codes<N>>(after) << bitcast<Codes<N>>(width)) | fraction) & 15);
  Codes<N> one = 0x10 | (below << 3) | fraction;
  Codes<N> zero = 0x08 | fraction;
  Codes<N> tiny = bitcast<Codes<N>>(__builtin_elementwise_max(exponent + 23, Ints<N>(1)));
  Codes<N> code = select(exponent < -15, tiny, select(after == 0, zero, select(after == 1, one, large)));

  code = select(rounded >= 0x47400000, Codes<N>(Sat ? 0x6E : 0x6F), code); // 1.5 * 2^15
  code |= (bits >> 24) & 0x80;
  // There is no -0: its code is the NaN.
  code = select(size < 0x34000000, Codes<N>(0), code); // 2^-23
  return select(size > kInf32, Codes<N>(Sat ? 0 : 0x80), code);
}

template <int N> PTOM_INLINE Floats<N> decodeHif8(Codes<N> code) {
  Codes<N> size = code & 0x7F;
  auto scale = [](Codes<N> distance, Codes<N> negative) { // 2^+-distance without fraction
    return (127 + ((distance ^ (0 - negative)) + negative)) << 23;
  };
  Codes<N> kind = size >> 5, width = 4 - kind; // kind 1 to 3
  Codes<N> distance = (Codes<N>(1) << kind) | ((size & 15) >> width);
  Codes<N> fraction = (size & ((Codes<N>(1) << width) - 1)) << (23 - width);
  Codes<N> large = scale(distance, (size >> 4) & 1) | fraction;
  Codes<N> eighths = (size & 7) << 20;
  Codes<N> one = scale(Codes<N>(1), (size >> 3) & 1) | eighths;
  Codes<N> zero = (127 << 23) | eighths;
  Codes<N> tiny = select(size == 0, Codes<N>(0), (size + (127 - 23)) << 23);
  Codes<N> result = select(size >= 0x20, large, select(size >= 0x10, one, select(size >= 8, zero, tiny)));
  result = select(size == 0x6F, Codes<N>(kInf32), result) | ((code & 0x80) << 24);
  return bitcast<Floats<N>>(select(code == 0x80, Codes<N>(f32::kNaN), result));
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_SMALLFLOATS_H
