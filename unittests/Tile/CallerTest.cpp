//===- CallerTest.cpp - launches of a program with threads and children ---===//

#include "ptoscope/launch.hpp"

#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pto;

namespace {

constexpr int kCols = 256;
using Vec = Tile<TileType::Vec, float, 1, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, 1, kCols>, Stride<kCols, kCols, kCols, kCols, 1>>;

AICORE void twice(__gm__ float *x, __gm__ float *y) {
  Vec a, b;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x1000);
  View gx(x + get_block_idx() * kCols), gy(y + get_block_idx() * kCols);
  TLOAD(a, gx);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(b, a, a);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(gy, b);
}

/// One launch; true when it is right.
bool works(float value, unsigned threads = 1) {
  constexpr int kBlocks = 4;
  std::vector<float> x(kBlocks * kCols, value), y(x.size());
  ptoscope::Options options;
  options.threads = threads;
  ptoscope::Result result = ptoscope::launch(options, twice, kBlocks, x, y);
  return result.ok() && y == std::vector<float>(y.size(), 2 * value);
}

/// What a child does; false when it does not end by itself with success.
template <typename Body> bool inChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Caller, LaunchesOfSeveralThreads) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (int turn = 0; turn < 25; ++turn)
        wrong += !works(float(k * 100 + turn), 1 + unsigned(turn % 2));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Caller, ChildrenLaunchToo) {
  EXPECT_TRUE(works(1, 2));
  EXPECT_TRUE(inChild([] { return works(2, 2); }));
  EXPECT_TRUE(works(3, 2)) << "the parent is not disturbed";
}

// Only the thread that forks is in the child; what others had locked stays locked there, if the library lets it.
TEST(Caller, ChildrenThatAreBornDuringALaunch) {
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::thread busy([&] {
    for (int turn = 0; !stop; ++turn)
      wrong += !works(float(turn % 1000), 2);
  });
  for (int child = 0; child < 30; ++child)
    EXPECT_TRUE(inChild([&] { return works(float(child)); })) << child;
  stop = true;
  busy.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
