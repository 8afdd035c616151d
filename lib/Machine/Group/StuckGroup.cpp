//===- StuckGroup.cpp - explaining why no core of a group moves -----------===//
//
// Every pipe and scalar unit that is blocked waits for one other to move first,
// or for something that never comes. Following these steps ends at a missing
// set, a missing core, or in a cycle; that is the root of the report, and the
// notes show everything that is blocked.
//
//===----------------------------------------------------------------------===//

#include "Group/CoreGroup.h"

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
    std::string block = "block " + std::to_string(core.setup.block);
    if (!core.setup.mixed)
      return block;
    std::string name(nameOf(core.id));
    return core.setup.resident && core.blockNum > 1 ? name + " of " + block : name;
  }
  std::string nodeText(const Node &node) const {
    return (node.pipe == Pipe::S ? "the scalar unit" : std::string(nameOf(node.pipe))) + " of " +
           coreText(node.member);
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
        return {Node{member, pipe}, std::string(nameOf(pipe)) + " cannot go on"};
    return {std::nullopt, "nothing is queued"};
  }

  /// `sender` has not set the semaphore `number` times.
  Cause lackingSet(uint64_t number, const Semaphore &semaphore, const Cluster &cluster,
                   uint8_t sender) const {
    const Semaphore::Sender &sets = semaphore.senders[sender];
    std::string name(nameOf(CoreId{sender}));
    if (!cluster.cores[sender])
      return {std::nullopt, "there is no " + name + " in this launch that could set it"};
    size_t member = memberOf(cluster.cores[sender]);
    const Core &core = coreAt(member);
    if (sets.queued.size() >= number - sets.done) {
      uint64_t ordinal = sets.queued[number - sets.done - 1];
      const PipeQueue &q = core.pipes[sets.pipe];
      std::string text = "its set (" + core.report.placeText(q.siteOf(ordinal)) + ") is queued on " +
                         std::string(nameOf(sets.pipe)) + " of " + name;
      if (ordinal != q.started + 1)
        text += " behind " + core.report.opName(q.head()->site) + " at " +
                core.report.placeText(q.head()->site) + ", which cannot start";
      return {Node{member, sets.pipe}, std::move(text)};
    }
    std::string text;
    if (sets.issued == 0)
      text = name + (ended(member) ? " never sets it" : " has not set it");
    else
      text = "this is wait number " + std::to_string(number) + " of it, and " + name +
             (ended(member) ? " sets it only " : " has set it only ") + std::to_string(sets.issued) +
             (sets.issued == 1 ? " time" : " times");
    if (ended(member))
      return {std::nullopt, std::move(text)};
    return {Node{member, Pipe::S}, text + "; its scalar unit stands at " +
                                       core.report.placeText(core.scalar.site) + " and issues nothing more"};
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
    case Wait::For::Work: {
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
      uint8_t senders = sendersOf(name, core.sync.pipeSemaphores);
      for (uint8_t sender = 0; sender < kCoresPerBlock; ++sender)
        if ((senders >> sender & 1) && semaphore.senders[sender].done < wait.number)
          return lackingSet(wait.number, semaphore, cluster, sender);
      return {std::nullopt, "its set is done"};
    }
    case Wait::For::AllCores: {
      size_t absent = 0;
      while (absent < group.size() && !group.missing(absent, uint32_t(wait.id)))
        ++absent;
      if (absent == group.size())
        return {std::nullopt, "nobody is missing"};
      if (ended(absent))
        return {std::nullopt, coreText(absent) + " has ended without reaching it"};
      return {Node{absent, Pipe::S}, coreText(absent) + " has not reached it"};
    }
    case Wait::For::Idle:
      break;
    }
    return firstPipe(node.member);
  }
};

/// The line that is missing, for a wait that no set answers.
static std::string missingSetHelp(int64_t id, CoreId waiting, bool pipeSemaphores) {
  bool cubeWaits = waiting.index == 0;
  if (!pipeSemaphores)
    return std::string("let ") + (cubeWaits ? "both vector cores" : "the cube core") + " signal id " +
           std::to_string(id) + " with `pto.set_cross_core` behind the work that " +
           std::string(nameOf(waiting)) + " needs, or remove the wait";
  std::string sender = !cubeWaits ? "AIC" : id < kVectorSemaphores ? "AIV0" : "AIV1";
  int64_t sent = cubeWaits ? id % kVectorSemaphores : id + (waiting.index == 2 ? kVectorSemaphores : 0);
  return "issue `pto.sync.set <" + std::string(cubeWaits ? "PIPE_MTE3" : "PIPE_FIX") + ">, " +
         std::to_string(sent) + "` on " + sender + " behind the work that " + std::string(nameOf(waiting)) +
         " needs, or remove the wait";
}

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
    for (const GroupGraph::Node &node : nodes)
      if (!root && std::find(cycle.begin(), cycle.end(), node) != cycle.end() && graph.entryOf(node))
        root = node;
    std::rotate(cycle.begin(), std::find(cycle.begin(), cycle.end(), *root), cycle.end());
    path = cycle;
  } else {
    cycle.clear();
  }
  if (!root || !graph.entryOf(*root)) {
    Core &first = *places.front().core;
    first.report.internalError(first.scalar.site,
                               "work is left, no core moves, and no instruction is blocked");
    return;
  }

  Core &core = *places[root->member].core;
  const Operation &entry = *graph.entryOf(*root);
  Wait wait = entry.wait();
  GroupGraph::Cause cause = graph.causeOf(*root);
  Finding f = core.report.finding("deadlock", entry.site,
                                  graph.nodeText(*root) + " waits for ever for " +
                                      core.stuck().waitText(entry) + ": " + cause.text);
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
    std::string text = graph.nodeText(node) + " waits here for " + waiting.stuck().waitText(*at) + ": " +
                       graph.causeOf(node).text;
    if (node.pipe != Pipe::S) {
      uint64_t behind = waiting.pipes[node.pipe].waiting.size() - 1;
      if (behind > 0)
        text += "; " + std::to_string(behind) + (behind == 1 ? " instruction is" : " instructions are") +
                " queued behind it";
    }
    f.notes.push_back({waiting.report.place(at->site), std::move(text)});
  }
  if (listed.size() > kMaxNotes)
    f.notes.push_back({{}, std::to_string(listed.size() - kMaxNotes) + " more pipes and scalar units wait"});
  if (!cycle.empty()) {
    std::string text = "wait-for cycle: ";
    for (const GroupGraph::Node &node : cycle)
      text += graph.nodeText(node) + " -> ";
    f.notes.push_back({{}, text + graph.nodeText(cycle.front())});
  }

  if (core.stuck().proposeSet(f, entry))
    ;
  else if (!cycle.empty())
    f.help =
        "move a set before the wait that keeps it from being reached, so that the circle of waits is broken";
  else if (wait.what == Wait::For::Semaphore)
    f.help = missingSetHelp(wait.id, core.id, core.sync.pipeSemaphores);
  else if (wait.what == Wait::For::AllCores)
    f.help = "let every core reach the barrier, or pass the number of cores that do";
  else if (wait.what == Wait::For::Flag)
    f.help = "issue " + core.stuck().setLine(entry) + " on " + graph.coreText(root->member) +
             " before it stops, or remove the wait";
  core.report.fatal(std::move(f));
}

} // namespace ptoscope
