// c = relu(a * b + bias): the cube core of a cluster multiplies and pushes each tile of the product into a queue; its
// two vector cores pop half of the rows each, add the bias, cut off what is negative, and store. Product and epilogue
// run at the same time. On A5 the queue is in UB of the vector cores, on A2/A3 (-DPTO_NPU_ARCH_A2A3) in global memory.
//
// -DFREE_EARLY frees an entry before it is read: the next push may overwrite it, and that is a race.
#include <pto/pto-inst.hpp>

#include "check.hpp"

using namespace pto;

#ifdef PTO_NPU_ARCH_A2A3
constexpr const char *kTarget = "a3";
#else
constexpr const char *kTarget = "a5";
#endif

constexpr int kBlocks = 2, kTile = 64, kHalf = kTile / 2, kM = kBlocks * kTile, kK = 128, kN = 256;

template <typename T, int Rows, int Cols, int Pitch>
using View = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Pitch, 1>>;
template <int Rows, int Cols> // in L1: NZ
using Strip = Tile<TileType::Mat, half, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;
using Product = TileAcc<float, kTile, kTile>;
using Part = Tile<TileType::Vec, float, kHalf, kTile>; // half of the rows
using Row = Tile<TileType::Vec, float, 1, kTile>;

// Two entries of one product each; id 0 tells that an entry is full, id 1 that it is free.
using Queue = TPipe<0, Direction::DIR_C2V, kTile * kTile * sizeof(float), 2>;
constexpr auto kRows = TileSplitAxis::TILE_UP_DOWN;
constexpr uint32_t kRing = 0x8000; // in UB: the entries (A5), or where popped tiles land (A2/A3)
constexpr size_t kSlotFloats = 2 * kTile * kTile;

AICORE void multiply(__gm__ half *a, __gm__ half *b, __gm__ float *, __gm__ float *slots, __gm__ float *) {
  Queue queue(slots + get_block_idx() * kSlotFloats, kRing, 0);
  Strip<kTile, kK> rows;
  Strip<kK, kTile> cols;
  TileLeft<half, kTile, kTile> left;
  TileRight<half, kTile, kTile> right;
  Product sum;
  TASSIGN<0x00000>(rows);
  TASSIGN<0x10000>(cols);
  TASSIGN<0>(left);
  TASSIGN<0>(right);
  TASSIGN<0>(sum);

  View<half, kTile, kK, kK> viewA(a + get_block_idx() * kTile * kK);
  TLOAD(rows, viewA);
  set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0); // L1 is free for columns of b
  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);    // L0A and L0B are free
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);     // L0C is free
  for (int col = 0; col < kN; col += kTile) {
    View<half, kK, kTile, kN> viewB(b + col);
    wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    TLOAD(cols, viewB);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    for (int k = 0; k < kK; k += kTile) {
      wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
      TEXTRACT(left, rows, 0, k);
      TEXTRACT(right, cols, k, 0);
      set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
      if (k == 0) {
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        TMATMUL(sum, left, right);
      } else {
        TMATMUL_ACC(sum, left, right);
      }
      set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    }
    set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TPUSH<Queue, Product, kRows>(queue, sum);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
}

AICORE void finishTiles(__gm__ half *, __gm__ half *, __gm__ float *bias, __gm__ float *slots, __gm__ float *c) {
  Queue queue(slots + get_block_idx() * kSlotFloats, kRing, 0);
  Part product;
  Part result[2];
  Row row[2];
  for (int i = 0; i < 2; ++i) {
    TASSIGN(result[i], i * 0x2000);
    TASSIGN(row[i], 0x4000 + i * 0x100);
    set_flag(PIPE_MTE3, PIPE_V, i); // the result is free
    set_flag(PIPE_V, PIPE_MTE2, i); // the bias, and where a popped tile lands
  }
  const int64_t first = get_block_idx() * kTile + get_subblockid() * kHalf;
  for (int turn = 0; turn < kN / kTile; ++turn) {
    const int i = turn % 2;
    wait_flag(PIPE_V, PIPE_MTE2, i);
    View<float, 1, kTile, kN> viewBias(bias + turn * kTile);
    TLOAD(row[i], viewBias);
    TPOP<Queue, Part, kRows>(queue, product);
#ifdef FREE_EARLY
    TFREE<Queue, kRows>(queue);
#endif
    set_flag(PIPE_MTE2, PIPE_V, i);
    wait_flag(PIPE_MTE2, PIPE_V, i);
    wait_flag(PIPE_MTE3, PIPE_V, i);
    TCOLEXPANDADD(result[i], product, row[i]);
#ifndef FREE_EARLY
    TFREE<Queue, kRows>(queue); // behind what reads it, on the same pipe
#endif
    set_flag(PIPE_V, PIPE_MTE2, i);
    pipe_barrier(PIPE_V);
    TRELU(result[i], result[i]);
    set_flag(PIPE_V, PIPE_MTE3, i);
    wait_flag(PIPE_V, PIPE_MTE3, i);
    View<float, kHalf, kTile, kN> viewC(c + first * kN + turn * kTile);
    TSTORE(viewC, result[i]);
    set_flag(PIPE_MTE3, PIPE_V, i);
  }
  for (int i = 0; i < 2; ++i) {
    wait_flag(PIPE_MTE3, PIPE_V, i);
    wait_flag(PIPE_V, PIPE_MTE2, i);
  }
}

int main() {
  const std::vector<float> x = numbers(kM * kK, 1), y = numbers(kK * kN, 2);
  std::vector<half> a(x.begin(), x.end()), b(y.begin(), y.end());
  std::vector<float> bias = numbers(kN, 3), slots(kBlocks * kSlotFloats), c(kM * kN), want(kM * kN);
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) {
      double sum = bias[j];
      for (int k = 0; k < kK; ++k)
        sum += double(float(a[i * kK + k])) * double(float(b[k * kN + j]));
      want[i * kN + j] = float(sum > 0 ? sum : 0);
    }
  ptoscope::Options options;
  options.arch = kTarget;
  return finish(ptoscope::launch(options, ptoscope::mixed(multiply, finishTiles), kBlocks, a, b, bias, slots, c), c,
                want, 1e-4f);
}
