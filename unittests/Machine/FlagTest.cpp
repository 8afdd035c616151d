//===- FlagTest.cpp - flags, barriers and buffer ids ----------------------===//
//
// Counting, waiting before the set, SU waits, buffer brackets in both modes, and
// the findings about them. Every case runs under all schedules.
// Rules: FLAG-2, FLAG-3, FLAG-4, FLAG-7, FLAG-8, FLAG-9, S3, S4, S9, BUF-2, BUF-3, BUF-7,
// SYNCEX-1, SYNCEX-2, SYNCEX-3.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>

using namespace ptoscope;

namespace {
struct FlagTest : ::testing::Test, Bench {
  uint32_t setSite = site("pto.set_flag", 10), waitSite = site("pto.wait_flag", 20);

  /// Runs under eager, lazy and some random schedules; all must agree.
  std::string everywhere(const Program &program, const std::function<void()> &check = [] {}) {
    std::string codes;
    for (unsigned i = 0; i < 10; ++i) {
      options.schedule = i == 0   ? Schedule{ScheduleKind::Eager, 0}
                         : i == 1 ? Schedule{ScheduleKind::Lazy, 0}
                                  : Schedule{ScheduleKind::Random, i};
      LaunchResult r = run(program);
      if (i == 0)
        codes = codesOf(r);
      else
        EXPECT_EQ(codesOf(r), codes) << "schedule " << i << "\n" << textOf(r);
      check();
    }
    return codes;
  }
};
} // namespace

TEST_F(FlagTest, LoadComputeStore) {
  uint64_t x = pattern(256), out = buffer(256);
  Scope invert = [](PtoContext *c) {
    uint8_t *ub = c->local[size_t(Space::Ub)];
    for (int i = 0; i < 256; ++i)
      ub[1024 + i] = uint8_t(~ub[i]);
  };
  std::vector<uint8_t> expected = buffers[0];
  for (uint8_t &b : expected)
    b = uint8_t(~b);
  EXPECT_EQ(everywhere(
                [&](Su &su) {
                  std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(0));
                  su.load({.src = x, .len = 256});
                  su.set(Pipe::MTE2, Pipe::V);
                  su.wait(Pipe::MTE2, Pipe::V);
                  su.scope(invert);
                  su.set(Pipe::V, Pipe::MTE3);
                  su.wait(Pipe::V, Pipe::MTE3);
                  su.store({.src = 1024, .dst = out, .len = 256});
                },
                [&] { EXPECT_EQ(buffers[1], expected); }),
            "");
}

TEST_F(FlagTest, WaitBeforeSetIsLegal) {
  uint64_t x = pattern(64), out = buffer(64);
  EXPECT_EQ(everywhere(
                [&](Su &su) {
                  std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(0));
                  su.wait(Pipe::MTE2, Pipe::MTE3);
                  su.store({.dst = out, .len = 64});
                  su.load({.src = x, .len = 64});
                  su.set(Pipe::MTE2, Pipe::MTE3);
                },
                [&] { EXPECT_EQ(buffers[1], buffers[0]); }),
            "");
}

TEST_F(FlagTest, WaitOnTheScalarUnitRunsWhatItNeeds) {
  uint64_t x = pattern(64);
  uint32_t first;
  std::memcpy(&first, buffers[0].data(), 4);
  EXPECT_EQ(everywhere([&](Su &su) {
              su.load({.src = x, .len = 64});
              su.set(Pipe::MTE2, Pipe::S);
              su.wait(Pipe::MTE2, Pipe::S);
              EXPECT_EQ(su.loadScalar(Space::Ub, 0), first);
              su.storeScalar(Space::Ub, 0, first + 1);
              su.set(Pipe::S, Pipe::MTE3);
              su.wait(Pipe::S, Pipe::MTE3);
              su.store({.dst = x, .len = 32});
              su.barrier(Pipe::All);
              EXPECT_EQ(su.loadScalar(Space::Gm, x), first + 1);
              su.storeScalar(Space::Gm, x, first);
            }),
            "");
}

TEST_F(FlagTest, PingPongPrimedAndDrained) {
  // SYNCEX-3 with N = 1, 2, 5.
  for (int64_t n : {1, 2, 5}) {
    uint64_t x = pattern(size_t(n) * 64, uint32_t(n)), out = buffer(size_t(n) * 64);
    size_t in = buffers.size() - 2;
    EXPECT_EQ(everywhere(
                  [&](Su &su) {
                    std::fill(buffers[in + 1].begin(), buffers[in + 1].end(), uint8_t(0));
                    for (int64_t b = 0; b < 2; ++b)
                      su.set(Pipe::MTE3, Pipe::MTE2, b);
                    for (int64_t i = 0; i < n; ++i) {
                      int64_t b = i % 2;
                      su.wait(Pipe::MTE3, Pipe::MTE2, b);
                      su.load({.src = x + uint64_t(i) * 64, .dst = uint64_t(b) * 64, .len = 64});
                      su.set(Pipe::MTE2, Pipe::MTE3, b);
                      su.wait(Pipe::MTE2, Pipe::MTE3, b);
                      su.store({.src = uint64_t(b) * 64, .dst = out + uint64_t(i) * 64, .len = 64});
                      su.set(Pipe::MTE3, Pipe::MTE2, b);
                    }
                    for (int64_t b = 0; b < 2; ++b)
                      su.wait(Pipe::MTE3, Pipe::MTE2, b);
                  },
                  [&] { EXPECT_EQ(buffers[in], buffers[in + 1]); }),
              "");
  }
}

TEST_F(FlagTest, LeftoverAtTheEnd) {
  LaunchResult r = run([&](Su &su) { su.at(setSite).set(Pipe::V, Pipe::MTE2, 3); });
  EXPECT_EQ(codesOf(r), "flag-leftover");
  EXPECT_EQ(r.findings.all()[0].message,
            "flag PIPE_V -> PIPE_MTE2, EVENT_ID3 is still set when the kernel ends: 1 set, 0 waits");
  EXPECT_EQ(r.findings.all()[0].place.line, 10u);
  EXPECT_TRUE(r.completed);
  options.checks.sync = false;
  EXPECT_EQ(codesOf(run([&](Su &su) { su.set(Pipe::V, Pipe::MTE2, 3); })), "");
}

TEST_F(FlagTest, Overwritten) {
  LaunchResult r = run([&](Su &su) {
    for (int i = 0; i < 2; ++i)
      su.at(setSite).set(Pipe::MTE2, Pipe::V);
    for (int i = 0; i < 2; ++i)
      su.at(waitSite).wait(Pipe::MTE2, Pipe::V);
  });
  EXPECT_EQ(codesOf(r), "flag-overwritten");
  EXPECT_EQ(r.findings.all()[0].message,
            "`pto.set_flag` sets flag PIPE_MTE2 -> PIPE_V, EVENT_ID0 while it is still set");
}

TEST_F(FlagTest, IdsOutOfRangeEndTheBlock) {
  for (bool on : {true, false}) {
    options.checks = on ? Checks() : Checks::none();
    for (int64_t bad : {int64_t(-1), int64_t(8), INT64_MAX}) {
      LaunchResult r = run([&](Su &su) { su.at(setSite).set(Pipe::MTE2, Pipe::V, bad); });
      EXPECT_EQ(codesOf(r), "event-id-range");
      EXPECT_FALSE(r.completed);
      EXPECT_EQ(codesOf(run([&](Su &su) { su.wait(Pipe::MTE2, Pipe::V, bad); })), "event-id-range");
    }
    EXPECT_EQ(codesOf(run([&](Su &su) { su.get(Pipe::V, 32); })), "buffer-id-range");
    EXPECT_EQ(codesOf(run([&](Su &su) { su.rls(Pipe::V, -1); })), "buffer-id-range");
    EXPECT_EQ(codesOf(run([&](Su &su) { su.get(Pipe::V, 0, 2); })), "buffer-mode");
  }
  LaunchResult r = run([&](Su &su) { su.at(setSite).set(Pipe::MTE2, Pipe::V, 9); });
  EXPECT_EQ(r.findings.all()[0].message, "event id 9 is outside 0..7 in `pto.set_flag`");
}

TEST_F(FlagTest, PipesTheCoreDoesNotHave) {
  EXPECT_EQ(codesOf(run([&](Su &su) { su.set(Pipe::M, Pipe::V); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.set(Pipe::V, Pipe::V); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.wait(Pipe::All, Pipe::V); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.set(Pipe(99), Pipe::V); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.barrier(Pipe::M); })), "internal-error");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.get(Pipe::All, 0); })), "internal-error");
  EXPECT_EQ(codesOf(run(
                [&](Su &su) {
                  su.set(Pipe::M, Pipe::FIX);
                  su.wait(Pipe::M, Pipe::FIX);
                },
                true)),
            "");
}

TEST_F(FlagTest, BufferBracketsOrderPipes) {
  for (int64_t mode : {0, 1}) {
    int64_t n = 5;
    uint64_t x = pattern(size_t(n) * 64, uint32_t(mode) + 3), out = buffer(size_t(n) * 64);
    size_t in = buffers.size() - 2;
    EXPECT_EQ(everywhere(
                  [&](Su &su) {
                    std::fill(buffers[in + 1].begin(), buffers[in + 1].end(), uint8_t(0));
                    for (int64_t i = 0; i < n; ++i) {
                      su.get(Pipe::MTE2, 4);
                      su.load({.src = x + uint64_t(i) * 64, .len = 64});
                      su.rls(Pipe::MTE2, 4, mode);
                      su.get(Pipe::MTE3, 4);
                      su.store({.dst = out + uint64_t(i) * 64, .len = 64});
                      su.rls(Pipe::MTE3, 4, mode);
                    }
                  },
                  [&] { EXPECT_EQ(buffers[in], buffers[in + 1]); }),
              "");
  }
}

TEST_F(FlagTest, BufferFindings) {
  EXPECT_EQ(codesOf(run([&](Su &su) {
              su.get(Pipe::V, 1);
              su.get(Pipe::MTE2, 1);
              su.get(Pipe::V, 2);
              su.rls(Pipe::V, 1);
              su.rls(Pipe::V, 2);
              su.rls(Pipe::MTE2, 1);
              su.get(Pipe::S, 1);
              su.rls(Pipe::S, 1);
            })),
            "");
  LaunchResult r = run([&](Su &su) {
    su.get(Pipe::V, 1);
    su.get(Pipe::V, 1);
    su.rls(Pipe::V, 1);
  });
  EXPECT_EQ(codesOf(r), "buffer-nested");
  EXPECT_EQ(r.findings.all()[0].message, "PIPE_V acquires buffer id 1, which it already holds");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.rls(Pipe::MTE2, 1); })), "buffer-release-unacquired");
  LaunchResult held = run([&](Su &su) { su.get(Pipe::MTE2, 3); });
  EXPECT_EQ(codesOf(held), "buffer-held");
  EXPECT_EQ(held.findings.all()[0].message, "PIPE_MTE2 still holds buffer id 3 when the kernel ends");
}

TEST_F(FlagTest, StatisticsCount) {
  uint64_t x = pattern(64);
  Scope nothing = [](PtoContext *) {};
  LaunchResult r = run([&](Su &su) {
    su.load({.src = x, .len = 32, .count = 2, .srcStride = 32, .dstStride = 32});
    su.set(Pipe::MTE2, Pipe::V);
    su.wait(Pipe::MTE2, Pipe::V);
    su.scope(nothing);
  });
  EXPECT_EQ(r.stats.instructions, 4u);
  EXPECT_EQ(r.stats.transfers, 1u);
  EXPECT_EQ(r.stats.transferBytes, 64u);
  EXPECT_EQ(r.stats.scopes, 1u);
  EXPECT_EQ(r.stats.flags, 2u);
  EXPECT_EQ(r.stats.blocksDone, 1);
}
