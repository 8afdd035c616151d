//===- ConvertProgramTest.cpp - programs that convert and quantise --------===//
//
// TCVT, TQUANT and TDEQUANT in every form of their signatures, launched with all
// checks. What other pairs of elements give is the matter of ConvertTest.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <algorithm>
#include <functional>

using namespace pto;
using namespace programs;

namespace convertProgram {

constexpr int kRows = 8, kCols = 64, kCount = kRows * kCols;

/// What a conversion of x has to give, as a number.
using Expected = std::function<double(double)>;
struct Mode {
  RoundMode round;
  SaturationMode saturation;
  bool isGiven; ///< else the pair of types decides about saturation
};

template <typename D, typename S>
void convert(const std::vector<S> &x, const Mode &mode, const Expected &expected, bool scratch = false) {
  clean([&](const ptoscope::Options &options) {
    std::vector<D> y(kCount);
    auto kernel = [&](const S *px, D *py) {
      Vec<S, kRows, kCols> a;
      Vec<D, kRows, kCols> b;
      Vec<S, kRows, kCols> tmp;
      TASSIGN(a, 0);
      TASSIGN(b, 0x2000);
      TASSIGN(tmp, 0x4000);
      View<S, kRows, kCols> gx(const_cast<S *>(px));
      View<D, kRows, kCols> gy(py);
      Event<Op::TLOAD, Op::TCVT> loaded = TLOAD(a, gx);
      Event<Op::TCVT, Op::TSTORE_VEC> converted;
      if (mode.isGiven && scratch)
        converted = TCVT(b, a, tmp, mode.round, mode.saturation, loaded);
      else if (mode.isGiven)
        converted = TCVT(b, a, mode.round, mode.saturation, loaded);
      else if (scratch)
        converted = TCVT<false>(b, a, tmp, mode.round, loaded);
      else
        converted = TCVT<false>(b, a, mode.round, loaded);
      TSTORE(gy, b, converted);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y);
    for (int i = 0; i < kCount; ++i)
      EXPECT_EQ(double(y[size_t(i)]), expected(double(x[size_t(i)]))) << double(x[size_t(i)]);
    return result;
  });
}
template <typename T> std::vector<T> numbers(double step, double first) {
  std::vector<T> result(kCount);
  for (int i = 0; i < kCount; ++i)
    result[size_t(i)] = T(first + i * step);
  return result;
}

double rounded(double x, RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_ROUND:
    return std::round(x);
  case RoundMode::CAST_FLOOR:
    return std::floor(x);
  case RoundMode::CAST_CEIL:
    return std::ceil(x);
  case RoundMode::CAST_TRUNC:
    return std::trunc(x);
  case RoundMode::CAST_ODD: {
    const double below = std::floor(x);
    return below == x || std::fmod(below, 2) != 0 ? below : below + 1;
  }
  default:
    return std::nearbyint(x); // CAST_NONE, CAST_RINT
  }
}
constexpr RoundMode kModes[] = {RoundMode::CAST_NONE,  RoundMode::CAST_RINT, RoundMode::CAST_ROUND,
                                RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL, RoundMode::CAST_TRUNC,
                                RoundMode::CAST_ODD};

// TCVT-1, TCVT-8.
TEST(TileConvertProgram, EveryRounding) {
  for (RoundMode mode : kModes) {
    convert<int32_t>(numbers<float>(0.25, -60), {mode, SaturationMode::ON, true},
                     [&](double x) { return rounded(x, mode); });
    convert<float>(
        numbers<float>(0.25, -60), {mode, SaturationMode::ON, false}, [&](double x) { return rounded(x, mode); }, true);
  }
}

// TCVT-3, TCVT-4.
TEST(TileConvertProgram, Saturation) {
  const auto clamped = [](double low, double high) {
    return [=](double x) { return std::clamp(std::floor(x), low, high); };
  };
  const auto wrapped = [](int bits, bool isSigned) {
    return [=](double x) {
      const int64_t size = int64_t(1) << bits, low = ((int64_t(std::floor(x)) % size) + size) % size;
      return double(isSigned && low >= size / 2 ? low - size : low);
    };
  };
  const Mode on{RoundMode::CAST_FLOOR, SaturationMode::ON, true}, off{RoundMode::CAST_FLOOR, SaturationMode::OFF, true},
      open{RoundMode::CAST_FLOOR, SaturationMode::ON, false};
  convert<int8_t>(numbers<float>(1.5, -380), on, clamped(-128, 127));
  convert<int8_t>(numbers<float>(1.5, -380), off, wrapped(8, true), true);
  convert<uint8_t>(numbers<float>(1.5, -380), on, clamped(0, 255), true);
  convert<uint8_t>(numbers<float>(1.5, -380), open, clamped(0, 255));
  convert<int16_t>(numbers<float>(300, -76000), open, wrapped(16, true)); // by the pair
  convert<int16_t>(numbers<float>(300, -76000), on, clamped(-32768, 32767));
  convert<int8_t>(numbers<half>(1.5, -380), open, wrapped(8, true), true);
  convert<int16_t>(numbers<int32_t>(300, -76000), open, wrapped(16, true));
  convert<int16_t>(numbers<int32_t>(300, -76000), on, clamped(-32768, 32767));
  convert<int32_t>(numbers<int64_t>(0x1p24, -0x1p32), open, wrapped(32, true));
  convert<int32_t>(numbers<int64_t>(0x1p24, -0x1p32), on, clamped(-0x1p31, 0x1p31 - 1));
}

TEST(TileConvertProgram, Floats) {
  const Mode rint{RoundMode::CAST_RINT, SaturationMode::ON, true};
  convert<half>(numbers<float>(0.1, -20), rint, [](double x) { return nearest(x, 10, -14); });
  convert<bfloat16_t>(numbers<float>(0.1, -20), rint, [](double x) { return nearest(x, 7, -126); });
  convert<float>(numbers<bfloat16_t>(0.5, -20), rint, [](double x) { return x; });
  convert<half>(numbers<int32_t>(37, -4000), rint, [](double x) { return nearest(x, 10, -14); });
  convert<float8_e4m3_t>(numbers<float>(3.7, -960), rint,
                         [](double x) { return std::clamp(nearest(x, 3, -6), -448.0, 448.0); });
  convert<float8_e5m2_t>(numbers<half>(0.37, -96), rint, [](double x) { return nearest(x, 2, -14); });
}

/// Elements of half a byte, and bytes whose fraction grows shorter with their size.
TEST(TileConvertProgram, SmallFormatsAndBack) {
  std::vector<float> x(kCount);
  for (int i = 0; i < kCount; ++i)
    x[size_t(i)] = float(e2m1(uint8_t(i % 16)));
  clean([&](const ptoscope::Options &options) {
    std::vector<float> y(kCount), z(kCount);
    auto kernel = [](const float *px, float *py, float *pz) {
      Vec<float, kRows, kCols> a, b, c;
      Vec<bfloat16_t, kRows, kCols> wide, again;
      Vec<float4_e2m1x2_t, kRows, kCols> twin;
      Vec<hifloat8_t, kRows, kCols> byte;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(c, 0x2000);
      TASSIGN(wide, 0x3000);
      TASSIGN(again, 0x4000);
      TASSIGN(twin, 0x5000);
      TASSIGN(byte, 0x6000);
      View<float, kRows, kCols> gx(const_cast<float *>(px)), gy(py), gz(pz);
      TLOAD(a, gx);
      fence();
      TCVT(wide, a, RoundMode::CAST_RINT);
      TCVT(byte, a, RoundMode::CAST_ROUND);
      fence();
      TCVT(twin, wide, RoundMode::CAST_RINT);
      TCVT(c, byte, RoundMode::CAST_RINT);
      fence();
      TCVT(again, twin, RoundMode::CAST_RINT);
      fence();
      TCVT(b, again, RoundMode::CAST_RINT);
      fence();
      TSTORE(gy, b);
      TSTORE(gz, c);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y, z);
    EXPECT_EQ(y, x); // every value of e2m1 is one of the others' too
    EXPECT_EQ(z, x);
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Quantisation
//===----------------------------------------------------------------------===//

struct Rows {
  std::vector<float> x, scale, offset;
  Rows() : x(kCount), scale(kRows), offset(kRows) {
    for (int r = 0; r < kRows; ++r) {
      scale[size_t(r)] = 0.125f * float(r + 1);
      offset[size_t(r)] = float(20 * r);
      for (int c = 0; c < kCols; ++c)
        x[size_t(r * kCols + c)] = float(c - 30) * 12.5f;
    }
  }
};

enum class Form { Symmetric, SymmetricTmp, Offset, OffsetPointer, OffsetTmp };

template <Form F> void quantise() {
  constexpr bool kSymmetric = F == Form::Symmetric || F == Form::SymmetricTmp;
  using Byte = std::conditional_t<kSymmetric, int8_t, uint8_t>;
  clean([](const ptoscope::Options &options) {
    Rows data;
    std::vector<Byte> y(kCount);
    std::vector<float> back(kCount);
    auto kernel = [](const float *px, const float *ps, const float *po, Byte *py, float *pb) {
      Vec<float, kRows, kCols> a, b, tmp;
      Vec<Byte, kRows, kCols> q;
      Column<float, kRows> scale, offset;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(tmp, 0x2000);
      TASSIGN(q, 0x3000);
      TASSIGN(scale, 0x4000);
      TASSIGN(offset, 0x4100);
      View<float, kRows, kCols> gx(const_cast<float *>(px)), gb(pb);
      View<Byte, kRows, kCols> gy(py);
      ColumnView<float, kRows> gs(const_cast<float *>(ps)), go(const_cast<float *>(po));
      TLOAD(a, gx);
      TLOAD(scale, gs);
      Event<Op::TLOAD, Op::TQUANT> loaded = TLOAD(offset, go);
      if constexpr (F == Form::Symmetric)
        TQUANT<QuantType::INT8_SYM>(q, a, scale, loaded);
      else if constexpr (F == Form::SymmetricTmp)
        TQUANT<QuantType::INT8_SYM>(q, a, scale, tmp, loaded);
      else if constexpr (F == Form::Offset)
        TQUANT<QuantType::INT8_ASYM>(q, a, scale, offset, loaded);
      else if constexpr (F == Form::OffsetPointer)
        TQUANT<QuantType::INT8_ASYM>(q, a, scale, &offset, loaded);
      else
        TQUANT<QuantType::INT8_ASYM>(q, a, scale, tmp, &offset, loaded);
      pipe_barrier(PIPE_V);
      Event<Op::TDEQUANT, Op::TSTORE_VEC> done = TDEQUANT(b, q, scale, offset);
      TSTORE(gy, q, done);
      TSTORE(gb, b);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, data.x, data.scale, data.offset, y, back);
    for (int i = 0; i < kCount; ++i) {
      const double scale = data.scale[size_t(i / kCols)], offset = data.offset[size_t(i / kCols)];
      double want = data.x[size_t(i)] * scale + (kSymmetric ? 0 : offset); // exact in f32
      want = std::clamp(std::nearbyint(want), kSymmetric ? -128.0 : 0.0, kSymmetric ? 127.0 : 255.0);
      EXPECT_EQ(double(y[size_t(i)]), want) << i;
      EXPECT_EQ(double(back[size_t(i)]), (want - offset) * scale) << i;
    }
    return result;
  });
}
TEST(TileQuantiseProgram, Symmetric) { quantise<Form::Symmetric>(); }
TEST(TileQuantiseProgram, SymmetricWithScratch) { quantise<Form::SymmetricTmp>(); }
TEST(TileQuantiseProgram, Offset) { quantise<Form::Offset>(); }
TEST(TileQuantiseProgram, OffsetByPointer) { quantise<Form::OffsetPointer>(); }
TEST(TileQuantiseProgram, OffsetWithScratch) { quantise<Form::OffsetTmp>(); }

template <typename D> void dequantise() {
  clean([](const ptoscope::Options &options) {
    Rows data;
    std::vector<D> q(kCount);
    std::vector<float> y(kCount);
    for (int i = 0; i < kCount; ++i)
      q[size_t(i)] = D(i * 37 - 9000);
    auto kernel = [](const D *pq, const float *ps, const float *po, float *py) {
      Vec<float, kRows, kCols> b;
      Vec<D, kRows, kCols> a;
      Column<float, kRows> scale, offset;
      TASSIGN(a, 0);
      TASSIGN(b, 0x1000);
      TASSIGN(scale, 0x4000);
      TASSIGN(offset, 0x4100);
      View<D, kRows, kCols> gq(const_cast<D *>(pq));
      View<float, kRows, kCols> gy(py);
      ColumnView<float, kRows> gs(const_cast<float *>(ps)), go(const_cast<float *>(po));
      TLOAD(a, gq);
      TLOAD(scale, gs);
      TLOAD(offset, go);
      fence();
      TDEQUANT(b, a, scale, offset);
      fence();
      TSTORE(gy, b);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, q, data.scale, data.offset, y);
    for (int i = 0; i < kCount; ++i)
      EXPECT_EQ(double(y[size_t(i)]),
                (double(q[size_t(i)]) - data.offset[size_t(i / kCols)]) * data.scale[size_t(i / kCols)]);
    return result;
  });
}
// TQUANT-2.
TEST(TileQuantiseProgram, BackFromEveryInteger) {
  dequantise<int8_t>();
  dequantise<uint8_t>();
  dequantise<int16_t>();
  dequantise<int32_t>();
}

/// Groups of 32 with a shared exponent; e4m3 reaches 2^8 and e2m1 2^2.
template <QuantType Q, typename D, typename S> void groups() {
  constexpr int kGroups = kCols / 32, kTop = Q == QuantType::MXFP8 ? 8 : 2;
  clean([](const ptoscope::Options &options) {
    std::vector<S> x(kCount);
    for (int i = 0; i < kCount; ++i)
      x[size_t(i)] = S(std::ldexp(double((i * 37) % 101 - 50), i / 32 % 7 - 3));
    std::vector<uint8_t> y(kCount * sizeof(D) / (Q == QuantType::MXFP8 ? 1 : 2)), exponents(kRows * 32);
    std::vector<S> most(kRows * kGroups), scaling(kRows * kGroups);
    auto kernel = [](const S *px, uint8_t *py, uint8_t *pe, S *pm, S *pf) {
      Vec<S, kRows, kCols> a;
      Vec<D, kRows, kCols> q;
      Tile<TileType::Vec, uint8_t, kRows, 32, BLayout::RowMajor, kRows, kGroups> exponent;
      Tile<TileType::Vec, S, 1, kRows * kGroups> max, factor; // by their number (HMEAN-7)
      TASSIGN(a, 0);
      TASSIGN(q, 0x1000);
      TASSIGN(exponent, 0x2000);
      TASSIGN(max, 0x3000);
      TASSIGN(factor, 0x4000);
      View<S, kRows, kCols> gx(const_cast<S *>(px));
      View<D, kRows, kCols> gy(reinterpret_cast<D *>(py));
      GlobalTensor<uint8_t, Shape<1, 1, 1, kRows, kGroups>, Stride<1, 1, 1, 32, 1>> ge(pe);
      View<S, 1, kRows * kGroups> gm(pm), gf(pf);
      Event<Op::TLOAD, Op::TQUANT_MX> loaded = TLOAD(a, gx);
      Event<Op::TQUANT_MX, Op::TSTORE_VEC> done = TQUANT<Q>(q, a, &exponent, &max, &factor, loaded);
      TSTORE(gy, q, done);
      TSTORE(ge, exponent);
      TSTORE(gm, max);
      TSTORE(gf, factor);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, x, y, exponents, most, scaling);
    for (int r = 0; r < kRows; ++r)
      for (int g = 0; g < kGroups; ++g) {
        double largest = 0;
        for (int c = 32 * g; c < 32 * g + 32; ++c)
          largest = std::max(largest, std::fabs(double(x[size_t(r * kCols + c)])));
        const int shared = std::ilogb(largest) - kTop;
        EXPECT_EQ(int(exponents[size_t(r * 32 + g)]), shared + 127);
        EXPECT_EQ(double(most[size_t(r * kGroups + g)]), largest);
        EXPECT_EQ(double(scaling[size_t(r * kGroups + g)]), std::ldexp(1.0, -shared));
        for (int c = 32 * g; c < 32 * g + 32; ++c) {
          const int i = r * kCols + c;
          const double scaled = std::ldexp(double(x[size_t(i)]), -shared);
          const bool bytes = Q == QuantType::MXFP8;
          EXPECT_EQ(bytes ? e4m3(y[size_t(i)]) : e2m1(uint8_t(y[size_t(i / 2)] >> (i % 2 * 4) & 15)),
                    bytes ? std::clamp(nearest(scaled, 3, -6), -448.0, 448.0)
                          : std::clamp(nearest(scaled, 1, 0), -6.0, 6.0))
              << i;
        }
      }
    return result;
  });
}
// TQUANT-3.
TEST(TileQuantiseProgram, GroupsOfBytes) {
  groups<QuantType::MXFP8, float8_e4m3_t, float>();
  groups<QuantType::MXFP8, float8_e4m3_t, bfloat16_t>();
}
TEST(TileQuantiseProgram, GroupsOfHalfBytes) {
  groups<QuantType::MXFP4_E2M1, float4_e2m1x2_t, float>();
  groups<QuantType::MXFP4_E2M1, float4_e2m1x2_t, half>();
}

/// Scales that no one wrote, and a conversion that does not wait for its source.
TEST(TileQuantiseProgram, UndefinedScaleAndMissingWait) {
  for (const ptoscope::Options &options : schedules())
    for (bool writes : {false, true})
      for (bool waits : {false, true}) {
        Rows data;
        auto kernel = [=](const float *px, const float *ps) {
          Vec<float, kRows, kCols> a;
          Vec<int8_t, kRows, kCols> q;
          Column<float, kRows> scale;
          TASSIGN(a, 0);
          TASSIGN(q, 0x1000);
          TASSIGN(scale, 0x2000);
          View<float, kRows, kCols> gx(const_cast<float *>(px));
          ColumnView<float, kRows> gs(const_cast<float *>(ps));
          if (writes)
            TLOAD(scale, gs);
          TLOAD(a, gx);
          if (waits)
            fence();
          TQUANT<QuantType::INT8_SYM>(q, a, scale);
        };
        ptoscope::Result result = ptoscope::launch(options, kernel, 1, data.x, data.scale);
        EXPECT_TRUE(!waits || result.has("init-read") == !writes) << result.text(); // the source may be undefined too
        EXPECT_EQ(result.has("race-raw"), !waits) << result.text();
        EXPECT_EQ(result.ok(), writes && waits) << result.text();
      }
}

} // namespace convertProgram
