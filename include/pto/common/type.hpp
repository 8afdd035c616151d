//===- type.hpp - scalar types and the words of the language ----*- C++ -*-===//
//
// Qualifiers of device programs, which mean nothing on a host, function macros,
// and element types that C++ lacks (CPP-3 to CPP-7).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_TYPE_HPP
#define PTO_COMMON_TYPE_HPP

#include "pto/detail/abi.hpp"

#include <bit>
#include <type_traits>

// --- target --------------------------------------------------------------------------
#if !defined(PTO_NPU_ARCH_A2A3) && !defined(PTO_NPU_ARCH_A5)
#if defined(__NPU_ARCH__) && __NPU_ARCH__ == 2201
#define PTO_NPU_ARCH_A2A3
#else
#define PTO_NPU_ARCH_A5
#endif
#endif
// A host runs what is meant for either kind of core.
#if !defined(__DAV_CUBE__) && !defined(__DAV_VEC__)
#define __DAV_CUBE__
#define __DAV_VEC__
#endif

// --- qualifiers ------------------------------------------------------------------------
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __tf__
#define __in__
#define __out__
#define __aicore__
#ifndef AICORE
#define AICORE
#endif
#define __cce_get_tile_ptr(x) x
#define set_mask_norm(...) ((void)0)
#define set_vector_mask(...) ((void)0)

// --- functions -------------------------------------------------------------------------
#define PTO_INST [[gnu::always_inline, gnu::visibility("default")]] inline
#define PTO_INTERNAL [[gnu::always_inline]] inline
#define PTO_INLINE inline
#define PTO_STATIC_ASSERT_TEXT(cond, text, ...) static_assert(cond, text)
#define PTO_STATIC_ASSERT(cond, ...) PTO_STATIC_ASSERT_TEXT((cond)__VA_OPT__(, ) __VA_ARGS__, #cond)
#define PTO_CPU_ASSERT(cond, ...)                                                                                      \
  ((cond) ? (void)0 : ::ptoscope::tile::failAssert(#cond, "" __VA_ARGS__, __FILE__, __LINE__))
#ifdef _DEBUG
#define PTO_ASSERT(cond, ...) PTO_CPU_ASSERT(cond __VA_OPT__(, ) __VA_ARGS__)
#else
#define PTO_ASSERT(cond, ...) ((void)0)
#endif

namespace ptoscope::tile {
/// Prints and aborts.
[[noreturn]] PTO_API void failAssert(const char *condition, const char *message, const char *file, int line);
/// Between a small float format and f32: to nearest even, saturating as TCVT does.
PTO_API uint8_t narrowFloat(Elem elem, float value);
PTO_API float widenFloat(Elem elem, uint8_t bits);

/// IEEE half as bits, for compilers without `_Float16`. To nearest even.
constexpr uint16_t halfBits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x47800000) // 65536: beyond the last that rounds down
    return uint16_t(sign | 0x7c00);
  uint32_t shift = 13, mantissa = magnitude, base = 0;
  if (magnitude < 0x38800000) { // below 2^-14: fixed point in steps of 2^-24
    const uint32_t exponent = magnitude >> 23;
    if (exponent < 102)
      return uint16_t(sign);
    mantissa = (magnitude & 0x7fffff) | 0x800000;
    shift = 126 - exponent;
  } else {
    base = uint32_t(112) << 10;
  }
  const uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
  return uint16_t(sign | (kept - base + (rest > half || (rest == half && (kept & 1)))));
}
constexpr float halfValue(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 0) {
    const float value = float(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | mantissa << 13);
}
/// To nearest even; NaNs stay NaNs.
constexpr uint16_t bfloatBits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
constexpr float bfloatValue(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

/// A float of 16 bits that is computed with as f32.
template <uint16_t (*Narrow)(float), float (*Widen)(uint16_t)> struct SmallFloat {
  uint16_t bits;

  SmallFloat() = default;
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr SmallFloat(T value) : bits(Narrow(float(value))) {}
  static constexpr SmallFloat fromBits(uint16_t bits) {
    SmallFloat result(0);
    result.bits = bits;
    return result;
  }
  constexpr operator float() const { return Widen(bits); }
  constexpr SmallFloat &operator+=(float other) { return *this = SmallFloat(float(*this) + other); }
  constexpr SmallFloat &operator-=(float other) { return *this = SmallFloat(float(*this) - other); }
  constexpr SmallFloat &operator*=(float other) { return *this = SmallFloat(float(*this) * other); }
  constexpr SmallFloat &operator/=(float other) { return *this = SmallFloat(float(*this) / other); }
};

/// A byte in one of the small formats.
template <Elem Format> struct ByteFloat {
  uint8_t bits;

  ByteFloat() = default;
  explicit ByteFloat(float value) : bits(narrowFloat(Format, value)) {}
  operator float() const { return widenFloat(Format, bits); }
};
/// A byte that holds two elements, the even one in its low half.
template <Elem Format> struct TwinByte {
  uint8_t bits;
};
} // namespace ptoscope::tile

// PTO_OWN_HALF: also where the compiler has one.
#if (defined(__clang__) || __GNUC__ >= 13) && !defined(PTO_OWN_HALF)
using half = _Float16;
#else
using half = ptoscope::tile::SmallFloat<ptoscope::tile::halfBits, ptoscope::tile::halfValue>;
#endif
using bfloat16_t = ptoscope::tile::SmallFloat<ptoscope::tile::bfloatBits, ptoscope::tile::bfloatValue>;
using float16_t = half;
using float32_t = float;
using aclFloat16 = half;
/// bf16 is a type of its own here.
#ifndef CPU_SIM_BFLOAT_ENABLED
#define CPU_SIM_BFLOAT_ENABLED
#endif

namespace pto {
using float8_e4m3_t = ptoscope::tile::ByteFloat<ptoscope::tile::Elem::e4m3>;
using float8_e5m2_t = ptoscope::tile::ByteFloat<ptoscope::tile::Elem::e5m2>;
using float8_e8m0_t = ptoscope::tile::ByteFloat<ptoscope::tile::Elem::e8m0>;
using hifloat8_t = ptoscope::tile::ByteFloat<ptoscope::tile::Elem::hif8>;
using int4b_t = ptoscope::tile::TwinByte<ptoscope::tile::Elem::i4x2>;
using float4_e2m1x2_t = ptoscope::tile::TwinByte<ptoscope::tile::Elem::e2m1x2>;
using float4_e1m2x2_t = ptoscope::tile::TwinByte<ptoscope::tile::Elem::e1m2x2>;
} // namespace pto

namespace ptoscope::tile {
/// The element type of a C++ type; no member for types that are none.
template <typename T> struct ElemOf {};
template <Elem E> struct ElemIs {
  static constexpr Elem value = E;
};
template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct ElemOf<T> {
  static constexpr Elem value = Elem(2 * (std::bit_width(sizeof(T)) - 1) + std::is_unsigned_v<T>);
};
template <> struct ElemOf<half> : ElemIs<Elem::f16> {};
template <> struct ElemOf<bfloat16_t> : ElemIs<Elem::bf16> {};
template <> struct ElemOf<float> : ElemIs<Elem::f32> {};
template <Elem E> struct ElemOf<ByteFloat<E>> : ElemIs<E> {};
template <Elem E> struct ElemOf<TwinByte<E>> : ElemIs<E> {};
template <typename T>
concept IsElement = requires { ElemOf<std::remove_cv_t<T>>::value; };
template <typename T> inline constexpr Elem elemOf = ElemOf<std::remove_cv_t<T>>::value;
} // namespace ptoscope::tile

#endif // PTO_COMMON_TYPE_HPP
