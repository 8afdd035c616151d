//===- Program.h - a program that is run again and again --------*- C++ -*-===//
//
// What a long-lived client (the Python module, a test runner) holds: a program that is
// parsed once for each device and compiled once for each way in which it is run, with
// cores that are kept from launch to launch. Several threads may run one program.
// This header shows nothing of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DRIVER_PROGRAM_H
#define PTOSCOPE_DRIVER_PROGRAM_H

#include "ptoscope/Checkers/Checkers.h"
#include "ptoscope/Compiler/Parameter.h"
#include "ptoscope/Support/Result.h"
#include "ptoscope/Timing/TimeFiles.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ptoscope {

/// What code is compiled for.
struct Way {
  std::string kernel; ///< empty: the only one
  std::string device; ///< "a5"; empty: what the module asks for
  Checks checks;
  ScheduleKind schedule = ScheduleKind::Eager;
  bool asWritten = false; ///< CompileOptions::asWritten
  bool isTimed = false;

  bool operator==(const Way &) const = default;
};

/// What may differ from launch to launch.
struct LaunchRequest {
  int64_t blocks = 1;
  uint64_t seed = 0; ///< of a random schedule
  unsigned threads = 1;
  uint64_t maxSteps = 0;
  size_t maxFindings = 20;
  /// Where the run is timed: figures in place of the target's; empty: the target's.
  std::string timingFile;
  /// Lines that repair findings are proved by runs from the arguments as they were, which
  /// are copied up to kMaxCopiedBytes.
  bool provesRemedies = true;
  const std::atomic<bool> *interrupt = nullptr;

  static constexpr uint64_t kMaxCopiedBytes = 16 << 20;
};

struct KernelSignature {
  std::string name;
  std::vector<Parameter> parameters;
};

/// An instruction of a timed run on its pipe; times are cycles.
struct TimelineEntry {
  int64_t block;
  std::string_view core, pipe; ///< "AIV0", "MTE2"
  uint32_t line;
  std::string op; ///< as written
  double issued, start, end;
  double waited;           ///< before `start`
  std::string_view reason; ///< of the wait; empty: none
  uint64_t bytes;
};

/// A run that has ended.
class Outcome {
public:
  FindingList findings{SIZE_MAX}; ///< those of parsing, too
  LaunchStats stats;
  CheckCounts checked;
  bool completed = false;
  std::string printed; ///< by the program

  bool ok() const { return completed && !findings.failed(); }

  bool isTimed() const { return timed != nullptr; }
  // Of timed runs.
  double cycles() const;
  double microseconds() const;
  /// As `ptoscope run --stats` prints them.
  std::string statsTable() const;
  std::string statsLines() const;
  std::string statsJson() const;
  Result<void> write(const timing::TimeFiles &files) const;
  /// At most `limit` slices, by block, core, pipe and time.
  std::vector<TimelineEntry> timeline(size_t limit) const;

  struct Timed;
  std::shared_ptr<Timed> timed;
};

class Program {
public:
  struct Source {
    std::string path, text;
    bool strict = false, autoScope = true;
    std::string device; ///< empty: what the module asks for
  };
  /// Parses and verifies. Null after adding an error to `findings`, which also gets warnings.
  static std::shared_ptr<Program> open(Source source, FindingList &findings);
  ~Program();

  const std::string &path() const;
  const std::string &text() const;
  /// Line `number`, from 1.
  std::optional<std::string> line(uint32_t number) const;
  const std::vector<KernelSignature> &kernels() const;
  std::string_view device() const;

  /// Code for one way, with the cores that have run it. Lives as long as the program.
  class Ready;
  /// Compiles at the first call; null after adding an error.
  Ready *ready(const Way &way, FindingList &findings);
  static const KernelSignature &signatureOf(const Ready &ready);

  /// `arguments` must match the kernel's parameters. Fails on a timing file that cannot be used.
  Result<Outcome> run(Ready &ready, std::span<const Argument> arguments, const LaunchRequest &request);

  /// What `--arg auto` chooses: a word for each parameter, a number or a generator. Nothing after adding an error.
  std::optional<std::vector<std::string>> autoArguments(const Way &way, const LaunchRequest &request,
                                                        FindingList &findings);

  /// What `ptoscope check` finds.
  FindingList check();

private:
  Program();
  struct State;
  std::unique_ptr<State> state;
};

/// The bits of a scalar argument; a message where the value does not fit the parameter.
Result<uint64_t> encodeScalar(const Parameter &parameter, int64_t value);
Result<uint64_t> encodeScalar(const Parameter &parameter, double value);
bool takesFloat(const Parameter &parameter);

} // namespace ptoscope

#endif // PTOSCOPE_DRIVER_PROGRAM_H
