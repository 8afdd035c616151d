//===- Runner.cpp - run the cases of a suite ------------------------------===//

#include "ptoscope/Suite/Runner.h"
#include "Cache.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/Sandbox.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptoscope::suite {
namespace {

/// How a process ends that takes more than a limit.
constexpr int kOverTime = 101, kWithoutMemory = 102;

using Clock = std::chrono::steady_clock;

/// Runs of one case that are left to do, by their position in the suite.
struct Job {
  std::vector<size_t> runs;
};

/// A process that does a job: it writes a line with the outcome of each run.
struct Worker {
  pid_t process = -1;
  int pipe = -1;
  Job job;
  size_t done = 0; ///< of the job's runs
  std::string pending;
  Clock::time_point since; ///< the current run began
  bool timedOut = false;
};

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(size_t(std::max<ssize_t>(n, 0)));
  }
  return true;
}

class Runner {
public:
  Runner(const std::vector<Case> &cases, const RunnerOptions &options) : options(options) {
    for (size_t i = 0; i < cases.size(); ++i)
      if (i % options.shards + 1 == options.shard)
        for (const Variant &variant : variantsOf(cases[i]))
          variants.push_back(variant);
  }

  Results run() {
    outcomes.resize(variants.size());
    keys.resize(variants.size());
    findKept();
    while (!isInterrupted() && (!jobs.empty() || !workers.empty())) {
      while (!jobs.empty() && workers.size() < options.workers)
        start();
      listen();
    }
    for (Worker &worker : workers)
      end(worker);
    Results results;
    results.shard = options.shard;
    results.shards = options.shards;
    for (std::optional<Outcome> &outcome : outcomes)
      if (outcome)
        results.outcomes.push_back(std::move(*outcome));
    return results;
  }

private:
  bool isInterrupted() const { return options.interrupt && *options.interrupt; }

  void findKept() {
    for (size_t i = 0; i < variants.size() && !isInterrupted(); ++i) {
      if (options.usesCache)
        keys[i] = keyOf(variants[i], options.warningsAreErrors);
      if (std::optional<Outcome> kept = findOutcome(keys[i])) {
        finish(i, std::move(*kept));
        continue;
      }
      if (jobs.empty() || variants[jobs.back().runs.back()].of != variants[i].of)
        jobs.emplace_back();
      jobs.back().runs.push_back(i);
    }
  }

  void start() {
    Worker worker;
    worker.job = std::move(jobs.front());
    jobs.pop_front();
    int ends[2];
    if (::pipe(ends) != 0 || (worker.process = fork()) < 0) {
      for (size_t i : worker.job.runs)
        fail(i, Verdict::Crashed, std::string("no process could be started: ") + strerror(errno));
      return;
    }
    if (worker.process == 0) {
      ::close(ends[0]);
      for (const Worker &other : workers)
        ::close(other.pipe);
      work(worker.job, ends[1]);
    }
    ::close(ends[1]);
    worker.pipe = ends[0];
    worker.since = Clock::now();
    workers.push_back(std::move(worker));
  }

  /// In the child. Nothing is written but outcomes.
  [[noreturn]] void work(const Job &job, int out) const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a run without anyone who waits for it may last forever
    std::signal(SIGINT, SIG_DFL);
    if (options.confine && !options.confine())
      _exit(2);
    setLimitEnds({kOverTime, ""}, {kWithoutMemory, ""});
    Session session;
    for (size_t i : job.runs) {
      const Outcome outcome = runVariant(session, variants[i], options.warningsAreErrors);
      if (!writeAll(out, toJson(outcome).dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n"))
        break;
    }
    _exit(0);
  }

  double limitOf(const Worker &worker) const {
    const Case &one = *variants[worker.job.runs[worker.done]].of;
    return one.timeout > 0 ? one.timeout : options.timeout;
  }

  void listen() {
    std::vector<pollfd> polls;
    for (const Worker &worker : workers)
      polls.push_back({worker.pipe, POLLIN, 0});
    if (::poll(polls.data(), polls.size(), 50) < 0 && errno != EINTR)
      return;
    for (size_t i = workers.size(); i-- > 0;) {
      Worker &worker = workers[i];
      if (polls[i].revents && !read(worker)) {
        end(worker);
        workers.erase(workers.begin() + ptrdiff_t(i));
        continue;
      }
      if (worker.done == worker.job.runs.size() || worker.timedOut)
        continue;
      const double limit = limitOf(worker);
      if (limit > 0 && std::chrono::duration<double>(Clock::now() - worker.since).count() > limit) {
        worker.timedOut = true;
        ::kill(worker.process, SIGKILL); // its end is read from the pipe
      }
    }
  }

  /// False at the end.
  bool read(Worker &worker) {
    char buffer[1 << 16];
    const ssize_t n = ::read(worker.pipe, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR)
      return true;
    if (n <= 0)
      return false;
    worker.pending.append(buffer, size_t(n));
    for (size_t end; (end = worker.pending.find('\n')) != std::string::npos;) {
      std::optional<Outcome> outcome = outcomeFromJson(
          nlohmann::ordered_json::parse(worker.pending.substr(0, end), nullptr, /*allow_exceptions=*/false));
      worker.pending.erase(0, end + 1);
      if (!outcome || worker.done == worker.job.runs.size())
        return false;
      const size_t i = worker.job.runs[worker.done++];
      keepOutcome(keys[i], *outcome);
      finish(i, std::move(*outcome));
      worker.since = Clock::now();
    }
    return true;
  }

  void end(Worker &worker) {
    ::close(worker.pipe);
    const bool lacks = worker.done < worker.job.runs.size();
    if (lacks)
      ::kill(worker.process, SIGKILL); // it may have closed its pipe and go on
    int status = 0;
    while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
      ;
    if (!lacks || isInterrupted())
      return;
    const size_t i = worker.job.runs[worker.done];
    if (worker.timedOut) {
      char limit[32];
      snprintf(limit, sizeof(limit), "%g", limitOf(worker));
      fail(i, Verdict::TimedOut, "the run did not end within " + std::string(limit) + " s");
    } else if (WIFEXITED(status) && (WEXITSTATUS(status) == kOverTime || WEXITSTATUS(status) == kWithoutMemory)) {
      const bool time = WEXITSTATUS(status) == kOverTime;
      fail(i, Verdict::Failed,
           time ? "the run took more processor time than allowed" : "the run needs more memory than there is",
           time ? "max-seconds" : "max-memory");
    } else {
      fail(i, Verdict::Crashed,
           WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
               ? std::string("the run was ended by a signal: ") + strsignal(WTERMSIG(status))
               : "the process of the run ended without a result");
    }
    // The others of this case are not to blame.
    Job rest{{worker.job.runs.begin() + ptrdiff_t(worker.done) + 1, worker.job.runs.end()}};
    if (!rest.runs.empty())
      jobs.push_front(std::move(rest));
  }

  void fail(size_t i, Verdict verdict, const std::string &why, const char *code = nullptr) {
    const Variant &variant = variants[i];
    const Case &one = *variant.of;
    Outcome outcome{one.file, one.name, scheduleName(variant.schedule), variant.blocks, one.place, verdict};
    if (!code)
      code = verdict == Verdict::Crashed ? "internal-error" : "expect-mismatch";
    outcome.findings.push_back(makeFinding(code, one.place, "case " + outcome.title() + ": " + why));
    outcome.seconds = verdict == Verdict::TimedOut ? (one.timeout > 0 ? one.timeout : options.timeout) : 0;
    finish(i, std::move(outcome));
  }

  void finish(size_t i, Outcome outcome) {
    outcomes[i] = std::move(outcome);
    ++finished;
    if (options.progress)
      options.progress(*outcomes[i], finished, variants.size());
  }

  const RunnerOptions &options;
  std::vector<Variant> variants;
  std::vector<std::optional<Outcome>> outcomes;
  std::vector<std::string> keys;
  std::deque<Job> jobs;
  std::vector<Worker> workers;
  size_t finished = 0;
};

} // namespace

Results runSuite(const std::vector<Case> &cases, const RunnerOptions &options) { return Runner(cases, options).run(); }

} // namespace ptoscope::suite
