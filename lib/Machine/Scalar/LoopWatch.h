//===- LoopWatch.h - telling a loop that cannot end -------------*- C++ -*-===//
//
// A loop of the scalar unit that waits for memory ends when something changes.
// When turn after turn nothing ran, nothing was written and the carried values
// stayed the same, it never will.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCALAR_LOOPWATCH_H
#define PTOSCOPE_LIB_MACHINE_SCALAR_LOOPWATCH_H

#include "ptoscope/Machine/Sites.h"

#include <span>
#include <unordered_map>

namespace ptoscope {

class LoopWatch {
public:
  /// What a turn could have changed, when it ends.
  struct View {
    uint64_t changes, executed, issued;
    uint64_t others; ///< activity of the other cores
    std::span<const uint8_t> carried;
    std::span<const int64_t> outerIterations;
  };

  /// A turn of `loop` ends: loops inside it start afresh.
  void forgetInner(SiteId loop, const SiteTable *sites);
  /// Counts turns of loops that end by themselves; true for every 64th.
  bool countFinite() { return ++finiteTurns % 64 == 0; }
  /// True when the turn looks like the one before; otherwise it is remembered.
  bool repeats(SiteId loop, const View &view);
  /// True when something moved or other cores did: such turns do not count.
  bool excused(SiteId loop, bool moved, uint64_t others);
  /// Counts a turn that changed nothing; true when it is one too many.
  bool hopeless(SiteId loop) { return ++turns[loop].repeats >= kSameTurns; }

private:
  /// A short loop in a function that is called twice looks the same as well, but
  /// not many times in a row.
  static constexpr uint32_t kSameTurns = 16;
  struct Turn {
    bool visited = false;
    uint32_t repeats = 0; ///< turns in a row that were all the same
    uint64_t changes = 0, executed = 0, issued = 0, others = 0;
    std::vector<uint8_t> carried;
    std::vector<int64_t> outerIterations;
  };
  std::unordered_map<SiteId, Turn> turns;
  uint32_t finiteTurns = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCALAR_LOOPWATCH_H
