//===- LaunchTest.cpp - many blocks on many threads -----------------------===//
//
// Bytes, findings, statistics, observer and progress order are the same for 1,
// 2 and 4 threads; float sums are formed in block order.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <cstring>

using namespace ptoscope;

namespace {
struct LaunchTest : ::testing::Test, Bench {};

/// Notes which blocks begin and end, and adds one finding a block.
struct Recorder : ObserverFactory {
  std::vector<int64_t> ended;
  std::vector<bool> completions;
  struct One : Observer {
    bool completed = false;
    void blockEnd(bool c) override { completed = c; }
  };
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return std::make_unique<One>(); }
  void endBlock(int64_t block, std::unique_ptr<Observer> observer, FindingList &findings) override {
    ended.push_back(block);
    completions.push_back(static_cast<One &>(*observer).completed);
    if (block % 5 == 0)
      findings.add(makeFinding("race-blocks", {}, "block " + std::to_string(block)));
  }
};
} // namespace

TEST_F(LaunchTest, BlockQueries) {
  options.blocks = 3;
  std::vector<int64_t> seen;
  run([&](Su &su) {
    seen.push_back(su.context->blockIdx);
    EXPECT_EQ(su.context->blockNum, 3);
    EXPECT_EQ(su.context->subblockIdx, 0);
    EXPECT_EQ(su.context->subblockNum, 1);
  });
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2}));
}

TEST_F(LaunchTest, ThreadsDoNotChangeAnything) {
  const int64_t kBlocks = 64;
  std::string firstText;
  std::vector<uint8_t> firstSum, firstOut;
  for (unsigned threads : {1u, 2u, 4u})
    for (int repeat = 0; repeat < 3; ++repeat) {
      Bench bench;
      Recorder recorder;
      uint64_t x = bench.pattern(size_t(kBlocks) * 64, 9), out = bench.buffer(size_t(kBlocks) * 64),
               sum = bench.buffer(64);
      auto *floats = reinterpret_cast<float *>(bench.buffers[0].data());
      for (int i = 0; i < kBlocks * 16; ++i)
        floats[i] = float(i % 37) * 0.1f * (i % 3 ? 1.0f : 1e6f);
      uint32_t bad = bench.site("pto.mte_gm_ub", 7);
      bench.options.blocks = kBlocks;
      bench.options.threads = threads;
      bench.options.observers = &recorder;
      bench.options.maxFindings = 100;
      std::vector<int64_t> progress;
      bench.options.progress = [&](int64_t done) { progress.push_back(done); };
      LaunchResult r = bench.run([&](Su &su) {
        uint64_t at = uint64_t(su.context->blockIdx) * 64;
        su.load({.src = x + at, .len = 64});
        su.barrier(Pipe::All);
        su.store({.dst = out + at, .len = 64});
        su.ctrl(1 << 6);
        su.store({.dst = sum, .len = 64});
        // Every seventh block makes a mistake of its own and one that all share.
        if (su.context->blockIdx % 7 == 0) {
          su.at(bad).load({.src = x + at, .dst = 4096 + 4 * uint64_t(su.context->blockIdx) + 4, .len = 32});
          su.at(bad).load({.src = x, .dst = 4, .len = 32});
        }
      });
      std::string text = textOf(r);
      for (uint64_t n : {r.stats.instructions, r.stats.transfers, r.stats.transferBytes, uint64_t(r.stats.blocksDone)})
        text += std::to_string(n) + " ";
      for (const Finding &f : r.findings.all())
        text += std::to_string(f.count) + " ";
      ASSERT_EQ(recorder.ended.size(), size_t(kBlocks));
      ASSERT_EQ(progress.size(), size_t(kBlocks));
      for (int64_t i = 0; i < kBlocks; ++i) {
        EXPECT_EQ(recorder.ended[size_t(i)], i);
        EXPECT_EQ(progress[size_t(i)], i + 1);
        EXPECT_TRUE(recorder.completions[size_t(i)]);
      }
      if (firstText.empty()) {
        firstText = text;
        firstSum = bench.buffers[2];
        firstOut = bench.buffers[1];
        EXPECT_EQ(firstOut, bench.buffers[0]);
        // Block order, one rounding after another.
        float expected = 0;
        for (int b = 0; b < kBlocks; ++b)
          expected += floats[b * 16];
        float got;
        std::memcpy(&got, firstSum.data(), 4);
        EXPECT_EQ(got, expected);
      }
      EXPECT_EQ(text, firstText) << threads;
      EXPECT_EQ(bench.buffers[2], firstSum) << threads;
      EXPECT_EQ(bench.buffers[1], firstOut) << threads;
    }
}

TEST_F(LaunchTest, AFullListEndsTheLaunchAtTheSameBlock) {
  std::string first;
  for (unsigned threads : {1u, 2u, 4u}) {
    Bench bench;
    Recorder recorder;
    uint64_t x = bench.pattern(64);
    bench.options.blocks = 40;
    bench.options.threads = threads;
    bench.options.maxFindings = 5;
    bench.options.observers = &recorder;
    LaunchResult r =
        bench.run([&](Su &su) { su.load({.src = x, .dst = 4 + 32 * uint64_t(su.context->blockIdx), .len = 32}); });
    std::string text = textOf(r) + std::to_string(r.stats.blocksDone) + " " + std::to_string(recorder.ended.size());
    EXPECT_FALSE(r.completed);
    if (first.empty())
      first = text;
    EXPECT_EQ(text, first);
    EXPECT_EQ(r.findings.all().size(), 5u);
  }
}

TEST_F(LaunchTest, OneStuckBlockDoesNotStopTheOthers) {
  uint64_t out = buffer(32 * 4);
  options.blocks = 4;
  LaunchResult r = run([&](Su &su) {
    if (su.context->blockIdx == 1)
      su.wait(Pipe::MTE2, Pipe::V);
    su.storeScalar(Space::Gm, out + 32 * uint64_t(su.context->blockIdx), 7);
  });
  EXPECT_EQ(codesOf(r), "deadlock");
  EXPECT_FALSE(r.completed);
  EXPECT_EQ(r.stats.blocksDone, 3);
  EXPECT_EQ(buffers[0][96], 7);
}

TEST_F(LaunchTest, Refusals) {
  Program nothing = [](Su &) {};
  options.blocks = 0;
  EXPECT_EQ(codesOf(run(nothing)), "usage");
  options.blocks = -3;
  LaunchResult r = run(nothing);
  EXPECT_EQ(codesOf(r), "usage");
  EXPECT_EQ(r.findings.all()[0].message, "a launch needs at least 1 block, not -3");
  EXPECT_FALSE(r.completed);
  options.blocks = 1;
  KernelImage image;
  image.aiv = [](PtoContext *, const uint64_t *) { return int32_t(0); };
  image.name = "alone";
  EXPECT_EQ(codesOf(launch({}, gm, {}, options)), "internal-error");
  options.profile = nullptr;
  EXPECT_EQ(codesOf(launch(image, gm, {}, options)), "internal-error");
  // A program that stops without being asked to is our own mistake.
  options.profile = findProfile("a5");
  image.aiv = [](PtoContext *, const uint64_t *) { return int32_t(1); };
  EXPECT_EQ(codesOf(launch(image, gm, {}, options)), "internal-error");
}

TEST_F(LaunchTest, ProfilesChangeSizes) {
  options.profile = findProfile("a3");
  uint64_t x = pattern(64);
  EXPECT_EQ(codesOf(run([&](Su &su) { su.load({.src = x, .dst = 196608 - 64, .len = 64}); })), "");
  EXPECT_EQ(codesOf(run([&](Su &su) { su.load({.src = x, .dst = 196608, .len = 64}); })), "ub-out-of-bounds");
}

TEST_F(LaunchTest, InterruptStopsEveryBlock) {
  std::atomic<bool> interrupt = true;
  options.interrupt = &interrupt;
  options.blocks = 100;
  options.threads = 4;
  LaunchResult r = run([&](Su &su) { su.barrier(Pipe::All); });
  EXPECT_FALSE(r.completed);
  EXPECT_EQ(codesOf(r), "interrupted");
}
