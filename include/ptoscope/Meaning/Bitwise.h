//===- Bitwise.h - lane-wise logic, shifts and bit counts -------*- C++ -*-===//
//
// LOGIC-1, VNOT-1, VBCNT-1, VCLS-1, SHIFT-3 to SHIFT-6.
//
// Logic acts on raw bits, floats included, so it is
// one function per width.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_BITWISE_H
#define PTOSCOPE_MEANING_BITWISE_H

#include "ptoscope/Meaning/Lists.h"

namespace ptoscope::meaning {

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

template <typename T> PTOM_INLINE Group<T> vnot(Group<T> a) { return ~a; }
PTOM_UNARY(vnot, PTOM_INT64)

template <typename T> PTOM_INLINE Group<T> vand(Group<T> a, Group<T> b) { return a & b; }
PTOM_BINARY(vand, PTOM_BITS)

template <typename T> PTOM_INLINE Group<T> vor(Group<T> a, Group<T> b) { return a | b; }
PTOM_BINARY(vor, PTOM_BITS)

template <typename T> PTOM_INLINE Group<T> vxor(Group<T> a, Group<T> b) { return a ^ b; }
PTOM_BINARY(vxor, PTOM_BITS)

template <typename T> PTOM_INLINE Group<T> vands(Group<T> a, typename T::Elem b) { return a & splat<T>(b); }
PTOM_BINARY(vands, PTOM_BITS)

template <typename T> PTOM_INLINE Group<T> vors(Group<T> a, typename T::Elem b) { return a | splat<T>(b); }
PTOM_BINARY(vors, PTOM_BITS)

template <typename T> PTOM_INLINE Group<T> vxors(Group<T> a, typename T::Elem b) { return a ^ splat<T>(b); }
PTOM_BINARY(vxors, PTOM_BITS)

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// Counts are taken modulo the width, negative ones too (SHIFT-5).
template <typename T> PTOM_INLINE BitsGroup<T> shiftCount(BitsGroup<T> count) {
  return count & typename T::Bits(8 * sizeof(typename T::Bits) - 1);
}

template <typename T> PTOM_INLINE Group<T> vshl(Group<T> a, Group<T> b) {
  return fromBits<T>(toBits<T>(a) << shiftCount<T>(toBits<T>(b)));
}
PTOM_BINARY(vshl, PTOM_INT64)

/// Arithmetic for signed lanes, logical for unsigned ones.
template <typename T> PTOM_INLINE Group<T> vshr(Group<T> a, Group<T> b) {
  return a >> bitcast<Group<T>>(shiftCount<T>(toBits<T>(b)));
}
PTOM_BINARY(vshr, PTOM_INT64)

/// The count is 16 bits wide whatever the lanes are; narrowing it keeps the bits
/// that matter.
template <typename T> PTOM_INLINE Group<T> vshls(Group<T> a, __INT16_TYPE__ count) {
  return vshl<T>(a, splat<T>(typename T::Elem(count)));
}
PTOM_BINARY(vshls, PTOM_INT64)

template <typename T> PTOM_INLINE Group<T> vshrs(Group<T> a, __INT16_TYPE__ count) {
  return vshr<T>(a, splat<T>(typename T::Elem(count)));
}
PTOM_BINARY(vshrs, PTOM_INT64)

//===----------------------------------------------------------------------===//
// Counting bits
//===----------------------------------------------------------------------===//

/// Number of ones: sums of neighbouring fields of 1, 2, 4, ... bits.
template <typename T> PTOM_INLINE BitsGroup<T> countOnes(BitsGroup<T> v) {
  using Bits = typename T::Bits;
  constexpr int kWidth = 8 * sizeof(Bits);
  v -= (v >> 1) & Bits(0x5555555555555555);
  v = (v & Bits(0x3333333333333333)) + ((v >> 2) & Bits(0x3333333333333333));
  v = (v + (v >> 4)) & Bits(0x0F0F0F0F0F0F0F0F);
  if constexpr (kWidth >= 16)
    v += v >> 8;
  if constexpr (kWidth >= 32)
    v += v >> 16;
  return v & Bits(2 * kWidth - 1);
}

template <typename T> PTOM_INLINE Group<T> vbcnt(Group<T> a) { return fromBits<T>(countOnes<T>(toBits<T>(a))); }
PTOM_UNARY(vbcnt, PTOM_INT32)

/// Number of leading bits equal to the topmost one, which counts: 0 gives the
/// width, 1 one less. Unsigned lanes likewise.
template <typename T> PTOM_INLINE Group<T> vcls(Group<T> a) {
  constexpr int kWidth = 8 * sizeof(typename T::Bits);
  BitsGroup<T> bits = toBits<T>(a);
  BitsGroup<T> differ = bits ^ bitcast<BitsGroup<T>>(bitcast<MaskGroup<T>>(bits) < 0);
  // Ones from the first different bit down; what is left above them is counted.
  differ |= differ >> 1;
  differ |= differ >> 2;
  differ |= differ >> 4;
  if constexpr (kWidth >= 16)
    differ |= differ >> 8;
  if constexpr (kWidth >= 32)
    differ |= differ >> 16;
  return fromBits<T>(countOnes<T>(~differ));
}
PTOM_UNARY(vcls, PTOM_INT32)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_BITWISE_H
