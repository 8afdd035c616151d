//===- GmLogTest.cpp - the log of GM accesses -----------------------------===//
//
// Streaming kernels must stay a handful of entries; irregular ones must stay
// exact, also for a pipe that starts to use GM late.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/GmLog.h"
#include "Drive.h"

#include <random>
#include <set>
#include <tuple>

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

struct GmLogTest : ::testing::Test {
  World world;
  HappensBefore order{*world.profile};
  GmLog log{order};
  std::vector<GmConflict> conflicts;
  uint64_t ordinal[2] = {};
  int64_t none = 0;

  Instr next(Pipe pipe) { return {CoreId{1}, pipe, ++ordinal[pipe == Pipe::MTE3], kNoSite, &none, 0}; }
  Slot access(Pipe pipe, SiteId site, AccessKind kind, const Box &b) {
    Instr i = next(pipe);
    Slot slot = order.begin(i);
    log.access(slot, i.ordinal, site, kind, &world.x(), b, conflicts);
    return slot;
  }
};

TEST_F(GmLogTest, StreamingIsOneEntryPerSite) {
  for (uint64_t i = 0; i < 100000; ++i) {
    access(Pipe::MTE2, 1, AccessKind::Read, box(i * 1024, 1024));
    access(Pipe::MTE3, 2, AccessKind::Write, box((uint64_t(1) << 40) + i * 1024, 1024));
  }
  EXPECT_TRUE(conflicts.empty());
  EXPECT_EQ(log.footprint().size(), 2u);
  // The whole history is still compared to the byte.
  access(Pipe::MTE2, 3, AccessKind::Read, box((uint64_t(1) << 40) + 77 * 1024 + 1000, 8));
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].ordinal, 78u);
  EXPECT_EQ(conflicts[0].begin, (uint64_t(1) << 40) + 77 * 1024 + 1000);
  EXPECT_EQ(conflicts[0].end, conflicts[0].begin + 8);
}

TEST_F(GmLogTest, WhatHasEndedLeavesTheIndex) {
  std::mt19937_64 random(3);
  for (uint64_t i = 0; i < 20000; ++i) {
    access(Pipe::MTE3, 2, AccessKind::Write, box((random() % 1000000) * 4096, 1024 + i % 7));
    Instr barrier = next(Pipe::MTE3);
    order.barrier(barrier, Pipe::MTE3);
  }
  EXPECT_TRUE(conflicts.empty());
  EXPECT_LE(log.indexedEntries(), 128u);
  EXPECT_GT(log.footprint().size(), 10000u);
}

TEST_F(GmLogTest, ALatePipeStillMeetsOldAccesses) {
  for (uint64_t i = 0; i < 1000; ++i) {
    access(Pipe::MTE3, 2, AccessKind::Write, box((i * i % 1009) * 4096, 64));
    order.barrier(next(Pipe::MTE3), Pipe::MTE3);
  }
  EXPECT_TRUE(conflicts.empty());
  access(Pipe::MTE2, 5, AccessKind::Read, box(16 * 4096 + 60, 8)); // 4 * 4
  ASSERT_FALSE(conflicts.empty());
  EXPECT_EQ(conflicts[0].begin, 16u * 4096 + 60);
  EXPECT_EQ(conflicts[0].end, 16u * 4096 + 64);
}

TEST_F(GmLogTest, OnlyThePartOfAProgressionThatHasNotEnded) {
  for (uint64_t i = 0; i < 10; ++i)
    access(Pipe::MTE3, 2, AccessKind::Write, box(i * 64, 64));
  Instr set = next(Pipe::MTE3);
  order.setFlag(set, Pipe::MTE3, Pipe::MTE2, 0, 1);
  // The set took an ordinal, so this starts a progression of its own.
  for (uint64_t i = 10; i < 20; ++i)
    access(Pipe::MTE3, 2, AccessKind::Write, box(i * 64, 64));
  order.waitFlag(next(Pipe::MTE2), Pipe::MTE3, Pipe::MTE2, 0, 1);
  access(Pipe::MTE2, 3, AccessKind::Read, box(0, 640));
  EXPECT_TRUE(conflicts.empty());
  access(Pipe::MTE2, 3, AccessKind::Read, box(639, 2));
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].begin, 640u);
}

/// Runs are boxes that are told at once: both meet the same accesses, before and after; of
/// several of one line runs know the newest.
TEST_F(GmLogTest, RunsAreBoxes) {
  std::mt19937_64 random(11);
  HappensBefore otherOrder{*world.profile};
  GmLog other{otherOrder};
  std::vector<GmConflict> wanted;
  const auto causes = [](const std::vector<GmConflict> &found) {
    std::set<std::tuple<SiteId, Slot, AccessKind>> all;
    for (const GmConflict &c : found)
      all.insert({c.site, c.slot, c.kind});
    return all;
  };
  for (int turn = 0; turn < 800; ++turn) {
    const Pipe pipe = random() % 2 ? Pipe::MTE2 : Pipe::MTE3;
    const Instr i = next(pipe);
    const Slot slot = order.begin(i), otherSlot = otherOrder.begin(i);
    const auto kind = random() % 3 ? AccessKind::Read : AccessKind::Write;
    const auto site = SiteId(1 + random() % 4);
    if (random() % 4) {
      std::vector<ByteRun> runs;
      for (uint64_t at = random() % 64; at < 4096; at += 1 + random() % 700) {
        const uint64_t end = at + 1 + random() % 40;
        runs.push_back({at, end});
        at = end;
      }
      log.accessRuns(slot, i.ordinal, site, kind, &world.x(), runs, conflicts);
      for (const ByteRun &run : runs)
        other.access(otherSlot, i.ordinal, site, kind, &world.x(), box(run.begin, run.end - run.begin), wanted);
    } else {
      const Box whole = box(random() % 4096, 1 + random() % 100);
      log.access(slot, i.ordinal, site, kind, &world.x(), whole, conflicts);
      other.access(otherSlot, i.ordinal, site, kind, &world.x(), whole, wanted);
    }
    ASSERT_EQ(causes(conflicts), causes(wanted)) << turn;
    for (const GmConflict &c : conflicts)
      ASSERT_LT(c.begin, c.end);
    conflicts.clear();
    wanted.clear();
    if (turn % 7 == 0) {
      const Instr barrier = next(pipe);
      order.barrier(barrier, pipe);
      otherOrder.barrier(barrier, pipe);
    }
  }
}

TEST(Progression, FirstAfter) {
  Progression p;
  p.item = box(0, 8);
  p.firstOrder = 10;
  EXPECT_EQ(p.firstAfter(9), 0u);
  EXPECT_EQ(p.firstAfter(10), 1u);
  ASSERT_TRUE(p.extend(box(8, 8), 13));
  ASSERT_TRUE(p.extend(box(16, 8), 16));
  EXPECT_FALSE(p.extend(box(24, 8), 20));
  EXPECT_FALSE(p.extend(box(25, 8), 19));
  EXPECT_FALSE(p.extend(box(24, 9), 19));
  EXPECT_EQ(p.firstAfter(0), 0u);
  EXPECT_EQ(p.firstAfter(12), 1u);
  EXPECT_EQ(p.firstAfter(13), 2u);
  EXPECT_EQ(p.firstAfter(15), 2u);
  EXPECT_EQ(p.firstAfter(16), 3u);
  EXPECT_EQ(p.firstAfter(1000), 3u);
  EXPECT_EQ(p.boxFrom(1).lowest(), 8u);
  EXPECT_EQ(p.boxFrom(1).end(), 24u);
  EXPECT_EQ(p.numberAt(17, 0, 3), 2u);
}

TEST(Progression, DownwardsAndInPlace) {
  Progression down;
  down.item = box(1000, 8);
  down.firstOrder = 1;
  ASSERT_TRUE(down.extend(box(900, 8), 2));
  ASSERT_TRUE(down.extend(box(800, 8), 3));
  EXPECT_EQ(down.lowest(), 800u);
  EXPECT_EQ(down.end(), 1008u);
  EXPECT_EQ(down.numberAt(805, 0, 3), 2u);
  EXPECT_EQ(down.numberAt(1000, 0, 3), 0u);
  Progression same;
  same.item = box(1000, 8);
  same.firstOrder = 1;
  ASSERT_TRUE(same.extend(box(1000, 8), 2));
  EXPECT_EQ(same.boxFrom(0).bytes(), 8u);
  EXPECT_EQ(same.end(), 1008u);
}

TEST(IntervalIndex, AgreesWithAList) {
  std::mt19937 random(5);
  IntervalIndex index;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> model;
  for (uint32_t id = 0; id < 400; ++id) {
    uint64_t begin = random() % 10000, end = begin + 1 + random() % (id % 10 == 0 ? 5000 : 50);
    index.insert(begin, end, id);
    model[id] = {begin, end};
  }
  for (uint32_t id = 0; id < 400; id += 3) {
    uint64_t begin = random() % 10000, end = begin + 1 + random() % 300;
    index.move(model[id].first, model[id].second, begin, end, id);
    model[id] = {begin, end};
  }
  for (uint32_t id = 1; id < 400; id += 5) {
    index.erase(model[id].first, model[id].second, id);
    model.erase(id);
  }
  for (int query = 0; query < 500; ++query) {
    uint64_t begin = random() % 11000, end = begin + 1 + random() % 100;
    std::set<uint32_t> found, expected;
    index.query(begin, end, [&](uint32_t id) {
      if (model.at(id).first < end && begin < model.at(id).second)
        found.insert(id);
    });
    for (const auto &[id, range] : model)
      if (range.first < end && begin < range.second)
        expected.insert(id);
    ASSERT_EQ(found, expected);
  }
}

} // namespace
