//===- TimedLaunch.cpp - how long a launch takes on a device --------------===//

#include "TimedLaunch.h"

#include "ptoscope/Machine/TileSentences.h"
#include "ptoscope/Timing/Timer.h"

namespace ptoscope::tile {

struct TimedLaunch::Data {
  const timing::Model *model = nullptr; ///< null: nothing is timed
  std::unique_ptr<timing::Model> own;   ///< of a file
  std::unique_ptr<timing::Timer> timer;
};

TimedLaunch::TimedLaunch() : data(std::make_unique<Data>()) {}
TimedLaunch::~TimedLaunch() = default;

std::optional<Finding> TimedLaunch::open(const char *file, const Profile &profile) {
  data->model = &timing::Model::of(profile.id);
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

ObserverFactory *TimedLaunch::observers(const KernelImage &image, const LaunchOptions &options, ObserverFactory *next) {
  data->timer = timing::makeTimer(image, *options.profile, *data->model, options, next);
  return data->timer.get();
}

timing::LaunchTime TimedLaunch::solve(timing::TimelineSink *sink) { return data->timer->solve(*data->model, sink); }

std::string problemOfTimingFile(const std::string &path) {
  Result<std::unique_ptr<timing::Model>> read = timing::Model::read(path);
  if (read)
    return "";
  const Finding &finding = read.finding();
  return (finding.place.line ? "line " + std::to_string(finding.place.line) + ": " : "") + finding.message;
}

} // namespace ptoscope::tile
