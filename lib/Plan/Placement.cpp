//===- Placement.cpp - places of tiles in on-chip memories ----------------===//
//
// Side by side if all fit; else along the program, each in the smallest gap that
// holds it when it comes into use; else the largest first. All three take
// O(n log n) if few tiles are in use at a time.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Plan/Placement.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

namespace ptoscope {

uint64_t plannedBytes(const Profile &profile, Space space) {
  // 8 KiB of UB belong to the system.
  constexpr uint64_t kPlannedUbA5 = 253952;
  return profile.id == ProfileId::A5 && space == Space::Ub ? kPlannedUbA5 : profile.bytes[size_t(space)];
}

uint64_t plannedAlignment(Space space) {
  return space == Space::L0A || space == Space::L0B || space == Space::L0C ? 512 : alignmentOf(space);
}

namespace {

/// The buffers of one memory.
class Packer {
public:
  Packer(const std::vector<LiveBuffer> &buffers, Space space, uint64_t capacity, std::vector<uint64_t> &address)
      : buffers(buffers), capacity(capacity), alignment(plannedAlignment(space)), address(address) {
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].space == space)
        own.push_back(i);
  }

  bool sideBySide() {
    uint64_t at = 0;
    for (size_t i : own) {
      address[i] = at;
      at += room(i);
    }
    return at <= capacity;
  }

  /// Free parts are known at every step: those in use end in the order of their last
  /// steps.
  bool alongProgram() {
    std::ranges::sort(own, {}, [&](size_t i) { return std::pair(buffers[i].used.begin, i); });
    std::map<uint64_t, uint64_t> gaps{{0, capacity}};              // begin -> end
    std::set<std::pair<uint64_t, uint64_t>> bySize{{capacity, 0}}; // size, begin
    auto addGap = [&](uint64_t begin, uint64_t end) {
      if (begin < end) {
        gaps[begin] = end;
        bySize.insert({end - begin, begin});
      }
    };
    auto takeGap = [&](std::map<uint64_t, uint64_t>::iterator gap) {
      bySize.erase({gap->second - gap->first, gap->first});
      return gaps.erase(gap);
    };
    using Ending = std::pair<uint32_t, size_t>; // step, buffer
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> inUse;
    for (size_t i : own) {
      for (; !inUse.empty() && inUse.top().first <= buffers[i].used.begin; inUse.pop()) {
        size_t ended = inUse.top().second;
        uint64_t begin = address[ended], end = begin + room(ended);
        auto next = gaps.lower_bound(begin);
        if (next != gaps.end() && next->first == end) {
          end = next->second;
          next = takeGap(next);
        }
        if (next != gaps.begin() && std::prev(next)->second == begin) {
          begin = std::prev(next)->first;
          takeGap(std::prev(next));
        }
        addGap(begin, end);
      }
      auto best = bySize.lower_bound({room(i), 0});
      if (best == bySize.end())
        return false;
      auto gap = gaps.find(best->second);
      const auto [begin, end] = *gap;
      takeGap(gap);
      address[i] = begin;
      addGap(begin + room(i), end);
      inUse.push({buffers[i].used.end, i});
    }
    return true;
  }

  bool largestFirst() {
    std::ranges::sort(own, {}, [&](size_t i) { return std::pair(buffers[i].used.begin, i); });
    leaves = std::bit_ceil(std::max<size_t>(own.size(), 1));
    latest.assign(2 * leaves, 0);
    std::vector<size_t> order(own.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](size_t leaf) {
      const LiveBuffer &buffer = buffers[own[leaf]];
      return std::tuple(-int64_t(buffer.bytes), buffer.used.begin - buffer.used.end, leaf);
    });
    std::vector<std::pair<uint64_t, uint64_t>> taken;
    for (size_t leaf : order) {
      const size_t i = own[leaf];
      taken.clear();
      collect(1, 0, leaves, buffers[i].used, taken);
      std::ranges::sort(taken);
      uint64_t at = 0, best = UINT64_MAX, bestSize = UINT64_MAX;
      auto offer = [&](uint64_t end) {
        if (end >= at + room(i) && end - at < bestSize) {
          best = at;
          bestSize = end - at;
        }
      };
      for (auto [begin, end] : taken) {
        offer(begin);
        at = std::max(at, end);
      }
      offer(capacity);
      if (best == UINT64_MAX)
        return false;
      address[i] = best;
      for (size_t node = leaves + leaf; node; node /= 2)
        latest[node] = std::max(latest[node], buffers[i].used.end);
    }
    return true;
  }

  /// The step at which most bytes are in use.
  Overflow worst(Space space) const {
    struct Change {
      uint32_t step;
      bool begins;
      uint64_t bytes;
      auto operator<=>(const Change &) const = default;
    };
    std::vector<Change> changes;
    for (size_t i : own) {
      changes.push_back({buffers[i].used.begin, true, room(i)});
      changes.push_back({buffers[i].used.end, false, room(i)});
    }
    std::ranges::sort(changes);
    Overflow result{space, capacity, 0, 0, {}};
    uint64_t now = 0;
    for (const Change &change : changes) {
      now += change.begins ? change.bytes : -change.bytes;
      if (now > result.needed) {
        result.needed = now;
        result.step = change.step;
      }
    }
    for (size_t i : own)
      if (buffers[i].used.contains(result.step))
        result.inUse.push_back(i);
    std::ranges::sort(result.inUse, {}, [&](size_t i) { return std::pair(-int64_t(buffers[i].bytes), i); });
    return result;
  }

private:
  uint64_t room(size_t i) const { return (buffers[i].bytes + alignment - 1) / alignment * alignment; }

  /// Places of buffers that are in use together with `used`: a tree over buffers by
  /// their first step, which knows the last step of those placed in each part.
  void collect(size_t node, size_t begin, size_t end, const StepRange &used,
               std::vector<std::pair<uint64_t, uint64_t>> &taken) const {
    if (latest[node] <= used.begin || begin >= own.size() || buffers[own[begin]].used.begin >= used.end)
      return;
    if (node >= leaves) {
      taken.push_back({address[own[begin]], address[own[begin]] + room(own[begin])});
      return;
    }
    const size_t middle = (begin + end) / 2;
    collect(2 * node, begin, middle, used, taken);
    collect(2 * node + 1, middle, end, used, taken);
  }

  const std::vector<LiveBuffer> &buffers;
  const uint64_t capacity, alignment;
  std::vector<uint64_t> &address;
  std::vector<size_t> own;
  size_t leaves = 0;
  std::vector<uint32_t> latest;
};

} // namespace

Placement placeBuffers(const std::vector<LiveBuffer> &buffers, const Profile &profile, bool reuse) {
  Placement result;
  result.address.resize(buffers.size());
  for (size_t slot = 0; slot < kSpaceSlots; ++slot) {
    const Space space = Space(slot);
    Packer packer(buffers, space, plannedBytes(profile, space), result.address);
    if (!reuse && packer.sideBySide())
      continue;
    Overflow worst = packer.worst(space);
    // If one step needs too much, no order helps.
    if (worst.needed <= worst.capacity && (packer.alongProgram() || packer.largestFirst()))
      continue;
    result.overflow = std::move(worst);
    break;
  }
  return result;
}

} // namespace ptoscope
