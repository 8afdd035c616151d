//===- AutoModeTest.cpp - the library places and orders -------------------===//

#define __PTO_AUTO__
#define PTO_SHORT_TILE
#include "pto/pto-inst.hpp"

#include "ptoscope/launch.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

using namespace pto;

namespace {

// As texts write it: no TASSIGN, no flags.
void addTile(Tile<float, 16, 16> &c, const GlobalTensor<float> &ga, const GlobalTensor<float> &gb,
             GlobalTensor<float> &gc) {
  Tile<float, 16, 16> a, b;
  TLOAD(a, ga);
  TLOAD(b, gb);
  TADD(c, a, b);
  TSTORE(gc, c);
}

void kernel(float *x, float *y, float *z, int tiles) {
  Shape<> shape(1, 1, 1, 16, 16);
  Stride<> stride(256, 256, 256, 16, 1);
  Tile<float, 16, 16> c;
  for (int i = 0; i < tiles; ++i) {
    GlobalTensor<float> ga(x + i * 256, shape, stride), gb(y + i * 256, shape, stride), gc(z + i * 256, shape, stride);
    addTile(c, ga, gb, gc);
  }
}

// TAUTO-1, TAUTO-3.
TEST(TileAutoMode, PlacesAndOrdersUnderEverySchedule) {
  constexpr int kTiles = 40;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<float> x(kTiles * 256), y(x.size()), z(x.size());
    std::iota(x.begin(), x.end(), 1.0f);
    std::iota(y.begin(), y.end(), 0.5f);
    ptoscope::Options options;
    options.schedule = seed == 0   ? ptoscope::Options::Eager
                       : seed == 1 ? ptoscope::Options::Lazy
                                   : ptoscope::Options::Random;
    options.seed = seed;
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y, z, kTiles);
    EXPECT_EQ(result.size(), 0u) << result.text();
    EXPECT_TRUE(result.ok());
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(z[i], x[i] + y[i]);
  }
}

// TAUTO-2.
TEST(TileAutoMode, MemoryIsFreeAgainBehindTheBrace) {
  auto fits = [](float *x) {
    for (int i = 0; i < 4; ++i) {
      Tile<float, 128, 256> a; // 128 KiB each
      GlobalTensor<float> g(x, Shape<>(1, 1, 1, 128, 256), Stride<>(1, 1, 1, 256, 1));
      TLOAD(a, g);
    }
  };
  auto full = [](float *x) {
    Tile<float, 128, 256> a, b, c;
    GlobalTensor<float> g(x, Shape<>(1, 1, 1, 128, 256), Stride<>(1, 1, 1, 256, 1));
    TLOAD(a, g);
    TLOAD(b, g);
    TLOAD(c, g);
  };
  std::vector<float> x(128 * 256);
  EXPECT_TRUE(ptoscope::launch(fits, 1, x).ok());
  EXPECT_TRUE(ptoscope::launch(full, 1, x).has("tile-memory-full"));
}

} // namespace
