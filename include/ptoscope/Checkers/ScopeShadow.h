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
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_SCOPESHADOW_H
#define PTOSCOPE_CHECKERS_SCOPESHADOW_H

#include "ptoscope/Machine/Observer.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ptoscope {

struct ScopeConflict {
  SiteId first;
  AccessClass firstClass;
  uint64_t begin, end;
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

  explicit ScopeShadow(uint32_t bytes);

  void begin();
  /// Records a load and returns its stamp.
  uint32_t load(const LocalAccess &access, std::vector<ScopeConflict> &conflicts);
  void store(const LocalAccess &access, const uint32_t *stamps, uint32_t stampCount,
             std::vector<ScopeConflict> &conflicts);
  uint32_t merge(const uint32_t *stamps, uint32_t count);
  void fence(FenceClasses classes);

private:
  /// State of 32 bytes, valid for one scope execution.
  struct Cell {
    uint32_t generation = 0;
    uint32_t storeNumber = 0;
    uint32_t storeMask = 0;
    uint32_t storeTag = 0; ///< site, and whether it is scalar
    uint32_t loadNumber = 0;
    uint32_t loadMask = 0;
    uint32_t olderLoads = 0;  ///< 1 + index into `older`
    uint32_t olderStores = 0; ///< their masks are disjoint
  };
  static_assert(sizeof(Cell) == 32, "cells are compared as bytes");
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
    const uint32_t *stamps;
    uint32_t stampCount;
    uint32_t searches; ///< of the graph, so far
    std::vector<ScopeConflict> &conflicts;
  };

  uint32_t nextNumber(Node node);
  void pushOlder(uint32_t &head, uint32_t number, uint32_t mask, uint32_t tag);
  /// Takes the bytes of `mask` out of a list and unlinks what is empty.
  void trim(uint32_t &head, uint32_t mask);
  bool fenced(AccessClass prior, AccessClass later, uint32_t number) const;
  bool derives(Request &request, uint32_t load);
  bool search(uint32_t load);
  void checkStore(Request &request, uint32_t number, uint32_t mask, uint32_t tag, uint64_t base);
  void checkLoad(Request &request, uint32_t number, uint32_t mask, uint32_t tag, uint64_t base);
  template <typename Fn> void forEachCell(const LocalAccess &access, const Cell &fresh, Fn fn);

  std::vector<Cell> cells;
  uint64_t conflictCount = 0;
  uint32_t generation = 0;
  uint32_t next = 1;
  bool exhausted = false; ///< the sequence has run out of numbers
  /// Number of the latest fence per (prior class, later class).
  std::array<std::array<uint32_t, 4>, 4> fences{};
  std::vector<Node> nodes;
  std::vector<uint32_t> children;
  std::vector<Older> older;
  std::vector<uint32_t> visited; ///< per node: the query that saw it last
  uint32_t query = 0;
  std::vector<uint32_t> stack;
};

/// The fence that orders an access of class `prior` before one of `later`.
Fence fenceFor(AccessClass prior, AccessClass later);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_SCOPESHADOW_H
