//===- pto_comm_instr_impl.hpp - instructions between devices ---*- C++ -*-===//
//
// TPUT, TGET, signals and collectives (COMM-20 to COMM-45). The templates check types
// and hand plain data to the library.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMM_PTO_COMM_INSTR_IMPL_HPP
#define PTO_COMM_PTO_COMM_INSTR_IMPL_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/comm/comm_types.hpp"
#include "pto/detail/comm_abi.hpp"
#include "pto/pto-inst.hpp"

namespace pto {
PTO_MODE_BEGIN
namespace comm {

namespace ptoscope_detail {
using namespace pto::ptoscope_detail;
using ptoscope::tile::CommGroup;
using ptoscope::tile::CommPlace;
using ptoscope::tile::CommStage;
using ptoscope::tile::GlobalRef;

inline CommPlace placeOf(const char *name, const Here &at) { return {name, sourceOf(at), kAutomatic, kRules}; }
template <typename G> GlobalRef refOf(const G &tensor) {
  GlobalRef ref;
  tensor.fill(ref);
  return ref;
}
template <typename T> CommStage stageOf(T &tile, const Here &at) {
  return {tile.view(at), T::ValidRow == DYNAMIC, T::ValidCol == DYNAMIC};
}
/// What the library left of the extents.
template <typename T> void keepExtents([[maybe_unused]] T &tile, [[maybe_unused]] const CommStage &stage) {
  if constexpr (T::ValidRow == DYNAMIC)
    tile.RowMaskInternal = unsigned(stage.tile.ref.validRows);
  if constexpr (T::ValidCol == DYNAMIC)
    tile.ColMaskInternal = unsigned(stage.tile.ref.validCols);
}

/// Tensors and tiles that data passes through.
template <typename D, typename S, typename T> constexpr void checkPath() {
  static_assert(is_tile_data_v<T>, "the staging operand has to be a tile");
  if constexpr (is_tile_data_v<T>) {
    static_assert(T::Loc == TileType::Vec, "data between devices passes through a Vec tile");
    static_assert(std::is_same_v<std::remove_cv_t<typename D::DType>, std::remove_cv_t<typename S::DType>>,
                  "both tensors have to have the same element type");
    static_assert(ptoscope::tile::elemOf<typename D::DType> == T::kElem,
                  "the staging tile has to have the element type of the tensors");
    static_assert(!std::is_const_v<typename D::DType>, "the destination is a tensor of const elements");
    static_assert(kHost || kLooseLayouts || (loadable(T::kFixed, S::layout) && storable(T::kFixed, D::layout)),
                  "the staging tile has a layout that cannot be loaded from the source or stored to the destination: "
                  "row-major goes with ND, column-major with DN, NZ with NZ");
  }
}
template <typename A, typename B> constexpr void checkPair() {
  static_assert(is_tile_data_v<A> && is_tile_data_v<B>, "ping and pong have to be tiles");
  static_assert(A::kElem == B::kElem && A::Loc == B::Loc && A::BFractal == B::BFractal && A::SFractal == B::SFractal,
                "ping and pong have to be tiles of one kind");
}
template <typename G> constexpr void checkSignal() {
  static_assert(std::is_same_v<std::remove_cv_t<typename G::DType>, int32_t>,
                "a signal is a GlobalTensor of int32_t: Signal, Signal2D<R, C> or GlobalSignal<Shape>");
}
template <typename T, typename... Rest>
concept Tiles = is_tile_data_v<T> && (is_tile_data_v<Rest> && ...);

template <typename D, typename S, typename T>
RecordEvent move(const char *name, const D &dst, const S &src, T &tile, AtomicType atomic, const Here &at) {
  checkPath<D, S, T>();
  CommStage stage = stageOf(tile, at);
  ptoscope::tile::commMove(placeOf(name, at), refOf(dst), refOf(src), &stage, 1, uint32_t(atomic));
  keepExtents(tile, stage);
  return {sourceOf(at)};
}
template <typename D, typename S, typename A, typename B>
RecordEvent move(const char *name, const D &dst, const S &src, A &ping, B &pong, AtomicType atomic, const Here &at) {
  checkPath<D, S, A>();
  checkPair<A, B>();
  CommStage stages[2] = {stageOf(ping, at), stageOf(pong, at)};
  ptoscope::tile::commMove(placeOf(name, at), refOf(dst), refOf(src), stages, 2, uint32_t(atomic));
  keepExtents(ping, stages[0]);
  keepExtents(pong, stages[1]);
  return {sourceOf(at)};
}

template <typename GT> CommGroup groupOf(const ParallelGroup<GT> &group) {
  return {
      group.tensors,
      [](const void *tensors, int64_t member, GlobalRef &ref) { static_cast<const GT *>(tensors)[member].fill(ref); },
      group.nranks, group.rootIdx};
}
template <typename GT, typename G, typename... T>
RecordEvent spread(const char *name, ptoscope::tile::CommSpread kind, const ParallelGroup<GT> &group, const G &own,
                   const Here &at, T &...tiles) {
  if constexpr (sizeof...(T) == 2)
    checkPair<T...>();
  CommStage stages[sizeof...(T)] = {stageOf(tiles, at)...};
  ptoscope::tile::commSpread(placeOf(name, at), kind, groupOf(group), refOf(own), stages, sizeof...(T));
  size_t i = 0;
  (keepExtents(tiles, stages[i++]), ...);
  return {sourceOf(at)};
}
template <typename GT, typename G, typename Acc, typename... T>
RecordEvent reduce(const ParallelGroup<GT> &group, const G &dst, ReduceOp op, const Here &at, Acc &acc, T &...tiles) {
  checkPath<G, GT, Acc>();
  (checkPair<Acc, T>(), ...);
  static_assert(ptoscope::tile::has(ptoscope::tile::kArithmetic, Acc::kElem),
                "TREDUCE computes with 8- to 32-bit integers, half, bfloat16_t and float");
  CommStage stages[sizeof...(T) + 1] = {stageOf(acc, at), stageOf(tiles, at)...};
  ptoscope::tile::commReduce(placeOf("TREDUCE", at), groupOf(group), refOf(dst), stages, sizeof...(T) + 1,
                             uint32_t(op));
  size_t i = 1;
  keepExtents(acc, stages[0]);
  (keepExtents(tiles, stages[i++]), ...);
  return {sourceOf(at)};
}
/// Kernels with waits run with all their blocks at once.
template <typename...> struct Waits {
  static inline const bool noted = ptoscope::tile::noteSignals();
};
} // namespace ptoscope_detail

// --- one rank to another -------------------------------------------------------------------------

template <AtomicType A = AtomicType::AtomicNone, typename D, typename S, typename T>
  requires ptoscope_detail::Tiles<T>
RecordEvent TPUT(const D &dst, const S &src, T &tile, PTO_AFTER) {
  static_assert(A == AtomicType::AtomicNone || ptoscope::tile::hasAtomic(ptoscope::tile::elemOf<typename D::DType>),
                "atomic stores exist for float, half, bfloat16_t, int8_t, int16_t and int32_t");
  PTO_WAIT;
  return ptoscope_detail::move("TPUT", dst, src, tile, A, at);
}
template <typename D, typename S, typename T>
  requires ptoscope_detail::Tiles<T>
RecordEvent TPUT(const D &dst, const S &src, T &tile, AtomicType atomic, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::move("TPUT", dst, src, tile, atomic, at);
}
template <AtomicType A = AtomicType::AtomicNone, typename D, typename S, typename T, typename U>
  requires ptoscope_detail::Tiles<T, U>
RecordEvent TPUT(const D &dst, const S &src, T &ping, U &pong, PTO_AFTER) {
  static_assert(A == AtomicType::AtomicNone || ptoscope::tile::hasAtomic(ptoscope::tile::elemOf<typename D::DType>),
                "atomic stores exist for float, half, bfloat16_t, int8_t, int16_t and int32_t");
  PTO_WAIT;
  return ptoscope_detail::move("TPUT", dst, src, ping, pong, A, at);
}
template <typename D, typename S, typename T, typename U>
  requires ptoscope_detail::Tiles<T, U>
RecordEvent TPUT(const D &dst, const S &src, T &ping, U &pong, AtomicType atomic, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::move("TPUT", dst, src, ping, pong, atomic, at);
}

template <typename D, typename S, typename T>
  requires ptoscope_detail::Tiles<T>
RecordEvent TGET(const D &dst, const S &src, T &tile, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::move("TGET", dst, src, tile, AtomicType::AtomicNone, at);
}
template <typename D, typename S, typename T, typename U>
  requires ptoscope_detail::Tiles<T, U>
RecordEvent TGET(const D &dst, const S &src, T &ping, U &pong, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::move("TGET", dst, src, ping, pong, AtomicType::AtomicNone, at);
}

// --- signals -------------------------------------------------------------------------------------

template <typename G> void TNOTIFY(const G &signal, int32_t value, NotifyOp op, PTO_AFTER) {
  ptoscope_detail::checkSignal<G>();
  PTO_WAIT;
  ptoscope::tile::notifySignal(signal.data(), value, op == NotifyOp::AtomicAdd, ptoscope_detail::sourceOf(at));
}
template <typename G> void TWAIT(const G &signals, int32_t value, WaitCmp cmp, PTO_AFTER) {
  ptoscope_detail::checkSignal<G>();
  (void)ptoscope_detail::Waits<>::noted;
  PTO_WAIT;
  ptoscope::tile::waitSignals(ptoscope_detail::refOf(signals), value, uint32_t(cmp), ptoscope_detail::sourceOf(at));
}
template <typename G> bool TTEST(const G &signals, int32_t value, WaitCmp cmp, PTO_AFTER) {
  ptoscope_detail::checkSignal<G>();
  (void)ptoscope_detail::Waits<>::noted;
  PTO_WAIT;
  return ptoscope::tile::testSignals(ptoscope_detail::refOf(signals), value, uint32_t(cmp),
                                     ptoscope_detail::sourceOf(at));
}

// --- collectives, which the root alone executes (COMM-44) ----------------------------------------
// Groups and tensors are no const references here: a tile instruction of the same name
// would match better.

#define PTO_COLLECTIVE(NAME, CHECK)                                                                                    \
  template <typename GT, typename G, typename T>                                                                       \
    requires ptoscope_detail::Tiles<T>                                                                                 \
  RecordEvent NAME(ParallelGroup<GT> &group, G &own, T &tile, PTO_AFTER) {                                             \
    ptoscope_detail::CHECK;                                                                                            \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::spread(#NAME, kSpread##NAME, group, own, at, tile);                                        \
  }                                                                                                                    \
  template <typename GT, typename G, typename T>                                                                       \
    requires ptoscope_detail::Tiles<T>                                                                                 \
  RecordEvent NAME(const ParallelGroup<GT> &group, G &own, T &tile, PTO_AFTER) {                                       \
    ptoscope_detail::CHECK;                                                                                            \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::spread(#NAME, kSpread##NAME, group, own, at, tile);                                        \
  }                                                                                                                    \
  template <typename GT, typename G, typename T, typename U>                                                           \
    requires ptoscope_detail::Tiles<T, U>                                                                              \
  RecordEvent NAME(ParallelGroup<GT> &group, G &own, T &ping, U &pong, PTO_AFTER) {                                    \
    ptoscope_detail::CHECK;                                                                                            \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::spread(#NAME, kSpread##NAME, group, own, at, ping, pong);                                  \
  }                                                                                                                    \
  template <typename GT, typename G, typename T, typename U>                                                           \
    requires ptoscope_detail::Tiles<T, U>                                                                              \
  RecordEvent NAME(const ParallelGroup<GT> &group, G &own, T &ping, U &pong, PTO_AFTER) {                              \
    ptoscope_detail::CHECK;                                                                                            \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::spread(#NAME, kSpread##NAME, group, own, at, ping, pong);                                  \
  }
inline constexpr auto kSpreadTBROADCAST = ptoscope::tile::CommSpread::Broadcast,
                      kSpreadTGATHER = ptoscope::tile::CommSpread::Gather,
                      kSpreadTSCATTER = ptoscope::tile::CommSpread::Scatter;
#define PTO_COMMA ,
PTO_COLLECTIVE(TBROADCAST, checkPath<GT PTO_COMMA G PTO_COMMA T>())
PTO_COLLECTIVE(TGATHER, checkPath<G PTO_COMMA GT PTO_COMMA T>())
PTO_COLLECTIVE(TSCATTER, checkPath<GT PTO_COMMA G PTO_COMMA T>())
#undef PTO_COMMA
#undef PTO_COLLECTIVE

template <typename GT, typename G, typename A, typename T>
  requires ptoscope_detail::Tiles<A, T>
RecordEvent TREDUCE(const ParallelGroup<GT> &group, const G &dst, A &acc, T &recv, ReduceOp op, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::reduce(group, dst, op, at, acc, recv);
}
template <typename GT, typename G, typename A, typename T, typename U>
  requires ptoscope_detail::Tiles<A, T, U>
RecordEvent TREDUCE(const ParallelGroup<GT> &group, const G &dst, A &acc, T &ping, U &pong, ReduceOp op, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::reduce(group, dst, op, at, acc, ping, pong);
}

// --- engines ---------------------------------------------------------------------------------------

#define PTO_WITH_ENGINE(NAME)                                                                                          \
  template <CollEngine E, typename... A> RecordEvent NAME(A &&...arguments) {                                          \
    static_assert(E == CollEngine::AIV,                                                                                \
                  #NAME "<CollEngine::CCU> is not modelled: a unit of the A5 runs it by a program that no document "   \
                        "describes; use the form without an engine, which the vector core runs");                      \
    if constexpr (E == CollEngine::AIV)                                                                                \
      return NAME(static_cast<A &&>(arguments)...);                                                                    \
    return {};                                                                                                         \
  }
PTO_WITH_ENGINE(TBROADCAST)
PTO_WITH_ENGINE(TGATHER)
PTO_WITH_ENGINE(TSCATTER)
PTO_WITH_ENGINE(TREDUCE)
#undef PTO_WITH_ENGINE

} // namespace comm
PTO_MODE_END
} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_COMM_PTO_COMM_INSTR_IMPL_HPP
