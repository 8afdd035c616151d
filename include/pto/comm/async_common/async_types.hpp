//===- async_types.hpp - transfers that run by themselves -------*- C++ -*-===//
//
// COMM-50 to COMM-56. A session belongs to one core and one engine; its transfers end in
// order.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMM_ASYNC_COMMON_ASYNC_TYPES_HPP
#define PTO_COMM_ASYNC_COMMON_ASYNC_TYPES_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/comm/comm_types.hpp"
#include "pto/detail/call.hpp"
#include "pto/detail/comm_abi.hpp"

namespace pto {
PTO_MODE_BEGIN
namespace comm {

struct AsyncSession {
  uint64_t session = 0; ///< 0: BuildAsyncSession has not made it
  DmaEngine engine = DmaEngine::SDMA;
  bool valid() const { return session != 0; }
};

struct AsyncEvent {
  uint64_t handle = 0; ///< 0: nothing was started; counts as complete
  DmaEngine engine = DmaEngine::SDMA;

  bool valid() const { return handle != 0; }
  /// The transfer and those of the session before it have ended.
  bool Wait(const AsyncSession &session, pto::ptoscope_detail::Here at = pto::ptoscope_detail::Here::current()) const {
    if (handle)
      ptoscope::tile::finishTransfers(session.session, handle, pto::ptoscope_detail::sourceOf(at));
    return true;
  }
  bool Test(const AsyncSession &session, pto::ptoscope_detail::Here at = pto::ptoscope_detail::Here::current()) const {
    return !handle || ptoscope::tile::testTransfers(session.session, handle, pto::ptoscope_detail::sourceOf(at));
  }
};

/// Of TPREFETCH_ASYNC.
struct PrefetchAsyncContext {
  AsyncSession session;
};

namespace ptoscope_detail {
template <DmaEngine E> constexpr void checkEngine() {
#ifdef PTO_NPU_ARCH_A2A3
  static_assert(E == DmaEngine::SDMA, "URMA and RDMA are engines of A5");
#endif
}
template <typename T> constexpr void checkScratch() {
  static_assert(T::Loc == TileType::Vec && T::kBytes >= 8,
                "the scratch tile of a session is a Vec tile of 8 bytes or more");
}
inline bool openSession(AsyncSession &session, DmaEngine engine, int64_t peer, const pto::ptoscope_detail::Here &at) {
  session.engine = engine;
  session.session = ptoscope::tile::openSession(uint32_t(engine), peer, pto::ptoscope_detail::sourceOf(at));
  return session.session != 0;
}
struct NoConfig {};
} // namespace ptoscope_detail

#define PTO_ASYNC_HERE pto::ptoscope_detail::Here at = pto::ptoscope_detail::Here::current()
/// SDMA.
template <DmaEngine E = DmaEngine::SDMA, typename T, typename W, typename C = ptoscope_detail::NoConfig>
  requires(E == DmaEngine::SDMA && is_tile_data_v<T>)
bool BuildAsyncSession(T &, W *, AsyncSession &session, uint32_t /*syncId*/ = 0, const C & = {},
                       uint32_t /*channel*/ = 0, PTO_ASYNC_HERE) {
  ptoscope_detail::checkScratch<T>();
  return ptoscope_detail::openSession(session, E, -1, at);
}
/// URMA.
template <DmaEngine E, typename W>
  requires(E == DmaEngine::URMA)
bool BuildAsyncSession(W *, AsyncSession &session, PTO_ASYNC_HERE) {
  ptoscope_detail::checkEngine<E>();
  return ptoscope_detail::openSession(session, E, -1, at);
}
template <DmaEngine E, typename W>
  requires(E == DmaEngine::URMA)
bool BuildAsyncSession(W *, int64_t destRank, AsyncSession &session, PTO_ASYNC_HERE) {
  ptoscope_detail::checkEngine<E>();
  return ptoscope_detail::openSession(session, E, destRank, at);
}
/// RDMA.
template <DmaEngine E, typename T, typename W>
  requires(E == DmaEngine::RDMA && is_tile_data_v<T>)
bool BuildAsyncSession(T &, W *, int64_t /*myPe*/, AsyncSession &session, uint32_t /*syncId*/ = 0, PTO_ASYNC_HERE) {
  ptoscope_detail::checkEngine<E>();
  ptoscope_detail::checkScratch<T>();
  return ptoscope_detail::openSession(session, E, -1, at);
}
template <DmaEngine E, typename T, typename W>
  requires(E == DmaEngine::RDMA && is_tile_data_v<T>)
bool BuildAsyncSession(T &, W *, int64_t dest, int64_t /*myPe*/, AsyncSession &session, uint32_t /*syncId*/ = 0,
                       PTO_ASYNC_HERE) {
  ptoscope_detail::checkEngine<E>();
  ptoscope_detail::checkScratch<T>();
  return ptoscope_detail::openSession(session, E, dest, at);
}
#undef PTO_ASYNC_HERE

} // namespace comm
PTO_MODE_END
} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_COMM_ASYNC_COMMON_ASYNC_TYPES_HPP
