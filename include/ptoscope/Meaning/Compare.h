//===- Compare.h - lane-wise comparison -------------------------*- C++ -*-===//
//
// CMP-2 to CMP-4: vcmp_<mode> of two groups and vcmps_<mode> of a group and
// a scalar give lanes of 0 and -1. Order is that of the element's signedness. A
// NaN makes every mode false except ne, which it makes true; `one` is ordered
// and unequal. -0 equals +0.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_COMPARE_H
#define PTOSCOPE_MEANING_COMPARE_H

#include "ptoscope/Meaning/Lists.h"

namespace ptoscope::meaning {

enum class Mode { eq, ne, lt, le, gt, ge, one };

/// On any lanes whose C++ operators are the ones of the element.
template <Mode M, typename V> PTOM_INLINE auto compareLanes(V a, V b) {
  if constexpr (M == Mode::eq)
    return a == b;
  else if constexpr (M == Mode::ne)
    return a != b;
  else if constexpr (M == Mode::lt)
    return a < b;
  else if constexpr (M == Mode::le)
    return a <= b;
  else if constexpr (M == Mode::gt)
    return a > b;
  else if constexpr (M == Mode::ge)
    return a >= b;
  else
    return (a < b) | (a > b);
}

/// Sign and magnitude as a signed integer: the order of floats, with one zero.
template <typename T> PTOM_INLINE MaskGroup<T> signedMagnitude(Group<T> v) {
  MaskGroup<T> negative = bitcast<MaskGroup<T>>(v) < 0;
  return ((bitcast<MaskGroup<T>>(v) & typename T::Mask(~T::kSign)) ^ negative) - negative;
}

/// On integers for the 16-bit formats: many hosts cannot compare them.
template <Mode M, typename T> PTOM_INLINE MaskGroup<T> compare(Group<T> a, Group<T> b) {
  if constexpr (!kIsFloat<T> || kIsSame<T, f32>)
    return bitcast<MaskGroup<T>>(compareLanes<M>(a, b));
  else if constexpr (M == Mode::ne)
    return ~compare<Mode::eq, T>(a, b);
  else
    return compareLanes<M>(signedMagnitude<T>(a), signedMagnitude<T>(b)) & ~isNaN<T>(a) & ~isNaN<T>(b);
}

#define PTOM_COMPARISON(mode)                                                                                          \
  template <typename T> PTOM_INLINE MaskGroup<T> vcmp_##mode(Group<T> a, Group<T> b) {                                 \
    return compare<Mode::mode, T>(a, b);                                                                               \
  }                                                                                                                    \
  PTOM_BINARY(vcmp_##mode, PTOM_INT32, f16, bf16, f32)                                                                 \
  template <typename T> PTOM_INLINE MaskGroup<T> vcmps_##mode(Group<T> a, typename T::Elem b) {                        \
    return compare<Mode::mode, T>(a, splat<T>(b));                                                                     \
  }                                                                                                                    \
  PTOM_BINARY(vcmps_##mode, PTOM_INT32, f16, bf16, f32)

PTOM_COMPARISON(eq)
PTOM_COMPARISON(ne)
PTOM_COMPARISON(lt)
PTOM_COMPARISON(le)
PTOM_COMPARISON(gt)
PTOM_COMPARISON(ge)
PTOM_COMPARISON(one)

#undef PTOM_COMPARISON

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_COMPARE_H
