//===- PipesTest.cpp - queues and schedules without a core ----------------===//
//
// Operations that only write down when they take effect, under each schedule.
//
//===----------------------------------------------------------------------===//

#include "Schedule/Pipes.h"
#include "Parts.h"

using namespace ptoscope;

namespace {
struct PipesTest : ::testing::Test, Parts {
  std::string log;
  int kept = 0;
  bool gate = false; ///< lets operations that wait for it go on
  Pipes pipes;

  struct Named final : OperationOf<Named> {
    PipesTest *test;
    char name;
    bool waits;
    std::optional<Blocker> first;
    int parts; ///< of the effect, for one that overtakes
    Named(PipesTest *test, char name, bool waits = false, std::optional<Blocker> first = {}, int parts = 0)
        : test(test), name(name), waits(waits), first(first), parts(parts) {}
    bool ready() const override {
      return (!waits || test->gate) && (!first || test->pipes[first->pipe].started >= first->ordinal);
    }
    std::optional<Blocker> blocker() const override { return first; }
    std::unique_ptr<Operation> keep() override {
      ++test->kept;
      return OperationOf::keep();
    }
    void effect(const Instr &instr) override {
      EXPECT_EQ(instr.pipe, pipe);
      test->log += name;
    }
    bool overtakes() const override { return parts > 0; }
    bool advance(const Instr &, Random &) override {
      test->log += name;
      return --parts == 0;
    }
  };

  void schedule(ScheduleKind kind, uint64_t seed = 0) {
    options.schedule = {kind, seed};
    options.checks = Checks::none();
    restart();
    log.clear();
    pipes = Pipes(setup, CoreId{1}, CoreKind::AIV, report, context.suIterations);
  }
  bool submit(Named op, Pipe pipe) {
    pipes.number(op, pipe, kNoSite);
    return pipes.submit(op);
  }
};
} // namespace

TEST_F(PipesTest, EagerRunsInTheCallWithoutACopy) {
  schedule(ScheduleKind::Eager);
  submit({this, 'a'}, Pipe::V);
  submit({this, 'b'}, Pipe::MTE2);
  EXPECT_EQ(log, "ab");
  EXPECT_EQ(kept, 0);
  EXPECT_EQ(pipes.queued, 0u);
  EXPECT_EQ(pipes.executed, 2u);
}

TEST_F(PipesTest, AHeadThatWaitsHoldsUpItsPipeOnly) {
  schedule(ScheduleKind::Eager);
  submit({this, 'a', /*waits=*/true}, Pipe::V);
  submit({this, 'b'}, Pipe::V);
  submit({this, 'c'}, Pipe::MTE2);
  EXPECT_EQ(log, "c");
  EXPECT_EQ(kept, 2);
  EXPECT_FALSE(pipes.passDirectly(Pipe::V, kNoSite));
  EXPECT_TRUE(pipes.passDirectly(Pipe::MTE2, kNoSite));
  EXPECT_FALSE(pipes.drain(nullptr)) << "nothing opens the gate";
  gate = true;
  EXPECT_TRUE(pipes.drain(nullptr));
  EXPECT_EQ(log, "cab");
}

TEST_F(PipesTest, LazyRunsWhatIsDemandedAndNoMore) {
  schedule(ScheduleKind::Lazy);
  for (char name : {'a', 'b', 'c'})
    submit({this, name}, Pipe::MTE2);
  EXPECT_EQ(log, "");
  Named wait(this, 'w', false, Blocker{Pipe::MTE2, 2});
  pipes.number(wait, Pipe::S, kNoSite);
  EXPECT_TRUE(pipes.waitFor(wait));
  EXPECT_EQ(log, "abw");
  // A demand goes through another pipe.
  submit({this, 'v', false, Blocker{Pipe::MTE2, 3}}, Pipe::V);
  Named last(this, 'x', false, Blocker{Pipe::V, 1});
  pipes.number(last, Pipe::S, kNoSite);
  EXPECT_TRUE(pipes.waitFor(last));
  EXPECT_EQ(log, "abwcvx");
}

TEST_F(PipesTest, AWaitThatNothingEndsIsToldSo) {
  for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random}) {
    schedule(kind);
    Named wait(this, 'w', /*waits=*/true);
    pipes.number(wait, Pipe::S, kNoSite);
    EXPECT_FALSE(pipes.waitFor(wait));
    // Two pipes that wait for one another.
    submit({this, 'v', false, Blocker{Pipe::MTE2, 1}}, Pipe::V);
    submit({this, 'm', false, Blocker{Pipe::V, 1}}, Pipe::MTE2);
    EXPECT_FALSE(pipes.drain(nullptr));
    EXPECT_EQ(log, "");
  }
}

TEST_F(PipesTest, RandomKeepsTheOrderOfAPipeAndMixesParts) {
  bool mixed = false, ahead = false;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    schedule(ScheduleKind::Random, seed);
    submit({this, 'a', false, {}, 3}, Pipe::MTE2);
    submit({this, 'b', false, {}, 3}, Pipe::MTE2);
    submit({this, 'c'}, Pipe::MTE2); // starts when both have ended
    submit({this, 'v'}, Pipe::V);
    EXPECT_TRUE(pipes.drain(nullptr));
    EXPECT_EQ(pipes.executed, 4u);
    std::string transfers = log;
    std::erase(transfers, 'v');
    ASSERT_EQ(transfers.size(), 7u) << log;
    EXPECT_EQ(transfers.back(), 'c') << log;
    EXPECT_EQ(std::count(transfers.begin(), transfers.end(), 'a'), 3);
    mixed |= transfers != "aaabbbc";
    ahead |= log.front() == 'v';
  }
  EXPECT_TRUE(mixed);
  EXPECT_TRUE(ahead);
}

TEST_F(PipesTest, TheSameSeedGivesTheSameOrder) {
  auto order = [&] {
    schedule(ScheduleKind::Random, 7);
    for (char name : {'a', 'b', 'c', 'd'})
      submit({this, name}, name % 2 ? Pipe::V : Pipe::MTE3);
    EXPECT_TRUE(pipes.drain(nullptr));
    return log;
  };
  EXPECT_EQ(order(), order());
}

TEST_F(PipesTest, AssignmentForgetsEverything) {
  schedule(ScheduleKind::Lazy);
  submit({this, 'a'}, Pipe::V);
  EXPECT_EQ(pipes.queued, 1u);
  schedule(ScheduleKind::Eager);
  EXPECT_EQ(pipes.queued, 0u);
  EXPECT_EQ(pipes[Pipe::V].issued, 0u);
  EXPECT_TRUE(pipes.drain(nullptr));
  EXPECT_EQ(log, "");
}

TEST_F(PipesTest, AQueuedOperationOwnsItsIterations) {
  options.checks = Checks{};
  options.schedule = {ScheduleKind::Lazy, 0};
  restart();
  pipes = Pipes(setup, CoreId{1}, CoreKind::AIV, report, context.suIterations);
  SiteId at = site("pto.op", 4, /*depth=*/2);
  context.suIterations[0] = 5;
  context.suIterations[1] = 6;
  Named op(this, 'a');
  pipes.number(op, Pipe::V, at);
  pipes.submit(op);
  context.suIterations[0] = 9;
  const Operation *head = pipes[Pipe::V].head();
  ASSERT_EQ(head->depth, 2);
  EXPECT_EQ(head->iterations[0], 5);
  EXPECT_EQ(head->iterations[1], 6);
  EXPECT_EQ(pipes[Pipe::V].siteOf(1), at);
  EXPECT_EQ(pipes[Pipe::V].siteOf(2), kNoSite);
}
