//===- ScaledProgramTest.cpp - programs that multiply with MX scales ------===//
//
// MXT-1 to MXT-12: scales from all six layouts of global memory through L1 into their own
// memories, both products in all forms, against sums in double precision. Factors and
// scales are small, so that every sum is exact.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

using namespace pto;
using namespace programs;

namespace scaledProgram {

double leftAt(int i, int k) { return (i * 5 + k * 3) % 5 - 2; }
double rightAt(int k, int j) { return (k * 7 + j * 2) % 5 - 2; }
double biasAt(int j) { return j % 13 - 6; }
uint8_t leftScale(int i, int g) { return uint8_t(126 + (i + 2 * g) % 4); }
uint8_t rightScale(int g, int j) { return uint8_t(125 + (3 * g + j) % 5); }

/// The byte of a whole number of at most 2 in each format.
template <typename T> unsigned codeOf(double x) {
  unsigned size = 0;
  const int whole = int(std::abs(x));
  if constexpr (std::is_same_v<T, float8_e4m3_t>)
    size = whole == 0 ? 0 : whole == 1 ? 0x38 : 0x40;
  else if constexpr (std::is_same_v<T, float8_e5m2_t>)
    size = whole == 0 ? 0 : whole == 1 ? 0x3c : 0x40;
  else // e2m1: 1 is 2, 2 is 4
    size = whole == 0 ? 0 : whole == 1 ? 2 : 4;
  return size | (x < 0 ? (std::is_same_v<T, float4_e2m1x2_t> ? 8u : 0x80u) : 0u);
}
template <typename T> constexpr bool kTwin = std::is_same_v<T, float4_e2m1x2_t>;

/// Rows of `n` elements, two in a byte for the small format.
template <typename T, typename F> std::vector<uint8_t> rowsOf(int rows, int n, F value) {
  std::vector<uint8_t> bytes(size_t(rows) * size_t(n) / (kTwin<T> ? 2 : 1));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < n; ++c) {
      const int at = r * n + c;
      const unsigned code = codeOf<T>(value(r, c));
      if (kTwin<T>)
        bytes[size_t(at / 2)] |= uint8_t(code << (at % 2 * 4));
      else
        bytes[size_t(at)] = uint8_t(code);
    }
  return bytes;
}

/// Where a layout of global memory has the scale of row or column `r` and group `g` (MXT-2).
size_t placeOf(Layout layout, int rows, int groups, int r, int g) {
  switch (layout) {
  case Layout::MX_A_ZZ:
  case Layout::MX_B_NN:
    return size_t(((r / 16 * (groups / 2) + g / 2) * 16 + r % 16) * 2 + g % 2);
  case Layout::MX_A_DN:
  case Layout::MX_B_ND:
    return size_t((g / 2 * rows + r) * 2 + g % 2);
  default:
    return size_t(r * groups + g);
  }
}

enum class Form { Plain, Sum, Bias };

template <typename L, typename R, typename S, Layout LA, Layout LB, int M, int K, int N, Form F, bool OneRow,
          AccPhase P = AccPhase::Unspecified>
void multiply() {
  static constexpr int kGroups = K / 32, kRows = OneRow ? 1 : (M + 15) / 16 * 16, kCols = (N + 15) / 16 * 16;
  static constexpr int kScaleRows = LA == Layout::MX_A_ZZ ? kRows : M, kScaleCols = LB == Layout::MX_B_NN ? kCols : N;
  clean([](const ptoscope::Options &options) {
    std::vector<uint8_t> a = rowsOf<L>(M, K, leftAt), b = rowsOf<R>(N, K, [](int j, int k) { return rightAt(k, j); });
    std::vector<uint8_t> as(size_t(kScaleRows * kGroups)), bs(size_t(kScaleCols * kGroups));
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < M; ++i)
        as[placeOf(LA, kScaleRows, kGroups, i, g)] = leftScale(i, g);
      for (int j = 0; j < N; ++j)
        bs[placeOf(LB, kScaleCols, kGroups, j, g)] = rightScale(g, j);
    }
    std::vector<float> bias(N), y(size_t(M * N), -1.0f);
    for (int j = 0; j < N; ++j)
      bias[size_t(j)] = float(biasAt(j));
    auto kernel = [](uint8_t *pa, uint8_t *pb, uint8_t *pas, uint8_t *pbs, float *pbias, float *py) {
      Tile<TileType::Mat, L, kRows, K, BLayout::ColMajor, M, K, SLayout::RowMajor> matA;
      Tile<TileType::Mat, R, K, kCols, BLayout::RowMajor, K, N, SLayout::ColMajor> matB;
      Tile<TileType::Mat, S, kRows, kGroups, BLayout::RowMajor, kScaleRows, kGroups, SLayout::RowMajor, 32> matAs;
      Tile<TileType::Mat, S, kGroups, kCols, BLayout::ColMajor, kGroups, kScaleCols, SLayout::ColMajor, 32> matBs;
      Tile<TileType::Mat, float, 1, kCols, BLayout::RowMajor, 1, N> matBias;
      TileLeft<L, kRows, K, M, K> left;
      TileRight<R, K, kCols, K, N> right;
      TileLeftScale<S, kRows, kGroups, kScaleRows, kGroups> leftScales;
      TileRightScale<S, kGroups, kCols, kGroups, kScaleCols> rightScales;
      TileAcc<float, kRows, kCols, M, N> c;
      Tile<TileType::Bias, float, 1, kCols, BLayout::RowMajor, 1, N> biasTile;
      TASSIGN(matA, 0);
      TASSIGN(matB, 0x10000);
      TASSIGN(matAs, 0x20000);
      TASSIGN(matBs, 0x28000);
      TASSIGN(matBias, 0x30000);
      TASSIGN(left, 0x2000);
      TASSIGN(right, 0x1000);
      TASSIGN(leftScales, GetScaleAddr(left.data()));
      TGET_SCALE_ADDR(rightScales, right);
      TASSIGN(c, 0);
      TASSIGN(biasTile, 0);
      GlobalTensor<L, Shape<1, 1, 1, M, K>, Stride<M * K, M * K, M * K, K, 1>> ga(reinterpret_cast<L *>(pa));
      GlobalTensor<R, Shape<1, 1, 1, K, N>, Stride<N * K, N * K, N * K, 1, K>, Layout::DN> gb(
          reinterpret_cast<R *>(pb));
      GlobalTensor<S, TileShape2D<S, kScaleRows, kGroups, LA>, BaseShape2D<S, kScaleRows, kGroups, LA>, LA> gas(
          reinterpret_cast<S *>(pas));
      GlobalTensor<S, TileShape2D<S, kGroups, kScaleCols, LB>, BaseShape2D<S, kGroups, kScaleCols, LB>, LB> gbs(
          reinterpret_cast<S *>(pbs));
      View<float, 1, N> gbias(pbias);
      View<float, M, N> gy(py);
      TLOAD(matA, ga);
      TLOAD(matB, gb);
      TLOAD(matAs, gas);
      TLOAD(matBs, gbs);
      TLOAD(matBias, gbias);
      fence();
      TMOV(left, matA);
      TMOV(right, matB);
      TMOV(leftScales, matAs);
      TEXTRACT(rightScales, matBs, 0, 0);
      TMOV(biasTile, matBias);
      fence();
      if constexpr (OneRow) {
        TGEMV_MX<P>(c, left, leftScales, right, rightScales);
        if constexpr (F == Form::Sum)
          TGEMV_MX<P>(c, c, left, leftScales, right, rightScales);
        if constexpr (F == Form::Bias)
          TGEMV_MX<P>(c, left, leftScales, right, rightScales, biasTile);
      } else {
        TMATMUL_MX<P>(c, left, leftScales, right, rightScales);
        if constexpr (F == Form::Sum)
          TMATMUL_MX<P>(c, c, left, leftScales, right, rightScales);
        if constexpr (F == Form::Bias)
          TMATMUL_MX<P>(c, left, leftScales, right, rightScales, biasTile);
      }
      fence();
      TSTORE(gy, c);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, a, b, as, bs, bias, y);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < K; ++k)
          sum += leftAt(i, k) * rightAt(k, j) * std::ldexp(1.0, leftScale(i, k / 32) + rightScale(k / 32, j) - 254);
        const double start = F == Form::Sum ? sum : F == Form::Bias ? biasAt(j) : 0;
        EXPECT_EQ(double(y[size_t(i * N + j)]), start + sum) << i << ", " << j;
      }
    return result;
  });
}

TEST(TileScaledProgram, LayoutsOfScales) {
  using E = float8_e8m0_t;
  multiply<float8_e4m3_t, float8_e4m3_t, E, Layout::MX_A_ZZ, Layout::MX_B_NN, 40, 192, 48, Form::Plain, false>();
  multiply<float8_e4m3_t, float8_e5m2_t, E, Layout::MX_A_ND, Layout::MX_B_ND, 40, 128, 48, Form::Plain, false>();
  multiply<float8_e5m2_t, float8_e4m3_t, uint8_t, Layout::MX_A_DN, Layout::MX_B_DN, 19, 192, 27, Form::Plain, false>();
}
TEST(TileScaledProgram, Forms) {
  using E = float8_e8m0_t;
  using T = float4_e2m1x2_t;
  multiply<T, T, E, Layout::MX_A_ZZ, Layout::MX_B_NN, 33, 128, 32, Form::Sum, false, AccPhase::Partial>();
  multiply<T, T, E, Layout::MX_A_ND, Layout::MX_B_DN, 16, 64, 30, Form::Bias, false, AccPhase::Final>();
  multiply<float8_e5m2_t, float8_e5m2_t, E, Layout::MX_A_ND, Layout::MX_B_ND, 1, 128, 32, Form::Plain, true>();
  multiply<float8_e4m3_t, float8_e4m3_t, E, Layout::MX_A_ND, Layout::MX_B_ND, 1, 256, 32, Form::Sum, true>();
  multiply<float8_e4m3_t, float8_e4m3_t, E, Layout::MX_A_ND, Layout::MX_B_ND, 1, 256, 32, Form::Bias, true>();
}

using Byte = float8_e4m3_t;
using Scale = float8_e8m0_t;

/// One fractal of 16 x 64 by 64 x 16, all ones, with what a test does to it.
struct Ones {
  TileLeft<Byte, 16, 64> left;
  TileRight<Byte, 64, 16> right;
  TileLeftScale<Scale, 16, 2> leftScales;
  TileRightScale<Scale, 2, 16> rightScales;
  TileAcc<float, 16, 16> c;

  explicit Ones(uint64_t scalePlace = 0x100, bool scales = true) {
    TASSIGN(left, 0x1000);
    TASSIGN(right, 0);
    TASSIGN(leftScales, scalePlace);
    TASSIGN(rightScales, GetScaleAddr(right.data()));
    TASSIGN(c, 0);
    std::memset(static_cast<void *>(left.data()), 0x38, 1024);
    std::memset(static_cast<void *>(right.data()), 0x38, 1024);
    if (scales)
      std::memset(static_cast<void *>(leftScales.data()), 127, 32);
    std::memset(static_cast<void *>(rightScales.data()), 127, 32);
  }
};

template <typename Kernel> ptoscope::Result run(std::vector<float> &y, Kernel kernel) {
  return ptoscope::launch(kernel, 1, y);
}

TEST(TileScaledProgram, ScalesAtAnotherAddress) {
  for (const bool wrong : {true, false}) {
    std::vector<float> y(256);
    ptoscope::Result result = ptoscope::launch(
        [](float *py, bool elsewhere) {
          Ones t(elsewhere ? 0x200 : 0x100);
          View<float, 16, 16> gy(py);
          TMATMUL_MX(t.c, t.left, t.leftScales, t.right, t.rightScales);
          fence();
          TSTORE(gy, t.c);
        },
        1, y, wrong);
    EXPECT_EQ(result.has("mx-scale-address"), wrong) << result.text();
    EXPECT_EQ(result.size(), size_t(wrong)) << result.text();
    EXPECT_EQ(y[17], 64.0f); // with the scales that are given
  }
}

TEST(TileScaledProgram, SumElsewhere) {
  for (const bool wrong : {true, false}) {
    std::vector<float> y(256);
    ptoscope::Result result = ptoscope::launch(
        [](float *py, bool elsewhere) {
          Ones t;
          TileAcc<float, 16, 16> in;
          TASSIGN(in, elsewhere ? 0x400 : 0);
          View<float, 16, 16> gy(py);
          TMATMUL_MX(in, t.left, t.leftScales, t.right, t.rightScales);
          TMATMUL_MX(t.c, in, t.left, t.leftScales, t.right, t.rightScales);
          fence();
          TSTORE(gy, t.c);
        },
        1, y, wrong);
    EXPECT_EQ(result.has("mx-sum-address"), wrong) << result.text();
    EXPECT_EQ(result.size(), size_t(wrong)) << result.text();
    EXPECT_EQ(y[17], 128.0f);
  }
}

/// A scale that is NaN makes its products NaN, byte 0 is 2^-127.
TEST(TileScaledProgram, SpecialScales) {
  std::vector<float> y(256);
  ptoscope::Result result = run(y, [](float *py) {
    Ones t;
    auto *scales = reinterpret_cast<uint8_t *>(t.leftScales.data());
    scales[2 * 3] = 255; // row 3, group 0
    scales[2 * 5] = scales[2 * 5 + 1] = 0;
    View<float, 16, 16> gy(py);
    TMATMUL_MX(t.c, t.left, t.leftScales, t.right, t.rightScales);
    fence();
    TSTORE(gy, t.c);
  });
  EXPECT_EQ(result.size(), 0u) << result.text();
  EXPECT_EQ(y[2 * 16], 64.0f);
  EXPECT_TRUE(std::isnan(y[3 * 16 + 7]));
  EXPECT_EQ(y[5 * 16], std::ldexp(64.0f, -127));
}

/// K = 30: both factors are padded with zeros to 64 in L1 (MXT-9).
TEST(TileScaledProgram, PaddedK) {
  constexpr int kM = 16, kK = 30, kN = 16;
  std::vector<uint8_t> a = rowsOf<Byte>(kM, kK, leftAt),
                       b = rowsOf<Byte>(kN, kK, [](int j, int k) { return rightAt(k, j); });
  std::vector<uint8_t> scales(32, 128);
  std::vector<float> y(kM * kN);
  ptoscope::Result result = ptoscope::launch(
      [](uint8_t *pa, uint8_t *pb, uint8_t *ps, float *py) {
        Tile<TileType::Mat, Byte, kM, 64, BLayout::ColMajor, kM, kK, SLayout::RowMajor> partA;
        Tile<TileType::Mat, Byte, kM, 64, BLayout::ColMajor, kM, 64, SLayout::RowMajor, 512, PadValue::Zero> wholeA;
        Tile<TileType::Mat, Byte, 64, kN, BLayout::RowMajor, kK, kN, SLayout::ColMajor> partB;
        Tile<TileType::Mat, Byte, 64, kN, BLayout::RowMajor, 64, kN, SLayout::ColMajor, 512, PadValue::Zero> wholeB;
        Tile<TileType::Mat, Scale, 16, 2, BLayout::RowMajor, 16, 2, SLayout::RowMajor, 32> matAs;
        Tile<TileType::Mat, Scale, 2, 16, BLayout::ColMajor, 2, 16, SLayout::ColMajor, 32> matBs;
        Ones t;
        TASSIGN(partA, 0);
        TASSIGN(wholeA, 0);
        TASSIGN(partB, 0x1000);
        TASSIGN(wholeB, 0x1000);
        TASSIGN(matAs, 0x2000);
        TASSIGN(matBs, 0x2100);
        GlobalTensor<Byte, Shape<1, 1, 1, kM, kK>, Stride<kM * kK, kM * kK, kM * kK, kK, 1>> ga(
            reinterpret_cast<Byte *>(pa));
        GlobalTensor<Byte, Shape<1, 1, 1, kK, kN>, Stride<kN * kK, kN * kK, kN * kK, 1, kK>, Layout::DN> gb(
            reinterpret_cast<Byte *>(pb));
        GlobalTensor<Scale, TileShape2D<Scale, 16, 2, Layout::MX_A_ZZ>, BaseShape2D<Scale, 16, 2, Layout::MX_A_ZZ>,
                     Layout::MX_A_ZZ>
            gas(reinterpret_cast<Scale *>(ps));
        GlobalTensor<Scale, TileShape2D<Scale, 2, 16, Layout::MX_B_NN>, BaseShape2D<Scale, 2, 16, Layout::MX_B_NN>,
                     Layout::MX_B_NN>
            gbs(reinterpret_cast<Scale *>(ps));
        View<float, kM, kN> gy(py);
        TLOAD(partA, ga);
        TLOAD(partB, gb);
        TLOAD(matAs, gas);
        TLOAD(matBs, gbs);
        fence();
        TFILLPAD_INPLACE(wholeA, partA);
        TFILLPAD_INPLACE(wholeB, partB);
        fence();
        TMOV(t.left, wholeA);
        TMOV(t.right, wholeB);
        TMOV(t.leftScales, matAs);
        TMOV(t.rightScales, matBs);
        fence();
        TMATMUL_MX(t.c, t.left, t.leftScales, t.right, t.rightScales);
        fence();
        TSTORE(gy, t.c);
      },
      1, a, b, scales, y);
  EXPECT_EQ(result.size(), 0u) << result.text();
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) {
      double sum = 0;
      for (int k = 0; k < kK; ++k)
        sum += leftAt(i, k) * rightAt(k, j) * 4;
      EXPECT_EQ(double(y[size_t(i * kN + j)]), sum) << i << ", " << j;
    }
}

/// Scales that were never loaded, too few of them, and a window inside a fragment.
TEST(TileScaledProgram, WrongScales) {
  std::vector<float> y(256);
  ptoscope::Result missing = run(y, [](float *) {
    Ones t(0x100, false);
    TMATMUL_MX(t.c, t.left, t.leftScales, t.right, t.rightScales);
  });
  EXPECT_TRUE(missing.has("init-read-local") || !missing.ok()) << missing.text();
  EXPECT_EQ(missing.size(), 1u) << missing.text();
  ptoscope::Result few = run(y, [](float *) {
    Ones t;
    TileLeftScale<Scale, 16, 2, 15, 2> scales;
    TASSIGN(scales, 0x100);
    TMATMUL_MX(t.c, t.left, scales, t.right, t.rightScales);
  });
  EXPECT_TRUE(few.has("tile-shape")) << few.text();
  for (const int row : {0, 8, 16}) {
    ptoscope::Result window = ptoscope::launch(
        [](int first) {
          Ones t;
          Tile<TileType::Mat, Scale, 32, 2, BLayout::RowMajor, 32, 2, SLayout::RowMajor, 32> mat;
          TASSIGN(mat, 0);
          std::memset(static_cast<void *>(mat.data()), 127, 64);
          TEXTRACT(t.leftScales, mat, first, 0);
        },
        1, row);
    EXPECT_EQ(window.has("tile-window"), row == 8) << window.text();
  }
}

} // namespace scaledProgram
