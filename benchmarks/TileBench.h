//===- TileBench.h - what measures of the tile API share --------*- C++ -*-===//
//
// Tile instructions stand beside plain code for the same work, both compiled into
// this program, on one thread. Ours and theirs take turns, and the least processor
// time of each counts: whatever shares the machine only ever adds.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_BENCHMARKS_TILEBENCH_H
#define PTOSCOPE_BENCHMARKS_TILEBENCH_H

#include "Bench.h"

#include "pto/pto-inst.hpp"
#include "ptoscope/launch.hpp"

namespace bench {

/// Launches a kernel on one block; findings are not expected.
template <typename Kernel, typename... Args>
bool runWith(const ptoscope::Options &options, Kernel kernel, Args &&...args) {
  ptoscope::Result result = ptoscope::launch(options, kernel, 1, args...);
  if (!result.ok())
    result.print();
  return result.ok();
}

template <typename Kernel, typename... Args> bool run(bool checked, Kernel kernel, Args &&...args) {
  ptoscope::Options options;
  return runWith(checked ? options : options.unchecked(), kernel, args...);
}

/// Products of matrices, in TileProducts.cpp.
bool tileProducts();
/// f16, in TileHalf.cpp.
bool tileHalf();
/// Gathers from global memory, in TileMixed.cpp.
bool tileGathers();

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_TILEBENCH_H
