//===- OrderEdges.cpp - which instructions a run puts in order ------------===//
//
// The order is that of the race check: the clocks of HappensBefore, which do not
// depend on the schedule.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/OrderEdges.h"

#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/ForwardingObserver.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

namespace ptoscope {

std::string_view nameOf(OrderEdge::Means means) {
  constexpr std::string_view kNames[] = {"program order", "flag",      "barrier", "buffer",
                                         "unit flag",     "semaphore", "queue",   "all-core barrier"};
  return kNames[size_t(means)];
}

namespace {

using Means = OrderEdge::Means;

/// An instruction that does work, as its pipe started it.
struct Entry {
  uint64_t ordinal;
  SiteId site;
  std::array<uint32_t, kClockSlots> ended; ///< what it knew
  std::vector<int64_t> iterations;
};

/// An event that told a pipe something.
struct Learnt {
  Means means;
  int64_t id;
  std::optional<Slot> from; ///< the pipe that told it, if it is one
  SiteId waited, signaled;
};

struct EdgeLess {
  bool operator()(const OrderEdge &a, const OrderEdge &b) const {
    return std::tie(a.to.site, a.from.site, a.to, a.from, a.turns) <
           std::tie(b.to.site, b.from.site, b.to, b.from, b.turns);
  }
};
using EdgeSet = std::set<OrderEdge, EdgeLess>;

class Follower final : public ForwardingObserver {
public:
  Follower(const SiteTable &sites, const Profile &profile, std::unique_ptr<Observer> next, std::atomic<int64_t> &left)
      : ForwardingObserver(std::move(next)), sites(sites), left(left), order(profile) {}

  EdgeSet edges;
  std::set<OrderEdge::End> work;
  bool isComplete = true;

  void issue(const Instr &i) override {
    order.issued(i);
    ForwardingObserver::issue(i);
  }
  void start(const Instr &i) override {
    if (i.pipe != Pipe::All) {
      const Slot slot = order.begin(i);
      if (isWork(i.site)) {
        work.insert({i.core.index == 0, i.pipe, i.site});
        note(slot, i);
      }
    }
    ForwardingObserver::start(i);
  }
  void setFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    order.begin(i);
    order.setFlag(i, src, dst, id, ordinal);
    signals[{i.core.index, src, dst, id, ordinal}] = i.site;
    ForwardingObserver::setFlag(i, src, dst, id, ordinal);
  }
  void waitFlag(const Instr &i, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    const Slot slot = order.begin(i);
    order.waitFlag(i, src, dst, id, ordinal);
    const auto set = signals.find({i.core.index, src, dst, id, ordinal});
    learn(slot, {Means::Flag, id, slotOf(i.core, src), i.site, set == signals.end() ? kNoSite : set->second});
    if (set != signals.end())
      signals.erase(set);
    ForwardingObserver::waitFlag(i, src, dst, id, ordinal);
  }
  void barrier(const Instr &i, Pipe pipe) override {
    if (i.pipe != Pipe::All)
      order.begin(i);
    order.barrier(i, pipe);
    const Learnt learnt{Means::Barrier, -1, std::nullopt, i.site, kNoSite};
    if (pipe == Pipe::All)
      learnAll(i.core, learnt);
    else
      learn(slotOf(i.core, pipe), learnt);
    ForwardingObserver::barrier(i, pipe);
  }
  void memoryBarrier(const Instr &i, uint32_t pipes) override {
    order.begin(i);
    order.memoryBarrier(i, pipes);
    learnAll(i.core, {Means::Barrier, -1, std::nullopt, i.site, kNoSite});
    ForwardingObserver::memoryBarrier(i, pipes);
  }
  void getBuf(const Instr &i, int64_t id, int64_t mode, uint64_t releasesBefore) override {
    const Slot slot = order.begin(i);
    order.getBuf(i, id, mode, releasesBefore);
    const auto release = releases.find({i.core.index, id});
    learn(slot, {Means::Buffer, id, std::nullopt, i.site, release == releases.end() ? kNoSite : release->second});
    ForwardingObserver::getBuf(i, id, mode, releasesBefore);
  }
  void rlsBuf(const Instr &i, int64_t id, int64_t mode, uint64_t ordinal) override {
    order.begin(i);
    order.rlsBuf(i, id, mode, ordinal);
    releases[{i.core.index, id}] = i.site;
    ForwardingObserver::rlsBuf(i, id, mode, ordinal);
  }
  void unitCheck(const Instr &i, Pipe from, uint64_t ordinal) override {
    const Slot slot = order.begin(i);
    order.unitCheck(i, from, ordinal);
    learn(slot, {Means::UnitFlag, -1, slotOf(i.core, from), i.site, kNoSite});
    note(slot, i); // it has started, and knows this before it touches anything
    ForwardingObserver::unitCheck(i, from, ordinal);
  }
  void unitPass(const Instr &i) override {
    order.begin(i);
    order.unitPass(i);
    ForwardingObserver::unitPass(i);
  }
  void syncSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) override {
    order.begin(i);
    order.syncSet(i, target, id, ordinal, senders);
    ForwardingObserver::syncSet(i, target, id, ordinal, senders);
  }
  void syncWait(const Instr &i, int64_t id, uint64_t ordinal) override {
    const Slot slot = order.begin(i);
    order.syncWait(i, id, ordinal);
    between(slot, i, {Means::Semaphore, id, std::nullopt, i.site, kNoSite});
    ForwardingObserver::syncWait(i, id, ordinal);
  }
  void queueSet(const Instr &i, CoreId target, int64_t id, uint64_t ordinal) override {
    order.begin(i);
    order.queueSet(i, target, id, ordinal);
    ForwardingObserver::queueSet(i, target, id, ordinal);
  }
  void queueWait(const Instr &i, CoreId sender, int64_t id, uint64_t ordinal) override {
    const Slot slot = order.begin(i);
    order.queueWait(i, sender, id, ordinal);
    between(slot, i, {Means::Queue, id, std::nullopt, i.site, kNoSite});
    ForwardingObserver::queueWait(i, sender, id, ordinal);
  }
  void launchSet(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    order.begin(i);
    order.launchSet(i, channel, ordinal);
    ForwardingObserver::launchSet(i, channel, ordinal);
  }
  void launchWait(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    const Slot slot = order.begin(i);
    order.launchWait(i, channel, ordinal);
    between(slot, i, {Means::Semaphore, -1, std::nullopt, i.site, kNoSite});
    ForwardingObserver::launchWait(i, channel, ordinal);
  }
  void syncAllArrive(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    order.begin(i);
    order.syncAllArrive(i, channel, ordinal);
    ForwardingObserver::syncAllArrive(i, channel, ordinal);
  }
  void syncAllLeave(const Instr &i, uint32_t channel, uint64_t ordinal) override {
    order.begin(i);
    order.syncAllLeave(i, channel, ordinal);
    learnAll(i.core, {Means::CoresBarrier, -1, std::nullopt, i.site, kNoSite});
    ForwardingObserver::syncAllLeave(i, channel, ordinal);
  }

private:
  bool isWork(SiteId site) const { return site < sites.size() && sites[site].timing != Timing::sync; }
  void learn(Slot slot, const Learnt &learnt) {
    // Waits that follow each other without work between them: the last ones are enough.
    constexpr size_t kMost = 32;
    if (told[slot].size() == kMost)
      told[slot].erase(told[slot].begin());
    told[slot].push_back(learnt);
  }
  void learnAll(CoreId core, const Learnt &learnt) {
    for (size_t pipe = 0; pipe < kPassed; ++pipe)
      learn(Slot(core.index * kClockPipes + pipe), learnt);
  }
  /// A wait of the scalar unit comes before everything that it issues later.
  void between(Slot slot, const Instr &i, const Learnt &learnt) {
    i.pipe == Pipe::S ? learnAll(i.core, learnt) : learn(slot, learnt);
  }

  /// The last one of `slot` that is not later than `ordinal`; null: none.
  const Entry *lastUpTo(Slot slot, uint64_t ordinal) const {
    const std::vector<Entry> &list = history[slot];
    auto after = std::ranges::upper_bound(list, ordinal, {}, &Entry::ordinal);
    return after == list.begin() ? nullptr : &*std::prev(after);
  }

  void note(Slot slot, const Instr &i) {
    if (!isComplete)
      return;
    const VectorClock &clock = order.clock(slot);
    std::vector<std::pair<Slot, const Entry *>> raised;
    for (Slot other = 0; other < kClockSlots; ++other) {
      if (other % kClockPipes == kPassed || (other == slot && order.inOrder(slot)) || !clock.ended[other])
        continue;
      const Entry *last = lastUpTo(other, clock.ended[other]);
      if (last && last->ordinal > known[slot][other] && !(other == slot && last->ordinal == i.ordinal)) {
        known[slot][other] = last->ordinal;
        raised.emplace_back(other, last);
      }
    }
    for (const auto &[other, last] : raised) {
      const bool isImplied = std::ranges::any_of(raised, [&](const auto &middle) {
        return middle.first != other && middle.second->ended[other] >= last->ordinal;
      });
      if (!isImplied)
        add(slot, i, other, *last);
    }
    told[slot].clear();
    if (history[slot].empty() || history[slot].back().ordinal != i.ordinal) {
      if (left.fetch_sub(1) <= 0) {
        isComplete = false;
        return;
      }
      history[slot].push_back({i.ordinal, i.site, {}, {}});
      if (i.iterations)
        history[slot].back().iterations.assign(i.iterations,
                                               i.iterations + std::min<uint32_t>(i.depth, PTO_MAX_LOOP_DEPTH));
    }
    for (size_t other = 0; other < kClockSlots; ++other)
      history[slot].back().ended[other] = uint32_t(clock.ended[other]);
  }

  void add(Slot slot, const Instr &i, Slot other, const Entry &last) {
    OrderEdge edge;
    edge.from = {coreOf(other).index == 0, pipeOf(other), last.site};
    edge.to = {i.core.index == 0, i.pipe, i.site};
    const std::vector<SiteId> &here = loopsOf(i.site), &there = loopsOf(last.site);
    for (size_t at = 0; at < std::min(here.size(), there.size()) && here[at] == there[at]; ++at) {
      if (at >= i.depth || at >= last.iterations.size() || !i.iterations)
        break;
      edge.turns.push_back(std::min(i.iterations[at] - last.iterations[at], OrderEdge::kMaxTurns));
    }
    const std::vector<Learnt> &reasons = told[slot];
    auto found = std::ranges::find_if(reasons, [&](const Learnt &learnt) { return learnt.from == other; });
    if (found == reasons.end() && !reasons.empty())
      found = std::prev(reasons.end());
    // What means program order waits with the place of the work itself.
    if (found != reasons.end() && (found->means != Means::Flag || !isWork(found->waited))) {
      edge.means = found->means;
      edge.id = found->id;
      edge.waited = found->waited;
      edge.signaled = found->signaled;
    }
    edges.insert(std::move(edge));
  }

  /// Loops around a site, outermost first.
  const std::vector<SiteId> &loopsOf(SiteId site) {
    auto [it, isNew] = loops.try_emplace(site);
    if (isNew && site < sites.size()) {
      for (SiteId loop = sites[site].loop; loop < sites.size(); loop = sites[loop].loop)
        it->second.push_back(loop);
      std::ranges::reverse(it->second);
    }
    return it->second;
  }

  const SiteTable &sites;
  std::atomic<int64_t> &left;
  HappensBefore order;
  std::array<std::vector<Entry>, kClockSlots> history;
  std::array<std::array<uint64_t, kClockSlots>, kClockSlots> known{};           ///< frontiers, by slot
  std::array<std::vector<Learnt>, kClockSlots> told;                            ///< since the last work of a slot
  std::map<std::tuple<uint8_t, Pipe, Pipe, int64_t, uint64_t>, SiteId> signals; ///< sets that no one waited for
  std::map<std::pair<uint8_t, int64_t>, SiteId> releases;                       ///< the last of each buffer
  std::map<SiteId, std::vector<SiteId>> loops;
};

class Edges final : public OrderEdges {
public:
  Edges(const SiteTable &sites, const Profile &profile, ObserverFactory *next, size_t maxInstructions)
      : sites(sites), profile(profile), next(next), left(int64_t(maxInstructions)) {}

  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override {
    return std::make_unique<Follower>(sites, profile,
                                      next ? next->beginBlock(block, findings) : std::make_unique<Observer>(), left);
  }
  void endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) override {
    auto &follower = static_cast<Follower &>(*observer); // beginBlock makes nothing else
    complete = complete && follower.isComplete;
    all.merge(follower.edges);
    ends.merge(follower.work);
    if (next)
      next->endBlock(block, follower.takeNext(), findings);
  }
  std::vector<OrderEdge> edges() const override { return {all.begin(), all.end()}; }
  std::vector<OrderEdge::End> work() const override { return {ends.begin(), ends.end()}; }
  bool isComplete() const override { return complete; }

private:
  const SiteTable &sites;
  const Profile &profile;
  ObserverFactory *next;
  std::atomic<int64_t> left;
  bool complete = true;
  EdgeSet all;
  std::set<OrderEdge::End> ends;
};

} // namespace

std::unique_ptr<OrderEdges> makeOrderEdges(const SiteTable &sites, const Profile &profile, ObserverFactory *next,
                                           size_t maxInstructions) {
  return std::make_unique<Edges>(sites, profile, next, maxInstructions);
}

} // namespace ptoscope
