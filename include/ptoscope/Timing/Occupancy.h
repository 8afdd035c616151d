//===- Occupancy.h - bytes of local memories that are in use ----*- C++ -*-===//
//
// A byte is in use from the write that gives it its value to the last read of that
// value. Which bytes instructions touch is known where the race check kept it
// (Checkers/SyncNeeds.h), when they did so is in the timeline.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_OCCUPANCY_H
#define PTOSCOPE_TIMING_OCCUPANCY_H

#include "ptoscope/Checkers/SyncNeeds.h"
#include "ptoscope/Timing/Timeline.h"

#include <map>
#include <vector>

namespace ptoscope::timing {

/// Remembers when instructions ran, and then tells another sink about memories.
class Occupancy final : public TimelineSink {
public:
  void slice(const Slice &slice) override;
  /// Behind the timeline: calls `sink.occupancy`, for each memory in the order of time.
  void tell(const SyncNeeds &uses, TimelineSink &sink) const;

private:
  struct Times {
    double start, end, visible;
  };
  std::map<Track, std::vector<Times>> times; ///< by ordinal - 1
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_OCCUPANCY_H
