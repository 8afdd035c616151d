//===- CallerTest.cpp - launches of programs that fork and have threads ---===//

#include "ptoscope/launch.hpp"

#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pto;

namespace {

constexpr int kRows = 8, kCols = 64, kCount = kRows * kCols;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

AICORE void twice(__gm__ float *x, __gm__ float *y) {
  Vec a;
  TASSIGN(a, 0);
  View from(x + get_block_idx() * kCount), to(y + get_block_idx() * kCount);
  TLOAD(a, from);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(a, a, a);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(to, a);
}

/// A launch gives what it should.
bool launches(unsigned threads = 1) {
  constexpr int kBlocks = 4;
  std::vector<float> x(kBlocks * kCount, 1.5f), y(x.size());
  ptoscope::Options options;
  options.threads = threads;
  const ptoscope::Result result = ptoscope::launch(options, twice, kBlocks, x, y);
  return result.ok() && y == std::vector<float>(y.size(), 3.0f);
}

bool launchesInChild(unsigned threads = 1) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // a child that hangs fails the test
    _exit(launches(threads) ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST(Caller, ForksBeforeAndAfterALaunch) {
  EXPECT_TRUE(launchesInChild());
  EXPECT_TRUE(launches(2));
  EXPECT_TRUE(launchesInChild());
  EXPECT_TRUE(launchesInChild(2));
  EXPECT_TRUE(launches());
}

TEST(Caller, LaunchesFromSeveralThreads) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 10; ++k)
        right += launches(1 + i % 2);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 40);
}

TEST(Caller, ForksWhileAnotherThreadLaunches) {
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::thread other([&] {
    while (!done)
      wrong += !launches();
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(launchesInChild()) << i;
  done = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
