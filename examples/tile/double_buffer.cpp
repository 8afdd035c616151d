// Two halves of memory in turn: MTE2 brings the next tile while V adds this one and MTE3 writes the last one.
// Built with -DFORGET, MTE2 does not wait until V has read what it overwrites. An argument is the number of a
// random order of execution.
#include <pto/pto-inst.hpp>

#include "check.hpp"

#include <cstdlib>

using namespace pto;

constexpr int kRows = 32, kCols = 64, kCount = kRows * kCols;

using Matrix = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

AICORE void add(__gm__ float *x, __gm__ float *y, __gm__ float *z, int tiles) {
  // Both halves start free: for their loads, and for their sums.
  for (int half = 0; half < 2; ++half) {
#ifndef FORGET
    set_flag(PIPE_V, PIPE_MTE2, half);
#endif
    set_flag(PIPE_MTE3, PIPE_V, half);
  }
  for (int tile = 0; tile < tiles; ++tile) {
    const int half = tile % 2;
    Matrix a, b, c;
    TASSIGN(a, half * 0x6000);
    TASSIGN(b, half * 0x6000 + 0x2000);
    TASSIGN(c, half * 0x6000 + 0x4000);
    View gx(x + tile * kCount), gy(y + tile * kCount), gz(z + tile * kCount);

#ifndef FORGET
    wait_flag(PIPE_V, PIPE_MTE2, half);
#endif
    TLOAD(a, gx);
    TLOAD(b, gy);
    set_flag(PIPE_MTE2, PIPE_V, half);

    wait_flag(PIPE_MTE2, PIPE_V, half);
    wait_flag(PIPE_MTE3, PIPE_V, half);
    TADD(c, a, b);
#ifndef FORGET
    set_flag(PIPE_V, PIPE_MTE2, half);
#endif
    set_flag(PIPE_V, PIPE_MTE3, half);

    wait_flag(PIPE_V, PIPE_MTE3, half);
    TSTORE(gz, c);
    set_flag(PIPE_MTE3, PIPE_V, half);
  }
  // No flag stays up.
  for (int half = 0; half < 2; ++half) {
#ifndef FORGET
    wait_flag(PIPE_V, PIPE_MTE2, half);
#endif
    wait_flag(PIPE_MTE3, PIPE_V, half);
  }
}

int main(int argc, char **argv) {
  const int tiles = 7, count = tiles * kCount;
  std::vector<float> x = numbers(count, 1), y = numbers(count, 2), z(count), sum(count);
  for (int i = 0; i < count; ++i)
    sum[i] = x[i] + y[i];
  ptoscope::Options options;
  if (argc > 1) {
    options.schedule = ptoscope::Options::Random;
    options.seed = std::strtoull(argv[1], nullptr, 10);
  }
  return finish(ptoscope::launch(options, add, 1, x, y, z, tiles), z, sum);
}
