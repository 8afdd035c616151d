//===- ScopeCost.cpp - what a vector scope costs --------------------------===//

#include "ScopeMachine.h"

#include <algorithm>

namespace ptoscope::timing {

static uint64_t turnsOf(std::span<const uint64_t> turns, size_t region) {
  return region == 0 ? 1 : region < turns.size() ? turns[region] : 0;
}

/// A2, A3: a repeat for each executed instruction; a scope that only copies is as fast as its
/// stores.
static double repeatsOf(const ScopeFigures &figures, const ScopeSchedule &schedule, std::span<const uint64_t> turns) {
  double computed = 0, stored = 0;
  for (size_t i = 0; i < schedule.regions.size(); ++i)
    for (const ScopeInstr &instr : schedule.regions[i].instructions) {
      const auto times = double(turnsOf(turns, i));
      computed += times * figures.cyclesOf(instr);
      stored += times * figures.storesOf(instr);
    }
  return std::max(computed, stored);
}

Cost costOfScope(const Model &model, const ScopeSchedule &schedule, std::span<const uint64_t> turns) {
  const ScopeFigures figures(model);
  if (!figures.isScheduled)
    return {figures.start + repeatsOf(figures, schedule, turns), figures.drain};
  const Tick ticks = ScopeMachine(figures, schedule, turns).run();
  return {figures.start + double(ticks) / double(kCycle) + figures.drain};
}

std::vector<std::pair<SiteId, double>> sharesOfScope(const Model &model, const ScopeSchedule &schedule,
                                                     std::span<const uint64_t> turns) {
  const ScopeFigures figures(model);
  const double total = costOfScope(model, schedule, turns).busy;
  const double overhead = std::min(total, figures.isScheduled ? figures.start + figures.drain : figures.start);
  std::vector<std::pair<SiteId, double>> shares;
  double sum = 0;
  auto add = [&](SiteId site, double weight) {
    shares.push_back({site, weight});
    sum += weight;
  };
  for (size_t i = 0; i < schedule.regions.size(); ++i) {
    const ScopeRegion &region = schedule.regions[i];
    const uint64_t entered = turnsOf(turns, i);
    if (entered == 0)
      continue;
    if (region.isLoop && figures.isScheduled)
      add(region.site,
          double(figures.leave) / double(kCycle) * double(std::min(entered, turnsOf(turns, region.parent))));
    for (const ScopeInstr &instr : region.instructions)
      add(instr.site, double(entered) * (figures.isScheduled ? figures.operationOf(instr).weight
                                                             : figures.cyclesOf(instr) + figures.storesOf(instr)));
  }
  for (auto &[site, share] : shares)
    share *= sum > 0 ? (total - overhead) / sum : 0;
  shares.insert(shares.begin(), {schedule.site, sum > 0 ? overhead : total});
  return shares;
}

uint64_t instructionsOfScope(const ScopeSchedule &schedule, std::span<const uint64_t> turns) {
  uint64_t count = 0;
  for (size_t i = 0; i < schedule.regions.size(); ++i)
    count += turnsOf(turns, i) * schedule.regions[i].instructions.size();
  return count;
}

} // namespace ptoscope::timing
