//===- Audit.cpp - ptoscope audit -----------------------------------------===//

#include "ptoscope/Audit/Audit.h"
#include "Interrupt.h"
#include "Report.h"
#include "RequestOptions.h"
#include "Verbs.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/JsonRenderer.h"

#include "llvm/ADT/StringRef.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace ptoscope;

/// "eager,lazy,random" and a number of seeds as schedules.
static std::optional<std::string> parseSchedules(const std::string &word, unsigned seeds,
                                                 std::vector<Schedule> &schedules) {
  schedules.clear();
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(word).split(names, ',');
  std::vector<int64_t> numbers(seeds);
  std::iota(numbers.begin(), numbers.end(), 1);
  for (llvm::StringRef name : names)
    if (std::optional<std::string> problem = addSchedules(name.str(), numbers, schedules))
      return problem;
  return std::nullopt;
}

static bool isInside(const std::string &file, const std::string &folder) {
  std::error_code ignored;
  const auto inner = std::filesystem::weakly_canonical(file, ignored);
  const auto outer = std::filesystem::weakly_canonical(folder, ignored);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

int ptoscope::auditVerb(std::span<const std::string> words) {
  audit::AuditOptions options;
  options.parallel = std::max(1u, std::thread::hardware_concurrency());
  std::string schedules = "eager,lazy,random", html;
  unsigned seeds = 2, seconds = 60;
  FrontendOptions frontend;
  bool json = false, help = false;
  std::vector<Option> table = {
      {"--against", "OLD_DIR", "an older output: list order edges, findings and results that changed",
       [&](const std::string &word) { return options.against = word, std::nullopt; }},
      {"--schedules", "LIST", "of eager, lazy, random and random:SEED (default: eager,lazy,random)",
       [&](const std::string &word) {
         std::vector<Schedule> unused;
         return schedules = word, parseSchedules(word, 1, unused);
       }},
      numberOption("--seeds", "how many seeds `random` stands for (default: 2)", seeds, 1),
      numberOption("--blocks", "blocks to launch (default: 1)", options.rows.blocks, 1),
      archOption(frontend),
      {"--cxx-flag", "WORD", "give this word to `ptoscope c++`, too; may be repeated",
       [&](const std::string &word) { return options.rows.compilerWords.push_back(word), std::nullopt; }},
      numberOption("-j", "files at a time (default: one per core of this host)", options.parallel, 1),
      numberOption("--timeout", "seconds that a file may take (default: 60)", seconds, 1),
      {"--html", "PATH", "write a page with all of it, too",
       [&](const std::string &word) { return html = word, std::nullopt; }},
      choiceOption<bool>("--format", "how the results are printed (default: text)", "format",
                         {{"text", false}, {"json", true}}, json),
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> folders;
  if (Result<void> parsed = parseCommandLine(words, table, folders); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope audit BUILD_DIR [options]\n\nRuns every kernel of a compiler's output, .pto files and C++ "
           "files that include the tile\nAPI, with automatic arguments, all checks and several schedules. Each file is "
           "run apart;\nnothing is written to BUILD_DIR.\n\n%s\nexample:\n  ptoscope audit build/kernels --against "
           "old/kernels --html audit.html\n",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (folders.size() != 1)
    return reportUsage(usageError(folders.empty() ? "`audit` needs a folder"
                                                  : "`audit` takes one folder, got `" + folders[1] + "` too",
                                  "ptoscope audit BUILD_DIR"));
  options.folder = folders[0];
  options.rows.arch = frontend.arch;
  options.seconds = seconds;
  if (std::optional<std::string> problem = parseSchedules(schedules, seeds, options.rows.schedules))
    return reportUsage(usageError(*problem));
  if (!html.empty()) {
    if (isInside(html, options.folder))
      return reportUsage(usageError("`--html " + html + "` is in the folder that is audited",
                                    "nothing is written there: give the page another folder"));
    if (Result<void> writable = OutputSet::probe(html); !writable)
      return reportUsage(writable.takeFinding());
  }
  if (isatty(STDERR_FILENO))
    options.progress = [](size_t done, size_t all) { fprintf(stderr, "\r\033[K%zu of %zu files", done, all); };
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  Result<std::optional<audit::Json>> result = audit::runAudit(options, interrupted);
  if (options.progress)
    fprintf(stderr, "\r\033[K");
  if (!result)
    return reportUsage(result.takeFinding());
  if (!*result)
    return kInterrupted;
  audit::Json &found = **result;
  found["tool"] = {{"name", "ptoscope"}, {"version", kVersion}};
  fputs(json ? printJson(found).c_str() : audit::auditText(found).c_str(), stdout);
  if (!html.empty())
    if (Result<void> written = writeFileAtomically(html, audit::auditPage(found)); !written)
      return reportUsage(written.takeFinding());
  return audit::statusOf(found);
}
