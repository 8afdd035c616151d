//===- host_numbers.hpp - number types as host programs use them *- C++ -*-===//
//
// Global names of number types and functions on them (SURF-11, SURF-15 to SURF-17).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_HOST_NUMBERS_HPP
#define PTO_DETAIL_HOST_NUMBERS_HPP

#include "pto/common/constants.hpp"

#include <limits>

using pto::float4_e1m2x2_t;
using pto::float4_e2m1x2_t;
using pto::float8_e4m3_t;
using pto::float8_e5m2_t;
using pto::float8_e8m0_t;
using pto::hifloat8_t;
using pto::TRandomCounter;
using pto::TRandomKey;

#ifndef HALF_BYTE_MASK
#define HALF_BYTE_MASK 0xF
#endif
#ifndef HALF_BYTE_SHIFT
#define HALF_BYTE_SHIFT 4
#endif
#ifndef F16_MAX
inline constexpr float F16_MAX = 65504.0f;
#endif

/// Two elements share a byte: the 4-bit floats only.
template <typename T> constexpr bool IsTwinType() {
  using E = std::remove_cv_t<T>;
  return std::is_same_v<E, float4_e2m1x2_t> || std::is_same_v<E, float4_e1m2x2_t>;
}
/// Element `i`, as its code where two share a byte.
template <typename T> constexpr std::remove_cv_t<T> GetProperDataPart(T *buffer, size_t i) {
  return IsTwinType<T>() ? ptoscope::tile::elementAt<std::remove_cv_t<T>>(buffer, i) : buffer[i];
}
template <typename T> constexpr void SetProperDataPart(T *buffer, size_t i, std::type_identity_t<T> value) {
  if constexpr (IsTwinType<T>())
    ptoscope::tile::setElementAt(buffer, i, value);
  else
    buffer[i] = value;
}

/// Of codes, not of bytes: what pads and searches for a maximum start from.
template <ptoscope::tile::Elem Format, bool Host> struct std::numeric_limits<ptoscope::tile::TwinFloat<Format, Host>> {
  using Type = ptoscope::tile::TwinFloat<Format, Host>;
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false,
                        has_infinity = false, has_quiet_NaN = false, has_signaling_NaN = false, is_bounded = true,
                        is_iec559 = false, is_modulo = false;
  static constexpr int radix = 2, digits = ptoscope::tile::smallFormat(Format).fraction + 1;
  static constexpr Type min() noexcept { return Type::FromRaw(1); }
  static constexpr Type max() noexcept { return Type::FromRaw(7); }
  static constexpr Type lowest() noexcept { return Type::FromRaw(15); }
  static constexpr Type denorm_min() noexcept { return Type::FromRaw(1); }
  static constexpr Type infinity() noexcept { return Type::FromRaw(0); }
  static constexpr Type quiet_NaN() noexcept { return Type::FromRaw(0); }
  static constexpr Type signaling_NaN() noexcept { return Type::FromRaw(0); }
};

#endif // PTO_DETAIL_HOST_NUMBERS_HPP
