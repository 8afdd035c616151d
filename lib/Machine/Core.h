//===- Core.h - one core, the sum of its parts ------------------*- C++ -*-===//
//
// A core runs the program of its scalar unit (SU) on the caller's stack. The SU
// issues operations into queues; pipes run inside the SU's calls (Pipes.h). Each
// part owns its state; what a core adds is how an instruction goes from one part
// to the next.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_CORE_H
#define PTOSCOPE_LIB_MACHINE_CORE_H

#include "Direct/DirectUnit.h"
#include "Schedule/Stuck.h"
#include "Scope/ScopeUnit.h"
#include "Sort/SortUnit.h"
#include "Sync/Signals.h"
#include "Transfer/CopyElision.h"
#include "Transfer/TransferUnit.h"

namespace ptoscope {

class Core : public PtoContext {
public:
  Core() : PtoContext() {}
  Core(const Core &) = delete;

  /// Ready for a new block: memories zero, registers reset, queues empty.
  /// False when the host refuses the memory.
  bool begin(CoreKind kind, CoreId id, const BlockSetup &setup);
  /// After begin() of all cores of a cluster: who sees whose memory.
  void joinCluster();
  /// Runs the program and what it leaves queued; true when it came to its end.
  bool run(PtoSuFunction program, const uint64_t *arguments);
  /// The program has ended: runs what it left queued; true when it came to its end.
  bool finish();
  LaunchStats statistics() const;
  /// Rises with everything this core does that another one can see.
  uint64_t effects() const { return pipes.executed + changes(); }

  // Scalar/Issue.cpp: instructions of the scalar unit. Nonzero: stop.
  int32_t transfer(SiteId site, const PtoTransfer &operands);
  /// `asks`: its accesses are those of loops that ask where they are made (ptosc_place_loop).
  int32_t scope(SiteId site, PtoScopeFunction function, const uint64_t *captures, uint32_t n, bool asks = false);
  int32_t bitSort(SiteId site, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices, int64_t repeat);
  int32_t mergeSort(SiteId site, uint32_t scoreBytes, uint64_t dst, const std::array<uint64_t, kMergeLists> &lists,
                    uint64_t count, uint64_t config);
  int32_t vms4Status(SiteId site, uint64_t *result);
  int32_t yield(SiteId site, const void *carried, uint64_t n, bool finite);
  int32_t loadScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, uint64_t *result,
                     bool pastCache = false);
  int32_t storeScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, uint64_t value,
                      bool pastCache = false);
  int32_t invalidateCache(SiteId site, uint64_t address, bool whole);
  /// Counts a step of the SU; true: stop.
  bool step(SiteId site) {
    if (scalar.step(site)) [[unlikely]]
      poll(site);
    return report.stopped;
  }
  /// Inside a scope: see ptosc_scope_turns.
  uint64_t scopeTurns(SiteId site, uint64_t turns, uint32_t cost);

  // Sync/Flags.cpp
  int32_t setFlag(SiteId site, uint32_t src, uint32_t dst, int64_t id);
  int32_t waitFlag(SiteId site, uint32_t src, uint32_t dst, int64_t id);
  int32_t barrier(SiteId site, uint32_t pipe);
  int32_t memoryBarrier(SiteId site, Domain domain);
  int32_t getBuf(SiteId site, uint32_t pipe, int64_t id, int64_t mode);
  int32_t rlsBuf(SiteId site, uint32_t pipe, int64_t id, int64_t mode);
  // Sync/OtherCores.cpp
  int32_t syncSet(SiteId site, uint32_t pipe, int64_t id);
  int32_t syncWait(SiteId site, uint32_t pipe, int64_t id);
  int32_t crossCoreSet(SiteId site, int64_t id);
  int32_t waitFlagDev(SiteId site, int64_t id);
  int32_t syncAll(SiteId site, uint32_t coreType, int64_t usedCores);
  int32_t sendMessage(SiteId site, uint32_t pipe, SignalMode mode, int64_t id);
  int32_t awaitMessage(SiteId site, uint32_t pipe, int64_t id);
  /// See Cores.h.
  int32_t signal(SiteId site, Pipe pipe, SignalMode mode, int64_t id);
  int32_t waitSignal(SiteId site, Pipe pipe, int64_t id, bool ofKind);
  int32_t countedBarrier(SiteId site, int32_t *counter, int64_t participants);
  // Sync/Queues.cpp
  int32_t signalQueue(SiteId site, Pipe pipe, uint8_t queueId, uint8_t peers, bool frees);
  int32_t awaitQueue(SiteId site, Pipe pipe, uint8_t queueId, uint8_t peers, bool space);
  // Sync/Signals.cpp
  int32_t notifySignal(SiteId site, uint64_t address, int32_t value, bool add);
  int32_t waitSignals(SiteId site, const SignalWords &words, int32_t value, SignalCompare compare);
  int32_t testSignals(SiteId site, const SignalWords &words, int32_t value, SignalCompare compare, bool &result);
  int32_t startEngine(SiteId site, EngineTransfer &transfer, bool &started);
  int32_t finishEngine(SiteId site, uint64_t session, uint64_t number);
  /// `patience`: turns in which nothing happens before that is a livelock.
  int32_t yieldTurn(SiteId site, uint64_t patience);

  // Direct/Direct.cpp
  int32_t direct(SiteId site, const DirectInstruction &instruction, std::span<const DirectHull> hulls);
  void openToHost(Space space, uint64_t begin, uint64_t bytes);

  BlockSetup setup;
  CoreKind kind = CoreKind::AIV;
  CoreId id;
  Report report;
  Pipes pipes;
  ScalarUnit scalar;
  Memories memories;
  AtomicOrder atomics;
  TransferUnit transfers;
  SyncState sync;
  ScopeUnit scopes;
  CopyElision elision;
  SortUnit sorts;
  DirectUnit directs;
  LocalMemories guarded; ///< keeps its reservations from block to block
  std::unique_ptr<Attachment> attachment;

  Stuck stuck() const { return {report, pipes, sync, scalar}; }

private:
  /// Looks for an interrupt and at the limit of steps.
  void poll(SiteId site);
  /// Steps of the scalar unit and of scopes.
  uint64_t stepsSoFar() const { return scalar.steps + uint64_t(grantedSteps - scopeSteps); }
  uint64_t blockSteps() const;
  /// Reports `code` ("interrupted", "max-steps") and ends the block.
  int32_t endBlock(SiteId site, const Fact &fact);
  std::vector<Note> blockNotes() const;
  /// Rises with everything that could end a loop which waits, besides instructions of pipes.
  uint64_t changes() const { return scalar.changes + pipes.moves + sync.raised; }
  int32_t deadlock(const Operation *suOp);

  /// Numbers an operation and hands it to its pipe, or lets the SU wait until it is
  /// ready. Nonzero: stop.
  int32_t issue(Operation &op, Pipe pipe, SiteId site);
  /// The SU waits for every pipe and then lets `op` take effect.
  int32_t issueIdle(Operation &op, SiteId site);
  /// A step that takes or releases a buffer id. Nonzero: stop.
  int32_t stepOnBuffer(SiteId site, std::string_view what, uint32_t pipe, int64_t id, int64_t mode);
  int32_t issueSort(SiteId site, const SortUnit::Call &call);
  /// PIPE_ALL: drains every pipe first.
  int32_t issueSemaphoreSet(SiteId site, Pipe pipe, int64_t id, SignalMode mode = SignalMode::Cluster);
  int32_t issueSemaphoreWait(SiteId site, Pipe pipe, int64_t id);
  int32_t refuseBetweenClusters(SiteId site);
  int64_t ownId(SiteId site, int64_t id, bool waits);
  bool beginScalar(SiteId site, uint32_t space, uint64_t address, uint32_t bytes, bool inScope, bool writes,
                   bool pastCache, ScalarTarget &target);
  /// After an access of the SU: a random schedule may let pipes go on.
  int32_t afterAccess() {
    if (pipes.queued && pipes.isRandom())
      pipes.randomTurn();
    return report.stopped;
  }
  int32_t lacksPipe(SiteId site, std::string_view what, uint32_t pipe) {
    return report.internalError(site, say::kBugNoPipe(what, pipeText(pipe)));
  }

  int64_t grantedSteps = 0; ///< what `scopeSteps` was at the last poll
  uint64_t toldSteps = 0;   ///< what LaunchOptions::stepsTaken knows
  IdleTurns idle;           ///< of a program that polls
};

/// Behind what generated code and the tile API hold.
inline Core &coreOf(PtoContext *context) { return *static_cast<Core *>(context); }
inline const Core &coreOf(const PtoContext *context) { return *static_cast<const Core *>(context); }

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_CORE_H
