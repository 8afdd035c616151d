//===- Stuck.cpp - explaining why nothing moves ---------------------------===//

#include "Schedule/Stuck.h"

#include "Sync/Signals.h"
#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/CommSentences.h"
#include "ptoscope/Machine/FlagSlips.h"
#include "ptoscope/Machine/QueueSentences.h"
#include "ptoscope/Machine/Remedies.h"

#include <algorithm>

namespace ptoscope {

std::string Stuck::waitText(const Operation &op) const {
  Wait wait = op.wait();
  switch (wait.what) {
  case Wait::For::Flag:
    return say::kForFlag(report.flagText(wait.src, wait.dst, wait.id, op.site));
  case Wait::For::Buffer:
    return say::kForBuffer(wait.id);
  case Wait::For::Work:
    return say::kForWork(wait.id);
  case Wait::For::Semaphore:
    return report.isCpp()               ? say::kForSignal(wait.id % kKindSemaphores)
           : wait.id >= kKindSemaphores ? say::kForMessage(wait.id - kKindSemaphores)
                                        : say::kForSemaphore(wait.id);
  case Wait::For::AllCores:
    return say::kForAllCores();
  case Wait::For::Counter:
    return say::kForCounter(wait.id);
  case Wait::For::Tile:
    return say::kForTile();
  case Wait::For::Signal:
    return static_cast<const WaitSignals &>(op).text();
  case Wait::For::Queue: {
    const Queues &queues = *sync.cluster->queues;
    const Queues::Opened *opened = queues.find(sync.core, wait.id);
    const bool data = !opened || Queues::isData(opened->shape, wait.id);
    return (data ? say::kForData : say::kForSpace)(wait.number, wait.id, queues.text(sync.core, wait.id));
  }
  case Wait::For::Idle:
    break;
  }
  return say::kForIdle();
}

std::string Stuck::causeText(const Operation &op, bool suBlocked) const {
  Wait wait = op.wait();
  std::optional<Blocker> blocker = op.blocker();
  if (wait.what == Wait::For::Flag && !blocker) {
    const Flag &f = sync.flag({wait.src, wait.dst, wait.id});
    std::string text =
        f.setsIssued == 0
            ? say::kNoSetIssued()
            : say::kFewSetsIssued(wait.number, (f.setsIssued == 1 ? say::kSetIssued : say::kSetsIssued)(f.setsIssued));
    return suBlocked ? text + say::kStandsStill(report.placeText(scalar.site)) : text;
  }
  if (wait.what == Wait::For::Semaphore)
    return report.isCpp() ? say::kRunsAloneHere() : say::kRunsAlone();
  if (wait.what == Wait::For::Signal)
    return say::kNoNotify();
  if (wait.what == Wait::For::Counter)
    return say::kNoOneArrives();
  if (wait.what == Wait::For::Queue && !blocker)
    return say::kOneCoreBothSides();
  if (!blocker)
    return say::kNothingEndsIt();
  const PipeQueue &q = pipes[blocker->pipe];
  const char *what = wait.what == Wait::For::Flag     ? say::kItsSet
                     : wait.what == Wait::For::Buffer ? say::kTheRelease
                     : wait.what == Wait::For::Tile   ? say::kTheOther
                                                      : say::kThatWork;
  std::string text = say::kQueuedOn(what, report.placeText(q.siteOf(blocker->ordinal)), blocker->pipe);
  if (q.head() && blocker->ordinal != q.started + 1)
    text += say::kBehindBlocked(report.opText(q.head()->site), report.placeText(q.head()->site));
  return text;
}

std::string Stuck::queuedBehind(const PipeQueue &queue) {
  uint64_t behind = queue.waiting.size() - 1;
  return behind == 0 ? say::kNothingBehind() : (behind == 1 ? say::kOneBehind : say::kSomeBehind)(behind);
}

/// "PIPE_V -> PIPE_MTE2 -> PIPE_V" when following blockers from `start` comes
/// back to where it was; empty otherwise.
std::string Stuck::cycleFrom(Pipe start, std::vector<Pipe> &members) const {
  std::vector<Pipe> path;
  Pipe at = start;
  while (true) {
    auto seen = std::find(path.begin(), path.end(), at);
    if (seen != path.end()) {
      members.assign(seen, path.end());
      break;
    }
    path.push_back(at);
    const Operation *head = pipes[at].head();
    std::optional<Blocker> next = head ? head->blocker() : std::nullopt;
    if (!next)
      return {};
    at = next->pipe;
  }
  std::string text;
  for (Pipe pipe : members)
    text += std::string(nameOf(pipe)) + " -> ";
  return text + std::string(nameOf(members.front()));
}

/// The loop whose first turn waits at `op` for a flag that nothing has set yet, and
/// whose set is queued behind and stands behind in the text, for the next turn; kNoSite
/// when that is not what blocks it. A set in front of the wait is for the same turn: one
/// more before the loop would let the wait go on with nothing done.
SiteId Stuck::unprimedLoop(const Operation &op) const {
  Wait wait = op.wait();
  std::optional<Blocker> blocker = op.blocker();
  if (wait.what != Wait::For::Flag || !blocker || sync.flag({wait.src, wait.dst, wait.id}).setsDone != 0)
    return kNoSite;
  const Place set = report.place(pipes[blocker->pipe].siteOf(blocker->ordinal)), here = report.place(op.site);
  const bool isForNextTurn =
      set.file == here.file && std::pair(set.line, set.column) > std::pair(here.line, here.column);
  return isForNextTurn ? report.outermostLoop(op.site) : kNoSite;
}

/// The loop around `op` whose turns wait for a flag that none of them sets, and that is
/// set before it. kNoSite when that is not what blocks it.
SiteId Stuck::unsetLoop(const Operation &op) const {
  const Wait wait = op.wait();
  const NamedIds named = report.sites->events(wait.src, wait.dst);
  const SiteId loop = report.outermostLoop(op.site), before = named.setAt[size_t(wait.id)];
  // Without checks no one counts turns.
  if (!report.checks.any() || loop == kNoSite || before == kNoSite || named.turnSetAt[size_t(wait.id)] != kNoSite ||
      named.computedSetAt != kNoSite)
    return kNoSite;
  const Place set = report.place(before), start = report.place(loop);
  return set.file == start.file && set.line < start.line ? loop : kNoSite;
}

std::string Stuck::setLine(const Operation &op) const {
  Wait wait = op.wait();
  return report.flagLine("set_flag", wait.src, wait.dst, wait.id, op.site);
}

bool Stuck::proposeSet(Finding &finding, const Operation &op) const {
  Wait wait = op.wait();
  if (wait.what != Wait::For::Flag || !report.sites || report.isCpp() || report.place(op.site).file.empty())
    return false; // of C++ only what has run is known
  const std::string line = setLine(op);
  NamedIds named = report.sites->events(wait.src, wait.dst);
  Place where = report.place(op.site);
  if (!op.blocker()) {
    if (std::optional<FlagSlip> slip = slipOfWait(*report.sites, wait.src, wait.dst, wait.id)) {
      nameCause(finding, report.place(slip->wait), slipText(*report.sites, *slip));
      finding.help = slipHelp(*report.sites, *slip);
      return true;
    }
    const bool isSet = named.set >> wait.id & 1 || named.computedSetAt != kNoSite;
    if (!named.computed && named.unset() >> wait.id & 1)
      finding.remedies.push_back({say::kAddSet(line, where, wait.src, wait.dst), {{where, false, line}}});
    const SiteId unset = isSet ? unsetLoop(op) : kNoSite;
    const bool isFirst = std::all_of(op.iterations, op.iterations + op.depth, [](int64_t turn) { return turn == 0; });
    if (unset != kNoSite)
      nameCause(finding, report.place(unset), say::kTurnsUnset(report.flagText(wait.src, wait.dst, wait.id, op.site)));
    // Sets before the loop let earlier turns go on, or had waits of their own. The id as the wait names it.
    if (unset != kNoSite && !isFirst)
      finding.missing.push_back({where, MissingLine::Where::BehindWork, {}, uint8_t(wait.src)});
    else if (!isSet || unset != kNoSite) // outside of branches that the wait stands in, too
      finding.missing.push_back({where, MissingLine::Where::Before, where});
    return false;
  }
  SiteId loop = unprimedLoop(op);
  if (loop == kNoSite)
    return false;
  where = report.place(loop);
  // A set that stands outside the loop was meant for this; another one would be too many.
  SiteId other = named.setAt[size_t(wait.id)];
  if (other != kNoSite && report.outermostLoop(other) != loop) {
    finding.help = say::kSetBeforeLoop(where, report.place(other));
    return true;
  }
  finding.remedies.push_back({say::kAddSetBeforeLoop(line, where), {{where, false, line}}});
  return false;
}

std::optional<Finding> Stuck::deadlock(const Operation *suOp) const {
  bool suBlocked = suOp != nullptr;
  // A wait whose set is missing is the root; otherwise something in a cycle.
  const Operation *root = nullptr;
  std::string cycle;
  if (suOp && suOp->wait().what != Wait::For::Idle) {
    root = suOp;
    if (std::optional<Blocker> next = suOp->blocker()) {
      std::vector<Pipe> members;
      cycle = cycleFrom(next->pipe, members);
    }
  }
  for (Pipe pipe : kPullOrder)
    if (const Operation *head = pipes[pipe].head(); !root && head && !head->blocker())
      root = head;
  for (Pipe pipe : kPullOrder) {
    if (!pipes[pipe].head() || !cycle.empty())
      continue;
    std::vector<Pipe> members;
    cycle = cycleFrom(pipe, members);
    if (!root && !members.empty())
      root = pipes[members.front()].head();
  }
  if (!root)
    return std::nullopt;
  // Of a cycle, the wait that a set before the loop would let go on.
  for (Pipe pipe : kPullOrder)
    if (const Operation *head = pipes[pipe].head(); !cycle.empty() && head && unprimedLoop(*head) != kNoSite) {
      root = head;
      break;
    }

  std::string_view who = root->pipe == Pipe::S ? say::kScalarUnit : nameOf(root->pipe);
  Finding f = report.finding(root->site, say::kDeadlock(who, waitText(*root), causeText(*root, suBlocked)));
  if (report.checks.any())
    report.addTurns(f, *root);
  if (suOp && suOp != root)
    f.notes.push_back({report.place(suOp->site), say::kWaitsHereFor(say::kScalarUnit, waitText(*suOp))});
  for (Pipe pipe : kPullOrder) {
    const PipeQueue &q = pipes[pipe];
    const Operation *head = q.head();
    if (!head)
      continue;
    std::string text = say::kWaitsHere(pipe, waitText(*head), causeText(*head, suBlocked));
    text += queuedBehind(q);
    if (q.waiting.size() > 1)
      text += say::kFirstBehind(report.opText(q.waiting[1]->site), report.placeText(q.waiting[1]->site));
    f.notes.push_back({report.place(head->site), std::move(text)});
  }
  if (!cycle.empty())
    f.notes.push_back({{}, say::kCycle(cycle)});

  Wait wait = root->wait();
  if (proposeSet(f, *root))
    return f;
  if (wait.what == Wait::For::Flag && !root->blocker())
    f.help = say::kIssueSet(setLine(*root), suBlocked ? say::kUnitStops : say::kKernelEnds, wait.src, wait.dst);
  else if (wait.what == Wait::For::Semaphore)
    f.help = report.isCpp() ? say::kLaunchMixed() : say::kLaunchSetter();
  else if (wait.what == Wait::For::Counter)
    f.help = say::kCountArrivals();
  else if (wait.what == Wait::For::Queue)
    f.help = say::kHelpMixed;
  else if (wait.what == Wait::For::Signal)
    f.help = say::kNotifyIt();
  return f;
}

std::vector<Note> Stuck::standing(bool inCluster) const {
  std::vector<Note> notes;
  if (inCluster && scalar.ended)
    notes.push_back({{}, say::kProgramEnded()});
  else
    notes.push_back({report.place(scalar.site), say::kUnitStandsHere(report.opText(scalar.site))});
  if (report.scope)
    notes.push_back({report.place(report.scope->site), say::kScopeRuns(report.opText(report.scope->site))});
  for (Pipe pipe : kPullOrder) {
    if (!pipes.has(pipe))
      continue;
    const PipeQueue &q = pipes[pipe];
    const Operation *head = q.head();
    if (!q.inFlight.empty())
      notes.push_back({report.place(q.inFlight.front()->site), say::kInFlight(pipe, q.inFlight.size())});
    if (!head) {
      bool runs = report.scope && pipe == Pipe::V; // told already
      if (q.inFlight.empty() && !runs)
        notes.push_back({{}, say::kIdle(pipe)});
      continue;
    }
    notes.push_back({report.place(head->site), head->ready()
                                                   ? say::kQueueFirst(pipe, q.waiting.size(), report.opText(head->site))
                                                   : say::kQueueWaits(pipe, q.waiting.size(), waitText(*head))});
  }
  return notes;
}

} // namespace ptoscope
