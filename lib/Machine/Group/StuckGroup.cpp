//===- StuckGroup.cpp - explaining why no core of a group moves -----------===//
//
// Every pipe and scalar unit that is blocked waits for one other to move first,
// or for something that never comes. Following these steps ends at a missing
// set, a missing core, or in a cycle; that is the root of the report, and the
// notes show everything that is blocked.
//
//===----------------------------------------------------------------------===//

#include "Group/GroupGraph.h"
#include "Group/MissingSets.h"

#include <algorithm>
#include <tuple>

namespace ptoscope {

/// Where a hang starts, what leads to it, and the cycle if waits go in a circle.
struct GroupRoot {
  std::optional<GroupGraph::Node> node;
  std::vector<GroupGraph::Node> path, cycle;
};

/// What is at fault in a cycle, most likely first: a wait for a flag of the same core whose
/// set was not issued, which nothing that others do could end, or for a semaphore in place of one
/// that is set and that nothing waits for; a wait that a set before its
/// loop would let go on; a wait for what another core has not come to, rather for what never
/// came than for what came before, and for the first of several queues, through which data
/// mostly goes first. `isMissing` says that it is the first of these.
static std::optional<GroupGraph::Node> rootOfCycle(const GroupGraph &graph, const std::vector<GroupGraph::Node> &nodes,
                                                   const std::vector<GroupGraph::Node> &cycle, bool &isMissing) {
  std::optional<GroupGraph::Node> best;
  std::tuple<int, uint64_t, int64_t> least;
  for (const GroupGraph::Node &node : nodes) {
    const Operation *entry = graph.entryOf(node);
    if (!entry || std::find(cycle.begin(), cycle.end(), node) == cycle.end())
      continue;
    const Wait wait = entry->wait();
    const std::optional<uint64_t> issued = graph.causeOf(node).issued;
    const bool unprimed = graph.coreAt(node.member).stuck().unprimedLoop(*entry) != kNoSite;
    const bool misnamed = wait.what == Wait::For::Semaphore && meantByCube(graph.coreAt(node.member), wait.id) >= 0;
    const bool missing = issued && wait.what == Wait::For::Flag;
    const int kind = missing || misnamed ? 0 : unprimed ? 1 : issued ? 2 : 3;
    const std::tuple rank(kind, issued.value_or(0), wait.what == Wait::For::Queue ? wait.id : 0);
    if (!best || rank < least) {
      best = node;
      least = rank;
    }
  }
  isMissing = best && std::get<0>(least) == 0;
  return best;
}

/// The first walk that ends at something that never comes; else the first cycle.
static GroupRoot rootOf(const GroupGraph &graph, const std::vector<GroupGraph::Node> &nodes) {
  GroupRoot root;
  std::vector<GroupGraph::Node> cycle;
  for (const GroupGraph::Node &start : nodes) {
    std::vector<GroupGraph::Node> walk;
    std::optional<GroupGraph::Node> at = start;
    while (at && std::find(walk.begin(), walk.end(), *at) == walk.end()) {
      walk.push_back(*at);
      at = graph.causeOf(*at).next;
    }
    if (!at)
      return {walk.back(), std::move(walk), {}};
    if (cycle.empty())
      cycle.assign(std::find(walk.begin(), walk.end(), *at), walk.end());
  }
  bool isMissing = false;
  root.node = rootOfCycle(graph, nodes, cycle, isMissing);
  if (root.node)
    std::rotate(cycle.begin(), std::find(cycle.begin(), cycle.end(), *root.node), cycle.end());
  root.path = cycle;
  if (!isMissing)
    root.cycle = std::move(cycle);
  return root;
}

/// Which core could break the cycle, doing what before the line at which it stands. Whether
/// that comes too late or is missing cannot be told: the core never got there.
static std::string breakCycle(const GroupGraph &graph, const std::vector<GroupGraph::Node> &cycle) {
  std::string text;
  size_t ways = 0;
  for (const GroupGraph::Node &node : cycle) {
    const GroupGraph::Cause cause = graph.causeOf(node);
    const Operation *entry = graph.entryOf(node);
    if (!cause.issued || !entry)
      continue;
    const Core &waiting = graph.coreAt(node.member), &sender = graph.coreAt(cause.next->member);
    const Wait wait = entry->wait();
    std::string what;
    if (wait.what == Wait::For::Semaphore)
      what = say::kSetOf(waiting.stuck().waitText(*entry), waiting.id);
    else if (wait.what == Wait::For::Queue)
      what = (static_cast<const WaitQueue &>(*entry).waitsForData() ? say::kPushInto : say::kFreeOf)(
          waiting.setup.cluster->queues->text(waiting.id, wait.id));
    else
      return {};
    text += (ways++ == 0 ? say::kLetBefore : say::kOrLetBefore)(graph.coreText(cause.next->member), what,
                                                                sender.report.placeText(sender.scalar.site));
  }
  return ways == 0 ? text : text + say::kBreaksCycle;
}

void CoreGroup::deadlock() {
  GroupGraph graph{*this};
  std::vector<GroupGraph::Node> nodes = graph.blocked();
  auto [root, path, cycle] = rootOf(graph, nodes);
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
    core.report.addTurns(f, entry);

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
  else if (!cycle.empty()) {
    f.help = breakCycle(graph, cycle);
    if (f.help.empty())
      f.help = say::kBreakCircle();
  } else if (wait.what == Wait::For::Semaphore) {
    f.help = missingSetHelp(core, wait.id, modeOf(core, entry, wait.id));
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
