// Two tiles of 32 rows and 64 columns are added, once.
#include <pto/pto-inst.hpp>

#include "check.hpp"

using namespace pto;

constexpr int kRows = 32, kCols = 64, kCount = kRows * kCols;

using Matrix = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

AICORE void add(__gm__ float *x, __gm__ float *y, __gm__ float *z) {
  Matrix a, b, c;
  TASSIGN<0x0000>(a);
  TASSIGN<0x2000>(b);
  TASSIGN<0x4000>(c);
  View gx(x), gy(y), gz(z);

  TLOAD(a, gx);
  TLOAD(b, gy);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(c, a, b);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(gz, c);
}

int main() {
  std::vector<float> x = numbers(kCount, 1), y = numbers(kCount, 2), z(kCount), sum(kCount);
  for (int i = 0; i < kCount; ++i)
    sum[i] = x[i] + y[i];
  return finish(ptoscope::launch(add, 1, x, y, z), z, sum);
}
