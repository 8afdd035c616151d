//===- Placement.h - places of tiles in on-chip memories --------*- C++ -*-===//
//
// Gives addresses to buffers such that no two that are in use at the same time
// share bytes (PLAN-2). Knows buffers and steps of a program, not the program.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PLAN_PLACEMENT_H
#define PTOSCOPE_PLAN_PLACEMENT_H

#include "ptoscope/Machine/Types.h"

#include <optional>
#include <vector>

namespace ptoscope {

/// Steps of a program, numbered as it is written: [begin, end).
struct StepRange {
  uint32_t begin = UINT32_MAX, end = 0;

  bool empty() const { return begin >= end; }
  bool contains(uint32_t step) const { return begin <= step && step < end; }
  bool meets(const StepRange &other) const { return begin < other.end && other.begin < end; }
  void include(const StepRange &other) {
    begin = begin < other.begin ? begin : other.begin;
    end = end > other.end ? end : other.end;
  }
};

struct LiveBuffer {
  Space space;
  uint64_t bytes;
  StepRange used; ///< not empty
};

/// Why there are no addresses.
struct Overflow {
  Space space;
  uint64_t capacity;
  uint64_t needed;           ///< bytes in use at `step`, rounded up to places
  uint32_t step;             ///< the worst one
  std::vector<size_t> inUse; ///< buffers in use there, the largest first
};

struct Placement {
  std::vector<uint64_t> address; ///< by buffer
  std::optional<Overflow> overflow;
};

/// PLAN-4: bytes that tiles without addresses may have, and what their places are
/// multiples of.
uint64_t plannedBytes(const Profile &profile, Space space);
uint64_t plannedAlignment(Space space);

/// Buffers share bytes only where they do not all fit side by side: sharing makes
/// one instruction wait for another. `reuse`: wherever they may.
Placement placeBuffers(const std::vector<LiveBuffer> &buffers, const Profile &profile, bool reuse = false);

} // namespace ptoscope

#endif // PTOSCOPE_PLAN_PLACEMENT_H
