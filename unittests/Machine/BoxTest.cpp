//===- BoxTest.cpp - strided boxes against plain sets of bytes ------------===//
//
// Every answer of Box is compared with a std::set of its bytes, for random
// shapes with zero, negative and interleaved strides.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Box.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ptoscope;

namespace {
std::set<uint64_t> bytesOf(const Box &box) {
  std::set<uint64_t> bytes;
  box.forEachRow([&](uint64_t start, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i)
      bytes.insert(start + i);
  });
  return bytes;
}

Box randomBox(std::mt19937 &rng) {
  Box box;
  box.base = 500 + rng() % 120;
  box.rowBytes = 1 + rng() % 9;
  for (unsigned d = rng() % 4; d > 0; --d)
    box.dims.push_back({1 + rng() % 4, int64_t(rng() % 61) - 20});
  return box;
}
} // namespace

TEST(Box, AgreesWithSetsOfBytes) {
  std::mt19937 rng(7);
  unsigned hits = 0;
  for (int i = 0; i < 20000; ++i) {
    Box a = randomBox(rng), b = randomBox(rng);
    std::set<uint64_t> sa = bytesOf(a), sb = bytesOf(b);
    ASSERT_EQ(a.lowest(), *sa.begin());
    ASSERT_EQ(a.end(), *sa.rbegin() + 1);
    std::set<uint64_t> common;
    for (uint64_t x : sa)
      if (sb.count(x))
        common.insert(x);
    uint64_t byte = 0;
    ASSERT_EQ(a.overlaps(b, &byte), !common.empty());
    ASSERT_EQ(b.overlaps(a), !common.empty());
    if (!common.empty()) {
      ASSERT_TRUE(common.count(byte));
      ++hits;
    }
    Box n = a;
    n.normalise();
    ASSERT_EQ(bytesOf(n), sa);
    ASSERT_EQ(n.bytes(), a.bytes());
  }
  EXPECT_GT(hits, 1000u);
}

TEST(Box, NormalisesContiguousTilesToOneRow) {
  Box box{64, 32, {{4, 32}, {1, 7}, {8, 128}}};
  box.normalise();
  EXPECT_EQ(box.rowBytes, 1024u);
  EXPECT_TRUE(box.dims.empty());
  Box swapped{0, 32, {{8, 128}, {4, 32}}};
  swapped.normalise();
  EXPECT_EQ(swapped.rowBytes, 1024u);
  Box outer{0, 16, {{4, 32}, {2, 128}}};
  outer.normalise();
  ASSERT_EQ(outer.dims.size(), 1u);
  EXPECT_EQ(outer.dims[0], (Box::Dim{8, 32}));
  Box empty{0, 16, {{0, 32}}};
  empty.normalise();
  EXPECT_TRUE(empty.empty());
  EXPECT_FALSE(empty.overlaps(empty));
}

TEST(Box, LargeCountsAreArithmetic) {
  // A million interleaved rows that never meet, and the same shifted by a byte.
  Box even{0, 32, {{1000000, 64}}}, odd{32, 32, {{1000000, 64}}};
  EXPECT_FALSE(even.overlaps(odd));
  odd.base = 31;
  EXPECT_TRUE(even.overlaps(odd));
  Box rows{0, 32, {{1u << 20, 96}, {1u << 20, 96 << 20}}}, columns{40, 8, {{1u << 20, 96}, {1u << 20, 96 << 20}}};
  EXPECT_FALSE(rows.overlaps(columns));
  // Saturating sizes do not overflow.
  Box huge{0, 1u << 30, {{1u << 30, 1}, {1u << 30, 1}}};
  EXPECT_EQ(huge.bytes(), UINT64_MAX);
}
