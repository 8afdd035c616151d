//===- Rearrange.h - meanings that move lanes within registers --*- C++ -*-===//
//
// What materialising and rearranging instructions do to whole registers
// (docs/isa/12-rearrange.md).
// Lanes move as raw bits, so most are defined by width alone. Amounts and parts
// outside what the manual defines are refused before they get here; whatever
// comes, nothing outside the operands is read.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_REARRANGE_H
#define PTOSCOPE_MEANING_REARRANGE_H

#include "ptoscope/Meaning/Masks.h"

#define PTOM_WIDTHS b8, b16, b32, b64
#define PTOM_PARTS b8_LOWER, b8_HIGHER, b16_LOWER, b16_HIGHER, b32_LOWER, b32_HIGHER, b64_LOWER, b64_HIGHER

namespace ptoscope::meaning {

//===----------------------------------------------------------------------===//
// Materialise
//===----------------------------------------------------------------------===//

/// {0, 1, 2, ...}
template <typename T> PTOM_INLINE BitsGroup<T> laneNumbers() {
  return laneConstants<BitsGroup<T>, [](int i) { return i; }>();
}

/// Every lane is one lane of v.
template <typename T> PTOM_MEMORY void vdup_lane(void *__restrict r, const void *v, int64 lane) {
  Group<T> value = splat<T>(loadLane<T>(v, int(lane & (kRegisterLanes<T> - 1))));
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g)
    storeGroup<T>(r, g, value);
}
PTOM_FUNCTIONS(vdup_lane, (void *r, const void *v, int64 lane), (r, v, lane), PTOM_WIDTHS)

enum class Order { Ascending, Descending };
template <typename T, Order O> struct InOrder {
  using Type = T;
  static constexpr Order kOrder = O;
};
using i8_ASC = InOrder<i8, Order::Ascending>;
using i8_DESC = InOrder<i8, Order::Descending>;
using i16_ASC = InOrder<i16, Order::Ascending>;
using i16_DESC = InOrder<i16, Order::Descending>;
using i32_ASC = InOrder<i32, Order::Ascending>;
using i32_DESC = InOrder<i32, Order::Descending>;
using f16_ASC = InOrder<f16, Order::Ascending>;
using f16_DESC = InOrder<f16, Order::Descending>;
using f32_ASC = InOrder<f32, Order::Ascending>;
using f32_DESC = InOrder<f32, Order::Descending>;

/// base + i or base - i. Integers wrap; lane numbers are exact in every float
/// format, so that each sum is rounded once.
template <typename V> PTOM_MEMORY void vci(void *__restrict r, typename V::Type::Elem base) {
  using T = typename V::Type;
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g) {
    if constexpr (kIsFloat<T>) {
      Group<T> numbers = convert<typename T::Elem>(laneNumbers<T>() + typename T::Bits(g * kLanes<T>));
      storeGroup<T>(r, g,
                    canon<T>(V::kOrder == Order::Ascending ? splat<T>(base) + numbers : splat<T>(base) - numbers));
    } else {
      BitsGroup<T> numbers = laneNumbers<T>() + typename T::Bits(g * kLanes<T>);
      BitsGroup<T> first = toBits<T>(splat<T>(base));
      storeGroup<T>(r, g, fromBits<T>(V::kOrder == Order::Ascending ? first + numbers : first - numbers));
    }
  }
}
PTOM_FUNCTIONS(vci, (void *r, i8::Elem base), (r, base), i8_ASC, i8_DESC)
PTOM_FUNCTIONS(vci, (void *r, i16::Elem base), (r, base), i16_ASC, i16_DESC)
PTOM_FUNCTIONS(vci, (void *r, i32::Elem base), (r, base), i32_ASC, i32_DESC)
PTOM_FUNCTIONS(vci, (void *r, f16::Elem base), (r, base), f16_ASC, f16_DESC)
PTOM_FUNCTIONS(vci, (void *r, f32::Elem base), (r, base), f32_ASC, f32_DESC)

//===----------------------------------------------------------------------===//
// Interleave
//===----------------------------------------------------------------------===//

/// Lanes of a and b in turn: the half of them that P names.
template <typename T, Part P> PTOM_MEMORY void interleave(void *__restrict r, const void *a, const void *b) {
  constexpr int kN = kLanes<T>;
  PTOM_UNROLLED
  for (int g = 0; g < kGroups / 2; ++g) {
    int from = P == Part::Lower ? g : g + kGroups / 2;
    Group<T> x = loadGroup<T>(a, from), y = loadGroup<T>(b, from);
    storeGroup<T>(r, 2 * g, shuffle<kN, [](int i) { return i / 2 + i % 2 * kN; }>(x, y));
    storeGroup<T>(r, 2 * g + 1, shuffle<kN, [](int i) { return kN / 2 + i / 2 + i % 2 * kN; }>(x, y));
  }
}

/// Even (Lower) or odd lanes of a followed by b.
template <typename T, Part P> PTOM_MEMORY void deinterleave(void *__restrict r, const void *a, const void *b) {
  constexpr int kFirst = P == Part::Lower ? 0 : 1;
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g) {
    const void *from = g < kGroups / 2 ? a : b;
    int first = 2 * g % kGroups;
    storeGroup<T>(r, g,
                  shuffle<kLanes<T>, [](int i) { return 2 * i + kFirst; }>(loadGroup<T>(from, first),
                                                                           loadGroup<T>(from, first + 1)));
  }
}

template <typename T> PTOM_MEMORY void vintlv(void *__restrict lo, void *__restrict hi, const void *a, const void *b) {
  interleave<T, Part::Lower>(lo, a, b);
  interleave<T, Part::Higher>(hi, a, b);
}
PTOM_FUNCTIONS(vintlv, (void *lo, void *hi, const void *a, const void *b), (lo, hi, a, b), PTOM_WIDTHS)

template <typename T> PTOM_MEMORY void vdintlv(void *__restrict lo, void *__restrict hi, const void *a, const void *b) {
  deinterleave<T, Part::Lower>(lo, a, b);
  deinterleave<T, Part::Higher>(hi, a, b);
}
PTOM_FUNCTIONS(vdintlv, (void *lo, void *hi, const void *a, const void *b), (lo, hi, a, b), PTOM_WIDTHS)

template <typename V> PTOM_MEMORY void vintlvv2(void *__restrict r, const void *a, const void *b) {
  interleave<typename V::Type, V::kPart>(r, a, b);
}
PTOM_FUNCTIONS(vintlvv2, (void *r, const void *a, const void *b), (r, a, b), PTOM_PARTS)

template <typename V> PTOM_MEMORY void vdintlvv2(void *__restrict r, const void *a, const void *b) {
  deinterleave<typename V::Type, V::kPart>(r, a, b);
}
PTOM_FUNCTIONS(vdintlvv2, (void *r, const void *a, const void *b), (r, a, b), PTOM_PARTS)

//===----------------------------------------------------------------------===//
// Select and slide
//===----------------------------------------------------------------------===//

/// r[i] = v[index[i] mod N]; indices are unsigned lanes of the same width.
template <typename T> PTOM_MEMORY void vselr(void *__restrict r, const void *v, const void *index) {
  PTOM_LANE_LOOP
  for (int i = 0; i < kRegisterLanes<T>; ++i)
    storeLane<T>(r, i, loadLane<T>(v, int(loadLane<T>(index, i) & (kRegisterLanes<T> - 1))));
}
PTOM_FUNCTIONS(vselr, (void *r, const void *v, const void *index), (r, v, index), PTOM_WIDTHS)

/// Two registers in a row. Sliding by a run-time amount goes through memory: its
/// loads reach across groups.
struct alignas(kGroupBytes) Pair {
  uint8 bytes[2 * kRegisterBytes];

  PTOM_MEMORY uint8 *second() { return bytes + kRegisterBytes; }

  /// The register that starts n lanes before the second one.
  template <typename T> PTOM_MEMORY void window(void *__restrict r, int64 n) {
    n = n < 0 ? 0 : n > kRegisterLanes<T> ? kRegisterLanes<T> : n;
    const uint8 *from = second() - n * kElemBytes<T>;
    PTOM_UNROLLED
    for (int g = 0; g < kGroups; ++g)
      storeGroup<b8>(r, g, loadAny<Group<b8>>(from + g * kGroupBytes));
  }
};

/// r[i] = i >= n ? a[i - n] : b[N - n + i]
template <typename T> PTOM_MEMORY void vslide(void *__restrict r, const void *a, const void *b, int64 n) {
  Pair pair;
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g) {
    storeGroup<b8>(pair.bytes, g, loadGroup<b8>(b, g));
    storeGroup<b8>(pair.second(), g, loadGroup<b8>(a, g));
  }
  pair.window<T>(r, n);
}
PTOM_FUNCTIONS(vslide, (void *r, const void *a, const void *b, int64 n), (r, a, b, n), PTOM_WIDTHS)

/// r[i] = i >= n ? a[i - n] : 0
template <typename T> PTOM_MEMORY void vshift(void *__restrict r, const void *a, int64 n) {
  Pair pair;
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g) {
    storeGroup<b8>(pair.bytes, g, Group<b8>(0));
    storeGroup<b8>(pair.second(), g, loadGroup<b8>(a, g));
  }
  pair.window<T>(r, n);
}
PTOM_FUNCTIONS(vshift, (void *r, const void *a, int64 n), (r, a, n), PTOM_WIDTHS)

//===----------------------------------------------------------------------===//
// Squeeze
//===----------------------------------------------------------------------===//

/// The lanes that are on, moved together; the others are 0. Each lane is written
/// to the next free place, which only an active one takes.
template <typename T> PTOM_MEMORY void vsqz(void *__restrict r, const void *v, const uint64 *mask) {
  int count = 0;
  forEachLane<T>(mask, [&](int i, bool on) __attribute__((always_inline)) {
    storeLane<T>(r, count, loadLane<T>(v, i));
    count += on;
  });
  // In bytes the lane numbers of a group and their bound fit every width.
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g) {
    int kept = count * kElemBytes<T> - g * kGroupBytes;
    auto keep = laneNumbers<b8>() < uint8(kept < 0 ? 0 : kept > kGroupBytes ? kGroupBytes : kept);
    storeGroup<b8>(r, g, select(keep, loadGroup<b8>(r, g), Group<b8>(0)));
  }
}
PTOM_FUNCTIONS(vsqz, (void *r, const void *v, const uint64 *mask), (r, v, mask), b8, b16, b32)

/// Sums of all lanes up to and with each one, by doubling distances.
template <typename T, int Distance = 1> PTOM_INLINE BitsGroup<T> prefixSums(BitsGroup<T> x) {
  if constexpr (Distance >= kLanes<T>) {
    return x;
  } else {
    constexpr auto kUp = [](int i) { return i < Distance ? kLanes<T> : i - Distance; };
    return prefixSums<T, 2 * Distance>(x + shuffle<kLanes<T>, kUp>(x, BitsGroup<T>(0)));
  }
}

/// In each lane the number of lanes before it that are on.
template <typename T> PTOM_MEMORY void vusqz(void *__restrict r, const uint64 *mask) {
  Image image = loadImage(mask);
  uint32 inGroupsBefore = 0;
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g) {
    BitsGroup<T> minusOn = bitcast<BitsGroup<T>>(maskLanes<T>(image[g]));
    BitsGroup<T> before = minusOn - prefixSums<T>(minusOn);
    storeGroup<T>(r, g, before + typename T::Bits(inGroupsBefore));
    inGroupsBefore += countInWord<T>(image[g]);
  }
}
PTOM_FUNCTIONS(vusqz, (void *r, const uint64 *mask), (r, mask), b8, b16, b32)

//===----------------------------------------------------------------------===//
// Pack and unpack
//===----------------------------------------------------------------------===//

template <typename T> struct NarrowOf;
template <> struct NarrowOf<b16> : b8 {};
template <> struct NarrowOf<b32> : b16 {};
template <typename T> struct WideOf;
template <> struct WideOf<b8> : b16 {};
template <> struct WideOf<b16> : b32 {};
template <> struct WideOf<b32> : b64 {};

/// The low halves of all lanes of v, to groups `first` and the next of r.
template <typename T> PTOM_MEMORY void packHalf(void *__restrict r, int first, const void *v) {
  using N = NarrowOf<T>;
  PTOM_UNROLLED
  for (int g = 0; g < kGroups / 2; ++g)
    storeGroup<N>(r, first + g,
                  shuffle<kLanes<N>, [](int i) { return 2 * i; }>(loadGroup<N>(v, 2 * g), loadGroup<N>(v, 2 * g + 1)));
}

/// The low half of each lane, into one half of r; the other half is 0. The width
/// is that of the source.
template <typename V> PTOM_MEMORY void vpack(void *__restrict r, const void *v) {
  constexpr int kFirst = V::kPart == Part::Lower ? 0 : kGroups / 2;
  packHalf<typename V::Type>(r, kFirst, v);
  PTOM_UNROLLED
  for (int g = 0; g < kGroups / 2; ++g)
    storeGroup<b8>(r, kGroups / 2 - kFirst + g, Group<b8>(0));
}
PTOM_FUNCTIONS(vpack, (void *r, const void *v), (r, v), b16_LOWER, b16_HIGHER, b32_LOWER, b32_HIGHER)

/// The form with two sources.
template <typename T> PTOM_MEMORY void vpack2(void *__restrict r, const void *a, const void *b) {
  packHalf<T>(r, 0, a);
  packHalf<T>(r, kGroups / 2, b);
}
PTOM_FUNCTIONS(vpack2, (void *r, const void *a, const void *b), (r, a, b), b16, b32)

/// One half of the lanes of v, part 0 or 1, extended to twice the width by
/// conversion from the element type From. A group is loaded as a whole: parts of
/// one would keep registers of the host from holding it.
template <typename T, typename From> PTOM_MEMORY void unpack(void *__restrict r, const void *v, int64 part) {
  using W = WideOf<T>;
  constexpr int kHalf = kLanes<T> / 2;
  const uint8 *from = static_cast<const uint8 *>(v) + (part & 1) * (kRegisterBytes / 2);
  PTOM_UNROLLED
  for (int g = 0; g < kGroups / 2; ++g) {
    auto lanes = bitcast<Vec<From, kLanes<T>>>(loadGroup<T>(from, g));
    auto low = shuffle<kHalf, [](int i) { return i; }>(lanes, lanes);
    auto high = shuffle<kHalf, [](int i) { return kHalf + i; }>(lanes, lanes);
    storeGroup<W>(r, 2 * g, convert<typename W::Bits>(low));
    storeGroup<W>(r, 2 * g + 1, convert<typename W::Bits>(high));
  }
}

template <typename T> PTOM_MEMORY void vsunpack(void *__restrict r, const void *v, int64 part) {
  unpack<T, typename T::Mask>(r, v, part);
}
PTOM_FUNCTIONS(vsunpack, (void *r, const void *v, int64 part), (r, v, part), b8, b16, b32)

template <typename T> PTOM_MEMORY void vzunpack(void *__restrict r, const void *v, int64 part) {
  unpack<T, typename T::Bits>(r, v, part);
}
PTOM_FUNCTIONS(vzunpack, (void *r, const void *v, int64 part), (r, v, part), b8, b16, b32)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_REARRANGE_H
