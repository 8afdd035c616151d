//===- CompareTest.cpp - results against expected arrays ------------------===//
//
// Tolerances at their edges, against values worked out by hand and a plain loop.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Compare.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ptoscope;

namespace {

template <typename T> std::span<const uint8_t> bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
Comparison compare(ElementType type, const std::vector<T> &got, const std::vector<T> &expected,
                   std::optional<Tolerance> tolerance = std::nullopt, std::vector<uint64_t> shape = {}) {
  return compareBytes(type, sizeof(T), shape, bytesOf(got), bytesOf(expected), tolerance);
}

template <typename T> bool equal(ElementType type, T got, T expected, std::optional<Tolerance> tolerance = {}) {
  return compare<T>(type, {got}, {expected}, tolerance).equal();
}

TEST(Compare, ExactBytes) {
  EXPECT_TRUE(equal(ElementType::F32, 1.5f, 1.5f));
  EXPECT_TRUE(equal(ElementType::F32, NAN, NAN));
  EXPECT_FALSE(equal(ElementType::F32, 0.0f, -0.0f));
  EXPECT_FALSE(equal<uint32_t>(ElementType::F32, 0x7fc00000, 0x7fc00001));
  EXPECT_TRUE(compare<float>(ElementType::F32, {}, {}).equal());
}

TEST(Compare, TolerantFloats) {
  Tolerance none{}, loose{0.5, 0}, relative{0, 0.1};
  EXPECT_TRUE(equal(ElementType::F32, 0.0f, -0.0f, none));
  EXPECT_TRUE(equal<uint32_t>(ElementType::F32, 0x7fc00000, 0xffc00001, none));
  EXPECT_TRUE(equal(ElementType::F32, 1.5f, 1.0f, loose));
  EXPECT_FALSE(equal(ElementType::F32, std::nextafterf(1.5f, 2), 1.0f, loose));
  EXPECT_TRUE(equal(ElementType::F64, 109.0, 100.0, relative));
  EXPECT_FALSE(equal(ElementType::F64, 111.0, 100.0, relative));
  EXPECT_FALSE(equal(ElementType::F64, 100.0, 90.0, relative)); // relative to the expected value
  float inf = INFINITY;
  Tolerance huge{1e300, 1e300};
  EXPECT_TRUE(equal(ElementType::F32, inf, inf, none));
  EXPECT_FALSE(equal(ElementType::F32, inf, -inf, huge));
  EXPECT_FALSE(equal(ElementType::F32, 1.0f, inf, huge));
  EXPECT_FALSE(equal(ElementType::F32, inf, 1.0f, huge));
  EXPECT_FALSE(equal(ElementType::F32, NAN, 1.0f, huge));
  EXPECT_FALSE(equal(ElementType::F32, 1.0f, NAN, huge));
  EXPECT_TRUE(equal<uint16_t>(ElementType::F16, 0x3c01, 0x3c00, Tolerance{0.001, 0}));
  EXPECT_FALSE(equal<uint16_t>(ElementType::F16, 0x3c02, 0x3c00, Tolerance{0.001, 0}));
  EXPECT_TRUE(equal<uint16_t>(ElementType::BF16, 0x3f81, 0x3f80, Tolerance{0.01, 0}));
  EXPECT_FALSE(equal<uint16_t>(ElementType::BF16, 0x3f82, 0x3f80, Tolerance{0.01, 0}));
  EXPECT_TRUE(equal<uint8_t>(ElementType::F8E4M3FN, 0x39, 0x38, Tolerance{0.125, 0}));
  EXPECT_FALSE(equal<uint8_t>(ElementType::F8E5M2, 0x3d, 0x3c, Tolerance{0.125, 0}));
}

TEST(Compare, IntegersExactly) {
  Tolerance one{1, 0}, half{0.9, 0};
  EXPECT_TRUE(equal<int8_t>(ElementType::I8, -128, -127, one));
  EXPECT_FALSE(equal<int8_t>(ElementType::I8, -128, 127, one));
  EXPECT_FALSE(equal<int32_t>(ElementType::I32, 5, 6, half));
  EXPECT_TRUE(equal<int32_t>(ElementType::I32, -11, -10, Tolerance{0, 0.1}));
  // Neighbours that doubles cannot tell apart.
  EXPECT_FALSE(equal<uint64_t>(ElementType::U64, UINT64_MAX, UINT64_MAX - 2, one));
  EXPECT_TRUE(equal<uint64_t>(ElementType::U64, UINT64_MAX, UINT64_MAX - 1, one));
  EXPECT_FALSE(equal<int64_t>(ElementType::I64, INT64_MIN, INT64_MAX, Tolerance{1e18, 0}));
  EXPECT_TRUE(equal<int64_t>(ElementType::I64, INT64_MIN, INT64_MAX, Tolerance{1e30, 0}));
  Comparison widest = compare<int64_t>(ElementType::I64, {INT64_MIN}, {INT64_MAX});
  EXPECT_EQ(widest.largest->difference, "18446744073709551615");
}

TEST(Compare, ReportsFirstAndLargest) {
  std::vector<float> expected = {0, 1, 2, 3, 4, 5}, got = {0, 1.5f, 2, -3, 4, 5.25f};
  Comparison result = compare(ElementType::F32, got, expected, std::nullopt, {2, 3});
  EXPECT_FALSE(result.equal());
  EXPECT_EQ(result.elements, 6u);
  EXPECT_EQ(result.differing, 3u);
  EXPECT_EQ(result.first->flatIndex, 1u);
  EXPECT_EQ(result.first->index, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(result.first->got, "1.5");
  EXPECT_EQ(result.first->expected, "1");
  EXPECT_EQ(result.first->difference, "0.5");
  EXPECT_EQ(result.first->gotBits, "0x3fc00000");
  EXPECT_EQ(result.first->expectedBits, "0x3f800000");
  EXPECT_EQ(result.largest->flatIndex, 3u);
  EXPECT_EQ(result.largest->index, (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(result.largest->difference, "6");
  Comparison tolerant = compare(ElementType::F32, got, expected, Tolerance{0.5, 0}, {2, 3});
  EXPECT_EQ(tolerant.differing, 1u);
  EXPECT_EQ(tolerant.first->flatIndex, 3u);
  // A NaN is the largest difference there is.
  got[5] = NAN;
  EXPECT_EQ(compare(ElementType::F32, got, expected).largest->flatIndex, 5u);
  EXPECT_EQ(compare(ElementType::F32, got, expected).largest->difference, "inf");
}

TEST(Compare, AgreesWithAPlainLoop) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> got(50), expected(50);
    Tolerance tolerance{double(random() % 3) * 0.25, double(random() % 3) * 0.125};
    uint64_t differing = 0, first = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      got[i] = float(random() % 16) * 0.25f;
      expected[i] = float(random() % 16) * 0.25f;
      if (!(std::fabs(got[i] - expected[i]) <= tolerance.atol + tolerance.rtol * std::fabs(expected[i])) &&
          differing++ == 0)
        first = i;
    }
    Comparison result = compare(ElementType::F32, got, expected, tolerance);
    EXPECT_EQ(result.differing, differing);
    if (differing)
      EXPECT_EQ(result.first->flatIndex, first);
  }
}

TEST(Compare, RawAndOddLengths) {
  std::vector<uint8_t> got = {1, 2, 3, 4, 5, 6}, expected = {1, 2, 9, 4, 5, 7};
  Comparison raw = compareBytes(ElementType::Raw, 3, {}, got, expected, Tolerance{100, 100});
  EXPECT_EQ(raw.elements, 2u);
  EXPECT_EQ(raw.differing, 2u);
  EXPECT_EQ(raw.first->gotBits, "0x030201");
  EXPECT_EQ(raw.first->got, "");
  // Six bytes are no whole number of f32 elements.
  Comparison odd = compareBytes(ElementType::F32, 4, {}, got, expected);
  EXPECT_EQ(odd.type, ElementType::Raw);
  EXPECT_EQ(odd.elements, 6u);
  EXPECT_EQ(odd.first->flatIndex, 2u);
}

TEST(Compare, Arrays) {
  Result<Array> a = generateArray("iota:bf16:2x4"), b = generateArray("iota:bf16:8");
  Result<Array> shorter = generateArray("iota:bf16:7");
  ASSERT_TRUE(a && b && shorter);
  EXPECT_TRUE(compareArrays(*a, *b).equal());
  EXPECT_FALSE(compareArrays(*a, *shorter).equal());
  b->bytes.data()[14] ^= 1;
  Comparison result = compareArrays(*a, *b);
  EXPECT_EQ(result.first->index, (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(result.first->got, "7");
}

TEST(Compare, Findings) {
  std::vector<uint16_t> expected = {0x3c00, 0x3c00, 0x3c00}, got = {0x3c00, 0x3c01, 0x4000};
  Finding finding = expectMismatch(compare(ElementType::F16, got, expected, std::nullopt, {3}), "parameter 2 (`%out`)",
                                   "golden.npy", {"add.pto", 3, 1});
  EXPECT_EQ(finding.code, "expect-mismatch");
  EXPECT_EQ(finding.place.line, 3u);
  EXPECT_EQ(finding.message, "parameter 2 (`%out`) differs from `golden.npy` in 2 of 3 f16 elements");
  ASSERT_EQ(finding.notes.size(), 2u);
  EXPECT_EQ(finding.notes[0].message, "first difference at element 1: got 1.0009766 (0x3c01), expected 1 (0x3c00), "
                                      "difference 0.000976562");
  EXPECT_EQ(finding.notes[1].message,
            "largest difference at element 2: got 2 (0x4000), expected 1 (0x3c00), difference 1");
  Finding nested = expectMismatch(compare(ElementType::F16, got, expected, std::nullopt, {1, 3}), "x", "y");
  EXPECT_TRUE(nested.notes[0].message.starts_with("first difference at element [0, 1] (flat 1): got"));
  got.pop_back();
  Finding lengths = expectMismatch(compare(ElementType::F16, got, expected), "parameter 0", "x.bin");
  EXPECT_EQ(lengths.message, "parameter 0 has 4 bytes, but `x.bin` has 6");
  EXPECT_TRUE(lengths.notes.empty());
}

} // namespace
