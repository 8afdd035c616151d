//===- VectorClock.cpp - which instructions are known to have ended -------===//
//
// The edges of isa/03 sections 2 to 5, 7 and 8. See VectorClock.h for the invariants.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/VectorClock.h"

#include <algorithm>

namespace ptoscope {

namespace {

/// Releases kept per (id, pipe) before old ones are dropped. A get can only
/// refer to an older one while its pipe is stuck and the others run on for
/// longer than the machine's look-ahead (4096 instructions).
constexpr size_t kKeptReleases = 4096;
/// Sets of one semaphore that wait for their wait. Counters hold 15; beyond that
/// the overflow is reported, and what is dropped here can only add reports.
constexpr size_t kKeptSets = 4096;
/// Versions of a clock kept for legacy releases; see legacyRelease.
constexpr size_t kKeptVersions = 256;

size_t indexOf(Pipe pipe) { return slotOf(CoreId{0}, pipe); }

} // namespace

HappensBefore::HappensBefore(const Profile &profile) : semaphoresOfPipes(profile.pipeSemaphores) {
  inOrderPipe[indexOf(Pipe::S)] = true;
  inOrderPipe[indexOf(Pipe::V)] = profile.inOrderVectorPipe;
  inOrderPipe[indexOf(Pipe::M)] = true;
  inOrderPipe[indexOf(Pipe::MTE1)] = true;
  inOrderPipe[indexOf(Pipe::FIX)] = true;
}

void HappensBefore::issued(const Instr &instr) {
  Slot slot = slotOf(instr.core, instr.pipe);
  issuedUpTo[slot] = std::max(issuedUpTo[slot], instr.ordinal);
  if (instr.pipe == Pipe::S || instr.pipe == Pipe::All)
    return;
  Issued snapshot;
  std::copy_n(issuedUpTo.begin() + instr.core.index * kClockPipes, kClockPipes, snapshot.begin());
  issueSnapshots[slot].emplace_back(instr.ordinal, snapshot);
}

void HappensBefore::beginNew(Slot slot, uint64_t ordinal) {
  current[slot] = ordinal;
  started[slot] = std::max(started[slot], ordinal);
  auto &snapshots = issueSnapshots[slot];
  // Kept until the next instruction begins: a release looks its own one up.
  // Reordered transfers are no releases, so dropping theirs is harmless.
  while (!snapshots.empty() && snapshots.front().first < ordinal)
    snapshots.pop_front();
  if (!deferred[slot].empty() && deferred[slot].front().ordinal < ordinal) [[unlikely]]
    acquireDeferred(slot, ordinal);
  if (inOrder(slot))
    clocks[slot].ended[slot] = std::max(clocks[slot].ended[slot], ordinal);
}

void HappensBefore::acquireDeferred(Slot slot, uint64_t ordinal) {
  while (!deferred[slot].empty() && deferred[slot].front().ordinal < ordinal) {
    Message message = std::move(deferred[slot].front());
    deferred[slot].pop_front();
    // Transfers issued before the wait may take effect after later ones.
    if (!inOrder(slot)) {
      staleClocks[slot].push_back({message.ordinal, clocks[slot]});
      stale |= 1u << slot;
    }
    clocks[slot].join(message.clock);
  }
}

const VectorClock &HappensBefore::staleClock(Slot slot) const {
  for (const Message &version : staleClocks[slot])
    if (current[slot] <= version.ordinal)
      return version.clock;
  return clocks[slot];
}

void HappensBefore::acquire(Slot slot, uint64_t ordinal, const VectorClock &other) {
  clocks[slot].join(other);
  // Only instructions that wait for their pipe's transfers acquire directly.
  staleClocks[slot].clear();
  stale &= ~(1u << slot);
  if (!legacySeen)
    return;
  auto &list = versions[slot];
  list.push_back({ordinal, clocks[slot]});
  if (list.size() > kKeptVersions)
    list.pop_front();
}

VectorClock HappensBefore::published(Slot slot, uint64_t ordinal) const {
  VectorClock result = clocks[slot];
  result.ended[slot] = std::max(result.ended[slot], ordinal);
  return result;
}

std::deque<HappensBefore::Message> *HappensBefore::flagQueue(CoreId core, Pipe src, Pipe dst, int64_t id) {
  if (id < 0 || id >= kEventIds || core.index >= kCoresPerBlock)
    return nullptr;
  auto &owned = flags[core.index];
  if (!owned)
    owned = std::make_unique<Flags>();
  size_t pair = indexOf(src) * kClockPipes + indexOf(dst);
  owned->used[pair] |= uint8_t(1u << id);
  return &owned->queues[pair * kEventIds + size_t(id)];
}

int64_t HappensBefore::freeEventId(CoreId core, Pipe src, Pipe dst) const {
  const auto &owned = flags[core.index];
  uint8_t used = owned ? owned->used[indexOf(src) * kClockPipes + indexOf(dst)] : 0;
  for (int64_t id = 0; id < kEventIds; ++id)
    if (!(used >> id & 1))
      return id;
  return -1;
}

void HappensBefore::setFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  if (auto *queue = flagQueue(instr.core, src, dst, id))
    queue->push_back({ordinal, published(slot, instr.ordinal)});
}

void HappensBefore::waitFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  auto *queue = flagQueue(instr.core, src, dst, id);
  if (!queue)
    return;
  // Sets of one flag execute in issue order, and so do its waits.
  while (!queue->empty() && queue->front().ordinal < ordinal)
    queue->pop_front();
  if (queue->empty() || queue->front().ordinal != ordinal)
    return;
  acquire(slot, instr.ordinal, queue->front().clock);
  queue->pop_front();
}

void HappensBefore::barrier(const Instr &instr, Pipe pipe) {
  if (instr.pipe != Pipe::All)
    begin(instr);
  if (pipe != Pipe::All) {
    Slot slot = slotOf(instr.core, pipe);
    uint64_t upTo = instr.pipe == pipe ? instr.ordinal : started[slot];
    acquire(slot, started[slot], published(slot, upTo));
    return;
  }
  size_t first = instr.core.index * kClockPipes;
  VectorClock all;
  for (size_t slot = first; slot < first + kClockPipes; ++slot) {
    all.join(clocks[slot]);
    all.ended[slot] = std::max(all.ended[slot], started[slot]);
  }
  for (size_t slot = first; slot < first + kClockPipes; ++slot)
    acquire(Slot(slot), started[slot], all);
}

// --- other cores ----------------------------------------------------------------

void HappensBefore::syncSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  if (id < 0 || id >= 32 || target.index >= kCoresPerBlock)
    return;
  usedSemaphores[target.index] |= 1u << id;
  std::deque<Message> &queue = semaphores[{target.index, id, instr.core.index}];
  if (queue.size() < kKeptSets)
    queue.push_back({ordinal, published(slot, instr.ordinal)});
}

void HappensBefore::syncWait(const Instr &instr, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  if (id < 0 || id >= 32)
    return;
  usedSemaphores[instr.core.index] |= 1u << id;
  VectorClock joined;
  for (int64_t sender = 0; sender < int64_t(kCoresPerBlock); ++sender) {
    auto it = semaphores.find({instr.core.index, id, sender});
    if (it == semaphores.end())
      continue;
    std::deque<Message> &queue = it->second;
    // Waits of several pipes may pass in another order than they were issued.
    for (auto at = queue.begin(); at != queue.end(); ++at)
      if (at->ordinal == ordinal) {
        joined.join(at->clock);
        queue.erase(at);
        break;
      }
  }
  acquire(slot, instr.ordinal, joined);
  if (instr.pipe != Pipe::S)
    return;
  Slot first = Slot(instr.core.index * kClockPipes);
  for (Slot other = first; other < first + kClockPipes; ++other)
    if (other != slot)
      deferred[other].push_back({issuedUpTo[other], joined});
}

int64_t HappensBefore::freeSemaphore(CoreId sender, CoreId target) const {
  unsigned offset = semaphoresOfPipes && target.index == 0 && sender.index == 2 ? 16 : 0;
  uint32_t used = usedSemaphores[target.index] >> offset;
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
  std::vector<VectorClock> &list = arrived[channel];
  while (list.size() < ordinal)
    list.push_back(list.empty() ? VectorClock() : list.back());
  list[ordinal - 1].join(published(slotOf(instr.core, Pipe::S), instr.ordinal));
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

HappensBefore::Buffer *HappensBefore::buffer(CoreId core, int64_t id) {
  if (id < 0 || id >= kBufferIds || core.index >= kCoresPerBlock)
    return nullptr;
  auto &owned = buffers[core.index];
  if (!owned)
    owned = std::make_unique<std::array<Buffer, kBufferIds>>();
  return &(*owned)[size_t(id)];
}

void HappensBefore::getBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t releasesBefore) {
  Slot slot = begin(instr);
  Buffer *buf = buffer(instr.core, id);
  if (!buf)
    return;
  size_t own = slot % kClockPipes;
  if (buf->firstGet[own] == 0)
    buf->firstGet[own] = instr.ordinal;
  if (mode != 0) {
    legacySeen = true;
    return;
  }
  buf->lastReleasesBefore[own] = releasesBefore;
  VectorClock joined;
  for (Releases &releases : buf->releases) {
    auto &entries = releases.entries;
    auto after = std::upper_bound(entries.begin(), entries.end(), releasesBefore,
                                  [](uint64_t k, const Message &m) { return k < m.ordinal; });
    if (after != entries.begin())
      joined.join(std::prev(after)->clock);
    else if (releases.dropped != 0 && releases.dropped <= releasesBefore)
      joined.join(entries.front().clock); // never a false report for want of history
  }
  acquire(slot, instr.ordinal, joined);
}

void HappensBefore::rlsBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t ordinal) {
  Slot slot = begin(instr);
  Buffer *buf = buffer(instr.core, id);
  if (!buf)
    return;
  VectorClock clock = published(slot, instr.ordinal);
  if (mode != 0)
    clock.join(legacyRelease(instr, slot, *buf));
  legacySeen |= mode != 0;
  Releases &releases = buf->releases[slot % kClockPipes];
  auto &entries = releases.entries;
  if (!entries.empty())
    clock.join(entries.back().clock);
  entries.push_back({ordinal, clock});
  if (entries.size() <= kKeptReleases)
    return;
  // No later get of a pipe refers to fewer releases than its last one did.
  uint64_t needed = UINT64_MAX;
  for (size_t p = 0; p < kClockPipes; ++p)
    if (buf->firstGet[p] != 0)
      needed = std::min(needed, buf->lastReleasesBefore[p]);
  while (entries.size() > kKeptReleases &&
         (entries[1].ordinal <= needed || entries.size() > 16 * kKeptReleases)) {
    if (releases.dropped == 0)
      releases.dropped = entries.front().ordinal;
    entries.pop_front();
  }
}

/// A mode-1 release covers all instructions issued before it on every pipe that
/// had got the id by then (isa/03 section 5), and what those had acquired.
VectorClock HappensBefore::legacyRelease(const Instr &instr, Slot slot, const Buffer &buf) const {
  Slot first = Slot(instr.core.index * kClockPipes);
  Issued upTo;
  const auto &snapshots = issueSnapshots[slot];
  if (!snapshots.empty() && snapshots.front().first == instr.ordinal)
    upTo = snapshots.front().second;
  else // nobody reported issues: what has started is the best bound
    std::copy_n(started.begin() + first, kClockPipes, upTo.begin());
  VectorClock result;
  for (size_t p = 0; p < kClockPipes; ++p) {
    if (buf.firstGet[p] == 0 || buf.firstGet[p] > upTo[p])
      continue;
    Slot other = Slot(first + p);
    if (started[other] <= upTo[p]) {
      result.join(clocks[other]);
    } else {
      for (auto it = versions[other].rbegin(); it != versions[other].rend(); ++it)
        if (it->ordinal <= upTo[p]) {
          result.join(it->clock);
          break;
        }
    }
    result.ended[other] = std::max(result.ended[other], upTo[p]);
  }
  return result;
}

} // namespace ptoscope
