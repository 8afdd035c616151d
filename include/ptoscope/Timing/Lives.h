//===- Lives.h - from when to when bytes of memories are in use -*- C++ -*-===//
//
// Which bytes instructions touch is known from the run (Touches.h), when they did so
// from its timeline. Both together say how long a value lies in an on-chip memory.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_LIVES_H
#define PTOSCOPE_TIMING_LIVES_H

#include "ptoscope/Timing/Timeline.h"
#include "ptoscope/Timing/Touches.h"

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace ptoscope::timing {

/// Remembers when instructions ran that touched memories, and then tells another sink.
class Lives final : public TimelineSink {
public:
  /// `touches` must outlive it.
  explicit Lives(const Touches &touches) : touches(touches) {}
  void slice(const Slice &slice) override;
  /// Behind the timeline: calls `sink.memory` for each memory that something touched, by block.
  void tell(TimelineSink &sink) const;

private:
  struct Times {
    double start = -1, end = 0; ///< below 0: none is known
    SiteId site = kNoSite;
  };
  const Touches &touches;
  std::map<Track, std::vector<Times>> times; ///< by ordinal - 1
};

/// Calls fn(time, bytes) where the number of bytes in use changes, in the order of time.
void forEachChange(std::span<const Life> lives, const std::function<void(double time, uint64_t bytes)> &fn);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_LIVES_H
