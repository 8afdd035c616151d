//===- Observer.h - the one stream of machine events ------------*- C++ -*-===//
//
// Checkers and timing see a run through this interface and change nothing.
// Events of one block arrive on one host thread, in the order in which the
// schedule executes them; `issue` arrives in program order of the scalar unit.
// Ordinals make the edges independent of the schedule: the k-th wait of a flag
// matches the k-th set, a get_buf waits for the releases issued before it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_OBSERVER_H
#define PTOSCOPE_MACHINE_OBSERVER_H

#include "ptoscope/Machine/Box.h"
#include "ptoscope/Machine/Gm.h"
#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Machine/Types.h"

#include <memory>
#include <optional>
#include <span>

namespace ptoscope {

/// Which core of a block: 0 = AIC, 1 = AIV0, 2 = AIV1 (a vector-only block has
/// just AIV0).
struct CoreId {
  uint8_t index = 1;
};
inline constexpr size_t kCoresPerBlock = 3;
/// Different sets of participants of all-core barriers in one launch.
inline constexpr uint32_t kSyncAllChannels = 8;
/// Where signals order blocks, the last channels stand for what each core of a block has
/// told by signals, and learnt.
inline constexpr uint32_t kFirstSignalChannel = kSyncAllChannels - uint32_t(kCoresPerBlock);

/// An instruction on its pipe. `ordinal` counts the instructions of (core,
/// pipe) from 1 in issue order, which is also the order they start in.
/// Iterations point at data that lives during the call only.
struct Instr {
  CoreId core;
  Pipe pipe;
  uint64_t ordinal;
  SiteId site;
  const int64_t *iterations; ///< of the scalar unit's loops, outermost first
  uint32_t depth;
  /// Of the loops inside a running scope, outermost first, as they stand now; null
  /// outside scopes. How many count says the depth of an access's site.
  const int64_t *scopeIterations = nullptr;
};

/// From Atomic on: one kind of atomic update each, see atomicUpdate.
enum class AccessKind : uint8_t { Read, Write, Atomic };
inline constexpr unsigned kAtomicOperations = 3; ///< add, max, min
/// What CTRL[8:6] (f32, f16, s16, s32, s8, bf16 from 1) and CTRL[10:9] make of a
/// store to GM. Updates of one kind commute; others do not.
constexpr AccessKind atomicUpdate(unsigned type, unsigned operation) {
  return AccessKind(unsigned(AccessKind::Atomic) + type * kAtomicOperations + operation);
}
constexpr bool isAtomic(AccessKind kind) { return kind >= AccessKind::Atomic; }
/// Sums of floats commute up to their rounding.
constexpr bool isFloatSum(AccessKind kind) {
  return kind == atomicUpdate(1, 0) || kind == atomicUpdate(2, 0) || kind == atomicUpdate(6, 0);
}

/// Both sides of a transfer, as executed (clipped to what exists). With
/// padding, `dst` is everything written and `copied` the rows that hold data.
struct TransferEvent {
  Space srcSpace, dstSpace;
  Box src, dst;
  Box copied;                ///< rows of dst that receive source bytes, same shape as src
  const GmObject *srcObject; ///< for Space::Gm
  const GmObject *dstObject;
  AccessKind write = AccessKind::Write; ///< of dst: Write, or which update of GM
  /// Whose UB is written, when dstSpace is UB: a cube core writes that of a
  /// vector core.
  CoreId dstCore = {};
};

/// A vector or scalar access inside a scope, or a scalar access of the SU.
struct LocalAccess {
  SiteId site;
  Space space;
  const GmObject *object; ///< for Space::Gm
  uint64_t address;
  uint32_t windowBytes;
  const uint64_t *active; ///< bytes of the window that are touched; null = all
  AccessClass accessClass;
  bool inScope;
  bool pastCache = false; ///< of GM, by the scalar unit: not through its cache
};

struct DirectEvent; // Direct.h

/// A copy within GM that an engine makes by itself, some time after it was started.
struct EngineTransfer {
  uint64_t session; ///< of one core
  uint64_t number;  ///< in the session, from 1: they end in order
  Box src, dst;
  const GmObject *srcObject = nullptr, *dstObject = nullptr;
};

/// Bytes of a local memory that the program treats as one thing: a tile, with its
/// windows and other readings.
struct Storage {
  Space space;
  SiteId site; ///< what gave it its place
  uint64_t begin, end;
  uint32_t elementBits;
};

/// The bytes of one aligned 32-byte block of UB that a gather or scatter touches.
struct BlockPart {
  uint32_t address; ///< of the block
  uint32_t touched; ///< a bit per byte
  uint32_t defined; ///< of the touched bytes; a bit per byte
};

/// A vector load or store of a loop inside a scope: a window of UB in each turn, all
/// bytes of which are touched.
struct LoopAccess {
  SiteId site;
  bool writes;
  uint32_t windowBytes;
  uint64_t address; ///< of the first turn
  uint64_t stride;  ///< from turn to turn; not less than the window
  /// What the value of a store derives from: loads of the same turn, by their place in
  /// the loop, and stamps, by their place in ScopeLoop::stamps; a bit each.
  uint64_t loads, stamps;
};

/// A register that a loop carries: each turn adds the loads that it derives from.
struct LoopValue {
  uint64_t loads, stamps;
  uint32_t stamp; ///< behind the last turn; for the observer to fill in
};

/// Turns of a loop whose accesses can be told at once: in the order of the text, those of
/// all turns. Two of them touch no common byte, but the same window in every turn: by
/// loads, or by loads and a store behind them that derives from each.
struct ScopeLoop {
  std::span<const LoopAccess> accesses;
  std::span<const uint32_t> stamps; ///< of values from outside
  std::span<LoopValue> carried;
  uint64_t turns;
  uint32_t depth; ///< loops of the scope around it
};

/// In the numbers of pto::comm::WaitCmp.
enum class SignalCompare : uint8_t { EQ, NE, GT, GE, LT, LE };
bool holds(SignalCompare compare, int32_t word, int32_t value);

/// A word of GM through which cores meet changes.
struct SignalSet {
  uint64_t address;
  bool adds;
  bool isSignal;                        ///< false: the program stores past the caches by other means
  std::optional<int32_t> before, after; ///< what it holds, if it is an int32
};
/// Every one of these words compares as wanted.
struct SignalWait {
  std::span<const uint64_t> addresses;
  int32_t value;
  SignalCompare compare;
};

/// A register that an instruction of a scope computes with.
struct RegisterUse {
  uint32_t operand;
  bool isIndex = false;                        ///< it names places or lanes
  std::optional<uint32_t> part = std::nullopt; ///< which register of a longer vector it is, from 0
};

class Observer {
public:
  virtual ~Observer() = default;

  /// False: events of direct instructions come without their regions.
  virtual bool wantsRegions() const { return true; }

  /// The scalar unit issues an instruction (captured operands are final).
  virtual void issue(const Instr &) {}
  /// The instruction takes effect now.
  virtual void start(const Instr &) {}

  virtual void transfer(const Instr &, const TransferEvent &) {}

  virtual void scopeBegin(const Instr &) {}
  virtual void scopeEnd(const Instr &) {}
  /// Right before scopeEnd, where code counts turns: how often each region of the scope
  /// was entered, by the numbers of its schedule.
  virtual void scopeTurns(const Instr &, std::span<const uint64_t> turns) {}
  /// Fills `defined` (a bit per window byte) and returns the stamp of this load.
  virtual uint32_t vectorLoad(const Instr &, const LocalAccess &, uint64_t *defined);
  virtual void vectorStore(const Instr &, const LocalAccess &, const uint64_t *defined, const uint32_t *stamps,
                           uint32_t stampCount) {}
  virtual uint32_t mergeStamps(const uint32_t *stamps, uint32_t n) { return 0; }
  /// How many turns of the loop, from the first, are noted herewith: nothing is to be
  /// said of their accesses, and everything that they load is defined. The others are told
  /// one by one.
  virtual uint64_t scopeLoop(const Instr &, const ScopeLoop &) { return 0; }
  /// A vector load or store of single places of UB, each block once. A gather
  /// fills `defined` of its parts and returns the stamp of this load. Observers
  /// that do not care how places hang together get a vectorLoad or vectorStore
  /// for each block.
  virtual uint32_t gather(const Instr &, SiteId, std::span<BlockPart> parts);
  virtual void scatter(const Instr &, SiteId, std::span<const BlockPart> parts, const uint32_t *stamps,
                       uint32_t stampCount);
  /// For SU accesses the Instr is one of pipe S.
  virtual void scalarLoad(const Instr &, const LocalAccess &) {}
  virtual void scalarStore(const Instr &, const LocalAccess &) {}
  virtual void fence(const Instr &, SiteId, Fence) {}
  virtual void undefinedUse(const Instr &, SiteId, const RegisterUse &, const uint64_t *defined,
                            const uint64_t *active) {}

  /// Regions of direct instructions name this storage by `number` (from 1) from now on.
  virtual void storage(CoreId, uint32_t number, const Storage &) {}
  /// A direct instruction takes effect: all regions it touches.
  virtual void direct(const Instr &, const DirectEvent &) {}
  /// The host may read and write these bytes by itself from now on.
  virtual void openToHost(CoreId, Space, uint64_t begin, uint64_t bytes) {}
  /// The SU reads a status register. `writer` is the last instruction issued before
  /// that writes it; its ordinal is 0 when there is none.
  virtual void statusRead(const Instr &, StatusRegister, const Instr &writer) {}

  /// `ordinal`: the k-th set / wait of (src, dst, id) in issue order, from 1.
  virtual void setFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {}
  virtual void waitFlag(const Instr &, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {}
  /// Pipe::All orders every pipe of the core and the scalar unit.
  virtual void barrier(const Instr &, Pipe pipe) {}
  /// These pipes, a bit each, have ended what was issued to them; everything that the
  /// scalar unit issues later comes after that.
  virtual void memoryBarrier(const Instr &, uint32_t pipes) {}
  /// The scalar unit writes back and forgets what it has cached of [begin, end) of GM.
  virtual void cacheInvalidate(const Instr &, uint64_t begin, uint64_t end) {}
  /// `releasesBefore`: releases of this id issued before this get.
  virtual void getBuf(const Instr &, int64_t id, int64_t mode, uint64_t releasesBefore) {}
  /// `ordinal`: this release's number among the releases of the id, from 1.
  virtual void rlsBuf(const Instr &, int64_t id, int64_t mode, uint64_t ordinal) {}

  /// Unit flags. The instruction started after number `ordinal` of `from`, which passed
  /// on a tile that it uses; told before it touches anything.
  virtual void unitCheck(const Instr &, Pipe from, uint64_t ordinal) {}
  /// The instruction passes on its tile when it has ended.
  virtual void unitPass(const Instr &) {}

  /// Cluster semaphores. A set goes to semaphore `id` of core `target`; the k-th
  /// wait of that core matches the k-th set of each sender. On pipe S the
  /// scalar unit itself sets (a barrier of PIPE_ALL came just before) or waits,
  /// and everything issued later comes after the wait. On A2/A3 a set of the
  /// cube core is two events, one per vector core. `senders` has a bit for each core
  /// of which the wait needs a set.
  virtual void syncSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) {}
  virtual void syncWait(const Instr &, int64_t id, uint64_t ordinal) {}
  /// A flag that all cores of a kind raise together, in every block: the k-th wait
  /// comes after the k-th set of each of them. Channels are those of all-core barriers.
  virtual void launchSet(const Instr &, uint32_t channel, uint64_t ordinal) {}
  virtual void launchWait(const Instr &, uint32_t channel, uint64_t ordinal) {}
  /// Signals of tile queues, likewise: a set raises `id` at core `target`, and a wait
  /// passes when set number `ordinal` of `sender` is done. Waits of several senders
  /// are as many events.
  virtual void queueSet(const Instr &, CoreId target, int64_t id, uint64_t ordinal) {}
  virtual void queueWait(const Instr &, CoreId sender, int64_t id, uint64_t ordinal) {}
  /// All-core barrier number `ordinal` (from 1) of a channel: barriers with the
  /// same participants share one, in every block. Every pipe of the core is
  /// idle between arriving and leaving; none leaves before all have arrived.
  virtual void syncAllArrive(const Instr &, uint32_t channel, uint64_t ordinal) {}
  virtual void syncAllLeave(const Instr &, uint32_t channel, uint64_t ordinal) {}

  /// The scalar unit sets a signal, or adds to it, whatever its pipes do.
  virtual void signalSet(const Instr &, const SignalSet &) {}
  /// It has written these bytes out of its cache; some may hold what others wait for.
  virtual void signalFlush(const Instr &, uint64_t begin, uint64_t end) {}
  /// It has read words and goes on because of what they hold.
  virtual void signalWait(const Instr &, const SignalWait &) {}
  /// It reads these bytes past the caches; some may be signals.
  virtual void signalLook(const Instr &, uint64_t begin, uint64_t end) {}

  /// The scalar unit starts a transfer.
  virtual void engineStart(const Instr &, const EngineTransfer &) {}
  /// It has seen that those of a session up to `number` have ended.
  virtual void engineDone(const Instr &, uint64_t session, uint64_t number) {}

  /// The block has ended; `completed` is false when it was stopped.
  virtual void blockEnd(bool completed) {}
};

/// Makes the observers of each block and merges what they found. `beginBlock`
/// may be called from several threads; `endBlock` is called in block order.
class ObserverFactory {
public:
  virtual ~ObserverFactory() = default;
  virtual std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) = 0;
  virtual void endBlock(int64_t block, std::unique_ptr<Observer>, FindingList &findings) = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_OBSERVER_H
