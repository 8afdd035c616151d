//===- Recorder.cpp - keeps what a block issues ---------------------------===//

#include "Recorder.h"

#include <algorithm>

namespace ptoscope::timing {

SignalWordCounts::Count SignalWordCounts::set(uint64_t address) {
  std::lock_guard lock(mutex);
  Count &word = words.try_emplace(address, Count{uint32_t(words.size()), 0}).first->second;
  ++word.sets;
  return word;
}

std::vector<SignalWordCounts::Count> SignalWordCounts::seen(uint64_t begin, uint64_t end) const {
  std::lock_guard lock(mutex);
  std::vector<Count> found;
  for (auto it = words.lower_bound(begin); it != words.end() && it->first < end; ++it)
    found.push_back(it->second);
  return found;
}

void Positions::grow() {
  std::vector<uint64_t> larger(ring.size() * 2);
  for (uint64_t i = first; i < issued; ++i)
    larger[i & (larger.size() - 1)] = ring[i & (ring.size() - 1)];
  ring = std::move(larger);
}

Recorder::Recorder(const Shared &shared, std::unique_ptr<Observer> next)
    : ForwardingObserver(next ? std::move(next) : std::make_unique<Observer>()), record(shared.spill), shared(shared) {}

//===----------------------------------------------------------------------===//
// The stream of a core
//===----------------------------------------------------------------------===//

void Recorder::issue(const Instr &instr) {
  CoreRecord &core = record.cores[instr.core.index];
  pipeOf(instr).positions.issue(core.entries.append({instr.site, uint32_t(instr.pipe), 0}));
  record.pipesUsed |= uint16_t(1u << size_t(instr.pipe));
  ForwardingObserver::issue(instr);
}

void Recorder::start(const Instr &instr) {
  // Those before it have taken effect, unless they are under way: more than this many never are.
  constexpr uint64_t kMostUnderWay = uint64_t(1) << 20;
  Positions &positions = pipeOf(instr).positions;
  while (!positions.empty() && positions.oldest() < instr.ordinal) {
    if (shared.mayOvertake && positions.oldest() + kMostUnderWay > instr.ordinal &&
        record.cores[instr.core.index].entries.at(positions.of(positions.oldest())).deed == 0)
      break;
    positions.drop();
  }
  ForwardingObserver::start(instr);
}

void Recorder::put(const Instr &instr, uint32_t deed) {
  const Positions &positions = pipeOf(instr).positions;
  if (!positions.knows(instr.ordinal))
    return;
  record.cores[instr.core.index].entries.set(positions.of(instr.ordinal), {instr.site, uint32_t(instr.pipe), deed});
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

namespace {
/// How the rows of a side follow each other.
struct RowPattern {
  uint64_t bursts = 1, transfers = 1;
  bool isUnaligned = false;

  explicit RowPattern(const Box &box) {
    uint64_t row = box.rowBytes, extent = 0;
    for (const Box::Dim &dim : box.dims) {
      if (dim.count == 1)
        continue;
      const uint64_t stride = uint64_t(dim.stride);
      if (bursts == 1 && stride == row) {
        row *= dim.count; // rows without a gap are one
        continue;
      }
      if (bursts > 1 && stride != extent)
        transfers *= dim.count;
      bursts *= dim.count;
      extent = stride * dim.count;
      isUnaligned |= stride % kBlockBytes != 0;
    }
  }
};
} // namespace

Work workOf(const TransferEvent &event, Timing timing) {
  Work work;
  work.kind = Work::Kind::Transfer;
  work.timing = timing;
  work.from = event.srcSpace;
  work.to = event.dstSpace;
  work.bytes = event.copied.bytes();
  const RowPattern src(event.src), dst(event.copied);
  work.bursts = uint32_t(std::max(src.bursts, dst.bursts));
  work.transfers = uint32_t(std::max(src.transfers, dst.transfers));
  work.isUnaligned =
      (event.srcSpace == Space::Gm && src.isUnaligned) || (event.dstSpace == Space::Gm && dst.isUnaligned);
  return work;
}

uint32_t Recorder::deedOf(SiteId site, const Work &work) {
  if (site >= shared.sites.size())
    site = 0;
  if (site >= siteWorks.size())
    siteWorks.resize(site + 1);
  SiteWork &known = siteWorks[site];
  if (known.deed == 0 || known.work != work) {
    Deed deed;
    deed.act = Act::Work;
    deed.work = deeds.works.number(work);
    known = {work, deeds.deeds.number(deed)};
  }
  return known.deed;
}

void Recorder::transfer(const Instr &instr, const TransferEvent &event) {
  put(instr, deedOf(instr.site, workOf(event, timingOf(instr.site))));
  if (event.srcSpace == Space::Gm)
    touch(instr, event.srcObject, event.src, false);
  if (event.dstSpace == Space::Gm)
    touch(instr, event.dstObject, event.dst, true);
  ForwardingObserver::transfer(instr, event);
}

void Recorder::direct(const Instr &instr, const DirectEvent &event) {
  Work work;
  if (event.instruction.work)
    work = event.instruction.work(event.instruction.payload);
  else
    work.timing = timingOf(instr.site);
  if (pipeOf(instr).changed == instr.ordinal)
    change(instr, [&](Deed &deed) {
      deed.act = Act::Work;
      deed.work = deeds.works.number(work);
    });
  else
    put(instr, deedOf(instr.site, work));
  for (const DirectRegion &region : event.regions) {
    if (region.space != Space::Gm)
      continue;
    if (region.runs.empty())
      touch(instr, region.object, region.box, writes(region.role));
    for (const ByteRun &run : region.runs)
      touch(instr, region.object, Box{run.begin, run.end - run.begin, {}}, writes(region.role));
  }
  ForwardingObserver::direct(instr, event);
}

uint32_t Recorder::deedOf(const ScopeRun &run) {
  Deed deed;
  deed.act = Act::Scope;
  deed.work = deeds.scopes.number(run);
  return deeds.deeds.number(deed);
}

Recorder::SiteScope &Recorder::scopeOf(SiteId site) {
  if (site >= shared.sites.size())
    site = 0;
  if (site >= siteScopes.size())
    siteScopes.resize(site + 1);
  return siteScopes[site];
}

void Recorder::scopeBegin(const Instr &instr) {
  SiteScope &known = scopeOf(instr.site);
  if (known.uncounted == 0)
    known.uncounted = deedOf({instr.site, {}});
  put(instr, known.uncounted);
  ForwardingObserver::scopeBegin(instr);
}

void Recorder::scopeTurns(const Instr &instr, std::span<const uint64_t> turns) {
  SiteScope &known = scopeOf(instr.site);
  if (known.deed == 0 || !std::ranges::equal(known.run.turns, turns)) {
    known.run = {instr.site, {turns.begin(), turns.end()}};
    known.deed = deedOf(known.run);
  }
  put(instr, known.deed);
  ForwardingObserver::scopeTurns(instr, turns);
}

void Recorder::touch(const Instr &instr, const GmObject *object, const Box &box, bool writes) {
  // Objects lie where they do on every host: one after another, far apart.
  const uint64_t shift = object ? (uint64_t(object->index) + 1) * GmTable::kSpacing - object->base : 0;
  // Epochs go by the bytes of a pipe, so its transfers have to come in their order.
  if (!shared.mayOvertake)
    return touchNow(instr.core, instr.pipe, box, shift, writes);
  std::vector<LateTouch> &late = lateTouches[{instr.core.index, instr.pipe}];
  late.push_back({instr.ordinal, late.size(), box, shift, writes});
}

void Recorder::touchNow(CoreId core, Pipe pipe, const Box &box, uint64_t shift, bool writes) {
  Touched &lines = touched[{core.index, pipe}];
  const uint64_t bytes = box.bytes();
  lines.lines.touch(box, shift, uint32_t(lines.bytes / shared.epochBytes));
  lines.bytes += bytes;
  (writes ? record.cores[core.index].gmWriteBytes : record.cores[core.index].gmReadBytes) += bytes;
}

void Recorder::blockEnd(bool completed) {
  for (auto &[track, touches] : lateTouches) {
    std::ranges::sort(touches, [](const LateTouch &a, const LateTouch &b) {
      return a.ordinal != b.ordinal ? a.ordinal < b.ordinal : a.part < b.part;
    });
    for (const LateTouch &late : touches)
      touchNow(CoreId{track.first}, track.second, late.box, late.shift, late.writes);
  }
  lateTouches.clear();
  for (CoreRecord &core : record.cores)
    core.entries.finish();
  ForwardingObserver::blockEnd(completed);
}

} // namespace ptoscope::timing
