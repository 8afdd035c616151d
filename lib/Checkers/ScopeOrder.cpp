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
  Run last = runs.back();
  // True when the number is in the last run, or now is.
  auto joins = [&](uint32_t number) {
    bool next = number == last.end && last.epoch == epoch;
    last.end += next;
    return next || number - last.begin < last.end - last.begin;
  };
  auto add = [&](uint32_t stamp, uint32_t number) {
    runs.back() = last;
    stamp ? addStamp(stamp) : addToRuns(number);
    last = runs.back();
  };
  for (const uint32_t *at = pending.data(), *end = at + pendingWords; at != end;) {
    uint32_t number = at[0], count = at[1];
    at += 2;
    for (const uint32_t *stop = at + count; at != stop; ++at) {
      uint32_t stamp = *at;
      if (stamp & kMergeBit) {
        add(stamp, 0);
      } else if (stamp) {
        latestStored = std::max(latestStored, stamp);
        if (!joins(stamp))
          add(0, stamp);
      }
    }
    if (!joins(number))
      add(0, number);
  }
  runs.back() = last;
  pendingWords = 0;
}

void ScopeShadow::addStamp(uint32_t stamp) {
  if (stamp == kAnyStamp) {
    latestStored = next;
    runs.assign(1, {0, next, 0});
    return;
  }
  latestStored = std::max(latestStored, latestLoad(stamp));
  if (!(stamp & kMergeBit))
    return addToRuns(stamp);
  stack.assign(1, stamp);
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    if (!(at & kMergeBit)) {
      addToRuns(at);
      continue;
    }
    Merge &merge = merges[at & ~kMergeBit];
    if (merge.stored)
      continue;
    merge.stored = 1;
    // Taken from the end: rising numbers mostly follow the last run.
    stack.push_back(merge.number);
    for (uint32_t i = merge.count; i-- > 0;)
      stack.push_back(members[merge.members + i]);
  }
}

/// Adds a number that does not follow the last run. Mostly it is a recent one.
void ScopeShadow::addElsewhere(uint32_t number) {
  auto after = runs.end();
  while (after != runs.begin() && std::prev(after)->begin > number)
    if (runs.end() - --after == 16) {
      after = std::upper_bound(runs.begin(), after, number, [](uint32_t n, const Run &run) { return n < run.begin; });
      break;
    }
  if (after != runs.begin() && number < std::prev(after)->end)
    return; // stored before
  bool extends = after != runs.begin() && std::prev(after)->end == number && std::prev(after)->epoch == epoch;
  bool precedes = after != runs.end() && after->begin == number + 1 && after->epoch == epoch;
  if (extends && precedes) {
    std::prev(after)->end = after->end;
    runs.erase(after);
  } else if (extends) {
    ++std::prev(after)->end;
  } else if (precedes) {
    --after->begin;
  } else {
    runs.insert(after, {number, number + 1, epoch});
  }
  if (runs.size() > kMaxRuns) {
    runs[kMaxRuns / 2] = {0, runs[kMaxRuns / 2].end, 0};
    runs.erase(runs.begin(), runs.begin() + kMaxRuns / 2);
  }
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
