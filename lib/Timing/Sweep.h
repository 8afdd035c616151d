//===- Sweep.h - changes of a number, brought into the order of time -*- C++ -*-===//
//
// Slices of a core come in issue order, those of different pipes overlap. A sweep
// keeps the changes that later slices may still precede, and passes on the others.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_SWEEP_H
#define PTOSCOPE_LIB_TIMING_SWEEP_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace ptoscope::timing {

class Sweep {
public:
  void add(double time, int64_t delta) {
    heap.push_back({time, delta});
    std::push_heap(heap.begin(), heap.end(), later);
  }
  /// Nothing will be added before `time`: calls take(time, delta) for what lies before it.
  template <typename Take> void advance(double time, Take take) {
    while (!heap.empty() && heap.front().time <= time) {
      std::pop_heap(heap.begin(), heap.end(), later);
      Step step = heap.back();
      heap.pop_back();
      take(step.time, step.delta);
    }
  }
  template <typename Take> void finish(Take take) { advance(std::numeric_limits<double>::infinity(), take); }

private:
  struct Step {
    double time;
    int64_t delta;
  };
  /// What ends at a time makes room for what begins then.
  static bool later(const Step &a, const Step &b) { return a.time != b.time ? a.time > b.time : a.delta > b.delta; }
  std::vector<Step> heap;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_SWEEP_H
