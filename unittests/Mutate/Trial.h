//===- Trial.h - run a kernel and its mutants, and judge them ---*- C++ -*-===//

#ifndef PTOSCOPE_UNITTESTS_MUTATE_TRIAL_H
#define PTOSCOPE_UNITTESTS_MUTATE_TRIAL_H

#include "Kernels.h"
#include "Mutations.h"
#include "Recorder.h"

#include "ptoscope/Driver/Session.h"
#include "ptoscope/Support/Array.h"

#include <set>

namespace ptoscope::mutate {

enum class Outcome : uint8_t {
  Error,    ///< reported by an error, or refused before it ran
  Warning,  ///< reported by a warning
  Harmless, ///< silent, the same bytes under every schedule, and every order is kept by a chain
  Missed,   ///< silent without that; or our own error
  Disputed, ///< a race is reported and the graph has an order for every pair
  Misled,   ///< reported, and the lines that the report offers do not repair it
};

struct Verdict {
  Outcome outcome;
  std::string text; ///< first finding, chain, or what went wrong
};

struct TrialOptions {
  unsigned randomSchedules = 50; ///< that a silent mutant is run under
  bool race = true;              ///< the race check is on
};

/// A correct kernel, ready for trials. One host thread uses it at a time.
class Subject {
public:
  Subject(const KernelCase &kernel, TrialOptions options) : kernel(kernel), trial(options) {}

  /// How many reports offered lines.
  size_t remedies() const { return offered; }
  /// Empty, or why the kernel is no subject: a finding, bytes that depend on the
  /// schedule, or an order that the graph does not have.
  std::string prepare();
  const std::vector<Mutation> &mutations() const { return list; }
  Verdict judge(const Mutation &mutation);

private:
  using Bytes = std::vector<std::vector<uint8_t>>; ///< by argument; empty for scalars
  struct Run {
    bool completed = false;
    Bytes bytes;
    std::vector<Finding> findings; ///< errors and warnings that the kernel itself does not have
  };
  struct Compiled {
    std::unique_ptr<ParsedProgram> program;
    std::unique_ptr<CompiledKernel> kernel; ///< null when it was refused
    std::vector<Finding> findings;          ///< as in Run
  };

  Compiled compile(std::unique_ptr<ParsedProgram> program);
  /// With its program, findings offer what is proven.
  Run run(const CompiledKernel &compiled, Schedule schedule, const ParsedProgram *program = nullptr);
  CompileOptions compileOptions() const;
  Recording record(const CompiledKernel &compiled);
  std::vector<Finding> newFindings(const FindingList &findings) const;
  struct NamedSchedule {
    std::string name;
    Schedule schedule;
  };
  std::vector<NamedSchedule> schedules() const;
  /// Empty, or why a run under this schedule is not as expected.
  std::string compare(const CompiledKernel &compiled, const NamedSchedule &schedule, const Run &ran) const;
  LaunchOptions launchOptions(Schedule schedule) const;
  /// Puts in the lines that the reports of a mutant offer, one report after another,
  /// until it is clean. Empty when that works or nothing is offered, otherwise what is
  /// left in the end.
  std::string followRemedies(const ParsedProgram &mutant);
  std::string unordered(const Recording &recording, const SiteTable &sites) const;
  /// How the order of what the mutated instruction stood between is kept.
  Verdict explain(const Mutation &mutation, const Compiled &mutant, const Recording &recording);

  KernelCase kernel;
  TrialOptions trial;
  Session session;
  Compiled original;
  Recording recorded;
  std::vector<Mutation> list;
  std::vector<std::string> known; ///< findings of the kernel itself
  std::set<std::string> knownCodes;
  size_t offered = 0;
  Bytes input, expected;
  std::vector<uint64_t> scalars;
  uint64_t maxSteps = 0;
};

} // namespace ptoscope::mutate

#endif // PTOSCOPE_UNITTESTS_MUTATE_TRIAL_H
