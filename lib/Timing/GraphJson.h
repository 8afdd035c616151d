//===- GraphJson.h - a recorded launch, for the page of reports -*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TIMING_GRAPHJSON_H
#define PTOSCOPE_LIB_TIMING_GRAPHJSON_H

#include "Sharing.h"
#include "Solver.h"

#include <nlohmann/json_fwd.hpp>

namespace ptoscope::timing {

/// What a page needs to solve the launch again with other figures.
struct GraphOfLaunch {
  const LaunchRecord &record;
  const Model &model;
  const DeedCosts &costs;
  Sharing::Bytes bytes;
  double dearer;     ///< by so much does overlap make bytes dearer
  bool runsTogether; ///< all blocks at the same time
  int64_t cores;     ///< that blocks are placed on, of one device
  int64_t devices;
};

/// As docs/report-format.md describes it: the first blocks, of at most `limit` instructions, those of
/// equal cores counted once. Null where a part of the blocks says nothing about the launch.
nlohmann::ordered_json toJson(const GraphOfLaunch &graph, uint64_t limit, const GraphNames &names);

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_GRAPHJSON_H
