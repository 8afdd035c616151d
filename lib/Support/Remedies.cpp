//===- Remedies.cpp - which edits a report may offer ----------------------===//

#include "ptoscope/Support/Remedies.h"

#include <algorithm>

namespace ptoscope {

FindingList withCompleteRemedies(FindingList findings) {
  auto lacksEdits = [](const Finding &f) { return f.severity != Severity::Remark && f.edits.empty(); };
  const std::vector<Finding> &all = findings.all();
  // A list that is cut off ends in something else than edits anyway.
  if (findings.dropped() || std::none_of(all.begin(), all.end(), lacksEdits))
    return findings;
  FindingList result;
  for (Finding finding : all) {
    finding.edits.clear();
    result.add(std::move(finding));
  }
  return result;
}

} // namespace ptoscope
