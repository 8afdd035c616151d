//===- HalfTest.cpp - small float formats, exhaustively -------------------===//
//
// The reference is plain double arithmetic: values are sums of powers of two,
// and rounding is a search in the sorted list of all values of a format.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Half.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace ptoscope;

namespace {

/// Value of a pattern by definition; NaN for NaNs.
double plainValue(int exponentBits, int fractionBits, bool infinities, uint32_t bits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  uint32_t fraction = bits & ((1u << fractionBits) - 1);
  int exponent = static_cast<int>(bits >> fractionBits) & ((1 << exponentBits) - 1);
  bool negative = (bits >> (exponentBits + fractionBits)) & 1;
  bool top = exponent == (1 << exponentBits) - 1;
  double magnitude;
  if (top && infinities)
    magnitude = fraction ? std::nan("") : std::numeric_limits<double>::infinity();
  else if (top && fraction == (1u << fractionBits) - 1)
    magnitude = std::nan("");
  else if (exponent == 0)
    magnitude = std::ldexp(double(fraction), 1 - bias - fractionBits);
  else
    magnitude = std::ldexp(1.0 + std::ldexp(double(fraction), -fractionBits), exponent - bias);
  return negative ? -magnitude : magnitude;
}

/// Rounding to nearest, ties to even, by search. Overflow starts half a step
/// above the largest finite value.
class PlainRounding {
public:
  PlainRounding(int exponentBits, int fractionBits, bool infinities) : signBit(1u << (exponentBits + fractionBits)) {
    for (uint32_t bits = 0; bits < signBit; ++bits) {
      double value = plainValue(exponentBits, fractionBits, infinities, bits);
      if (!std::isfinite(value))
        break;
      finite.push_back(value);
    }
    double last = finite.back();
    limit = last + (last - finite[finite.size() - 2]) / 2;
    overflow = static_cast<uint32_t>(finite.size());
    negativeOverflow = infinities ? signBit | overflow : overflow; // a NaN has no sign
  }
  uint32_t operator()(double value) const {
    uint32_t sign = std::signbit(value) ? signBit : 0;
    double magnitude = std::fabs(value);
    bool lastIsOdd = (finite.size() - 1) & 1;
    if (magnitude > limit || (magnitude == limit && lastIsOdd))
      return sign ? negativeOverflow : overflow;
    size_t above = std::lower_bound(finite.begin(), finite.end(), magnitude) - finite.begin();
    if (above == finite.size())
      return sign | static_cast<uint32_t>(above - 1);
    if (finite[above] == magnitude)
      return sign | static_cast<uint32_t>(above);
    double down = magnitude - finite[above - 1], up = finite[above] - magnitude;
    bool takeUpper = up < down || (up == down && (above & 1) == 0);
    return sign | static_cast<uint32_t>(takeUpper ? above : above - 1);
  }
  /// Every value, every middle between two, and their neighbours in f32.
  std::vector<float> decisionPoints() const {
    std::vector<float> points = {0.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max(),
                                 std::numeric_limits<float>::denorm_min()};
    auto add = [&points](double value) {
      auto point = static_cast<float>(value);
      for (float p : {point, std::nextafterf(point, 0.0f), std::nextafterf(point, INFINITY)})
        points.push_back(p);
    };
    for (size_t i = 0; i + 1 < finite.size(); ++i) {
      add(finite[i]);
      add((finite[i] + finite[i + 1]) / 2);
    }
    add(finite.back());
    add(limit);
    size_t n = points.size();
    for (size_t i = 0; i < n; ++i)
      points.push_back(-points[i]);
    return points;
  }

  uint32_t signBit, overflow, negativeOverflow;
  double limit;
  std::vector<double> finite;
};

void checkDecoding(const FloatFormat &format, int exponentBits, int fractionBits, bool infinities) {
  for (uint32_t bits = 0; bits < (2u << (exponentBits + fractionBits)); ++bits) {
    double expected = plainValue(exponentBits, fractionBits, infinities, bits);
    double got = decodeFloat(format, bits);
    ASSERT_EQ(std::isnan(expected), std::isnan(got)) << std::hex << bits;
    ASSERT_EQ(std::isnan(expected), format.isNan(bits)) << std::hex << bits;
    ASSERT_EQ(std::isinf(expected), format.isInfinity(bits)) << std::hex << bits;
    ASSERT_EQ(std::isfinite(expected), format.isFinite(bits)) << std::hex << bits;
    if (std::isnan(expected))
      continue;
    ASSERT_EQ(expected, got) << std::hex << bits;
    ASSERT_EQ(std::signbit(expected), std::signbit(got)) << std::hex << bits;
    // Encoding an exact value gives its pattern back.
    ASSERT_EQ(encodeFloat(format, expected), bits) << std::hex << bits;
  }
}

template <typename Convert> void checkRounding(const FloatFormat &format, const PlainRounding &plain, Convert convert) {
  for (float point : plain.decisionPoints()) {
    ASSERT_EQ(convert(point), plain(point)) << std::hexfloat << point;
    ASSERT_EQ(encodeFloat(format, point), plain(point)) << std::hexfloat << point;
  }
  std::mt19937 random(12345);
  for (int i = 0; i < 300000; ++i) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(value))
      continue;
    ASSERT_EQ(convert(value), plain(value)) << std::hexfloat << value;
    ASSERT_EQ(encodeFloat(format, value), plain(value)) << std::hexfloat << value;
  }
}

TEST(Half, DecodesAllPatterns) {
  checkDecoding(kF16, 5, 10, true);
  checkDecoding(kBF16, 8, 7, true);
  checkDecoding(kF8E4M3FN, 4, 3, false);
  checkDecoding(kF8E5M2, 5, 2, true);
}

TEST(Half, WidensAllF16) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    float got = f16ToF32(static_cast<uint16_t>(bits));
    double expected = plainValue(5, 10, true, bits);
    uint32_t gotBits = std::bit_cast<uint32_t>(got);
    if (std::isnan(expected)) {
      // Sign and payload survive, nothing is quieted.
      ASSERT_EQ(gotBits, (bits & 0x8000) << 16 | 0x7f800000 | (bits & 0x3ff) << 13);
      continue;
    }
    ASSERT_EQ(gotBits, std::bit_cast<uint32_t>(static_cast<float>(expected))) << std::hex << bits;
    ASSERT_EQ(f32ToF16(got), bits);
  }
}

TEST(Half, WidensAllBF16) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    float got = bf16ToF32(static_cast<uint16_t>(bits));
    double expected = plainValue(8, 7, true, bits);
    uint32_t gotBits = std::bit_cast<uint32_t>(got);
    ASSERT_EQ(gotBits, bits << 16);
    if (std::isnan(expected))
      continue;
    ASSERT_EQ(got, static_cast<float>(expected)) << std::hex << bits;
    ASSERT_EQ(f32ToBF16(got), bits);
  }
}

TEST(Half, RoundsF16) {
  checkRounding(kF16, PlainRounding(5, 10, true), [](float x) { return f32ToF16(x); });
}
TEST(Half, RoundsBF16) {
  checkRounding(kBF16, PlainRounding(8, 7, true), [](float x) { return f32ToBF16(x); });
}
TEST(Half, RoundsFp8) {
  checkRounding(kF8E4M3FN, PlainRounding(4, 3, false), [](float x) { return encodeFloat(kF8E4M3FN, x); });
  checkRounding(kF8E5M2, PlainRounding(5, 2, true), [](float x) { return encodeFloat(kF8E5M2, x); });
}

TEST(Half, RoundsDoubleToF32LikeTheHost) {
  std::mt19937_64 random(99);
  for (int i = 0; i < 300000; ++i) {
    double value = std::bit_cast<double>(random());
    if (i % 2) // the interesting range: f32 normals, denormals, overflow
      value = std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 290) - 155);
    if (std::isnan(value))
      continue;
    ASSERT_EQ(encodeFloat(kF32, value), std::bit_cast<uint32_t>(static_cast<float>(value))) << std::hexfloat << value;
  }
}

TEST(Half, OneRoundingFromDouble) {
  // Just above the middle of 1 and 1 + 2^-10; through f32 it would be a tie.
  double value = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(encodeFloat(kF16, value), 0x3c01u);
  EXPECT_EQ(f32ToF16(static_cast<float>(value)), 0x3c00u);
}

TEST(Half, NanPolicy) {
  for (uint32_t bits : {0x7f800001u, 0x7fc00000u, 0xffc12345u, 0xff812345u, 0x7fffffffu}) {
    float nan = std::bit_cast<float>(bits);
    EXPECT_EQ(f32ToF16(nan), 0x7e00);
    EXPECT_EQ(f32ToBF16(nan), 0x7fc0);
    EXPECT_EQ(f32ToF16(nan, NanPolicy::Payload), (bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x3ff));
    EXPECT_EQ(f32ToBF16(nan, NanPolicy::Payload), (bits >> 16) | 0x40);
  }
  double nan = std::bit_cast<double>(0xfff8123456789abcu);
  EXPECT_EQ(encodeFloat(kF32, nan), 0x7fc00000u);
  EXPECT_EQ(encodeFloat(kF32, nan, NanPolicy::Payload), 0xffc091a2u);
  EXPECT_EQ(encodeFloat(kF8E4M3FN, nan), 0x7fu);
  EXPECT_EQ(encodeFloat(kF8E4M3FN, INFINITY), 0x7fu);
  EXPECT_EQ(encodeFloat(kF8E5M2, -INFINITY), 0xfcu);
}

// Usable in constant expressions.
static_assert(f16ToF32(0x3c00) == 1.0f && f16ToF32(0x0001) == 0x1p-24f && f16ToF32(0xfbff) == -65504.0f);
static_assert(f32ToF16(65519.0f) == 0x7bff && f32ToF16(65520.0f) == 0x7c00 && f32ToF16(0x1p-25f) == 0);
static_assert(f32ToBF16(1.0f) == 0x3f80 && bf16ToF32(0x4049) == 3.140625f);
static_assert(encodeFloat(kF8E4M3FN, 448) == 0x7e && decodeFloat(kF8E5M2, 0x7b) == 57344);

} // namespace
