//===- HiddenFlags.cpp - flags that an instruction uses by itself ---------===//

#include "ptoscope/Machine/Phases.h"

#include "Core.h"
#include "ptoscope/Machine/PhaseSentences.h"

namespace ptoscope {

int32_t orderByFlag(PtoContext *context, SiteId site, Pipe src, Pipe dst) {
  Core &core = *static_cast<Core *>(context);
  SyncState &sync = core.sync;
  if (!sync.exists(uint32_t(src), uint32_t(dst), 0))
    return 0;
  const Flag &flag = sync.flag({src, dst, 0});
  // A flag that is up already ends the wait; the set then ends a wait of the program.
  const bool isUp = flag.setsIssued > flag.waitsIssued;
  if (isUp && core.report.checks.sync) [[unlikely]] {
    Finding finding = core.report.finding(site, say::kHiddenFlag(core.report.flagText(src, dst, 0, site)));
    if (core.report.knows(flag.lastSet))
      finding.notes.push_back({core.report.place(flag.lastSet), say::kHiddenSet()});
    core.report.addIterations(finding, site);
    core.report.add(std::move(finding));
  }
  if (isUp)
    if (int32_t status = core.waitFlag(site, uint32_t(src), uint32_t(dst), 0))
      return status;
  if (int32_t status = core.setFlag(site, uint32_t(src), uint32_t(dst), 0))
    return status;
  return isUp ? 0 : core.waitFlag(site, uint32_t(src), uint32_t(dst), 0);
}

} // namespace ptoscope
