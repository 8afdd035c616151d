//===- Carry.h - integers wider than a lane ---------------------*- C++ -*-===//
//
// Carry chains (CARRY-1 to CARRY-6) and the wide product (FUSE-11). Each
// has two results and so two variants: the sum and `_mask`, its carry as lanes
// of 0 and -1; the low half and `_high`.
//
// Carries are unsigned whatever the signedness of the element. Those of a
// subtraction say "no borrow", coming in and going out.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_CARRY_H
#define PTOSCOPE_MEANING_CARRY_H

#include "ptoscope/Meaning/Lists.h"

namespace ptoscope::meaning {

/// The second result of an instruction on elements of type T.
template <typename T> struct CarryOf {
  using Operand = T;
};
template <typename T> struct HighHalfOf {
  using Operand = T;
};
using u32_mask = CarryOf<u32>;
using i32_high = HighHalfOf<i32>;
using u32_high = HighHalfOf<u32>;

template <typename V> PTOM_INLINE auto sumOrCarry(Group<u32> sum, MaskGroup<u32> carry) {
  if constexpr (kIsSame<V, u32_mask>)
    return carry;
  else
    return sum;
}

template <typename V> PTOM_INLINE auto vaddc(Group<u32> a, Group<u32> b) {
  Group<u32> sum = a + b;
  return sumOrCarry<V>(sum, sum < a);
}
PTOM_BINARY(vaddc, u32, u32_mask)

template <typename V> PTOM_INLINE auto vaddcs(Group<u32> a, Group<u32> b, MaskGroup<u32> carry) {
  Group<u32> first = a + b;
  Group<u32> sum = first - bitcast<Group<u32>>(carry);
  return sumOrCarry<V>(sum, (first < a) | (sum < first));
}
PTOM_TERNARY(vaddcs, u32, u32_mask)

template <typename V> PTOM_INLINE auto vsubc(Group<u32> a, Group<u32> b) { return sumOrCarry<V>(a - b, a >= b); }
PTOM_BINARY(vsubc, u32, u32_mask)

/// a - b - (1 - carry) = a + ~b + carry.
template <typename V> PTOM_INLINE auto vsubcs(Group<u32> a, Group<u32> b, MaskGroup<u32> carry) {
  return vaddcs<V>(a, ~b, carry);
}
PTOM_TERNARY(vsubcs, u32, u32_mask)

/// Lanes extended according to their signedness: 64 bits hold the product.
template <typename V> PTOM_INLINE auto vmull(Group<OperandOf<V>> a, Group<OperandOf<V>> b) {
  using T = OperandOf<V>;
  using Wide = Vec<__UINT64_TYPE__, kLanes<T>>;
  Wide product = bitcast<Wide>(convert<__INT64_TYPE__>(a)) * bitcast<Wide>(convert<__INT64_TYPE__>(b));
  if constexpr (kIsSame<V, T>)
    return convert<typename T::Elem>(product);
  else
    return convert<typename T::Elem>(product >> 32);
}
PTOM_BINARY(vmull, i32, u32, i32_high, u32_high)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_CARRY_H
