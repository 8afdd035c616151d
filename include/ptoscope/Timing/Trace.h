//===- Trace.h - timelines for trace viewers --------------------*- C++ -*-===//
//
// Writes a timeline while it is told, in the format that the ending of the path
// names: `.pftrace` for Perfetto, `.json` for viewers of Chrome's format. One
// nanosecond of the viewer is one cycle. Memory does not grow with the number of
// slices; slices beyond a limit are counted and left out (docs/profiling.md).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_TRACE_H
#define PTOSCOPE_TIMING_TRACE_H

#include "ptoscope/Support/Result.h"
#include "ptoscope/Timing/Timeline.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ptoscope::timing {

struct TraceOptions {
  const SiteTable *sites = nullptr;
  std::string title;      ///< of the launch: kernel, timing file
  bool isCluster = false; ///< cores of a block have names
  uint64_t limit = kDefaultLimit;
  std::function<std::optional<std::string>(const std::string &file, uint32_t line)> source;

  static constexpr uint64_t kDefaultLimit = 10'000'000;
};

class TraceSink : public TimelineSink {
public:
  /// A message when the ending of the path names no format.
  static std::optional<std::string> refusePath(const std::string &path);
  /// Refuses a place that cannot be written.
  static Result<std::unique_ptr<TraceSink>> open(const std::string &path, const TraceOptions &options);

  /// Writes the rest and moves the file into place; where that fails there is no file.
  virtual Result<void> commit() = 0;
  virtual uint64_t written() const = 0;
  virtual uint64_t leftOut() const = 0;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_TRACE_H
