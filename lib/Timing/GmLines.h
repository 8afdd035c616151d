//===- GmLines.h - which lines of GM a launch touches, and when -*- C++ -*-===//
//
// Lines of the L2 cache that transfers touch, by epochs: an epoch is a share of the
// bytes that a block moves. Blocks that run together are taken to advance alike, so
// that the sets of lines tell what the cache held, without an order of events.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_GMLINES_H
#define PTOSCOPE_LIB_TIMING_GMLINES_H

#include "ptoscope/Machine/Box.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ptoscope::timing {

class GmLines {
public:
  static constexpr uint64_t kLineBytes = 512;

  void touch(const Box &box, uint32_t epoch) {
    box.forEachRow([&](uint64_t start, uint64_t bytes) { touch(start, bytes, epoch); });
  }
  void touch(uint64_t start, uint64_t bytes, uint32_t epoch);
  /// Everything of `other`; epoch e of it is `epochs[e]` here.
  void add(const GmLines &other, std::span<const uint32_t> epochs);

  struct Use {
    uint64_t distinct = 0; ///< lines that are touched at all
    uint64_t fetched = 0;  ///< lines times how often they come from beyond the cache
  };
  /// With a cache of so many bytes that keeps what was touched last.
  Use useOf(double cacheBytes) const;
  bool empty() const { return words.empty(); }

private:
  /// 64 lines in one epoch.
  struct Key {
    uint64_t place;
    uint32_t epoch;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      uint64_t x = key.place * 0x9e3779b97f4a7c15u ^ (uint64_t(key.epoch) << 40 | key.epoch);
      return size_t((x ^ x >> 29) * 0xbf58476d1ce4e5b9u);
    }
  };
  uint64_t &wordOf(uint64_t place, uint32_t epoch) {
    if (!last || lastKey.place != place || lastKey.epoch != epoch) {
      lastKey = {place, epoch};
      last = &words[lastKey]; // nodes of the table stay where they are
    }
    return *last;
  }

  std::unordered_map<Key, uint64_t, Hash> words;
  Key lastKey{};
  uint64_t *last = nullptr;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_GMLINES_H
