//===- Pipes.h - the queues of a core and their schedule --------*- C++ -*-===//
//
// Operations wait here until the schedule lets them take effect: at once under
// the eager one, on demand under the lazy one, at random times under random ones.
// Pipes run inside the calls of the scalar unit. When it has to wait, it pumps
// the pipes until it may go on; when nothing moves, another core of its group
// gets a turn, and without one that is a deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SCHEDULE_PIPES_H
#define PTOSCOPE_LIB_MACHINE_SCHEDULE_PIPES_H

#include "Report.h"
#include "Schedule/Fifo.h"
#include "Schedule/Operation.h"

namespace ptoscope {

class CopyElision;

/// What issuing touches lies in one line of the host's cache.
struct alignas(64) PipeQueue {
  Fifo<std::unique_ptr<Operation>> waiting;
  uint64_t issued = 0;  ///< instructions of this pipe so far
  uint64_t started = 0; ///< of those, taken from the queue
  /// Started, but not all of the effect is there (random schedules).
  std::vector<std::unique_ptr<Operation>> inFlight;

  /// What the pipe stands at; null when it is idle.
  const Operation *head() const { return waiting.empty() ? nullptr : waiting.front().get(); }
  /// Where a queued instruction was issued; kNoSite when it is not queued any more.
  SiteId siteOf(uint64_t ordinal) const {
    return ordinal > started && ordinal - started <= waiting.size() ? waiting[ordinal - started - 1]->site : kNoSite;
  }
};

/// How far each pipe has to get.
using PipePrefix = std::array<uint64_t, kPipeSlots>;

/// Consumers first: the order in which lazy schedules pull.
inline constexpr Pipe kPullOrder[] = {Pipe::FIX, Pipe::MTE3, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2};

/// A bit per pipe of such a core.
uint16_t pipesOf(CoreKind kind);

class Pipes {
  // What passing an instruction touches comes first.
  ScheduleKind schedule = ScheduleKind::Eager;
  bool traced = false; ///< someone wants loop iterations
  uint16_t pipeSet = 0;

public:
  Pipes() = default;
  /// `iterations` are those of the loops that the scalar unit is in.
  Pipes(const BlockSetup &setup, CoreId core, CoreKind kind, Report &report, const int64_t *iterations);

  bool has(Pipe pipe) const { return size_t(pipe) < kPipeSlots && ((pipeSet >> size_t(pipe)) & 1); }
  bool has(uint32_t pipe) const { return pipe < kPipeSlots && has(Pipe(pipe)); }
  PipeQueue &operator[](Pipe pipe) { return queues[size_t(pipe)]; }
  const PipeQueue &operator[](Pipe pipe) const { return queues[size_t(pipe)]; }
  bool isRandom() const { return schedule == ScheduleKind::Random; }
  Instr instr(const Operation &op) const { return {core, op.pipe, op.ordinal, op.site, op.iterations, op.depth}; }

  uint64_t queued = 0;   ///< operations in all queues
  uint64_t executed = 0; ///< instructions of pipes
  uint64_t moves = 0;    ///< steps of operations in flight
  Observer *observer = nullptr;
  Random random;
  Instr passing{};                        ///< that passDirectly let pass last; without a trace only its site
  CopyElision *elision = nullptr;         ///< settles before an operation takes effect
  const Operation *suBlockedOn = nullptr; ///< while another core has its turn

  /// Under the eager schedule: takes an instruction that is ready past its pipe, if
  /// nothing stands before it, and tells observers so (`passing`). False: it needs an
  /// operation.
  bool passDirectly(Pipe pipe, SiteId site) {
    PipeQueue &q = queues[size_t(pipe)];
    if (schedule != ScheduleKind::Eager || !q.waiting.empty())
      return false;
    passSilently(pipe);
    executed += pipe != Pipe::S;
    passing.site = site;
    if (traced)
      announce(pipe, site);
    return true;
  }
  /// Takes an instruction past its pipe without a word.
  void passSilently(Pipe pipe) {
    ++queues[size_t(pipe)].issued;
    ++queues[size_t(pipe)].started;
  }
  /// Tells observers that the instruction issued last has started.
  const Instr &announce(Pipe pipe, SiteId site);
  /// An instruction that the scalar unit does itself, whatever is queued.
  const Instr &passScalar(SiteId site) {
    passSilently(Pipe::S);
    return announce(Pipe::S, site);
  }

  /// Gives an operation its place in issue order.
  void number(Operation &op, Pipe pipe, SiteId site);
  /// Runs or queues an instruction of a pipe. False: too many are queued.
  bool submit(Operation &op);
  /// Blocks the SU until `op`, of PIPE_S, is ready, and lets it take effect. False
  /// when that never happens.
  bool waitFor(Operation &op);
  /// The effect of an operation of PIPE_S that is ready.
  void finish(Operation &op);
  /// Blocks the SU until every queue is empty, for `op` or for the end of the
  /// program; false when that never happens.
  bool drain(const Operation *op);
  /// Runs whatever can run; true if something did.
  bool runAll();
  /// Eager: runs heads until all are blocked.
  bool pump();
  /// Random: lets pipes take some steps.
  void randomTurn();
  /// Lets other cores go on although this one could.
  void passTurn(bool spinning);
  /// The same for those of other blocks too, before this one goes on.
  void stepAside();
  /// Everything up to `prefix` has taken effect.
  bool ended(const PipePrefix &prefix) const;

private:
  void execute(Operation &op);
  /// Takes the head of a queue and executes it (random: starts it).
  void runHead(Pipe pipe);
  /// Blocks the SU until another core has done something. False when no other
  /// core runs; true says nothing about what was waited for.
  bool park(const Operation *op);
  // Lazy.cpp
  bool demand(const Operation &op);
  bool runTo(Pipe pipe, uint64_t ordinal);
  bool pullAll();
  // RandomOrder.cpp
  bool randomStep();
  void advanceOne(PipeQueue &queue);

  static constexpr uint64_t kLookAhead = 4096;
  static constexpr uint64_t kMaxQueued = uint64_t(1) << 20;

  CoreId core;
  std::array<PipeQueue, kPipeSlots> queues;
  Report *report = nullptr;
  Group *group = nullptr;
  const int64_t *iterations = nullptr;
  uint16_t outOfOrder = 0; ///< pipes whose instructions start in order and end in any
  uint16_t pulling = 0;    ///< lazy: pipes being run to some point
  // Random schedules: the phase.
  uint64_t phaseLeft = 0;
  uint32_t suBias = 0;
  std::array<uint8_t, kPipeSlots> priority{};
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SCHEDULE_PIPES_H
