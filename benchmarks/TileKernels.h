//===- TileKernels.h - kernels that several measures run --------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_TILEKERNELS_H
#define PTOSCOPE_BENCHMARKS_TILEKERNELS_H

#include "pto/pto-inst.hpp"

namespace bench {

using namespace pto;

inline constexpr int kCols = 256;

/// Tiles go through `Buffers` places in turn, ordered by flags both ways.
template <int Rows, int Buffers> void addTiles(const float *x, const float *y, float *z, int64_t tiles) {
  constexpr int kElements = Rows * kCols, kBytes = kElements * 4;
  using Vec = Tile<TileType::Vec, float, Rows, kCols>;
  using Dense = Stride<kElements, kElements, kElements, kCols, 1>;
  using In = GlobalTensor<const float, Shape<1, 1, 1, Rows, kCols>, Dense>;
  using Out = GlobalTensor<float, Shape<1, 1, 1, Rows, kCols>, Dense>;
  Vec a[Buffers], b[Buffers], c[Buffers];
  for (int i = 0; i < Buffers; ++i) {
    TASSIGN(a[i], i * kBytes);
    TASSIGN(b[i], (Buffers + i) * kBytes);
    TASSIGN(c[i], (2 * Buffers + i) * kBytes);
    set_flag(PIPE_V, PIPE_MTE2, i);
    set_flag(PIPE_MTE3, PIPE_V, i);
  }
  for (int64_t t = 0; t < tiles; ++t) {
    const int i = int(t % Buffers);
    In gx(x + t * kElements), gy(y + t * kElements);
    Out gz(z + t * kElements);
    wait_flag(PIPE_V, PIPE_MTE2, i);
    TLOAD(a[i], gx);
    TLOAD(b[i], gy);
    set_flag(PIPE_MTE2, PIPE_V, i);
    wait_flag(PIPE_MTE2, PIPE_V, i);
    wait_flag(PIPE_MTE3, PIPE_V, i);
    TADD(c[i], a[i], b[i]);
    set_flag(PIPE_V, PIPE_MTE2, i);
    set_flag(PIPE_V, PIPE_MTE3, i);
    wait_flag(PIPE_V, PIPE_MTE3, i);
    TSTORE(gz, c[i]);
    set_flag(PIPE_MTE3, PIPE_V, i);
  }
  for (int i = 0; i < Buffers; ++i) {
    wait_flag(PIPE_V, PIPE_MTE2, i);
    wait_flag(PIPE_MTE3, PIPE_V, i);
  }
}

/// One pipe after the other.
inline void follow(pipe_t earlier, pipe_t later) {
  set_flag(earlier, later, EVENT_ID0);
  wait_flag(earlier, later, EVENT_ID0);
}

/// Rows of 512, 16 at a time.
inline void softmaxRows(const float *x, float *y, int64_t tiles) {
  constexpr int kRows = 16, kWide = 512, kCount = kRows * kWide;
  using Dense = Stride<kCount, kCount, kCount, kWide, 1>;
  Tile<TileType::Vec, float, kRows, kWide> t, scratch;
  Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor> most, sum;
  TASSIGN(t, 0);
  TASSIGN(scratch, 4 * kCount);
  TASSIGN(most, 8 * kCount);
  TASSIGN(sum, 8 * kCount + 64);
  for (int64_t i = 0; i < tiles; ++i) {
    GlobalTensor<const float, Shape<1, 1, 1, kRows, kWide>, Dense> from(x + i * kCount);
    GlobalTensor<float, Shape<1, 1, 1, kRows, kWide>, Dense> to(y + i * kCount);
    TLOAD(t, from);
    follow(PIPE_MTE2, PIPE_V);
    TROWMAX(most, t, scratch);
    TROWEXPANDSUB(t, t, most);
    TEXP(t, t);
    TROWSUM(sum, t, scratch);
    TROWEXPANDDIV(t, t, sum);
    follow(PIPE_V, PIPE_MTE3);
    TSTORE(to, t);
    follow(PIPE_MTE3, PIPE_MTE2);
  }
}

/// z = x * y, 512 x 512 x 512 in pieces of 128: a column of pieces of z at a time, all of it in L0C.
/// Pieces of y stay in L0B for all of it: they are transposed on their way, those of x are not.
template <typename T> void product512(const T *x, const T *y, float *z, int64_t turns) {
  constexpr int kSide = 128, kAll = 512, kCount = kAll * kAll, kBytes = kSide * kSide * 4;
  using Piece = Shape<1, 1, 1, kSide, kSide>;
  using Apart = Stride<kCount, kCount, kCount, kAll, 1>;
  using In = GlobalTensor<const T, Piece, Apart>;
  using Out = GlobalTensor<float, Piece, Apart>;
  Tile<TileType::Mat, T, kSide, kSide, BLayout::ColMajor, kSide, kSide, SLayout::RowMajor> a, b;
  TileLeft<T, kSide, kSide> left;
  TileRight<T, kSide, kSide> right;
  TileAcc<float, kSide, kSide> sum[kAll / kSide];
  TASSIGN(a, 0);
  TASSIGN(b, kBytes);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  for (int i = 0; i < kAll / kSide; ++i)
    TASSIGN(sum[i], i * kBytes);
  for (int64_t turn = 0; turn < turns; ++turn)
    for (int j = 0; j < kAll; j += kSide) {
      for (int k = 0; k < kAll; k += kSide) {
        In gy(y + k * kAll + j);
        TLOAD(b, gy);
        follow(PIPE_MTE2, PIPE_MTE1);
        TMOV(right, b);
        for (int i = 0; i < kAll; i += kSide) {
          In gx(x + i * kAll + k);
          TLOAD(a, gx);
          follow(PIPE_MTE2, PIPE_MTE1);
          TMOV(left, a);
          follow(PIPE_MTE1, PIPE_M);
          if (k == 0)
            TMATMUL(sum[i / kSide], left, right);
          else
            TMATMUL_ACC(sum[i / kSide], sum[i / kSide], left, right);
          follow(PIPE_M, PIPE_MTE1);
          follow(PIPE_MTE1, PIPE_MTE2);
        }
      }
      follow(PIPE_M, PIPE_FIX);
      for (int i = 0; i < kAll; i += kSide) {
        Out gz(z + i * kAll + j);
        TSTORE(gz, sum[i / kSide]);
      }
      follow(PIPE_FIX, PIPE_M);
    }
}

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_TILEKERNELS_H
