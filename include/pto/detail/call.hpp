//===- call.hpp - from a C++ call to a Call of plain data -------*- C++ -*-===//
//
// What every instruction template uses: waiting for events, checking operands
// against the record, collecting them, issuing.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_CALL_HPP
#define PTO_DETAIL_CALL_HPP

#include "pto/common/pto_tile.hpp"
#include "pto/detail/host_abi.hpp"
#include "pto/detail/host_elems.hpp"

namespace pto {
PTO_MODE_BEGIN

/// What an instruction gives back: something an Event can be assigned from.
struct RecordEvent {
  ptoscope_detail::Source source{"", 0, 0}; ///< of the instruction
};

namespace ptoscope_detail {
namespace record = ptoscope::tile::record;
using ptoscope::tile::Call;
using ptoscope::tile::Record;

template <typename E>
concept Waitable = requires(E &event, const Here &at) { event.Wait(at); };

/// An event to wait for before an instruction, or none. Instructions take up to eight
/// by parameters with a default, after which their place can follow: it cannot follow a pack.
struct After : ptoscope::tile::Waiting {
  constexpr After() = default;
  template <typename E>
    requires(Waitable<E> || std::is_same_v<std::remove_cv_t<E>, RecordEvent>)
  After(E &e) {
    static_assert(!std::is_same_v<std::remove_cv_t<E>, RecordEvent>,
                  "a RecordEvent cannot be waited for: assign it to an Event<Op::…, Op::…> and pass that");
    event = &e;
    if constexpr (Waitable<E>)
      wait = [](void *pointer, const void *at) { static_cast<E *>(pointer)->Wait(*static_cast<const Here *>(at)); };
  }
};

inline constexpr After kNone{};
using AfterRef = const After &;
/// Events are given from the left.
inline void waitFor(AfterRef e0, AfterRef e1, AfterRef e2, AfterRef e3, AfterRef e4, AfterRef e5, AfterRef e6,
                    AfterRef e7, const Here &at) {
  if (&e0 != &kNone)
    ptoscope::tile::waitForEach(e0, e1, e2, e3, e4, e5, e6, e7, &at);
}

/// What follows the operands of every instruction. Compilers read it some hundred times:
/// binding a reference takes them less time than an initialization.
#define PTO_EVENT(NAME) ptoscope_detail::AfterRef NAME = ptoscope_detail::kNone
#define PTO_AFTER                                                                                                      \
  PTO_EVENT(e0), PTO_EVENT(e1), PTO_EVENT(e2), PTO_EVENT(e3), PTO_EVENT(e4), PTO_EVENT(e5), PTO_EVENT(e6),             \
      PTO_EVENT(e7), ptoscope_detail::Here at = ptoscope_detail::Here::current()
#define PTO_EVENTS e0, e1, e2, e3, e4, e5, e6, e7
#define PTO_NO_EVENTS                                                                                                  \
  {}, {}, {}, {}, {}, {}, {}, {}
#define PTO_WAIT ptoscope_detail::waitFor(PTO_EVENTS, at)
#define PTO_ISSUE(NAME, ...) ptoscope_detail::issueAfter<ptoscope_detail::record::NAME>(PTO_EVENTS, at, __VA_ARGS__)
#define PTO_ISSUE_SCALAR(NAME, SCALAR, ...)                                                                            \
  ptoscope_detail::issueScalarAfter<ptoscope_detail::record::NAME>(PTO_EVENTS, at, SCALAR, __VA_ARGS__)

/// Extents that may be equal.
constexpr bool sameExtent(int a, int b) { return a == DYNAMIC || b == DYNAMIC || a == b; }

/// What the type of an operand says: as values, for the rules below. Compilers read a comparison in a template
/// again for each instance, and search for operators of the enumeration each time.
struct OperandType {
  bool isTile = false, isConst = false;
  ptoscope::tile::TileRef fixed = {};
};
template <typename T> consteval OperandType typeOf() {
  if constexpr (is_tile_data_v<T>)
    return {true, std::is_const_v<T>, T::kFixed};
  else
    return {};
}

/// What is wrong with operand `i` of an instruction: one thing, so that a wrong call gets one message.
enum class Fault { None, NoTile, TooMany, Const, Memory, Element, Elements, Extents };
consteval Fault faultOf(const Record &r, size_t i, const OperandType &first, const OperandType &type) {
  using ptoscope::tile::Role;
  if (!type.isTile)
    return Fault::NoTile;
  const ptoscope::tile::OperandSpec &spec = r.tile[i];
  if (spec.role == Role::None)
    return Fault::TooMany;
  if (type.isConst && spec.role != Role::Read && spec.role != Role::Copy && spec.role != Role::Index &&
      spec.role != Role::Alias)
    return Fault::Const;
  if (!(spec.locations >> type.fixed.location & 1))
    return Fault::Memory;
  if (spec.elems != ptoscope::tile::kSameElem)
    if (!ptoscope::tile::has(spec.elems | ptoscope::tile::moreElems(r, i, kHost), type.fixed.elem))
      return Fault::Element;
  if (!first.isTile)
    return Fault::None;
  if (spec.elems == ptoscope::tile::kSameElem && type.fixed.elem != first.fixed.elem)
    return Fault::Elements;
  // REPORT-14: in the host profile the library says it, and the call is computed.
  const size_t lead = ptoscope::tile::leadingTile(r);
  if (!kHost && r.tile[lead == 0 ? i : 0].area == ptoscope::tile::Area::Dst && (lead == 0 || lead == i) &&
      !(sameExtent(type.fixed.validRows, first.fixed.validRows) &&
        sameExtent(type.fixed.validCols, first.fixed.validCols)))
    return Fault::Extents;
  return Fault::None;
}
/// The first operand that has a fault.
struct FaultyOperand {
  int operand = -1;
  Fault fault = Fault::None;
};
consteval FaultyOperand firstFault(const Record &r, const OperandType *types, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (const Fault fault = faultOf(r, i, types[0], types[i]); fault != Fault::None)
      return {int(i), fault};
  return {};
}

/// What a wrong call of an instruction gets to read; `Operand` is the number of the tile.
template <const Record &R, int Operand, Fault F> constexpr void refuse() {
  static_assert(F != Fault::NoTile, "this operand has to be a tile");
  static_assert(F != Fault::TooMany, "the instruction has fewer tiles");
  static_assert(F != Fault::Const, "the instruction writes to this tile, which is const");
  static_assert(F != Fault::Memory, "the instruction does not take a tile in this memory: declare it with another "
                                    "TileType, or move it there with TMOV");
  static_assert(F != Fault::Element,
                "the instruction does not take this element type: convert the tile with TCVT to one "
                "that its line in pto/detail/records names");
  static_assert(F != Fault::Elements, "the element types of the operands differ: convert one of them with TCVT");
  static_assert(F != Fault::Extents,
                "the valid regions of the operands differ: give them the same RowValid and ColValid");
}

/// Checks the tiles of an instruction at compile time, up to the first that has a fault.
template <const Record &R, typename... T> constexpr void checkTiles() {
  constexpr OperandType types[] = {typeOf<T>()...};
  constexpr FaultyOperand found = firstFault(R, types, sizeof...(T));
  if constexpr (found.operand >= 0)
    refuse<R, found.operand, found.fault>();
}

template <typename T> void setScalar(Call &call, int i, const T &value) {
  static_assert(sizeof(T) <= 8 && __is_trivially_copyable(T));
  call.operands.scalar[i] = 0;
  __builtin_memcpy(&call.operands.scalar[i], static_cast<const void *>(&value), sizeof(T));
}

/// Tiles that vectors of the device can be loaded from row by row.
template <typename T> inline constexpr bool kInRows = T::isRowMajor && !T::isBoxedLayout;
#define PTO_NOT_IN_ROWS                                                                                                \
  "this operand has to be row-major without boxes: declare the tile with BLayout::RowMajor and "                       \
  "SLayout::NoneBox, or bring it there with TMOV or TTRANS"
/// Whether a source of the instruction, which reads by rows, is another tile.
template <const Record &R, typename... T> consteval bool hasOtherRows() {
  const bool inRows[] = {kInRows<T>...};
  for (size_t i = 0; i < sizeof...(T); ++i)
    if (R.tile[i].role == ptoscope::tile::Role::Read && R.tile[i].area != ptoscope::tile::Area::Bits && !inRows[i])
      return ptoscope::tile::readsRows(R);
  return false;
}

/// Tiles of a call that has none yet.
template <typename... T> void viewAll(ptoscope::tile::Operands &operands, const Here &at, T &...tile) {
  operands.tiles = sizeof...(T);
  ptoscope::tile::TileView *next = operands.tile;
  (tile.view(*next++, at), ...);
}
/// A call with its tiles, in the order of the record, which someone else has checked.
template <const Record &R, typename First, typename... Rest> Call collect(const Here &at, First &first, Rest &...rest) {
  Call call(R, sourceOf(at), kRules, kAutomatic);
  viewAll(call.operands, at, first, rest...);
  if constexpr (kHost)
    if constexpr (hasOtherRows<R, First, Rest...>()) {
      ptoscope::tile::hostOnly(R.name, PTO_NOT_IN_ROWS, call.source);
      call.operands.byRows = true;
    }
  return call;
}
/// The same, checked against the record.
template <const Record &R, typename First, typename... Rest>
Call makeCall(const Here &at, First &first, Rest &...rest) {
  checkTiles<R, First, Rest...>();
  if constexpr (is_tile_data_v<First> && (is_tile_data_v<Rest> && ...))
    return collect<R>(at, first, rest...);
  else
    return Call();
}
template <typename G> void setGlobal(Call &call, const G &global) {
  static_assert(is_global_data_v<G>, "this operand has to be a GlobalTensor");
  if constexpr (is_global_data_v<G>) {
    call.operands.hasGlobal = true;
    global.fill(call.operands.global.ref);
    call.operands.global.data = static_cast<uint8_t *>(call.operands.global.ref.pointer);
  }
}
/// Operands of a transfer, the first message of a wrong one.
template <typename T, typename G> inline constexpr bool kTransfers = !is_global_data_v<T> && is_global_data_v<G>;

inline RecordEvent finish(Call &call) {
  ptoscope::tile::issue(call);
  return {call.source};
}
/// All of an instruction that has nothing but tiles. One call whose arguments depend on types: compilers look at it
/// when the instruction is used, and at three statements whenever the header is read.
template <const Record &R, typename... T>
RecordEvent issueAfter(AfterRef e0, AfterRef e1, AfterRef e2, AfterRef e3, AfterRef e4, AfterRef e5, AfterRef e6,
                       AfterRef e7, const Here &at, T &...tiles) {
  waitFor(PTO_EVENTS, at);
  Call call = makeCall<R>(at, tiles...);
  return finish(call);
}
/// The same with a scalar.
template <const Record &R, typename S, typename... T>
RecordEvent issueScalarAfter(AfterRef e0, AfterRef e1, AfterRef e2, AfterRef e3, AfterRef e4, AfterRef e5, AfterRef e6,
                             AfterRef e7, const Here &at, const S &scalar, T &...tiles) {
  waitFor(PTO_EVENTS, at);
  Call call = makeCall<R>(at, tiles...);
  setScalar(call, 0, scalar);
  return finish(call);
}
} // namespace ptoscope_detail

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_CALL_HPP
