//===- VectorClock.h - which instructions are known to have ended -*- C++ -*-=//
//
// Happens-before between pipes (isa/03 section 2). A component of a clock is a
// number of instructions of one (core, pipe) that are known to have *ended*; it
// always names a prefix of that pipe's instructions. Starting is not ending:
// only in-order pipes advance their own component by starting. Edges follow
// ordinals, never the order a schedule happened to execute.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_VECTORCLOCK_H
#define PTOSCOPE_CHECKERS_VECTORCLOCK_H

#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Types.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace ptoscope {

/// Pipes that execute instructions: S, V, M, MTE1, MTE2, MTE3, FIX.
inline constexpr size_t kClockPipes = 7;
inline constexpr size_t kClockSlots = kCoresPerBlock * kClockPipes;

/// A (core, pipe) of a block as a dense number.
using Slot = uint8_t;
inline Slot slotOf(CoreId core, Pipe pipe) {
  size_t index = pipe == Pipe::FIX ? 6 : pipe <= Pipe::MTE3 ? size_t(pipe) : 0;
  return Slot(core.index * kClockPipes + index);
}
inline Pipe pipeOf(Slot slot) {
  size_t index = slot % kClockPipes;
  return index == 6 ? Pipe::FIX : Pipe(index);
}
inline CoreId coreOf(Slot slot) { return CoreId{uint8_t(slot / kClockPipes)}; }

/// Behind the slots, a clock counts the all-core barriers of each channel that
/// are known to be passed: the only order between blocks.
inline constexpr size_t kFirstBarrierCount = kClockSlots;
inline constexpr size_t kClockComponents = kFirstBarrierCount + kSyncAllChannels;

struct VectorClock {
  /// Indexed by Slot; padded to a power of two so that a 5-bit slot is in range.
  std::array<uint64_t, 32> ended{};
  static_assert(kClockComponents <= 32);

  void join(const VectorClock &other) {
    for (size_t i = 0; i < kClockComponents; ++i)
      ended[i] = ended[i] > other.ended[i] ? ended[i] : other.ended[i];
  }
};

/// The clocks of one block and the messages in flight between its pipes.
class HappensBefore {
public:
  explicit HappensBefore(const Profile &profile);

  /// Notes that the scalar unit has issued `instr`.
  void issued(const Instr &instr);
  /// Notes that `instr` takes effect. Idempotent; every event of an instruction
  /// may call it. Returns the slot of its pipe.
  Slot begin(const Instr &instr) {
    Slot slot = slotOf(instr.core, instr.pipe);
    if (current[slot] != instr.ordinal)
      beginNew(slot, instr.ordinal);
    return slot;
  }

  /// What an instruction that runs on `slot` now knows to have ended. For
  /// in-order pipes this includes the instruction itself.
  const VectorClock &clock(Slot slot) const { return stale >> slot & 1 ? staleClock(slot) : clocks[slot]; }
  /// The least that an instruction of `slot` which has yet to take effect knows.
  const VectorClock &oldestClock(Slot slot) const {
    return stale >> slot & 1 ? staleClocks[slot].front().clock : clocks[slot];
  }
  bool inOrder(Slot slot) const { return inOrderPipe[slot % kClockPipes]; }

  void setFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal);
  void waitFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal);
  void barrier(const Instr &, Pipe pipe);
  void getBuf(const Instr &, int64_t id, int64_t mode, uint64_t releasesBefore);
  void rlsBuf(const Instr &, int64_t id, int64_t mode, uint64_t ordinal);

  /// Cluster semaphores and all-core barriers, as Observer describes them.
  void syncSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal);
  void syncWait(const Instr &, int64_t id, uint64_t ordinal);
  void syncAllArrive(const Instr &, uint32_t channel, uint64_t ordinal);
  void syncAllLeave(const Instr &, uint32_t channel, uint64_t ordinal);
  /// What the block knew to have ended when its last core arrived at a barrier,
  /// by channel and number (from 1; numbers it took no part in repeat).
  const std::array<std::vector<VectorClock>, kSyncAllChannels> &arrivals() const { return arrived; }
  bool pipeSemaphores() const { return semaphoresOfPipes; }
  /// The lowest number 0..15 that a set from `sender` to `target` may use
  /// because no set or wait has used it so far; -1 when all are in use.
  int64_t freeSemaphore(CoreId sender, CoreId target) const;

  /// The lowest event id of (src, dst) that no set or wait of this core has
  /// used so far; -1 when all are in use.
  int64_t freeEventId(CoreId core, Pipe src, Pipe dst) const;

private:
  struct Message {
    uint64_t ordinal;
    VectorClock clock;
  };
  using Issued = std::array<uint64_t, kClockPipes>;
  /// Releases of one buffer id by one pipe. A pipe releases in issue order and
  /// its knowledge only grows, so each entry holds the join of all earlier ones
  /// and a get needs one entry per pipe.
  struct Releases {
    std::deque<Message> entries;
    uint64_t dropped = 0; ///< ordinal of the first entry that was dropped
  };
  struct Buffer {
    std::array<Releases, kClockPipes> releases;
    std::array<uint64_t, kClockPipes> firstGet{}; ///< ordinal of the pipe's first get; 0 = none
    std::array<uint64_t, kClockPipes> lastReleasesBefore{};
  };
  /// Clock of a slot from `ordinal` on, until the next entry.
  struct Version {
    uint64_t ordinal;
    VectorClock clock;
  };

  void beginNew(Slot slot, uint64_t ordinal);
  void acquireDeferred(Slot slot, uint64_t ordinal);
  const VectorClock &staleClock(Slot slot) const;
  /// `other` becomes known to the instruction `ordinal` of `slot`.
  void acquire(Slot slot, uint64_t ordinal, const VectorClock &other);
  /// The clock of `slot` with everything up to `ordinal` ended.
  VectorClock published(Slot slot, uint64_t ordinal) const;
  std::deque<Message> *flagQueue(CoreId core, Pipe src, Pipe dst, int64_t id);
  Buffer *buffer(CoreId core, int64_t id);
  VectorClock legacyRelease(const Instr &instr, Slot slot, const Buffer &buffer) const;

  std::array<bool, kClockPipes> inOrderPipe{};
  std::array<VectorClock, kClockSlots> clocks{};
  std::array<uint64_t, kClockSlots> current{}; ///< ordinal that runs now
  std::array<uint64_t, kClockSlots> started{}; ///< highest ordinal seen
  std::array<uint64_t, kClockSlots> issuedUpTo{};
  /// What was issued before each queued instruction (legacy releases need it).
  std::array<std::deque<std::pair<uint64_t, Issued>>, kClockSlots> issueSnapshots;
  std::array<std::deque<Version>, kClockSlots> versions;
  bool legacySeen = false; ///< versions are kept from the first mode-1 operation on

  struct Flags {
    std::array<std::deque<Message>, kClockPipes * kClockPipes * kEventIds> queues;
    std::array<uint8_t, kClockPipes * kClockPipes> used{}; ///< a bit per event id
  };
  std::array<std::unique_ptr<Flags>, kCoresPerBlock> flags;

  bool semaphoresOfPipes;
  /// Sets in flight, by (waiting core, id, sender).
  std::map<std::array<int64_t, 3>, std::deque<Message>> semaphores;
  std::array<uint32_t, kCoresPerBlock> usedSemaphores{}; ///< bit per id, by waiting core
  /// A scalar unit that waited orders what it issues later: `clock` becomes
  /// known to the instructions of a pipe after `ordinal`.
  std::array<std::deque<Message>, kClockSlots> deferred;
  /// Clocks of instructions up to an ordinal that may still be in flight while
  /// later ones already know more; rising ordinals.
  std::array<std::deque<Message>, kClockSlots> staleClocks;
  uint32_t stale = 0; ///< bit per slot that has some
  std::array<std::vector<VectorClock>, kSyncAllChannels> arrived;
  std::array<std::unique_ptr<std::array<Buffer, kBufferIds>>, kCoresPerBlock> buffers;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_VECTORCLOCK_H
