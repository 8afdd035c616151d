// Tiles and views for a debugger to look at.
#include <pto/pto-inst.hpp>

using namespace pto;

static float memory[64 * 64];
template <typename T> void keep(T &) { asm volatile("" ::: "memory"); }
[[gnu::noinline]] void stopHere() { asm volatile(""); }

int main() {
  Tile<TileType::Vec, float, 16, 64> full;
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, 3> part(2);
  Tile<TileType::Mat, int16_t, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor> boxed;
  GlobalTensor<float, TileShape2D<float, 16, 64>, BaseShape2D<float, 16, 64>> view(memory);
  GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 64>, Stride<1, 1, 1, DYNAMIC, 1>, Layout::DN> dynamic(
      memory, Shape<1, 1, 1, DYNAMIC, 64>(5), Stride<1, 1, 1, DYNAMIC, 1>(80));
  TASSIGN(part, 0);
  for (int i = 0; i < 6; ++i)
    part.data()[i / 3 * 64 + i % 3] = float(i + 1);
  keep(full), keep(part), keep(boxed), keep(view), keep(dynamic);
  stopHere();
}
