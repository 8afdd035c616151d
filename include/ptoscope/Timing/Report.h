//===- Report.h - the data of a report, and its page ------------*- C++ -*-===//
//
// A sink that keeps a bounded part of a timeline, and what makes of it the file
// that docs/report-format.md describes. A page is that file inside of the page in
// share/report, which shows one run, or two side by side.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_REPORT_H
#define PTOSCOPE_TIMING_REPORT_H

#include "ptoscope/Support/Result.h"
#include "ptoscope/Timing/Stats.h"
#include "ptoscope/Timing/Timer.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <span>

namespace ptoscope::timing {

class ReportSink final : public TimelineSink {
public:
  static constexpr uint64_t kDefaultLimit = 100'000;

  /// Keeps the first `limit` slices by block and time, and as many arrows; whole blocks, if
  /// there is one that fits.
  explicit ReportSink(uint64_t limit = kDefaultLimit);
  ~ReportSink() override;
  void slice(const Slice &) override;
  void arrow(const Arrow &) override;
  void memory(const MemoryUse &) override;

  struct State;
  State &kept() const { return *state; }

private:
  std::unique_ptr<State> state;
};

/// What is told of a run besides its timeline.
struct ReportContext {
  const SiteTable &sites;
  const Profile &profile;
  const FindingList &findings;
  const Timer &timer;
  const Stats &stats;
  StatsContext statsContext;
  std::string kernel;
  int64_t blocks = 1;
  std::string version; ///< of the tool
  /// The whole text of a source file, if it is to be had.
  std::function<std::optional<std::string>(const std::string &path)> text;
};

/// The data of one run. Once, when everything has been told to the sink.
nlohmann::ordered_json reportData(ReportSink &sink, const ReportContext &context);
/// One line of JSON and a newline.
std::string printReport(const nlohmann::ordered_json &data);

/// Refuses what is not the data of a report, with what is wrong; `path` is for messages.
Result<void> checkReport(std::string_view text, const std::string &path);
/// The page with the data of these runs, as printReport writes them: one, or two to be compared.
std::string reportPage(std::span<const std::string> runs);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_REPORT_H
