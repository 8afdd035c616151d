//===- LocalShadow.h - who touched each byte of a local memory --*- C++ -*-===//
//
// Shadow state of one local memory: per 32-byte granule the last writer and the
// last readers, with byte masks. The common granule (one writer, one reader) is
// a 32-byte record; others move to an exact list, whose length is bounded by
// the bytes of a granule times the pipes, so memory is constant per core.
//
// Invariants that make "last" enough: an access that overlaps and is ordered
// after an older one replaces it, since whoever is ordered after the newer one
// is ordered after both; and of one pipe's reads the highest ordinal stands
// for all, since clock components name prefixes.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_LOCALSHADOW_H
#define PTOSCOPE_CHECKERS_LOCALSHADOW_H

#include "ptoscope/Checkers/VectorClock.h"

#include <cstdint>
#include <vector>

namespace ptoscope {

/// An access in eight bytes: ordinal (37 bits), slot (5), site (22). Zero is
/// "nobody": its ordinal 0 counts as ended in every clock.
class Epoch {
public:
  static constexpr unsigned kSiteBits = 22;
  Epoch() = default;
  Epoch(Slot slot, uint64_t ordinal, SiteId site)
      : bits(ordinal << (kSiteBits + 5) | uint64_t(slot) << kSiteBits |
             (site < kSiteMask ? site : kSiteMask)) {}

  uint64_t ordinal() const { return bits >> (kSiteBits + 5); }
  Slot slot() const { return bits >> kSiteBits & 31; }
  SiteId site() const { return (bits & kSiteMask) == kSiteMask ? kNoSite : SiteId(bits & kSiteMask); }
  bool sameInstruction(Epoch other) const { return (bits ^ other.bits) >> kSiteBits == 0; }
  bool endedIn(const VectorClock &clock) const { return ordinal() <= clock.ended[slot()]; }
  bool operator==(const Epoch &) const = default;

private:
  static constexpr uint32_t kSiteMask = (1u << kSiteBits) - 1;
  uint64_t bits = 0;
};

/// Bytes on which the current access is unordered with an earlier one.
struct ShadowConflict {
  Epoch other;
  bool otherWrites;
  uint64_t begin, end;
};

/// Conflicts of one access. Adjacent bytes of one cause are joined.
class ConflictList {
public:
  bool empty() const { return list.empty(); }
  void clear() { list.clear(); }
  const std::vector<ShadowConflict> &all() const { return list; }
  /// Adds the bytes of `mask` (bit 0 = byte `base`).
  void add(Epoch other, bool otherWrites, uint64_t base, uint32_t mask);

private:
  std::vector<ShadowConflict> list;
};

class LocalShadow {
public:
  explicit LocalShadow(uint32_t bytes);

  /// Checks and records an access of `self` to [address, address + bytes).
  /// `active` has a bit per byte; null means all. Bytes past the memory are
  /// ignored (the memory check speaks of them).
  void read(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes, const uint64_t *active,
            ConflictList &conflicts);
  void write(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes, const uint64_t *active,
             ConflictList &conflicts);

private:
  struct Granule {
    Epoch writer;
    Epoch reader;
    uint32_t writerMask = 0;
    uint32_t readerMask = 0;
    uint32_t exact = 0;  ///< 1 + index into `lists`; 0 = this record says it all
    uint32_t unused = 0; ///< always 0: granules are compared as bytes
  };
  static_assert(sizeof(Granule) == 32);
  struct Entry {
    Epoch epoch;
    uint32_t mask;
    bool writes;
  };

  template <bool Writes>
  void access(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes, const uint64_t *active,
              ConflictList &conflicts);
  template <bool Writes>
  void wholeAccess(Epoch self, const VectorClock &clock, uint64_t first, uint64_t last,
                   ConflictList &conflicts);
  template <bool Writes>
  bool simpleAccess(Granule &granule, Epoch self, const VectorClock &clock, uint32_t mask);
  template <bool Writes>
  void exactAccess(Granule &granule, Epoch self, const VectorClock &clock, uint32_t mask, uint64_t base,
                   ConflictList &conflicts);

  std::vector<Granule> granules;
  std::vector<std::vector<Entry>> lists;
  std::vector<uint32_t> freeLists;
  std::vector<Entry> scratch;
};

/// The mask of one granule: bits of [address, address + bytes) that lie in
/// [granuleBase, granuleBase + 32) and are active.
uint32_t granuleMask(uint64_t granuleBase, uint64_t address, uint64_t bytes, const uint64_t *active);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_LOCALSHADOW_H
