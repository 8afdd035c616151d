//===- MoveRearrangeTest.cpp - programs that rearrange tiles --------------===//
//
// Transposes, padding, joins, mixtures, sequences, views and scalar accesses in
// whole programs, with all checks and under every schedule, against loops over
// elements; and wrong programs, which have to be reported.
//
//===----------------------------------------------------------------------===//

#include "MovePrograms.h"

#include <functional>

namespace {

using Schedule = const ptoscope::Options &;

void expectClean(const ptoscope::Result &result) { ASSERT_EQ(result.size(), 0u) << result.text(); }
void expectFinding(const ptoscope::Result &result, const char *code, const char *text) {
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(result.has(code)) << result.text();
  EXPECT_NE(std::string(result.text()).find(text), std::string::npos) << result.text();
}

template <typename T, int R, int C> using Open = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, DYNAMIC, DYNAMIC>;

//===----------------------------------------------------------------------===//
// TTRANS
//===----------------------------------------------------------------------===//

template <typename T>
ptoscope::Result transpose(Schedule options, Image<T> &x, Image<T> &y, int rows, int cols, int dstRows, int dstCols) {
  auto kernel = [=](T *px, T *py) {
    Tile<TileType::Vec, T, 64, 64> whole, result, tmp;
    Open<T, 64, 64> src(rows, cols), dst(dstRows, dstCols);
    TASSIGN(whole, 0);
    TASSIGN(src, 0);
    TASSIGN(result, 0x8000);
    TASSIGN(dst, 0x8000);
    TASSIGN(tmp, 0x10000);
    Plain<T, 64, 64, Layout::ND> gx(px), gy(py);
    TLOAD(whole, gx);
    Event<Op::TLOAD, Op::TTRANS> loaded = TLOAD(result, gy);
    Event<Op::TTRANS, Op::TSTORE_VEC> done = TTRANS(dst, src, tmp, loaded);
    TSTORE(gy, result, done);
  };
  return ptoscope::launch(options, kernel, 1, x.buffer(), y.buffer());
}

template <typename T> void everyTranspose() {
  for (auto [rows, cols] : {std::pair{64, 64}, {17, 33}, {1, 64}})
    for (Schedule options : schedules()) {
      Image<T> x(Layout::ND, 64, 64, 1), y(Layout::ND, 64, 64, 2), expected = y;
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c)
          expected.set(c, r, x.get(r, c));
      expectClean(transpose<T>(options, x, y, rows, cols, cols, rows));
      ASSERT_TRUE(y.bytes == expected.bytes) << rows << " x " << cols;
    }
}
// TMOV-10.
TEST(TileRearrange, Transpose) {
  everyTranspose<uint8_t>();
  everyTranspose<half>();
  everyTranspose<float>();
  everyTranspose<int64_t>();
  everyTranspose<int4b_t>();
}
// TMOV-10.
TEST(TileRearrange, TransposeNeedsMirroredRegions) {
  Image<float> x(Layout::ND, 64, 64, 1), y(Layout::ND, 64, 64, 2);
  expectFinding(transpose<float>({}, x, y, 8, 16, 8, 16), "tile-shape",
                "`TTRANS` transposes a valid region of 8 x 16 into one of 8 x 16");
}

//===----------------------------------------------------------------------===//
// TFILLPAD
//===----------------------------------------------------------------------===//

template <typename T, PadValue Pad, int R = 16, int C = 64>
using Padded = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, R, C, SLayout::NoneBox, 512, Pad>;

/// Form: 0 TFILLPAD, 1 in place, 2 into a larger tile, 3 and 4 by their mode.
template <typename T, PadValue Pad, int Form> void fillPad(uint64_t bits) {
  constexpr int kRows = 16, kCols = 64, kValidRows = 11, kValidCols = 37;
  constexpr bool kLarger = Form == 2 || Form == 4;
  constexpr int kToRows = kLarger ? 24 : kRows, kToCols = kLarger ? 128 : kCols;
  for (Schedule options : schedules()) {
    Image<T> x(Layout::ND, kRows, kCols, 1), y(Layout::ND, kToRows, kToCols, 2), expected = y;
    for (int r = 0; r < kToRows; ++r)
      for (int c = 0; c < kToCols; ++c)
        expected.set(r, c, r < kValidRows && c < kValidCols ? x.get(r, c) : bits);
    auto kernel = [](T *px, T *py) {
      Tile<TileType::Vec, T, kRows, kCols> whole;
      Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, kValidRows, kValidCols> src;
      Padded<T, Pad, kToRows, kToCols> dst;
      TASSIGN(whole, 0);
      TASSIGN(src, 0);
      TASSIGN(dst, Form == 1 ? 0 : 0x8000);
      Plain<T, kRows, kCols, Layout::ND> gx(px);
      Plain<T, kToRows, kToCols, Layout::ND> gy(py);
      Event<Op::TLOAD, Op::TFILLPAD> loaded = TLOAD(whole, gx);
      Event<Op::TFILLPAD, Op::TSTORE_VEC> done;
      if constexpr (Form == 0)
        done = TFILLPAD(dst, src, loaded);
      else if constexpr (Form == 1)
        done = TFILLPAD_INPLACE(dst, src, loaded);
      else if constexpr (Form == 2)
        done = TFILLPAD_EXPAND(dst, src, loaded);
      else if constexpr (Form == 3)
        done = TFILLPAD<TFillPadMode::Normal>(dst, src, loaded);
      else
        done = TFILLPAD<TFillPadMode::Expand>(dst, src, loaded);
      TSTORE(gy, dst, done);
    };
    expectClean(ptoscope::launch(options, kernel, 1, x.buffer(), y.buffer()));
    ASSERT_TRUE(y.bytes == expected.bytes) << Form;
  }
}

// TMOV-11, TMOV-12.
TEST(TileRearrange, FillPad) {
  fillPad<float, PadValue::Min, 0>(0xff800000);
  fillPad<float, PadValue::Max, 1>(0x7f800000);
  fillPad<float, PadValueCustom(-1.0f), 2>(0xbf800000);
  fillPad<half, PadValue::Zero, 3>(0);
  fillPad<half, PadValue::Max, 4>(0x7c00);
  fillPad<uint8_t, PadValue::Max, 0>(0xff);
  fillPad<int8_t, PadValue::Min, 1>(0x80);
  fillPad<int32_t, PadValueCustom(int32_t(77)), 1>(77);
  fillPad<int16_t, PadValue::Min, 2>(0x8000);
}

// TMOV-12.
TEST(TileRearrange, FillPadInL1) {
  for (Schedule options : schedules()) {
    std::vector<half> x(16 * 32, half(1.0f)), y(16 * 32, half(9.0f));
    auto kernel = [](half *px, half *py) {
      using Mat = Tile<TileType::Mat, half, 16, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
      Mat src(9, 16), dst(16, 32);
      TASSIGN(src, 0);
      TASSIGN(dst, 0x1000);
      GlobalTensor<half, Shape<1, 1, 1, 9, 16>, Stride<1, 1, 1, 32, 1>> gx(px);
      Plain<half, 16, 32, Layout::ND> gy(py);
      TLOAD(src, gx);
      pipe_barrier(PIPE_MTE2);
      Event<Op::TFILLPAD_MAT, Op::TSTORE_MAT> done = TFILLPAD<Mat, PadValue::Zero>(dst, src);
      TSTORE(gy, dst, done);
    };
    expectClean(ptoscope::launch(options, kernel, 1, x, y));
    for (int i = 0; i < 16 * 32; ++i)
      ASSERT_EQ(float(y[size_t(i)]), i / 32 < 9 && i % 32 < 16 ? 1.0f : 0.0f);
  }
}

// TMOV-11.
TEST(TileRearrange, FillPadInPlaceNeedsOnePlace) {
  auto kernel = [](int place) {
    Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 8, 8> src;
    Padded<float, PadValue::Zero> dst;
    TASSIGN(src, 0);
    TASSIGN(dst, place);
    TFILLPAD_INPLACE(dst, src);
  };
  EXPECT_TRUE(ptoscope::launch(kernel, 1, 0).ok());
  expectFinding(ptoscope::launch(kernel, 1, 0x1000), "tile-shape",
                "`TFILLPAD_INPLACE` pads in place, but its tiles start at bytes 4096 and 0");
  auto apart = [](int place) {
    Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 8, 8> src;
    Padded<float, PadValue::Zero, 16, 128> dst;
    TASSIGN(src, 0);
    TASSIGN(dst, place);
    TFILLPAD_EXPAND(dst, src);
  };
  EXPECT_TRUE(ptoscope::launch(apart, 1, 0x1000).ok());
  expectFinding(ptoscope::launch(apart, 1, 0), "tile-shape", "but the layouts of its tiles differ");
}

//===----------------------------------------------------------------------===//
// TCONCAT, TINTERLEAVE, TDEINTERLEAVE
//===----------------------------------------------------------------------===//

constexpr int kRows = 16, kCols = 64;

struct Columns {
  std::vector<float> a, b;
  Columns() : a(kRows * kCols), b(kRows * kCols) {
    for (int i = 0; i < kRows * kCols; ++i) {
      a[size_t(i)] = float(i);
      b[size_t(i)] = float(-i - 1);
    }
  }
};
using Block = Tile<TileType::Vec, float, kRows, kCols>;
using BlockView = Plain<float, kRows, kCols, Layout::ND>;

/// Loads a and b into tiles at 0x4000 and 0x8000.
void loadBoth(float *pa, float *pb) {
  Block a, b;
  TASSIGN(a, 0x4000);
  TASSIGN(b, 0x8000);
  BlockView ga(pa), gb(pb);
  TLOAD(a, ga);
  TLOAD(b, gb);
}

// TMOV-13.
TEST(TileRearrange, Concat) {
  for (auto [first, second, room] : {std::array{64, 64, 128}, {13, 40, 128}, {40, 40, 64}, {1, 64, 128}})
    for (Schedule options : schedules()) {
      Columns data;
      std::vector<float> out(kRows * 128, 0.5f);
      auto kernel = [=](float *pa, float *pb, float *po) {
        Open<float, kRows, kCols> a(kRows, first), b(kRows, second);
        Tile<TileType::Vec, float, kRows, 128> all;
        Open<float, kRows, 128> dst(kRows, room);
        TASSIGN(a, 0x4000);
        TASSIGN(b, 0x8000);
        TASSIGN(all, 0);
        TASSIGN(dst, 0);
        Plain<float, kRows, 128, Layout::ND> go(po);
        loadBoth(pa, pb);
        TLOAD(all, go);
        pipe_barrier(PIPE_ALL);
        if (room == 128)
          TCONCAT(dst, a, b);
        else
          TCONCAT_IMPL(dst, a, b);
        pipe_barrier(PIPE_ALL);
        TSTORE(go, all);
      };
      expectClean(ptoscope::launch(options, kernel, 1, data.a, data.b, out));
      for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < 128; ++c)
          ASSERT_EQ(out[size_t(r * 128 + c)], c >= room            ? 0.5f
                                              : c < first          ? data.a[size_t(r * kCols + c)]
                                              : c < first + second ? data.b[size_t(r * kCols + c - first)]
                                                                   : 0.5f)
              << r << ", " << c;
    }
}

/// Counts in units of an index, one a row; `total` false leaves out the joined counts.
template <bool Total> void concatByCounts() {
  for (Schedule options : schedules()) {
    Columns data;
    std::vector<float> out(kRows * 128, 0.5f);
    std::vector<int32_t> first(kRows * 8), second(kRows * 8), joined(kRows * 8, -1);
    for (int r = 0; r < kRows; ++r) {
      first[size_t(r * 8)] = r == 3 ? -4 : r * 16;
      second[size_t(r * 8)] = 256 - r * 8;
    }
    auto kernel = [](float *pa, float *pb, int32_t *pi, int32_t *pj, float *po, int32_t *pk) {
      Block a, b;
      Tile<TileType::Vec, float, kRows, 128> dst;
      Tile<TileType::Vec, int32_t, kRows, 8> i, j, k;
      TASSIGN(a, 0x4000);
      TASSIGN(b, 0x8000);
      TASSIGN(dst, 0);
      TASSIGN(i, 0xc000);
      TASSIGN(j, 0xd000);
      TASSIGN(k, 0xe000);
      Plain<float, kRows, 128, Layout::ND> go(po);
      Plain<int32_t, kRows, 8, Layout::ND> gi(pi), gj(pj), gk(pk);
      loadBoth(pa, pb);
      TLOAD(dst, go);
      TLOAD(i, gi);
      TLOAD(j, gj);
      TLOAD(k, gk);
      pipe_barrier(PIPE_ALL);
      if constexpr (Total)
        TCONCAT(dst, a, b, k, i, j);
      else
        TCONCAT(dst, a, b, i, j);
      pipe_barrier(PIPE_ALL);
      TSTORE(go, dst);
      TSTORE(gk, k);
    };
    expectClean(ptoscope::launch(options, kernel, 1, data.a, data.b, first, second, out, joined));
    for (int r = 0; r < kRows; ++r) {
      const int head = r == 3 ? 0 : r * 4, tail = 64 - r * 2;
      for (int c = 0; c < 128; ++c)
        ASSERT_EQ(out[size_t(r * 128 + c)], c < head          ? data.a[size_t(r * kCols + c)]
                                            : c < head + tail ? data.b[size_t(r * kCols + c - head)]
                                                              : 0.5f)
            << r << ", " << c;
      ASSERT_EQ(joined[size_t(r * 8)], Total ? (head + tail) * 4 : -1);
    }
  }
}
// TMOV-14.
TEST(TileRearrange, ConcatByCounts) { concatByCounts<false>(); }
TEST(TileRearrange, ConcatThatCounts) { concatByCounts<true>(); }

TEST(TileRearrange, ConcatByCountsThatNobodyWrote) {
  auto kernel = [](bool wrote) {
    Tile<TileType::Vec, float, 8, 8> a, dst;
    Tile<TileType::Vec, int32_t, 8, 8> i;
    TASSIGN(a, 0);
    TASSIGN(dst, 0x1000);
    TASSIGN(i, 0x2000);
    TEXPANDS(a, 1.0f);
    if (wrote)
      TEXPANDS(i, 4);
    pipe_barrier(PIPE_V);
    TCONCAT(dst, a, a, i, i);
  };
  EXPECT_TRUE(ptoscope::launch(kernel, 1, true).ok());
  EXPECT_TRUE(ptoscope::launch(kernel, 1, false).has("init-read"));
}

/// Mixes the columns of a and b, and takes the mixture apart again.
// TMOV-15.
TEST(TileRearrange, InterleaveAndBack) {
  for (int cols : {64, 33, 1})
    for (Schedule options : schedules()) {
      Columns data;
      std::vector<float> low(kRows * kCols, 0.5f), high = low, even = low, odd = low;
      auto kernel = [=](float *pa, float *pb, float *pl, float *ph, float *pe, float *po) {
        using T = Open<float, kRows, kCols>;
        T a(kRows, cols), b(kRows, cols), l(kRows, cols), h(kRows, cols), e(kRows, cols), o(kRows, cols);
        TASSIGN(a, 0x4000);
        TASSIGN(b, 0x8000);
        TASSIGN(l, 0xc000);
        TASSIGN(h, 0x10000);
        TASSIGN(e, 0x14000);
        TASSIGN(o, 0x18000);
        loadBoth(pa, pb);
        Event<Op::TLOAD, Op::TINTERLEAVE> loaded;
        loaded.Record();
        TINTERLEAVE(h, l, b, a, loaded);
        pipe_barrier(PIPE_V);
        Event<Op::TDEINTERLEAVE, Op::TSTORE_VEC> done = TDEINTERLEAVE(o, e, h, l);
        TSYNC(done);
        GlobalTensor<float, Shape<1, 1, 1, kRows, DYNAMIC>, Stride<1, 1, 1, kCols, 1>> gl(pl, {cols}), gh(ph, {cols}),
            ge(pe, {cols}), go(po, {cols});
        TSTORE(gl, l);
        TSTORE(gh, h);
        TSTORE(ge, e);
        TSTORE(go, o);
      };
      expectClean(ptoscope::launch(options, kernel, 1, data.a, data.b, low, high, even, odd));
      for (int r = 0; r < kRows; ++r)
        for (int k = 0; k < 2 * cols; ++k) {
          const size_t row = size_t(r * kCols);
          const float want = (k % 2 ? data.b : data.a)[row + size_t(k / 2)];
          ASSERT_EQ((k < cols ? low : high)[row + size_t(k % cols)], want) << r << ", " << k;
          if (k < cols) {
            ASSERT_EQ(even[row + size_t(k)], data.a[row + size_t(k)]);
            ASSERT_EQ(odd[row + size_t(k)], data.b[row + size_t(k)]);
          }
        }
    }
}

template <int Cols, int Room>
ptoscope::Result splitOne(Schedule options, std::vector<float> &x, std::vector<float> &even, std::vector<float> &odd) {
  auto kernel = [](float *px, float *pe, float *po) {
    Open<float, kRows, kCols> a(kRows, Cols), e(kRows, Room), o(kRows, Cols / 2);
    TASSIGN(a, 0x4000);
    TASSIGN(e, 0x8000);
    TASSIGN(o, 0xc000);
    GlobalTensor<float, Shape<1, 1, 1, kRows, Cols>, Stride<1, 1, 1, kCols, 1>> gx(px);
    GlobalTensor<float, Shape<1, 1, 1, kRows, Room>, Stride<1, 1, 1, kCols, 1>> ge(pe);
    GlobalTensor<float, Shape<1, 1, 1, kRows, Cols / 2>, Stride<1, 1, 1, kCols, 1>> go(po);
    Event<Op::TLOAD, Op::TDEINTERLEAVE> loaded = TLOAD(a, gx);
    Event<Op::TDEINTERLEAVE, Op::TSTORE_VEC> done = TDEINTERLEAVE(o, e, a, loaded);
    TSTORE(ge, e, done);
    TSTORE(go, o);
  };
  return ptoscope::launch(options, kernel, 1, x, even, odd);
}
TEST(TileRearrange, DeinterleaveOne) {
  for (Schedule options : schedules()) {
    Columns data;
    std::vector<float> even(kRows * kCols, 0.5f), odd = even;
    expectClean(splitOne<37, 19>(options, data.a, even, odd));
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < 37; ++c)
        ASSERT_EQ((c % 2 ? odd : even)[size_t(r * kCols + c / 2)], data.a[size_t(r * kCols + c)]);
  }
  Columns data;
  std::vector<float> even(kRows * kCols), odd = even;
  expectFinding(splitOne<37, 18>({}, data.a, even, odd), "tile-shape",
                "`TDEINTERLEAVE` needs a valid region of 16 x 19, but `dst0` has 16 x 18");
}

//===----------------------------------------------------------------------===//
// TCI, TTRI
//===----------------------------------------------------------------------===//

template <typename T> void counts() {
  for (Schedule options : schedules()) {
    std::vector<T> up(64, T(7)), down = up;
    auto kernel = [](T *pu, T *pd) {
      using Row = Tile<TileType::Vec, T, 1, 64>;
      using Short = Tile<TileType::Vec, T, 1, 64, BLayout::RowMajor, 1, 50>;
      Row whole, tmp;
      Short d;
      TASSIGN(whole, 0);
      TASSIGN(d, 0x400);
      TASSIGN(tmp, 0x800);
      Plain<T, 1, 64, Layout::ND> gu(pu);
      GlobalTensor<T, Shape<1, 1, 1, 1, 50>, Stride<1, 1, 1, 64, 1>> gd(pd);
      Event<Op::TCI, Op::TSTORE_VEC> counted = TCI<Row, T, false>(whole, T(-3));
      Event<Op::VECTOR, Op::TSTORE_VEC> alsoCounted = TCI<Short, T, true>(d, T(20), tmp);
      TSTORE(gu, whole, counted);
      TSTORE(gd, d, alsoCounted);
    };
    expectClean(ptoscope::launch(options, kernel, 1, up, down));
    for (int c = 0; c < 64; ++c) {
      ASSERT_EQ(up[size_t(c)], T(c - 3));
      ASSERT_EQ(down[size_t(c)], c < 50 ? T(20 - c) : T(7));
    }
  }
}
// TGEN-1.
TEST(TileRearrange, Counting) {
  counts<int16_t>();
  counts<uint16_t>();
  counts<int32_t>();
  counts<uint32_t>();
}

/// The scalar unit counts: the vector unit has to be told when it is done.
// TGEN-1.
TEST(TileRearrange, CountingWithoutAFlagIsARace) {
  auto kernel = [](bool waits) {
    Tile<TileType::Vec, int32_t, 1, 64> a, b;
    TASSIGN(a, 0);
    TASSIGN(b, 0x100);
    Event<Op::TCI, Op::TADD> counted = TCI(a, 5);
    if (waits)
      TADD(b, a, a, counted);
    else {
      TADD(b, a, a);
      TSYNC(counted);
    }
  };
  EXPECT_TRUE(ptoscope::launch(kernel, 1, true).ok());
  EXPECT_TRUE(ptoscope::launch(kernel, 1, false).has("race-raw"));
}

/// With a scratch tile the vector unit counts: its own barrier is enough, and a flag
/// of the scalar unit says nothing.
TEST(TileRearrange, CountingOnTheVectorUnit) {
  auto kernel = [](bool vector) {
    Tile<TileType::Vec, int32_t, 1, 64> a, b, tmp;
    TASSIGN(a, 0);
    TASSIGN(b, 0x100);
    TASSIGN(tmp, 0x200);
    TCI(a, 5, tmp);
    if (vector) {
      pipe_barrier(PIPE_V);
    } else {
      set_flag(PIPE_S, PIPE_V, EVENT_ID0);
      wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    }
    TADD(b, a, a);
  };
  ptoscope::Options options;
  options.arch = "a3"; // where instructions of V need a barrier
  EXPECT_TRUE(ptoscope::launch(options, kernel, 1, true).ok());
  EXPECT_TRUE(ptoscope::launch(options, kernel, 1, false).has("race-raw"));
}

template <typename T, int Upper> void triangle(int diagonal) {
  for (Schedule options : schedules()) {
    std::vector<T> out(16 * 64, T(7));
    auto kernel = [=](T *po) {
      using Part = Tile<TileType::Vec, T, 16, 64, BLayout::RowMajor, 16, 40>;
      Part a;
      TASSIGN(a, 0);
      GlobalTensor<T, Shape<1, 1, 1, 16, 40>, Stride<1, 1, 1, 64, 1>> g(po);
      Event<Op::TTRI, Op::TSTORE_VEC> done = TTRI<Part, Upper>(a, diagonal);
      TSTORE(g, a, done);
    };
    expectClean(ptoscope::launch(options, kernel, 1, out));
    for (int r = 0; r < 16; ++r)
      for (int c = 0; c < 64; ++c) {
        const bool one = Upper ? c >= r + diagonal : c <= r + diagonal;
        ASSERT_EQ(float(out[size_t(r * 64 + c)]), c >= 40 ? 7.0f : one ? 1.0f : 0.0f) << r << ", " << c;
      }
  }
}
// TGEN-2.
TEST(TileRearrange, Triangles) {
  for (int diagonal : {0, 3, -5, 100, -100}) {
    triangle<float, 0>(diagonal);
    triangle<float, 1>(diagonal);
    triangle<half, 1>(diagonal);
    triangle<int8_t, 0>(diagonal);
    triangle<int32_t, 1>(diagonal);
  }
}

//===----------------------------------------------------------------------===//
// Tiles that share storage
//===----------------------------------------------------------------------===//

ptoscope::Result addInView(Schedule options, std::vector<float> &x, int row, int col) {
  auto kernel = [=](float *px) {
    Block a;
    Tile<TileType::Vec, float, 8, kCols, BLayout::RowMajor, 8, 16> part;
    TASSIGN(a, 0x100);
    BlockView gx(px);
    Event<Op::TLOAD, Op::TADDS> loaded = TLOAD(a, gx);
    TSUBVIEW(part, a, row, col);
    Event<Op::TADDS, Op::TSTORE_VEC> done = TADDS(part, part, 1000.0f, loaded);
    TSTORE(gx, a, done);
  };
  return ptoscope::launch(options, kernel, 1, x);
}
// TMOV-8.
TEST(TileRearrange, Subview) {
  for (auto [row, col] : {std::pair{0, 0}, {8, 48}, {3, 8}})
    for (Schedule options : schedules()) {
      Columns data;
      const std::vector<float> before = data.a;
      expectClean(addInView(options, data.a, row, col));
      for (int i = 0; i < kRows * kCols; ++i) {
        const int r = i / kCols, c = i % kCols;
        const bool inside = r >= row && r < row + 8 && c >= col && c < col + 16;
        ASSERT_EQ(data.a[size_t(i)], before[size_t(i)] + (inside ? 1000.0f : 0.0f)) << r << ", " << c;
      }
    }
}
// TMOV-8.
TEST(TileRearrange, SubviewsThatLeaveTheTile) {
  Columns data;
  expectFinding(addInView({}, data.a, 9, 0), "tile-window",
                "`TSUBVIEW` gives a view of 8 x 16 elements starting at row 9, column 0 of a tile that has 16 x 64");
  expectFinding(addInView({}, data.a, 0, 49), "tile-window", "column 49");
  expectFinding(addInView({}, data.a, -1, 0), "tile-window", "row -1");
  expectFinding(addInView({}, data.a, 0, 1), "ub-misaligned", "starts at byte 260, which is not a multiple of 32");
}

// TMOV-9.
TEST(TileRearrange, Reshape) {
  for (Schedule options : schedules()) {
    std::vector<float> x(16 * 64), y(32 * 32);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i % 128);
    auto kernel = [](float *px, float *py) {
      Block a;
      Tile<TileType::Vec, float, 32, 32> square;
      Tile<TileType::Vec, int16_t, 32, 64> shorts;
      TASSIGN(a, 0x100);
      BlockView gx(px);
      Plain<float, 32, 32, Layout::ND> gy(py);
      Event<Op::TLOAD, Op::TABS> loaded = TLOAD(a, gx);
      TRESHAPE(square, a);
      TRESHAPE(shorts, square);
      TABS(shorts, shorts, loaded); // changes nothing: the lower halves of these floats are 0
      pipe_barrier(PIPE_V);
      Event<Op::TNEG, Op::TSTORE_VEC> done = TNEG(square, square);
      TSTORE(gy, square, done);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y);
    expectClean(result);
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], -x[i]);
  }
}

//===----------------------------------------------------------------------===//
// The scalar unit, staging, full fill
//===----------------------------------------------------------------------===//

// TILE-14.
TEST(TileRearrange, ElementsByTheScalarUnit) {
  auto kernel = [](bool waits, float *px) {
    Tile<TileType::Vec, float, 8, 8> a;
    TASSIGN(a, 0);
    Plain<float, 8, 8, Layout::ND> gx(px);
    Event<Op::TLOAD, Op::SCALAR> loaded = TLOAD(a, gx);
    if (waits)
      TSYNC(loaded);
    a.SetValue(3, a.GetValue(2) + a.GetValue(8));
    if (!waits)
      TSYNC(loaded);
    Event<Op::SCALAR, Op::TSTORE_VEC> set;
    set.Record();
    TSTORE(gx, a, set);
  };
  for (Schedule options : schedules()) {
    std::vector<float> x(64);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i);
    expectClean(ptoscope::launch(options, kernel, 1, true, x));
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(x[i], i == 3 ? 10.0f : float(i));
  }
  std::vector<float> x(64);
  EXPECT_TRUE(ptoscope::launch(kernel, 1, false, x).has("race-raw"));
}

// TLOAD-12.
TEST(TileRearrange, StagedAndFilled) {
  for (bool fullFill : {false, true}) {
    std::vector<float> x(8 * 8), y(8 * 16, 7.0f), z = y;
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i + 1);
    auto kernel = [](float *px, float *py, float *pz) {
      Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 5, 6> a, b;
      Tile<TileType::Vec, float, 8, 16> whole, other;
      TASSIGN(a, 0);
      TASSIGN(whole, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(other, 0x1000);
      GlobalTensor<float, Shape<1, 1, 1, 5, 6>, Stride<1, 1, 1, 8, 1>> gx(px);
      Plain<float, 8, 16, Layout::ND> gy(py), gz(pz);
      TLOAD(whole, gy);
      TLOAD(other, gz);
      pipe_barrier(PIPE_MTE2);
      TLOAD_IMPL(a, gx);
      TPREFETCH(b, gx);
      pipe_barrier(PIPE_ALL);
      TSTORE(gy, whole);
      TSTORE(gz, other);
    };
    ptoscope::Options options;
    options.fullFill = fullFill;
    expectClean(ptoscope::launch(options, kernel, 1, x, y, z));
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 16; ++c) {
        const float loaded = r < 5 && c < 6 ? x[size_t(r * 8 + c)] : fullFill ? 0.0f : 7.0f;
        ASSERT_EQ(y[size_t(r * 16 + c)], loaded) << r << ", " << c;
        ASSERT_EQ(z[size_t(r * 16 + c)], loaded) << r << ", " << c;
      }
  }
}

} // namespace
