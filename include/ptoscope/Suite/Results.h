//===- Results.h - what the runs of a suite gave ----------------*- C++ -*-===//

#ifndef PTOSCOPE_SUITE_RESULTS_H
#define PTOSCOPE_SUITE_RESULTS_H

#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/Result.h"

namespace ptoscope::suite {

enum class Verdict : uint8_t { Passed, Failed, Crashed, TimedOut };
std::string_view toString(Verdict verdict);

struct Outcome {
  std::string file, name, schedule;
  int64_t blocks = 1;
  Place place; ///< of the case
  Verdict verdict = Verdict::Passed;
  /// What makes it no success, the unexpected findings and those that are missing.
  std::vector<Finding> findings = {};
  double seconds = 0;
  bool cached = false;

  /// "abs, 1 block, lazy"
  std::string title() const;
};

struct Results {
  std::vector<Outcome> outcomes;
  unsigned shard = 1, shards = 1;

  size_t count(Verdict verdict) const;
  bool passed() const { return count(Verdict::Passed) == outcomes.size(); }
};

nlohmann::ordered_json toJson(const Outcome &outcome);
std::optional<Outcome> outcomeFromJson(const nlohmann::ordered_json &json);
std::string renderResults(const Results &results, const ToolInfo &tool);
/// `path` is for messages.
Result<Results> readResults(const std::string &path, const std::string &text);
/// All shards of one suite as one; refused unless each is there once.
Result<Results> merge(std::vector<Results> parts);

/// A file for systems that show tests.
std::string renderJUnit(const Results &results);
/// Annotations of a pull request, as GitHub's runner reads them from the output.
std::string renderGitHub(const Results &results);
/// The findings of all outcomes, repeats joined.
FindingList findingsOf(const Results &results);
/// "12 cases, 60 runs: 59 passed, 1 failed (40 from the cache)"
std::string summarize(const Results &results);

} // namespace ptoscope::suite

#endif // PTOSCOPE_SUITE_RESULTS_H
