//===- ScopeOrder.cpp - the order inside one execution of a scope ---------===//

#include "ScopeOrder.h"

#include <algorithm>
#include <bit>

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

std::vector<uint32_t> ScopeOrder::loadsOf(uint32_t store) const {
  std::vector<uint32_t> stack = list[store].from, loads;
  std::vector<bool> seen(stamps.size() + 1);
  while (!stack.empty()) {
    uint32_t stamp = stack.back();
    stack.pop_back();
    if (stamp == 0 || stamp > stamps.size() || seen[stamp])
      continue;
    seen[stamp] = true;
    if (stamps[stamp - 1].load)
      loads.push_back(*stamps[stamp - 1].load);
    stack.insert(stack.end(), stamps[stamp - 1].parts.begin(), stamps[stamp - 1].parts.end());
  }
  return loads;
}

bool ScopeOrder::covers(uint32_t fence, uint32_t a, uint32_t b) const {
  const Step &f = list[fence];
  return f.isFence && a < fence && fence < b && (f.classes.prior & list[a].accessClass) &&
         (f.classes.later & list[b].accessClass);
}

std::vector<uint32_t> ScopeOrder::chain(uint32_t a, uint32_t b) const {
  for (uint32_t k = a + 1; k < b; ++k) // mostly it is one fence
    if (covers(k, a, b))
      return {a, k, b};
  constexpr uint32_t kNone = ~0u;
  std::vector<uint32_t> before(b + 1 - a, kNone); // step that leads to each, from `a` on
  auto via = [&](uint32_t step) -> uint32_t & { return before[step - a]; };
  uint32_t firstOf[4] = {kNone, kNone, kNone, kNone}, fenceFor[4] = {kNone, kNone, kNone, kNone}; // by class
  auto note = [&](uint32_t access) {
    uint32_t &first = firstOf[std::countr_zero(unsigned(list[access].accessClass))];
    first = std::min(first, access);
  };
  note(a);
  for (uint32_t at = a + 1; at <= b; ++at) {
    const Step &step = list[at];
    if (step.isFence) {
      for (unsigned c = 0; c < 4; ++c)
        if (step.classes.prior >> c & 1 && firstOf[c] != kNone)
          via(at) = firstOf[c];
      for (unsigned c = 0; c < 4 && via(at) != kNone; ++c)
        if (step.classes.later >> c & 1 && fenceFor[c] == kNone)
          fenceFor[c] = at;
      continue;
    }
    if (isScalar(step.accessClass)) // by the first scalar access that is reached
      via(at) = std::min(firstOf[2], firstOf[3]);
    if (uint32_t fence = fenceFor[std::countr_zero(unsigned(step.accessClass))]; fence != kNone)
      via(at) = fence;
    if (via(at) == kNone && isStore(step.accessClass))
      for (uint32_t load : loadsOf(at))
        if (load == a || (load > a && via(load) != kNone))
          via(at) = load;
    if (via(at) != kNone)
      note(at);
  }
  if (via(b) == kNone)
    return {};
  std::vector<uint32_t> steps = {b};
  while (steps.back() != a)
    steps.push_back(via(steps.back()));
  std::reverse(steps.begin(), steps.end());
  return steps;
}

} // namespace ptoscope::mutate
