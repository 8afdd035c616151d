//===- TimeReport.cpp - what `run` says about time ------------------------===//

#include "TimeReport.h"

#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Timing/Sinks.h"

#include <nlohmann/json.hpp>

namespace ptoscope {

std::vector<Option> TimeReportOptions::options() {
  return {
      {"--stats", "[=lines|json]",
       "print where the cycles of the timing model go: pipes, waits, advice\n"
       "(docs/profiling.md); `lines`: beside each line of the source; `json`: for\n"
       "programs",
       [this](const std::string &word) -> std::optional<std::string> {
         if (word.empty())
           stats = Stats::Table;
         else if (word == "lines")
           stats = Stats::Lines;
         else if (word == "json")
           stats = Stats::Json;
         else
           return "`" + word + "` is no kind of statistics; it is lines or json";
         return std::nullopt;
       }},
      {"--trace", "FILE", "write a timeline: .pftrace for ui.perfetto.dev, .json for Chrome's viewer",
       [this](const std::string &word) {
         trace = word;
         return timing::TraceSink::refusePath(word);
       }},
      {"--trace-limit", "N", "slices in a trace (default: 10000000); more are counted and left out",
       [this](const std::string &word) -> std::optional<std::string> {
         std::optional<int64_t> value = parseInteger(word);
         if (!value || *value < 1)
           return "`" + word + "` is not a whole number of at least 1";
         traceLimit = uint64_t(*value);
         return std::nullopt;
       }},
  };
}

Result<void> TimeReportOptions::probe() const { return trace.empty() ? Result<void>() : OutputSet::probe(trace); }

TimeReport::TimeReport(const TimeReportOptions &options, const ParsedProgram &program, const CompiledKernel &kernel,
                       const LaunchOptions &launch, const RunResult &result, const timing::Model &model,
                       std::string timingFile)
    : options(options), kernel(kernel), launch(launch), result(result),
      context{kernel.sites, model, std::move(timingFile), kernel.image.aic && kernel.image.aiv,
              [&program](const std::string &file, uint32_t line) {
                return program.path == file ? program.line(line) : std::nullopt;
              }} {}

Result<void> TimeReport::write(timing::TimelineSink *more) {
  std::unique_ptr<timing::TraceSink> trace;
  timing::Sinks sinks;
  if (more)
    sinks.add(*more);
  if (!options.trace.empty()) {
    timing::TraceOptions traceOptions;
    traceOptions.sites = &kernel.sites;
    traceOptions.title = "@" + kernel.name + ", timing of " + context.timingFile;
    traceOptions.isCluster = context.isCluster;
    traceOptions.limit = options.traceLimit;
    traceOptions.source = context.source;
    Result<std::unique_ptr<timing::TraceSink>> opened = timing::TraceSink::open(options.trace, traceOptions);
    if (!opened)
      return opened.takeFinding();
    trace = std::move(*opened);
    sinks.add(*trace);
  }
  const timing::AdviceInput input{*result.timer,     context.model,
                                  kernel.sites,      *launch.profile,
                                  launch.blocks,     context.isCluster ? kernel.image.vectorCores : uint8_t(0),
                                  result.needs.get()};
  if (hasStats())
    stats = timing::collectStats(input, sinks.empty() ? nullptr : &sinks);
  else
    timing::solveWithMemories(input, sinks);
  if (!trace)
    return {};
  if (Result<void> written = trace->commit(); !written)
    return written;
  traceText = "trace            " + options.trace + ": " + std::to_string(trace->written()) + " slices";
  if (trace->leftOut())
    traceText += ", " + std::to_string(trace->leftOut()) + " more left out by --trace-limit";
  traceText += "\n";
  return {};
}

nlohmann::ordered_json TimeReport::json() const { return timing::toJson(stats, context); }

std::string TimeReport::text() const {
  switch (options.stats) {
  case TimeReportOptions::Stats::None:
  case TimeReportOptions::Stats::Json:
    return traceText;
  case TimeReportOptions::Stats::Table:
    return timing::renderStats(stats, context) + traceText;
  case TimeReportOptions::Stats::Lines:
    return "timing           " + timing::describeModel(context.model, context.timingFile) + "\n\n" +
           timing::renderLines(stats, context) + traceText;
  }
  return {};
}

} // namespace ptoscope
