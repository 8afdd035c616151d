//===- BlockPlan.cpp - what a block of a program lacks in order -----------===//
//
// Each block is gone through with a clock for each pipe: what it knows to have
// ended on every other one, by position in the block. An access that conflicts with
// one its pipe does not know of gets a wait for the latest such one; what the other
// pipe knew comes with it, so no order is asked for twice. Loops and branches inside
// a block are one position of it. A loop is gone through twice: what its second turn
// lacks is carried by flags that are set once before the outermost loop around it,
// and waited for once behind that.
//
//===----------------------------------------------------------------------===//

#include "BlockPlan.h"

namespace ptoscope::plan {
namespace {

/// Who touched a byte last.
class LastAccesses {
public:
  /// Positions that an access has to come after.
  void conflicts(const OrderAccess &access, Row &sources) {
    Segments &segments = storages[access.storage];
    for (auto it = first(segments, access.begin); it != segments.end() && it->first < access.end; ++it) {
      sources.join(it->second.writes);
      if (access.writes)
        sources.join(it->second.reads);
    }
  }

  /// `sure`: it happens whenever its block does. Then what comes after a write comes
  /// after everything that the write came after.
  void record(const OrderAccess &access, size_t pipe, int position, bool sure) {
    if (access.begin >= access.end)
      return;
    Segments &segments = storages[access.storage];
    split(segments, access.begin);
    split(segments, access.end);
    auto it = segments.lower_bound(access.begin);
    if (access.writes && sure) {
      while (it != segments.end() && it->first < access.end)
        it = segments.erase(it);
      Segment &whole = segments[access.begin];
      whole.end = access.end;
      whole.writes[pipe] = position;
      return;
    }
    uint64_t at = access.begin;
    while (at < access.end) {
      if (it == segments.end() || it->first > at) {
        const uint64_t end = it == segments.end() ? access.end : std::min(it->first, access.end);
        it = segments.emplace_hint(it, at, Segment{end, {}, {}});
      }
      (access.writes ? it->second.writes : it->second.reads)[pipe] = position;
      at = it->second.end;
      ++it;
    }
  }

private:
  struct Segment {
    uint64_t end = 0;
    Row writes, reads;
  };
  using Segments = std::map<uint64_t, Segment>;

  static Segments::iterator first(Segments &segments, uint64_t begin) {
    auto it = segments.upper_bound(begin);
    if (it != segments.begin() && std::prev(it)->second.end > begin)
      --it;
    return it;
  }
  static void split(Segments &segments, uint64_t at) {
    auto it = segments.lower_bound(at);
    if (it == segments.begin())
      return;
    --it;
    if (it->second.end <= at)
      return;
    Segment upper = it->second;
    it->second.end = at;
    segments.emplace(at, upper);
  }

  std::map<uint32_t, Segments> storages;
};

class Simulation {
public:
  Simulation(BlockPlan &plan, const Profile &profile, bool isLoop, unsigned depth)
      : plan(plan), nodes(*plan.nodes), isLoop(isLoop), depth(depth), size(int(nodes.size())) {
    for (size_t p = 0; p < kCount; ++p)
      inOrder[p] = isInOrder(profile, kPipes[p]);
  }

  void run() {
    published.resize(size_t(size) * (isLoop ? 2 : 1));
    waitsAt.resize(size_t(size));
    barriersAt.resize(size_t(size));
    for (int at = 0; at < size; ++at)
      step(at, at);
    plan.end = clocks;
    if (!isLoop)
      return;
    later = true;
    for (int at = 0; at < size; ++at)
      step(size + at, at);
    for (auto *pairs : {&plan.pairs, &plan.carried})
      for (FlagPair &pair : *pairs)
        pair.knowsLater = publishedBy(pair.src, size + pair.set).passed[pair.dst];
    // Where a turn that sets may not know that its own wait was passed, a flag could be
    // set twice.
    std::erase_if(plan.carried, [&](const FlagPair &pair) {
      const bool doubles = pair.knowsLater < size + pair.wait;
      if (doubles)
        plan.barriers.push_back({pair.wait, kAll});
      return doubles;
    });
  }

private:
  void step(int position, int at) {
    const OrderNode &node = nodes[size_t(at)];
    if (node.kind == OrderNode::Barrier) {
      barrier(node.pipe, position);
      return;
    }
    if (later)
      repeat(position, at);
    if (node.kind == OrderNode::Work) {
      const size_t pipe = indexOf(node.pipe);
      Row sources;
      for (const OrderAccess &access : node.accesses)
        last.conflicts(access, sources);
      resolve(pipe, sources, {}, position, at);
      for (bool writes : {false, true})
        for (const OrderAccess &access : node.accesses)
          if (access.writes == writes)
            last.record(access, pipe, position, true);
      publish(pipe, position, at);
      return;
    }
    Compound &compound = plan.compounds[at];
    std::array<Row, kCount> sources;
    for (const PipeAccess &access : compound.accesses)
      last.conflicts(access.access, sources[access.pipe]);
    for (size_t p = 0; p < kCount; ++p)
      if (compound.active[p]) {
        // One turn of the loop inside and the next are ordered there.
        if (later && node.kind == OrderNode::Loop)
          for (int &source : sources[p])
            if (source == at)
              source = kNothing;
        resolve(p, sources[p], primed(node, compound, p, position), position, at);
      }
    for (bool writes : {false, true})
      for (const PipeAccess &access : compound.accesses)
        if (access.access.writes == writes)
          last.record(access.access, access.pipe, position, false);
    if (!later)
      compound.entry = clocks;
    if (node.kind == OrderNode::Call)
      barrier(Pipe::All, position);
    else
      leave(node, compound, position);
    for (size_t p = 0; p < kCount; ++p)
      if (compound.active[p])
        publish(p, position, at);
  }

  void barrier(Pipe pipe, int position) {
    for (size_t p = 0; p < kCount; ++p)
      for (size_t q = 0; q < kCount; ++q)
        if (pipe == Pipe::All)
          clocks[p].set(q, position);
        else if (p == q && kPipes[p] == pipe)
          clocks[p].ended[p] = position;
  }

  /// What a pipe tells everyone who waits for a set that stands here.
  static Clock tells(const Clocks &clocks, size_t pipe, int position) {
    Clock clock = clocks[pipe];
    clock.set(pipe, position);
    return clock;
  }
  void publish(size_t pipe, int position, int at) {
    published[size_t(position)].push_back({pipe, tells(clocks, pipe, position)});
    seen[pipe] = position;
    if (later)
      return;
    plan.lastActive[pipe] = at;
    if (plan.firstActive[pipe] == kNothing)
      plan.firstActive[pipe] = at;
  }
  const Clock &publishedBy(size_t pipe, int position) const {
    for (const auto &[who, clock] : published[size_t(position)])
      if (who == pipe)
        return clock;
    static const Clock kNone;
    return kNone;
  }

  /// The second turn has the waits and barriers of the first.
  void repeat(int position, int at) {
    for (size_t index : waitsAt[size_t(at)]) {
      const FlagPair &pair = plan.pairs[index];
      clocks[pair.dst].join(publishedBy(pair.src, size + pair.set));
    }
    for (size_t pipe : barriersAt[size_t(at)])
      clocks[pipe].ended[pipe] = position - 1;
  }

  /// What the first wait of a loop for a flag that was set before it tells.
  Row primed(const OrderNode &node, const Compound &compound, size_t pipe, int position) const {
    Row row;
    if (node.kind != OrderNode::Loop || depth > 0)
      return row;
    const BlockPlan &body = *compound.blocks[0];
    for (const FlagPair &pair : body.carried)
      if (pair.dst == pipe && pair.wait <= body.firstActive[pipe])
        row.join(tells(clocks, pair.src, position - 1).ended);
    return row;
  }

  /// Positions that a pipe knows of all that others did inside.
  void leave(const OrderNode &node, const Compound &compound, int position) {
    // Waits behind the loop come after all sets of it.
    const Clocks entry = clocks;
    Clocks before = clocks;
    auto knowsAll = [&](size_t p, size_t q) {
      if (before[p].ended[q] >= seen[q])
        clocks[p].ended[q] = position;
    };
    if (node.kind == OrderNode::Loop && depth == 0)
      for (const FlagPair &pair : compound.blocks[0]->carried) {
        const Clock told = tells(entry, pair.src, position - 1);
        before[pair.dst].join(told);
        clocks[pair.dst].join(told);
        if (pair.set == compound.blocks[0]->lastActive[pair.src])
          knowsAll(pair.dst, pair.src);
      }
    for (size_t p = 0; p < kCount; ++p)
      for (size_t q = 0; q < kCount; ++q)
        if (compound.active[q] && compound.gains[p][q])
          knowsAll(p, q);
  }

  void resolve(size_t pipe, Row sources, const Row &free, int position, int at) {
    while (true) {
      size_t latest = kCount;
      for (size_t q = 0; q < kCount; ++q) {
        const bool known = sources[q] <= clocks[pipe].ended[q] || sources[q] <= free[q] || (q == pipe && inOrder[q]);
        if (!known && (latest == kCount || sources[q] > sources[latest]))
          latest = q;
      }
      if (latest == kCount)
        return;
      if (latest == pipe) {
        plan.barriers.push_back({at, pipe});
        barriersAt[size_t(at)].push_back(pipe);
        clocks[pipe].ended[pipe] = position - 1;
        continue;
      }
      int source = sources[latest];
      FlagPair pair{latest, pipe, source, at};
      if (later && source < size && source >= at) {
        plan.carried.push_back(pair);
      } else {
        // A set of this turn tells of the turns before it, too.
        if (later)
          pair.set = source % size, source = size + pair.set;
        pair.knows = publishedBy(latest, pair.set).passed[pipe];
        waitsAt[size_t(at)].push_back(plan.pairs.size());
        plan.pairs.push_back(pair);
      }
      clocks[pipe].join(publishedBy(latest, source));
    }
  }

  BlockPlan &plan;
  const OrderBlock &nodes;
  bool isLoop;
  unsigned depth; ///< loops around the block
  int size;
  bool later = false; ///< in the second turn
  std::array<bool, kCount> inOrder{};
  Clocks clocks;
  Row seen; ///< where each pipe did something last
  LastAccesses last;
  std::vector<std::vector<std::pair<size_t, Clock>>> published; ///< by position
  std::vector<std::vector<size_t>> waitsAt;                     ///< pairs, by position in the block
  std::vector<std::vector<size_t>> barriersAt;                  ///< pipes
};

/// What a call touches.
void collect(const std::vector<OrderBlock> &blocks, Compound &call) {
  for (const OrderBlock &block : blocks)
    for (const OrderNode &node : block) {
      if (node.kind == OrderNode::Work)
        call.active[indexOf(node.pipe)] = true;
      for (const OrderAccess &access : node.accesses)
        call.accesses.push_back({indexOf(node.pipe), access});
      collect(node.blocks, call);
    }
  std::sort(call.accesses.begin(), call.accesses.end());
  call.accesses.erase(std::unique(call.accesses.begin(), call.accesses.end()), call.accesses.end());
}

} // namespace

std::unique_ptr<BlockPlan> planBlock(const OrderBlock &nodes, const Profile &profile, bool isLoop, unsigned depth) {
  auto plan = std::make_unique<BlockPlan>();
  plan->nodes = &nodes;
  for (size_t at = 0; at < nodes.size(); ++at) {
    const OrderNode &node = nodes[at];
    if (node.kind == OrderNode::Work)
      for (const OrderAccess &access : node.accesses)
        plan->accesses.push_back({indexOf(node.pipe), access});
    if (node.kind == OrderNode::Work || node.kind == OrderNode::Barrier)
      continue;
    Compound &compound = plan->compounds[int(at)];
    if (node.kind == OrderNode::Call) {
      collect(node.blocks, compound);
      plan->accesses.insert(plan->accesses.end(), compound.accesses.begin(), compound.accesses.end());
      continue;
    }
    for (auto &gains : compound.gains)
      gains.fill(true);
    for (const OrderBlock &block : node.blocks) {
      const bool loops = node.kind == OrderNode::Loop;
      compound.blocks.push_back(planBlock(block, profile, loops, depth + loops));
      const BlockPlan &inner = *compound.blocks.back();
      compound.accesses.insert(compound.accesses.end(), inner.accesses.begin(), inner.accesses.end());
      for (size_t p = 0; p < kCount; ++p) {
        compound.active[p] |= inner.lastActive[p] != kNothing;
        for (size_t q = 0; q < kCount; ++q)
          compound.gains[p][q] &= inner.end[p].ended[q] >= inner.lastActive[q];
      }
    }
    std::sort(compound.accesses.begin(), compound.accesses.end());
    compound.accesses.erase(std::unique(compound.accesses.begin(), compound.accesses.end()), compound.accesses.end());
    plan->accesses.insert(plan->accesses.end(), compound.accesses.begin(), compound.accesses.end());
  }
  Simulation(*plan, profile, isLoop, depth).run();
  return plan;
}

} // namespace ptoscope::plan
