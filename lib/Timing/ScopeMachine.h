//===- ScopeMachine.h - the list schedule of a vector scope -----*- C++ -*-===//
//
// TIME-70 to TIME-73: a front end passes instructions on in order, some in a cycle,
// into a queue of bounded length. There each waits for its operands and a unit; of
// those that could start first, the oldest does. A loop is followed turn by turn
// until the state of everything repeats; the turns between are skipped.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_SCOPEMACHINE_H
#define PTOSCOPE_LIB_TIMING_SCOPEMACHINE_H

#include "ScopeFigures.h"

namespace ptoscope::timing {

class ScopeMachine {
public:
  /// `skips` is false in tests alone: then every turn is followed.
  ScopeMachine(const ScopeFigures &figures, const ScopeSchedule &schedule, std::span<const uint64_t> turns,
               bool skips = true);

  /// From the first instruction to the end of the last one.
  Tick run();

private:
  struct Node {
    const ScopeRegion *region;
    uint64_t turns;                 ///< in the whole run
    uint64_t owed;                  ///< turns that entries of the parent so far have to get, times its turns
    std::vector<uint32_t> children; ///< in order
    uint32_t first;                 ///< number of its first instruction
  };
  /// An instruction that was passed on, by its number in order of time; 0 is none.
  using Instance = uint64_t;
  /// When an instruction started: nothing yet, or never.
  static constexpr Tick kWaits = INT64_MAX, kNever = INT64_MIN / 4;
  struct Run {
    Instance instance = 0;
    Tick start = kNever;
  };
  struct Wait {
    Instance producer;
    Tick distance;
  };
  struct Entry {
    Instance instance;
    uint32_t number; ///< of the instruction
    Tick ready;      ///< by the operands that are known
    uint8_t port;    ///< where one executes it
    std::vector<Wait> waits;
  };
  struct Port {
    Tick issue = kNever, special = kNever; ///< free from then on
  };
  /// What starts next, and when; -1: nothing does.
  struct Choice {
    ptrdiff_t entry = -1;
    Tick at = kWaits;
  };

  void body(uint32_t region, unsigned depth);
  void loop(uint32_t region, uint64_t trips, unsigned depth);
  void goBack(Tick turnStart);
  void forget(uint32_t region);

  void issue(uint32_t region, uint32_t position);
  void newCycle();
  void waitUntil(Tick time);
  Tick freeFor(const Entry &entry) const;
  Choice next() const;
  void start(const Choice &choice);
  /// Lets everything start that can before `time`.
  void advance(Tick time);

  /// Everything that decides what comes next, relative to `now`.
  std::vector<Tick> state() const;
  void shift(Tick by);

  const ScopeFigures &figures;
  bool skips;
  std::vector<Node> nodes;
  std::vector<ScopeOp> ops;               ///< all instructions, region by region
  std::vector<std::array<Run, 2>> latest; ///< the same: last time and the time before

  Tick now = 0;        ///< of the front end
  uint32_t passed = 0; ///< instructions of this cycle
  Tick end = 0;        ///< what has started has ended
  bool hasGoneBack = false;
  Instance instances = 0;
  std::vector<Entry> queue; ///< oldest first
  Tick memory = kNever;     ///< the port of UB is free from then on
  Tick masks = kNever;      ///< the unit of masks
  std::array<Port, 2> ports;
  uint8_t nextPort = 0; ///< instructions that may use either take them in turn
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_SCOPEMACHINE_H
