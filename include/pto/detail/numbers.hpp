//===- numbers.hpp - number types that C++ lacks ----------------*- C++ -*-===//
//
// CPP-6, CPP-7, SURF-11 to SURF-20. In the host profile a small float cuts what it
// is made from, as host simulators do; elsewhere it rounds. The two are different
// types, so that objects of both kinds can be linked together.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_NUMBERS_HPP
#define PTO_DETAIL_NUMBERS_HPP

#include "pto/detail/small_floats.hpp"

#include <bit>
#include <concepts>
#include <type_traits>

namespace ptoscope::tile {
/// Into a small float: to nearest even, saturating as TCVT does; and back.
PTO_API uint8_t narrowFloat(Elem elem, float value);
PTO_API float widenFloat(Elem elem, uint8_t bits);
/// Into hifloat8 as host simulators do it: the nearest, the lower one of two.
PTO_API uint8_t narrowHif8(double value);

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
template <Elem Format, bool Host> struct ByteFloat {
  uint8_t bits = 0;

  constexpr ByteFloat() = default;
  template <typename T>
    requires(std::is_convertible_v<T, double> && !std::is_same_v<T, ByteFloat>)
  explicit(!std::is_arithmetic_v<T>) constexpr ByteFloat(T value) : bits(encode(value)) {}
  static constexpr ByteFloat FromRaw(uint8_t raw) {
    ByteFloat result;
    result.bits = raw;
    return result;
  }
  constexpr uint8_t RawData() const { return bits; }
  constexpr operator double() const {
    if constexpr (Format == Elem::hif8)
      return double(widenFloat(Format, bits));
    else
      return smallValue(Format, bits);
  }

private:
  template <typename T> static constexpr uint8_t encode(T value) {
    if constexpr (Host && Format != Elem::hif8)
      return cutFloat(Format, double(value));
    else if constexpr (Host)
      return narrowHif8(double(value));
    else
      return narrowFloat(Format, float(value));
  }
};
/// A byte that holds two elements, the even one in its low half; or one element, as its
/// code.
template <Elem Format, bool Host> struct TwinFloat {
  uint8_t bits = 0;

  constexpr TwinFloat() = default;
  template <typename T>
    requires(std::is_convertible_v<T, double> && !std::is_same_v<T, TwinFloat>)
  explicit(!std::is_arithmetic_v<T>) constexpr TwinFloat(T value) : bits(encode(value)) {}
  static constexpr TwinFloat FromRaw(uint8_t raw) {
    TwinFloat result;
    result.bits = raw;
    return result;
  }
  constexpr uint8_t RawData() const { return bits; }
  constexpr operator double() const { return smallValue(Format, bits & 15); }

private:
  template <typename T> static constexpr uint8_t encode(T value) {
    if constexpr (Host)
      return cutFloat(Format, double(value));
    else
      return narrowFloat(Format, float(value));
  }
};
/// Two integers of 4 bits in a byte, on devices.
struct TwinInt4 {
  uint8_t bits;
};
/// One in a byte, in the host profile.
struct HostInt4 {
  uint8_t bits = 0;

  constexpr HostInt4() = default;
  constexpr explicit HostInt4(int32_t value) : bits(uint8_t(value & 15)) {}
  constexpr operator int8_t() const { return int8_t(((bits & 15) ^ 8) - 8); }
};
} // namespace ptoscope::tile

// PTO_OWN_HALF: also where the compiler has one.
#if (defined(__clang__) || __GNUC__ >= 13) && !defined(PTO_OWN_HALF)
using half = _Float16;
#else
using half = ptoscope::tile::SmallFloat<ptoscope::tile::halfBits, ptoscope::tile::halfValue>;
#endif
using bfloat16_t = ptoscope::tile::SmallFloat<ptoscope::tile::bfloatBits, ptoscope::tile::bfloatValue>;

#if (defined(__clang__) || __GNUC__ >= 13) && !defined(PTO_OWN_HALF)
namespace ptoscope::tile {
template <typename T> inline constexpr bool kIsCoded = false;
template <Elem Format, bool Host> inline constexpr bool kIsCoded<ByteFloat<Format, Host>> = true;
template <Elem Format, bool Host> inline constexpr bool kIsCoded<TwinFloat<Format, Host>> = true;
// A type of the compiler that is no arithmetic type to the language: no conversion of a code is better than another.
#define PTO_WITH_HALF(RESULT, OP)                                                                                      \
  template <typename S, std::same_as<half> T>                                                                          \
    requires(kIsCoded<S>)                                                                                              \
  constexpr RESULT operator OP(S a, T b) {                                                                             \
    return double(a) OP double(b);                                                                                     \
  }                                                                                                                    \
  template <typename S, std::same_as<half> T>                                                                          \
    requires(kIsCoded<S>)                                                                                              \
  constexpr RESULT operator OP(T a, S b) {                                                                             \
    return double(a) OP double(b);                                                                                     \
  }
PTO_WITH_HALF(double, +)
PTO_WITH_HALF(double, -)
PTO_WITH_HALF(double, *)
PTO_WITH_HALF(double, /)
PTO_WITH_HALF(bool, ==)
PTO_WITH_HALF(bool, !=)
PTO_WITH_HALF(bool, <)
PTO_WITH_HALF(bool, >)
PTO_WITH_HALF(bool, <=)
PTO_WITH_HALF(bool, >=)
#undef PTO_WITH_HALF
} // namespace ptoscope::tile
#endif
using float16_t = half;
using float32_t = float;
using aclFloat16 = half;

namespace pto {
using ::aclFloat16;
using ::bfloat16_t;
using ::float16_t;
using ::float32_t;
using ::half;
#ifdef __CPU_SIM
using int4b_t = ptoscope::tile::HostInt4;
#define PTO_SMALL_FLOAT(KIND, FORMAT) ptoscope::tile::KIND<ptoscope::tile::Elem::FORMAT, true>
#else
using int4b_t = ptoscope::tile::TwinInt4;
#define PTO_SMALL_FLOAT(KIND, FORMAT) ptoscope::tile::KIND<ptoscope::tile::Elem::FORMAT, false>
#endif
using float8_e4m3_t = PTO_SMALL_FLOAT(ByteFloat, e4m3);
using float8_e5m2_t = PTO_SMALL_FLOAT(ByteFloat, e5m2);
using float8_e8m0_t = PTO_SMALL_FLOAT(ByteFloat, e8m0);
using hifloat8_t = PTO_SMALL_FLOAT(ByteFloat, hif8);
using float4_e2m1x2_t = PTO_SMALL_FLOAT(TwinFloat, e2m1x2);
using float4_e1m2x2_t = PTO_SMALL_FLOAT(TwinFloat, e1m2x2);
#undef PTO_SMALL_FLOAT
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
template <Elem E, bool Host> struct ElemOf<ByteFloat<E, Host>> : ElemIs<E> {};
template <Elem E, bool Host> struct ElemOf<TwinFloat<E, Host>> : ElemIs<E> {};
template <> struct ElemOf<TwinInt4> : ElemIs<Elem::i4x2> {};
template <> struct ElemOf<HostInt4> : ElemIs<Elem::i4> {};
template <typename T>
concept IsElement = requires { ElemOf<std::remove_cv_t<T>>::value; };
template <typename T> inline constexpr Elem elemOf = ElemOf<std::remove_cv_t<T>>::value;

/// Element `i` of an array: half a byte of the formats that share one.
template <typename T> constexpr T elementAt(const T *elements, size_t i) {
  if constexpr (bitsOf(elemOf<T>) == 4) {
    T result{};
    result.bits = uint8_t(elements[i / 2].bits >> (i % 2 * 4) & 15);
    return result;
  } else {
    return elements[i];
  }
}
template <typename T> constexpr void setElementAt(T *elements, size_t i, const T &value) {
  if constexpr (bitsOf(elemOf<T>) == 4) {
    uint8_t &both = elements[i / 2].bits;
    const unsigned shift = unsigned(i % 2 * 4);
    both = uint8_t((both & ~(15 << shift)) | (value.bits & 15) << shift);
  } else {
    elements[i] = value;
  }
}
} // namespace ptoscope::tile

#endif // PTO_DETAIL_NUMBERS_HPP
