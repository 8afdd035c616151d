//===- Queues.cpp - the signals of tile queues in a cluster ---------------===//
//
// FIFO-20 to FIFO-27. On A5 a wait stands in the queue of a pipe; on A2/A3 it stops
// the scalar unit. Signals are those of pipes on both.
//
//===----------------------------------------------------------------------===//

#include "Sync/Queues.h"

#include "Core.h"
#include "ptoscope/Machine/QueueSentences.h"

#include <algorithm>

namespace ptoscope {

//===----------------------------------------------------------------------===//
// Queues that exist
//===----------------------------------------------------------------------===//

static const char *directionText(const QueueShape &shape, int64_t id) {
  const bool second = id - shape.flag >= 2;
  return shape.toVector && !second ? "C2V" : "V2C";
}

static std::string textOf(const QueueShape &shape, int64_t id) {
  const int64_t data = id - (id - shape.flag) % 2;
  return say::kQueue(shape.flag, directionText(shape, id), data, data + 1, shape.slots);
}

const Queues::Opened *Queues::find(CoreId core, int64_t id) const {
  const Opened *found = nullptr;
  for (int64_t flag = std::max<int64_t>(id - 3, 0); flag <= id; ++flag)
    if (const Opened &known = opened[core.index][size_t(flag)];
        known.count && id < flag + known.shape.ids() && (!found || known.live))
      found = &known;
  return found;
}

std::string Queues::text(CoreId core, int64_t id) const {
  const Opened *known = find(core, id);
  return known ? textOf(known->shape, id) : std::string();
}

int32_t Queues::open(const Report &words, Report &report, CoreId core, SiteId site, const QueueShape &shape) {
  auto &own = opened[core.index];
  const std::string name = textOf(shape, shape.flag);
  for (size_t flag = 0; flag < own.size(); ++flag) {
    const Opened &other = own[flag];
    if (!other.live || other.shape.flag + other.shape.ids() <= shape.flag ||
        shape.flag + shape.ids() <= other.shape.flag)
      continue;
    Finding finding = words.finding(site, say::kQueueOverlap(name, textOf(other.shape, other.shape.flag)));
    finding.notes.push_back({words.place(other.site), say::kQueueMade()});
    return report.fatal(std::move(finding));
  }
  Opened &entry = own[shape.flag];
  entry.shape = shape;
  entry.site = site;
  entry.live = true;
  ++entry.count;
  if (shape.slots > kMaxQueueSlots)
    report.tell(site, say::kQueueDepth(name));
  else if (shape.slots >= 5 && shape.slots % 2 == 1 && shape.paired)
    report.tell(site, say::kQueueOdd(name, shape.slots));
  for (int64_t id = shape.flag; id < shape.flag + shape.ids(); ++id)
    for (Line &line : lines[core.index][size_t(id)])
      line.before = line.waitsIssued;
  // The other side says the same.
  for (size_t peer = 0; peer < kCoresPerBlock; ++peer) {
    const Opened &other = opened[peer][shape.flag];
    if (peer == core.index || other.count != entry.count)
      continue;
    auto differs = [&](auto phrase, auto here, auto there) {
      if (here == there)
        return false;
      Finding finding =
          words.finding(site, say::kQueueDiffers(name, phrase(here), phrase(there), CoreId{uint8_t(peer)}));
      finding.notes.push_back({words.place(other.site), say::kQueueMade()});
      report.add(std::move(finding));
      return true;
    };
    auto direction = [](const QueueShape &of) { return of.toVector + 2 * of.toCube; };
    if (differs(say::kDirectionIs, direction(shape), direction(other.shape)) ||
        differs(say::kSlotCount, shape.slots, other.shape.slots) ||
        differs(say::kSlotSize, shape.slotBytes, other.shape.slotBytes) ||
        differs(say::kRingAt, shape.ring[0], other.shape.ring[0]) ||
        differs(say::kRingAt, shape.ring[1], other.shape.ring[1]))
      break;
  }
  return report.stopped;
}

//===----------------------------------------------------------------------===//
// What entries hold
//===----------------------------------------------------------------------===//

QueueTile::~QueueTile() = default;

template <typename Fn> static void forEachPeer(uint8_t peers, Fn fn) {
  for (size_t peer = 0; peer < kCoresPerBlock; ++peer)
    if (peers >> peer & 1)
      fn(peer);
}

void Queues::meet(Report &report, size_t receiver, int64_t id, size_t sender, Line::Half half) {
  auto &halves = line(receiver, id, sender).halves;
  // A signal of the program's own has no half on its side: what came before is not met any more.
  std::erase_if(halves,
                [&](const Line::Half &other) { return other.pushes != half.pushes && other.number < half.number; });
  const auto other = std::find_if(halves.begin(), halves.end(), [&](const Line::Half &known) {
    return known.pushes != half.pushes && known.number == half.number;
  });
  if (other == halves.end()) {
    halves.push_back(std::move(half));
    return;
  }
  const Line::Half &push = half.pushes ? half : *other, &pop = half.pushes ? *other : half;
  if (const std::optional<Fact> fact = push.tile->misreadBy(*pop.tile)) {
    Finding finding = report.finding(pop.site, *fact);
    finding.notes.push_back({report.place(push.site), say::kQueueFilled()});
    report.add(std::move(finding));
  }
  halves.erase(other);
}

void noteQueueTile(PtoContext *context, SiteId site, uint8_t id, uint8_t peers, bool pushes,
                   std::shared_ptr<const QueueTile> tile) {
  Core &core = coreOf(context);
  Queues &queues = *core.setup.cluster->queues;
  forEachPeer(peers, [&](size_t peer) {
    const size_t receiver = pushes ? peer : core.id.index, sender = pushes ? core.id.index : peer;
    const Queues::Line &line = queues.line(receiver, id, sender);
    queues.meet(core.report, receiver, id, sender,
                {(pushes ? line.setsIssued : line.waitsIssued) + 1, pushes, site, tile});
  });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

SetQueue::SetQueue(SyncState &sync, uint8_t id, uint8_t peers) : sync(&sync), id(id), peers(peers) {
  forEachPeer(peers,
              [&](size_t peer) { number[peer] = ++sync.cluster->queues->line(peer, id, sync.core.index).setsIssued; });
}

std::unique_ptr<Operation> SetQueue::keep() {
  forEachPeer(peers,
              [&](size_t peer) { sync->cluster->queues->line(peer, id, sync->core.index).queued.push(ordinal); });
  return OperationOf::keep();
}

void SetQueue::effect(const Instr &instr) {
  ++sync->operations;
  ++sync->raised;
  forEachPeer(peers, [&](size_t peer) {
    Queues::Line &line = sync->cluster->queues->line(peer, id, sync->core.index);
    ++line.setsDone;
    line.lastSet = instr.site;
    if (!line.queued.empty())
      line.queued.pop();
    if (Observer *observer = sync->observer)
      observer->queueSet(instr, CoreId{uint8_t(peer)}, id, number[peer]);
  });
}

WaitQueue::WaitQueue(SyncState &sync, uint8_t id, uint8_t peers, uint32_t ahead) : sync(&sync), id(id), peers(peers) {
  forEachPeer(peers, [&](size_t peer) {
    Queues::Line &line = sync.cluster->queues->line(sync.core.index, id, peer);
    const uint64_t count = ++line.waitsIssued;
    number = std::max(number, count - line.before);
    needed[peer] = ahead == 0 ? count : std::max(line.before, count > ahead ? count - ahead : 0);
  });
}

bool WaitQueue::passesAtOnce() const {
  return std::all_of(needed.begin(), needed.end(), [](uint64_t n) { return n == 0; });
}

size_t WaitQueue::lacking() const {
  for (size_t sender = 0; sender < kCoresPerBlock; ++sender)
    if (sync->cluster->queues->line(sync->core.index, id, sender).setsDone < needed[sender])
      return sender;
  return kCoresPerBlock;
}

bool WaitQueue::ready() const { return lacking() == kCoresPerBlock; }

bool WaitQueue::waitsForData() const {
  const Queues::Opened *opened = sync->cluster->queues->find(sync->core, id);
  return !opened || Queues::isData(opened->shape, id);
}

/// A core that has both sides may have its own set queued.
std::optional<Blocker> WaitQueue::blocker() const {
  const size_t own = sync->core.index;
  const Queues::Line &line = sync->cluster->queues->line(own, id, own);
  if (needed[own] <= line.setsDone || line.queued.size() < needed[own] - line.setsDone)
    return std::nullopt;
  return Blocker{line.pipe, line.queued[needed[own] - line.setsDone - 1]};
}

void WaitQueue::effect(const Instr &instr) {
  ++sync->operations;
  forEachPeer(peers, [&](size_t sender) {
    Queues::Line &line = sync->cluster->queues->line(sync->core.index, id, sender);
    ++line.waitsDone;
    line.lastWait = instr.site;
    if (Observer *observer = sync->observer; observer && needed[sender])
      observer->queueWait(instr, CoreId{uint8_t(sender)}, id, needed[sender]);
  });
}

//===----------------------------------------------------------------------===//
// As issued
//===----------------------------------------------------------------------===//

int32_t Core::signalQueue(SiteId site, Pipe pipe, uint8_t queueId, uint8_t peers, bool frees) {
  if (step(site))
    return 1;
  if (!pipes.has(pipe) || pipe == Pipe::S)
    return lacksPipe(site, "a signal of a queue on", uint32_t(pipe));
  Queues &queues = *setup.cluster->queues;
  if (frees) {
    // Entries that this core has popped, of each sender; ids of data come before those of space.
    bool popped = true;
    forEachPeer(peers, [&](size_t peer) {
      popped = popped &&
               queues.line(peer, queueId, id.index).setsIssued < queues.line(id.index, queueId - 1, peer).waitsIssued;
    });
    if (!popped) {
      if (report.checks.sync)
        report.tell(site, say::kQueueFree(queues.text(id, queueId)));
      return report.stopped;
    }
  }
  forEachPeer(peers, [&](size_t peer) { queues.line(peer, queueId, id.index).pipe = pipe; });
  SetQueue op(sync, queueId, peers);
  return issue(op, pipe, site);
}

int32_t Core::awaitQueue(SiteId site, Pipe pipe, uint8_t queueId, uint8_t peers, bool space) {
  if (step(site))
    return 1;
  // On A2/A3 the scalar unit waits.
  if (!sync.pipeSemaphores)
    pipe = Pipe::S;
  if (!pipes.has(pipe))
    return lacksPipe(site, "a wait for a queue on", uint32_t(pipe));
  Queues &queues = *setup.cluster->queues;
  const Queues::Opened *opened = queues.find(id, queueId);
  WaitQueue op(sync, queueId, peers, space && opened ? opened->shape.ahead : 0);
  if (op.passesAtOnce()) {
    forEachPeer(peers, [&](size_t peer) { ++queues.line(id.index, queueId, peer).waitsDone; });
    return report.stopped;
  }
  return issue(op, pipe, site);
}

int32_t openQueue(PtoContext *context, SiteId site, const QueueShape &shape) {
  Core &core = coreOf(context);
  if (core.report.stopped)
    return 1;
  auto &queues = core.setup.cluster->queues;
  if (!queues)
    queues = std::make_unique<Queues>();
  return queues->open(core.report, core.report, core.id, site, shape);
}
void closeQueue(PtoContext *context, const QueueShape &shape) {
  Core &core = coreOf(context);
  if (core.setup.cluster->queues)
    core.setup.cluster->queues->close(core.id, shape);
}
bool hasQueue(const PtoContext *context, uint8_t flag) {
  const Core &core = coreOf(context);
  return core.setup.cluster->queues && core.setup.cluster->queues->has(core.id, flag);
}
uint8_t queuePeers(const PtoContext *context, bool first) {
  const Core &core = coreOf(context);
  if (core.kind == CoreKind::Unified)
    return uint8_t(1u << core.id.index);
  if (core.kind == CoreKind::AIV)
    return 1;
  return first || !core.setup.cluster->cores[2] ? 2 : 2 | 4;
}
int32_t signalQueue(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers) {
  return coreOf(core).signalQueue(site, pipe, id, peers, false);
}
int32_t freeQueue(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers) {
  return coreOf(core).signalQueue(site, pipe, id, peers, true);
}
int32_t awaitData(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers) {
  return coreOf(core).awaitQueue(site, pipe, id, peers, false);
}
int32_t awaitSpace(PtoContext *core, SiteId site, Pipe pipe, uint8_t id, uint8_t peers) {
  return coreOf(core).awaitQueue(site, pipe, id, peers, true);
}
bool canPush(const PtoContext *core, bool toVector) {
  return coreOf(core).kind != (toVector ? CoreKind::AIV : CoreKind::AIC);
}
bool canPop(const PtoContext *core, bool toVector) { return canPush(core, !toVector); }
bool isBothSides(const PtoContext *core) { return coreOf(core).kind == CoreKind::Unified; }

//===----------------------------------------------------------------------===//
// The end of the block
//===----------------------------------------------------------------------===//

void Queues::coreEnded(Core &core) {
  const auto &cores = core.setup.cluster->cores;
  if (++endedCores < size_t(std::count_if(cores.begin(), cores.end(), [](const Core *c) { return c != nullptr; })))
    return;
  for (size_t flag = 0; flag < size_t(kQueueIds); ++flag)
    for (Core *member : cores) {
      if (!member)
        continue;
      // A core that should pop may never have made its side.
      const Opened &own = opened[member->id.index][flag];
      const Opened *known = own.count ? &own : nullptr;
      for (size_t peer = 0; peer < kCoresPerBlock && !known; ++peer)
        if (opened[peer][flag].count)
          known = &opened[peer][flag];
      if (known && known->shape.toVector)
        reportLeaks(*member, true, *known);
      if (known && known->shape.toCube)
        reportLeaks(*member, false, *known);
      if (own.count)
        reportSignals(*member, own);
    }
}

/// What `core`, at the end of this direction, has left.
void Queues::reportLeaks(Core &core, bool toVector, const Opened &known) {
  if (!canPop(&core, toVector))
    return;
  const int64_t data = known.shape.dataId(toVector);
  for (size_t sender = 0; sender < kCoresPerBlock; ++sender) {
    const Line &pushed = line(core.id.index, data, sender), &freed = line(sender, data + 1, core.id.index);
    auto tell = [&](SiteId site, const Fact &fact) {
      Finding finding = core.report.finding(site, fact);
      finding.notes.push_back({core.report.place(known.site), say::kQueueMade()});
      core.report.add(std::move(finding));
    };
    const std::string name = textOf(known.shape, data);
    if (pushed.setsDone > pushed.waitsDone)
      tell(pushed.lastSet, say::kQueueUnread(name, pushed.setsDone - pushed.waitsDone, core.id));
    else if (known.shape.paired && pushed.waitsDone > freed.setsDone)
      tell(pushed.lastWait, say::kQueueUnfreed(name, pushed.waitsDone - freed.setsDone, core.id));
    else
      continue;
    return; // of two senders, one is enough
  }
}

/// Semaphores with the ids of the queue that the program uses, too.
void Queues::reportSignals(Core &core, const Opened &known) {
  for (int64_t id = known.shape.flag; id < known.shape.flag + known.shape.ids(); ++id) {
    const Semaphore &semaphore = core.setup.cluster->at({core.id.index, id});
    bool used = semaphore.waitsIssued > 0;
    for (const Semaphore::Sender &sender : semaphore.senders)
      used |= sender.issued > 0;
    if (!used)
      continue;
    core.report.add(core.report.finding(known.site, say::kQueueSignal(textOf(known.shape, id), id)));
    return;
  }
}

} // namespace ptoscope
