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

namespace ptoscope::timing {

class Timer : public ObserverFactory {
public:
  /// Complete once the launch has returned; may be called again, with other figures.
  virtual LaunchTime solve(const Model &model, TimelineSink *sink) = 0;
};

/// The tables must outlive the timer. `next` sees every event, too, and may be null.
std::unique_ptr<Timer> makeTimer(const KernelImage &image, const Profile &profile, const Model &model,
                                 const LaunchOptions &options, ObserverFactory *next);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_TIMER_H
