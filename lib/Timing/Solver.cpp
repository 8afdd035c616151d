//===- Solver.cpp - costs, changes and meetings of a solution -------------===//

#include "Solver.h"

#include <algorithm>

namespace ptoscope::timing {

DeedCosts::DeedCosts(const LaunchRecord &record, const KernelImage &image, const Model &model, double readers,
                     bool wantsShares) {
  const Deeds &deeds = record.deeds;
  Work sync, scope;
  sync.timing = Timing::sync;
  scope.timing = Timing::scope;
  const Cost ofSync = model.costOf(sync);
  const double scalarGm = model["scalar.gm"], scalarLocal = model["scalar.local"];
  const double lineWait = model["gm.shared"] * (readers - 1);
  for (uint32_t i = 0; i < deeds.deeds.size(); ++i) {
    const Deed &deed = deeds.deeds[i];
    Entry entry;
    entry.deed = deed;
    auto take = [&](const Cost &cost) {
      entry.busy = cost.busy;
      entry.latency = cost.latency;
      entry.gmBytes = double(cost.gmBytes);
      entry.overhead = cost.overhead;
      entry.restart = cost.restart;
      entry.writesGm = cost.writesGm;
    };
    switch (deed.act) {
    case Act::None:
      break;
    case Act::Work:
    case Act::StartEngine: {
      const Work &work = deeds.works[deed.work];
      take(model.costOf(work));
      if (work.kind == Work::Kind::Transfer && work.from == Space::Gm && work.bytes) { // TIME-53
        const uint64_t bursts = std::max<uint64_t>(work.bursts, 1), length = (work.bytes + bursts - 1) / bursts;
        const double wait = double(bursts * ((length + GmLines::kLineBytes - 1) / GmLines::kLineBytes)) * lineWait;
        entry.busy += wait;
        entry.overhead += wait;
      }
      entry.bytes = work.bytes;
      entry.from = work.from;
      entry.to = work.to;
      break;
    }
    case Act::Scope: {
      const ScopeRun &run = deeds.scopes[deed.work];
      const ScopeSchedule *schedule = image.scopes ? image.scopes->find(run.site) : nullptr;
      if (!schedule || run.turns.empty()) {
        take(model.costOf(scope));
        break;
      }
      take(costOfScope(model, *schedule, run.turns));
      if (wantsShares) {
        entry.scope = uint32_t(shares.size());
        shares.push_back({sharesOfScope(model, *schedule, run.turns), instructionsOfScope(*schedule, run.turns)});
      }
      break;
    }
    case Act::ScalarAccess:
      entry.busy = deed.space == Space::Gm ? scalarGm : scalarLocal;
      break;
    default:
      take(ofSync);
      break;
    }
    entries.push_back(entry);
  }
}

Edits::Edits(const Change &change) : share(change.share) {
  for (SiteId site : change.dropped)
    mark(site, kDropped);
  for (SiteId site : change.oneEarlier)
    mark(site, kOneEarlier);
  for (const auto &[site, cycles] : change.shorter) {
    mark(site, kShorter);
    less[site] += cycles;
  }
}

void Edits::mark(SiteId site, uint8_t bit) {
  if (site == kNoSite)
    return;
  if (site >= bits.size())
    bits.resize(site + 1);
  bits[site] |= bit;
  any = true;
}

const Stamp *Meeting::complete(uint32_t channel, uint64_t number) const {
  auto round = rounds.find({channel, number});
  auto expected = record->arrivals.find({channel, number});
  return round != rounds.end() && expected != record->arrivals.end() && round->second.count >= expected->second
             ? &round->second.last
             : nullptr;
}

const Stamp *Meeting::launchSet(uint32_t channel, uint64_t number) const {
  auto round = launchRounds.find({channel, number});
  auto expected = record->launchSetters.find(channel);
  return round != launchRounds.end() && expected != record->launchSetters.end() &&
                 round->second.count >= expected->second
             ? &round->second.last
             : nullptr;
}

} // namespace ptoscope::timing
