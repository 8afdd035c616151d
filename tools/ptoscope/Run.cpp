//===- Run.cpp - ptoscope run ---------------------------------------------===//

#include "Interrupt.h"
#include "Limits.h"
#include "Report.h"
#include "RequestOptions.h"
#include "TimeReport.h"
#include "Verbs.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

#include "llvm/ADT/StringRef.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace ptoscope;

namespace {

struct RunOptions {
  RunRequest request;
  ReportOptions reporting;
  std::vector<std::string> outputs, prints, dumps;
  bool help = false;
  TimeReportOptions timeReport;
  LimitOptions limits;
  std::string timingFile; ///< in place of the figures that are built in

  /// Someone wants to know how long the run takes on a device.
  bool isTimed() const { return timeReport.any() || !timingFile.empty(); }
  std::vector<Option> table();
  std::vector<OptionRule> rules() const;
  /// Every file that the run may write.
  std::vector<std::string> outputPaths() const;
};

std::vector<std::string> RunOptions::outputPaths() const {
  std::vector<std::string> paths;
  for (const std::vector<std::string> *words : {&outputs, &dumps})
    for (const std::string &word : *words)
      if (const size_t equals = word.find('='); equals != std::string::npos && equals + 1 < word.size())
        paths.push_back(word.substr(equals + 1));
  for (const std::string &path : {timeReport.files.trace, timeReport.files.report})
    if (!path.empty())
      paths.push_back(path);
  return paths;
}

std::vector<Option> RunOptions::table() {
  auto append = [](std::vector<std::string> &list) {
    return [&list](const std::string &word) { return list.push_back(word), std::nullopt; };
  };
  std::vector<Option> options = requestOptions(request);
  options.insert(
      options.begin() + 1,
      {{"--out", "I=PATH", "write parameter I (from 0, or %name) after the run: .npy or raw bytes", append(outputs)},
       {"--print", "V@LINE",
        "show a value when the instruction of that line has taken effect: V is `tile`\n"
        "for all that it writes, or a %name that it has: a tile, a view, a register, a\n"
        "mask, a pointer of a transfer or store, a number; `:K` behind the line: only\n"
        "the K-th time in a block; `/B`: only block B",
        append(prints)},
       {"--dump", "V@LINE=PATH",
        "write it instead, as .npy or, to any other name, as raw bytes: the last time, or\n"
        "the K-th; block 0, or B",
        append(dumps)}});
  options.insert(options.end(),
                 {{"--timing", "FILE", "time the run with the figures of this file instead of those of the target",
                   [this](const std::string &word) { return timingFile = word, std::nullopt; }},
                  {"--emit", "STAGE", "compile only, and print: pto, outlined, lowered, llvm-dialect, llvm or asm",
                   [this](const std::string &word) -> std::optional<std::string> {
                     request.compile.emit = word;
                     if (std::ranges::find(kStages, word) == std::end(kStages))
                       return "`" + word + "` is not a stage; use pto, outlined, lowered, llvm-dialect, llvm or asm";
                     return std::nullopt;
                   }},
                  {"--help", "", "this text", [this](const std::string &) { return help = true, std::nullopt; }}});
  for (std::vector<Option> more : {timeReport.options(), limits.options(), reporting.options()})
    options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<OptionRule> RunOptions::rules() const {
  std::vector<OptionRule> rules = requestRules();
  for (OptionRule &rule : timeReport.rules())
    rules.push_back(std::move(rule));
  rules.push_back({"--emit", OptionRule::Excludes, {"--out", "--expect", "--dump", "--stats", "--trace", "--report"}});
  return rules;
}

/// A line on the terminal that says how far a long run is, and is gone when it ends.
class Progress {
public:
  Progress(LaunchOptions &launch) {
    if (!isatty(STDERR_FILENO))
      return;
    launch.stepsTaken = &steps;
    launch.progress = [this](int64_t done) { blocks = done; };
    ticker = std::jthread([this, total = launch.blocks](std::stop_token stop) {
      std::unique_lock lock(mutex);
      while (!changed.wait_for(lock, stop, std::chrono::milliseconds(500), [] { return false; }) &&
             !stop.stop_requested()) {
        fprintf(stderr, "\r\033[K");
        if (total > 1)
          fprintf(stderr, "%lld of %lld blocks, ", (long long)blocks.load(), (long long)total);
        fprintf(stderr, "%.1f million steps", double(steps.load()) / 1e6);
        shown = true;
      }
    });
  }
  void stop() {
    if (!ticker.joinable())
      return;
    ticker.request_stop();
    ticker.join();
    if (shown)
      fprintf(stderr, "\r\033[K");
  }

private:
  std::atomic<uint64_t> steps{0};
  std::atomic<int64_t> blocks{0};
  std::mutex mutex;
  std::condition_variable_any changed;
  bool shown = false;
  std::jthread ticker;
};

/// Writes the arrays that were asked for, also of a run that ended early.
std::optional<Finding> finishLooks(tile::Looks &looks, bool completed) {
  OutputSet staging;
  for (size_t i = 0; i < looks.all().size(); ++i) {
    const tile::Look &look = looks.all()[i];
    const uint64_t times = looks.times(i);
    const std::string place = "line " + std::to_string(look.line) + " ran " +
                              (times == 1 ? "once" : std::to_string(times) + " times") +
                              (look.block < 0 ? "" : " in block " + std::to_string(look.block));
    if (completed && (times == 0 || times < look.time))
      return usageError("`" + look.name + "@" + std::to_string(look.line) +
                            (look.time ? ":" + std::to_string(look.time) : "") + "` was never reached",
                        place);
    if (const Array *array = looks.arrayOf(i); array && !look.path.empty())
      if (Result<void> staged = stageArray(staging, look.path, *array); !staged)
        return staged.takeFinding();
  }
  if (Result<void> written = staging.commit(); !written)
    return written.takeFinding();
  return std::nullopt;
}

/// The figures that a run is timed with; none where no one wants its time.
struct TimedBy {
  const timing::Model *model = nullptr;
  std::unique_ptr<timing::Model> own; ///< of a file
};

Result<TimedBy> timingOf(const RunOptions &options, const Profile &profile) {
  TimedBy by;
  if (!options.isTimed())
    return by;
  by.model = &timing::Model::of(profile.id);
  if (options.timingFile.empty())
    return by;
  Result<std::unique_ptr<timing::Model>> read = timing::Model::read(options.timingFile);
  if (!read)
    return read.takeFinding();
  by.own = std::move(*read);
  by.model = by.own.get();
  if (!by.own->serves(profile.id))
    return usageError("`" + options.timingFile + "` has the figures of " +
                          std::string(profileOf(by.own->profile()).name) + ", and the program runs on " +
                          std::string(profile.name),
                      "give the file of that target, or choose the target with `--arch`");
  return by;
}

void printStats(const LaunchStats &stats, const CheckCounts &checked) {
  // Transfers are in the table of paths, those of cube cores and tiles among them.
  printf("instructions     %llu\nvector scopes    %llu\nflag operations  %llu\nblocks           %lld\n",
         (unsigned long long)stats.instructions, (unsigned long long)stats.scopes, (unsigned long long)stats.flags,
         (long long)stats.blocksDone);
  if (checked.accesses)
    printf("accesses checked %llu\nbytes checked    %llu\n", (unsigned long long)checked.accesses,
           (unsigned long long)checked.bytes);
}

} // namespace

int ptoscope::runVerb(std::span<const std::string> words) {
  RunOptions options;
  RunRequest &request = options.request;
  request.launch.threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Option> table = options.table();
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, table, files, options.rules()); !parsed)
    return reportUsage(parsed.takeFinding());
  if (options.help) {
    printf("usage: ptoscope run FILE [options]\n\nRuns a kernel on the machine model, with every check on.\n\n%s\n"
           "example:\n  ptoscope run examples/abs.pto --arg random:f32:32x32:1 --arg zeros:f32:32x32 --out 1=out.npy\n",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (files.size() != 1)
    return reportUsage(
        usageError(files.empty() ? "`run` needs a file" : "`run` takes one file, got `" + files[1] + "` too",
                   "ptoscope run kernel.pto --arg …"));
  if (options.reporting.format == Format::Sarif && options.timeReport.stats != TimeReportOptions::Stats::None)
    return reportUsage(usageError("option `--stats` does not go with `--format sarif`, which has findings only",
                                  "`--format json` has both"));

  reportLimits(options.reporting, files[0]);
  Result<std::unique_ptr<ReservedOutputs>> reserved = options.limits.begin(options.outputPaths());
  if (!reserved)
    return reportUsage(reserved.takeFinding());
  Session session;
  FindingList findings(SIZE_MAX);
  std::unique_ptr<ParsedProgram> program = session.parseFile(files[0], request.frontend, findings);
  const ParsedProgram *view[] = {program.get()};
  auto finish = [&] { return report(findings, options.reporting, view); };
  auto fail = [&](Finding finding) {
    findings.add(std::move(finding));
    return finish();
  };
  if (!program->module)
    return finish();
  for (bool dumps : {false, true})
    for (const std::string &word : dumps ? options.dumps : options.prints) {
      Result<std::vector<tile::Look>> looks = findLooks(*program, word, dumps);
      if (!looks)
        return fail(looks.takeFinding());
      for (tile::Look &look : *looks)
        request.compile.looks.push_back(std::move(look));
    }
  if (Result<void> writable = options.timeReport.files.probe(); !writable)
    return fail(writable.takeFinding());
  Result<TimedBy> timedBy = timingOf(options, *program->profile);
  if (!timedBy)
    return fail(timedBy.takeFinding());
  request.compile.countsTurns = options.isTimed();
  if (!request.compile.emit.empty()) {
    request.compile.checks = request.launch.checks;
    request.compile.schedule = request.launch.schedule.kind;
    if (std::unique_ptr<CompiledKernel> kernel = session.compile(*program, request.compile, findings)) {
      fputs(kernel->emitted.c_str(), stdout);
      if (!kernel->emitted.ends_with('\n'))
        fputc('\n', stdout);
    }
    return finish();
  }

  // Everything that can be refused is refused before the kernel runs.
  request.launch.profile = program->profile;
  request.launch.interrupt = &interrupted;
  PreparedRun run;
  const bool prepared = prepareRun(session, *program, request, run, findings);
  if (run.automatic) {
    const bool isText =
        options.reporting.format == Format::Text && options.timeReport.stats != TimeReportOptions::Stats::Json;
    FILE *out = isText ? stdout : stderr;
    fputs("arguments:", out);
    for (const std::string &word : run.words)
      fprintf(out, " --arg %s", word.c_str());
    fputc('\n', out);
    fflush(out);
  }
  if (!prepared)
    return finish();
  const CompiledKernel *kernel = run.kernel.get();
  std::vector<FileOfParameter> outputs;
  for (const std::string &word : options.outputs) {
    Result<FileOfParameter> file = parseFileOfParameter(*kernel, "--out", word);
    if (!file)
      return fail(file.takeFinding());
    if (Result<void> writable = OutputSet::probe(file->path); !writable)
      return fail(writable.takeFinding());
    auto isIt = [&](const std::string &other) {
      std::error_code ignored;
      return !other.empty() && std::filesystem::weakly_canonical(other, ignored) ==
                                   std::filesystem::weakly_canonical(file->path, ignored);
    };
    if (std::ranges::any_of(outputs, isIt, &FileOfParameter::path) || isIt(options.timeReport.files.trace) ||
        isIt(options.timeReport.files.report))
      return fail(usageError("two outputs are the file `" + file->path + "`", "give each a file of its own"));
    outputs.push_back(std::move(*file));
  }
  for (const tile::Look &look : request.compile.looks)
    if (Result<void> writable = look.path.empty() ? Result<void>() : OutputSet::probe(look.path); !writable)
      return fail(writable.takeFinding());

  tile::Looks looks(request.compile.looks, kernel->sites);
  if (!looks.all().empty())
    request.launch.onlooker = looks.onlooker();
  const bool printsJson =
      options.reporting.format == Format::Text && options.timeReport.stats == TimeReportOptions::Stats::Json;
  FILE *printed = options.reporting.format == Format::Text && !printsJson ? stdout : stderr;
  request.launch.print = [printed](std::string_view text) { fwrite(text.data(), 1, text.size(), printed); };
  if (Result<void> closed = options.limits.close(); !closed)
    return fail(closed.takeFinding());
  Progress progress(request.launch);
  // It asks the machine to stop and say where it stands.
  std::signal(SIGINT, onFirstInterrupt);
  RunResult result = executeRun(session, *program, request, run, findings, timedBy->model,
                                options.timeReport.any() ? options.timeReport.files.mostTouches() : 0);
  progress.stop();
  const bool completed = result.launch.completed;

  fflush(printed);
  if (std::optional<Finding> problem = finishLooks(looks, completed))
    findings.add(std::move(*problem));

  if (completed) {
    OutputSet staging;
    for (const FileOfParameter &file : outputs)
      if (Result<void> staged = stageArray(staging, file.path, run.loaded[file.parameter].array); !staged)
        return fail(staged.takeFinding());
    if (Result<void> written = staging.commit(); !written)
      return fail(written.takeFinding());
  }
  std::optional<TimeReport> time;
  // Of a run that ended early they show how far it came.
  if (options.timeReport.any() && result.timer) {
    time.emplace(options.timeReport, *program, *kernel, request.launch, result, *timedBy->model,
                 options.timingFile.empty() ? std::string(program->profile->name) + ", built in" : options.timingFile);
    if (Result<void> written = time->write(findings); !written)
      return fail(written.takeFinding());
  }
  const bool hasStats = time && time->hasStats();
  ExitStatus status = report(findings, options.reporting, view, hasStats ? time->json() : nlohmann::ordered_json());
  if (printsJson && hasStats)
    fputs(printJson(time->json()).c_str(), stdout);
  if (interrupted && !completed)
    return kInterrupted;
  if (options.reporting.format == Format::Text && !printsJson) {
    if (time) {
      fputs(time->text().c_str(), stdout);
    } else if (result.timer && completed) {
      const timing::LaunchTime taken = result.timer->solve(*timedBy->model, nullptr);
      printf("cycles           %.0f\nmicroseconds     %.3f\n", taken.cycles, taken.withLaunch / taken.clockMHz);
    }
    if (options.timeReport.stats != TimeReportOptions::Stats::None)
      printStats(result.launch.stats, result.checked);
    if (completed && status == kSuccess) {
      const long long blocks = request.launch.blocks;
      const size_t warnings = findings.count(Severity::Warning);
      printf("@%s: %lld %s done%s%s", kernel->name.c_str(), blocks, blocks == 1 ? "block" : "blocks",
             run.expectations.empty() ? "" : ", results as expected",
             request.launch.checks.any() ? "; checked " : "; unchecked");
      if (request.launch.checks.any())
        printf("%s (%s, %s, %s, %s): %s", checkNames(request.launch.checks).c_str(),
               plural(result.launch.stats.instructions, "instruction").c_str(),
               plural(result.checked.accesses, "access").c_str(), plural(result.checked.bytes, "byte").c_str(),
               plural(result.launch.stats.flags, "flag operation").c_str(),
               warnings ? plural(warnings, "warning").c_str() : "no error");
      printf("\n");
    }
  }
  return status;
}
