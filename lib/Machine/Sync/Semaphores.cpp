//===- Semaphores.cpp - synchronisation between cores ---------------------===//
//
// Cluster semaphores (SEM-2, SEM-3) and the barrier over all cores of a launch
// (SYNCALL-1). On A5 a set or wait stands in the queue of a pipe and
// goes to one core; on A2/A3 a set of the cube core reaches both vector cores,
// the cube core waits for both of them, and waits stop the scalar unit.
//
//===----------------------------------------------------------------------===//

#include "Group/CoreGroup.h"

#include <algorithm>

namespace ptoscope {

unsigned Core::targetsOf(int64_t n, SemaphoreName (&targets)[2]) const {
  bool cube = kind == CoreKind::AIC;
  if (!profile->pipeSemaphores) {
    if (uint64_t(n) >= uint64_t(kVectorSemaphores))
      return 0;
    targets[0] = {uint8_t(cube ? 1 : 0), n};
    targets[1] = {2, n};
    return cube ? 2 : 1;
  }
  if (uint64_t(n) >= uint64_t(cube ? kCubeSemaphores : kVectorSemaphores))
    return 0;
  if (cube)
    targets[0] = {uint8_t(n < kVectorSemaphores ? 1 : 2), n % kVectorSemaphores};
  else
    targets[0] = {0, n + kVectorSemaphores * subblockIdx};
  return 1;
}

int32_t Core::badSemaphore(SiteId site, int64_t n, int64_t limit) {
  Finding f =
      finding("semaphore-id-range", site,
              "semaphore id " + std::to_string(n) + " is outside 0.." + std::to_string(limit - 1) + " in " +
                  opName(site) + " on the " + (kind == CoreKind::AIC ? "cube core" : "vector core"));
  f.help =
      profile->pipeSemaphores
          ? "a vector core has the ids 0 to 15; on the cube core 0 to 15 belong to AIV0, 16 to 31 to AIV1"
          : "a cluster has the ids 0 to 15";
  addIterations(f, site);
  return fatal(std::move(f));
}

int32_t Core::syncSet(SiteId site, uint32_t pipe, int64_t n) {
  if (step(site))
    return 1;
  bool whole = pipe == uint32_t(Pipe::All) || pipe == uint32_t(Pipe::S);
  if (!whole && (pipe >= kPipeSlots || !hasPipe(Pipe(pipe))))
    return internalError(site, "a semaphore set on pipe number " + std::to_string(pipe) +
                                   ", which this core does not have");
  return issueSet(site, whole ? Pipe::S : Pipe(pipe), n);
}

int32_t Core::syncWait(SiteId site, uint32_t pipe, int64_t n) {
  if (step(site))
    return 1;
  bool whole = pipe == uint32_t(Pipe::All) || pipe == uint32_t(Pipe::S);
  if (!whole && (pipe >= kPipeSlots || !hasPipe(Pipe(pipe))))
    return internalError(site, "a semaphore wait on pipe number " + std::to_string(pipe) +
                                   ", which this core does not have");
  return issueWait(site, whole || !profile->pipeSemaphores ? Pipe::S : Pipe(pipe), n);
}

/// On A5 these instructions reach other clusters.
int32_t Core::refuseBetweenClusters(SiteId site) {
  Finding f = finding("not-modelled", site, opName(site) + " between clusters of A5 is not modelled");
  f.help = "inside a cluster use `pto.sync.set` and `pto.sync.wait`, between blocks `pto.syncall`";
  return fatal(std::move(f));
}

int32_t Core::crossCoreSet(SiteId site, int64_t n) {
  if (step(site))
    return 1;
  if (profile->pipeSemaphores)
    return refuseBetweenClusters(site);
  return issueSet(site, Pipe::S, n);
}

int32_t Core::waitFlagDev(SiteId site, int64_t n) {
  if (step(site))
    return 1;
  if (profile->pipeSemaphores)
    return refuseBetweenClusters(site);
  return issueWait(site, Pipe::S, n);
}

int32_t Core::issueSet(SiteId site, Pipe pipe, int64_t n) {
  SemaphoreName targets[2];
  unsigned count = targetsOf(n, targets);
  if (count == 0)
    return badSemaphore(
        site, n, kind == CoreKind::AIC && profile->pipeSemaphores ? kCubeSemaphores : kVectorSemaphores);
  setup.cluster->touched = true;
  Entry entry = makeEntry(OpKind::SyncSet, pipe, site);
  entry.id = n;
  for (unsigned i = 0; i < count; ++i) {
    Semaphore::Sender &sender = setup.cluster->at(targets[i]).senders[id.index];
    if (pipe != Pipe::S && sender.pipe != Pipe::S && sender.pipe != pipe) {
      // Two pipes would set it in no order, and nobody could tell whose set a
      // wait has seen.
      Finding f = finding("not-modelled", site,
                          opName(site) + " sets semaphore " + std::to_string(n) + " from " +
                              std::string(nameOf(pipe)) + ", which " + std::string(nameOf(sender.pipe)) +
                              " of this core has set before");
      f.help = "use an id of its own for each pipe that sets";
      addIterations(f, site);
      return fatal(std::move(f));
    }
    if (pipe != Pipe::S)
      sender.pipe = pipe;
    entry.number = ++sender.issued; // the same for both targets of a broadcast
  }
  if (pipe != Pipe::S)
    return submit(entry);
  if (observer)
    observer->issue(instr(entry));
  if (queued && !drain(&entry))
    return stopped ? 1 : deadlock(&entry);
  if (!stopped)
    finishSu(entry);
  if (!stopped && schedule == ScheduleKind::Random)
    randomTurn();
  return stopped;
}

int32_t Core::issueWait(SiteId site, Pipe pipe, int64_t n) {
  int64_t limit = kind == CoreKind::AIC && profile->pipeSemaphores ? kCubeSemaphores : kVectorSemaphores;
  if (uint64_t(n) >= uint64_t(limit))
    return badSemaphore(site, n, limit);
  setup.cluster->touched = true;
  Entry entry = makeEntry(OpKind::SyncWait, pipe, site);
  entry.id = n;
  entry.number = ++setup.cluster->at(ownSemaphore(n)).waitsIssued;
  if (pipe != Pipe::S)
    return submit(entry);
  if (observer)
    observer->issue(instr(entry));
  return suWait(entry);
}

/// Sets that count: those of which every sender has made one.
static uint64_t setsDone(const Semaphore &semaphore, uint8_t senders) {
  uint64_t done = UINT64_MAX;
  for (size_t core = 0; core < kCoresPerBlock; ++core)
    if (senders >> core & 1)
      done = std::min(done, semaphore.senders[core].done);
  return done;
}

bool Core::semaphoreReady(const Entry &entry) const {
  SemaphoreName name = ownSemaphore(entry.id);
  return setsDone(setup.cluster->at(name), sendersOf(name, profile->pipeSemaphores)) >= entry.number;
}

void Core::executeSyncSet(const Entry &entry) {
  ++stats.flags;
  if (entry.pipe == Pipe::S) {
    ++changes; // another core may see it
    if (observer)
      observer->barrier(instr(entry), Pipe::All);
  }
  SemaphoreName targets[2];
  unsigned count = targetsOf(entry.id, targets);
  for (unsigned i = 0; i < count; ++i) {
    Semaphore::Sender &sender = setup.cluster->at(targets[i]).senders[id.index];
    ++sender.done;
    sender.last = entry.site;
    if (!sender.queued.empty())
      sender.queued.pop();
    if (observer)
      observer->syncSet(instr(entry), CoreId{targets[i].core}, targets[i].id, entry.number);
  }
}

void Core::executeSyncWait(const Entry &entry) {
  ++stats.flags;
  ++setup.cluster->at(ownSemaphore(entry.id)).waitsDone;
  if (observer)
    observer->syncWait(instr(entry), entry.id, entry.number);
}

// --- all cores of the launch --------------------------------------------------------

int32_t Core::syncAll(SiteId site, uint32_t coreType, int64_t usedCores) {
  if (step(site))
    return 1;
  if (coreType > PTO_SYNC_MIX)
    return internalError(site, "an all-core barrier of core type " + std::to_string(coreType));
  if (blockNum > 1 && !setup.resident)
    return internalError(site, "an all-core barrier in a kernel whose image does not ask for all blocks");
  CoreGroup *group = setup.group;
  bool cube = kind == CoreKind::AIC;
  constexpr const char *kKinds[] = {"aiv_only", "aic_only", "mix"};
  auto mismatch = [&](std::string message, std::string help) {
    Finding f = finding("syncall-mismatch", site, std::move(message));
    f.help = std::move(help);
    addIterations(f, site);
    return fatal(std::move(f));
  };
  int64_t rank = group ? group->rankOf(*this, coreType)
                       : (coreType == PTO_SYNC_MIX || kind == CoreKind::Unified || cube == (coreType == PTO_SYNC_AIC_ONLY) ? 0 : -1);
  int64_t all = group ? group->participants(coreType) : 1;
  if (rank < 0)
    return mismatch("a " + std::string(cube ? "cube" : "vector") + " core reaches " + opName(site) +
                        " of core type " + kKinds[coreType],
                    "use core type mix, or keep cores of the other kind away from it");
  if (usedCores > all)
    return mismatch(opName(site) + " waits for " + std::to_string(usedCores) + " cores; the launch has " +
                        std::to_string(all) + " of core type " + kKinds[coreType],
                    "pass the number of cores that take part, or launch more blocks");
  if (usedCores > 0 && rank >= usedCores)
    return mismatch("core number " + std::to_string(rank) + " reaches " + opName(site) +
                        ", in which only the first " + std::to_string(usedCores) + " cores take part",
                    "let only cores 0 to " + std::to_string(usedCores - 1) + " reach it");
  uint32_t channel = group ? group->barrierOf(coreType, usedCores) : 0;
  if (channel >= kSyncAllChannels) {
    Finding f = finding("not-modelled", site,
                        "more than " + std::to_string(kSyncAllChannels) +
                            " kinds of all-core barriers (core type and number of cores) in one launch");
    f.help = "use the same number of cores in all of them";
    return fatal(std::move(f));
  }
  Entry entry = makeEntry(OpKind::SyncAll, Pipe::S, site);
  entry.id = channel;
  if (observer)
    observer->issue(instr(entry));
  if (queued && !drain(&entry))
    return stopped ? 1 : deadlock(&entry);
  if (stopped)
    return 1;
  entry.number = group ? group->barrier(channel).completed + 1 : ++loneBarriers;
  if (observer)
    observer->syncAllArrive(instr(entry), channel, entry.number);
  ++changes; // the other cores may see it
  if (group)
    group->arrive(channel, site);
  return suWait(entry);
}

} // namespace ptoscope
