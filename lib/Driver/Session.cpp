//===- Session.cpp - parse, compile, launch --------------------------------===//

#include "ptoscope/Driver/Session.h"
#include "ptoscope/Compiler/Balance.h"
#include "ptoscope/Compiler/MissingLines.h"
#include "ptoscope/Compiler/ProgramText.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Driver/CxxCommand.h"
#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/Array.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include <algorithm>
#include <cassert>
#include <iostream>

namespace ptoscope {

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  return registry;
}

// One thread: kernels are small, and a thread pool costs more than it gains.
Session::Session() : registry(makeRegistry()), mlirContext(registry, mlir::MLIRContext::Threading::DISABLED) {
  mlirContext.printOpOnDiagnostic(false); // the source line says more than the generic form
}

std::unique_ptr<ParsedProgram> Session::parse(std::string path, std::string text, const FrontendOptions &options,
                                              FindingList &findings) {
  return parseProgram(mlirContext, std::move(path), std::move(text), options, findings);
}

Result<std::string> readProgramText(const std::string &path) {
  if (path == "-")
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  if (cxx::isCxxSource(path) || path.ends_with(".hpp") || path.ends_with(".h")) {
    Finding finding = makeFinding("usage", {path, 0, 0}, "the file is C++, and this command takes `.pto` text");
    finding.help =
        "compile it with `ptoscope c++ " + path + " -o program`, and run the program: it reports what it finds";
    return finding;
  }
  Result<Array> file = readRaw(path);
  if (!file)
    return file.takeFinding();
  return std::string(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
}

std::unique_ptr<ParsedProgram> Session::parseFile(const std::string &path, const FrontendOptions &options,
                                                  FindingList &findings) {
  const std::string shown = path == "-" ? "<stdin>" : path;
  Result<std::string> text = readProgramText(path);
  if (text)
    return parse(shown, std::move(*text), options, findings);
  findings.add(text.takeFinding());
  auto program = std::make_unique<ParsedProgram>();
  program->path = shown;
  return program;
}

std::unique_ptr<CompiledKernel> Session::compile(const ParsedProgram &program, const CompileOptions &options,
                                                 FindingList &findings) {
  return compileKernel(program, options, findings);
}

/// The largest buffer that argument `i` lies in, the first of equal ones; itself where it is no buffer.
static size_t ownerOf(std::span<const Argument> arguments, size_t i) {
  auto bufferAt = [&](size_t at) { return std::get_if<std::span<uint8_t>>(&arguments[at]); };
  const std::span<uint8_t> *owned = bufferAt(i);
  size_t owner = i;
  for (size_t k = 0; owned && k < arguments.size(); ++k) {
    const std::span<uint8_t> *other = bufferAt(k), *best = bufferAt(owner);
    if (other && !owned->empty() && other->data() <= owned->data() &&
        owned->data() + owned->size() <= other->data() + other->size() &&
        (other->size() > best->size() || (other->size() == best->size() && k < owner)))
      owner = k;
  }
  return owner;
}

RunResult Session::launch(const CompiledKernel &kernel, std::span<const Argument> arguments, LaunchOptions options,
                          const timing::Model *model, uint64_t mostTouches,
                          const std::function<ObserverFactory *(ObserverFactory *)> &stands, KeptCheckers *kept) {
  assert(arguments.size() == kernel.parameters.size() && "one argument per parameter");
  GmTable gm;
  std::vector<uint64_t> words;
  words.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (auto *scalar = std::get_if<uint64_t>(&arguments[i]))
      words[i] = *scalar;
    else if (auto buffer = std::get<std::span<uint8_t>>(arguments[i]); ownerOf(arguments, i) == i)
      words[i] = gm.add(buffer.data(), buffer.size(), kernel.parameters[i].name);
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (size_t owner = ownerOf(arguments, i); owner != i)
      words[i] = words[owner] + uint64_t(std::get<std::span<uint8_t>>(arguments[i]).data() -
                                         std::get<std::span<uint8_t>>(arguments[owner]).data());
  std::unique_ptr<CheckerFactory> checkers;
  if (options.checks.race || options.checks.init || options.checks.sync) {
    checkers = makeCheckers(kernel.sites, gm, *options.profile, options.checks, kept);
    options.observers = checkers.get();
  }
  RunResult result;
  if (mostTouches && options.checks.race) {
    result.needs = makeSyncNeeds(kernel.sites, *options.profile, *checkers);
    options.observers = result.needs.get();
  }
  if (mostTouches) {
    result.touches = std::make_unique<timing::Touches>(mostTouches, options.observers);
    options.observers = result.touches.get();
  }
  if (model) {
    result.timer = timing::makeTimer(kernel.image, *options.profile, *model, options, options.observers);
    options.observers = result.timer.get();
  }
  if (stands)
    options.observers = stands(options.observers);
  result.launch = ptoscope::launch(kernel.image, gm, words, options);
  if (checkers)
    result.checked = checkers->counts();
  return result;
}

void Session::proveRemedies(const ParsedProgram &program, const Repetition &again, LaunchResult &result) {
  // Enough for a small kernel that hung at its start; a long run is repeated four times at most.
  uint64_t steps = 10'000'000 + 4 * result.stats.steps;
  CompileOptions every = again.compile; // what is compiled for random schedules runs under all of them
  every.schedule = ScheduleKind::Random;
  auto trial = [&](const std::string &text) -> std::optional<FindingList> {
    FindingList ignored; // what parsing warns of is known
    std::unique_ptr<ParsedProgram> changed = parse(program.path, text, again.frontend, ignored);
    if (!changed->module || !keepsBalance(*program.module, *changed->module))
      return std::nullopt;
    std::unique_ptr<CompiledKernel> kernel = compile(*changed, every, ignored);
    std::optional<std::vector<Argument>> arguments = kernel ? again.arguments() : std::nullopt;
    if (!arguments || arguments->size() != kernel->parameters.size())
      return std::nullopt;
    auto run = [&](Schedule schedule) {
      LaunchOptions options = again.launch;
      options.schedule = schedule;
      uint64_t most = std::max<uint64_t>(steps / uint64_t(options.blocks), 1);
      options.maxSteps = options.maxSteps ? std::min(options.maxSteps, most) : most;
      LaunchResult repeated = launch(*kernel, *arguments, options).launch;
      steps -= std::min(steps, repeated.stats.steps);
      return std::move(repeated.findings);
    };
    FindingList left = run(again.launch.schedule);
    // A flag that is set again too early shows where the pipe that waits is late, in few schedules if it has to be
    // late by much. A long run has to do with some of them.
    constexpr uint64_t kSeeds = 6, kLeast = 2;
    for (uint64_t seed = 0; again.launch.schedule.kind == ScheduleKind::Eager && seed <= kSeeds && isClean(left);
         ++seed) {
      const uint64_t before = steps;
      if (arguments = again.arguments(); arguments)
        left = run({seed ? ScheduleKind::Random : ScheduleKind::Lazy, seed});
      if (seed >= kLeast && steps < 2 * (before - steps))
        break;
    }
    placeMissingLines(left, *changed);
    return left;
  };
  placeMissingLines(result.findings, program);
  auto lineAt = [&, lines = LineTable(program.text)](const std::string &file,
                                                     uint32_t line) -> std::optional<std::string> {
    if (file != program.path || line == 0 || line > lines.starts.size())
      return std::nullopt;
    const size_t begin = lines.starts[line - 1], end = program.text.find('\n', begin);
    return program.text.substr(begin, end - begin);
  };
  ptoscope::proveRemedies(result.findings, program.path, program.text, trial, remediesOf(result.slips, lineAt));
}

} // namespace ptoscope
