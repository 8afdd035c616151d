//===- FormatsTest.cpp - number formats against the exact model -----------===//

#include "ptoscope/Support/Formats.h"
#include "../Sample.h"
#include "ExactFormats.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace ptoscope;

namespace {

struct Named {
  std::string_view name;
  FloatFormat format;
};
constexpr Named kFormats[] = {{"f16", kF16},       {"bf16", kBF16},     {"e4m3", kF8E4M3FN}, {"e5m2", kF8E5M2},
                              {"e2m1x2", kF4E2M1}, {"e1m2x2", kF4E1M2}, {"tf32", kTF32}};

/// Every number of a format, the middles between them, and what lies around.
std::vector<double> decisionPoints(const exact::Type &type) {
  std::vector<double> points = {0.0, HUGE_VAL, NAN, 0x1p-1074, 0x1p-1022, 0x1p-160, 0x1p-30, 0x1p40, 0x1p1000};
  double before = 0;
  uint64_t codes = uint64_t(1) << (type.width - 1);
  for (uint64_t code = 0; code < codes; code += codes > 0x8000 ? 61 : 1) {
    exact::Number number = exact::decode(type, code);
    if (number.kind != exact::Number::Finite)
      continue;
    double value = std::ldexp(double(number.digits), number.exponent);
    for (double point : {value, (value + before) / 2, value * 1.1, value * 1.25})
      for (double near : {std::nextafter(point, 0.0), point, std::nextafter(point, HUGE_VAL)})
        points.push_back(near);
    before = value;
  }
  for (size_t i = points.size(); i-- > 0;)
    points.push_back(-points[i]);
  return points;
}

TEST(FormatsTest, EveryCodeDecodes) {
  for (const auto &[name, format] : kFormats)
    for (uint32_t code = 0; code < 2 * format.signBit(); ++code) {
      exact::Number number = exact::decode(exact::typeOf(name), code);
      exact::Number decoded = exact::ofDouble(decodeFloat(format, code));
      ASSERT_EQ(decoded.kind, number.kind) << name << " " << code;
      if (number.kind != exact::Number::NaN)
        ASSERT_EQ(decoded, number) << name << " " << code;
    }
  for (int code = 0; code < 256; ++code) {
    exact::Number number = exact::decode(exact::typeOf("hif8"), code),
                  decoded = exact::ofDouble(decodeHif8(uint8_t(code)));
    if (number.kind == exact::Number::NaN)
      EXPECT_EQ(decoded.kind, exact::Number::NaN);
    else
      EXPECT_EQ(decoded, number) << code;
  }
}

TEST(FormatsTest, EveryModeRoundsOnce) {
  Sample sample(5);
  for (const auto &[name, format] : kFormats)
    for (double point : decisionPoints(exact::typeOf(name)))
      for (char mode : {'R', 'A', 'F', 'C', 'Z', 'O'})
        for (bool saturate : {false, true})
          if (sample.next())
            ASSERT_EQ(convertFloat(format, point, Rounding(mode), saturate),
                      exact::narrow(exact::ofDouble(point), exact::typeOf(name), mode, saturate || !format.hasNan))
                << name << " of " << point << " by " << mode;
}

TEST(FormatsTest, Hif8RoundsToNearest) {
  for (double point : decisionPoints(exact::typeOf("hif8")))
    for (bool saturate : {false, true})
      ASSERT_EQ(encodeHif8(point, saturate),
                exact::narrow(exact::ofDouble(point), exact::typeOf("hif8"), 'A', saturate))
          << point;
}

/// FMT-4.
TEST(FormatsTest, ScalesArePowersOfTwo) {
  for (int code = 0; code < 255; ++code)
    EXPECT_EQ(decodeE8M0(uint8_t(code)), std::ldexp(1.0, code - 127));
  EXPECT_TRUE(std::isnan(decodeE8M0(0xff)));
}

} // namespace
