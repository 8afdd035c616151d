//===- Report.h - findings of a core ----------------------------*- C++ -*-===//
//
// Every part of a core reports facts through this class: it knows places and loops,
// keeps what was found, and stops the core when there is enough.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_REPORT_H
#define PTOSCOPE_LIB_MACHINE_REPORT_H

#include "Setup.h"
#include "ptoscope/Machine/Sentences.h"

#include <optional>
#include <string>

namespace ptoscope {

class CopyElision;

class Report : public Words {
public:
  Report() = default;
  /// `context` holds the iterations of the loops and outlives the report.
  Report(const BlockSetup &setup, CoreId core, const PtoContext &context)
      : Words(setup.sites), checks(setup.options->checks), context(&context), findings(setup.findings),
        group(setup.group), core(core), endsWhenFull(setup.options->endsWhenFull) {}

  CopyElision *elision = nullptr; ///< what was put off may have something to report first
  bool stopped = false;           ///< the core does nothing more
  Checks checks;
  /// The vector scope that runs, with the iterations around it; null: none.
  const Instr *scope = nullptr;
  const PtoContext *context = nullptr;

  /// Stops this core and those that run with it.
  void stopAll();
  /// Where it is listed, if it is new, or tells of another turn what is listed there.
  std::optional<size_t> add(Finding finding);
  /// Reports and ends the block.
  int32_t fatal(Finding finding);
  /// A bug of ours; ends the block.
  int32_t internalError(SiteId site, const std::string &what);
  /// Reports with the iterations of the loops around `site`.
  void tell(SiteId site, const Fact &fact, std::optional<ByteRange> bytes = {});
  /// The same, and ends the block.
  int32_t end(SiteId site, const Fact &fact);
  /// A bad access, which is suppressed; it ends the block when accesses are not checked.
  void refuse(SiteId site, const Fact &fact, std::optional<ByteRange> bytes = {});

  Finding finding(SiteId site, const Fact &fact) const;
  /// Gives a finding the iterations of the loops around `site`, those around
  /// the running scope first.
  void addIterations(Finding &finding, SiteId site) const;

  /// The same for an instruction in a queue or on a pipe. In C++ its number is not that of a turn.
  template <typename Issued> void addTurns(Finding &finding, const Issued &of) const {
    if (!isCpp())
      finding.iterations.assign(of.iterations, of.iterations + of.depth);
  }

  uint32_t depthOf(SiteId site) const {
    if (!knows(site))
      return 0;
    uint32_t depth = (*sites)[site].depth;
    return depth < PTO_MAX_LOOP_DEPTH ? depth : uint32_t(PTO_MAX_LOOP_DEPTH);
  }
  /// The outermost loop around a site of the scalar unit's program; kNoSite without one.
  SiteId outermostLoop(SiteId site) const;

private:
  /// False: there is nothing more to report.
  bool settle();
  /// A loop tells the same for each turn, of which there may be millions: true if it is only counted.
  bool wasTold(SiteId site, const Fact &fact);

  struct Told {
    SiteId site;
    Fact fact;
    size_t finding; ///< where it is listed
  };
  std::vector<Told> toldInLoops;
  FindingList *findings = nullptr;
  Group *group = nullptr;
  CoreId core;
  bool endsWhenFull = true;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_REPORT_H
