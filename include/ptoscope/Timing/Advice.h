//===- Advice.h - changes that would save cycles ----------------*- C++ -*-===//
//
// Patterns that cost time, each with the cycles that its repair saves. They are
// computed: the recorded program is solved again with the change, and what the
// solver says is what is promised (docs/profiling.md).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_ADVICE_H
#define PTOSCOPE_TIMING_ADVICE_H

#include "ptoscope/Machine/Sites.h"

#include <string>
#include <vector>

namespace ptoscope {
class SyncNeeds; // ptoscope/Checkers/SyncNeeds.h
}

namespace ptoscope::timing {

class Model;
class Timer;
class Touches;
struct Stats;

struct Advice {
  std::string code; ///< "single-buffer"
  std::string message;
  std::string help;
  double saves = 0;          ///< cycles of the launch
  std::vector<SiteId> sites; ///< what it is about, in the order of the text
};

/// What advice is computed from.
struct AdviceInput {
  Timer &timer;
  const Model &model;
  const SiteTable &sites;
  const Profile &profile;
  int64_t blocks = 1;
  uint8_t vectorCores = 0;          ///< of a cluster; 0: a block is one core
  const SyncNeeds *needs = nullptr; ///< null: no one looked
  const Touches *touches = nullptr; ///< likewise
  bool completed = true;            ///< the run came to its end
};

/// Adds advice, most cycles first, and says what was not looked for. A run that ended early has none: what it did not
/// come to may need what it did.
void advise(const AdviceInput &input, Stats &stats);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_ADVICE_H
