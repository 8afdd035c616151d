//===- Core.cpp - a core's life -------------------------------------------===//
//
// Start and end of a block on a core, limits on its steps, and the way of an
// operation from the scalar unit to its pipe.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>
#include <utility>

namespace ptoscope {

static_assert(sizeof(PtoContext::local) == kSpaceSlots * sizeof(uint8_t *));

static constexpr uint64_t kPollInterval = 256, kScopePollInterval = 1 << 16;

bool Core::begin(CoreKind coreKind, CoreId coreId, const BlockSetup &blockSetup) {
  bool reused = setup.options != nullptr;
  setup = blockSetup;
  kind = coreKind;
  id = coreId;
  const Profile &profile = *setup.options->profile;

  // In a cluster UB belongs to the vector cores and all else to the cube core.
  constexpr uint16_t kAll = 0xffff, kUb = 1u << size_t(Space::Ub);
  if (!guarded.reserve(profile, !setup.mixed ? kAll : kind == CoreKind::AIV ? kUb : uint16_t(kAll & ~kUb)))
    return false;
  if (reused && !setup.keeps && !guarded.clear())
    return false;
  for (size_t i = 0; i < kSpaceSlots; ++i)
    local[i] = guarded.base(Space(i));
  blockIdx = setup.blockOfDevice();
  blockNum = setup.options->blocks;
  subblockIdx = id.index == 2 ? 1 : 0;
  subblockNum = setup.mixed ? setup.vectorCores : 1;
  std::fill(std::begin(suIterations), std::end(suIterations), 0);
  std::fill(std::begin(scopeIterations), std::end(scopeIterations), 0);
  scopeSteps = grantedSteps = 0;
  PtoContext::scopeTurns = nullptr;
  toldSteps = 0;
  idle = {};

  report = Report(setup, id, *this);
  pipes = Pipes(setup, id, kind, report, suIterations);
  memories = Memories(local, profile, *setup.gm);
  scalar = ScalarUnit(report, memories);
  atomics = AtomicOrder(setup.order, setup.block);
  transfers = TransferUnit(setup, id, kind, report, memories, scalar.registers, atomics);
  sync = SyncState(setup, id, kind, report, pipes, &sync);
  scopes = ScopeUnit(setup, *this, report, memories, guarded, pipes.random);
  elision = CopyElision(setup, report, memories, scopes);
  pipes.elision = report.elision = &elision;
  sorts = SortUnit(report, memories);
  directs = DirectUnit(setup, report, memories, atomics);
  if (attachment)
    attachment->beginBlock();
  return true;
}

void Core::joinCluster() {
  const auto &cores = setup.cluster->cores;
  if (kind == CoreKind::AIV)
    local[size_t(Space::L1)] = cores[0]->local[size_t(Space::L1)];
  else
    local[size_t(Space::Ub)] = cores[1]->guarded.base(Space::Ub);
  for (size_t i = 1; i < kCoresPerBlock; ++i)
    memories.ubOf[i] = cores[i] ? cores[i]->guarded.base(Space::Ub) : nullptr;
}

bool Core::run(PtoSuFunction program, const uint64_t *arguments) {
  FaultScope faults(guarded);
  int32_t status = program(this, arguments);
  if (!report.stopped && status != 0)
    report.internalError(scalar.site, say::kBugStatus(status));
  return finish();
}

bool Core::finish() {
  scalar.ended = true;
  if (!report.stopped && !pipes.drain(nullptr) && !report.stopped)
    deadlock(nullptr);
  elision.end(setup.keeps); // what was queued may have looked at what is lent
  if (!report.stopped && setup.options->maxSteps)
    poll(scalar.site);
  bool completed = !report.stopped;
  if (completed && report.checks.sync)
    sync.reportLeftovers();
  if (completed && report.checks.sync && setup.cluster->queues)
    setup.cluster->queues->coreEnded(*this);
  return completed;
}

LaunchStats Core::statistics() const {
  LaunchStats stats;
  stats.instructions = pipes.executed;
  stats.steps = stepsSoFar();
  stats.transfers = transfers.transfers;
  stats.transferBytes = transfers.bytes;
  stats.scopes = scopes.scopes;
  stats.vectorAccesses = scopes.vectorAccesses;
  stats.flags = sync.operations;
  return stats;
}

uint64_t Core::blockSteps() const {
  uint64_t total = 0;
  for (const Core *core : setup.cluster->cores)
    total += core ? core->stepsSoFar() : 0;
  return total;
}

std::vector<Note> Core::blockNotes() const {
  if (!setup.mixed)
    return stuck().standing(false);
  std::vector<Note> notes;
  for (const Core *core : setup.cluster->cores)
    if (core)
      for (Note &note : core->stuck().standing(true))
        notes.push_back({note.place, std::string(nameOf(core->id)) + ": " + note.message});
  return notes;
}

int32_t Core::endBlock(SiteId site, const Fact &fact) {
  Finding f = report.finding(site, fact);
  f.notes = blockNotes();
  return report.fatal(std::move(f));
}

void Core::poll(SiteId site) {
  const LaunchOptions &options = *setup.options;
  scalar.steps = stepsSoFar();
  grantedSteps = scopeSteps = 0;
  if (report.stopped)
    return;
  if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) {
    endBlock(site, say::kInterrupted(setup.block));
    return;
  }
  if (options.stepsTaken)
    options.stepsTaken->fetch_add(scalar.steps - std::exchange(toldSteps, scalar.steps), std::memory_order_relaxed);
  uint64_t taken = blockSteps();
  if (options.maxSteps && taken > options.maxSteps) {
    endBlock(site, say::kMaxSteps(options.maxSteps, report.isCpp() ? "Options::maxSteps" : "--max-steps",
                                  report.scope ? "scope" : "kernel"));
    return;
  }
  // Each core of a cluster gets a part of what is left, then looks again.
  uint64_t left = UINT64_MAX;
  if (options.maxSteps)
    left = (options.maxSteps - taken) / (setup.mixed ? kCoresPerBlock : 1) + 1;
  scalar.pollAt = scalar.steps + std::min(left, kPollInterval);
  grantedSteps = scopeSteps = int64_t(std::min(left, kScopePollInterval));
}

uint64_t Core::scopeTurns(SiteId site, uint64_t turns, uint32_t cost) {
  poll(site);
  if (guarded.faulted() || report.stopped)
    return 0;
  turns = std::min(turns, std::max<uint64_t>(uint64_t(scopeSteps) / cost, 1));
  scopeSteps -= int64_t(turns * cost);
  return turns;
}

int32_t Core::deadlock(const Operation *suOp) {
  if (std::optional<Finding> found = stuck().deadlock(suOp))
    return report.fatal(std::move(*found));
  return report.internalError(scalar.site, say::kBugStuck());
}

//===----------------------------------------------------------------------===//
// The way to a pipe
//===----------------------------------------------------------------------===//

int32_t Core::issue(Operation &op, Pipe pipe, SiteId site) {
  pipes.number(op, pipe, site);
  if (pipe == Pipe::S) {
    if (pipes.observer)
      pipes.observer->issue(pipes.instr(op));
    return pipes.waitFor(op) ? int32_t(report.stopped) : deadlock(&op);
  }
  if (pipes.submit(op))
    return report.stopped;
  Finding f = report.finding(site, say::kQueueExhausted(pipes.queued));
  f.notes = stuck().standing(setup.mixed);
  return report.fatal(std::move(f));
}

int32_t Core::issueIdle(Operation &op, SiteId site) {
  pipes.number(op, Pipe::S, site);
  if (pipes.observer)
    pipes.observer->issue(pipes.instr(op));
  if (pipes.queued && !pipes.drain(&op))
    return report.stopped ? 1 : deadlock(&op);
  return report.stopped;
}

} // namespace ptoscope
