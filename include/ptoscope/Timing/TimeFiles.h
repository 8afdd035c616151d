//===- TimeFiles.h - traces and reports of a launch -------------*- C++ -*-===//

#ifndef PTOSCOPE_TIMING_TIMEFILES_H
#define PTOSCOPE_TIMING_TIMEFILES_H

#include "ptoscope/Timing/Advice.h"
#include "ptoscope/Timing/Report.h"
#include "ptoscope/Timing/Touches.h"
#include "ptoscope/Timing/Trace.h"

#include <algorithm>

namespace ptoscope::timing {

/// Files that show when everything in a launch happened; empty paths: none.
struct TimeFiles {
  std::string trace, report;
  uint64_t traceLimit = TraceOptions::kDefaultLimit, reportLimit = ReportSink::kDefaultLimit;

  bool any() const { return !trace.empty() || !report.empty(); }
  /// A message when the ending of the path names no kind of report.
  static std::optional<std::string> refuseReport(const std::string &path);
  /// Refuses places that cannot be written, before the run.
  Result<void> probe() const;
  /// Touches that are worth keeping for them.
  uint64_t mostTouches() const { return std::max(Touches::kDefaultLimit, reportLimit); }
};

/// A launch that has returned, and what files tell of it besides times.
struct TimedRun {
  AdviceInput input;
  StatsContext context;
  const FindingList &findings;
  std::string kernel, version; ///< of the tool
  /// The whole text of a source file, if it is to be had.
  std::function<std::optional<std::string>(const std::string &path)> text;
};

struct TimedResult {
  Stats stats; ///< of which `launch` is always there
  /// In the trace, and beyond its limit.
  uint64_t slices = 0, leftOut = 0;
};

/// Solves the launch and writes the files. Where one of them cannot be written, there is none.
Result<TimedResult> solveAndWrite(const TimedRun &run, const TimeFiles &files, bool wantsStats);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_TIMEFILES_H
