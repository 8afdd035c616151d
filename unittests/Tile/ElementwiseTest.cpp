//===- ElementwiseTest.cpp - element by element ---------------------------===//
//
// Against a plain scalar reference: every element type, whole tiles and valid
// parts, both directions, in place, special values.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/launch.hpp"

#include "pto/pto-inst.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace pto;

namespace {

template <typename T>
constexpr bool kIsFloat = std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

/// Random bits for integers; small and special values for floats.
template <typename T> std::vector<T> values(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> result(n);
  const float inf = std::numeric_limits<float>::infinity();
  const float special[] = {0.0f, -0.0f, inf, -inf, std::numeric_limits<float>::quiet_NaN(), 1e-7f, -65504.0f, 3e38f};
  for (T &value : result) {
    if constexpr (kIsFloat<T>)
      value = T(random() % 5 == 0 ? special[random() % std::size(special)] : float(int32_t(random())) * 0x1p-24f);
    else
      value = T(random());
  }
  return result;
}

template <typename T> T sum(T a, T b) {
  if constexpr (kIsFloat<T>)
    return T(float(a) + float(b));
  else
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
}

template <typename T> void expectSame(T got, T expected, size_t at) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(float(expected))) {
      ASSERT_TRUE(std::isnan(float(got))) << at;
      return;
    }
  }
  ASSERT_EQ(std::memcmp(&got, &expected, sizeof(T)), 0) << at << ": " << float(got) << " for " << float(expected);
}

template <typename T, BLayout Direction> void check(int rows, int cols) {
  constexpr int kRows = 32, kCols = 96;
  using Vec = Tile<TileType::Vec, T, kRows, kCols, Direction, DYNAMIC, DYNAMIC>;
  constexpr bool rowMajor = Direction == BLayout::RowMajor;
  using View = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, DYNAMIC>,
                            std::conditional_t<rowMajor, Stride<1, 1, 1, kCols, 1>, Stride<1, 1, 1, 1, kRows>>,
                            rowMajor ? Layout::ND : Layout::DN>;
  std::vector<T> x = values<T>(kRows * kCols, 1), y = values<T>(kRows * kCols, 2), z(kRows * kCols, T(7)), u = z;
  auto kernel = [=](T *px, T *py, T *pz, T *pu) {
    Vec a(rows, cols), b(rows, cols), c(rows, cols);
    TASSIGN(a, 0);
    TASSIGN(b, 0x4000);
    TASSIGN(c, 0x8000);
    Shape<1, 1, 1, DYNAMIC, DYNAMIC> shape(rows, cols);
    View gx(px, shape), gy(py, shape), gz(pz, shape), gu(pu, shape);
    TLOAD(a, gx);
    TLOAD(b, gy);
    pipe_barrier(PIPE_ALL);
    TADD(c, a, b);
    TADD(a, a, b); // in place
    pipe_barrier(PIPE_ALL);
    TSTORE(gz, c);
    TSTORE(gu, a);
  };
  ptoscope::Result result = ptoscope::launch(kernel, 1, x, y, z, u);
  ASSERT_EQ(result.size(), 0u) << result.text();
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      size_t at = rowMajor ? size_t(r) * kCols + c : size_t(c) * kRows + r;
      T expected = r < rows && c < cols ? sum(x[at], y[at]) : T(7);
      expectSame(z[at], expected, at);
      expectSame(u[at], expected, at);
    }
}

template <typename T> void checkAll() {
  for (auto [rows, cols] : {std::pair{32, 96}, {32, 1}, {1, 96}, {5, 33}, {31, 95}, {0, 0}}) {
    check<T, BLayout::RowMajor>(rows, cols);
    check<T, BLayout::ColMajor>(rows, cols);
  }
}

TEST(TileElementwise, TaddIntegers) {
  checkAll<int8_t>();
  checkAll<uint8_t>();
  checkAll<int16_t>();
  checkAll<uint16_t>();
  checkAll<int32_t>();
  checkAll<uint32_t>();
}
TEST(TileElementwise, TaddFloats) {
  checkAll<half>();
  checkAll<bfloat16_t>();
  checkAll<float>();
}

} // namespace
