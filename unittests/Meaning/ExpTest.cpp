//===- ExpTest.cpp - accuracy of exp --------------------------------------===//
//
// f32 against the long double of the host's library, which has at least 11 bits
// more than double. LanesTest covers f16 exhaustively.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Meaning/Lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

using namespace ptoscope::meaning;

namespace {

float expOf(float x) { return vexp<f32>(splat<f32>(x))[0]; }

/// Error in units of the last place of f32 at the exact value.
double errorInUlps(float result, long double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  int last = exponent - 24 < -149 ? -149 : exponent - 24;
  return double(std::fabs(result - exact) / std::ldexp(1.0L, last));
}

struct Accuracy {
  double worst = 0;     ///< ulps
  uint64_t wrong = 0;   ///< not correctly rounded
  uint64_t checked = 0; ///< inputs in [-104, 89] but close to 0
};

/// Every step-th bit pattern.
Accuracy measure(uint64_t step) {
  Accuracy accuracy;
  for (uint64_t first = 0; first < uint64_t(1) << 32; first += 16 * step) {
    Group<f32> x;
    for (int i = 0; i < 16; ++i)
      x[i] = std::bit_cast<float>(uint32_t(first + i * step));
    Group<f32> result = vexp<f32>(x);
    for (int i = 0; i < 16; ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(result[i]));
        continue;
      }
      if (x[i] > 89.0f || x[i] < -104.0f) {
        EXPECT_EQ(result[i], x[i] > 0 ? INFINITY : 0.0f);
        continue;
      }
      if (std::fabs(x[i]) < 0x1p-26f) { // nearer to 1 than half the distance to its neighbours
        EXPECT_EQ(result[i], 1.0f);
        continue;
      }
      long double exact = std::exp((long double)x[i]);
      ++accuracy.checked;
      accuracy.wrong += result[i] != float(exact);
      if (!std::isinf(result[i])) // overflow is right or wrong, not close
        accuracy.worst = std::fmax(accuracy.worst, errorInUlps(result[i], exact));
    }
  }
  std::printf("exp f32: %llu inputs, worst error %.7f ulp, %llu not correctly rounded\n",
              (unsigned long long)accuracy.checked, accuracy.worst, (unsigned long long)accuracy.wrong);
  return accuracy;
}

TEST(ExpTest, EvenlySpaced) {
  Accuracy accuracy = measure(1 << 10); // 2^22 patterns
  EXPECT_LE(accuracy.worst, 0.5 + 1e-6);
  EXPECT_EQ(accuracy.wrong, 0u);
}

/// Takes minutes: run it when the polynomial or the reduction changes.
TEST(ExpTest, DISABLED_EveryInput) {
  Accuracy accuracy = measure(1);
  EXPECT_LE(accuracy.worst, 0.5 + 1e-6);
  EXPECT_EQ(accuracy.wrong, 0u);
}

TEST(ExpTest, Specials) {
  float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(expOf(0.0f), 1.0f);
  EXPECT_EQ(expOf(-0.0f), 1.0f);
  EXPECT_EQ(expOf(inf), inf);
  EXPECT_EQ(std::bit_cast<uint32_t>(expOf(-inf)), 0u);
  EXPECT_EQ(expOf(90.0f), inf);
  EXPECT_EQ(expOf(104.0f), inf);
  EXPECT_EQ(expOf(std::numeric_limits<float>::max()), inf);
  EXPECT_EQ(expOf(-120.0f), 0.0f);
  EXPECT_EQ(expOf(std::numeric_limits<float>::lowest()), 0.0f);
  EXPECT_EQ(expOf(std::numeric_limits<float>::denorm_min()), 1.0f);
  EXPECT_EQ(expOf(-std::numeric_limits<float>::denorm_min()), 1.0f);
  EXPECT_EQ(expOf(1.0f), 0x1.5bf0a8p+1f);
  // The last input below overflow and the first above.
  EXPECT_EQ(expOf(0x1.62e42ep+6f), 0x1.ffff08p+127f);
  EXPECT_EQ(expOf(0x1.62e430p+6f), inf);
  // Into the denormals, and out of them.
  EXPECT_LT(expOf(-0x1.5d58a0p+6f), std::numeric_limits<float>::min());
  EXPECT_EQ(expOf(-0x1.9fe368p+6f), 0x1p-149f);
  EXPECT_EQ(expOf(-0x1.9fe36ap+6f), 0.0f);
  for (uint32_t bits : {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFF800001u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    float result = canon<f32>(vexp<f32>(splat<f32>(std::bit_cast<float>(bits))))[0];
    EXPECT_EQ(std::bit_cast<uint32_t>(result), 0x7FC00000u);
  }
}

TEST(ExpTest, LanesAreIndependent) {
  Group<f32> x, expected;
  for (int i = 0; i < 16; ++i)
    x[i] = i % 5 == 0 ? NAN : float(i * 13 - 100);
  Group<f32> result = vexp<f32>(x);
  for (int i = 0; i < 16; ++i) {
    expected[i] = expOf(x[i]);
    EXPECT_TRUE(result[i] == expected[i] || (std::isnan(result[i]) && i % 5 == 0)) << "lane " << i;
  }
}

} // namespace
