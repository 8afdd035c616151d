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
  timing::LaunchTime launch; ///< always there; the rest is where statistics were asked for
  double overlap = 0, roofline = 0;
  std::string bound, table, lines, json;
  std::vector<Pipe> pipes;
  std::vector<Advice> advice;
};

class TimedLaunch {
public:
  TimedLaunch();
  ~TimedLaunch();

  struct Wishes {
    std::string timingFile; ///< empty: the figures of the target
    bool stats = false;
    std::string trace, report; ///< files; empty: none
  };
  /// Why not, if a file cannot be used or written.
  std::optional<Finding> open(Wishes wishes, const Profile &profile);
  bool isOpen() const;
  /// What has to observe the launch; it tells `next` everything, which may be null.
  ObserverFactory *observers(const KernelImage &image, const LaunchOptions &options, ObserverFactory *next);

  using Lines = std::function<std::optional<std::string>(const std::string &file, uint32_t line)>;
  /// After the launch: solves it and writes files. A file that cannot be written is a finding.
  std::unique_ptr<TimedStats> finish(const KernelImage &image, const LaunchOptions &options, const Lines &source,
                                     LaunchResult &result);

private:
  struct Data;
  std::unique_ptr<Data> data;
};

/// Why the file is no timing file; empty when it is one.
std::string problemOfTimingFile(const std::string &path);
/// Why a launch cannot leave such a file; empty when it can.
std::string problemOfTrace(const std::string &path);
std::string problemOfReport(const std::string &path);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_TIMEDLAUNCH_H
