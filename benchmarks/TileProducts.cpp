//===- TileProducts.cpp - TMATMUL against native code ---------------------===//

#include "TileBench.h"

#include "Native.h"

#include <dlfcn.h>

using namespace pto;
using bench::Array, bench::kRounds, bench::run, bench::wrong;

namespace {

constexpr int kSide = 128;

/// `seconds` gets the time of the products alone.
template <typename T> void products(const T *x, const T *y, float *z, int64_t turns, double *seconds) {
  constexpr int kSize = kSide * kSide;
  TileLeft<T, kSide, kSide> left;
  TileRight<T, kSide, kSide> right;
  TileAcc<float, kSide, kSide> sum;
  Tile<TileType::Mat, T, kSide, kSide, BLayout::ColMajor, kSide, kSide, SLayout::RowMajor> leftRows, rightRows;
  TASSIGN(leftRows, 0);
  TASSIGN(rightRows, kSize * 4);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(sum, 0);
  GlobalTensor<const T, Shape<1, 1, 1, kSide, kSide>, Stride<kSize, kSize, kSize, kSide, 1>> gx(x), gy(y);
  TLOAD(leftRows, gx);
  TLOAD(rightRows, gy);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(left, leftRows);
  TMOV(right, rightRows);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  *seconds = bench::timedAlone([&] {
    for (int64_t t = 0; t < turns; ++t)
      TMATMUL(sum, left, right);
  });
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  GlobalTensor<float, Shape<1, 1, 1, kSide, kSide>, Stride<kSize, kSize, kSize, kSide, 1>> gz(z);
  TSTORE(gz, sum);
}

using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                       int);

/// Single-threaded; null when the host has none.
Sgemm openBlas() {
#if defined(__x86_64__)
  // Releases take processors younger than themselves for the oldest ones.
  setenv("OPENBLAS_CORETYPE",
         __builtin_cpu_supports("avx512vl") ? "SkylakeX"
         : __builtin_cpu_supports("avx2")   ? "Haswell"
                                            : "Nehalem",
         0);
#endif
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  auto threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  auto core = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_corename"));
  if (!threads || !core)
    return nullptr;
  threads(1);
  std::printf("  OpenBLAS for %s\n", core());
  return reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
}

} // namespace

bool bench::tileProducts() {
  constexpr int64_t kTurns = 100;
  constexpr size_t kSize = kSide * kSide;
  Array<float> x(kSize), y(kSize), z(kSize), expected(kSize), z16(kSize), zBlas(kSize);
  Array<half> x16(kSize), y16(kSize);
  // Small integers: every sum is exact, in whatever order it is formed.
  for (size_t i = 0; i < kSize; ++i) {
    x[i] = float(i % 13) - 6.0f, y[i] = float(i % 7) - 3.0f;
    x16[i] = half(x[i]), y16[i] = half(y[i]);
  }
  Sgemm sgemm = openBlas();
  bool ok = true;
  double f32 = 1e9, f16 = 1e9, loops = 1e9, blas = 1e9, seconds = 0;
  for (int round = 0; round < kRounds; ++round) {
    ok &= run(false, products<float>, x, y, z, kTurns, &seconds);
    f32 = std::min(f32, seconds);
    ok &= run(false, products<half>, x16, y16, z16, kTurns, &seconds);
    f16 = std::min(f16, seconds);
    loops = std::min(loops, timedAlone([&] {
                       for (int t = 0; t < kTurns; ++t)
                         native::multiply(x.data(), y.data(), expected.data(), kSide);
                     }));
    blas = std::min(blas, timedAlone([&] {
                      constexpr int kRowMajor = 101, kNoTranspose = 111;
                      for (int t = 0; t < kTurns && sgemm; ++t)
                        sgemm(kRowMajor, kNoTranspose, kNoTranspose, kSide, kSide, kSide, 1.0f, x.data(), kSide,
                              y.data(), kSide, 0.0f, zBlas.data(), kSide);
                    }));
  }
  if (!ok || !(z == expected && z16 == expected && (!sgemm || zBlas == expected)))
    return wrong("TMATMUL");
  auto gflops = [](double time) { return 2.0 * kSide * kSide * kSide * kTurns / time * 1e-9; };
  std::printf("  TMATMUL 128x128x128: f32 %.1f Gflop/s, f16 %.1f; native loops %.1f, OpenBLAS sgemm %.1f\n",
              gflops(f32), gflops(f16), gflops(loops), sgemm ? gflops(blas) : 0);
  ok &= figure("TMATMUL f32 128^3 / native loops", f32 / loops, 1);
  if (!sgemm) {
    std::printf("TMATMUL against OpenBLAS: no libopenblas.so.0 here, not measured\n");
    return ok;
  }
  return figureAtLeast("TMATMUL f32 128^3, speed / OpenBLAS sgemm", blas / f32, 0.35) && ok;
}
