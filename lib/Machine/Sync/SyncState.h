//===- SyncState.h - flags, buffer ids and semaphores -----------*- C++ -*-===//
//
// What synchronises the pipes of a core with each other and with other cores, and
// the operations that do so. The k-th wait of a flag or semaphore passes once k
// sets are done.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SYNC_SYNCSTATE_H
#define PTOSCOPE_LIB_MACHINE_SYNC_SYNCSTATE_H

#include "Schedule/Pipes.h"
#include "Sync/Cluster.h"
#include "ptoscope/Machine/CountedSlips.h"
#include "ptoscope/Machine/Order.h"

namespace ptoscope {

struct FlagName {
  Pipe src, dst;
  int64_t id;
};

struct Flag {
  uint64_t setsIssued = 0, waitsIssued = 0;
  uint64_t setsDone = 0, waitsDone = 0;
  SiteId lastSet = kNoSite;
  bool outrun = false;       ///< a wait was issued before its set
  Fifo<uint64_t> queuedSets; ///< their ordinals on the source pipe
};

struct PendingRelease {
  uint64_t number;
  Pipe pipe;
  uint64_t ordinal; ///< on that pipe
  bool done;
};

struct BufferId {
  uint64_t releasesIssued = 0;
  Fifo<PendingRelease> pending; ///< issued, not yet known done; rising numbers
  uint16_t held = 0;            ///< bit per pipe: between get and release
  uint16_t everHeld = 0;
  std::array<SiteId, kPipeSlots> heldSince = {}; ///< where each pipe acquired it last
};

class SyncState {
public:
  SyncState() : buffers(size_t(kBufferIds)) {}
  /// `before`: the state of an earlier block, whose room for flags and buffers is used again.
  SyncState(const BlockSetup &setup, CoreId core, CoreKind kind, Report &report, Pipes &pipes,
            SyncState *before = nullptr);

  bool exists(uint32_t src, uint32_t dst, int64_t id) const {
    return src < kPipeSlots && dst < kPipeSlots && src != dst && (pipeSet >> src & pipeSet >> dst & 1) &&
           uint64_t(id) < uint64_t(kEventIds);
  }
  Flag &flag(FlagName name) {
    return flags[size_t(flagRow[size_t(name.src)] + flagColumn[size_t(name.dst)] + name.id)];
  }
  const Flag &flag(FlagName name) const { return const_cast<SyncState *>(this)->flag(name); }
  /// Why there is no such flag; ends the block.
  int32_t refuseFlag(SiteId site, uint32_t src, uint32_t dst, int64_t id);
  /// A set or wait takes effect; `f` is the flag of that name.
  void set(Flag &f, const Instr &instr, FlagName name, uint64_t number) {
    ++f.setsDone;
    f.lastSet = instr.site;
    ++operations;
    if (observer)
      observer->setFlag(instr, name.src, name.dst, name.id, number);
    if (f.setsDone - f.waitsDone > 1 && report->checks.sync) [[unlikely]]
      reportOverwritten(instr, name);
  }
  void wait(Flag &f, const Instr &instr, FlagName name, uint64_t number) {
    ++f.waitsDone;
    ++operations;
    if (observer)
      observer->waitFlag(instr, name.src, name.dst, name.id, number);
  }

  /// An id or mode that get_buf and rls_buf do not know; ends the block.
  int32_t refuseBuffer(SiteId site, int64_t id, int64_t mode);
  /// Each notes who holds the buffer, and reports what does not pair.
  void acquire(SiteId site, Pipe pipe, int64_t id) {
    BufferId &buffer = buffers[size_t(id)];
    uint16_t bit = uint16_t(1u << size_t(pipe));
    if ((buffer.held & bit) && report->checks.sync) [[unlikely]]
      tellNested(site, pipe, id);
    buffer.held |= bit;
    buffer.heldSince[size_t(pipe)] = site;
    buffer.everHeld |= bit;
  }
  void release(SiteId site, Pipe pipe, int64_t id) {
    BufferId &buffer = buffers[size_t(id)];
    uint16_t bit = uint16_t(1u << size_t(pipe));
    if (!(buffer.held & bit) && report->checks.sync) [[unlikely]]
      tellUnacquired(site, pipe, id);
    buffer.held &= uint16_t(~bit);
  }
  void tellNested(SiteId site, Pipe pipe, int64_t id);
  void tellUnacquired(SiteId site, Pipe pipe, int64_t id);
  std::vector<BufferId> buffers; ///< by id

  // Semaphores.cpp
  /// Ids that this core may name.
  int64_t semaphoreIds() const { return kind != CoreKind::AIV && pipeSemaphores ? kCubeSemaphores : kVectorSemaphores; }
  int32_t refuseSemaphore(SiteId site, int64_t id);
  SemaphoreName ownSemaphore(int64_t id) const { return {core.index, id}; }
  /// The semaphores that a set of this core with number `id` raises; 0 to 2.
  unsigned targetsOf(int64_t id, SemaphoreName (&targets)[2], SignalMode mode = SignalMode::Cluster) const;
  /// Numbers a set of `pipe`, PIPE_ALL for one that drains every pipe; nonzero: stop.
  int32_t countSet(SiteId site, Pipe pipe, int64_t id, uint64_t &number, SignalMode mode = SignalMode::Cluster);
  /// Where flags that a whole kind of cores raises are counted.
  SemaphoreName kindSemaphore(int64_t id) const { return ownSemaphore(messageSlot(id)); }
  /// Where a core counts the messages of an id.
  int64_t messageSlot(int64_t id) const { return pipeSemaphores ? kKindSemaphores + id : id; }
  /// The cores of this one's kind, as all-core barriers name them.
  uint32_t ownCores() const { return kind == CoreKind::AIC ? PTO_SYNC_AIC_ONLY : PTO_SYNC_AIV_ONLY; }
  /// How often all of them have set the flag, which this core has.
  uint64_t roundsOf(const Semaphore &semaphore, int64_t slot) const {
    return group ? group->rounds(device, ownCores(), slot) : semaphore.senders[core.index].done;
  }

  UnitOrder units;

  /// Flags that are still set and buffers that are still held when the kernel ends.
  void reportLeftovers();
  /// Which line may be why flags are out of balance, however the block ended.
  std::vector<CountedSlip> slips() const;
  FlagUses uses; ///< counted for that, if flags are checked

  uint64_t operations = 0;   ///< sets and waits that took effect
  uint64_t raised = 0;       ///< what the scalar unit did here that another core may see
  uint64_t loneBarriers = 0; ///< all-core barriers of a core that runs alone
  Report *report = nullptr;
  Pipes *pipes = nullptr;
  Cluster *cluster = nullptr;
  Group *group = nullptr;
  CoreId core;
  int64_t device = 0;
  CoreKind kind = CoreKind::AIV;
  bool pipeSemaphores = false;
  Observer *observer = nullptr;

private:
  void reportOverwritten(const Instr &instr, FlagName name);
  void proposeDrain(Finding &finding, FlagName name) const;
  void proposeBuffer(Finding &finding, Pipe pipe, int64_t id, SiteId counterpart, bool releases) const;

  uint16_t pipeSet = 0;
  std::array<uint16_t, kPipeSlots> flagRow{}, flagColumn{}; ///< by pipe: where its flags stand
  std::vector<Flag> flags;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

struct SetFlag final : OperationOf<SetFlag> {
  SetFlag(SyncState &sync, FlagName name, uint64_t number) : sync(&sync), name(name), number(number) {}
  std::unique_ptr<Operation> keep() override {
    sync->flag(name).queuedSets.push(ordinal);
    return OperationOf::keep();
  }
  void effect(const Instr &instr) override;

  SyncState *sync;
  FlagName name;
  uint64_t number; ///< among the sets of the flag
};

struct WaitFlag final : OperationOf<WaitFlag> {
  WaitFlag(SyncState &sync, FlagName name, uint64_t number) : sync(&sync), name(name), number(number) {}
  bool ready() const override { return sync->flag(name).setsDone >= number; }
  Wait wait() const override { return {Wait::For::Flag, name.src, name.dst, name.id, number}; }
  std::optional<Blocker> blocker() const override;
  void effect(const Instr &instr) override { sync->wait(sync->flag(name), instr, name, number); }

  SyncState *sync;
  FlagName name;
  uint64_t number; ///< among the waits of the flag
};

/// Of one pipe, or of all: then the SU drains them first.
struct Barrier final : OperationOf<Barrier> {
  Barrier(Pipes &pipes, Pipe of) : pipes(&pipes), of(of) {}
  void effect(const Instr &instr) override {
    if (pipes->observer)
      pipes->observer->barrier(instr, of);
  }

  Pipes *pipes;
  Pipe of;
};

/// The SU waits for some of the pipes.
struct MemoryBarrier final : OperationOf<MemoryBarrier> {
  MemoryBarrier(Pipes &pipes, uint32_t set) : pipes(&pipes), set(set) {
    for (Pipe pipe : kPullOrder)
      if (set >> size_t(pipe) & 1)
        prefix[size_t(pipe)] = pipes[pipe].issued;
  }
  bool ready() const override { return pipes->ended(prefix); }
  std::optional<Blocker> blocker() const override {
    for (Pipe pipe : kPullOrder)
      if (const PipeQueue &queue = (*pipes)[pipe]; queue.started < prefix[size_t(pipe)])
        return Blocker{pipe, prefix[size_t(pipe)]};
    return std::nullopt;
  }
  void effect(const Instr &instr) override {
    if (pipes->observer)
      pipes->observer->memoryBarrier(instr, set);
  }

  Pipes *pipes;
  uint32_t set;        ///< a bit per pipe
  PipePrefix prefix{}; ///< how far each of them has to get
};

struct GetBuf final : OperationOf<GetBuf> {
  GetBuf(SyncState &sync, int64_t id, int64_t mode)
      : sync(&sync), id(id), mode(mode), releasesBefore(sync.buffers[size_t(id)].releasesIssued) {}
  bool ready() const override;
  Wait wait() const override { return {Wait::For::Buffer, Pipe::S, Pipe::S, id, releasesBefore}; }
  std::optional<Blocker> blocker() const override;
  void effect(const Instr &instr) override {
    if (Observer *observer = sync->observer)
      observer->getBuf(instr, id, mode, releasesBefore);
  }

  SyncState *sync;
  int64_t id, mode;
  uint64_t releasesBefore;
};

/// Does a get wait for releases, and a release for the pipes that held the buffer?
constexpr bool waitsForReleases(int64_t mode) { return ruleOf(getOf(mode)).learns != Reach::Nothing; }
constexpr bool waitsForHolders(int64_t mode) { return ruleOf(releaseOf(mode)).tells == Reach::Holders; }

struct RlsBuf final : OperationOf<RlsBuf> {
  RlsBuf(SyncState &sync, Pipe pipe, int64_t id, int64_t mode);
  bool ready() const override { return !waitsForHolders(mode) || sync->pipes->ended(prefix); }
  Wait wait() const override { return {Wait::For::Work, Pipe::S, Pipe::S, id, number}; }
  std::optional<Blocker> blocker() const override;
  std::unique_ptr<Operation> keep() override;
  void effect(const Instr &instr) override;

  SyncState *sync;
  int64_t id, mode;
  uint64_t number;     ///< among the releases of the id
  PipePrefix prefix{}; ///< how far each pipe has to get first
};

// Semaphores.cpp

struct SetSemaphore final : OperationOf<SetSemaphore> {
  SetSemaphore(SyncState &sync, int64_t id, uint64_t number, bool drains, SignalMode mode = SignalMode::Cluster)
      : sync(&sync), id(id), number(number), drains(drains), mode(mode) {}
  std::unique_ptr<Operation> keep() override;
  void effect(const Instr &instr) override;

  SyncState *sync;
  int64_t id;
  uint64_t number; ///< the same for both targets of a broadcast
  bool drains;     ///< every pipe is idle
  SignalMode mode;
};

struct WaitSemaphore final : OperationOf<WaitSemaphore> {
  /// `id` is a slot of the core's own semaphores.
  WaitSemaphore(SyncState &sync, int64_t id)
      : sync(&sync), id(id), number(++sync.cluster->at(sync.ownSemaphore(id)).waitsIssued) {}
  bool ready() const override;
  Wait wait() const override { return {Wait::For::Semaphore, Pipe::S, Pipe::S, id, number}; }
  void effect(const Instr &instr) override;

  SyncState *sync;
  int64_t id;
  uint64_t number;
};

/// Waits at a barrier that counts arrivals in global memory, having arrived.
struct CountedBarrier final : OperationOf<CountedBarrier> {
  CountedBarrier(SyncState &sync, const int32_t *counter, uint32_t channel)
      : sync(&sync), counter(counter), channel(channel) {}
  bool ready() const override { return *counter >= until; }
  Wait wait() const override {
    return {sync->pipes->queued ? Wait::For::Idle : Wait::For::Counter, Pipe::S, Pipe::S, int64_t(until), number};
  }
  void effect(const Instr &instr) override {
    if (Observer *observer = sync->observer)
      observer->syncAllLeave(instr, channel, number);
  }

  SyncState *sync;
  const int32_t *counter;
  uint32_t channel;
  int64_t until = 0;   ///< what the counter has to reach
  uint64_t number = 0; ///< of the round, from 1
};

/// The SU drains its pipes, arrives, and waits for the other cores.
struct AllCoresBarrier final : OperationOf<AllCoresBarrier> {
  AllCoresBarrier(SyncState &sync, uint32_t barrier, uint32_t channel)
      : sync(&sync), barrier(barrier), channel(channel) {}
  bool ready() const override { return !sync->group || sync->group->completed(barrier) >= number; }
  Wait wait() const override {
    return {sync->pipes->queued ? Wait::For::Idle : Wait::For::AllCores, Pipe::S, Pipe::S, barrier, number};
  }
  void effect(const Instr &instr) override {
    if (Observer *observer = sync->observer)
      observer->syncAllLeave(instr, channel, number);
  }

  SyncState *sync;
  uint32_t barrier; ///< of the group
  uint32_t channel; ///< of observers
  uint64_t number = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SYNC_SYNCSTATE_H
