//===- InsertOrderTest.cpp ------------------------------------------------===//
//
// Random programs are executed as lists of events, and every pair of conflicting
// accesses is looked up in the closure of the edges that docs/isa/03-sync.md names.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Plan/InsertOrder.h"

#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <map>
#include <random>

using namespace ptoscope;

namespace {

struct Event {
  enum Kind { Work, Set, Wait, Barrier } kind;
  Pipe pipe; ///< whose queue it is in
  Pipe other = Pipe::S;
  int id = 0;
  const OrderNode *node = nullptr;
};
using Trace = std::vector<Event>;
using Insertions = std::vector<OrderInsertion>;

/// One way through the program.
class Execution {
public:
  Execution(const Insertions &insertions, unsigned seed) : random(seed) {
    for (const OrderInsertion &one : insertions)
      beside[{one.tag, one.after}].push_back(one);
  }
  void run(const OrderBlock &block) {
    for (const OrderNode &node : block) {
      add(node.tag, false);
      if (node.kind == OrderNode::Work)
        trace.push_back({Event::Work, node.pipe, Pipe::S, 0, &node});
      if (node.kind == OrderNode::Barrier)
        trace.push_back({Event::Barrier, node.pipe});
      if (node.kind == OrderNode::Loop)
        for (unsigned turns = random() % 4; turns > 0; --turns)
          run(node.blocks[0]);
      if (node.kind == OrderNode::Branch)
        if (const unsigned way = random() % (node.blocks.size() + 1); way < node.blocks.size())
          run(node.blocks[way]);
      if (node.kind == OrderNode::Call) {
        run(node.blocks[0]);
        trace.push_back({Event::Barrier, Pipe::All});
      }
      add(node.tag, true);
    }
  }
  Trace trace;

private:
  void add(uint32_t tag, bool after) {
    for (const OrderInsertion &one : beside[{tag, after}]) {
      if (one.kind == OrderInsertion::Set)
        trace.push_back({Event::Set, one.src, one.dst, one.id});
      else if (one.kind == OrderInsertion::Wait)
        trace.push_back({Event::Wait, one.dst, one.src, one.id});
      else
        trace.push_back({Event::Barrier, one.src});
    }
  }
  std::mt19937 random;
  std::map<std::pair<uint32_t, bool>, Insertions> beside;
};

bool runsInOrder(Pipe pipe, bool a5) {
  return pipe == Pipe::S || pipe == Pipe::M || pipe == Pipe::MTE1 || pipe == Pipe::FIX || (pipe == Pipe::V && a5);
}

/// HB1 to HB7 between two events of one queue.
bool queueOrders(const Event &a, const Event &b, bool a5) {
  if (a.kind == Event::Barrier && a.pipe == Pipe::All)
    return true;
  if (b.kind == Event::Barrier && b.pipe == Pipe::All)
    return true;
  if (a.pipe != b.pipe)
    return false;
  if (a.kind == Event::Wait || a.kind == Event::Barrier)
    return true;
  if (a.kind == Event::Set)
    return false;
  return b.kind == Event::Set || b.kind == Event::Barrier || (b.kind == Event::Work && runsInOrder(a.pipe, a5));
}

bool conflict(const OrderNode &a, const OrderNode &b) {
  for (const OrderAccess &x : a.accesses)
    for (const OrderAccess &y : b.accesses)
      if (x.storage == y.storage && (x.writes || y.writes) && x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

/// What is wrong with an execution, or nothing.
std::string problemOf(const Trace &trace, bool a5) {
  const size_t n = trace.size();
  std::map<std::tuple<Pipe, Pipe, int>, std::pair<std::vector<size_t>, std::vector<size_t>>> flags;
  for (size_t i = 0; i < n; ++i) {
    const Event &e = trace[i];
    if (e.kind == Event::Set)
      flags[{e.pipe, e.other, e.id}].first.push_back(i);
    if (e.kind == Event::Wait)
      flags[{e.other, e.pipe, e.id}].second.push_back(i);
  }
  std::vector<std::vector<size_t>> into(n);
  for (auto &[flag, uses] : flags) {
    auto &[sets, waits] = uses;
    if (sets.size() != waits.size())
      return "a flag is left or missing";
    for (size_t k = 0; k < sets.size(); ++k) {
      if (sets[k] > waits[k])
        return "a wait before its set";
      into[waits[k]].push_back(sets[k]);
    }
  }
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j)
      if (queueOrders(trace[j], trace[i], a5))
        into[i].push_back(j);
    for (size_t j : into[i]) {
      before[i][j] = true;
      for (size_t k = 0; k < j; ++k)
        if (before[j][k])
          before[i][k] = true;
    }
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < i; ++j)
      if (trace[i].node && trace[j].node && !before[i][j] && conflict(*trace[i].node, *trace[j].node))
        return "instruction " + std::to_string(trace[j].node->tag) + " races with " +
               std::to_string(trace[i].node->tag);
  for (auto &[flag, uses] : flags)
    for (size_t k = 1; k < uses.first.size(); ++k)
      if (!before[uses.first[k]][uses.second[k - 1]])
        return "a second set before the wait";
  return "";
}

class Generator {
public:
  explicit Generator(unsigned seed, const Profile &profile = *findProfile("a5")) : random(seed), profile(profile) {}
  OrderBlock block(unsigned size, unsigned depth) {
    OrderBlock nodes;
    while (size-- > 0) {
      OrderNode node;
      node.tag = next++;
      const unsigned what = depth > 0 ? random() % 7 : 5;
      if (what < 2) {
        node.kind = what == 0 ? OrderNode::Loop : OrderNode::Branch;
        for (unsigned i = what == 0 ? 1 : 1 + random() % 2; i > 0; --i)
          node.blocks.push_back(block(1 + random() % 5, depth - 1));
      } else if (what == 6) {
        node.kind = OrderNode::Call;
        node.blocks.push_back(block(1 + random() % 4, depth - 1));
        for (const OrderInsertion &one : insertOrder(node.blocks[0], profile, &node.ids, /*isCalled=*/true))
          called.push_back(one);
      } else if (random() % 24 == 0) {
        node.kind = OrderNode::Barrier;
        node.pipe = random() % 2 ? Pipe::All : Pipe::MTE2;
      } else {
        work(node);
      }
      nodes.push_back(std::move(node));
    }
    return nodes;
  }
  unsigned storages = 2, places = 6;
  Insertions called; ///< inside of calls

private:
  void work(OrderNode &node) {
    constexpr Pipe kSome[] = {Pipe::S, Pipe::V, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::V, Pipe::MTE2};
    node.pipe = kSome[random() % std::size(kSome)];
    for (unsigned i = 1 + random() % 3; i > 0; --i) {
      const uint64_t begin = random() % places * 32;
      node.accesses.push_back(
          {unsigned(random() % storages), begin, begin + 32 * (1 + random() % 2), random() % 2 == 0});
    }
  }
  std::mt19937 random;
  const Profile &profile;
  uint32_t next = 0;
};

Insertions without(const Insertions &all, size_t removed, const OrderInsertion *wait) {
  Insertions rest;
  for (size_t i = 0; i < all.size(); ++i)
    if (i != removed && &all[i] != wait)
      rest.push_back(all[i]);
  return rest;
}

Trace traceOf(const OrderBlock &program, const Insertions &insertions, unsigned seed = 0) {
  Execution execution(insertions, seed);
  execution.run(program);
  return execution.trace;
}

} // namespace

TEST(InsertOrder, RandomProgramsAreOrdered) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const bool a5 = seed % 3 != 0;
    const Profile &profile = *findProfile(a5 ? "a5" : "a3");
    Generator generator(seed, profile);
    generator.places = 2 + seed % 40;
    const OrderBlock program = generator.block(4 + seed % 9, seed % 4);
    Insertions insertions = insertOrder(program, profile);
    insertions.insert(insertions.end(), generator.called.begin(), generator.called.end());
    for (unsigned way = 0; way < 6; ++way) {
      const Trace trace = traceOf(program, insertions, way);
      if (trace.size() < 400)
        ASSERT_EQ(problemOf(trace, a5), "") << "seed " << seed << ", way " << way;
    }
  }
}

TEST(InsertOrder, NoPairIsRedundant) {
  size_t removed = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Generator generator(seed);
    generator.places = 2 + seed % 20;
    const OrderBlock program = generator.block(3 + seed % 24, 0);
    const Insertions all = insertOrder(program, *findProfile("a5"));
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind == OrderInsertion::Wait)
        continue;
      // The wait of a set is the next one of its flag.
      const OrderInsertion *wait = nullptr;
      if (all[i].kind == OrderInsertion::Set)
        for (const OrderInsertion &one : all)
          if (one.kind == OrderInsertion::Wait && one.src == all[i].src && one.dst == all[i].dst &&
              one.id == all[i].id && one.tag > all[i].tag && (!wait || one.tag < wait->tag))
            wait = &one;
      ++removed;
      ASSERT_NE(problemOf(traceOf(program, without(all, i, wait)), true), "") << "seed " << seed << ", " << i;
    }
  }
  EXPECT_GT(removed, 3000u);
}

static OrderNode work(uint32_t tag, Pipe pipe, std::vector<OrderAccess> accesses) {
  return {OrderNode::Work, pipe, tag, std::move(accesses), {}};
}

// Load, compute, store in a loop: two flags inside a turn and two between turns, with
// a set before the loop and a wait behind it each.
TEST(InsertOrder, LoopOfThree) {
  OrderNode loop{OrderNode::Loop, Pipe::S, 0, {}, {}};
  loop.blocks.push_back({work(1, Pipe::MTE2, {{1, 0, 64, false}, {0, 0, 64, true}}),
                         work(2, Pipe::V, {{0, 0, 64, false}, {0, 64, 128, true}}),
                         work(3, Pipe::MTE3, {{0, 64, 128, false}})});
  const Insertions all = insertOrder({loop}, *findProfile("a5"));
  EXPECT_EQ(all.size(), 12u);
  for (unsigned way = 0; way < 8; ++way)
    EXPECT_EQ(problemOf(traceOf({loop}, all, way), true), "");
}

// A call takes its ids from the high end and is ordered by flags. Where it uses an id
// that its caller still has in use, a barrier stands before it.
TEST(InsertOrder, CallsHaveIdsOfTheirOwn) {
  const Profile &profile = *findProfile("a5");
  OrderNode call{OrderNode::Call, Pipe::S, 1, {}, {}};
  call.blocks.push_back({work(2, Pipe::MTE2, {{0, 64, 128, true}}), work(3, Pipe::V, {{0, 0, 128, false}})});
  const Insertions inside = insertOrder(call.blocks[0], profile, &call.ids, /*isCalled=*/true);
  ASSERT_EQ(inside.size(), 2u);
  EXPECT_EQ(inside[0].id, kEventIds - 1);
  const OrderBlock program = {work(0, Pipe::MTE2, {{0, 0, 64, true}}), call, work(4, Pipe::MTE2, {{0, 0, 64, true}})};
  Insertions all = insertOrder(program, profile);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind, OrderInsertion::Wait);
  EXPECT_EQ(all[0].id, 0);
  OrderBlock clashing = program;
  for (auto &ids : clashing[1].ids)
    ids.fill(1);
  EXPECT_EQ(insertOrder(clashing, profile).size(), 3u);
  all.insert(all.end(), inside.begin(), inside.end());
  EXPECT_EQ(problemOf(traceOf(program, all), true), "");
}

// Ten loads are under way at a time: more than there are ids. A barrier helps out.
TEST(InsertOrder, IdsRunOut) {
  for (bool looped : {false, true}) {
    OrderBlock block;
    for (uint32_t i = 0; i < 10; ++i)
      block.push_back(work(i, Pipe::MTE2, {{0, i * 32, i * 32 + 32, true}}));
    for (uint32_t i = 0; i < 10; ++i)
      block.push_back(work(10 + i, i % 2 ? Pipe::V : Pipe::MTE3, {{0, i * 32, i * 32 + 32, false}}));
    for (uint32_t i = 0; i < 10; ++i)
      block.push_back(work(20 + i, Pipe::MTE2, {{0, (9 - i) * 32, (9 - i) * 32 + 32, true}}));
    for (uint32_t i = 0; i < 10; ++i)
      block.push_back(work(30 + i, Pipe::V, {{0, i * 32, i * 32 + 32, false}}));
    OrderBlock program = block;
    if (looped)
      program = {OrderNode{OrderNode::Loop, Pipe::S, 99, {}, {block}}};
    const Insertions all = insertOrder(program, *findProfile("a5"));
    for (unsigned way = 0; way < 4; ++way)
      EXPECT_EQ(problemOf(traceOf(program, all, way), true), "");
  }
}

// Ten thousand instructions take a second of the processor at most, and four times as many about four
// times as long.
TEST(InsertOrder, GrowsLinearly) {
  auto seconds = [](unsigned size, bool loops) {
    OrderBlock program;
    for (uint32_t i = 0; i < size; i += 4) {
      const uint64_t at = i % 512 * 64;
      OrderBlock four = {
          work(i, Pipe::MTE2, {{1, i * 64ull, i * 64ull + 64, false}, {0, at, at + 64, true}}),
          work(i + 1, Pipe::V, {{0, at, at + 64, false}, {0, at + 64, at + 128, true}}),
          work(i + 2, Pipe::V, {{0, at + 64, at + 128, false}, {0, at + 128, at + 192, true}}),
          work(i + 3, Pipe::MTE3, {{0, at + 128, at + 192, false}, {2, i * 64ull, i * 64ull + 64, true}})};
      if (loops)
        program.push_back({OrderNode::Loop, Pipe::S, size + i, {}, {std::move(four)}});
      else
        program.insert(program.end(), four.begin(), four.end());
    }
    const std::clock_t start = std::clock();
    EXPECT_FALSE(insertOrder(program, *findProfile("a5")).empty());
    return double(std::clock() - start) / CLOCKS_PER_SEC;
  };
  for (bool loops : {false, true}) {
    const double small = std::min(seconds(10000, loops), seconds(10000, loops));
    const double large = std::min(seconds(40000, loops), seconds(40000, loops));
    EXPECT_LT(small, 1.0);
    EXPECT_LT(large, 10 * small + 0.05);
    printf("%s: 10 000 in %.3f s, 40 000 in %.3f s\n", loops ? "loops" : "straight", small, large);
  }
}
