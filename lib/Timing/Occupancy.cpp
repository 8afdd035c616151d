//===- Occupancy.cpp - bytes of local memories that are in use ------------===//

#include "ptoscope/Timing/Occupancy.h"

#include <algorithm>
#include <tuple>

namespace ptoscope::timing {

namespace {

/// One memory: which bytes hold a value, since when, and when it was last used.
class MemoryUse {
public:
  void write(uint64_t begin, uint64_t end, double start, double visible) {
    cut(begin);
    cut(end);
    auto first = values.lower_bound(begin), last = values.lower_bound(end);
    for (auto it = first; it != last; ++it)
      close(it->first, it->second);
    values.erase(first, last);
    values[begin] = {end, start, visible};
  }
  void read(uint64_t begin, uint64_t end, double until) {
    cut(begin);
    cut(end);
    for (auto it = values.lower_bound(begin); it != values.end() && it->first < end; ++it)
      it->second.last = std::max(it->second.last, until);
  }
  /// Tells how many bytes are in use from a time on.
  template <typename Fn> void finish(Fn fn) {
    for (const auto &[begin, value] : values)
      close(begin, value);
    values.clear();
    std::ranges::sort(changes);
    int64_t bytes = 0;
    for (size_t i = 0; i < changes.size();) {
      const double time = changes[i].first;
      const int64_t before = bytes;
      for (; i < changes.size() && changes[i].first == time; ++i)
        bytes += changes[i].second;
      if (bytes != before)
        fn(time, uint64_t(bytes));
    }
  }

private:
  struct Value {
    uint64_t end;
    double first, last;
  };
  /// No value crosses this address.
  void cut(uint64_t address) {
    auto it = values.lower_bound(address);
    if (it == values.begin())
      return;
    --it;
    if (it->second.end <= address)
      return;
    values[address] = it->second;
    it->second.end = address;
  }
  void close(uint64_t begin, const Value &value) {
    changes.push_back({value.first, int64_t(value.end - begin)});
    changes.push_back({value.last, -int64_t(value.end - begin)});
  }

  std::map<uint64_t, Value> values; ///< by the first byte
  std::vector<std::pair<double, int64_t>> changes;
};

} // namespace

void Occupancy::slice(const Slice &slice) {
  if (slice.ordinal == 0)
    return;
  std::vector<Times> &list = times[slice.track];
  if (list.size() < slice.ordinal)
    list.resize(slice.ordinal);
  list[slice.ordinal - 1] = {slice.start, slice.end, slice.visible};
}

void Occupancy::tell(const SyncNeeds &uses, TimelineSink &sink) const {
  std::map<std::tuple<int64_t, uint8_t, Space>, MemoryUse> memories;
  uses.forEachUse([&](const SyncNeeds::LocalUse &use) {
    auto it = times.find({use.block, use.core, use.pipe});
    if (it == times.end() || use.ordinal > it->second.size() || (use.space != Space::Ub && use.space != Space::L1))
      return;
    const Times &when = it->second[use.ordinal - 1];
    MemoryUse &memory = memories[{use.block, use.owner.index, use.space}];
    if (use.writes)
      memory.write(use.begin, use.end, when.start, when.visible);
    else
      memory.read(use.begin, use.end, when.end);
  });
  for (auto &[key, memory] : memories) {
    const auto [block, core, space] = key;
    memory.finish([&, block = block, core = core, space = space](double time, uint64_t bytes) {
      sink.occupancy(block, CoreId{core}, space, time, bytes);
    });
  }
}

} // namespace ptoscope::timing
