//===- Session.h - parse, compile, launch -----------------------*- C++ -*-===//
//
// The library behind the command line. A Session can parse, compile and launch
// any number of programs in one process; it keeps no other state.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DRIVER_SESSION_H
#define PTOSCOPE_DRIVER_SESSION_H

#include "ptoscope/Checkers/Checkers.h"
#include "ptoscope/Checkers/SyncNeeds.h"
#include "ptoscope/Compiler/Pipeline.h"
#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Support/Result.h"
#include "ptoscope/Timing/Timer.h"
#include "ptoscope/Timing/Touches.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace ptoscope {

struct RunResult {
  LaunchResult launch;
  CheckCounts checked;
  /// What the run takes on a device, where it was timed: see timing::Timer::solve. The kernel
  /// and the profile must outlive it.
  std::unique_ptr<timing::Timer> timer;
  /// Which flags and barriers it needs, where someone asked and races were checked.
  std::unique_ptr<SyncNeeds> needs;
  /// Which bytes its instructions used, where someone asked.
  std::unique_ptr<timing::Touches> touches;
};

/// How a program was run, to run a changed text of it in the same way.
struct Repetition {
  FrontendOptions frontend;
  CompileOptions compile;
  LaunchOptions launch;
  /// Arguments as they were before the run; nothing if they cannot be had again.
  std::function<std::optional<std::vector<Argument>>()> arguments;
};

/// The text of a `.pto` file, or of standard input for `-`. C++ is wrong use: another command takes it.
Result<std::string> readProgramText(const std::string &path);

class Session {
public:
  Session();

  /// Null module after an error; see parseProgram.
  std::unique_ptr<ParsedProgram> parse(std::string path, std::string text, const FrontendOptions &options,
                                       FindingList &findings);
  /// Reads the file first (readProgramText).
  std::unique_ptr<ParsedProgram> parseFile(const std::string &path, const FrontendOptions &options,
                                           FindingList &findings);
  /// Null after an error.
  std::unique_ptr<CompiledKernel> compile(const ParsedProgram &program, const CompileOptions &options,
                                          FindingList &findings);
  /// Runs a compiled kernel. Checks and schedule must be those it was compiled
  /// for. The number and kind of arguments must match its parameters. A buffer that lies in
  /// another one is part of that one on the device, too. `model`: the run is
  /// timed; the kernel should count turns (CompileOptions::countsTurns). `mostTouches`:
  /// RunResult::needs and touches are wanted, and so many of these. `stands`: makes an
  /// observer that stands before all others, which may be none. `kept`: checkers of
  /// earlier launches, may be null.
  static RunResult launch(const CompiledKernel &kernel, std::span<const Argument> arguments, LaunchOptions options,
                          const timing::Model *model = nullptr, uint64_t mostTouches = 0,
                          const std::function<ObserverFactory *(ObserverFactory *next)> &stands = {},
                          KeptCheckers *kept = nullptr);

  /// Chooses what the findings of a run offer (Remedies.h): only lines with which
  /// the same run is clean. Takes time only after a finding, and a bounded number of
  /// steps.
  void proveRemedies(const ParsedProgram &program, const Repetition &again, LaunchResult &result);

  mlir::MLIRContext &context() { return mlirContext; }

private:
  mlir::DialectRegistry registry;
  mlir::MLIRContext mlirContext;
};

} // namespace ptoscope

#endif // PTOSCOPE_DRIVER_SESSION_H
