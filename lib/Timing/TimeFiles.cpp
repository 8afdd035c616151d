//===- TimeFiles.cpp - traces and reports of a launch ---------------------===//

#include "ptoscope/Timing/TimeFiles.h"

#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Timing/Sinks.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace ptoscope::timing {

std::optional<std::string> TimeFiles::refuseReport(const std::string &path) {
  if (path.ends_with(".html") || path.ends_with(".json"))
    return std::nullopt;
  return "`" + path + "` is not a report; its name ends in `.html` or `.json`";
}

Result<void> TimeFiles::probe() const {
  for (const std::string &path : {trace, report})
    if (Result<void> writable = path.empty() ? Result<void>() : OutputSet::probe(path); !writable)
      return writable;
  auto placeOf = [](const std::string &path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  if (!trace.empty() && !report.empty() && placeOf(trace) == placeOf(report)) {
    Finding finding = makeFinding("usage", {}, "trace and report are the same file, `" + trace + "`");
    finding.help = "give each a file of its own";
    return finding;
  }
  return {};
}

Result<TimedResult> solveAndWrite(const TimedRun &run, const TimeFiles &files, bool wantsStats) {
  TimedResult result;
  Sinks sinks;
  std::unique_ptr<TraceSink> trace;
  if (!files.trace.empty()) {
    TraceOptions options;
    options.sites = &run.context.sites;
    options.title = "@" + run.kernel + ", timing of " + run.context.timingFile;
    options.isCluster = run.context.isCluster;
    options.limit = files.traceLimit;
    options.source = run.context.source;
    Result<std::unique_ptr<TraceSink>> opened = TraceSink::open(files.trace, options);
    if (!opened)
      return opened.takeFinding();
    trace = std::move(*opened);
    sinks.add(*trace);
  }
  std::optional<ReportSink> report;
  if (!files.report.empty())
    sinks.add(report.emplace(files.reportLimit));
  if (report || wantsStats)
    result.stats = collectStats(run.input, sinks.empty() ? nullptr : &sinks);
  else
    result.stats.launch = solveWithMemories(run.input, sinks);
  OutputSet staging;
  if (report) {
    const std::string data = printReport(
        reportData(*report, {run.context.sites, run.input.profile, run.findings, run.input.timer, result.stats,
                             run.context, run.kernel, run.input.blocks, run.version, run.text}));
    const std::string text = files.report.ends_with(".json") ? data : reportPage({&data, 1});
    if (Result<void> staged = staging.stage(files.report, text); !staged)
      return staged.takeFinding();
  }
  if (trace) {
    if (Result<void> written = trace->commit(); !written)
      return written.takeFinding();
    result.slices = trace->written();
    result.leftOut = trace->leftOut();
  }
  if (Result<void> written = staging.commit(); !written)
    return written.takeFinding();
  return result;
}

} // namespace ptoscope::timing
