//===- InsertOrder.cpp - flags and barriers a program needs ---------------===//
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

#include "ptoscope/Plan/InsertOrder.h"
#include "ptoscope/Machine/Order.h"

#include <algorithm>
#include <array>
#include <climits>
#include <map>
#include <memory>
#include <tuple>

using namespace ptoscope;

namespace {

constexpr Pipe kPipes[] = {Pipe::S, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::FIX, Pipe::All};
constexpr size_t kCount = std::size(kPipes) - 1, kAll = kCount;
static_assert(kCount == kFlagPipes);
constexpr int kNothing = -1;

size_t indexOf(Pipe pipe) { return size_t(std::find(kPipes, std::end(kPipes), pipe) - kPipes); }

/// A position for each pipe, or kNothing.
struct Row : std::array<int, kCount> {
  Row() { fill(kNothing); }
  void join(const Row &other) {
    for (size_t i = 0; i < kCount; ++i)
      (*this)[i] = std::max((*this)[i], other[i]);
  }
};
/// What a pipe knows of each pipe.
struct Clock {
  Row ended;  ///< instructions that have ended, up to and with a position
  Row passed; ///< waits that were passed, also those of turns and branches without an instruction
  void join(const Clock &other) {
    ended.join(other.ended);
    passed.join(other.passed);
  }
  void set(size_t pipe, int position) { ended[pipe] = passed[pipe] = position; }
};
using Clocks = std::array<Clock, kCount>;

struct PipeAccess {
  size_t pipe;
  OrderAccess access;
  auto key() const { return std::tuple(access.storage, access.begin, access.end, pipe, access.writes); }
  bool operator<(const PipeAccess &other) const { return key() < other.key(); }
  bool operator==(const PipeAccess &other) const { return key() == other.key(); }
};

//===----------------------------------------------------------------------===//
// Who touched a byte last
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// What is found out about a block
//===----------------------------------------------------------------------===//

/// A set behind position `set` and a wait before position `wait`.
struct FlagPair {
  size_t src, dst;
  int set, wait;
  int knows = kNothing;      ///< how far `src` knows `dst` when it sets
  int knowsLater = kNothing; ///< the same in the next turn; positions of that begin at the size of the block
};

struct BlockPlan;
/// A loop, a branch or a call as one position of a block.
struct Compound {
  std::vector<std::unique_ptr<BlockPlan>> blocks;
  std::vector<PipeAccess> accesses;
  std::array<bool, kCount> active{};
  std::array<std::array<bool, kCount>, kCount> gains{}; ///< [p][q]: p knows all of q that it executed
  Clocks entry;
};

struct BlockPlan {
  const OrderBlock *nodes = nullptr;
  std::vector<FlagPair> pairs, carried;
  std::vector<std::pair<int, size_t>> barriers; ///< before a position, of a pipe
  std::map<int, Compound> compounds;
  std::vector<PipeAccess> accesses;
  Row firstActive, lastActive;
  Clocks end; ///< what pipes know where the block ends
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

//===----------------------------------------------------------------------===//
// Event ids
//===----------------------------------------------------------------------===//

class Emission {
public:
  explicit Emission(bool fromTop) : fromTop(fromTop) {}

  void block(BlockPlan &plan, const FlagIds &allowed, bool isLoop, bool inLoop, FlagIds &used) {
    constexpr int kTaken = INT_MAX;
    struct Id {
      int lastWait = kNothing;
      const FlagPair *first = nullptr;
    };
    std::array<std::array<std::array<Id, kEventIds>, kCount>, kCount> ids;
    for (size_t q = 0; q < kCount; ++q)
      for (size_t p = 0; p < kCount; ++p)
        for (size_t id = 0; id < size_t(kEventIds); ++id)
          if (!(allowed[q][p] >> id & 1))
            ids[q][p][id].lastWait = kTaken;
    std::sort(plan.pairs.begin(), plan.pairs.end(), [](const FlagPair &a, const FlagPair &b) {
      return std::tie(a.set, a.wait, a.src, a.dst) < std::tie(b.set, b.wait, b.src, b.dst);
    });
    auto compound = plan.compounds.begin();
    auto enter = [&](int upTo) {
      for (; compound != plan.compounds.end() && compound->first <= upTo; ++compound) {
        const auto &[at, inner] = *compound;
        const OrderNode &node = (*plan.nodes)[size_t(at)];
        FlagIds free{}, taken{};
        if (node.kind == OrderNode::Call) {
          // All pipes are empty behind it; before it the waits for its ids have to be passed.
          bool inUse = false;
          for (size_t q = 0; q < kCount; ++q)
            for (size_t p = 0; p < kCount; ++p) {
              used[q][p] |= node.ids[q][p];
              for (size_t id = 0; id < size_t(kEventIds); ++id)
                inUse |= (node.ids[q][p] >> id & 1) && ids[q][p][id].lastWait != kTaken &&
                         ids[q][p][id].lastWait > inner.entry[q].passed[p];
            }
          if (inUse)
            barrier(plan, at, Pipe::All);
          continue;
        }
        for (size_t q = 0; q < kCount; ++q)
          for (size_t p = 0; p < kCount; ++p)
            for (size_t id = 0; id < size_t(kEventIds); ++id)
              free[q][p] |= uint8_t((ids[q][p][id].lastWait <= (inLoop ? kNothing : inner.entry[q].passed[p])) << id);
        const bool loops = node.kind == OrderNode::Loop;
        FlagIds carried{};
        if (loops && !inLoop)
          carry(inner, node.tag, free, carried);
        for (const auto &block : inner.blocks)
          this->block(*block, free, loops, inLoop || loops, taken);
        for (size_t q = 0; q < kCount; ++q)
          for (size_t p = 0; p < kCount; ++p) {
            for (size_t id = 0; id < size_t(kEventIds); ++id) {
              if ((taken[q][p] | carried[q][p]) >> id & 1)
                ids[q][p][id].lastWait = inLoop ? kTaken : at;
            }
            used[q][p] |= taken[q][p] | carried[q][p];
          }
      }
    };
    for (const FlagPair &pair : plan.pairs) {
      enter(pair.set);
      auto &family = ids[pair.src][pair.dst];
      // The set comes after the last wait for the id, in this turn and the next. A pair
      // of instructions is ordered both ways anyway: they conflict.
      auto fits = [&](const Id &id) {
        if (!inLoop)
          return id.lastWait <= pair.knows;
        if (isLoop)
          return id.lastWait <= (id.first ? pair.knows : kNothing) &&
                 pair.wait <= (id.first ? id.first : &pair)->knowsLater;
        return id.lastWait == kNothing && isWork(plan, pair.set) && isWork(plan, pair.wait);
      };
      size_t number = 0;
      while (number < family.size() && !fits(family[numbered(number)]))
        ++number;
      if (number == family.size()) {
        barrier(plan, pair.wait, Pipe::All);
        continue;
      }
      Id &id = family[numbered(number)];
      if (!id.first)
        id.first = &pair;
      id.lastWait = pair.wait;
      used[pair.src][pair.dst] |= uint8_t(1u << numbered(number));
      flag(plan, pair, numbered(number));
    }
    enter(INT_MAX);
    for (auto [at, pipe] : plan.barriers)
      barrier(plan, at, kPipes[pipe]);
  }

  std::vector<OrderInsertion> take() {
    // Before a node: waits and barriers, then sets. Behind it: waits, then sets.
    all.insert(all.end(), sets.begin(), sets.end());
    return std::move(all);
  }

private:
  static bool isWork(const BlockPlan &plan, int at) { return (*plan.nodes)[size_t(at)].kind == OrderNode::Work; }
  static uint32_t tagAt(const BlockPlan &plan, int at) { return (*plan.nodes)[size_t(at)].tag; }

  void barrier(const BlockPlan &plan, int at, Pipe pipe) {
    const OrderInsertion added{OrderInsertion::Barrier, pipe, pipe, 0, tagAt(plan, at), false};
    if (all.empty() || all.back().kind != added.kind || all.back().tag != added.tag || all.back().src != pipe)
      all.push_back(added);
  }
  void flag(const BlockPlan &plan, const FlagPair &pair, uint8_t id) {
    sets.push_back(
        {OrderInsertion::Set, kPipes[pair.src], kPipes[pair.dst], id, tagAt(plan, pair.set), /*after=*/true});
    all.push_back(
        {OrderInsertion::Wait, kPipes[pair.src], kPipes[pair.dst], id, tagAt(plan, pair.wait), /*after=*/false});
  }

  /// Flags between turns of a loop and those inside it: each turn waits, then sets.
  void carry(const Compound &compound, uint32_t outermost, FlagIds &free, FlagIds &carried) {
    for (const auto &block : compound.blocks) {
      for (const FlagPair &pair : block->carried) {
        uint8_t &mask = free[pair.src][pair.dst];
        if (!mask) {
          barrier(*block, pair.wait, Pipe::All);
          all.push_back({OrderInsertion::Barrier, Pipe::All, Pipe::All, 0, outermost, /*after=*/true});
          continue;
        }
        size_t number = 0;
        while (!(mask >> numbered(number) & 1))
          ++number;
        const uint8_t id = numbered(number);
        mask &= uint8_t(~(1u << id));
        carried[pair.src][pair.dst] |= uint8_t(1u << id);
        flag(*block, pair, id);
        sets.push_back({OrderInsertion::Set, kPipes[pair.src], kPipes[pair.dst], id, outermost, /*after=*/false});
        all.push_back({OrderInsertion::Wait, kPipes[pair.src], kPipes[pair.dst], id, outermost, /*after=*/true});
      }
      for (const auto &[at, inner] : block->compounds)
        carry(inner, outermost, free, carried);
    }
  }

  /// Ids in the order in which they are tried.
  uint8_t numbered(size_t i) const { return uint8_t(fromTop ? size_t(kEventIds) - 1 - i : i); }

  bool fromTop;
  std::vector<OrderInsertion> all, sets;
};

/// A flag may be on its way around a call that stands in a loop or branch, so its ids are
/// the call's alone.
void reserve(const OrderBlock &block, bool nested, FlagIds &free) {
  for (const OrderNode &node : block) {
    if (node.kind == OrderNode::Call) {
      for (size_t q = 0; q < kCount && nested; ++q)
        for (size_t p = 0; p < kCount; ++p)
          free[q][p] &= uint8_t(~node.ids[q][p]);
      continue;
    }
    for (const OrderBlock &inner : node.blocks)
      reserve(inner, true, free);
  }
}

} // namespace

std::vector<OrderInsertion> ptoscope::insertOrder(const OrderBlock &program, const Profile &profile, FlagIds *used,
                                                  bool isCalled) {
  std::unique_ptr<BlockPlan> plan = planBlock(program, profile, /*isLoop=*/false, 0);
  FlagIds free, taken{};
  for (auto &masks : free)
    masks.fill(uint8_t((1u << kEventIds) - 1));
  reserve(program, false, free);
  Emission emission(isCalled);
  emission.block(*plan, free, /*isLoop=*/false, /*inLoop=*/false, taken);
  if (used)
    *used = taken;
  return emission.take();
}
