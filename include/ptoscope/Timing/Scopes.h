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

#include <map>
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
  /// Positions in its region of the instructions whose results it uses; from the turn
  /// before where `carried` says so. Results of outer regions are not listed.
  struct Use {
    uint32_t producer;
    bool carried;
  };
  std::vector<Use> uses;
};

/// The scope, a loop's body, or an arm of a branch.
struct ScopeRegion {
  uint32_t parent = 0; ///< number of the region around it; that of the scope is 0
  uint32_t before = 0; ///< instructions of the parent that come before it
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
  void add(ScopeSchedule schedule) { bySite[schedule.site] = std::move(schedule); }
  const ScopeSchedule *find(SiteId scope) const {
    auto it = bySite.find(scope);
    return it == bySite.end() ? nullptr : &it->second;
  }

private:
  std::map<SiteId, ScopeSchedule> bySite;
};

/// Cycles of one run of a scope, with its start and drain. `turns`: how often each region was
/// entered.
Cost costOfScope(const Model &model, const ScopeSchedule &schedule, std::span<const uint64_t> turns);
/// The share of each instruction, for costs by line: the sum is that of costOfScope.
std::vector<std::pair<SiteId, double>> sharesOfScope(const Model &model, const ScopeSchedule &schedule,
                                                     std::span<const uint64_t> turns);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_SCOPES_H
