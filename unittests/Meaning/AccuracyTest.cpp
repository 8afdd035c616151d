//===- AccuracyTest.cpp - f32 exp, ln, roots and reciprocals --------------===//
//
// Each must be correctly rounded, so within half a unit of the last place. The
// reference is the host's library in double; where that is too near a rounding
// boundary to decide, long double, which has at least 11 bits more. LanesTest
// covers f16 exhaustively.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Meaning/Lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

using namespace ptoscope::meaning;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kMin = std::numeric_limits<float>::min();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

struct Function {
  const char *name;
  Group<f32> (*lanes)(Group<f32>);
  double (*inDouble)(double);
  long double (*exact)(long double);
  std::vector<std::pair<float, float>> specials; ///< input and result

  friend void PrintTo(const Function &f, std::ostream *os) { *os << f.name; }
};

const Function kFunctions[] = {
    {"exp",
     [](Group<f32> x) { return vexp<f32>(x); },
     [](double x) { return std::exp(x); },
     [](long double x) { return std::exp(x); },
     {{0.0f, 1.0f},
      {-0.0f, 1.0f},
      {kInf, kInf},
      {-kInf, 0.0f},
      {kNaN, kNaN},
      {90.0f, kInf},
      {104.0f, kInf},
      {kMax, kInf},
      {-120.0f, 0.0f},
      {-kMax, 0.0f},
      {kDenormal, 1.0f},
      {-kDenormal, 1.0f},
      {1.0f, 0x1.5bf0a8p+1f},
      // The last input below overflow and the first above.
      {0x1.62e42ep+6f, 0x1.ffff08p+127f},
      {0x1.62e430p+6f, kInf},
      // The last that is not zero.
      {-0x1.9fe368p+6f, kDenormal},
      {-0x1.9fe36ap+6f, 0.0f}}},
    {"ln",
     [](Group<f32> x) { return vln<f32>(x); },
     [](double x) { return std::log(x); },
     [](long double x) { return std::log(x); },
     {{1.0f, 0.0f},
      {0.0f, -kInf},
      {-0.0f, -kInf},
      {kInf, kInf},
      {-kInf, kNaN},
      {-1.0f, kNaN},
      {-kDenormal, kNaN},
      {-kMax, kNaN},
      {kNaN, kNaN},
      {2.0f, 0x1.62e430p-1f},
      {0.5f, -0x1.62e430p-1f},
      {kDenormal, -0x1.9d1da0p+6f},
      {kMin, -0x1.5d58a0p+6f},
      {kMax, 0x1.62e430p+6f},
      // The neighbours of 1, where all of the result is in the low part of x.
      {0x1.000002p+0f, 0x1.fffffep-24f},
      {0x1.fffffep-1f, -0x1.000000p-24f}}},
    {"sqrt",
     [](Group<f32> x) { return vsqrt<f32>(x); },
     [](double x) { return std::sqrt(x); },
     [](long double x) { return std::sqrt(x); },
     {{0.0f, 0.0f},
      {-0.0f, -0.0f},
      {kInf, kInf},
      {-kInf, kNaN},
      {-kDenormal, kNaN},
      {kNaN, kNaN},
      {4.0f, 2.0f},
      {kMin, 0x1p-63f},
      {kMax, 0x1.fffffep+63f}}},
    {"rec",
     [](Group<f32> x) { return vrec<f32>(x); },
     [](double x) { return 1 / x; },
     [](long double x) { return 1 / x; },
     {{0.0f, kInf},
      {-0.0f, -kInf},
      {kInf, 0.0f},
      {-kInf, -0.0f},
      {kNaN, kNaN},
      {-4.0f, -0.25f},
      {kDenormal, kInf},
      {0x1p-128f, kInf},
      {0x1p127f, 0x1p-127f}}},
    {"rsqrt",
     [](Group<f32> x) { return vrsqrt<f32>(x); },
     [](double x) { return 1 / std::sqrt(x); },
     [](long double x) { return 1 / std::sqrt(x); },
     {{0.0f, kInf},
      {-0.0f, -kInf},
      {kInf, 0.0f},
      {-kInf, kNaN},
      {-1.0f, kNaN},
      {kNaN, kNaN},
      {4.0f, 0.5f},
      {kMin, 0x1p63f},
      {0x1p-148f, 0x1p74f}}},
};

class AccuracyTest : public testing::TestWithParam<Function> {};
INSTANTIATE_TEST_SUITE_P(, AccuracyTest, testing::ValuesIn(kFunctions),
                         [](const auto &info) { return info.param.name; });

/// The result for x, of which `value` is the library's in double.
float rounded(const Function &f, float x, double value) {
  if (!std::isfinite(value))
    return float(value);
  // Errors of libraries are below an ulp or two of double.
  double margin = std::fabs(value) * 0x1p-50;
  float below = float(value - margin), above = float(value + margin);
  return below == above ? below : float(f.exact(x));
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

struct Sweep {
  uint64_t wrong = 0;      ///< results that are not correctly rounded
  double largestError = 0; ///< of finite results, in units of their last place
  float worst = 0;         ///< the input of that one
};

/// Weight of the last bit of a finite float.
double lastPlace(float x) {
  uint64_t exponent = std::bit_cast<uint32_t>(x) >> 23 & 0xFF;
  return std::bit_cast<double>(((exponent > 0 ? exponent : 1) - 150 + 1023) << 52);
}

/// Of every step-th bit pattern.
Sweep sweep(const Function &f, uint64_t step) {
  Sweep found;
  for (uint64_t first = 0; first < uint64_t(1) << 32; first += 16 * step) {
    Group<f32> x;
    for (int i = 0; i < 16; ++i)
      x[i] = std::bit_cast<float>(uint32_t(first + uint64_t(i) * step));
    Group<f32> result = f.lanes(x);
    for (int i = 0; i < 16; ++i) {
      double value = f.inDouble(x[i]);
      float expected = rounded(f, x[i], value);
      if (!same(result[i], expected) && found.wrong++ < 10)
        ADD_FAILURE() << std::hexfloat << f.name << " of " << x[i] << " is " << result[i] << ", not " << expected;
      if (!std::isfinite(expected) || !std::isfinite(result[i]))
        continue;
      double error = std::fabs(result[i] - value) / lastPlace(result[i]);
      if (error > found.largestError)
        found = {found.wrong, error, x[i]};
    }
  }
  return found;
}

/// 2^17 inputs; an odd step, so that they end in all bits.
TEST_P(AccuracyTest, EvenlySpaced) { EXPECT_EQ(sweep(GetParam(), 32771).wrong, 0u); }

/// Takes minutes: `make test-long`, when a polynomial or a reduction changes.
TEST_P(AccuracyTest, DISABLED_EveryInput) {
  Sweep found = sweep(GetParam(), 1);
  EXPECT_EQ(found.wrong, 0u);
  std::printf("%s: largest error %.9f units in the last place, at %a\n", GetParam().name, found.largestError,
              double(found.worst));
}

TEST_P(AccuracyTest, Specials) {
  const Function &f = GetParam();
  for (auto [x, expected] : f.specials) {
    float result = f.lanes(splat<f32>(x))[0];
    EXPECT_TRUE(same(result, expected)) << std::hexfloat << f.name << " of " << x << " is " << result;
  }
  for (uint32_t bits : {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFF800001u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    float result = canon<f32>(f.lanes(splat<f32>(std::bit_cast<float>(bits))))[0];
    EXPECT_EQ(std::bit_cast<uint32_t>(result), f32::kNaN) << std::hex << f.name << " of 0x" << bits;
  }
}

TEST_P(AccuracyTest, LanesAreIndependent) {
  const Function &f = GetParam();
  Group<f32> x;
  for (int i = 0; i < 16; ++i)
    x[i] = i % 5 == 0 ? kNaN : float(i * 13 - 100);
  Group<f32> result = f.lanes(x);
  for (int i = 0; i < 16; ++i)
    EXPECT_TRUE(same(result[i], f.lanes(splat<f32>(x[i]))[0])) << "lane " << i;
}

} // namespace
