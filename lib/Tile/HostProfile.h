//===- HostProfile.h - programs of the host profile -------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_HOSTPROFILE_H
#define PTOSCOPE_LIB_TILE_HOSTPROFILE_H

#include "Context.h"

namespace ptoscope::tile {

/// What the memories of a core have at least in programs of the host profile, and where
/// such a program places tiles itself: pages that no one touches cost nothing.
inline constexpr uint32_t kHostBytes = 512 << 10, kAutomaticBytes = 16 << 20;

/// The program has instructions of the host profile.
bool isHostProgram();
/// Gives the memories these sizes, and `state` those of the target.
void widenMemories(Profile &profile, LaunchState &state);
/// Lets such programs reach memory that no one registered.
void admitHostMemory(GmTable &gm);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_HOSTPROFILE_H
