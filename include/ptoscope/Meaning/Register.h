//===- Register.h - whole registers in memory -------------------*- C++ -*-===//
//
// What the meanings of whole-register instructions are written with. Registers
// are 256 bytes aligned to 64, in four lane groups; mask images are four 64-bit
// words, in which bit k governs byte k of a register (MASK-7), so that
// word g belongs to group g. A null mask is an absent one: every lane is on.
//
// A meaning is a template over a variant, a type that says which lanes it works
// on: b8 b16 b32 b64 (lanes as raw bits), b16_LOWER, f32_DESC, ... Behind each
// stands the list of its variants, a macro that the includer may define first:
//
//   PTOM_FUNCTIONS(op, (parameters), (arguments), variants...)   op<Variant>
//   PTOM_FUNCTION(op, (parameters), (arguments))                 op, no variants
//   PTOM_FROM_WORD(op, variants...)    op<Variant>(64-bit word), gives lanes
//   PTOM_TO_WORD(op, variants...)      op<Variant>(lanes), gives a 64-bit word
//
// Results never alias operands.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_REGISTER_H
#define PTOSCOPE_MEANING_REGISTER_H

#include "ptoscope/Meaning/Vec.h"

#ifndef PTOM_FUNCTIONS
#define PTOM_FUNCTIONS(op, parameters, arguments, ...)
#endif
#ifndef PTOM_FUNCTION
#define PTOM_FUNCTION(op, parameters, arguments)
#endif

#ifndef PTOM_FROM_WORD
#define PTOM_FROM_WORD(op, ...)
#endif
#ifndef PTOM_TO_WORD
#define PTOM_TO_WORD(op, ...)
#endif

/// For functions that reach memory.
#define PTOM_MEMORY [[gnu::always_inline]] inline

/// A loop over the groups of a register becomes straight code. What must go lane
/// by lane or block by block stays a loop, since it is inlined at every use; four
/// lanes a turn take half the time of one.
#define PTOM_UNROLLED _Pragma("clang loop unroll(full)")
#define PTOM_ROLLED _Pragma("clang loop vectorize(disable) unroll(disable)")
#define PTOM_LANE_LOOP _Pragma("clang loop vectorize(disable) unroll_count(4)")

namespace ptoscope::meaning {

using uint8 = __UINT8_TYPE__;
using uint32 = __UINT32_TYPE__;
using uint64 = __UINT64_TYPE__;
using int64 = __INT64_TYPE__;

inline constexpr int kGroups = 4;
inline constexpr int kRegisterBytes = kGroups * kGroupBytes;
inline constexpr int kBlockBytes = 32;
inline constexpr int kBlocks = kRegisterBytes / kBlockBytes;
using Block = Vec<uint8, kBlockBytes>;

template <typename T> inline constexpr int kElemBytes = int(sizeof(typename T::Elem));
/// Lanes of a register.
template <typename T> inline constexpr int kRegisterLanes = kGroups * kLanes<T>;

/// Which half of a register.
enum class Part { Lower, Higher };
template <typename T, Part P> struct InPart {
  using Type = T;
  static constexpr Part kPart = P;
};
using b8_LOWER = InPart<b8, Part::Lower>;
using b8_HIGHER = InPart<b8, Part::Higher>;
using b16_LOWER = InPart<b16, Part::Lower>;
using b16_HIGHER = InPart<b16, Part::Higher>;
using b32_LOWER = InPart<b32, Part::Lower>;
using b32_HIGHER = InPart<b32, Part::Higher>;
using b64_LOWER = InPart<b64, Part::Lower>;
using b64_HIGHER = InPart<b64, Part::Higher>;

/// A value at any alignment.
template <typename V> PTOM_MEMORY V loadAny(const void *from) {
  V value;
  __builtin_memcpy(&value, from, sizeof(V));
  return value;
}
template <typename V> PTOM_MEMORY void storeAny(void *to, V value) { __builtin_memcpy(to, &value, sizeof(V)); }

template <typename T> PTOM_MEMORY Group<T> loadGroup(const void *reg, int group) {
  return *reinterpret_cast<const Group<T> *>(static_cast<const uint8 *>(reg) + group * kGroupBytes);
}
template <typename T> PTOM_MEMORY void storeGroup(void *reg, int group, Group<T> value) {
  *reinterpret_cast<Group<T> *>(static_cast<uint8 *>(reg) + group * kGroupBytes) = value;
}

template <typename T> PTOM_MEMORY typename T::Bits loadLane(const void *reg, int lane) {
  return loadAny<typename T::Bits>(static_cast<const uint8 *>(reg) + lane * kElemBytes<T>);
}
template <typename T> PTOM_MEMORY void storeLane(void *reg, int lane, typename T::Bits value) {
  storeAny(static_cast<uint8 *>(reg) + lane * kElemBytes<T>, value);
}

/// Word g governs group g.
PTOM_MEMORY uint64 maskWord(const uint64 *mask, int group) { return mask ? mask[group] : ~uint64(0); }

/// Calls body(i, on) for lane i of width T from 0 up, as a loop. The lowest of a
/// lane's bits decides whether it is on.
template <typename T, typename Fn> PTOM_MEMORY void forEachLane(const uint64 *mask, Fn body) {
  PTOM_ROLLED
  for (int g = 0; g < kGroups; ++g) {
    uint64 word = maskWord(mask, g);
    PTOM_LANE_LOOP
    for (int i = 0; i < kLanes<T>; ++i) {
      body(g * kLanes<T> + i, bool(word & 1));
      word >>= kElemBytes<T>;
    }
  }
}

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_REGISTER_H
