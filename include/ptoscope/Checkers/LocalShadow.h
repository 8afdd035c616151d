//===- LocalShadow.h - who touched each byte of a local memory --*- C++ -*-===//
//
// Shadow state of one local memory: per 32-byte granule the last writer and the
// last readers, with byte masks. The common granule (one writer, one reader) is
// a 32-byte record; others move to an exact list, whose length is bounded by
// the bytes of a granule times the pipes, so memory is constant per core.
//
// Most accesses are whole registers, halves of them (16-bit elements as 32-bit
// ones), whole tiles, or the first elements of a register where a row ends, so the
// granules of an aligned line of 256 bytes mostly agree, or those up to some place in
// it and those behind. A line is one record, or two that meet at such a place, or
// opened into granules when an access covers something else or needs a list; it is closed
// again when an access to all of it leaves its parts equal. In memories that tiles
// alone use, sixteen lines in one state are one record again, a page: products of
// matrices touch hundreds of lines at a time.
//
// Invariants that make "last" enough: an access that overlaps and is ordered
// after an older one replaces it, since whoever is ordered after the newer one
// is ordered after both; and of one pipe's reads the highest ordinal stands
// for all, since clock components name prefixes.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_LOCALSHADOW_H
#define PTOSCOPE_CHECKERS_LOCALSHADOW_H

#include "ptoscope/Checkers/OneBlock.h"
#include "ptoscope/Checkers/Reuse.h"
#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Support/ZeroPages.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ptoscope {

/// An access in eight bytes: ordinal (37 bits), slot (5), site (22). Zero is
/// "no one": its ordinal 0 counts as ended in every clock.
class Epoch {
public:
  static constexpr unsigned kSiteBits = 22;
  Epoch() = default;
  Epoch(Slot slot, uint64_t ordinal, SiteId site)
      : bits(ordinal << (kSiteBits + 5) | uint64_t(slot) << kSiteBits | (site < kSiteMask ? site : kSiteMask)) {}

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

/// Bytes whose shadow is one record while they are all in the same state.
inline constexpr uint32_t kLineBytes = kVectorBytes;
inline constexpr uint32_t kLineGranules = kLineBytes / kBlockBytes, kLineParts = 2, kPageLines = 16;
/// Are bytes [begin, end) of one line whole granules up to some place in it, or from there on?
constexpr bool isPart(uint64_t begin, uint64_t end) {
  return (begin | end) % kBlockBytes == 0 && (begin % kLineBytes == 0 || end % kLineBytes == 0);
}
/// Bytes of which isPart is true, but not the whole line.
struct LinePart {
  LinePart(uint64_t begin, uint64_t end)
      : line(begin / kLineBytes), isSecond(begin % kLineBytes != 0), cut((isSecond ? begin : end) % kLineBytes) {}
  uint64_t line;
  bool isSecond;
  uint32_t cut; ///< where the second part begins
};
/// Does an access to [begin, end) open every line that it touches?
constexpr bool neverWhole(uint64_t begin, uint64_t end) {
  return (begin | end) % kBlockBytes != 0 && (begin + kLineBytes - 1) / kLineBytes >= end / kLineBytes;
}

class LocalShadow {
public:
  /// `byTiles`: accesses are mostly larger than a page.
  explicit LocalShadow(uint32_t bytes, bool byTiles = false);
  /// As it was made, for another block.
  void reset();

  /// Checks and records an access of `self` to [address, address + bytes).
  /// `active` has a bit per byte; null means all. Bytes past the memory are
  /// ignored (the memory check speaks of them).
  template <bool Writes>
  [[gnu::always_inline]] void access(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes,
                                     const uint64_t *active, ConflictList &conflicts) {
    // One aligned register without conflict is what nearly all calls are.
    if (bytes == kLineBytes && !active && address % kLineBytes == 0 && address / kLineBytes < wholeLines &&
        simpleAccess<Writes>(lines[address / kLineBytes], self, clock, ~0u)) [[likely]]
      return;
    accessAny<Writes>(self, clock, address, bytes, active, conflicts);
  }
  /// How many of `turns` windows of whole halves from `address` on, each `stride` behind
  /// the one before, can be accessed without conflict and without a list, up to the first
  /// that cannot. Changes nothing.
  template <bool Writes>
  uint64_t plainTurns(Epoch self, const VectorClock &clock, uint64_t address, uint64_t stride, uint32_t windowBytes,
                      uint64_t turns) const;
  /// Records an access to bytes that plainTurns has found nothing about.
  template <bool Writes>
  void recordPlain(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes, ConflictList &conflicts);
  /// The same as `access` for the bytes `mask` of the aligned block at `address`.
  template <bool Writes>
  void accessBlock(Epoch self, const VectorClock &clock, uint64_t address, uint32_t mask, ConflictList &conflicts) {
    uint64_t index = address / kBlockBytes;
    if (mask == 0 || index >= granules.size())
      return;
    open(index / kLineGranules);
    if (!simpleAccess<Writes>(granules[index], self, clock, mask)) [[unlikely]]
      exactAccess<Writes>(granules[index], self, clock, mask, index * kBlockBytes, conflicts);
  }
  /// And for several blocks, in their order.
  template <bool Writes>
  void accessBlocks(Epoch self, const VectorClock &clock, std::span<const BlockPart> parts, ConflictList &conflicts);
  /// The last instruction that wrote the byte; none: kNoSite. For reports.
  SiteId writerOf(uint64_t address);

private:
  /// State of a granule, or of every granule of a line or of a part of it.
  struct Granule {
    Epoch writer;
    Epoch reader;
    uint32_t writerMask = 0;
    uint32_t readerMask = 0;
    uint32_t exact = 0; ///< 1 + index into `lists`, or kOpen; 0 = this record says it all
    bool operator==(const Granule &) const = default;
  };
  static_assert(sizeof(Granule) == 32);
  /// Of a line: its granules, or its two parts, speak for themselves, or its page speaks
  /// for it. Of a page kOpen: its lines do.
  static constexpr uint32_t kOpen = ~0u, kParts = kOpen - 1, kInPage = kOpen - 2;
  /// Where the second part of a line begins, a whole number of granules behind its start.
  static uint32_t &cutOf(Granule &line) { return line.writerMask; }
  static uint32_t cutOf(const Granule &line) { return line.writerMask; }
  struct Entry {
    Epoch epoch;
    uint32_t mask;
    bool writes;
  };

  template <bool Writes>
  void accessAny(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes, const uint64_t *active,
                 ConflictList &conflicts);
  template <bool Writes> void pageAccess(Epoch self, const VectorClock &clock, uint64_t page, ConflictList &conflicts);
  template <bool Writes> void lineAccess(Epoch self, const VectorClock &clock, uint64_t line, ConflictList &conflicts);
  template <bool Writes>
  void partAccess(Epoch self, const VectorClock &clock, uint64_t begin, uint64_t end, ConflictList &conflicts);
  template <bool Writes>
  void openAccess(Epoch self, const VectorClock &clock, uint64_t address, uint64_t end, const uint64_t *active,
                  ConflictList &conflicts);
  template <bool Writes>
  void wholeGranules(Epoch self, const VectorClock &clock, uint64_t first, uint64_t last, ConflictList &conflicts);
  template <bool Writes>
  [[gnu::always_inline]] static bool simpleAccess(Granule &granule, Epoch self, const VectorClock &clock,
                                                  uint32_t mask);
  /// Does simpleAccess succeed on all bytes?
  template <bool Writes> static bool isSimple(const Granule &granule, Epoch self, const VectorClock &clock);
  template <bool Writes>
  uint64_t plainBytes(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes) const;
  void open(uint64_t line) {
    if (lines[line].exact != kOpen)
      openLine(line);
  }
  void openLine(uint64_t line);
  /// From now on the line speaks for itself.
  void leavePage(uint64_t line) {
    if (lines[line].exact == kInPage)
      openPage(line / kPageLines);
  }
  void openPage(uint64_t page);
  template <bool Writes>
  static bool knownAccess(std::vector<Entry> &entries, Epoch self, const VectorClock &clock, uint32_t mask);
  template <bool Writes>
  void exactAccess(Granule &granule, Epoch self, const VectorClock &clock, uint32_t mask, uint64_t base,
                   ConflictList &conflicts);

  uint64_t wholeLines;            ///< lines that lie in the memory to their end
  std::vector<Granule> pages;     ///< none where accesses are smaller
  ZeroedVector<Granule> lines;    ///< these alone tell whether anything else is up to date
  ZeroedVector<Granule> parts;    ///< of lines in two parts; stale elsewhere
  ZeroedVector<Granule> granules; ///< of open lines; stale elsewhere
  std::vector<std::vector<Entry>> lists;
  std::vector<uint32_t> freeLists;
  std::vector<Entry> scratch;
};

/// True when a read by `self` may stand for an unended earlier one of its pipe.
/// Not on V, whose instructions may write what they read: there the earlier
/// read still matters to the instruction itself.
inline bool coversEarlierRead(Epoch self, Epoch earlier) {
  return earlier.slot() == self.slot() && earlier.ordinal() <= self.ordinal() &&
         (pipeOf(self.slot()) != Pipe::V || earlier.sameInstruction(self));
}

/// Handles a granule without conflict whose new state fits the record; changes
/// nothing and returns false otherwise.
template <bool Writes>
inline bool LocalShadow::simpleAccess(Granule &granule, Epoch self, const VectorClock &clock, uint32_t mask) {
  if (granule.exact)
    return false;
  // Bytes read since their last write need no look at that write: the reader was
  // checked against it, and a writer is checked against the reader.
  uint32_t writerMask = granule.writerMask & mask & (Writes ? ~granule.readerMask : ~0u);
  if (writerMask && !granule.writer.endedIn(clock) && !granule.writer.sameInstruction(self))
    return false;
  if constexpr (Writes) {
    if ((granule.readerMask & mask) && !granule.reader.endedIn(clock) && !granule.reader.sameInstruction(self))
      return false;
    if (granule.writer == self)
      granule.writerMask |= mask;
    else if ((granule.writerMask & ~mask) == 0)
      granule.writerMask = mask;
    else
      return false;
    granule.writer = self;
    granule.readerMask &= ~mask;
    if (granule.readerMask == 0)
      granule.reader = Epoch(); // equal states compare equal
    return true;
  } else {
    if (granule.reader == self) {
      granule.readerMask |= mask;
      return true;
    }
    if ((granule.readerMask & ~mask) != 0)
      return false;
    if (granule.readerMask != 0 && !granule.reader.endedIn(clock) && !coversEarlierRead(self, granule.reader))
      return false;
    granule.reader = self;
    granule.readerMask = mask;
    return true;
  }
}

/// The mask of one granule: bits of [address, address + bytes) that lie in
/// [granuleBase, granuleBase + 32) and are active.
uint32_t granuleMask(uint64_t granuleBase, uint64_t address, uint64_t bytes, const uint64_t *active);
/// How many bytes the mask of a window takes, if they are the first ones and whole blocks; otherwise 0.
uint32_t leadingBlocks(const uint64_t *active, uint32_t bytes);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_LOCALSHADOW_H
