// c = a * b: each block has 64 rows and 64 columns of c. Strips of a and b come to L1 once; pieces of 64 go
// on to L0A and L0B, are multiplied, and add up in L0C.
#include <pto/pto-inst.hpp>

#include "check.hpp"

using namespace pto;

constexpr int kM = 128, kK = 256, kN = 192, kTile = 64;

template <int Rows, int Cols, int Pitch> // rows of a matrix whose rows are `Pitch` elements apart
using View = GlobalTensor<float, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Pitch, 1>>;
template <int Rows, int Cols> // in L1, in fractals of 16 rows and 32 bytes: NZ
using Strip = Tile<TileType::Mat, float, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;

AICORE void matmul(__gm__ float *a, __gm__ float *b, __gm__ float *c) {
  const int64_t row = get_block_idx() / (kN / kTile) * kTile, col = get_block_idx() % (kN / kTile) * kTile;
  View<kTile, kK, kK> viewA(a + row * kK);
  View<kK, kTile, kN> viewB(b + col);
  View<kTile, kTile, kN> viewC(c + row * kN + col);

  Strip<kTile, kK> stripA;
  Strip<kK, kTile> stripB;
  TileLeft<float, kTile, kTile> left;
  TileRight<float, kTile, kTile> right;
  TileAcc<float, kTile, kTile> sum;
  TASSIGN<0x00000>(stripA); // L1
  TASSIGN<0x10000>(stripB);
  TASSIGN<0>(left);  // L0A
  TASSIGN<0>(right); // L0B
  TASSIGN<0>(sum);   // L0C

  TLOAD(stripA, viewA);
  TLOAD(stripB, viewB);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);

  set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // L0A and L0B are free
  for (int k = 0; k < kK; k += kTile) {
    wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
    TEXTRACT(left, stripA, 0, k);
    TEXTRACT(right, stripB, k, 0);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);

    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    if (k == 0)
      TMATMUL(sum, left, right);
    else
      TMATMUL_ACC(sum, left, right);
    set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);
  }
  wait_flag(PIPE_M, PIPE_MTE1, EVENT_ID0);

  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(viewC, sum);
}

int main() {
  std::vector<float> a = numbers(kM * kK, 1), b = numbers(kK * kN, 2), c(kM * kN), product(kM * kN);
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j)
      for (int k = 0; k < kK; ++k)
        product[i * kN + j] = std::fma(a[i * kK + k], b[k * kN + j], product[i * kN + j]);
  return finish(ptoscope::launch(matmul, kM / kTile * (kN / kTile), a, b, c), c, product);
}
