//===- GroupGraph.h - who waits for whom in a stuck group -------*- C++ -*-===//
//
// Every blocked pipe and scalar unit waits for one other to move first, or for
// something that never comes.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_GROUP_GROUPGRAPH_H
#define PTOSCOPE_LIB_MACHINE_GROUP_GROUPGRAPH_H

#include "Group/CoreGroup.h"
#include "Group/MissingSets.h"
#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/CommSentences.h"
#include "ptoscope/Machine/QueueSentences.h"

#include <optional>
#include <string>
#include <vector>

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
    /// How often it came before, if `next` is a scalar unit that has not come to what ends the wait.
    std::optional<uint64_t> issued{};
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

  /// A pipe that keeps its core from becoming idle, best one that waits for no other pipe of it.
  Cause firstPipe(size_t member) const {
    Cause cause{std::nullopt, say::kNothingQueued()};
    for (Pipe pipe : kPullOrder)
      if (const Operation *entry = entryOf({member, pipe}); entry && (!cause.next || !entry->blocker())) {
        cause = {Node{member, pipe}, say::kCannotGoOn(pipe)};
        if (!entry->blocker())
          break;
      }
    return cause;
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
    return {Node{member, Pipe::S}, text + say::kItsUnitStands(core.report.placeText(core.scalar.site)), sets.issued};
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
    return {Node{member, Pipe::S}, text + say::kItsUnitStands(core.report.placeText(core.scalar.site)), done};
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
      // A scalar unit that waits for every pipe waits for this one, and never comes to a set.
      const Operation *unit = issues ? entryOf({node.member, Pipe::S}) : nullptr;
      if (unit && unit->wait().what == Wait::For::Idle)
        issues = false;
      if (!issues)
        return {std::nullopt, std::move(text)};
      return {Node{node.member, Pipe::S}, std::move(text), 0};
    }
    case Wait::For::Semaphore: {
      const Cluster &cluster = *core.setup.cluster;
      SemaphoreName name = core.sync.ownSemaphore(wait.id);
      const Semaphore &semaphore = cluster.at(name);
      const SignalMode mode = modeOf(core, *entry, wait.id);
      if (mode == SignalMode::Kind)
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
      uint8_t senders = sendersOf(cluster, name, mode, core.sync.pipeSemaphores);
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

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_GROUP_GROUPGRAPH_H
