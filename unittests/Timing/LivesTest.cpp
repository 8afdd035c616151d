//===- LivesTest.cpp - from when to when bytes are in use -----------------===//

#include "ptoscope/Timing/Lives.h"

#include <gtest/gtest.h>

#include <tuple>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

/// What a block that does `work` touches.
template <typename Fn> std::vector<Touch> touchesOf(Touches &touches, int64_t block, Fn work) {
  FindingList findings;
  std::unique_ptr<Observer> observer = touches.beginBlock(block, findings);
  EXPECT_TRUE(observer->wantsRegions());
  work(*observer);
  touches.endBlock(block, std::move(observer), findings);
  return {touches.of(block).begin(), touches.of(block).end()};
}

LocalAccess window(uint64_t address, uint32_t bytes = 256) {
  return {0, Space::Ub, nullptr, address, bytes, nullptr, VectorLoad, true};
}

/// Keeps what it is told of memories.
struct Seen final : TimelineSink {
  std::vector<MemoryUse> uses;
  void memory(const MemoryUse &use) override { uses.push_back(use); }
};

/// Scopes that take ten cycles each, one after the other.
class Program {
public:
  Program &write(uint64_t begin, uint64_t end) { return add(begin, end, true); }
  Program &read(uint64_t begin, uint64_t end) { return add(begin, end, false); }
  std::vector<std::array<double, 4>> lives() const {
    Touches touches(100, nullptr);
    timing::Lives lives(touches);
    touchesOf(touches, 0, [this](Observer &observer) {
      uint64_t defined[4] = {};
      for (size_t i = parts.size(); i-- > 0;) { // in any order
        const Instr instr{{1}, Pipe::V, i + 1, 0, nullptr, 0};
        const auto &[begin, end, writes] = parts[i];
        if (writes)
          observer.vectorStore(instr, window(begin, uint32_t(end - begin)), defined, nullptr, 0);
        else
          observer.vectorLoad(instr, window(begin, uint32_t(end - begin)), defined);
        observer.scopeEnd(instr);
      }
    });
    for (uint64_t i = 1; i <= parts.size(); ++i) {
      Slice slice{};
      slice.track = {0, {1}, Pipe::V};
      slice.ordinal = i;
      slice.start = 10.0 * double(i - 1);
      slice.end = slice.start + 10;
      lives.slice(slice);
    }
    Seen seen;
    lives.tell(seen);
    EXPECT_EQ(seen.uses.size(), 1u);
    std::vector<std::array<double, 4>> found;
    for (const Life &life : seen.uses.at(0).lives)
      found.push_back({double(life.begin), double(life.end), life.from, life.to});
    return found;
  }

private:
  Program &add(uint64_t begin, uint64_t end, bool writes) {
    parts.push_back({begin, end, writes});
    return *this;
  }
  std::vector<std::tuple<uint64_t, uint64_t, bool>> parts;
};

using Found = std::vector<std::array<double, 4>>;

TEST(Lives, FromTheWriteToTheLastRead) {
  EXPECT_EQ(Program().write(0, 64).read(0, 32).read(32, 64).read(64, 96).lives(),
            (Found{{0, 64, 0, 30}, {64, 96, 30, 40}}));
}

TEST(Lives, AnotherWriteBeginsAnew) {
  EXPECT_EQ(Program().write(0, 64).read(0, 64).write(0, 64).read(0, 64).lives(),
            (Found{{0, 64, 0, 20}, {0, 64, 20, 40}}));
  // What nobody reads is in use while it is written.
  EXPECT_EQ(Program().write(0, 64).write(0, 64).lives(), (Found{{0, 64, 0, 10}, {0, 64, 10, 20}}));
}

TEST(Lives, AWriteInTheMiddleLeavesBothSides) {
  EXPECT_EQ(Program().write(0, 96).write(32, 64).read(0, 96).lives(),
            (Found{{0, 32, 0, 30}, {32, 64, 0, 10}, {64, 96, 0, 30}, {32, 64, 10, 30}}));
}

TEST(Lives, ChangesOfTheSum) {
  const Life whole{0, 100, 10, 40, 0, {}}, half{50, 100, 10, 60, 0, {}}, again{0, 20, 60, 80, 0, {}},
      none{0, 8, 90, 90, 0, {}};
  std::vector<std::pair<double, uint64_t>> changes;
  forEachChange(std::vector{whole, half, again, none},
                [&](double time, uint64_t bytes) { changes.push_back({time, bytes}); });
  EXPECT_EQ(changes, (std::vector<std::pair<double, uint64_t>>{{10, 150}, {40, 50}, {60, 20}, {80, 0}}));
}

TEST(Lives, WhatNeverRanHasNone) {
  Touches touches(100, nullptr);
  timing::Lives lives(touches);
  touchesOf(touches, 0, [](Observer &observer) {
    uint64_t defined[4] = {};
    observer.vectorStore({{1}, Pipe::V, 2, 0, nullptr, 0}, window(0), defined, nullptr, 0);
    observer.scopeEnd({{1}, Pipe::V, 2, 0, nullptr, 0});
  });
  Slice other{};
  other.track = {0, {1}, Pipe::V};
  other.ordinal = 3;
  lives.slice(other);
  Seen seen;
  lives.tell(seen);
  EXPECT_TRUE(seen.uses.empty());
}

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
