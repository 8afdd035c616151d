// Any number of elements: tiles of 1024, of which the last is valid in part.
#include <pto/pto-inst.hpp>

#include "check.hpp"

using namespace pto;

constexpr int kCols = 1024;

using Row = Tile<TileType::Vec, float, 1, kCols, BLayout::RowMajor, 1, DYNAMIC>;
using View = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;

AICORE void add(__gm__ float *x, __gm__ float *y, __gm__ float *z, int count) {
  for (int first = 0; first < count; first += kCols) {
    const int here = count - first < kCols ? count - first : kCols;
    Row a(here), b(here), c(here);
    TASSIGN<0x0000>(a);
    TASSIGN<0x1000>(b);
    TASSIGN<0x2000>(c);
    const Shape<1, 1, 1, 1, DYNAMIC> shape(here);
    View gx(x + first, shape), gy(y + first, shape), gz(z + first, shape);

    TLOAD(a, gx);
    TLOAD(b, gy);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADD(c, a, b);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(gz, c);
    pipe_barrier(PIPE_ALL); // the next turn uses the same memory
  }
}

int main() {
  const int count = 5000;
  std::vector<float> x = numbers(count, 1), y = numbers(count, 2), z(count), sum(count);
  for (int i = 0; i < count; ++i)
    sum[i] = x[i] + y[i];
  return finish(ptoscope::launch(add, 1, x, y, z, count), z, sum);
}
