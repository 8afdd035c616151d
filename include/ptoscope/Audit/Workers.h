//===- Workers.h - each file in a process of its own ------------*- C++ -*-===//
//
// Runs jobs in child processes, several at a time. A job that crashes, hangs or takes
// all memory ends alone. What it has to say comes as lines of text.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_AUDIT_WORKERS_H
#define PTOSCOPE_AUDIT_WORKERS_H

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace ptoscope::audit {

/// Called in the child: says a line.
using Say = std::function<void(const std::string &line)>;

struct JobEnd {
  bool timedOut = false;
  int signal = 0; ///< that ended it; 0: none
  int status = 0;
  double seconds = 0;
};

struct Job {
  std::function<void(const Say &say)> body;          ///< in the child
  std::function<void(const std::string &line)> hear; ///< in the parent
  std::function<void(const JobEnd &end)> end;        ///< in the parent; a later job may be changed
};

/// Runs all jobs, in order, at most `parallel` at a time, each for at most `seconds`. The process
/// must have one thread. False: interrupted, and every child is gone.
bool runJobs(std::vector<Job> &jobs, unsigned parallel, double seconds, const std::atomic<bool> &interrupted);

/// How a program ended.
struct Ended {
  int signal = 0, status = 0;
  std::string output; ///< both streams, at most kMaxOutput bytes of their beginning
  static constexpr size_t kMaxOutput = 1 << 16;
};
/// Runs `body` in a child process, in `folder`, with these variables ("A=b") added; without a body, the
/// program words[0]. Waits for it.
Ended runProcess(const std::vector<std::string> &words, const std::vector<std::string> &variables,
                 const std::string &folder, const std::function<int()> &body = {});

} // namespace ptoscope::audit

#endif // PTOSCOPE_AUDIT_WORKERS_H
