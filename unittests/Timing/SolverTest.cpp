//===- SolverTest.cpp - times of small programs, by hand ------------------===//
//
// Expected times are sums and maxima of what instructions cost alone.
//
//===----------------------------------------------------------------------===//

#include "Timed.h"

#include <random>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

struct SolverTest : ::testing::Test {
  TimedBench bench;
  Model model = plainModel();
  static constexpr int64_t kBytes = 4096;
  uint64_t x = bench.buffer(1 << 20), y = bench.buffer(1 << 20);
  Cost load = costOf(model, Space::Gm, Space::Ub, kBytes), copy = costOf(model, Space::Ub, Space::Ub, kBytes),
       store = costOf(model, Space::Ub, Space::Gm, kBytes);

  Move in(int64_t i) { return {.src = x + uint64_t(i * kBytes), .dst = uint64_t(i % 4 * kBytes), .len = kBytes}; }
  Move out(int64_t i) {
    return {.src = uint64_t(32768 + i % 4 * kBytes), .dst = y + uint64_t(i * kBytes), .len = kBytes};
  }
  Move over(int64_t i) {
    return {.src = uint64_t(i % 4 * kBytes), .dst = uint64_t(32768 + i % 4 * kBytes), .len = kBytes};
  }
};

TEST_F(SolverTest, TransfersOfOnePipeAddUp) {
  auto run = bench.timed(
      [&](Su &su) {
        su.load(in(0));
        su.load(in(1));
      },
      model);
  // TIME-61: latency overlaps, occupancy does not.
  EXPECT_DOUBLE_EQ(run.time.cycles, 2 * load.busy + load.latency);
  auto slices = run.kept.of(Pipe::MTE2);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_DOUBLE_EQ(slices[1].start, load.busy);
  EXPECT_DOUBLE_EQ(slices[1].visible, 2 * load.busy + load.latency);
  EXPECT_EQ(slices[0].bytes, uint64_t(kBytes));
  EXPECT_EQ(slices[0].from, Space::Gm);
}

TEST_F(SolverTest, PipesOverlapWithoutFlags) {
  auto run = bench.timed(
      [&](Su &su) {
        su.load(in(0));
        su.copy(over(1));
      },
      model);
  EXPECT_DOUBLE_EQ(run.time.cycles, std::max(load.busy + load.latency, copy.busy + copy.latency));
}

// TIME-62.
TEST_F(SolverTest, AFlagOrdersPipes) {
  uint32_t set = bench.site("pto.set_flag", 7), wait = bench.site("pto.wait_flag", 8);
  auto run = bench.timed(
      [&](Su &su) {
        su.load(in(0));
        su.at(set).set(Pipe::MTE2, Pipe::V);
        su.at(wait).wait(Pipe::MTE2, Pipe::V);
        su.at(0).copy(over(0));
      },
      model);
  EXPECT_DOUBLE_EQ(run.time.cycles, load.busy + load.latency + copy.busy + copy.latency);
  auto vector = run.kept.of(Pipe::V);
  ASSERT_EQ(vector.size(), 2u);
  EXPECT_EQ(vector[0].reason, Reason::Flag);
  EXPECT_EQ(vector[0].cause, set);
  EXPECT_EQ(vector[0].causeTrack.pipe, Pipe::MTE2);
  EXPECT_DOUBLE_EQ(vector[0].waited, load.busy + load.latency);
  ASSERT_EQ(run.kept.arrows.size(), 1u);
  EXPECT_EQ(run.kept.arrows[0].fromSite, set);
  EXPECT_EQ(run.kept.arrows[0].toSite, wait);
  EXPECT_EQ(run.kept.arrows[0].fromOrdinal, 2u);
  EXPECT_EQ(run.kept.arrows[0].toOrdinal, 1u);
}

TEST_F(SolverTest, AWaitMayBeIssuedBeforeItsSet) {
  auto run = bench.timed(
      [&](Su &su) {
        su.wait(Pipe::MTE2, Pipe::V);
        su.copy(over(0));
        su.load(in(0));
        su.set(Pipe::MTE2, Pipe::V);
      },
      model);
  EXPECT_DOUBLE_EQ(run.time.cycles, load.busy + load.latency + copy.busy + copy.latency);
}

TEST_F(SolverTest, FlagsTakeTheirLatency) {
  model.set("sync.flag.latency", 10);
  auto run = bench.timed(
      [&](Su &su) {
        su.load(in(0));
        su.set(Pipe::MTE2, Pipe::V);
        su.wait(Pipe::MTE2, Pipe::V);
        su.copy(over(0));
      },
      model);
  EXPECT_DOUBLE_EQ(run.time.cycles, load.busy + load.latency + 10 + copy.busy + copy.latency);
}

TEST_F(SolverTest, BarriersWaitForEffects) {
  uint32_t last = bench.site("pto.copy", 4);
  auto run = bench.timed(
      [&](Su &su) {
        su.load(in(0));
        su.barrier(Pipe::MTE2);
        su.load(in(1));
        su.barrier(Pipe::All);
        su.at(last).copy(over(0));
      },
      model);
  EXPECT_DOUBLE_EQ(run.time.cycles, 2 * (load.busy + load.latency) + copy.busy + copy.latency);
  auto scalar = run.kept.of(Pipe::S);
  ASSERT_EQ(scalar.size(), 1u);
  EXPECT_EQ(scalar[0].reason, Reason::Barrier);
  EXPECT_EQ(run.kept.of(Pipe::MTE2)[1].reason, Reason::Barrier);
  EXPECT_EQ(run.kept.of(Pipe::V)[0].reason, Reason::Issue);
}

TEST_F(SolverTest, BuffersOrderPipes) {
  uint32_t release = bench.site("pto.rls_buf", 4);
  auto run = bench.timed(
      [&](Su &su) {
        su.get(Pipe::MTE2, 3);
        su.load(in(0));
        su.at(release).rls(Pipe::MTE2, 3);
        su.at(0).get(Pipe::V, 3);
        su.copy(over(0));
        su.rls(Pipe::V, 3);
      },
      model);
  EXPECT_DOUBLE_EQ(run.time.cycles, load.busy + load.latency + copy.busy + copy.latency);
  auto vector = run.kept.of(Pipe::V);
  ASSERT_EQ(vector.size(), 3u);
  EXPECT_EQ(vector[0].reason, Reason::Buffer);
  EXPECT_EQ(vector[0].cause, release);
}

TEST_F(SolverTest, AReleaseOfModeOneWaitsForHolders) {
  auto run = bench.timed(
      [&](Su &su) {
        su.get(Pipe::MTE2, 3);
        su.load(in(0));
        su.get(Pipe::V, 3, 1);
        su.rls(Pipe::V, 3, 1); // waits for MTE2 too
        su.get(Pipe::MTE3, 3);
        su.store(out(0));
        su.rls(Pipe::MTE3, 3);
        su.rls(Pipe::MTE2, 3);
      },
      model);
  EXPECT_DOUBLE_EQ(run.kept.of(Pipe::MTE3)[1].start, load.busy + load.latency);
}

// TIME-60.
TEST_F(SolverTest, QueuesHoldSoMany) {
  model.set("queue.depth", 2);
  model.set("scalar.issue", 1);
  auto run = bench.timed(
      [&](Su &su) {
        for (int64_t i = 0; i < 4; ++i)
          su.load(in(i));
        su.copy(over(0));
      },
      model);
  // The fourth load is issued when the second has started, and the copy after it.
  auto loads = run.kept.of(Pipe::MTE2);
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_DOUBLE_EQ(loads[1].start, 1 + load.busy);
  EXPECT_DOUBLE_EQ(loads[3].issued, 1 + load.busy + 1);
  EXPECT_DOUBLE_EQ(run.kept.of(Pipe::V)[0].start, 1 + load.busy + 2);
  auto scalar = run.kept.of(Pipe::S);
  ASSERT_EQ(scalar.size(), 1u);
  EXPECT_EQ(scalar[0].reason, Reason::QueueFull);
  EXPECT_EQ(scalar[0].causeTrack.pipe, Pipe::MTE2);
  EXPECT_DOUBLE_EQ(scalar[0].waited, 1 + load.busy - 3);
}

// TIME-65.
TEST_F(SolverTest, LongQueuesThatADeviceLacksEndAllTheSame) {
  model.set("queue.depth", 2);
  auto run = bench.timed(
      [&](Su &su) {
        for (int64_t i = 0; i < 8; ++i) {
          su.wait(Pipe::MTE2, Pipe::V, i);
          su.copy(over(i));
        }
        for (int64_t i = 0; i < 8; ++i) {
          su.load(in(i));
          su.set(Pipe::MTE2, Pipe::V, i);
        }
      },
      model);
  EXPECT_EQ(run.kept.of(Pipe::V).size(), 16u);
  EXPECT_GE(run.time.cycles, 8 * copy.busy);
}

TEST_F(SolverTest, DoubleBufferingApproachesTheLongestStage) {
  auto cycles = [&](int64_t tiles, int64_t buffers) {
    return bench
        .timed(
            [&, tiles, buffers](Su &su) {
              for (int64_t i = 0; i < tiles; ++i) {
                const int64_t id = i % buffers;
                if (i >= buffers) {
                  su.wait(Pipe::V, Pipe::MTE2, id);
                  su.wait(Pipe::MTE3, Pipe::V, id);
                }
                su.load(in(id));
                su.set(Pipe::MTE2, Pipe::V, id);
                su.wait(Pipe::MTE2, Pipe::V, id);
                su.copy(over(id));
                su.set(Pipe::V, Pipe::MTE2, id);
                su.set(Pipe::V, Pipe::MTE3, id);
                su.wait(Pipe::V, Pipe::MTE3, id);
                su.store(out(id));
                su.set(Pipe::MTE3, Pipe::V, id);
              }
              for (int64_t id = 0; id < std::min(buffers, tiles); ++id) {
                su.wait(Pipe::V, Pipe::MTE2, id);
                su.wait(Pipe::MTE3, Pipe::V, id);
              }
            },
            model)
        .time.cycles;
  };
  constexpr int64_t kTiles = 200;
  const double stages[] = {load.busy + load.latency, copy.busy + copy.latency, store.busy + store.latency};
  const double fill = stages[0] + stages[1] + stages[2];
  // A tile takes as long as the busiest pipe, or its share of a round through two pipes
  // that hand a buffer to each other.
  for (int64_t buffers : {1, 2, 4}) {
    const double tile = std::max({load.busy, copy.busy, store.busy, (stages[0] + stages[1]) / double(buffers),
                                  (stages[1] + stages[2]) / double(buffers)});
    EXPECT_GE(cycles(kTiles, buffers), tile * (kTiles - buffers)) << buffers;
    EXPECT_LE(cycles(kTiles, buffers), tile * kTiles + fill) << buffers;
  }
  EXPECT_LT(cycles(kTiles, 2), 0.75 * cycles(kTiles, 1));
}

TEST_F(SolverTest, ChangesAreThoseOfTheProgram) {
  uint32_t set = bench.site("pto.set_flag", 7), wait = bench.site("pto.wait_flag", 8), other = bench.site("c", 9);
  Program program = [&](Su &su) {
    for (int64_t i = 0; i < 4; ++i) {
      su.at(0).load(in(0));
      su.at(set).set(Pipe::MTE2, Pipe::V);
      su.at(wait).wait(Pipe::MTE2, Pipe::V);
      su.at(other).copy(over(0));
      su.at(0).set(Pipe::V, Pipe::MTE2);
      su.at(other).wait(Pipe::V, Pipe::MTE2);
    }
  };
  auto run = bench.timed(program, model);
  const double once = load.busy + load.latency + copy.busy + copy.latency;
  EXPECT_DOUBLE_EQ(run.time.cycles, 4 * once);
  auto with = [&](Change change) { return run.timer->solve(model, nullptr, change).cycles; };
  EXPECT_DOUBLE_EQ(with({}), 4 * once);
  Change change;
  change.dropped = {set, wait};
  // Each copy starts at once, and lets the next load go.
  EXPECT_DOUBLE_EQ(with(change),
                   std::max(4 * std::max(load.busy, copy.busy + copy.latency),
                            3 * std::max(load.busy, copy.busy + copy.latency) + load.busy + load.latency));
  change = {};
  change.shorter = {{other, copy.busy / 2}};
  EXPECT_DOUBLE_EQ(with(change), 4 * (once - copy.busy / 2));
  change = {};
  change.oneEarlier = {other};
  EXPECT_LT(with(change), 4 * once);
  change = {};
  change.share = {1, 0.5, 1};
  EXPECT_DOUBLE_EQ(with(change), 2 * once); // half of the turns
}

TEST_F(SolverTest, APartOfTheWorkHasGaps) {
  // Four turns set the flag; three waits are in the loop, and the last one behind it.
  uint32_t loads = bench.site("a", 7), sets = bench.site("b", 8), waits = bench.site("c", 9),
           last = bench.site("d", 10), copies = bench.site("e", 11);
  Program program = [&](Su &su) {
    for (int64_t i = 0; i < 4; ++i) {
      if (i)
        su.at(waits).wait(Pipe::MTE2, Pipe::V);
      su.at(loads).load(in(0));
      su.at(sets).set(Pipe::MTE2, Pipe::V);
    }
    su.at(last).wait(Pipe::MTE2, Pipe::V);
    su.at(copies).copy(over(0));
  };
  auto run = bench.timed(program, model);
  EXPECT_DOUBLE_EQ(run.time.cycles, 4 * load.busy + load.latency + copy.busy + copy.latency);
  Change change;
  change.share = {1, 0.5, 1};
  // Two loads, two sets, three waits. The copy is there once, and half as long.
  EXPECT_DOUBLE_EQ(run.timer->solve(model, nullptr, change).cycles,
                   2 * load.busy + load.latency + copy.busy / 2 + copy.latency);
}

// TIME-63.
TEST_F(SolverTest, MoreBlocksThanCoresRunInTurns) {
  bench.options.blocks = 130; // of 64 cores
  model.set("launch.block", 5);
  model.set("gm.hbm.rate", 1e6); // more than all of them take
  auto run = bench.timed([&](Su &su) { su.copy(over(0)); }, model);
  EXPECT_EQ(run.time.coresUsed, 64u);
  EXPECT_EQ(run.time.coresThere, 64u);
  EXPECT_DOUBLE_EQ(run.time.cycles, 3 * (copy.busy + copy.latency) + 2 * 5);
  EXPECT_EQ(run.kept.of(Pipe::V, 64)[0].physicalCore, 0u);
  EXPECT_EQ(run.kept.of(Pipe::V, 65)[0].physicalCore, 1u);
}

} // namespace
