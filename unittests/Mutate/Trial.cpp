//===- Trial.cpp - run a kernel and its mutants, and judge them -----------===//

#include "Trial.h"

#include "Chains.h"

#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Driver/Arguments.h"
#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/Edits.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>

namespace ptoscope::mutate {

static std::string keyOf(const Finding &f) {
  return f.code + " " + std::to_string(f.place.line) + ":" + std::to_string(f.place.column) + " " + f.message;
}

static std::string show(const Finding &f) {
  return std::string(toString(f.severity)) + "[" + f.code + "] line " + std::to_string(f.place.line) + ": " + f.message;
}

std::vector<Finding> Subject::newFindings(const FindingList &findings) const {
  std::vector<Finding> list;
  for (const Finding &f : findings.all())
    if (f.severity != Severity::Remark && std::find(known.begin(), known.end(), keyOf(f)) == known.end())
      list.push_back(f);
  return list;
}

/// Verifies as parsing does, then compiles for random schedules with every check;
/// such code runs under the other schedules too.
Subject::Compiled Subject::compile(std::unique_ptr<ParsedProgram> program) {
  FindingList findings;
  Compiled result;
  {
    DiagnosticBridge bridge(session.context(), *program, findings, "verify-error");
    mlir::PassManager passes(&session.context());
    passes.enableVerifier(false);
    passes.addPass(createVerifyProgramPass(program->profile));
    if (mlir::succeeded(mlir::verify(*program->module)))
      (void)passes.run(*program->module); // what it refuses is a finding
  }
  if (!findings.failed()) {
    result.kernel = session.compile(*program, compileOptions(), findings);
  }
  result.program = std::move(program);
  result.findings = newFindings(findings);
  return result;
}

CompileOptions Subject::compileOptions() const {
  CompileOptions options;
  options.kernel = kernel.kernel;
  options.checks = launchOptions({}).checks;
  options.schedule = ScheduleKind::Random;
  return options;
}

LaunchOptions Subject::launchOptions(Schedule schedule) const {
  LaunchOptions options;
  options.profile = original.program ? original.program->profile : nullptr;
  options.blocks = kernel.blocks;
  options.checks.race = trial.race;
  options.schedule = schedule;
  options.maxSteps = maxSteps;
  return options;
}

Subject::Run Subject::run(const CompiledKernel &compiled, Schedule schedule, const ParsedProgram *program) {
  Run result;
  auto arguments = [&](Bytes &bytes) {
    bytes = input;
    std::vector<Argument> list;
    for (size_t i = 0; i < input.size(); ++i)
      if (compiled.parameters[i].isPointer)
        list.push_back(std::span<uint8_t>(bytes[i]));
      else
        list.push_back(scalars[i]);
    return list;
  };
  RunResult ran = Session::launch(compiled, arguments(result.bytes), launchOptions(schedule));
  if (program) {
    Bytes fresh;
    FrontendOptions frontend;
    frontend.arch = kernel.arch;
    session.proveRemedies(
        *program,
        {frontend, compileOptions(), launchOptions(schedule), [&] { return std::optional(arguments(fresh)); }},
        ran.launch);
  }
  result.completed = ran.launch.completed;
  result.findings = newFindings(ran.launch.findings);
  if (maxSteps == 0) // the mutants of a kernel may take somewhat longer, and never forever
    maxSteps = 100 * (ran.launch.stats.steps + 10000);
  return result;
}

Recording Subject::record(const CompiledKernel &compiled) {
  Bytes bytes = input;
  GmTable gm;
  std::vector<uint64_t> words;
  for (size_t i = 0; i < input.size(); ++i)
    words.push_back(compiled.parameters[i].isPointer
                        ? gm.add(bytes[i].data(), bytes[i].size(), compiled.parameters[i].name)
                        : scalars[i]);
  Recorder recorder(*original.program->profile);
  LaunchOptions options = launchOptions({});
  options.observers = &recorder;
  (void)launch(compiled.image, gm, words, options);
  return recorder.take();
}

std::vector<Subject::NamedSchedule> Subject::schedules() const {
  std::vector<NamedSchedule> list = {{"eager", {}}, {"lazy", {ScheduleKind::Lazy, 0}}};
  for (uint64_t seed = 1; seed <= trial.randomSchedules; ++seed)
    list.push_back({"random:" + std::to_string(seed), {ScheduleKind::Random, seed}});
  return list;
}

std::string Subject::compare(const CompiledKernel &compiled, const NamedSchedule &schedule, const Run &ran) const {
  if (!ran.findings.empty())
    return schedule.name + ": " + show(ran.findings.front());
  if (!ran.completed)
    return schedule.name + ": the run does not end";
  for (size_t i = 0; i < expected.size(); ++i)
    if (ran.bytes[i] != expected[i]) {
      auto at = std::mismatch(ran.bytes[i].begin(), ran.bytes[i].end(), expected[i].begin()).first;
      return schedule.name + ": byte " + std::to_string(at - ran.bytes[i].begin()) + " of parameter `" +
             compiled.parameters[i].name + "` differs";
    }
  return "";
}

std::string Subject::prepare() {
  FindingList findings;
  FrontendOptions frontend;
  frontend.arch = kernel.arch;
  std::unique_ptr<ParsedProgram> program = session.parseFile(kernel.file, frontend, findings);
  if (program->module)
    original = compile(std::move(program));
  if (!original.kernel) {
    for (const Finding &f : original.findings)
      findings.add(f);
    return findings.empty() ? "cannot be compiled" : show(findings.all().back());
  }
  auto arguments = loadArguments(*original.kernel, kernel.arguments, findings);
  if (!arguments)
    return show(findings.all().back());
  for (LoadedArgument &argument : *arguments) {
    std::span<const uint8_t> bytes = argument.array.bytes.span();
    input.emplace_back(bytes.begin(), bytes.end());
    scalars.push_back(argument.bits);
  }
  // Warnings of the kernel itself; whether a flag is set twice in a row may depend
  // on the schedule.
  auto note = [&](std::vector<Finding> &found) {
    std::erase_if(found, [&](const Finding &f) {
      bool warning = f.severity == Severity::Warning;
      if (warning)
        known.push_back(keyOf(f)), knownCodes.insert(f.code);
      return warning;
    });
  };
  note(original.findings);
  if (!original.findings.empty())
    return show(original.findings.front());
  for (const NamedSchedule &schedule : schedules()) {
    Run ran = run(*original.kernel, schedule.schedule);
    note(ran.findings);
    if (expected.empty())
      expected = ran.bytes;
    if (std::string difference = compare(*original.kernel, schedule, ran); !difference.empty())
      return difference;
  }
  recorded = record(*original.kernel);
  if (std::string pair = unordered(recorded, original.kernel->sites); !pair.empty())
    return pair;
  list = mutationsOf(*original.program, original.kernel->sites);
  return "";
}

std::string Subject::unordered(const Recording &recording, const SiteTable &sites) const {
  Chains chains(recording, sites);
  for (auto [a, b] : recording.graph.meeting())
    if (!recording.graph.ordered(a, b))
      return "nothing orders " + chains.show(a) + " and " + chains.show(b);
  for (const auto &[instr, scope] : recording.scopes)
    for (auto [a, b] : scope.meeting)
      if (scope.chain(a, b).empty())
        return "no fence orders " + chains.show(scope, a) + " and " + chains.show(scope, b);
  return "";
}

Verdict Subject::explain(const Mutation &mutation, const Compiled &mutant, const Recording &recording) {
  Chains before(recorded, original.kernel->sites), after(recording, mutant.kernel->sites);
  Chains::Kept kept = after.keeps(before, mutation.changed);
  if (!kept.lost.empty())
    return {Outcome::Missed, "the order of " + kept.lost + " is lost"};
  return {Outcome::Harmless, kept.text};
}

/// As text again: mutants are made of the module, and lines go into text.
static std::string printed(const ParsedProgram &program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  program.module.get().print(stream);
  return text;
}

std::string Subject::followRemedies(const ParsedProgram &mutant) {
  constexpr int kRounds = 5;
  constexpr uint64_t kSeeds = 6;
  std::string text = printed(mutant), left;
  for (int round = 0; round <= kRounds; ++round) {
    FindingList findings;
    FrontendOptions frontend;
    frontend.arch = kernel.arch;
    Compiled changed;
    if (auto program = session.parse("mutant.pto", text, frontend, findings); program->module)
      changed = compile(std::move(program));
    std::vector<Finding> found = changed.findings;
    auto isKnown = [&](const Finding &f) { return f.severity != Severity::Error && knownCodes.count(f.code); };
    if (changed.kernel && found.empty())
      found = run(*changed.kernel, {}, changed.program.get()).findings;
    std::erase_if(found, isKnown);
    // Repaired means repaired under every schedule.
    for (uint64_t seed = 0; round > 0 && found.empty() && changed.kernel && seed <= kSeeds; ++seed) {
      found = run(*changed.kernel, {seed ? ScheduleKind::Random : ScheduleKind::Lazy, seed}).findings;
      std::erase_if(found, isKnown);
    }
    if (found.empty() && changed.kernel)
      return "";
    std::vector<Edit> offer; // the lines of one report were tried together
    for (const Finding &f : found)
      offer.insert(offer.end(), f.edits.begin(), f.edits.end());
    left = found.empty() ? "the text is refused" : show(found.front());
    if (offer.empty())
      return round == 0 ? "" : left;
    if (round == 0)
      ++offered;
    text = withLines(text, offer);
  }
  return left;
}

Verdict Subject::judge(const Mutation &mutation) {
  Compiled mutant = compile(mutantOf(*original.program, mutation));
  auto report = [](const std::vector<Finding> &findings) -> Verdict {
    auto worst = std::min_element(findings.begin(), findings.end(), [](const Finding &a, const Finding &b) {
      return a.severity == Severity::Error && b.severity != Severity::Error;
    });
    if (worst->category == Category::Internal)
      return {Outcome::Missed, show(*worst)};
    return {worst->severity == Severity::Error ? Outcome::Error : Outcome::Warning, show(*worst)};
  };
  if (!mutant.findings.empty())
    return report(mutant.findings);
  if (!mutant.kernel)
    return {Outcome::Missed, "refused without a finding"};
  Run eager = run(*mutant.kernel, {});
  if (!eager.findings.empty()) {
    // A race that the graph does not have would be a false report.
    bool onlyRaces = std::all_of(eager.findings.begin(), eager.findings.end(),
                                 [](const Finding &f) { return f.code.starts_with("race-"); });
    if (onlyRaces && eager.completed && unordered(record(*mutant.kernel), mutant.kernel->sites).empty())
      return {Outcome::Disputed, show(eager.findings.front())};
    bool offers = std::any_of(eager.findings.begin(), eager.findings.end(),
                              [](const Finding &f) { return !f.remedies.empty() || !f.missing.empty(); });
    if (std::string left = offers && trial.race ? followRemedies(*mutant.program) : ""; !left.empty())
      return {Outcome::Misled, show(eager.findings.front()) + ", and behind what is offered: " + left};
    return report(eager.findings);
  }
  for (const NamedSchedule &schedule : schedules())
    if (std::string difference = compare(*mutant.kernel, schedule, run(*mutant.kernel, schedule.schedule));
        !difference.empty()) {
      // Warnings may depend on what a schedule makes happen; errors and bytes may not.
      bool warned = difference.find(": warning[") != std::string::npos;
      return {warned ? Outcome::Warning : Outcome::Missed, difference};
    }
  Recording recording = record(*mutant.kernel);
  if (std::string pair = unordered(recording, mutant.kernel->sites); !pair.empty())
    return {Outcome::Missed, "not reported: " + pair};
  return explain(mutation, mutant, recording);
}

} // namespace ptoscope::mutate
