//===- ScopeOrder.cpp - the order inside one execution of a scope ---------===//

#include "ScopeOrder.h"

#include <algorithm>
#include <deque>

namespace ptoscope::mutate {

static bool isScalar(AccessClass c) { return c == ScalarLoad || c == ScalarStore; }
static bool isStore(AccessClass c) { return c == VectorStore || c == ScalarStore; }

uint32_t ScopeOrder::access(SiteId site, AccessClass accessClass, std::vector<uint32_t> from) {
  list.push_back({site, false, accessClass, {}, std::move(from)});
  return uint32_t(list.size() - 1);
}

void ScopeOrder::fence(SiteId site, Fence fence) { list.push_back({site, true, {}, classesOf(fence), {}}); }

uint32_t ScopeOrder::stampOf(uint32_t load) {
  stamps.push_back({load, {}});
  return uint32_t(stamps.size());
}

uint32_t ScopeOrder::merge(std::vector<uint32_t> parts) {
  std::erase(parts, 0u);
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.size() <= 1)
    return parts.empty() ? 0 : parts[0];
  stamps.push_back({std::nullopt, std::move(parts)});
  return uint32_t(stamps.size());
}

bool ScopeOrder::derives(uint32_t store, uint32_t load) const {
  std::vector<uint32_t> stack = list[store].from;
  std::vector<bool> seen(stamps.size() + 1);
  while (!stack.empty()) {
    uint32_t stamp = stack.back();
    stack.pop_back();
    if (stamp == 0 || stamp > stamps.size() || seen[stamp])
      continue;
    seen[stamp] = true;
    if (stamps[stamp - 1].load == load)
      return true;
    stack.insert(stack.end(), stamps[stamp - 1].parts.begin(), stamps[stamp - 1].parts.end());
  }
  return false;
}

bool ScopeOrder::covers(uint32_t fence, uint32_t a, uint32_t b) const {
  const Step &f = list[fence];
  return f.isFence && a < fence && fence < b && (f.classes.prior & list[a].accessClass) &&
         (f.classes.later & list[b].accessClass);
}

std::vector<uint32_t> ScopeOrder::chain(uint32_t a, uint32_t b) const {
  // Mostly one step does it.
  AccessClass prior = list[a].accessClass, later = list[b].accessClass;
  if ((isScalar(prior) && isScalar(later)) || (isStore(later) && !isStore(prior) && derives(b, a)))
    return {a, b};
  for (uint32_t k = a + 1; k < b; ++k)
    if (covers(k, a, b))
      return {a, k, b};
  // Otherwise any steps between the two, breadth first.
  std::vector<uint32_t> from(list.size(), ~0u);
  std::deque<uint32_t> queue{a};
  from[a] = a;
  while (!queue.empty() && from[b] == ~0u) {
    uint32_t at = queue.front();
    queue.pop_front();
    const Step &step = list[at];
    for (uint32_t k = at + 1; k <= b; ++k) {
      if (from[k] != ~0u)
        continue;
      const Step &next = list[k];
      bool edge = step.isFence   ? !next.isFence && (step.classes.later & next.accessClass)
                  : next.isFence ? (next.classes.prior & step.accessClass) != 0
                                 : (isScalar(step.accessClass) && isScalar(next.accessClass)) ||
                                       (isStore(next.accessClass) && !isStore(step.accessClass) && derives(k, at));
      if (edge) {
        from[k] = at;
        queue.push_back(k);
      }
    }
  }
  std::vector<uint32_t> path;
  if (from[b] == ~0u)
    return path;
  for (uint32_t at = b; at != a; at = from[at])
    path.push_back(at);
  path.push_back(a);
  std::reverse(path.begin(), path.end());
  return path;
}

} // namespace ptoscope::mutate
