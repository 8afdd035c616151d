//===- HalfTest.cpp - half as a type of programs --------------------------===//
//
// `half` is the compiler's own type where it has one, else a class of the headers
// (PTO_OWN_HALF asks for the class). This file is compiled both ways: conversions,
// arithmetic and programs have to give the same bits.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <limits>

using namespace pto;
using namespace programs;

namespace {

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2);
#ifdef PTO_OWN_HALF
static_assert(std::is_class_v<half>);
#endif

half halfOf(uint16_t bits) {
  half result;
  std::memcpy(static_cast<void *>(&result), &bits, 2);
  return result;
}
bool isFinite(uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }
double valueOf(uint16_t bits) { return decode(bits, 5, 10); }

TEST(TileHalf, EveryValueBothWays) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const half value = halfOf(uint16_t(bits));
    const float wide = float(value);
    if (isFinite(uint16_t(bits))) {
      ASSERT_EQ(double(wide), valueOf(uint16_t(bits))) << bits;
      ASSERT_EQ(std::signbit(wide), bits >> 15 != 0) << bits;
      ASSERT_EQ(bitsOf(half(wide)), bits);
    } else if ((bits & 0x3ff) == 0) {
      ASSERT_TRUE(std::isinf(wide));
      ASSERT_EQ(std::signbit(wide), bits >> 15 != 0);
      ASSERT_EQ(bitsOf(half(wide)), bits);
    } else {
      ASSERT_TRUE(std::isnan(wide)) << bits;
      ASSERT_TRUE(std::isnan(float(half(wide)))) << bits;
    }
  }
}

/// Between neighbours: the nearer one, on a tie the even one.
// CPP-2.
TEST(TileHalf, RoundsToNearestEven) {
  for (unsigned sign : {0u, 0x8000u})
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
      const double next = bits == 0x7bff ? 65536 : valueOf(uint16_t(bits + 1)); // where infinity begins to be near
      const auto middle = float((valueOf(uint16_t(bits)) + next) / 2);
      const float below = std::nextafter(middle, 0.0f),
                  above = std::nextafter(middle, std::numeric_limits<float>::infinity());
      const auto rounded = [&](float size) { return unsigned(bitsOf(half(sign ? -size : size))); };
      ASSERT_EQ(rounded(below), sign | bits);
      ASSERT_EQ(rounded(middle), sign | (bits + bits % 2));
      ASSERT_EQ(rounded(above), sign | (bits + 1));
    }
  EXPECT_EQ(bitsOf(half(1e30f)), 0x7c00u);
  EXPECT_EQ(bitsOf(half(1e-30f)), 0u);
  EXPECT_EQ(bitsOf(half(-1e-30f)), 0x8000u);
}

TEST(TileHalf, ArithmeticRoundsOnce) {
  const auto rounded = [](double x) { return nearest(x, 10, -14); };
  uint64_t state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    // Exponents around 0: nothing overflows.
    const half a = halfOf(uint16_t((state >> 20 & 0x83ff) | (10 + (state >> 40) % 11) << 10));
    const half b = halfOf(uint16_t((state >> 44 & 0x83ff) | (10 + (state >> 60) % 11) << 10));
    const double x = double(float(a)), y = double(float(b));
    half sum = a, difference = a, product = a, ratio = a;
    sum += b;
    difference -= b;
    product *= b;
    ratio /= b;
    ASSERT_EQ(double(float(sum)), rounded(x + y));
    ASSERT_EQ(double(float(difference)), rounded(x - y));
    ASSERT_EQ(double(float(product)), rounded(x * y));
    ASSERT_EQ(double(float(ratio)), rounded(x / y));
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a == b, x == y);
    ASSERT_EQ(double(float(half(a + b))), rounded(x + y));
  }
  EXPECT_EQ(float(half(3)), 3.0f);
  EXPECT_EQ(float(half(-0.5)), -0.5f);
  EXPECT_EQ(int(half(7)), 7);
}

/// Scalars, pads, elements by the host and by the scalar unit.
TEST(TileHalf, Program) {
  constexpr int kRows = 8, kCols = 32, kUsed = 20;
  clean([](const ptoscope::Options &options) {
    std::vector<half> x(kRows * kUsed), y(kRows * kUsed), pads(kRows * kCols);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = half(float(i) * 0.25f - 10);
    auto kernel = [](const half *px, half *py, half *pp) {
      using Used = Tile<TileType::Vec, half, kRows, kCols, BLayout::RowMajor, kRows, kUsed>;
      Tile<TileType::Vec, half, kRows, kCols, BLayout::RowMajor, kRows, kUsed, SLayout::NoneBox, 512,
           PadCustom<half(1.5f)>>
          a;
      Used b, c;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(c, 0x2000);
      View<half, kRows, kUsed> gx(const_cast<half *>(px)), gy(py);
      TLOAD(a, gx);
      fence();
      TMULS(b, a, half(0.5f));
      fence();
      TADDS(c, b, half(100));
      fence();
      c.SetValue(0, half(float(c.GetValue(1)) + 1));
      c.SetElement(1, 0, half(c.GetElement(1, 1) + half(1)));
      fence();
      TSTORE(gy, c);
      // With what the load put behind each row.
      Tile<TileType::Vec, half, kRows, kCols> all;
      TASSIGN(all, 0);
      View<half, kRows, kCols> gp(pp);
      TSTORE(gp, all);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y, pads);
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kUsed; ++c) {
        const auto want = [&](int column) {
          return nearest(nearest(double(float(x[size_t(r * kUsed + column)])) * 0.5, 10, -14) + 100, 10, -14);
        };
        const double set = nearest(want(1) + 1, 10, -14);
        EXPECT_EQ(double(float(y[size_t(r * kUsed + c)])), r < 2 && c == 0 ? set : want(c)) << r << ", " << c;
      }
    for (int r = 0; r < kRows; ++r)
      for (int c = kUsed; c < kCols; ++c)
        EXPECT_EQ(float(pads[size_t(r * kCols + c)]), 1.5f);
    return result;
  });
}

} // namespace
