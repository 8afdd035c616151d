//===- ScopeFigures.h - figures of instructions in vector scopes -*- C++ -*-===//
//
// What the list schedule of a scope needs of a model, looked up once: units,
// latencies, distances from producers to consumers, intervals, loops. Times are
// ticks, so that a schedule repeats exactly (docs/isa/05-timing.md).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_SCOPEFIGURES_H
#define PTOSCOPE_LIB_TIMING_SCOPEFIGURES_H

#include "ptoscope/Timing/Scopes.h"

#include <array>

namespace ptoscope::timing {

using Tick = int64_t;
inline constexpr Tick kCycle = 64;

/// What executes an instruction.
enum class ScopeUnit : uint8_t {
  None,  ///< nothing: it only passes the front end
  Fence, ///< waits until everything before it has ended
  Load,  ///< the port of UB
  Store, ///< the same
  Mask,  ///< the unit of masks
  Alu,   ///< either execution port
  Alu0,  ///< the first one alone
  Sfu,   ///< either, and the special function unit behind it
  Sfu0,  ///< the first one, and that unit
};
inline bool isSpecial(ScopeUnit unit) { return unit == ScopeUnit::Sfu || unit == ScopeUnit::Sfu0; }

/// An instruction, as the schedule sees it.
struct ScopeOp {
  ScopeUnit unit = ScopeUnit::None;
  Timing timing = Timing::none;
  Tick latency = 0;  ///< start to end
  Tick interval = 0; ///< the port of UB, or the special function unit, is taken for so long
  /// Into arithmetic, into units that read late, into stores, into `vsel`: from start to start.
  Tick use = 0, lateUse = 0, storeUse = 0, selectUse = 0;
  /// Where nothing else matters it takes so long, for shares.
  double weight = 0;

  bool usesMemory() const { return unit == ScopeUnit::Load || unit == ScopeUnit::Store; }
  bool usesPort() const { return unit >= ScopeUnit::Alu; }
  bool usesFirstPort() const { return unit == ScopeUnit::Alu0 || unit == ScopeUnit::Sfu0; }
};

class ScopeFigures {
public:
  explicit ScopeFigures(const Model &model);

  ScopeOp operationOf(const ScopeInstr &instr) const;
  /// Cycles between the starts of `producer` and of a `consumer` of its result.
  static Tick distance(const ScopeOp &producer, const ScopeOp &consumer);

  double start, drain; ///< cycles of a scope, besides the schedule
  bool isScheduled;    ///< A5; others count executed instructions

  // A5, front end
  uint32_t width;   ///< instructions that it passes on in a cycle
  uint32_t queue;   ///< instructions that may wait for their units
  Tick turn;        ///< from turn to turn of a loop, at least
  Tick firstRepeat; ///< more, when the scope goes back for the first time
  Tick leave;       ///< from the last turn of a loop to what follows
  Tick horizon;     ///< no time further back than this matters

  // A2, A3: cycles of an executed instruction
  double cyclesOf(const ScopeInstr &instr) const;
  double storesOf(const ScopeInstr &instr) const;

private:
  struct Latency {
    Tick full = 0, narrow = 0; ///< elements of 32 bits, of at most 16
  };
  std::vector<Latency> latencies; ///< by row of the table of figures
  Tick access = 0, gather = 0, gatherBlocks = 0, scatter = 0;
  Tick special = 0, specialNarrow = 0;
  Tick loadUse = 0, forwardAlu = 0, forwardSfu = 0, maskUse = 0, moveUse = 0, moveStore = 0;
  Tick compareUse = 0, compareSelect = 0;
  Tick intoLate = 0, intoStore = 0, intoStoreSfu = 0;
  std::array<double, 4> each{}; ///< A2, A3: by group of classes
  double storeEach = 0;
};

/// Their keys, for the schema of timing files.
std::vector<FigureInfo> figuresOfScopes();

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_SCOPEFIGURES_H
