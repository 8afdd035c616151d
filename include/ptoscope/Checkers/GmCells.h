//===- GmCells.h - accesses to global memory without a pattern --*- C++ -*-===//
//
// What boxes cannot hold compactly: per 32-byte block of GM a list of accesses
// with byte masks. Of the accesses of one key to one byte only the highest
// order is kept, so memory is bounded by the bytes that were touched (times
// the keys, which the program's text bounds), however often that happens.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_GMCELLS_H
#define PTOSCOPE_CHECKERS_GMCELLS_H

#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Box.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

namespace ptoscope {

/// How often each all-core barrier was passed.
using BarrierCounts = std::array<uint64_t, kSyncAllChannels>;
inline constexpr BarrierCounts kNoBarrier = [] {
  BarrierCounts counts{};
  counts.fill(UINT64_MAX);
  return counts;
}();

class GmCells {
public:
  /// What accesses have in common that stand for each other.
  struct Key {
    const GmObject *object = nullptr;
    SiteId site = kNoSite;
    Slot slot = 0;
    AccessKind kind = AccessKind::Read;
    BarrierCounts after{}, until = kNoBarrier; ///< as in GmEntry
    int64_t block = 0;                         ///< where each knows something else
    auto operator<=>(const Key &) const = default;
  };
  static constexpr uint64_t kMaxOrder = (uint64_t(1) << 40) - 1;

  bool empty() const { return pages.empty(); }
  uint32_t numberOf(const Key &key);
  const Key &key(uint32_t number) const { return keys[number]; }
  /// Notes the bytes of a box. `order` up to kMaxOrder.
  void add(uint32_t key, uint64_t order, const Box &box);
  /// Notes the bytes `mask` of the aligned block at `address`.
  void add(uint32_t key, uint64_t order, uint64_t address, uint32_t mask);
  /// Calls fn(key, order, address of the block, mask) for what is noted of the bytes of a
  /// run, then notes them.
  template <typename Fn> void exchange(uint32_t key, uint64_t order, uint64_t begin, uint64_t end, Fn fn) {
    forEachBlockOf(begin, end, [&](uint64_t address, uint32_t mask) {
      uint32_t &head = headOf(address);
      for (uint32_t at = head; at; at = cells[at - 1].next)
        if (const Cell &cell = cells[at - 1]; cell.mask & mask)
          fn(cell.key(), cell.order(), address, cell.mask & mask);
      addTo(head, key, order, mask);
    });
  }
  /// Calls fn(key, order, address of the block, mask) for what is noted of the
  /// bytes of a box.
  template <typename Fn> void query(const Box &box, Fn fn) const {
    if (!empty())
      forEachBlock(box, [&](uint64_t address, uint32_t mask) { query(address, mask, fn); });
  }
  template <typename Fn> void query(uint64_t address, uint32_t mask, Fn fn) const {
    auto page = numbers.find(address / kPageBytes);
    if (page == numbers.end())
      return;
    for (uint32_t at = pages[page->second][address % kPageBytes / kBlockBytes]; at; at = cells[at - 1].next)
      if (const Cell &cell = cells[at - 1]; cell.mask & mask)
        fn(cell.key(), cell.order(), address, cell.mask & mask);
  }
  /// All of it, in rising addresses.
  template <typename Fn> void forEach(Fn fn) const {
    std::vector<std::pair<uint64_t, uint32_t>> sorted(numbers.begin(), numbers.end());
    std::sort(sorted.begin(), sorted.end());
    for (auto [page, number] : sorted)
      for (size_t block = 0; block < kPageBlocks; ++block)
        for (uint32_t at = pages[number][block]; at; at = cells[at - 1].next)
          fn(cells[at - 1].key(), cells[at - 1].order(), page * kPageBytes + block * kBlockBytes, cells[at - 1].mask);
  }
  /// Accesses that are noted one by one, for tests.
  size_t size() const { return cells.size() - freeCells.size(); }

private:
  static constexpr uint64_t kPageBytes = 1024, kPageBlocks = kPageBytes / kBlockBytes;
  static constexpr unsigned kKeyBits = 24;
  struct Cell {
    uint64_t bits; ///< order and key
    uint32_t mask;
    uint32_t next; ///< 1 + number of a cell of the same block
    uint64_t order() const { return bits >> kKeyBits; }
    uint32_t key() const { return uint32_t(bits & ((1u << kKeyBits) - 1)); }
  };
  using Page = std::array<uint32_t, kPageBlocks>; ///< first cell of each block

  /// Calls fn(address, mask) for every block that a box touches.
  template <typename Fn> static void forEachBlock(const Box &box, Fn fn) {
    box.forEachRow([&](uint64_t start, uint64_t bytes) { forEachBlockOf(start, start + bytes, fn); });
  }
  template <typename Fn> static void forEachBlockOf(uint64_t begin, uint64_t end, Fn fn) {
    for (uint64_t at = begin; at < end;) {
      uint64_t shift = at % kBlockBytes, count = std::min<uint64_t>(end - at, kBlockBytes - shift);
      fn(at - shift, ~0u >> (kBlockBytes - count) << shift);
      at += count;
    }
  }
  /// The first cell of a block. Accesses without a pattern come in rising addresses, so
  /// the page is most often that of the one before.
  uint32_t &headOf(uint64_t address) {
    if (uint64_t number = address / kPageBytes; number != lastNumber) {
      auto [page, isNew] = numbers.try_emplace(number, uint32_t(pages.size()));
      if (isNew)
        pages.emplace_back();
      lastPage = page->second;
      lastNumber = number;
    }
    return pages[lastPage][address % kPageBytes / kBlockBytes];
  }
  void addTo(uint32_t &head, uint32_t key, uint64_t order, uint32_t mask);

  std::map<Key, uint32_t> keyNumbers;
  std::vector<Key> keys;
  std::unordered_map<uint64_t, uint32_t> numbers; ///< of pages, by address / kPageBytes
  std::deque<Page> pages;                         ///< deques do not need twice the memory to grow
  std::deque<Cell> cells;
  std::vector<uint32_t> freeCells;
  uint64_t lastNumber = UINT64_MAX; ///< of headOf, and where it is
  uint32_t lastPage = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_GMCELLS_H
