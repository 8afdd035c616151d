//===- Thinning.h - a core that does a part of its work ---------*- C++ -*-===//
//
// Work that is divided among more cores leaves fewer turns of loops to each: what a
// turn costs besides its bytes goes with it. Loops are not recorded, but how often each
// instruction of the text ran is. The first ones stay, so that buffers take turns as
// they did; where a whole number of turns is more than the part, each does less.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_THINNING_H
#define PTOSCOPE_LIB_TIMING_THINNING_H

#include "Graph.h"

#include <unordered_map>

namespace ptoscope::timing {

struct DeedCosts;

class Thinning {
public:
  /// `share` of the work is left.
  Thinning(const DeedCosts &costs, const BlockRecord &block, const CoreRecord &core, double share);

  /// Is the next instruction of this site left? Once for each, in the order of issue.
  bool keeps(SiteId site) {
    if (!isThin)
      return true;
    Turns &turns = sites[site];
    return turns.next++ < turns.kept;
  }
  /// Of the work of an instruction.
  double shareOf(SiteId site) const {
    if (!isThin)
      return share;
    auto it = sites.find(site);
    return it == sites.end() ? share : it->second.share;
  }
  /// Instructions are missing, and what waits for them would wait for ever.
  bool leavesGaps() const { return isThin; }

private:
  struct Turns {
    uint64_t there = 0, kept = 0, next = 0;
    double share = 1;
  };
  const double share;
  bool isThin;
  std::unordered_map<SiteId, Turns> sites;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_THINNING_H
