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

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ptoscope::timing {

class GmLines {
public:
  static constexpr uint64_t kLineBytes = 512;

  /// `shift` is added to addresses.
  void touch(const Box &box, uint64_t shift, uint32_t epoch) {
    box.forEachRow([&](uint64_t start, uint64_t bytes) { touch(start + shift, bytes, epoch); });
  }
  void touch(uint64_t start, uint64_t bytes, uint32_t epoch);
  /// Everything of `other`; epoch e of it is `epochs[e]` here.
  void add(const GmLines &other, std::span<const uint32_t> epochs);

  struct Use {
    uint64_t distinct = 0; ///< lines that are touched at all
    uint64_t fetched = 0;  ///< lines times how often they come from beyond the cache
  };
  /// With a cache of so many bytes that keeps what was touched last.
  const Use &useOf(double cacheBytes) const;
  /// Where an epoch is a number times `cores`, plus a core: how many cores touch a line, in the
  /// mean over all touches; 1 if there are none.
  double coresOf(uint32_t cores) const;
  bool empty() const { return words.empty(); }

private:
  /// 64 lines in one epoch.
  struct Word {
    uint64_t place, bits;
    uint32_t epoch;
    bool isBeside(const Word &other) const { return place == other.place && epoch == other.epoch; }
  };
  void push(const Word &word) {
    uses.clear();
    if (!words.empty() && words.back().isBeside(word)) {
      words.back().bits |= word.bits;
      return;
    }
    if (words.size() >= limit)
      merge();
    words.push_back(word);
  }
  Use compute(double cacheBytes) const;
  /// Sorts by place and epoch, with one word for each.
  static void merge(std::vector<Word> &words);
  void merge() {
    merge(words);
    limit = std::max(kLeast, 2 * words.size());
  }

  static constexpr size_t kLeast = 1 << 16;
  std::vector<Word> words; ///< as they came; merged when they have become many
  size_t limit = kLeast;
  mutable std::vector<std::pair<double, Use>> uses; ///< that were asked for, by cache; solutions ask often
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_GMLINES_H
