//===- TileHalf.cpp - f16 tiles against native code -----------------------===//

#include "TileBench.h"

#include "Native.h"
#include "TileKernels.h"

#include <cstring>

using namespace pto;
using bench::Array, bench::follow, bench::run, bench::wrong;

namespace {

/// Tiles of 32 KiB, as those of f32 in TileBench.cpp.
constexpr int kRows = 64, kWide = 256, kCount = kRows * kWide;
constexpr int64_t kTurns = 2000;
constexpr int64_t kFirst = 0, kSecond = 2 * kCount, kResult = 4 * kCount;

template <typename T>
using View = GlobalTensor<T, Shape<1, 1, 1, kRows, kWide>, Stride<kCount, kCount, kCount, kWide, 1>>;

/// `seconds` gets the time of the instructions alone.
template <auto Instruction> void binary(const half *x, const half *y, half *z, double *seconds) {
  Tile<TileType::Vec, half, kRows, kWide> a, b, c;
  TASSIGN(a, kFirst);
  TASSIGN(b, kSecond);
  TASSIGN(c, kResult);
  View<const half> gx(x), gy(y);
  View<half> gz(z);
  TLOAD(a, gx);
  TLOAD(b, gy);
  follow(PIPE_MTE2, PIPE_V);
  *seconds = bench::timedAlone([&] {
    for (int64_t t = 0; t < kTurns; ++t)
      Instruction(c, a, b);
  });
  follow(PIPE_V, PIPE_MTE3);
  TSTORE(gz, c);
}

template <typename From, typename To> void conversion(const From *x, To *z, double *seconds) {
  Tile<TileType::Vec, From, kRows, kWide> a;
  Tile<TileType::Vec, To, kRows, kWide> c;
  TASSIGN(a, kFirst);
  TASSIGN(c, kResult);
  View<const From> gx(x);
  View<To> gz(z);
  TLOAD(a, gx);
  follow(PIPE_MTE2, PIPE_V);
  *seconds = bench::timedAlone([&] {
    for (int64_t t = 0; t < kTurns; ++t)
      TCVT(c, a, RoundMode::CAST_RINT);
  });
  follow(PIPE_V, PIPE_MTE3);
  TSTORE(gz, c);
}

/// Ours in turns with native code on memory like UB; both results have the same bytes.
template <typename Ours, typename To>
bool measure(const std::string &what, Ours ours, native::TileFunction native, Array<uint8_t> &scratch,
             Array<To> &result) {
  double best = 1e9, theirs = 1e9, seconds = 0;
  bool ok = true;
  for (int round = 0; round < bench::kRounds; ++round) {
    ok &= ours(&seconds);
    best = std::min(best, seconds);
    theirs = std::min(theirs, bench::timedAlone([&] {
                        native(scratch.data() + kFirst, scratch.data() + kSecond, scratch.data() + kResult, kCount,
                               size_t(kTurns));
                      }));
  }
  if (!ok || std::memcmp(result.data(), scratch.data() + kResult, result.size() * sizeof(To)) != 0)
    return wrong(what);
  std::printf("  %s of 64x256: %.0f ns, native %.0f ns\n", what.c_str(), best * 1e9 / kTurns, theirs * 1e9 / kTurns);
  return bench::figureAtLeast(what + ", speed / native", theirs / best, 0.7);
}

} // namespace

bool bench::tileHalf() {
  Array<half> x(kCount), y(kCount), z(kCount);
  Array<float> wide(kCount), wideResult(kCount);
  Array<uint8_t> scratch(256 * 1024), wideScratch(256 * 1024);
  for (size_t i = 0; i < kCount; ++i) {
    wide[i] = float(i % 1000) * 0.37f - 100.0f;
    x[i] = half(wide[i]);
    y[i] = half(float(i % 77) * 0.5f - 20.25f);
  }
  std::memcpy(scratch.data() + kFirst, x.data(), 2 * kCount);
  std::memcpy(scratch.data() + kSecond, y.data(), 2 * kCount);
  std::memcpy(wideScratch.data() + kFirst, wide.data(), 4 * kCount);
  auto with = [&](auto kernel) {
    return [&x, &y, &z, kernel](double *seconds) { return run(false, kernel, x, y, z, seconds); };
  };
  bool ok =
      measure("TADD f16", with(binary<[](auto &c, auto &a, auto &b) { TADD(c, a, b); }>), native::addF16, scratch, z);
  ok &= measure("TSUB f16", with(binary<[](auto &c, auto &a, auto &b) { TSUB(c, a, b); }>), native::subF16, scratch, z);
  ok &= measure("TMUL f16", with(binary<[](auto &c, auto &a, auto &b) { TMUL(c, a, b); }>), native::mulF16, scratch, z);
  ok &= measure("TDIV f16", with(binary<[](auto &c, auto &a, auto &b) { TDIV(c, a, b); }>), native::divF16, scratch, z);
  ok &= measure("TMAX f16", with(binary<[](auto &c, auto &a, auto &b) { TMAX(c, a, b); }>), native::maxF16, scratch, z);
  ok &= measure(
      "TCVT f16 to f32", [&](double *seconds) { return run(false, conversion<half, float>, x, wideResult, seconds); },
      native::widenF16, scratch, wideResult);
  return measure(
             "TCVT f32 to f16", [&](double *seconds) { return run(false, conversion<float, half>, wide, z, seconds); },
             native::narrowF32, wideScratch, z) &&
         ok;
}
