//===- Case.h - what a suite runs, and what it expects ----------*- C++ -*-===//
//
// A case is TOML: in comment lines `// ptoscope-test: …` of a program, in a file of the same
// name beside it, or in a `suite.toml`, where each case names its program. Keys outside
// `[[case]]` hold for all cases of the text; without any `[[case]]` they are the only case.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUITE_CASE_H
#define PTOSCOPE_SUITE_CASE_H

#include "ptoscope/Driver/Runs.h"

namespace ptoscope::suite {

struct Case {
  std::string file; ///< the program
  Place place;      ///< of the case
  std::string name; ///< within the program
  RunRequest request;
  std::vector<int64_t> blocks = {1};
  std::vector<Schedule> schedules;
  std::vector<std::string> finds; ///< codes that every run has to report, and no other error
  double timeout = 0;             ///< seconds; 0: that of the suite
};

/// One way to run a case.
struct Variant {
  const Case *of;
  int64_t blocks;
  Schedule schedule;
};
std::vector<Variant> variantsOf(const Case &one);

/// The cases of a program or of a `.toml`, or of all of them below a folder, sorted. A text that
/// cannot be read is refused with its place.
Result<std::vector<Case>> readCases(std::span<const std::string> paths);

} // namespace ptoscope::suite

#endif // PTOSCOPE_SUITE_CASE_H
