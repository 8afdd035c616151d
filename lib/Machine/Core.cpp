//===- Core.cpp - a core's life and how instructions take effect ----------===//
//
// Start and end of a block on a core, execution of queued instructions, and
// the eager schedule. Under the eager schedule the head of every queue that is
// not empty is blocked; each set or release runs what it unblocks.
//
//===----------------------------------------------------------------------===//

#include "CoreGroup.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

std::string hex(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value);
  return "0x" + text;
}

std::string spaceText(Space space) {
  std::string text(nameOf(space));
  for (char &c : text)
    c = char(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

static constexpr uint16_t bit(Pipe pipe) { return uint16_t(1u << size_t(pipe)); }

Core::Core() : PtoContext(), flags(kPipeSlots * kPipeSlots * size_t(kEventIds)) {
  zeros.resize(kWindowBytes);
  scratch.resize(kWindowBytes);
}

bool Core::begin(CoreKind coreKind, CoreId coreId, const BlockSetup &blockSetup) {
  bool reused = profile != nullptr;
  // Only pairs of pipes that this core had can have been used.
  for (size_t src = 0; src < kPipeSlots; ++src)
    for (size_t dst = 0; dst < kPipeSlots; ++dst)
      for (int64_t event = 0; event < kEventIds && ((flagTargets[src] >> dst) & 1); ++event)
        if (Flag &f = flag(Pipe(src), Pipe(dst), event); f.setsIssued || f.waitsIssued)
          f = {};
  kind = coreKind;
  id = coreId;
  setup = blockSetup;
  const LaunchOptions &options = *setup.options;
  profile = options.profile;
  localBytes = profile->bytes;
  checks = options.checks;
  schedule = options.schedule.kind;
  observer = setup.observer;
  traced = observer || checks.any();
  constexpr uint16_t kVector = bit(Pipe::S) | bit(Pipe::V) | bit(Pipe::MTE2) | bit(Pipe::MTE3),
                     kCube = bit(Pipe::S) | bit(Pipe::M) | bit(Pipe::MTE1) | bit(Pipe::MTE2) | bit(Pipe::FIX);
  pipeSet = kind == CoreKind::AIV ? kVector : kind == CoreKind::AIC ? kCube : uint16_t(kVector | kCube);
  for (size_t src = 0; src < kPipeSlots; ++src)
    flagTargets[src] = hasPipe(Pipe(src)) ? uint16_t(pipeSet & ~(1u << src)) : 0;

  // In a cluster UB belongs to the vector cores and all else to the cube core.
  constexpr uint16_t kAll = 0xffff, kUb = 1u << size_t(Space::Ub);
  if (!memories.reserve(*profile, !setup.mixed ? kAll : kind == CoreKind::AIV ? kUb : uint16_t(kAll & ~kUb)))
    return false;
  if (reused)
    memories.clear();
  for (size_t i = 0; i < kSpaceSlots; ++i)
    local[i] = memories.base(Space(i));
  blockIdx = setup.block;
  blockNum = options.blocks;
  subblockIdx = id.index == 2 ? 1 : 0;
  subblockNum = setup.mixed ? 2 : 1;
  std::fill(std::begin(suIterations), std::end(suIterations), 0);
  std::fill(std::begin(scopeIterations), std::end(scopeIterations), 0);

  stopped = false;
  suSite = kNoSite;
  steps = 0;
  pollAt = 1;
  registers = {};
  changes = 0;
  turns.clear();
  suBlockedOn = nullptr;
  suEnded = false;
  finiteTurns = 0;
  loneBarriers = 0;
  vms4 = {};
  for (PipeQueue &q : queues)
    q = {};
  for (BufferId &buffer : buffers)
    if (buffer.everHeld || buffer.releasesIssued)
      buffer = {};
  queued = executed = 0;
  pulling = 0;
  lowerBlocksDone = false;
  lastObject[0] = lastObject[1] = {};
  stats = {};
  random.seed(options.schedule.seed, uint64_t(setup.block), id.index);
  phaseLeft = 0;
  runningScope = nullptr;
  storeBuffer = {};
  return true;
}

void Core::joinCluster() {
  const auto &cores = setup.cluster->cores;
  if (kind == CoreKind::AIV)
    local[size_t(Space::L1)] = cores[0]->memory(Space::L1);
  else
    local[size_t(Space::Ub)] = cores[1]->memory(Space::Ub);
}

bool Core::run(PtoSuFunction program, const uint64_t *arguments) {
  FaultScope faults(memories);
  int32_t status = program(this, arguments);
  if (!stopped && status != 0)
    internalError(suSite, "the program of the scalar unit stopped with status " + std::to_string(status) +
                              " although the Machine did not ask for it");
  return finish();
}

bool Core::finish() {
  suEnded = true;
  if (!stopped && !drain(nullptr) && !stopped)
    deadlock(nullptr);
  bool completed = !stopped;
  if (completed && checks.sync)
    checkLeftovers();
  return completed;
}

void Core::checkLeftovers() {
  for (size_t src = 0; src < kPipeSlots; ++src)
    for (size_t dst = 0; dst < kPipeSlots; ++dst)
      for (int64_t event = 0; event < kEventIds && ((flagTargets[src] >> dst) & 1); ++event) {
        const Flag &f = flag(Pipe(src), Pipe(dst), event);
        if (f.setsDone == f.waitsDone)
          continue;
        uint64_t surplus = f.setsDone - f.waitsDone;
        Finding leftover = finding("flag-leftover", f.lastSet,
                                   "flag " + flagText(Pipe(src), Pipe(dst), event, f.lastSet) +
                                       " is still set when the kernel ends: " + std::to_string(f.setsDone) +
                                       (f.setsDone == 1 ? " set, " : " sets, ") +
                                       std::to_string(f.waitsDone) + (f.waitsDone == 1 ? " wait" : " waits"));
        leftover.help = "wait for it " +
                        std::string(surplus == 1 ? "once" : std::to_string(surplus) + " times") + " on " +
                        std::string(nameOf(Pipe(dst))) + " before the kernel ends, or leave out the set";
        proposeDrain(leftover, Pipe(src), Pipe(dst), event, f);
        report(std::move(leftover));
      }
  for (size_t bufferId = 0; bufferId < buffers.size(); ++bufferId)
    for (size_t pipe = 0; pipe < kPipeSlots && buffers[bufferId].held; ++pipe) {
      if (!(buffers[bufferId].held >> pipe & 1))
        continue;
      std::string name(nameOf(Pipe(pipe))), number = std::to_string(bufferId);
      Finding held = finding("buffer-held", buffers[bufferId].heldSince[pipe],
                             name + " still holds buffer id " + number + " when the kernel ends");
      held.help = "add `pto.rls_buf \"" + name + "\", " + number + ", 0` behind the work that uses the buffer";
      report(std::move(held));
    }
}

/// The wait that takes the last set. With a set and a wait in every turn of a loop
/// that is right for any number of turns; with sets alone it would not be.
void Core::proposeDrain(Finding &finding, Pipe src, Pipe dst, int64_t event, const Flag &f) const {
  SiteId loop = outermostLoop(f.lastSet), behind = loop == kNoSite ? f.lastSet : loop;
  if (f.setsDone - f.waitsDone != 1 || (loop != kNoSite && f.waitsDone == 0) || !setup.sites ||
      setup.sites->isCpp() || behind >= setup.sites->size())
    return;
  const Site &site = (*setup.sites)[behind];
  if (site.next.file != site.place.file || site.next.line <= site.place.line)
    return;
  std::string line = flagLine("pto.wait_flag", src, dst, event, f.lastSet);
  finding.help = "add `" + line + "` before " + lineText(site.next) + ", or leave out the set";
  finding.edits.push_back({site.next, false, std::move(line)});
}

uint64_t Core::blockSteps() const {
  uint64_t total = 0;
  for (const Core *core : setup.cluster->cores)
    total += core ? core->steps : 0;
  return total;
}

int32_t Core::endBlock(std::string_view code, SiteId site, std::string message, std::string help) {
  Finding f = finding(code, site, std::move(message));
  f.notes = blockNotes();
  f.help = std::move(help);
  return fatal(std::move(f));
}

void Core::poll() {
  const LaunchOptions &options = *setup.options;
  if (stopped)
    return;
  if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) {
    endBlock("interrupted", suSite, "the run was interrupted in block " + std::to_string(setup.block), "");
    return;
  }
  uint64_t taken = blockSteps();
  if (options.maxSteps && taken > options.maxSteps) {
    endBlock("max-steps", suSite, "the block took more than " + std::to_string(options.maxSteps) + " steps",
             std::string("raise `") + (setup.sites && setup.sites->isCpp() ? "Options::maxSteps" : "--max-steps") +
                 "` if the kernel is merely long; otherwise see why the loop does not end");
    return;
  }
  pollAt = steps + kPollInterval;
  // Each core of a cluster gets a part of what is left, then looks again.
  if (options.maxSteps)
    pollAt = std::min(pollAt, steps + (options.maxSteps - taken) / (setup.mixed ? kCoresPerBlock : 1) + 1);
}

void Core::report(Finding finding) {
  setup.findings->add(std::move(finding));
  if (!setup.findings->full())
    return;
  stopped = true;
  if (setup.group)
    setup.group->stop();
}

int32_t Core::fatal(Finding finding) {
  setup.findings->add(std::move(finding));
  stopped = true;
  if (setup.group)
    setup.group->stop();
  return 1;
}

int32_t Core::internalError(SiteId site, std::string message) {
  Finding f = finding("internal-error", site, std::move(message));
  f.help = "this should have been refused before the run; please report it with the program";
  return fatal(std::move(f));
}

Finding Core::finding(std::string_view code, SiteId site, std::string message) const {
  Finding f = makeFinding(code, place(site), std::move(message));
  f.cores = {std::string(nameOf(id))};
  return f;
}

void Core::addIterations(Finding &finding, SiteId site) const {
  if (!checks.any())
    return;
  if (setup.sites && setup.sites->isCpp()) {
    if (depthOf(site))
      finding.notes.push_back({finding.place, executionText(suIterations[0])});
    return;
  }
  if (!runningScope) {
    finding.iterations.assign(suIterations, suIterations + depthOf(site));
    return;
  }
  finding.iterations.assign(runningScope->iterations, runningScope->iterations + runningScope->depth);
  finding.iterations.insert(finding.iterations.end(), scopeIterations, scopeIterations + depthOf(site));
}

std::string Core::opName(SiteId site) const {
  if (!setup.sites || site >= setup.sites->size() || (*setup.sites)[site].op.empty())
    return "the instruction";
  return "`" + (*setup.sites)[site].op + "`";
}

std::string Core::accessName(SiteId site) const {
  bool known = setup.sites && site < setup.sites->size() && !(*setup.sites)[site].token.empty();
  return opName(site) + (known ? " \"" + (*setup.sites)[site].token + "\"" : "");
}

std::string Core::placeText(SiteId site) const {
  Place where = place(site);
  if (where.file.empty())
    return "an unknown place";
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

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
  if (schedule == ScheduleKind::Random && overtakes(entry) && (pipe == Pipe::MTE2 || pipe == Pipe::MTE3)) {
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
