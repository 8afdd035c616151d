//===- Flags.cpp - flags, barriers and buffer ids, as they are issued -----===//
//
// Under the eager schedule an instruction that is ready passes without an
// operation.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace ptoscope {

int32_t Core::setFlag(SiteId site, uint32_t src, uint32_t dst, int64_t eventId) {
  if (step(site))
    return 1;
  if (!sync.exists(src, dst, eventId)) [[unlikely]]
    return sync.refuseFlag(site, src, dst, eventId);
  FlagName name{Pipe(src), Pipe(dst), eventId};
  Flag &f = sync.flag(name);
  uint64_t number = ++f.setsIssued;
  if (report.checks.sync)
    sync.uses.count(site, name.src, name.dst, eventId, /*sets=*/true);
  if (pipes.passDirectly(name.src, site)) {
    sync.set(f, pipes.passing, name, number);
    if (!pipes[name.dst].waiting.empty())
      pipes.pump();
    return report.stopped;
  }
  SetFlag op(sync, name, number);
  issue(op, name.src, site);
  if (name.src == Pipe::S && pipes.isRandom() && !report.stopped)
    pipes.randomTurn();
  return report.stopped;
}

int32_t Core::waitFlag(SiteId site, uint32_t src, uint32_t dst, int64_t eventId) {
  if (step(site))
    return 1;
  if (!sync.exists(src, dst, eventId)) [[unlikely]]
    return sync.refuseFlag(site, src, dst, eventId);
  FlagName name{Pipe(src), Pipe(dst), eventId};
  Flag &f = sync.flag(name);
  uint64_t number = ++f.waitsIssued;
  if (report.checks.sync) {
    const bool outruns = number > f.setsIssued && !f.outrun;
    f.outrun |= outruns;
    sync.uses.count(site, name.src, name.dst, eventId, /*sets=*/false, outruns);
  }
  if (f.setsDone >= number && pipes.passDirectly(name.dst, site)) {
    sync.wait(f, pipes.passing, name, number);
    return 0;
  }
  WaitFlag op(sync, name, number);
  return issue(op, name.dst, site);
}

int32_t Core::barrier(SiteId site, uint32_t number) {
  if (step(site))
    return 1;
  Pipe of = Pipe(number), on = of == Pipe::All ? Pipe::S : of;
  if (number != uint32_t(Pipe::All) && !pipes.has(number))
    return lacksPipe(site, "a barrier of", number);
  if ((on != Pipe::S || pipes.queued == 0) && pipes.passDirectly(on, site)) {
    if (pipes.observer)
      pipes.observer->barrier(pipes.passing, of);
    return 0;
  }
  Barrier op(pipes, of);
  if (of != Pipe::All)
    return issue(op, on, site);
  if (int32_t status = issueIdle(op, site))
    return status;
  pipes.finish(op);
  return report.stopped;
}

int32_t Core::memoryBarrier(SiteId site, Domain domain) {
  if (step(site))
    return 1;
  MemoryBarrier op(pipes, pipesOf(domain));
  if (op.ready() && pipes.passDirectly(Pipe::S, site)) {
    op.effect(pipes.passing);
    return 0;
  }
  return issue(op, Pipe::S, site);
}

inline int32_t Core::stepOnBuffer(SiteId site, std::string_view what, uint32_t pipe, int64_t bufferId, int64_t mode) {
  if (step(site))
    return 1;
  if (!pipes.has(pipe))
    return lacksPipe(site, what, pipe);
  if (uint64_t(bufferId) >= uint64_t(kBufferIds) || (mode != 0 && mode != 1)) [[unlikely]]
    return sync.refuseBuffer(site, bufferId, mode);
  return 0;
}

int32_t Core::getBuf(SiteId site, uint32_t pipe, int64_t bufferId, int64_t mode) {
  if (int32_t status = stepOnBuffer(site, "get_buf on", pipe, bufferId, mode))
    return status;
  sync.acquire(site, Pipe(pipe), bufferId);
  if (report.stopped)
    return 1;
  BufferId &buffer = sync.buffers[size_t(bufferId)];
  if ((!waitsForReleases(mode) || buffer.pending.empty()) && pipes.passDirectly(Pipe(pipe), site)) {
    if (pipes.observer)
      pipes.observer->getBuf(pipes.passing, bufferId, mode, buffer.releasesIssued);
    return 0;
  }
  GetBuf op(sync, bufferId, mode);
  return issue(op, Pipe(pipe), site);
}

int32_t Core::rlsBuf(SiteId site, uint32_t pipe, int64_t bufferId, int64_t mode) {
  if (int32_t status = stepOnBuffer(site, "rls_buf on", pipe, bufferId, mode))
    return status;
  sync.release(site, Pipe(pipe), bufferId);
  if (report.stopped)
    return 1;
  if (!waitsForHolders(mode) && pipes.passDirectly(Pipe(pipe), site)) {
    // Done at once: no get has to know about it.
    uint64_t number = ++sync.buffers[size_t(bufferId)].releasesIssued;
    if (pipes.observer)
      pipes.observer->rlsBuf(pipes.passing, bufferId, mode, number);
    return 0;
  }
  RlsBuf op(sync, Pipe(pipe), bufferId, mode);
  return issue(op, Pipe(pipe), site);
}

} // namespace ptoscope
