//===- CubeBench.cpp - GEMM and attention beside OpenBLAS -----------------===//
//
// The kernels are those of examples/cube, as they stand there.
//
//===----------------------------------------------------------------------===//

#include "Blas.h"
#include "Kernel.h"
#include "TileMixed.h"

#include "ptoscope/Support/Half.h"

#include <cmath>
#include <thread>

using bench::Array, bench::multiply, bench::Sgemm, bench::timed, bench::timedAlone;
using ptoscope::Argument, ptoscope::Checks, ptoscope::Session;

namespace {

template <typename T> std::span<uint8_t> bytesOf(Array<T> &array) {
  return {reinterpret_cast<uint8_t *>(array.data()), array.size() * sizeof(T)};
}

/// Numbers of a program in f16, and the same in f32.
struct Numbers {
  explicit Numbers(size_t count) : f16(count), f32(count) {}
  void set(size_t i, float value) {
    f16[i] = ptoscope::f32ToF16(value);
    f32[i] = ptoscope::f16ToF32(f16[i]);
  }
  Array<uint16_t> f16;
  Array<float> f32;
};

constexpr int kTurns = 9;

/// Small whole numbers: sums are exact in whatever order they are formed.
bool gemm(Sgemm sgemm) {
  constexpr int kSide = 2048, kBlocks = 32;
  constexpr size_t kSize = size_t(kSide) * kSide;
  Session session;
  const char *path = "examples/cube/gemm-double-buffered.pto";
  bench::Kernel plain(session, path, "", Checks::none()), checked(session, path, "", Checks());
  Numbers a(kSize), b(kSize);
  for (size_t i = 0; i < kSize; ++i) {
    a.set(i, float(i % 13) - 6.0f);
    b.set(i, float(i % 7) - 3.0f);
  }
  Array<float> c(kSize), expected(kSize);
  const std::vector<Argument> arguments = {bytesOf(a.f16),  bytesOf(b.f16),  bytesOf(c),
                                           uint64_t(kSide), uint64_t(kSide), uint64_t(kSide)};
  multiply(sgemm, a.f32.data(), b.f32.data(), expected.data(), kSide, kSide, kSide);
  bool ok = plain.run(arguments, kBlocks) && (!sgemm || c == expected);
  std::fill(c.data(), c.data() + kSize, 0.0f);
  if (!ok || !checked.run(arguments, kBlocks) || (sgemm && !(c == expected)))
    return bench::wrong("GEMM 2048^3");
  // What the host gives two threads that share nothing but its caches and memory.
  Session otherSession;
  bench::Kernel other(otherSession, path, "", Checks::none());
  Array<float> otherC(kSize);
  std::vector<Argument> otherArguments = arguments;
  otherArguments[2] = bytesOf(otherC);
  double off = 1e9, on = 1e9, blas = 1e9, one = 1e9, two = 1e9, apart = 1e9;
  const auto least = [](double &best, double seconds) { best = std::min(best, seconds); };
  for (int turn = 0; turn < kTurns; ++turn) {
    least(one, timed([&] { least(off, timedAlone([&] { ok &= plain.run(arguments, kBlocks); })); }));
    least(two, timed([&] { ok &= plain.run(arguments, kBlocks, 2); }));
    least(apart, timed([&] {
            bool done = false;
            std::thread thread([&] { done = other.run(otherArguments, kBlocks); });
            ok &= plain.run(arguments, kBlocks);
            thread.join();
            ok &= done;
          }));
    least(on, timedAlone([&] { ok &= checked.run(arguments, kBlocks); }));
    least(blas, timedAlone([&] { multiply(sgemm, a.f32.data(), b.f32.data(), expected.data(), kSide, kSide, kSide); }));
  }
  const double work = 2.0 * kSide * kSide * kSide * 1e-9;
  std::printf("  GEMM 2048^3 f16: %.1f Gflop/s, all checks on %.1f, two threads %.1f; OpenBLAS sgemm %.1f\n",
              work / off, work / on, work / two, work / blas);
  std::printf("  two such runs at once, apart from each other: %.2f times the speed of one\n", 2 * one / apart);
  ok &= !sgemm || bench::figureAtLeast("GEMM 2048^3 f16, speed / OpenBLAS sgemm", blas / off, 0.5);
  ok &= bench::figure("GEMM 2048^3, all checks on / checks off", on / off, 1.3);
  return bench::figureAtLeast("GEMM 2048^3, one thread / two", one / two, 1.8) && ok;
}

constexpr int kHeads = 8, kLength = 2048, kDepth = 64;
constexpr size_t kHead = size_t(kLength) * kDepth;

/// As one would write it: scores of a head, softmax of rows, times V.
void attend(Sgemm sgemm, const Numbers &q, const Numbers &k, const Numbers &v, Array<float> &o, Array<float> &scores) {
  std::vector<float> wide[3];
  for (int head = 0; head < kHeads; ++head) {
    const Numbers *given[] = {&q, &k, &v};
    for (int i = 0; i < 3; ++i) {
      wide[i].resize(kHead);
      for (size_t j = 0; j < kHead; ++j)
        wide[i][j] = ptoscope::f16ToF32(given[i]->f16.data()[size_t(head) * kHead + j]);
    }
    multiply(sgemm, wide[0].data(), wide[1].data(), scores.data(), kLength, kLength, kDepth, true);
    for (int row = 0; row < kLength; ++row) {
      float *s = scores.data() + size_t(row) * kLength;
      const float most = *std::max_element(s, s + kLength);
      float sum = 0;
      for (int j = 0; j < kLength; ++j)
        sum += s[j] = std::exp((s[j] - most) * 0.125f);
      for (int j = 0; j < kLength; ++j)
        s[j] /= sum;
    }
    multiply(sgemm, scores.data(), wide[2].data(), o.data() + size_t(head) * kHead, kLength, kDepth, kLength);
  }
}

bool attention(Sgemm sgemm) {
  Session session;
  bench::Kernel checked(session, "examples/cube/attention.pto", "", Checks()),
      plain(session, "examples/cube/attention.pto", "", Checks::none());
  constexpr size_t kAll = size_t(kHeads) * kHead;
  Numbers q(kAll), k(kAll), v(kAll);
  uint32_t seed = 1;
  const auto next = [&] { return float(int32_t(seed = seed * 1664525u + 1013904223u)) * 0x1p-30f; };
  for (size_t i = 0; i < kAll; ++i) {
    q.set(i, next());
    k.set(i, next());
    v.set(i, next());
  }
  Array<float> o(kAll), expected(kAll), scores(size_t(kLength) * kLength);
  const std::vector<Argument> arguments = {bytesOf(q.f16),   bytesOf(k.f16),    bytesOf(v.f16),    bytesOf(o),
                                           uint64_t(kHeads), uint64_t(kLength), uint64_t(kLength), uint64_t(0)};
  attend(sgemm, q, k, v, expected, scores);
  bool ok = checked.run(arguments, kHeads);
  for (size_t i = 0; i < kAll; ++i)
    ok = ok && std::abs(o[i] - expected[i]) <= 2e-3f;
  if (!ok)
    return bench::wrong("attention 1x8x2048x64");
  // The same by the tile API, on cube and vector cores.
  Array<float> tiles(kAll);
  const auto byTiles = [&](bool all) {
    return bench::attend(all, q.f16, k.f16, v.f16, tiles, kHeads, kLength, kHeads);
  };
  ok = byTiles(true);
  for (size_t i = 0; i < kAll; ++i)
    ok = ok && std::abs(tiles[i] - expected[i]) <= 2e-3f;
  if (!ok)
    return bench::wrong("attention 1x8x2048x64 by the tile API");
  auto [on, off, native, tilesOn, tilesOff] = bench::leastTimes(
      [&] { ok &= checked.run(arguments, kHeads); }, [&] { ok &= plain.run(arguments, kHeads); },
      [&] { attend(sgemm, q, k, v, expected, scores); }, [&] { ok &= byTiles(true); }, [&] { ok &= byTiles(false); });
  std::printf("  attention 1x8x2048x64: all checks on %.0f ms, off %.0f ms; by the tile API on %.0f ms, off %.0f ms; "
              "C++ with OpenBLAS %.0f ms\n",
              on * 1e3, off * 1e3, tilesOn * 1e3, tilesOff * 1e3, native * 1e3);
  ok &= bench::figure("mixed attention in C++ / micro level, all checks on", tilesOn / on, 1.5);
  ok &= bench::figure("mixed attention in C++ / micro level, checks off", tilesOff / off, 1.5);
  return bench::figure("attention 1x8x2048x64, all checks on / C++ with OpenBLAS", on / native, 3) && ok;
}

} // namespace

bool bench::cube() {
  Sgemm sgemm = openBlas();
  if (!sgemm)
    std::printf("  no OpenBLAS here: GEMM and attention are not compared with it\n");
  bool ok = gemm(sgemm);
  return (!sgemm || attention(sgemm)) && ok;
}
