//===- CoreOrder.cpp - what cores know of each other ----------------------===//
//
// The edges of HappensBefore between the cores of a block and between blocks:
// semaphores, messages, queues, barriers of all cores.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Order.h"

namespace ptoscope {

/// Sets of one semaphore that wait for their wait. Counters hold 15; beyond that
/// the overflow is reported, and what is dropped here can only add reports.
constexpr size_t kKeptSets = 4096;
/// On A5 the flags of a whole kind of cores are numbered from here on.
constexpr int64_t kKindFlags = 32;

uint64_t HappensBefore::syncSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) {
  Slot slot = begin(instr);
  if (id < 0 || id >= kKindFlags + 16 || target.index >= kCoresPerBlock)
    return 0;
  if (id < kKindFlags)
    usedSemaphores[target.index] |= 1u << id;
  Semaphore &semaphore = semaphores[{target.index, id}];
  size_t sender = instr.core.index;
  semaphore.done[sender] = ordinal;
  Message own;
  publish(own, ordinal, slot, instr.ordinal);
  if (semaphore.sets[sender].size() < kKeptSets)
    semaphore.sets[sender].push() = own;
  // Some count what several cores have set.
  for (size_t other = 0; other < kCoresPerBlock; ++other) {
    if (other == sender || !(senders >> other & 1))
      continue;
    if (semaphore.done[other] < ordinal)
      return 0;
    const Ring<Message> &sets = semaphore.sets[other];
    for (size_t i = 0; i < sets.size(); ++i)
      if (sets[i].ordinal == ordinal)
        own.clock.join(sets[i].clock, groups);
  }
  return countOf(semaphore.counter, ordinal, own.clock);
}

void HappensBefore::syncWait(const Instr &instr, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  if (id < 0 || id >= kKindFlags + 16)
    return;
  if (id < kKindFlags)
    usedSemaphores[instr.core.index] |= 1u << id;
  VectorClock joined;
  Semaphore &semaphore = semaphores[{instr.core.index, id}];
  semaphore.counter.wait(slot, instr.ordinal);
  for (Ring<Message> &sets : semaphore.sets)
    // Waits of several pipes may pass in another order than they were issued.
    for (size_t i = 0; i < sets.size(); ++i)
      if (sets[i].ordinal == ordinal) {
        joined.join(sets[i].clock, groups);
        sets.erase(i);
        break;
      }
  learn(instr, slot, joined);
}

void HappensBefore::learn(const Instr &instr, Slot slot, const VectorClock &told) {
  acquire(slot, instr.ordinal, told);
  if (ruleOf(semaphoreWaitOn(instr.pipe)).learns == Reach::OwnPipe)
    return;
  Slot first = Slot(instr.core.index * kClockPipes);
  for (Slot other = first; other < first + kClockPipes; ++other)
    if (other != slot)
      deferred[other].push() = {issuedUpTo[other], told};
}

void HappensBefore::queueSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  publish(queueSets[{target.index, id, instr.core.index}].push(), ordinal, slot, instr.ordinal);
}

void HappensBefore::queueWait(const Instr &instr, CoreId sender, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  // One pipe sets, so that a set tells what those before it have told.
  Ring<Message> &sets = queueSets[{instr.core.index, id, sender.index}];
  while (!sets.empty() && sets.front().ordinal < ordinal)
    sets.pop();
  if (!sets.empty() && sets.front().ordinal == ordinal)
    learn(instr, slot, sets.front().clock);
}

int64_t HappensBefore::freeSemaphore(CoreId sender, CoreId target) const {
  unsigned offset = semaphoresOfPipes && target.index == 0 && sender.index == 2 ? 16 : 0;
  uint32_t used = usedSemaphores[target.index] >> offset;
  if (sender.index == 0) // signals both vector cores, which run the same lines
    used = usedSemaphores[1] | usedSemaphores[2];
  if (!semaphoresOfPipes)
    used = usedSemaphores[0] | usedSemaphores[1] | usedSemaphores[2];
  for (int64_t id = 0; id < 16; ++id)
    if (!(used >> id & 1))
      return id;
  return -1;
}

void HappensBefore::syncAllArrive(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  barrier(instr, Pipe::All);
  if (channel >= kSyncAllChannels)
    return;
  Message own;
  publish(own, ordinal, slotOf(instr.core, Pipe::S), instr.ordinal);
  arrive(channel, ordinal, own.clock);
}

void HappensBefore::arrive(uint32_t channel, uint64_t ordinal, const VectorClock &clock) {
  groups |= kBarrierGroup;
  std::vector<VectorClock> &list = arrived[channel];
  while (list.size() < ordinal)
    list.push_back(list.empty() ? VectorClock() : list.back());
  // A core may be ahead of another one: what is known of a round holds for later ones.
  for (size_t i = ordinal - 1; i < list.size(); ++i)
    list[i].join(clock);
}

void HappensBefore::launchSet(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  Slot slot = begin(instr);
  if (channel >= kSyncAllChannels)
    return;
  Message own;
  publish(own, ordinal, slot, instr.ordinal);
  arrive(channel, ordinal, own.clock);
}

void HappensBefore::launchWait(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  Slot slot = begin(instr);
  if (channel >= kSyncAllChannels || arrived[channel].size() < ordinal)
    return;
  VectorClock clock = arrived[channel][ordinal - 1];
  clock.ended[kFirstBarrierCount + channel] = std::max(clock.ended[kFirstBarrierCount + channel], ordinal);
  learn(instr, slot, clock);
}

void HappensBefore::syncAllLeave(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  begin(instr);
  if (channel >= kSyncAllChannels || arrived[channel].size() < ordinal)
    return;
  VectorClock clock = arrived[channel][ordinal - 1];
  clock.ended[kFirstBarrierCount + channel] = ordinal;
  size_t first = instr.core.index * kClockPipes;
  for (size_t slot = first; slot < first + kClockPipes; ++slot)
    acquire(Slot(slot), started[slot], clock);
}

uint64_t HappensBefore::tellOthers(const Instr &instr) {
  Slot slot = begin(instr);
  size_t core = instr.core.index, first = core * kClockPipes;
  groups |= kBarrierGroup;
  Message own;
  publish(own, 0, slot, instr.ordinal);
  std::vector<VectorClock> &list = arrived[kFirstSignalChannel + core];
  list.push_back(own.clock);
  Issued &issued = issuedWhenTold[core].emplace_back();
  std::copy_n(issuedUpTo.begin() + first, kClockPipes, issued.begin());
  return list.size();
}

void HappensBefore::learnFromOthers(const Instr &instr, const VectorClock &learnt) {
  Slot slot = begin(instr), first = Slot(instr.core.index * kClockPipes);
  groups |= kBarrierGroup;
  acquire(slot, instr.ordinal, learnt);
  for (Slot other = first; other < first + kClockPipes; ++other)
    if (other != slot)
      deferred[other].push() = {issuedUpTo[other], learnt};
}

uint64_t HappensBefore::firstToldAfter(Slot slot, uint64_t ordinal) const {
  const std::vector<Issued> &list = issuedWhenTold[slot / kClockPipes];
  auto it = std::partition_point(list.begin(), list.end(),
                                 [&](const Issued &issued) { return issued[slot % kClockPipes] < ordinal; });
  return it == list.end() ? UINT64_MAX : uint64_t(it - list.begin()) + 1;
}

} // namespace ptoscope
