//===- HostThreads.h - host threads as cores --------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_HOSTTHREADS_H
#define PTOSCOPE_LIB_TILE_HOSTTHREADS_H

#include "Context.h"

namespace ptoscope::tile {

/// The target of kernels that the calling thread calls, for Options::arch.
const char *archOfThread();
/// Makes a new core of the calling thread the one that the thread says it is.
void takeIdentity(Context &context);
/// Sizes of memories that the environment gives (SURF-10).
void takeSizes(Profile &profile);
/// False: a launch on the cores of a host program had an error since the last call.
bool launchesWereFine();

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_HOSTTHREADS_H
