//===- QueuePrograms.h - kernels that push and pop --------------*- C++ -*-===//
//
// A cube core makes tiles by a product with the unit matrix, and one that was popped
// there goes the same way to global memory: every element says where it came from.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_TILE_QUEUEPROGRAMS_H
#define PTOSCOPE_UNITTESTS_TILE_QUEUEPROGRAMS_H

#include "Programs.h"

namespace queues {

using namespace pto;
using namespace programs;

constexpr int kRows = 16, kCols = 32, kSize = kRows * kCols;
constexpr uint32_t kBytes = kSize * sizeof(float);
// Where rings and landing places begin; other tiles lie below.
constexpr uint32_t kUbRing = 0x8000, kL1Ring = 0x10000;

using AccTile = TileAcc<float, kRows, kCols>;
template <typename T, int Rows, int Cols>
using MatTile = Tile<TileType::Mat, T, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;

inline ptoscope::Options on(const char *arch, ptoscope::Options options = {}) {
  options.arch = arch;
  return options;
}
inline bool isA5(const ptoscope::Options &options) { return std::string(options.arch) == "a5"; }

/// Small whole numbers, another one for each element of each tile.
inline std::vector<half> numbered(int tiles) {
  std::vector<half> result;
  for (int i = 0; i < tiles * kSize; ++i)
    result.push_back(half(float((i * 7 + i / kSize * 31) % 1021 - 500)));
  return result;
}
inline std::vector<half> identity(int n) {
  std::vector<half> result(size_t(n * n), half(0.0f));
  for (int i = 0; i < n; ++i)
    result[size_t(i * n + i)] = half(1.0f);
  return result;
}

/// acc = a * unit, by way of L0.
template <typename Acc, typename Mat> void multiply(Acc &acc, Mat &a, const half *unit) {
  MatTile<half, kCols, kCols> b;
  TileLeft<half, Acc::Rows, kCols> left;
  TileRight<half, kCols, kCols> right;
  TASSIGN(b, 0x2000);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(acc, 0);
  View<const half, kCols, kCols> view(unit);
  TLOAD(b, view);
  fence();
  TMOV(left, a);
  TMOV(right, b);
  fence();
  TMATMUL(acc, left, right);
  fence();
}
inline void makeAcc(AccTile &acc, const half *x, const half *unit) {
  MatTile<half, kRows, kCols> a;
  TASSIGN(a, 0);
  View<const half, kRows, kCols> view(x);
  TLOAD(a, view);
  multiply(acc, a, unit);
}

/// rows x cols of a matrix with kCols columns.
template <typename T, int Rows, int Cols>
using Window = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, kCols, 1>>;

/// Launches a cluster under every schedule and wants no finding.
template <typename Cube, typename Vector, typename... Args>
void runs(const char *arch, Cube cube, Vector vector, Args &...args) {
  for (const ptoscope::Options &options : schedules(2)) {
    SCOPED_TRACE(arch + (" " + nameOf(options)));
    ptoscope::Result result = ptoscope::launch(on(arch, options), ptoscope::mixed(cube, vector), 1, args...);
    ASSERT_EQ(result.size(), 0u) << result.text();
    ASSERT_TRUE(result.completed());
  }
}

} // namespace queues

#endif // PTOSCOPE_UNITTESTS_TILE_QUEUEPROGRAMS_H
