//===- TextTwins.cpp - kernels of tile.pto in C++ -------------------------===//

#include "TextTwins.h"
#include "TileBench.h"
#include "TileKernels.h"

bool bench::addTwin(bool checked, Array<float> &x, Array<float> &y, Array<float> &z, int64_t tiles) {
  return run(checked, addTiles<32, 2>, x, y, z, tiles);
}
bool bench::softmaxTwin(bool checked, Array<float> &x, Array<float> &y, int64_t tiles) {
  return run(checked, softmaxRows, x, y, tiles);
}
bool bench::productTwin(bool checked, Array<float> &x, Array<float> &y, Array<float> &z, int64_t turns) {
  return run(checked, product512<float>, x, y, z, turns);
}
