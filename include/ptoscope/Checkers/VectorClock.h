//===- VectorClock.h - which instructions are known to have ended -*- C++ -*-=//
//
// Happens-before between pipes (HB1 to HB11). A component of a clock is a
// number of instructions of one (core, pipe) that are known to have *ended*; it
// always names a prefix of that pipe's instructions. Starting is not ending:
// only in-order pipes advance their own component by starting. Edges follow
// ordinals, never the order a schedule happened to execute.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_VECTORCLOCK_H
#define PTOSCOPE_CHECKERS_VECTORCLOCK_H

#include "ptoscope/Checkers/Ring.h"
#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Types.h"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ptoscope {

/// Pipes that execute instructions: S, V, M, MTE1, MTE2, MTE3, FIX; and one place
/// for what the scalar unit has passed, see kPassed.
inline constexpr size_t kClockPipes = 8;
/// Beside what has *ended*, a clock knows how far the scalar unit of each core has
/// got: an instruction comes after what was issued before it. That orders no
/// memory, but waits and sets.
inline constexpr size_t kPassed = 7;
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

/// Which groups of eight components may hold more than 0: a bit per core, and one
/// for the barriers. Most blocks have one core and no barrier.
using ClockGroups = uint8_t;
inline constexpr ClockGroups kBarrierGroup = 1u << kCoresPerBlock;

struct VectorClock {
  /// Indexed by Slot, then by channel; a 5-bit slot is in range.
  std::array<uint64_t, 32> ended{};
  static_assert(kClockComponents == 32 && kClockPipes == 8 && kSyncAllChannels == 8);

  void join(const VectorClock &other, ClockGroups groups = 0xf) {
    forEach(groups, [&](size_t i) { ended[i] = ended[i] > other.ended[i] ? ended[i] : other.ended[i]; });
  }
  /// Takes over the components of `groups`; the others have to be 0 in both.
  void assign(const VectorClock &other, ClockGroups groups) {
    forEach(groups, [&](size_t i) { ended[i] = other.ended[i]; });
  }

private:
  template <typename Fn> static void forEach(ClockGroups groups, Fn fn) {
    for (unsigned rest = groups; rest; rest &= rest - 1) {
      size_t first = size_t(std::countr_zero(rest)) * kClockPipes;
      for (size_t i = first; i < first + kClockPipes; ++i)
        fn(i);
    }
  }
};

/// What a flag or a semaphore counts to (FLAG-8, SEM-6).
inline constexpr uint64_t kCounterLimit = 15;

/// The clocks of one block and the messages in flight between its pipes.
class HappensBefore {
public:
  explicit HappensBefore(const Profile &profile);
  /// As it was made, for another block.
  void reset();

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

  bool wasIssued(Slot slot, uint64_t ordinal) const { return ordinal <= issuedUpTo[slot]; }

  /// What an instruction that runs on `slot` now knows to have ended. For
  /// in-order pipes this includes the instruction itself.
  const VectorClock &clock(Slot slot) const { return stale >> slot & 1 ? staleClock(slot) : clocks[slot]; }
  /// The least that an instruction of `slot` which has yet to take effect knows.
  const VectorClock &oldestClock(Slot slot) const {
    return stale >> slot & 1 ? staleClocks[slot].front().clock : clocks[slot];
  }
  bool inOrder(Slot slot) const { return inOrderPipe[slot % kClockPipes]; }

  /// A set gives the count that its flag or semaphore has then in the worst legal
  /// schedule: sets so far without the waits that come before this one in every
  /// schedule. 0 for a counter that exceeded its limit before.
  uint64_t setFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal);
  void waitFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal);
  void barrier(const Instr &, Pipe pipe);
  /// The scalar unit has seen these pipes, a bit each, come to an end.
  void memoryBarrier(const Instr &, uint32_t pipes);
  void getBuf(const Instr &, int64_t id, int64_t mode, uint64_t releasesBefore);
  void rlsBuf(const Instr &, int64_t id, int64_t mode, uint64_t ordinal);

  /// Unit flags, as Observer describes them.
  void unitPass(const Instr &);
  void unitCheck(const Instr &, Pipe from, uint64_t ordinal);

  /// Cluster semaphores and all-core barriers, as Observer describes them.
  uint64_t syncSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders);
  void syncWait(const Instr &, int64_t id, uint64_t ordinal);
  void launchSet(const Instr &, uint32_t channel, uint64_t ordinal);
  void launchWait(const Instr &, uint32_t channel, uint64_t ordinal);
  /// Signals of tile queues, as Observer describes them.
  void queueSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal);
  void queueWait(const Instr &, CoreId sender, int64_t id, uint64_t ordinal);
  bool usesQueues() const { return !queueSets.empty(); }
  void syncAllArrive(const Instr &, uint32_t channel, uint64_t ordinal);
  void syncAllLeave(const Instr &, uint32_t channel, uint64_t ordinal);
  /// What the block knew to have ended when its last core arrived at a barrier,
  /// by channel and number (from 1; numbers it took no part in repeat).
  const std::array<std::vector<VectorClock>, kSyncAllChannels> &arrivals() const { return arrived; }
  /// The scalar unit tells other blocks what it knows, by a signal. Which of the core's
  /// this is, from 1; `arrivals` of its channel has what was told.
  uint64_t tellOthers(const Instr &);
  /// What instruction `instr` of the scalar unit has learnt from other blocks comes before
  /// everything that is issued later.
  void learnFromOthers(const Instr &, const VectorClock &learnt);
  /// The first time that the core told others after this instruction was issued, ended or
  /// not; UINT64_MAX: never.
  uint64_t firstToldAfter(Slot slot, uint64_t ordinal) const;
  bool pipeSemaphores() const { return semaphoresOfPipes; }
  /// The lowest number 0..15 that a set from `sender` to `target` may use
  /// because no set or wait has used it so far; -1 when all are in use.
  int64_t freeSemaphore(CoreId sender, CoreId target) const;

  /// An event id of (src, dst) that no set or wait of this core has used so far
  /// and that is not `named`; -1 when there is none. The lowest one, or the
  /// highest when the program computes ids, which mostly count from 0.
  int64_t freeEventId(CoreId core, Pipe src, Pipe dst, NamedIds named = {}) const;

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
    Ring<Message> entries;
    uint64_t dropped = 0; ///< ordinal of the first entry that was dropped
  };
  struct Buffer {
    std::array<Releases, kClockPipes> releases;
    std::array<uint64_t, kClockPipes> firstGet{}; ///< ordinal of the pipe's first get; 0 = none
    std::array<uint64_t, kClockPipes> lastReleasesBefore{};
  };
  /// What was issued before an instruction that has yet to begin.
  struct IssuePoint {
    uint64_t ordinal;
    Issued before;
  };
  /// Waits that sets of a flag or semaphore may still overtake. There are never
  /// more than the counter's limit, or the counter has exceeded it.
  struct Counter {
    struct Wait {
      Slot slot;
      uint64_t ordinal;
    };
    std::array<Wait, kCounterLimit> waits;
    uint8_t count = 0;
    bool exceeded = false;
    uint64_t passed = 0; ///< waits that come before every later set

    void wait(Slot slot, uint64_t ordinal) {
      if (count < waits.size())
        waits[count++] = {slot, ordinal};
    }
  };
  struct Flag {
    Ring<Message> sets; ///< not waited for
    Counter counter;
  };
  struct Semaphore {
    std::array<Ring<Message>, kCoresPerBlock> sets; ///< by sender, not waited for
    std::array<uint64_t, kCoresPerBlock> done{};    ///< sets so far
    Counter counter;
  };

  void arrive(uint32_t channel, uint64_t ordinal, const VectorClock &clock);
  void resetCore(size_t core);
  void beginNew(Slot slot, uint64_t ordinal);
  /// A wait for another core learns `told`: its pipe, or what its scalar unit issues later.
  void learn(const Instr &instr, Slot slot, const VectorClock &told);
  /// What was issued before the instruction that begins now; null when unknown.
  const uint64_t *issuedBefore(Slot slot, uint64_t ordinal) const;
  void acquireDeferred(Slot slot, uint64_t ordinal);
  const VectorClock &staleClock(Slot slot) const;
  /// `other` becomes known to the instruction `ordinal` of `slot`.
  void acquire(Slot slot, uint64_t ordinal, const VectorClock &other) {
    clocks[slot].join(other, groups);
    acquired(slot, ordinal);
  }
  /// To be called when the clock of `slot` has grown by anything but starting.
  void acquired(Slot slot, uint64_t ordinal) {
    // Only instructions that wait for their pipe's transfers acquire directly.
    if (stale) [[unlikely]] {
      staleClocks[slot].clear();
      stale &= ~(1u << slot);
    }
    if (slot % kClockPipes == 0)
      keepSuVersion(slot, ordinal);
    if (legacySeen) [[unlikely]]
      keepVersion(slot, ordinal);
  }
  void keepVersion(Slot slot, uint64_t ordinal);
  void keepSuVersion(Slot slot, uint64_t ordinal);
  /// Does an instruction wait in a queue of this core?
  bool anyQueued(CoreId core) const;
  /// The clock of `slot` with everything up to `ordinal` ended.
  void publish(Message &message, uint64_t number, Slot slot, uint64_t ordinal) const {
    message.ordinal = number;
    message.clock.assign(clocks[slot], groups);
    uint64_t &own = message.clock.ended[slot];
    own = own > ordinal ? own : ordinal;
  }
  /// Count after set number `number`, made by an instruction that knows `clock`.
  uint64_t countOf(Counter &counter, uint64_t number, const VectorClock &clock);
  /// `clock` and what the scalar units knew that it knows to have passed.
  VectorClock withPassed(VectorClock clock) const;
  const VectorClock *suClock(size_t core, uint64_t ordinal) const;
  Flag *flagOf(CoreId core, Pipe src, Pipe dst, int64_t id);
  Buffer *buffer(CoreId core, int64_t id);
  VectorClock legacyRelease(const Instr &instr, Slot slot, const Buffer &buffer) const;

  std::array<bool, kClockPipes> inOrderPipe{};
  std::array<VectorClock, kClockSlots> clocks{};
  std::array<uint64_t, kClockSlots> current{}; ///< ordinal that runs now
  std::array<uint64_t, kClockSlots> started{}; ///< highest ordinal seen
  std::array<uint64_t, kClockSlots> issuedUpTo{};
  /// Of instructions that did not begin before the next one was issued.
  std::array<Ring<IssuePoint>, kClockSlots> issuePoints;
  std::array<Slot, kCoresPerBlock> lastIssued{};     ///< by core; a slot of that core, or S
  uint32_t usedSlots = 0;                            ///< bit per slot of which an instruction has begun
  std::array<VectorClock, kCoresPerBlock> lastAll{}; ///< after the last PIPE_ALL barrier, by core
  std::array<Ring<Message>, kClockSlots> versions;   ///< clock from an ordinal on
  bool legacySeen = false;                           ///< versions are kept from the first mode-1 operation on
  /// Of this block and those before it: messages that are reused hold nothing in others.
  ClockGroups groups = 0;
  /// What each scalar unit knew from an ordinal on.
  std::array<Ring<Message>, kCoresPerBlock> suVersions;

  /// The flags of one ordered pair of pipes, made when one is first used.
  struct FlagPair {
    std::array<Flag, kEventIds> flags;
    uint8_t used = 0; ///< a bit per event id
  };
  std::array<std::array<std::unique_ptr<FlagPair>, kClockPipes * kClockPipes>, kCoresPerBlock> flags;

  std::array<Ring<Message>, kClockSlots> passedTiles; ///< by the instruction that did; rising ordinals

  bool semaphoresOfPipes;
  std::map<std::pair<int64_t, int64_t>, Semaphore> semaphores; ///< by waiting core and id
  std::array<uint32_t, kCoresPerBlock> usedSemaphores{};       ///< bit per id, by waiting core
  /// Sets of tile queues that were not waited for, by waiting core, id and sender.
  std::map<std::array<int64_t, 3>, Ring<Message>> queueSets;
  /// A scalar unit that waited orders what it issues later: `clock` becomes
  /// known to the instructions of a pipe after `ordinal`.
  std::array<Ring<Message>, kClockSlots> deferred;
  /// Clocks of instructions up to an ordinal that may still be in flight while
  /// later ones already know more; rising ordinals.
  std::array<Ring<Message>, kClockSlots> staleClocks;
  uint32_t stale = 0; ///< bit per slot that has some
  std::array<std::vector<VectorClock>, kSyncAllChannels> arrived;
  std::array<std::vector<Issued>, kCoresPerBlock> issuedWhenTold; ///< by core
  std::array<std::unique_ptr<std::array<Buffer, kBufferIds>>, kCoresPerBlock> buffers;
  std::array<uint32_t, kCoresPerBlock> usedBuffers{}; ///< a bit per id
  static_assert(kBufferIds <= 32);
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_VECTORCLOCK_H
