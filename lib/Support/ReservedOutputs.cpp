//===- ReservedOutputs.cpp - outputs of a process in a sandbox ------------===//
//
// The process that keeps the outputs knows their names from the start and takes
// only numbers: whoever takes over the other one can choose which of its own
// outputs appear, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "OutputFiles.h"
#include "SystemError.h"
#include "ptoscope/Support/AtomicFile.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptoscope {

static ReservedOutputs *theReserved = nullptr;

ReservedOutputs *ReservedOutputs::ofProcess() { return theReserved; }

static bool readAll(int file, void *into, size_t size) {
  for (auto *bytes = static_cast<uint8_t *>(into); size != 0;) {
    const ssize_t got = ::read(file, bytes, size);
    if (got == 0 || (got < 0 && errno != EINTR))
      return false;
    bytes += std::max<ssize_t>(got, 0);
    size -= size_t(std::max<ssize_t>(got, 0));
  }
  return true;
}

static bool send(int file, std::span<const uint32_t> words) {
  return writeAll(file, {reinterpret_cast<const uint8_t *>(words.data()), words.size_bytes()});
}

Result<std::unique_ptr<ReservedOutputs>> ReservedOutputs::make(std::span<const std::string> paths) {
  assert(!theReserved && "one at a time");
  std::unique_ptr<ReservedOutputs> reserved(new ReservedOutputs);
  for (const std::string &path : paths) {
    Result<std::string> target = resolveTarget(path);
    if (!target)
      return target.takeFinding();
    const auto same = [&](const Output &other) { return other.target == *target; };
    if (std::ranges::any_of(reserved->outputs, same))
      continue; // whoever stages both is told
    reserved->outputs.push_back({path, *target, {}, -1});
  }
  int down[2] = {-1, -1}, up[2] = {-1, -1};
  if (::pipe2(down, O_CLOEXEC) == 0 && ::pipe2(up, O_CLOEXEC) == 0)
    reserved->keeper = ::fork();
  if (reserved->keeper == 0) {
    ::close(down[1]);
    ::close(up[0]);
    reserved->serve(down[0], up[1]);
  }
  const int error = errno;
  reserved->requests = down[1];
  reserved->answers = up[0];
  for (int end : {down[0], up[1]})
    if (end >= 0)
      ::close(end);
  if (reserved->keeper < 0)
    return makeFinding("usage", {}, "the process that keeps outputs cannot be started: " + reasonOf(error));
  for (Output &output : reserved->outputs)
    if (const int problem = reserved->take(output))
      return cannotWrite(output.path, reasonOf(problem));
  theReserved = reserved.get();
  return reserved;
}

ReservedOutputs::~ReservedOutputs() {
  for (int end : {requests, answers})
    if (end >= 0)
      ::close(end);
  for (const Output &output : outputs)
    if (output.file >= 0)
      ::close(output.file);
  while (keeper > 0 && ::waitpid(keeper, nullptr, 0) < 0 && errno == EINTR)
    ;
  if (theReserved == this)
    theReserved = nullptr;
}

/// In the other process, until the one that asks has ended.
void ReservedOutputs::serve(int in, int out) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
    std::signal(signal, SIG_IGN); // it ends with its parent, and not before it has cleaned up
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::close(stream);
  // The files are made here: those of the other process would stay if it were killed before this one is started.
  bool heard = true;
  for (Output &output : outputs) {
    output.temporary = openBeside(output.target, output.file);
    const uint32_t answer[] = {output.file < 0 ? uint32_t(errno) : 0, uint32_t(output.temporary.size())};
    heard = heard && send(out, answer) &&
            writeAll(out, {reinterpret_cast<const uint8_t *>(output.temporary.data()), output.temporary.size()});
    if (output.file >= 0)
      ::close(output.file);
  }
  std::vector<uint32_t> chosen;
  for (uint32_t count; heard && readAll(in, &count, sizeof(count)) && count <= outputs.size();) {
    chosen.resize(count);
    if (!readAll(in, chosen.data(), count * sizeof(uint32_t)))
      break;
    OutputSet set;
    bool known = true;
    for (uint32_t i : chosen) {
      known &= i < outputs.size() && !outputs[i].temporary.empty();
      if (known)
        set.staged.push_back({outputs[i].path, outputs[i].target, std::exchange(outputs[i].temporary, {}), {}});
    }
    std::string refused = known ? "" : "this output was written before";
    std::string where;
    if (known)
      if (Result<void> done = set.commit(); !done) {
        refused = done.finding().message;
        where = done.finding().place.file;
      }
    const std::string answer = refused.empty() ? "" : where + '\n' + refused;
    const uint32_t length = uint32_t(answer.size());
    if (!send(out, {&length, 1}) || !writeAll(out, {reinterpret_cast<const uint8_t *>(answer.data()), answer.size()}))
      break;
  }
  for (const Output &output : outputs)
    if (!output.temporary.empty())
      ::unlink(output.temporary.c_str());
  ::_exit(0);
}

int ReservedOutputs::take(Output &output) {
  uint32_t answer[2] = {}; // what is wrong; the length of the name
  if (!readAll(answers, answer, sizeof(answer)))
    return EPIPE;
  output.temporary.resize(answer[1]);
  if (!readAll(answers, output.temporary.data(), answer[1]))
    return EPIPE;
  if (answer[0])
    return int(answer[0]);
  output.file = ::open(output.temporary.c_str(), O_WRONLY | O_CLOEXEC);
  return output.file < 0 ? errno : 0;
}

std::string ReservedOutputs::open(const std::string &target, int &file) const {
  file = -1;
  for (const Output &output : outputs) {
    if (output.target != target)
      continue;
    if (::ftruncate(output.file, 0) != 0 || ::lseek(output.file, 0, SEEK_SET) != 0)
      return {};
    file = ::fcntl(output.file, F_DUPFD_CLOEXEC, 0);
    return output.temporary;
  }
  errno = EPERM;
  return {};
}

Result<void> ReservedOutputs::commit(std::span<const std::string> targets) {
  std::vector<uint32_t> request{uint32_t(targets.size())};
  for (const std::string &target : targets)
    for (uint32_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].target == target)
        request.push_back(i);
  uint32_t length = 0;
  std::string answer;
  bool heard = send(requests, request) && readAll(answers, &length, sizeof(length)) && length < 65536;
  if (heard) {
    answer.resize(length);
    heard = readAll(answers, answer.data(), length);
  }
  if (!heard)
    return makeFinding("file-error", {}, "outputs cannot be put into place: the process that does it is gone");
  if (answer.empty())
    return {};
  const size_t end = answer.find('\n');
  return makeFinding("file-error", {answer.substr(0, end), 0, 0}, answer.substr(end + 1));
}

} // namespace ptoscope
