//===- Stuck.cpp - explaining why nothing moves ---------------------------===//

#include "Schedule/Stuck.h"

#include "ptoscope/Machine/FlagSlips.h"

#include <algorithm>

namespace ptoscope {

std::string Stuck::waitText(const Operation &op) const {
  Wait wait = op.wait();
  switch (wait.what) {
  case Wait::For::Flag:
    return "flag " + report.flagText(wait.src, wait.dst, wait.id, op.site);
  case Wait::For::Buffer:
    return "buffer id " + std::to_string(wait.id);
  case Wait::For::Work:
    return "the work of all pipes under buffer id " + std::to_string(wait.id);
  case Wait::For::Semaphore:
    return "semaphore " + std::to_string(wait.id);
  case Wait::For::AllCores:
    return "the other cores at an all-core barrier";
  case Wait::For::Idle:
    break;
  }
  return "every pipe to become idle";
}

std::string Stuck::causeText(const Operation &op, bool suBlocked) const {
  Wait wait = op.wait();
  std::optional<Blocker> blocker = op.blocker();
  if (wait.what == Wait::For::Flag && !blocker) {
    const Flag &f = sync.flag({wait.src, wait.dst, wait.id});
    std::string text;
    if (f.setsIssued == 0)
      text = "no set of this flag was ever issued";
    else
      text = "this is wait number " + std::to_string(wait.number) + " of the flag, and only " +
             std::to_string(f.setsIssued) + (f.setsIssued == 1 ? " set was issued" : " sets were issued");
    if (suBlocked)
      text += "; the scalar unit stands at " + report.placeText(scalar.site) + " and issues nothing more";
    return text;
  }
  if (wait.what == Wait::For::Semaphore)
    return "this core runs alone, and nobody sets its semaphores";
  if (!blocker)
    return "nothing that could end the wait is queued";
  const PipeQueue &q = pipes[blocker->pipe];
  std::string what = wait.what == Wait::For::Flag     ? "its set"
                     : wait.what == Wait::For::Buffer ? "the release"
                                                      : "that work";
  std::string text = what + " (" + report.placeText(q.siteOf(blocker->ordinal)) + ") is queued on " +
                     std::string(nameOf(blocker->pipe));
  if (q.head() && blocker->ordinal != q.started + 1)
    text += " behind " + report.opName(q.head()->site) + " at " + report.placeText(q.head()->site) +
            ", which cannot start";
  return text;
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

/// The loop whose first turn waits at `op` for a flag that the same turn sets
/// further down; kNoSite when that is not what blocks it.
SiteId Stuck::unprimedLoop(const Operation &op) const {
  SiteId loop = report.outermostLoop(op.site);
  Wait wait = op.wait();
  std::optional<Blocker> blocker = op.blocker();
  if (wait.what != Wait::For::Flag || loop == kNoSite || !blocker)
    return kNoSite;
  SiteId set = pipes[blocker->pipe].siteOf(blocker->ordinal);
  if (sync.flag({wait.src, wait.dst, wait.id}).setsDone != 0 || set == kNoSite)
    return kNoSite;
  // In another inner loop the set answers a wait of that one, and a set before both would be one too many.
  bool sameLoop = (*report.sites)[set].loop == (*report.sites)[op.site].loop;
  return sameLoop && report.place(set).line > report.place(op.site).line ? loop : kNoSite;
}

std::string Stuck::setLine(const Operation &op) const {
  Wait wait = op.wait();
  return quoted(report.flagLine("pto.set_flag", wait.src, wait.dst, wait.id, op.site));
}

bool Stuck::proposeSet(Finding &finding, const Operation &op) const {
  Wait wait = op.wait();
  if (wait.what != Wait::For::Flag || !report.sites || report.isCpp() || report.place(op.site).file.empty())
    return false; // of C++ only what has run is known
  std::optional<FlagSlip> slip = slipOfWait(*report.sites, wait.src, wait.dst, wait.id);
  if (slip && !op.blocker()) {
    finding.notes.insert(finding.notes.begin(),
                         {report.place(slip->wait), "likely cause: " + slipText(*report.sites, *slip)});
    finding.help = slipHelp(*report.sites, *slip);
    return true;
  }
  Place where = report.place(op.site);
  if (!op.blocker()) {
    NamedIds named = report.sites->events(wait.src, wait.dst);
    bool onlyWaited = (named.waited >> wait.id & 1) && !(named.set >> wait.id & 1);
    // A set that nothing has taken may be the one that was meant: another one would
    // leave it over.
    bool surplus = false;
    for (int64_t id = 0; id < kEventIds; ++id) {
      const Flag &same = sync.flag({wait.src, wait.dst, id}), &reverse = sync.flag({wait.dst, wait.src, id});
      surplus |= same.setsIssued > same.waitsIssued || reverse.setsIssued > reverse.waitsIssued;
    }
    if (named.computed || !onlyWaited || surplus)
      return false;
    finding.help = "add " + setLine(op) + " before " + lineText(where) + ", behind the work on " +
                   std::string(nameOf(wait.src)) + " that " + std::string(nameOf(wait.dst)) +
                   " needs: the program has no set of this flag";
  } else {
    SiteId loop = unprimedLoop(op);
    if (loop == kNoSite)
      return false;
    where = report.place(loop);
    // A set that stands outside the loop was meant for this; another one would be too many.
    SiteId other = report.sites->events(wait.src, wait.dst).setAt[size_t(wait.id)];
    if (other != kNoSite && report.outermostLoop(other) != loop) {
      finding.help = "set the flag before " + lineText(where) + ", not at " + lineText(report.place(other)) +
                     ": the first turn of the loop waits before anything can set it";
      return true;
    }
    finding.help = "add " + setLine(op) + " before " + lineText(where) +
                   ": the first turn of the loop waits before anything can set the flag";
  }
  finding.edits.push_back(
      {where, false, report.flagLine("pto.set_flag", wait.src, wait.dst, wait.id, op.site)});
  return true;
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
    if (const Operation *head = pipes[pipe].head();
        !cycle.empty() && head && unprimedLoop(*head) != kNoSite) {
      root = head;
      break;
    }

  std::string who = root->pipe == Pipe::S ? "the scalar unit" : std::string(nameOf(root->pipe));
  Finding f =
      report.finding("deadlock", root->site,
                     who + " waits for ever for " + waitText(*root) + ": " + causeText(*root, suBlocked));
  if (report.checks.any())
    f.iterations.assign(root->iterations, root->iterations + root->depth);
  if (suOp && suOp != root)
    f.notes.push_back({report.place(suOp->site), "the scalar unit waits here for " + waitText(*suOp)});
  for (Pipe pipe : kPullOrder) {
    const PipeQueue &q = pipes[pipe];
    const Operation *head = q.head();
    if (!head)
      continue;
    std::string text =
        std::string(nameOf(pipe)) + " waits here for " + waitText(*head) + ": " + causeText(*head, suBlocked);
    uint64_t behind = q.waiting.size() - 1;
    if (behind == 0)
      text += "; nothing is queued behind it";
    else
      text += "; " + std::to_string(behind) + (behind == 1 ? " instruction is" : " instructions are") +
              " queued behind it, first " + report.opName(q.waiting[1]->site) + " at " +
              report.placeText(q.waiting[1]->site);
    f.notes.push_back({report.place(head->site), std::move(text)});
  }
  if (!cycle.empty())
    f.notes.push_back({{}, "wait-for cycle: " + cycle});

  Wait wait = root->wait();
  if (proposeSet(f, *root))
    return f;
  if (wait.what == Wait::For::Flag && !root->blocker())
    f.help = "issue " + setLine(*root) + " before " +
             (suBlocked ? "the scalar unit stops" : "the kernel ends") + ", behind the work on " +
             std::string(nameOf(wait.src)) + " that " + std::string(nameOf(wait.dst)) +
             " needs, or remove the wait";
  else if (wait.what == Wait::For::Semaphore)
    f.help = "launch the kernel with the core that sets the semaphore, or remove the wait";
  else
    f.help = "move a set before the wait that blocks its own pipe, so that the circle of waits is broken";
  return f;
}

std::vector<Note> Stuck::standing(bool inCluster) const {
  std::vector<Note> notes;
  if (inCluster && scalar.ended)
    notes.push_back({{}, "the program has ended"});
  else
    notes.push_back(
        {report.place(scalar.site), "the scalar unit stands here, at " + report.opName(scalar.site)});
  if (report.scope)
    notes.push_back(
        {report.place(report.scope->site), "PIPE_V runs " + report.opName(report.scope->site) + " here"});
  for (Pipe pipe : kPullOrder) {
    if (!pipes.has(pipe))
      continue;
    const PipeQueue &q = pipes[pipe];
    const Operation *head = q.head();
    std::string name(nameOf(pipe));
    if (!q.inFlight.empty())
      notes.push_back(
          {report.place(q.inFlight.front()->site),
           name + " moves " + std::to_string(q.inFlight.size()) + " started transfers, one from here"});
    if (!head) {
      bool runs = report.scope && pipe == Pipe::V; // told already
      if (q.inFlight.empty() && !runs)
        notes.push_back({{}, name + " is idle"});
      continue;
    }
    notes.push_back(
        {report.place(head->site), name + " has " + plural(q.waiting.size(), "instruction") + " queued, " +
                                       (head->ready() ? "first " + report.opName(head->site)
                                                      : "and waits here for " + waitText(*head))});
  }
  return notes;
}

} // namespace ptoscope
