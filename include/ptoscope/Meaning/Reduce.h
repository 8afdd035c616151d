//===- Reduce.h - meanings that combine the lanes of a register -*- C++ -*-===//
//
// Reductions (RED-1 to RED-16) and histograms (HIST-3 to HIST-5). The mask says which
// lanes take part: the others count as the neutral value. Results stand in the
// first lanes, every other lane is zero.
//
// All reductions are one tree: a level combines neighbours, t[j] = t[2j] op
// t[2j + 1], and halves the number of lanes; float sums are rounded to the
// element at each level. vcpadd stops after one level, the group forms when one
// lane for each 32-byte block is left, the others at one lane. Sums of floats
// leave arithmetic here: their NaNs are made canonical.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_REDUCE_H
#define PTOSCOPE_MEANING_REDUCE_H

#include "ptoscope/Meaning/Masks.h"

#define PTOM_REDUCED i16, u16, i32, u32, f16, f32

namespace ptoscope::meaning {

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

/// One level: neighbours of a and b in a row.
template <typename Op, typename V> PTOM_INLINE V combine(Op op, V a, V b) {
  constexpr int kN = kCount<V>;
  return op(shuffle<kN, [](int i) { return 2 * i; }>(a, b), shuffle<kN, [](int i) { return 2 * i + 1; }>(a, b));
}

/// The levels below, down to `Left` lanes.
template <int Left, typename Op, typename V> PTOM_INLINE auto fold(Op op, V v) {
  constexpr int kHalf = kCount<V> / 2;
  if constexpr (kCount<V> == Left)
    return v;
  else
    return fold<Left>(op, op(shuffle<kHalf, [](int i) { return 2 * i; }>(v, v),
                             shuffle<kHalf, [](int i) { return 2 * i + 1; }>(v, v)));
}

/// The four groups of a register, down to `Left` lanes.
template <int Left, typename Op, typename V> PTOM_INLINE auto foldRegister(Op op, V g0, V g1, V g2, V g3) {
  return fold<Left>(op, combine(op, combine(op, g0, g1), combine(op, g2, g3)));
}

/// A group whose first lanes are v and whose others are zero.
template <typename T, typename V> PTOM_INLINE Group<T> inFront(V v) {
  return bitcast<Group<T>>(shuffle<kLanes<T>, [](int i) { return i < kCount<V> ? i : kCount<V>; }>(v, V(0)));
}

template <typename T> PTOM_MEMORY void storeReduced(void *r, Group<T> first, Group<T> second = Group<T>(0)) {
  storeGroup<T>(r, 0, first);
  storeGroup<T>(r, 1, second);
  storeGroup<T>(r, 2, Group<T>(0));
  storeGroup<T>(r, 3, Group<T>(0));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Floats are added as such, integers as unsigned lanes, which wrap.
template <typename T> struct SumOf {
  using Lane = typename T::Bits;
};
template <> struct SumOf<f16> {
  using Lane = _Float16;
};
template <> struct SumOf<f32> {
  using Lane = float;
};
template <typename T> using SumGroup = Vec<typename SumOf<T>::Lane, kLanes<T>>;

struct Add {
  template <typename V> PTOM_INLINE V operator()(V a, V b) const { return a + b; }
};

template <typename T> PTOM_MEMORY SumGroup<T> loadSummands(const void *a, const uint64 *mask, int group) {
  return bitcast<SumGroup<T>>(select(maskLanes<T>(maskWord(mask, group)), loadGroup<T>(a, group), Group<T>(0)));
}

template <typename T> PTOM_INLINE Group<T> leaveArithmetic(Group<T> v) {
  if constexpr (kIsFloat<T>)
    return canon<T>(v);
  else
    return v;
}

/// What a full sum is kept in: 8 and 16 bits widen, so that it cannot overflow.
template <typename T> struct WidenedOf {
  using Type = T;
};
template <> struct WidenedOf<i8> {
  using Type = i16;
};
template <> struct WidenedOf<u8> {
  using Type = u16;
};
template <> struct WidenedOf<i16> {
  using Type = i32;
};
template <> struct WidenedOf<u16> {
  using Type = u32;
};
template <typename T> using Widened = typename WidenedOf<T>::Type;

/// Summands of the widened sum: themselves, or neighbours added in the wider
/// lane that holds both.
template <typename T> PTOM_INLINE SumGroup<Widened<T>> widenSummands(SumGroup<T> v) {
  using W = Widened<T>;
  if constexpr (kIsSame<T, W>) {
    return v;
  } else {
    constexpr int kBits = 8 * kElemBytes<T>;
    // On the lanes' own sign: >> then extends as the element does.
    Group<W> even = bitcast<Group<W>>(bitcast<BitsGroup<W>>(v) << kBits) >> kBits;
    Group<W> odd = bitcast<Group<W>>(v) >> kBits;
    return toBits<W>(even) + toBits<W>(odd);
  }
}

/// Lane 0: the sum of all lanes, in 16 or 32 bits for narrower integers.
template <typename T> PTOM_MEMORY void vcadd(void *__restrict r, const void *a, const uint64 *mask) {
  using W = Widened<T>;
  auto group = [&](int g) __attribute__((always_inline)) { return widenSummands<T>(loadSummands<T>(a, mask, g)); };
  storeReduced<W>(r, leaveArithmetic<W>(inFront<W>(foldRegister<1>(Add(), group(0), group(1), group(2), group(3)))));
}
PTOM_FUNCTIONS(vcadd, (void *r, const void *a, const uint64 *mask), (r, a, mask), i8, u8, PTOM_REDUCED)

/// Lanes 0 to 7: the sum of each 32-byte block; integers wrap.
template <typename T> PTOM_MEMORY void vcgadd(void *__restrict r, const void *a, const uint64 *mask) {
  auto group = [&](int g) __attribute__((always_inline)) { return loadSummands<T>(a, mask, g); };
  storeReduced<T>(r,
                  leaveArithmetic<T>(inFront<T>(foldRegister<kBlocks>(Add(), group(0), group(1), group(2), group(3)))));
}
PTOM_FUNCTIONS(vcgadd, (void *r, const void *a, const uint64 *mask), (r, a, mask), i8, u8, PTOM_REDUCED)

/// The lower half: sums of neighbours.
template <typename T> PTOM_MEMORY void vcpadd(void *__restrict r, const void *a, const uint64 *mask) {
  auto group = [&](int g) __attribute__((always_inline)) { return loadSummands<T>(a, mask, g); };
  storeReduced<T>(r, canon<T>(combine(Add(), group(0), group(1))), canon<T>(combine(Add(), group(2), group(3))));
}
PTOM_FUNCTIONS(vcpadd, (void *r, const void *a, const uint64 *mask), (r, a, mask), f16, f32)

//===----------------------------------------------------------------------===//
// Extrema
//===----------------------------------------------------------------------===//

struct Max {
  static constexpr NaNs kNaNs = NaNs::Highest; ///< a NaN wins
  template <typename V> PTOM_INLINE V operator()(V a, V b) const { return __builtin_elementwise_max(a, b); }
};
struct Min {
  static constexpr NaNs kNaNs = NaNs::Lowest;
  template <typename V> PTOM_INLINE V operator()(V a, V b) const { return __builtin_elementwise_min(a, b); }
};

/// Integers that are ordered as the elements are: of floats, whose comparison
/// many hosts lack for 16 bits, the number in the order of Vec.h.
template <typename T> struct KeyOf {
  using Lane = typename T::Elem;
};
template <> struct KeyOf<f16> {
  using Lane = f16::Bits;
};
template <> struct KeyOf<f32> {
  using Lane = f32::Bits;
};
template <typename T> using KeyGroup = Vec<typename KeyOf<T>::Lane, kLanes<T>>;

/// The key that loses against every other: of the type's extreme or of infinity.
template <typename T, typename Op> PTOM_INLINE typename KeyOf<T>::Lane neutralKey() {
  using Bits = typename T::Bits;
  constexpr bool kSigned = !kIsFloat<T> && typename KeyOf<T>::Lane(-1) < 0;
  constexpr Bits kLowest = kSigned ? Bits(1) << (8 * sizeof(Bits) - 1) : 0;
  return typename KeyOf<T>::Lane(kIsSame<Op, Max> ? kLowest : Bits(~kLowest));
}

template <typename T, typename Op> PTOM_INLINE KeyGroup<T> toKeys(Group<T> v) {
  if constexpr (kIsFloat<T>)
    return toOrder<T, Op::kNaNs>(v);
  else
    return v;
}
template <typename T, typename Op> PTOM_INLINE Group<T> fromKeys(KeyGroup<T> keys) {
  if constexpr (kIsFloat<T>)
    return fromOrder<T, Op::kNaNs>(keys);
  else
    return keys;
}

/// Lanes 0 to 7: the extremum of each 32-byte block, as vmax and vmin see it: a
/// NaN wins, and the zeros are ordered. A block without lanes gives the neutral
/// value.
template <typename T, typename Op>
PTOM_MEMORY void blockExtrema(void *__restrict r, const void *a, const uint64 *mask) {
  auto group = [&](int g) __attribute__((always_inline)) {
    return select(maskLanes<T>(maskWord(mask, g)), toKeys<T, Op>(loadGroup<T>(a, g)), KeyGroup<T>(neutralKey<T, Op>()));
  };
  auto best = foldRegister<kBlocks>(Op(), group(0), group(1), group(2), group(3));
  Group<T> values = leaveArithmetic<T>(fromKeys<T, Op>(bitcast<KeyGroup<T>>(inFront<T>(best))));
  auto isResult = laneConstants<MaskGroup<T>, [](int i) { return i < kBlocks ? -1 : 0; }>();
  storeReduced<T>(r, select(isResult, values, Group<T>(0)));
}

template <typename T> PTOM_MEMORY void vcgmax(void *__restrict r, const void *a, const uint64 *mask) {
  blockExtrema<T, Max>(r, a, mask);
}
PTOM_FUNCTIONS(vcgmax, (void *r, const void *a, const uint64 *mask), (r, a, mask), i8, u8, PTOM_REDUCED)

template <typename T> PTOM_MEMORY void vcgmin(void *__restrict r, const void *a, const uint64 *mask) {
  blockExtrema<T, Min>(r, a, mask);
}
PTOM_FUNCTIONS(vcgmin, (void *r, const void *a, const uint64 *mask), (r, a, mask), i8, u8, PTOM_REDUCED)

/// Keys for which the first of equals counts: the zeros are equal, and so are
/// all NaNs.
template <typename T, typename Op> PTOM_INLINE KeyGroup<T> toTieKeys(Group<T> v) {
  if constexpr (kIsFloat<T>) {
    BitsGroup<T> bits = toBits<T>(canon<T>(v));
    return toKeys<T, Op>(fromBits<T>(select(bits == T::kSign, BitsGroup<T>(0), bits)));
  } else {
    return v;
  }
}

/// What all lanes that take part have as their extremum, and which lanes those are.
template <typename T, typename Op> struct Extremum {
  KeyGroup<T> keys[kGroups];
  MaskGroup<T> on[kGroups];
  typename KeyOf<T>::Lane best;

  PTOM_MEMORY void find(const void *a, const uint64 *mask) {
    PTOM_UNROLLED
    for (int g = 0; g < kGroups; ++g) {
      on[g] = maskLanes<T>(maskWord(mask, g));
      keys[g] = select(on[g], toTieKeys<T, Op>(loadGroup<T>(a, g)), KeyGroup<T>(neutralKey<T, Op>()));
    }
    best = fold<1>(Op(), Op()(Op()(keys[0], keys[1]), Op()(keys[2], keys[3])))[0];
  }
  PTOM_INLINE MaskGroup<T> places(int g) const { return on[g] & bitcast<MaskGroup<T>>(keys[g] == best); }
};

/// The first lane of the extremum and its value. Without lanes: the neutral value and 0.
template <typename T, typename Op>
PTOM_MEMORY Vec<typename T::Bits, 2> firstOf(const Extremum<T, Op> &found, const void *a, const uint64 *mask) {
  using Bits = typename T::Bits;
  constexpr Bits kNone = Bits(-1);
  BitsGroup<T> first = BitsGroup<T>(kNone);
  PTOM_UNROLLED
  for (int g = kGroups - 1; g >= 0; --g) {
    BitsGroup<T> number = laneConstants<BitsGroup<T>, [](int i) { return i; }>() + Bits(g * kLanes<T>);
    first = select(found.places(g), number, first);
  }
  Bits lane = fold<1>(Min(), first)[0];
  bool any = lane != kNone;
  if constexpr (kElemBytes<T> == 1) // 255 is a lane, too
    any = any || countOn<T>(mask) != 0;
  lane = any ? lane : Bits(0);
  // Not from the key, which has lost the sign of a zero.
  Group<T> value = leaveArithmetic<T>(splat<T>(__builtin_bit_cast(typename T::Elem, loadLane<T>(a, lane))));
  Group<T> neutral = fromKeys<T, Op>(KeyGroup<T>(neutralKey<T, Op>()));
  return Vec<Bits, 2>{any ? toBits<T>(value)[0] : toBits<T>(neutral)[0], lane};
}

/// Lane 0: the extremum; lane 1: the number of the first lane that has it, as an
/// integer whatever the element is.
template <typename T, typename Op> PTOM_MEMORY void extremum(void *__restrict r, const void *a, const uint64 *mask) {
  Extremum<T, Op> found;
  found.find(a, mask);
  storeReduced<T>(r, inFront<T>(firstOf<T, Op>(found, a, mask)));
}

/// Lane 0: the extremum; the mask has every lane that equals it (RED-17).
template <typename T, typename Op>
PTOM_MEMORY void markedExtremum(void *__restrict r, uint64 *__restrict places, const void *a, const uint64 *mask) {
  Extremum<T, Op> found;
  found.find(a, mask);
  Vec<typename T::Bits, 2> first = firstOf<T, Op>(found, a, mask);
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g)
    places[g] = maskBits<T>(found.places(g));
  first[1] = 0;
  storeReduced<T>(r, inFront<T>(first));
}

template <typename T> PTOM_MEMORY void vcmax(void *__restrict r, const void *a, const uint64 *mask) {
  extremum<T, Max>(r, a, mask);
}
PTOM_FUNCTIONS(vcmax, (void *r, const void *a, const uint64 *mask), (r, a, mask), i8, u8, PTOM_REDUCED)

template <typename T> PTOM_MEMORY void vcmin(void *__restrict r, const void *a, const uint64 *mask) {
  extremum<T, Min>(r, a, mask);
}
PTOM_FUNCTIONS(vcmin, (void *r, const void *a, const uint64 *mask), (r, a, mask), i8, u8, PTOM_REDUCED)

template <typename T>
PTOM_MEMORY void vcbmax(void *__restrict r, uint64 *__restrict places, const void *a, const uint64 *mask) {
  markedExtremum<T, Max>(r, places, a, mask);
}
PTOM_FUNCTIONS(vcbmax, (void *r, uint64 *places, const void *a, const uint64 *mask), (r, places, a, mask), i8, u8,
               PTOM_REDUCED)

template <typename T>
PTOM_MEMORY void vcbmin(void *__restrict r, uint64 *__restrict places, const void *a, const uint64 *mask) {
  markedExtremum<T, Min>(r, places, a, mask);
}
PTOM_FUNCTIONS(vcbmin, (void *r, uint64 *places, const void *a, const uint64 *mask), (r, places, a, mask), i8, u8,
               PTOM_REDUCED)

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

/// Which 128 of the 256 bins a register holds.
template <int Bank> struct Bins {
  static constexpr uint32 kBank = Bank;
};
using BIN_N0 = Bins<0>;
using BIN_N1 = Bins<1>;

/// How many active bytes of src there are of each value; counts wrap in 16 bits
/// once they are added.
struct alignas(kGroupBytes) Counts {
  u16::Elem bin[256];

  PTOM_MEMORY void fill(const void *src, const uint64 *mask) {
    __builtin_memset(bin, 0, sizeof(bin));
    forEachLane<u8>(mask, [&](int i, bool on) __attribute__((always_inline)) { bin[loadLane<u8>(src, i)] += on; });
  }
};

PTOM_MEMORY void addCounts(void *__restrict r, const void *acc, const u16::Elem *counts) {
  PTOM_UNROLLED
  for (int g = 0; g < kGroups; ++g)
    storeGroup<u16>(r, g, loadGroup<u16>(acc, g) + loadGroup<u16>(counts, g));
}

/// The first bin of a bank; there are two (HIST-6).
PTOM_INLINE int firstBin(uint32 bank) { return bank & 1 ? kRegisterLanes<u16> : 0; }

/// acc plus the number of active bytes of each value.
template <typename T>
PTOM_MEMORY void dhistv2(void *__restrict r, const void *acc, const void *src, const uint64 *mask, uint32 bank) {
  Counts counts;
  counts.fill(src, mask);
  addCounts(r, acc, counts.bin + firstBin(bank));
}
PTOM_FUNCTIONS(dhistv2, (void *r, const void *acc, const void *src, const uint64 *mask, uint32 bank),
               (r, acc, src, mask, bank), u8)

/// acc plus the number of active bytes up to each value, from value 0 on in
/// either half.
template <typename T>
PTOM_MEMORY void chistv2(void *__restrict r, const void *acc, const void *src, const uint64 *mask, uint32 bank) {
  Counts counts;
  counts.fill(src, mask);
  const int first = firstBin(bank);
  PTOM_LANE_LOOP
  for (int i = 1; i < first + kRegisterLanes<u16>; ++i)
    counts.bin[i] += counts.bin[i - 1];
  addCounts(r, acc, counts.bin + first);
}
PTOM_FUNCTIONS(chistv2, (void *r, const void *acc, const void *src, const uint64 *mask, uint32 bank),
               (r, acc, src, mask, bank), u8)

/// The same with a word for the bank.
template <typename B>
PTOM_MEMORY void vdhist(void *__restrict r, const void *acc, const void *src, const uint64 *mask) {
  dhistv2<u8>(r, acc, src, mask, B::kBank);
}
PTOM_FUNCTIONS(vdhist, (void *r, const void *acc, const void *src, const uint64 *mask), (r, acc, src, mask), BIN_N0,
               BIN_N1)

template <typename B>
PTOM_MEMORY void vchist(void *__restrict r, const void *acc, const void *src, const uint64 *mask) {
  chistv2<u8>(r, acc, src, mask, B::kBank);
}
PTOM_FUNCTIONS(vchist, (void *r, const void *acc, const void *src, const uint64 *mask), (r, acc, src, mask), BIN_N0,
               BIN_N1)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_REDUCE_H
