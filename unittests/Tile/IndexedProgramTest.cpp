//===- IndexedProgramTest.cpp - conversions, products, gathers, sorts -----===//
//
// Whole programs, with all checks and under every schedule: results, and the
// findings of indices that name nothing.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/launch.hpp"

#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using namespace pto;

namespace {

std::vector<ptoscope::Options> schedules() {
  std::vector<ptoscope::Options> result(4);
  result[1].schedule = ptoscope::Options::Lazy;
  for (size_t i : {2, 3}) {
    result[i].schedule = ptoscope::Options::Random;
    result[i].seed = i;
  }
  return result;
}

constexpr int kRows = 16, kCols = 64, kCount = kRows * kCols;
template <typename T> using Vec = Tile<TileType::Vec, T, kRows, kCols>;
template <typename T> using View = GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

TEST(TilePrograms, Convert) {
  for (const ptoscope::Options &options : schedules()) {
    std::vector<float> x(kCount);
    for (int i = 0; i < kCount; ++i)
      x[size_t(i)] = float(i - 500) * 0.75f;
    std::vector<int8_t> y(kCount);
    std::vector<half> z(kCount);
    auto kernel = [](float *px, int8_t *py, half *pz) {
      Vec<float> a;
      Vec<int8_t> b;
      Vec<half> c;
      TASSIGN(a, 0);
      TASSIGN(b, 0x2000);
      TASSIGN(c, 0x4000);
      View<float> gx(px);
      View<int8_t> gy(py);
      View<half> gz(pz);
      Event<Op::TLOAD, Op::TCVT> loaded;
      Event<Op::TCVT, Op::TSTORE_VEC> converted;
      loaded = TLOAD(a, gx);
      TCVT(b, a, RoundMode::CAST_FLOOR, SaturationMode::ON, loaded);
      converted = TCVT(c, a, RoundMode::CAST_RINT);
      TSTORE(gy, b, converted);
      TSTORE(gz, c);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y, z);
    EXPECT_EQ(result.size(), 0u) << result.text();
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(int(y[i]), int(std::clamp(std::floor(x[i]), -128.0f, 127.0f)));
      ASSERT_EQ(float(z[i]), x[i]); // quarters below 512 are halves
    }
  }
}

TEST(TilePrograms, Product) {
  for (const ptoscope::Options &options : schedules()) {
    std::vector<float> out(32 * 32, -1.0f);
    auto kernel = [](float *p) {
      TileLeft<half, 32, 32> a;
      TileRight<half, 32, 32> b;
      TileAcc<float, 32, 32> c;
      TASSIGN(a, 0);
      TASSIGN(b, 0);
      TASSIGN(c, 0);
      for (int i = 0; i < 32; ++i)
        for (int k = 0; k < 32; ++k) {
          a.SetElement(i, k, half(i + k));
          b.SetElement(i, k, half(i == k ? 2 : 0));
        }
      GlobalTensor<float, Shape<1, 1, 1, 32, 32>, Stride<1024, 1024, 1024, 32, 1>> g(p);
      TMATMUL(c, a, b);
      pipe_barrier(PIPE_M);
      TMATMUL_ACC<AccPhase::Partial>(c, c, a, b);
      pipe_barrier(PIPE_M);
      Event<Op::TMATMUL_ACC, Op::TSTORE_ACC> done;
      done = TMATMUL_ACC<AccPhase::Final>(c, a, b);
      TSTORE(g, c, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, out);
    EXPECT_EQ(result.size(), 0u) << result.text();
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 32; ++j)
        ASSERT_EQ(out[size_t(i * 32 + j)], float(6 * (i + j)));
  }
}

/// Gathers from a tile and from global memory, scatters to both.
void indexed(float *px, int32_t *pi, float *py, float *pz) {
  Vec<float> a, b;
  Vec<int32_t> idx;
  TASSIGN(a, 0);
  TASSIGN(b, 0x2000);
  TASSIGN(idx, 0x4000);
  View<float> gx(px), gy(py), gz(pz);
  View<int32_t> gi(pi);
  TLOAD(a, gx);
  TLOAD(idx, gi);
  pipe_barrier(PIPE_ALL);
  TGATHER(b, a, idx);
  pipe_barrier(PIPE_ALL);
  TSTORE(gy, b);
  MSCATTER<Coalesce::Elem>(gz, a, idx);
}

struct Indexed {
  std::vector<float> x, y, z;
  std::vector<int32_t> i;
  Indexed() : x(kCount), y(kCount), z(kCount), i(kCount) {
    std::iota(x.begin(), x.end(), 1.0f);
    for (int k = 0; k < kCount; ++k)
      i[size_t(k)] = (k * 37 + 11) % kCount;
  }
};

TEST(TilePrograms, GatherAndScatter) {
  for (const ptoscope::Options &options : schedules()) {
    Indexed data;
    ptoscope::Result result = ptoscope::launch(options, indexed, 1, data.x, data.i, data.y, data.z);
    EXPECT_EQ(result.size(), 0u) << result.text();
    for (size_t k = 0; k < kCount; ++k) {
      ASSERT_EQ(data.y[k], data.x[size_t(data.i[k])]);
      ASSERT_EQ(data.z[size_t(data.i[k])], data.x[k]);
    }
  }
}

TEST(TilePrograms, IndexOutsideIsAFinding) {
  for (const ptoscope::Options &options : schedules()) {
    Indexed data;
    data.i[70] = kCount;
    ptoscope::Result result = ptoscope::launch(options, indexed, 1, data.x, data.i, data.y, data.z);
    EXPECT_FALSE(result.ok());
    EXPECT_TRUE(result.has("ub-out-of-bounds")) << result.text();
    EXPECT_TRUE(result.has("gm-out-of-bounds")) << result.text();
    EXPECT_NE(std::string(result.text()).find("index 1024 at row 1, column 6"), std::string::npos) << result.text();
  }
}

TEST(TilePrograms, SortAndMerge) {
  for (const ptoscope::Options &options : schedules()) {
    constexpr int kValues = 128;
    std::vector<float> x(kValues), out(2 * kValues);
    std::vector<uint32_t> i(kValues);
    std::iota(i.begin(), i.end(), 0u);
    for (int k = 0; k < kValues; ++k)
      x[size_t(k)] = float((k * 53) % 131);
    auto kernel = [](float *px, uint32_t *pi, float *py) {
      Tile<TileType::Vec, float, 1, kValues> a;
      Tile<TileType::Vec, uint32_t, 1, kValues> idx;
      Tile<TileType::Vec, float, 1, 2 * kValues> records, merged;
      TASSIGN(a, 0);
      TASSIGN(idx, 0x400);
      TASSIGN(records, 0x800);
      TASSIGN(merged, 0x1000);
      GlobalTensor<float, Shape<1, 1, 1, 1, kValues>, Stride<1, 1, 1, kValues, 1>> gx(px);
      GlobalTensor<uint32_t, Shape<1, 1, 1, 1, kValues>, Stride<1, 1, 1, kValues, 1>> gi(pi);
      GlobalTensor<float, Shape<1, 1, 1, 1, 2 * kValues>, Stride<1, 1, 1, 2 * kValues, 1>> gy(py);
      TLOAD(a, gx);
      TLOAD(idx, gi);
      pipe_barrier(PIPE_ALL);
      TSORT32(records, a, idx);
      pipe_barrier(PIPE_V);
      TMRGSORT(merged, records, 64);
      pipe_barrier(PIPE_ALL);
      TSTORE(gy, merged);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, i, out);
    EXPECT_EQ(result.size(), 0u) << result.text();
    std::vector<float> want = x;
    std::sort(want.begin(), want.end(), std::greater<>());
    for (int k = 0; k < kValues; ++k) {
      uint32_t number;
      std::memcpy(&number, &out[size_t(2 * k + 1)], 4);
      ASSERT_EQ(out[size_t(2 * k)], want[size_t(k)]);
      ASSERT_EQ(x[number], want[size_t(k)]);
    }
  }
}

} // namespace
