//===- TraceFormat.h - how a trace is written -------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TIMING_TRACEFORMAT_H
#define PTOSCOPE_LIB_TIMING_TRACEFORMAT_H

#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Timing/Trace.h"

namespace ptoscope::timing {

/// What a trace says of an instruction of the text.
struct TraceSite {
  std::string name;   ///< "mte_gm_ub"
  std::string source; ///< "add.pto:24"
  std::string text;   ///< the line, with the operands
  std::string file;
  uint32_t line = 0;
};

/// A slice with what it shows.
struct TraceSlice {
  Slice slice;
  uint32_t track;
  std::vector<uint64_t> flowsOut, flowsIn;
};

/// Cores, tracks and counters have numbers from 1, all different, and are announced before
/// they are used. Times are whole cycles.
class TraceFormat {
public:
  explicit TraceFormat(OutputStream &out) : out(out) {}
  virtual ~TraceFormat() = default;
  virtual void begin(const std::string &title) = 0;
  virtual void core(uint32_t number, const std::string &name) = 0;
  virtual void track(uint32_t number, uint32_t core, std::string_view name, uint32_t rank) = 0;
  virtual void counter(uint32_t number, uint32_t core, std::string_view name) = 0;
  /// `cause`: of a wait, or null.
  virtual void slice(const TraceSlice &slice, const TraceSite &site, const TraceSite *cause) = 0;
  virtual void value(uint32_t counter, uint64_t time, int64_t bytes) = 0;
  virtual void end() = 0;

protected:
  OutputStream &out;
};

std::unique_ptr<TraceFormat> makePerfettoFormat(OutputStream &out);
std::unique_ptr<TraceFormat> makeChromeFormat(OutputStream &out);

/// Time of the viewer.
inline uint64_t wholeCycles(double cycles) { return cycles <= 0 ? 0 : uint64_t(cycles + 0.5); }

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_TRACEFORMAT_H
