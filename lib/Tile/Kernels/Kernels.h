//===- Kernels.h - meanings of tile instructions, by level ------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_KERNELS_H
#define PTOSCOPE_LIB_TILE_KERNELS_KERNELS_H

#include "../Operands.h"

namespace ptoscope::tile {

/// One function per instruction, all compiled for the same level of host.
struct Kernels {
  const char *level;
#define KERNEL(name) RunFunction name;
#include "Kernels.def"
#undef KERNEL
};

/// Those of the best level that this host has, and all that it has, best last.
const Kernels &hostKernels();
struct KernelLevels {
  const Kernels *level[3];
  size_t count;
};
const KernelLevels &hostLevels();

} // namespace ptoscope::tile

#ifdef PTOSCOPE_LEVEL
namespace ptoscope::tile::PTOSCOPE_LEVEL {
#define KERNEL(name) void name(const Operands &);
#include "Kernels.def"
#undef KERNEL
} // namespace ptoscope::tile::PTOSCOPE_LEVEL
#endif

#endif // PTOSCOPE_LIB_TILE_KERNELS_KERNELS_H
