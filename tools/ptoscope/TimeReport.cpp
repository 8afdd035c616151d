//===- TimeReport.cpp - what `run` says about time ------------------------===//

#include "TimeReport.h"

#include "Report.h"

#include <nlohmann/json.hpp>

namespace ptoscope {

std::vector<Option> TimeReportOptions::options() {
  auto limit = [](uint64_t &target) {
    return [&target](const std::string &word) -> std::optional<std::string> {
      std::optional<int64_t> value = parseInteger(word);
      if (!value || *value < 1)
        return "`" + word + "` is not a whole number of at least 1";
      target = uint64_t(*value);
      return std::nullopt;
    };
  };
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
           return "`" + word + "` is not a kind of statistics; use lines or json";
         return std::nullopt;
       }},
      {"--trace", "FILE", "write a timeline: .pftrace for ui.perfetto.dev, .json for Chrome's viewer",
       [this](const std::string &word) {
         files.trace = word;
         return timing::TraceSink::refusePath(word);
       }},
      {"--trace-limit", "N", "slices in a trace (default: 10000000); more are counted and left out",
       limit(files.traceLimit)},
      {"--report", "FILE",
       "write a page that shows where the cycles went (.html), or its data for\n`ptoscope report` (.json)",
       [this](const std::string &word) {
         files.report = word;
         return timing::TimeFiles::refuseReport(word);
       }},
      {"--report-limit", "N", "instructions that a report shows one by one (default: 100000)",
       limit(files.reportLimit)},
  };
}

std::vector<OptionRule> TimeReportOptions::rules() const {
  return {{"--trace-limit", OptionRule::Needs, {"--trace"}}, {"--report-limit", OptionRule::Needs, {"--report"}}};
}

TimeReport::TimeReport(const TimeReportOptions &options, const ParsedProgram &program, const CompiledKernel &kernel,
                       const LaunchOptions &launch, const RunResult &result, const timing::Model &model,
                       std::string timingFile)
    : options(options), program(program), kernel(kernel), launch(launch), result(result),
      context{kernel.sites, model, std::move(timingFile), kernel.image.aic && kernel.image.aiv,
              [&program](const std::string &file, uint32_t line) {
                return program.path == file ? program.line(line) : std::nullopt;
              }} {}

Result<void> TimeReport::write(const FindingList &findings) {
  const timing::AdviceInput input{
      *result.timer,      context.model,        kernel.sites,
      *launch.profile,    launch.blocks,        context.isCluster ? kernel.image.vectorCores : uint8_t(0),
      result.needs.get(), result.touches.get(), result.launch.completed};
  Result<timing::TimedResult> written = timing::solveAndWrite(
      {input, context, findings, kernel.name, kVersion,
       [this](const std::string &path) { return path == program.path ? std::optional(program.text) : std::nullopt; }},
      options.files, hasStats());
  if (!written)
    return written.takeFinding();
  solved = std::move(*written);
  return {};
}

nlohmann::ordered_json TimeReport::json() const { return timing::toJson(solved.stats, context); }

std::string TimeReport::text() const {
  std::string text;
  if (options.stats == TimeReportOptions::Stats::Table)
    text = timing::renderStats(solved.stats, context);
  else if (options.stats == TimeReportOptions::Stats::Lines)
    text = "timing           " + timing::describeModel(context.model, context.timingFile) + "\n" +
           (solved.stats.completed ? "" : "                 the run ended early: cycles are those until then\n") +
           "\n" + timing::renderLines(solved.stats, context);
  if (!options.files.trace.empty()) {
    text += "trace            " + options.files.trace + ": " + std::to_string(solved.slices) + " slices";
    if (solved.leftOut)
      text += ", " + std::to_string(solved.leftOut) + " more left out by --trace-limit";
    text += "\n";
  }
  if (!options.files.report.empty())
    text += "report           " + options.files.report + "\n";
  return text;
}

} // namespace ptoscope
