//===- Semaphores.cpp - synchronisation between the cores of a cluster ----===//
//
// Cluster semaphores (SEM-2, SEM-3). On A5 a set or wait stands in the queue
// of a pipe and goes to one core; on A2/A3 a set of the cube core reaches both
// vector cores, the cube core waits for both of them, and waits stop the scalar
// unit.
//
//===----------------------------------------------------------------------===//

#include "Sync/SyncState.h"

#include <algorithm>

namespace ptoscope {

unsigned SyncState::targetsOf(int64_t n, SemaphoreName (&targets)[2]) const {
  if (uint64_t(n) >= uint64_t(semaphoreIds()))
    return 0;
  bool cube = kind == CoreKind::AIC;
  if (!pipeSemaphores) {
    targets[0] = {uint8_t(cube ? 1 : 0), n};
    targets[1] = {2, n};
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

int32_t SyncState::countSet(SiteId site, Pipe pipe, int64_t n, uint64_t &number) {
  SemaphoreName targets[2];
  unsigned count = targetsOf(n, targets);
  if (count == 0)
    return refuseSemaphore(site, n);
  cluster->touched = true;
  for (unsigned i = 0; i < count; ++i) {
    Semaphore::Sender &sender = cluster->at(targets[i]).senders[core.index];
    if (pipe != Pipe::S && sender.pipe != Pipe::S && sender.pipe != pipe)
      // Two pipes would set it in no order, and no one could tell whose set a
      // wait has seen.
      return report->end(site, say::kTwoSetters(n, pipe, sender.pipe));
    if (pipe != Pipe::S)
      sender.pipe = pipe;
    number = ++sender.issued;
  }
  return 0;
}

std::unique_ptr<Operation> SetSemaphore::keep() {
  SemaphoreName targets[2];
  for (unsigned i = sync->targetsOf(id, targets); i-- > 0;)
    sync->cluster->at(targets[i]).senders[sync->core.index].queued.push(ordinal);
  return OperationOf::keep();
}

void SetSemaphore::effect(const Instr &instr) {
  Observer *observer = sync->observer;
  ++sync->operations;
  if (pipe == Pipe::S) {
    ++sync->raised;
    if (observer)
      observer->barrier(instr, Pipe::All);
  }
  SemaphoreName targets[2];
  unsigned count = sync->targetsOf(id, targets);
  for (unsigned i = 0; i < count; ++i) {
    Semaphore::Sender &sender = sync->cluster->at(targets[i]).senders[sync->core.index];
    ++sender.done;
    sender.last = site;
    if (!sender.queued.empty())
      sender.queued.pop();
    if (observer)
      observer->syncSet(instr, CoreId{targets[i].core}, targets[i].id, number);
  }
}

bool WaitSemaphore::ready() const {
  // Sets that count: those of which every sender has made one.
  SemaphoreName name = sync->ownSemaphore(id);
  const Semaphore &semaphore = sync->cluster->at(name);
  uint8_t senders = sendersOf(name, sync->pipeSemaphores);
  for (size_t sender = 0; sender < kCoresPerBlock; ++sender)
    if ((senders >> sender & 1) && semaphore.senders[sender].done < number)
      return false;
  return true;
}

void WaitSemaphore::effect(const Instr &instr) {
  ++sync->operations;
  ++sync->cluster->at(sync->ownSemaphore(id)).waitsDone;
  if (Observer *observer = sync->observer)
    observer->syncWait(instr, id, number);
}

} // namespace ptoscope
