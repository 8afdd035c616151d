// Softmax of every row: exp(x - max) / sum of them.
#include <pto/pto-inst.hpp>

#include "check.hpp"

#include <algorithm>

using namespace pto;

constexpr int kRows = 16, kCols = 128, kCount = kRows * kCols;

using Matrix = Tile<TileType::Vec, float, kRows, kCols>;
using Column = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor>; // a number for each row
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

AICORE void softmax(__gm__ float *in, __gm__ float *out) {
  Matrix x, scratch;
  Column most, sum;
  TASSIGN<0x0000>(x);
  TASSIGN<0x2000>(scratch);
  TASSIGN<0x4000>(most);
  TASSIGN<0x4040>(sum);
  View from(in + get_block_idx() * kCount), to(out + get_block_idx() * kCount);

  Event<Op::TLOAD, Op::TROWMAX> loaded;
  Event<Op::TROWEXPANDDIV, Op::TSTORE_VEC> divided;
  loaded = TLOAD(x, from);
  TROWMAX(most, x, scratch, loaded);
  TSYNC<Op::TROWMAX>();
  TROWEXPANDSUB(x, x, most);
  TSYNC<Op::TROWEXPANDSUB>();
  TEXP(x, x);
  TSYNC<Op::TEXP>();
  TROWSUM(sum, x, scratch);
  TSYNC<Op::TROWSUM>();
  divided = TROWEXPANDDIV(x, x, sum);
  TSTORE(to, x, divided);
}

int main() {
  const int blocks = 4;
  std::vector<float> x = numbers(blocks * kCount, 1), y(x.size()), want(x.size());
  for (int row = 0; row < blocks * kRows; ++row) {
    const float *from = &x[row * kCols];
    const float most = *std::max_element(from, from + kCols);
    double sum = 0;
    for (int i = 0; i < kCols; ++i)
      sum += std::exp(double(from[i] - most));
    for (int i = 0; i < kCols; ++i)
      want[row * kCols + i] = float(std::exp(double(from[i] - most)) / sum);
  }
  return finish(ptoscope::launch(softmax, blocks, x, y), y, want, 1e-7f);
}
