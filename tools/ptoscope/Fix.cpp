//===- Fix.cpp - ptoscope fix ---------------------------------------------===//

#include "Interrupt.h"
#include "Report.h"
#include "RequestOptions.h"
#include "Verbs.h"
#include "ptoscope/Driver/CxxCommand.h"
#include "ptoscope/Fix/Examiners.h"
#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/Edits.h"
#include "ptoscope/Support/Text.h"
#include "ptoscope/Support/TextRenderer.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace ptoscope;

namespace {

struct FixOptions {
  RunRequest request;
  Commands commands;
  unsigned rounds = 10, seeds = 4;
  bool write = false, isStatic = false, help = false;

  std::vector<Option> table();
  std::vector<OptionRule> rules();
  /// Eager and lazy, random ones, and the one that was asked for.
  std::vector<Schedule> schedules() const;
};

std::vector<Option> FixOptions::table() {
  auto text = [](std::string &target) {
    return [&target](const std::string &word) { return target = word, std::nullopt; };
  };
  auto flag = [](bool &target) { return [&target](const std::string &) { return target = true, std::nullopt; }; };
  std::vector<Option> options = {
      {"--write", "", "save the repaired text, only if no findings remain", flag(write)},
      numberOption("--rounds", "most rounds of repair (default: 10)", rounds, 1),
      numberOption("--seeds", "random schedules that the result is run under (default: 4)", seeds, 0),
      {"--static", "", "repair what `check` finds; nothing is run", flag(isStatic)},
      {"--build", "CMD", "for C++ sources: a shell command that builds the program", text(commands.build)},
      {"--run", "CMD", "for C++ sources: a shell command that runs it", text(commands.run)},
      {"--help", "", "this text", flag(help)},
  };
  for (Option &option : requestOptions(request))
    options.push_back(std::move(option));
  return options;
}

std::vector<OptionRule> FixOptions::rules() {
  // Whoever runs nothing has no use for the words of a run, and the commands of a build have their own.
  auto allBut = [this](std::vector<std::string> used) {
    std::vector<std::string> names;
    for (const Option &option : requestOptions(request))
      if (std::ranges::find(used, option.name) == used.end())
        names.push_back(option.name);
    return names;
  };
  std::vector<OptionRule> rules = requestRules();
  rules.push_back({"--build", OptionRule::Needs, {"--run"}});
  rules.push_back({"--run", OptionRule::Excludes, {"--static"}});
  rules.push_back({"--run", OptionRule::Excludes, allBut({"--schedule"})});
  rules.push_back({"--static", OptionRule::Excludes, {"--seeds"}});
  rules.push_back({"--static", OptionRule::Excludes, allBut({"--arch", "--strict", "--no-auto-scope"})});
  return rules;
}

std::vector<Schedule> FixOptions::schedules() const {
  std::vector<Schedule> all = {request.launch.schedule};
  auto add = [&](Schedule schedule) {
    auto same = [&](const Schedule &s) { return s.kind == schedule.kind && s.seed == schedule.seed; };
    if (std::ranges::none_of(all, same))
      all.push_back(schedule);
  };
  add({ScheduleKind::Eager, 0});
  add({ScheduleKind::Lazy, 0});
  for (unsigned seed = 1; seed <= seeds; ++seed)
    add({ScheduleKind::Random, seed});
  return all;
}

std::string namesOf(const std::vector<Schedule> &schedules) {
  std::string names;
  for (const Schedule &schedule : schedules)
    names += (names.empty() ? "" : ", ") + scheduleName(schedule);
  return names;
}

void printDiff(const Texts &before, const Texts &after) {
  const bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
  for (const auto &[path, text] : after)
    fputs(unifiedDiff(path, before.at(path), text, colour).c_str(), stdout);
  fflush(stdout);
}

/// What is left, and why nothing more was done.
void printLeft(const Repair &repair, unsigned rounds) {
  TextOptions options;
  options.colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
  options.source = [&](const std::string &file, uint32_t line) -> std::optional<std::string> {
    auto found = repair.texts.find(file);
    if (found == repair.texts.end())
      return std::nullopt;
    size_t begin = 0;
    for (uint32_t i = 1; i < line && begin != std::string::npos; ++i)
      if (begin = found->second.find('\n', begin); begin != std::string::npos)
        ++begin;
    if (begin == std::string::npos || begin >= found->second.size())
      return std::nullopt;
    return found->second.substr(begin, found->second.find('\n', begin) - begin);
  };
  for (const Finding &finding : repair.left.all())
    if (!isFine(finding))
      fputs(renderText(finding, options).c_str(), stderr);
  for (const Finding &finding : repair.refusals)
    fputs(renderText(finding, options).c_str(), stderr);
  const std::string why = repair.end == Repair::End::NoEdits ? "no line is known that repairs what is left"
                          : repair.end == Repair::End::NoProgress
                              ? "the lines that the findings offer were tried, and do not leave less to report"
                              : "the limit of " + plural(rounds, "round") + " is reached; `--rounds N` raises it";
  fprintf(stderr, "stuck: %s%s\n", why.c_str(),
          repair.rounds.empty() ? "" : "; places are those of the text with the lines above");
}

void printRounds(const Repair &repair, const std::string &verified) {
  size_t repaired = 0;
  for (const std::vector<Finding> &round : repair.rounds)
    repaired += round.size();
  const auto left = size_t(std::ranges::count_if(repair.left.all(), [](const Finding &f) { return !isFine(f); }));
  for (size_t i = 0; i < repair.rounds.size(); ++i) {
    std::string what;
    for (const Finding &finding : repair.rounds[i])
      what += (what.empty() ? "" : ", ") + finding.code +
              (finding.place.line ? " at line " + std::to_string(finding.place.line) : "");
    fprintf(stderr, "round %zu: %s: %s\n", i + 1, plural(repair.lines[i], "line").c_str(), what.c_str());
  }
  if (repair.rounds.empty() && left == 0)
    fprintf(stderr, "nothing to repair; %s\n", verified.c_str());
  else
    fprintf(stderr, "%s, %s repaired, %s%s\n", plural(repair.rounds.size(), "round").c_str(),
            plural(repaired, "finding").c_str(),
            left ? (std::to_string(left) + " left").c_str() : ("nothing left; " + verified).c_str(), "");
}

/// Prints what was done; 0 if nothing is left.
int conclude(const Texts &before, const Repair &repair, const FixOptions &options, const std::string &verified) {
  printDiff(before, repair.texts);
  printRounds(repair, verified);
  if (repair.end == Repair::End::Clean)
    return kSuccess;
  printLeft(repair, options.rounds);
  return kProgramError;
}

int saved(const Texts &before, const Texts &after) {
  for (const auto &[path, text] : after)
    if (text != before.at(path))
      fprintf(stderr, "saved %s\n", path.c_str());
  return kSuccess;
}

int fixSources(const std::vector<std::string> &paths, const FixOptions &options) {
  Result<SourceFiles> files = SourceFiles::open(paths);
  if (!files)
    return reportUsage(files.takeFinding());
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, onInterrupt);
  const Texts before = files->original();
  const std::vector<Schedule> schedules = options.schedules();
  Result<Repair> result =
      repair(before, examineByCommands(*files, options.commands, schedules, interrupted), options.rounds);
  const bool keeps = result && !interrupted && options.write && result->end == Repair::End::Clean;
  if (Result<void> done = keeps ? files->put(result->texts) : files->restore(); !done)
    return reportUsage(done.takeFinding());
  if (interrupted) {
    fputs("interrupted; the files are as they were\n", stderr);
    return kInterrupted;
  }
  if (!result)
    return reportUsage(result.takeFinding());
  if (keeps)
    files->release();
  const int status = conclude(before, *result, options, "built and run under " + namesOf(schedules));
  return keeps ? saved(before, result->texts) : status;
}

/// One program of text.
int fixProgram(Session &session, const std::string &path, const FixOptions &options) {
  Result<Array> file = readRaw(path);
  if (!file)
    return reportUsage(file.takeFinding());
  if (options.write)
    if (Result<void> writable = OutputSet::probe(path); !writable)
      return reportUsage(writable.takeFinding());
  const Texts before = {{path, std::string(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size())}};
  RunRequest request = options.request;
  if (!options.isStatic && request.arguments.empty()) {
    // A kernel without parameters needs none, and a program that is refused has none.
    FindingList ignored;
    std::unique_ptr<ParsedProgram> program = session.parse(path, before.begin()->second, request.frontend, ignored);
    std::unique_ptr<CompiledKernel> kernel =
        program->module ? session.compile(*program, request.compile, ignored) : nullptr;
    if (kernel && !kernel->parameters.empty()) {
      LaunchOptions launch = request.launch;
      launch.profile = program->profile;
      FindingList problems;
      std::optional<AutoArguments> chosen =
          chooseArguments(session, *program, request.compile, launch, {"auto"}, problems);
      if (!chosen)
        return report(problems, {}, {});
      request.arguments = chosen->words;
      fputs("arguments:", stderr);
      for (const std::string &word : request.arguments)
        fprintf(stderr, " --arg %s", word.c_str());
      fputc('\n', stderr);
    }
  }
  request.launch.print = [](std::string_view) {};
  request.launch.interrupt = &interrupted;
  std::signal(SIGINT, onInterrupt);
  const std::vector<Schedule> schedules = options.schedules();
  Examine examine =
      options.isStatic ? examineStatically(session, request.frontend) : examineByRuns(session, request, schedules);
  Result<Repair> result = repair(
      before,
      [&](const Texts &texts) -> Result<FindingList> {
        if (interrupted)
          return makeFinding("usage", {}, "interrupted");
        return examine(texts);
      },
      options.rounds);
  if (interrupted) {
    fputs("interrupted; nothing was saved\n", stderr);
    return kInterrupted;
  }
  if (!result)
    return reportUsage(result.takeFinding());
  const int status = conclude(before, *result, options,
                              options.isStatic ? "checked, nothing was run" : "run under " + namesOf(schedules));
  if (status != kSuccess || !options.write || result->texts == before)
    return status;
  Result<Array> now = readRaw(path);
  if (!now)
    return reportUsage(now.takeFinding());
  if (std::string_view(reinterpret_cast<const char *>(now->bytes.data()), now->bytes.size()) != before.at(path))
    return reportUsage(makeFinding("file-error", {path, 0, 0}, "someone else changed this file meanwhile; not saved"));
  if (Result<void> written = writeFileAtomically(path, result->texts.at(path)); !written)
    return reportUsage(written.takeFinding());
  return saved(before, result->texts);
}

} // namespace

int ptoscope::fixVerb(std::span<const std::string> words) {
  FixOptions options;
  options.request.launch.threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Option> table = options.table();
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, table, files, options.rules()); !parsed)
    return reportUsage(parsed.takeFinding());
  if (options.help) {
    printf("usage: ptoscope fix FILE… [options of run]\n"
           "       ptoscope fix --build CMD --run CMD FILE.cpp…\n\n"
           "Inserts the lines that findings offer, round by round, until nothing is left to report,\n"
           "and prints the difference. Without `--arg`, arguments are chosen automatically. Exit\n"
           "status 1: something is left.\n\n%s",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (files.empty())
    return reportUsage(usageError("`fix` needs a file", "ptoscope fix kernel.pto --arg …"));
  for (const std::string &file : files)
    if (file == "-")
      return reportUsage(usageError("`fix` cannot change standard input", "give a file"));
  const bool runsCommands = !options.commands.run.empty();
  for (const std::string &file : files) {
    if (!runsCommands && cxx::isCxxSource(file))
      return reportUsage(usageError("`" + file + "` is a C++ source, and `--run CMD` is missing",
                                    "ptoscope fix --build 'make' --run './program' " + file));
    if (runsCommands && file.ends_with(".pto"))
      return reportUsage(usageError("`" + file + "` is a PTO program, and `--build` and `--run` are for C++ sources",
                                    "ptoscope fix " + file + " --arg …"));
  }
  if (!options.request.launch.checks.any())
    return reportUsage(usageError("`fix` repairs what checks find, and `--check none` switches them all off",
                                  "leave out `--check none`"));
  if (runsCommands)
    return fixSources(files, options);
  Session session;
  int worst = kSuccess;
  for (const std::string &file : files)
    if (worst != kInterrupted)
      worst = std::max(worst, fixProgram(session, file, options));
  return worst;
}
