//===- Runner.h - run the cases of a suite ----------------------*- C++ -*-===//
//
// Each case runs in a process of its own: one that crashes or does not end is a failure of
// that case alone. Results are kept beside compiled code, by everything they depend on.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUITE_RUNNER_H
#define PTOSCOPE_SUITE_RUNNER_H

#include "ptoscope/Suite/Case.h"
#include "ptoscope/Suite/Results.h"

#include <atomic>

namespace ptoscope::suite {

struct RunnerOptions {
  unsigned workers = 1;
  double timeout = 60; ///< seconds of one run; 0: none
  bool usesCache = true;
  bool warningsAreErrors = false;
  unsigned shard = 1, shards = 1; ///< every shards-th case, from case `shard`
  const std::atomic<bool> *interrupt = nullptr;
  /// Called in each process before its first run; false: it must not run. May be null.
  std::function<bool()> confine;
  /// Called after each run; may be null.
  std::function<void(const Outcome &outcome, size_t done, size_t total)> progress;
};

/// In the order of the cases. Must be called while the process has one thread. Ends early
/// when interrupted, with the outcomes so far.
Results runSuite(const std::vector<Case> &cases, const RunnerOptions &options);

/// One run in this process.
Outcome runVariant(Session &session, const Variant &variant, bool warningsAreErrors);

} // namespace ptoscope::suite

#endif // PTOSCOPE_SUITE_RUNNER_H
