//===- TimeReport.h - what `run` says about time ----------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_TIMEREPORT_H
#define PTOSCOPE_TOOLS_TIMEREPORT_H

#include "CommandLine.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Driver/Session.h"
#include "ptoscope/Timing/TimeFiles.h"

namespace ptoscope {

/// `--stats`, `--trace`, `--report` and their limits.
struct TimeReportOptions {
  enum class Stats { None, Table, Lines, Json };
  Stats stats = Stats::None;
  timing::TimeFiles files;

  std::vector<Option> options();
  std::vector<OptionRule> rules() const;
  /// Is there anything to say?
  bool any() const { return stats != Stats::None || files.any(); }
};

/// Of one run.
class TimeReport {
public:
  TimeReport(const TimeReportOptions &options, const ParsedProgram &program, const CompiledKernel &kernel,
             const LaunchOptions &launch, const RunResult &result, const timing::Model &model, std::string timingFile);

  /// Solves the run and writes the files. `findings` are in the report.
  Result<void> write(const FindingList &findings);
  /// Table or lines, and what the files have; ends in a newline unless it is empty.
  std::string text() const;
  nlohmann::ordered_json json() const;
  bool hasStats() const { return options.stats != TimeReportOptions::Stats::None; }

private:
  const TimeReportOptions &options;
  const ParsedProgram &program;
  const CompiledKernel &kernel;
  const LaunchOptions &launch;
  const RunResult &result;
  timing::StatsContext context;
  timing::TimedResult solved;
};

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_TIMEREPORT_H
