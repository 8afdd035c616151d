//===- Tune.cpp - ptoscope tune -------------------------------------------===//
//
// Runs a kernel for every combination of values of some of its scalar arguments,
// with the checks and with the timer, and shows which takes the fewest cycles.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Driver/Arguments.h"
#include "ptoscope/Driver/AutoArguments.h"
#include "ptoscope/Timing/Timer.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

using namespace ptoscope;

namespace {

/// More combinations than anyone looks at are a slip of the keyboard.
constexpr size_t kMaxCombinations = 10000;

struct Variation {
  std::string name; ///< `%tile`
  std::vector<std::string> values;
  size_t parameter = 0;
};

struct TuneOptions {
  FrontendOptions frontend;
  CompileOptions compile;
  LaunchOptions launch;
  ReportOptions reporting;
  std::vector<std::string> arguments, variations;
  std::string figures;
  bool help = false;
};

/// What one combination gave.
struct Trial {
  std::vector<std::string> values; ///< by variation
  std::vector<std::string> words;  ///< by parameter
  FindingList findings{5};
  bool ran = false;
  double cycles = 0;
};

Result<Variation> parseVariation(const std::string &word) {
  auto [name, list] = llvm::StringRef(word).split('=');
  if (name.size() < 2 || !name.starts_with("%") || list.empty())
    return usageError("`--vary " + word + "` is not of the form %name=V,V,…", "such as `--vary %tile=64,128,256`");
  Variation variation{name.str(), {}};
  llvm::SmallVector<llvm::StringRef> values;
  list.split(values, ',');
  for (llvm::StringRef value : values) {
    if (!parseInteger(value.str()))
      return usageError("`--vary " + word + "`: `" + value.str() + "` is not a whole number",
                        "give whole numbers between commas");
    if (std::ranges::find(variation.values, value) != variation.values.end())
      return usageError("`--vary " + word + "` has " + value.str() + " twice", "give each value once");
    variation.values.push_back(value.str());
  }
  return variation;
}

/// Finds the parameters that vary. The arguments get a place holder for each of them, so that
/// `--arg` is given for the others only.
Result<void> resolve(std::vector<Variation> &variations, const CompiledKernel &kernel,
                     std::vector<std::string> &words) {
  std::string names;
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.isPointer)
      names += (names.empty() ? "" : ", ") + parameter.name;
  for (Variation &variation : variations) {
    auto it = std::ranges::find(kernel.parameters, variation.name, &Parameter::name);
    if (it == kernel.parameters.end())
      return usageError("kernel @" + kernel.name + " has no parameter `" + variation.name + "`",
                        names.empty() ? "it has no scalar parameter" : "its scalar parameters are " + names);
    if (it->isPointer)
      return usageError("parameter `" + variation.name + "` is a buffer, and only scalars vary",
                        names.empty() ? "the kernel has no scalar parameter" : "its scalar parameters are " + names);
    variation.parameter = size_t(it - kernel.parameters.begin());
    for (const Variation &other : variations)
      if (&other < &variation && other.parameter == variation.parameter)
        return usageError("`" + variation.name + "` varies twice", "give all its values in one `--vary`");
  }
  // One `auto` is for all the others.
  if (words == std::vector<std::string>{"auto"})
    words.assign(kernel.parameters.size() - variations.size(), "auto");
  std::vector<size_t> places;
  for (const Variation &variation : variations)
    places.push_back(variation.parameter);
  std::ranges::sort(places);
  for (size_t place : places)
    if (place <= words.size())
      words.insert(words.begin() + ptrdiff_t(place), "0");
  return {};
}

std::vector<Trial> combine(const std::vector<Variation> &variations) {
  std::vector<Trial> trials(1);
  for (const Variation &variation : variations) {
    std::vector<Trial> longer;
    for (const Trial &trial : trials)
      for (const std::string &value : variation.values) {
        longer.push_back(trial);
        longer.back().values.push_back(value);
      }
    trials = std::move(longer);
  }
  return trials;
}

/// Gives each trial its words, and makes those of `options` as explicit as they are for all of them. Where they are
/// `auto`, numbers are chosen once, with the first trial, so that only what varies differs; buffers are chosen for
/// each, since their sizes follow. Words that cannot be arguments are refused before anything is timed.
bool giveWords(Session &session, const ParsedProgram &program, const CompiledKernel &kernel,
               const std::vector<Variation> &variations, TuneOptions &options, std::vector<Trial> &trials,
               FindingList &refused) {
  std::vector<std::string> &words = options.arguments;
  for (Trial &trial : trials) {
    trial.words = words;
    for (size_t i = 0; i < variations.size(); ++i)
      if (variations[i].parameter < words.size())
        trial.words[variations[i].parameter] = trial.values[i];
    if (wantsAuto(words)) {
      std::optional<AutoArguments> chosen =
          chooseArguments(session, program, options.compile, options.launch, trial.words, refused);
      if (!chosen)
        return false;
      trial.words = std::move(chosen->words);
    }
    if (&trial != &trials.front())
      continue;
    if (!loadArguments(kernel, trial.words, refused))
      return false;
    for (size_t i = 0; i < words.size(); ++i)
      if (!kernel.parameters[i].isPointer)
        words[i] = trial.words[i];
  }
  return true;
}

void runTrial(const CompiledKernel &kernel, LaunchOptions launch, const timing::Model &model, Trial &trial) {
  std::optional<std::vector<LoadedArgument>> loaded = loadArguments(kernel, trial.words, trial.findings);
  if (!loaded)
    return;
  launch.print = [](std::string_view) {};
  RunResult result = Session::launch(kernel, argumentsOf(kernel, *loaded), launch, &model);
  trial.findings.merge(std::move(result.launch.findings));
  if (!result.launch.completed)
    return;
  trial.cycles = result.timer->solve(model, nullptr).cycles;
  trial.ran = true;
}

/// As they can be given again: with the numbers that were chosen.
void printArguments(const CompiledKernel &kernel, const std::vector<Variation> &variations,
                    const std::vector<std::string> &words) {
  fputs("arguments:", stdout);
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (std::ranges::find(variations, i, &Variation::parameter) == variations.end())
      printf(" --arg %s", words[i].c_str());
  fputc('\n', stdout);
}

std::string verdict(const Trial &trial) {
  for (const Finding &finding : trial.findings.all())
    if (finding.severity == Severity::Error)
      return finding.code + ": " + finding.message;
  for (const Finding &finding : trial.findings.all())
    if (finding.severity == Severity::Warning)
      return "warning " + finding.code;
  return "no error";
}

bool isClean(const Trial &trial) {
  return trial.ran && std::ranges::none_of(trial.findings.all(),
                                           [](const Finding &finding) { return finding.severity == Severity::Error; });
}

void printTable(const std::vector<Variation> &variations, const std::vector<Trial> &trials) {
  const Trial *best = nullptr;
  for (const Trial &trial : trials)
    if (isClean(trial) && (!best || trial.cycles < best->cycles))
      best = &trial;
  for (const Variation &variation : variations)
    printf("%10s ", variation.name.c_str());
  printf("%14s  findings\n", "cycles");
  for (const Trial &trial : trials) {
    for (const std::string &value : trial.values)
      printf("%10s ", value.c_str());
    if (trial.ran)
      printf("%14.0f", trial.cycles);
    else
      printf("%14s", "-");
    printf("  %s%s\n", verdict(trial).c_str(), &trial == best ? "  <- best" : "");
  }
}

} // namespace

int ptoscope::tuneVerb(std::span<const std::string> words) {
  TuneOptions options;
  auto append = [](std::vector<std::string> &list) {
    return [&list](const std::string &word) { return list.push_back(word), std::nullopt; };
  };
  std::vector<Option> table = {
      {"--vary", "%NAME=V,V,…", "values of a scalar parameter; with several of these, all combinations",
       append(options.variations)},
      {"--arg", "V",
       "one per parameter that does not vary, in order, as for `run`; `auto` chooses\n"
       "numbers once, and buffers for each combination",
       append(options.arguments)},
      {"--kernel", "NAME", "which kernel, when the module has several",
       [&](const std::string &word) -> std::optional<std::string> {
         options.compile.kernel = llvm::StringRef(word).ltrim('@').str();
         return std::nullopt;
       }},
      {"--block-dim", "N", "blocks to launch (default: 1)",
       [&](const std::string &word) -> std::optional<std::string> {
         std::optional<int64_t> value = parseInteger(word);
         if (!value || *value < 1 || *value > INT32_MAX)
           return "`" + word + "` is not a whole number of at least 1";
         options.launch.blocks = *value;
         return std::nullopt;
       }},
      archOption(options.frontend),
      {"--timing", "FILE", "figures of this file instead of the built-in ones",
       [&](const std::string &word) { return options.figures = word, std::nullopt; }},
      {"--help", "", "this text", [&](const std::string &) { return options.help = true, std::nullopt; }},
  };
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, table, files); !parsed)
    return reportUsage(parsed.takeFinding());
  if (options.help) {
    printf("usage: ptoscope tune FILE --vary %%NAME=V,V,… [--arg V …]\n\nRuns a kernel for each combination of values, "
           "with "
           "every check, and shows the cycles.\nExit status 1: a combination has an error.\n\n%s",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (files.size() != 1 || options.variations.empty())
    return reportUsage(usageError(files.size() != 1 ? "`tune` needs one file" : "`tune` needs `--vary %name=V,V,…`",
                                  "ptoscope tune kernel.pto --vary %tile=64,128,256 --arg …"));
  std::vector<Variation> variations;
  size_t combinations = 1;
  for (const std::string &word : options.variations) {
    Result<Variation> variation = parseVariation(word);
    if (!variation)
      return reportUsage(variation.takeFinding());
    combinations *= variation->values.size();
    if (combinations > kMaxCombinations)
      return reportUsage(
          usageError("there are more than " + std::to_string(kMaxCombinations) + " combinations", "give fewer values"));
    variations.push_back(std::move(*variation));
  }

  Session session;
  FindingList findings(SIZE_MAX);
  std::unique_ptr<ParsedProgram> program = session.parseFile(files[0], options.frontend, findings);
  const ParsedProgram *view[] = {program.get()};
  options.compile.countsTurns = true;
  std::unique_ptr<CompiledKernel> kernel =
      program->module ? session.compile(*program, options.compile, findings) : nullptr;
  if (ExitStatus status = report(findings, options.reporting, view); !kernel || status != kSuccess)
    return status;
  if (Result<void> resolved = resolve(variations, *kernel, options.arguments); !resolved)
    return reportUsage(resolved.takeFinding());
  timing::Model model = timing::Model::of(program->profile->id);
  if (!options.figures.empty()) {
    Result<std::unique_ptr<timing::Model>> own = timing::Model::read(options.figures);
    if (!own)
      return reportUsage(own.takeFinding());
    if (!(*own)->serves(program->profile->id))
      return reportUsage(
          usageError("`" + options.figures + "` has no figures of " + std::string(program->profile->name),
                     "give a file of that profile"));
    model = **own;
  }
  options.launch.profile = program->profile;

  std::vector<Trial> trials = combine(variations);
  FindingList refused;
  const bool chooses = wantsAuto(options.arguments);
  if (!giveWords(session, *program, *kernel, variations, options, trials, refused))
    return report(refused, options.reporting, view);
  if (chooses)
    printArguments(*kernel, variations, options.arguments);

  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < trials.size();)
      runTrial(*kernel, options.launch, model, trials[i]);
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), trials.size()); ++i)
    others.emplace_back(work);
  work();
  others.clear();
  printTable(variations, trials);
  return std::ranges::all_of(trials, isClean) ? kSuccess : kProgramError;
}
