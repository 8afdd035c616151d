//===- IntervalIndex.h - find intervals that meet a range -------*- C++ -*-===//
//
// Intervals with an id, grouped by the power of two that bounds their length.
// Inside a group a query looks at starts from (begin - bound) on, so it visits
// at most about twice what it finds, however uneven the lengths are.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_INTERVALINDEX_H
#define PTOSCOPE_CHECKERS_INTERVALINDEX_H

#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <utility>

namespace ptoscope {

class IntervalIndex {
public:
  /// [begin, end) must not be empty.
  void insert(uint64_t begin, uint64_t end, uint32_t id) {
    unsigned group = groupOf(begin, end);
    groups[group].insert({begin, id});
    occupied |= uint64_t(1) << group;
  }
  void erase(uint64_t begin, uint64_t end, uint32_t id) {
    unsigned group = groupOf(begin, end);
    groups[group].erase({begin, id});
    if (groups[group].empty())
      occupied &= ~(uint64_t(1) << group);
  }
  void clear() {
    for (; occupied; occupied &= occupied - 1)
      groups[size_t(std::countr_zero(occupied))].clear();
  }
  /// An interval has changed its bounds.
  void move(uint64_t oldBegin, uint64_t oldEnd, uint64_t begin, uint64_t end, uint32_t id) {
    if (oldBegin == begin && groupOf(oldBegin, oldEnd) == groupOf(begin, end))
      return;
    erase(oldBegin, oldEnd, id);
    insert(begin, end, id);
  }

  /// Calls fn(id) for every interval that may meet [begin, end); the caller
  /// compares exactly. `fn` must not change the index.
  template <typename Fn> void query(uint64_t begin, uint64_t end, Fn fn) const {
    for (uint64_t rest = occupied; rest; rest &= rest - 1) {
      unsigned group = unsigned(std::countr_zero(rest));
      uint64_t reach = group >= 63 ? ~uint64_t(0) : uint64_t(1) << group;
      uint64_t from = begin > reach ? begin - reach : 0;
      for (auto it = groups[group].lower_bound({from, 0}); it != groups[group].end() && it->first < end; ++it)
        fn(it->second);
    }
  }

private:
  /// The smallest g with length <= 2^g.
  static unsigned groupOf(uint64_t begin, uint64_t end) {
    uint64_t length = end - begin;
    unsigned group = length <= 1 ? 0 : 64 - unsigned(std::countl_zero(length - 1));
    return group > 63 ? 63 : group;
  }

  std::array<std::set<std::pair<uint64_t, uint32_t>>, 64> groups;
  uint64_t occupied = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_INTERVALINDEX_H
