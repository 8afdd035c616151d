//===- pto_comm_inst.hpp - communication between devices --------*- C++ -*-===//
//
// Namespace pto::comm (COMM-1). Kernels run by <ptoscope/world.hpp>.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMM_PTO_COMM_INST_HPP
#define PTO_COMM_PTO_COMM_INST_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/comm/async_common/async_types.hpp"
#include "pto/comm/comm_types.hpp"
#include "pto/comm/pto_comm_instr_impl.hpp"

namespace pto {
PTO_MODE_BEGIN
namespace comm {

namespace ptoscope_detail {
template <DmaEngine E, typename D, typename S>
AsyncEvent start(const char *name, const D &dst, const S &src, const AsyncSession &session, int64_t peer,
                 const Here &at) {
  checkEngine<E>();
  static_assert(!std::is_const_v<typename D::DType>, "the destination is a tensor of const elements");
  return {ptoscope::tile::startTransfer(session.session, placeOf(name, at), refOf(dst), refOf(src), peer), E};
}
} // namespace ptoscope_detail

template <DmaEngine E = DmaEngine::SDMA, typename D, typename S>
AsyncEvent TPUT_ASYNC(const D &dst, const S &src, const AsyncSession &session, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::start<E>("TPUT_ASYNC", dst, src, session, -1, at);
}
template <DmaEngine E = DmaEngine::SDMA, typename D, typename S, typename P>
  requires std::is_integral_v<P>
AsyncEvent TPUT_ASYNC(const D &dst, const S &src, const AsyncSession &session, P peer, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::start<E>("TPUT_ASYNC", dst, src, session, int64_t(peer), at);
}
template <DmaEngine E = DmaEngine::SDMA, typename D, typename S>
AsyncEvent TGET_ASYNC(const D &dst, const S &src, const AsyncSession &session, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::start<E>("TGET_ASYNC", dst, src, session, -1, at);
}
template <DmaEngine E = DmaEngine::SDMA, typename D, typename S, typename P>
  requires std::is_integral_v<P>
AsyncEvent TGET_ASYNC(const D &dst, const S &src, const AsyncSession &session, P peer, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::start<E>("TGET_ASYNC", dst, src, session, int64_t(peer), at);
}

/// A hint for a cache that is not modelled: complete at once.
template <typename G> AsyncEvent TPREFETCH_ASYNC(const G &, PrefetchAsyncContext &, PTO_AFTER) {
  PTO_WAIT;
  return {};
}

} // namespace comm
using comm::PrefetchAsyncContext;
using comm::TPREFETCH_ASYNC;
PTO_MODE_END
} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_COMM_PTO_COMM_INST_HPP
