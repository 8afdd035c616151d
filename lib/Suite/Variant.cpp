//===- Variant.cpp - one run of a case ------------------------------------===//

#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Suite/Runner.h"

#include <algorithm>
#include <chrono>

namespace ptoscope::suite {

/// What is wrong with a run that found `found`: findings that no one expects, and expected
/// ones that did not occur.
static std::vector<Finding> complaints(const Case &one, const std::string &title, const FindingList &found,
                                       bool warningsAreErrors) {
  std::vector<Finding> wrong;
  auto isExpected = [&](const Finding &f) { return std::ranges::find(one.finds, f.code) != one.finds.end(); };
  for (const Finding &finding : found.all()) {
    const bool counts =
        finding.severity == Severity::Error || (warningsAreErrors && finding.severity == Severity::Warning);
    if (counts && !isExpected(finding))
      wrong.push_back(finding);
  }
  for (const std::string &code : one.finds)
    if (std::ranges::none_of(found.all(), [&](const Finding &f) { return f.code == code; }))
      wrong.push_back(
          makeFinding("expect-mismatch", one.place, "case " + title + " has to report `" + code + "`, and does not"));
  return wrong;
}

Outcome runVariant(Session &session, const Variant &variant, bool warningsAreErrors) {
  const auto begin = std::chrono::steady_clock::now();
  const Case &one = *variant.of;
  Outcome outcome{one.file, one.name, scheduleName(variant.schedule), variant.blocks, one.place};
  RunRequest request = one.request;
  request.launch.blocks = variant.blocks;
  request.launch.schedule = variant.schedule;
  FindingList found;
  std::unique_ptr<ParsedProgram> program = session.parseFile(one.file, request.frontend, found);
  if (PreparedRun run; program->module && prepareRun(session, *program, request, run, found))
    executeRun(session, *program, request, run, found);
  outcome.findings = complaints(one, outcome.title(), found, warningsAreErrors);
  outcome.verdict = outcome.findings.empty() ? Verdict::Passed : Verdict::Failed;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

} // namespace ptoscope::suite
