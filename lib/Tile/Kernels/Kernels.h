//===- Kernels.h - meanings of tile instructions, by level ------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_KERNELS_H
#define PTOSCOPE_LIB_TILE_KERNELS_KERNELS_H

#include "../Matrix.h"
#include "../Operands.h"

namespace ptoscope::tile {

/// The meaning of each record, all compiled for the same level of host.
struct Kernels {
  const char *level;
#define PTO_RECORD(NAME, ...) RunFunction NAME;
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
  // What micro instructions of the cube have in common with them.
  void (*moveMatrix)(const MatrixMove &move, const Conversion &conversion);
  void (*fillMatrix)(const Matrix &matrix, Place at, int64_t rows, int64_t cols, uint64_t pattern);
  void (*multiplyMatrices)(const MatrixProduct &product);
};

/// Those of the best level that this host has, and all that it has, best last.
const Kernels &hostKernels();
struct KernelLevels {
  const Kernels *level[4];
  size_t count;
};
const KernelLevels &hostLevels();

} // namespace ptoscope::tile

#ifdef PTOSCOPE_LEVEL
namespace ptoscope::tile::PTOSCOPE_LEVEL {
#define PTO_RECORD(NAME, KERNEL, ...) void KERNEL(const Operands &);
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
void moveMatrix(const MatrixMove &, const Conversion &);
void fillMatrix(const Matrix &, Place, int64_t rows, int64_t cols, uint64_t pattern);
void multiplyMatrices(const MatrixProduct &);
} // namespace ptoscope::tile::PTOSCOPE_LEVEL
#endif

#endif // PTOSCOPE_LIB_TILE_KERNELS_KERNELS_H
