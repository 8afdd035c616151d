//===- GmLog.h - accesses to global memory, exact and compact ---*- C++ -*-===//
//
// GM accesses of one block as strided boxes. The boxes of one site that advance
// by a constant step (bytes and ordinals) are one *progression*, so a streaming
// loop is a handful of entries; the part of it that an instruction does not yet
// know to have ended is again one box. Entries that every pipe with GM accesses
// knows to have ended leave the search index, and come back when another pipe
// starts to use GM. When there are too many entries, the smallest become cells
// (GmCells.h), which are exact as well. Both together are the block's footprint.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_GMLOG_H
#define PTOSCOPE_CHECKERS_GMLOG_H

#include "ptoscope/Checkers/GmCells.h"
#include "ptoscope/Checkers/IntervalIndex.h"
#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Direct.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ptoscope {

/// Boxes item, item + stride, … (count of them). `order` is what tells them
/// apart: the ordinal of their instruction, or the number of their block.
struct Progression {
  Box item;
  uint64_t count = 1;
  int64_t stride = 0;
  uint64_t firstOrder = 0;
  uint64_t orderStep = 0;

  uint64_t lastOrder() const { return firstOrder + (count - 1) * orderStep; }
  uint64_t lowest() const;
  uint64_t end() const;
  /// True when `box` with `order` was appended.
  bool extend(const Box &box, uint64_t order);
  /// All boxes from number `from` on, as one.
  Box boxFrom(uint64_t from) const;
  /// Number of the first box with an order greater than `order`; `count` when
  /// there is none.
  uint64_t firstAfter(uint64_t order) const;
  /// Number in [from, to) of a box that holds `byte`; one of them must.
  uint64_t numberAt(uint64_t byte, uint64_t from, uint64_t to) const;
};

/// The first signal that a core raised after it had issued an access, whether or not that
/// had ended.
struct EarlySignal {
  uint8_t core = 0;
  uint64_t number = UINT64_MAX; ///< none
};

struct GmEntry {
  Progression boxes;
  const GmObject *object = nullptr;
  SiteId site = kNoSite;
  Slot slot = 0;
  AccessKind kind = AccessKind::Read;
  bool indexed = false;
  BarrierCounts after{};            ///< barriers that come before the accesses
  BarrierCounts until = kNoBarrier; ///< first barriers that come after them
  EarlySignal told{};               ///< of a footprint
};

/// An earlier access that is unordered with the current one.
struct GmConflict {
  SiteId site;
  Slot slot;
  uint64_t ordinal;
  AccessKind kind;
  uint64_t begin, end; ///< a contiguous run of common bytes
};

/// True when two kinds of access to one byte need an order. Equal updates do not,
/// but sums of floats are worth a word.
inline bool conflicting(AccessKind a, AccessKind b) {
  if (isAtomic(a) && a == b)
    return isFloatSum(a);
  return a != AccessKind::Read || b != AccessKind::Read;
}

/// The contiguous bytes [first, second) around `byte`, which lies in a row of
/// each box, that lie in both rows.
std::pair<uint64_t, uint64_t> commonRun(const Box &a, const Box &b, uint64_t byte);

class GmLog {
public:
  explicit GmLog(const HappensBefore &order) : order(order) {}
  /// Empty, for another block.
  void reset();

  /// Checks an access of the instruction that runs on `slot`, and records it.
  void access(Slot slot, uint64_t ordinal, SiteId site, AccessKind kind, const GmObject *object, const Box &box,
              std::vector<GmConflict> &conflicts);
  /// The same of an access that is no box: to bytes apart, in rising order.
  void accessRuns(Slot slot, uint64_t ordinal, SiteId site, AccessKind kind, const GmObject *object,
                  std::span<const ByteRun> runs, std::vector<GmConflict> &conflicts);
  /// All entries, in pieces that lie between the same all-core barriers.
  std::vector<GmEntry> footprint() const;
  /// The rest of the footprint, likewise; orders mean nothing here.
  GmCells cellFootprint() const;
  /// Entries that are kept, and those of them that are searched; beyond, the
  /// smaller half becomes cells.
  static constexpr size_t kMaxEntries = 1 << 15, kMaxIndexed = 1 << 10;
  /// Entries in the search index, for tests.
  size_t indexedEntries() const { return indexedIds.size(); }

private:
  void check(uint32_t id, Slot slot, uint64_t ordinal, AccessKind kind, const Box &box, uint64_t lowest, uint64_t end,
             std::vector<GmConflict> &conflicts) const;
  void checkRuns(uint32_t id, Slot slot, uint64_t ordinal, AccessKind kind, std::span<const ByteRun> runs,
                 std::vector<GmConflict> &conflicts) const;
  /// What the other pipes know to have ended may be news to a pipe that starts to use GM.
  void startUsing(Slot slot);
  /// The barriers that come before an access of the slot.
  BarrierCounts barriersBefore(Slot slot) const;
  void record(Slot slot, uint64_t ordinal, SiteId site, AccessKind kind, const GmObject *object, const Box &box);
  void checkCells(Slot slot, uint64_t ordinal, AccessKind kind, const Box &box,
                  std::vector<GmConflict> &conflicts) const;
  /// A cell of the key `number` with order `other` and some bytes of an access.
  void checkCell(Slot slot, uint64_t ordinal, AccessKind kind, uint32_t number, uint64_t other, uint64_t address,
                 uint32_t mask, std::vector<GmConflict> &conflicts) const;
  /// The first barriers after an access, and how far (in ordinals) they hold.
  BarrierCounts untilOf(Slot slot, uint64_t ordinal, uint64_t *lastOrdinal) const;
  void addToIndex(uint32_t id);
  void prune();
  /// Of all entries, or of those in the index.
  void settle(bool indexedOnly);
  IntervalIndex &indexOf(AccessKind kind) { return kind == AccessKind::Read ? reads : writes; }

  const HappensBefore &order;
  std::vector<GmEntry> entries;
  GmCells cells;
  IntervalIndex reads, writes; ///< atomics count as writes here
  /// The entry that the next access of (site, slot, kind) may extend.
  std::unordered_map<uint64_t, uint32_t> open;
  uint32_t usingPipes = 0; ///< a bit per slot with GM accesses
  std::vector<uint32_t> indexedIds;
  static constexpr size_t kFirstPrune = 64;
  size_t pruneAt = kFirstPrune;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_GMLOG_H
