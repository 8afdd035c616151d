//===- ReportPage.h - `--report` of run -------------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_REPORTPAGE_H
#define PTOSCOPE_TOOLS_REPORTPAGE_H

#include "CommandLine.h"
#include "ptoscope/Timing/Report.h"

namespace ptoscope {

/// What a run was asked to write about itself: a page, or the data of one.
class ReportOutput {
public:
  std::vector<Option> options();
  bool isWanted() const { return !path.empty(); }
  /// Before the run: whether the file could be written.
  Result<void> probe() const;
  uint64_t limit() const { return most; }
  /// Has to be told the timeline.
  timing::ReportSink &sink();
  /// Once, with everything told.
  Result<void> write(const timing::ReportContext &context);

private:
  std::string path;
  uint64_t most = timing::ReportSink::kDefaultLimit;
  std::unique_ptr<timing::ReportSink> kept;
};

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_REPORTPAGE_H
