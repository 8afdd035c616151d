//===- convert.hpp - which elements TCVT converts ---------------*- C++ -*-===//
//
// TCVT-2 and TCVT-3: the pairs, and what overflow does
// where a program does not say it. The mode of a call holds the rounding in its
// low three bits and whether to saturate in the next.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_CONVERT_HPP
#define PTO_DETAIL_CONVERT_HPP

#include "pto/detail/record.hpp"

namespace ptoscope::tile {

/// Small floats meet the three large ones only.
constexpr bool converts(Elem from, Elem to) {
  constexpr ElemSet kSmall = kByteFloats | kTwinFloats;
  if (has(kSmall, from))
    return has(kFloats, to);
  return has(kConvertible, from) && has(has(kFloats, from) ? kConvertible : kConvertible & ~kSmall, to);
}

/// TCVT-9: what A2 and A3 have, and A5 has not.
constexpr bool convertsOnA3(Elem from, Elem to) {
  return (from == Elem::f16 && to == Elem::i4x2) || (from == Elem::i4x2 && to == Elem::f16);
}
/// HMEAN-10: 4-bit elements meet every other one.
constexpr bool convertsOnHost(Elem from, Elem to) {
  constexpr ElemSet kTiny = kTwinFloats | elems(Elem::i4), kAll = (kConvertible & ~kByteFloats) | kTiny;
  return (has(kTiny, from) && has(kAll, to)) || (has(kTiny, to) && has(kAll, from));
}

/// Pairs that keep the low bits unless the program asks for saturation.
constexpr bool wrapsByDefault(Elem from, Elem to) {
  return (from == Elem::f16 && (to == Elem::u8 || to == Elem::i8 || to == Elem::i16)) ||
         (from == Elem::f32 && to == Elem::i16) || (from == Elem::i64 && to == Elem::i32) ||
         (from == Elem::i32 && to == Elem::i16);
}

inline constexpr uint32_t kSaturateBit = 8;
constexpr uint32_t convertMode(uint32_t rounding, bool saturate) { return rounding | (saturate ? kSaturateBit : 0); }

} // namespace ptoscope::tile

#endif // PTO_DETAIL_CONVERT_HPP
