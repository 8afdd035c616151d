//===- Test.cpp - ptoscope test -------------------------------------------===//

#include "Interrupt.h"
#include "Limits.h"
#include "Report.h"
#include "RequestOptions.h"
#include "Verbs.h"
#include "ptoscope/Suite/Runner.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/SarifRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

#include "llvm/ADT/StringRef.h"

#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace ptoscope;
using namespace ptoscope::suite;

namespace {

struct TestOptions {
  RunnerOptions runner;
  Format format = Format::Text;
  std::string junit, sarif, out;
  bool merges = false, github = false, help = false;
  LimitOptions limits;

  std::vector<Option> table();
};

std::optional<std::string> parseShard(const std::string &word, RunnerOptions &runner) {
  auto [index, count] = llvm::StringRef(word).split('/');
  unsigned i, n;
  if (index.getAsInteger(10, i) || count.getAsInteger(10, n) || i < 1 || i > n)
    return "`" + word + "` is not of the form I/N, with I from 1 to N";
  runner.shard = i;
  runner.shards = n;
  return std::nullopt;
}

std::vector<Option> TestOptions::table() {
  auto text = [](std::string &target) {
    return [&target](const std::string &word) { return target = word, std::nullopt; };
  };
  auto flag = [](bool &target) { return [&target](const std::string &) { return target = true, std::nullopt; }; };
  std::vector<Option> options = {
      numberOption("-j", "cases that run at the same time (default: one per core)", runner.workers, 1),
      {"--timeout", "S", "seconds that one run may take (default: 60; 0: any)",
       [this](const std::string &word) -> std::optional<std::string> {
         if (llvm::StringRef(word).getAsDouble(runner.timeout) || !(runner.timeout >= 0))
           return "`" + word + "` is not a number of at least 0";
         return std::nullopt;
       }},
      {"--shard", "I/N", "only every N-th case, from the I-th",
       [this](const std::string &word) { return parseShard(word, runner); }},
      {"--out", "FILE", "write the results as JSON, for `--merge`", text(out)},
      {"--merge", "", "the files are results of all shards: report them as one", flag(merges)},
      {"--junit", "FILE", "write the results as JUnit XML", text(junit)},
      {"--sarif", "FILE", "write unexpected findings as SARIF", text(sarif)},
      {"--github", "", "print annotations for GitHub (default where GITHUB_ACTIONS is true)", flag(github)},
      choiceOption<Format>("--format", "how results are printed (default: text)", "format",
                           {{"text", Format::Text}, {"json", Format::Json}}, format),
      {"--no-cache", "", "run everything, also what ran before with the same contents",
       [this](const std::string &) { return runner.usesCache = false, std::nullopt; }},
      {"--werror", "", "unexpected warnings fail a case, too", flag(runner.warningsAreErrors)},
      {"--help", "", "this text", flag(help)},
  };
  const std::vector<Option> more = limits.options();
  options.insert(options.end() - 1, more.begin(), more.end());
  return options;
}

/// The source line of a finding, from its file.
std::optional<std::string> sourceLine(const std::string &file, uint32_t line) {
  Result<Array> read = readRaw(file);
  if (!read || line == 0)
    return std::nullopt;
  llvm::StringRef rest(reinterpret_cast<const char *>(read->bytes.data()), read->bytes.size());
  for (uint32_t i = 1; i < line && !rest.empty(); ++i)
    rest = rest.split('\n').second;
  if (rest.empty())
    return std::nullopt;
  return rest.split('\n').first.str();
}

Result<Results> readAll(const std::vector<std::string> &files) {
  std::vector<Results> parts;
  for (const std::string &file : files) {
    Result<Array> text = readRaw(file);
    if (!text)
      return text.takeFinding();
    Result<Results> part =
        readResults(file, std::string(reinterpret_cast<const char *>(text->bytes.data()), text->bytes.size()));
    if (!part)
      return part;
    parts.push_back(std::move(*part));
  }
  return merge(std::move(parts));
}

void printOutcome(const Outcome &outcome) {
  fprintf(stderr, "%s %s (%s)\n", std::string(toString(outcome.verdict)).c_str(), outcome.file.c_str(),
          outcome.title().c_str());
  TextOptions text;
  text.colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
  text.source = sourceLine;
  for (const Finding &finding : outcome.findings)
    fputs(renderText(finding, text).c_str(), stderr);
}

int conclude(const Results &results, const TestOptions &options) {
  const ToolInfo tool{"ptoscope", kVersion};
  OutputSet files;
  for (const auto &[path, text] :
       {std::pair(options.out, options.out.empty() ? "" : renderResults(results, tool)),
        std::pair(options.junit, options.junit.empty() ? "" : renderJUnit(results)),
        std::pair(options.sarif, options.sarif.empty() ? "" : renderSarif(findingsOf(results), tool))})
    if (!path.empty())
      if (Result<void> staged = files.stage(path, text); !staged)
        return reportUsage(staged.takeFinding());
  if (Result<void> written = files.commit(); !written)
    return reportUsage(written.takeFinding());
  const char *actions = getenv("GITHUB_ACTIONS");
  if (options.github || (actions && llvm::StringRef(actions) == "true"))
    fputs(renderGitHub(results).c_str(), options.format == Format::Text ? stdout : stderr);
  if (options.format == Format::Json)
    fputs(renderResults(results, tool).c_str(), stdout);
  else
    printf("%s\n", summarize(results).c_str());
  return results.passed() ? kSuccess : kProgramError;
}

} // namespace

int ptoscope::testVerb(std::span<const std::string> words) {
  TestOptions options;
  options.runner.workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Option> table = options.table();
  std::vector<std::string> paths;
  if (Result<void> parsed = parseCommandLine(words, table, paths); !parsed)
    return reportUsage(parsed.takeFinding());
  if (options.help) {
    printf("usage: ptoscope test DIR|FILE… [options]\n"
           "       ptoscope test --merge RESULTS.json…\n\n"
           "Runs the cases that programs hold in lines `// ptoscope-test: …`, or that a `.toml` beside\n"
           "them holds, under every schedule and number of blocks that they name. Exit status 1: a\n"
           "case fails.\n\n%s",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (paths.empty())
    return reportUsage(options.merges ? usageError("`test --merge` needs files of results",
                                                   "ptoscope test --merge part-1.json part-2.json, which "
                                                   "`ptoscope test … --out part-1.json` writes")
                                      : usageError("`test` needs a folder", "ptoscope test examples"));
  for (const std::string *path : {&options.out, &options.junit, &options.sarif})
    if (!path->empty())
      if (Result<void> writable = OutputSet::probe(*path); !writable)
        return reportUsage(writable.takeFinding());
  if (options.merges) {
    Result<Results> merged = readAll(paths);
    if (!merged)
      return reportUsage(merged.takeFinding());
    for (const Outcome &outcome : merged->outcomes)
      if (outcome.verdict != Verdict::Passed && options.format == Format::Text)
        printOutcome(outcome);
    return conclude(*merged, options);
  }
  Result<std::vector<Case>> cases = readCases(paths);
  if (!cases)
    return reportUsage(cases.takeFinding());
  // Processes that run cases write no file; this one reads what they tell.
  if (options.limits.sandbox)
    if (Result<void> there = sandboxAvailable(); !there)
      return reportUsage(there.takeFinding());
  options.runner.confine = [&options] { return bool(options.limits.begin({})); };
  const bool shows = isatty(STDERR_FILENO);
  options.runner.interrupt = &interrupted;
  options.runner.progress = [&](const Outcome &outcome, size_t done, size_t total) {
    if (shows)
      fputs("\r\033[K", stderr);
    if (outcome.verdict != Verdict::Passed && options.format == Format::Text)
      printOutcome(outcome);
    if (shows && done < total)
      fprintf(stderr, "%zu of %zu runs, %s", done, total, outcome.file.c_str());
  };
  std::signal(SIGINT, onFirstInterrupt);
  const Results results = runSuite(*cases, options.runner);
  if (interrupted) {
    fprintf(stderr, "%sinterrupted; %s\n", shows ? "\r\033[K" : "", summarize(results).c_str());
    return kInterrupted;
  }
  return conclude(results, options);
}
