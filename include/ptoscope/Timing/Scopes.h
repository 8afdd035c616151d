//===- Scopes.h - what a vector scope costs ---------------------*- C++ -*-===//
//
// The compiler keeps, for each vector scope, its regions (the scope itself, bodies
// of loops, arms of branches) with their instructions and who uses whose results.
// Code counts how often each region is entered; the cost of a run follows from
// these counts by a list schedule of each region (docs/isa/05-timing.md).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_SCOPES_H
#define PTOSCOPE_TIMING_SCOPES_H

#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Timing/Model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace ptoscope::timing {

/// An instruction of a scope.
struct ScopeInstr {
  SiteId site;
  Timing timing;
  uint8_t bits = 32; ///< of an element
  bool isFloat = true;
  uint8_t toBits = 0; ///< of the result's elements, where they differ (conversions)
  /// A register or mask that it uses.
  struct Use {
    uint32_t region, producer; ///< who makes it: number of the region, position there
    bool carried = false;      ///< in the turn before
  };
  std::vector<Use> uses = {};
};

/// The scope, a loop's body, or an arm of a branch.
struct ScopeRegion {
  uint32_t parent = 0; ///< number of the region around it; that of the scope is 0
  uint32_t before = 0; ///< instructions of the parent that come before it
  /// Turns of a loop are counted, entries of others. The condition of a `while` is a loop, what it
  /// guards a region inside it.
  bool isLoop = false;
  SiteId site = kNoSite;
  std::vector<ScopeInstr> instructions;
};

struct ScopeSchedule {
  SiteId site;
  std::vector<ScopeRegion> regions; ///< parents before children; number 0 is the scope
};

/// All scopes of a kernel.
class ScopeSchedules {
public:
  void add(ScopeSchedule schedule) {
    most = std::max(most, uint32_t(schedule.regions.size()));
    bySite[schedule.site] = std::move(schedule);
  }
  const ScopeSchedule *find(SiteId scope) const {
    auto it = bySite.find(scope);
    return it == bySite.end() ? nullptr : &it->second;
  }

  /// Regions of the scope that has most of them.
  uint32_t mostRegions() const { return most; }

private:
  std::map<SiteId, ScopeSchedule> bySite;
  uint32_t most = 0;
};

/// Cycles of one run of a scope, with its start and drain. `turns`: how often each region was
/// entered; what lies behind the regions of the schedule does not count.
Cost costOfScope(const Model &model, const ScopeSchedule &schedule, std::span<const uint64_t> turns);
/// The share of each instruction, for costs by line: the sum is that of costOfScope.
std::vector<std::pair<SiteId, double>> sharesOfScope(const Model &model, const ScopeSchedule &schedule,
                                                     std::span<const uint64_t> turns);
/// Vector instructions that one run executes.
uint64_t instructionsOfScope(const ScopeSchedule &schedule, std::span<const uint64_t> turns);

/// A tile instruction of an A5 as the vector scope that it is: its loops with the instructions that
/// its name suggests, by costOfScope. Nothing where the sequence is not known.
std::optional<Cost> scheduleOfTile(const Model &model, const Work &work);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_SCOPES_H
