//===- RandomRaceTest.cpp - the race checker against a plain model --------===//
//
// Random small programs on three pipes, run in a random legal order. The model
// is independent of clocks and shadows: a graph over starts and ends of all
// instructions from HB1 to HB10, closed transitively, and sets of bytes.
// Every reported pair must be a race of the model, and something must be
// reported exactly when the model has a race.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

#include <bitset>
#include <random>
#include <set>

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

constexpr Pipe kPipes[] = {Pipe::MTE2, Pipe::V, Pipe::MTE3};
constexpr uint64_t kUbBytes = 160, kGmBytes = 200;

enum class Op { Transfer, Set, Wait, Barrier, BarrierAll, Get, Rls, ScalarLoad, ScalarStore };

struct Instruction {
  Op op;
  Pipe pipe; ///< that executes it
  Pipe other = Pipe::S;
  int64_t id = 0, mode = 0;
  uint64_t number = 0; ///< of the set, wait or release; releases before a get
  uint64_t ordinal = 0;
  TransferEvent event{};
  SiteId site = kNoSite;
  bool done = false;
};

struct Program {
  std::vector<Instruction> list;
  /// For mode-1 releases: pipes that had got the id by then.
  std::map<size_t, std::set<Pipe>> covered;
};

class Generator {
public:
  Generator(World &world, uint64_t seed, bool legacy) : world(world), random(seed), legacy(legacy) {}

  Program make() {
    size_t length = 4 + upTo(14);
    for (size_t i = 0; i < length; ++i)
      addOne();
    return std::move(program);
  }

  uint64_t upTo(uint64_t n) { return std::uniform_int_distribution<uint64_t>(0, n - 1)(random); }

private:
  Box randomBox(uint64_t base, uint64_t size) {
    uint64_t row = 1 + upTo(upTo(2) ? 70 : 12);
    if (upTo(3) == 0)
      row = 32 * (1 + upTo(3));
    uint64_t start = upTo(3) == 0 ? 32 * upTo(4) : upTo(size - row);
    if (start + row > size)
      start = 0;
    if (upTo(3) == 0 && start + row + 40 < size) {
      int64_t stride = int64_t(row + 1 + upTo(8));
      uint64_t count = 2;
      if (start + uint64_t(stride) + row <= size)
        return box(base + start, row, {{count, stride}});
    }
    return box(base + start, row);
  }

  void push(Instruction i) {
    i.ordinal = ++ordinals[i.pipe];
    i.site = world.site(uint32_t(program.list.size() + 1), "op");
    program.list.push_back(std::move(i));
  }

  void addTransfer() {
    Instruction i{Op::Transfer, kPipes[upTo(3)]};
    TransferEvent &e = i.event;
    uint64_t gm = world.x().base;
    e.srcSpace = i.pipe == Pipe::MTE2 ? Space::Gm : Space::Ub;
    e.dstSpace = i.pipe == Pipe::MTE3 ? Space::Gm : Space::Ub;
    e.src = randomBox(e.srcSpace == Space::Gm ? gm : 0, e.srcSpace == Space::Gm ? kGmBytes : kUbBytes);
    e.dst = e.copied = randomBox(e.dstSpace == Space::Gm ? gm : 0, e.dstSpace == Space::Gm ? kGmBytes : kUbBytes);
    e.srcObject = e.srcSpace == Space::Gm ? &world.x() : nullptr;
    e.dstObject = e.dstSpace == Space::Gm ? &world.x() : nullptr;
    // adds and maxima of s32
    if (e.dstSpace == Space::Gm && upTo(4) == 0)
      e.write = atomicUpdate(4, unsigned(upTo(1)));
    push(i);
  }

  void addOne() {
    switch (upTo(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return addTransfer();
    case 4:
    case 5: {
      // A flag, its set and wait in either order in the program.
      Pipe src = kPipes[upTo(3)], dst = kPipes[upTo(3)];
      if (src == dst)
        return addTransfer();
      int64_t id = int64_t(upTo(2));
      uint64_t number = ++flags[{src, dst, id}];
      Instruction set{Op::Set, src, dst, id, 0, number}, wait{Op::Wait, dst, src, id, 0, number};
      bool waitFirst = upTo(4) == 0;
      push(waitFirst ? wait : set);
      for (uint64_t n = upTo(3); n > 0; --n)
        addTransfer();
      push(waitFirst ? set : wait);
      return;
    }
    case 6:
      if (upTo(3) == 0) {
        Instruction all{Op::BarrierAll, Pipe::S};
        return push(all);
      }
      return push(Instruction{Op::Barrier, kPipes[upTo(3)]});
    case 7: {
      Pipe pipe = kPipes[upTo(3)];
      int64_t id = int64_t(upTo(2));
      int64_t mode = legacy && upTo(2) ? 1 : 0;
      Instruction rls{Op::Rls, pipe, Pipe::S, id, mode, ++releases[id]};
      if (mode == 1)
        program.covered[program.list.size()] = got[id];
      return push(rls);
    }
    case 8: {
      Pipe pipe = kPipes[upTo(3)];
      int64_t id = int64_t(upTo(2));
      int64_t mode = legacy && upTo(3) == 0 ? 1 : 0;
      got[id].insert(pipe);
      return push(Instruction{Op::Get, pipe, Pipe::S, id, mode, releases[id]});
    }
    default: {
      Instruction i{upTo(2) ? Op::ScalarLoad : Op::ScalarStore, Pipe::S};
      i.event.src = box(upTo(kUbBytes - 8), 1 + upTo(8));
      return push(i);
    }
    }
  }

  World &world;
  std::mt19937_64 random;
  bool legacy;
  Program program;
  std::map<Pipe, uint64_t> ordinals;
  std::map<std::tuple<Pipe, Pipe, int64_t>, uint64_t> flags;
  std::map<int64_t, uint64_t> releases;
  std::map<int64_t, std::set<Pipe>> got;
};

// --- the model ------------------------------------------------------------------

bool isAccess(Op op) { return op == Op::Transfer || op == Op::ScalarLoad || op == Op::ScalarStore; }

struct Touch {
  Space space;
  AccessKind kind;
  std::bitset<256> bytes; ///< of UB, or of the one GM object
};

std::vector<Touch> touches(const Instruction &i) {
  auto bytesOf = [](const Box &b) {
    std::bitset<256> set;
    b.forEachRow([&](uint64_t start, uint64_t n) {
      for (uint64_t k = 0; k < n; ++k)
        set.set((start + k) % GmTable::kSpacing);
    });
    return set;
  };
  if (i.op == Op::Transfer)
    return {{i.event.srcSpace, AccessKind::Read, bytesOf(i.event.src)},
            {i.event.dstSpace, i.event.write, bytesOf(i.event.dst)}};
  if (isAccess(i.op))
    return {{Space::Ub, i.op == Op::ScalarStore ? AccessKind::Write : AccessKind::Read, bytesOf(i.event.src)}};
  return {};
}

constexpr size_t kMaxNodes = 256;
using Row = std::bitset<kMaxNodes>;

/// Node 2i is the start of instruction i, node 2i+1 its end; a synchronising
/// instruction is one point (both its nodes are kept equal).
std::vector<Row> happensBefore(const Program &program, const Profile &profile) {
  const auto &list = program.list;
  size_t n = list.size();
  std::vector<Row> reach(2 * n);
  auto start = [](size_t i) { return 2 * i; };
  auto end = [](size_t i) { return 2 * i + 1; };
  auto edge = [&](size_t a, size_t b) { reach[a].set(b); };
  auto inOrder = [&](Pipe pipe) { return pipe == Pipe::S || (pipe == Pipe::V && profile.inOrderVectorPipe); };
  for (size_t i = 0; i < n; ++i) {
    edge(start(i), end(i));
    if (!isAccess(list[i].op))
      edge(end(i), start(i));
  }
  for (size_t a = 0; a < n; ++a)
    for (size_t b = a + 1; b < n; ++b) {
      bool pointA = !isAccess(list[a].op), pointB = !isAccess(list[b].op);
      bool allA = list[a].op == Op::BarrierAll, allB = list[b].op == Op::BarrierAll;
      if (allA || allB)
        edge(end(a), start(b));
      if (list[a].pipe != list[b].pipe)
        continue;
      if (!pointA && !pointB && inOrder(list[a].pipe))
        edge(end(a), start(b));
      if (pointA)
        edge(end(a), start(b)); // what follows a point of the queue starts after it
      if (!pointA && pointB) {
        bool waitsForEnds = list[b].op == Op::Set || list[b].op == Op::Rls || list[b].op == Op::Barrier;
        if (waitsForEnds || inOrder(list[a].pipe))
          edge(end(a), start(b));
      }
    }
  // A set or a release is no barrier of its own pipe: it is reached by the ends
  // of earlier instructions, but what follows it is not. Other points before it
  // reach what follows by their own edges.
  for (size_t a = 0; a < n; ++a)
    if (list[a].op == Op::Set || list[a].op == Op::Rls)
      for (size_t b = a + 1; b < n; ++b)
        if (list[b].pipe == list[a].pipe && list[b].op != Op::BarrierAll)
          reach[end(a)].reset(start(b));
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      const Instruction &x = list[a], &y = list[b];
      if (x.op == Op::Set && y.op == Op::Wait && x.pipe == y.other && x.other == y.pipe && x.id == y.id &&
          x.number == y.number)
        edge(end(a), start(b));
      if (x.op == Op::Rls && y.op == Op::Get && y.mode == 0 && x.id == y.id && x.number <= y.number)
        edge(end(a), start(b));
      // Legacy release: all work issued before it on the pipes that got the id.
      bool work = x.op != Op::Set && x.op != Op::Rls;
      if (work && y.op == Op::Rls && y.mode == 1 && a < b && program.covered.at(b).count(x.pipe))
        edge(end(a), start(b));
    }
  for (size_t k = 0; k < 2 * n; ++k)
    for (size_t i = 0; i < 2 * n; ++i)
      if (reach[i].test(k))
        reach[i] |= reach[k];
  return reach;
}

std::set<std::pair<size_t, size_t>> racesOf(const Program &program, const Profile &profile) {
  std::vector<Row> reach = happensBefore(program, profile);
  std::set<std::pair<size_t, size_t>> races;
  std::vector<std::vector<Touch>> all;
  for (const Instruction &i : program.list)
    all.push_back(touches(i));
  for (size_t a = 0; a < program.list.size(); ++a)
    for (size_t b = a + 1; b < program.list.size(); ++b) {
      if (reach[2 * a + 1].test(2 * b) || reach[2 * b + 1].test(2 * a))
        continue;
      for (const Touch &x : all[a])
        for (const Touch &y : all[b])
          if (x.space == y.space && (x.kind != AccessKind::Read || y.kind != AccessKind::Read) &&
              !(isAtomic(x.kind) && x.kind == y.kind) && (x.bytes & y.bytes).any())
            races.insert({a, b});
    }
  return races;
}

// --- a random legal run -----------------------------------------------------------

void emit(Observer &events, const Instruction &i) {
  int64_t none = 0;
  Instr instr{CoreId{1}, i.pipe, i.ordinal, i.site, &none, 0};
  events.start(instr);
  LocalAccess scalar{i.site,  Space::Ub,  nullptr, i.event.src.base, uint32_t(i.event.src.rowBytes),
                     nullptr, ScalarLoad, false};
  switch (i.op) {
  case Op::Transfer:
    return events.transfer(instr, i.event);
  case Op::Set:
    return events.setFlag(instr, i.pipe, i.other, i.id, i.number);
  case Op::Wait:
    return events.waitFlag(instr, i.other, i.pipe, i.id, i.number);
  case Op::Barrier:
    return events.barrier(instr, i.pipe);
  case Op::BarrierAll:
    return events.barrier(instr, Pipe::All);
  case Op::Get:
    return events.getBuf(instr, i.id, i.mode, i.number);
  case Op::Rls:
    return events.rlsBuf(instr, i.id, i.mode, i.number);
  case Op::ScalarLoad:
    return events.scalarLoad(instr, scalar);
  case Op::ScalarStore:
    scalar.accessClass = ScalarStore;
    return events.scalarStore(instr, scalar);
  }
}

/// Runs the program; false when it hangs (a wait that needs what is behind a
/// PIPE_ALL barrier).
bool run(Program &program, Observer &events, std::mt19937_64 &random, const Profile &profile) {
  auto &list = program.list;
  size_t issued = 0, done = 0;
  auto earlierDone = [&](size_t i, auto pred) {
    for (size_t j = 0; j < i; ++j)
      if (!list[j].done && pred(list[j]))
        return false;
    return true;
  };
  auto ready = [&](size_t i) {
    const Instruction &x = list[i];
    // Transfers of an MTE pipe may overtake each other between two points.
    bool loose = x.op == Op::Transfer && (x.pipe != Pipe::V || !profile.inOrderVectorPipe);
    if (!earlierDone(i, [&](const Instruction &y) { return y.pipe == x.pipe && (!loose || y.op != Op::Transfer); }))
      return false;
    if (x.op == Op::Wait) {
      for (const Instruction &y : list)
        if (y.op == Op::Set && y.pipe == x.other && y.other == x.pipe && y.id == x.id && y.number == x.number)
          return y.done;
      return false;
    }
    if (x.op == Op::Get && x.mode == 0)
      return earlierDone(i, [&](const Instruction &y) { return y.op == Op::Rls && y.id == x.id; });
    if (x.op == Op::Rls && x.mode == 1)
      return earlierDone(i, [&](const Instruction &y) { return program.covered.at(i).count(y.pipe) != 0; });
    return true;
  };
  int64_t none = 0;
  while (done < list.size()) {
    std::vector<size_t> choices;
    for (size_t i = 0; i < issued; ++i)
      if (!list[i].done && list[i].pipe != Pipe::S && ready(i))
        choices.push_back(i);
    bool suCanGo = issued < list.size() &&
                   (list[issued].op != Op::BarrierAll || earlierDone(issued, [](const Instruction &) { return true; }));
    if (choices.empty() && !suCanGo)
      return false;
    if (suCanGo && (choices.empty() || random() % 2)) {
      Instruction &x = list[issued++];
      events.issue({CoreId{1}, x.pipe, x.ordinal, x.site, &none, 0});
      if (x.pipe == Pipe::S) {
        emit(events, x);
        x.done = true;
        ++done;
      }
      continue;
    }
    Instruction &x = list[choices[random() % choices.size()]];
    emit(events, x);
    x.done = true;
    ++done;
  }
  return true;
}

void compare(const char *profileName, bool legacy, uint64_t firstSeed, uint64_t programs) {
  Profile profile = *findProfile(profileName);
  profile.bytes.fill(256); // small memories: a world per program
  uint64_t ran = 0, racy = 0, pairs = 0;
  for (uint64_t seed = firstSeed; seed < firstSeed + programs; ++seed) {
    Checks checks = Checks::none();
    checks.race = true;
    World world(profile, checks);
    Generator generator(world, seed, legacy);
    Program program = generator.make();
    ASSERT_LT(program.list.size() * 2, kMaxNodes);
    std::mt19937_64 random(seed * 7919);
    {
      Drive d(world);
      if (!run(program, d.events(), random, *world.profile))
        continue;
    }
    ++ran;
    auto expected = racesOf(program, *world.profile);
    racy += !expected.empty();
    EXPECT_EQ(world.findings.empty(), expected.empty()) << "seed " << seed;
    for (const Finding &f : world.findings.all()) {
      size_t a = World::firstLine(f) - 1, b = f.place.line - 1;
      EXPECT_TRUE(expected.count({std::min(a, b), std::max(a, b)}))
          << "seed " << seed << " lines " << a + 1 << " " << b + 1;
      ++pairs;
    }
    if (::testing::Test::HasFailure()) {
      for (size_t i = 0; i < program.list.size(); ++i) {
        const Instruction &x = program.list[i];
        std::cout << i + 1 << ": op " << int(x.op) << " " << nameOf(x.pipe) << " other " << nameOf(x.other) << " id "
                  << x.id << " mode " << x.mode << " number " << x.number << " src " << x.event.src.base << "+"
                  << x.event.src.rowBytes << " dst " << x.event.dst.base << "+" << x.event.dst.rowBytes << "\n";
      }
      for (const auto &[a, b] : expected)
        std::cout << "expected " << a + 1 << " " << b + 1 << "\n";
      return;
    }
  }
  EXPECT_GT(ran, programs / 2);
  // Both outcomes must be common, or the comparison would be empty.
  EXPECT_GT(racy, ran / 10);
  EXPECT_GT(ran - racy, ran / 50);
  EXPECT_GT(pairs, ran / 4);
}

TEST(RandomRace, A5) { compare("a5", false, 1, 8000); }
TEST(RandomRace, A3HasNoOrderOnTheVectorPipe) { compare("a3", false, 100000, 4000); }
TEST(RandomRace, LegacyBufferIds) { compare("a5", true, 200000, 4000); }

} // namespace
