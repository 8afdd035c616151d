//===- PipeModel.h - the pipes of one core, without data --------*- C++ -*-===//
//
// Executes what the scalar unit issues as far as order is concerned: queues,
// flags, barriers, buffer ids, and a clock per pipe that says which instructions
// are known to have ended (docs/memory-model.md). Where the program's way is not
// known, clocks know too much rather than too little, so that a missing order is
// really missing.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_PIPEMODEL_H
#define PTOSCOPE_LIB_ANALYSIS_PIPEMODEL_H

#include "ByteLog.h"
#include "Regions.h"

#include <array>
#include <deque>

namespace ptoscope {

struct OrderClock {
  std::array<uint32_t, kPipeSlots> ended{};
  /// May know anything, also what is issued later.
  bool everything = false;

  void join(const OrderClock &other) {
    for (size_t i = 0; i < kPipeSlots; ++i)
      ended[i] = std::max(ended[i], other.ended[i]);
    everything |= other.everything;
  }
};

struct ModelFlag {
  std::deque<OrderClock> sets; ///< executed, not waited for
  uint32_t issuedSets = 0, issuedWaits = 0;
  bool unknown = false; ///< how often it was set depends on what no one knows
  mlir::Operation *lastSet = nullptr, *firstWait = nullptr;
  bool firstWaitCertain = false;
};

struct ModelEntry {
  enum Kind : uint8_t { Work, Set, Wait, Barrier, Get, Release, AcquireAll };
  Kind kind = Work;
  bool legacy = false;  ///< Release: mode 1
  Instance instance;    ///< the pipe is where it is queued
  Pipe other = Pipe::S; ///< of a flag
  int64_t id = 0;
  std::array<uint32_t, kPipeSlots> releases{}; ///< Get: what it waits for. Release, legacy: issued so far
  llvm::SmallVector<Piece, 2> pieces;
  // Work, with a unit flag.
  UnitFlag unit = UnitFlag::None;
  uint64_t tileBegin = 0, tileEnd = 0; ///< of L0C; all of it where no one knows
  uint64_t after = 0;                  ///< what comes before it, as UnitOrder says
};

/// What the model tells of.
class ModelListener {
public:
  virtual ~ModelListener() = default;
  virtual void conflict(const LoggedAccess &earlier, const LoggedAccess &later, uint64_t begin, uint64_t end) = 0;
  /// Pipes that wait for each other; the first is where it was noticed.
  virtual void cycle(llvm::ArrayRef<const ModelEntry *> waits) = 0;
};

class PipeModel {
public:
  PipeModel(const Profile &profile, ModelListener &listener);

  /// Appends an instruction to its pipe and executes what can be executed.
  void issue(ModelEntry entry);
  /// True when nothing is queued any more; then everything issued has ended.
  bool drain();
  /// What these pipes, a bit each, have done comes before everything issued later;
  /// false when one of them cannot go on. `unknown` is queued where work waits already.
  bool learnFrom(uint32_t pipes, ModelEntry unknown);
  /// A wait of the scalar unit: false when it would stand still forever.
  bool scalarWait(Pipe src, int64_t id);

  ModelFlag &flag(Pipe src, Pipe dst, int64_t id) { return flags[{src, dst, id}]; }
  const std::map<FlagKey, ModelFlag> &allFlags() const { return flags; }
  /// From here on the flag may be set any number of times.
  void forget(Pipe src, Pipe dst, int64_t id);
  /// The same for every id of a pair of pipes, also those not used yet.
  void forgetFamily(Pipe src, Pipe dst);
  bool isForgotten(Pipe src, Pipe dst) const { return families[size_t(src)] >> unsigned(dst) & 1; }
  void forgetBuffers() { buffersUnknown = true; }
  /// Lets every queued wait pass, whatever it waits for.
  void releaseStalled();

  /// Everything issued so far, as a clock.
  OrderClock issuedSoFar() const;
  /// Pipes that may know anything, as bits; and that they still do.
  uint32_t knowingEverything() const;
  void keepEverything(uint32_t pipes);
  /// More turns of a region may have told more: what `effects` waits for knows `clock`.
  void raise(const RegionEffects &effects, const OrderClock &clock);

  /// The first instruction of a pipe that cannot start; null when it is idle.
  const ModelEntry *head(Pipe pipe) const {
    return queues[size_t(pipe)].empty() ? nullptr : &queues[size_t(pipe)].front();
  }
  /// True when a set of the flag is queued on its source pipe.
  bool setQueued(Pipe src, Pipe dst, int64_t id) const;
  /// Intervals of memory looked at so far.
  uint64_t looked() const;

private:
  bool canStart(const ModelEntry &entry);
  void execute(ModelEntry &entry);
  void work(ModelEntry &entry);
  void workOnTile(ModelEntry &entry);
  void run();
  OrderClock published(Pipe pipe) const;
  std::optional<Pipe> blockerOf(const ModelEntry &entry) const;
  void lookForCycle(Pipe pipe);

  struct Buffer {
    OrderClock released;
    std::array<uint32_t, kPipeSlots> issued{}, done{};
  };
  ModelListener &listener;
  std::array<bool, kPipeSlots> inOrder{};
  std::array<OrderClock, kPipeSlots> clocks;
  std::array<uint32_t, kPipeSlots> started{}, issued{};
  std::array<std::deque<ModelEntry>, kPipeSlots> queues;
  std::map<FlagKey, ModelFlag> flags;
  std::array<uint32_t, kPipeSlots> families{};
  std::array<Buffer, kBufferIds> buffers;
  bool buffersUnknown = false;
  UnitOrder units;
  std::array<std::map<uint64_t, OrderClock>, kPipeSlots> passedTiles; ///< by pipe and ordinal
  uint32_t stalled = 0;                                               ///< pipes with a queue, as bits
  std::map<uint32_t, ByteLog> logs;                                   ///< by storage
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_PIPEMODEL_H
