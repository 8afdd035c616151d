//===- Lives.h - from when to when bytes of a memory are in use -*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TIMING_LIVES_H
#define PTOSCOPE_LIB_TIMING_LIVES_H

#include "ptoscope/Timing/Timeline.h"
#include "ptoscope/Timing/Touches.h"

namespace ptoscope::timing {

struct TimedTouch {
  const Touch *touch;
  const Slice *slice; ///< of its instruction
};

/// Bytes [begin, end) from when they are written to when they are last used before they are
/// written again. What is read without having been written lives from its first read on.
struct Life {
  uint64_t begin, end;
  double from, to;
  const Slice *writer;
};

/// Of one memory of one core, in the order of `from`.
std::vector<Life> livesOf(std::vector<TimedTouch> touches);

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_LIVES_H
