//===- PlacementTest.cpp - places of buffers ------------------------------===//

#include "ptoscope/Plan/Placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

using namespace ptoscope;

namespace {

const Profile &a5() { return *findProfile("a5"); }
constexpr uint64_t kUb = 253952;

/// PLAN-2 and PLAN-4, pair by pair.
std::string problemOf(const std::vector<LiveBuffer> &buffers, const Placement &placement) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const uint64_t begin = placement.address[i], end = begin + buffers[i].bytes;
    if (begin % plannedAlignment(buffers[i].space) || end > plannedBytes(a5(), buffers[i].space))
      return "buffer " + std::to_string(i) + " at " + std::to_string(begin);
    for (size_t j = 0; j < i; ++j)
      if (buffers[i].space == buffers[j].space && buffers[i].used.meets(buffers[j].used) &&
          begin < placement.address[j] + buffers[j].bytes && placement.address[j] < end)
        return "buffers " + std::to_string(j) + " and " + std::to_string(i);
  }
  return "";
}

TEST(Placement, SharesNothingWhereAllFit) { // PLAN-2
  std::vector<LiveBuffer> buffers = {
      {Space::Ub, 100, {0, 1}}, {Space::Ub, 64, {1, 2}}, {Space::L0A, 100, {0, 9}}, {Space::L0A, 1, {0, 9}}};
  Placement placement = placeBuffers(buffers, a5());
  ASSERT_FALSE(placement.overflow);
  EXPECT_EQ(placement.address, (std::vector<uint64_t>{0, 128, 0, 512}));
}

TEST(Placement, ReusesWhatIsNoLongerInUse) { // PLAN-5
  std::vector<LiveBuffer> buffers = {
      {Space::Ub, kUb / 2, {0, 2}}, {Space::Ub, kUb / 2, {1, 3}}, {Space::Ub, kUb / 2, {2, 4}}};
  Placement placement = placeBuffers(buffers, a5());
  ASSERT_FALSE(placement.overflow);
  EXPECT_EQ(problemOf(buffers, placement), "");
  EXPECT_EQ(placement.address[0], placement.address[2]);
}

TEST(Placement, ReusesOnRequest) {
  std::vector<LiveBuffer> buffers = {{Space::Ub, 64, {0, 1}}, {Space::Ub, 64, {1, 2}}};
  EXPECT_EQ(placeBuffers(buffers, a5(), /*reuse=*/true).address, (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(placeBuffers(buffers, a5()).address, (std::vector<uint64_t>{0, 64}));
}

TEST(Placement, AnInstructionSharesNothing) {
  // One ends in the step in which the other begins.
  std::vector<LiveBuffer> buffers = {{Space::Ub, 64, {0, 2}}, {Space::Ub, 64, {1, 3}}};
  EXPECT_EQ(problemOf(buffers, placeBuffers(buffers, a5(), true)), "");
}

TEST(Placement, NamesTheWorstStep) { // PLAN-6
  std::vector<LiveBuffer> buffers = {
      {Space::Ub, 1000, {0, 9}}, {Space::Ub, kUb, {4, 6}}, {Space::Ub, 5000, {1, 3}}, {Space::L1, 64, {0, 9}}};
  Placement placement = placeBuffers(buffers, a5());
  ASSERT_TRUE(placement.overflow);
  EXPECT_EQ(placement.overflow->space, Space::Ub);
  EXPECT_EQ(placement.overflow->step, 4u);
  EXPECT_EQ(placement.overflow->needed, kUb + 1024);
  EXPECT_EQ(placement.overflow->capacity, kUb);
  EXPECT_EQ(placement.overflow->inUse, (std::vector<size_t>{1, 0}));
}

TEST(Placement, TriesAnotherOrder) {
  // Along the program, the second one leaves a gap between two that stay.
  std::vector<LiveBuffer> buffers = {{Space::Ub, kUb / 4, {0, 9}},
                                     {Space::Ub, kUb / 4, {0, 2}},
                                     {Space::Ub, kUb / 4, {0, 9}},
                                     {Space::Ub, kUb / 2, {2, 9}}};
  Placement placement = placeBuffers(buffers, a5());
  ASSERT_FALSE(placement.overflow);
  EXPECT_EQ(problemOf(buffers, placement), "");
}

TEST(Placement, RandomBuffers) {
  const uint64_t unit = kUb / 62 / 32 * 32;
  std::vector<LiveBuffer> buffers;
  std::mt19937 random(7);
  size_t solved = 0;
  for (int round = 0; round < 200; ++round) {
    buffers.clear();
    for (int i = 0; i < 24; ++i) {
      uint32_t begin = random() % 20;
      buffers.push_back({Space::Ub, unit * (1 + random() % 11), {begin, begin + 1 + uint32_t(random() % 8)}});
    }
    Placement placement = placeBuffers(buffers, a5(), true);
    uint64_t most = 0;
    for (uint32_t step = 0; step < 30; ++step) {
      uint64_t now = 0;
      for (const LiveBuffer &buffer : buffers)
        now += buffer.used.contains(step) ? buffer.bytes : 0;
      most = std::max(most, now);
    }
    if (placement.overflow) {
      EXPECT_EQ(placement.overflow->needed, most);
      continue;
    }
    ++solved;
    EXPECT_LE(most, kUb);
    EXPECT_EQ(problemOf(buffers, placement), "");
  }
  EXPECT_GT(solved, 20u);
}

TEST(Placement, EveryProfileAndMemory) { // PLAN-4
  const Profile &a3 = *findProfile("a3");
  EXPECT_EQ(plannedBytes(a5(), Space::Ub), 253952u);
  EXPECT_EQ(plannedBytes(a3, Space::Ub), 196608u);
  EXPECT_EQ(plannedBytes(a3, Space::L0C), 131072u);
  EXPECT_EQ(plannedBytes(a5(), Space::L0C), 262144u);
  EXPECT_EQ(plannedBytes(a5(), Space::Bt), 4096u);
  for (Space space : {Space::L1, Space::L0A, Space::L0B, Space::L0C, Space::Bt, Space::Fb}) {
    std::vector<LiveBuffer> whole = {{space, plannedBytes(a5(), space), {0, 1}}};
    EXPECT_FALSE(placeBuffers(whole, a5()).overflow);
    ++whole[0].bytes;
    EXPECT_TRUE(placeBuffers(whole, a5()).overflow);
  }
}

/// Seconds of the processor for n buffers of which up to about twenty are in use at a time.
double secondsFor(uint32_t n) {
  std::mt19937 random(n);
  std::vector<LiveBuffer> buffers;
  for (uint32_t i = 0; i < n; ++i)
    buffers.push_back({Space::Ub, 32 * (1 + random() % 256), {i, i + 1 + uint32_t(random() % 40)}});
  const std::clock_t start = std::clock();
  Placement placement = placeBuffers(buffers, a5());
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_FALSE(placement.overflow);
  return seconds;
}

TEST(Placement, GrowsLinearly) {
  secondsFor(1000);
  EXPECT_LT(secondsFor(100000), 40 * secondsFor(10000));
}

} // namespace
