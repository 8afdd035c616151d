//===- CoreEdges.cpp - what instructions wait for and let go on -----------===//

#include "Solver.h"

#include "ptoscope/Machine/Order.h"

#include <algorithm>
#include <bit>

namespace ptoscope::timing {

void CoreSolver::count(Pipe on, Pending &instr, const Deed &deed) {
  switch (deed.act) {
  case Act::WaitFlag:
    instr.number = ++flagWaits[flagIndex(deed.src, deed.dst, deed.id)];
    break;
  case Act::WaitSemaphore:
    instr.number = ++semaphoreWaits[deed.id];
    break;
  case Act::WaitLaunch:
    instr.number = ++launchWaits[deed.id];
    break;
  case Act::SetLaunch:
    instr.number = ++launchSets[deed.id];
    break;
  case Act::GetBuffer: {
    Buffer &buffer = buffers[size_t(deed.id)];
    instr.number = buffer.released;
    buffer.everHeld |= uint16_t(1u << size_t(on));
    break;
  }
  case Act::ReleaseBuffer: {
    Buffer &buffer = buffers[size_t(deed.id)];
    instr.number = ++buffer.released;
    if (deed.mode == 0)
      break;
    // It waits for everything that was issued to pipes which had got the buffer.
    if (freeWatches.empty()) {
      freeWatches.push_back(uint32_t(watches.size()));
      watches.emplace_back();
    }
    instr.watch = freeWatches.back();
    freeWatches.pop_back();
    Watch &watch = watches[instr.watch];
    watch = {};
    watch.last.time = begin;
    for (size_t p = 0; p < kPipeSlots; ++p) {
      PipeState &holder = pipes[p];
      const uint64_t prefix = holder.issued - (p == size_t(on));
      if (!(buffer.everHeld >> p & 1) || prefix == 0)
        continue;
      if (holder.resolved < prefix) {
        ++watch.missing;
        holder.watched.emplace_back(prefix, instr.watch);
      } else if (holder.seen.time > watch.last.time) {
        watch.last = holder.seen;
      }
    }
    break;
  }
  default:
    break;
  }
}

size_t CoreSolver::numbersOf(Pipe on, const Deed &deed) const {
  size_t taken = deed.checksUnit;
  switch (deed.act) {
  case Act::WaitQueue:
    return taken + size_t(std::popcount(deed.targets));
  case Act::AllCores:
    return taken + 1;
  case Act::SetSignal:
  case Act::WaitSignal:
    return taken + 1 + 2 * size_t(number(on, taken));
  case Act::StartEngine:
  case Act::WaitEngine:
    return taken + 2;
  default:
    return taken;
  }
}

//===----------------------------------------------------------------------===//
// What it waits for
//===----------------------------------------------------------------------===//

bool CoreSolver::needIdle(double latency) {
  if (queued)
    return false;
  const Stamp *last = nullptr;
  for (size_t p = 0; p < kPipeSlots; ++p)
    if (p != size_t(Pipe::S) && pipes[p].resolved && (!last || pipes[p].seen.time > last->time))
      last = &pipes[p].seen;
  if (last)
    need(*last, latency, Reason::Barrier, 0, /*hasArrow=*/false);
  return true;
}

bool CoreSolver::findNeeds(Pipe on, Pending &instr, const Deed &deed) {
  const CoreFigures &figures = task.figures;
  PipeState &pipe = pipes[size_t(on)];
  if (deed.checksUnit) {
    const Pipe from = unitPartner(on);
    const PipeState &partner = pipes[size_t(from)];
    const uint64_t after = number(on);
    if (partner.resolved < after)
      return false;
    auto it = std::ranges::lower_bound(partner.passed, after, {}, &std::pair<uint64_t, Stamp>::first);
    if (it != partner.passed.end() && it->first == after)
      need(it->second, 0, Reason::Tile, 0);
  }
  if (deed.drains && !instr.arrived && !needIdle(figures.barrierLatency))
    return false;
  switch (deed.act) {
  case Act::WaitFlag: {
    Stamps &sets = flags[flagIndex(deed.src, deed.dst, deed.id)];
    const uint64_t wanted = instr.number - task.edits.isOneEarlier(instr.site);
    if (!sets.has(wanted))
      return false;
    if (const Stamp *set = wanted ? sets.at(wanted) : nullptr)
      need(*set, 0, Reason::Flag, deed.id);
    sets.dropBefore(instr.number);
    return true;
  }
  case Act::Barrier:
    if (pipe.resolved)
      need(pipe.seen, figures.barrierLatency, Reason::Barrier, 0, /*hasArrow=*/false);
    return true;
  case Act::GetBuffer: {
    if (deed.mode != 0)
      return true;
    const Buffer &buffer = buffers[size_t(deed.id)];
    const uint64_t wanted = instr.number - (instr.number && task.edits.isOneEarlier(instr.site));
    if (!buffer.releases.has(wanted))
      return false;
    if (const Stamp *release = buffer.releases.at(wanted))
      need(*release, 0, Reason::Buffer, deed.id);
    return true;
  }
  case Act::ReleaseBuffer:
    if (deed.mode == 0)
      return true;
    if (watches[instr.watch].missing)
      return false;
    need(watches[instr.watch].last, 0, Reason::Buffer, deed.id, /*hasArrow=*/false);
    freeWatches.push_back(instr.watch);
    return true;
  case Act::WaitSemaphore: {
    ClusterSync::Semaphore &semaphore = cluster.semaphores[core.index][deed.id];
    if (semaphore.senders == 0)
      return false;
    for (size_t sender = 0; sender < kCoresPerBlock; ++sender)
      if ((semaphore.senders >> sender & 1) && !semaphore.sets[sender].has(instr.number))
        return false;
    for (size_t sender = 0; sender < kCoresPerBlock; ++sender)
      if (semaphore.senders >> sender & 1) {
        if (const Stamp *set = semaphore.sets[sender].at(instr.number))
          need(*set, 0, Reason::Semaphore, deed.id);
        semaphore.sets[sender].dropBefore(instr.number);
      }
    return true;
  }
  case Act::WaitQueue: {
    auto &lines = cluster.queues[core.index][deed.id];
    size_t ahead = deed.checksUnit;
    for (size_t sender = 0; sender < kCoresPerBlock; ++sender)
      if ((deed.targets >> sender & 1) && !lines[sender].has(number(on, ahead++)))
        return false;
    ahead = deed.checksUnit;
    for (size_t sender = 0; sender < kCoresPerBlock; ++sender)
      if (deed.targets >> sender & 1) {
        const uint64_t wanted = number(on, ahead++);
        if (const Stamp *set = lines[sender].at(wanted))
          need(*set, 0, Reason::Queue, deed.id);
        lines[sender].dropBefore(wanted);
      }
    return true;
  }
  case Act::ReadStatus: {
    // Merges that it asks for come before it; what came after them is not told apart.
    const PipeState &vector = pipes[size_t(Pipe::V)];
    if (!vector.queue.empty())
      return false;
    if (vector.resolved)
      need(vector.seen, 0, Reason::Barrier, 0, /*hasArrow=*/false);
    return true;
  }
  default:
    return needMeeting(on, instr, deed);
  }
}

bool CoreSolver::needMeeting(Pipe on, Pending &instr, const Deed &deed) {
  const CoreFigures &figures = task.figures;
  switch (deed.act) {
  case Act::AllCores: {
    const uint64_t round = number(on);
    if (!instr.arrived) {
      Stamp arrival = stampOf(on, instr.site, pipes[size_t(on)].free);
      for (const Need &each : needs)
        arrival.time = std::max(arrival.time, each.stamp.time);
      meeting.arrive(uint32_t(deed.id), round, arrival);
      instr.arrived = true;
    }
    const Stamp *last = meeting.complete(uint32_t(deed.id), round);
    if (!last)
      return false;
    need(*last, figures.allCoresLatency, Reason::AllCores, deed.id,
         last->core.index != core.index || last->block != blockIndex);
    return true;
  }
  case Act::WaitLaunch: {
    const Stamp *last = meeting.launchSet(uint32_t(deed.id), instr.number);
    if (last)
      need(*last, 0, Reason::Semaphore, deed.id);
    return last;
  }
  case Act::WaitSignal: {
    const size_t words = size_t(number(on));
    for (size_t i = 0; i < words; ++i) {
      const uint64_t word = number(on, 1 + 2 * i), sets = number(on, 2 + 2 * i);
      const LatestStamps *known = meeting.signal(uint32_t(word), sets);
      if (!known)
        return false;
      if (const Stamp *last = known->at(sets))
        need(*last, 0, Reason::Semaphore, int64_t(word));
    }
    return true;
  }
  case Act::WaitEngine: {
    auto it = engines.find(number(on));
    const uint64_t wanted = number(on, 1);
    if (it != engines.end() && wanted && wanted <= it->second.second.size())
      need(it->second.second[size_t(wanted - 1)], 0, Reason::Engine, int64_t(number(on)));
    return true;
  }
  default:
    return true;
  }
}

//===----------------------------------------------------------------------===//
// What it lets go on
//===----------------------------------------------------------------------===//

double CoreSolver::passOn(Pipe on, const Pending &instr, const Deed &deed, double start, double end) {
  const CoreFigures &figures = task.figures;
  PipeState &pipe = pipes[size_t(on)];
  // Everything before it on its pipe has ended when a set is done.
  const double done = std::max(end, pipe.seen.time);
  if (isDropped(instr.site, deed)) {
    Stamp never;
    never.time = begin;
    if (deed.act == Act::SetFlag)
      flags[flagIndex(deed.src, deed.dst, deed.id)].push(never);
    else if (deed.act == Act::ReleaseBuffer)
      buffers[size_t(deed.id)].releases.set(instr.number, never);
    return end;
  }
  if (deed.passesUnit) {
    const double visible = end + task.costs.entries[instr.deed].latency;
    pipe.passed.emplace_back(pipe.resolved + 1, stampOf(on, instr.site, visible));
    // Older ones are long past.
    if (constexpr size_t kKept = 1 << 16; pipe.passed.size() > kKept)
      pipe.passed.pop_front();
  }
  switch (deed.act) {
  case Act::SetFlag:
    flags[flagIndex(deed.src, deed.dst, deed.id)].push(stampOf(on, instr.site, done + figures.flagLatency));
    return end;
  case Act::ReleaseBuffer:
    buffers[size_t(deed.id)].releases.set(instr.number, stampOf(on, instr.site, done + figures.flagLatency));
    return end;
  case Act::SetSemaphore:
  case Act::SetQueue: {
    const Stamp stamp = stampOf(on, instr.site, done + figures.semaphoreLatency);
    for (size_t target = 0; target < kCoresPerBlock; ++target) {
      if (!(deed.targets >> target & 1))
        continue;
      if (deed.act == Act::SetQueue) {
        cluster.queues[target][deed.id][core.index].push(stamp);
        continue;
      }
      ClusterSync::Semaphore &semaphore = cluster.semaphores[target][deed.id];
      semaphore.senders |= deed.senders;
      semaphore.sets[core.index].push(stamp);
    }
    return end;
  }
  case Act::SetLaunch:
    meeting.setLaunch(uint32_t(deed.id), instr.number, stampOf(on, instr.site, done + figures.allCoresLatency));
    return end;
  case Act::SetSignal:
    for (uint64_t i = 0; i < number(on); ++i)
      meeting.setSignal(uint32_t(number(on, 1 + 2 * i)), number(on, 2 + 2 * i),
                        stampOf(on, instr.site, end + figures.signalLatency));
    return end;
  case Act::StartEngine: {
    const DeedCosts::Entry &cost = task.costs.entries[instr.deed];
    auto &[free, ends] = engines[number(on)];
    free = std::max(free, start) + std::max(cost.busy, cost.gmBytes * task.cyclesPerByte[cost.writesGm]) + cost.latency;
    ends.push_back(stampOf(on, instr.site, free));
    lastEffect = std::max(lastEffect, free);
    return end;
  }
  default:
    return end;
  }
}

} // namespace ptoscope::timing
