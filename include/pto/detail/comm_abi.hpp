//===- comm_abi.hpp - what instructions between devices hand over -*- C++ -*-=//
//
// Plain data, as in abi.hpp: the templates of pto::comm check types, the library cuts
// tensors into strips and issues loads, stores and flags for them.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_COMM_ABI_HPP
#define PTO_DETAIL_COMM_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// Which instruction it is, and where the program says it.
struct CommPlace {
  const char *name;
  Source source;
  bool automatic;
  Rules rules;
};

/// A staging tile. The library sets the valid extents of the last strip, where they are
/// DYNAMIC and the tensor was cut.
struct CommStage {
  TileView tile;
  bool dynamicRows, dynamicCols;
};

/// Tensors of a group, one for each member.
struct CommGroup {
  const void *tensors;
  void (*fill)(const void *tensors, int64_t member, GlobalRef &ref);
  int64_t count, root;
};

enum class CommSpread : uint8_t { Broadcast, Gather, Scatter };

/// dst = src, or dst op= src (`atomic`, a pto::AtomicType), through one staging tile or two.
PTO_API void commMove(const CommPlace &place, const GlobalRef &dst, const GlobalRef &src, CommStage *stages,
                      uint32_t count, uint32_t atomic);
/// `own` is the tensor of the root that is read, or written by Gather.
PTO_API void commSpread(const CommPlace &place, CommSpread kind, const CommGroup &group, const GlobalRef &own,
                        CommStage *stages, uint32_t count);
/// The first stage is the accumulator. `operation` is a pto::comm::ReduceOp.
PTO_API void commReduce(const CommPlace &place, const CommGroup &group, const GlobalRef &dst, CommStage *stages,
                        uint32_t count, uint32_t operation);

PTO_API void notifySignal(void *word, int32_t value, bool add, const Source &source);
/// `compare` is a pto::comm::WaitCmp.
PTO_API void waitSignals(const GlobalRef &signals, int32_t value, uint32_t compare, const Source &source);
PTO_API bool testSignals(const GlobalRef &signals, int32_t value, uint32_t compare, const Source &source);
/// The program has waits for signals somewhere: its blocks run together.
PTO_API bool noteSignals();
/// Inside loops that poll: other cores get a turn.
PTO_API void yieldCore(const Source &source);
inline void yieldCore() { yieldCore({"", 0, 0}); }
/// The program is about to read a line of global memory that others may have written.
/// `writesOut`: the line goes out first, and tells others what was stored before it (COMM-29).
PTO_API void invalidateLine(const volatile void *line, bool writesOut, const Source &source);

// --- asynchronous transfers ---------------------------------------------------------------------
/// 0: no session.
PTO_API uint64_t openSession(uint32_t engine, int64_t peer, const Source &source);
/// A flat copy that runs by itself; its number in the session, 0 when it was not started.
PTO_API uint64_t startTransfer(uint64_t session, const CommPlace &place, const GlobalRef &dst, const GlobalRef &src,
                               int64_t peer);
/// The transfers of a session up to `number` have ended; a test may say that they have not.
PTO_API void finishTransfers(uint64_t session, uint64_t number, const Source &source);
PTO_API bool testTransfers(uint64_t session, uint64_t number, const Source &source);

} // namespace ptoscope::tile

#endif // PTO_DETAIL_COMM_ABI_HPP
