//===- OtherCores.cpp - semaphores and all-core barriers, as issued -------===//
//
// Cluster semaphores (SEM-2, SEM-3) and the barrier over all cores of a launch
// (SYNCALL-1).
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "ptoscope/Machine/ClusterSentences.h"

namespace ptoscope {

/// On a vector core of A5 ids count modulo 16, so that the second one may name its own
/// semaphores as the cube core does (SEM-19).
int64_t Core::ownId(SiteId site, int64_t n, bool waits) {
  if (!sync.pipeSemaphores || kind != CoreKind::AIV || n < kVectorSemaphores || n >= kCubeSemaphores)
    return n;
  if (id.index != 2 || !waits)
    report.tell(site, say::kIdModulo(n, n % kVectorSemaphores));
  return n % kVectorSemaphores;
}

int32_t Core::syncSet(SiteId site, uint32_t pipe, int64_t n) {
  if (step(site))
    return 1;
  bool whole = pipe == uint32_t(Pipe::All) || pipe == uint32_t(Pipe::S);
  if (!whole && !pipes.has(pipe))
    return lacksPipe(site, "a semaphore set on", pipe);
  n = ownId(site, n, /*waits=*/false);
  return issueSemaphoreSet(site, whole ? Pipe::All : Pipe(pipe), n);
}

int32_t Core::syncWait(SiteId site, uint32_t pipe, int64_t n) {
  if (step(site))
    return 1;
  bool whole = pipe == uint32_t(Pipe::All) || pipe == uint32_t(Pipe::S);
  if (!whole && !pipes.has(pipe))
    return lacksPipe(site, "a semaphore wait on", pipe);
  n = ownId(site, n, /*waits=*/true);
  return issueSemaphoreWait(site, whole || !sync.pipeSemaphores ? Pipe::S : Pipe(pipe), n);
}

int32_t Core::sendMessage(SiteId site, uint32_t pipe, SignalMode mode, int64_t n) {
  const bool large = sync.pipeSemaphores && mode == SignalMode::Cluster && n >= kVectorSemaphores;
  if (large)
    return syncSet(site, pipe, n);
  if (!pipes.has(pipe))
    return lacksPipe(site, "a message on", pipe);
  if (mode == SignalMode::Kind && blockNum == 1 && report.checks.sync)
    report.tell(site, say::kLoneMessage());
  if (mode == SignalMode::Vectors && kind == CoreKind::AIC)
    return report.end(site, say::kModeOfVectors());
  if (mode == SignalMode::Cluster && sync.pipeSemaphores)
    mode = SignalMode::Message;
  return signal(site, Pipe(pipe), mode, n);
}

int32_t Core::awaitMessage(SiteId site, uint32_t pipe, int64_t n) {
  if (sync.pipeSemaphores && n >= kVectorSemaphores)
    return syncWait(site, pipe, n);
  if (!pipes.has(pipe))
    return lacksPipe(site, "a wait for a message on", pipe);
  return waitSignal(site, Pipe(pipe), n, /*ofKind=*/true);
}

/// On A5 these instructions reach other clusters.
int32_t Core::refuseBetweenClusters(SiteId site) { return report.fatal(report.finding(site, say::kBetweenClusters())); }

int32_t Core::crossCoreSet(SiteId site, int64_t n) {
  if (step(site))
    return 1;
  return sync.pipeSemaphores ? refuseBetweenClusters(site) : issueSemaphoreSet(site, Pipe::All, n);
}

int32_t Core::waitFlagDev(SiteId site, int64_t n) {
  if (step(site))
    return 1;
  return sync.pipeSemaphores ? refuseBetweenClusters(site) : issueSemaphoreWait(site, Pipe::S, n);
}

int32_t Core::issueSemaphoreSet(SiteId site, Pipe pipe, int64_t n, SignalMode mode) {
  uint64_t number = 0;
  if (int32_t status = sync.countSet(site, pipe, n, number, mode))
    return status;
  const bool drains = pipe == Pipe::All;
  SetSemaphore op(sync, n, number, drains, mode);
  if (!drains)
    return issue(op, pipe, site);
  if (int32_t status = issueIdle(op, site))
    return status;
  pipes.finish(op);
  if (!report.stopped && pipes.isRandom())
    pipes.randomTurn();
  return report.stopped;
}

int32_t Core::issueSemaphoreWait(SiteId site, Pipe pipe, int64_t n) {
  if (uint64_t(n) >= uint64_t(sync.semaphoreIds()))
    return sync.refuseSemaphore(site, n);
  setup.cluster->touched = true;
  WaitSemaphore op(sync, n);
  return issue(op, pipe, site);
}

int32_t Core::signal(SiteId site, Pipe pipe, SignalMode mode, int64_t n) {
  if (step(site))
    return 1;
  if (mode == SignalMode::Kind) {
    if (blockNum > 1 && !setup.resident)
      return report.end(site, say::kSignalTooManyBlocks(blockNum));
    if (setup.group && uint64_t(n) < uint64_t(kVectorSemaphores) &&
        setup.group->channelOf(sync.ownCores(), sync.kindSemaphore(n).id) >= setup.channels())
      return report.fatal(report.finding(site, say::kTooManyKindFlags(setup.channels())));
  }
  return issueSemaphoreSet(site, pipe, n, mode);
}

int32_t Core::waitSignal(SiteId site, Pipe pipe, int64_t n, bool ofKind) {
  if (step(site))
    return 1;
  if (ofKind && uint64_t(n) < uint64_t(kVectorSemaphores))
    n = sync.kindSemaphore(n).id;
  else if (uint64_t(n) >= uint64_t(sync.semaphoreIds()))
    return sync.refuseSemaphore(site, n);
  setup.cluster->touched = true;
  WaitSemaphore op(sync, n);
  return issue(op, sync.pipeSemaphores ? pipe : Pipe::S, site);
}

int32_t Core::countedBarrier(SiteId site, int32_t *counter, int64_t participants) {
  if (step(site))
    return 1;
  Group *group = setup.group;
  uint32_t barrier = group ? group->counterOf(counter, participants) : 0;
  uint32_t channel = group ? group->observedAs(barrier) : 0;
  if (channel >= setup.channels())
    return report.fatal(report.finding(site, say::kTooManyBarriers(setup.channels())));
  CountedBarrier op(sync, counter, channel);
  if (int32_t status = issueIdle(op, site))
    return status;
  // Cores of a launch that meet run on one thread: this is as good as an atomic update.
  const int64_t before = *counter;
  *counter = int32_t(before + 1);
  op.until = (before / participants + 1) * participants;
  op.number = uint64_t(before / participants + 1) - (group ? group->completed(barrier) : 0);
  if (pipes.observer)
    pipes.observer->syncAllArrive(pipes.instr(op), channel, op.number);
  ++sync.raised;
  return pipes.waitFor(op) ? int32_t(report.stopped) : deadlock(&op);
}

int32_t Core::syncAll(SiteId site, uint32_t coreType, int64_t usedCores) {
  if (step(site))
    return 1;
  if (coreType > PTO_SYNC_MIX)
    return report.internalError(site, say::kBugCoreType(coreType));
  if (blockNum > 1 && !setup.resident)
    return report.internalError(site, say::kBugResident());
  Group *group = setup.group;
  bool cube = kind == CoreKind::AIC;
  constexpr const char *kKinds[] = {"aiv_only", "aic_only", "mix"};
  bool member = coreType == PTO_SYNC_MIX || kind == CoreKind::Unified || cube == (coreType == PTO_SYNC_AIC_ONLY);
  int64_t rank = group ? group->rankOf(*this, coreType) : member ? 0 : -1;
  int64_t all = group ? group->participants(coreType) : 1;
  if (rank < 0)
    return report.end(site, say::kWrongCoreType(cube ? "cube" : "vector", kKinds[coreType]));
  if (usedCores > all)
    return report.end(site, say::kTooFewCores(usedCores, all, kKinds[coreType]));
  if (usedCores > 0 && rank >= usedCores)
    return report.end(site, say::kUnusedCore(rank, usedCores, usedCores - 1));
  uint32_t barrier = group ? group->barrierOf(coreType, usedCores) : 0;
  uint32_t channel = group ? group->observedAs(barrier) : 0;
  if (channel >= setup.channels())
    return report.fatal(report.finding(site, say::kTooManyBarriers(setup.channels())));
  AllCoresBarrier op(sync, barrier, channel);
  if (int32_t status = issueIdle(op, site))
    return status;
  op.number = group ? group->completed(barrier) + 1 : ++sync.loneBarriers;
  if (pipes.observer)
    pipes.observer->syncAllArrive(pipes.instr(op), channel, op.number);
  ++sync.raised;
  if (group)
    group->arrive(barrier, site);
  return pipes.waitFor(op) ? int32_t(report.stopped) : deadlock(&op);
}

void Cluster::reportLeftovers() const {
  if (!touched)
    return;
  for (uint8_t index = 0; index < kCoresPerBlock; ++index)
    for (int64_t slot = 0; cores[index] && slot < kSemaphoreSlots; ++slot) {
      const Semaphore &semaphore = at({index, slot});
      uint64_t sets = 0;
      SiteId last = kNoSite;
      for (const Semaphore::Sender &sender : semaphore.senders)
        if (sender.done > sets) {
          sets = sender.done;
          last = sender.last;
        }
      if (sets <= semaphore.waitsDone)
        continue;
      Report &report = cores[index]->report;
      report.add(report.finding(
          last, say::kSignalLeftover(slot % kKindSemaphores, cores[index]->id, sets, semaphore.waitsDone)));
    }
}

} // namespace ptoscope
