//===- CounterTest.cpp - counters that may overflow -----------------------===//
//
// Flags and semaphores count to 15. The verdict is about every legal schedule,
// so it is the same under each: kernels whose producer may run ahead are
// reported even where the consumer keeps up, and their repaired twins are not.
// Random programs are compared with a plain search of all interleavings.
// Rules: FLAG-8, SEM-6.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Checkers.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace ptoscope;

namespace {

enum class Op : uint8_t { Set, Wait, Barrier, SyncSet, SyncWait };
struct Step {
  Op op;
  uint8_t core = 1;
  Pipe a = Pipe::All; ///< source of a flag, pipe of anything else
  Pipe b = Pipe::S;   ///< destination of a flag
  int64_t id = 0;
};
using Program = std::vector<Step>;

Step set(Pipe a, Pipe b, int64_t id = 0) { return {Op::Set, 1, a, b, id}; }
Step wait(Pipe a, Pipe b, int64_t id = 0) { return {Op::Wait, 1, a, b, id}; }
Step syncSet(uint8_t core, Pipe pipe, int64_t id) { return {Op::SyncSet, core, pipe, Pipe::S, id}; }
Step syncWait(uint8_t core, Pipe pipe, int64_t id) { return {Op::SyncWait, core, pipe, Pipe::S, id}; }
constexpr Step kBarrier{Op::Barrier};

Program repeat(int turns, Program before, const Program &body, const Program &after = {}) {
  for (int i = 0; i < turns; ++i)
    before.insert(before.end(), body.begin(), body.end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

int32_t runCore(PtoContext *context, const Program &program, uint8_t core) {
  int32_t stop = 0;
  for (const Step &step : program) {
    if (step.core != core || stop)
      continue;
    uint32_t a = uint32_t(step.a), b = uint32_t(step.b);
    switch (step.op) {
    case Op::Set:
      stop = ptosc_set_flag(context, 0, a, b, step.id);
      break;
    case Op::Wait:
      stop = ptosc_wait_flag(context, 0, a, b, step.id);
      break;
    case Op::Barrier:
      stop = ptosc_barrier(context, 0, a);
      break;
    case Op::SyncSet:
      stop = ptosc_sync_set(context, 0, a, step.id);
      break;
    case Op::SyncWait:
      stop = ptosc_sync_wait(context, 0, a, step.id);
      break;
    }
  }
  return stop;
}

/// The codes that a run reports, without those that speak of one run only.
std::set<std::string> codes(const Program &program, bool mixed, const char *profile, Checks checks, Schedule schedule) {
  SiteTable sites;
  Site site;
  site.place = {"counter.pto", 1, 1};
  site.op = "pto.set_flag";
  sites.add(site);
  KernelImage image;
  image.aiv = [](PtoContext *context, const uint64_t *arguments) {
    return runCore(context, *reinterpret_cast<const Program *>(arguments[0]), uint8_t(1 + context->subblockIdx));
  };
  if (mixed)
    image.aic = [](PtoContext *context, const uint64_t *arguments) {
      return runCore(context, *reinterpret_cast<const Program *>(arguments[0]), 0);
    };
  image.sites = &sites;
  GmTable gm;
  LaunchOptions options;
  options.profile = findProfile(profile);
  options.checks = checks;
  options.schedule = schedule;
  auto checkers = makeCheckers(sites, gm, *options.profile, checks);
  options.observers = checkers.get();
  LaunchResult result = launch(image, gm, {reinterpret_cast<uint64_t>(&program)}, options);
  std::set<std::string> found;
  for (const Finding &f : result.findings.all())
    if (f.code != "flag-overwritten" && f.code != "flag-leftover")
      found.insert(f.code);
  return found;
}

/// The same under every schedule, and with nothing but the sync check on.
std::set<std::string> everywhere(const Program &program, bool mixed = false, const char *profile = "a5") {
  Checks syncOnly = Checks::none();
  syncOnly.sync = true;
  std::set<std::string> first = codes(program, mixed, profile, Checks(), {});
  EXPECT_EQ(codes(program, mixed, profile, syncOnly, {}), first);
  EXPECT_EQ(codes(program, mixed, profile, Checks(), {ScheduleKind::Lazy, 0}), first);
  for (uint64_t seed = 0; seed < 6; ++seed)
    EXPECT_EQ(codes(program, mixed, profile, Checks(), {ScheduleKind::Random, seed}), first) << seed;
  return first;
}

using Codes = std::set<std::string>;

} // namespace

TEST(Counter, ProducerMayRunAhead) {
  Program pair = {set(Pipe::MTE2, Pipe::V), wait(Pipe::MTE2, Pipe::V)};
  EXPECT_EQ(everywhere(repeat(15, {}, pair)), Codes());
  EXPECT_EQ(everywhere(repeat(16, {}, pair)), Codes{"flag-overflow"});
}

TEST(Counter, ConsumerSignalsBack) {
  Program body = {wait(Pipe::V, Pipe::MTE2), set(Pipe::MTE2, Pipe::V), wait(Pipe::MTE2, Pipe::V),
                  set(Pipe::V, Pipe::MTE2)};
  EXPECT_EQ(everywhere(repeat(40, {set(Pipe::V, Pipe::MTE2)}, body, {wait(Pipe::V, Pipe::MTE2)})), Codes());
  // Signals back too early: what MTE2 knows of V ends before the last wait.
  Program early = {wait(Pipe::V, Pipe::MTE2), set(Pipe::MTE2, Pipe::V), set(Pipe::V, Pipe::MTE2),
                   wait(Pipe::MTE2, Pipe::V)};
  EXPECT_EQ(everywhere(repeat(40, {set(Pipe::V, Pipe::MTE2)}, early, {wait(Pipe::V, Pipe::MTE2)})), Codes());
}

TEST(Counter, WaitsIssuedLater) {
  // Each load waits for the consumer of the one before, which is issued much later.
  Program loads = repeat(20, {set(Pipe::V, Pipe::MTE2)}, {wait(Pipe::V, Pipe::MTE2), set(Pipe::MTE2, Pipe::V)});
  EXPECT_EQ(
      everywhere(repeat(20, loads, {wait(Pipe::MTE2, Pipe::V), set(Pipe::V, Pipe::MTE2)}, {wait(Pipe::V, Pipe::MTE2)})),
      Codes());
  Program free = repeat(20, {}, {set(Pipe::MTE2, Pipe::V)});
  EXPECT_EQ(everywhere(repeat(20, free, {wait(Pipe::MTE2, Pipe::V)})), Codes{"flag-overflow"});
}

TEST(Counter, BarrierAndScalarUnit) {
  Program pair = {set(Pipe::MTE2, Pipe::V), wait(Pipe::MTE2, Pipe::V)};
  Program barrier = pair;
  barrier.push_back(kBarrier);
  EXPECT_EQ(everywhere(repeat(40, {}, barrier)), Codes());
  // The scalar unit waits itself before it issues the next set.
  EXPECT_EQ(everywhere(repeat(40, {}, {set(Pipe::MTE2, Pipe::S), wait(Pipe::MTE2, Pipe::S)})), Codes());
  // It waits for the consumer, which orders no memory of MTE2, but its sets.
  Program throughSu = pair;
  throughSu.push_back(set(Pipe::V, Pipe::S));
  throughSu.push_back(wait(Pipe::V, Pipe::S));
  EXPECT_EQ(everywhere(repeat(40, {}, throughSu)), Codes());
  throughSu = pair;
  throughSu.push_back(set(Pipe::MTE2, Pipe::S));
  throughSu.push_back(wait(Pipe::MTE2, Pipe::S));
  EXPECT_EQ(everywhere(repeat(40, {}, throughSu)), Codes{"flag-overflow"});
}

TEST(Counter, Semaphores) {
  Program pair = {syncSet(0, Pipe::FIX, 3), syncWait(1, Pipe::V, 3)};
  EXPECT_EQ(everywhere(repeat(15, {}, pair), true), Codes());
  EXPECT_EQ(everywhere(repeat(16, {}, pair), true), Codes{"semaphore-overflow"});
  Program back = pair;
  back.push_back({Op::Set, 1, Pipe::V, Pipe::MTE3});
  back.push_back({Op::Wait, 1, Pipe::V, Pipe::MTE3});
  back.push_back(syncSet(1, Pipe::MTE3, 5));
  back.push_back(syncWait(0, Pipe::FIX, 5));
  EXPECT_EQ(everywhere(repeat(40, {}, back), true), Codes());
}

TEST(Counter, SemaphoresOfTwoSenders) {
  // a3: the cube core counts what both vector cores have set.
  Program ahead = {syncSet(1, Pipe::MTE3, 2), syncSet(2, Pipe::MTE3, 2)};
  EXPECT_EQ(everywhere(repeat(15, {}, ahead), true, "a3"), Codes());
  EXPECT_EQ(everywhere(repeat(16, {}, ahead), true, "a3"), Codes{"semaphore-overflow"});
  Program one = {syncSet(1, Pipe::MTE3, 2)};
  EXPECT_EQ(everywhere(repeat(40, {}, one), true, "a3"), Codes());
  // One of them waits for the cube core in each turn.
  Program paced = {syncSet(1, Pipe::MTE3, 2), syncSet(2, Pipe::MTE3, 2), syncWait(0, Pipe::S, 2),
                   syncSet(0, Pipe::FIX, 4),  syncWait(1, Pipe::S, 4),   syncWait(2, Pipe::S, 4)};
  EXPECT_EQ(everywhere(repeat(40, {}, paced), true, "a3"), Codes());
}

TEST(Counter, Message) {
  Program program = repeat(20, {}, {set(Pipe::MTE2, Pipe::V), wait(Pipe::MTE2, Pipe::V)});
  FindingList findings;
  SiteTable sites;
  Site site;
  site.place = {"counter.pto", 7, 5};
  site.op = "pto.set_flag";
  sites.add(site);
  GmTable gm;
  auto checkers = makeCheckers(sites, gm, *findProfile("a5"), Checks());
  auto observer = checkers->beginBlock(0, findings);
  for (uint64_t k = 1; k <= 16; ++k) {
    Instr instr{CoreId{1}, Pipe::MTE2, k, 0, nullptr, 0};
    observer->issue(instr);
    observer->start(instr);
    observer->setFlag(instr, Pipe::MTE2, Pipe::V, 2, k);
  }
  ASSERT_EQ(findings.all().size(), 1u);
  const Finding &f = findings.all()[0];
  EXPECT_EQ(f.message, "`pto.set_flag` may raise flag PIPE_MTE2 -> PIPE_V, EVENT_ID2 to 16; its counter has 4 bits");
  EXPECT_EQ(f.place.line, 7u);
  ASSERT_EQ(f.notes.size(), 1u);
  EXPECT_EQ(f.notes[0].message, "this is set number 16, and no wait has to come before it");
  EXPECT_EQ(f.help, "let PIPE_V wait for it once for every set, and signal back before it has been set 16 times more "
                    "than it was waited for");
}

// --- against a search of all interleavings -------------------------------------------

namespace {

struct Search {
  enum Queue : size_t { Su, Mte2, V, kQueues };
  static size_t queueOf(Pipe pipe) { return pipe == Pipe::MTE2 ? Mte2 : pipe == Pipe::V ? V : Su; }
  using State = std::array<uint16_t, kQueues>; ///< how far each has got; SU: in the program

  const Program &program;
  std::array<std::vector<size_t>, kQueues> queues; ///< steps of each pipe, in issue order
  bool overflow = false, stuck = false;

  explicit Search(const Program &program) : program(program) {
    for (size_t i = 0; i < program.size(); ++i)
      queues[placeOf(program[i])].push_back(i);
    std::set<State> seen;
    std::vector<State> open{{}};
    while (!open.empty()) {
      State state = open.back();
      open.pop_back();
      if (seen.insert(state).second)
        visit(state, open);
    }
  }
  static size_t placeOf(const Step &step) {
    return step.op == Op::Barrier ? size_t(Su) : queueOf(step.op == Op::Set ? step.a : step.b);
  }
  /// Has the step taken effect?
  bool done(size_t step, const State &state) const {
    size_t place = placeOf(program[step]);
    return place == Su ? step < state[Su] : state[place] > 0 && queues[place][state[place] - 1u] >= step;
  }
  int64_t level(const Step &of, const State &state) const {
    int64_t result = 0;
    for (size_t i = 0; i < program.size(); ++i)
      if (program[i].a == of.a && program[i].b == of.b && program[i].id == of.id && program[i].op != Op::Barrier &&
          done(i, state))
        result += program[i].op == Op::Set ? 1 : -1;
    return result;
  }
  bool ready(const Step &step, const State &state) const { return step.op != Op::Wait || level(step, state) > 0; }
  void visit(const State &state, std::vector<State> &open) {
    bool moved = false, idle = true;
    for (size_t q : {Mte2, V}) {
      if (state[q] == queues[q].size() || queues[q][state[q]] >= state[Su])
        continue; // nothing issued
      idle = false;
      const Step &head = program[queues[q][state[q]]];
      if (!ready(head, state))
        continue;
      State next = state;
      ++next[q];
      overflow |= head.op == Op::Set && level(head, next) > 15;
      open.push_back(next);
      moved = true;
    }
    if (state[Su] == program.size()) {
      stuck |= !moved && !idle;
      return;
    }
    const Step &step = program[state[Su]];
    bool mine = placeOf(step) == Su;
    if (!mine || (step.op == Op::Barrier ? idle : ready(step, state))) {
      State next = state;
      ++next[Su];
      overflow |= mine && step.op == Op::Set && level(step, next) > 15;
      open.push_back(next);
      moved = true;
    }
    stuck |= !moved;
  }
};

} // namespace

TEST(Counter, AgreesWithASearchOfAllSchedules) {
  constexpr Pipe kPipes[] = {Pipe::S, Pipe::MTE2, Pipe::V};
  unsigned overflows = 0, fine = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    auto below = [&](uint64_t n) { return random() % n; };
    Program before, body, after;
    for (uint64_t n = 1 + below(3); n > 0; --n) {
      Pipe a = kPipes[below(3)], b = kPipes[below(3)];
      if (a == b)
        continue;
      int64_t id = int64_t(below(2));
      size_t at = below(body.size() + 1);
      body.insert(body.begin() + std::ptrdiff_t(at), set(a, b, id));
      bool primed = below(2);
      // A primed wait may stand before its set, and one is left over at the end.
      body.insert(body.begin() + std::ptrdiff_t(primed ? below(body.size() + 1) : at + 1 + below(body.size() - at)),
                  wait(a, b, id));
      if (primed) {
        before.push_back(set(a, b, id));
        after.push_back(wait(a, b, id));
      }
    }
    if (below(4) == 0)
      body.insert(body.begin() + std::ptrdiff_t(below(body.size() + 1)), kBarrier);
    Program program = repeat(int(14 + below(5)), before, body, after);
    Search search(program);
    Codes found = everywhere(program);
    ASSERT_EQ(found.count("deadlock") != 0, search.stuck) << seed;
    if (search.stuck)
      continue;
    ASSERT_EQ(found.count("flag-overflow") != 0, search.overflow) << seed;
    (search.overflow ? overflows : fine) += 1;
  }
  EXPECT_GT(overflows, 30u);
  EXPECT_GT(fine, 60u);
}
