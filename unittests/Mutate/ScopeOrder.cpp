//===- ScopeOrder.cpp - the order inside one execution of a scope ---------===//

#include "ScopeOrder.h"

#include <algorithm>

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
  AccessClass prior = list[a].accessClass, later = list[b].accessClass;
  if ((isScalar(prior) && isScalar(later)) || (isStore(later) && !isStore(prior) && derives(b, a)))
    return {a, b};
  for (uint32_t k = a + 1; k < b; ++k)
    if (covers(k, a, b))
      return {a, k, b};
  return {};
}

} // namespace ptoscope::mutate
