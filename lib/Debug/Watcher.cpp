//===- Watcher.cpp - turns what a machine does into events ----------------===//

#include "Watcher.h"

#include "ptoscope/Machine/Cores.h"
#include "ptoscope/Machine/ForwardingObserver.h"

#include <algorithm>

namespace ptoscope::debug {

std::string_view nameOf(Event::Kind kind) {
  constexpr std::string_view kNames[] = {"step",    "issue", "start", "effect",  "set",     "wait", "get",
                                         "release", "raise", "pass",  "barrier", "finding", "end"};
  return kNames[kind];
}

namespace {

/// Others hear of an event first: what they find is there when the machine stops.
class BlockWatcher final : public ForwardingObserver {
public:
  BlockWatcher(Watcher &watcher, int64_t block, std::unique_ptr<Observer> next)
      : ForwardingObserver(std::move(next)), watcher(watcher), block(block) {}

  void issue(const Instr &i) override {
    ForwardingObserver::issue(i);
    if (i.pipe != Pipe::S)
      watcher.happen(Event::Issue, block, i);
  }
  void start(const Instr &i) override {
    ForwardingObserver::start(i);
    watcher.started(block, i);
  }
  void scalarStore(const Instr &i, const LocalAccess &access) override {
    ForwardingObserver::scalarStore(i, access);
    watcher.scalarStore(block, i, access);
  }
  void setFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    ForwardingObserver::setFlag(i, src, dst, id, ordinal);
    flag(Event::Set, i, src, dst, id);
  }
  void waitFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    ForwardingObserver::waitFlag(i, src, dst, id, ordinal);
    flag(Event::Wait, i, src, dst, id);
  }
  void barrier(const Instr &i, Pipe pipe) override {
    ForwardingObserver::barrier(i, pipe);
    watcher.happen(Event::Barrier, block, i);
  }
  void getBuf(const Instr &i, int64_t id, int64_t mode, uint64_t releasesBefore) override {
    ForwardingObserver::getBuf(i, id, mode, releasesBefore);
    numbered(Event::Get, i, id);
  }
  void rlsBuf(const Instr &i, int64_t id, int64_t mode, uint64_t ordinal) override {
    ForwardingObserver::rlsBuf(i, id, mode, ordinal);
    numbered(Event::Release, i, id);
  }
  void syncSet(const Instr &i, CoreId to, int64_t id, uint64_t ordinal, uint8_t senders) override {
    ForwardingObserver::syncSet(i, to, id, ordinal, senders);
    numbered(Event::Raise, i, id);
  }
  void syncWait(const Instr &i, int64_t id, uint64_t ordinal) override {
    ForwardingObserver::syncWait(i, id, ordinal);
    numbered(Event::Pass, i, id);
  }
  void queueSet(const Instr &i, CoreId to, int64_t id, uint64_t ordinal) override {
    ForwardingObserver::queueSet(i, to, id, ordinal);
    numbered(Event::Raise, i, id);
  }
  void queueWait(const Instr &i, CoreId sender, int64_t id, uint64_t ordinal) override {
    ForwardingObserver::queueWait(i, sender, id, ordinal);
    numbered(Event::Pass, i, id);
  }
  void syncAllLeave(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    ForwardingObserver::syncAllLeave(i, channel, ordinal);
    watcher.happen(Event::Barrier, block, i);
  }
  void blockEnd(bool completed) override {
    ForwardingObserver::blockEnd(completed);
    Event event;
    event.kind = Event::End;
    event.block = block;
    if (SeenCore *core = watcher.find(block, {1}) ? watcher.find(block, {1}) : watcher.find(block, {0}))
      event.core = core->id;
    watcher.happen(event);
  }

private:
  void flag(Event::Kind kind, const Instr &i, Pipe src, Pipe dst, int64_t id) {
    Event event = made(kind, i, id);
    event.src = src;
    event.dst = dst;
    watcher.happen(event);
  }
  void numbered(Event::Kind kind, const Instr &i, int64_t id) { watcher.happen(made(kind, i, id)); }
  Event made(Event::Kind kind, const Instr &i, int64_t id) const {
    Event event;
    event.kind = kind;
    event.block = block;
    event.core = i.core;
    event.pipe = i.pipe;
    event.site = i.site;
    event.id = id;
    return event;
  }

  Watcher &watcher;
  int64_t block;
};

} // namespace

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Watcher::Watcher(const Target &target)
    : target(target), ring(kRecent), steps(kRecent), pipeOfSite(target.kernel->sites.size(), Pipe::S) {}

void Watcher::reset() {
  abandoned = false;
  count = 0;
  stepCount = 0;
  found.clear();
  known.clear();
  order.clear();
  lists.clear();
  ended.clear();
  last = nullptr;
}

void Watcher::happen(Event event) {
  if (abandoned.load(std::memory_order_relaxed))
    return;
  for (OpenList &open : lists)
    while (open.list->all().size() > open.seen) {
      Event finding;
      finding.kind = Event::Finding;
      finding.block = open.block;
      finding.core = event.core;
      finding.pipe = event.pipe;
      finding.site = event.site;
      finding.id = int64_t(open.seen++);
      remember(finding);
      if (abandoned.load(std::memory_order_relaxed))
        return;
    }
  remember(event);
}

void Watcher::remember(const Event &event) {
  Event &kept = ring[count % kRecent];
  kept = event;
  kept.number = ++count;
  if (event.kind == Event::Step)
    steps[stepCount++ % kRecent] = kept;
  onEvent(kept);
}

std::vector<Event> Watcher::recent(size_t most) const {
  const size_t n = std::min({most, size_t(count), kRecent});
  std::vector<Event> events;
  for (size_t i = 0; i < n; ++i)
    events.push_back(ring[(count - n + i) % kRecent]);
  return events;
}

std::optional<Event> Watcher::stepBefore(uint64_t number, int64_t block, CoreId id, bool unit) const {
  for (size_t i = 0; i < std::min(stepCount, kRecent); ++i) {
    const Event &step = steps[(stepCount - 1 - i) % kRecent];
    if (step.number < number && step.block == block && step.core.index == id.index &&
        !(unit && target.steps.steps[step.step].inScope))
      return step;
  }
  return std::nullopt;
}

std::vector<Finding> Watcher::findings() const {
  std::vector<Finding> all = found;
  for (const OpenList &open : lists)
    all.insert(all.end(), open.list->all().begin(), open.list->all().end());
  return all;
}

size_t Watcher::placeOfFinding(int64_t block) const {
  if (auto it = ended.find(block); it != ended.end())
    return it->second;
  size_t at = found.size();
  for (const OpenList &open : lists) {
    if (open.block == block)
      break;
    at += open.list->all().size();
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Blocks and cores
//===----------------------------------------------------------------------===//

std::unique_ptr<Observer> Watcher::beginBlock(int64_t block, FindingList &findings) {
  if (!target.kernel->image.needsAllBlocks) {
    known.clear();
    order.clear();
    last = nullptr;
  }
  lists.push_back({block, &findings, 0});
  return std::make_unique<BlockWatcher>(*this, block,
                                        next ? next->beginBlock(block, findings) : std::make_unique<Observer>());
}

void Watcher::endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) {
  if (next)
    next->endBlock(block, static_cast<BlockWatcher &>(*observer).takeNext(), findings);
  std::erase_if(lists, [&](const OpenList &open) { return open.block == block; });
  ended[block] = found.size();
  found.insert(found.end(), findings.all().begin(), findings.all().end());
}

SeenCore &Watcher::seen(const PtoContext *core) {
  if (last && last->context == core && last->block == core->blockIdx)
    return *last;
  const CoreId id = idOf(core);
  auto [it, isNew] = known.try_emplace({core->blockIdx, id.index});
  last = &it->second;
  if (isNew) {
    last->context = core;
    last->block = core->blockIdx;
    last->id = id;
    last->values.resize(target.steps.values.size());
    order.clear();
    for (auto &[key, each] : known)
      order.push_back(&each);
  }
  return *last;
}

SeenCore *Watcher::find(int64_t block, CoreId id) const {
  auto it = known.find({block, id.index});
  return it == known.end() ? nullptr : const_cast<SeenCore *>(&it->second);
}

Event Watcher::eventOf(Event::Kind kind, const PtoContext *core, SiteId site) {
  const SeenCore &of = seen(core);
  Event event;
  event.kind = kind;
  event.block = of.block;
  event.core = of.id;
  event.site = site;
  event.pipe = site < pipeOfSite.size() ? pipeOfSite[site] : Pipe::S;
  return event;
}

void Watcher::started(int64_t block, const Instr &instr) {
  if (instr.pipe == Pipe::S)
    return;
  if (instr.site < pipeOfSite.size())
    pipeOfSite[instr.site] = instr.pipe;
  happen(Event::Start, block, instr);
}

//===----------------------------------------------------------------------===//
// Values and writes
//===----------------------------------------------------------------------===//

void Watcher::value(const PtoContext *core, uint32_t number, const void *bytes) {
  if (abandoned.load(std::memory_order_relaxed))
    return;
  SeenCore &of = seen(core);
  const uint32_t index = Steps::indexOf(number);
  if (Steps::isValue(number)) {
    SeenCore::Slot &slot = of.values[index];
    if (tile::takePart(target.steps.values[index], bytes, slot.bytes))
      slot.event = count;
    return;
  }
  const Step &step = target.steps.steps[index];
  (step.inScope ? of.scopeStep : of.unitStep) = int(index);
  Event event;
  event.block = of.block;
  event.core = of.id;
  event.pipe = step.inScope ? Pipe::V : Pipe::S;
  event.step = index;
  happen(event);
}

void Watcher::effect(const PtoContext *core, SiteId site) { happen(eventOf(Event::Effect, core, site)); }

void Watcher::tellBox(const Box &box, uintptr_t zero, const Event &writer) {
  box.forEachRow(
      [&](uint64_t begin, uint64_t n) { onWrite(reinterpret_cast<const uint8_t *>(zero + begin), n, writer); });
}

void Watcher::direct(const PtoContext *core, SiteId site, const DirectInstruction &instruction) {
  if (onWrite && instruction.regions && !abandoned) {
    Event writer = eventOf(Event::Effect, core, site);
    writer.number = count + 1;
    std::vector<DirectRegion> regions;
    instruction.regions(instruction.payload, regions);
    for (const DirectRegion &region : regions) {
      if (!writes(region.role) || region.box.empty())
        continue;
      if (region.space == Space::Gm) {
        auto tell = [&](uint64_t begin, uint64_t n) {
          if (const uint8_t *host = hostOf(core, begin))
            onWrite(host, n, writer);
        };
        if (region.runs.empty())
          region.box.forEachRow(tell);
        for (const ByteRun &run : region.runs)
          tell(run.begin, run.end - run.begin);
        continue;
      }
      const uint8_t *base = region.space == Space::Ub && region.core ? ubOf(core, region.core->index > 1).base
                                                                     : core->local[size_t(region.space)];
      tellBox(region.box, reinterpret_cast<uintptr_t>(base), writer);
    }
  }
  effect(core, site);
}

void Watcher::transfer(const PtoContext *core, SiteId site, const SeenSide &src, const SeenSide &dst) {
  if (onWrite && !abandoned && (dst.space != Space::Gm || dst.object)) {
    Event writer = eventOf(Event::Effect, core, site);
    writer.number = count + 1;
    tellBox(dst.box, dst.zero, writer);
  }
  effect(core, site);
}

void Watcher::store(const PtoContext *core, SiteId site, uint32_t address, uint32_t bytes, const uint64_t *active) {
  if (!onWrite || abandoned)
    return;
  Event writer = eventOf(Event::Effect, core, site);
  writer.number = count;
  writer.pipe = Pipe::V;
  const uint8_t *base = core->local[size_t(Space::Ub)] + address;
  if (!active)
    return onWrite(base, bytes, writer);
  for (uint32_t at = 0; at < bytes; ++at) {
    uint32_t end = at;
    while (end < bytes && (active[end / 64] >> (end % 64) & 1))
      ++end;
    if (end > at)
      onWrite(base + at, end - at, writer);
    at = end;
  }
}

void Watcher::scalarStore(int64_t block, const Instr &instr, const LocalAccess &access) {
  SeenCore *core = onWrite && !abandoned ? find(block, instr.core) : nullptr;
  if (!core)
    return;
  const uint8_t *host = access.space == Space::Gm ? hostOf(core->context, access.address)
                                                  : core->context->local[size_t(access.space)] + access.address;
  if (!host)
    return;
  Event writer = eventOf(Event::Effect, core->context, access.site);
  writer.number = count;
  writer.pipe = access.inScope ? Pipe::V : Pipe::S;
  onWrite(host, access.windowBytes, writer);
}

void Watcher::scope(const PtoContext *core, SiteId site) {
  if (abandoned)
    return;
  effect(core, site);
  seen(core).scopeStep = -1;
}

} // namespace ptoscope::debug
