//===- Sinks.h - several who want to see one timeline -----------*- C++ -*-===//

#ifndef PTOSCOPE_TIMING_SINKS_H
#define PTOSCOPE_TIMING_SINKS_H

#include "ptoscope/Timing/Timeline.h"

#include <vector>

namespace ptoscope::timing {

/// Tells each of them everything, in the order in which they were added.
class Sinks final : public TimelineSink {
public:
  /// It must outlive this.
  void add(TimelineSink &sink) { all.push_back(&sink); }
  bool empty() const { return all.empty(); }

  void slice(const Slice &slice) override {
    for (TimelineSink *sink : all)
      sink->slice(slice);
  }
  void arrow(const Arrow &arrow) override {
    for (TimelineSink *sink : all)
      sink->arrow(arrow);
  }
  void memory(const MemoryUse &use) override {
    for (TimelineSink *sink : all)
      sink->memory(use);
  }

private:
  std::vector<TimelineSink *> all;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_SINKS_H
