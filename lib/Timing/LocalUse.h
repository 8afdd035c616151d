//===- LocalUse.h - how much of a memory is in use --------------*- C++ -*-===//
//
// A byte of a memory is in use from the first instruction on that touches it until
// the block ends: nothing says when a program needs it for the last time.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_LOCALUSE_H
#define PTOSCOPE_LIB_TIMING_LOCALUSE_H

#include "ptoscope/Machine/Types.h"

#include <bit>
#include <vector>

namespace ptoscope::timing {

/// Bytes of one memory that were touched, in blocks of 32.
class UsedBytes {
public:
  /// True when some of [begin, end) are new.
  bool add(uint64_t begin, uint64_t end) {
    const uint64_t first = begin / kBlockBytes, last = (end + kBlockBytes - 1) / kBlockBytes;
    if (last > words.size() * 64)
      words.resize(size_t(last + 63) / 64);
    bool isNew = false;
    for (uint64_t at = first; at < last;) {
      const uint64_t bit = at % 64, count = std::min<uint64_t>(64 - bit, last - at);
      const uint64_t ones = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << bit;
      uint64_t &word = words[size_t(at / 64)];
      if (uint64_t fresh = ones & ~word) {
        used += uint64_t(std::popcount(fresh)) * kBlockBytes;
        word |= ones;
        isNew = true;
      }
      at += count;
    }
    return isNew;
  }
  uint64_t bytes() const { return used; }

private:
  std::vector<uint64_t> words;
  uint64_t used = 0;
};

/// An instruction that touches bytes which those before it on its pipe did not.
struct FirstUse {
  uint64_t ordinal; ///< on its pipe
  uint64_t begin, end;
  Space space;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_LOCALUSE_H
