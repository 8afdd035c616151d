// y = s * x, by eight blocks of one tile each.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

constexpr int kRows = 16, kCols = 256, kCount = kRows * kCols;

AICORE void scale(__gm__ float *x, __gm__ float *y, float s) {
  Tile<TileType::Vec, float, kRows, kCols> in, out;
  TASSIGN<0x0000>(in);
  TASSIGN<0x4000>(out);
  using View = GlobalTensor<float, TileShape2D<float, kRows, kCols>, BaseShape2D<float, kRows, kCols>>;
  View from(x + get_block_idx() * kCount), to(y + get_block_idx() * kCount);

  TLOAD(in, from);
#ifndef FORGET_THE_WAIT
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
#endif
  TMULS(out, in, s);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(to, out);
}

int main() {
  constexpr int kBlocks = 8;
  std::vector<float> x(kBlocks * kCount), y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 1001) - 500;
  ptoscope::Result result = ptoscope::launch(scale, kBlocks, x, y, 0.75f);
  result.print();
  for (size_t i = 0; i < x.size(); ++i)
    if (y[i] != 0.75f * x[i]) {
      std::printf("y[%zu] is %g, not %g\n", i, double(y[i]), double(0.75f * x[i]));
      return 1;
    }
  std::printf("%zu products as expected\n", x.size());
  return result.ok() ? 0 : 1;
}
