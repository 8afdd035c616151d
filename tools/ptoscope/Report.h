//===- Report.h - findings to the terminal, exit status ---------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_REPORT_H
#define PTOSCOPE_TOOLS_REPORT_H

#include "CommandLine.h"
#include "ptoscope/Compiler/Frontend.h"

#include <nlohmann/json.hpp>

namespace ptoscope {

enum class Format { Text, Json, Sarif };

/// Options every verb that reports has.
struct ReportOptions {
  Format format = Format::Text;
  bool warningsAreErrors = false;
  bool remarks = false; ///< print remarks too
  std::vector<Option> options();
};

/// `--arch`, of every verb that parses.
Option archOption(FrontendOptions &frontend);

/// Prints findings (text to standard error, JSON and SARIF to standard output)
/// and says how the process should exit. `stats` and `proofs`, unless they are null, become members of JSON.
ExitStatus report(const FindingList &findings, const ReportOptions &options,
                  std::span<const ParsedProgram *const> programs, const nlohmann::ordered_json &stats,
                  const nlohmann::ordered_json &proofs);
inline ExitStatus report(const FindingList &findings, const ReportOptions &options,
                         std::span<const ParsedProgram *const> programs, const nlohmann::ordered_json &stats = {}) {
  return report(findings, options, programs, stats, {});
}

ExitStatus reportUsage(Finding finding);

/// What is printed where a limit ends the process, which cannot report any more.
void reportLimits(const ReportOptions &options, const std::string &file);

/// Whoever reads the output may go away, or the disk be full: writing then fails
/// and nothing else happens.
void guardOutput();
/// At the end of the process: `status`, or wrong use if what was printed got lost.
int closeOutput(int status);

extern const char *const kVersion;

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_REPORT_H
