//===- ScopeShadow.h - order of accesses inside a vector scope --*- C++ -*-===//
//
// The vector unit does not compare addresses: accesses of one scope execution
// to overlapping bytes need a fence between them (isa/03 section 6), except a
// store after the load instances its value derives from. Each load instance has
// a stamp; merged stamps form a graph whose nodes have higher numbers than what
// they contain, and membership is only looked up when a conflict needs it.
//
// Accesses, merges and fences of a scope execution share one sequence, so that
// a fence is one store per pair of classes and "fenced" is one comparison.
//
// An aligned 256-byte line whose bytes have all seen the same accesses is one
// cell, like the lines of LocalShadow; otherwise it is open, which lasts until
// the scope ends, and has a cell per 32 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_SCOPESHADOW_H
#define PTOSCOPE_CHECKERS_SCOPESHADOW_H

#include "ptoscope/Checkers/LocalShadow.h"
#include "ptoscope/Machine/Observer.h"

#include <array>
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
  /// Accesses, merges and fences of one scope execution that are remembered
  /// one by one. Loads beyond are not tracked: conflicts may be missed, none
  /// is invented.
  static constexpr uint32_t kMaxNodes = 1u << 24;
  /// Superseded accesses (several loads of one granule without a store between
  /// them, parts of granules) that are remembered per scope execution; beyond,
  /// the oldest of a granule are forgotten.
  static constexpr uint32_t kMaxOlder = 1u << 22;

  /// A tag is a site, with this bit for scalar accesses.
  static constexpr uint32_t kScalarTag = 1u << 31;

  explicit ScopeShadow(uint32_t bytes);

  void begin();
  /// Records a load and returns its stamp.
  uint32_t load(const LocalAccess &access, std::vector<ScopeConflict> &conflicts) {
    bool tracked = next < kMaxNodes;
    uint32_t number = nextNumber(tagOf(access));
    Cell fresh;
    fresh.generation = generation;
    if (tracked) {
      fresh.loadNumber = number;
      fresh.loadMask = ~0u;
    }
    if (!setUntouchedLine(access, fresh)) [[unlikely]] {
      Request request{access, number, tracked, nullptr, 0, 0};
      accessAny<false>(request, fresh, conflicts);
    }
    return tracked ? number : kAnyStamp;
  }
  void store(const LocalAccess &access, const uint32_t *stamps, uint32_t stampCount,
             std::vector<ScopeConflict> &conflicts) {
    uint32_t tag = tagOf(access), number = nextNumber(tag);
    Cell fresh;
    fresh.generation = generation;
    fresh.storeNumber = number;
    fresh.storeMask = ~0u;
    fresh.storeTag = tag;
    if (!setUntouchedLine(access, fresh)) [[unlikely]] {
      Request request{access, number, true, stamps, stampCount, 0};
      accessAny<true>(request, fresh, conflicts);
    }
  }
  /// Number of the latest access, merge or fence.
  uint32_t latest() const { return next - 1; }
  uint32_t merge(const uint32_t *stamps, uint32_t count);
  void fence(FenceClasses classes);

private:
  /// Past this number a scope execution is no longer checked.
  static constexpr uint32_t kLastNumber = ~0u - 1;
  /// Of a line's `olderLoads`: its cells speak for themselves.
  static constexpr uint32_t kOpen = ~0u;

  /// State of 32 bytes, or of every 32 bytes of a line; valid for one scope
  /// execution.
  struct Cell {
    uint32_t generation = 0;
    uint32_t storeNumber = 0;
    uint32_t storeMask = 0;
    uint32_t storeTag = 0;
    uint32_t loadNumber = 0;
    uint32_t loadMask = 0;
    uint32_t olderLoads = 0;  ///< 1 + index into `older`
    uint32_t olderStores = 0; ///< their masks are disjoint
    bool operator==(const Cell &) const = default;
  };
  struct Older {
    uint32_t number;
    uint32_t mask;
    uint32_t tag;
    uint32_t next;
  };
  /// What a number of the sequence stands for.
  struct Node {
    uint32_t tag = 0;        ///< of an access
    uint32_t children = 0;   ///< of a merge: first index into `children`
    uint32_t childCount = 0; ///< 0 for accesses
  };
  struct Request {
    const LocalAccess &access;
    uint32_t number;
    bool tracked; ///< a load that is remembered
    const uint32_t *stamps;
    uint32_t stampCount;
    uint32_t searches; ///< of the graph, so far
  };
  /// Where conflicts go, and the address of the cell in question.
  struct ConflictsOut {
    std::vector<ScopeConflict> *list; ///< null: only the answer is wanted
    uint64_t base;
  };

  static uint32_t tagOf(const LocalAccess &access) {
    bool scalar = access.accessClass == ScalarLoad || access.accessClass == ScalarStore;
    return (access.site & ~kScalarTag) | (scalar ? kScalarTag : 0);
  }
  /// Handles the access of one whole line that this scope execution has not
  /// touched: nothing to check. False when it is something else.
  bool setUntouchedLine(const LocalAccess &access, const Cell &fresh) {
    uint64_t line = access.address / kLineBytes;
    if (access.windowBytes != kLineBytes || access.active || access.address % kLineBytes != 0 ||
        line >= wholeLines || lines[line].generation == fresh.generation || exhausted)
      return false;
    lines[line] = fresh;
    return true;
  }
  uint32_t nextNumber(uint32_t tag) {
    if (next < nodes.size()) [[likely]]
      nodes[next] = {tag, 0, 0};
    else
      growNodes(tag);
    if (next == kLastNumber)
      exhausted = true;
    else
      ++next;
    return next - 1;
  }
  void growNodes(uint32_t tag);
  uint32_t nodeCount() const { return next < kMaxNodes ? next : kMaxNodes; }
  void pushOlder(uint32_t &head, uint32_t number, uint32_t mask, uint32_t tag);
  uint32_t copyOlder(uint32_t head);
  /// Takes the bytes of `mask` out of a list and unlinks what is empty.
  void trim(uint32_t &head, uint32_t mask);
  bool fenced(AccessClass prior, AccessClass later, uint32_t number) const;
  bool derives(Request &request, uint32_t load);
  bool search(uint32_t load);
  /// These return false on a conflict.
  bool afterStore(Request &request, uint32_t number, uint32_t mask, uint32_t tag, ConflictsOut out);
  bool afterLoad(Request &request, uint32_t number, uint32_t mask, uint32_t tag, ConflictsOut out);
  template <bool Stores> bool check(Request &request, const Cell &cell, uint32_t mask, ConflictsOut out);
  template <bool Stores> void record(const Request &request, Cell &cell, uint32_t mask);
  /// `fresh` is what the access makes of 32 bytes that were not touched before.
  template <bool Stores>
  void accessAny(Request &request, const Cell &fresh, std::vector<ScopeConflict> &conflicts);
  template <bool Stores> bool lineAccess(Request &request, Cell &line);
  template <bool Stores>
  void openAccess(Request &request, uint64_t begin, uint64_t end, const Cell &fresh,
                  std::vector<ScopeConflict> &conflicts);
  void open(uint64_t line);

  uint64_t wholeLines; ///< lines that lie in the memory to their end
  std::vector<Cell> lines;
  std::vector<Cell> cells; ///< of open lines
  uint32_t generation = 0;
  uint32_t next = 1;
  bool exhausted = false; ///< the sequence has run out of numbers
  /// Number of the latest fence per (prior class, later class).
  std::array<std::array<uint32_t, 4>, 4> fences{};
  std::vector<Node> nodes; ///< by number; entries from `next` on are spare
  std::vector<uint32_t> children;
  std::vector<Older> older;
  std::vector<uint32_t> visited; ///< per node: the query that saw it last
  uint32_t query = 0;
  std::vector<uint32_t> stack;
};

/// Does the profile have `mem_bar` (isa/03 section 6)?
inline bool hasScopeFences(const Profile &profile) { return profile.name == "a5"; }
/// The fence that orders an access of class `prior` before one of `later`.
Fence fenceFor(AccessClass prior, AccessClass later);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_SCOPESHADOW_H
