//===- StuckGroup.cpp - explaining why no core of a group moves -----------===//
//
// Every pipe and scalar unit that is blocked waits for one other to move first,
// or for something that never comes. Following these steps ends at a missing
// set, a missing core, or in a cycle; that is the root of the report, and the
// notes show everything that is blocked.
//
//===----------------------------------------------------------------------===//

#include "Group/CoreGroup.h"
#include "Group/MissingSets.h"
#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/CommSentences.h"
#include "ptoscope/Machine/QueueSentences.h"

#include <algorithm>

namespace ptoscope {

/// The wait-for graph of a group that is stuck.
struct GroupGraph {
  /// A pipe of a core; PIPE_S stands for its scalar unit.
  struct Node {
    size_t member;
    Pipe pipe;
    bool operator==(const Node &) const = default;
  };
  struct Cause {
    std::optional<Node> next; ///< who has to move first; none: it never comes
    std::string text;         ///< phrase after "waits for …: "
  };

  const CoreGroup &group;

  const Core &coreAt(size_t member) const { return group.core(member); }
  /// "AIV1", "AIV1 of block 3", or "block 3" for blocks of one core.
  std::string coreText(size_t member) const {
    const Core &core = coreAt(member);
    std::string block = blockText(core.setup);
    if (!core.setup.mixed)
      return block;
    std::string name(nameOf(core.id));
    return core.setup.resident && core.blockNum * core.setup.options->devices > 1 ? say::kOf(name, block) : name;
  }
  std::string nodeText(const Node &node) const {
    return say::kOf(node.pipe == Pipe::S ? say::kScalarUnit : nameOf(node.pipe), coreText(node.member));
  }
  /// What the node stands at; null for a scalar unit whose program has ended.
  const Operation *entryOf(const Node &node) const {
    const Core &core = coreAt(node.member);
    if (node.pipe == Pipe::S)
      return core.pipes.suBlockedOn;
    return core.pipes[node.pipe].head();
  }
  bool ended(size_t member) const { return group.ended(member) || coreAt(member).scalar.ended; }
  size_t memberOf(const Core *core) const {
    for (size_t i = 0; i < group.size(); ++i)
      if (&group.core(i) == core)
        return i;
    return group.size();
  }

  /// Blocked pipes of a core before its scalar unit, which mostly waits for them.
  std::vector<Node> blocked() const {
    std::vector<Node> nodes;
    for (size_t i = 0; i < group.size(); ++i) {
      if (group.ended(i))
        continue;
      for (Pipe pipe : kPullOrder)
        if (entryOf({i, pipe}))
          nodes.push_back({i, pipe});
      if (!ended(i))
        nodes.push_back({i, Pipe::S});
    }
    return nodes;
  }

  Cause firstPipe(size_t member) const {
    for (Pipe pipe : kPullOrder)
      if (entryOf({member, pipe}))
        return {Node{member, pipe}, say::kCannotGoOn(pipe)};
    return {std::nullopt, say::kNothingQueued()};
  }

  /// `sender` has not set the semaphore `number` times.
  Cause lackingSet(uint64_t number, const Semaphore &semaphore, const Cluster &cluster, uint8_t sender) const {
    if (!cluster.cores[sender])
      return {std::nullopt, say::kNoSuchCore(CoreId{sender})};
    Cause cause = lackingSet(number, semaphore.senders[sender], memberOf(cluster.cores[sender]),
                             std::string(nameOf(CoreId{sender})));
    // Of cores that have to set it together, one that did.
    for (uint8_t other = 0; other < kCoresPerBlock; ++other)
      if (const Semaphore::Sender &sets = semaphore.senders[other]; other != sender && sets.done >= number) {
        cause.text += say::kOtherHasSet(CoreId{other}, cluster.cores[other]->report.placeText(sets.last));
        break;
      }
    return cause;
  }
  Cause lackingSet(uint64_t number, const Semaphore::Sender &sets, size_t member, const std::string &name) const {
    const Core &core = coreAt(member);
    if (sets.queued.size() >= number - sets.done) {
      uint64_t ordinal = sets.queued[number - sets.done - 1];
      const PipeQueue &q = core.pipes[sets.pipe];
      std::string text =
          say::kQueuedOn(say::kItsSet, core.report.placeText(q.siteOf(ordinal)), say::kOf(sets.pipe, name));
      if (ordinal != q.started + 1)
        text += say::kBehindBlocked(core.report.opText(q.head()->site), core.report.placeText(q.head()->site));
      return {Node{member, sets.pipe}, std::move(text)};
    }
    std::string text = sets.issued == 0
                           ? (ended(member) ? say::kNeverSets : say::kHasNotSet)(name)
                           : (ended(member) ? say::kSetsTooRarely : say::kHasSetTooRarely)(number, name, sets.issued);
    if (ended(member))
      return {std::nullopt, std::move(text)};
    return {Node{member, Pipe::S}, text + say::kItsUnitStands(core.report.placeText(core.scalar.site))};
  }

  /// `sender` has not signalled what `wait` needs.
  Cause lackingSignal(const WaitQueue &wait, const Cluster &cluster, size_t sender) const {
    const CoreId own = wait.sync->core, name{uint8_t(sender)};
    const Queues &queues = *cluster.queues;
    const Queues::Line &sets = queues.line(own.index, wait.id, sender);
    const Queues::Opened *opened = queues.find(own, wait.id);
    const bool data = !opened || Queues::isData(opened->shape, wait.id);
    if (!cluster.cores[sender])
      return {std::nullopt, (data ? say::kNoPusher : say::kNoPopper)(name)};
    const size_t member = memberOf(cluster.cores[sender]);
    const Core &core = coreAt(member);
    const uint64_t missing = wait.needed[sender] - sets.setsDone;
    if (sets.queued.size() >= missing) {
      const uint64_t ordinal = sets.queued[missing - 1];
      const PipeQueue &q = core.pipes[sets.pipe];
      std::string text = say::kQueuedOn(data ? say::kItsPush : say::kItsFree, core.report.placeText(q.siteOf(ordinal)),
                                        say::kOf(sets.pipe, name));
      if (ordinal != q.started + 1)
        text += say::kBehindBlocked(core.report.opText(q.head()->site), core.report.placeText(q.head()->site));
      return {Node{member, sets.pipe}, std::move(text)};
    }
    const bool over = ended(member);
    const uint64_t done = sets.setsIssued, popped = data ? 0 : queues.line(sender, wait.id - 1, own.index).waitsDone;
    std::string text =
        data && done == 0 ? (over ? say::kNeverPushes : say::kHasNotPushed)(name)
        : data            ? (over ? say::kPushesTooRarely : say::kHasPushedTooRarely)(name, done)
        : done == 0       ? (over ? say::kNeverFrees : say::kHasNotFreed)(name, popped)
                    : (over ? say::kFreesTooRarely : say::kHasFreedTooRarely)(name, popped, done, wait.needed[sender]);
    if (over)
      return {std::nullopt, std::move(text)};
    return {Node{member, Pipe::S}, text + say::kItsUnitStands(core.report.placeText(core.scalar.site))};
  }

  Cause causeOf(const Node &node) const {
    const Core &core = coreAt(node.member);
    const Operation *entry = entryOf(node);
    if (!entry)
      return firstPipe(node.member);
    Wait wait = entry->wait();
    switch (wait.what) {
    case Wait::For::Flag:
    case Wait::For::Buffer:
    case Wait::For::Work:
    case Wait::For::Tile: {
      std::optional<Blocker> blocker = entry->blocker();
      bool issues = !blocker && node.pipe != Pipe::S && !ended(node.member);
      std::string text = core.stuck().causeText(*entry, !ended(node.member));
      if (blocker)
        return {Node{node.member, blocker->pipe}, std::move(text)};
      return {issues ? std::optional(Node{node.member, Pipe::S}) : std::nullopt, std::move(text)};
    }
    case Wait::For::Semaphore: {
      const Cluster &cluster = *core.setup.cluster;
      SemaphoreName name = core.sync.ownSemaphore(wait.id);
      const Semaphore &semaphore = cluster.at(name);
      if (semaphore.mode == SignalMode::Kind || (wait.id >= kKindSemaphores && !semaphore.used()))
        for (size_t i = 0; i < group.size(); ++i) {
          if (!group.isOf(i, core.sync.ownCores()))
            continue;
          const Core &other = coreAt(i);
          const Semaphore::Sender &sets = other.setup.cluster->at({other.id.index, wait.id}).senders[other.id.index];
          if (sets.done >= wait.number)
            continue;
          Cause cause = lackingSet(wait.number, sets, i, coreText(i));
          if (const SiteId own = semaphore.senders[core.id.index].last; own != kNoSite)
            cause.text += say::kOtherHasSet(coreText(node.member), core.report.placeText(own));
          if (cause.next == node)
            cause.next.reset();
          return cause;
        }
      uint8_t senders = sendersOf(cluster, name, core.sync.pipeSemaphores);
      for (uint8_t sender = 0; sender < kCoresPerBlock; ++sender)
        if ((senders >> sender & 1) && semaphore.senders[sender].done < wait.number) {
          Cause cause = lackingSet(wait.number, semaphore, cluster, sender);
          // A core that waits before it has set: no one else has to move.
          if (cause.next == node)
            cause.next.reset();
          return cause;
        }
      return {std::nullopt, say::kSetIsDone()};
    }
    case Wait::For::Signal:
      return {std::nullopt, say::kNoNotify()};
    case Wait::For::Queue: {
      const auto &queueWait = static_cast<const WaitQueue &>(*entry);
      const size_t sender = queueWait.lacking();
      if (sender == kCoresPerBlock)
        return {std::nullopt, say::kSetIsDone()};
      return lackingSignal(queueWait, *core.setup.cluster, sender);
    }
    case Wait::For::AllCores: {
      size_t absent = 0;
      while (absent < group.size() && !group.missing(absent, uint32_t(wait.id)))
        ++absent;
      if (absent == group.size())
        return {std::nullopt, say::kNoneMissing()};
      if (ended(absent))
        return {std::nullopt, say::kEndedBefore(coreText(absent))};
      return {Node{absent, Pipe::S}, say::kNotReached(coreText(absent))};
    }
    case Wait::For::Counter: {
      // Whoever does not wait at the same one has to come.
      for (size_t i = 0; i < group.size(); ++i)
        if (i != node.member && !ended(i)) {
          const Operation *other = entryOf({i, Pipe::S});
          if (!other || other->wait().what != Wait::For::Counter)
            return {Node{i, Pipe::S}, say::kNotReached(coreText(i))};
        }
      return {std::nullopt, say::kNoOneArrives()};
    }
    case Wait::For::Idle:
      break;
    }
    return firstPipe(node.member);
  }
};

void CoreGroup::deadlock() {
  GroupGraph graph{*this};
  std::vector<GroupGraph::Node> nodes = graph.blocked();
  // The first walk that ends at something that never comes; else the first cycle.
  std::optional<GroupGraph::Node> root;
  std::vector<GroupGraph::Node> path, cycle;
  for (const GroupGraph::Node &start : nodes) {
    std::vector<GroupGraph::Node> walk;
    std::optional<GroupGraph::Node> at = start;
    while (at && std::find(walk.begin(), walk.end(), *at) == walk.end()) {
      walk.push_back(*at);
      at = graph.causeOf(*at).next;
    }
    if (!at) {
      root = walk.back();
      path = std::move(walk);
      break;
    }
    if (cycle.empty())
      cycle.assign(std::find(walk.begin(), walk.end(), *at), walk.end());
  }
  if (!root && !cycle.empty()) {
    // The wait that a set before its loop would let go on, if there is one.
    auto inCycle = [&](const GroupGraph::Node &node) {
      return graph.entryOf(node) && std::find(cycle.begin(), cycle.end(), node) != cycle.end();
    };
    auto lacksFirstSet = [&](const GroupGraph::Node &node) {
      return inCycle(node) && graph.coreAt(node.member).stuck().unprimedLoop(*graph.entryOf(node)) != kNoSite;
    };
    auto found = std::ranges::find_if(nodes, lacksFirstSet);
    if (found == nodes.end())
      found = std::ranges::find_if(nodes, inCycle);
    if (found != nodes.end())
      root = *found;
    std::rotate(cycle.begin(), std::find(cycle.begin(), cycle.end(), *root), cycle.end());
    path = cycle;
  } else {
    cycle.clear();
  }
  if (!root || !graph.entryOf(*root)) {
    Core &first = *places.front().core;
    first.report.internalError(first.scalar.site, say::kBugStuck());
    return;
  }

  Core &core = *places[root->member].core;
  const Operation &entry = *graph.entryOf(*root);
  Wait wait = entry.wait();
  GroupGraph::Cause cause = graph.causeOf(*root);
  Finding f =
      core.report.finding(entry.site, say::kDeadlock(graph.nodeText(*root), core.stuck().waitText(entry), cause.text));
  f.help.clear();
  if (core.report.checks.any())
    f.iterations.assign(entry.iterations, entry.iterations + entry.depth);

  // Those that matter first, then some of the others.
  constexpr size_t kMaxNotes = 24;
  std::vector<GroupGraph::Node> listed = path;
  for (const GroupGraph::Node &node : nodes)
    if (std::find(listed.begin(), listed.end(), node) == listed.end())
      listed.push_back(node);
  for (size_t i = 0; i < listed.size() && i < kMaxNotes; ++i) {
    const GroupGraph::Node &node = listed[i];
    const Core &waiting = *places[node.member].core;
    const Operation *at = graph.entryOf(node);
    if (!at)
      continue;
    std::string text = say::kWaitsHere(graph.nodeText(node), waiting.stuck().waitText(*at), graph.causeOf(node).text);
    if (node.pipe != Pipe::S && waiting.pipes[node.pipe].waiting.size() > 1)
      text += Stuck::queuedBehind(waiting.pipes[node.pipe]);
    f.notes.push_back({waiting.report.place(at->site), std::move(text)});
  }
  if (listed.size() > kMaxNotes)
    f.notes.push_back({{}, say::kMoreWait(listed.size() - kMaxNotes)});
  if (!cycle.empty()) {
    std::string text;
    for (const GroupGraph::Node &node : cycle)
      text += graph.nodeText(node) + " -> ";
    f.notes.push_back({{}, say::kCycle(text + graph.nodeText(cycle.front()))});
  }

  if (core.stuck().proposeSet(f, entry))
    ;
  else if (!cycle.empty())
    f.help = say::kBreakCircle();
  else if (wait.what == Wait::For::Semaphore) {
    f.help = missingSetHelp(core, wait.id);
    explainUnset(f, core, wait.id);
  } else if (wait.what == Wait::For::Counter)
    f.help = say::kCountArrivals();
  else if (wait.what == Wait::For::Queue)
    f.help = static_cast<const WaitQueue &>(entry).waitsForData() ? say::kHelpPush : say::kHelpFree;
  else if (wait.what == Wait::For::Signal)
    f.help = say::kNotifyIt();
  else if (wait.what == Wait::For::AllCores)
    f.help = say::kReachBarrier();
  else if (wait.what == Wait::For::Flag)
    f.help = say::kIssueSetOn(core.stuck().setLine(entry), graph.coreText(root->member));
  core.report.fatal(std::move(f));
}

} // namespace ptoscope
