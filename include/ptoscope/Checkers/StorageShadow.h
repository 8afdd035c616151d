//===- StorageShadow.h - which tile the bytes of a memory belong to -*- C++ -*-//
//
// Tiles may overlap (PLAN-7), and nothing is wrong until one reads bytes that
// another has overwritten since it wrote them (PLAN-9). For each byte: the
// storage that wrote it last, and where; for each storage: which of its bytes
// another has taken. Tiles are mostly written as a whole, so both are kept as
// ranges.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_STORAGESHADOW_H
#define PTOSCOPE_CHECKERS_STORAGESHADOW_H

#include "ptoscope/Machine/Observer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace ptoscope {

/// Values of ranges that do not overlap.
template <typename T> class RangeMap {
public:
  /// Calls fn(begin, end, value) for what lies in [begin, end), in order, while it
  /// returns true.
  template <typename Fn> void visit(uint64_t begin, uint64_t end, Fn fn) const {
    auto at = ranges.upper_bound(begin);
    if (at != ranges.begin())
      --at;
    for (; at != ranges.end() && at->first < end; ++at)
      if (at->second.end > begin && !fn(std::max(begin, at->first), std::min(end, at->second.end), at->second.value))
        return;
  }
  void assign(uint64_t begin, uint64_t end, const T &value) {
    auto at = ranges.lower_bound(begin);
    if (at != ranges.end() && at->first == begin && at->second.end == end) { // as a rule
      at->second.value = value;
      return;
    }
    if (at != ranges.begin() && std::prev(at)->second.end > begin) {
      Range &before = std::prev(at)->second;
      if (before.end > end)
        ranges.emplace_hint(at, end, before);
      before.end = begin;
      at = ranges.lower_bound(begin);
    }
    while (at != ranges.end() && at->second.end <= end)
      at = ranges.erase(at);
    if (at != ranges.end() && at->first < end) {
      Range rest = at->second;
      at = ranges.emplace_hint(ranges.erase(at), end, rest);
    }
    ranges.emplace_hint(at, begin, Range{end, value});
  }

private:
  struct Range {
    uint64_t end;
    T value;
  };
  std::map<uint64_t, Range> ranges; ///< by first byte
};

class StorageShadow {
public:
  /// Bytes that a storage wrote and another one took.
  struct Loss {
    Storage storage, by; ///< who lost them, and to whom
    SiteId writer, overwriter;
    uint64_t begin, end;
    /// Both cover the same bytes with elements of one size: perhaps two readings of
    /// one tile.
    bool isReinterpreted() const {
      return storage.begin == by.begin && storage.end == by.end && storage.elementBits == by.elementBits;
    }
  };

  /// Storages of several cores may lie in one memory.
  void add(CoreId core, uint32_t number, const Storage &storage) {
    std::vector<uint32_t> &own = indices[core.index];
    own.resize(std::max<size_t>(own.size(), number + 1), kUnknown);
    own[number] = uint32_t(storages.size());
    storages.push_back({storage, {}});
  }
  /// `number` 0: unknown, which takes the bytes from whoever has them and is not
  /// blamed for it.
  void write(CoreId core, uint32_t number, SiteId site, const Box &box);
  /// Another storage wrote bytes of the box last.
  bool isOfAnother(CoreId core, uint32_t number, const Box &box) const {
    const uint32_t index = indexOf(core, number);
    return !box.empty() && index != kUnknown && !isFreeFor(index, box.lowest(), box.end());
  }
  /// The first bytes of the box that its storage has lost.
  std::optional<Loss> read(CoreId core, uint32_t number, const Box &box) const;
  void forget(uint64_t begin, uint64_t end) { take(begin, end, {kUnknown, kNoSite}); }

private:
  static constexpr uint32_t kUnknown = ~0u;
  /// Who wrote bytes last.
  struct Owner {
    uint32_t storage;
    SiteId site;
  };
  /// Bytes that were lost: who had written them, and who took them.
  struct Taken {
    SiteId writer;
    Owner by;
  };
  struct Known {
    Storage storage;
    RangeMap<Taken> lost;
  };
  uint32_t indexOf(CoreId core, uint32_t number) const {
    const std::vector<uint32_t> &own = indices[core.index];
    return number < own.size() ? own[number] : kUnknown;
  }
  /// No known storage but this one has bytes there.
  bool isFreeFor(uint32_t storage, uint64_t begin, uint64_t end) const;
  void take(uint64_t begin, uint64_t end, const Owner &by);

  std::array<std::vector<uint32_t>, kCoresPerBlock> indices; ///< by core and number
  std::vector<Known> storages;
  RangeMap<Owner> owners;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_STORAGESHADOW_H
