// Attention: out = softmax(q * k^T / sqrt(depth)) * v, without the matrix of scores. For each tile of keys the cube
// core of a cluster multiplies and pushes scores; its vector cores, half of the rows each, make weights of them and
// push them back; the cube core multiplies them with the values and pushes a part of the result, which the vector cores
// add up, scaled to the largest score so far. The scores of the next tile are pushed ahead. Three queues: on A5 in the
// memories of the cores, on A2/A3 (-DPTO_NPU_ARCH_A2A3) in global memory.
//
// -DUNORDERED pushes weights before PIPE_V has written them, a race.
#include <pto/pto-inst.hpp>

#include "check.hpp"

#include <algorithm>

using namespace pto;

#ifdef PTO_NPU_ARCH_A2A3
constexpr const char *kTarget = "a3";
#else
constexpr const char *kTarget = "a5";
#endif

constexpr int kBlocks = 2, kTile = 64, kHalf = kTile / 2, kDepth = 64, kKeys = 256, kTurns = kKeys / kTile;
constexpr auto kRows = TileSplitAxis::TILE_UP_DOWN;

template <typename T, int Rows, int Cols>
using View = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<Rows * Cols, Rows * Cols, Rows * Cols, Cols, 1>>;
// The rows of a matrix as columns.
template <typename T, int Rows, int Cols>
using Transposed =
    GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<Rows * Cols, Rows * Cols, Rows * Cols, 1, Rows>, Layout::DN>;
template <int Rows, int Cols> // in L1: NZ, and ZN
using Mat = Tile<TileType::Mat, half, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;
template <int Rows, int Cols>
using MatColumns = Tile<TileType::Mat, half, Rows, Cols, BLayout::RowMajor, Rows, Cols, SLayout::ColMajor>;
using Acc = TileAcc<float, kTile, kTile>;
using Part = Tile<TileType::Vec, float, kHalf, kTile>;
using Column = Tile<TileType::Vec, float, kHalf, 1, BLayout::ColMajor>;
using Narrow = Tile<TileType::Vec, half, kHalf, kTile>;
using Boxed = Tile<TileType::Vec, half, kHalf, kTile, BLayout::ColMajor, kHalf, kTile, SLayout::RowMajor>;

constexpr uint32_t kBytes = kTile * kTile * sizeof(float);
using Scores = TPipe<0, Direction::DIR_C2V, kBytes, 2>;
using Weights = TPipe<2, Direction::DIR_V2C, kBytes / 2, 2>;
using Results = TPipe<4, Direction::DIR_C2V, kBytes, 2>;
// Where entries, or popped tiles, are: in UB and in L1. In global memory each block has five times two floats a score.
constexpr uint32_t kScores = 0x10000, kResults = 0x20000, kWeights = 0x20000;
constexpr size_t kSlotFloats = 5 * kTile * kTile;
struct Slots {
  float *scores, *weights, *results;
  explicit Slots(float *all)
      : scores(all + get_block_idx() * kSlotFloats), weights(scores + 2 * kTile * kTile),
        results(weights + kTile * kTile) {}
};

/// What `From` was given comes before what `To` is given.
template <pipe_t From, pipe_t To> AICORE void order() {
  set_flag(From, To, EVENT_ID0);
  wait_flag(From, To, EVENT_ID0);
}

/// acc = left * right, from L1. `used`: between the last use of both and the end of the product.
template <typename Left, typename Right, typename Used> AICORE void multiply(Acc &acc, Left &a, Right &b, Used used) {
  TileLeft<half, kTile, kTile> left;
  TileRight<half, kTile, kTile> right;
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

AICORE void products(__gm__ half *q, __gm__ half *k, __gm__ half *v, __gm__ float *slots, __gm__ float *) {
  const Slots at(slots);
  Scores scores(at.scores, kScores, 0);
  Weights weights(at.weights, 0, kWeights);
  Results results(at.results, kResults, 0);
  Mat<kTile, kDepth> queries;
  MatColumns<kDepth, kTile> keys;
  Mat<kTile, kDepth> values;
  Mat<kTile, kTile> weight;
  Acc score, result;
  TASSIGN<0x0000>(queries);
  TASSIGN<0x4000>(keys);
  TASSIGN<0x8000>(values);
  TASSIGN<0x0000>(score);
  TASSIGN<0x4000>(result);

  View<half, kTile, kDepth> viewQ(q + get_block_idx() * kTile * kDepth);
  TLOAD(queries, viewQ);
  for (int turn = 0; turn <= kTurns; ++turn) {
    if (turn < kTurns) {
      Transposed<half, kDepth, kTile> viewK(k + turn * kTile * kDepth);
      order<PIPE_MTE1, PIPE_MTE2>();
      TLOAD(keys, viewK);
      multiply(score, queries, keys, [] {});
      TPUSH<Scores, Acc, kRows>(scores, score);
    }
    if (turn > 0) {
      View<half, kTile, kDepth> viewV(v + (turn - 1) * kTile * kDepth);
      order<PIPE_MTE1, PIPE_MTE2>();
      TLOAD(values, viewV);
      TPOP<Weights, Mat<kTile, kTile>, kRows>(weights, weight);
      multiply(result, weight, values, [&] { TFREE<Weights, kRows>(weights); });
      TPUSH<Results, Acc, kRows>(results, result);
    }
  }
}

/// One vector instruction after the other.
AICORE void then() { pipe_barrier(PIPE_V); }

AICORE void softmax(__gm__ half *, __gm__ half *, __gm__ half *, __gm__ float *slots, __gm__ float *out) {
  const Slots at(slots);
  Scores scores(at.scores, kScores, 0);
  Weights weights(at.weights, 0, kWeights);
  Results results(at.results, kResults, 0);
  Part score, scaled, scratch, result, sum;
  Column most, before, shrink, total, add;
  Narrow narrow;
  Boxed boxed;
  TASSIGN<0x0000>(scaled);
  TASSIGN<0x2000>(scratch);
  TASSIGN<0x4000>(sum);
  TASSIGN<0x6000>(narrow);
  TASSIGN<0x7000>(boxed);
  TASSIGN<0x8000>(most);
  TASSIGN<0x8100>(before);
  TASSIGN<0x8200>(shrink);
  TASSIGN<0x8300>(total);
  TASSIGN<0x8400>(add);

  for (int turn = 0; turn < kTurns; ++turn) {
    // Weights: exp(score - the largest so far), and how much that shrinks what was added before.
    order<PIPE_V, PIPE_MTE2>();
    TPOP<Scores, Part, kRows>(scores, score);
    order<PIPE_MTE2, PIPE_V>();
    TMULS(scaled, score, 1 / std::sqrt(float(kDepth)));
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
    order<PIPE_MTE3, PIPE_V>(); // the last weights have left
    TCVT(narrow, scaled, RoundMode::CAST_RINT);
    then();
#ifdef PTO_NPU_ARCH_A2A3
    Narrow &weight = narrow;
#else
    TMOV(boxed, narrow); // entries in L1 are NZ
    Boxed &weight = boxed;
#endif
#ifndef UNORDERED
    order<PIPE_V, PIPE_MTE3>();
#endif
    TPUSH<Weights, std::remove_reference_t<decltype(weight)>, kRows>(weights, weight);

    // The product with the values.
    order<PIPE_V, PIPE_MTE2>();
    TPOP<Results, Part, kRows>(results, result);
    order<PIPE_MTE2, PIPE_V>();
    if (turn == 0) {
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
  View<float, kHalf, kDepth> viewOut(out + (get_block_idx() * kTile + get_subblockid() * kHalf) * kDepth);
  TSTORE(viewOut, sum);
}

int main() {
  const auto halves = [](size_t count, unsigned seed) {
    const std::vector<float> x = numbers(count, seed);
    return std::vector<half>(x.begin(), x.end());
  };
  constexpr int queries = kBlocks * kTile;
  std::vector<half> q = halves(queries * kDepth, 1), k = halves(kKeys * kDepth, 2), v = halves(kKeys * kDepth, 3);
  std::vector<float> slots(kBlocks * kSlotFloats), out(queries * kDepth), want(queries * kDepth);
  const auto dot = [&](int row, int key) {
    double sum = 0;
    for (int i = 0; i < kDepth; ++i)
      sum += double(float(q[row * kDepth + i])) * double(float(k[key * kDepth + i]));
    return sum / std::sqrt(double(kDepth));
  };
  for (int row = 0; row < queries; ++row) {
    std::vector<double> weight(kKeys);
    double total = 0;
    for (int key = 0; key < kKeys; ++key)
      total += weight[key] = std::exp(dot(row, key));
    for (int i = 0; i < kDepth; ++i) {
      double sum = 0;
      for (int key = 0; key < kKeys; ++key)
        sum += weight[key] * double(float(v[key * kDepth + i]));
      want[row * kDepth + i] = float(sum / total);
    }
  }
  ptoscope::Options options;
  options.arch = kTarget;
  return finish(ptoscope::launch(options, ptoscope::mixed(products, softmax), kBlocks, q, k, v, slots, out), out, want,
                1e-3f);
}
