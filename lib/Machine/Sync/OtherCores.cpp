//===- OtherCores.cpp - semaphores and all-core barriers, as issued -------===//
//
// Cluster semaphores (SEM-2, SEM-3) and the barrier over all cores of a launch
// (SYNCALL-1).
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace ptoscope {

int32_t Core::syncSet(SiteId site, uint32_t pipe, int64_t n) {
  if (step(site))
    return 1;
  bool whole = pipe == uint32_t(Pipe::All) || pipe == uint32_t(Pipe::S);
  if (!whole && !pipes.has(pipe))
    return lacksPipe(site, "a semaphore set on", pipe);
  return issueSemaphoreSet(site, whole ? Pipe::S : Pipe(pipe), n);
}

int32_t Core::syncWait(SiteId site, uint32_t pipe, int64_t n) {
  if (step(site))
    return 1;
  bool whole = pipe == uint32_t(Pipe::All) || pipe == uint32_t(Pipe::S);
  if (!whole && !pipes.has(pipe))
    return lacksPipe(site, "a semaphore wait on", pipe);
  return issueSemaphoreWait(site, whole || !sync.pipeSemaphores ? Pipe::S : Pipe(pipe), n);
}

/// On A5 these instructions reach other clusters.
int32_t Core::refuseBetweenClusters(SiteId site) { return report.fatal(report.finding(site, say::kBetweenClusters())); }

int32_t Core::crossCoreSet(SiteId site, int64_t n) {
  if (step(site))
    return 1;
  return sync.pipeSemaphores ? refuseBetweenClusters(site) : issueSemaphoreSet(site, Pipe::S, n);
}

int32_t Core::waitFlagDev(SiteId site, int64_t n) {
  if (step(site))
    return 1;
  return sync.pipeSemaphores ? refuseBetweenClusters(site) : issueSemaphoreWait(site, Pipe::S, n);
}

int32_t Core::issueSemaphoreSet(SiteId site, Pipe pipe, int64_t n) {
  uint64_t number = 0;
  if (int32_t status = sync.countSet(site, pipe, n, number))
    return status;
  SetSemaphore op(sync, n, number);
  if (pipe != Pipe::S)
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
  uint32_t channel = group ? group->barrierOf(coreType, usedCores) : 0;
  if (channel >= kSyncAllChannels)
    return report.fatal(report.finding(site, say::kTooManyBarriers(kSyncAllChannels)));
  AllCoresBarrier op(sync, channel);
  if (int32_t status = issueIdle(op, site))
    return status;
  op.number = group ? group->completed(channel) + 1 : ++sync.loneBarriers;
  if (pipes.observer)
    pipes.observer->syncAllArrive(pipes.instr(op), channel, op.number);
  ++sync.raised;
  if (group)
    group->arrive(channel, site);
  return pipes.waitFor(op) ? int32_t(report.stopped) : deadlock(&op);
}

} // namespace ptoscope
