//===- MatrixProgramTest.cpp - programs that multiply matrices ------------===//
//
// TMATMUL and TGEMV with old sums, bias and phases, for every pair of elements that
// can be multiplied, launched with all checks. Factors are small multiples of
// powers of two, so that every sum is exact whatever the order.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

using namespace pto;
using namespace programs;

namespace matrixProgram {

constexpr int kDeep = 64, kCols = 32;

/// Values that every element type has: whole, at most 4.
double leftAt(int i, int k) { return (i * 5 + k * 3) % 9 - 4; }
double rightAt(int k, int j) { return (k * 7 + j * 2) % 9 - 4; }
double biasAt(int j) { return j % 13 - 6; }

enum class Start { Nothing, Sum, SameTile, Bias };
template <AccPhase P, Start S, bool OneRow> struct Product {
  template <typename C, typename I, typename A, typename B, typename D>
  static RecordEvent run(C &c, I &in, A &a, B &b, D &bias) {
    if constexpr (OneRow) {
      if constexpr (S == Start::Nothing)
        return TGEMV<P>(c, a, b);
      else if constexpr (S == Start::Sum)
        return TGEMV_ACC<P>(c, in, a, b);
      else if constexpr (S == Start::SameTile)
        return TGEMV_ACC<P>(c, a, b);
      else
        return TGEMV_BIAS<P>(c, a, b, bias);
    } else {
      if constexpr (S == Start::Nothing)
        return TMATMUL<P>(c, a, b);
      else if constexpr (S == Start::Sum)
        return TMATMUL_ACC<P>(c, in, a, b);
      else if constexpr (S == Start::SameTile)
        return TMATMUL_ACC<P>(c, a, b);
      else
        return TMATMUL_BIAS<P>(c, a, b, bias);
    }
  }
};

/// A first product without a start, then the one under test.
template <typename L, typename R, typename Sum, AccPhase P, Start S, bool OneRow> void multiply() {
  static constexpr int kValid = OneRow ? 1 : 13, kDeepValid = 50, kColsValid = 27;
  clean([](const ptoscope::Options &options) {
    std::vector<Sum> y(kValid * kColsValid), z(kValid * kColsValid);
    auto kernel = [](Sum *py, Sum *pz) {
      TileLeft<L, 16, kDeep, kValid, kDeepValid> a;
      TileRight<R, kDeep, kCols, kDeepValid, kColsValid> b;
      TileAcc<Sum, 16, kCols, kValid, kColsValid> first, c;
      Tile<TileType::Bias, Sum, 1, kCols, BLayout::RowMajor, 1, kColsValid> bias;
      TASSIGN(a, 0);
      TASSIGN(b, 0);
      TASSIGN(first, 0);
      TASSIGN(c, S == Start::SameTile ? 0 : 0x1000);
      TASSIGN(bias, 0);
      for (int k = 0; k < kDeepValid; ++k) {
        for (int i = 0; i < kValid; ++i)
          a.SetElement(i, k, L(float(leftAt(i, k))));
        for (int j = 0; j < kColsValid; ++j)
          b.SetElement(k, j, R(float(rightAt(k, j))));
      }
      for (int j = 0; j < kColsValid; ++j)
        bias.SetElement(0, j, Sum(biasAt(j)));
      using Out = View<Sum, kValid, kColsValid>;
      Out gy(py), gz(pz);
      Event<Op::TMATMUL, Op::TSTORE_ACC> ready;
      if constexpr (OneRow)
        ready = TGEMV(first, a, b);
      else
        ready = TMATMUL(first, a, b);
      TSTORE(gz, first, ready);
      fence();
      Event<Op::TMATMUL_ACC, Op::TSTORE_ACC> done = Product<P, S, OneRow>::run(c, first, a, b, bias);
      TSTORE(gy, c, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, y, z);
    for (int i = 0; i < kValid; ++i)
      for (int j = 0; j < kColsValid; ++j) {
        double product = 0;
        for (int k = 0; k < kDeepValid; ++k)
          product += leftAt(i, k) * rightAt(k, j);
        EXPECT_EQ(double(z[size_t(i * kColsValid + j)]), product) << i << ", " << j;
        const double start = S == Start::Nothing ? 0 : S == Start::Bias ? biasAt(j) : product;
        EXPECT_EQ(double(y[size_t(i * kColsValid + j)]), start + product) << i << ", " << j;
      }
    return result;
  });
}
template <typename L, typename R, typename Sum> void everyStart() {
  multiply<L, R, Sum, AccPhase::Unspecified, Start::Nothing, false>();
  multiply<L, R, Sum, AccPhase::Partial, Start::Sum, false>();
  multiply<L, R, Sum, AccPhase::Final, Start::SameTile, false>();
  multiply<L, R, Sum, AccPhase::Final, Start::Bias, false>();
  multiply<L, R, Sum, AccPhase::Final, Start::Nothing, true>();
  multiply<L, R, Sum, AccPhase::Unspecified, Start::Sum, true>();
  multiply<L, R, Sum, AccPhase::Partial, Start::SameTile, true>();
  multiply<L, R, Sum, AccPhase::Partial, Start::Bias, true>();
}
TEST(TileMatrixProgram, Float) { everyStart<float, float, float>(); }
TEST(TileMatrixProgram, Half) { everyStart<half, half, float>(); }
TEST(TileMatrixProgram, Brain) { everyStart<bfloat16_t, bfloat16_t, float>(); }
TEST(TileMatrixProgram, Bytes) { everyStart<int8_t, int8_t, int32_t>(); }
TEST(TileMatrixProgram, E4M3) { everyStart<float8_e4m3_t, float8_e4m3_t, float>(); }
TEST(TileMatrixProgram, E5M2) { everyStart<float8_e5m2_t, float8_e5m2_t, float>(); }
TEST(TileMatrixProgram, E4M3ByE5M2) { everyStart<float8_e4m3_t, float8_e5m2_t, float>(); }
TEST(TileMatrixProgram, HiF8) { everyStart<hifloat8_t, hifloat8_t, float>(); }

/// Bits of hif8 through the product with one: sign, dot, exponent and fraction by
/// the table of the format.
double hif8Value(uint8_t bits) {
  const int body = bits & 0x7f;
  double size;
  if (body >= 0x60 || body >= 0x20) { // dot 11 (four exponent bits), 10 (three), 01 (two)
    const int exponentBits = body >= 0x60 ? 4 : body >= 0x40 ? 3 : 2, fractionBits = 5 - exponentBits;
    const int exponent = body >> fractionBits & ((1 << exponentBits) - 1), fraction = body & ((1 << fractionBits) - 1);
    const bool negative = exponent >> (exponentBits - 1);
    const int magnitude = (exponent & ((1 << (exponentBits - 1)) - 1)) | 1 << (exponentBits - 1);
    size = std::ldexp(1 + std::ldexp(double(fraction), -fractionBits), negative ? -magnitude : magnitude);
  } else if (body >= 0x10) { // dot 001: one exponent bit, the sign of one
    size = std::ldexp(1 + (body & 7) / 8.0, body & 8 ? -1 : 1);
  } else if (body >= 8) { // dot 0001: exponent 0
    size = 1 + (body & 7) / 8.0;
  } else { // below: powers of two
    size = body ? std::ldexp(1.0, body - 23) : 0;
  }
  return bits >> 7 ? -size : size;
}

TEST(TileMatrixProgram, EveryNumberOfHiF8) {
  clean([](const ptoscope::Options &options) {
    std::vector<float> y(16 * 32);
    auto kernel = [](float *py) {
      TileLeft<hifloat8_t, 16, 32> a;
      TileRight<hifloat8_t, 32, 32> b;
      TileAcc<float, 16, 32> c;
      TASSIGN(a, 0);
      TASSIGN(b, 0);
      TASSIGN(c, 0);
      for (int k = 0; k < 32; ++k)
        for (int j = 0; j < 32; ++j) {
          hifloat8_t one;
          one.bits = j == k ? 0x08 : 0; // 1.0
          b.SetElement(k, j, one);
        }
      for (int i = 0; i < 16; ++i)
        for (int k = 0; k < 32; ++k) {
          hifloat8_t any;
          const int number = (i * 32 + k) % 256;
          any.bits = uint8_t((number & 0x7f) == 0x6f || number == 0x80 ? 0 : number); // infinity, NaN
          a.SetElement(i, k, any);
        }
      View<float, 16, 32> gy(py);
      Event<Op::TMATMUL, Op::TSTORE_ACC> done = TMATMUL(c, a, b);
      TSTORE(gy, c, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, y);
    for (int n = 0; n < 512; ++n) {
      const int number = n % 256;
      const bool isNumber = (number & 0x7f) != 0x6f && number != 0x80;
      EXPECT_EQ(double(y[size_t(n)]), isNumber ? hif8Value(uint8_t(number)) : 0.0) << number;
    }
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Wrong programs, and what repairs them
//===----------------------------------------------------------------------===//

enum class Fault { None, UndefinedSum, UndefinedBias, EarlyStore, NoBarrier, Shapes };

ptoscope::Result multiplyWith(Fault fault, const ptoscope::Options &options) {
  std::vector<float> y(16 * 32);
  auto kernel = [fault](float *py) {
    Tile<TileType::Left, half, 16, 32, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor> a(16, 32);
    Tile<TileType::Right, half, 32, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC, SLayout::ColMajor> b(
        fault == Fault::Shapes ? 31 : 32, 32);
    TileAcc<float, 16, 32> c, sum;
    Tile<TileType::Bias, float, 1, 32> bias;
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 0);
    TASSIGN(sum, 0x1000);
    TASSIGN(bias, 0);
    for (int k = 0; k < 32; ++k)
      for (int j = 0; j < 32; ++j) {
        b.SetElement(k, j, half(1));
        if (j < 16)
          a.SetElement(j, k, half(j));
      }
    if (fault != Fault::UndefinedBias)
      for (int j = 0; j < 32; ++j)
        bias.SetElement(0, j, float(j));
    if (fault != Fault::UndefinedSum)
      TMATMUL_BIAS(sum, a, b, bias);
    if (fault != Fault::NoBarrier)
      pipe_barrier(PIPE_M);
    TMATMUL_ACC(c, sum, a, b);
    if (fault != Fault::EarlyStore)
      fence();
    View<float, 16, 32> gy(py);
    TSTORE(gy, c);
  };
  ptoscope::Result result = ptoscope::launch(options, kernel, 1, y);
  for (int i = 0; fault == Fault::None && i < 16; ++i)
    for (int j = 0; j < 32; ++j)
      EXPECT_EQ(y[size_t(i * 32 + j)], float(64 * i + j));
  return result;
}

// TMATMUL-2.
TEST(TileMatrixProgram, WrongPrograms) {
  for (const ptoscope::Options &options : schedules()) {
    SCOPED_TRACE(nameOf(options));
    const ptoscope::Result right = multiplyWith(Fault::None, options);
    EXPECT_EQ(right.size(), 0u) << right.text();
    for (auto [fault, code] : {std::pair{Fault::UndefinedSum, "init-read"},
                               {Fault::UndefinedBias, "init-read"},
                               {Fault::EarlyStore, "race-raw"},
                               {Fault::Shapes, "tile-shape"}}) {
      const ptoscope::Result wrong = multiplyWith(fault, options);
      EXPECT_FALSE(wrong.ok());
      EXPECT_TRUE(wrong.has(code)) << int(fault) << wrong.text();
    }
  }
}

} // namespace matrixProgram
