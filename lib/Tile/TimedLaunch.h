//===- TimedLaunch.h - how long a launch takes on a device ------*- C++ -*-===//
//
// Apart from launch.hpp: its `Result` and that of Support do not go together.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_TIMEDLAUNCH_H
#define PTOSCOPE_LIB_TILE_TIMEDLAUNCH_H

#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Timing/Timeline.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptoscope::tile {

/// What Result::stats points into.
struct TimedStats {
  struct Pipe {
    std::string core, name;
    timing::PipeTime time;
  };
  struct Advice {
    std::string code, message;
    double saves;
  };
  timing::LaunchTime launch;
  double overlap = 0, roofline = 0;
  std::string bound, table, lines, json;
  std::vector<Pipe> pipes;
  std::vector<Advice> advice;
};

class TimedLaunch {
public:
  TimedLaunch();
  ~TimedLaunch();

  /// Times with the figures of `file`, or with those of the target where it is null. Why not,
  /// if the file cannot be used.
  std::optional<Finding> open(const char *file, const Profile &profile);
  bool isOpen() const;
  /// What has to observe the launch; it tells `next` everything, which may be null. `findsNeeds`:
  /// advice is wanted afterwards.
  ObserverFactory *observers(const KernelImage &image, const LaunchOptions &options, ObserverFactory *next,
                             bool findsNeeds = false);
  /// After the launch.
  timing::LaunchTime solve(timing::TimelineSink *sink = nullptr);
  using Lines = std::function<std::optional<std::string>(const std::string &file, uint32_t line)>;
  std::unique_ptr<TimedStats> stats(const KernelImage &image, const LaunchOptions &options, const Lines &source);

private:
  struct Data;
  std::unique_ptr<Data> data;
};

/// Why the file is no timing file; empty when it is one.
std::string problemOfTimingFile(const std::string &path);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_TIMEDLAUNCH_H
