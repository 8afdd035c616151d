//===- FamilyTest.cpp - elementwise, reduce and expand in C++ programs ----===//
//
// Every instruction of these families and every form of its signature, launched
// with all checks under eager, lazy and random schedules, against formulas; and
// programs with a missing wait or wrong extents, which have to be reported. What
// other element types give is the matter of the kernel tests.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <functional>

using namespace pto;

namespace {

constexpr int kRows = 16, kCols = 64, kSize = kRows * kCols;
using Plain = Shape<1, 1, 1, DYNAMIC, DYNAMIC>;
template <typename T> using Vec = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
template <typename T> using View = GlobalTensor<T, Plain, Stride<kSize, kSize, kSize, kCols, 1>>;
using Column = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor>;
using Mask = Tile<TileType::Vec, uint8_t, kRows, 32>;

/// dst holds a third input before the operation.
template <typename T> struct Tiles {
  Vec<T> dst, a, b, tmp;
};
template <typename T> using Operation = std::function<void(Tiles<T> &)>;
template <typename T> using Formula = std::function<T(T a, T b, T dst)>;

template <typename T> struct Data {
  std::vector<T> a, b, dst;
  Data() : a(kSize), b(kSize), dst(kSize) {
    for (int i = 0; i < kSize; ++i) {
      a[size_t(i)] = T(i % 37 - 18) / T(2);
      b[size_t(i)] = T(i % 11 + 1);
      dst[size_t(i)] = T(i % 7);
    }
  }
};

/// Loads, waits if told to, operates, stores.
template <typename T>
ptoscope::Result launchOn(Data<T> &data, const ptoscope::Options &options, const Operation<T> &operation, int rows,
                          int cols, bool wait = true) {
  auto kernel = [&](T *pa, T *pb, T *pd) {
    Tiles<T> t{Vec<T>(rows, cols), Vec<T>(rows, cols), Vec<T>(rows, cols), Vec<T>(rows, cols)};
    TASSIGN(t.dst, 0);
    TASSIGN(t.a, 0x4000);
    TASSIGN(t.b, 0x8000);
    TASSIGN(t.tmp, 0xc000);
    Plain shape(rows, cols);
    View<T> ga(pa, shape), gb(pb, shape), gd(pd, shape);
    TLOAD(t.a, ga);
    TLOAD(t.b, gb);
    TLOAD(t.dst, gd);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    if (wait)
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    operation(t);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(gd, t.dst);
  };
  return ptoscope::launch(options, kernel, 1, data.a, data.b, data.dst);
}

template <typename T> void expectFormula(const Operation<T> &operation, const Formula<T> &formula) {
  for (const ptoscope::Options &options : programs::schedules(2))
    for (auto [rows, cols] : {std::pair{kRows, kCols}, {5, 33}}) {
      Data<T> data;
      const Data<T> before = data;
      ptoscope::Result result = launchOn<T>(data, options, operation, rows, cols);
      ASSERT_EQ(result.size(), 0u) << result.text();
      for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kCols; ++c) {
          size_t i = size_t(r * kCols + c);
          T expected = r < rows && c < cols ? formula(before.a[i], before.b[i], before.dst[i]) : before.dst[i];
          if constexpr (std::is_same_v<T, float>) {
            if (std::isnan(expected)) {
              ASSERT_TRUE(std::isnan(data.dst[i])) << r << ", " << c;
              continue;
            }
          }
          ASSERT_EQ(data.dst[i], expected) << r << ", " << c;
        }
    }
}

#define FLOATS(NAME, CALL, FORMULA)                                                                                    \
  TEST(TileFamily, NAME) {                                                                                             \
    expectFormula<float>([](Tiles<float> &t) { CALL; },                                                                \
                         []([[maybe_unused]] float a, [[maybe_unused]] float b, [[maybe_unused]] float d) -> float {   \
                           return FORMULA;                                                                             \
                         });                                                                                           \
  }
#define INTS(NAME, CALL, FORMULA)                                                                                      \
  TEST(TileFamily, NAME) {                                                                                             \
    expectFormula<int32_t>([](Tiles<int32_t> &t) { CALL; },                                                            \
                           []([[maybe_unused]] int32_t a, [[maybe_unused]] int32_t b,                                  \
                              [[maybe_unused]] int32_t d) -> int32_t { return FORMULA; });                             \
  }
float floorRemainder(float a, float b) { return a - std::floor(a / b) * b; }
float exact(double x) { return float(x); }

FLOATS(TADD, TADD(t.dst, t.a, t.b), a + b)
FLOATS(TSUB, TSUB(t.dst, t.a, t.b), a - b)
FLOATS(TMUL, TMUL(t.dst, t.a, t.b), a *b)
FLOATS(TMAX, TMAX(t.dst, t.a, t.b), std::max(a, b))
FLOATS(TMIN, TMIN(t.dst, t.a, t.b), std::min(a, b))
FLOATS(TDIV, TDIV(t.dst, t.a, t.b), a / b)
// TEW-12: an algorithm changes nothing.
FLOATS(TDIV_HighPrecision, TDIV<DivAlgorithm::HIGH_PRECISION>(t.dst, t.a, t.b), a / b)
FLOATS(TREM, TREM(t.dst, t.a, t.b, t.tmp), floorRemainder(a, b))
FLOATS(TREM_HighPrecision, TREM<RemAlgorithm::HIGH_PRECISION>(t.dst, t.a, t.b, t.tmp), floorRemainder(a, b))
FLOATS(TFMOD, TFMOD<FmodAlgorithm::DEFAULT>(t.dst, t.a, t.b), std::fmod(a, b))
FLOATS(TPOW, TPOW<PowAlgorithm::DEFAULT>(t.dst, t.b, t.b, t.tmp), exact(std::pow(double(b), double(b))))
FLOATS(TPRELU, TPRELU(t.dst, t.a, t.b, t.tmp), a > 0 ? a : a * b)
FLOATS(TADDC, TADDC(t.dst, t.a, t.b, t.b), a + b + b)
FLOATS(TSUBC, TSUBC(t.dst, t.a, t.b, t.a), a - b + a)
FLOATS(TFUSEDMULADD, TFUSEDMULADD(t.dst, t.a, t.b), a *d + b)
FLOATS(TFUSEDMULADDRELU, TFUSEDMULADDRELU(t.dst, t.a, t.b), std::max(a *d + b, 0.0f))
FLOATS(TMULADDDST, TMULADDDST(t.dst, t.a, t.b), a *b + d)
FLOATS(TADDRELU, TADDRELU(t.dst, t.a, t.b), std::max(a + b, 0.0f))
FLOATS(TSUBRELU, TSUBRELU(t.dst, t.a, t.b), std::max(a - b, 0.0f))
FLOATS(TADDDEQRELU, TADDDEQRELU(t.dst, t.a, t.b, 0.5f, t.tmp), std::max(0.5f * (a + b), 0.0f))
FLOATS(TABS, TABS(t.dst, t.a), std::fabs(a))
FLOATS(TNEG, TNEG(t.dst, t.a), -a)
FLOATS(TRELU, TRELU(t.dst, t.a), std::max(a, 0.0f))
FLOATS(TEXP, TEXP<ExpAlgorithm::HIGH_PRECISION>(t.dst, t.a), exact(std::exp(double(a))))
FLOATS(TLOG, TLOG(t.dst, t.b), exact(std::log(double(b))))
FLOATS(TSQRT, TSQRT(t.dst, t.b), exact(std::sqrt(double(b))))
FLOATS(TRSQRT, TRSQRT(t.dst, t.b), exact(1 / std::sqrt(double(b))))
FLOATS(TRSQRT_Scratch, TRSQRT<RsqrtAlgorithm::DEFAULT>(t.dst, t.b, t.tmp), exact(1 / std::sqrt(double(b))))
FLOATS(TRECIP, TRECIP(t.dst, t.b), 1 / b)
FLOATS(TADDS, TADDS(t.dst, t.a, 1.5f), a + 1.5f)
FLOATS(TSUBS, TSUBS(t.dst, t.a, 1.5f), a - 1.5f)
FLOATS(TMULS, TMULS(t.dst, t.a, 1.5f), a * 1.5f)
FLOATS(TMAXS, TMAXS(t.dst, t.a, 1.5f), std::max(a, 1.5f))
FLOATS(TMINS, TMINS(t.dst, t.a, 1.5f), std::min(a, 1.5f))
// TEW-13.
FLOATS(TDIVS, TDIVS(t.dst, t.a, 3.0f), a / 3)
FLOATS(TDIVS_OfScalar, TDIVS<DivAlgorithm::HIGH_PRECISION>(t.dst, 3.0f, t.b), 3 / b)
FLOATS(TREMS, TREMS(t.dst, t.a, 3.0f, t.tmp), floorRemainder(a, 3))
FLOATS(TFMODS, TFMODS(t.dst, t.a, 3.0f), std::fmod(a, 3.0f))
FLOATS(TPOWS, TPOWS(t.dst, t.b, 3.0f, t.tmp), b *b *b)
FLOATS(TLRELU, TLRELU(t.dst, t.a, 0.25f), a > 0 ? a : a * 0.25f)
FLOATS(TAXPY, TAXPY(t.dst, t.a, 2.0f), d + 2 * a)
FLOATS(TADDSC, TADDSC(t.dst, t.a, 2.0f, t.b), a + 2 + b)
FLOATS(TSUBSC, TSUBSC(t.dst, t.a, 2.0f, t.b), a - 2 + b)
FLOATS(TEXPANDS, TEXPANDS(t.dst, 4.5f), 4.5f)
FLOATS(TPARTADD, TPARTADD(t.dst, t.a, t.b), a + b)
FLOATS(TPARTMUL, TPARTMUL(t.dst, t.a, t.b), a *b)
FLOATS(TPARTMAX, TPARTMAX(t.dst, t.a, t.b), std::max(a, b))
FLOATS(TPARTMIN, TPARTMIN(t.dst, t.a, t.b), std::min(a, b))
INTS(TAND, TAND(t.dst, t.a, t.b), a &b)
INTS(TOR, TOR(t.dst, t.a, t.b), a | b)
INTS(TXOR, TXOR(t.dst, t.a, t.b, t.tmp), a ^ b)
INTS(TSHL, TSHL(t.dst, t.b, t.b), b << b)
INTS(TSHR, TSHR(t.dst, t.a, t.b), a >> b)
INTS(TNOT, TNOT(t.dst, t.a), ~a)
INTS(TANDS, TANDS(t.dst, t.a, 12), a & 12)
INTS(TORS, TORS(t.dst, t.a, 12), a | 12)
INTS(TXORS, TXORS(t.dst, t.a, 12, t.tmp), a ^ 12)
INTS(TSHLS, TSHLS(t.dst, t.b, 3), b << 3)
INTS(TSHRS, TSHRS(t.dst, t.a, 1), a >> 1)
INTS(TFMOD_Ints, TFMOD(t.dst, t.a, t.b), a % b)

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

float rowSum(const Data<float> &data, int r, int cols) {
  float sum = 0; // of multiples of 1/2: exact in any order
  for (int c = 0; c < cols; ++c)
    sum += data.a[size_t(r * kCols + c)];
  return sum;
}

/// Checks dst(r, c) for all of the valid region 5 x 33.
void expectCells(const Operation<float> &operation,
                 const std::function<float(const Data<float> &, int r, int c)> &cell) {
  for (const ptoscope::Options &options : programs::schedules(2)) {
    Data<float> data;
    const Data<float> before = data;
    ptoscope::Result result = launchOn<float>(data, options, operation, 5, 33);
    ASSERT_EQ(result.size(), 0u) << result.text();
    for (int r = 0; r < 5; ++r)
      for (int c = 0; c < 33; ++c)
        ASSERT_EQ(data.dst[size_t(r * kCols + c)], cell(before, r, c)) << r << ", " << c;
  }
}
float at(const std::vector<float> &v, int r, int c) { return v[size_t(r * kCols + c)]; }

// TRED-1.
TEST(TileFamily, RowReductions) {
  // A column in a column-major tile, then back over dst by an expansion.
  using Short = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor, DYNAMIC, 1>;
  auto through = [](auto reduce) {
    return [reduce](Tiles<float> &t) {
      Short column(5);
      TASSIGN(column, 0x10000);
      reduce(column, t);
      pipe_barrier(PIPE_V);
      TROWEXPAND(t.dst, column);
    };
  };
  auto fold = [](float (*f)(float, float)) {
    return [f](const Data<float> &d, int r, int) {
      float x = at(d.a, r, 0);
      for (int c = 1; c < 33; ++c)
        x = f(x, at(d.a, r, c));
      return x;
    };
  };
  expectCells(through([](auto &column, auto &t) { TROWSUM(column, t.a, t.tmp); }),
              [](const Data<float> &d, int r, int) { return rowSum(d, r, 33); });
  expectCells(through([](auto &column, auto &t) { TROWMAX(column, t.a, t.tmp); }),
              fold([](float a, float b) { return std::max(a, b); }));
  expectCells(through([](auto &column, auto &t) { TROWMIN(column, t.a, t.tmp); }),
              fold([](float a, float b) { return std::min(a, b); }));
  expectCells(
      [](Tiles<float> &t) {
        Short column(5);
        TASSIGN(column, 0x10000);
        TEXPANDS(t.a, 2.0f);
        pipe_barrier(PIPE_V);
        TROWPROD(column, t.a, t.tmp);
        pipe_barrier(PIPE_V);
        TROWEXPAND(t.dst, column);
      },
      [](const Data<float> &, int, int) { return std::ldexp(1.0f, 33); });
}

// TRED-3.
TEST(TileFamily, ColumnReductions) {
  using Row = Tile<TileType::Vec, float, 1, kCols, BLayout::RowMajor, 1, DYNAMIC>;
  auto through = [](auto reduce) {
    return [reduce](Tiles<float> &t) {
      Row row(33);
      TASSIGN(row, 0x10000);
      reduce(row, t);
      pipe_barrier(PIPE_V);
      TCOLEXPAND(t.dst, row);
    };
  };
  auto fold = [](float (*f)(float, float)) {
    return [f](const Data<float> &d, int, int c) {
      float x = at(d.a, 0, c);
      for (int r = 1; r < 5; ++r)
        x = f(x, at(d.a, r, c));
      return x;
    };
  };
  auto sum = [](float a, float b) { return a + b; };
  expectCells(through([](auto &row, auto &t) { TCOLSUM(row, t.a); }), fold(sum));
  expectCells(through([](auto &row, auto &t) { TCOLSUM(row, t.a, t.tmp, true); }), fold(sum));
  expectCells(through([](auto &row, auto &t) { TCOLPROD(row, t.a); }), fold([](float a, float b) { return a * b; }));
  expectCells(through([](auto &row, auto &t) { TCOLMAX(row, t.a); }),
              fold([](float a, float b) { return std::max(a, b); }));
  expectCells(through([](auto &row, auto &t) { TCOLMIN(row, t.a); }),
              fold([](float a, float b) { return std::min(a, b); }));
}

// TRED-10, TRED-11, TRED-12, TRED-13.
TEST(TileFamily, Expansions) {
  using Short = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor, DYNAMIC, 1>;
  auto onColumn = [](auto use) {
    return [use](Tiles<float> &t) {
      Short column(5);
      TASSIGN(column, 0x10000);
      TROWMAX(column, t.b, t.tmp);
      pipe_barrier(PIPE_V);
      use(t, column);
    };
  };
  auto cell = [](float (*f)(float a, float m)) {
    return [f](const Data<float> &d, int r, int c) {
      float m = at(d.b, r, 0);
      for (int k = 1; k < 33; ++k)
        m = std::max(m, at(d.b, r, k));
      return f(at(d.a, r, c), m);
    };
  };
#define ROWS(NAME, FORMULA, REVERSED)                                                                                  \
  expectCells(onColumn([](auto &t, auto &v) { NAME(t.dst, t.a, v); }),                                                 \
              cell([](float a, float m) { return FORMULA; }));                                                         \
  expectCells(onColumn([](auto &t, auto &v) { NAME(t.dst, t.a, v, t.tmp); }),                                          \
              cell([](float a, float m) { return FORMULA; }));                                                         \
  expectCells(onColumn([](auto &t, auto &v) { NAME(t.dst, v, t.a); }), cell([](float a, float m) { return REVERSED; }));
  ROWS(TROWEXPANDADD, a + m, m + a)
  ROWS(TROWEXPANDSUB, a - m, m - a)
  ROWS(TROWEXPANDMUL, a * m, m * a)
  ROWS(TROWEXPANDDIV, a / m, m / a)
  ROWS(TROWEXPANDMAX, std::max(a, m), std::max(a, m))
  ROWS(TROWEXPANDMIN, std::min(a, m), std::min(a, m))
  ROWS(TROWEXPANDEXPDIF, exact(std::exp(double(a - m))), exact(std::exp(double(m - a))))
#undef ROWS
#define COLUMNS(NAME, FORMULA)                                                                                         \
  expectCells([](Tiles<float> &t) { NAME(t.dst, t.a, t.b); },                                                          \
              [](const Data<float> &d, int r, int c) {                                                                 \
                [[maybe_unused]] float a = at(d.a, r, c), b = at(d.b, 0, c);                                           \
                return FORMULA;                                                                                        \
              });
  COLUMNS(TCOLEXPANDADD, a + b)
  COLUMNS(TCOLEXPANDSUB, a - b)
  COLUMNS(TCOLEXPANDMUL, a * b)
  COLUMNS(TCOLEXPANDDIV, a / b)
  COLUMNS(TCOLEXPANDMAX, std::max(a, b))
  COLUMNS(TCOLEXPANDMIN, std::min(a, b))
  COLUMNS(TCOLEXPANDEXPDIF, exact(std::exp(double(a - b))))
#undef COLUMNS
}

// TCMP-1, TCMP-3, HMEAN-24.
TEST(TileFamily, CompareAndSelect) {
  auto select = [](auto compare) {
    return [compare](Tiles<float> &t) {
      Mask mask;
      TASSIGN(mask, 0x10000);
      compare(mask, t);
      pipe_barrier(PIPE_V);
      TSEL(t.dst, mask, t.a, t.b, t.tmp);
    };
  };
  expectCells(select([](auto &m, auto &t) { TCMP(m, t.a, t.b, CmpMode::LT); }),
              [](const Data<float> &d, int r, int c) { return std::min(at(d.a, r, c), at(d.b, r, c)); });
  expectCells(select([](auto &m, auto &t) {
                Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> one;
                TASSIGN(one, 0x12000);
                TEXPANDS(one, 2.0f);
                pipe_barrier(PIPE_V);
                TCMPS(m, t.a, one, CmpMode::GE);
              }),
              [](const Data<float> &d, int r, int c) { return at(d.a, r, c) >= 2 ? at(d.a, r, c) : at(d.b, r, c); });
  expectCells(
      [](Tiles<float> &t) {
        Mask mask;
        TASSIGN(mask, 0x10000);
        TCMPS(mask, t.a, 2.0f, CmpMode::GT);
        pipe_barrier(PIPE_V);
        TSELS(t.dst, mask, t.a, t.tmp, -7.0f);
      },
      [](const Data<float> &d, int r, int c) { return at(d.a, r, c) > 2 ? at(d.a, r, c) : -7; });
}

// TRED-5.
TEST(TileFamily, Places) {
  using Index = Tile<TileType::Vec, int32_t, kRows, kCols>;
  for (int form = 0; form < 8; ++form) {
    const bool rows = form & 1, max = form & 2, values = form & 4;
    expectCells(
        [=](Tiles<float> &t) {
          Index index;
          Vec<float> value(kRows, kCols);
          TASSIGN(index, 0x10000);
          TASSIGN(value, 0x14000);
          if (rows && max)
            values ? TROWARGMAX(value, index, t.a, t.tmp) : TROWARGMAX(index, t.a, t.tmp);
          else if (rows)
            values ? TROWARGMIN(value, index, t.a, t.tmp) : TROWARGMIN(index, t.a, t.tmp);
          else if (max)
            values ? TCOLARGMAX(value, index, t.a, t.tmp) : TCOLARGMAX(index, t.a, t.tmp);
          else
            values ? TCOLARGMIN(value, index, t.a, t.tmp) : TCOLARGMIN(index, t.a, t.tmp);
          set_flag(PIPE_V, PIPE_S, EVENT_ID1);
          wait_flag(PIPE_V, PIPE_S, EVENT_ID1);
          const int last = rows ? 4 * kCols : 4; // of row 4, or of column 4
          const float found = float(index.GetValue(last)) + (values ? 1000 * value.GetValue(last) : 0);
          set_flag(PIPE_S, PIPE_V, EVENT_ID1);
          wait_flag(PIPE_S, PIPE_V, EVENT_ID1);
          TEXPANDS(t.dst, found);
        },
        [=](const Data<float> &d, int, int) {
          auto line = [&](int k) { return rows ? at(d.a, 4, k) : at(d.a, k, 4); };
          int best = 0;
          for (int k = 1; k < (rows ? 33 : 5); ++k)
            if (max ? line(k) > line(best) : line(k) < line(best))
              best = k;
          return float(best) + (values ? 1000 * line(best) : 0);
        });
  }
}

TEST(TileFamily, PairsPartialPlacesAndConversions) {
  expectCells(
      [](Tiles<float> &t) { TPAIRREDUCESUM(t.dst, t.a); },
      [](const Data<float> &d, int r, int c) {
        return 2 * c + 1 < 33 ? at(d.a, r, 2 * c) + at(d.a, r, 2 * c + 1) : 2 * c < 33 ? at(d.a, r, 2 * c) : 0.0f;
      });
  using Index = Tile<TileType::Vec, int32_t, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
  for (bool max : {true, false})
    expectCells(
        [max](Tiles<float> &t) {
          Index di(5, 33), ai(5, 33), bi(5, 33);
          TASSIGN(di, 0x10000);
          TASSIGN(ai, 0x14000);
          TASSIGN(bi, 0x18000);
          TEXPANDS(ai, 1);
          TEXPANDS(bi, 2);
          pipe_barrier(PIPE_V);
          if (max)
            TPARTARGMAX(t.dst, t.a, t.b, di, ai, bi);
          else
            TPARTARGMIN(t.dst, t.a, t.b, di, ai, bi);
        },
        [max](const Data<float> &d, int r, int c) {
          float a = at(d.a, r, c), b = at(d.b, r, c);
          return max ? std::max(a, b) : std::min(a, b);
        });
  expectCells(
      [](Tiles<float> &t) { // to half and back: exact for multiples of 1/2
        Vec<half> narrow(5, 33), zero(5, 33);
        TASSIGN(narrow, 0x10000);
        TASSIGN(zero, 0x14000);
        TADDRELUCONV(narrow, t.a, t.b);
        TEXPANDS(zero, half(0));
        pipe_barrier(PIPE_V);
        TSUBRELUCONV(t.dst, narrow, zero);
      },
      [](const Data<float> &d, int r, int c) { return std::max(at(d.a, r, c) + at(d.b, r, c), 0.0f); });
}

// TRED-8.
TEST(TileFamily, Histogram) {
  std::vector<uint16_t> x(256);
  std::vector<uint32_t> counts(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = uint16_t(i % 4 << 8 | i / 2);
  auto kernel = [](uint16_t *px, uint32_t *pc) {
    Tile<TileType::Vec, uint16_t, 1, 256> values;
    Tile<TileType::Vec, uint8_t, 1, 32, BLayout::RowMajor, 1, 1> wanted;
    Tile<TileType::Vec, uint32_t, 1, 256> bins;
    TASSIGN(values, 0);
    TASSIGN(wanted, 0x1000);
    TASSIGN(bins, 0x2000);
    GlobalTensor<uint16_t, Shape<1, 1, 1, 1, 256>, Stride<256, 256, 256, 256, 1>> gx(px);
    GlobalTensor<uint32_t, Shape<1, 1, 1, 1, 256>, Stride<256, 256, 256, 256, 1>> gc(pc);
    TLOAD(values, gx);
    TEXPANDS(wanted, 3);
    pipe_barrier(PIPE_ALL);
    THISTOGRAM<HistByte::BYTE_0>(bins, values, wanted);
    pipe_barrier(PIPE_ALL);
    TSTORE(gc, bins);
  };
  ptoscope::Result result = ptoscope::launch(kernel, 1, x, counts);
  ASSERT_EQ(result.size(), 0u) << result.text();
  for (uint32_t bin = 0; bin < 256; ++bin) {
    uint32_t count = 0;
    for (uint16_t value : x)
      count += value >> 8 == 3 && (value & 255u) <= bin;
    ASSERT_EQ(counts[bin], count) << bin;
  }
}

// TEW-17.
TEST(TileFamily, FillOfL1) {
  auto kernel = [] {
    Tile<TileType::Mat, half, 16, 16> fractal;
    TASSIGN(fractal, 0);
    TEXPANDS(fractal, half(1));
  };
  ptoscope::Result result = ptoscope::launch(kernel, 1);
  EXPECT_EQ(result.size(), 0u) << result.text();
}

//===----------------------------------------------------------------------===//
// Wrong programs
//===----------------------------------------------------------------------===//

/// Without the wait a race with a line of this file, with it nothing.
void expectRace(const char *name, const Operation<float> &operation) {
  Data<float> data;
  ptoscope::Result broken = launchOn<float>(data, {}, operation, 5, 33, false);
  ASSERT_TRUE(broken.has("race-raw")) << name << "\n" << broken.text();
  EXPECT_NE(std::string(broken.text()).find("FamilyTest.cpp:"), std::string::npos);
  EXPECT_NE(std::string(broken.text()).find("`" + std::string(name) + "` on PIPE_V reads"), std::string::npos)
      << broken.text();
  Data<float> again;
  ptoscope::Result repaired = launchOn<float>(again, {}, operation, 5, 33, true);
  EXPECT_EQ(repaired.size(), 0u) << name << "\n" << repaired.text();
}

// TSYNC-12.
TEST(TileFamilyFindings, MissingWaits) {
  expectRace("TMULS", [](Tiles<float> &t) { TMULS(t.dst, t.a, 2.0f); });
  expectRace("TMULADDDST", [](Tiles<float> &t) { TMULADDDST(t.dst, t.a, t.b); });
  expectRace("TPARTADD", [](Tiles<float> &t) { TPARTADD(t.dst, t.a, t.b); });
  expectRace("TCMP", [](Tiles<float> &t) {
    Mask mask;
    TASSIGN(mask, 0x10000);
    TCMP(mask, t.a, t.b, CmpMode::EQ);
  });
  expectRace("TROWSUM", [](Tiles<float> &t) {
    Column column;
    TASSIGN(column, 0x10000);
    TROWSUM(column, t.a, t.tmp);
  });
  expectRace("TCOLEXPANDADD", [](Tiles<float> &t) { TCOLEXPANDADD(t.dst, t.a, t.b); });
}

// TILE-12.
TEST(TileFamilyFindings, Extents) {
  auto shapeOf = [](const Operation<float> &operation) {
    Data<float> data;
    ptoscope::Result result = launchOn<float>(data, {}, operation, 5, 33);
    EXPECT_TRUE(result.has("tile-shape")) << result.text();
    return std::string(result.text());
  };
  EXPECT_NE(shapeOf([](Tiles<float> &t) {
              t.b.SetValidShape(5, 32);
              TSUB(t.dst, t.a, t.b);
            }).find("the valid regions of `TSUB` differ: `dst` has 5 x 33, `src1` has 5 x 32"),
            std::string::npos);
  EXPECT_NE(shapeOf([](Tiles<float> &t) {
              Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor, DYNAMIC, 1> column(4);
              TASSIGN(column, 0x10000);
              TROWSUM(column, t.a, t.tmp);
            }).find("`dst` has 4 x 1, which has to be at least 5 x 1"),
            std::string::npos);
  EXPECT_NE(shapeOf([](Tiles<float> &t) {
              Tile<TileType::Vec, uint8_t, 4, 32> mask;
              TASSIGN(mask, 0x10000);
              TCMP(mask, t.a, t.b, CmpMode::EQ);
            }).find("`dst` has 4 x 32, which has to be at least 5 x 5"),
            std::string::npos);
}

// TILE-17.
TEST(TileFamilyFindings, ScratchIsUndefinedAfterwards) {
  Data<float> data;
  ptoscope::Result result = launchOn<float>(
      data, {},
      [](Tiles<float> &t) {
        Column column;
        TASSIGN(column, 0x10000);
        TADDS(t.tmp, t.a, 1.0f);
        pipe_barrier(PIPE_V);
        TROWSUM(column, t.a, t.tmp);
        pipe_barrier(PIPE_V);
        TADD(t.dst, t.a, t.tmp);
      },
      5, 33);
  EXPECT_EQ(result.size(), 1u) << result.text();
  EXPECT_NE(std::string(result.text()).find("TADD"), std::string::npos) << result.text();
}

} // namespace
