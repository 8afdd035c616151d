//===- Program.cpp - a program that is run again and again ----------------===//

#include "ptoscope/Driver/Program.h"

#include "ProgramState.h"
#include "ptoscope/Analysis/StaticCheck.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Driver/AutoArguments.h"
#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/ProcessMutex.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

struct Program::State {
  std::weak_ptr<Program> self;
  Source source;
  Session session;
  std::vector<KernelSignature> kernels;
  std::mutex mutex; ///< of the lists below, which only grow
  std::vector<std::unique_ptr<ReadProgram>> reads;
  std::vector<std::unique_ptr<Ready>> ways;

  FrontendOptions frontend(const std::string &device) const { return {source.autoScope, source.strict, device}; }
  ReadProgram *read(const std::string &device, FindingList &findings);
  void prove(const Ready &ready, const LaunchOptions &launch, const std::vector<std::vector<uint8_t>> &copies,
             std::span<const Argument> arguments, LaunchResult &result);
};

/// Held to parse and to compile: LLVM's table of targets is of the process, and contexts of MLIR are
/// for one thread at a time.
static ProcessMutex &compiling() {
  static ProcessMutex mutex;
  return mutex;
}

/// For `to`, which is merged with others.
static void addAll(FindingList &to, const FindingList &from) {
  for (const Finding &finding : from.all())
    to.add(finding);
}

ReadProgram *Program::State::read(const std::string &device, FindingList &findings) {
  for (const std::unique_ptr<ReadProgram> &known : reads)
    if (known->device == device)
      return known.get();
  auto made = std::make_unique<ReadProgram>();
  made->device = device;
  made->parsed = session.parse(source.path, source.text, frontend(device), made->findings);
  if (!made->parsed->module) {
    findings.merge(std::move(made->findings));
    return nullptr;
  }
  reads.push_back(std::move(made));
  return reads.back().get();
}

Program::Program() : state(std::make_unique<State>()) {}
Program::~Program() = default;

std::shared_ptr<Program> Program::open(Source source, FindingList &findings) {
  std::lock_guard lock(compiling());
  std::shared_ptr<Program> program(new Program);
  State &state = *program->state;
  state.self = program;
  state.source = std::move(source);
  const ReadProgram *read = state.read(state.source.device, findings);
  if (!read)
    return nullptr;
  addAll(findings, read->findings);
  for (mlir::func::FuncOp kernel : kernelsOf(read->parsed->module.get())) {
    const std::string name = kernel.getName().str();
    if (std::ranges::none_of(state.kernels, [&](const KernelSignature &known) { return known.name == name; }))
      state.kernels.push_back({name, parametersOf(*read->parsed, kernel)});
  }
  return program;
}

const std::string &Program::path() const { return state->source.path; }
const std::string &Program::text() const { return state->source.text; }
const std::vector<KernelSignature> &Program::kernels() const { return state->kernels; }
std::optional<std::string> Program::line(uint32_t number) const { return state->reads.front()->parsed->line(number); }
std::string_view Program::device() const { return state->reads.front()->parsed->profile->name; }
const KernelSignature &Program::signatureOf(const Ready &ready) { return ready.signature; }

Program::Ready *Program::ready(const Way &way, FindingList &findings) {
  auto find = [&]() -> Ready * {
    std::lock_guard lock(state->mutex);
    for (const std::unique_ptr<Ready> &known : state->ways)
      if (known->way == way)
        return known.get();
    return nullptr;
  };
  if (Ready *known = find())
    return known;
  std::lock_guard lock(compiling());
  if (Ready *known = find()) // another thread was first
    return known;
  auto made = std::make_unique<Ready>();
  made->way = way;
  made->read = state->read(way.device.empty() ? state->source.device : way.device, findings);
  if (!made->read)
    return nullptr;
  made->compile.kernel = way.kernel;
  made->compile.checks = way.checks;
  made->compile.schedule = way.schedule;
  made->compile.asWritten = way.asWritten;
  made->compile.countsTurns = way.isTimed;
  made->kernel = state->session.compile(*made->read->parsed, made->compile, made->findings);
  if (!made->kernel) {
    findings.merge(std::move(made->findings));
    return nullptr;
  }
  made->signature = {made->kernel->name, made->kernel->parameters};
  std::lock_guard listed(state->mutex);
  state->ways.push_back(std::move(made));
  return state->ways.back().get();
}

namespace {

struct TimedBy {
  std::unique_ptr<timing::Model> own;
  const timing::Model *model = nullptr;
};

Result<TimedBy> timedBy(const std::string &file, const Profile &profile) {
  TimedBy by;
  by.model = &timing::Model::of(profile.id);
  if (file.empty())
    return by;
  Result<std::unique_ptr<timing::Model>> read = timing::Model::read(file);
  if (!read)
    return read.takeFinding();
  if (!(*read)->serves(profile.id))
    return makeFinding("usage", {},
                       "`" + file + "` has the figures of " + std::string(profileOf((*read)->profile()).name) +
                           ", and the program runs on " + std::string(profile.name));
  by.own = std::move(*read);
  by.model = by.own.get();
  return by;
}

bool haveCommonBytes(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

/// Buffers as they are now; nothing where they are too large, or share bytes, which copies would not.
std::vector<std::vector<uint8_t>> copiesOf(std::span<const Argument> arguments) {
  uint64_t bytes = 0;
  std::vector<std::span<const uint8_t>> buffers;
  for (const Argument &argument : arguments)
    if (auto *buffer = std::get_if<std::span<uint8_t>>(&argument)) {
      bytes += buffer->size();
      for (std::span<const uint8_t> other : buffers)
        if (haveCommonBytes(*buffer, other))
          return {};
      buffers.push_back(*buffer);
    }
  if (bytes > LaunchRequest::kMaxCopiedBytes)
    return {};
  std::vector<std::vector<uint8_t>> copies;
  for (std::span<const uint8_t> buffer : buffers)
    copies.emplace_back(buffer.begin(), buffer.end());
  return copies;
}

} // namespace

void Program::State::prove(const Ready &ready, const LaunchOptions &launch,
                           const std::vector<std::vector<uint8_t>> &copies, std::span<const Argument> arguments,
                           LaunchResult &result) {
  std::lock_guard lock(compiling());
  std::vector<std::vector<uint8_t>> fresh;
  auto again = [&]() -> std::optional<std::vector<Argument>> {
    fresh = copies;
    std::vector<Argument> all;
    size_t next = 0;
    for (const Argument &argument : arguments)
      if (std::holds_alternative<uint64_t>(argument))
        all.push_back(argument);
      else
        all.emplace_back(std::span<uint8_t>(fresh[next++]));
    return all;
  };
  CompileOptions compile = ready.compile;
  compile.countsTurns = false;
  LaunchOptions trial = launch;
  trial.kept = nullptr;
  trial.print = [](std::string_view) {};
  session.proveRemedies(*ready.read->parsed, {frontend(ready.read->device), compile, trial, again}, result);
}

Result<Outcome> Program::run(Ready &ready, std::span<const Argument> arguments, const LaunchRequest &request) {
  const Profile &profile = *ready.read->parsed->profile;
  TimedBy by;
  if (ready.way.isTimed) {
    Result<TimedBy> figures = timedBy(request.timingFile, profile);
    if (!figures)
      return figures.takeFinding();
    by = std::move(*figures);
  }
  Outcome outcome;
  LaunchOptions launch;
  launch.profile = &profile;
  launch.blocks = request.blocks;
  launch.checks = ready.way.checks;
  launch.schedule = {ready.way.schedule, request.seed};
  launch.threads = request.threads;
  launch.maxSteps = request.maxSteps;
  launch.maxFindings = request.maxFindings;
  launch.interrupt = request.interrupt;
  launch.kept = &ready.cores;
  launch.print = [&outcome](std::string_view text) { outcome.printed += text; };
  std::vector<std::vector<uint8_t>> copies;
  if (request.provesRemedies && launch.checks.any())
    copies = copiesOf(arguments);
  RunResult result = Session::launch(*ready.kernel, arguments, launch, by.model,
                                     by.model ? timing::TimeFiles().mostTouches() : 0, {}, &ready.checkers);
  const bool interrupted = request.interrupt && request.interrupt->load();
  if (!result.launch.findings.empty() && !interrupted) {
    const bool hasBuffers = std::ranges::any_of(
        arguments, [](const Argument &argument) { return !std::holds_alternative<uint64_t>(argument); });
    if (request.provesRemedies && (!copies.empty() || !hasBuffers))
      state->prove(ready, launch, copies, arguments, result.launch);
    else
      suggestRemedies(result.launch.findings);
  }
  addAll(outcome.findings, ready.read->findings);
  addAll(outcome.findings, ready.findings);
  outcome.findings.merge(std::move(result.launch.findings));
  outcome.stats = result.launch.stats;
  outcome.checked = result.checked;
  outcome.completed = result.launch.completed;
  if (result.timer)
    outcome.timed.reset(new Outcome::Timed{
        state->self.lock(), ready, std::move(by.own), *by.model,
        request.timingFile.empty() ? std::string(profile.name) + ", built in" : request.timingFile, request.blocks,
        std::move(result.timer), std::move(result.needs), std::move(result.touches), outcome.completed});
  return outcome;
}

std::optional<std::vector<std::string>> Program::autoArguments(const Way &way, const LaunchRequest &request,
                                                               FindingList &findings) {
  Ready *ready = this->ready(way, findings);
  if (!ready)
    return std::nullopt;
  std::lock_guard lock(compiling());
  LaunchOptions launch;
  launch.profile = ready->read->parsed->profile;
  launch.blocks = request.blocks;
  launch.checks = way.checks;
  launch.schedule = {way.schedule, request.seed};
  launch.threads = request.threads;
  launch.interrupt = request.interrupt;
  launch.print = [](std::string_view) {};
  std::optional<AutoArguments> chosen =
      chooseArguments(state->session, *ready->read->parsed, ready->compile, launch, {"auto"}, findings);
  return chosen ? std::optional(std::move(chosen->words)) : std::nullopt;
}

FindingList Program::check() {
  std::lock_guard lock(compiling());
  const ReadProgram &read = *state->reads.front();
  FindingList walked;
  checkStatically(*read.parsed, walked);
  auto trial = [&](const std::string &text) -> std::optional<FindingList> {
    FindingList ignored, left;
    std::unique_ptr<ParsedProgram> changed =
        state->session.parse(state->source.path, text, state->frontend(read.device), ignored);
    if (!changed->module)
      return std::nullopt;
    checkStatically(*changed, left);
    return left;
  };
  proveRemedies(walked, path(), text(), trial);
  FindingList all;
  addAll(all, read.findings);
  all.merge(std::move(walked));
  return all;
}

} // namespace ptoscope
