//===- Debugger.h - a run that can be stopped and taken back ----*- C++ -*-===//
//
// The machine runs on a thread of its own and stops inside an event. The same
// program, arguments, schedule and seed give the same events with the same
// numbers, so the number of an event names a state: to go back is to run again up
// to that event. The one who debugs looks at the machine only while it stands.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DEBUG_DEBUGGER_H
#define PTOSCOPE_DEBUG_DEBUGGER_H

#include "ptoscope/Compiler/Steps.h"
#include "ptoscope/Driver/Session.h"
#include "ptoscope/Machine/Inspect.h"
#include "ptoscope/Support/Array.h"

#include <memory>

namespace ptoscope::debug {

/// An argument as it is before the run.
struct InitialArgument {
  Array array;       ///< of a pointer
  uint64_t bits = 0; ///< of a scalar
};

/// A program with all that a run of it needs. What a run does not change may be that of other targets, too.
struct Target {
  std::shared_ptr<Session> session;
  std::shared_ptr<const ParsedProgram> program;
  std::shared_ptr<const CompiledKernel> kernel; ///< compiled with `steps`
  Steps steps;
  std::vector<InitialArgument> arguments;
  LaunchOptions launch;
  /// Findings of a run before, some with notes that this one cannot have.
  std::vector<Finding> foreseen;
};

/// Something that happens in a run. Numbers count from 1.
struct Event {
  enum Kind : uint8_t {
    Step,    ///< an instruction comes next, of the scalar unit or in a vector scope
    Issue,   ///< the scalar unit gives an instruction to a pipe
    Start,   ///< a pipe begins with it
    Effect,  ///< it has taken effect
    Set,     ///< a flag is set
    Wait,    ///< a wait for a flag passes
    Get,     ///< a buffer id is acquired
    Release, ///< and released
    Raise,   ///< a semaphore, a message or a signal of a queue is set
    Pass,    ///< a wait for one passes
    Barrier, ///< a barrier passes
    Finding, ///< something was found
    End,     ///< the block has ended
  };
  Kind kind = Step;
  uint64_t number = 0;
  int64_t block = 0;
  CoreId core;
  Pipe pipe = Pipe::S;
  SiteId site = kNoSite;
  uint32_t step = ~0u;               ///< of a step: its index
  Pipe src = Pipe::S, dst = Pipe::S; ///< of a flag
  int64_t id = 0;                    ///< of a flag, buffer or semaphore
};
std::string_view nameOf(Event::Kind kind);

/// Bytes of a memory: of a core, or of a pointer argument.
struct Region {
  Space space = Space::Ub;
  CoreId core;          ///< whose memory; of all blocks
  size_t parameter = 0; ///< for Space::Gm
  uint64_t begin = 0, end = 0;
};

struct Breakpoint {
  enum Kind : uint8_t { Line, Instruction, OnPipe, Flag, OnFinding, Watch } kind = Line;
  uint32_t number = 0;
  uint32_t line = 0;   ///< where it stands; the next line with an instruction
  std::string name;    ///< of the instruction, with or without "pto."; code of findings, empty for all
  Pipe pipe = Pipe::S; ///< OnPipe; source of a flag
  Pipe dst = Pipe::S;  ///< of a flag
  int64_t id = 0;      ///< of a flag
  Region region;       ///< Watch
  int64_t block = -1;  ///< only there; -1: everywhere
  int core = -1;       ///< only there, CoreId::index
  bool once = false;   ///< goes when it was hit
  uint64_t hits = 0;
};

/// How far to run.
struct Goal {
  enum Kind : uint8_t {
    Go,    ///< to a breakpoint
    Next,  ///< to the next instruction of the scalar unit of `core`
    Into,  ///< the same, or of the vector scope that it runs
    Pipe_, ///< until `pipe` of the core begins with an instruction
    Out,   ///< until the scope that runs, or the block, has ended
    To,    ///< to event `event`, past all breakpoints
  } kind = Go;
  int64_t block = 0;
  CoreId core;
  Pipe pipe = Pipe::S;
  uint64_t event = 0;
};

struct Stop {
  enum Reason : uint8_t {
    Start,   ///< before the first instruction
    Stepped, ///< where the goal was
    Hit,     ///< breakpoint `breakpoint`
    Found,   ///< a finding
    Written, ///< watched bytes were written, by `writer`
    Held,    ///< someone asked it to stand still
    Ended,   ///< the run is over
    AtStart, ///< there is nothing before it
  } reason = Start;
  Event event;
  uint32_t breakpoint = 0;
  std::optional<Event> writer;
};

/// What a name or a register holds; bytes as the machine has them.
struct SeenValue {
  uint32_t index; ///< in Steps::values
  std::vector<uint8_t> bytes;
  uint64_t event; ///< when it was computed
};

class Debugger {
public:
  explicit Debugger(Target &target);
  ~Debugger();
  Debugger(const Debugger &) = delete;

  // --- breakpoints: changed only while the machine stands ---------------------------
  std::vector<Breakpoint> breakpoints;
  /// Stop at errors and warnings, too; on at first.
  bool stopsAtFindings = true;
  /// The first line at or behind `line` that has an instruction; 0 for none.
  uint32_t lineWithStep(uint32_t line) const;
  uint32_t add(Breakpoint breakpoint);

  // --- motion: each returns when the machine stands again ----------------------------
  /// Begins the run, or begins it again, and stops before the first instruction, or
  /// where `run` would.
  Stop start(bool stands = true);
  Stop run(const Goal &goal);
  /// To the instruction before this one on the same core, `times` times; `unit`: of its
  /// scalar unit.
  Stop back(bool unit = false, uint64_t times = 1);
  Stop reverse(); ///< to the breakpoint before
  Stop goTo(uint64_t event);
  /// From another thread or a signal handler: the machine stands at its next event.
  void hold();
  /// The run is given up; the machine's thread ends.
  void end();

  // --- state, while the machine stands ------------------------------------------------
  const Stop &where() const;
  bool isRunning() const; ///< there is a machine to look at
  uint64_t events() const;
  const Target &target() const;
  /// The last events, the newest last.
  std::vector<Event> recent(size_t most) const;
  /// Cores that have begun, by block and number; those of the last block, or of all
  /// blocks where they run together.
  std::vector<const PtoContext *> cores() const;
  const PtoContext *core(int64_t block, CoreId id) const;
  /// The instruction that a unit stands at; -1 for none. In a scope where it is in one.
  int stepOf(int64_t block, CoreId id, bool inScope) const;
  /// Values of a core, each as it was computed last, by when that was.
  std::vector<SeenValue> values(int64_t block, CoreId id) const;
  /// Bytes of a region as they are now, in a block that runs; fewer where it ends before.
  std::span<const uint8_t> memory(const Region &region, int64_t block) const;
  std::span<const uint8_t> argument(size_t parameter) const;
  /// Writes to a region up to now, the last `most` of them, the newest last. Runs again.
  std::vector<Event> writers(const Region &region, size_t most);
  /// What was found so far.
  std::vector<Finding> findings() const;
  /// What an event of that kind is about.
  const Finding *findingOf(const Event &event) const;
  /// The result of a run that has ended.
  const LaunchResult *result() const;
  Place placeOf(const Event &event) const;
  std::string opOf(const Event &event) const;

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ptoscope::debug

#endif // PTOSCOPE_DEBUG_DEBUGGER_H
