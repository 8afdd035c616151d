//===- Convert.h - meanings of conversions ----------------------*- C++ -*-===//
//
// vcvt, vtrc, vaddreluconv and vmulconv (docs/isa/21-convert.md, CONV-2 and
// CONV-3) on lane groups. Source and result are 64 bytes each; where widths differ,
// `part` chooses the lanes of the narrower side, and narrowing leaves zeros in
// the other lanes.
//
// Every conversion takes zero bits to zero bits. Masks therefore act on the
// source: with its inactive lanes zero, CVT-9 to CVT-12 follow for all placements,
// the two halves of an f4 byte among them.
//
//   PTOM_CONVERSION(src, dst, rnd, sat, part)   vcvt, all legal combinations
//   PTOM_VALUES(src, dst, rnd, sat)             what all parts have in common
//   PTOM_TRUNCATION(type, rnd)                  vtrc<type, rounding>(a)
//   PTOM_FUSED_CONVERSION(op, src, dst)         op<src, dst>(a, b)
//
// vcvt and the fused ones leave NaNs in final form; vtrc passes them as they come.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_CONVERT_H
#define PTOSCOPE_MEANING_CONVERT_H

#include "ptoscope/Meaning/Conversions.h"
#include "ptoscope/Meaning/Lanes.h"
#include "ptoscope/Meaning/SmallFloats.h"

#ifndef PTOM_CONVERSION
#define PTOM_CONVERSION(src, dst, rnd, sat, part)
#endif
#ifndef PTOM_VALUES
#define PTOM_VALUES(src, dst, rnd, sat)
#endif
#ifndef PTOM_TRUNCATION
#define PTOM_TRUNCATION(type, rnd)
#endif
#ifndef PTOM_FUSED_CONVERSION
#define PTOM_FUSED_CONVERSION(op, src, dst)
#endif

namespace ptoscope::meaning {

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Pairs without `sat` clamp where there is anything to clamp (CVAL-3, CVAL-10).
constexpr bool saturates(const char *sat) { return sat[0] != 'N'; }

/// EVEN, ODD, P0 to P3, or empty.
constexpr int partOf(const char *part) { return part[0] == 'O' ? 1 : part[0] == 'P' ? part[1] - '0' : 0; }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

template <typename T> inline constexpr int kBits = int(sizeof(typename T::Elem)) * 8;
template <typename T>
inline constexpr typename T::Elem kLargest = typename T::Elem(typename T::Bits(-1) >> kIsSigned<T>);
template <typename T>
inline constexpr typename T::Elem kSmallest = kIsSigned<T> ? typename T::Elem(-kLargest<T> - 1) : 0;

/// Saturating: clamped to D's range. Otherwise extended by S's sign, or cut.
template <typename S, typename D, bool Sat, int N>
PTOM_INLINE Vec<typename D::Elem, N> intToInt(Vec<typename S::Elem, N> v) {
  using V = Vec<typename S::Elem, N>;
  using Elem = typename S::Elem;
  if constexpr (Sat && kIsSigned<S> && !kIsSigned<D>)
    v = __builtin_elementwise_max(v, V(0));
  if constexpr (Sat && kIsSigned<S> && kIsSigned<D> && kBits<D> < kBits<S>)
    v = __builtin_elementwise_max(v, V(Elem(kSmallest<D>)));
  if constexpr (Sat && kBits<D> < kBits<S>)
    v = __builtin_elementwise_min(v, V(Elem(kLargest<D>)));
  return convert<typename D::Elem>(v);
}

/// NaN gives 0; otherwise clamped to 32 bits.
template <Rounding R, int N> PTOM_INLINE Ints<N> toInt32(Floats<N> x) {
  using V = Floats<N>;
  V whole = integral<R>(x);
  whole = select(whole == whole, whole, V(0));
  V inside = select(whole < -0x1p31f, V(-0x1p31f), whole);
  inside = select(inside >= 0x1p31f, V(0), inside);
  return select(whole >= 0x1p31f, Ints<N>(kLargest<i32>), convert<__INT32_TYPE__>(inside));
}

/// NaN gives 0; otherwise clamped to 64 bits. From 2^31 on, where there are no
/// fractions, the significand is moved to its place: few hosts convert vectors.
template <Rounding R, int N> PTOM_INLINE Vec<__INT64_TYPE__, N> toInt64(Floats<N> x) {
  using Wide = Vec<__UINT64_TYPE__, N>;
  using Result = Vec<__INT64_TYPE__, N>;
  Codes<N> bits = bitsOf<N>(x), size = bits & ~kSign32;
  Wide significand = convert<__UINT64_TYPE__>((size & (kHidden32 - 1)) | kHidden32);
  Wide magnitude = significand << convert<__UINT64_TYPE__>(((size >> 23) - 150) & 63);
  Result negative = convert<__INT64_TYPE__>(bitcast<Ints<N>>(bits) < 0);
  // ~x + 1 is -x
  Result large = bitcast<Result>((magnitude ^ bitcast<Wide>(negative)) - bitcast<Wide>(negative));
  large = select(convert<__INT64_TYPE__>(size >= 0x5F000000), negative ^ kLargest<i64>, large); // 2^63
  large = select(convert<__INT64_TYPE__>(size > kInf32), Result(0), large);
  Result small = convert<__INT64_TYPE__>(toInt32<R>(x));
  return select(convert<__INT64_TYPE__>(size >= 0x4F000000), large, small); // 2^31
}

/// Double to f32 of the same sign; for values in the range of f32's normals, and
/// zero.
template <Rounding R, int N> PTOM_INLINE Floats<N> roundToFloat(Vec<double, N> v) {
  if constexpr (R == Rounding::Even) {
    return convert<float>(v);
  } else {
    using Bits = Vec<__UINT64_TYPE__, N>;
    constexpr int kCut = 52 - 23;
    Bits bits = bitcast<Bits>(v), sign = bits & (Bits(1) << 63);
    Bits negative = bitcast<Bits>(bitcast<Vec<__INT64_TYPE__, N>>(bits) < 0);
    Bits rounded = roundOff<R, kCut>(bits ^ sign, negative) << kCut;
    return convert<float>(bitcast<Vec<double, N>>(rounded | sign));
  }
}

/// 64 bits to double by parts, which every host can do on vectors. Beyond 2^53
/// bits are folded into the last one that a double keeps (rounding to odd),
/// which a rounding to f32 does not notice.
template <int N> PTOM_INLINE Vec<double, N> int64ToDouble(Vec<__INT64_TYPE__, N> v) {
  using Bits = Vec<__UINT64_TYPE__, N>;
  using Doubles = Vec<double, N>;
  constexpr __UINT64_TYPE__ kLost = 0x7FF;
  Bits sign = bitcast<Bits>(v) & (Bits(1) << 63);
  Bits negative = bitcast<Bits>(v < 0);
  Bits size = (bitcast<Bits>(v) ^ negative) - negative;
  Bits folded = (size | ((size & kLost) + kLost)) & ~kLost;
  size = select(size < (Bits(1) << 53), size, folded);
  // 2^84 and 2^52 give the upper and lower half their place in the significand.
  Doubles upper = bitcast<Doubles>((size >> 32) | 0x4530000000000000);
  Doubles lower = bitcast<Doubles>((size & 0xFFFFFFFF) | 0x4330000000000000);
  return bitcast<Doubles>(bitcast<Bits>((upper - 0x1.00000001p84) + lower) | sign);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Float lanes as f32, exact.
template <typename S, int N> PTOM_INLINE Floats<N> toFloat(Vec<typename S::Elem, N> v) {
  if constexpr (kIsSame<S, f32>)
    return v;
  else if constexpr (kIsSame<S, f16>)
    return convert<float>(v);
  else if constexpr (kIsSame<S, bf16>)
    return bitcast<Floats<N>>(convert<Code>(v) << 16);
  else if constexpr (kIsSame<S, hif8>)
    return decodeHif8<N>(convert<Code>(v));
  else
    return decode<S, N>(convert<Code>(v));
}

/// f32 to f16, to nearest even: what hosts have an instruction for. NaNs are left as the host has them.
template <bool Sat, int N> PTOM_INLINE Vec<_Float16, N> toHalf(Floats<N> v) {
  if constexpr (Sat) {
    v = select(v > 65504.0f, Floats<N>(65504.0f), v);
    v = select(v < -65504.0f, Floats<N>(-65504.0f), v);
  }
  return convert<_Float16>(v);
}

/// What a conversion to a smaller float makes of a NaN.
template <typename D, bool Sat> inline constexpr typename D::Bits kNarrowNaN = Sat ? 0 : D::kNaN;

/// f32 to float lanes of another type.
template <typename D, Rounding R, bool Sat, int N> PTOM_INLINE Vec<typename D::Elem, N> fromFloat(Floats<N> v) {
  if constexpr (kIsSame<D, f16> && R == Rounding::Even) {
    using Bits = Vec<f16::Bits, N>;
    auto isNumber = convert<f16::Mask>(v == v);
    Bits bits = bitcast<Bits>(toHalf<Sat, N>(v));
    return bitcast<Vec<_Float16, N>>(select(isNumber, bits, Bits(kNarrowNaN<f16, Sat>)));
  }
  Codes<N> code;
  if constexpr (kIsSame<D, hif8>)
    code = encodeHif8<Sat, N>(v);
  else
    code = encode<D, R, Sat, N>(v);
  return bitcast<Vec<typename D::Elem, N>>(convert<typename D::Bits>(code));
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

template <typename T> inline constexpr bool kIsPair = kIsSame<T, e1m2x2> || kIsSame<T, e2m1x2>;

/// A slot is where one lane of the wider type stands, or four bytes where two
/// 4-bit floats become two bf16. Each holds one lane, or pair, of either side.
template <typename S, typename D>
inline constexpr int kSlots = kIsPair<S> || kIsPair<D> ? 16
                              : kLanes<S> < kLanes<D>  ? kLanes<S>
                                                       : kLanes<D>;
template <int Bytes> struct SlotOf;
template <> struct SlotOf<2> : u16 {};
template <> struct SlotOf<4> : u32 {};
template <> struct SlotOf<8> : u64 {};
template <typename S, typename D> using Slots = Group<SlotOf<kGroupBytes / kSlots<S, D>>>;

/// The lanes that are converted, and what they become.
template <typename S, typename D> using Sources = Vec<typename S::Elem, kIsPair<D> ? kLanes<S> : kSlots<S, D>>;
template <typename S, typename D> using Results = Vec<typename D::Elem, kIsPair<S> ? kLanes<D> : kSlots<S, D>>;

/// Takes lane Part of each slot.
template <typename S, typename D, int Part> PTOM_INLINE Sources<S, D> take(Group<S> a) {
  if constexpr (sizeof(Sources<S, D>) == sizeof(a))
    return a;
  else
    return bitcast<Sources<S, D>>(convert<typename S::Bits>(bitcast<Slots<S, D>>(a) >> (kBits<S> * Part)));
}

/// Puts results into lane Part of each slot.
template <typename S, typename D, int Part> PTOM_INLINE Group<D> place(Results<S, D> r) {
  if constexpr (sizeof(r) == sizeof(Group<D>)) {
    return r;
  } else {
    using Bits = Vec<typename D::Bits, kSlots<S, D>>;
    auto slots = convert<typename Shape<Slots<S, D>>::Elem>(bitcast<Bits>(r));
    return bitcast<Group<D>>(slots << (kBits<D> * Part));
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Lane by lane. Where two 4-bit floats share a byte, the first of two bf16 is
/// the lower half of 32 bits and the lower half of the byte.
template <typename S, typename D, Rounding R, bool Sat> PTOM_INLINE Results<S, D> convertLanes(Sources<S, D> v) {
  constexpr int N = kSlots<S, D>;
  if constexpr (kIsPair<D>) {
    Codes<N> low = encode<D, R, true, N>(bitcast<Floats<N>>(bitcast<Codes<N>>(v) << 16));
    Codes<N> high = encode<D, R, true, N>(bitcast<Floats<N>>(bitcast<Codes<N>>(v) & 0xFFFF0000));
    return convert<typename D::Elem>(low | (high << 4));
  } else if constexpr (kIsPair<S>) {
    Codes<N> low = convert<Code>(v & 15), high = convert<Code>(v >> 4);
    return bitcast<Results<S, D>>((bitsOf<N>(decode<S, N>(low)) >> 16) | bitsOf<N>(decode<S, N>(high)));
  } else if constexpr (kIsFloat<S> && kIsSame<D, f32>) {
    return quiet<N>(toFloat<S, N>(v));
  } else if constexpr (kIsFloat<S> && kIsFloat<D>) {
    // H truncates, except to hif8 (RND-5).
    constexpr Rounding kRounding = R == Rounding::Hybrid && !kIsSame<D, hif8> ? Rounding::Zero : R;
    return fromFloat<D, kRounding, Sat, N>(toFloat<S, N>(v));
  } else if constexpr (kIsFloat<S> && kBits<D> == 64) {
    return toInt64<R, N>(toFloat<S, N>(v));
  } else if constexpr (kIsFloat<S>) {
    return intToInt<i32, D, Sat, N>(toInt32<R, N>(toFloat<S, N>(v)));
  } else if constexpr (!kIsFloat<D>) {
    return intToInt<S, D, Sat, N>(v);
  } else if constexpr (kBits<S> == 64) {
    return roundToFloat<R, N>(int64ToDouble<N>(v));
  } else if constexpr (kBits<S> == 32) {
    return roundToFloat<R, N>(convert<double>(v));
  } else if constexpr (kIsSame<D, f32>) {
    return convert<float>(v);
  } else if constexpr (R == Rounding::None || R == Rounding::Even) {
    return convert<_Float16>(convert<float>(v)); // 16 bits are in range, 8 bits fit
  } else {
    return fromFloat<D, R, Sat, N>(convert<float>(v));
  }
}

template <typename S, typename D, Rounding R, bool Sat, int Part> PTOM_INLINE Group<D> vcvt(Group<S> a) {
  return place<S, D, Part>(convertLanes<S, D, R, Sat>(take<S, D, Part>(a)));
}
PTOM_EACH_CONVERSION

template <typename T, Rounding R> PTOM_INLINE Group<T> vtrc(Group<T> a) {
  constexpr int N = kLanes<T>;
  Floats<N> whole = integral<R, N>(toFloat<T, N>(a));
  if constexpr (kIsSame<T, f32>)
    return whole;
  else if constexpr (kIsSame<T, bf16>)
    return convert<__UINT16_TYPE__>(bitsOf<N>(whole) >> 16);
  else // what exceeds 1024 has no fraction, and NaNs stay what they are
    return select((toBits<T>(a) & 0x7FFF) < 0x6400, convert<_Float16>(whole), a);
}
#define PTOM_TRUNCATIONS(type)                                                                                         \
  PTOM_TRUNCATION(type, R)                                                                                             \
  PTOM_TRUNCATION(type, A)                                                                                             \
  PTOM_TRUNCATION(type, F)                                                                                             \
  PTOM_TRUNCATION(type, C)                                                                                             \
  PTOM_TRUNCATION(type, Z)                                                                                             \
  PTOM_TRUNCATION(type, O)
PTOM_TRUNCATIONS(f16)
PTOM_TRUNCATIONS(bf16)
PTOM_TRUNCATIONS(f32)
#undef PTOM_TRUNCATIONS

/// The sum is rounded to S, or wraps, before anything else. Results stand in
/// even lanes; f16 to f32 takes even lanes, and would pass on the NaN of the host.
template <typename S, typename D> PTOM_INLINE Group<D> vaddreluconv(Group<S> a, Group<S> b) {
  Group<S> sum = vrelu<S>(vadd<S>(a, b));
  if constexpr (kIsSame<D, f32>)
    sum = canon<S>(sum);
  return vcvt<S, D, Rounding::Even, true, 0>(sum);
}
PTOM_FUSED_CONVERSION(vaddreluconv, f32, f16)
PTOM_FUSED_CONVERSION(vaddreluconv, f16, i8)
PTOM_FUSED_CONVERSION(vaddreluconv, i16, i8)
PTOM_FUSED_CONVERSION(vaddreluconv, f16, f32)

template <typename S, typename D> PTOM_INLINE Group<D> vmulconv(Group<S> a, Group<S> b) {
  return vcvt<S, D, Rounding::Even, true, 0>(vmul<S>(a, b));
}
PTOM_FUSED_CONVERSION(vmulconv, f16, i8)

struct f32_f16_EVEN {
  static constexpr int kPart = 0;
};
struct f32_f16_ODD {
  static constexpr int kPart = 1;
};

/// The product is rounded to f32 first (MULSCVT-4); what is too large becomes infinity.
template <typename V> PTOM_INLINE Group<f16> vmulscvt(Group<f32> a, f32::Elem scalar) {
  return vcvt<f32, f16, Rounding::Away, false, V::kPart>(a * splat<f32>(scalar));
}
PTOM_BINARY(vmulscvt, f32_f16_EVEN, f32_f16_ODD)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_CONVERT_H
