//===- SyncState.cpp - flags and buffer ids -------------------------------===//

#include "Sync/SyncState.h"

#include "ptoscope/Machine/Remedies.h"

#include <algorithm>
#include <bit>

namespace ptoscope {

SyncState::SyncState(const BlockSetup &setup, CoreId core, CoreKind kind, Report &report, Pipes &pipes,
                     SyncState *before)
    : report(&report), pipes(&pipes), cluster(setup.cluster), group(setup.group), core(core), device(setup.device()),
      kind(kind), pipeSemaphores(setup.options->profile->pipeSemaphores), observer(setup.observer),
      pipeSet(pipesOf(kind)) {
  if (before) {
    flags = std::move(before->flags);
    buffers = std::move(before->buffers);
    uses = std::move(before->uses);
    uses.clear();
  }
  size_t rows = size_t(std::popcount(pipeSet)), row = 0;
  for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
    if (pipeSet >> pipe & 1) {
      flagRow[pipe] = uint16_t(row * rows * size_t(kEventIds));
      flagColumn[pipe] = uint16_t(row++ * size_t(kEventIds));
    }
  for (Flag &flag : flags) // few of them are used
    if (flag.setsIssued | flag.waitsIssued)
      flag = Flag();
  flags.resize(rows * rows * size_t(kEventIds));
  for (BufferId &buffer : buffers)
    if (buffer.everHeld || buffer.releasesIssued)
      buffer = BufferId();
  buffers.resize(size_t(kBufferIds));
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

int32_t SyncState::refuseFlag(SiteId site, uint32_t src, uint32_t dst, int64_t id) {
  if (!exists(src, dst, 0))
    return report->internalError(site, say::kBugFlag(pipeText(src), pipeText(dst)));
  return report->end(site, say::kEventIdRange(id));
}

void SyncState::reportOverwritten(const Instr &instr, FlagName name) {
  std::string text = report->flagText(name.src, name.dst, name.id, instr.site);
  Finding finding = report->finding(instr.site, say::kFlagOverwritten(text, name.dst));
  report->addTurns(finding, instr);
  report->add(std::move(finding));
}

void SetFlag::effect(const Instr &instr) {
  Flag &f = sync->flag(name);
  if (!f.queuedSets.empty())
    f.queuedSets.pop();
  sync->set(f, instr, name, number);
}

std::optional<Blocker> WaitFlag::blocker() const {
  const Flag &f = sync->flag(name);
  uint64_t missing = number - f.setsDone;
  if (f.setsDone >= number || f.queuedSets.size() < missing)
    return std::nullopt;
  return Blocker{name.src, f.queuedSets[missing - 1]};
}

//===----------------------------------------------------------------------===//
// Buffer ids
//===----------------------------------------------------------------------===//

int32_t SyncState::refuseBuffer(SiteId site, int64_t id, int64_t mode) {
  if (uint64_t(id) >= uint64_t(kBufferIds))
    return report->end(site, say::kBufferIdRange(id));
  return report->end(site, say::kBufferMode(mode));
}

void SyncState::tellNested(SiteId site, Pipe pipe, int64_t id) {
  Finding f = report->finding(site, say::kBufferNested(pipe, id));
  const SiteId since = buffers[size_t(id)].heldSince[size_t(pipe)];
  f.notes.push_back({report->place(since), say::kAcquiredHere()});
  report->addIterations(f, site);
  proposeBuffer(f, pipe, id, since, /*releases=*/true);
  report->add(std::move(f));
}

void SyncState::tellUnacquired(SiteId site, Pipe pipe, int64_t id) {
  Finding f = report->finding(site, say::kBufferUnacquired(pipe, id));
  report->addIterations(f, site);
  proposeBuffer(f, pipe, id, site, /*releases=*/false);
  report->add(std::move(f));
}

/// The release or the get that `counterpart` lacks; or, if the text has both with
/// different ids, that. Either way it is the cause of what else is found.
void SyncState::proposeBuffer(Finding &finding, Pipe pipe, int64_t id, SiteId counterpart, bool releases) const {
  if (report->isCpp() || !report->knows(counterpart))
    return;
  const NamedIds named = report->sites->buffersOf(pipe);
  const uint32_t own = releases ? named.unset() : named.lost(), other = releases ? named.lost() : named.unset();
  if (!named.computed && own >> id & 1 && other) {
    const int64_t otherId = std::countr_zero(other), got = releases ? id : otherId, released = releases ? otherId : id;
    const Place get = report->place(named.waitedAt[size_t(got)]), rls = report->place(named.setAt[size_t(released)]);
    nameCause(finding, rls, say::kBufferSlip(pipe, got, get, released));
    finding.help = say::kBufferSlipHelp(get, rls);
    return;
  }
  finding.causeNamed = true;
  finding.missing.push_back({report->place(counterpart),
                             releases ? MissingLine::Where::BehindWork : MissingLine::Where::BeforeWork,
                             {},
                             uint8_t(pipe)});
}

bool GetBuf::ready() const {
  const auto &pending = sync->buffers[size_t(id)].pending;
  return !waitsForReleases(mode) || pending.empty() || pending.front().number > releasesBefore;
}

std::optional<Blocker> GetBuf::blocker() const {
  const auto &pending = sync->buffers[size_t(id)].pending;
  for (size_t i = 0; i < pending.size(); ++i)
    if (!pending[i].done && pending[i].number <= releasesBefore)
      return Blocker{pending[i].pipe, pending[i].ordinal};
  return std::nullopt;
}

RlsBuf::RlsBuf(SyncState &sync, Pipe pipe, int64_t id, int64_t mode)
    : sync(&sync), id(id), mode(mode), number(++sync.buffers[size_t(id)].releasesIssued) {
  // Everything issued so far on the pipes that ever held the buffer.
  uint16_t holders = waitsForHolders(mode) ? sync.buffers[size_t(id)].everHeld : 0;
  for (size_t p = 0; p < kPipeSlots; ++p)
    if ((holders >> p & 1) && Pipe(p) != pipe && Pipe(p) != Pipe::S)
      prefix[p] = (*sync.pipes)[Pipe(p)].issued;
}

std::optional<Blocker> RlsBuf::blocker() const {
  for (Pipe pipe : kPullOrder)
    if ((*sync->pipes)[pipe].started < prefix[size_t(pipe)])
      return Blocker{pipe, prefix[size_t(pipe)]};
  return std::nullopt;
}

std::unique_ptr<Operation> RlsBuf::keep() {
  sync->buffers[size_t(id)].pending.push({number, pipe, ordinal, false});
  return OperationOf::keep();
}

void RlsBuf::effect(const Instr &instr) {
  auto &pending = sync->buffers[size_t(id)].pending;
  for (size_t i = 0; i < pending.size(); ++i)
    if (pending[i].number == number) {
      pending[i].done = true;
      break;
    }
  while (!pending.empty() && pending.front().done)
    pending.pop();
  if (Observer *observer = sync->observer)
    observer->rlsBuf(instr, id, mode, number);
}

//===----------------------------------------------------------------------===//
// The end of the kernel
//===----------------------------------------------------------------------===//

void SyncState::reportLeftovers() {
  // As a rule there are none, and names need not be looked up.
  const bool isUp = std::ranges::any_of(flags, [](const Flag &f) { return f.setsDone != f.waitsDone; });
  for (size_t src = 0; src < kPipeSlots && isUp; ++src)
    for (size_t dst = 0; dst < kPipeSlots; ++dst)
      for (int64_t event = 0; exists(uint32_t(src), uint32_t(dst), event); ++event) {
        FlagName name{Pipe(src), Pipe(dst), event};
        const Flag &f = flag(name);
        if (f.setsDone == f.waitsDone)
          continue;
        uint64_t surplus = f.setsDone - f.waitsDone;
        std::string text = report->flagText(name.src, name.dst, event, f.lastSet);
        Finding leftover =
            report->finding(f.lastSet, say::kFlagLeftover(text, f.setsDone, f.waitsDone, timesText(surplus), name.dst));
        proposeDrain(leftover, name);
        report->add(std::move(leftover));
      }
  for (size_t id = 0; id < buffers.size(); ++id)
    for (size_t pipe = 0; pipe < kPipeSlots && buffers[id].held; ++pipe) {
      if (!(buffers[id].held >> pipe & 1))
        continue;
      const SiteId since = buffers[id].heldSince[pipe];
      Finding held =
          report->finding(since, say::kBufferHeld(Pipe(pipe), id, bufferLine("rls_buf", Pipe(pipe), int64_t(id))));
      proposeBuffer(held, Pipe(pipe), int64_t(id), since, /*releases=*/true);
      report->add(std::move(held));
    }
}

std::vector<CountedSlip> SyncState::slips() const {
  return report->sites ? slipsOf(*report->sites, uses.all()) : std::vector<CountedSlip>();
}

/// The wait of a flag that no one waits for, or the one that takes the last set. With a set and a wait in every turn of
/// a loop that is right for any number of turns; with sets alone it would not be.
void SyncState::proposeDrain(Finding &finding, FlagName name) const {
  const Flag &f = flag(name);
  if (f.waitsDone == 0 && !report->isCpp() && report->knows(f.lastSet))
    finding.missing.push_back({report->place(f.lastSet), MissingLine::Where::BeforeNextWork, {}, uint8_t(name.dst)});
  SiteId loop = report->outermostLoop(f.lastSet), behind = loop == kNoSite ? f.lastSet : loop;
  if (f.setsDone - f.waitsDone != 1 || (loop != kNoSite && f.waitsDone == 0) || report->isCpp() ||
      !report->knows(behind))
    return;
  const Site &site = (*report->sites)[behind];
  if (site.next.file != site.place.file || site.next.line <= site.place.line)
    return;
  std::string line = report->flagLine("wait_flag", name.src, name.dst, name.id, f.lastSet);
  finding.remedies.push_back({say::kDrain(line, site.next), {{site.next, false, line}}});
}

} // namespace ptoscope
