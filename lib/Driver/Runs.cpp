//===- Runs.cpp - a run as words describe it ------------------------------===//

#include "ptoscope/Driver/Runs.h"
#include "ptoscope/Driver/Usage.h"

#include <algorithm>

namespace ptoscope {

/// What is tried out prints nothing and shows nothing.
static LaunchOptions trialOf(const ParsedProgram &program, const RunRequest &request) {
  LaunchOptions trial = request.launch;
  trial.profile = program.profile;
  trial.print = [](std::string_view) {};
  trial.onlooker = nullptr;
  trial.stepsTaken = nullptr;
  trial.progress = nullptr;
  return trial;
}

static CompileOptions compileOf(const RunRequest &request) {
  CompileOptions compile = request.compile;
  compile.checks = request.launch.checks;
  compile.schedule = request.launch.schedule.kind;
  return compile;
}

bool prepareRun(Session &session, const ParsedProgram &program, const RunRequest &request, PreparedRun &run,
                FindingList &findings) {
  const CompileOptions compile = compileOf(request);
  run.kernel = session.compile(program, compile, findings);
  if (!run.kernel)
    return false;
  run.words = request.arguments;
  if (wantsAuto(run.words)) {
    CompileOptions unseen = compile; // no one debugs what is tried out
    unseen.steps = nullptr;
    run.automatic = chooseArguments(session, program, unseen, trialOf(program, request), run.words, findings);
    if (!run.automatic)
      return false;
    run.words = run.automatic->words;
  }
  std::optional<std::vector<LoadedArgument>> loaded = loadArguments(*run.kernel, run.words, findings);
  if (!loaded)
    return false;
  run.loaded = std::move(*loaded);
  for (const std::string &word : request.expectations) {
    Result<FileOfParameter> file = parseFileOfParameter(*run.kernel, "--expect", word);
    if (!file)
      return findings.add(file.takeFinding()), false;
    Result<Array> expected = loadArray(file->path);
    if (!expected)
      return findings.add(expected.takeFinding()), false;
    run.expectations.push_back({std::move(*file), std::move(*expected)});
  }
  return true;
}

RunResult executeRun(Session &session, const ParsedProgram &program, const RunRequest &request, PreparedRun &run,
                     FindingList &findings, const timing::Model *model, uint64_t mostTouches) {
  const CompiledKernel &kernel = *run.kernel;
  LaunchOptions launch = request.launch;
  launch.profile = program.profile;
  RunResult result = Session::launch(kernel, argumentsOf(kernel, run.loaded), launch, model, mostTouches);
  std::optional<std::vector<LoadedArgument>> fresh;
  CompileOptions unseen = compileOf(request); // lines of another text are other ones
  unseen.looks.clear();
  unseen.countsTurns = false;
  const LaunchOptions trial = trialOf(program, request);
  session.proveRemedies(program,
                        {request.frontend, unseen, trial,
                         [&]() -> std::optional<std::vector<Argument>> {
                           FindingList ignored;
                           fresh = loadArguments(kernel, run.words, ignored);
                           return fresh ? std::optional(argumentsOf(kernel, *fresh)) : std::nullopt;
                         }},
                        result.launch);
  const bool interrupted = request.launch.interrupt && *request.launch.interrupt;
  if (run.automatic && !interrupted)
    result.launch.findings = markDrawn(kernel, *run.automatic, trial, std::move(result.launch.findings));
  findings.merge(std::move(result.launch.findings));
  if (result.launch.completed)
    for (const PreparedRun::Expectation &expected : run.expectations) {
      const size_t i = expected.file.parameter;
      const Parameter &parameter = kernel.parameters[i];
      Comparison comparison = compareWith(parameter, run.loaded[i].array, expected.array, request.tolerance);
      if (!comparison.equal())
        findings.add(expectMismatch(comparison, "parameter " + std::to_string(i) + " (" + parameter.name + ")",
                                    expected.file.path, {program.path, 0, 0}));
    }
  return result;
}

std::vector<Finding> foreseeDrawn(Session &session, const ParsedProgram &program, const RunRequest &request,
                                  const PreparedRun &run) {
  constexpr uint64_t kMostSteps = 2'000'000; // the one who waits has seen nothing yet
  if (!run.automatic)
    return {};
  CompileOptions unseen = compileOf(request);
  unseen.steps = nullptr;
  FindingList ignored;
  std::unique_ptr<CompiledKernel> kernel = session.compile(program, unseen, ignored);
  std::optional<std::vector<LoadedArgument>> loaded =
      kernel ? loadArguments(*kernel, run.words, ignored) : std::nullopt;
  if (!loaded)
    return {};
  LaunchOptions trial = trialOf(program, request);
  trial.maxSteps = trial.maxSteps ? std::min(trial.maxSteps, kMostSteps) : kMostSteps;
  LaunchResult result = std::move(Session::launch(*kernel, argumentsOf(*kernel, *loaded), trial).launch);
  return markDrawn(*kernel, *run.automatic, trial, std::move(result.findings)).all();
}

} // namespace ptoscope
