//===- main.cpp - ptoscope-mutate -----------------------------------------===//
//
// Changes every synchronising instruction of correct kernels, one at a time. A
// mutant has to be reported, or shown to be harmless.
//
//===----------------------------------------------------------------------===//

#include "../../tools/ptoscope/CommandLine.h"
#include "Trial.h"

#include <atomic>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace ptoscope;
using namespace ptoscope::mutate;

namespace {

struct Settings {
  TrialOptions trials;
  size_t every = 1;      ///< only each n-th mutant of a kernel
  bool removals = false; ///< only mutants that lack an instruction
  std::string only;      ///< part of a kernel's path or name
  bool all = true;       ///< every kind of instruction has to occur
};

struct Total {
  size_t mutants = 0, errors = 0, warnings = 0, harmless = 0, missed = 0, disputed = 0, misled = 0, remedies = 0;
  void count(Outcome outcome) {
    size_t *counts[] = {&errors, &warnings, &harmless, &missed, &disputed, &misled};
    ++*counts[size_t(outcome)];
    ++mutants;
  }
  void add(const Total &other) {
    mutants += other.mutants;
    errors += other.errors;
    warnings += other.warnings;
    harmless += other.harmless;
    missed += other.missed;
    disputed += other.disputed;
    misled += other.misled;
    remedies += other.remedies;
  }
  std::string row(const std::string &name) const {
    char text[160];
    std::snprintf(text, sizeof(text), "%-44s %8zu %8zu %8zu %8zu %8zu", name.c_str(), mutants, errors, warnings,
                  harmless, missed + disputed);
    return text;
  }
};

/// One kernel and what became of its mutants.
struct Progress {
  KernelCase kernel;
  std::string refused;
  std::vector<Mutation> mutations;
  std::vector<Verdict> verdicts;
  size_t remedies = 0; ///< reports that offered lines
};

constexpr const char *kOutcomes[] = {"reported", "reported", "harmless", "MISSED", "DISPUTED", "MISLED"};

class Campaign {
public:
  Campaign(std::vector<KernelCase> kernels, Settings settings) : settings(std::move(settings)) {
    for (KernelCase &kernel : kernels)
      if ((kernel.file + " " + kernel.name()).find(this->settings.only) != std::string::npos)
        list.push_back({std::move(kernel), "", {}, {}});
  }

  bool run() {
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t k; (k = next++) < list.size();)
        judge(list[k]);
    };
    std::vector<std::thread> threads;
    for (unsigned k = 1; k < std::thread::hardware_concurrency(); ++k)
      threads.emplace_back(work);
    work();
    for (std::thread &thread : threads)
      thread.join();
    return report();
  }

private:
  void judge(Progress &progress) {
    Subject subject(progress.kernel, settings.trials);
    progress.refused = subject.prepare();
    if (!progress.refused.empty())
      return;
    const std::vector<Mutation> &mutations = subject.mutations();
    for (size_t i = 0; i < mutations.size(); i += settings.every) {
      if (settings.removals && mutations[i].action != Action::Remove)
        continue;
      progress.mutations.push_back(mutations[i]);
      progress.verdicts.push_back(subject.judge(mutations[i]));
      showProgress();
    }
    progress.remedies = subject.remedies();
  }

  void showProgress() {
    size_t now = ++done;
    if (isatty(STDERR_FILENO) && now % 10 == 0) {
      std::lock_guard lock(mutex);
      std::cerr << "\r" << now << " mutants" << std::flush;
    }
  }

  bool report() {
    if (isatty(STDERR_FILENO))
      std::cerr << "\r\033[K";
    bool good = true;
    Total total;
    std::string table;
    std::set<std::string> missing = settings.all ? synchronisingNames() : std::set<std::string>();
    for (const Progress &progress : list) {
      Total own;
      if (!progress.refused.empty()) {
        std::cout << progress.kernel.file << ": not a correct kernel: " << progress.refused << "\n";
        good = false;
      }
      for (size_t i = 0; i < progress.mutations.size(); ++i) {
        const Mutation &mutation = progress.mutations[i];
        const Verdict &verdict = progress.verdicts[i];
        own.count(verdict.outcome);
        missing.erase(mutation.word);
        std::cout << progress.kernel.file << ":" << mutation.place.line << ": `" << mutation.word << "` "
                  << mutation.text << ": " << kOutcomes[size_t(verdict.outcome)] << ": " << verdict.text << "\n";
      }
      own.remedies = progress.remedies;
      table += own.row(progress.kernel.name()) + "\n";
      total.add(own);
    }
    for (const std::string &name : missing)
      std::cout << "no kernel contains `" << name << "`\n";
    char head[160];
    std::snprintf(head, sizeof(head), "%-44s %8s %8s %8s %8s %8s", "kernel", "mutants", "errors", "warnings",
                  "harmless", "missed");
    std::cout << "\n" << head << "\n" << table << total.row("all") << "\n";
    std::cout << "remedies " << total.remedies << ", wrong " << total.misled << "\n";
    std::cout << "mutants " << total.mutants << ", reported " << total.errors + total.warnings + total.misled
              << ", harmless " << total.harmless << ", missed " << total.missed + total.disputed << "\n";
    return good && missing.empty() && total.mutants > 0 && total.missed + total.disputed + total.misled == 0;
  }

  Settings settings;
  std::vector<Progress> list;
  std::atomic<size_t> done = 0;
  std::mutex mutex;
};

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  auto number = [](auto &target, int64_t lowest) {
    return [&target, lowest](const std::string &word) -> std::optional<std::string> {
      std::optional<int64_t> value = parseInteger(word);
      if (!value || *value < lowest)
        return "it is not a number from " + std::to_string(lowest) + " on";
      target = decltype(+target)(*value);
      return std::nullopt;
    };
  };
  Option options[] = {
      {"--random", "N", "random schedules that a silent mutant is run under (50)",
       number(settings.trials.randomSchedules, 0)},
      {"--every", "N", "only each N-th mutant of a kernel; not every instruction has to occur then",
       number(settings.every, 1)},
      {"--removals", "", "only mutants that lack an instruction",
       [&](const std::string &) { return settings.removals = true, std::nullopt; }},
      {"--no-race", "", "switch the race check off, to see that mutants are missed then",
       [&](const std::string &) { return settings.trials.race = false, std::nullopt; }},
      {"--only", "TEXT", "only kernels with TEXT in their path or name; not every instruction has to occur then",
       [&](const std::string &word) { return settings.only = word, std::nullopt; }},
  };
  std::vector<std::string> words(argv + 1, argv + argc), lists;
  std::vector<KernelCase> kernels;
  auto fail = [](const Finding &finding) {
    std::cerr << "ptoscope-mutate: " << finding.message << "\n";
    return int(kUsageError);
  };
  if (Result<void> parsed = parseCommandLine(words, options, lists); !parsed)
    return fail(parsed.takeFinding());
  if (lists.empty())
    return fail(usageError("give a list of kernels\n" + describeOptions(options)));
  for (const std::string &path : lists) {
    Result<std::vector<KernelCase>> read = readKernels(path);
    if (!read)
      return fail(read.takeFinding());
    kernels.insert(kernels.end(), read->begin(), read->end());
  }
  settings.all = settings.every == 1 && !settings.removals && settings.only.empty();
  return Campaign(std::move(kernels), settings).run() ? kSuccess : kProgramError;
}
