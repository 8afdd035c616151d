//===- SyncAllTest.cpp - barriers over all cores of a launch --------------===//
//
// Rules: SYNCALL-1, SYNCALL-2, SYNCALL-4.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>

using namespace ptoscope;

namespace {
struct SyncAllTest : ::testing::Test, Bench {
  SyncAllTest() { needsAllBlocks = true; }
  Program nothing = [](Su &) {};
  uint32_t sync = site("pto.syncall", 40);
};
} // namespace

TEST_F(SyncAllTest, BlocksExchangeData) {
  // Each block writes its part; after the barrier it reads its neighbour's.
  const int64_t kBlocks = 16;
  uint64_t x = pattern(kBlocks * 64), middle = buffer(kBlocks * 64), out = buffer(kBlocks * 64);
  options.blocks = kBlocks;
  for (unsigned threads : {1u, 3u})
    for (unsigned i = 0; i < 10; ++i) {
      options.schedule = schedule(i);
      options.threads = threads;
      std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(0));
      std::fill(buffers[2].begin(), buffers[2].end(), uint8_t(0));
      LaunchResult r = run([&](Su &su) {
        uint64_t b = uint64_t(su.context->blockIdx);
        su.load({.src = x + 64 * b, .len = 64});
        su.set(Pipe::MTE2, Pipe::MTE3);
        su.wait(Pipe::MTE2, Pipe::MTE3);
        su.store({.dst = middle + 64 * b, .len = 64});
        su.at(sync).syncAll(PTO_SYNC_AIV_ONLY); // drains the store
        su.load({.src = middle + 64 * ((b + 1) % kBlocks), .dst = 64, .len = 64});
        su.set(Pipe::MTE2, Pipe::MTE3);
        su.wait(Pipe::MTE2, Pipe::MTE3);
        su.store({.src = 64, .dst = out + 64 * b, .len = 64});
      });
      ASSERT_EQ(codesOf(r), "") << textOf(r);
      EXPECT_EQ(r.stats.blocksDone, kBlocks);
      std::vector<uint8_t> expected(buffers[0].begin() + 64, buffers[0].end());
      expected.insert(expected.end(), buffers[0].begin(), buffers[0].begin() + 64);
      EXPECT_EQ(buffers[2], expected) << i;
    }
}

TEST_F(SyncAllTest, MixJoinsEveryCoreAndKindsAreApart) {
  options.blocks = 4;
  for (unsigned i = 0; i < 8; ++i) {
    options.schedule = schedule(i);
    int cubes = 0, vectors = 0, both = 0;
    Program part = [&](Su &su) {
      bool cube = su.cube();
      ++(cube ? cubes : vectors);
      su.at(sync).syncAll(cube ? PTO_SYNC_AIC_ONLY : PTO_SYNC_AIV_ONLY);
      EXPECT_EQ(cube ? cubes : vectors, cube ? 4 : 8);
      ++both;
      su.at(sync).syncAll(PTO_SYNC_MIX);
      EXPECT_EQ(both, 12);
    };
    LaunchResult r = runMixed(part, part);
    EXPECT_EQ(codesOf(r), "") << textOf(r);
  }
}

TEST_F(SyncAllTest, TheFirstCoresOnly) {
  options.blocks = 6;
  int before = 0, all = 0;
  LaunchResult r = run([&](Su &su) {
    if (su.context->blockIdx < 4) {
      ++before;
      su.at(sync).syncAll(PTO_SYNC_AIV_ONLY, 4);
      EXPECT_EQ(before, 4);
    }
    ++all;
    su.at(sync).syncAll(PTO_SYNC_AIV_ONLY);
    EXPECT_EQ(all, 6);
  });
  EXPECT_EQ(codesOf(r), "") << textOf(r);
  r = run([&](Su &su) { su.at(sync).syncAll(PTO_SYNC_AIV_ONLY, 4); });
  EXPECT_EQ(codesOf(r), "syncall-mismatch");
  r = run([&](Su &su) { su.at(sync).syncAll(PTO_SYNC_AIV_ONLY, 7); });
  EXPECT_EQ(codesOf(r), "syncall-mismatch");
  r = run([&](Su &su) { su.at(sync).syncAll(PTO_SYNC_AIC_ONLY); });
  EXPECT_EQ(codesOf(r), "syncall-mismatch");
  EXPECT_EQ(r.findings.all()[0].message, "a vector core reaches `pto.syncall` of core type aic_only");
}

TEST_F(SyncAllTest, AtomicsInBlockOrderInEveryPhase) {
  const int64_t kBlocks = 8;
  uint64_t x = buffer(kBlocks * 64), sum = buffer(64);
  auto *floats = reinterpret_cast<float *>(buffers[0].data());
  for (int i = 0; i < kBlocks * 16; ++i)
    floats[i] = float(i % 37) * 0.1f * (i % 3 ? 1.0f : 1e6f);
  options.blocks = kBlocks;
  for (unsigned i = 0; i < 2; ++i) {
    options.schedule = schedule(i);
    std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(0));
    LaunchResult r = run([&](Su &su) {
      su.load({.src = x + 64 * uint64_t(su.context->blockIdx), .len = 64});
      su.set(Pipe::MTE2, Pipe::MTE3);
      su.wait(Pipe::MTE2, Pipe::MTE3);
      su.ctrl(1 << 6);
      su.store({.dst = sum, .len = 64});
      su.syncAll(PTO_SYNC_MIX);
      su.store({.dst = sum, .len = 64});
    });
    EXPECT_EQ(codesOf(r), "");
    float expected = 0, got;
    for (int phase = 0; phase < 2; ++phase)
      for (int b = 0; b < kBlocks; ++b)
        expected += floats[b * 16];
    std::memcpy(&got, buffers[1].data(), 4);
    EXPECT_EQ(got, expected) << i;
  }
}

TEST_F(SyncAllTest, MoreBlocksThanCores) {
  int ran = 0;
  Program count = [&](Su &) { ++ran; };
  options.blocks = 65;
  LaunchResult r = run(count);
  EXPECT_EQ(codesOf(r), "too-many-blocks");
  EXPECT_EQ(r.findings.all()[0].message,
            "kernel `k` has an all-core barrier and needs 65 vector cores at the same time; a5 has 64");
  EXPECT_FALSE(r.completed);
  EXPECT_EQ(ran, 0);
  options.blocks = 64;
  EXPECT_EQ(codesOf(run(count)), "");
  EXPECT_EQ(ran, 64);
  options.blocks = 33;
  EXPECT_EQ(codesOf(runMixed(nothing, nothing)), "too-many-blocks");
  options.blocks = 32;
  EXPECT_EQ(codesOf(runMixed(nothing, nothing)), "");
  // Without a barrier blocks may wait for a free core.
  needsAllBlocks = false;
  options.blocks = 100;
  EXPECT_EQ(codesOf(run(count)), "");
}

TEST_F(SyncAllTest, ABlockThatNeverArrives) {
  options.blocks = 3;
  for (unsigned i = 0; i < 6; ++i) {
    options.schedule = schedule(i);
    LaunchResult r = run([&](Su &su) {
      if (su.context->blockIdx != 1)
        su.at(sync).syncAll(PTO_SYNC_AIV_ONLY);
    });
    ASSERT_EQ(codesOf(r), "deadlock");
    EXPECT_FALSE(r.completed);
    EXPECT_EQ(textOf(r), "k.pto:40: deadlock: the scalar unit of block 0 waits forever for the other cores at an "
                         "all-core barrier: block 1 has ended without reaching it\n"
                         "  note 40: the scalar unit of block 0 waits here for the other cores at an all-core "
                         "barrier: block 1 has ended without reaching it\n"
                         "  note 40: the scalar unit of block 2 waits here for the other cores at an all-core "
                         "barrier: block 1 has ended without reaching it\n"
                         "  help: let every core reach the barrier, or pass the number of cores that do\n");
  }
}

TEST_F(SyncAllTest, AFaultOfOneBlockStopsAll) {
  options.blocks = 4;
  uint32_t trap = site("pto.trap", 9);
  LaunchResult r = run([&](Su &su) {
    if (su.context->blockIdx == 2)
      su.issue([&] { return ptosc_fail(su.context, trap, PTO_FAIL_TRAP, 0); });
    su.at(sync).syncAll(PTO_SYNC_AIV_ONLY);
  });
  EXPECT_EQ(codesOf(r), "trap");
  EXPECT_FALSE(r.completed);
}

TEST_F(SyncAllTest, OneBlockNeedsNoFlag) {
  needsAllBlocks = false;
  EXPECT_EQ(codesOf(run([&](Su &su) { su.syncAll(PTO_SYNC_MIX); })), "");
  Program all = [&](Su &su) { su.syncAll(PTO_SYNC_MIX); };
  EXPECT_EQ(codesOf(runMixed(all, all)), "");
  options.blocks = 2;
  EXPECT_EQ(codesOf(run([&](Su &su) { su.syncAll(PTO_SYNC_MIX); })), "internal-error");
}
