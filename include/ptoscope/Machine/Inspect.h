//===- Inspect.h - the state of a core, for people --------------*- C++ -*-===//
//
// What a debugger shows of a core that stands still: queues, flags, buffer ids,
// semaphores, registers. Nothing is changed by looking.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_INSPECT_H
#define PTOSCOPE_MACHINE_INSPECT_H

#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Runtime.h"

#include <string>
#include <utility>
#include <vector>

namespace ptoscope {

/// An instruction in a queue.
struct QueuedInstruction {
  SiteId site = kNoSite;
  uint64_t ordinal = 0; ///< on its pipe, from 1
  std::vector<int64_t> iterations;
  bool ready = true;
  std::string waits; ///< what it waits for, where it is the first and not ready
  std::string cause; ///< why that does not come yet
};

struct PipeState {
  Pipe pipe;
  uint64_t issued = 0, started = 0;
  std::vector<QueuedInstruction> waiting; ///< the first of them; `queued` says how many there are
  uint64_t queued = 0;
  std::vector<SiteId> inFlight; ///< started, not ended
  SiteId scope = kNoSite;       ///< the vector scope that it runs
};

struct FlagState {
  Pipe src, dst;
  int64_t id;
  uint64_t setsIssued, setsDone, waitsIssued, waitsDone;
};

struct BufferState {
  int64_t id;
  std::vector<std::pair<Pipe, SiteId>> holders; ///< and where each acquired it
  uint64_t releasesIssued;
};

struct SemaphoreState {
  int64_t id;
  uint64_t setsDone; ///< of the sender that has fewest
  uint64_t waitsIssued, waitsDone;
};

struct CoreState {
  int64_t block = 0; ///< of the launch
  CoreId id;
  CoreKind kind = CoreKind::AIV;
  SiteId site = kNoSite; ///< where its scalar unit stands
  bool ended = false;    ///< its program has returned
  bool stopped = false;  ///< a finding ended it
  std::string unitWaits; ///< what its scalar unit waits for while others have their turn
  std::vector<PipeState> pipes;
  std::vector<FlagState> flags;           ///< that were used
  std::vector<BufferState> buffers;       ///< that were used
  std::vector<SemaphoreState> semaphores; ///< of this core, that were used
  std::vector<std::pair<std::string, int64_t>> registers;
};

CoreState inspect(const PtoContext *core);
/// The cores of its block, by their numbers; null where there is none.
std::array<const PtoContext *, kCoresPerBlock> coresOfBlock(const PtoContext *core);
/// A local memory that the core sees: its bytes; none where it has no such memory. FB
/// has a gap (endOf in Types.h).
std::span<const uint8_t> memoryOf(const PtoContext *core, Space space);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_INSPECT_H
