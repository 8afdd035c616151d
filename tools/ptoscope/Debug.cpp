//===- Debug.cpp - ptoscope debug -----------------------------------------===//

#include "Report.h"
#include "RequestOptions.h"
#include "Verbs.h"
#include "ptoscope/Debug/Adapter.h"
#include "ptoscope/Debug/Console.h"
#include "ptoscope/Support/TextRenderer.h"

#include "llvm/ADT/StringRef.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

using namespace ptoscope;

namespace {

struct DebugOptions {
  RunRequest request;
  bool dap = false, help = false;

  /// Those of a run that mean something here.
  std::vector<Option> table() {
    std::vector<Option> options = requestOptions(request);
    std::erase_if(options, [](const Option &option) {
      return option.name == "--expect" || option.name == "--atol" || option.name == "--rtol" ||
             option.name == "--threads";
    });
    options.push_back({"--dap", "", "speak the Debug Adapter Protocol on standard input and output",
                       [this](const std::string &) { return dap = true, std::nullopt; }});
    options.push_back({"--help", "", "this text", [this](const std::string &) { return help = true, std::nullopt; }});
    return options;
  }
};

/// False, with findings, for a program or arguments that cannot run.
bool makeTarget(const std::string &file, RunRequest &request, debug::Target &target, FindingList &findings) {
  target.session = std::make_unique<Session>();
  target.program = target.session->parseFile(file, request.frontend, findings);
  if (!target.program->module)
    return false;
  request.compile.steps = &target.steps;
  PreparedRun run;
  if (!prepareRun(*target.session, *target.program, request, run, findings))
    return false;
  target.foreseen = foreseeDrawn(*target.session, *target.program, request, run);
  target.kernel = std::move(run.kernel);
  for (LoadedArgument &argument : run.loaded)
    target.arguments.push_back({std::move(argument.array), argument.bits});
  target.launch = request.launch;
  target.launch.profile = target.program->profile;
  return true;
}

debug::Debugger *running = nullptr;
void holdRunning(int) {
  if (running)
    running->hold();
}

int runTerminal(debug::Target &target) {
  debug::Debugger debugger(target);
  debug::Console console(debugger);
  running = &debugger;
  std::signal(SIGINT, holdRunning);
  const bool prompts = isatty(STDIN_FILENO);
  console.follow(debugger.start());
  fputs(console.stopText(debugger.where()).c_str(), stdout);
  char *line = nullptr;
  size_t room = 0;
  while (true) {
    if (prompts)
      fputs("(ptoscope) ", stdout);
    fflush(stdout);
    if (getline(&line, &room, stdin) < 0)
      break;
    std::string words = llvm::StringRef(line).rtrim("\r\n").str();
    if (llvm::StringRef(words).ltrim().starts_with("#"))
      continue;
    const debug::Answer answer = console.say(words);
    fputs(answer.text.c_str(), stdout);
    if (answer.quits)
      break;
  }
  free(line);
  running = nullptr;
  debugger.end();
  return kSuccess;
}

int runAdapter() {
  // Its reader may still wait for a message when everything else has ended.
  static Channel channel(stdin, stdout);
  const bool fine = debug::serveAdapter(
      channel, [](const std::vector<std::string> &words, std::string &problem) -> std::unique_ptr<debug::Target> {
        DebugOptions options;
        std::vector<std::string> files;
        FindingList findings(SIZE_MAX);
        auto target = std::make_unique<debug::Target>();
        bool made = false;
        if (Result<void> parsed = parseCommandLine(words, options.table(), files); !parsed)
          findings.add(parsed.takeFinding());
        else if (files.size() == 1)
          made = makeTarget(files[0], options.request, *target, findings);
        else
          findings.add(usageError("a launch needs one `program`"));
        if (!made)
          for (const Finding &finding : findings.all())
            if (finding.severity == Severity::Error) {
              const Place &place = finding.place;
              problem =
                  (place.file.empty() ? "" : place.file + (place.line ? ":" + std::to_string(place.line) : "") + ": ") +
                  finding.message + (finding.help.empty() ? "" : "; " + finding.help);
              break;
            }
        return made ? std::move(target) : nullptr;
      });
  return fine ? kSuccess : kUsageError;
}

} // namespace

int ptoscope::debugVerb(std::span<const std::string> words) {
  DebugOptions options;
  std::vector<Option> table = options.table();
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, table, files); !parsed)
    return reportUsage(parsed.takeFinding());
  if (options.help) {
    printf("usage: ptoscope debug FILE [options]\n       ptoscope debug --dap\n\n"
           "Runs a kernel step by step, forwards and back. Words come from standard input;\n"
           "`help` lists them.\n\n%s\n"
           "example:\n  ptoscope debug examples/abs.pto --arg auto\n",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (options.dap) {
    if (words.size() != 1)
      return reportUsage(usageError("`--dap` stands alone: a launch request says what to run", "ptoscope debug --dap"));
    return runAdapter();
  }
  if (files.size() != 1 || files[0] == "-")
    return reportUsage(usageError(files.empty()       ? "`debug` needs a file"
                                  : files.size() == 1 ? "`debug` reads its words from standard input, not a program"
                                                      : "`debug` takes one file, got `" + files[1] + "` too",
                                  "ptoscope debug kernel.pto --arg …"));
  FindingList findings(SIZE_MAX);
  debug::Target target;
  const bool made = makeTarget(files[0], options.request, target, findings);
  const ParsedProgram *view[] = {target.program.get()};
  const ExitStatus status = report(findings, ReportOptions(), view);
  return made ? runTerminal(target) : int(status);
}
