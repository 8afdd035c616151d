//===- Pipes.cpp - how instructions take effect ---------------------------===//
//
// Queues of the pipes, execution of what is queued, and the eager schedule.
// Under the eager schedule the head of every queue that is not empty is blocked;
// each set or release runs what it unblocks.
//
//===----------------------------------------------------------------------===//

#include "Group/CoreGroup.h"
#include "ptoscope/Machine/Order.h"

#include <cstring>

namespace ptoscope {

Entry Core::makeEntry(OpKind kind, Pipe pipe, SiteId site) {
  Entry entry;
  entry.kind = kind;
  entry.pipe = pipe;
  entry.site = site;
  entry.ordinal = ++queue(pipe).issued;
  if (traced) {
    entry.depth = uint8_t(depthOf(site));
    entry.iterations = suIterations;
  }
  return entry;
}

bool Core::prefixEnded(const PipePrefix &prefix) const {
  for (size_t p = 0; p < kPipeSlots; ++p) {
    if (queues[p].started < prefix[p])
      return false;
    for (const InFlight &flying : queues[p].inFlight)
      if (flying.entry.ordinal <= prefix[p])
        return false;
  }
  return true;
}

bool Core::overtakes(const Entry &entry) {
  return entry.kind == OpKind::Direct || (entry.kind == OpKind::Transfer && !entry.transfer->skip);
}

bool Core::ready(const Entry &entry) const {
  switch (entry.kind) {
  case OpKind::WaitFlag:
    return flag(entry.src, entry.dst, entry.id).setsDone >= entry.number;
  case OpKind::GetBuf: {
    const auto &pending = buffers[size_t(entry.id)].pending;
    return entry.mode == 1 || pending.empty() || pending.front().number > entry.number;
  }
  case OpKind::RlsBuf:
    return !entry.prefix || prefixEnded(*entry.prefix);
  case OpKind::SyncWait:
    return semaphoreReady(entry);
  case OpKind::SyncAll:
    return !setup.group || setup.group->barrier(uint32_t(entry.id)).completed >= entry.number;
  default:
    return true;
  }
}

int32_t Core::submit(Entry &entry) {
  if (observer)
    observer->issue(instr(entry));
  PipeQueue &q = queue(entry.pipe);
  switch (schedule) {
  case ScheduleKind::Eager:
    if (q.waiting.empty() && ready(entry)) {
      ++q.started;
      execute(entry);
      if (queued)
        pump();
      break;
    }
    enqueue(entry);
    break;
  case ScheduleKind::Lazy:
    enqueue(entry);
    if (queued >= kLookAhead)
      while (!stopped && pullAll()) {
      }
    break;
  case ScheduleKind::Random:
    enqueue(entry);
    randomTurn();
    while (!stopped && queued >= kLookAhead && randomStep()) {
    }
    break;
  }
  if (queued >= kLookAhead)
    passTurn(false);
  return stopped;
}

void Core::enqueue(Entry &entry) {
  if (queued >= kMaxQueued) {
    Finding f = finding("queue-exhausted", entry.site,
                        std::to_string(queued) + " instructions are queued on this core and none can start");
    f.notes = standingNotes();
    f.help =
        "let the scalar unit wait before it issues more, for example with a PIPE_ALL barrier in the loop";
    fatal(std::move(f));
    return;
  }
  if (entry.depth) {
    entry.ownIterations = std::make_unique<int64_t[]>(entry.depth);
    std::copy_n(entry.iterations, entry.depth, entry.ownIterations.get());
    entry.iterations = entry.ownIterations.get();
  }
  switch (entry.kind) {
  case OpKind::Transfer:
    entry.ownTransfer = std::make_unique<Transfer>(*entry.transfer);
    entry.transfer = entry.ownTransfer.get();
    break;
  case OpKind::Scope:
    entry.ownCaptures = std::make_unique<uint64_t[]>(entry.captureCount);
    std::copy_n(entry.captures, entry.captureCount, entry.ownCaptures.get());
    entry.captures = entry.ownCaptures.get();
    break;
  case OpKind::Sort:
    entry.ownSort = std::make_unique<Sort>(*entry.sort);
    entry.sort = entry.ownSort.get();
    break;
  case OpKind::Direct: {
    entry.ownDirect = std::make_unique<DirectInstruction>(*entry.direct);
    entry.ownPayload = std::make_unique<uint8_t[]>(entry.direct->payloadBytes);
    std::memcpy(entry.ownPayload.get(), entry.direct->payload, entry.direct->payloadBytes);
    entry.ownDirect->payload = entry.ownPayload.get();
    entry.direct = entry.ownDirect.get();
    break;
  }
  case OpKind::SetFlag:
    flag(entry.src, entry.dst, entry.id).queuedSets.push(entry.ordinal);
    break;
  case OpKind::RlsBuf:
    buffers[size_t(entry.id)].pending.push({entry.number, entry.pipe, entry.ordinal, false});
    break;
  case OpKind::SyncSet: {
    SemaphoreName targets[2];
    for (unsigned i = targetsOf(entry.id, targets); i-- > 0;)
      setup.cluster->at(targets[i]).senders[id.index].queued.push(entry.ordinal);
    break;
  }
  default:
    break;
  }
  ++queued;
  queue(entry.pipe).waiting.push(std::move(entry));
}

void Core::execute(Entry &entry) {
  executed += entry.pipe != Pipe::S;
  if (observer)
    observer->start(instr(entry));
  switch (entry.kind) {
  case OpKind::Transfer:
    executeTransfer(entry);
    break;
  case OpKind::Scope:
    executeScope(entry);
    break;
  case OpKind::Sort:
    executeSort(entry);
    break;
  case OpKind::Direct:
    takeEffect(instr(entry), *entry.direct);
    break;
  case OpKind::SetFlag:
    executeSet(entry);
    break;
  case OpKind::WaitFlag:
    ++flag(entry.src, entry.dst, entry.id).waitsDone;
    ++stats.flags;
    if (observer)
      observer->waitFlag(instr(entry), entry.src, entry.dst, entry.id, entry.number);
    break;
  case OpKind::Barrier:
    if (observer)
      observer->barrier(instr(entry), entry.dst);
    break;
  case OpKind::GetBuf:
    if (observer)
      observer->getBuf(instr(entry), entry.id, entry.mode, entry.number);
    break;
  case OpKind::RlsBuf:
    executeRelease(entry);
    break;
  case OpKind::SyncSet:
    executeSyncSet(entry);
    break;
  case OpKind::SyncWait:
    executeSyncWait(entry);
    break;
  case OpKind::SyncAll:
    if (observer)
      observer->syncAllLeave(instr(entry), uint32_t(entry.id), entry.number);
    break;
  }
}

void Core::executeSet(const Entry &entry) {
  Flag &f = flag(entry.src, entry.dst, entry.id);
  ++f.setsDone;
  f.lastSet = entry.site;
  if (!f.queuedSets.empty())
    f.queuedSets.pop();
  ++stats.flags;
  if (observer)
    observer->setFlag(instr(entry), entry.src, entry.dst, entry.id, entry.number);
  if (checks.sync && f.setsDone - f.waitsDone > 1)
    reportOverwritten(f, entry.src, entry.dst, entry.id, entry.iterations, entry.depth);
}

void Core::reportOverwritten(const Flag &f, Pipe src, Pipe dst, int64_t eventId, const int64_t *iterations,
                             uint32_t depth) {
  Finding finding = this->finding("flag-overwritten", f.lastSet,
                                  opName(f.lastSet) + " sets flag " + flagText(src, dst, eventId, f.lastSet) +
                                      " while it is still set");
  finding.help =
      "wait for the flag on " + std::string(nameOf(dst)) + " before it is set again, or use another event id";
  finding.iterations.assign(iterations, iterations + depth);
  report(std::move(finding));
}

void Core::executeRelease(const Entry &entry) {
  auto &pending = buffers[size_t(entry.id)].pending;
  for (size_t i = 0; i < pending.size(); ++i)
    if (pending[i].number == entry.number) {
      pending[i].done = true;
      break;
    }
  while (!pending.empty() && pending.front().done)
    pending.pop();
  if (observer)
    observer->rlsBuf(instr(entry), entry.id, entry.mode, entry.number);
}

void Core::runHead(Pipe pipe) {
  PipeQueue &q = queue(pipe);
  Entry entry = q.waiting.pop();
  ++q.started;
  if (schedule == ScheduleKind::Random && overtakes(entry) && pipe != Pipe::V && !isInOrder(*profile, pipe)) {
    // It moves later: its rows mixed with those of its neighbours, or as a whole.
    ++executed;
    if (observer)
      observer->start(instr(entry));
    q.inFlight.push_back({std::move(entry), {}, false});
    return;
  }
  --queued;
  execute(entry);
}

bool Core::pump() {
  bool any = false;
  for (bool moved = true; moved && queued && !stopped;) {
    moved = false;
    for (Pipe pipe : kPullOrder) {
      PipeQueue &q = queue(pipe);
      while (!stopped && !q.waiting.empty() && ready(q.waiting.front())) {
        runHead(pipe);
        moved = any = true;
      }
    }
  }
  return any;
}

bool Core::runAll() {
  uint64_t executedBefore = executed, queuedBefore = queued;
  switch (schedule) {
  case ScheduleKind::Eager:
    pump();
    break;
  case ScheduleKind::Lazy:
    while (!stopped && pullAll()) {
    }
    break;
  case ScheduleKind::Random:
    while (!stopped && randomStep()) {
    }
    break;
  }
  return executed != executedBefore || queued != queuedBefore;
}

bool Core::drain(const Entry *entry) {
  do
    runAll();
  while (queued && !stopped && park(entry));
  return queued == 0;
}

bool Core::park(const Entry *entry) {
  if (!setup.group)
    return false;
  suBlockedOn = entry;
  setup.group->endTurn(TurnEnd::Blocked);
  suBlockedOn = nullptr;
  return true;
}

void Core::passTurn(bool spinning) {
  if (!setup.group || stopped)
    return;
  setup.group->endTurn(spinning ? TurnEnd::Spinning : TurnEnd::Ready);
  // What other cores did may have freed heads of queues.
  if (queued && !stopped && schedule == ScheduleKind::Eager)
    pump();
}

int32_t Core::suWait(Entry &entry) {
  while (!stopped && !ready(entry)) {
    bool moved = false;
    switch (schedule) {
    case ScheduleKind::Eager:
      break;
    case ScheduleKind::Lazy:
      moved = demand(entry);
      break;
    case ScheduleKind::Random:
      moved = randomStep();
      break;
    }
    if (!moved && !stopped) {
      runAll();
      if (!stopped && !ready(entry) && !park(&entry))
        return deadlock(&entry);
    }
  }
  if (!stopped)
    finishSu(entry);
  return stopped;
}

void Core::finishSu(Entry &entry) {
  ++queue(Pipe::S).started;
  execute(entry);
  if (queued && schedule == ScheduleKind::Eager)
    pump();
}

} // namespace ptoscope
