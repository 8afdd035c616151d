//===- Masks.h - meanings of instructions on mask images --------*- C++ -*-===//
//
// Mask images (Register.h) as values, and what the rearranging predicate
// instructions do to them (docs/isa/11-predicates.md). Lane i of view b8, b16 or
// b32 is the group of 1, 2 or 4 bits that starts at bit i, 2i or 4i; whole groups
// move, and nothing is made canonical. In memory, bit k of an image is bit k % 8
// of byte k / 8.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_MASKS_H
#define PTOSCOPE_MEANING_MASKS_H

#include "ptoscope/Meaning/Register.h"

namespace ptoscope::meaning {

using Image = Vec<uint64, 4>;
/// 128 bits of an image.
using HalfImage = Vec<uint64, 2>;

using LOWER = InPart<b8, Part::Lower>;
using HIGHER = InPart<b8, Part::Higher>;

/// The lowest bit of each lane's group: what consumers of width T look at.
template <typename T>
inline constexpr uint64 kLaneBits = kElemBytes<T> == 1   ? ~uint64(0)
                                    : kElemBytes<T> == 2 ? 0x5555555555555555
                                    : kElemBytes<T> == 4 ? 0x1111111111111111
                                                         : 0x0101010101010101;

/// null is all on.
PTOM_MEMORY Image loadImage(const uint64 *mask) { return mask ? loadAny<Image>(mask) : Image(~uint64(0)); }

//===----------------------------------------------------------------------===//
// Images and lanes
//===----------------------------------------------------------------------===//

/// One word of an image as lanes of 0 and -1. Eight lanes of any width are
/// governed by as many bits as one lane has.
template <typename T> PTOM_INLINE MaskGroup<T> maskLanes(uint64 word) {
  using Units = Vec<typename T::Bits, 8 / kElemBytes<T>>;
  Units units = bitcast<Units>(word);
  BitsGroup<T> spread = shuffle<kLanes<T>, [](int i) { return i / 8; }>(units, units);
  BitsGroup<T> bit = laneConstants<BitsGroup<T>, [](int i) { return uint64(1) << i % 8 * kElemBytes<T>; }>();
  return bitcast<MaskGroup<T>>((spread & bit) != 0);
}
PTOM_FROM_WORD(maskLanes, b8, b16, b32, b64)

/// The canonical word of an image whose lanes are 0 or -1.
template <typename T> PTOM_INLINE uint64 maskBits(MaskGroup<T> lanes) {
  constexpr auto kEven = [](int i) { return 2 * i; };
  constexpr auto kOdd = [](int i) { return 2 * i + 1; };
  BitsGroup<T> bits = bitcast<BitsGroup<T>>(lanes) &
                      laneConstants<BitsGroup<T>, [](int i) { return uint64(1) << i % 8 * kElemBytes<T>; }>();
  auto half = shuffle<kLanes<T> / 2, kEven>(bits, bits) | shuffle<kLanes<T> / 2, kOdd>(bits, bits);
  auto quarter = shuffle<kLanes<T> / 4, kEven>(half, half) | shuffle<kLanes<T> / 4, kOdd>(half, half);
  auto eighth = shuffle<kLanes<T> / 8, kEven>(quarter, quarter) | shuffle<kLanes<T> / 8, kOdd>(quarter, quarter);
  return bitcast<uint64>(eighth);
}
PTOM_TO_WORD(maskBits, b8, b16, b32, b64)

/// Number of lanes that are on in a word.
template <typename T> PTOM_INLINE uint32 countInWord(uint64 word) {
  return uint32(__builtin_popcountll(word & kLaneBits<T>));
}

template <typename T> PTOM_MEMORY uint32 countOn(const uint64 *mask) {
  Image image = loadImage(mask);
  return countInWord<T>(image[0]) + countInWord<T>(image[1]) + countInWord<T>(image[2]) + countInWord<T>(image[3]);
}
PTOM_FUNCTIONS(countOn, (const uint64 *mask), (mask), b8, b16, b32, b64)

//===----------------------------------------------------------------------===//
// Bits apart and together
//===----------------------------------------------------------------------===//

/// Halves of 64-bit words to words, groups of G bits apart: group i of the 32
/// bits goes to group 2i, the others become 0.
template <int G, typename V> PTOM_INLINE V spreadBits(V x) {
  x = (x | x << 16) & 0x0000FFFF0000FFFF;
  x = (x | x << 8) & 0x00FF00FF00FF00FF;
  x = (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
  if constexpr (G <= 2)
    x = (x | x << 2) & 0x3333333333333333;
  if constexpr (G <= 1)
    x = (x | x << 1) & 0x5555555555555555;
  return x;
}

/// The inverse: group 2i goes to group i of the low 32 bits, the others are lost.
template <int G, typename V> PTOM_INLINE V gatherBits(V x) {
  if constexpr (G <= 1) {
    x &= 0x5555555555555555;
    x |= x >> 1;
  }
  if constexpr (G <= 2) {
    x &= 0x3333333333333333;
    x |= x >> 2;
  }
  x &= 0x0F0F0F0F0F0F0F0F;
  x |= x >> 4;
  x &= 0x00FF00FF00FF00FF;
  x |= x >> 8;
  x &= 0x0000FFFF0000FFFF;
  return (x | x >> 16) & 0x00000000FFFFFFFF;
}

/// 128 bits to 256, and back.
template <int G> PTOM_INLINE Image spreadImage(HalfImage x) {
  return spreadBits<G>(convert<uint64>(bitcast<Vec<uint32, 4>>(x)));
}
template <int G> PTOM_INLINE HalfImage gatherImage(Image x) {
  return bitcast<HalfImage>(convert<uint32>(gatherBits<G>(x)));
}

PTOM_INLINE HalfImage lowHalf(Image x) { return __builtin_shufflevector(x, x, 0, 1); }
PTOM_INLINE HalfImage highHalf(Image x) { return __builtin_shufflevector(x, x, 2, 3); }
PTOM_INLINE Image concat(HalfImage low, HalfImage high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3); }

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Groups of a and b in turn: the first half of them is lo.
template <typename T>
PTOM_MEMORY void pintlv(uint64 *__restrict lo, uint64 *__restrict hi, const uint64 *a, const uint64 *b) {
  constexpr int kBits = kElemBytes<T>;
  Image x = loadImage(a), y = loadImage(b);
  storeAny(lo, spreadImage<kBits>(lowHalf(x)) | spreadImage<kBits>(lowHalf(y)) << kBits);
  storeAny(hi, spreadImage<kBits>(highHalf(x)) | spreadImage<kBits>(highHalf(y)) << kBits);
}
PTOM_FUNCTIONS(pintlv, (uint64 * lo, uint64 *hi, const uint64 *a, const uint64 *b), (lo, hi, a, b), b8, b16, b32)

/// Even groups of a, then of b, are lo; odd ones are hi.
template <typename T>
PTOM_MEMORY void pdintlv(uint64 *__restrict lo, uint64 *__restrict hi, const uint64 *a, const uint64 *b) {
  constexpr int kBits = kElemBytes<T>;
  Image x = loadImage(a), y = loadImage(b);
  storeAny(lo, concat(gatherImage<kBits>(x), gatherImage<kBits>(y)));
  storeAny(hi, concat(gatherImage<kBits>(x >> kBits), gatherImage<kBits>(y >> kBits)));
}
PTOM_FUNCTIONS(pdintlv, (uint64 * lo, uint64 *hi, const uint64 *a, const uint64 *b), (lo, hi, a, b), b8, b16, b32)

/// Even bits, into one half; the other half is 0.
template <typename P> PTOM_MEMORY void ppack(uint64 *__restrict r, const uint64 *a) {
  HalfImage even = gatherImage<1>(loadImage(a)), zero = 0;
  storeAny(r, P::kPart == Part::Lower ? concat(even, zero) : concat(zero, even));
}
PTOM_FUNCTIONS(ppack, (uint64 * r, const uint64 *a), (r, a), LOWER, HIGHER)

/// One half, to the even bits; odd bits are 0.
template <typename P> PTOM_MEMORY void punpack(uint64 *__restrict r, const uint64 *a) {
  Image x = loadImage(a);
  storeAny(r, spreadImage<1>(P::kPart == Part::Lower ? lowHalf(x) : highHalf(x)));
}
PTOM_FUNCTIONS(punpack, (uint64 * r, const uint64 *a), (r, a), LOWER, HIGHER)

/// How bits of an image lie in UB: as they are; each twice, or every other one
/// (loads US, DS); every other one (store PK).
enum class MaskDist { Norm, Up, Down, Packed };
template <MaskDist D> struct InDist {
  static constexpr MaskDist kDist = D;
};
using NORM = InDist<MaskDist::Norm>;
using US = InDist<MaskDist::Up>;
using DS = InDist<MaskDist::Down>;
using PK = InDist<MaskDist::Packed>;

/// From 32, 16 (US) or 64 bytes (DS) at any alignment.
template <typename D> PTOM_MEMORY void plds(uint64 *__restrict r, const uint8 *ub) {
  if constexpr (D::kDist == MaskDist::Norm) {
    storeAny(r, loadAny<Image>(ub));
  } else if constexpr (D::kDist == MaskDist::Up) {
    Image even = spreadImage<1>(loadAny<HalfImage>(ub));
    storeAny(r, even | even << 1);
  } else {
    static_assert(D::kDist == MaskDist::Down);
    storeAny(r, concat(gatherImage<1>(loadAny<Image>(ub)), gatherImage<1>(loadAny<Image>(ub + sizeof(Image)))));
  }
}
PTOM_FUNCTIONS(plds, (uint64 * r, const uint8 *ub), (r, ub), NORM, US, DS)

/// To 32 or 16 bytes (PK) at any alignment.
template <typename D> PTOM_MEMORY void psts(uint8 *__restrict ub, const uint64 *mask) {
  Image x = loadImage(mask);
  if constexpr (D::kDist == MaskDist::Norm) {
    storeAny(ub, x);
  } else {
    static_assert(D::kDist == MaskDist::Packed);
    storeAny(ub, gatherImage<1>(x));
  }
}
PTOM_FUNCTIONS(psts, (uint8 * ub, const uint64 *mask), (ub, mask), NORM, PK)

/// The bytes that pstu appends to its stream, one bit for each lane: the low 32,
/// 16 or 8 bytes of a register whose others are 0.
template <typename T> PTOM_MEMORY void pstu(void *__restrict r, const uint64 *mask) {
  HalfImage zero = 0;
  Image x = loadImage(mask);
  if constexpr (kElemBytes<T> >= 2)
    x = concat(gatherImage<1>(x), zero);
  if constexpr (kElemBytes<T> >= 4)
    x = concat(gatherImage<1>(x), zero);
  storeGroup<b64>(r, 0, __builtin_shufflevector(x, Image(0), 0, 1, 2, 3, 4, 5, 6, 7));
  PTOM_UNROLLED
  for (int g = 1; g < kGroups; ++g)
    storeGroup<b64>(r, g, Group<b64>(0));
}
PTOM_FUNCTIONS(pstu, (void *r, const uint64 *mask), (r, mask), b8, b16, b32)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_MASKS_H
