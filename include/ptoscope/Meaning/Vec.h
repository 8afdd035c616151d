//===- Vec.h - lane groups and their element types --------------*- C++ -*-===//
//
// A lane group is 64 bytes of a vector register as a clang vector value: the
// unit in which the meaning of a lane-wise instruction is written. The same
// source is compiled to LLVM bitcode for the code generator and natively for
// tests and the tile API, so this header includes nothing and uses only
// clang's vector extensions: no target intrinsics, no library.
//
// Elements are named by tags (i8 ... u64, f16, bf16, f32), not by C++ types:
// signless integers are signed (SIGN-1), and bf16 lanes are carried as
// unsigned 16-bit integers because C++ arithmetic on them would round twice or
// call library functions.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_VEC_H
#define PTOSCOPE_MEANING_VEC_H

#ifndef __clang__
#error "lane groups need clang's vector extensions"
#endif

/// Every function on groups is inlined: a 64-byte vector has no calling
/// convention that all hosts share.
#define PTOM_INLINE [[gnu::always_inline]] inline constexpr

namespace ptoscope::meaning {

template <typename E, int N> using Vec = E __attribute__((ext_vector_type(N)));

inline constexpr int kGroupBytes = 64;

//===----------------------------------------------------------------------===//
// Element tags
//===----------------------------------------------------------------------===//

// Elem: what a lane holds in C++. Bits: unsigned integer of the same width.
// Mask: signed integer of the same width; lane masks are 0 or -1 in it.

struct IntegerTag {
  static constexpr bool kIsFloat = false;
};

/// Constants are of type Bits: kSign the sign bit, kInf plus infinity, kNaN the
/// NaN that arithmetic leaves behind (FP-3).
struct FloatTag {
  static constexpr bool kIsFloat = true;
};

struct i8 : IntegerTag {
  using Elem = __INT8_TYPE__;
  using Bits = __UINT8_TYPE__;
  using Mask = __INT8_TYPE__;
};
struct u8 : i8 {
  using Elem = __UINT8_TYPE__;
};
struct i16 : IntegerTag {
  using Elem = __INT16_TYPE__;
  using Bits = __UINT16_TYPE__;
  using Mask = __INT16_TYPE__;
};
struct u16 : i16 {
  using Elem = __UINT16_TYPE__;
};
struct i32 : IntegerTag {
  using Elem = __INT32_TYPE__;
  using Bits = __UINT32_TYPE__;
  using Mask = __INT32_TYPE__;
};
struct u32 : i32 {
  using Elem = __UINT32_TYPE__;
};
struct i64 : IntegerTag {
  using Elem = __INT64_TYPE__;
  using Bits = __UINT64_TYPE__;
  using Mask = __INT64_TYPE__;
};
struct u64 : i64 {
  using Elem = __UINT64_TYPE__;
};
struct f16 : FloatTag {
  using Elem = _Float16;
  using Bits = __UINT16_TYPE__;
  using Mask = __INT16_TYPE__;
  static constexpr Bits kSign = 0x8000, kInf = 0x7C00, kNaN = 0x7E00;
};
struct bf16 : FloatTag {
  using Elem = __UINT16_TYPE__;
  using Bits = __UINT16_TYPE__;
  using Mask = __INT16_TYPE__;
  static constexpr Bits kSign = 0x8000, kInf = 0x7F80, kNaN = 0x7FC0;
};
struct f32 : FloatTag {
  using Elem = float;
  using Bits = __UINT32_TYPE__;
  using Mask = __INT32_TYPE__;
  static constexpr Bits kSign = 0x80000000, kInf = 0x7F800000, kNaN = 0x7FC00000;
};

/// Lanes as raw bits, whatever they hold.
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;

template <typename T> inline constexpr bool kIsFloat = T::kIsFloat;
/// For integers only.
template <typename T> inline constexpr bool kIsSigned = typename T::Elem(-1) < typename T::Elem(0);
template <typename A, typename B> inline constexpr bool kIsSame = false;
template <typename A> inline constexpr bool kIsSame<A, A> = true;

/// Number of lanes in a group.
template <typename T> inline constexpr int kLanes = kGroupBytes / int(sizeof(typename T::Elem));

template <typename T> using Group = Vec<typename T::Elem, kLanes<T>>;
template <typename T> using BitsGroup = Vec<typename T::Bits, kLanes<T>>;
template <typename T> using MaskGroup = Vec<typename T::Mask, kLanes<T>>;

//===----------------------------------------------------------------------===//
// Helpers on any vector
//===----------------------------------------------------------------------===//

/// Element type and number of lanes of a vector type.
template <typename V> struct Shape;
template <typename E, int N> struct Shape<Vec<E, N>> {
  using Elem = E;
  static constexpr int kCount = N;
  /// The GNU twin of the type: `?:` on it is a select instruction, where on
  /// clang's own vectors it is a mixture of bit operations.
  using Gnu = E __attribute__((vector_size(N * sizeof(E))));
};
template <typename V> inline constexpr int kCount = Shape<V>::kCount;

/// The same bits as another vector type of the same size.
template <typename To, typename From> PTOM_INLINE To bitcast(From v) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, v);
}

/// Lane by lane conversion of values to element type E, as a C++ cast would.
template <typename E, typename From> PTOM_INLINE Vec<E, kCount<From>> convert(From v) {
  return __builtin_convertvector(v, Vec<E, kCount<From>>);
}

template <typename T, T... I> struct Sequence {};

template <auto At, typename V, int... I>
PTOM_INLINE Vec<typename Shape<V>::Elem, sizeof...(I)> shuffleBy(V a, V b, Sequence<int, I...>) {
  return __builtin_shufflevector(a, b, At(I)...);
}

/// r[i] = (a followed by b)[At(i)] for i < N, a fixed shuffle. At is a captureless
/// lambda.
template <int N, auto At, typename V> PTOM_INLINE auto shuffle(V a, V b) {
  return shuffleBy<At>(a, b, __make_integer_seq<Sequence, int, N>());
}

/// {F(0), F(1), ...}
template <auto F, typename V, int... I> PTOM_INLINE V laneConstantsBy(Sequence<int, I...>) {
  return V{typename Shape<V>::Elem(F(I))...};
}
template <typename V, auto F> PTOM_INLINE V laneConstants() {
  return laneConstantsBy<F, V>(__make_integer_seq<Sequence, int, kCount<V>>());
}

/// mask is 0 or -1 in each lane: r[i] = mask[i] ? a[i] : b[i], a copy of bits.
template <typename M, typename V> PTOM_INLINE V select(M mask, V a, V b) {
  using Gnu = typename Shape<V>::Gnu;
  return bitcast<V>(bitcast<typename Shape<M>::Gnu>(mask) ? bitcast<Gnu>(a) : bitcast<Gnu>(b));
}

template <typename T> PTOM_INLINE Group<T> splat(typename T::Elem value) { return Group<T>(value); }

template <typename T> PTOM_INLINE BitsGroup<T> toBits(Group<T> v) { return bitcast<BitsGroup<T>>(v); }
template <typename T> PTOM_INLINE Group<T> fromBits(BitsGroup<T> v) { return bitcast<Group<T>>(v); }

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// Whether the host compares f16 lanes. Bitcode serves hosts that do not: the build says where it is known.
#ifdef PTOM_HALF_ARITHMETIC
inline constexpr bool kComparesHalf = true;
#else
inline constexpr bool kComparesHalf = false;
#endif
template <typename T> inline constexpr bool kCompares = kIsSame<T, f32> || (kComparesHalf && kIsSame<T, f16>);

/// The 32 lanes of a 16-bit group as f32: 128 bytes.
using WideGroup = Vec<float, 32>;

/// Lanes that hold a NaN. On bits for the 16-bit formats: hosts without f16
/// arithmetic would widen to compare.
template <typename T> PTOM_INLINE MaskGroup<T> isNaN(Group<T> v) {
  static_assert(kIsFloat<T>);
  if constexpr (kCompares<T>)
    return v != v;
  else
    return bitcast<MaskGroup<T>>((toBits<T>(v) & BitsGroup<T>(typename T::Bits(~T::kSign))) > BitsGroup<T>(T::kInf));
}

/// Replaces every NaN by the canonical one.
template <typename T> PTOM_INLINE Group<T> canon(Group<T> v) {
  return fromBits<T>(select(isNaN<T>(v), BitsGroup<T>(T::kNaN), toBits<T>(v)));
}

/// Where NaNs of either sign stand in the order of a float format.
enum class NaNs { Lowest, Highest };

/// Maps floats to unsigned integers of the same order, -0 below +0, with all
/// NaNs at one end; for the 16-bit formats, whose comparison many hosts lack.
/// Flipping the magnitude of negative values makes sign and magnitude an order
/// of signed integers: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN. Counted
/// from -inf, or from just above +inf, modulo 2^16 it has the NaNs together.
template <typename T, NaNs Where>
inline constexpr typename T::Bits kFirstInOrder = Where == NaNs::Highest ? ~T::kInf : T::kInf + 1;

template <typename T> PTOM_INLINE BitsGroup<T> flipNegative(BitsGroup<T> bits) {
  MaskGroup<T> negative = bitcast<MaskGroup<T>>(bits) < 0;
  return bits ^ (bitcast<BitsGroup<T>>(negative) & typename T::Bits(~T::kSign));
}

template <typename T, NaNs Where> PTOM_INLINE BitsGroup<T> toOrder(Group<T> v) {
  return flipNegative<T>(toBits<T>(v)) - kFirstInOrder<T, Where>;
}

template <typename T, NaNs Where> PTOM_INLINE Group<T> fromOrder(BitsGroup<T> order) {
  return fromBits<T>(flipNegative<T>(order + kFirstInOrder<T, Where>));
}

/// bf16 to f32, exact.
PTOM_INLINE WideGroup widen(Group<bf16> v) { return bitcast<WideGroup>(convert<__UINT32_TYPE__>(v) << 16); }

/// f32 to bf16, to nearest, ties to even; overflow gives infinity and every NaN
/// the canonical one. Integer code: the addition carries into the exponent
/// exactly when rounding does.
PTOM_INLINE Group<bf16> narrow(WideGroup v) {
  using Bits = Vec<__UINT32_TYPE__, 32>;
  Bits bits = bitcast<Bits>(v);
  Bits rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return convert<__UINT16_TYPE__>(select(v != v, Bits(bf16::kNaN), rounded));
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_VEC_H
