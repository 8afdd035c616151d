//===- ScheduleTest.cpp - same bytes without races, others with -----------===//
//
// Random race-free programs give the same bytes under every schedule; programs
// with a missing edge give different bytes under some seed.
// Rules: ISSUE-1, ISSUE-2, HB2, HB4, RACE-1.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>
#include <random>
#include <set>

using namespace ptoscope;

namespace {
struct ScheduleTest : ::testing::Test, Bench {
  /// All results of buffer `index` over eager, lazy and `seeds` random runs.
  std::set<std::vector<uint8_t>> outcomes(const Program &program, size_t index, unsigned seeds) {
    std::deque<std::vector<uint8_t>> before = buffers;
    std::set<std::vector<uint8_t>> results;
    for (unsigned i = 0; i < seeds + 2; ++i) {
      options.schedule = i == 0   ? Schedule{ScheduleKind::Eager, 0}
                         : i == 1 ? Schedule{ScheduleKind::Lazy, 0}
                                  : Schedule{ScheduleKind::Random, i};
      for (size_t b = 0; b < buffers.size(); ++b)
        std::copy(before[b].begin(), before[b].end(), buffers[b].begin());
      LaunchResult r = run(program);
      EXPECT_TRUE(r.completed) << textOf(r);
      results.insert(buffers[index]);
    }
    return results;
  }
};

void addOne(PtoContext *c, size_t from, size_t to, size_t bytes) {
  uint8_t *ub = c->local[size_t(Space::Ub)];
  for (size_t i = 0; i < bytes; ++i)
    ub[to + i] = uint8_t(ub[from + i] + 1);
}
} // namespace

TEST_F(ScheduleTest, MissingFlagChangesBytes) {
  uint64_t x = pattern(256), out = buffer(256);
  Scope body = [](PtoContext *c) { addOne(c, 0, 1024, 256); };
  auto program = [&](bool flag1, bool flag2) {
    return [&, flag1, flag2](Su &su) {
      su.load({.src = x, .len = 256});
      if (flag1) {
        su.set(Pipe::MTE2, Pipe::V);
        su.wait(Pipe::MTE2, Pipe::V);
      }
      su.scope(body);
      if (flag2) {
        su.set(Pipe::V, Pipe::MTE3);
        su.wait(Pipe::V, Pipe::MTE3);
      }
      su.store({.src = 1024, .dst = out, .len = 256});
    };
  };
  EXPECT_EQ(outcomes(program(true, true), 1, 30).size(), 1u);
  EXPECT_GT(outcomes(program(false, true), 1, 30).size(), 1u);
  EXPECT_GT(outcomes(program(true, false), 1, 30).size(), 1u);
}

TEST_F(ScheduleTest, LazyShowsAMissingFlagByItself) {
  uint64_t x = pattern(64), out = buffer(64);
  options.schedule.kind = ScheduleKind::Lazy;
  run([&](Su &su) {
    su.load({.src = x, .len = 64});
    su.store({.dst = out, .len = 64});
  });
  EXPECT_EQ(buffers[1], std::vector<uint8_t>(64));
}

TEST_F(ScheduleTest, TransfersOfOnePipeAreUnorderedWithoutABarrier) {
  uint64_t a = pattern(256, 1), b = pattern(256, 2), out = buffer(256);
  auto program = [&](bool barrier) {
    return [&, barrier](Su &su) {
      su.load({.src = a, .dst = 0, .len = 256});
      su.load({.src = b, .dst = 256, .len = 256});
      su.barrier(Pipe::All);
      Move rows{.dst = out, .len = 32, .count = 8, .srcStride = 32, .dstStride = 32};
      su.store(rows);
      if (barrier)
        su.barrier(Pipe::MTE3);
      rows.src = 256;
      su.store(rows);
    };
  };
  EXPECT_EQ(outcomes(program(true), 2, 40).size(), 1u);
  std::set<std::vector<uint8_t>> mixed = outcomes(program(false), 2, 40);
  // Not only one or the other: rows interleave.
  EXPECT_GT(mixed.size(), 2u);
}

TEST_F(ScheduleTest, ScalarUnitRunsAheadOfPipes) {
  uint64_t out = buffer(64);
  auto program = [&](bool flag) {
    return [&, flag](Su &su) {
      su.storeScalar(Space::Ub, 0, 1);
      su.set(Pipe::S, Pipe::MTE3);
      su.wait(Pipe::S, Pipe::MTE3);
      su.store({.dst = out, .len = 32});
      if (flag) {
        su.set(Pipe::MTE3, Pipe::S);
        su.wait(Pipe::MTE3, Pipe::S);
      }
      su.storeScalar(Space::Ub, 0, 2);
    };
  };
  EXPECT_EQ(outcomes(program(true), 0, 30).size(), 1u);
  EXPECT_EQ(outcomes(program(false), 0, 30).size(), 2u);
}

TEST_F(ScheduleTest, RandomRaceFreeProgramsGiveOneResult) {
  // A pipeline of random length with ping-pong buffers, flags one way and
  // buffer ids or flags the other way, against the eager result.
  std::mt19937 rng(5);
  for (int round = 0; round < 12; ++round) {
    Bench fresh;
    int64_t tiles = 1 + int64_t(rng() % 9), slots = 1 + int64_t(rng() % 3), bytes = 32 * (1 + int64_t(rng() % 8));
    bool useBuffers = rng() % 2;
    uint64_t x = fresh.pattern(size_t(tiles * bytes), uint32_t(round)), out = fresh.buffer(size_t(tiles * bytes));
    std::deque<Scope> bodies;
    for (int64_t s = 0; s < slots; ++s)
      bodies.push_back([=](PtoContext *c) { addOne(c, size_t(s * 512), size_t(4096 + s * 512), size_t(bytes)); });
    std::vector<uint8_t> expected = fresh.buffers[0];
    for (uint8_t &b : expected)
      ++b;
    Program program = [&](Su &su) {
      if (!useBuffers)
        for (int64_t s = 0; s < slots; ++s) {
          su.set(Pipe::V, Pipe::MTE2, s);
          su.set(Pipe::MTE3, Pipe::V, s);
        }
      for (int64_t i = 0; i < tiles; ++i) {
        int64_t s = i % slots;
        uint64_t in = uint64_t(s * 512), mid = uint64_t(4096 + s * 512), at = uint64_t(i * bytes);
        Move load{.src = x + at, .dst = in, .len = 32, .count = bytes / 32, .srcStride = 32, .dstStride = 32};
        Move store{.src = mid, .dst = out + at, .len = 32, .count = bytes / 32, .srcStride = 32, .dstStride = 32};
        if (useBuffers) {
          su.get(Pipe::MTE2, s);
          su.load(load);
          su.rls(Pipe::MTE2, s);
          su.get(Pipe::V, s);
          su.get(Pipe::V, 8 + s);
          su.scope(bodies[size_t(s)]);
          su.rls(Pipe::V, s);
          su.rls(Pipe::V, 8 + s);
          su.get(Pipe::MTE3, 8 + s);
          su.store(store);
          su.rls(Pipe::MTE3, 8 + s);
        } else {
          su.wait(Pipe::V, Pipe::MTE2, s);
          su.load(load);
          su.set(Pipe::MTE2, Pipe::V, s);
          su.wait(Pipe::MTE2, Pipe::V, s);
          su.wait(Pipe::MTE3, Pipe::V, s);
          su.scope(bodies[size_t(s)]);
          su.set(Pipe::V, Pipe::MTE2, s);
          su.set(Pipe::V, Pipe::MTE3, s);
          su.wait(Pipe::V, Pipe::MTE3, s);
          su.store(store);
          su.set(Pipe::MTE3, Pipe::V, s);
        }
      }
      if (!useBuffers)
        for (int64_t s = 0; s < slots; ++s) {
          su.wait(Pipe::V, Pipe::MTE2, s);
          su.wait(Pipe::MTE3, Pipe::V, s);
        }
    };
    for (unsigned i = 0; i < 25; ++i) {
      fresh.options.schedule = i == 0   ? Schedule{ScheduleKind::Eager, 0}
                               : i == 1 ? Schedule{ScheduleKind::Lazy, 0}
                                        : Schedule{ScheduleKind::Random, i};
      std::fill(fresh.buffers[1].begin(), fresh.buffers[1].end(), uint8_t(0));
      LaunchResult r = fresh.run(program);
      ASSERT_EQ(codesOf(r), "") << textOf(r);
      ASSERT_EQ(fresh.buffers[1], expected) << "round " << round << " schedule " << i;
    }
  }
}

TEST_F(ScheduleTest, SameSeedSameBytes) {
  uint64_t a = pattern(256, 1), b = pattern(256, 2), out = buffer(256);
  Program racy = [&](Su &su) {
    Move rows{.src = a, .len = 32, .count = 8, .srcStride = 32, .dstStride = 32};
    su.load(rows);
    rows.src = b;
    su.load(rows);
    su.set(Pipe::MTE2, Pipe::MTE3);
    su.wait(Pipe::MTE2, Pipe::MTE3);
    su.store({.dst = out, .len = 256});
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    options.schedule = {ScheduleKind::Random, seed};
    run(racy);
    std::vector<uint8_t> first = buffers[2];
    run(racy);
    EXPECT_EQ(buffers[2], first);
  }
}

TEST_F(ScheduleTest, CapturesTravelWithTheScope) {
  static std::vector<uint64_t> seen;
  seen.clear();
  options.schedule.kind = ScheduleKind::Lazy;
  run([&](Su &su) {
    for (uint64_t i = 0; i < 3; ++i) {
      uint64_t captures[2] = {i, i * i};
      su.issue([&] {
        return ptosc_scope(
            su.context, 0, [](PtoContext *, const uint64_t *c) { seen.push_back(c[0] * 100 + c[1]); }, captures, 2);
      });
    }
    EXPECT_TRUE(seen.empty());
  });
  EXPECT_EQ(seen, (std::vector<uint64_t>{0, 101, 204}));
}

TEST_F(ScheduleTest, LazyRunsOnlyWhatIsNeeded) {
  uint64_t x = pattern(64);
  options.schedule.kind = ScheduleKind::Lazy;
  bool ran = false;
  Scope mark = [&](PtoContext *) { ran = true; };
  run([&](Su &su) {
    su.scope(mark);
    su.load({.src = x, .len = 32});
    su.set(Pipe::MTE2, Pipe::S);
    su.load({.src = x + 32, .dst = 32, .len = 32});
    su.wait(Pipe::MTE2, Pipe::S);
    uint8_t *ub = su.context->local[size_t(Space::Ub)];
    EXPECT_EQ(std::memcmp(ub, buffers[0].data(), 32), 0);
    EXPECT_EQ(std::vector<uint8_t>(ub + 32, ub + 64), std::vector<uint8_t>(32));
    EXPECT_FALSE(ran);
  });
  EXPECT_TRUE(ran);
}
