//===- MoveProgramTest.cpp - programs that move tiles ---------------------===//
//
// TMOV, TEXTRACT and TINSERT in whole programs, with all checks and under every
// schedule, against loops over elements; and programs that leave a window, miss a
// wait or use what no one wrote, which have to be reported.
//
//===----------------------------------------------------------------------===//

#include "MovePrograms.h"

#include <algorithm>

namespace {

using Schedule = const ptoscope::Options &;

//===----------------------------------------------------------------------===//
// Layouts and windows
//===----------------------------------------------------------------------===//

template <typename T, Layout From, Layout To> void moveBetween() {
  constexpr int kRows = 32, kCols = 128;
  for (Schedule options : schedules()) {
    Image<T> in(From, kRows, kCols, 1), out(To, kRows, kCols, 2);
    const Image<T> before = in;
    Image<T> expected = out;
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        expected.set(r, c, in.get(r, c));
    auto kernel = [](T *px, T *py) {
      Laid<TileType::Vec, T, kRows, kCols, From> a;
      Laid<TileType::Vec, T, kRows, kCols, To> b;
      TASSIGN(a, 0);
      TASSIGN(b, 0x10000);
      Plain<T, kRows, kCols, From> gx(px);
      Plain<T, kRows, kCols, To> gy(py);
      Event<Op::TLOAD, Op::TMOV_V2V> loaded = TLOAD(a, gx);
      Event<Op::TMOV_V2V, Op::TSTORE_VEC> moved = TMOV(b, a, loaded);
      TSTORE(gy, b, moved);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, in.buffer(), out.buffer());
    EXPECT_EQ(result.size(), 0u) << result.text();
    ASSERT_TRUE(out.bytes == expected.bytes) << int(From) << " to " << int(To);
    ASSERT_TRUE(in.bytes == before.bytes);
  }
}

template <typename T> void everyPair() {
  moveBetween<T, Layout::ND, Layout::ND>();
  moveBetween<T, Layout::ND, Layout::DN>();
  moveBetween<T, Layout::ND, Layout::NZ>();
  moveBetween<T, Layout::DN, Layout::ND>();
  moveBetween<T, Layout::DN, Layout::NZ>();
  moveBetween<T, Layout::NZ, Layout::ND>();
  moveBetween<T, Layout::NZ, Layout::DN>();
  moveBetween<T, Layout::NZ, Layout::NZ>();
}
TEST(TileMove, LayoutsOfBytes) { everyPair<uint8_t>(); }
TEST(TileMove, LayoutsOfHalves) { everyPair<half>(); }
TEST(TileMove, LayoutsOfWords) { everyPair<int32_t>(); }
TEST(TileMove, LayoutsOfLongWords) { everyPair<int64_t>(); }
// CPP-7.
TEST(TileMove, LayoutsOfNibbles) {
  moveBetween<int4b_t, Layout::ND, Layout::ND>();
  moveBetween<int4b_t, Layout::ND, Layout::NZ>();
  moveBetween<int4b_t, Layout::NZ, Layout::ND>();
}

/// Takes a window out of x and puts it into y at another place.
template <typename T, Layout L>
ptoscope::Result windows(Schedule options, Image<T> &x, Image<T> &y, int rows, int cols, int64_t fromRow,
                         int64_t fromCol, int64_t toRow, int64_t toCol) {
  auto kernel = [=](T *px, T *py) {
    Laid<TileType::Vec, T, 64, 64, L> a, b;
    Tile<TileType::Vec, T, 64, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC> part(rows, cols);
    TASSIGN(a, 0);
    TASSIGN(b, 0x8000);
    TASSIGN(part, 0x10000);
    Plain<T, 64, 64, L> gx(px), gy(py);
    TLOAD(a, gx);
    Event<Op::TLOAD, Op::TEXTRACT_V2V> loaded = TLOAD(b, gy);
    TEXTRACT(part, a, fromRow, fromCol, loaded);
    pipe_barrier(PIPE_V);
    Event<Op::TINSERT_V2V, Op::TSTORE_VEC> done = TINSERT(b, part, toRow, toCol);
    TSTORE(gy, b, done);
  };
  return ptoscope::launch(options, kernel, 1, x.buffer(), y.buffer());
}

template <typename T, Layout L> void everyWindow() {
  struct Case {
    int rows, cols, fromRow, fromCol, toRow, toCol;
  };
  for (const Case &w : {Case{64, 64, 0, 0, 0, 0},
                        {17, 33, 3, 5, 40, 30},
                        {1, 1, 63, 63, 0, 63},
                        {16, 16, 32, 16, 16, 48},
                        {5, 64, 59, 0, 1, 0}})
    for (Schedule options : schedules()) {
      Image<T> x(L, 64, 64, 3), y(L, 64, 64, 4), expected = y;
      for (int r = 0; r < w.rows; ++r)
        for (int c = 0; c < w.cols; ++c)
          expected.set(w.toRow + r, w.toCol + c, x.get(w.fromRow + r, w.fromCol + c));
      ptoscope::Result result = windows<T, L>(options, x, y, w.rows, w.cols, w.fromRow, w.fromCol, w.toRow, w.toCol);
      EXPECT_EQ(result.size(), 0u) << result.text();
      ASSERT_TRUE(y.bytes == expected.bytes) << w.rows << " x " << w.cols;
    }
}
TEST(TileMove, WindowsOfBytes) { everyWindow<int8_t, Layout::NZ>(); }
TEST(TileMove, WindowsOfHalves) { everyWindow<half, Layout::NZ>(); }
TEST(TileMove, WindowsOfWords) { everyWindow<float, Layout::ND>(); }
TEST(TileMove, WindowsOfColumns) { everyWindow<uint16_t, Layout::DN>(); }
TEST(TileMove, WindowsOfNibbles) { everyWindow<int4b_t, Layout::NZ>(); }

// TMOV-4.
TEST(TileMove, WindowsThatLeaveTheTile) {
  struct Case {
    int rows, cols;
    int64_t fromRow, fromCol, toRow, toCol;
    const char *text;
  };
  for (const Case &w :
       {Case{16, 16, 49, 0, 0, 0,
             "`TEXTRACT` reads 16 x 16 elements starting at row 49, column 0 of `src`, "
             "which has 64 x 64"},
        {16, 16, 0, 49, 0, 0, "`TEXTRACT` reads 16 x 16 elements starting at row 0, column 49"},
        {16, 16, -1, 0, 0, 0, "`TEXTRACT` reads 16 x 16 elements starting at row -1, column 0"},
        {16, 16, INT64_MAX, 0, 0, 0, "`TEXTRACT` reads"},
        {16, 16, 0, 0, 50, 0, "`TINSERT` writes 16 x 16 elements starting at row 50, column 0 of `dst`"},
        {16, 16, 0, 0, 0, 50, "let the window begin at a row from 0 to 48 and a column from 0 to 48"},
        {16, 16, 0, 0, INT64_MIN, 0, "`TINSERT` writes"}}) {
    Image<float> x(Layout::ND, 64, 64, 3), y(Layout::ND, 64, 64, 4);
    const Image<float> before = y;
    ptoscope::Result result =
        windows<float, Layout::ND>({}, x, y, w.rows, w.cols, w.fromRow, w.fromCol, w.toRow, w.toCol);
    EXPECT_FALSE(result.ok());
    EXPECT_TRUE(result.has("tile-window")) << result.text();
    EXPECT_NE(std::string(result.text()).find(w.text), std::string::npos) << result.text();
    if (w.toRow != 0 || w.toCol != 0) {
      EXPECT_TRUE(y.bytes == before.bytes); // the insertion was left out
    }
  }
}

TEST(TileMove, AMissingWaitIsARace) {
  auto kernel = [](bool waits, float *px, float *py) {
    Tile<TileType::Vec, float, 16, 64> a, b;
    TASSIGN(a, 0);
    TASSIGN(b, 0x4000);
    Plain<float, 16, 64, Layout::ND> gx(px), gy(py);
    Event<Op::TLOAD, Op::TMOV_V2V> loaded = TLOAD(a, gx);
    Event<Op::TMOV_V2V, Op::TSTORE_VEC> moved;
    if (waits)
      moved = TMOV(b, a, loaded);
    else
      moved = TMOV(b, a);
    TSTORE(gy, b, moved);
  };
  std::vector<float> x(1024), y(1024);
  EXPECT_TRUE(ptoscope::launch(kernel, 1, true, x, y).ok());
  EXPECT_TRUE(ptoscope::launch(kernel, 1, false, x, y).has("race-raw"));
}

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

/// 0: TMOV, 1: a window by TEXTRACT, 2: into a window by TINSERT. Each pipe is the one
/// that its operation names: another would be a race.
template <int How> void intoMat(Schedule options) {
  Image<half> x(Layout::ND, 32, 64, 1), y(Layout::NZ, 64, 64, 2), expected = y;
  const int row = How == 2 ? 16 : 0, col = How == 2 ? 32 : 0, fromRow = How == 1 ? 5 : 0, fromCol = How == 1 ? 7 : 0;
  const int rows = How == 1 ? 20 : 32, cols = How == 0 ? 64 : How == 1 ? 50 : 32;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      expected.set(row + r, col + c, x.get(fromRow + r, fromCol + c));
  auto kernel = [](half *px, half *py) {
    Tile<TileType::Vec, half, 32, 64> a;
    Tile<TileType::Vec, half, 32, 64, BLayout::RowMajor, 32, 32> narrow;
    Laid<TileType::Mat, half, 64, 64, Layout::NZ> b;
    Tile<TileType::Mat, half, 64, 64, BLayout::ColMajor, 20, 50, SLayout::RowMajor> window;
    TASSIGN(a, 0);
    TASSIGN(narrow, 0);
    TASSIGN(b, 0);
    TASSIGN(window, 0);
    Plain<half, 32, 64, Layout::ND> gx(px);
    Plain<half, 64, 64, Layout::NZ> gy(py);
    TLOAD(b, gy);
    if constexpr (How == 2) {
      Event<Op::TLOAD, Op::TINSERT_V2M> loaded = TLOAD(a, gx);
      Event<Op::TINSERT_V2M, Op::TSTORE_MAT> moved = TINSERT(b, narrow, 16, 32, loaded);
      TSTORE(gy, b, moved);
    } else {
      Event<Op::TLOAD, Op::TMOV_V2M> loaded = TLOAD(a, gx);
      Event<Op::TEXTRACT_V2M, Op::TSTORE_MAT> moved;
      if constexpr (How == 0)
        moved = TMOV(b, a, loaded);
      else
        moved = TEXTRACT(window, a, 5, 7, loaded);
      TSTORE(gy, b, moved);
    }
  };
  ptoscope::Result result = ptoscope::launch(options, kernel, 1, x.buffer(), y.buffer());
  EXPECT_EQ(result.size(), 0u) << result.text();
  ASSERT_TRUE(y.bytes == expected.bytes) << How;
}
// TMOV-2.
TEST(TileMove, IntoL1) {
  for (Schedule options : schedules()) {
    intoMat<0>(options);
    intoMat<1>(options);
    intoMat<2>(options);
  }
}

/// Blocks of a compact tile stand close together: its room ends with them.
// TILE-7, TMOV-4.
TEST(TileMove, CompactTiles) {
  auto kernel = [](int rows, float *px, float *py) {
    Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC> a(rows, 20);
    Tile<TileType::Vec, float, 64, 32, BLayout::ColMajor, 20, 20, SLayout::RowMajor, 512, PadValue::Null,
         CompactMode::Normal>
        b;
    Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, 20, 20> c;
    TASSIGN(a, 0);
    TASSIGN(b, 0x4000);
    TASSIGN(c, 0x8000);
    GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 20>, Stride<1, 1, 1, 20, 1>> gx(px, {rows});
    GlobalTensor<float, Shape<1, 1, 1, 20, 20>, Stride<1, 1, 1, 20, 1>> gy(py);
    Event<Op::TLOAD, Op::TMOV_V2V> loaded = TLOAD(a, gx);
    TMOV(b, a, loaded);
    pipe_barrier(PIPE_V);
    Event<Op::TMOV_V2V, Op::TSTORE_VEC> moved = TMOV(c, b);
    TSTORE(gy, c, moved);
  };
  std::vector<float> x(64 * 20), y(20 * 20);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  ptoscope::Result result = ptoscope::launch(kernel, 1, 20, x, y);
  EXPECT_EQ(result.size(), 0u) << result.text();
  EXPECT_TRUE(std::equal(y.begin(), y.end(), x.begin()));
  ptoscope::Result large = ptoscope::launch(kernel, 1, 33, x, y);
  EXPECT_TRUE(large.has("tile-window"));
  EXPECT_NE(
      std::string(large.text()).find("writes 33 x 20 elements starting at row 0, column 0 of `dst`, which has 32 x 24"),
      std::string::npos)
      << large.text();
}

//===----------------------------------------------------------------------===//
// To the cube
//===----------------------------------------------------------------------===//

constexpr int kM = 64, kN = 96, kK = 128, kStep = 32;

/// c = a * b in steps of k, each step a window of the tiles in L1.
template <bool Waits> void product(half *pa, half *pb, float *pc) {
  Tile<TileType::Mat, half, kM, kK, BLayout::ColMajor, kM, kK, SLayout::RowMajor> a1;
  Tile<TileType::Mat, half, kK, kN, BLayout::ColMajor, kK, kN, SLayout::RowMajor> b1;
  TileLeft<half, kM, kStep> a;
  TileRight<half, kStep, kN> b;
  TileAcc<float, kM, kN> c;
  TASSIGN(a1, 0);
  TASSIGN(b1, 0x10000);
  TASSIGN(a, 0);
  TASSIGN(b, 0);
  TASSIGN(c, 0);
  Plain<half, kM, kK, Layout::ND> ga(pa);
  Plain<half, kK, kN, Layout::ND> gb(pb);
  Plain<float, kM, kN, Layout::ND> gc(pc);
  TLOAD(a1, ga);
  Event<Op::TLOAD, Op::TEXTRACT_M2L> loaded = TLOAD(b1, gb);
  TSYNC(loaded);
  Event<Op::TMATMUL, Op::TEXTRACT_M2L> used;
  Event<Op::TMATMUL, Op::TSTORE_ACC> done;
  for (int k = 0; k < kK; k += kStep) {
    if (k > 0)
      TSYNC(used);
    TEXTRACT(a, a1, 0, k);
    Event<Op::TEXTRACT_M2R, Op::TMATMUL> there = TEXTRACT(b, b1, k, 0);
    if (Waits)
      TSYNC(there);
    RecordEvent result = k == 0 ? TMATMUL(c, a, b) : TMATMUL_ACC(c, a, b);
    if (k + kStep < kK)
      used = result;
    else
      done = result;
  }
  TSTORE(gc, c, done);
}

TEST(TileMove, ProductInSteps) {
  std::vector<half> a(kM * kK), b(kK * kN);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = half(float(int(i * 7 % 13) - 6));
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = half(float(int(i * 5 % 11) - 5));
  for (Schedule options : schedules()) {
    std::vector<float> c(kM * kN, -1.0f);
    ptoscope::Result result = ptoscope::launch(options, product<true>, 1, a, b, c);
    EXPECT_EQ(result.size(), 0u) << result.text();
    for (int i = 0; i < kM; ++i)
      for (int j = 0; j < kN; ++j) {
        float sum = 0; // small integers: exact
        for (int k = 0; k < kK; ++k)
          sum += float(a[size_t(i * kK + k)]) * float(b[size_t(k * kN + j)]);
        ASSERT_EQ(c[size_t(i * kN + j)], sum) << i << ", " << j;
      }
  }
  std::vector<float> c(kM * kN);
  EXPECT_TRUE(ptoscope::launch(product<false>, 1, a, b, c).has("race-raw"));
}

/// TMOV of whole tiles, from other layouts in L1, and a bias of another type.
template <typename B> void biased() {
  constexpr int kSize = 32;
  std::vector<half> a(kSize * kSize), b(kSize * kSize);
  std::vector<B> bias(kSize);
  for (int i = 0; i < kSize * kSize; ++i) {
    a[size_t(i)] = half(float(i % 7 - 3));
    b[size_t(i)] = half(float(i % 5 - 2));
  }
  for (int i = 0; i < kSize; ++i)
    bias[size_t(i)] = B(float(i) * 0.5f);
  for (Schedule options : schedules()) {
    std::vector<float> c(kSize * kSize, -1.0f);
    auto kernel = [](half *pa, half *pb, B *pbias, float *pc) {
      Tile<TileType::Mat, half, kSize, kSize> a1;
      Tile<TileType::Mat, half, kSize, kSize, BLayout::RowMajor, kSize, kSize, SLayout::ColMajor> b1;
      Tile<TileType::Mat, B, 1, kSize> bias1;
      TileLeft<half, kSize, kSize> l;
      TileRight<half, kSize, kSize> r;
      Tile<TileType::Bias, float, 1, kSize> table;
      TileAcc<float, kSize, kSize> acc;
      TASSIGN(a1, 0);
      TASSIGN(b1, 0x10000);
      TASSIGN(bias1, 0x20000);
      TASSIGN(l, 0);
      TASSIGN(r, 0);
      TASSIGN(table, 0);
      TASSIGN(acc, 0);
      Plain<half, kSize, kSize, Layout::ND> ga(pa);
      Plain<half, kSize, kSize, Layout::DN> gb(pb); // b transposed
      Plain<B, 1, kSize, Layout::ND> gbias(pbias);
      Plain<float, kSize, kSize, Layout::ND> gc(pc);
      TLOAD(a1, ga);
      TLOAD(b1, gb);
      Event<Op::TLOAD, Op::TMOV_M2L> loaded = TLOAD(bias1, gbias);
      TMOV(l, a1, loaded);
      TMOV(r, b1);
      Event<Op::TMOV_M2B, Op::TMATMUL_BIAS> there = TMOV(table, bias1);
      Event<Op::TMATMUL_BIAS, Op::TSTORE_ACC> done = TMATMUL_BIAS(acc, l, r, table, there);
      TSTORE(gc, acc, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, a, b, bias, c);
    EXPECT_EQ(result.size(), 0u) << result.text();
    for (int i = 0; i < kSize; ++i)
      for (int j = 0; j < kSize; ++j) {
        float sum = float(j) * 0.5f;
        for (int k = 0; k < kSize; ++k)
          sum += float(a[size_t(i * kSize + k)]) * float(b[size_t(j * kSize + k)]);
        ASSERT_EQ(c[size_t(i * kSize + j)], sum);
      }
  }
}
// TMOV-1, TILE-9.
TEST(TileMove, BiasOfFloats) { biased<float>(); }
TEST(TileMove, BiasOfHalves) { biased<half>(); }
TEST(TileMove, BiasOfBrainFloats) { biased<bfloat16_t>(); }

} // namespace
