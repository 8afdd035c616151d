//===- CoreGroup.cpp - turns of cores that run together -------------------===//
//
// The fixed order is block by block: the cores of a block take turns until none
// of them moves, then the next block goes on. Blocks meet only at all-core
// barriers, so that each phase between two barriers runs in block order, and
// atomic updates are applied in that order too.
//
//===----------------------------------------------------------------------===//

#include "Group/CoreGroup.h"

#include <algorithm>
#include <numeric>

namespace ptoscope {

/// Rounds a block gets before the next one, if its cores keep moving: bounds
/// how long a block that polls global memory keeps others from writing it.
static constexpr unsigned kRoundsOfABlock = 4096;

bool CoreGroup::run(const std::vector<Member> &members, const uint64_t *kernelArguments, Schedule schedule,
                    uint64_t block) {
  arguments = kernelArguments;
  for (Place &place : places)
    spare.push_back(std::move(place.fiber));
  places.clear();
  places.resize(members.size());
  effects = activity = 0;
  barriers.clear();
  random.seed(schedule.seed, block, kCoresPerBlock);
  for (size_t i = 0; i < members.size(); ++i) {
    Place &place = places[i];
    place.core = members[i].core;
    place.program = members[i].program;
    if (spare.empty()) {
      place.fiber = std::make_unique<Fiber>();
    } else {
      place.fiber = std::move(spare.back());
      spare.pop_back();
    }
    if (!place.fiber->prepare(&CoreGroup::enter, this))
      return false;
  }
  left = places.size();
  order.resize(places.size());
  std::iota(order.begin(), order.end(), size_t(0));

  while (left > 0) {
    bool anyTurn = false;
    if (schedule.kind == ScheduleKind::Random) {
      anyTurn = sweepRandomly();
    } else {
      for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
        while (end < places.size() && places[end].core->setup.block == places[begin].core->setup.block)
          ++end;
        anyTurn |= sweepBlock(begin, end);
      }
    }
    if (!anyTurn)
      deadlock();
  }
  return true;
}

void CoreGroup::enter(void *argument) {
  auto *group = static_cast<CoreGroup *>(argument);
  Place &place = *group->current;
  place.core->run(place.program, group->arguments);
}

bool CoreGroup::mayMove(const Place &place) const {
  return !place.ended && (place.last != TurnEnd::Blocked || place.triedAt != effects || place.core->report.stopped);
}

bool CoreGroup::turn(Place &place) {
  uint64_t before = place.core->effects();
  current = &place;
  {
    FaultScope faults(place.core->guarded);
    place.fiber->resume();
  }
  current = nullptr;
  place.ended = !place.fiber->running();
  left -= place.ended;
  bool effect = place.ended || place.core->effects() != before;
  effects += effect;
  // Its own effects are no reason to try again: it went on until it was blocked.
  place.triedAt = effects;
  if (effect || place.last == TurnEnd::Ready) {
    ++activity;
    ++place.activity;
  }
  return effect;
}

bool CoreGroup::sweepBlock(size_t begin, size_t end) {
  bool anyTurn = false;
  for (unsigned round = 0; round < kRoundsOfABlock; ++round) {
    bool moved = false;
    for (size_t i = begin; i < end; ++i)
      if (mayMove(places[i])) {
        anyTurn = true;
        moved |= turn(places[i]);
        if (places[i].last == TurnEnd::Aside && !places[i].ended)
          return true;
      }
    if (!moved)
      break;
  }
  return anyTurn;
}

bool CoreGroup::sweepRandomly() {
  bool anyTurn = false;
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
  for (size_t i : order)
    if (mayMove(places[i])) {
      anyTurn = true;
      turn(places[i]);
    }
  return anyTurn;
}

void CoreGroup::endTurn(TurnEnd end) {
  current->last = end;
  current->fiber->suspend();
}

uint64_t CoreGroup::activityOfOthers(const Core &core) const {
  for (const Place &place : places)
    if (place.core == &core)
      return activity - place.activity;
  return activity;
}

void CoreGroup::stop() {
  for (Place &place : places)
    place.core->report.stopped = true;
}

// --- all-core barriers ------------------------------------------------------------

static bool takesPart(const Core &core, uint32_t kind) {
  return kind == PTO_SYNC_MIX || core.kind == CoreKind::Unified ||
         (core.kind == CoreKind::AIC) == (kind == PTO_SYNC_AIC_ONLY);
}

int64_t CoreGroup::rankOf(const Core &core, uint32_t kind) const {
  int64_t rank = 0;
  for (const Place &place : places) {
    bool member = place.core->setup.device() == core.setup.device() && takesPart(*place.core, kind);
    if (place.core == &core)
      return member ? rank : -1;
    rank += member;
  }
  return -1;
}

int64_t CoreGroup::participants(uint32_t kind) const {
  int64_t device = current->core->setup.device();
  return std::count_if(places.begin(), places.end(), [&](const Place &place) {
    return place.core->setup.device() == device && takesPart(*place.core, kind);
  });
}

uint32_t CoreGroup::barrierOf(uint32_t kind, int64_t usedCores) {
  AllCores wanted;
  wanted.kind = kind;
  wanted.usedCores = std::max<int64_t>(usedCores, 0);
  return numberOf(wanted);
}

uint32_t CoreGroup::channelOf(uint32_t kind, int64_t slot) {
  AllCores wanted;
  wanted.kind = kind;
  wanted.slot = slot;
  return observedAs(numberOf(wanted));
}

uint32_t CoreGroup::counterOf(const void *counter, int64_t participants) {
  AllCores wanted;
  wanted.usedCores = participants;
  wanted.counter = counter;
  // What earlier launches counted; of each of its own rounds the operations know.
  wanted.completed = uint64_t(*static_cast<const int32_t *>(counter) / participants);
  return numberOf(wanted);
}

uint32_t CoreGroup::numberOf(AllCores wanted) {
  wanted.device = current->core->setup.device();
  for (size_t i = 0; i < barriers.size(); ++i)
    if (barriers[i].device == wanted.device && barriers[i].kind == wanted.kind &&
        barriers[i].usedCores == wanted.usedCores && barriers[i].slot == wanted.slot &&
        barriers[i].counter == wanted.counter)
      return uint32_t(i);
  barriers.push_back(std::move(wanted));
  return uint32_t(barriers.size() - 1);
}

uint32_t CoreGroup::observedAs(uint32_t number) const {
  return uint32_t(std::count_if(barriers.begin(), barriers.begin() + number,
                                [&](const AllCores &other) { return other.device == barriers[number].device; }));
}

bool CoreGroup::isOf(size_t i, uint32_t kind) const { return takesPart(*places[i].core, kind); }

uint64_t CoreGroup::rounds(int64_t device, uint32_t kind, int64_t slot) const {
  uint64_t least = UINT64_MAX;
  for (const Place &place : places)
    if (const Core &core = *place.core; core.setup.device() == device && takesPart(core, kind))
      least = std::min(least, core.setup.cluster->at({core.id.index, slot}).senders[core.id.index].done);
  return least;
}

bool CoreGroup::missing(size_t i, uint32_t number) const {
  const AllCores &barrier = barriers[number];
  if (barrier.arrived.empty() || barrier.arrived[i] || places[i].core->setup.device() != barrier.device)
    return false;
  int64_t rank = rankOf(*places[i].core, barrier.kind);
  return rank >= 0 && (barrier.usedCores == 0 || rank < barrier.usedCores);
}

void CoreGroup::arrive(uint32_t number, SiteId site) {
  AllCores &barrier = barriers[number];
  if (barrier.arrived.empty()) {
    barrier.arrived.resize(places.size());
    barrier.site = site;
  }
  barrier.arrived[size_t(current - places.data())] = 1;
  for (size_t i = 0; i < places.size(); ++i)
    if (missing(i, number))
      return;
  ++barrier.completed;
  barrier.arrived.clear();
}

} // namespace ptoscope
