//===- BlockConflicts.h - blocks that meet in global memory -----*- C++ -*-===//
//
// Blocks are unordered except by all-core barriers, so two blocks that touch the
// same GM bytes, one of them writing, with no barrier after one access and
// before the other, are a race (LAUNCH-4). Footprints are compared when blocks
// end, in block order: reports depend neither on timing nor on threads. Boxes
// that advance by a constant step from block to block are kept as one; what has
// no pattern is kept as cells (GmCells.h). A block is recorded when the next one
// comes, so the last one never is.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_BLOCKCONFLICTS_H
#define PTOSCOPE_CHECKERS_BLOCKCONFLICTS_H

#include "ptoscope/Checkers/GmLog.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Checkers/SignalOrder.h"
#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Support/Finding.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace ptoscope {

/// What one site of a block touched in one object, without order.
struct FootprintPart {
  const GmObject *object;
  SiteId site;
  AccessKind kind;
  std::vector<Box> boxes;
  BarrierCounts after{}; ///< as in GmEntry
  BarrierCounts until = kNoBarrier;
  EarlySignal told{};
};

/// Joins neighbouring, repeated and evenly spaced boxes of each site and kind; in
/// the order of sites.
std::vector<FootprintPart> compactFootprint(const std::vector<GmEntry> &entries, const SiteTable &sites);

class BlockConflicts {
public:
  /// With `signals`, all that orders blocks is what they tell each other there.
  explicit BlockConflicts(const SiteTable &sites, const SignalOrder *signals = nullptr)
      : sites(sites), signals(signals) {}

  /// Boxes of a block that are kept as such; beyond, the smallest become cells.
  static constexpr size_t kMaxBoxes = 1024;

  /// Compares a block with all blocks added before it. Blocks come in order.
  void add(int64_t block, const std::vector<GmEntry> &entries, GmCells cells, FindingList &findings);
  void add(int64_t block, const std::vector<GmEntry> &entries, FindingList &findings) {
    add(block, entries, GmCells(), findings);
  }
  size_t entryCount() const { return entries.size(); }
  size_t cellCount() const { return cells.size(); }

private:
  /// What a block touched.
  struct Footprint {
    int64_t block = 0;
    std::vector<FootprintPart> parts;
    GmCells cells;
  };
  void checkCells(const Footprint &footprint, FindingList &findings);
  void record(const Footprint &footprint);
  void check(const FootprintPart &part, const Box &box, int64_t block, FindingList &findings);
  /// One side of a conflict.
  struct Side {
    SiteId site;
    AccessKind kind;
    uint64_t block;
    BarrierCounts after{};
    EarlySignal told{};
  };
  /// What orders an access.
  struct When {
    uint64_t block;
    const BarrierCounts &after, &until;
  };
  /// Does one come before the other?
  bool separated(const When &a, const When &b) const;
  void reportDevices(const Side &first, const Side &second, const ReportBytes &bytes, FindingList &findings);
  /// The signal that came too early, between an access and one that knows `after`.
  SiteId earlySignal(const Side &access, const Side &other) const;
  void checkSignals(const Footprint &footprint, FindingList &findings);
  void report(const Side &first, const Side &second, const GmObject *object, uint64_t begin, uint64_t end,
              FindingList &findings);
  void record(const FootprintPart &part, size_t index, int64_t block);

  const SiteTable &sites;
  const SignalOrder *const signals;
  /// `order` of a progression is the block's number plus one.
  std::vector<GmEntry> entries;
  IntervalIndex reads, writes;
  GmCells cells;                   ///< order is kMaxOrder minus the block's number: the lowest block stays
  std::optional<Footprint> latest; ///< not recorded yet
  using Key = std::tuple<const GmObject *, SiteId, AccessKind, BarrierCounts, BarrierCounts, size_t>;
  std::map<Key, uint32_t> open;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_BLOCKCONFLICTS_H
