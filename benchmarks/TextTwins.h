//===- TextTwins.h - kernels of tile.pto in C++ -----------------*- C++ -*-===//
//
// In a file of their own: programs of the tile API do not see the session.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_BENCHMARKS_TEXTTWINS_H
#define PTOSCOPE_BENCHMARKS_TEXTTWINS_H

#include "Bench.h"

namespace bench {

bool addTwin(bool checked, Array<float> &x, Array<float> &y, Array<float> &z, int64_t tiles);
bool softmaxTwin(bool checked, Array<float> &x, Array<float> &y, int64_t tiles);
bool productTwin(bool checked, Array<float> &x, Array<float> &y, Array<float> &z, int64_t turns);

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_TEXTTWINS_H
