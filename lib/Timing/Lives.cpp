//===- Lives.cpp - from when to when bytes of a memory are in use ---------===//

#include "Lives.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptoscope::timing {

namespace {

/// What the bytes of a memory hold now: parts that do not overlap, by where they begin.
class Holding {
public:
  void write(const Touch &touch, const Slice &slice) {
    takeOut(touch.begin, touch.end);
    parts[touch.begin] = {touch.begin, touch.end, slice.start, slice.end, &slice};
  }
  void read(const Touch &touch, const Slice &slice) {
    bool wasWritten = false;
    for (auto it = firstAfter(touch.begin); it != parts.end() && it->first < touch.end; ++it) {
      it->second.to = std::max(it->second.to, slice.end);
      wasWritten = true;
    }
    if (!wasWritten)
      write(touch, slice);
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

} // namespace

std::vector<Life> livesOf(std::vector<TimedTouch> touches) {
  // An instruction reads before it writes. The rest makes the order that of every run.
  auto key = [](const TimedTouch &each) {
    const Touch &touch = *each.touch;
    return std::tuple(each.slice->start, touch.writes, touch.core.index, touch.pipe, touch.ordinal, touch.begin,
                      touch.end);
  };
  std::ranges::sort(touches, {}, key);
  Holding holding;
  for (const TimedTouch &each : touches)
    if (each.touch->writes)
      holding.write(*each.touch, *each.slice);
    else
      holding.read(*each.touch, *each.slice);
  return holding.finish();
}

} // namespace ptoscope::timing
