//===- RecordedLaunch.h - PTOSCOPE_RECORD -----------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_RECORDEDLAUNCH_H
#define PTOSCOPE_LIB_TILE_RECORDEDLAUNCH_H

#include "ptoscope/Checkers/OrderEdges.h"
#include "ptoscope/Tile/WriteLog.h"

namespace ptoscope::tile {

/// Records a launch for `ptoscope audit` and `ptoscope compare`.
class RecordedLaunch {
public:
  /// Observes the launch that has these options; blocks run on one thread.
  RecordedLaunch(const SiteTable &sites, LaunchOptions &options);
  /// Writes launch-N.json, and launch-N.I.bin with the contents of each object of GM.
  std::optional<Finding> write(const std::string &folder, unsigned number, const GmTable &gm, bool completed) const;

private:
  const SiteTable &sites;
  std::unique_ptr<OrderEdges> edges;
  WriteLog log;
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_RECORDEDLAUNCH_H
