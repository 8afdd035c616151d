//===- ScopeShadow.h - order of accesses inside a vector scope --*- C++ -*-===//
//
// The vector unit does not compare addresses. Accesses of one scope execution to
// overlapping bytes need an order: the transitive closure of fences by class, of
// a store after the load instances its value derives from, and of the program
// order of scalar accesses (FENCE-1, FENCE-16 to FENCE-18).
//
// Each load instance has a stamp; merged stamps form a graph whose nodes have
// higher numbers than what they contain, and membership is only looked up when a
// conflict needs it. Accesses, merges and fences of a scope execution share one
// sequence. All edges but the data ones start at every access of a class up to a
// fence, so what comes before an access is a prefix of each class (`Past`), the
// loads it derives from, and the loads that stores of that prefix derive from.
// For the last, `runs` knows by which fence each load had been stored. What is
// remembered follows the bytes, the merges and the fences, not the accesses.
//
// An aligned 256-byte line, or one of two parts of it, whose bytes have all seen the
// same accesses is one cell, like the lines of LocalShadow; otherwise it is open, and
// has a cell per 32 bytes. Parts and open lines last until the scope ends.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_SCOPESHADOW_H
#define PTOSCOPE_CHECKERS_SCOPESHADOW_H

#include "ptoscope/Checkers/LocalShadow.h"
#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Order.h"
#include "ptoscope/Support/ZeroPages.h"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace ptoscope {

struct ScopeConflict {
  SiteId first;
  AccessClass firstClass;
  uint64_t begin, end;
  uint32_t number; ///< of the first access in the scope's sequence
};

class ScopeShadow {
public:
  /// Stands for every load: given out when a scope exceeds the limits below.
  static constexpr uint32_t kAnyStamp = ~0u;
  /// Merged sets of one scope execution, and members of all of them together.
  /// Beyond, a merge derives from everything: conflicts may be missed, none is
  /// invented.
  static constexpr uint32_t kMaxMerges = 1u << 22, kMaxMembers = 1u << 24;
  /// Superseded accesses (several loads of one granule without a store between
  /// them, parts of granules) that are remembered per scope execution; beyond,
  /// the oldest of a granule are forgotten.
  static constexpr uint32_t kMaxOlder = 1u << 22;
  /// Runs of stored loads, and fences before loads; beyond, the older half of
  /// them counts as stored, or as fenced, earlier than it was.
  static constexpr size_t kMaxRuns = 1u << 14, kMaxLoadPasts = 1u << 14;

  /// A tag is a site, with this bit for scalar accesses.
  static constexpr uint32_t kScalarTag = 1u << 31;

  explicit ScopeShadow(uint32_t bytes);

  void begin();
  /// Between blocks: gives back what a single scope has made large.
  void reset();
  /// Records a load and returns its stamp.
  uint32_t load(const LocalAccess &access, std::vector<ScopeConflict> &conflicts) {
    settleFor(access);
    uint32_t number = nextNumber();
    // Field by field: a copy would wait for the parts it is made of.
    if (Cell *line = untouchedLine(access)) [[likely]] {
      line->setLoad(generation, number, access.site & ~kScalarTag);
      lastLoad = number;
    } else {
      loadAny(access, number, conflicts);
    }
    return exhausted ? kAnyStamp : number;
  }
  [[gnu::always_inline]] void store(const LocalAccess &access, const uint32_t *stamps, uint32_t stampCount,
                                    std::vector<ScopeConflict> &conflicts) {
    settleFor(access);
    uint32_t number = nextNumber();
    if (Cell *line = untouchedLine(access)) [[likely]] {
      line->setStore(generation, number, access.site & ~kScalarTag);
      lastStore = number;
    } else {
      storeAny(access, number, stamps, stampCount, conflicts);
    }
    noteStored(number, stamps, stampCount);
  }
  /// How many turns of a loop, from the first, are in order with everything before.
  uint64_t orderedTurns(const ScopeLoop &loop, uint64_t turns);
  /// Records so many of them; gives the stamps of what the loop carries.
  void recordTurns(const ScopeLoop &loop, uint64_t turns);
  /// The same for the blocks of a gather or scatter, which are one access.
  uint32_t gather(SiteId site, std::span<const BlockPart> parts, std::vector<ScopeConflict> &conflicts);
  void scatter(SiteId site, std::span<const BlockPart> parts, const uint32_t *stamps, uint32_t stampCount,
               std::vector<ScopeConflict> &conflicts);
  /// Number of the latest access, merge or fence.
  uint32_t latest() const { return next - 1; }
  uint32_t merge(const uint32_t *stamps, uint32_t count);
  void fence(FenceClasses classes);

private:
  /// Past this number a scope execution is no longer checked.
  static constexpr uint32_t kLastNumber = (1u << 31) - 1;
  /// Of a stamp: the rest is a position in `merges`, not the number of a load.
  static constexpr uint32_t kMergeBit = 1u << 31;
  /// Of a line's `olderLoads`: its cells, or its two parts, speak for themselves.
  static constexpr uint32_t kOpen = ~0u, kParts = kOpen - 1;

  /// State of 32 bytes, or of every 32 bytes of a line or of a part of it; valid for one
  /// scope execution.
  struct Cell {
    uint32_t generation = 0;
    uint32_t storeNumber = 0;
    uint32_t storeMask = 0;
    uint32_t storeTag = 0;
    uint32_t loadNumber = 0;
    uint32_t loadMask = 0;
    uint32_t loadTag = 0;
    uint32_t olderLoads = 0;  ///< 1 + index into `older`
    uint32_t olderStores = 0; ///< their masks are disjoint

    void setLoad(uint32_t now, uint32_t number, uint32_t tag, uint32_t mask = ~0u) {
      generation = now;
      storeNumber = storeMask = storeTag = 0;
      loadNumber = number;
      loadMask = mask;
      loadTag = tag;
      olderLoads = olderStores = 0;
    }
    void setStore(uint32_t now, uint32_t number, uint32_t tag, uint32_t mask = ~0u) {
      generation = now;
      storeNumber = number;
      storeMask = mask;
      storeTag = tag;
      loadNumber = loadMask = loadTag = 0;
      olderLoads = olderStores = 0;
    }
    bool operator==(const Cell &) const = default;
  };
  struct Older {
    uint32_t number;
    uint32_t mask;
    uint32_t tag;
    uint32_t next;
  };
  struct Merge {
    uint32_t number;      ///< in the sequence; that of every member is lower
    uint32_t members;     ///< first index into `members`, or position in `loopLoads`
    uint32_t count;       ///< kOfLoop: the members are loads of a loop
    uint32_t latest : 31; ///< load
    uint32_t stored : 1;  ///< what it contains is in `runs`
  };
  static constexpr uint32_t kOfLoop = ~0u;
  /// Loads of the turns of a loop, whose turns begin at `first` and take `perTurn` numbers.
  struct LoopLoads {
    uint32_t first, perTurn, turns;
    bool areAll;    ///< the loop has no others: other numbers of it are no loads
    uint64_t loads; ///< of a turn

    uint32_t last() const { return first + (turns - 1) * perTurn + uint32_t(std::bit_width(loads)) - 1; }
    bool contain(uint32_t number) const {
      const uint32_t at = number - first;
      return number >= first && at / perTurn < turns && loads >> at % perTurn & 1;
    }
    template <typename Body> void forEach(Body body) const {
      for (uint32_t turn = 0; turn < turns; ++turn)
        for (uint64_t left = loads; left; left &= left - 1)
          body(first + turn * perTurn + uint32_t(std::countr_zero(left)));
    }
  };
  /// An access of the turns of a loop that is not in the cells yet: they are written when
  /// something else touches one of its lines, which mostly nothing does.
  struct Unwritten {
    LoopAccess access;
    uint64_t turns;
    uint32_t number, perTurn; ///< in the first turn
    uint64_t begin, end;      ///< of its lines

    uint32_t last() const { return number + uint32_t(turns - 1) * perTurn; }
    bool touches(uint64_t from, uint64_t to) const { return from < end && begin < to; }
  };
  /// By class: accesses with lower numbers come before.
  struct Past {
    std::array<uint32_t, 4> upTo;
    void join(const Past &other) {
      for (size_t i = 0; i < upTo.size(); ++i)
        upTo[i] = upTo[i] > other.upTo[i] ? upTo[i] : other.upTo[i];
    }
  };
  /// What comes before vector loads from a number on.
  struct LoadPast {
    uint32_t from;
    Past past;
  };
  /// Loads of these numbers had been stored before the first fence behind `epoch`
  /// (the number of a fence, or 0). Numbers of what is no load may be among them.
  struct Run {
    uint32_t begin, end, epoch;
  };
  struct Request {
    const LocalAccess &access;
    uint32_t number;
    const uint32_t *stamps;
    uint32_t stampCount;
    uint32_t searches = 0; ///< of the graph, so far
    bool pastKnown = false;
    Past past; ///< of the access, when known

    Request(const LocalAccess &access, uint32_t number, const uint32_t *stamps, uint32_t stampCount)
        : access(access), number(number), stamps(stamps), stampCount(stampCount) {}
  };
  /// Where conflicts go, and the address of the cell in question.
  struct ConflictsOut {
    std::vector<ScopeConflict> *list; ///< null: only the answer is wanted
    uint64_t base;
  };

  static size_t indexOf(AccessClass accessClass) { return size_t(std::countr_zero(unsigned(accessClass))); }
  static bool isScalar(AccessClass accessClass) { return accessClass == ScalarLoad || accessClass == ScalarStore; }
  static uint32_t tagOf(const LocalAccess &access) {
    return (access.site & ~kScalarTag) | (isScalar(access.accessClass) ? kScalarTag : 0);
  }
  /// The line of an access to all of it that this scope execution has not
  /// touched: nothing to check. Null when it is something else, a scalar among it.
  Cell *untouchedLine(const LocalAccess &access) {
    uint64_t line = access.address / kLineBytes;
    bool other = access.windowBytes != kLineBytes || access.active || access.address % kLineBytes != 0 ||
                 line >= wholeLines || lines[line].generation == generation || exhausted;
    return other ? nullptr : &lines[line];
  }
  Cell *untouchedPart(const LocalAccess &access); ///< likewise
  void loadAny(const LocalAccess &access, uint32_t number, std::vector<ScopeConflict> &conflicts);
  void storeAny(const LocalAccess &access, uint32_t number, const uint32_t *stamps, uint32_t stampCount,
                std::vector<ScopeConflict> &conflicts);
  uint32_t nextNumber() {
    if (next == kLastNumber) [[unlikely]]
      exhausted = true;
    else
      ++next;
    return next - 1;
  }
  /// False when there is no room.
  bool pushOlder(uint32_t &head, uint32_t number, uint32_t mask, uint32_t tag);
  uint32_t copyOlder(uint32_t head);
  /// Takes the bytes of `mask` out of a list and unlinks what is empty.
  void trim(uint32_t &head, uint32_t mask);
  uint32_t latestLoad(uint32_t stamp) const { return stamp & kMergeBit ? merges[stamp & ~kMergeBit].latest : stamp; }
  const Past &pastOfLoad(uint32_t load) const;
  const Past &pastOf(Request &request) const;
  bool fenced(AccessClass prior, AccessClass later, uint32_t number) const {
    return past[indexOf(later)].upTo[indexOf(prior)] > number;
  }
  /// A scalar access: later ones come after it.
  void passScalar(AccessClass accessClass, uint32_t number);
  /// Notes the loads that store `number` derives from. Mostly they follow what was stored last.
  void noteStored(uint32_t number, const uint32_t *stamps, uint32_t stampCount) {
    Run &last = runs.back();
    uint32_t at = last.end;
#pragma clang loop vectorize(disable) unroll(disable)
    for (const uint32_t *stamp = stamps, *stop = stamps + stampCount; stamp != stop; ++stamp) // one or two
      if (*stamp == at)
        ++at;
      else if (*stamp && *stamp - last.begin >= at - last.begin)
        return noteElsewhere(number, stamps, stampCount);
    if (at != number || last.epoch != epoch)
      return noteElsewhere(number, stamps, stampCount);
    latestStored = at != last.end ? at - 1 : latestStored;
    last.end = at + 1;
  }
  void noteElsewhere(uint32_t number, const uint32_t *stamps, uint32_t stampCount);
  /// Puts what is pending into `runs`.
  void settle();
  void addMerge(uint32_t stamp);
  void addLoop(const LoopLoads &loads);
  /// Makes the last run longer when the number follows it.
  bool follows(uint32_t number) {
    Run &last = runs.back();
    bool does = number == last.end && last.epoch == epoch;
    last.end += does;
    return does;
  }
  void addToRuns(uint32_t number) {
    Run &last = runs.back();
    if (follows(number) || number - last.begin < last.end - last.begin) [[likely]]
      return;
    if (number < last.end)
      late.push_back(number);
    else if (last.epoch == epoch && lastLoad < last.end)
      last.end = number + 1; // no load is between them
    else
      runs.push_back({number, number + 1, epoch});
  }
  void addLate();
  /// Had the load been stored by a store with a number below `upTo`?
  bool storedBefore(uint32_t load, uint32_t upTo) const;
  /// Does the access `number` come before the one of the request, by other ways
  /// than that the request's value derives from it?
  bool inPast(Request &request, AccessClass prior, uint32_t number) const {
    return fenced(prior, request.access.accessClass, number) || (epoch != 0 && inWholePast(request, prior, number));
  }
  bool inWholePast(Request &request, AccessClass prior, uint32_t number) const;
  static bool derivesDirectly(const Request &request, uint32_t load) {
    for (uint32_t i = 0; i < request.stampCount; ++i)
      if (request.stamps[i] == load || request.stamps[i] == kAnyStamp)
        return true;
    return false;
  }
  bool derives(Request &request, uint32_t load);
  /// Is the load among what `stack` reaches? With `all`, fills `derived`.
  bool search(uint32_t load, bool all);
  /// These return false on a conflict.
  bool afterStore(Request &request, uint32_t number, uint32_t mask, uint32_t tag, ConflictsOut out);
  bool afterLoad(Request &request, uint32_t number, uint32_t mask, uint32_t tag, ConflictsOut out);
  template <bool Stores> bool check(Request &request, const Cell &cell, uint32_t mask, ConflictsOut out);
  template <bool Stores> void record(const Request &request, Cell &cell, uint32_t mask);
  /// `fresh` is what the access makes of 32 bytes that were not touched before.
  template <bool Stores> void accessAny(Request &request, const Cell &fresh, std::vector<ScopeConflict> &conflicts);
  /// All of a line or part as one cell; false when it has to be done by parts.
  template <bool Stores> bool wholeAccess(Request &request, Cell &whole, const Cell &fresh);
  template <bool Stores>
  void partAccess(Request &request, uint64_t begin, uint64_t end, const Cell &fresh,
                  std::vector<ScopeConflict> &conflicts);
  template <bool Stores>
  void openAccess(Request &request, uint64_t begin, uint64_t end, const Cell &fresh,
                  std::vector<ScopeConflict> &conflicts);
  template <bool Stores> static void begin(Cell &cell, const Cell &fresh, uint32_t mask);
  template <bool Stores>
  void blockAccess(Request &request, uint64_t base, uint32_t mask, const Cell &fresh,
                   std::vector<ScopeConflict> &conflicts);
  template <bool Stores>
  void partsAccess(Request &request, std::span<const BlockPart> parts, const Cell &fresh,
                   std::vector<ScopeConflict> &conflicts);
  void open(uint64_t line) {
    Cell &whole = lines[line];
    if (whole.generation == generation && whole.olderLoads != kOpen)
      openLine(line);
    whole.generation = generation; // parts that are stale know by themselves that they are
    whole.olderLoads = kOpen;
  }
  void openLine(uint64_t line);
  // LoopChecks.cpp
  template <bool Stores> bool isOrdered(Request &request, uint64_t address, uint32_t bytes);
  template <bool Stores> void recordWhole(const Request &request, Cell &cell);
  template <bool Stores> void recordWindow(const Request &request, uint64_t address, uint32_t bytes);
  template <bool Stores> uint64_t orderedTurns(const ScopeLoop &loop, size_t access, uint64_t turns);
  bool areUntouched(const LoopAccess &access, uint64_t turns) const;
  bool isAfterUnwritten(const ScopeLoop &loop, size_t access, uint64_t turns);
  uint32_t stampsOfTurn(const ScopeLoop &loop, size_t access, std::array<uint32_t, 128> &stamps,
                        uint32_t &outside) const;
  template <bool Stores> void writeTurns(const Unwritten &turns);
  void writeLoops();
  void noteStoredTurns(const ScopeLoop &loop, uint64_t turns, uint32_t first);
  /// A loop becomes part of the state when something comes after it in its scope.
  void settleLoop() {
    if (loopTurns) [[unlikely]]
      noteLatestLoop();
  }
  void noteLatestLoop();
  /// And part of the cells that an access looks at.
  void settleFor(const LocalAccess &access) {
    if (loopTurns || unwrittenCount) [[unlikely]]
      settleLines(access.address, access.address + access.windowBytes);
  }
  void settleLines(uint64_t begin, uint64_t end);
  uint32_t mergeLoads(const LoopLoads &loads);
  /// Of a line in two parts: where the second begins.
  static uint32_t &cutOf(Cell &line) { return line.storeMask; }
  bool inParts(const Cell &line) const { return line.generation == generation && line.olderLoads == kParts; }
  /// The part that bytes are of which isPart is true; a line that is one cell becomes two.
  /// Null when the line is open, or its parts meet elsewhere.
  Cell *partAt(uint64_t begin, uint64_t end);
  void split(const Cell &whole, ZeroedVector<Cell> &into, uint64_t first, uint64_t count);

  uint64_t wholeLines; ///< lines that lie in the memory to their end
  ZeroedVector<Cell> lines;
  ZeroedVector<Cell> parts; ///< of lines in two parts
  ZeroedVector<Cell> cells; ///< of open lines
  uint32_t generation = 0;
  uint32_t next = 1;
  bool exhausted = false; ///< the sequence has run out of numbers
  /// What comes before an access of each class that is made now, data aside.
  std::array<Past, 4> past{};
  /// What came before the accesses of each class, up to the last fence.
  std::array<Past, 4> reached{};
  uint32_t lastLoad = 0, lastStore = 0; ///< numbers of vector accesses
  uint32_t epoch = 0;                   ///< number of the last fence
  uint32_t latestStored = 0;            ///< load that a store derives from
  /// Stores since `runs` was brought up to date: number, count of stamps, stamps.
  static constexpr uint32_t kPendingWords = 2048;
  std::array<uint32_t, kPendingWords> pending;
  uint32_t pendingWords = 0;
  std::vector<LoadPast> loadPasts; ///< rising; never empty
  std::vector<Run> runs;           ///< rising and disjoint; never empty
  std::vector<uint32_t> late;      ///< numbers below the end of the last run, to be put among them
  std::vector<Run> behind;         ///< runs that they are put among
  std::vector<Merge> merges;
  std::vector<uint32_t> members; ///< stamps
  std::vector<LoopLoads> loopLoads;
  std::vector<Older> older;
  std::vector<uint32_t> visited; ///< per merge: the query that saw it last
  uint32_t query = 0;
  std::vector<uint32_t> stack;
  std::vector<uint32_t> derived; ///< loads that the current store derives from, sorted
  /// The latest loop of the scope, while nothing came after it.
  uint64_t loopTurns = 0; ///< 0: there is none
  uint32_t loopFirst = 0; ///< number of its first access
  /// Of loops before it, in their order.
  static constexpr uint32_t kMaxUnwritten = 8;
  std::array<Unwritten, kMaxUnwritten> unwritten;
  uint32_t unwrittenCount = 0;
  std::vector<LoopAccess> loopAccesses;
  std::vector<uint32_t> loopStamps;
  std::vector<uint32_t> behindLoop; ///< stamps of what a loop carries
};

/// The fence that orders an access of class `prior` before one of `later`.
Fence fenceFor(AccessClass prior, AccessClass later);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_SCOPESHADOW_H
