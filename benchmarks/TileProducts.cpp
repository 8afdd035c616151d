//===- TileProducts.cpp - TMATMUL against native code ---------------------===//

#include "Blas.h"
#include "TileBench.h"

#include "Native.h"
#include "TileKernels.h"

using namespace pto;
using bench::Array, bench::kRounds, bench::multiply, bench::run, bench::Sgemm, bench::wrong;

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

/// Factors of small integers: every sum is exact, in whatever order it is formed.
struct Factors {
  explicit Factors(int side) : x(size_t(side * side)), y(x.size()), x16(x.size()), y16(x.size()) {
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = float(i % 13) - 6.0f, y[i] = float(i % 7) - 3.0f;
      x16[i] = half(x[i]), y16[i] = half(y[i]);
    }
  }
  Array<float> x, y;
  Array<half> x16, y16;
};

bool besideBlas(const std::string &what, double f32, double f16, double blas, double flops, double bound,
                double bound16) {
  std::printf("  %s: f32 %.1f Gflop/s, f16 %.1f; OpenBLAS sgemm %.1f\n", what.c_str(), flops / f32 * 1e-9,
              flops / f16 * 1e-9, flops / blas * 1e-9);
  bool ok = bench::figureAtLeast(what + " f32, speed / OpenBLAS sgemm", blas / f32, bound);
  return bench::figureAtLeast(what + " f16, speed / OpenBLAS sgemm", blas / f16, bound16) && ok;
}

/// Tiles that stay where they are, multiplied again and again.
bool oneTile(Sgemm sgemm) {
  constexpr int64_t kTurns = 100;
  Factors factors(kSide);
  Array<float> z(factors.x.size()), expected(z.size()), z16(z.size()), zBlas(z.size());
  bool ok = true;
  double f32 = 1e9, f16 = 1e9, loops = 1e9, blas = 1e9, seconds = 0;
  for (int round = 0; round < kRounds; ++round) {
    ok &= run(false, products<float>, factors.x, factors.y, z, kTurns, &seconds);
    f32 = std::min(f32, seconds);
    ok &= run(false, products<half>, factors.x16, factors.y16, z16, kTurns, &seconds);
    f16 = std::min(f16, seconds);
    loops = std::min(loops, bench::timedAlone([&] {
                       for (int t = 0; t < kTurns; ++t)
                         native::multiply(factors.x.data(), factors.y.data(), expected.data(), kSide);
                     }));
    blas = std::min(blas, bench::timedAlone([&] {
                      for (int t = 0; t < kTurns; ++t)
                        multiply(sgemm, factors.x.data(), factors.y.data(), zBlas.data(), kSide, kSide, kSide);
                    }));
  }
  if (!ok || !(z == expected && z16 == expected && (!sgemm || zBlas == expected)))
    return wrong("TMATMUL");
  ok &= bench::figure("TMATMUL f32 128^3 / native loops", f32 / loops, 1);
  return (!sgemm || besideBlas("TMATMUL 128^3", f32, f16, blas, 2.0 * kSide * kSide * kSide * kTurns, 0.6, 0.6)) && ok;
}

/// A product from tiles: with every load, move and store.
bool wholeProduct(Sgemm sgemm) {
  constexpr int kAll = 512;
  constexpr int64_t kTurns = 2;
  Factors factors(kAll);
  Array<float> z(factors.x.size()), expected(z.size()), z16(z.size());
  native::multiply(factors.x.data(), factors.y.data(), expected.data(), kAll);
  bool ok = true;
  auto [f32, f16, blas] =
      bench::leastTimes([&] { ok &= run(false, bench::product512<float>, factors.x, factors.y, z, kTurns); },
                        [&] { ok &= run(false, bench::product512<half>, factors.x16, factors.y16, z16, kTurns); },
                        [&] {
                          for (int t = 0; t < kTurns; ++t)
                            multiply(sgemm, factors.x.data(), factors.y.data(), expected.data(), kAll, kAll, kAll);
                        });
  if (!ok || !(z == expected && z16 == expected))
    return wrong("512^3 from tiles");
  return !sgemm || (besideBlas("512^3 from tiles", f32, f16, blas, 2.0 * kAll * kAll * kAll * kTurns, 0.6, 0.6) && ok);
}

} // namespace

bool bench::tileProducts() {
  Sgemm sgemm = bench::openBlas();
  if (!sgemm)
    std::printf("TMATMUL against OpenBLAS: no libopenblas.so.0 here, not measured\n");
  bool ok = oneTile(sgemm);
  return wholeProduct(sgemm) && ok;
}
