//===- Pipes.cpp - how instructions take effect ---------------------------===//
//
// Queues of the pipes, and the eager schedule: the head of every queue that is
// not empty is blocked, and each set or release runs what it unblocks.
//
//===----------------------------------------------------------------------===//

#include "Schedule/Pipes.h"

#include "Transfer/CopyElision.h"
#include "ptoscope/Machine/Order.h"

namespace ptoscope {

uint16_t pipesOf(CoreKind kind) {
  auto bits = [](std::initializer_list<Pipe> pipes) {
    unsigned set = 0;
    for (Pipe pipe : pipes)
      set |= 1u << size_t(pipe);
    return uint16_t(set);
  };
  uint16_t vector = bits({Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3});
  // MTE3 of a cube core stores `mat` tiles (IRSTORE-1) and nothing else.
  uint16_t cube = bits({Pipe::S, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::FIX});
  return kind == CoreKind::AIV ? vector : kind == CoreKind::AIC ? cube : uint16_t(vector | cube);
}

Pipes::Pipes(const BlockSetup &setup, CoreId core, CoreKind kind, Report &report, const int64_t *iterations)
    : schedule(setup.options->schedule.kind), traced(setup.observer || setup.options->checks.any()),
      pipeSet(pipesOf(kind)), observer(setup.observer), core(core), report(&report), group(setup.group),
      iterations(iterations) {
  for (Pipe pipe : kPullOrder)
    if (pipe != Pipe::V && !isInOrder(*setup.options->profile, pipe))
      outOfOrder |= uint16_t(1u << size_t(pipe));
  random.seed(setup.options->schedule.seed, uint64_t(setup.block), core.index);
}

void Pipes::number(Operation &op, Pipe pipe, SiteId site) {
  op.pipe = pipe;
  op.site = site;
  op.ordinal = ++(*this)[pipe].issued;
  if (traced) {
    op.depth = uint8_t(report->depthOf(site));
    op.iterations = iterations;
  }
}

const Instr &Pipes::announce(Pipe pipe, SiteId site) {
  if (pipe == Pipe::S && elision)
    elision->settle(); // it may write GM that is lent
  passing = {core, pipe, (*this)[pipe].issued, site, iterations, report->depthOf(site)};
  if (observer) {
    observer->issue(passing);
    observer->start(passing);
  }
  return passing;
}

bool Pipes::ended(const PipePrefix &prefix) const {
  for (size_t p = 0; p < kPipeSlots; ++p) {
    if (queues[p].started < prefix[p])
      return false;
    for (const auto &flying : queues[p].inFlight)
      if (flying->ordinal <= prefix[p])
        return false;
  }
  return true;
}

bool Pipes::submit(Operation &op) {
  if (observer)
    observer->issue(instr(op));
  PipeQueue &q = (*this)[op.pipe];
  if (schedule == ScheduleKind::Eager && q.waiting.empty() && op.ready()) {
    ++q.started;
    execute(op);
    if (queued)
      pump();
  } else {
    if (queued >= kMaxQueued)
      return false;
    ++queued;
    q.waiting.push(op.keep());
    if (schedule == ScheduleKind::Lazy && queued >= kLookAhead)
      while (!report->stopped && pullAll()) {
      }
    if (schedule == ScheduleKind::Random) {
      randomTurn();
      while (!report->stopped && queued >= kLookAhead && randomStep()) {
      }
    }
  }
  if (queued >= kLookAhead)
    passTurn(false);
  return true;
}

void Pipes::execute(Operation &op) {
  if (elision)
    elision->settle();
  executed += op.pipe != Pipe::S;
  Instr instruction = instr(op);
  if (observer)
    observer->start(instruction);
  op.effect(instruction);
}

void Pipes::runHead(Pipe pipe) {
  PipeQueue &q = (*this)[pipe];
  std::unique_ptr<Operation> op = q.waiting.pop();
  ++q.started;
  if (schedule == ScheduleKind::Random && op->overtakes() && (outOfOrder >> size_t(pipe) & 1)) {
    // It moves later: its rows mixed with those of its neighbours, or as a whole.
    ++executed;
    if (observer)
      observer->start(instr(*op));
    q.inFlight.push_back(std::move(op));
    return;
  }
  --queued;
  execute(*op);
}

bool Pipes::pump() {
  bool any = false;
  for (bool moved = true; moved && queued && !report->stopped;) {
    moved = false;
    for (Pipe pipe : kPullOrder) {
      PipeQueue &q = (*this)[pipe];
      while (!report->stopped && !q.waiting.empty() && q.waiting.front()->ready()) {
        runHead(pipe);
        moved = any = true;
      }
    }
  }
  return any;
}

bool Pipes::runAll() {
  uint64_t executedBefore = executed, queuedBefore = queued;
  switch (schedule) {
  case ScheduleKind::Eager:
    pump();
    break;
  case ScheduleKind::Lazy:
    while (!report->stopped && pullAll()) {
    }
    break;
  case ScheduleKind::Random:
    while (!report->stopped && randomStep()) {
    }
    break;
  }
  return executed != executedBefore || queued != queuedBefore;
}

bool Pipes::drain(const Operation *op) {
  do
    runAll();
  while (queued && !report->stopped && park(op));
  return queued == 0;
}

bool Pipes::park(const Operation *op) {
  if (!group)
    return false;
  suBlockedOn = op;
  group->endTurn(TurnEnd::Blocked);
  suBlockedOn = nullptr;
  return true;
}

void Pipes::passTurn(bool spinning) {
  if (!group || report->stopped)
    return;
  group->endTurn(spinning ? TurnEnd::Spinning : TurnEnd::Ready);
  // What other cores did may have freed heads of queues.
  if (queued && !report->stopped && schedule == ScheduleKind::Eager)
    pump();
}

void Pipes::stepAside() {
  if (group && !report->stopped)
    group->endTurn(TurnEnd::Aside);
}

bool Pipes::waitFor(Operation &op) {
  while (!report->stopped && !op.ready()) {
    bool moved = false;
    if (schedule == ScheduleKind::Lazy)
      moved = demand(op);
    else if (schedule == ScheduleKind::Random)
      moved = randomStep();
    if (!moved && !report->stopped) {
      runAll();
      if (!report->stopped && !op.ready() && !park(&op))
        return false;
    }
  }
  if (!report->stopped)
    finish(op);
  return true;
}

void Pipes::finish(Operation &op) {
  ++(*this)[Pipe::S].started;
  execute(op);
  if (queued && schedule == ScheduleKind::Eager)
    pump();
}

} // namespace ptoscope
