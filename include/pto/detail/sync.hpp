//===- sync.hpp - flags, barriers, events -----------------------*- C++ -*-===//
//
// TSYNC-2 to TSYNC-11, TLAUNCH-2. In auto mode the library orders instructions and
// all of these do nothing, except the barrier over all cores.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_SYNC_HPP
#define PTO_DETAIL_SYNC_HPP

#include "pto/detail/call.hpp"

namespace pto {
PTO_MODE_BEGIN

/// Classes of operations, each on one pipe: every instruction by its name, and the
/// paths of those whose pipe depends on the memories on both ends.
enum class Op : uint16_t {
#define PTO_RECORD(NAME, ...) NAME,
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
#define PTO_OP(NAME, PIPE) NAME,
#include "pto/detail/records/paths.def"
#undef PTO_OP
  OP_COUNT
};

namespace detail {
/// PIPE_ALL for operations whose pipe their name does not tell.
constexpr pipe_t pipeOf(Op op) {
  constexpr pipe_t kPipes[] = {
#define PTO_RECORD(NAME, ...) record::NAME.pipe == ptoscope::tile::On::Path ? PIPE_ALL : pipe_t(record::NAME.pipe),
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
#define PTO_OP(NAME, PIPE) PIPE,
#include "pto/detail/records/paths.def"
#undef PTO_OP
  };
  // Vec tiles are what is stored and moved unless the name says otherwise.
  if (op == Op::TSTORE)
    return PIPE_MTE3;
  return kPipes[unsigned(op)];
}
} // namespace detail

inline void set_flag(pipe_t src, pipe_t dst, int64_t id, detail::Here at = detail::Here::current()) {
  if constexpr (!detail::kAutomatic)
    ptoscope::tile::setFlag(src, dst, id, detail::sourceOf(at));
}
inline void wait_flag(pipe_t src, pipe_t dst, int64_t id, detail::Here at = detail::Here::current()) {
  if constexpr (!detail::kAutomatic)
    ptoscope::tile::waitFlag(src, dst, id, detail::sourceOf(at));
}
inline void pipe_barrier(pipe_t pipe, detail::Here at = detail::Here::current()) {
  if constexpr (!detail::kAutomatic)
    ptoscope::tile::barrier(pipe, detail::sourceOf(at));
}

PTO_MODE_END
} // namespace pto

using pto::pipe_barrier;
using pto::set_flag;
using pto::wait_flag;

// Global memory is coherent here: nothing to write back or to wait for.
template <typename T> inline void dcci(T *, int) {}
template <typename T> inline void dcci(T *, int, int) {}
inline void dsb(int) {}

inline int64_t get_block_idx() { return ptoscope::tile::blockIndex(); }
inline int64_t get_block_num() { return ptoscope::tile::blockCount(); }
inline int64_t get_subblockid() { return ptoscope::tile::subblockIndex(); }
inline int64_t get_subblockdim() { return ptoscope::tile::subblockCount(); }
inline int64_t get_coreid() { return ptoscope::tile::blockIndex() * get_subblockdim() + get_subblockid(); }
inline uint64_t get_task_cookie() { return ptoscope::tile::taskCookie(); }

namespace pto {
PTO_MODE_BEGIN

/// An order between two operations. Assigning an instruction's result records it;
/// passing it to an instruction waits.
template <Op Src, Op Dst, bool AutoToken = true, event_t Id = EVENT_ID0> struct Event {
  static constexpr pipe_t srcPipe = detail::pipeOf(Src), dstPipe = detail::pipeOf(Dst);
  static_assert(srcPipe != PIPE_ALL && dstPipe != PIPE_ALL,
                "the pipe of this operation depends on its memories: name the path, such as Op::TSTORE_ACC");

  Event() = default;
  Event(const RecordEvent &record) { set(record.source); }
  Event &operator=(const RecordEvent &record) {
    set(record.source);
    return *this;
  }
  Event &Record(detail::Here at = detail::Here::current()) {
    set(detail::sourceOf(at));
    return *this;
  }
  Event &Init(detail::Here at = detail::Here::current()) { return Record(at); }
  void Wait(detail::Here at = detail::Here::current()) { await(detail::sourceOf(at), token); }
  template <auto Fixed> Event &Record(detail::Here at = detail::Here::current()) {
    token = int64_t(Fixed);
    if constexpr (!detail::kAutomatic && srcPipe != dstPipe)
      ptoscope::tile::setFlag(srcPipe, dstPipe, token, detail::sourceOf(at));
    return *this;
  }
  template <auto Fixed> void Wait(detail::Here at = detail::Here::current()) {
    await(detail::sourceOf(at), int64_t(Fixed));
  }

private:
  void set(const detail::Source &source) {
    if constexpr (!detail::kAutomatic && srcPipe != dstPipe) {
      if constexpr (AutoToken)
        token = ptoscope::tile::nextToken(srcPipe, dstPipe);
      ptoscope::tile::setFlag(srcPipe, dstPipe, token, source);
    }
  }
  static void await([[maybe_unused]] const detail::Source &source, [[maybe_unused]] int64_t id) {
    if constexpr (detail::kAutomatic)
      return;
    else if constexpr (srcPipe == dstPipe)
      ptoscope::tile::barrier(dstPipe, source);
    else
      ptoscope::tile::waitFlag(srcPipe, dstPipe, id, source);
  }

  int64_t token = int64_t(Id);
};

/// A barrier of an operation's pipe.
template <Op Of> void TSYNC(detail::Here at = detail::Here::current()) {
  static_assert(detail::pipeOf(Of) != PIPE_ALL || Of == Op::ALL,
                "the pipe of this operation depends on its memories: name the path, such as Op::TSTORE_ACC");
  pipe_barrier(detail::pipeOf(Of), at);
}
/// Waits for each event.
inline void TSYNC(detail::After e0 = {}, detail::After e1 = {}, detail::After e2 = {}, detail::After e3 = {},
                  detail::After e4 = {}, detail::After e5 = {}, detail::After e6 = {}, detail::After e7 = {},
                  detail::Here at = detail::Here::current()) {
  e0(at), e1(at), e2(at), e3(at), e4(at), e5(at), e6(at), e7(at);
}

namespace detail {
/// Exists in programs that use the barrier: their blocks run at the same time.
template <typename> inline const bool kUsesSyncAll = ptoscope::tile::noteSyncAll();
} // namespace detail

/// A barrier over all cores of the launch.
template <SyncCoreType Cores = SyncCoreType::Mix> void SYNCALL(detail::Here at = detail::Here::current()) {
  if (detail::kUsesSyncAll<void>)
    ptoscope::tile::syncAll(uint32_t(Cores), 0, detail::sourceOf(at));
}
template <SyncAllMode Mode, SyncCoreType Cores = SyncCoreType::Mix>
void SYNCALL(detail::Here at = detail::Here::current()) {
  SYNCALL<Cores>(at);
}
/// Through counters in global memory; the counters are left alone.
template <SyncAllMode Mode, SyncCoreType Cores = SyncCoreType::Mix, typename Workspace>
void SYNCALL(Workspace &, int64_t usedCores, detail::Here at = detail::Here::current()) {
  if (detail::kUsesSyncAll<void>)
    ptoscope::tile::syncAll(uint32_t(Cores), usedCores, detail::sourceOf(at));
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_SYNC_HPP
