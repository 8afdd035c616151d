//===- TimeReport.h - what `run` says about time ----------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_TIMEREPORT_H
#define PTOSCOPE_TOOLS_TIMEREPORT_H

#include "CommandLine.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Driver/Session.h"
#include "ptoscope/Timing/Stats.h"
#include "ptoscope/Timing/Trace.h"

namespace ptoscope {

/// `--stats`, `--trace`, `--trace-limit`.
struct TimeReportOptions {
  enum class Stats { None, Table, Lines, Json };
  Stats stats = Stats::None;
  std::string trace;
  uint64_t traceLimit = timing::TraceOptions::kDefaultLimit;

  std::vector<Option> options();
  /// Is there anything to say?
  bool any() const { return stats != Stats::None || !trace.empty(); }
  /// Refuses places that cannot be written, before the run.
  Result<void> probe() const;
};

/// Of one run that came to its end.
class TimeReport {
public:
  TimeReport(const TimeReportOptions &options, const ParsedProgram &program, const CompiledKernel &kernel,
             const LaunchOptions &launch, const RunResult &result, const timing::Model &model, std::string timingFile);

  /// Solves the run and writes the trace. `more` is told the timeline, too, and may be null.
  Result<void> write(timing::TimelineSink *more);
  /// Table or lines, and what the trace has; ends in a newline unless it is empty.
  std::string text() const;
  nlohmann::ordered_json json() const;
  bool hasStats() const { return options.stats != TimeReportOptions::Stats::None; }

private:
  const TimeReportOptions &options;
  const CompiledKernel &kernel;
  const LaunchOptions &launch;
  const RunResult &result;
  timing::StatsContext context;
  timing::Stats stats;
  std::string traceText;
};

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_TIMEREPORT_H
