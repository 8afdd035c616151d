// A pair of layouts that devices refuse (TLOAD-5): a view declared DN with
// row-major strides, and a row-major tile. With __CPU_SIM loads fill the whole tile.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

constexpr int kRows = 6, kCols = 40;

void copy(float *in, float *out) {
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, kRows, kCols> part;
  Tile<TileType::Vec, float, 8, 64> whole;
  TASSIGN(part, 0);
  TASSIGN(whole, 0);
  GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>, Layout::DN> gin(in);
  GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>> gout(out);
  Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(part, gin);
  TSTORE(gout, whole, loaded);
}

int main() {
  std::vector<float> in(kRows * kCols), out(8 * 64, 7.0f);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i + 1);
  ptoscope::Result result = ptoscope::launch(copy, 1, in, out);
  result.print();
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 64; ++c)
      if (out[size_t(r * 64 + c)] != (r < kRows && c < kCols ? in[size_t(r * kCols + c)] : 0.0f)) {
        std::printf("wrong at %d, %d\n", r, c);
        return 1;
      }
  std::puts("right");
  return !result.ok();
}
