//===- TimedLaunch.cpp - how long a launch takes on a device --------------===//

#include "TimedLaunch.h"

#include "ptoscope/Checkers/SyncNeeds.h"
#include "ptoscope/Machine/TileSentences.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Timing/TimeFiles.h"
#include "ptoscope/Timing/Timer.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace ptoscope::tile {

struct TimedLaunch::Data {
  const timing::Model *model = nullptr; ///< null: nothing is timed
  std::unique_ptr<timing::Model> own;   ///< of a file
  std::string name;                     ///< of the figures, for reports
  bool wantsStats = false;
  timing::TimeFiles files;
  std::unique_ptr<timing::Timer> timer;
  std::unique_ptr<SyncNeeds> needs;
  std::unique_ptr<timing::Touches> touches;
};

TimedLaunch::TimedLaunch() : data(std::make_unique<Data>()) {}
TimedLaunch::~TimedLaunch() = default;

std::optional<Finding> TimedLaunch::open(Wishes wishes, const Profile &profile) {
  const std::string &file = wishes.timingFile;
  data->name = file.empty() ? std::string(profile.name) + ", built in" : file;
  data->wantsStats = wishes.stats;
  data->files.trace = std::move(wishes.trace);
  data->files.report = std::move(wishes.report);
  for (const auto &[path, refuse] : {std::pair(&data->files.trace, &timing::TraceSink::refusePath),
                                     std::pair(&data->files.report, &timing::TimeFiles::refuseReport)})
    if (std::optional<std::string> why = path->empty() ? std::nullopt : refuse(*path))
      return Words().finding(kNoSite, say::kTimeFile(*why));
  if (Result<void> writable = data->files.probe(); !writable)
    return writable.takeFinding();
  if (file.empty()) {
    data->model = &timing::Model::of(profile.id);
    return std::nullopt;
  }
  Result<std::unique_ptr<timing::Model>> read = timing::Model::read(file);
  if (!read)
    return read.takeFinding();
  if (!(*read)->serves(profile.id))
    return Words().finding(kNoSite, say::kOtherTiming(file, profileOf((*read)->profile()).name, profile.name));
  data->own = std::move(*read);
  data->model = data->own.get();
  return std::nullopt;
}

bool TimedLaunch::isOpen() const { return data->model; }

ObserverFactory *TimedLaunch::observers(const KernelImage &image, const LaunchOptions &options, ObserverFactory *next) {
  if (data->wantsStats || data->files.any()) {
    if (next && options.checks.race) {
      data->needs = makeSyncNeeds(*image.sites, *options.profile, *next);
      next = data->needs.get();
    }
    data->touches = std::make_unique<timing::Touches>(data->files.mostTouches(), next);
    next = data->touches.get();
  }
  data->timer = timing::makeTimer(image, *options.profile, *data->model, options, next);
  return data->timer.get();
}

/// The whole file, if it can be read.
static std::optional<std::string> textOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::unique_ptr<TimedStats> TimedLaunch::finish(const KernelImage &image, const LaunchOptions &options,
                                                const Lines &source, LaunchResult &launched) {
  auto result = std::make_unique<TimedStats>();
  const bool isCluster = image.aic && image.aiv;
  const timing::AdviceInput input{*data->timer,      *data->model,        *image.sites,
                                  *options.profile,  options.blocks,      isCluster ? image.vectorCores : uint8_t(0),
                                  data->needs.get(), data->touches.get(), launched.completed};
  const timing::StatsContext context{*image.sites, *data->model, data->name, isCluster, source};
  Result<timing::TimedResult> solved = timing::solveAndWrite(
      {input, context, launched.findings, "launch", PTOSCOPE_VERSION, textOf}, data->files, data->wantsStats);
  if (!solved) {
    launched.findings.add(solved.takeFinding());
    return nullptr;
  }
  const timing::Stats &stats = solved->stats;
  result->launch = stats.launch;
  if (!data->wantsStats)
    return result;
  result->overlap = stats.overlap;
  result->roofline = stats.roofline;
  if (stats.bound)
    result->bound = timing::profilerName(stats.pipes[*stats.bound].pipe);
  for (const timing::PipeStats &row : stats.pipes)
    result->pipes.push_back(
        {std::string(timing::coreName(row.core)), std::string(timing::profilerName(row.pipe)), row.time});
  for (const timing::Advice &advice : stats.advice)
    result->advice.push_back({advice.code, advice.message, advice.saves});
  result->table = timing::renderStats(stats, context);
  result->lines = timing::renderLines(stats, context);
  result->json = printJson(timing::toJson(stats, context));
  return result;
}

std::string problemOfTimingFile(const std::string &path) {
  Result<std::unique_ptr<timing::Model>> read = timing::Model::read(path);
  if (read)
    return "";
  const Finding &finding = read.finding();
  return (finding.place.line ? "line " + std::to_string(finding.place.line) + ": " : "") + finding.message;
}

std::string problemOfTrace(const std::string &path) {
  if (std::optional<std::string> why = timing::TraceSink::refusePath(path))
    return *why;
  Result<void> writable = OutputSet::probe(path);
  return writable ? "" : writable.finding().message;
}

std::string problemOfReport(const std::string &path) {
  if (std::optional<std::string> why = timing::TimeFiles::refuseReport(path))
    return *why;
  Result<void> writable = OutputSet::probe(path);
  return writable ? "" : writable.finding().message;
}

} // namespace ptoscope::tile
