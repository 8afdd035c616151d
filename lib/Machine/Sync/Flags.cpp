//===- Flags.cpp - flags, barriers and buffer ids, as they are issued -----===//

#include "Group/CoreGroup.h"
#include "ptoscope/Machine/Order.h"

namespace ptoscope {

/// Why there is no such flag; ends the block.
int32_t Core::badFlag(SiteId site, uint32_t src, uint32_t dst, int64_t eventId) {
  if (src >= kPipeSlots || !((flagTargets[src] >> (dst & 31)) & 1) || dst >= kPipeSlots)
    return internalError(site,
                         "a flag from " + pipeText(src) + " to " + pipeText(dst) + " does not exist here");
  Finding f = finding("event-id-range", site,
                      "event id " + std::to_string(eventId) + " is outside 0..7 in " + opName(site));
  f.help = "each ordered pair of pipes has the ids 0 to 7; compute a dynamic id modulo the number of buffers";
  addIterations(f, site);
  return fatal(std::move(f));
}

int32_t Core::setFlag(SiteId site, uint32_t src, uint32_t dst, int64_t eventId) {
  if (step(site))
    return 1;
  if (!flagExists(src, dst, eventId)) [[unlikely]]
    return badFlag(site, src, dst, eventId);
  Flag &f = flag(Pipe(src), Pipe(dst), eventId);
  ++f.setsIssued;
  if (passDirectly(Pipe(src), site)) {
    ++f.setsDone;
    f.lastSet = site;
    ++stats.flags;
    if (observer)
      observer->setFlag(passing, Pipe(src), Pipe(dst), eventId, f.setsIssued);
    if (checks.sync && f.setsDone - f.waitsDone > 1) [[unlikely]]
      reportOverwritten(f, Pipe(src), Pipe(dst), eventId, suIterations, depthOf(site));
    if (!queue(Pipe(dst)).waiting.empty())
      pump();
    return stopped;
  }
  Entry entry = makeEntry(OpKind::SetFlag, Pipe(src), site);
  entry.src = Pipe(src);
  entry.dst = Pipe(dst);
  entry.id = eventId;
  entry.number = f.setsIssued;
  if (Pipe(src) != Pipe::S)
    return submit(entry);
  if (observer)
    observer->issue(instr(entry));
  finishSu(entry);
  if (schedule == ScheduleKind::Random)
    randomTurn();
  return stopped;
}

int32_t Core::waitFlag(SiteId site, uint32_t src, uint32_t dst, int64_t eventId) {
  if (step(site))
    return 1;
  if (!flagExists(src, dst, eventId)) [[unlikely]]
    return badFlag(site, src, dst, eventId);
  Flag &f = flag(Pipe(src), Pipe(dst), eventId);
  uint64_t number = ++f.waitsIssued;
  if (f.setsDone >= number && passDirectly(Pipe(dst), site)) {
    ++f.waitsDone;
    ++stats.flags;
    if (observer)
      observer->waitFlag(passing, Pipe(src), Pipe(dst), eventId, number);
    return 0;
  }
  Entry entry = makeEntry(OpKind::WaitFlag, Pipe(dst), site);
  entry.src = Pipe(src);
  entry.dst = Pipe(dst);
  entry.id = eventId;
  entry.number = number;
  if (Pipe(dst) != Pipe::S)
    return submit(entry);
  if (observer)
    observer->issue(instr(entry));
  return suWait(entry);
}

int32_t Core::barrier(SiteId site, uint32_t pipe) {
  if (step(site))
    return 1;
  if (pipe == uint32_t(Pipe::All) || pipe == uint32_t(Pipe::S)) {
    if (queued == 0 && passDirectly(Pipe::S, site)) {
      if (observer)
        observer->barrier(passing, Pipe(pipe));
      return 0;
    }
    Entry entry = makeEntry(OpKind::Barrier, Pipe::S, site);
    entry.dst = Pipe(pipe);
    if (observer)
      observer->issue(instr(entry));
    if (entry.dst == Pipe::All && queued && !drain(&entry))
      return stopped ? 1 : deadlock(&entry);
    if (!stopped)
      finishSu(entry);
    return stopped;
  }
  if (pipe >= kPipeSlots || !hasPipe(Pipe(pipe)))
    return internalError(site, "a barrier of " + pipeText(pipe) + ", which this core does not have");
  if (passDirectly(Pipe(pipe), site)) {
    if (observer)
      observer->barrier(passing, Pipe(pipe));
    return 0;
  }
  Entry entry = makeEntry(OpKind::Barrier, Pipe(pipe), site);
  entry.dst = Pipe(pipe);
  return submit(entry);
}

/// An id or mode that get_buf and rls_buf do not know; ends the block.
int32_t Core::badBuffer(SiteId site, int64_t bufferId, int64_t mode) {
  Finding f;
  if (uint64_t(bufferId) >= uint64_t(kBufferIds)) {
    f = finding("buffer-id-range", site,
                "buffer id " + std::to_string(bufferId) + " is outside 0..31 in " + opName(site));
    f.help = "a core has the buffer ids 0 to 31";
  } else {
    f = finding("buffer-mode", site,
                "mode " + std::to_string(mode) + " of " + opName(site) + " is neither 0 nor 1");
    f.help = "use mode 0, in which the get waits for the releases before it";
  }
  addIterations(f, site);
  return fatal(std::move(f));
}

int32_t Core::getBuf(SiteId site, uint32_t pipe, int64_t bufferId, int64_t mode) {
  if (step(site))
    return 1;
  if (pipe >= kPipeSlots || !hasPipe(Pipe(pipe)))
    return internalError(site, "get_buf on " + pipeText(pipe) + ", which this core does not have");
  if (uint64_t(bufferId) >= uint64_t(kBufferIds) || (mode != 0 && mode != 1)) [[unlikely]]
    return badBuffer(site, bufferId, mode);
  BufferId &buffer = buffers[size_t(bufferId)];
  uint16_t bit = uint16_t(1u << pipe);
  if (checks.sync && (buffer.held & bit)) {
    Finding f = finding("buffer-nested", site,
                        pipeText(pipe) + " acquires buffer id " + std::to_string(bufferId) +
                            " which it already holds");
    f.notes.push_back({place(buffer.heldSince[pipe]), "it was acquired here and not released since"});
    f.help = "release it with `pto.rls_buf` before the next `pto.get_buf` of the same pipe and id";
    addIterations(f, site);
    report(std::move(f));
    if (stopped)
      return 1;
  }
  buffer.held |= bit;
  buffer.heldSince[pipe] = site;
  buffer.everHeld |= bit;
  bool waits = ruleOf(getOf(mode)).learns != Reach::Nothing && !buffer.pending.empty();
  if (!waits && passDirectly(Pipe(pipe), site)) {
    if (observer)
      observer->getBuf(passing, bufferId, mode, buffer.releasesIssued);
    return 0;
  }
  Entry entry = makeEntry(OpKind::GetBuf, Pipe(pipe), site);
  entry.id = bufferId;
  entry.mode = uint8_t(mode);
  entry.number = buffer.releasesIssued;
  if (Pipe(pipe) != Pipe::S)
    return submit(entry);
  if (observer)
    observer->issue(instr(entry));
  return suWait(entry);
}

int32_t Core::rlsBuf(SiteId site, uint32_t pipe, int64_t bufferId, int64_t mode) {
  if (step(site))
    return 1;
  if (pipe >= kPipeSlots || !hasPipe(Pipe(pipe)))
    return internalError(site, "rls_buf on " + pipeText(pipe) + ", which this core does not have");
  if (uint64_t(bufferId) >= uint64_t(kBufferIds) || (mode != 0 && mode != 1)) [[unlikely]]
    return badBuffer(site, bufferId, mode);
  BufferId &buffer = buffers[size_t(bufferId)];
  uint16_t bit = uint16_t(1u << pipe);
  if (checks.sync && !(buffer.held & bit)) {
    Finding f = finding("buffer-release-unacquired", site,
                        pipeText(pipe) + " releases buffer id " + std::to_string(bufferId) +
                            " which it does not hold");
    f.help = "put `pto.get_buf` of the same pipe and id before the work that uses the buffer";
    addIterations(f, site);
    report(std::move(f));
    if (stopped)
      return 1;
  }
  buffer.held &= uint16_t(~bit);
  bool holders = ruleOf(releaseOf(mode)).tells == Reach::Holders;
  if (!holders && passDirectly(Pipe(pipe), site)) {
    // Done at once: no get has to know about it.
    ++buffer.releasesIssued;
    if (observer)
      observer->rlsBuf(passing, bufferId, mode, buffer.releasesIssued);
    return 0;
  }
  Entry entry = makeEntry(OpKind::RlsBuf, Pipe(pipe), site);
  entry.id = bufferId;
  entry.mode = uint8_t(mode);
  entry.number = ++buffer.releasesIssued;
  if (holders) {
    // Everything issued so far on the pipes that ever held the buffer.
    entry.prefix = std::make_unique<PipePrefix>();
    for (size_t p = 0; p < kPipeSlots; ++p)
      (*entry.prefix)[p] =
          ((buffer.everHeld >> p) & 1) && Pipe(p) != Pipe(pipe) && Pipe(p) != Pipe::S ? queues[p].issued : 0;
  }
  if (Pipe(pipe) != Pipe::S)
    return submit(entry);
  if (observer)
    observer->issue(instr(entry));
  return suWait(entry);
}

} // namespace ptoscope
