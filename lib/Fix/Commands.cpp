//===- Commands.cpp - examine C++ programs by building and running them ---===//
//
// The program is the user's, and so is the way to build it. The runtime of the tile API
// writes the findings of all launches to the file that PTOSCOPE_REPORT names (LSYN-11).
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/CxxStatements.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Fix/Examiners.h"
#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/JsonReader.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ptoscope {
namespace {

/// A folder for reports and outputs, gone in the end.
class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "ptoscope-fix-XXXXXX").string();
    if (mkdtemp(name.data()))
      path = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  std::string path;
};

std::string contentsOf(const std::string &path) {
  Result<Array> file = readRaw(path);
  return file ? std::string(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size()) : "";
}

/// The last lines of what a command said.
std::string tail(const std::string &text, int lines) {
  size_t begin = text.size();
  while (begin > 0 && (lines -= begin == text.size() || text[begin - 1] == '\n') >= 0)
    --begin;
  std::string result = text.substr(begin == 0 ? 0 : begin + 1);
  while (result.ends_with('\n'))
    result.pop_back();
  return result;
}

/// Waits for a child that leads a process group. After an interrupt the group is asked to end, and in the end made to:
/// a signal that comes while a shell or an interpreter starts its program is lost there.
int waitForGroup(pid_t child, const std::atomic<bool> &interrupt) {
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGKILL};
  size_t sent = 0;
  std::chrono::steady_clock::time_point next;
  int status = 0;
  for (pid_t ended; (ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR);) {
    if (const auto now = std::chrono::steady_clock::now(); interrupt && sent < std::size(kSignals) && now >= next) {
      kill(-child, kSignals[sent++]);
      next = now + std::chrono::seconds(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Status of the command as a shell tells it; what it says goes to `output`.
int runCommand(const std::string &command, const std::string &output,
               const std::vector<std::pair<std::string, std::string>> &environment,
               const std::atomic<bool> &interrupt) {
  const pid_t child = fork();
  if (child > 0)
    setpgid(child, child); // whoever is first
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // a hang-up of the terminal no longer reaches it
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (file < 0 || nothing < 0)
      _exit(126);
    dup2(nothing, STDIN_FILENO);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  return child < 0 ? 126 : waitForGroup(child, interrupt);
}

Finding commandFailed(const std::string &what, const std::string &command, int status, const std::string &said) {
  Finding finding = makeFinding("usage", {}, "`" + command + "` ends with status " + std::to_string(status) + what);
  if (const std::string last = tail(said, 12); !last.empty())
    finding.notes.push_back({{}, "it said:\n" + last});
  return finding;
}

} // namespace

Examine examineByCommands(SourceFiles &files, Commands commands, std::vector<Schedule> schedules,
                          const std::atomic<bool> &interrupt) {
  return [&files, &interrupt, commands = std::move(commands),
          schedules = std::move(schedules)](const Texts &texts) -> Result<FindingList> {
    const Finding interrupted = makeFinding("usage", {}, "interrupted");
    if (interrupt)
      return interrupted;
    if (Result<void> done = files.put(texts); !done)
      return done.takeFinding();
    Scratch scratch;
    if (scratch.path.empty())
      return makeFinding("file-error", {}, std::string("no folder for reports can be made: ") + strerror(errno));
    const std::string said = scratch.path + "/said", report = scratch.path + "/report.json";
    if (!commands.build.empty())
      if (int status = runCommand(commands.build, said, {}, interrupt); status != 0)
        return interrupt ? interrupted : commandFailed("", commands.build, status, contentsOf(said));
    FindingList findings;
    for (const Schedule &schedule : schedules) {
      if (interrupt)
        return interrupted;
      if (!isClean(findings))
        break;
      ::unlink(report.c_str());
      const int status = runCommand(
          commands.run, said,
          {{"PTOSCOPE_REPORT", report}, {"PTOSCOPE_FORMAT", "json"}, {"PTOSCOPE_SCHEDULE", scheduleName(schedule)}},
          interrupt);
      if (interrupt)
        return interrupted;
      if (::access(report.c_str(), F_OK) != 0)
        return commandFailed(" and launches no kernel: no report was written", commands.run, status, contentsOf(said));
      Result<FindingList> found = readFindings(report, contentsOf(report));
      if (!found)
        return found;
      for (Finding finding : found->all()) {
        for (Edit &edit : finding.edits)
          if (const std::string path = files.pathOf(edit.place.file); !path.empty())
            edit.place.file = path;
        if (const std::string path = files.pathOf(finding.place.file); !path.empty())
          finding.place.file = path;
        auto isRefused = [&](const Edit &edit) {
          auto known = texts.find(edit.place.file);
          return known != texts.end() && edit.replaces.empty() &&
                 !cxx::canInsertLine(known->second, edit.place.line, edit.place.column, edit.after);
        };
        if (std::ranges::any_of(finding.edits, isRefused)) {
          finding.edits.clear();
          finding.help += "; for `fix`, give the call lines of its own, in braces where it is the body of an `if`, "
                          "`else` or loop";
        }
        findings.add(std::move(finding));
      }
      if (status != 0 && isClean(findings))
        findings.add(commandFailed(" under the schedule " + scheduleName(schedule) + ", without a finding",
                                   commands.run, status, contentsOf(said)));
    }
    return findings;
  };
}

} // namespace ptoscope
