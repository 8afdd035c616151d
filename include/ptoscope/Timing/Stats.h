//===- Stats.h - where the cycles of a launch went --------------*- C++ -*-===//
//
// A sink that adds up a timeline: what each pipe did, what it waited for, how much
// of the time pipes overlapped, what each line cost. Memory is bounded by the
// program's text and the number of cores, not by the length of the run.
// docs/profiling.md explains every figure.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_STATS_H
#define PTOSCOPE_TIMING_STATS_H

#include "ptoscope/Timing/Advice.h"
#include "ptoscope/Timing/Model.h"
#include "ptoscope/Timing/Timeline.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptoscope::timing {

class Sinks;

/// The names that profilers of the machine use: SCALAR, MTE2, VECTOR, MTE3, MTE1, CUBE, FIXP.
std::string_view profilerName(Pipe pipe);
/// "AIC", "AIV0", "AIV1".
std::string_view coreName(CoreId core);
/// "flag", "all-core barrier".
std::string_view nameOf(Reason reason);
inline constexpr size_t kReasons = size_t(Reason::Engine) + 1;
/// Pipes in the order in which they are listed.
inline constexpr Pipe kListedPipes[] = {Pipe::S, Pipe::MTE2, Pipe::MTE1, Pipe::M, Pipe::FIX, Pipe::V, Pipe::MTE3};

/// A pipe of one core of the block. Cycles are the mean over the cores that ran blocks.
struct PipeStats {
  CoreId core;
  Pipe pipe;
  PipeTime time;
  std::array<double, kReasons> waitingFor{}; ///< `time.waiting` in parts
  double mostBusy = 0;                       ///< on the core where it was busy longest
};

/// Transfers from one memory to another by one pipe, over all cores.
struct PathStats {
  Space from, to;
  Pipe pipe;
  uint64_t transfers = 0, bytes = 0;
  double busy = 0; ///< of the pipe, with these transfers
};

/// Waits of one instruction of the text for another one, over all cores.
struct WaitStats {
  CoreId core;
  Pipe pipe;
  SiteId site;
  Reason reason;
  SiteId cause;
  Pipe causePipe;
  double cycles = 0;
  uint64_t times = 0;
};

/// An instruction of the text, over all cores.
struct SiteStats {
  double busy = 0, waited = 0;
  uint64_t times = 0;
  /// Two waits in a row of one core were for the same id: buffers do not take turns here.
  bool repeatsId = false;
};

/// How often a vector scope ran, and how often right behind another one on its pipe.
struct ScopeFollows {
  uint64_t runs = 0, directly = 0;
};

struct Stats {
  bool completed = true; ///< otherwise of a run until it ended early
  LaunchTime launch;
  uint32_t coreTracks = 0; ///< cores that executed something; of clusters up to three each
  std::vector<PipeStats> pipes;
  std::vector<PathStats> paths;
  std::vector<WaitStats> waits;                 ///< longest first
  std::vector<SiteStats> sites;                 ///< by SiteId
  std::vector<ScopeFollows> follows;            ///< by SiteId of the scope
  std::array<uint64_t, kSpaceSlots> mostUsed{}; ///< bytes of a memory that a core had in use at a time
  /// Shares of the time of all cores in which two or more pipes, and any pipe, were busy,
  /// the scalar unit not counted; and the most that the same work could overlap.
  double overlap = 0, anyBusy = 0, bestOverlap = 0;
  uint64_t vectorInstructions = 0; ///< executed in vector scopes, over all cores
  double scopeCycles = 0;          ///< of vector scopes, over all cores
  /// The pipe that is busy longest; its number in `pipes`, if there is any.
  std::optional<size_t> bound;
  /// Cycles of the launch if that pipe never paused.
  double roofline = 0;
  std::vector<Advice> advice;       ///< most cycles first
  std::vector<std::string> remarks; ///< what was not looked for, and why
};

class StatsSink final : public TimelineSink {
public:
  /// `issueCycles`: of the scalar unit, for each instruction of another pipe.
  StatsSink(const SiteTable &sites, double issueCycles);
  ~StatsSink() override;
  void slice(const Slice &) override;
  void arrow(const Arrow &) override;
  void memory(const MemoryUse &) override;
  /// Once, when everything has been told.
  Stats finish(const LaunchTime &launch);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Solves a launch; sinks are told of memories as well, where someone kept what is touched.
LaunchTime solveWithMemories(const AdviceInput &input, Sinks &sinks);
/// Statistics and advice of a launch that was recorded; `more` is told the timeline, too, and
/// may be null.
Stats collectStats(const AdviceInput &input, TimelineSink *more = nullptr);

/// What reports need to know besides the figures.
struct StatsContext {
  const SiteTable &sites;
  const Model &model;
  std::string timingFile; ///< "a5, built in", or the path of `--timing`
  bool isCluster = false; ///< cores of a block have names
  std::function<std::optional<std::string>(const std::string &file, uint32_t line)> source;
};

/// The table of `--stats`.
std::string renderStats(const Stats &stats, const StatsContext &context);
/// The source with the cost of each line.
std::string renderLines(const Stats &stats, const StatsContext &context);
/// Members as docs/profiling.md describes them.
nlohmann::ordered_json toJson(const Stats &stats, const StatsContext &context);
/// One line: which timing file, and how many of its figures are assumed.
std::string describeModel(const Model &model, const std::string &timingFile);

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_STATS_H
