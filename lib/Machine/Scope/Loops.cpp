//===- Loops.cpp - accesses of a loop, checked before it runs -------------===//
//
// A loop that moves whole registers or halves of them by a fixed stride says
// before its first turn what it will touch. Turns that are inside the memory, do
// not touch each other's bytes and have nothing to report run without checks.
//
//===----------------------------------------------------------------------===//

#include "Scope/LoopOrder.h"
#include "Scope/ScopeUnit.h"

#include "ptoscope/Machine/LoopRuntime.h"

#include <algorithm>

namespace ptoscope {

/// For less, telling them one by one costs no more.
static constexpr uint64_t kFewestTurns = 2;

uint64_t ScopeUnit::checkLoop(const PtoLoopPlan &plan, uint64_t turns, const int64_t *places, const uint32_t *stamps,
                              uint32_t *carried) {
  if (turns < kFewestTurns || onlooker || !running || report->stopped)
    return 0;
  const auto *planned = reinterpret_cast<const PtoLoopAccess *>(&plan + 1);
  const auto *values = reinterpret_cast<const PtoLoopValue *>(planned + plan.accessCount);
  std::array<LoopAccess, PTO_MAX_LOOP_ACCESSES> room;
  const std::span<LoopAccess> accesses(room.data(), plan.accessCount);
  for (uint32_t i = 0; i < plan.accessCount; ++i) {
    const PtoLoopAccess &from = planned[i];
    const uint64_t address = uint32_t(places[2 * i]), bytes = from.windowBytes;
    const int64_t stride = places[2 * i + 1];
    const uint64_t unit = bytes % kVectorBytes == 0 ? kVectorBytes : kVectorBytes / 2;
    if (stride < int64_t(bytes) || (address | uint64_t(stride) | bytes) % unit != 0 || address + bytes > ubBytes())
      return 0;
    accesses[i] = {from.site, from.writes != 0, from.windowBytes, address, uint64_t(stride), from.loads, from.stamps};
    turns = std::min(turns, (ubBytes() - bytes - address) / uint64_t(stride) + 1);
  }
  if (turns < kFewestTurns)
    return 0;
  for (size_t j = 1; j < accesses.size(); ++j)
    for (size_t i = 0; i < j; ++i)
      if (!areOrdered(accesses, i, j, turns))
        return 0;
  std::array<LoopValue, PTO_MAX_LOOP_VALUES> results;
  for (uint32_t i = 0; i < plan.carriedCount; ++i)
    results[i] = {values[i].loads, values[i].stamps, 0};
  const ScopeLoop loop{
      accesses, {stamps, plan.stampCount}, std::span(results.data(), plan.carriedCount), turns, plan.depth};
  const uint64_t noted = observer ? observer->scopeLoop(scopeInstr, loop) : turns; // bounds were all there was to check
  for (uint32_t i = 0; i < plan.carriedCount; ++i)
    carried[i] = results[i].stamp;
  vectorAccesses += noted * plan.accessCount;
  return noted;
}

} // namespace ptoscope
