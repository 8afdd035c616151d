//===- MatmulTest.cpp - products of matrices ------------------------------===//
//
// Every bit against the chain that is written down: products in ascending k, each
// added by one fused multiply-add.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <cmath>

using namespace reference;

namespace {

float widened(Elem elem, uint64_t bits) {
  const auto word = uint32_t(elem == Elem::bf16 ? bits << 16 : bits);
  float value;
  if (elem == Elem::f16) {
    const int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
    value = exponent == 31 ? (fraction ? NAN : INFINITY)
            : exponent     ? std::ldexp(float(1024 + fraction), exponent - 25)
                           : std::ldexp(float(fraction), -24);
    return bits >> 15 ? -value : value;
  }
  if (elem == Elem::e5m2)
    return widened(Elem::f16, bits << 8);
  if (elem == Elem::e4m3) {
    const int exponent = int(bits >> 3 & 15), fraction = int(bits & 7);
    value = (bits & 127) == 127 ? NAN
            : exponent          ? std::ldexp(float(8 + fraction), exponent - 10)
                                : std::ldexp(float(fraction), -9);
    return bits >> 7 ? -value : value;
  }
  std::memcpy(&value, &word, 4);
  return value;
}

/// Small numbers, and now and then anything.
uint64_t factor(Elem elem, std::mt19937 &random) {
  if (random() % 64 == 0)
    return random() & ((uint64_t(1) << widthBits(elem)) - 1);
  const float value = float(int(random() % 4001) - 2000) / 256.0f;
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  switch (elem) {
  case Elem::f32:
    return bits ^ (random() & 0xfff);
  case Elem::bf16:
    return bits >> 16;
  case Elem::f16:
    return (bits >> 16 & 0x8000) | (0x3000 + random() % 0x1400);
  default:
    return random() & 0xbf; // 8 bits: no large exponents
  }
}

enum class Begin { Zero, Sum, Bias };

void checkProduct(const Kernels &kernels, Elem elem, const Name &leftLayout, int rows, int deep, int cols,
                  Begin begin) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(deep) + " x " + std::to_string(cols));
  const bool ints = elem == Elem::i8;
  const Elem sumElem = ints ? Elem::i32 : Elem::f32;
  const auto up = [](int n) { return (n + 31) / 32 * 32; };
  const int bigRows = up(rows), bigDeep = up(deep), bigCols = up(cols);
  std::mt19937 random(unsigned(rows * 100 + cols));
  TestTile a(leftLayout, elem, bigRows, bigDeep, rows, deep, 1), b(kZN, elem, bigDeep, bigCols, deep, cols, 2);
  TestTile c(kNZ, sumElem, bigRows, bigCols, rows, cols, 3, 1024),
      in(kNZ, sumElem, bigRows, bigCols, rows, cols, 4, 1024);
  TestTile bias(kND, sumElem, 1, bigCols, 1, cols, 5);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < deep; ++k)
      a.set(i, k, factor(elem, random));
  for (int k = 0; k < deep; ++k)
    for (int j = 0; j < cols; ++j)
      b.set(k, j, factor(elem, random));
  for (int j = 0; j < cols; ++j) {
    bias.set(0, j, factor(sumElem == Elem::f32 ? Elem::f32 : Elem::i8, random));
    for (int i = 0; i < rows; ++i)
      in.set(i, j, factor(sumElem == Elem::f32 ? Elem::f32 : Elem::i8, random));
  }
  // Decoded once: products by the million follow.
  std::vector<float> left(size_t(rows * deep)), right(size_t(deep * cols));
  const auto decoded = [&](uint64_t bits) { return ints ? float(int8_t(bits)) : widened(elem, bits); };
  for (int k = 0; k < deep; ++k) {
    for (int i = 0; i < rows; ++i)
      left[size_t(i * deep + k)] = decoded(a.get(i, k));
    for (int j = 0; j < cols; ++j)
      right[size_t(j * deep + k)] = decoded(b.get(k, j));
  }
  const TestTile before = c;
  Operands ops;
  ops.tiles = 0;
  ops.tile[ops.tiles++] = c.view();
  if (begin == Begin::Sum)
    ops.tile[ops.tiles++] = in.view();
  if (begin == Begin::Bias)
    ops.tile[ops.tiles++] = bias.view();
  ops.tile[ops.tiles++] = a.view();
  ops.tile[ops.tiles++] = b.view();
  (begin == Begin::Zero ? kernels.TMATMUL : begin == Begin::Sum ? kernels.TMATMUL_ACC : kernels.TMATMUL_BIAS)(ops);
  for (int i = 0; i < bigRows; ++i)
    for (int j = 0; j < bigCols; ++j) {
      const auto got = uint32_t(c.get(i, j));
      if (i >= rows || j >= cols) {
        ASSERT_EQ(got, before.get(i, j)) << "outside, at " << i << ", " << j;
        continue;
      }
      const uint64_t start = begin == Begin::Zero ? 0 : begin == Begin::Sum ? in.get(i, j) : bias.get(0, j);
      if (ints) {
        auto sum = uint32_t(start);
        for (int k = 0; k < deep; ++k)
          sum += uint32_t(int(left[size_t(i * deep + k)]) * int(right[size_t(j * deep + k)]));
        ASSERT_EQ(got, sum) << i << ", " << j;
        continue;
      }
      float sum = widened(Elem::f32, start);
      for (int k = 0; k < deep; ++k)
        sum = std::fma(left[size_t(i * deep + k)], right[size_t(j * deep + k)], sum);
      uint32_t want;
      std::memcpy(&want, &sum, 4);
      ASSERT_EQ(got, std::isnan(sum) ? 0x7fc00000u : want) << i << ", " << j;
    }
}

// TMATMUL-1, TMATMUL-3, TMATMUL-4.
TEST(TileMatmul, EveryTypeAndStart) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f32, Elem::f16, Elem::bf16, Elem::i8, Elem::e4m3, Elem::e5m2})
      for (const Name &layout : {kNZ, kZZ})
        for (Begin begin : {Begin::Zero, Begin::Sum, Begin::Bias})
          for (auto [rows, deep, cols] : {std::array{16, 16, 16}, {1, 33, 70}, {45, 7, 31}, {64, 64, 64}})
            checkProduct(kernels, elem, layout, rows, deep, cols, begin);
  });
}

// TMATMUL-4.
TEST(TileMatmul, LongerThanABlock) {
  atEveryLevel([](const Kernels &kernels) {
    for (Elem elem : {Elem::f32, Elem::i8}) {
      checkProduct(kernels, elem, kNZ, 130, 300, 40, Begin::Zero);
      checkProduct(kernels, elem, kNZ, 3, 1030, 5, Begin::Sum);
    }
  });
}

} // namespace
