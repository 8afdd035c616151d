// Events instead of flags: an event names the two instructions that it orders, and finds pipes and numbers
// itself.
#include <pto/pto-inst.hpp>

#include "check.hpp"

using namespace pto;

constexpr int kRows = 32, kCols = 64, kCount = kRows * kCols;

using Matrix = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kCount, kCount, kCount, kCols, 1>>;

// z = x * y + x
AICORE void multiplyAdd(__gm__ float *x, __gm__ float *y, __gm__ float *z) {
  Matrix a, b, c;
  TASSIGN<0x0000>(a);
  TASSIGN<0x2000>(b);
  TASSIGN<0x4000>(c);
  View gx(x), gy(y), gz(z);

  Event<Op::TLOAD, Op::TMUL> loadedX, loadedY;
  Event<Op::TMUL, Op::TADD> multiplied;
  Event<Op::TADD, Op::TSTORE_VEC> added;
  loadedX = TLOAD(a, gx);
  loadedY = TLOAD(b, gy);
  multiplied = TMUL(c, a, b, loadedX, loadedY); // waits for both loads
  TSYNC(multiplied);                            // the same pipe: a barrier
  added = TADD(c, c, a);
  TSTORE(gz, c, added);
}

int main() {
  std::vector<float> x = numbers(kCount, 1), y = numbers(kCount, 2), z(kCount), want(kCount);
  for (int i = 0; i < kCount; ++i) {
    const volatile float product = x[i] * y[i]; // rounded before the sum
    want[i] = product + x[i];
  }
  return finish(ptoscope::launch(multiplyAdd, 1, x, y, z), z, want);
}
