//===- Timeline.h - what every pipe did when --------------------*- C++ -*-===//
//
// The solved schedule of a launch, told to whoever shows it: statistics, traces,
// the report. Slices of one core come in the order in which they were issued, so
// that those of one pipe come in the order in which they start, and none starts
// before the last one that was told was issued: sinks need not keep more than a
// core's queues hold. Slices of different cores come as the solver settles them;
// a core runs one block after another. The order depends on nothing but the
// program and the model.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_TIMELINE_H
#define PTOSCOPE_TIMING_TIMELINE_H

#include "ptoscope/Machine/Observer.h"

#include <compare>
#include <tuple>
#include <vector>

namespace ptoscope::timing {

/// Why an instruction did not start when its pipe was free and it had been issued.
enum class Reason : uint8_t {
  None,
  Issue,     ///< nothing was issued to the pipe: the scalar unit was busy or waited itself
  Flag,      ///< set_flag / wait_flag
  Buffer,    ///< get_buf / rls_buf
  Barrier,   ///< pipe_barrier
  Semaphore, ///< of the cluster, or between cores by signals
  Queue,     ///< a tile queue was full or empty
  AllCores,  ///< an all-core barrier
  Tile,      ///< unit flag: L0C was not passed on
  QueueFull, ///< of the scalar unit: the pipe's queue has no free entry
  Engine,    ///< a copy within GM that an engine makes
};

/// Where in a launch: a core of a block.
struct Track {
  int64_t block;
  CoreId core;
  Pipe pipe;
  auto operator<=>(const Track &other) const { return key() <=> other.key(); }
  bool operator==(const Track &other) const { return key() == other.key(); }
  std::tuple<int64_t, uint8_t, Pipe> key() const { return {block, core.index, pipe}; }
};

/// An instruction on its pipe. Times are cycles since the launch began.
struct Slice {
  Track track;
  uint32_t physicalCore; ///< that the block ran on, from 0
  SiteId site;
  uint64_t ordinal; ///< on its pipe, from 1
  double issued, start, end;
  double visible; ///< others see its effect; at least `end`
  /// What was waited for last before `start`, and for how long beyond the end of the
  /// slice before it on this pipe.
  Reason reason = Reason::None;
  double waited = 0;
  SiteId cause = kNoSite; ///< what ended the wait: the set, the release, the push
  Track causeTrack{};     ///< and on which pipe
  uint64_t bytes = 0;     ///< moved; of GM where GM is a side
  Space from = Space::None, to = Space::None;
  /// Of a vector scope: cycles of each of its instructions, `end - start` in sum, and how
  /// many vector instructions it executed. Both are of the call only.
  std::span<const std::pair<SiteId, double>> parts = {};
  uint64_t vectorInstructions = 0;
};

/// One instruction lets another one go on: flags, buffers, semaphores, queues.
struct Arrow {
  Track from, to;
  SiteId fromSite, toSite;
  uint64_t fromOrdinal, toOrdinal; ///< of the slices, on their pipes
  double left, arrived;
  Reason kind;
  int64_t id; ///< of the flag, buffer, semaphore or signal
};

/// Bytes [begin, end) from when they are written to when they are last used before they are
/// written again. What is read without having been written lives from its first read on.
struct Life {
  uint64_t begin, end;
  double from, to;
  SiteId writer;
  Track track; ///< of the writer
};

/// One on-chip memory in one block.
struct MemoryUse {
  int64_t block;
  CoreId owner;
  Space space;
  std::vector<Life> lives; ///< in the order of `from`
};

class TimelineSink {
public:
  virtual ~TimelineSink() = default;
  virtual void slice(const Slice &) {}
  virtual void arrow(const Arrow &) {}
  /// Behind all slices, where someone kept what instructions touch (Lives.h).
  virtual void memory(const MemoryUse &) {}
};

/// Of one pipe of one core, or summed over cores.
struct PipeTime {
  double busy = 0;
  double waiting = 0; ///< free, with something issued that waits
  double idle = 0;    ///< free, with nothing issued
  uint64_t instructions = 0, bytes = 0;
};

/// What a launch takes. Cycles are those of the core's clock.
struct LaunchTime {
  double cycles = 0;     ///< first core begins to last core ends
  double withLaunch = 0; ///< with launch and dispatch
  double clockMHz = 0;
  uint32_t coresUsed = 0, coresThere = 0; ///< clusters, or single cores of single-core kernels
  /// Of GM: how it was shared (TIME-50).
  double gmReadBytes = 0, gmWriteBytes = 0, firstTouchBytes = 0, hitShare = 0;
  /// By core of a block and pipe, summed over blocks. Busy cycles of PIPE_S are those in
  /// which it issues or does something itself.
  std::array<std::array<PipeTime, kPipeSlots>, kCoresPerBlock> pipes{};
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_TIMELINE_H
