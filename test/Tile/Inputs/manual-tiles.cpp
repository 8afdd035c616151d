// The first example of the tile manual: tiles of the short form, ordered and placed by the library. The text leaves `gc`
// undeclared; it is a parameter here.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <vector>

using namespace pto;

void vec_add(Tile<float, 16, 16>& c, const GlobalTensor<float>& ga,
             const GlobalTensor<float>& gb, const GlobalTensor<float>& gc) {
    Tile<float, 16, 16> a, b;
    TLOAD(a, ga);           // GM → local tile buffer A
    TLOAD(b, gb);           // GM → local tile buffer B
    TADD(c, a, b);          // c = a + b, iterated over c's valid region
    TSTORE(gc, c);          // Local tile buffer C → GM
}

int main() {
  std::vector<float> x(256), y(256), z(256, -1.0f);
  for (int i = 0; i < 256; ++i) {
    x[i] = 0.5f * float(i);
    y[i] = float(1000 - 3 * i);
  }
  auto kernel = [](float *x, float *y, float *z) {
    const Shape<> shape(1, 1, 1, 16, 16);
    const Stride<> stride(256, 256, 256, 16, 1);
    Tile<float, 16, 16> c;
    vec_add(c, {x, shape, stride}, {y, shape, stride}, {z, shape, stride});
  };
  ptoscope::Result result = ptoscope::launch(kernel, 1, x, y, z);
  result.print();
  for (int i = 0; i < 256; ++i)
    if (z[i] != 0.5f * float(i) + float(1000 - 3 * i)) {
      std::printf("element %d is %g\n", i, double(z[i]));
      return 1;
    }
  std::printf("all sums, %zu findings\n", result.size());
  return result.ok() ? 0 : 1;
}
