// Launches a kernel twice.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

constexpr int kRows = 16, kCols = 64, kCount = kRows * kCols;

AICORE void twice(__gm__ float *x, __gm__ float *y) {
  Tile<TileType::Vec, float, kRows, kCols> in, out;
  TASSIGN<0x0000>(in);
  TASSIGN<0x4000>(out);
  using View = GlobalTensor<float, TileShape2D<float, kRows, kCols>, BaseShape2D<float, kRows, kCols>>;
  View from(x), to(y);
  TLOAD(in, from);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TMULS(out, in, 2.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(to, out);
}

int main() {
  std::vector<float> x(kCount, 1), y(kCount);
  for (int i = 0; i < 2; ++i)
    if (!ptoscope::launch(twice, 1, x, y).ok())
      return 1;
  std::puts("ended");
}
