//===- Lanes.h - lane groups in tiles ---------------------------*- C++ -*-===//
//
// What lies between the bytes of a tile and meanings of lane groups
// (Meaning/Lanes.h). What is left of a row goes through a group of zeros.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_LANES_H
#define PTOSCOPE_LIB_TILE_KERNELS_LANES_H

#include "Kernels.h"
#include "pto/detail/layout.hpp"
#include "ptoscope/Meaning/Lanes.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace lanes = ptoscope::meaning;

/// Calls fn.template operator()<Tag>() with the tag of `elem` if it is one of Tags.
template <typename... Tags, typename Fn> void forElem(Elem elem, Fn fn) {
  constexpr auto elemOf = []<typename T>() {
    if constexpr (lanes::kIsSame<T, lanes::f32>)
      return Elem::f32;
    else if constexpr (lanes::kIsSame<T, lanes::f16>)
      return Elem::f16;
    else if constexpr (lanes::kIsSame<T, lanes::bf16>)
      return Elem::bf16;
    else
      return Elem(2 * (__builtin_ctz(sizeof(typename T::Elem))) + !lanes::kIsSigned<T>);
  };
  ((elem == elemOf.template operator()<Tags>() ? (fn.template operator()<Tags>(), 0) : 0), ...);
}

template <typename T> PTOM_INLINE lanes::Group<T> loadGroup(const uint8_t *from, size_t bytes = 64) {
  lanes::Group<T> group{};
  __builtin_memcpy(&group, from, bytes);
  return group;
}
/// The element at `from` in every lane.
template <typename T> PTOM_INLINE lanes::Group<T> loadSplat(const uint8_t *from) {
  typename T::Elem value;
  __builtin_memcpy(&value, from, sizeof(value));
  return lanes::splat<T>(value);
}
template <typename T> PTOM_INLINE void storeGroup(uint8_t *to, lanes::Group<T> group, size_t bytes = 64) {
  __builtin_memcpy(to, &group, bytes);
}
/// Whether there is a NaN, by the largest magnitude. Few tiles have one: what to do about them is done
/// to a stretch at a time, and only where there is.
inline constexpr size_t kStretch = 2048;
template <typename T> PTOM_INLINE bool anyNaN(const uint8_t *from, size_t bytes) {
  lanes::BitsGroup<T> largest{};
  auto see = [&](lanes::Group<T> group) __attribute__((always_inline)) {
    largest = __builtin_elementwise_max(largest, lanes::toBits<T>(group) & typename T::Bits(~T::kSign));
  };
  size_t at = 0;
#pragma clang loop unroll_count(4)
  for (; at + 64 <= bytes; at += 64)
    see(loadGroup<T>(from + at));
  if (at < bytes)
    see(loadGroup<T>(from + at, bytes - at));
  return __builtin_reduce_or(largest > lanes::BitsGroup<T>(T::kInf)) != 0;
}
/// Values that leave arithmetic have one NaN.
template <typename T> PTOM_INLINE lanes::Group<T> leaveArithmetic(lanes::Group<T> value) {
  if constexpr (lanes::kIsFloat<T>)
    return lanes::canon<T>(value);
  else
    return value;
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_LANES_H
