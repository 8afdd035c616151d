//===- Workers.cpp - each file in a process of its own --------------------===//

#include "ptoscope/Audit/Workers.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptoscope::audit {

namespace {

using Clock = std::chrono::steady_clock;

void becomeQuiet(int output) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nowhere, STDIN_FILENO);
  dup2(output < 0 ? nowhere : output, STDOUT_FILENO);
  dup2(output < 0 ? nowhere : output, STDERR_FILENO);
}

/// What a child does first: it ends with its parent, and leaves no core.
void becomeWorker(pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it was faster
    _exit(1);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(number, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

struct Running {
  Job *job;
  pid_t pid;
  int pipe;
  Clock::time_point begin;
  std::string text;      ///< a line that is not at its end
  bool timedOut = false; ///< it was killed for that
};

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void killGroup(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL); // if it had no time to make its group
}

bool startJob(Job &job, std::vector<Running> &running) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  std::fflush(nullptr);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (pid == 0) {
    becomeWorker(parent);
    becomeQuiet(-1);
    FILE *out = fdopen(ends[1], "w");
    job.body([&](const std::string &line) {
      fputs(line.c_str(), out);
      fputc('\n', out);
      fflush(out);
    });
    _exit(0); // the pipe ends with the process, which has its status by then
  }
  setpgid(pid, pid);
  close(ends[1]);
  running.push_back({&job, pid, ends[0], Clock::now(), {}});
  return true;
}

/// Reads what there is. False: the pipe is at its end.
bool readLines(Running &child) {
  char buffer[1 << 16];
  const ssize_t got = read(child.pipe, buffer, sizeof(buffer));
  if (got < 0)
    return errno == EINTR || errno == EAGAIN;
  child.text.append(buffer, size_t(got));
  size_t begin = 0;
  for (size_t end; (end = child.text.find('\n', begin)) != std::string::npos; begin = end + 1)
    child.job->hear(child.text.substr(begin, end - begin));
  child.text.erase(0, begin);
  return got > 0;
}

void finishJob(Running &child) {
  close(child.pipe);
  killGroup(child.pid); // what it started
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
    ;
  JobEnd end;
  end.timedOut = child.timedOut;
  end.seconds = secondsSince(child.begin);
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  child.job->end(end);
}

} // namespace

bool runJobs(std::vector<Job> &jobs, unsigned parallel, double seconds, const std::atomic<bool> &interrupted) {
  std::vector<Running> running;
  size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && running.size() < parallel && !interrupted) {
      if (!startJob(jobs[next], running)) {
        if (!running.empty())
          break; // there may be room when another one has ended
        jobs[next].end({false, 0, 1, 0});
      }
      ++next;
    }
    if (interrupted)
      break;
    std::vector<pollfd> polled;
    double wait = seconds;
    for (const Running &child : running) {
      polled.push_back({child.pipe, POLLIN, 0});
      wait = std::min(wait, seconds - secondsSince(child.begin));
    }
    poll(polled.data(), nfds_t(polled.size()), std::clamp(int(wait * 1000) + 1, 1, 200));
    for (size_t i = running.size(); i-- > 0;) {
      Running &child = running[i];
      const bool open = !(polled[i].revents & (POLLIN | POLLHUP | POLLERR)) || readLines(child);
      if (open && !child.timedOut && secondsSince(child.begin) > seconds) {
        child.timedOut = true;
        killGroup(child.pid);
      }
      if (!open || child.timedOut) {
        Running ended = std::move(child);
        running.erase(running.begin() + ptrdiff_t(i));
        finishJob(ended);
      }
    }
  }
  for (Running &child : running) {
    killGroup(child.pid);
    close(child.pipe);
    waitpid(child.pid, nullptr, 0);
  }
  return !interrupted;
}

Ended runProcess(const std::vector<std::string> &words, const std::vector<std::string> &variables,
                 const std::string &folder, const std::function<int()> &body) {
  Ended result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return {0, 127, "no pipe"};
  std::fflush(nullptr);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return {0, 127, "no process"};
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || chdir(folder.c_str()) != 0)
      _exit(127);
    becomeQuiet(ends[1]);
    for (const std::string &variable : variables)
      putenv(const_cast<char *>(variable.c_str()));
    if (body) {
      const int status = body();
      std::fflush(nullptr);
      _exit(status);
    }
    std::vector<char *> arguments;
    for (const std::string &word : words)
      arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  char buffer[1 << 14];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR);)
    if (got > 0 && result.output.size() < Ended::kMaxOutput)
      result.output.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return result;
}

} // namespace ptoscope::audit
