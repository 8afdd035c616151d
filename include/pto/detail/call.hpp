//===- call.hpp - from a C++ call to a Call of plain data -------*- C++ -*-===//
//
// What every instruction template uses: waiting for events, checking operands
// against the record, collecting them, issuing.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_CALL_HPP
#define PTO_DETAIL_CALL_HPP

#include "pto/common/pto_tile.hpp"
#include "pto/detail/record.hpp"

namespace pto {
PTO_MODE_BEGIN

/// What an instruction gives back: something an Event can be assigned from.
struct RecordEvent {
  detail::Source source{"", 0, 0}; ///< of the instruction
};

namespace detail {
namespace record = ptoscope::tile::record;
using ptoscope::tile::Call;
using ptoscope::tile::Record;

template <typename E>
concept Waitable = requires(E &event, const Here &at) { event.Wait(at); };

/// An event to wait for before an instruction, or none. Instructions take up to four
/// by parameters with a default, after which their place can follow.
struct After {
  void *event = nullptr;
  void (*wait)(void *, const Here &) = nullptr;

  After() = default;
  template <typename E>
    requires(Waitable<E> || std::is_same_v<std::remove_cv_t<E>, RecordEvent>)
  After(E &e) : event(&e) {
    static_assert(!std::is_same_v<std::remove_cv_t<E>, RecordEvent>,
                  "a RecordEvent cannot be waited for: assign it to an Event<Op::…, Op::…> and pass that");
    if constexpr (Waitable<E>)
      wait = [](void *pointer, const Here &at) { static_cast<E *>(pointer)->Wait(at); };
  }
  void operator()(const Here &at) const {
    if (event)
      wait(event, at);
  }
};

/// What follows the operands of every instruction.
#define PTO_AFTER                                                                                                      \
  detail::After e0 = {}, detail::After e1 = {}, detail::After e2 = {}, detail::After e3 = {},                          \
                detail::Here at = detail::Here::current()
#define PTO_WAIT (e0(at), e1(at), e2(at), e3(at))

/// Extents that may be equal.
constexpr bool sameExtent(int a, int b) { return a == DYNAMIC || b == DYNAMIC || a == b; }

/// Checks operand `I` of an instruction at compile time.
template <const Record &R, int I, typename First, typename T> constexpr void checkTile() {
  static_assert(is_tile_data_v<T>, "this operand has to be a tile");
  if constexpr (is_tile_data_v<T>) {
    constexpr auto spec = R.tile[I];
    static_assert(spec.role != ptoscope::tile::Role::None, "the instruction has fewer tiles");
    static_assert(spec.locations >> unsigned(T::Loc) & 1,
                  "the instruction does not take a tile in this memory: declare it with another TileType, or move it "
                  "there with TMOV");
    static_assert(spec.elems == ptoscope::tile::kSameElem || ptoscope::tile::has(spec.elems, T::kElem),
                  "the instruction does not take this element type: convert the tile with TCVT to one that its line in "
                  "pto/detail/records names");
    static_assert(spec.elems != ptoscope::tile::kSameElem || T::kElem == First::kElem,
                  "the element types of the operands differ: convert one of them with TCVT");
    static_assert(spec.area != ptoscope::tile::Area::Dst || ptoscope::tile::leadingTile(R) != 0 ||
                      (sameExtent(T::ValidRow, First::ValidRow) && sameExtent(T::ValidCol, First::ValidCol)),
                  "the valid regions of the operands differ: give them the same RowValid and ColValid");
  }
}

template <const Record &R, typename First, int I, typename T, typename... Rest> constexpr void checkTiles() {
  checkTile<R, I, First, T>();
  if constexpr (sizeof...(Rest) > 0)
    checkTiles<R, First, I + 1, Rest...>();
}

template <typename T> void setScalar(Call &call, int i, const T &value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  call.operands.scalar[i] = 0;
  __builtin_memcpy(&call.operands.scalar[i], static_cast<const void *>(&value), sizeof(T));
}

/// A call with its tiles, in the order of the record.
template <const Record &R, typename First, typename... Rest>
Call makeCall(const Here &at, First &first, Rest &...rest) {
  checkTiles<R, First, 0, First, Rest...>();
  Call call;
  call.record = &R;
  call.source = sourceOf(at);
  call.automatic = kAutomatic;
  call.operands.tile[call.operands.tiles++] = first.view(at);
  ((call.operands.tile[call.operands.tiles++] = rest.view(at)), ...);
  return call;
}
template <typename G> void setGlobal(Call &call, const G &global) {
  static_assert(is_global_data_v<G>, "this operand has to be a GlobalTensor");
  call.operands.hasGlobal = true;
  global.fill(call.operands.global.ref);
  call.operands.global.data = static_cast<uint8_t *>(call.operands.global.ref.pointer);
}
inline RecordEvent finish(Call &call) {
  ptoscope::tile::issue(call);
  return {call.source};
}
} // namespace detail

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_CALL_HPP
