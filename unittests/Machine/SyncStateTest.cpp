//===- SyncStateTest.cpp - flags, buffer ids and semaphores alone ---------===//

#include "Sync/SyncState.h"
#include "Parts.h"

using namespace ptoscope;

namespace {
struct SyncStateTest : ::testing::Test, Parts {
  Cluster cluster;
  Pipes pipes;
  SyncState sync;
  FlagName flag{Pipe::MTE2, Pipe::V, 3};
  SiteId set = site("pto.set_flag", 4), get = site("pto.get_buf", 8);

  SyncStateTest() { begin(ScheduleKind::Lazy); }
  void begin(ScheduleKind kind, CoreKind core = CoreKind::AIV) {
    options.schedule = {kind, 0};
    setup.cluster = &cluster;
    restart();
    CoreId id{uint8_t(core == CoreKind::AIC ? 0 : 1)};
    pipes = Pipes(setup, id, core, report, context.suIterations);
    sync = SyncState(setup, id, core, report, pipes);
  }
  template <typename Op> void submit(Op op, Pipe pipe, SiteId at = kNoSite) {
    pipes.number(op, pipe, at);
    EXPECT_TRUE(pipes.submit(op));
  }
};
} // namespace

TEST_F(SyncStateTest, WhichFlagsThereAre) {
  EXPECT_TRUE(sync.exists(uint32_t(Pipe::MTE2), uint32_t(Pipe::V), 7));
  EXPECT_FALSE(sync.exists(uint32_t(Pipe::MTE2), uint32_t(Pipe::V), 8));
  EXPECT_FALSE(sync.exists(uint32_t(Pipe::MTE2), uint32_t(Pipe::V), -1));
  EXPECT_FALSE(sync.exists(uint32_t(Pipe::V), uint32_t(Pipe::V), 0));
  EXPECT_FALSE(sync.exists(uint32_t(Pipe::M), uint32_t(Pipe::V), 0)) << "a vector core has no PIPE_M";
  EXPECT_FALSE(sync.exists(99, uint32_t(Pipe::V), 0));
  // Each flag has its own state.
  for (Pipe src : {Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3})
    for (Pipe dst : {Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3})
      for (int64_t id = 0; id < kEventIds && src != dst; ++id) {
        EXPECT_EQ(sync.flag({src, dst, id}).setsIssued, 0u);
        sync.flag({src, dst, id}).setsIssued = 1;
      }
}

TEST_F(SyncStateTest, TheKthWaitPassesAfterKSets) {
  WaitFlag first(sync, flag, 1), second(sync, flag, 2);
  EXPECT_FALSE(first.ready());
  EXPECT_FALSE(first.blocker()) << "no set is queued";
  submit(SetFlag(sync, flag, 1), Pipe::MTE2, set);
  ASSERT_TRUE(first.blocker());
  EXPECT_EQ(first.blocker()->pipe, Pipe::MTE2);
  EXPECT_EQ(first.blocker()->ordinal, 1u);
  EXPECT_FALSE(second.blocker());
  EXPECT_TRUE(pipes.drain(nullptr));
  EXPECT_TRUE(first.ready());
  EXPECT_FALSE(second.ready());
  EXPECT_EQ(sync.operations, 1u);
  EXPECT_EQ(first.wait().what, Wait::For::Flag);
  EXPECT_EQ(first.wait().id, 3);
}

TEST_F(SyncStateTest, ASetTooManyIsReported) {
  submit(SetFlag(sync, flag, 1), Pipe::MTE2, set);
  submit(SetFlag(sync, flag, 2), Pipe::MTE2, set);
  EXPECT_TRUE(pipes.drain(nullptr));
  EXPECT_EQ(codes(), "flag-overwritten");
  sync.reportLeftovers();
  EXPECT_EQ(codes(), "flag-overwritten flag-leftover");
  EXPECT_EQ(findings.all()[1].message, "flag PIPE_MTE2 -> PIPE_V, EVENT_ID3 is still set when the kernel ends: "
                                       "2 sets, 0 waits");
}

TEST_F(SyncStateTest, AGetWaitsForTheReleasesBeforeIt) {
  sync.acquire(get, Pipe::MTE2, 5);
  sync.release(get, Pipe::MTE2, 5);
  submit(RlsBuf(sync, Pipe::MTE2, 5, 0), Pipe::MTE2);
  GetBuf waits(sync, 5, 0), passes(sync, 5, 1), other(sync, 6, 0);
  EXPECT_FALSE(waits.ready());
  EXPECT_TRUE(passes.ready()) << "mode 1 does not wait";
  EXPECT_TRUE(other.ready());
  ASSERT_TRUE(waits.blocker());
  EXPECT_EQ(waits.blocker()->pipe, Pipe::MTE2);
  // A release behind the get does not hold it up.
  submit(RlsBuf(sync, Pipe::MTE2, 5, 0), Pipe::MTE2);
  pipes.waitFor(waits);
  EXPECT_TRUE(waits.ready());
  EXPECT_EQ(pipes[Pipe::MTE2].started, 1u);
  EXPECT_EQ(codes(), "");
}

TEST_F(SyncStateTest, AReleaseOfMode1WaitsForAllHolders) {
  sync.acquire(get, Pipe::MTE2, 5);
  sync.acquire(get, Pipe::V, 5);
  submit(Barrier(pipes, Pipe::MTE2), Pipe::MTE2);
  RlsBuf release(sync, Pipe::V, 5, 1);
  EXPECT_FALSE(release.ready());
  ASSERT_TRUE(release.blocker());
  EXPECT_EQ(release.blocker()->ordinal, 1u);
  EXPECT_TRUE(pipes.drain(nullptr));
  EXPECT_TRUE(release.ready());
}

TEST_F(SyncStateTest, HoldersAreWatched) {
  sync.release(get, Pipe::V, 1);
  sync.acquire(get, Pipe::V, 2);
  sync.acquire(get, Pipe::V, 2);
  sync.reportLeftovers();
  EXPECT_EQ(codes(), "buffer-release-unacquired buffer-nested buffer-held");
}

TEST_F(SyncStateTest, SemaphoresReachTheOtherCore) {
  begin(ScheduleKind::Eager, CoreKind::AIC);
  WaitSemaphore wait(sync, 17); // of AIV1
  EXPECT_FALSE(wait.ready());
  cluster.at({0, 17}).senders[2].done = 1;
  EXPECT_TRUE(wait.ready());
  // What the cube core sets as 20 is number 4 of AIV1.
  uint64_t number = 0;
  EXPECT_EQ(sync.countSet(kNoSite, Pipe::FIX, 20, number), 0);
  submit(SetSemaphore(sync, 20, number, false), Pipe::FIX);
  EXPECT_EQ(cluster.at({2, 4}).senders[0].done, 1u);
  EXPECT_EQ(cluster.at({1, 4}).senders[0].done, 0u);
  // A second pipe that sets it would leave no order.
  EXPECT_EQ(sync.countSet(kNoSite, Pipe::M, 20, number), 1);
  EXPECT_EQ(codes(), "not-modelled");
}

TEST_F(SyncStateTest, OnA3ASetOfTheCubeCoreReachesBothVectorCores) {
  profile = *findProfile("a3");
  begin(ScheduleKind::Eager, CoreKind::AIC);
  uint64_t number = 0;
  EXPECT_EQ(sync.countSet(kNoSite, Pipe::S, 4, number), 0);
  SetSemaphore op(sync, 4, number, true);
  pipes.number(op, Pipe::S, kNoSite);
  pipes.finish(op);
  EXPECT_EQ(cluster.at({1, 4}).senders[0].done, 1u);
  EXPECT_EQ(cluster.at({2, 4}).senders[0].done, 1u);
  EXPECT_EQ(sync.countSet(kNoSite, Pipe::S, 16, number), 1);
  EXPECT_EQ(codes(), "semaphore-id-range");
}

TEST_F(SyncStateTest, AssignmentForgetsEverything) {
  sync.acquire(get, Pipe::V, 2);
  sync.flag(flag).setsDone = 1;
  begin(ScheduleKind::Eager);
  sync.reportLeftovers();
  EXPECT_EQ(codes(), "");
}
