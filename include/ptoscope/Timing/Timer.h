//===- Timer.h - record a run, then say when everything happened -*- C++ -*-===//
//
// A Timer observes a launch: it keeps, for each block, what was issued in which
// order, what each instruction costs alone and which events order them. Times
// come afterwards, from `solve`: bandwidth of GM is shared by the size of the
// launch and what it touches, which is known only then. Everything goes by
// ordinals, so that times depend on neither the schedule, nor threads, nor the host.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_TIMER_H
#define PTOSCOPE_TIMING_TIMER_H

#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Timing/Model.h"
#include "ptoscope/Timing/Timeline.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace ptoscope::timing {

/// The recorded program with a change, to compute what the change would save. Nothing
/// else differs: an empty one gives the times of the run.
struct Change {
  /// Flags, buffer ids and barriers of these sites are not there: they neither wait nor
  /// cost anything.
  std::vector<SiteId> dropped;
  /// Waits and acquires of these sites wait for the set (release) of the same id that came
  /// one earlier, or for nothing: there is one more buffer.
  std::vector<SiteId> oneEarlier;
  /// An instruction of this site keeps its pipe busy for so many cycles less.
  std::vector<std::pair<SiteId, double>> shorter;
  /// Each core of a block does this part of its work, in fewer or shorter turns. Other cores
  /// do the rest at the same time: as many bytes of GM are moved.
  std::array<double, kCoresPerBlock> share = {1, 1, 1};

  bool isEmpty() const {
    return dropped.empty() && oneEarlier.empty() && shorter.empty() &&
           share == std::array<double, kCoresPerBlock>{1, 1, 1};
  }
};

/// How a file that tells of a recorded program numbers places and paths of bytes.
struct GraphNames {
  std::function<int64_t(SiteId)> site;
  std::function<int64_t(Space from, Space to)> path;
};

class Timer : public ObserverFactory {
public:
  /// Complete once the launch has returned; may be called again, with other figures or
  /// with a change.
  virtual LaunchTime solve(const Model &model, TimelineSink *sink, const Change &change = {}) = 0;

  /// The recorded program and its costs as docs/report-format.md describes them: the first blocks,
  /// of at most `limit` instructions. Null where they would say nothing about the launch.
  virtual nlohmann::ordered_json graph(const Model &model, uint64_t limit, const GraphNames &names) const;
};

/// The tables must outlive the timer. `next` sees every event, too, and may be null.
std::unique_ptr<Timer> makeTimer(const KernelImage &image, const Profile &profile, const Model &model,
                                 const LaunchOptions &options, ObserverFactory *next);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_TIMER_H
