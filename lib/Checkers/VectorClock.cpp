//===- VectorClock.cpp - which instructions are known to have ended -------===//
//
// The edges HB1 to HB11 and SYNCALL-1. See VectorClock.h for the invariants.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Order.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptoscope {

namespace {

/// Releases kept per (id, pipe) before old ones are dropped. A get can only
/// refer to an older one while its pipe is stuck and the others run on for
/// longer than the machine's look-ahead (4096 instructions).
constexpr size_t kKeptReleases = 4096;
/// Tiles of L0C that were passed on between PIPE_M and PIPE_FIX. One that waits for an
/// older one than these has left its tile alone for as many instructions.
constexpr size_t kKeptTiles = 4096;
/// Versions of a clock kept for legacy releases; see legacyRelease.
constexpr size_t kKeptVersions = 256;
/// Versions of a scalar unit's clock: one for each time that it waited. Older ones
/// matter only to a pipe that is further behind than the machine's look-ahead.
constexpr size_t kKeptSuVersions = 4096;

size_t indexOf(Pipe pipe) { return slotOf(CoreId{0}, pipe); }

} // namespace

HappensBefore::HappensBefore(const Profile &profile) : semaphoresOfPipes(profile.pipeSemaphores) {
  for (Slot slot = 0; slot < kPassed; ++slot)
    inOrderPipe[slot] = isInOrder(profile, pipeOf(slot));
}

void HappensBefore::reset() {
  for (size_t core = 0; core < kCoresPerBlock; ++core)
    if (groups >> core & 1)
      resetCore(core);
  usedSlots = stale = 0;
  legacySeen = false;
  semaphores.clear();
  queueSets.clear();
  usedSemaphores = {};
  for (std::vector<VectorClock> &list : arrived)
    emptyForReuse(list);
}

void HappensBefore::resetCore(size_t core) {
  const size_t first = core * kClockPipes;
  for (size_t slot = first; slot < first + kClockPipes; ++slot) {
    clocks[slot] = {};
    current[slot] = started[slot] = issuedUpTo[slot] = 0;
    issuePoints[slot].reset();
    for (auto *messages : {&versions, &passedTiles, &deferred, &staleClocks})
      (*messages)[slot].reset();
  }
  lastIssued[core] = 0;
  lastAll[core] = {};
  suVersions[core].reset();
  emptyForReuse(issuedWhenTold[core]);
  for (std::unique_ptr<FlagPair> &pair : flags[core])
    for (unsigned used = pair ? std::exchange(pair->used, uint8_t(0)) : 0; used; used &= used - 1) {
      Flag &flag = pair->flags[size_t(std::countr_zero(used))];
      flag.sets.reset();
      flag.counter = {};
    }
  for (uint32_t used = std::exchange(usedBuffers[core], 0); used; used &= used - 1) {
    Buffer &buffer = (*buffers[core])[size_t(std::countr_zero(used))];
    for (Releases &releases : buffer.releases) {
      releases.entries.reset();
      releases.dropped = 0;
    }
    buffer.firstGet = buffer.lastReleasesBefore = {};
  }
}

void HappensBefore::issued(const Instr &instr) {
  size_t core = instr.core.index;
  Slot slot = slotOf(instr.core, instr.pipe), last = lastIssued[core];
  groups |= ClockGroups(1u << core);
  // Only what waits has to remember when it was issued.
  if (last % kClockPipes != 0 && started[last] < issuedUpTo[last]) [[unlikely]] {
    IssuePoint &point = issuePoints[last].push();
    point.ordinal = issuedUpTo[last];
    std::copy_n(issuedUpTo.begin() + core * kClockPipes, kClockPipes, point.before.begin());
  }
  issuedUpTo[slot] = std::max(issuedUpTo[slot], instr.ordinal);
  lastIssued[core] = slot;
}

const uint64_t *HappensBefore::issuedBefore(Slot slot, uint64_t ordinal) const {
  if (const auto &points = issuePoints[slot]; !points.empty() && points.front().ordinal == ordinal)
    return points.front().before.data();
  size_t core = slot / kClockPipes;
  bool isLast = lastIssued[core] == slot && issuedUpTo[slot] == ordinal;
  return isLast ? &issuedUpTo[core * kClockPipes] : nullptr;
}

void HappensBefore::beginNew(Slot slot, uint64_t ordinal) {
  if (!(usedSlots >> slot & 1)) [[unlikely]] {
    usedSlots |= 1u << slot;
    groups |= ClockGroups(1u << (slot / kClockPipes));
    clocks[slot].join(lastAll[slot / kClockPipes]);
  }
  current[slot] = ordinal;
  started[slot] = std::max(started[slot], ordinal);
  auto &points = issuePoints[slot];
  // Kept until the next instruction begins: an instruction looks its own one up.
  // Reordered transfers never do, so dropping theirs is harmless.
  while (!points.empty() && points.front().ordinal < ordinal)
    points.pop();
  if (!deferred[slot].empty() && deferred[slot].front().ordinal < ordinal) [[unlikely]]
    acquireDeferred(slot, ordinal);
  if (inOrder(slot))
    clocks[slot].ended[slot] = std::max(clocks[slot].ended[slot], ordinal);
  size_t su = slot - slot % kClockPipes;
  const uint64_t *before = slot == su ? &ordinal : issuedBefore(slot, ordinal);
  if (before)
    clocks[slot].ended[su + kPassed] = std::max(clocks[slot].ended[su + kPassed], before[0]);
}

void HappensBefore::acquireDeferred(Slot slot, uint64_t ordinal) {
  for (auto &messages = deferred[slot]; !messages.empty() && messages.front().ordinal < ordinal; messages.pop()) {
    const Message &message = messages.front();
    // Transfers issued before the wait may take effect after later ones.
    if (!inOrder(slot)) {
      staleClocks[slot].push() = {message.ordinal, clocks[slot]};
      stale |= 1u << slot;
    }
    clocks[slot].join(message.clock, groups);
  }
}

const VectorClock &HappensBefore::staleClock(Slot slot) const {
  const auto &older = staleClocks[slot];
  for (size_t i = 0; i < older.size(); ++i)
    if (current[slot] <= older[i].ordinal)
      return older[i].clock;
  return clocks[slot];
}

void HappensBefore::keepVersion(Slot slot, uint64_t ordinal) {
  auto &list = versions[slot];
  if (list.size() == kKeptVersions)
    list.pop();
  list.push() = {ordinal, clocks[slot]};
}

void HappensBefore::keepSuVersion(Slot slot, uint64_t ordinal) {
  auto &list = suVersions[slot / kClockPipes];
  if (list.size() == kKeptSuVersions)
    list.pop();
  Message &version = list.push();
  version.ordinal = ordinal;
  version.clock.assign(clocks[slot], groups);
}

bool HappensBefore::anyQueued(CoreId core) const {
  size_t first = core.index * kClockPipes;
  bool queued = false;
  for (size_t slot = first; slot < first + kClockPipes; ++slot)
    queued |= issuedUpTo[slot] > started[slot];
  return queued;
}

/// How many of the messages, which are sorted, have that ordinal or a lower one.
template <typename Messages> static size_t countUpTo(const Messages &list, uint64_t ordinal) {
  size_t low = 0;
  for (size_t high = list.size(); low < high;) {
    size_t middle = (low + high) / 2;
    if (list[middle].ordinal <= ordinal)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const VectorClock *HappensBefore::suClock(size_t core, uint64_t ordinal) const {
  const auto &list = suVersions[core];
  if (size_t known = countUpTo(list, ordinal))
    return &list[known - 1].clock;
  // Before the first version it knew nothing; where that is forgotten, the oldest
  // one never adds a report.
  return list.size() == kKeptSuVersions ? &list.front().clock : nullptr;
}

VectorClock HappensBefore::withPassed(VectorClock clock) const {
  // What one scalar unit knew may name another one, and so on.
  for (size_t round = 0; round < kCoresPerBlock; ++round)
    for (size_t core = 0; core < kCoresPerBlock; ++core) {
      uint64_t passed = clock.ended[core * kClockPipes + kPassed];
      if (const VectorClock *known = passed ? suClock(core, passed) : nullptr)
        clock.join(*known, groups);
    }
  for (size_t su = 0; su < kClockSlots; su += kClockPipes)
    clock.ended[su] = std::max(clock.ended[su], clock.ended[su + kPassed]);
  return clock;
}

uint64_t HappensBefore::countOf(Counter &counter, uint64_t number, const VectorClock &clock) {
  if (counter.exceeded)
    return 0;
  auto drop = [&](const VectorClock &known) {
    uint8_t kept = 0;
    for (uint8_t i = 0; i < counter.count; ++i)
      if (counter.waits[i].ordinal > known.ended[counter.waits[i].slot])
        counter.waits[kept++] = counter.waits[i];
    counter.passed += counter.count - kept;
    counter.count = kept;
    return number - std::min(number, counter.passed);
  };
  uint64_t level = drop(clock);
  // Only a count that would be too high is worth a closer look.
  if (level > kCounterLimit) [[unlikely]] {
    level = drop(withPassed(clock));
    counter.exceeded = level > kCounterLimit;
  }
  return level;
}

HappensBefore::Flag *HappensBefore::flagOf(CoreId core, Pipe src, Pipe dst, int64_t id) {
  if (id < 0 || id >= kEventIds || core.index >= kCoresPerBlock)
    return nullptr;
  auto &pair = flags[core.index][indexOf(src) * kClockPipes + indexOf(dst)];
  if (!pair) [[unlikely]]
    pair = std::make_unique<FlagPair>();
  pair->used |= uint8_t(1u << id);
  return &pair->flags[size_t(id)];
}

int64_t HappensBefore::freeEventId(CoreId core, Pipe src, Pipe dst, NamedIds named) const {
  const auto &pair = flags[core.index][indexOf(src) * kClockPipes + indexOf(dst)];
  uint32_t used = (pair ? pair->used : 0) | named.all();
  for (int64_t i = 0; i < kEventIds; ++i) {
    int64_t id = named.computed ? kEventIds - 1 - i : i;
    if (!(used >> id & 1))
      return id;
  }
  return -1;
}

uint64_t HappensBefore::setFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  Flag *flag = flagOf(instr.core, src, dst, id);
  if (!flag)
    return 0;
  publish(flag->sets.push(), ordinal, slot, instr.ordinal);
  return countOf(flag->counter, ordinal, clocks[slot]);
}

void HappensBefore::waitFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  Slot slot = begin(instr);
  Flag *flag = flagOf(instr.core, src, dst, id);
  if (!flag)
    return;
  flag->counter.wait(slot, instr.ordinal);
  // Sets of one flag execute in issue order, and so do its waits.
  while (!flag->sets.empty() && flag->sets.front().ordinal < ordinal)
    flag->sets.pop();
  if (flag->sets.empty() || flag->sets.front().ordinal != ordinal)
    return;
  acquire(slot, instr.ordinal, flag->sets.front().clock);
  flag->sets.pop();
}

void HappensBefore::barrier(const Instr &instr, Pipe pipe) {
  if (instr.pipe != Pipe::All)
    begin(instr);
  if (ruleOf(barrierOf(pipe)).learns == Reach::OwnPipe) {
    Slot slot = slotOf(instr.core, pipe);
    uint64_t upTo = instr.pipe == pipe ? instr.ordinal : started[slot];
    clocks[slot].ended[slot] = std::max(clocks[slot].ended[slot], upTo);
    acquired(slot, started[slot]);
    return;
  }
  size_t first = instr.core.index * kClockPipes;
  VectorClock &all = lastAll[instr.core.index];
  uint32_t used = usedSlots & (0xffu << first);
  for (uint32_t rest = used; rest; rest &= rest - 1) {
    size_t slot = size_t(std::countr_zero(rest));
    all.join(clocks[slot], groups);
    all.ended[slot] = std::max(all.ended[slot], started[slot]);
  }
  for (uint32_t rest = used; rest; rest &= rest - 1) {
    size_t slot = size_t(std::countr_zero(rest));
    clocks[slot].assign(all, groups);
    acquired(Slot(slot), started[slot]);
  }
}

void HappensBefore::memoryBarrier(const Instr &instr, uint32_t pipes) {
  static_assert(ruleOf(SyncKind::MemoryBarrier).learns == Reach::Core);
  Slot slot = begin(instr);
  VectorClock told;
  for (size_t pipe = 0; pipe < kPipeSlots; ++pipe) {
    if (!(pipes >> pipe & 1))
      continue;
    Slot other = slotOf(instr.core, Pipe(pipe));
    told.join(clocks[other], groups);
    told.ended[other] = std::max(told.ended[other], started[other]);
  }
  learn(instr, slot, told);
}

void HappensBefore::unitPass(const Instr &instr) {
  Slot slot = begin(instr);
  auto &list = passedTiles[slot];
  if (list.size() == kKeptTiles)
    list.pop();
  publish(list.push(), instr.ordinal, slot, instr.ordinal);
}

void HappensBefore::unitCheck(const Instr &instr, Pipe from, uint64_t ordinal) {
  Slot slot = begin(instr);
  const auto &list = passedTiles[slotOf(instr.core, from)];
  if (list.empty())
    return;
  // Where it is forgotten, the oldest one never adds a report.
  size_t known = countUpTo(list, ordinal);
  acquire(slot, instr.ordinal, list[known ? known - 1 : 0].clock);
}

HappensBefore::Buffer *HappensBefore::buffer(CoreId core, int64_t id) {
  if (id < 0 || id >= kBufferIds || core.index >= kCoresPerBlock)
    return nullptr;
  auto &owned = buffers[core.index];
  if (!owned)
    owned = std::make_unique<std::array<Buffer, kBufferIds>>();
  usedBuffers[core.index] |= 1u << id;
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
  legacySeen |= mode != 0;
  if (ruleOf(getOf(mode)).learns == Reach::Nothing)
    return;
  buf->lastReleasesBefore[own] = releasesBefore;
  for (Releases &releases : buf->releases) {
    const auto &entries = releases.entries;
    if (entries.empty())
      continue;
    // Nearly always the last one; otherwise the last that was issued before.
    size_t after = entries.size();
    if (entries.back().ordinal > releasesBefore) [[unlikely]]
      after = countUpTo(entries, releasesBefore);
    if (after > 0)
      clocks[slot].join(entries[after - 1].clock, groups);
    else if (releases.dropped != 0 && releases.dropped <= releasesBefore)
      clocks[slot].join(entries.front().clock, groups); // missing history never causes a false report
  }
  acquired(slot, instr.ordinal);
}

void HappensBefore::rlsBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t ordinal) {
  Slot slot = begin(instr);
  Buffer *buf = buffer(instr.core, id);
  if (!buf)
    return;
  Releases &releases = buf->releases[slot % kClockPipes];
  auto &entries = releases.entries;
  Message &entry = entries.push();
  publish(entry, ordinal, slot, instr.ordinal);
  if (ruleOf(releaseOf(mode)).tells == Reach::Holders)
    entry.clock.join(legacyRelease(instr, slot, *buf), groups);
  legacySeen |= mode != 0;
  if (entries.size() > 1)
    entry.clock.join(entries[entries.size() - 2].clock, groups);
  // When nothing waits in a queue, each later get is issued after this release.
  if (issuedUpTo[slot] >= instr.ordinal && !anyQueued(instr.core))
    while (entries.size() > 1)
      entries.pop();
  if (entries.size() <= kKeptReleases)
    return;
  // No later get of a pipe refers to fewer releases than its last one did.
  uint64_t needed = UINT64_MAX;
  for (size_t p = 0; p < kClockPipes; ++p)
    if (buf->firstGet[p] != 0)
      needed = std::min(needed, buf->lastReleasesBefore[p]);
  while (entries.size() > kKeptReleases && (entries[1].ordinal <= needed || entries.size() > 16 * kKeptReleases)) {
    if (releases.dropped == 0)
      releases.dropped = entries.front().ordinal;
    entries.pop();
  }
}

/// A mode-1 release covers all instructions issued before it on every pipe that
/// had got the id by then (BUF-5), and what those had acquired.
VectorClock HappensBefore::legacyRelease(const Instr &instr, Slot slot, const Buffer &buf) const {
  Slot first = Slot(instr.core.index * kClockPipes);
  Issued upTo;
  if (const uint64_t *before = issuedBefore(slot, instr.ordinal))
    std::copy_n(before, kClockPipes, upTo.begin());
  else // no one reported issues: what has started is the best bound
    std::copy_n(started.begin() + first, kClockPipes, upTo.begin());
  VectorClock result;
  for (size_t p = 0; p < kClockPipes; ++p) {
    if (buf.firstGet[p] == 0 || buf.firstGet[p] > upTo[p])
      continue;
    Slot other = Slot(first + p);
    if (started[other] <= upTo[p]) {
      result.join(clocks[other]);
    } else {
      const auto &list = versions[other];
      for (size_t i = list.size(); i-- > 0;)
        if (list[i].ordinal <= upTo[p]) {
          result.join(list[i].clock);
          break;
        }
    }
    result.ended[other] = std::max(result.ended[other], upTo[p]);
  }
  return result;
}

} // namespace ptoscope
