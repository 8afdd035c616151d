//===- ScopeOrder.cpp - what comes before an access of a vector scope -----===//
//
// Fences by class, the order of scalar accesses, the loads that a value derives
// from, and the loads that had been stored by a fence.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/ScopeShadow.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptoscope {

Fence fenceFor(AccessClass prior, AccessClass later) {
  for (unsigned f = 0; f < 16; ++f) {
    FenceClasses classes = classesOf(Fence(f));
    if (classes.prior == prior && classes.later == later)
      return Fence(f);
  }
  return Fence::VV_ALL;
}

void ScopeShadow::fence(FenceClasses classes) {
  settleLoop();
  uint32_t number = nextNumber();
  // A store comes after what came before the loads it derives from; what comes
  // before loads only grows, so the latest load stands for all.
  settle();
  if (lastLoad > epoch)
    reached[indexOf(VectorLoad)].join(past[indexOf(VectorLoad)]);
  if (lastStore > epoch)
    reached[indexOf(VectorStore)].join(past[indexOf(VectorStore)]);
  reached[indexOf(VectorStore)].join(pastOfLoad(latestStored));
  epoch = number;
  Past told{};
  for (unsigned left = classes.prior; left; left &= left - 1)
    told.join(reached[size_t(std::countr_zero(left))]);
  for (unsigned left = classes.prior; left; left &= left - 1)
    told.upTo[size_t(std::countr_zero(left))] = number;
  for (unsigned left = classes.later; left; left &= left - 1)
    past[size_t(std::countr_zero(left))].join(told);
  if (!(classes.later & VectorLoad))
    return;
  if (loadPasts.size() == kMaxLoadPasts) {
    loadPasts.erase(loadPasts.begin(), loadPasts.begin() + kMaxLoadPasts / 2);
    loadPasts.front().from = 0;
  }
  loadPasts.push_back({number, past[indexOf(VectorLoad)]});
}

const ScopeShadow::Past &ScopeShadow::pastOfLoad(uint32_t load) const {
  if (load >= loadPasts.back().from)
    return loadPasts.back().past;
  auto after = std::upper_bound(loadPasts.begin(), loadPasts.end(), load,
                                [](uint32_t number, const LoadPast &entry) { return number < entry.from; });
  return std::prev(after)->past;
}

const ScopeShadow::Past &ScopeShadow::pastOf(Request &request) const {
  if (std::exchange(request.pastKnown, true))
    return request.past;
  AccessClass accessClass = request.access.accessClass;
  request.past = past[indexOf(accessClass)];
  if (isScalar(accessClass)) {
    request.past.join(reached[indexOf(ScalarLoad)]);
    request.past.join(reached[indexOf(ScalarStore)]);
  }
  for (uint32_t i = 0; i < request.stampCount; ++i)
    if (request.stamps[i] == kAnyStamp)
      request.past.upTo.fill(kAnyStamp);
    else if (request.stamps[i])
      request.past.join(pastOfLoad(latestLoad(request.stamps[i])));
  return request.past;
}

void ScopeShadow::passScalar(AccessClass accessClass, uint32_t number) {
  Past &own = reached[indexOf(accessClass)];
  own.join(past[indexOf(accessClass)]);
  own.join(reached[indexOf(accessClass == ScalarLoad ? ScalarStore : ScalarLoad)]);
  own.upTo[indexOf(ScalarLoad)] = own.upTo[indexOf(ScalarStore)] = number;
}

bool ScopeShadow::inWholePast(Request &request, AccessClass prior, uint32_t number) const {
  const Past &all = pastOf(request);
  return all.upTo[indexOf(prior)] > number ||
         (prior == VectorLoad && storedBefore(number, all.upTo[indexOf(VectorStore)]));
}

bool ScopeShadow::storedBefore(uint32_t load, uint32_t upTo) const {
  if (load >= upTo || load >= runs.back().end)
    return false;
  auto after = std::upper_bound(runs.begin(), runs.end(), load,
                                [](uint32_t number, const Run &run) { return number < run.begin; });
  return after != runs.begin() && load < std::prev(after)->end && std::prev(after)->epoch < upTo;
}

void ScopeShadow::noteElsewhere(uint32_t number, const uint32_t *stamps, uint32_t stampCount) {
  if (pendingWords + 2 + stampCount > kPendingWords)
    settle();
  uint32_t *to = &pending[pendingWords];
  pendingWords += 2 + stampCount;
  *to++ = number;
  *to++ = stampCount;
  std::copy_n(stamps, stampCount, to);
  if (runs.back().epoch != epoch) // so that the next ones have a run to follow
    settle();
}

void ScopeShadow::settle() {
  late.clear();
  for (const uint32_t *at = pending.data(), *end = at + pendingWords; at != end;) {
    uint32_t number = at[0], count = at[1];
    at += 2;
    for (const uint32_t *stop = at + count; at != stop; ++at)
      if (*at & kMergeBit) {
        addMerge(*at);
      } else if (*at) {
        latestStored = std::max(latestStored, *at);
        addToRuns(*at);
      }
    addToRuns(number);
  }
  pendingWords = 0;
  if (!late.empty())
    addLate();
  if (runs.size() > kMaxRuns) {
    runs[kMaxRuns / 2] = {0, runs[kMaxRuns / 2].end, 0};
    runs.erase(runs.begin(), runs.begin() + kMaxRuns / 2);
  }
}

void ScopeShadow::addMerge(uint32_t stamp) {
  if (stamp == kAnyStamp) {
    latestStored = next;
    runs.assign(1, {0, next, 0});
    return;
  }
  latestStored = std::max(latestStored, latestLoad(stamp));
  stack.assign(1, stamp);
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    if (!(at & kMergeBit)) {
      addToRuns(at);
      continue;
    }
    Merge &merge = merges[at & ~kMergeBit];
    if (merge.stored) {
      follows(merge.number);
      continue;
    }
    merge.stored = 1;
    if (merge.count == kOfLoop) {
      addLoop(loopLoads[merge.members]);
      follows(merge.number);
      continue;
    }
    // Taken from the end: rising numbers mostly follow the last run.
    const uint32_t *first = &members[merge.members];
    if (std::none_of(first, first + merge.count, [](uint32_t member) { return member & kMergeBit; })) {
      std::for_each(first, first + merge.count, [&](uint32_t load) { addToRuns(load); });
      follows(merge.number); // not a load: it only keeps a run from ending
      continue;
    }
    stack.push_back(at);
    stack.insert(stack.end(), std::reverse_iterator(first + merge.count), std::reverse_iterator(first));
    // The turns of a loop and a tail: the loop comes first.
    if (merge.count == 2 && latestLoad(first[0]) > latestLoad(first[1]))
      std::swap(stack.back(), stack[stack.size() - 2]);
  }
}

void ScopeShadow::addLoop(const LoopLoads &loads) {
  const uint32_t begin = loads.first + uint32_t(std::countr_zero(loads.loads)), end = loads.last() + 1;
  const auto after = std::upper_bound(runs.begin(), runs.end(), begin,
                                      [](uint32_t number, const Run &run) { return number < run.begin; });
  if (after != runs.begin() && std::prev(after)->end >= end)
    return; // all of them had been stored
  if (!loads.areAll || begin < runs.back().end)
    return loads.forEach([&](uint32_t load) { addToRuns(load); });
  addToRuns(begin);
  runs.back().end = std::max(runs.back().end, end);
}

/// Adds the numbers of `late` in one pass over the runs behind the lowest.
void ScopeShadow::addLate() {
  std::sort(late.begin(), late.end());
  auto first = std::upper_bound(runs.begin(), runs.end(), late.front(),
                                [](uint32_t number, const Run &run) { return number < run.end; });
  behind.assign(first, runs.end());
  runs.erase(first, runs.end());
  auto put = [&](Run run) {
    if (!runs.empty() && runs.back().end == run.begin && runs.back().epoch == run.epoch)
      runs.back().end = run.end;
    else
      runs.push_back(run);
  };
  auto next = behind.begin();
  for (uint32_t number : late) {
    for (; next != behind.end() && next->end <= number; ++next)
      put(*next);
    bool known = next != behind.end() && next->begin <= number; // stored before
    if (!known && (runs.empty() || runs.back().end <= number))
      put({number, number + 1, epoch});
  }
  std::for_each(next, behind.end(), put);
}

uint32_t ScopeShadow::merge(const uint32_t *stamps, uint32_t count) {
  uint32_t only = 0, distinct = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (stamps[i] == 0 || stamps[i] == only)
      continue;
    if (stamps[i] == kAnyStamp)
      return kAnyStamp;
    only = stamps[i];
    ++distinct;
  }
  if (distinct <= 1)
    return only;
  if (merges.size() >= kMaxMerges || members.size() + count > kMaxMembers)
    return kAnyStamp;
  uint32_t first = uint32_t(members.size()), latest = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (stamps[i] != 0) {
      members.push_back(stamps[i]);
      latest = std::max(latest, latestLoad(stamps[i]));
    }
  merges.push_back({nextNumber(), first, uint32_t(members.size()) - first, latest, 0});
  return kMergeBit | uint32_t(merges.size() - 1);
}

uint32_t ScopeShadow::mergeLoads(const LoopLoads &loads) {
  if (merges.size() >= kMaxMerges)
    return kAnyStamp;
  merges.push_back({nextNumber(), uint32_t(loopLoads.size()), kOfLoop, loads.last(), 0});
  loopLoads.push_back(loads);
  return kMergeBit | uint32_t(merges.size() - 1);
}

bool ScopeShadow::search(uint32_t load, bool all) {
  visited.resize(merges.size());
  ++query;
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    if (!(at & kMergeBit)) {
      if (all)
        derived.push_back(at);
      else if (at == load)
        return true;
      continue;
    }
    // What a merge contains has lower numbers: older ones cannot hold the load.
    const Merge &merge = merges[at & ~kMergeBit];
    if (merge.number < load || std::exchange(visited[at & ~kMergeBit], query) == query)
      continue;
    if (merge.count == kOfLoop) {
      const LoopLoads &loads = loopLoads[merge.members];
      if (all)
        loads.forEach([&](uint32_t number) { derived.push_back(number); });
      else if (loads.contain(load))
        return true;
      continue;
    }
    stack.insert(stack.end(), members.begin() + merge.members, members.begin() + merge.members + merge.count);
  }
  return false;
}

bool ScopeShadow::derives(Request &request, uint32_t load) {
  // A few loads are looked up one by one, which is short for recent ones; for
  // many, everything the store derives from is listed once.
  constexpr uint32_t kSingleSearches = 4;
  if (request.searches <= kSingleSearches)
    stack.assign(request.stamps, request.stamps + request.stampCount);
  if (request.searches < kSingleSearches) {
    ++request.searches;
    return search(load, false);
  }
  if (request.searches == kSingleSearches) {
    ++request.searches;
    derived.clear();
    search(0, true);
    std::sort(derived.begin(), derived.end());
  }
  return std::binary_search(derived.begin(), derived.end(), load);
}

} // namespace ptoscope
