//===- HostAutoTest.cpp - auto mode of the host profile -------------------===//

#define __CPU_SIM
#define __PTO_AUTO__
#include "pto/pto-inst.hpp"
#include "ptoscope/launch.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace pto;

namespace {
constexpr int kRows = 128, kCols = 128, kCount = kRows * kCols;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;

/// N tiles of 64 KiB that are all in use at the end.
template <int N> void addUp(float *from, float *to) {
  Vec tile[N], sum;
  View in(from), out(to);
  for (int i = 0; i < N; ++i) {
    TLOAD(tile[i], in);
    TADDS(tile[i], tile[i], float(i));
  }
  TEXPANDS(sum, 0.0f);
  for (int i = 0; i < N; ++i)
    TADD(sum, sum, tile[i]);
  TSTORE(out, sum);
}
template <int N> ptoscope::Result run() {
  std::vector<float> x(kCount), y(kCount);
  for (int i = 0; i < kCount; ++i)
    x[size_t(i)] = float(i % 1000);
  ptoscope::Result result = ptoscope::launch(addUp<N>, 1, x, y);
  for (int i = 0; i < kCount; ++i)
    if (y[size_t(i)] != N * x[size_t(i)] + N * (N - 1) / 2.0f) {
      ADD_FAILURE() << i << ": " << y[size_t(i)];
      break;
    }
  return result;
}
} // namespace

// REPORT-8: once, however many tiles there are.
TEST(TileHostAuto, TilesThatDoNotFit) {
  ptoscope::Result result = run<9>();
  EXPECT_TRUE(result.has("tile-memory-full")) << result.text();
  EXPECT_EQ(result.size(), 1u) << result.text();
  EXPECT_TRUE(result.completed());
}
TEST(TileHostAuto, TilesThatFit) { EXPECT_EQ(run<3>().size(), 0u); }
