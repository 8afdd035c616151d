//===- LivesTest.cpp - from when to when bytes are in use -----------------===//

#include "../../lib/Timing/Lives.h"

#include <gtest/gtest.h>

#include <deque>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

/// Instructions that take ten cycles each, one after the other.
class Program {
public:
  Program &write(uint64_t begin, uint64_t end) { return add(begin, end, true); }
  Program &read(uint64_t begin, uint64_t end) { return add(begin, end, false); }
  std::vector<std::array<double, 4>> lives() const {
    std::vector<TimedTouch> timed;
    for (size_t i = touches.size(); i-- > 0;) // in any order
      timed.push_back({&touches[i], &slices[i]});
    std::vector<std::array<double, 4>> found;
    for (const Life &life : livesOf(timed))
      found.push_back({double(life.begin), double(life.end), life.from, life.to});
    return found;
  }

private:
  Program &add(uint64_t begin, uint64_t end, bool writes) {
    Slice slice{};
    slice.start = 10.0 * double(slices.size());
    slice.end = slice.start + 10;
    slices.push_back(slice);
    touches.push_back({{1}, Pipe::V, slices.size(), {1}, Space::Ub, begin, end, writes});
    return *this;
  }
  std::deque<Slice> slices;
  std::deque<Touch> touches;
};

using Lives = std::vector<std::array<double, 4>>;

TEST(Lives, FromTheWriteToTheLastRead) {
  EXPECT_EQ(Program().write(0, 64).read(0, 32).read(32, 64).read(64, 96).lives(),
            (Lives{{0, 64, 0, 30}, {64, 96, 30, 40}}));
}

TEST(Lives, AnotherWriteBeginsAnew) {
  EXPECT_EQ(Program().write(0, 64).read(0, 64).write(0, 64).read(0, 64).lives(),
            (Lives{{0, 64, 0, 20}, {0, 64, 20, 40}}));
  // What nobody reads is in use while it is written.
  EXPECT_EQ(Program().write(0, 64).write(0, 64).lives(), (Lives{{0, 64, 0, 10}, {0, 64, 10, 20}}));
}

TEST(Lives, AWriteInTheMiddleLeavesBothSides) {
  EXPECT_EQ(Program().write(0, 96).write(32, 64).read(0, 96).lives(),
            (Lives{{0, 32, 0, 30}, {32, 64, 0, 10}, {64, 96, 0, 30}, {32, 64, 10, 30}}));
}

/// What a block that does `work` touches.
template <typename Fn> std::vector<Touch> touchesOf(Touches &touches, int64_t block, Fn work) {
  FindingList findings;
  std::unique_ptr<Observer> observer = touches.beginBlock(block, findings);
  EXPECT_TRUE(observer->wantsRegions());
  work(*observer);
  touches.endBlock(block, std::move(observer), findings);
  return {touches.of(block).begin(), touches.of(block).end()};
}

LocalAccess window(uint64_t address) { return {0, Space::Ub, nullptr, address, 256, nullptr, VectorLoad, true}; }

TEST(Touches, PartsOfAScopeAreJoined) {
  Touches all(100, nullptr);
  const Instr scope{{1}, Pipe::V, 7, 0, nullptr, 0};
  uint64_t defined[4] = {};
  auto touches = touchesOf(all, 0, [&](Observer &observer) {
    for (uint64_t at : {256, 0, 512, 1024})
      observer.vectorLoad(scope, window(at), defined);
    observer.vectorStore(scope, window(2048), defined, nullptr, 0);
    observer.scopeEnd(scope);
  });
  ASSERT_EQ(touches.size(), 3u);
  EXPECT_EQ(std::pair(touches[0].begin, touches[0].end), std::pair(uint64_t(0), uint64_t(768)));
  EXPECT_EQ(std::pair(touches[1].begin, touches[1].end), std::pair(uint64_t(1024), uint64_t(1280)));
  EXPECT_FALSE(touches[1].writes);
  EXPECT_TRUE(touches[2].writes);
  EXPECT_EQ(touches[2].ordinal, 7u);
}

TEST(Touches, WholeBlocksAreKept) {
  Touches all(5, nullptr);
  auto twoTransfers = [](Observer &observer) {
    for (uint64_t i = 1; i <= 2; ++i) {
      TransferEvent event{};
      event.srcSpace = Space::Gm;
      event.dstSpace = Space::Ub;
      event.src = event.dst = event.copied = {64 * i, 64, {}};
      event.dstCore = {2};
      observer.transfer({{2}, Pipe::MTE2, i, 0, nullptr, 0}, event);
    }
  };
  EXPECT_EQ(touchesOf(all, 0, twoTransfers).size(), 2u); // GM is no on-chip memory
  EXPECT_EQ(touchesOf(all, 1, twoTransfers).size(), 2u);
  EXPECT_EQ(touchesOf(all, 2, twoTransfers).size(), 0u);
  EXPECT_EQ(all.of(1)[1].owner.index, 2);
}

} // namespace
