//===- Graph.h - a recorded launch ------------------------------*- C++ -*-===//
//
// What each core issued, and what orders it. Most edges need no numbers: the k-th
// wait of a flag waits for its k-th set, and both are counted again when the graph
// is solved, in the order of issue. Numbers that cannot be counted follow apart, in
// the order of their pipe.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_GRAPH_H
#define PTOSCOPE_LIB_TIMING_GRAPH_H

#include "EntryStream.h"
#include "GmLines.h"

#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Work.h"

#include <array>
#include <compare>
#include <map>
#include <vector>

namespace ptoscope::timing {

/// What an instruction does besides its own work.
enum class Act : uint8_t {
  None, ///< it never took effect, or no one need know of it
  Work,
  Scope,
  SetFlag,
  WaitFlag,
  Barrier,
  CoreBarrier, ///< PIPE_ALL
  GetBuffer,
  ReleaseBuffer,
  SetSemaphore, ///< `targets`: a bit per core
  WaitSemaphore,
  SetQueue, ///< `targets` too
  WaitQueue,
  SetLaunch,
  WaitLaunch,
  AllCores,
  SetSignal,
  WaitSignal,
  StartEngine,
  WaitEngine,
  ReadStatus,
  ScalarAccess,
};

/// One of each kind in a launch: entries name it by number.
struct Deed {
  Act act = Act::None;
  Pipe src = Pipe::S, dst = Pipe::S; ///< of flags
  uint8_t mode = 0;                  ///< of buffers
  uint8_t targets = 0;               ///< cores that a set reaches, or that a wait waits for
  uint8_t senders = 0;               ///< of a semaphore: cores of which a wait needs a set
  bool drains = false;               ///< every pipe is idle before it
  bool checksUnit = false;           ///< one number: the instruction of its partner that comes before
  bool passesUnit = false;
  Space space = Space::None; ///< of a scalar access
  int16_t id = 0;            ///< of the flag, buffer, semaphore, queue or channel
  uint32_t work = 0;         ///< position among the works, or among the runs of scopes

  auto operator<=>(const Deed &) const = default;
};

/// How a scope ran.
struct ScopeRun {
  SiteId site = kNoSite;
  std::vector<uint64_t> turns; ///< empty: no one counted
  auto operator<=>(const ScopeRun &) const = default;
};

/// Equal values, each once.
template <typename T> class Interned {
public:
  uint32_t number(const T &value) {
    auto [it, isNew] = numbers.try_emplace(value, uint32_t(values.size()));
    if (isNew)
      values.push_back(&it->first);
    return it->second;
  }
  const T &operator[](uint32_t number) const { return *values[number]; }
  uint32_t size() const { return uint32_t(values.size()); }

private:
  std::map<T, uint32_t> numbers;
  std::vector<const T *> values;
};

struct Deeds {
  Interned<Deed> deeds;
  Interned<Work> works;
  Interned<ScopeRun> scopes;
  /// Number 0 is an instruction that never took effect.
  Deeds() { deeds.number({}); }
};

struct CoreRecord {
  explicit CoreRecord(SpillFile &spill) : entries(spill) {}
  EntryStream entries;
  std::array<std::vector<uint64_t>, kPipeSlots> numbers; ///< that acts take, in the order of their pipe
  uint64_t gmReadBytes = 0, gmWriteBytes = 0;
  bool isUsed() const { return entries.size() != 0; }
  /// False where an answer would need the file.
  bool operator==(const CoreRecord &) const = default;
};

/// What a block issued.
struct BlockRecord {
  explicit BlockRecord(SpillFile &spill) : cores{CoreRecord(spill), CoreRecord(spill), CoreRecord(spill)} {}
  std::array<CoreRecord, kCoresPerBlock> cores;
  std::vector<uint32_t> deeds; ///< numbers in entries are positions here; these are those of the launch
  uint16_t pipesUsed = 0;      ///< a bit each
  bool operator==(const BlockRecord &) const = default;
};

/// Blocks that issued the same share one record: there may be a million of them.
struct RecordedBlock {
  int64_t block;
  std::shared_ptr<const BlockRecord> record;
};

/// Everything about a launch that times are computed from.
struct LaunchRecord {
  SpillFile spill;
  Deeds deeds;
  std::vector<RecordedBlock> blocks;
  GmLines lines;
  GmLines written;      ///< those that are written
  GmLines loaded;       ///< by loads alone; an epoch times `readers`, plus the core
  uint32_t readers = 1; ///< cores that run together
  /// Cores that take part in a round of a channel: all-core barriers, and flags of a whole kind.
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> arrivals;
  std::map<uint32_t, uint32_t> launchSetters;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_GRAPH_H
