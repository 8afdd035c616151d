//===- Semaphores.cpp - synchronisation between the cores of a cluster ----===//
//
// Cluster semaphores (SEM-2, SEM-3) and signals (XSYNC-4). On A5 a set or wait stands in the queue
// of a pipe and goes to one core; on A2/A3 a set of the cube core reaches both
// vector cores, the cube core waits for both of them, and waits stop the scalar
// unit.
//
//===----------------------------------------------------------------------===//

#include "Sync/SyncState.h"
#include "ptoscope/Machine/ClusterSentences.h"

#include <algorithm>

namespace ptoscope {

static constexpr uint64_t kSemaphoreLimit = 15; ///< what a counter holds (SEM-6)

unsigned SyncState::targetsOf(int64_t n, SemaphoreName (&targets)[2], SignalMode mode) const {
  const int64_t ids = mode == SignalMode::Cluster ? semaphoreIds() : kVectorSemaphores;
  if (uint64_t(n) >= uint64_t(ids))
    return 0;
  if (mode == SignalMode::Kind) {
    targets[0] = kindSemaphore(n);
    return 1;
  }
  if (mode == SignalMode::Vectors) {
    unsigned count = 0;
    for (uint8_t vector : {1, 2})
      if (cluster->vectors() >> vector & 1)
        targets[count++] = {vector, messageSlot(n)};
    return count;
  }
  bool cube = kind == CoreKind::AIC;
  if (!pipeSemaphores || mode == SignalMode::Message) {
    targets[0] = {uint8_t(cube ? 1 : 0), messageSlot(n)};
    targets[1] = {2, messageSlot(n)};
    return cube ? 2 : 1;
  }
  if (cube)
    targets[0] = {uint8_t(n < kVectorSemaphores ? 1 : 2), n % kVectorSemaphores};
  else
    targets[0] = {0, n + (core.index == 2 ? kVectorSemaphores : 0)};
  return 1;
}

int32_t SyncState::refuseSemaphore(SiteId site, int64_t n) {
  const auto &range = pipeSemaphores ? say::kSemaphoreIdRange : say::kClusterIdRange;
  return report->end(site, range(n, semaphoreIds() - 1, kind == CoreKind::AIC ? "cube core" : "vector core"));
}

int32_t SyncState::countSet(SiteId site, Pipe pipe, int64_t n, uint64_t &number, SignalMode mode) {
  SemaphoreName targets[2];
  unsigned count = targetsOf(n, targets, mode);
  if (count == 0)
    return refuseSemaphore(site, n);
  cluster->touched = true;
  for (unsigned i = 0; i < count; ++i) {
    Semaphore &semaphore = cluster->at(targets[i]);
    Semaphore::Sender &sender = semaphore.senders[core.index];
    if (semaphore.used() && semaphore.mode != mode)
      // One counter, and no one could tell which of the two a wait has seen.
      return report->end(site, say::kTwoModes(n, CoreId{targets[i].core}, unsigned(mode), unsigned(semaphore.mode)));
    semaphore.mode = mode;
    if (pipe != Pipe::All && sender.pipe != Pipe::All && sender.pipe != pipe)
      // Two pipes would set it in no order, and no one could tell whose set a
      // wait has seen.
      return report->end(site, say::kTwoSetters(n, pipe, sender.pipe));
    if (pipe != Pipe::All)
      sender.pipe = pipe;
    number = ++sender.issued;
  }
  return 0;
}

std::unique_ptr<Operation> SetSemaphore::keep() {
  SemaphoreName targets[2];
  for (unsigned i = sync->targetsOf(id, targets, mode); i-- > 0;)
    sync->cluster->at(targets[i]).senders[sync->core.index].queued.push(ordinal);
  return OperationOf::keep();
}

void SetSemaphore::effect(const Instr &instr) {
  Observer *observer = sync->observer;
  ++sync->operations;
  if (pipe == Pipe::S)
    ++sync->raised;
  if (drains && observer)
    observer->barrier(instr, Pipe::All);
  SemaphoreName targets[2];
  unsigned count = sync->targetsOf(id, targets, mode);
  for (unsigned i = 0; i < count; ++i) {
    Semaphore &semaphore = sync->cluster->at(targets[i]);
    Semaphore::Sender &sender = semaphore.senders[sync->core.index];
    ++sender.done;
    sender.last = site;
    if (!sender.queued.empty())
      sender.queued.pop();
    if (mode == SignalMode::Kind && sync->group) {
      if (observer)
        observer->launchSet(instr, sync->group->channelOf(sync->ownCores(), targets[i].id), number);
      uint64_t rounds = sync->roundsOf(semaphore, targets[i].id);
      if (rounds > semaphore.waitsDone + kSemaphoreLimit && sync->report->checks.sync)
        sync->report->tell(site, say::kKindOverflow(id, sync->core, rounds - semaphore.waitsDone));
    } else if (observer) {
      uint8_t senders = sendersOf(*sync->cluster, targets[i], semaphore.mode, sync->pipeSemaphores);
      observer->syncSet(instr, CoreId{targets[i].core}, targets[i].id, number, senders);
    }
  }
}

bool WaitSemaphore::ready() const {
  // Sets that count: those of which every sender has made one.
  SemaphoreName name = sync->ownSemaphore(id);
  const Semaphore &semaphore = sync->cluster->at(name);
  if (semaphore.mode == SignalMode::Kind)
    return sync->roundsOf(semaphore, id) >= number;
  uint8_t senders = sendersOf(*sync->cluster, name, semaphore.mode, sync->pipeSemaphores);
  for (size_t sender = 0; sender < kCoresPerBlock; ++sender)
    if ((senders >> sender & 1) && semaphore.senders[sender].done < number)
      return false;
  return true;
}

void WaitSemaphore::effect(const Instr &instr) {
  ++sync->operations;
  Semaphore &semaphore = sync->cluster->at(sync->ownSemaphore(id));
  ++semaphore.waitsDone;
  Observer *observer = sync->observer;
  if (!observer)
    return;
  if (semaphore.mode == SignalMode::Kind && sync->group)
    observer->launchWait(instr, sync->group->channelOf(sync->ownCores(), id), number);
  else
    observer->syncWait(instr, id, number);
}

} // namespace ptoscope
