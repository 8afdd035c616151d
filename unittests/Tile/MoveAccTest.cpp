//===- MoveAccTest.cpp - the accumulator's way out, in programs -----------===//
//
// Every form of TMOV, TEXTRACT, TINSERT and TSTORE from the accumulator: conversion,
// relu, quantisation by a word and by a tile of words, windows, halves. What other
// types give is the matter of FixpipeTest.
//
//===----------------------------------------------------------------------===//

#include "MovePrograms.h"

#include <algorithm>
#include <functional>

namespace {

constexpr int kRows = 32, kCols = 48, kOut = 64; // of the accumulator; columns of the result

/// TSTORE-9.
uint64_t wordOf(float scale, int offset, bool isSigned) {
  return uint64_t(std::bit_cast<uint32_t>(scale)) | uint64_t(offset & 511) << 37 | uint64_t(isSigned) << 46;
}
uint64_t shiftBy(int n) { return uint64_t(n - 1) << 32; }

template <typename A> A sumAt(int r, int c) { return A((r * 7 + c * 3) % 41 - 20); }
float scaleAt(int c) { return c % 3 == 0 ? 0.5f : c % 3 == 1 ? 2.0f : 0.25f; }

int8_t toByte(float x) { return int8_t(std::clamp(std::nearbyint(x), -128.0f, 127.0f)); }
float relu(float x) { return x > 0 ? x : 0; }

template <typename A> using Sums = TileAcc<A, kRows, kCols>;
using Words = Tile<TileType::Scaling, uint64_t, 1, kOut>;
template <typename T, TileType Loc = TileType::Vec> using Out = Tile<Loc, T, kRows, kOut>;
template <typename T, TileType Loc = TileType::Vec>
using Part = Tile<Loc, T, kRows, kOut, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
template <typename T> using OutView = Plain<T, kRows, kOut, Layout::ND>;

template <typename T> T oldAt(int r, int c) { return T(float((r + 2 * c) % 50)); }

template <typename F> using Given = std::type_identity_t<std::function<F>>; // not deduced from lambdas

/// dst holds oldAt, acc holds sumAt, fp holds scaleAt; calls `move` and stores dst.
template <typename T, typename A, TileType Loc = TileType::Vec>
ptoscope::Result launchMove(const ptoscope::Options &options, std::vector<T> &out,
                            const Given<void(Out<T, Loc> &, Sums<A> &, Words &)> &move) {
  std::vector<uint64_t> words(kOut);
  for (int c = 0; c < kOut; ++c)
    words[size_t(c)] = wordOf(scaleAt(c), 3, true);
  auto kernel = [&](uint64_t *pw, T *po) {
    Tile<TileType::Mat, uint64_t, 1, kOut> words1;
    Words fp;
    Sums<A> acc;
    Out<T, Loc> dst;
    TASSIGN(words1, 0x40000);
    TASSIGN(fp, 0);
    TASSIGN(acc, 0);
    TASSIGN(dst, 0);
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        acc.SetElement(r, c, sumAt<A>(r, c));
    Plain<uint64_t, 1, kOut, Layout::ND> gw(pw);
    OutView<T> go(po);
    TLOAD(dst, go);
    Event<Op::TLOAD, Op::TMOV_M2S> loaded = TLOAD(words1, gw);
    TMOV(fp, words1, loaded);
    pipe_barrier(PIPE_ALL);
    move(dst, acc, fp);
    pipe_barrier(PIPE_ALL);
    TSTORE(go, dst);
  };
  return ptoscope::launch(options, kernel, 1, words, out);
}

/// `formula` says element (r, c) of the result from what stood there.
template <typename T, typename A, TileType Loc = TileType::Vec>
void expectMove(const Given<void(Out<T, Loc> &, Sums<A> &, Words &)> &move,
                const Given<T(int r, int c, T old)> &formula) {
  for (const ptoscope::Options &options : schedules()) {
    std::vector<T> out(kRows * kOut);
    for (int i = 0; i < kRows * kOut; ++i)
      out[size_t(i)] = oldAt<T>(i / kOut, i % kOut);
    ptoscope::Result result = launchMove<T, A, Loc>(options, out, move);
    ASSERT_EQ(result.size(), 0u) << result.text();
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kOut; ++c) {
        const T got = out[size_t(r * kOut + c)], want = formula(r, c, oldAt<T>(r, c));
        ASSERT_EQ(float(got), float(want)) << r << ", " << c;
      }
  }
}

/// Over the columns of the accumulator; the rest stays.
#define WHOLE(TYPE, FORMULA) [](int r, int c, TYPE old) -> TYPE { return c < kCols ? TYPE(FORMULA) : old; }
#define SUM(TYPE) sumAt<TYPE>(r, c)

// TSTORE-7.
TEST(TileAcc, Floats) {
  expectMove<float, float>([](auto &d, auto &a, auto &) { TMOV(d, a); }, WHOLE(float, SUM(float)));
  expectMove<int32_t, int32_t>([](auto &d, auto &a, auto &) { TMOV(d, a); }, WHOLE(int32_t, SUM(int32_t)));
  expectMove<half, float>([](auto &d, auto &a, auto &) { TMOV(d, a); }, WHOLE(half, SUM(float)));
  expectMove<bfloat16_t, float, TileType::Mat>([](auto &d, auto &a, auto &) { TMOV(d, a); },
                                               WHOLE(bfloat16_t, SUM(float)));
}

// TMOV-6, TSTORE-7.
TEST(TileAcc, ReluInEveryPlace) {
  auto formula = WHOLE(float, relu(SUM(float)));
  expectMove<float, float>(
      [](auto &d, auto &a, auto &) { TMOV<Out<float>, Sums<float>, ReluPreMode::NormalRelu>(d, a); }, formula);
  expectMove<float, float>([](auto &d, auto &a, auto &) { TMOV<ReluPreMode::NormalRelu>(d, a); }, formula);
  expectMove<float, float>(
      [](auto &d, auto &a, auto &) {
        TMOV<Out<float>, Sums<float>, AccToVecMode::SingleModeVec0, ReluPreMode::NormalRelu>(d, a);
      },
      formula);
  expectMove<float, float>(
      [](auto &d, auto &a, auto &) {
        TMOV<STPhase::Final, Out<float>, Sums<float>, ReluPreMode::NormalRelu, AccToVecMode::SingleModeVec1>(d, a);
      },
      formula);
  expectMove<float, float>(
      [](auto &d, auto &a, auto &) {
        TMOV<Out<float>, Sums<float>, ReluPreMode::NormalRelu, AccToVecMode::SingleModeVec0, STPhase::Partial>(d, a);
      },
      formula);
}

// TMOV-7.
TEST(TileAcc, HalvesForVectorCores) {
  expectMove<float, float>(
      [](auto &d, auto &a, auto &) { TMOV<Out<float>, Sums<float>, AccToVecMode::DualModeSplitM>(d, a); },
      [](int r, int c, float old) { return r < kRows / 2 && c < kCols ? sumAt<float>(r, c) : old; });
  expectMove<float, float>(
      [](auto &d, auto &a, auto &) { TMOV<Out<float>, Sums<float>, AccToVecMode::DualModeSplitN>(d, a); },
      [](int r, int c, float old) { return c < kCols / 2 ? sumAt<float>(r, c) : old; });
}

// TSTORE-8, TSTORE-9.
TEST(TileAcc, OneWord) {
  expectMove<int8_t, float>([](auto &d, auto &a, auto &) { TMOV(d, a, wordOf(1.5f, -7, true)); },
                            WHOLE(int8_t, toByte(SUM(float) * 1.5f - 7)));
  expectMove<int8_t, float>(
      [](auto &d, auto &a, auto &) {
        TMOV<Out<int8_t>, Sums<float>, ReluPreMode::NormalRelu>(d, a, wordOf(1.5f, 0, true));
      },
      WHOLE(int8_t, toByte(relu(SUM(float) * 1.5f))));
  expectMove<int16_t, int32_t>([](auto &d, auto &a, auto &) { TMOV(d, a, shiftBy(2)); },
                               WHOLE(int16_t, SUM(int32_t) >> 2));
  expectMove<half, int32_t>([](auto &d, auto &a, auto &) { TMOV<ReluPreMode::NoRelu>(d, a, wordOf(0.5f, 0, true)); },
                            WHOLE(half, float(SUM(int32_t)) * 0.5f));
}

// TSTORE-13.
TEST(TileAcc, AWordForEachColumn) {
  auto formula = WHOLE(int8_t, toByte(SUM(float) * scaleAt(c) + 3));
  auto positive = WHOLE(int8_t, toByte(relu(SUM(float) * scaleAt(c) + 3)));
  using D = Out<int8_t>;
  using S = Sums<float>;
  expectMove<int8_t, float>([](auto &d, auto &a, auto &fp) { TMOV(d, a, fp); }, formula);
  expectMove<int8_t, float>([](auto &d, auto &a, auto &fp) { TMOV<D, S, Words, ReluPreMode::NormalRelu>(d, a, fp); },
                            positive);
  expectMove<int8_t, float>(
      [](auto &d, auto &a, auto &fp) {
        TMOV<D, S, Words, AccToVecMode::SingleModeVec0, ReluPreMode::NormalRelu>(d, a, fp);
      },
      positive);
  expectMove<int8_t, float>([](auto &d, auto &a, auto &fp) { TMOV_FP<D, S, Words>(d, a, fp); }, formula);
  expectMove<int8_t, float>([](auto &d, auto &a, auto &fp) { TMOV_FP<D, S, Words, ReluPreMode::NormalRelu>(d, a, fp); },
                            positive);
  expectMove<int8_t, float, TileType::Mat>([](auto &d, auto &a, auto &fp) { TMOV_FP(d, a, fp); }, formula);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

constexpr int kWindowRows = 9, kWindowCols = 20;

/// The window of the accumulator that begins at (16, 16), at the start of the result.
template <typename T, TileType Loc>
void expectExtract(const Given<void(Part<T, Loc> &, Sums<float> &, Words &)> &move,
                   const Given<T(float x, int c)> &convert) {
  expectMove<T, float, Loc>(
      [&](auto &, auto &a, auto &fp) {
        Part<T, Loc> part(kWindowRows, kWindowCols);
        TASSIGN(part, 0);
        move(part, a, fp);
      },
      [&](int r, int c, T old) {
        return r < kWindowRows && c < kWindowCols ? convert(sumAt<float>(16 + r, 16 + c), c) : old;
      });
}

// TMOV-3, TMOV-5.
TEST(TileAcc, Extract) {
  using D = Part<half>;
  using S = Sums<float>;
  expectExtract<half, TileType::Vec>([](auto &d, auto &a, auto &) { TEXTRACT(d, a, 16, 16); },
                                     [](float x, int) { return half(x); });
  expectExtract<half, TileType::Mat>([](auto &d, auto &a, auto &) { TEXTRACT(d, a, 16, 16); },
                                     [](float x, int) { return half(x); });
  expectExtract<half, TileType::Vec>(
      [](auto &d, auto &a, auto &) { TEXTRACT<D, S, ReluPreMode::NormalRelu>(d, a, 16, 16); },
      [](float x, int) { return half(relu(x)); });
  expectExtract<int8_t, TileType::Vec>([](auto &d, auto &a, auto &) { TEXTRACT(d, a, wordOf(2, 1, true), 16, 16); },
                                       [](float x, int) { return toByte(2 * x + 1); });
  // TSTORE-13: words go by the column of the source.
  auto byWord = [](float x, int c) { return toByte(x * scaleAt(16 + c) + 3); };
  expectExtract<int8_t, TileType::Vec>([](auto &d, auto &a, auto &fp) { TEXTRACT(d, a, fp, 16, 16); }, byWord);
  expectExtract<int8_t, TileType::Mat>([](auto &d, auto &a, auto &fp) { TEXTRACT_FP(d, a, fp, 16, 16); }, byWord);
  expectExtract<int8_t, TileType::Vec>(
      [](auto &d, auto &a, auto &fp) {
        TEXTRACT_FP<Part<int8_t>, S, Words, ReluPreMode::NormalRelu>(d, a, fp, 16, 16);
      },
      [](float x, int c) { return toByte(relu(x * scaleAt(16 + c) + 3)); });
}

/// All of the accumulator's 32 x 48 into columns 16 to 63 of the result.
// TMOV-3, TMOV-5.
TEST(TileAcc, Insert) {
  using D = Out<int8_t, TileType::Mat>;
  using S = Sums<float>;
#define RIGHT(TYPE, FORMULA)                                                                                           \
  [](int r, int c, TYPE old) -> TYPE {                                                                                 \
    if (c < 16)                                                                                                        \
      return old;                                                                                                      \
    c -= 16;                                                                                                           \
    return TYPE(FORMULA);                                                                                              \
  }
  expectMove<half, float, TileType::Mat>([](auto &d, auto &a, auto &) { TINSERT(d, a, 0, 16); },
                                         RIGHT(half, SUM(float)));
  expectMove<float, float>([](auto &d, auto &a, auto &) { TINSERT<ReluPreMode::NormalRelu>(d, a, 0, 16); },
                           RIGHT(float, relu(SUM(float))));
  expectMove<int8_t, float, TileType::Mat>(
      [](auto &d, auto &a, auto &) { TINSERT<D, S>(d, a, wordOf(0.5f, 0, true), 0, 16); },
      RIGHT(int8_t, toByte(SUM(float) * 0.5f)));
  expectMove<int8_t, float, TileType::Mat>([](auto &d, auto &a, auto &fp) { TINSERT(d, a, fp, 0, 16); },
                                           RIGHT(int8_t, toByte(SUM(float) * scaleAt(c) + 3)));
  expectMove<int8_t, float, TileType::Mat>(
      [](auto &d, auto &a, auto &fp) { TINSERT_FP<D, S, Words, ReluPreMode::NormalRelu>(d, a, fp, 0, 16); },
      RIGHT(int8_t, toByte(relu(SUM(float) * scaleAt(c) + 3))));
}

// TSTORE-13.
TEST(TileAcc, TooFewWords) {
  std::vector<int8_t> out(kRows * kOut);
  ptoscope::Result result = launchMove<int8_t, float>({}, out, [](auto &d, auto &a, auto &) {
    Tile<TileType::Scaling, uint64_t, 1, kOut, BLayout::RowMajor, 1, DYNAMIC> few(kCols - 1);
    TASSIGN(few, 0);
    TMOV_FP(d, a, few);
  });
  EXPECT_TRUE(result.has("tile-shape"));
  EXPECT_NE(std::string(result.text()).find("`TMOV_FP` needs 48 words of quantisation, but `fp` has 1 x 47"),
            std::string::npos)
      << result.text();
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

template <typename T> using SumView = Plain<T, kRows, kCols, Layout::ND>;

template <typename T>
void expectStore(const Given<void(SumView<T> &, Sums<float> &, Words &)> &store,
                 const Given<T(float x, int c, T old)> &formula) {
  for (const ptoscope::Options &options : schedules()) {
    std::vector<T> out(kRows * kCols, T(2.0f));
    std::vector<int8_t> unused(kRows * kOut);
    ptoscope::Registration registered(out.data(), out.size());
    ptoscope::Result result = launchMove<int8_t, float>(options, unused, [&](auto &, auto &a, auto &fp) {
      SumView<T> view(out.data());
      store(view, a, fp);
    });
    ASSERT_EQ(result.size(), 0u) << result.text();
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        ASSERT_EQ(float(out[size_t(r * kCols + c)]), float(formula(sumAt<float>(r, c), c, T(2.0f)))) << r << ", " << c;
  }
}

// TSTORE-3, TSTORE-14.
TEST(TileAcc, Store) {
  using S = Sums<float>;
  using H = SumView<half>;
  using B = SumView<int8_t>;
  constexpr auto kAdd = AtomicType::AtomicAdd, kNone = AtomicType::AtomicNone;
  constexpr auto kRelu = ReluPreMode::NormalRelu;
  expectStore<float>([](auto &g, auto &a, auto &) { TSTORE(g, a); }, [](float x, int, float) { return x; });
  expectStore<half>([](auto &g, auto &a, auto &) { TSTORE<STPhase::Final>(g, a); },
                    [](float x, int, half) { return half(x); });
  expectStore<half>([](auto &g, auto &a, auto &) { TSTORE<S, H, kAdd>(g, a); },
                    [](float x, int, half old) { return half(float(old) + x); });
  expectStore<half>([](auto &g, auto &a, auto &) { TSTORE<STPhase::Partial, S, H, kAdd>(g, a); },
                    [](float x, int, half old) { return half(float(old) + x); });
  expectStore<half>([](auto &g, auto &a, auto &) { TSTORE<S, H, kNone, kRelu>(g, a); },
                    [](float x, int, half) { return half(relu(x)); });
  expectStore<int8_t>([](auto &g, auto &a, auto &) { TSTORE(g, a, wordOf(1.5f, -7, true)); },
                      [](float x, int, int8_t) { return toByte(x * 1.5f - 7); });
  expectStore<int8_t>([](auto &g, auto &a, auto &) { TSTORE<S, B, kAdd, kRelu>(g, a, wordOf(0.5f, 0, true)); },
                      [](float x, int, int8_t old) { return int8_t(old + toByte(relu(x * 0.5f))); });
  expectStore<int8_t>([](auto &g, auto &a, auto &fp) { TSTORE_FP<S, B, Words>(g, a, fp); },
                      [](float x, int c, int8_t) { return toByte(x * scaleAt(c) + 3); });
  expectStore<int8_t>([](auto &g, auto &a, auto &fp) { TSTORE_FP<S, B, Words, kAdd, kRelu>(g, a, fp); },
                      [](float x, int c, int8_t old) { return int8_t(old + toByte(relu(x * scaleAt(c) + 3))); });
  expectStore<int8_t>([](auto &g, auto &a, auto &fp) { TSTORE_FP(g, a, fp); },
                      [](float x, int c, int8_t) { return toByte(x * scaleAt(c) + 3); });
}

} // namespace
