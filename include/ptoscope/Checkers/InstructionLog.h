//===- InstructionLog.h - loop iterations of recent accesses ----*- C++ -*-===//
//
// What a report says of loops: which turn of each loop an instruction was issued
// in, and which turn of a scope's loops made an access. Both are rings, so memory
// is constant; what has left the ring is not guessed.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_INSTRUCTIONLOG_H
#define PTOSCOPE_CHECKERS_INSTRUCTIONLOG_H

#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Observer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptoscope {

/// The lowest byte of an access, and one past the highest.
struct ByteHull {
  uint64_t begin = 0, end = 0;
  /// Each has bytes that the other has not, and some are common.
  bool overlapsPartOf(const ByteHull &other) const {
    return begin < other.begin ? other.begin < end && end < other.end
                               : other.begin < begin && begin < other.end && other.end < end;
  }
  bool operator==(const ByteHull &) const = default;
};

/// Loop iterations of the instructions a report may still refer to: a ring of
/// the latest ones per pipe, so memory is constant.
class InstructionLog {
public:
  /// Called when the instruction is issued, or first seen; later calls for the
  /// same one change nothing.
  void note(Slot slot, const Instr &instr);
  /// Empty when the instruction is forgotten or stands in no loop.
  std::vector<int64_t> iterations(Slot slot, uint64_t ordinal) const;
  /// Its number in the order of issue, over all pipes; 0 when forgotten.
  uint64_t issueNumber(Slot slot, uint64_t ordinal) const;
  /// What an instruction reads or writes, told by itself.
  void noteHull(Slot slot, uint64_t ordinal, bool writes, ByteHull hull) {
    Log &log = logs[slot];
    if (log.ring.empty())
      return;
    if (log.hulls.size() != log.ring.size()) [[unlikely]]
      enlargeHulls(log);
    auto &ring = log.hulls;
    Hulls &hulls = ring[ordinal & (ring.size() - 1)];
    if (hulls.ordinal != ordinal)
      hulls = {ordinal, {}, {}};
    // Of several operands none stands for all.
    ByteHull &own = hulls.of[writes];
    own = hulls.known[writes] && own != hull ? ByteHull{} : hull;
    hulls.known[writes] = true;
  }
  /// Nothing when that is not one piece of memory, or forgotten.
  std::optional<ByteHull> hull(Slot slot, uint64_t ordinal, bool writes) const;
  /// Empty, for another block.
  void reset();

private:
  static constexpr size_t kMaxDepth = 16, kFirstSize = 64, kLastSize = 1024; // powers of two
  /// Most loops nest no deeper; a record fills one line of the host's cache.
  static constexpr size_t kNearDepth = 5;
  struct Record {
    uint64_t ordinal = 0;
    uint64_t issue = 0;
    uint32_t depth = 0;
    std::array<int64_t, kNearDepth> iterations;
  };
  using Deep = std::array<int64_t, kMaxDepth - kNearDepth>;
  struct Hulls {
    uint64_t ordinal = 0;
    std::array<ByteHull, 2> of; ///< read, written
    std::array<bool, 2> known;
  };
  struct Log {
    std::vector<Record> ring;
    std::vector<Hulls> hulls; ///< beside `ring` once an instruction told one
    std::vector<Deep> deep;   ///< beside `ring` once a deeper loop was seen
    uint64_t latest = 0;      ///< highest ordinal
  };
  const Record *find(Slot slot, uint64_t ordinal) const;
  static void enlarge(Log &log);
  static void enlargeHulls(Log &log);
  uint64_t issued = 0;
  std::array<Log, kClockSlots> logs;
};

/// The latest accesses of scopes on one core, with the turns of the scope's loops.
class ScopeLog {
public:
  /// Turns of deeper loops are not kept.
  static constexpr uint32_t kMaxDepth = 4;
  using Turns = std::array<int64_t, kMaxDepth>;
  static constexpr size_t kSize = 4096; // a power of two

  /// `number` is the access's place in the scope's sequence (ScopeShadow).
  void note(uint64_t ordinal, uint32_t number, const LocalAccess &access, const int64_t *iterations) {
    if (ring.empty()) [[unlikely]]
      ring.resize(kSize);
    Record &record = ring[next++ % kSize];
    fetchAhead(kAhead);
    record.ordinal = ordinal;
    record.number = number;
    record.site = access.site;
    record.address = uint32_t(access.address);
    record.bytes = access.windowBytes;
    record.masked = access.active != nullptr;
    std::copy_n(iterations, kMaxDepth, record.turns.begin());
  }
  /// The same of the first `turns` turns of a loop; `number` is that of its first access.
  void noteLoop(uint64_t ordinal, uint32_t number, const ScopeLoop &loop, uint64_t turns, const int64_t *iterations);
  /// Of the access with this number in the scope execution `ordinal`; null when it
  /// is forgotten. How many of the turns count says the depth of its site.
  const Turns *byNumber(uint64_t ordinal, uint32_t number) const;
  /// Of the latest access of `site` in that execution that touched `byte`; null also
  /// when that is not certain.
  const Turns *byPlace(uint64_t ordinal, SiteId site, uint64_t byte) const;
  /// Bytes of the latest access of `site` in that execution, if it touched all of them.
  std::optional<ByteHull> latestOf(uint64_t ordinal, SiteId site) const;
  /// Bytes of all accesses of `site` in that execution, which has ended; nothing when
  /// some are forgotten or may not have touched all of theirs.
  std::optional<ByteHull> hullOf(uint64_t ordinal, SiteId site) const;
  /// Empty, for another block.
  void reset() {
    next = 0;
    loops.clear();
    loopAccesses.clear();
  }

private:
  struct Record {
    uint64_t ordinal = 0; ///< of the scope on its pipe; 0 = none
    uint32_t number;
    SiteId site;
    uint32_t address;
    uint32_t bytes;
    uint64_t masked; ///< some of the bytes may not have been touched
    Turns turns;
  };
  static_assert(sizeof(Record) == 64);
  template <typename Matches> const Record *latest(Matches matches) const;
  /// A loop that was noted but not yet written out, which only reports need.
  struct Loop {
    uint64_t position; ///< of its first access
    uint64_t ordinal;
    uint64_t turns;
    uint32_t number;
    uint32_t depth;
    uint32_t firstAccess, accessCount; ///< of `loopAccesses`
    Turns outer;
  };
  static constexpr size_t kMaxLoops = 512;
  void writeOut() const;
  void forgetLoops();
  /// Records are written once and far apart from what runs in between: each would be waited for.
  static constexpr uint64_t kAhead = 3;
  void fetchAhead(uint64_t records) const {
    if (!ring.empty())
      __builtin_prefetch(&ring[(next + records) % kSize], 1);
  }

  mutable std::vector<Record> ring;
  uint64_t next = 0;
  mutable std::vector<Loop> loops; ///< rising positions
  mutable std::vector<LoopAccess> loopAccesses;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_INSTRUCTIONLOG_H
