//===- DeadlockTest.cpp - hangs and how they are explained ----------------===//
//
// Deadlocks are found at the moment they happen, under every schedule, with the
// same words; livelocks after a few turns that change nothing; limits and
// interrupts say where everything stands.
// Rules: FLAG-10, BUF-8, ISSUE-5, S8, STD-3, SYNCEX-2.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

using namespace ptoscope;

namespace {
struct DeadlockTest : ::testing::Test, Bench {
  uint32_t load = site("pto.mte_gm_ub", 5), set = site("pto.set_flag", 10), wait = site("pto.wait_flag", 20),
           barrier = site("pto.barrier", 30), scope = site("pto.vecscope", 40), other = site("pto.wait_flag", 25),
           loop = site("scf.while", 50);
  uint64_t x = pattern(64);

  /// The report, the same under every schedule.
  std::string everywhere(const Program &program) {
    std::string text;
    for (unsigned i = 0; i < 8; ++i) {
      options.schedule = i == 0   ? Schedule{ScheduleKind::Eager, 0}
                         : i == 1 ? Schedule{ScheduleKind::Lazy, 0}
                                  : Schedule{ScheduleKind::Random, i};
      LaunchResult r = run(program);
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

TEST_F(DeadlockTest, SetIsMissing) {
  Scope nothing = [](PtoContext *) {};
  EXPECT_EQ(everywhere([&](Su &su) {
              su.at(load).load({.src = x, .len = 64});
              su.at(wait).wait(Pipe::MTE2, Pipe::V, 2);
              su.at(scope).scope(nothing);
              su.at(scope).scope(nothing);
            }),
            "k.pto:20: deadlock: PIPE_V waits forever for flag PIPE_MTE2 -> PIPE_V, EVENT_ID2: no set of this "
            "flag "
            "was ever issued\n"
            "  note 20: PIPE_V waits here for flag PIPE_MTE2 -> PIPE_V, EVENT_ID2: no set of this flag was ever "
            "issued; 2 instructions are queued behind it, first `pto.vecscope` at k.pto:40:5\n"
            "  help: issue `pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]` before the kernel ends, after "
            "the "
            "work on PIPE_MTE2 that PIPE_V needs, or remove the wait\n");
}

TEST_F(DeadlockTest, OneSetForTwoWaits) {
  std::string text = everywhere([&](Su &su) {
    su.at(set).set(Pipe::MTE2, Pipe::V);
    su.at(wait).wait(Pipe::MTE2, Pipe::V);
    su.at(other).wait(Pipe::MTE2, Pipe::V);
  });
  EXPECT_NE(text.find("k.pto:25: deadlock"), std::string::npos);
  EXPECT_NE(text.find("this is wait number 2 of the flag, and only 1 set was issued"), std::string::npos);
}

TEST_F(DeadlockTest, ScalarUnitWaitsForASetItWouldIssueLater) {
  EXPECT_EQ(everywhere([&](Su &su) {
              su.at(wait).wait(Pipe::V, Pipe::S);
              su.at(set).set(Pipe::V, Pipe::S);
            }),
            "k.pto:20: deadlock: the scalar unit waits forever for flag PIPE_V -> PIPE_S, EVENT_ID0: no set "
            "of this "
            "flag was ever issued; the scalar unit is blocked at k.pto:20:5 and issues nothing more\n"
            "  help: issue `pto.set_flag[\"PIPE_V\", \"PIPE_S\", \"EVENT_ID0\"]` before the scalar unit "
            "stops, after "
            "the work on PIPE_V that PIPE_S needs, or remove the wait\n");
}

TEST_F(DeadlockTest, BarrierBehindAMissingSet) {
  std::string text = everywhere([&](Su &su) {
    su.at(wait).wait(Pipe::MTE2, Pipe::V);
    su.at(barrier).barrier(Pipe::All);
    su.at(set).set(Pipe::MTE2, Pipe::V);
  });
  EXPECT_NE(text.find("k.pto:20: deadlock: PIPE_V waits forever"), std::string::npos) << text;
  EXPECT_NE(text.find("note 30: the scalar unit waits here for every pipe to become idle"), std::string::npos) << text;
  EXPECT_NE(text.find("the scalar unit is blocked at k.pto:30:5 and issues nothing more"), std::string::npos) << text;
}

TEST_F(DeadlockTest, CycleOfTwoPipes) {
  EXPECT_EQ(everywhere([&](Su &su) {
              su.at(wait).wait(Pipe::MTE2, Pipe::V, 0);
              su.at(set).set(Pipe::V, Pipe::MTE2, 1);
              su.at(other).wait(Pipe::V, Pipe::MTE2, 1);
              su.at(set).set(Pipe::MTE2, Pipe::V, 0);
            }),
            "k.pto:20: deadlock: PIPE_V waits forever for flag PIPE_MTE2 -> PIPE_V, EVENT_ID0: its set "
            "(k.pto:10:5) is "
            "queued on PIPE_MTE2 behind `pto.wait_flag` at k.pto:25:5, which cannot start\n"
            "  note 20: PIPE_V waits here for flag PIPE_MTE2 -> PIPE_V, EVENT_ID0: its set (k.pto:10:5) is queued "
            "on "
            "PIPE_MTE2 behind `pto.wait_flag` at k.pto:25:5, which cannot start; 1 instruction is queued behind "
            "it, "
            "first `pto.set_flag` at k.pto:10:5\n"
            "  note 25: PIPE_MTE2 waits here for flag PIPE_V -> PIPE_MTE2, EVENT_ID1: its set (k.pto:10:5) is "
            "queued "
            "on PIPE_V behind `pto.wait_flag` at k.pto:20:5, which cannot start; 1 instruction is queued behind "
            "it, "
            "first `pto.set_flag` at k.pto:10:5\n"
            "  note 0: wait-for cycle: PIPE_V -> PIPE_MTE2 -> PIPE_V\n"
            "  help: move a set before the wait that blocks its own pipe, to break the cycle of waits\n");
}

TEST_F(DeadlockTest, BufferIdsMixedWithFlags) {
  // V releases only after a flag that MTE2 sets after acquiring the buffer.
  std::string text = everywhere([&](Su &su) {
    su.get(Pipe::V, 3);
    su.at(wait).wait(Pipe::MTE2, Pipe::V);
    su.at(set).rls(Pipe::V, 3);
    su.at(other).get(Pipe::MTE2, 3);
    su.at(set).set(Pipe::MTE2, Pipe::V);
  });
  EXPECT_NE(text.find("PIPE_MTE2 waits here for buffer id 3: the release (k.pto:10:5) is queued on PIPE_V"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("wait-for cycle: PIPE_V -> PIPE_MTE2 -> PIPE_V"), std::string::npos) << text;
}

TEST_F(DeadlockTest, FoundWithChecksOff) {
  options.checks = Checks::none();
  LaunchResult r = run([&](Su &su) { su.at(wait).wait(Pipe::MTE2, Pipe::V); });
  EXPECT_EQ(codesOf(r), "deadlock");
}

TEST_F(DeadlockTest, LivelockAfterAFewTurnsThatChangeNothing) {
  for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random}) {
    options.schedule.kind = kind;
    uint64_t turns = 0;
    LaunchResult r = run([&](Su &su) {
      turns = 0;
      while (!su.stop && su.loadScalar(Space::Gm, x) != 12345) {
        ++turns;
        su.at(loop).yield(77);
      }
    });
    EXPECT_EQ(codesOf(r), "livelock");
    EXPECT_EQ(turns, 17u);
    EXPECT_EQ(r.findings.all()[0].place.line, 50u);
  }
}

TEST_F(DeadlockTest, PollingForQueuedWorkIsNoLivelock) {
  for (unsigned i = 0; i < 20; ++i) {
    options.schedule = i == 0   ? Schedule{ScheduleKind::Eager, 0}
                       : i == 1 ? Schedule{ScheduleKind::Lazy, 0}
                                : Schedule{ScheduleKind::Random, i};
    uint32_t first;
    std::copy_n(buffers[0].begin(), 4, reinterpret_cast<uint8_t *>(&first));
    LaunchResult r = run([&](Su &su) {
      su.at(load).load({.src = x, .len = 32, .count = 2, .srcStride = 32, .dstStride = 32});
      while (!su.stop && su.loadScalar(Space::Ub, 0) != first)
        su.at(loop).yield();
    });
    EXPECT_EQ(codesOf(r), "") << i << textOf(r);
  }
}

TEST_F(DeadlockTest, LoopsThatDoChangeSomething) {
  uint32_t outer = site("scf.while", 60), inner = site("scf.while", 61, 1, outer);
  // Carried values, memory, CTRL and finite loops are progress.
  LaunchResult r = run([&](Su &su) {
    for (uint64_t i = 0; i < 100; ++i)
      su.at(loop).yield(i);
    for (uint64_t i = 0; i < 100; ++i) {
      su.storeScalar(Space::Ub, 0, i);
      su.at(loop).yield();
    }
    for (int64_t i = 0; i < 100; ++i) {
      su.ctrl(i);
      su.at(loop).yield();
    }
    for (int i = 0; i < 100; ++i)
      su.at(loop).yield(0, true);
    // An inner loop that looks the same in every turn of an outer one.
    for (uint64_t i = 0; i < 100; ++i) {
      su.at(inner).yield(1);
      su.at(outer).yield(i);
    }
  });
  EXPECT_EQ(codesOf(r), "") << textOf(r);
  // The outer loop itself is judged too, whatever finite loops it contains.
  uint32_t finite = site("scf.for", 62, 1, outer);
  r = run([&](Su &su) {
    for (int i = 0; i < 100 && !su.stop; ++i) {
      for (int k = 0; k < 3; ++k)
        su.at(finite).yield(uint64_t(k), true);
      su.at(outer).yield();
    }
  });
  EXPECT_EQ(codesOf(r), "livelock");
  // A store of the same value changes nothing.
  r = run([&](Su &su) {
    for (int i = 0; i < 100 && !su.stop; ++i) {
      su.storeScalar(Space::Ub, 0, 0);
      su.at(outer).yield();
    }
  });
  EXPECT_EQ(codesOf(r), "livelock");
}

TEST_F(DeadlockTest, MaxSteps) {
  options.maxSteps = 1000;
  uint64_t turns = 0;
  LaunchResult r = run([&](Su &su) {
    su.at(wait).wait(Pipe::MTE2, Pipe::V);
    for (turns = 0; !su.stop; ++turns)
      su.at(loop).yield(turns);
  });
  EXPECT_EQ(codesOf(r), "max-steps");
  EXPECT_EQ(turns, 1000u);
  EXPECT_EQ(textOf(r),
            "k.pto:50: max-steps: the block took more than 1000 steps\n"
            "  note 50: the scalar unit is here, at `scf.while`\n"
            "  note 0: PIPE_MTE3 is idle\n"
            "  note 20: PIPE_V has 1 instruction queued, and waits here for flag PIPE_MTE2 -> PIPE_V, EVENT_ID0\n"
            "  note 0: PIPE_MTE2 is idle\n"
            "  help: raise `--max-steps` if the kernel is just long; otherwise find out why the loop does not end\n");
  options.maxSteps = 1001;
  r = run([&](Su &su) {
    for (turns = 0; turns < 1001; ++turns)
      su.at(loop).yield(turns);
  });
  EXPECT_EQ(codesOf(r), "");
}

TEST_F(DeadlockTest, Interrupt) {
  std::atomic<bool> interrupt = false;
  options.interrupt = &interrupt;
  uint64_t turns = 0;
  LaunchResult r = run([&](Su &su) {
    for (turns = 0; !su.stop; ++turns) {
      interrupt = turns > 5000;
      su.at(loop).yield(turns);
    }
  });
  EXPECT_EQ(codesOf(r), "interrupted");
  EXPECT_LT(turns, 6000u);
  EXPECT_FALSE(r.completed);
}

TEST_F(DeadlockTest, QueueExhausted) {
  options.checks = Checks::none();
  for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random}) {
    options.schedule.kind = kind;
    uint64_t issued = 0;
    LaunchResult r = run([&](Su &su) {
      for (issued = 0; !su.stop && issued < (uint64_t(8) << 20); ++issued)
        su.at(wait).wait(Pipe::MTE2, Pipe::V);
    });
    EXPECT_EQ(codesOf(r), "queue-exhausted");
    EXPECT_GT(issued, uint64_t(1) << 20);
  }
}

TEST_F(DeadlockTest, LookAheadDoesNotDecideTheVerdict) {
  // The set comes after far more queued work than the look-ahead cap.
  for (ScheduleKind kind : {ScheduleKind::Eager, ScheduleKind::Lazy, ScheduleKind::Random}) {
    options.schedule.kind = kind;
    Scope nothing = [](PtoContext *) {};
    LaunchResult r = run([&](Su &su) {
      su.wait(Pipe::MTE2, Pipe::V);
      for (int i = 0; i < 20000; ++i)
        su.scope(nothing);
      su.set(Pipe::MTE2, Pipe::V);
    });
    EXPECT_EQ(codesOf(r), "");
    EXPECT_EQ(r.stats.scopes, 20000u);
  }
}

TEST_F(DeadlockTest, FailuresOfTheProgram) {
  uint32_t step = site("scf.for", 70);
  auto failing = [&](uint32_t failure, int64_t value) {
    LaunchResult r = run([&](Su &su) { su.issue([&] { return ptosc_fail(su.context, step, failure, value); }); });
    EXPECT_FALSE(r.completed);
    return r.findings.all()[0].code + ": " + r.findings.all()[0].message;
  };
  EXPECT_EQ(failing(PTO_FAIL_LOOP_STEP, -2), "loop-step: the step of `scf.for` is -2");
  EXPECT_EQ(failing(PTO_FAIL_DIVISION, 0), "division: the divisor of `scf.for` is 0");
  EXPECT_EQ(failing(PTO_FAIL_DIVISION, 1), "division: `scf.for` divides the smallest number of its type by -1");
  EXPECT_EQ(failing(PTO_FAIL_SHIFT, 64), "shift-range: `scf.for` shifts by 64, which is outside the width of its type");
  EXPECT_EQ(failing(PTO_FAIL_TRAP, 0), "trap: the program reached `scf.for`");
  EXPECT_EQ(failing(99, 0), "internal-error: failure number 99 does not exist");
}
