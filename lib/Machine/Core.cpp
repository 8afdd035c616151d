//===- Core.cpp - a core's life, and its findings -------------------------===//
//
// Start and end of a block on a core, what is left over then, and how findings
// get their places.
//
//===----------------------------------------------------------------------===//

#include "Group/CoreGroup.h"

#include <algorithm>

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

std::string pipeText(uint32_t pipe) {
  std::string_view name = pipe < kPipeSlots ? nameOf(Pipe(pipe)) : std::string_view();
  return name.empty() ? "pipe number " + std::to_string(pipe) : std::string(name);
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

} // namespace ptoscope
