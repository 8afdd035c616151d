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

Recorder::Recorder(const Shared &shared, int64_t block, std::unique_ptr<Observer> next)
    : record(shared.spill), next(std::move(next)), shared(shared) {
  record.block = block;
}

//===----------------------------------------------------------------------===//
// The stream of a core
//===----------------------------------------------------------------------===//

void Recorder::issue(const Instr &instr) {
  CoreRecord &core = record.cores[instr.core.index];
  pipeOf(instr).positions.issue(core.entries.append({instr.site, uint32_t(instr.pipe), 0}));
  record.pipesUsed |= uint16_t(1u << size_t(instr.pipe));
  if (next)
    next->issue(instr);
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
  if (next)
    next->start(instr);
}

void Recorder::put(const Instr &instr, uint32_t deed) {
  const Positions &positions = pipeOf(instr).positions;
  if (!positions.knows(instr.ordinal))
    return;
  record.cores[instr.core.index].entries.set(positions.of(instr.ordinal), {instr.site, uint32_t(instr.pipe), deed});
}

template <typename Fn> void Recorder::change(const Instr &instr, Fn fn) {
  PipeState &pipe = pipeOf(instr);
  if (pipe.changed != instr.ordinal) {
    pipe.changed = instr.ordinal;
    pipe.deed = {};
  }
  fn(pipe.deed);
  put(instr, deeds.deeds.number(pipe.deed));
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
    touch(instr, event.src, false);
  if (event.dstSpace == Space::Gm)
    touch(instr, event.dst, true);
  if (next)
    next->transfer(instr, event);
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
      touch(instr, region.box, writes(region.role));
    for (const ByteRun &run : region.runs)
      touch(instr, Box{run.begin, run.end - run.begin, {}}, writes(region.role));
  }
  if (next)
    next->direct(instr, event);
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
  if (next)
    next->scopeBegin(instr);
}

void Recorder::scopeTurns(const Instr &instr, std::span<const uint64_t> turns) {
  SiteScope &known = scopeOf(instr.site);
  if (known.deed == 0 || !std::ranges::equal(known.run.turns, turns)) {
    known.run = {instr.site, {turns.begin(), turns.end()}};
    known.deed = deedOf(known.run);
  }
  put(instr, known.deed);
  if (next)
    next->scopeTurns(instr, turns);
}

void Recorder::touch(const Instr &instr, const Box &box, bool writes) {
  // Epochs go by the bytes of a pipe, so its transfers have to come in their order.
  if (!shared.mayOvertake)
    return touchNow(instr.core, instr.pipe, box, writes);
  std::vector<LateTouch> &late = lateTouches[{instr.core.index, instr.pipe}];
  late.push_back({instr.ordinal, late.size(), box, writes});
}

void Recorder::touchNow(CoreId core, Pipe pipe, const Box &box, bool writes) {
  Touched &lines = touched[{core.index, pipe}];
  const uint64_t bytes = box.bytes();
  lines.lines.touch(box, uint32_t(lines.bytes / shared.epochBytes));
  lines.bytes += bytes;
  (writes ? record.cores[core.index].gmWriteBytes : record.cores[core.index].gmReadBytes) += bytes;
}

void Recorder::blockEnd(bool completed) {
  for (auto &[track, touches] : lateTouches) {
    std::ranges::sort(touches, [](const LateTouch &a, const LateTouch &b) {
      return a.ordinal != b.ordinal ? a.ordinal < b.ordinal : a.part < b.part;
    });
    for (const LateTouch &late : touches)
      touchNow(CoreId{track.first}, track.second, late.box, late.writes);
  }
  lateTouches.clear();
  for (CoreRecord &core : record.cores)
    core.entries.finish();
  if (next)
    next->blockEnd(completed);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void Recorder::flag(const Instr &instr, Act act, Pipe src, Pipe dst, int64_t id) {
  const bool waits = act == Act::WaitFlag;
  uint32_t &known =
      flagDeeds[((size_t(waits) * kPipeSlots + size_t(src)) * kPipeSlots + size_t(dst)) * kEventIds + size_t(id)];
  if (known == 0) {
    Deed deed;
    deed.act = act;
    deed.src = src;
    deed.dst = dst;
    deed.id = int16_t(id);
    known = deeds.deeds.number(deed);
  }
  put(instr, known);
}

void Recorder::setFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  flag(instr, Act::SetFlag, src, dst, id);
  if (next)
    next->setFlag(instr, src, dst, id, ordinal);
}

void Recorder::waitFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  flag(instr, Act::WaitFlag, src, dst, id);
  if (next)
    next->waitFlag(instr, src, dst, id, ordinal);
}

void Recorder::barrier(const Instr &instr, Pipe pipe) {
  change(instr, [&](Deed &deed) {
    deed.act = pipe == Pipe::All ? Act::CoreBarrier : Act::Barrier;
    deed.drains = pipe == Pipe::All;
  });
  if (next)
    next->barrier(instr, pipe);
}

void Recorder::getBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t releasesBefore) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::GetBuffer;
    deed.id = int16_t(id);
    deed.mode = uint8_t(mode);
  });
  if (next)
    next->getBuf(instr, id, mode, releasesBefore);
}

void Recorder::rlsBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::ReleaseBuffer;
    deed.id = int16_t(id);
    deed.mode = uint8_t(mode);
  });
  if (next)
    next->rlsBuf(instr, id, mode, ordinal);
}

void Recorder::unitCheck(const Instr &instr, Pipe from, uint64_t ordinal) {
  change(instr, [](Deed &deed) { deed.checksUnit = true; });
  takes(instr, ordinal);
  if (next)
    next->unitCheck(instr, from, ordinal);
}

void Recorder::unitPass(const Instr &instr) {
  PipeState &pipe = pipeOf(instr);
  if (pipe.changed != instr.ordinal && pipe.positions.knows(instr.ordinal)) {
    // A plain instruction until now: what it does stays.
    const uint32_t known = record.cores[instr.core.index].entries.at(pipe.positions.of(instr.ordinal)).deed;
    pipe.changed = instr.ordinal;
    pipe.deed = deeds.deeds[known];
  }
  change(instr, [](Deed &deed) { deed.passesUnit = true; });
  if (next)
    next->unitPass(instr);
}

void Recorder::syncSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::SetSemaphore;
    deed.id = int16_t(id);
    deed.targets |= uint8_t(1u << target.index);
    deed.senders = senders;
  });
  if (next)
    next->syncSet(instr, target, id, ordinal, senders);
}

void Recorder::syncWait(const Instr &instr, int64_t id, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::WaitSemaphore;
    deed.id = int16_t(id);
  });
  if (next)
    next->syncWait(instr, id, ordinal);
}

void Recorder::launchSet(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::SetLaunch;
    deed.id = int16_t(channel);
  });
  launchSets.insert({instr.core.index, channel});
  if (next)
    next->launchSet(instr, channel, ordinal);
}

void Recorder::launchWait(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::WaitLaunch;
    deed.id = int16_t(channel);
  });
  if (next)
    next->launchWait(instr, channel, ordinal);
}

void Recorder::queueSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::SetQueue;
    deed.id = int16_t(id);
    deed.targets |= uint8_t(1u << target.index);
  });
  if (next)
    next->queueSet(instr, target, id, ordinal);
}

void Recorder::queueWait(const Instr &instr, CoreId sender, int64_t id, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::WaitQueue;
    deed.id = int16_t(id);
    deed.targets |= uint8_t(1u << sender.index);
  });
  takes(instr, ordinal); // of senders that rise
  if (next)
    next->queueWait(instr, sender, id, ordinal);
}

void Recorder::syncAllArrive(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::AllCores;
    deed.drains = true;
    deed.id = int16_t(channel);
  });
  takes(instr, ordinal);
  arrivals.emplace_back(channel, ordinal);
  if (next)
    next->syncAllArrive(instr, channel, ordinal);
}

void Recorder::syncAllLeave(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  if (next)
    next->syncAllLeave(instr, channel, ordinal);
}

void Recorder::signalSet(const Instr &instr, uint64_t address, bool adds, bool isSignal) {
  change(instr, [](Deed &deed) { deed.act = Act::SetSignal; });
  takes(instr, {shared.signals.set(address)});
  if (next)
    next->signalSet(instr, address, adds, isSignal);
}

void Recorder::takes(const Instr &instr, const std::vector<SignalWordCounts::Count> &words) {
  takes(instr, uint64_t(words.size()));
  for (const SignalWordCounts::Count &word : words) {
    takes(instr, uint64_t(word.number));
    takes(instr, word.sets);
  }
}

void Recorder::signalWait(const Instr &instr, std::span<const uint64_t> addresses) {
  std::vector<SignalWordCounts::Count> words;
  for (uint64_t address : addresses)
    for (const SignalWordCounts::Count &word : shared.signals.seen(address, address + 1))
      words.push_back(word);
  change(instr, [](Deed &deed) { deed.act = Act::WaitSignal; });
  takes(instr, words);
  if (next)
    next->signalWait(instr, addresses);
}

void Recorder::signalLook(const Instr &instr, uint64_t begin, uint64_t end) {
  // How often a program polls is not its own doing: only a look that sees something counts.
  if (std::vector<SignalWordCounts::Count> words = shared.signals.seen(begin, end); !words.empty()) {
    change(instr, [](Deed &deed) { deed.act = Act::WaitSignal; });
    takes(instr, words);
  }
  if (next)
    next->signalLook(instr, begin, end);
}

void Recorder::engineStart(const Instr &instr, const EngineTransfer &transfer) {
  Work work;
  work.kind = Work::Kind::Transfer;
  work.timing = Timing::load;
  work.from = work.to = Space::Gm;
  work.bytes = transfer.dst.bytes();
  const RowPattern src(transfer.src), dst(transfer.dst);
  work.bursts = uint32_t(std::max(src.bursts, dst.bursts));
  work.transfers = uint32_t(std::max(src.transfers, dst.transfers));
  work.isUnaligned = src.isUnaligned || dst.isUnaligned;
  change(instr, [&](Deed &deed) {
    deed.act = Act::StartEngine;
    deed.work = deeds.works.number(work);
  });
  takes(instr, transfer.session);
  takes(instr, transfer.number);
  touch(instr, transfer.src, false);
  touch(instr, transfer.dst, true);
  if (next)
    next->engineStart(instr, transfer);
}

void Recorder::engineDone(const Instr &instr, uint64_t session, uint64_t number) {
  change(instr, [](Deed &deed) { deed.act = Act::WaitEngine; });
  takes(instr, session);
  takes(instr, number);
  if (next)
    next->engineDone(instr, session, number);
}

void Recorder::statusRead(const Instr &instr, StatusRegister status, const Instr &writer) {
  change(instr, [](Deed &deed) { deed.act = Act::ReadStatus; });
  if (next)
    next->statusRead(instr, status, writer);
}

void Recorder::scalarLoad(const Instr &instr, const LocalAccess &access) {
  if (!access.inScope)
    change(instr, [&](Deed &deed) {
      deed.act = Act::ScalarAccess;
      deed.space = access.space;
    });
  if (next)
    next->scalarLoad(instr, access);
}

void Recorder::scalarStore(const Instr &instr, const LocalAccess &access) {
  if (!access.inScope)
    change(instr, [&](Deed &deed) {
      deed.act = Act::ScalarAccess;
      deed.space = access.space;
    });
  if (next)
    next->scalarStore(instr, access);
}

//===----------------------------------------------------------------------===//
// Events that only `next` needs
//===----------------------------------------------------------------------===//

void Recorder::scopeEnd(const Instr &instr) {
  if (next)
    next->scopeEnd(instr);
}
uint32_t Recorder::vectorLoad(const Instr &instr, const LocalAccess &access, uint64_t *defined) {
  return next ? next->vectorLoad(instr, access, defined) : Observer::vectorLoad(instr, access, defined);
}
void Recorder::vectorStore(const Instr &instr, const LocalAccess &access, const uint64_t *defined,
                           const uint32_t *stamps, uint32_t stampCount) {
  if (next)
    next->vectorStore(instr, access, defined, stamps, stampCount);
}
uint32_t Recorder::mergeStamps(const uint32_t *stamps, uint32_t n) { return next ? next->mergeStamps(stamps, n) : 0; }
uint32_t Recorder::gather(const Instr &instr, SiteId site, std::span<BlockPart> blocks) {
  return next ? next->gather(instr, site, blocks) : Observer::gather(instr, site, blocks);
}
void Recorder::scatter(const Instr &instr, SiteId site, std::span<const BlockPart> blocks, const uint32_t *stamps,
                       uint32_t stampCount) {
  if (next)
    next->scatter(instr, site, blocks, stamps, stampCount);
}
void Recorder::fence(const Instr &instr, SiteId site, Fence fence) {
  if (next)
    next->fence(instr, site, fence);
}
void Recorder::undefinedUse(const Instr &instr, SiteId site, uint32_t operand, bool isIndex, const uint64_t *defined,
                            const uint64_t *active) {
  if (next)
    next->undefinedUse(instr, site, operand, isIndex, defined, active);
}
void Recorder::storage(CoreId core, uint32_t number, const Storage &storage) {
  if (next)
    next->storage(core, number, storage);
}
void Recorder::openToHost(CoreId core, Space space, uint64_t begin, uint64_t bytes) {
  if (next)
    next->openToHost(core, space, begin, bytes);
}

} // namespace ptoscope::timing
