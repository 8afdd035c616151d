//===- Stuck.cpp - explaining why nothing moves ---------------------------===//
//
// A deadlock report says, for each blocked pipe, what it waits for, what is
// queued behind, and where the missing set or release is; and it prints the
// wait-for cycle if there is one. Interrupts and step limits show where the
// scalar unit and the pipes stand in the same words.
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "ptoscope/Machine/FlagSlips.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

std::string Core::eventName(int64_t eventId, SiteId site) const {
  bool symbolic = setup.sites && site < setup.sites->size() && !(*setup.sites)[site].event.empty();
  return symbolic ? (*setup.sites)[site].event : "EVENT_ID" + std::to_string(eventId);
}

std::string Core::flagText(Pipe src, Pipe dst, int64_t eventId, SiteId site) const {
  std::string number = "EVENT_ID" + std::to_string(eventId), name = eventName(eventId, site);
  return std::string(nameOf(src)) + " -> " + std::string(nameOf(dst)) + ", " + number +
         (name == number ? "" : " (`" + name + "`)");
}

/// What the instruction waits for, as a phrase after "waits for".
std::string Core::waitText(const Entry &entry) const {
  switch (entry.kind) {
  case OpKind::WaitFlag:
    return "flag " + flagText(entry.src, entry.dst, entry.id, entry.site);
  case OpKind::GetBuf:
    return "buffer id " + std::to_string(entry.id);
  case OpKind::RlsBuf:
    return "the work of all pipes under buffer id " + std::to_string(entry.id);
  case OpKind::SyncWait:
    return "semaphore " + std::to_string(entry.id);
  case OpKind::SyncAll:
    return queued ? "every pipe to become idle" : "the other cores at an all-core barrier";
  default:
    return "every pipe to become idle";
  }
}

/// The first pipe that has to move before `entry` can start.
std::optional<Pipe> Core::blockerOf(const Entry &entry) const {
  switch (entry.kind) {
  case OpKind::WaitFlag: {
    const Flag &f = flag(entry.src, entry.dst, entry.id);
    if (f.queuedSets.size() >= entry.number - f.setsDone)
      return entry.src;
    return std::nullopt;
  }
  case OpKind::GetBuf: {
    const auto &pending = buffers[size_t(entry.id)].pending;
    for (size_t i = 0; i < pending.size(); ++i)
      if (!pending[i].done && pending[i].number <= entry.number)
        return pending[i].pipe;
    return std::nullopt;
  }
  case OpKind::RlsBuf:
    for (Pipe pipe : kPullOrder)
      if (entry.prefix && queue(pipe).started < (*entry.prefix)[size_t(pipe)])
        return pipe;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Where the missing set or release is, and why it does not come.
std::string Core::causeText(const Entry &entry, bool suBlocked) const {
  std::optional<Pipe> blocker = blockerOf(entry);
  if (entry.kind == OpKind::WaitFlag && !blocker) {
    const Flag &f = flag(entry.src, entry.dst, entry.id);
    std::string text;
    if (f.setsIssued == 0)
      text = "no set of this flag was ever issued";
    else
      text = "this is wait number " + std::to_string(entry.number) + " of the flag, and only " +
             std::to_string(f.setsIssued) + (f.setsIssued == 1 ? " set was issued" : " sets were issued");
    if (suBlocked)
      text += "; the scalar unit stands at " + placeText(suSite) + " and issues nothing more";
    return text;
  }
  if (entry.kind == OpKind::SyncWait)
    return "this core runs alone, and nobody sets its semaphores";
  if (!blocker)
    return "nothing that could end the wait is queued";
  std::string pipe(nameOf(*blocker));
  // The instruction that would end the wait, in the blocker's queue.
  const PipeQueue &q = queue(*blocker);
  uint64_t ordinal = 0;
  std::string what;
  if (entry.kind == OpKind::WaitFlag) {
    const Flag &f = flag(entry.src, entry.dst, entry.id);
    ordinal = f.queuedSets[entry.number - f.setsDone - 1];
    what = "its set";
  } else if (entry.kind == OpKind::GetBuf) {
    const auto &pending = buffers[size_t(entry.id)].pending;
    for (size_t i = 0; i < pending.size() && ordinal == 0; ++i)
      if (!pending[i].done && pending[i].number <= entry.number)
        ordinal = pending[i].ordinal;
    what = "the release";
  } else {
    ordinal = (*entry.prefix)[size_t(*blocker)];
    what = "that work";
  }
  SiteId at = kNoSite;
  if (ordinal > q.started && ordinal - q.started <= q.waiting.size())
    at = q.waiting[ordinal - q.started - 1].site;
  std::string text = what + " (" + placeText(at) + ") is queued on " + pipe;
  if (!q.waiting.empty() && ordinal != q.started + 1)
    text += " behind " + opName(q.waiting.front().site) + " at " + placeText(q.waiting.front().site) +
            ", which cannot start";
  return text;
}

/// "PIPE_V -> PIPE_MTE2 -> PIPE_V" when following blockers from `start` comes
/// back to where it was; empty otherwise.
std::string Core::cycleFrom(Pipe start, std::vector<Pipe> &members) const {
  std::vector<Pipe> path;
  Pipe at = start;
  while (true) {
    auto seen = std::find(path.begin(), path.end(), at);
    if (seen != path.end()) {
      members.assign(seen, path.end());
      break;
    }
    path.push_back(at);
    if (queue(at).waiting.empty())
      return {};
    std::optional<Pipe> next = blockerOf(queue(at).waiting.front());
    if (!next)
      return {};
    at = *next;
  }
  std::string text;
  for (Pipe pipe : members)
    text += std::string(nameOf(pipe)) + " -> ";
  return text + std::string(nameOf(members.front()));
}

std::string Core::flagLine(const char *op, Pipe src, Pipe dst, int64_t eventId, SiteId site) const {
  if (setup.sites && setup.sites->isCpp())
    return std::string(op).substr(std::strlen("pto.")) + "(" + std::string(nameOf(src)) + ", " +
           std::string(nameOf(dst)) + ", " + eventName(eventId, site) + ");";
  return std::string(op) + "[\"" + std::string(nameOf(src)) + "\", \"" + std::string(nameOf(dst)) + "\", \"" +
         eventName(eventId, site) + "\"]";
}

/// The outermost loop around a site of the scalar unit's program.
SiteId Core::outermostLoop(SiteId site) const {
  SiteId outer = kNoSite;
  for (SiteId at = site; setup.sites && at < setup.sites->size() && (*setup.sites)[at].loop < setup.sites->size();)
    outer = at = (*setup.sites)[at].loop;
  return outer;
}

/// The loop whose first turn waits at `wait` for a flag that the same turn sets
/// further down; kNoSite when that is not what blocks it.
SiteId Core::unprimedLoop(const Entry &wait) const {
  SiteId loop = outermostLoop(wait.site);
  if (wait.kind != OpKind::WaitFlag || loop == kNoSite || !blockerOf(wait))
    return kNoSite;
  const Flag &f = flag(wait.src, wait.dst, wait.id);
  const PipeQueue &q = queue(wait.src);
  uint64_t ordinal = f.queuedSets[wait.number - f.setsDone - 1];
  if (f.setsDone != 0 || ordinal <= q.started || ordinal - q.started > q.waiting.size())
    return kNoSite;
  SiteId set = q.waiting[ordinal - q.started - 1].site;
  return loop == outermostLoop(set) && place(set).line > place(wait.site).line ? loop : kNoSite;
}

/// Lines that let `wait` go on, where they are certain: the text has no set of its
/// flag at all; or both stand in one loop, the wait above the set, so that the
/// flag has to be set once before the loop. False when there are none.
bool Core::proposeSet(Finding &finding, const Entry &wait) const {
  if (wait.kind != OpKind::WaitFlag || !setup.sites || setup.sites->isCpp() || place(wait.site).file.empty())
    return false; // of C++ only what has run is known
  if (std::optional<FlagSlip> slip = slipOfWait(*setup.sites, wait.src, wait.dst, wait.id); slip && !blockerOf(wait)) {
    finding.notes.insert(finding.notes.begin(), {place(slip->wait), "likely cause: " + slipText(*setup.sites, *slip)});
    finding.help = slipHelp(*setup.sites, *slip);
    return true;
  }
  std::string line = flagLine("pto.set_flag", wait.src, wait.dst, wait.id, wait.site);
  NamedIds named = setup.sites->events(wait.src, wait.dst);
  if (!blockerOf(wait)) {
    bool onlyWaited = (named.waited >> wait.id & 1) && !(named.set >> wait.id & 1);
    if (named.computed || !onlyWaited)
      return false;
    finding.help = "add `" + line + "` before " + lineText(place(wait.site)) + ", behind the work on " +
                   std::string(nameOf(wait.src)) + " that " + std::string(nameOf(wait.dst)) +
                   " needs: the program has no set of this flag";
    finding.edits.push_back({place(wait.site), false, std::move(line)});
    return true;
  }
  SiteId loop = unprimedLoop(wait);
  if (loop == kNoSite)
    return false;
  finding.help = "add `" + line + "` before " + lineText(place(loop)) +
                 ": the first turn of the loop waits before anything can set the flag";
  finding.edits.push_back({place(loop), false, std::move(line)});
  return true;
}

int32_t Core::deadlock(const Entry *suEntry) {
  bool suBlocked = suEntry != nullptr;
  // A wait whose set is missing is the root; otherwise something in a cycle.
  const Entry *root = nullptr;
  std::string cycle;
  if (suEntry && suEntry->kind != OpKind::Barrier) {
    root = suEntry;
    if (std::optional<Pipe> next = blockerOf(*suEntry)) {
      std::vector<Pipe> members;
      cycle = cycleFrom(*next, members);
    }
  }
  for (Pipe pipe : kPullOrder)
    if (!root && !queue(pipe).waiting.empty() && !blockerOf(queue(pipe).waiting.front()))
      root = &queue(pipe).waiting.front();
  for (Pipe pipe : kPullOrder) {
    if (queue(pipe).waiting.empty() || !cycle.empty())
      continue;
    std::vector<Pipe> members;
    cycle = cycleFrom(pipe, members);
    if (!root && !members.empty())
      root = &queue(members.front()).waiting.front();
  }
  if (!root)
    return internalError(suSite, "work is left, nothing moves, and no instruction is blocked");
  // Of a cycle, the wait that a set before the loop would let go on.
  for (Pipe pipe : kPullOrder)
    if (!cycle.empty() && !queue(pipe).waiting.empty() && unprimedLoop(queue(pipe).waiting.front()) != kNoSite) {
      root = &queue(pipe).waiting.front();
      break;
    }

  std::string who = root->pipe == Pipe::S ? "the scalar unit" : std::string(nameOf(root->pipe));
  Finding f = finding("deadlock", root->site,
                      who + " waits for ever for " + waitText(*root) + ": " + causeText(*root, suBlocked));
  if (checks.any())
    f.iterations.assign(root->iterations, root->iterations + root->depth);
  if (suEntry && suEntry != root)
    f.notes.push_back({place(suEntry->site), "the scalar unit waits here for " + waitText(*suEntry)});
  for (Pipe pipe : kPullOrder) {
    const PipeQueue &q = queue(pipe);
    if (q.waiting.empty())
      continue;
    const Entry &head = q.waiting.front();
    std::string text =
        std::string(nameOf(pipe)) + " waits here for " + waitText(head) + ": " + causeText(head, suBlocked);
    uint64_t behind = q.waiting.size() - 1;
    if (behind == 0)
      text += "; nothing is queued behind it";
    else
      text += "; " + std::to_string(behind) + (behind == 1 ? " instruction is" : " instructions are") +
              " queued behind it, first " + opName(q.waiting[1].site) + " at " + placeText(q.waiting[1].site);
    f.notes.push_back({place(head.site), std::move(text)});
  }
  if (!cycle.empty())
    f.notes.push_back({{}, "wait-for cycle: " + cycle});

  if (proposeSet(f, *root))
    return fatal(std::move(f));
  if (root->kind == OpKind::WaitFlag && !blockerOf(*root)) {
    f.help = "issue `" + flagLine("pto.set_flag", root->src, root->dst, root->id, root->site) + "` before " + (suBlocked ? "the scalar unit stops" : "the kernel ends") +
             ", behind the work on " + std::string(nameOf(root->src)) + " that " +
             std::string(nameOf(root->dst)) + " needs, or remove the wait";
  } else if (root->kind == OpKind::SyncWait) {
    f.help = "launch the kernel with the core that sets the semaphore, or remove the wait";
  } else {
    f.help = "move a set before the wait that blocks its own pipe, so that the circle of waits is broken";
  }
  return fatal(std::move(f));
}

std::vector<Note> Core::blockNotes() const {
  if (!setup.mixed)
    return standingNotes();
  std::vector<Note> notes;
  for (const Core *core : setup.cluster->cores)
    for (Note &note : core->standingNotes())
      notes.push_back({note.place, std::string(nameOf(core->id)) + ": " + note.message});
  return notes;
}

std::vector<Note> Core::standingNotes() const {
  std::vector<Note> notes;
  if (setup.mixed && suEnded)
    notes.push_back({{}, "the program has ended"});
  else
    notes.push_back({place(suSite), "the scalar unit stands here, at " + opName(suSite)});
  if (runningScope)
    notes.push_back({place(runningScope->site), "PIPE_V runs " + opName(runningScope->site) + " here"});
  for (Pipe pipe : kPullOrder) {
    if (!hasPipe(pipe))
      continue;
    const PipeQueue &q = queue(pipe);
    std::string name(nameOf(pipe));
    if (!q.inFlight.empty())
      notes.push_back(
          {place(q.inFlight.front().entry.site),
           name + " moves " + std::to_string(q.inFlight.size()) + " started transfers, one from here"});
    if (q.waiting.empty()) {
      bool runs = runningScope && pipe == Pipe::V; // told already
      if (q.inFlight.empty() && !runs)
        notes.push_back({{}, name + " is idle"});
      continue;
    }
    const Entry &head = q.waiting.front();
    std::string text = name + " has " + std::to_string(q.waiting.size()) +
                       (q.waiting.size() == 1 ? " instruction" : " instructions") + " queued, ";
    text += ready(head) ? "first " + opName(head.site) : "and waits here for " + waitText(head);
    notes.push_back({place(head.site), std::move(text)});
  }
  return notes;
}

} // namespace ptoscope
