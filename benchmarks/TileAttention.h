//===- TileAttention.h - attention in C++, as examples/cube has it in text *- C++ -*-===//
//
// examples/tile/flash_attention.cpp with the tiles of examples/cube/attention.pto: 128
// queries and 128 keys. O = softmax(Q * K^T / 8) * V for heads of 64 columns; block b of N takes
// tiles b, b + N … of the queries of all heads.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_BENCHMARKS_TILEATTENTION_H
#define PTOSCOPE_BENCHMARKS_TILEATTENTION_H

#include "pto/pto-inst.hpp"

namespace bench::attention {

using namespace pto;

inline constexpr int kTile = 128, kHalf = kTile / 2, kDepth = 64;
inline constexpr auto kRows = TileSplitAxis::TILE_UP_DOWN;

template <typename T, int Rows, int Cols>
using View = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<Rows * Cols, Rows * Cols, Rows * Cols, Cols, 1>>;
/// The rows of a matrix as columns.
template <typename T, int Rows, int Cols>
using Transposed =
    GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<Rows * Cols, Rows * Cols, Rows * Cols, 1, Rows>, Layout::DN>;
template <int Rows, int Cols>
using Mat = Tile<TileType::Mat, half, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;
template <int Rows, int Cols>
using MatColumns = Tile<TileType::Mat, half, Rows, Cols, BLayout::RowMajor, Rows, Cols, SLayout::ColMajor>;
template <int Cols> using Acc = TileAcc<float, kTile, Cols>;
template <int Cols> using Part = Tile<TileType::Vec, float, kHalf, Cols>;
using Column = Tile<TileType::Vec, float, kHalf, 1, BLayout::ColMajor>;
using Narrow = Tile<TileType::Vec, half, kHalf, kTile>;
using Boxed = Tile<TileType::Vec, half, kHalf, kTile, BLayout::ColMajor, kHalf, kTile, SLayout::RowMajor>;

/// Rings in UB and L1: an entry in UB is the half of one vector core.
using Scores = TPipe<0, Direction::DIR_C2V, kHalf * kTile * 4, 2>;
using Weights = TPipe<2, Direction::DIR_V2C, kTile * kTile * 2, 2>;
using Results = TPipe<4, Direction::DIR_C2V, kHalf * kDepth * 4, 2>;
inline constexpr uint32_t kScores = 0x20000, kResults = 0x30000, kWeights = 0x20000;

/// What `From` was given comes before what `To` is given.
template <pipe_t From, pipe_t To> void order() {
  set_flag(From, To, EVENT_ID0);
  wait_flag(From, To, EVENT_ID0);
}

/// acc = a * b, from L1. `used` is called behind the last use of both.
template <int Rows, int Inner, int Cols, typename Left, typename Right, typename Used>
void multiply(TileAcc<float, Rows, Cols> &acc, Left &a, Right &b, Used used) {
  TileLeft<half, Rows, Inner> left;
  TileRight<half, Inner, Cols> right;
  TASSIGN<0>(left);
  TASSIGN<0>(right);
  order<PIPE_MTE2, PIPE_MTE1>();
  order<PIPE_M, PIPE_MTE1>();
  TMOV(left, a);
  TMOV(right, b);
  used();
  order<PIPE_MTE1, PIPE_M>();
  order<PIPE_FIX, PIPE_M>();
  TMATMUL(acc, left, right);
  order<PIPE_M, PIPE_FIX>();
}

/// Numbers of global memory are given as bits.
inline half *halves(uint16_t *bits) { return reinterpret_cast<half *>(bits); }

inline void products(uint16_t *q, uint16_t *k, uint16_t *v, float *, int64_t heads, int64_t length) {
  Scores scores(nullptr, kScores, 0);
  Weights weights(nullptr, 0, kWeights);
  Results results(nullptr, kResults, 0);
  Mat<kTile, kDepth> queries;
  MatColumns<kDepth, kTile> keys;
  Mat<kTile, kDepth> values;
  Mat<kTile, kTile> weight;
  Acc<kTile> score;
  Acc<kDepth> result;
  TASSIGN<0x0000>(queries);
  TASSIGN<0x4000>(keys);
  TASSIGN<0x8000>(values);
  TASSIGN<0x00000>(score);
  TASSIGN<0x10000>(result);
  const int64_t turns = length / kTile;
  for (int64_t item = get_block_idx(); item < heads * turns; item += get_block_num()) {
    const int64_t head = item / turns * length * kDepth;
    View<half, kTile, kDepth> viewQ(halves(q) + item * kTile * kDepth);
    order<PIPE_MTE1, PIPE_MTE2>();
    TLOAD(queries, viewQ);
    for (int64_t turn = 0; turn <= turns; ++turn) {
      if (turn < turns) {
        Transposed<half, kDepth, kTile> viewK(halves(k) + head + turn * kTile * kDepth);
        order<PIPE_MTE1, PIPE_MTE2>();
        TLOAD(keys, viewK);
        multiply<kTile, kDepth>(score, queries, keys, [] {});
        TPUSH<Scores, Acc<kTile>, kRows>(scores, score);
      }
      if (turn > 0) {
        View<half, kTile, kDepth> viewV(halves(v) + head + (turn - 1) * kTile * kDepth);
        order<PIPE_MTE1, PIPE_MTE2>();
        TLOAD(values, viewV);
        TPOP<Weights, Mat<kTile, kTile>, kRows>(weights, weight);
        multiply<kTile, kTile>(result, weight, values, [&] { TFREE<Weights, kRows>(weights); });
        TPUSH<Results, Acc<kDepth>, kRows>(results, result);
      }
    }
  }
}

inline void softmax(uint16_t *, uint16_t *, uint16_t *, float *out, int64_t heads, int64_t length) {
  Scores scores(nullptr, kScores, 0);
  Weights weights(nullptr, 0, kWeights);
  Results results(nullptr, kResults, 0);
  Part<kTile> score, scaled, scratch;
  Part<kDepth> result, sum;
  Column most, before, shrink, total, add;
  Narrow narrow;
  Boxed boxed;
  TASSIGN<0x00000>(scaled);
  TASSIGN<0x08000>(scratch);
  TASSIGN<0x10000>(sum);
  TASSIGN<0x14000>(narrow);
  TASSIGN<0x18000>(boxed);
  TASSIGN<0x1c000>(most);
  TASSIGN<0x1c100>(before);
  TASSIGN<0x1c200>(shrink);
  TASSIGN<0x1c300>(total);
  TASSIGN<0x1c400>(add);
  const auto then = [] { pipe_barrier(PIPE_V); };
  const int64_t turns = length / kTile;
  for (int64_t item = get_block_idx(); item < heads * turns; item += get_block_num()) {
    for (int64_t turn = 0; turn < turns; ++turn) {
      order<PIPE_V, PIPE_MTE2>();
      TPOP<Scores, Part<kTile>, kRows>(scores, score);
      order<PIPE_MTE2, PIPE_V>();
      TMULS(scaled, score, 0.125f);
      TFREE<Scores, kRows>(scores);
      then();
      TROWMAX(most, scaled, scratch);
      then();
      if (turn > 0) {
        TMAX(most, most, before);
        then();
        TSUB(shrink, before, most);
        then();
        TEXP(shrink, shrink);
        then();
      }
      TROWEXPANDSUB(scaled, scaled, most);
      then();
      TEXP(scaled, scaled);
      then();
      TROWSUM(turn == 0 ? total : add, scaled, scratch);
      then();
      if (turn > 0) {
        TMUL(total, total, shrink);
        then();
        TADD(total, total, add);
      }
      TADDS(before, most, 0.0f);
      order<PIPE_MTE3, PIPE_V>();
      TCVT(narrow, scaled, RoundMode::CAST_RINT);
      then();
      TMOV(boxed, narrow);
      order<PIPE_V, PIPE_MTE3>();
      TPUSH<Weights, Boxed, kRows>(weights, boxed);

      order<PIPE_V, PIPE_MTE2>();
      TPOP<Results, Part<kDepth>, kRows>(results, result);
      order<PIPE_MTE2, PIPE_V>();
      if (turn == 0) {
        order<PIPE_MTE3, PIPE_V>();
        TADDS(sum, result, 0.0f);
      } else {
        TROWEXPANDMUL(sum, sum, shrink);
        then();
        TADD(sum, sum, result);
      }
      TFREE<Results, kRows>(results);
      then();
    }
    TROWEXPANDDIV(sum, sum, total);
    order<PIPE_V, PIPE_MTE3>();
    View<float, kHalf, kDepth> to(out + (item * kTile + get_subblockid() * kHalf) * kDepth);
    TSTORE(to, sum);
  }
}

} // namespace bench::attention

#endif // PTOSCOPE_BENCHMARKS_TILEATTENTION_H
