//===- sync.hpp - flags, barriers, events -----------------------*- C++ -*-===//
//
// TSYNC-2 to TSYNC-9, TLAUNCH-2, XSYNC-32. In auto mode the library orders instructions
// and all of these do nothing. Signals and barriers between cores: inst/cluster.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_SYNC_HPP
#define PTO_DETAIL_SYNC_HPP

#include "pto/detail/call.hpp"
#include "pto/detail/cluster_abi.hpp"
#include "pto/detail/scalar.hpp"

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

namespace ptoscope_detail {
/// PIPE_ALL for operations whose pipe their name does not tell.
constexpr pipe_t pipeOf(Op op) {
  // Numbers of the table's own text: reading the records takes compilers longer.
  enum : uint8_t { S = PIPE_S, V = PIPE_V, M = PIPE_M, MTE1 = PIPE_MTE1, MTE2 = PIPE_MTE2, MTE3 = PIPE_MTE3 };
  enum : uint8_t { FIX = 10, Path = PIPE_ALL };
  constexpr uint8_t kPipes[] = {
#define PTO_RECORD(NAME, KERNEL, SHAPE, PIPE, ...) PIPE,
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
  return pipe_t(kPipes[unsigned(op)]);
}
// Questions about values, which a template would ask again for each pair of operations.
constexpr bool hasPipe(pipe_t pipe) { return pipe != PIPE_ALL; }
constexpr bool isSamePipe(pipe_t a, pipe_t b) { return a == b; }
constexpr bool leavesCore(Op op) { return op == Op::TMOV_A2V || op == Op::TMOV_V2M || op == Op::TEXTRACT_V2M; }
} // namespace ptoscope_detail

inline void set_flag(pipe_t src, pipe_t dst, int64_t id, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  if constexpr (!ptoscope_detail::kAutomatic)
    ptoscope::tile::setFlag(src, dst, id, ptoscope_detail::sourceOf(at));
}
inline void wait_flag(pipe_t src, pipe_t dst, int64_t id, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  if constexpr (!ptoscope_detail::kAutomatic)
    ptoscope::tile::waitFlag(src, dst, id, ptoscope_detail::sourceOf(at));
}
inline void pipe_barrier(pipe_t pipe, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  if constexpr (!ptoscope_detail::kAutomatic)
    ptoscope::tile::barrier(pipe, ptoscope_detail::sourceOf(at));
}

PTO_MODE_END
} // namespace pto

using pto::pipe_barrier;
using pto::set_flag;
using pto::wait_flag;

namespace pto {
PTO_MODE_BEGIN

/// An order between two operations. Assigning an instruction's result records it;
/// passing it to an instruction waits. From the cube core to vector cores and back it is
/// a signal, whose id the program names.
template <Op Src, Op Dst, bool AutoToken = true, event_t Id = EVENT_ID0> struct Event {
  static constexpr pipe_t srcPipe = ptoscope_detail::pipeOf(Src), dstPipe = ptoscope_detail::pipeOf(Dst);
  static_assert(ptoscope_detail::hasPipe(srcPipe) && ptoscope_detail::hasPipe(dstPipe),
                "the pipe of this operation depends on its memories: name the path, such as Op::TSTORE_ACC");
  static constexpr bool isCrossCore = ptoscope_detail::leavesCore(Src);

  Event() = default;
  Event(const RecordEvent &record) { set(token, record.source); }
  Event &operator=(const RecordEvent &record) {
    set(token, record.source);
    return *this;
  }
  Event &Record(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    set(token, ptoscope_detail::sourceOf(at));
    return *this;
  }
  Event &Init(ptoscope_detail::Here at = ptoscope_detail::Here::current()) { return Record(at); }
  void Wait(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    await(token, ptoscope_detail::sourceOf(at));
  }
  template <auto Fixed> Event &Record(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    token = int64_t(Fixed);
    set(token, ptoscope_detail::sourceOf(at));
    return *this;
  }
  template <auto Fixed> Event &Init(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    return Record<Fixed>(at);
  }
  template <auto Fixed> void Wait(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    await(int64_t(Fixed), ptoscope_detail::sourceOf(at));
  }
  /// Where signals of A2 and A3 go.
  static void InitAddr(uint64_t address, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    ptoscope::tile::setMessageArea(address, {"Event::InitAddr", ptoscope_detail::sourceOf(at)});
  }

private:
  static constexpr bool isOnePipe = ptoscope_detail::isSamePipe(srcPipe, dstPipe);
  static void set([[maybe_unused]] int64_t id, [[maybe_unused]] const ptoscope_detail::Source &source) {
    if constexpr (isCrossCore) {
      if constexpr (AutoToken)
        ptoscope::tile::refuseCrossToken(source);
      ptoscope::tile::setCrossEvent(srcPipe, dstPipe, id, ptoscope_detail::kAutomatic, source);
    } else if constexpr (!ptoscope_detail::kAutomatic && !isOnePipe) {
      ptoscope::tile::setFlag(srcPipe, dstPipe, id, source);
    }
  }
  static void await([[maybe_unused]] int64_t id, [[maybe_unused]] const ptoscope_detail::Source &source) {
    if constexpr (isCrossCore)
      ptoscope::tile::waitCrossEvent(srcPipe, dstPipe, id, ptoscope_detail::kAutomatic, source);
    else if constexpr (ptoscope_detail::kAutomatic)
      return;
    else if constexpr (isOnePipe)
      ptoscope::tile::barrier(dstPipe, source);
    else
      ptoscope::tile::waitFlag(srcPipe, dstPipe, id, source);
  }
  /// An automatic token is taken once, with the event.
  static int64_t firstToken() {
    if constexpr (AutoToken && !ptoscope_detail::kAutomatic && !isOnePipe)
      return ptoscope::tile::nextToken(srcPipe, dstPipe);
    else
      return int64_t(Id);
  }

  int64_t token = firstToken();
};

/// A barrier of an operation's pipe.
template <Op Of> void TSYNC(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  static_assert(ptoscope_detail::pipeOf(Of) != PIPE_ALL || Of == Op::ALL,
                "the pipe of this operation depends on its memories: name the path, such as Op::TSTORE_ACC");
  pipe_barrier(ptoscope_detail::pipeOf(Of), at);
}
/// Waits for each event.
inline void TSYNC(ptoscope_detail::After e0 = {}, ptoscope_detail::After e1 = {}, ptoscope_detail::After e2 = {},
                  ptoscope_detail::After e3 = {}, ptoscope_detail::After e4 = {}, ptoscope_detail::After e5 = {},
                  ptoscope_detail::After e6 = {}, ptoscope_detail::After e7 = {},
                  ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  ptoscope_detail::waitFor(PTO_EVENTS, at);
}

/// Sets a flag and waits for one of the same pair.
template <pipe_t Src, pipe_t Dst>
void PtoSetWaitFlag(int64_t setId = 0, int64_t waitId = 0,
                    ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  set_flag(Src, Dst, setId, at);
  wait_flag(Src, Dst, waitId, at);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_SYNC_HPP
