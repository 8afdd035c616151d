//===- CoreSolver.cpp - one core, from issue to effect --------------------===//

#include "Solver.h"

#include <algorithm>

namespace ptoscope::timing {

CoreSolver::CoreSolver(const Task &task, const RecordedBlock &of, CoreId core, ClusterSync &cluster, Meeting &meeting,
                       uint32_t physicalCore, double begin, PipeTimes &times)
    : task(task), blockIndex(of.block), block(*of.record), record(block.cores[core.index]), core(core),
      cluster(cluster), meeting(meeting), physicalCore(physicalCore), begin(begin), times(times[core.index]),
      depth(uint64_t(std::max(1.0, task.figures.queueDepth))), reader(record.entries),
      thinning(task.costs, block, record, task.edits.share[core.index]), lastEffect(begin),
      flags(kPipeSlots * kPipeSlots * size_t(kEventIds)), flagWaits(flags.size()) {
  for (PipeState &pipe : pipes) {
    pipe.free = begin;
    pipe.seen.time = begin;
    pipe.starts.resize(size_t(depth));
  }
}

//===----------------------------------------------------------------------===//
// The scalar unit
//===----------------------------------------------------------------------===//

bool CoreSolver::advance() {
  bool progressed = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t p = 0; p < kPipeSlots && queued; ++p)
      while (!pipes[p].queue.empty() && resolveHead(Pipe(p)))
        moved = true;
    while (step(false))
      moved = true;
    progressed |= moved;
  }
  return progressed;
}

bool CoreSolver::overfill() { return !scalarHead && !reader.atEnd() && step(true); }

bool CoreSolver::passGap() {
  passesGap = thinning.leavesGaps();
  bool moved = passesGap && scalarHead && step(false);
  for (size_t p = 0; p < kPipeSlots && passesGap && !moved; ++p)
    moved = !pipes[p].queue.empty() && resolveHead(Pipe(p));
  passesGap = false;
  return moved;
}

bool CoreSolver::step(bool overfills) {
  PipeState &scalar = pipes[size_t(Pipe::S)];
  if (scalarHead) {
    if (!resolve(Pipe::S, *scalarHead))
      return false;
    scalarHead.reset();
    return true;
  }
  if (reader.atEnd())
    return false;
  const Entry entry = reader.peek();
  if (!thinning.keeps(entry.site)) {
    reader.next();
    return true;
  }
  const Pipe on = Pipe(entry.pipe);
  PipeState &pipe = pipes[entry.pipe];
  Pending instr{entry.site, block.deeds[entry.deed], 0, 0, 0, 0, false};
  const Deed &deed = deedOf(instr.deed);
  if (on == Pipe::S) {
    reader.next();
    instr.issued = scalar.free;
    ++scalar.issued;
    count(on, instr, deed);
    instr.place = reserve();
    if (!resolve(on, instr))
      scalarHead = instr;
    return true;
  }
  // TIME-60: a place in the queue is free when the instruction that many before has started.
  double from = scalar.free;
  if (pipe.issued >= depth && !overfills) {
    if (pipe.resolved + depth <= pipe.issued)
      return false;
    from = std::max(from, pipe.starts[size_t(pipe.issued % depth)]);
  }
  if (from > scalar.free) {
    times[size_t(Pipe::S)].waiting += from - scalar.free;
    if (task.sink) {
      Told stall;
      Slice &slice = stall.slice;
      slice = {track(Pipe::S), physicalCore, entry.site, 0, scalar.free, from, from, from};
      slice.reason = Reason::QueueFull;
      slice.waited = from - scalar.free;
      slice.causeTrack = track(on);
      tell(reserve(), std::move(stall));
    }
  }
  reader.next();
  const double issue = isDropped(entry.site, deed) ? 0 : task.figures.issue;
  times[size_t(Pipe::S)].busy += issue;
  scalar.free = instr.issued = from + issue;
  ++pipe.issued;
  count(on, instr, deed);
  instr.place = reserve();
  // Nothing before it: mostly its time is known at once.
  if (!pipe.queue.empty() || !resolve(on, instr)) {
    pipe.queue.push_back(instr);
    ++queued;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

bool CoreSolver::resolveHead(Pipe on) {
  PipeState &pipe = pipes[size_t(on)];
  if (!resolve(on, pipe.queue.front()))
    return false;
  pipe.queue.pop_front();
  --queued;
  return true;
}

bool CoreSolver::resolve(Pipe on, Pending &instr) {
  PipeState &pipe = pipes[size_t(on)];
  const Deed &deed = deedOf(instr.deed);
  const bool drops = isDropped(instr.site, deed);
  needs.clear();
  if (!drops && !findNeeds(on, instr, deed)) {
    if (!passesGap)
      return false;
    needs.clear();
  }

  // TIME-61
  const double before = pipe.free, ready = std::max(before, instr.issued);
  const Need *last = nullptr;
  for (const Need &each : needs)
    if (!last || each.stamp.time > last->stamp.time)
      last = &each;
  const double start = last ? std::max(ready, last->stamp.time) : ready;
  const DeedCosts::Entry &cost = task.costs.entries[instr.deed];
  double busy = drops ? 0 : cost.busy, gmBytes = cost.gmBytes;
  if (deed.act == Act::Work || deed.act == Act::Scope || cost.bytes) {
    const double share = thinning.shareOf(instr.site);
    busy *= share;
    gmBytes *= share;
  }
  busy = deed.act == Act::StartEngine ? 0 // the scalar unit does not stay with the engine
                                      : std::max(busy, cost.overhead + gmBytes * task.cyclesPerByte[cost.writesGm]);
  pipe.waited += start - before; // at a flag, or before it was issued
  if (deed.act == Act::Work) {   // TIME-43
    busy += std::min(pipe.waited, cost.restart);
    pipe.waited = 0;
  }
  busy = std::max(0.0, busy - task.edits.shorter(instr.site));
  if (on == Pipe::S && deed.act != Act::None && !drops)
    busy = std::max(busy, task.figures.issue);
  const double end = start + busy;
  double visible = end + (drops || deed.act == Act::StartEngine ? 0 : cost.latency);

  visible = std::max(visible, passOn(on, instr, deed, start, end));
  if (pipe.seen.time < visible || pipe.resolved == 0)
    pipe.seen = stampOf(on, instr.site, visible);
  lastEffect = std::max(lastEffect, visible);
  pipe.nextNumber += numbersOf(on, deed);
  pipe.free = end;
  if (on != Pipe::S)
    pipe.starts[size_t(pipe.resolved % depth)] = start;
  ++pipe.resolved;
  if (!pipe.watched.empty())
    watchResolved(pipe);

  const bool isSilent = deed.act == Act::None || drops;
  PipeTime &sum = times[size_t(on)];
  sum.busy += end - start;
  sum.waiting += start - ready;
  sum.idle += ready - before;
  if (!isSilent) {
    ++sum.instructions;
    sum.bytes += cost.bytes;
  }
  if (!task.sink)
    return true;
  Told told;
  if (isSilent) {
    told.state = Told::Silent;
    tell(instr.place, std::move(told));
    return true;
  }
  Slice &slice = told.slice;
  slice = {track(on), physicalCore, instr.site, pipe.resolved, instr.issued, start, end, visible};
  slice.bytes = cost.bytes;
  slice.from = cost.from;
  slice.to = cost.to;
  if (start > before) {
    slice.waited = start - before;
    slice.reason = Reason::Issue;
    if (start > ready) {
      slice.reason = last->reason;
      slice.cause = last->stamp.site;
      slice.causeTrack = {last->stamp.block, last->stamp.core, last->stamp.pipe};
    }
  }
  told.shares = cost.scope;
  for (const Need &each : needs)
    if (each.hasArrow && each.stamp.site != kNoSite)
      told.arrows.push_back({{each.stamp.block, each.stamp.core, each.stamp.pipe},
                             track(on),
                             each.stamp.site,
                             instr.site,
                             each.stamp.ordinal,
                             pipe.resolved,
                             each.stamp.time,
                             start,
                             each.reason,
                             each.id});
  tell(instr.place, std::move(told));
  return true;
}

void CoreSolver::watchResolved(PipeState &pipe) {
  std::erase_if(pipe.watched, [&](const std::pair<uint64_t, uint32_t> &each) {
    if (each.first != pipe.resolved)
      return false;
    Watch &watch = watches[each.second];
    --watch.missing;
    if (pipe.seen.time > watch.last.time)
      watch.last = pipe.seen;
    return true;
  });
}

//===----------------------------------------------------------------------===//
// The sink is told in the order of issue
//===----------------------------------------------------------------------===//

uint64_t CoreSolver::reserve() {
  if (!task.sink)
    return 0;
  told.emplace_back();
  return toldFrom + told.size() - 1;
}

void CoreSolver::tell(uint64_t place, Told &&what) {
  if (what.state == Told::Open)
    what.state = Told::Done;
  told[size_t(place - toldFrom)] = std::move(what);
  if (place == toldFrom)
    flush();
}

void CoreSolver::flush() {
  for (; !told.empty() && told.front().state != Told::Open; told.pop_front(), ++toldFrom) {
    Told &front = told.front();
    if (front.state == Told::Silent)
      continue;
    if (front.shares != ~0u) {
      const DeedCosts::Shares &shares = task.costs.shares[front.shares];
      front.slice.parts = shares.parts;
      front.slice.vectorInstructions = shares.instructions;
    }
    task.sink->slice(front.slice);
    for (const Arrow &arrow : front.arrows)
      task.sink->arrow(arrow);
  }
}

void CoreSolver::finish() {
  for (size_t p = 0; p < kPipeSlots; ++p)
    if (pipes[p].issued)
      times[p].idle += std::max(0.0, end() - pipes[p].free);
  if (!task.sink)
    return;
  // What never took effect, in a run that ended early, has no time.
  for (Told &each : told)
    if (each.state == Told::Open)
      each.state = Told::Silent;
  flush();
}

} // namespace ptoscope::timing
