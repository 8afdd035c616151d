//===- TimedLaunch.cpp - how long a launch takes on a device --------------===//

#include "TimedLaunch.h"

#include "ptoscope/Checkers/SyncNeeds.h"
#include "ptoscope/Machine/TileSentences.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Timing/Stats.h"
#include "ptoscope/Timing/Timer.h"

#include <nlohmann/json.hpp>

namespace ptoscope::tile {

struct TimedLaunch::Data {
  const timing::Model *model = nullptr; ///< null: nothing is timed
  std::unique_ptr<timing::Model> own;   ///< of a file
  std::string name;                     ///< of the figures, for reports
  std::unique_ptr<timing::Timer> timer;
  std::unique_ptr<SyncNeeds> needs;
};

TimedLaunch::TimedLaunch() : data(std::make_unique<Data>()) {}
TimedLaunch::~TimedLaunch() = default;

std::optional<Finding> TimedLaunch::open(const char *file, const Profile &profile) {
  data->model = &timing::Model::of(profile.id);
  data->name = file ? file : std::string(profile.name) + ", built in";
  if (!file)
    return std::nullopt;
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

ObserverFactory *TimedLaunch::observers(const KernelImage &image, const LaunchOptions &options, ObserverFactory *next,
                                        bool findsNeeds) {
  if (findsNeeds && next && options.checks.race) {
    data->needs = makeSyncNeeds(*image.sites, *options.profile, *next);
    next = data->needs.get();
  }
  data->timer = timing::makeTimer(image, *options.profile, *data->model, options, next);
  return data->timer.get();
}

timing::LaunchTime TimedLaunch::solve(timing::TimelineSink *sink) { return data->timer->solve(*data->model, sink); }

std::unique_ptr<TimedStats> TimedLaunch::stats(const KernelImage &image, const LaunchOptions &options,
                                               const Lines &source) {
  const bool isCluster = image.aic && image.aiv;
  const timing::Stats stats =
      timing::collectStats({*data->timer, *data->model, *image.sites, *options.profile, options.blocks,
                            isCluster ? image.vectorCores : uint8_t(0), data->needs.get()});
  const timing::StatsContext context{*image.sites, *data->model, data->name, isCluster, source};
  auto result = std::make_unique<TimedStats>();
  result->launch = stats.launch;
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

} // namespace ptoscope::tile
