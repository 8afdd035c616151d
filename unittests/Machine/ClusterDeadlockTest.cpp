//===- ClusterDeadlockTest.cpp - hangs of several cores -------------------===//
//
// Found when no core can go on, with the same words under every schedule.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

using namespace ptoscope;

namespace {
struct ClusterDeadlockTest : ::testing::Test, Bench {
  Program nothing = [](Su &) {};
  uint32_t set = site("pto.sync.set", 10), wait = site("pto.sync.wait", 20), other = site("pto.sync.wait", 25),
           barrier = site("pto.barrier", 30), loop = site("scf.while", 50);

  std::string everywhere(const Program &cube, const Program &vector) {
    std::string text;
    for (unsigned i = 0; i < 10; ++i) {
      options.schedule = schedule(i);
      LaunchResult r = runMixed(cube, vector);
      EXPECT_FALSE(r.completed);
      if (i == 0)
        text = textOf(r);
      else
        EXPECT_EQ(textOf(r), text) << "schedule " << i;
    }
    return text;
  }
};
} // namespace

TEST_F(ClusterDeadlockTest, WrongIdForAiv1) {
  // SYNCEX-7: 17 changed to 16.
  EXPECT_EQ(everywhere(
                [&](Su &su) {
                  su.at(set).syncSet(Pipe::FIX, 1);
                  su.at(set).syncSet(Pipe::FIX, 16);
                },
                [&](Su &su) { su.at(wait).syncWait(Pipe::MTE3, 1); }),
            "k.pto:20: deadlock: PIPE_MTE3 of AIV1 waits forever for semaphore 1: AIC never sets it\n"
            "  note 20: PIPE_MTE3 of AIV1 waits here for semaphore 1: AIC never sets it\n"
            "  help: issue `pto.sync.set <PIPE_FIX>, 17` on AIC after the work that AIV1 needs, or remove "
            "the wait\n");
}

TEST_F(ClusterDeadlockTest, OneSetTooFew) {
  std::string text = everywhere([&](Su &su) { su.at(wait).syncWait(Pipe::FIX, 18), su.syncWait(Pipe::FIX, 18); },
                                [&](Su &su) {
                                  if (su.context->subblockIdx)
                                    su.at(set).syncSet(Pipe::MTE3, 2);
                                });
  EXPECT_NE(text.find("PIPE_FIX of AIC waits forever for semaphore 18: this is wait number 2 of it, and AIV1 "
                      "sets it only 1 time"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("issue `pto.sync.set <PIPE_MTE3>, 2` on AIV1"), std::string::npos) << text;
}

TEST_F(ClusterDeadlockTest, CycleOfTwoCores) {
  // Both wait first and would set afterwards.
  EXPECT_EQ(everywhere(
                [&](Su &su) {
                  su.at(wait).syncWait(Pipe::FIX, 0);
                  su.at(set).syncSet(Pipe::FIX, 0);
                },
                [&](Su &su) {
                  if (su.context->subblockIdx)
                    return;
                  su.at(other).syncWait(Pipe::MTE3, 0);
                  su.at(set).syncSet(Pipe::MTE3, 0);
                }),
            "k.pto:20: deadlock: PIPE_FIX of AIC waits forever for semaphore 0: its set (k.pto:10:5) is queued "
            "on PIPE_MTE3 of AIV0 behind `pto.sync.wait` at k.pto:25:5, which cannot start\n"
            "  note 20: PIPE_FIX of AIC waits here for semaphore 0: its set (k.pto:10:5) is queued on PIPE_MTE3 "
            "of AIV0 behind `pto.sync.wait` at k.pto:25:5, which cannot start; 1 instruction is queued behind "
            "it\n"
            "  note 25: PIPE_MTE3 of AIV0 waits here for semaphore 0: its set (k.pto:10:5) is queued on "
            "PIPE_FIX of AIC behind `pto.sync.wait` at k.pto:20:5, which cannot start; 1 instruction is queued "
            "behind it\n"
            "  note 0: wait-for cycle: PIPE_FIX of AIC -> PIPE_MTE3 of AIV0 -> PIPE_FIX of AIC\n"
            "  help: move a set before the wait that keeps it from being reached, to break the cycle of waits\n");
}

TEST_F(ClusterDeadlockTest, CycleThroughScalarUnits) {
  std::string text = everywhere(
      [&](Su &su) {
        su.at(wait).syncWait(Pipe::MTE1, 0);
        su.at(barrier).barrier(Pipe::All);
        su.at(set).syncSet(Pipe::FIX, 0);
      },
      [&](Su &su) {
        if (su.context->subblockIdx)
          return;
        su.at(other).syncWait(Pipe::S, 0);
        su.at(set).syncSet(Pipe::MTE3, 0);
      });
  EXPECT_NE(text.find("wait-for cycle: PIPE_MTE1 of AIC -> the scalar unit of AIV0 -> the scalar unit of AIC -> "
                      "PIPE_MTE1 of AIC"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("AIC has not set it; its scalar unit is blocked at k.pto:30:5 and issues nothing more"),
            std::string::npos)
      << text;
}

TEST_F(ClusterDeadlockTest, FlagInsideACluster) {
  uint32_t flag = site("pto.wait_flag", 33);
  std::string text = everywhere([&](Su &su) { su.at(flag).wait(Pipe::MTE2, Pipe::MTE1); }, nothing);
  EXPECT_NE(text.find("k.pto:33: deadlock: PIPE_MTE1 of AIC waits forever for flag PIPE_MTE2 -> PIPE_MTE1, "
                      "EVENT_ID0: no set of this flag was ever issued"),
            std::string::npos)
      << text;
}

/// A set was forgotten; what waits behind it and a barrier of all pipes are victims.
TEST_F(ClusterDeadlockTest, ForgottenSetBeforeABarrier) {
  uint32_t loaded = site("pto.wait_flag", 33), added = site("pto.wait_flag", 36);
  auto vector = [&](bool forgotten) -> Program {
    return [&, forgotten](Su &su) {
      if (!forgotten)
        su.at(set).set(Pipe::MTE2, Pipe::V);
      su.at(loaded).wait(Pipe::MTE2, Pipe::V);
      su.at(set).set(Pipe::V, Pipe::MTE3);
      su.at(added).wait(Pipe::V, Pipe::MTE3);
      su.at(barrier).barrier(Pipe::All);
    };
  };
  std::string text = everywhere(nothing, vector(true));
  EXPECT_EQ(text.find("k.pto:33: deadlock: PIPE_V of AIV0 waits forever for flag PIPE_MTE2 -> PIPE_V, EVENT_ID0: no "
                      "set of this flag was ever issued"),
            0u)
      << text;
  EXPECT_EQ(text.find("cycle"), std::string::npos) << text;
  LaunchResult repaired = runMixed(nothing, vector(false));
  EXPECT_TRUE(repaired.completed) << textOf(repaired);
}

/// The same where the scalar unit waits for another core, whose data comes behind the victim.
TEST_F(ClusterDeadlockTest, ForgottenSetBeforeASignal) {
  uint32_t loaded = site("pto.wait_flag", 33);
  auto vector = [&](bool forgotten) -> Program {
    return [&, forgotten](Su &su) {
      if (su.context->subblockIdx)
        return;
      if (!forgotten)
        su.at(set).set(Pipe::MTE2, Pipe::MTE3);
      su.at(loaded).wait(Pipe::MTE2, Pipe::MTE3);
      su.at(set).syncSet(Pipe::MTE3, 0);
      su.at(other).syncWait(Pipe::S, 0);
    };
  };
  Program cube = [&](Su &su) {
    su.at(wait).syncWait(Pipe::FIX, 0);
    su.at(set).syncSet(Pipe::FIX, 0);
  };
  std::string text = everywhere(cube, vector(true));
  EXPECT_EQ(text.find("k.pto:33: deadlock: PIPE_MTE3 of AIV0 waits forever for flag"), 0u) << text;
  LaunchResult repaired = runMixed(cube, vector(false));
  EXPECT_TRUE(repaired.completed) << textOf(repaired);
}

/// Of a cycle, a wait for what never came is at fault rather than one for what has come before.
TEST_F(ClusterDeadlockTest, ForgottenSignal) {
  auto cube = [&](bool forgotten) -> Program {
    return [&, forgotten](Su &su) {
      for (int turn = 0; turn < 2; ++turn) {
        su.at(wait).syncWait(Pipe::FIX, 0);
        su.at(barrier).barrier(Pipe::All);
        if (!forgotten)
          su.at(set).syncSet(Pipe::FIX, 0);
      }
    };
  };
  Program vector = [&](Su &su) {
    if (su.context->subblockIdx)
      return;
    for (int turn = 0; turn < 2; ++turn) {
      su.at(set).syncSet(Pipe::MTE3, 0);
      su.at(other).syncWait(Pipe::S, 0);
    }
  };
  std::string text = everywhere(cube(true), vector);
  EXPECT_EQ(text.find("k.pto:25: deadlock: the scalar unit of AIV0 waits forever for semaphore 0: AIC has not set it"),
            0u)
      << text;
  EXPECT_NE(text.find("help: let AIC set semaphore 0 of AIV0 before k.pto:30:5, or let AIV0 set semaphore 0 of AIC "
                      "before k.pto:25:5, ahead of the waits above, to break the cycle"),
            std::string::npos)
      << text;
  LaunchResult repaired = runMixed(cube(false), vector);
  EXPECT_TRUE(repaired.completed) << textOf(repaired);
}

TEST_F(ClusterDeadlockTest, LivelockOfSeveralCores) {
  uint64_t x = buffer(64);
  for (unsigned i = 0; i < 10; ++i) {
    options.schedule = schedule(i);
    // Two cores poll, the third waits for a semaphore.
    LaunchResult r = runMixed([&](Su &su) { su.at(wait).syncWait(Pipe::S, 0); },
                              [&](Su &su) {
                                while (!su.stop && su.loadScalar(Space::Gm, x) != 1)
                                  su.at(loop).yield();
                              });
    EXPECT_EQ(codesOf(r), "livelock") << i << textOf(r);
    EXPECT_NE(textOf(r).find("AIC: the scalar unit is here, at `pto.sync.wait`"), std::string::npos) << textOf(r);
  }
}

TEST_F(ClusterDeadlockTest, MaxStepsCountsTheBlock) {
  options.maxSteps = 1000;
  uint64_t turns = 0;
  Program spin = [&](Su &su) {
    for (uint64_t n = 0; !su.stop; ++n) {
      ++turns;
      su.at(loop).yield(n);
    }
  };
  LaunchResult r = runMixed(spin, spin);
  EXPECT_EQ(codesOf(r), "max-steps");
  EXPECT_GE(turns, 1000u);
  EXPECT_LT(turns, 1100u);
}

TEST_F(ClusterDeadlockTest, Interrupt) {
  std::atomic<bool> interrupt = false;
  options.interrupt = &interrupt;
  uint64_t turns = 0;
  LaunchResult r = runMixed(
      [&](Su &su) {
        for (turns = 0; !su.stop; ++turns) {
          interrupt = turns > 5000;
          su.at(loop).yield(turns);
        }
      },
      [&](Su &su) { su.at(wait).syncWait(Pipe::V, 0); });
  EXPECT_EQ(codesOf(r), "interrupted");
  EXPECT_LT(turns, 6000u);
  EXPECT_NE(textOf(r).find("AIV1: PIPE_V has 1 instruction queued, and waits here for semaphore 0"), std::string::npos)
      << textOf(r);
}
