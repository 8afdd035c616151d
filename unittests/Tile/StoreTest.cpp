//===- StoreTest.cpp - atomic stores of several blocks --------------------===//

#include "ptoscope/launch.hpp"

#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace pto;

namespace {

constexpr int kRows = 8, kCols = 16, kTile = kRows * kCols;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kTile, kTile, kTile, kCols, 1>>;

template <AtomicType A> void reduce(float *x, float *z) {
  Vec a;
  TASSIGN(a, 0);
  View gx(x + get_block_idx() * kTile), gz(z);
  Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(a, gx);
  TSTORE<Vec, View, A>(gz, a, loaded);
}

// TSTORE-5.
TEST(TileStore, AtomicsOfSeveralBlocks) {
  constexpr int kBlocks = 7;
  std::vector<float> x(kBlocks * kTile);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i * 37 % 101) - 50);
  for (int schedule = 0; schedule < 6; ++schedule)
    for (unsigned threads : {1u, 4u}) {
      ptoscope::Options options;
      options.schedule = schedule == 0   ? ptoscope::Options::Eager
                         : schedule == 1 ? ptoscope::Options::Lazy
                                         : ptoscope::Options::Random;
      options.seed = uint64_t(schedule);
      options.threads = threads;
      std::vector<float> sum(kTile, 1.0f), most(kTile, -100.0f), least(kTile, 100.0f);
      ptoscope::Result results[] = {ptoscope::launch(options, reduce<AtomicType::AtomicAdd>, kBlocks, x, sum),
                                    ptoscope::launch(options, reduce<AtomicType::AtomicMax>, kBlocks, x, most),
                                    ptoscope::launch(options, reduce<AtomicType::AtomicMin>, kBlocks, x, least)};
      for (const ptoscope::Result &result : results)
        EXPECT_TRUE(result.ok()) << result.text();
      for (int i = 0; i < kTile; ++i) {
        float expectedSum = 1.0f, expectedMost = -100.0f, expectedLeast = 100.0f;
        for (int block = 0; block < kBlocks; ++block) {
          float value = x[size_t(block * kTile + i)];
          expectedSum += value;
          expectedMost = value > expectedMost ? value : expectedMost;
          expectedLeast = value < expectedLeast ? value : expectedLeast;
        }
        ASSERT_EQ(sum[i], expectedSum);
        ASSERT_EQ(most[i], expectedMost);
        ASSERT_EQ(least[i], expectedLeast);
      }
    }
}

TEST(TileStore, PlainStoresOfSeveralBlocksConflict) {
  std::vector<float> x(2 * kTile), z(kTile);
  EXPECT_TRUE(ptoscope::launch(reduce<AtomicType::AtomicNone>, 2, x, z).has("race-blocks"));
}

} // namespace
