//===- host.hpp - what only the host profile does ---------------*- C++ -*-===//
//
// REPORT-1: a rule of devices is a static assertion; in the host profile, where the
// call has a meaning all the same, it is a finding and the call is computed.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_HOST_HPP
#define PTO_DETAIL_HOST_HPP

#include "pto/detail/call.hpp"
#include "pto/detail/host_abi.hpp"

/// `CALL` is the instruction that the rule is about.
#ifdef __CPU_SIM
#define PTO_DEVICE_RULE(CALL, CONDITION, TEXT)                                                                         \
  if constexpr (!(CONDITION))                                                                                          \
  ptoscope::tile::hostOnly((CALL).record->name, TEXT, (CALL).source)
#else
#define PTO_DEVICE_RULE(CALL, CONDITION, TEXT) static_assert((CONDITION), TEXT)
#endif

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
#ifdef __CPU_SIM
/// Before any launch: the memories of such programs are larger.
inline const bool kNotedHost = ptoscope::tile::noteHost(kAutomatic);
#endif

/// Whether devices take tile `I` of an instruction in this memory, with this element.
template <const Record &R, int I, typename First, typename T> constexpr bool isTakenByDevices() {
  constexpr auto spec = R.tile[I];
  return (spec.locations >> unsigned(T::Loc) & 1) &&
         (spec.elems == ptoscope::tile::kSameElem ? T::kElem == First::kElem
                                                  : ptoscope::tile::has(spec.elems, T::kElem));
}
template <const Record &R, typename First, int I, typename T, typename... Rest> constexpr bool areTakenByDevices() {
  static_assert(is_tile_data_v<T>, "this operand has to be a tile");
  if constexpr (sizeof...(Rest) > 0)
    return isTakenByDevices<R, I, First, T>() && areTakenByDevices<R, First, I + 1, Rest...>();
  else
    return isTakenByDevices<R, I, First, T>();
}

/// makeCall of an instruction that takes any memory and any element in the host profile.
template <const Record &R, typename First, typename... Rest>
Call makeOpenCall(const Here &at, First &first, Rest &...rest) {
  if constexpr (!kHost) {
    return makeCall<R>(at, first, rest...);
  } else {
    Call call(R, sourceOf(at), kRules, kAutomatic);
    viewAll(call.operands, at, first, rest...);
    PTO_DEVICE_RULE(call, (areTakenByDevices<R, First, 0, First, Rest...>()),
                    "the instruction does not take a tile of this memory or element there");
    return call;
  }
}

/// HMOVE-10: pairs of elements that a word of quantisation says something about.
constexpr bool quantises(ptoscope::tile::Elem from, ptoscope::tile::Elem to, bool vector) {
  using ptoscope::tile::Elem;
  if (to == Elem::i8 || to == Elem::u8)
    return from == Elem::f32 || from == Elem::i32;
  if (from == Elem::f32)
    return !vector && (to == Elem::f16 || to == Elem::bf16);
  return from == Elem::i32 && (to == Elem::f16 || to == Elem::i16);
}
/// HMOVE-12: the switch of quantisation, bit 48 of the task's cookie.
inline bool saturates() { return ptoscope::tile::taskCookie() >> 48 & 1; }
} // namespace ptoscope_detail

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_HOST_HPP
