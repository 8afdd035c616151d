//===- Cluster.h - what a launch knows of signals ---------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_CLUSTER_H
#define PTOSCOPE_LIB_TILE_CLUSTER_H

#include "ptoscope/Machine/Sites.h"

#include <map>
#include <mutex>

namespace ptoscope::tile {

/// Of a core.
struct CoreSignals {
  bool areaKnown = false;     ///< set_ffts_base_addr was called, or does not matter
  bool subblocksTold = false; ///< MIX-16 was reported
};

/// Of all cores of a launch.
struct LaunchSignals {
  std::mutex mutex;
  /// Own signals with an id that SYNCALL uses, and where they are (XSYNC-22).
  std::map<int64_t, SiteId> reserved;
  bool syncAll = false;
  std::map<const void *, bool> workspaces; ///< of soft barriers that were looked at
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_CLUSTER_H
