//===- cluster.hpp - signals and barriers between cores ---------*- C++ -*-===//
//
// XSYNC-1 to XSYNC-21. Function templates, so that a program that brings functions of
// these names uses its own, and that only programs which signal run their blocks together.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_CLUSTER_HPP
#define PTO_DETAIL_INST_CLUSTER_HPP

#include "pto/detail/call.hpp"
#include "pto/detail/cluster_abi.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
/// Exists in programs that use a barrier or a signal that may join blocks: their blocks
/// run at the same time. Its argument is one of the template that uses it, since clang makes
/// other variables as soon as it reads their name.
template <auto> inline const bool kUsesSyncAll = ptoscope::tile::noteSyncAll();
} // namespace ptoscope_detail

/// The word of a signal: how much it adds, whom it joins, and the id. An id that has no
/// room there is a finding of the signal, not cut off.
constexpr uint64_t getFFTSMsg(uint64_t mode, uint64_t id, uint64_t base = 1) { return base | mode << 4 | id << 8; }

#define PTO_HERE ptoscope_detail::Here at = ptoscope_detail::Here::current()
#define PTO_BY(NAME) {NAME, ptoscope_detail::sourceOf(at)}

#define PTO_SIGNALS(SET, WAIT, SET_BLOCK, WAIT_BLOCK)                                                                  \
  template <int Used = 0> void SET(pipe_t pipe, uint64_t config, PTO_HERE) {                                           \
    if (ptoscope_detail::kUsesSyncAll<Used>)                                                                           \
      ptoscope::tile::signalByWord(pipe, config, ptoscope_detail::kAutomatic, PTO_BY(#SET));                           \
  }                                                                                                                    \
  template <typename = void> void WAIT(int64_t id, PTO_HERE) {                                                         \
    ptoscope::tile::waitDevice(PIPE_S, id, PTO_BY(#WAIT));                                                             \
  }                                                                                                                    \
  template <typename = void> void WAIT(pipe_t pipe, int64_t id, PTO_HERE) {                                            \
    ptoscope::tile::waitDevice(pipe, id, PTO_BY(#WAIT));                                                               \
  }                                                                                                                    \
  template <typename = void> void SET_BLOCK(pipe_t pipe, int64_t id, PTO_HERE) {                                       \
    ptoscope::tile::setIntraBlock(pipe, id, ptoscope_detail::kAutomatic, PTO_BY(#SET_BLOCK));                          \
  }                                                                                                                    \
  template <typename = void> void WAIT_BLOCK(pipe_t pipe, int64_t id, PTO_HERE) {                                      \
    ptoscope::tile::waitIntraBlock(pipe, id, PTO_BY(#WAIT_BLOCK));                                                     \
  }
PTO_SIGNALS(ffts_cross_core_sync, wait_flag_dev, set_intra_block, wait_intra_block)
PTO_SIGNALS(__builtin_cce_ffts_cross_core_sync, __builtin_cce_wait_flag_dev, __builtin_cce_set_intra_block,
            __builtin_cce_wait_intra_block)
#undef PTO_SIGNALS

template <typename = void> void set_cross_core(pipe_t pipe, int64_t id, PTO_HERE) {
  ptoscope::tile::signalCluster(pipe, id, ptoscope_detail::kAutomatic, PTO_BY("set_cross_core"));
}
template <typename = void> void wait_cross_core(int64_t id, PTO_HERE) {
  ptoscope::tile::waitDevice(PIPE_S, id, PTO_BY("wait_cross_core"));
}
/// Where signals of A2 and A3 go; programs get the address from rtGetC2cCtrlAddr.
template <typename = void> void set_ffts_base_addr(uint64_t address, PTO_HERE) {
  ptoscope::tile::setMessageArea(address, PTO_BY("set_ffts_base_addr"));
}

/// A barrier over all cores of the launch, or over those of one kind; others pass.
template <SyncCoreType Cores = SyncCoreType::AIVOnly> void SYNCALL(PTO_HERE) {
  if constexpr (!ptoscope_detail::kAutomatic)
    if (ptoscope_detail::kUsesSyncAll<Cores>)
      ptoscope::tile::syncAllHard(uint32_t(Cores), ptoscope_detail::sourceOf(at));
}
template <SyncAllMode Mode, SyncCoreType Cores = SyncCoreType::AIVOnly> void SYNCALL(PTO_HERE) {
  static_assert(Mode == SyncAllMode::Hard,
                "SYNCALL<SyncAllMode::Soft> counts in global memory: pass a GlobalTensor<int32_t, …> as its workspace");
  SYNCALL<Cores>(at);
}
template <SyncAllMode Mode, SyncCoreType Cores = SyncCoreType::AIVOnly, typename Workspace>
void SYNCALL(Workspace &workspace, [[maybe_unused]] int32_t usedCores = 0, PTO_HERE) {
  static_assert(is_global_data_v<Workspace>, "the workspace of SYNCALL has to be a GlobalTensor");
  static_assert(sizeof(*workspace.data()) == 4, "the workspace of SYNCALL has elements of type int32_t");
  if constexpr (Mode == SyncAllMode::Hard) {
    SYNCALL<Cores>(at);
  } else if constexpr (!ptoscope_detail::kAutomatic) {
#ifdef __MIX_CORE_AIC_BLOCKS__
    constexpr int64_t cubeBlocks = __MIX_CORE_AIC_BLOCKS__;
#else
    constexpr int64_t cubeBlocks = 0;
#endif
#ifdef __MIX_CORE_AIV_RATIO__
    constexpr int64_t vectorCores = __MIX_CORE_AIV_RATIO__;
#else
    constexpr int64_t vectorCores = 0;
#endif
    if (ptoscope_detail::kUsesSyncAll<Cores>)
      ptoscope::tile::syncAllSoft(uint32_t(Cores), const_cast<void *>(static_cast<const void *>(workspace.data())),
                                  usedCores, cubeBlocks, vectorCores, ptoscope_detail::sourceOf(at));
  }
}

PTO_MODE_END
} // namespace pto

using pto::__builtin_cce_ffts_cross_core_sync;
using pto::__builtin_cce_set_intra_block;
using pto::__builtin_cce_wait_flag_dev;
using pto::__builtin_cce_wait_intra_block;
using pto::ffts_cross_core_sync;
using pto::getFFTSMsg;
using pto::set_cross_core;
using pto::set_ffts_base_addr;
using pto::set_intra_block;
using pto::wait_cross_core;
using pto::wait_flag_dev;
using pto::wait_intra_block;

#endif // PTO_DETAIL_INST_CLUSTER_HPP
