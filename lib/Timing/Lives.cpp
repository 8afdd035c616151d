//===- Lives.cpp - from when to when bytes of memories are in use ---------===//

#include "ptoscope/Timing/Lives.h"

#include <algorithm>
#include <tuple>

namespace ptoscope::timing {

namespace {

struct TimedTouch {
  const Touch *touch;
  double start, end;
  SiteId site;
};

/// What the bytes of a memory hold now: parts that do not overlap, by where they begin.
class Holding {
public:
  void write(const TimedTouch &by, const Track &track) {
    const Touch &touch = *by.touch;
    takeOut(touch.begin, touch.end);
    parts[touch.begin] = {touch.begin, touch.end, by.start, by.end, by.site, track};
  }
  void read(const TimedTouch &by, const Track &track) {
    bool wasWritten = false;
    for (auto it = firstAfter(by.touch->begin); it != parts.end() && it->first < by.touch->end; ++it) {
      it->second.to = std::max(it->second.to, by.end);
      wasWritten = true;
    }
    if (!wasWritten)
      write(by, track);
  }
  std::vector<Life> finish() {
    takeOut(0, UINT64_MAX);
    std::ranges::sort(lives, [](const Life &a, const Life &b) {
      return std::tie(a.from, a.begin, a.to) < std::tie(b.from, b.begin, b.to);
    });
    return std::move(lives);
  }

private:
  /// The first part that ends after `begin`.
  std::map<uint64_t, Life>::iterator firstAfter(uint64_t begin) {
    auto it = parts.upper_bound(begin);
    if (it != parts.begin() && std::prev(it)->second.end > begin)
      --it;
    return it;
  }
  /// What lies in [begin, end) lives no longer; what lies beside it does.
  void takeOut(uint64_t begin, uint64_t end) {
    for (auto it = firstAfter(begin); it != parts.end() && it->first < end;) {
      Life part = it->second;
      it = parts.erase(it);
      if (part.begin < begin) {
        parts[part.begin] = part;
        parts[part.begin].end = begin;
        part.begin = begin;
      }
      if (part.end > end) {
        Life rest = part;
        rest.begin = part.end = end;
        it = parts.emplace(end, rest).first;
        ++it;
      }
      lives.push_back(part);
    }
  }

  std::map<uint64_t, Life> parts;
  std::vector<Life> lives;
};

std::vector<Life> livesOf(int64_t block, std::vector<TimedTouch> &touches) {
  // An instruction reads before it writes. The rest makes the order that of every run.
  auto key = [](const TimedTouch &each) {
    const Touch &touch = *each.touch;
    return std::tuple(each.start, touch.writes, touch.core.index, touch.pipe, touch.ordinal, touch.begin, touch.end);
  };
  std::ranges::sort(touches, {}, key);
  Holding holding;
  for (const TimedTouch &each : touches) {
    const Track track{block, each.touch->core, each.touch->pipe};
    if (each.touch->writes)
      holding.write(each, track);
    else
      holding.read(each, track);
  }
  return holding.finish();
}

} // namespace

void Lives::slice(const Slice &slice) {
  if (slice.ordinal == 0 || touches.of(slice.track.block).empty())
    return;
  std::vector<Times> &list = times[slice.track];
  if (list.size() < slice.ordinal)
    list.resize(slice.ordinal);
  list[slice.ordinal - 1] = {slice.start, slice.end, slice.site};
}

void Lives::tell(TimelineSink &sink) const {
  for (const auto &[block, all] : touches.all()) {
    std::map<std::pair<uint8_t, Space>, std::vector<TimedTouch>> memories;
    for (const Touch &touch : all) {
      auto it = times.find({block, touch.core, touch.pipe});
      // What never took effect, in a run that ended early, has no time.
      if (it == times.end() || touch.ordinal > it->second.size())
        continue;
      const Times &when = it->second[touch.ordinal - 1];
      if (when.start < 0)
        continue;
      memories[{touch.owner.index, touch.space}].push_back({&touch, when.start, when.end, when.site});
    }
    for (auto &[memory, timed] : memories)
      sink.memory({block, CoreId{memory.first}, memory.second, livesOf(block, timed)});
  }
}

void forEachChange(std::span<const Life> lives, const std::function<void(double time, uint64_t bytes)> &fn) {
  std::vector<std::pair<double, int64_t>> changes;
  for (const Life &life : lives) {
    changes.push_back({life.from, int64_t(life.end - life.begin)});
    changes.push_back({life.to, -int64_t(life.end - life.begin)});
  }
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

} // namespace ptoscope::timing
