//===- Report.h - findings of a core, and the words they share --*- C++ -*-===//
//
// Every part of a core reports through this class: it knows places and loops,
// keeps what was found, and stops the core when there is enough. Names and
// phrases that several messages use are made here, and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_REPORT_H
#define PTOSCOPE_LIB_MACHINE_REPORT_H

#include "Setup.h"

#include <optional>
#include <string>

namespace ptoscope {

/// "AIC", "AIV0", "AIV1".
inline std::string_view nameOf(CoreId core) {
  return core.index == 0 ? "AIC" : core.index == 1 ? "AIV0" : "AIV1";
}
/// "0x1f".
std::string hex(uint64_t value);
/// "`name`".
std::string quoted(std::string_view name);
/// "1 byte", "2 bytes".
std::string plural(uint64_t n, std::string_view one);
/// "UB", as messages write it.
std::string spaceText(Space space);
/// "PIPE_V"; "pipe number N" where there is none.
std::string pipeText(uint32_t pipe);
/// "add.pto:24".
std::string lineText(const Place &place);

class Report {
public:
  Report() = default;
  /// `context` holds the iterations of the loops and outlives the report.
  Report(const BlockSetup &setup, CoreId core, const PtoContext &context)
      : checks(setup.options->checks), sites(setup.sites), findings(setup.findings), group(setup.group),
        core(core), context(&context) {}

  bool stopped = false; ///< the core does nothing more
  Checks checks;
  const SiteTable *sites = nullptr; ///< may be null
  /// The vector scope that runs, with the iterations around it; null: none.
  const Instr *scope = nullptr;

  /// Stops this core and those that run with it.
  void stopAll();
  void add(Finding finding);
  /// Reports and ends the block.
  int32_t fatal(Finding finding);
  int32_t internalError(SiteId site, std::string message);
  /// Reports with the iterations of the loops around `site`.
  void tell(std::string_view code, SiteId site, std::string message, std::string help,
            std::optional<ByteRange> bytes = {});
  /// The same, and ends the block.
  int32_t end(std::string_view code, SiteId site, std::string message, std::string help);
  /// A bad access, which is suppressed; it ends the block when nobody checks accesses.
  void refuse(std::string_view code, SiteId site, std::string message, std::string help,
              std::optional<ByteRange> bytes = {});

  Finding finding(std::string_view code, SiteId site, std::string message) const;
  /// Gives a finding the iterations of the loops around `site`, those around
  /// the running scope first.
  void addIterations(Finding &finding, SiteId site) const;

  bool knows(SiteId site) const { return sites && site < sites->size(); }
  Place place(SiteId site) const { return sites ? sites->placeOf(site) : Place{}; }
  bool isCpp() const { return sites && sites->isCpp(); }
  uint32_t depthOf(SiteId site) const {
    if (!knows(site))
      return 0;
    uint32_t depth = (*sites)[site].depth;
    return depth < PTO_MAX_LOOP_DEPTH ? depth : uint32_t(PTO_MAX_LOOP_DEPTH);
  }
  /// The outermost loop around a site of the scalar unit's program; kNoSite without one.
  SiteId outermostLoop(SiteId site) const;

  /// "`pto.vadd`", or "the instruction" for an unknown site.
  std::string opName(SiteId site) const;
  /// The same with the distribution, if it has one.
  std::string accessName(SiteId site) const;
  /// "file:3:5", or "an unknown place".
  std::string placeText(SiteId site) const;
  /// The event as `site` would write it: "EVENT_ID2", or its symbolic name.
  std::string eventName(int64_t eventId, SiteId site) const;
  /// "PIPE_V -> PIPE_MTE2, EVENT_ID2 (`NAME`)": the name if `site` wrote one.
  std::string flagText(Pipe src, Pipe dst, int64_t eventId, SiteId site) const;
  /// The instruction `op` on a flag, as the program would write it.
  std::string flagLine(const char *op, Pipe src, Pipe dst, int64_t eventId, SiteId site) const;

private:
  FindingList *findings = nullptr;
  Group *group = nullptr;
  CoreId core;
  const PtoContext *context = nullptr;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_REPORT_H
