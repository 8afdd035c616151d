//===- Runs.h - a run as words describe it ----------------------*- C++ -*-===//
//
// What every client does that runs a program with arguments in words: compile, choose
// automatic arguments, load the others, launch, prove remedies, compare with what is
// expected. In two steps, so that a client can refuse its own words in between.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DRIVER_RUNS_H
#define PTOSCOPE_DRIVER_RUNS_H

#include "ptoscope/Driver/Arguments.h"
#include "ptoscope/Driver/AutoArguments.h"

namespace ptoscope {

struct RunRequest {
  FrontendOptions frontend;
  /// Checks and schedule are those of `launch`, whatever is here.
  CompileOptions compile;
  /// The profile is that of the program. Members that show how a run goes on (onlooker,
  /// progress) belong to the run itself, not to trials.
  LaunchOptions launch;
  std::vector<std::string> arguments;    ///< one word per parameter, or `auto`
  std::vector<std::string> expectations; ///< "I=PATH", "I=GENERATOR"
  std::optional<Tolerance> tolerance;    ///< none: exact bytes
};

struct PreparedRun {
  std::unique_ptr<CompiledKernel> kernel;
  std::optional<AutoArguments> automatic;
  std::vector<std::string> words; ///< one per parameter, all explicit
  std::vector<LoadedArgument> loaded;
  struct Expectation {
    FileOfParameter file;
    Array array;
  };
  std::vector<Expectation> expectations;
};

/// Everything up to the launch. False after adding a finding; `run` then has what could be
/// had.
bool prepareRun(Session &session, const ParsedProgram &program, const RunRequest &request, PreparedRun &run,
                FindingList &findings);

/// Launches, once. `findings` gets those of the run, with remedies that were tried, and what
/// differs from the expectations where the run completed; RunResult has the rest.
RunResult executeRun(Session &session, const ParsedProgram &program, const RunRequest &request, PreparedRun &run,
                     FindingList &findings, const timing::Model *model = nullptr, uint64_t mostTouches = 0);

/// What a run with automatic arguments finds, marked: for those who show findings while it goes
/// on. Empty for other arguments.
std::vector<Finding> foreseeDrawn(Session &session, const ParsedProgram &program, const RunRequest &request,
                                  const PreparedRun &run);

} // namespace ptoscope

#endif // PTOSCOPE_DRIVER_RUNS_H
