//===- MoveAutoTest.cpp - moves and views where the library orders --------===//

#define __PTO_AUTO__
#include "pto/pto-inst.hpp"

#include "ptoscope/launch.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace pto;

namespace {

constexpr int kSize = 32;
template <typename T> using View = GlobalTensor<T, Shape<1, 1, 1, kSize, kSize>, Stride<1, 1, 1, kSize, 1>>;

/// A product through L1, with an element changed by the scalar unit before and after.
void product(half *pa, half *pb, float *pc) {
  View<half> ga(pa), gb(pb);
  View<float> gc(pc);
  Tile<TileType::Mat, half, kSize, kSize, BLayout::ColMajor, kSize, kSize, SLayout::RowMajor> a1, b1;
  TileLeft<half, kSize, kSize> a;
  TileRight<half, kSize, kSize> b;
  TileAcc<float, kSize, kSize> c;
  Tile<TileType::Vec, float, kSize, kSize> out;
  Tile<TileType::Vec, float, 16, 2 * kSize> flat;
  TLOAD(a1, ga);
  TLOAD(b1, gb);
  TMOV(a, a1);
  TEXTRACT(b, b1, 0, 0);
  TMATMUL(c, a, b);
  TMOV<ReluPreMode::NormalRelu>(out, c);
  TRESHAPE(flat, out);
  flat.SetValue(0, out.GetValue(1) + 1.0f);
  TADDS(flat, flat, 0.5f);
  flat.SetValue(2, flat.GetValue(0));
  TSTORE(gc, out);
}

TEST(TileMoveAuto, ProductAndScalars) {
  std::vector<half> a(kSize * kSize), b(kSize * kSize);
  for (int i = 0; i < kSize * kSize; ++i) {
    a[size_t(i)] = half(float(i % 7 - 3));
    b[size_t(i)] = half(float(i % 5 - 2));
  }
  std::vector<float> expected(kSize * kSize);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      float sum = 0;
      for (int k = 0; k < kSize; ++k)
        sum += float(a[size_t(i * kSize + k)]) * float(b[size_t(k * kSize + j)]);
      expected[size_t(i * kSize + j)] = sum > 0 ? sum : 0;
    }
  expected[0] = expected[1] + 1.0f;
  for (float &x : expected)
    x += 0.5f;
  expected[2] = expected[0];
  for (uint64_t seed = 0; seed < 8; ++seed) {
    ptoscope::Options options;
    options.schedule = seed == 0   ? ptoscope::Options::Eager
                       : seed == 1 ? ptoscope::Options::Lazy
                                   : ptoscope::Options::Random;
    options.seed = seed;
    std::vector<float> c(kSize * kSize);
    ptoscope::Result result = ptoscope::launch(options, product, 1, a, b, c);
    EXPECT_EQ(result.size(), 0u) << result.text();
    ASSERT_EQ(c, expected);
  }
}

/// A tile that becomes a view gives back the storage that was found for it.
TEST(TileMoveAuto, ViewsOwnNothing) {
  auto kernel = [](float *p) {
    GlobalTensor<float, Shape<1, 1, 1, 128, 256>, Stride<1, 1, 1, 256, 1>> g(p);
    for (int i = 0; i < 4; ++i) {
      Tile<TileType::Vec, float, 128, 256> a, b; // 128 KiB each: there is room for two
      TLOAD(a, g);
      TLOAD(b, g);
      TRESHAPE(b, a);
      Tile<TileType::Vec, float, 128, 256> c;
      TLOAD(c, g);
      TADD(b, b, c);
      TSTORE(g, a);
    }
  };
  std::vector<float> x(128 * 256, 1.0f);
  ptoscope::Result result = ptoscope::launch(kernel, 1, x);
  EXPECT_EQ(result.size(), 0u) << result.text();
  EXPECT_EQ(x[77], 16.0f);
}

} // namespace
