// Many blocks: each adds the tiles that it finds by its number.
#include <pto/pto-inst.hpp>

#include "check.hpp"

using namespace pto;

constexpr int kRows = 32, kCols = 64, kCount = kRows * kCols;

using Matrix = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

AICORE void add(__gm__ float *x, __gm__ float *y, __gm__ float *z, int tiles) {
  for (int64_t tile = get_block_idx(); tile < tiles; tile += get_block_num()) {
    Matrix a, b, c;
    TASSIGN<0x0000>(a);
    TASSIGN<0x2000>(b);
    TASSIGN<0x4000>(c);
    View gx(x + tile * kCount), gy(y + tile * kCount), gz(z + tile * kCount);

    TLOAD(a, gx);
    TLOAD(b, gy);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADD(c, a, b);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(gz, c);
    pipe_barrier(PIPE_ALL);
  }
}

int main() {
  const int tiles = 21, count = tiles * kCount;
  std::vector<float> x = numbers(count, 1), y = numbers(count, 2), z(count), sum(count);
  for (int i = 0; i < count; ++i)
    sum[i] = x[i] + y[i];
  ptoscope::Options options;
  options.threads = 2;
  return finish(ptoscope::launch(options, add, 8, x, y, z, tiles), z, sum);
}
