//===- ClusterTest.cpp - the three cores of a mixed block -----------------===//
//
// Who runs, who sees which memory, and transfers between the cores' memories.
// Rules: MIX-3, MIX-4, QUERY-1, QUERY-2, QUERY-3, QUERY-4, LAUNCH-5.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>

using namespace ptoscope;

namespace {
struct ClusterTest : ::testing::Test, Bench {
  Program nothing = [](Su &) {};
};
uint8_t *memory(Su &su, Space space) { return su.context->local[size_t(space)]; }
} // namespace

TEST_F(ClusterTest, Queries) {
  options.blocks = 2;
  std::vector<std::array<int64_t, 4>> cubes, vectors;
  auto note = [](auto &list) {
    return [&list](Su &su) {
      PtoContext *c = su.context;
      list.push_back({c->blockIdx, c->blockNum, c->subblockIdx, c->subblockNum});
    };
  };
  LaunchResult r = runMixed(note(cubes), note(vectors));
  EXPECT_EQ(codesOf(r), "");
  EXPECT_TRUE(r.completed);
  EXPECT_EQ(r.stats.blocksDone, 2);
  using Rows = std::vector<std::array<int64_t, 4>>;
  EXPECT_EQ(cubes, (Rows{{0, 2, 0, 2}, {1, 2, 0, 2}}));
  EXPECT_EQ(vectors, (Rows{{0, 2, 0, 2}, {0, 2, 1, 2}, {1, 2, 0, 2}, {1, 2, 1, 2}}));
}

TEST_F(ClusterTest, WhoSeesWhichMemory) {
  uint8_t *l1 = nullptr, *ub[2] = {};
  uint8_t *l1OfVector[2] = {}, *ubOfCube = nullptr;
  runMixed(
      [&](Su &su) {
        l1 = memory(su, Space::L1);
        ubOfCube = memory(su, Space::Ub);
        for (Space space : {Space::L0A, Space::L0B, Space::L0C, Space::Bt, Space::Fb, Space::L0AMx, Space::L0BMx})
          EXPECT_NE(memory(su, space), nullptr);
      },
      [&](Su &su) {
        int64_t k = su.context->subblockIdx;
        ub[k] = memory(su, Space::Ub);
        l1OfVector[k] = memory(su, Space::L1);
        EXPECT_EQ(memory(su, Space::L0A), nullptr);
        EXPECT_EQ(memory(su, Space::L0AMx), nullptr);
      });
  ASSERT_NE(l1, nullptr);
  EXPECT_EQ(l1OfVector[0], l1);
  EXPECT_EQ(l1OfVector[1], l1);
  EXPECT_NE(ub[0], nullptr);
  EXPECT_NE(ub[0], ub[1]);
  EXPECT_EQ(ubOfCube, ub[0]);
}

TEST_F(ClusterTest, OneCoreUnlessBothProgramsExist) {
  int cubes = 0, vectors = 0;
  run([&](Su &su) {
    ++vectors;
    EXPECT_EQ(su.context->subblockNum, 1);
  });
  run([&](Su &) { ++cubes; }, true);
  EXPECT_EQ(cubes, 1);
  EXPECT_EQ(vectors, 1);
}

TEST_F(ClusterTest, MemoriesAreZeroInEveryBlock) {
  options.blocks = 3;
  uint64_t x = pattern(64);
  bool clean = true;
  runMixed(
      [&](Su &su) {
        for (int i = 0; i < 64; ++i)
          clean &= memory(su, Space::L1)[i] == 0;
        su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .len = 64});
        su.barrier(Pipe::All);
      },
      [&](Su &su) {
        for (int i = 0; i < 64; ++i)
          clean &= memory(su, Space::Ub)[i] == 0;
        su.load({.src = x, .len = 64});
      });
  EXPECT_TRUE(clean);
}

TEST_F(ClusterTest, PathsBetweenMemories) {
  // GM -> L1 (AIC) -> UB of each AIV -> GM, and UB -> L1 -> UB of the other.
  uint64_t x = pattern(512), out = buffer(512), crossed = buffer(128);
  for (unsigned i = 0; i < 12; ++i) {
    options.schedule = schedule(i);
    std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(0));
    std::fill(buffers[2].begin(), buffers[2].end(), uint8_t(0));
    LaunchResult r = runMixed(
        [&](Su &su) {
          su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .dst = 1024, .len = 512});
          su.set(Pipe::MTE2, Pipe::MTE1);
          su.wait(Pipe::MTE2, Pipe::MTE1);
          for (int64_t k = 0; k < 2; ++k)
            su.transfer(Space::L1, Space::Ub, Pipe::MTE1,
                        {.src = 1024 + 256 * uint64_t(k), .dst = 64, .len = 256, .dstSubblock = k});
          su.set(Pipe::MTE1, Pipe::FIX);
          su.wait(Pipe::MTE1, Pipe::FIX);
          su.syncSet(Pipe::FIX, 1);
          su.syncSet(Pipe::FIX, 17);
          // AIV0 puts 64 bytes into L1; they go to AIV1, which stores them.
          su.syncWait(Pipe::MTE1, 3);
          su.transfer(Space::L1, Space::Ub, Pipe::MTE1, {.src = 0, .dst = 4096, .len = 64, .dstSubblock = 1});
          su.set(Pipe::MTE1, Pipe::FIX);
          su.wait(Pipe::MTE1, Pipe::FIX);
          su.syncSet(Pipe::FIX, 18);
        },
        [&](Su &su) {
          uint64_t k = uint64_t(su.context->subblockIdx);
          su.syncWait(Pipe::MTE3, 1);
          su.store({.src = 64, .dst = out + 256 * k, .len = 256});
          if (k == 0) {
            su.transfer(Space::Ub, Space::L1, Pipe::MTE3, {.src = 96, .dst = 0, .len = 64});
            su.syncSet(Pipe::MTE3, 3);
          } else {
            su.syncWait(Pipe::MTE3, 2);
            su.store({.src = 4096, .dst = crossed, .len = 64});
          }
        });
    ASSERT_EQ(codesOf(r), "") << i << textOf(r);
    EXPECT_EQ(buffers[1], buffers[0]) << i;
    EXPECT_EQ(std::memcmp(buffers[2].data(), buffers[0].data() + 32, 64), 0) << i;
  }
}

TEST_F(ClusterTest, BoundsOfEachMemory) {
  uint64_t x = pattern(64);
  auto cube = [&](Space from, Space to, Pipe pipe, Move m) {
    return codesOf(runMixed([&](Su &su) { su.transfer(from, to, pipe, m); }, nothing));
  };
  auto vector = [&](Space from, Space to, Pipe pipe, Move m) {
    return codesOf(runMixed(nothing, [&](Su &su) { su.transfer(from, to, pipe, m); }));
  };
  EXPECT_EQ(cube(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .dst = 524288 - 64, .len = 64}), "");
  EXPECT_EQ(cube(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .dst = 524288 - 32, .len = 64}), "local-out-of-bounds");
  EXPECT_EQ(cube(Space::Gm, Space::L1, Pipe::MTE2, {.src = x, .dst = 16, .len = 64}), "ub-misaligned");
  EXPECT_EQ(cube(Space::L1, Space::Ub, Pipe::MTE1, {.dst = 262144 - 32, .len = 64, .dstSubblock = 1}),
            "ub-out-of-bounds");
  EXPECT_EQ(cube(Space::L1, Space::Ub, Pipe::MTE1, {.src = 524288, .len = 32}), "local-out-of-bounds");
  EXPECT_EQ(cube(Space::L1, Space::Ub, Pipe::MTE1, {.len = 32, .dstSubblock = 2}), "transfer-operand");
  EXPECT_EQ(vector(Space::Ub, Space::L1, Pipe::MTE3, {.dst = 524288 - 32, .len = 32}), "");
  EXPECT_EQ(vector(Space::Ub, Space::L1, Pipe::MTE3, {.dst = 524288, .len = 32}), "local-out-of-bounds");
  EXPECT_EQ(vector(Space::Ub, Space::Ub, Pipe::V, {.dst = 262144, .len = 32}), "ub-out-of-bounds");
  EXPECT_EQ(vector(Space::Ub, Space::L0A, Pipe::MTE3, {.len = 32}), "internal-error");
  EXPECT_EQ(vector(Space::L1, Space::Ub, Pipe::MTE1, {.len = 32}), "internal-error");
}

TEST_F(ClusterTest, AStopOfOneCoreStopsItsBlockOnly) {
  options.blocks = 3;
  uint32_t trap = site("pto.trap", 9);
  std::vector<int64_t> ended;
  LaunchResult r = runMixed(
      [&](Su &su) {
        if (su.context->blockIdx == 1)
          su.issue([&] { return ptosc_fail(su.context, trap, PTO_FAIL_TRAP, 0); });
        su.syncSet(Pipe::FIX, 0);
        su.syncSet(Pipe::FIX, 16);
      },
      [&](Su &su) {
        su.syncWait(Pipe::S, 0);
        if (!su.stop)
          ended.push_back(su.context->blockIdx);
      });
  EXPECT_EQ(codesOf(r), "trap");
  EXPECT_EQ(ended, (std::vector<int64_t>{0, 0, 2, 2}));
  EXPECT_EQ(r.stats.blocksDone, 2);
}

TEST_F(ClusterTest, StrayAccessesTrapOnFibers) {
  options.checks = Checks::none();
  uint32_t scope = site("pto.vecscope", 12);
  Scope stray = [](PtoContext *c) {
    c->local[size_t(Space::Ub)][300000] = 1; // beyond 256 KiB: the guard opens the page
  };
  LaunchResult r = runMixed([&](Su &su) { su.syncWait(Pipe::S, 0); },
                            [&](Su &su) {
                              if (su.context->subblockIdx == 1)
                                su.at(scope).scope(stray);
                              su.syncSet(Pipe::MTE3, 0);
                            });
  EXPECT_EQ(codesOf(r), "ub-out-of-bounds");
}

TEST_F(ClusterTest, ThreadsDoNotChangeAnything) {
  std::string first;
  std::vector<uint8_t> bytes;
  for (unsigned threads : {1u, 2u, 4u}) {
    Bench bench;
    uint64_t x = bench.pattern(32 * 128), out = bench.buffer(32 * 128), sum = bench.buffer(64);
    uint32_t bad = bench.site("pto.mte_gm_ub", 7);
    auto *floats = reinterpret_cast<float *>(bench.buffers[0].data());
    for (int i = 0; i < 32 * 32; ++i)
      floats[i] = float(i % 41) * 0.3f * (i % 5 ? 1.0f : 1e7f);
    bench.options.blocks = 32;
    bench.options.threads = threads;
    bench.options.maxFindings = 100;
    LaunchResult r = bench.runMixed(
        [&](Su &su) {
          su.transfer(Space::Gm, Space::L1, Pipe::MTE2, {.src = x + 128 * uint64_t(su.context->blockIdx), .len = 128});
          su.barrier(Pipe::All);
          for (int64_t k = 0; k < 2; ++k)
            su.transfer(Space::L1, Space::Ub, Pipe::MTE1, {.src = 64 * uint64_t(k), .len = 64, .dstSubblock = k});
          su.syncSet(Pipe::All, 0);
          su.syncSet(Pipe::All, 16);
        },
        [&](Su &su) {
          uint64_t k = uint64_t(su.context->subblockIdx), b = uint64_t(su.context->blockIdx);
          su.syncWait(Pipe::MTE3, 0);
          su.store({.dst = out + 128 * b + 64 * k, .len = 64});
          su.ctrl(1 << 6);
          if (k == 0)
            su.store({.dst = sum, .len = 64});
          if (b % 7 == 3)
            su.at(bad).load({.src = x, .dst = 4 * k + 4, .len = 32});
        });
    std::string text = textOf(r) + std::to_string(r.stats.instructions) + " " + std::to_string(r.stats.flags) + " " +
                       std::to_string(r.stats.transferBytes);
    if (first.empty()) {
      first = text;
      bytes = bench.buffers[2];
      EXPECT_EQ(bench.buffers[1], bench.buffers[0]);
      float expected = 0;
      for (int b = 0; b < 32; ++b)
        expected += floats[b * 32];
      float got;
      std::memcpy(&got, bytes.data(), 4);
      EXPECT_EQ(got, expected);
    }
    EXPECT_EQ(text, first) << threads;
    EXPECT_EQ(bench.buffers[2], bytes) << threads;
  }
}

TEST_F(ClusterTest, PollingAnotherCoreIsNoLivelock) {
  uint64_t flag = buffer(64);
  uint32_t loop = site("scf.while", 30);
  for (unsigned i = 0; i < 12; ++i) {
    options.schedule = schedule(i);
    std::fill(buffers[0].begin(), buffers[0].end(), uint8_t(0));
    // Each core waits for the one before it; the last to get its turn starts.
    LaunchResult r = runMixed(
        [&](Su &su) {
          while (!su.stop && su.loadScalar(Space::Gm, flag) != 1)
            su.at(loop).yield();
        },
        [&](Su &su) {
          if (su.context->subblockIdx == 0) {
            while (!su.stop && su.loadScalar(Space::Gm, flag + 32) != 1)
              su.at(loop).yield();
            su.storeScalar(Space::Gm, flag, 1);
          } else {
            for (uint64_t k = 0; k < 1000; ++k)
              su.at(loop).yield(k);
            su.storeScalar(Space::Gm, flag + 32, 1);
          }
        });
    EXPECT_EQ(codesOf(r), "") << i << textOf(r);
  }
}
