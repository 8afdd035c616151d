//===- Runs.h - programs that are recorded once and timed often -*- C++ -*-===//

#ifndef PTOSCOPE_VALIDATE_RUNS_H
#define PTOSCOPE_VALIDATE_RUNS_H

#include "ptoscope/Timing/Timer.h"
#include "ptoscope/Validate/Programs.h"

#include <memory>

namespace ptoscope {
class Session;
}

namespace ptoscope::validate {

/// What a run takes, in cycles. Times of cores and pipes are means over the cores of a kind.
struct Measured {
  double withLaunch = 0;
  struct Core {
    double cores = 0; ///< how many there are
    double time = 0;  ///< from its first instruction to its last end
    std::array<double, kPipeSlots> busy{};
  };
  Core cube, vector;
  double movedBytes = 0;
  double clockMHz = 0;

  /// The figure of a row in its own unit, or in microseconds where that is a share; nothing: the
  /// kernel does not have it.
  std::optional<double> metric(const Anchor &anchor) const;
};

/// A recorded run of a program.
class Run {
public:
  virtual ~Run() = default;
  virtual Measured measure(const timing::Model &model) const = 0;
};

/// Runs the row's program without data, and keeps what the timer recorded.
OrReason<std::shared_ptr<const Run>> record(Session &session, const Recipe &recipe);

} // namespace ptoscope::validate

#endif // PTOSCOPE_VALIDATE_RUNS_H
