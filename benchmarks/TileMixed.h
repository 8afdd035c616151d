//===- TileMixed.h - mixed kernels in C++, for other measures ---*- C++ -*-===//
//
// Apart from TileBench.h: the headers of launches and those of the driver do not meet
// in one file.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_BENCHMARKS_TILEMIXED_H
#define PTOSCOPE_BENCHMARKS_TILEMIXED_H

#include "Bench.h"

namespace bench {

/// Attention of TileAttention.h, f16 as bits; false when it does not run without findings.
bool attend(bool checked, Array<uint16_t> &q, Array<uint16_t> &k, Array<uint16_t> &v, Array<float> &o, int64_t heads,
            int64_t length, int64_t blocks);

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_TILEMIXED_H
