//===- InsertOrder.cpp - flags and barriers a program needs ---------------===//
//
// Event ids for the flags of a plan, and the lines that it comes to.
//
//===----------------------------------------------------------------------===//

#include "BlockPlan.h"

#include <climits>

using namespace ptoscope;
using namespace ptoscope::plan;

namespace {

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
