//===- Popped.cpp - tiles whose place was popped again --------------------===//
//
// FIFO-23: a popped tile is the entry, or lies in a landing place, until a later pop
// puts another one there. Instructions on these bytes may all be in order, and a read
// by the old tile still gets what belongs to the new one. Tiles know which pop gave
// them their place, so that this can be told from a read by the new one. What was
// freed and is being filled again, but was not popped yet, is a race of cores.
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"
#include "Issuer.h"
#include "ptoscope/Machine/QueueSentences.h"

namespace ptoscope::tile {

static bool reads(Role role) {
  return role == Role::Read || role == Role::Copy || role == Role::Update || role == Role::Index;
}
static bool writes(Role role) { return role == Role::Write || role == Role::Update || role == Role::Scratch; }

uint32_t Issuer::notePop(const TileRef &tile, SiteId site, bool again) {
  Landing *landing = nullptr;
  for (Landing &known : landings)
    if (known.location == tile.location && known.address == tile.address)
      landing = &known;
  if (landing && landing->pop && again)
    return landing->pop;
  if (!landing)
    landing = &landings.emplace_back(Landing{tile.location, tile.address, 0});
  if (++lastPop == 0)
    ++lastPop;
  landing->pop = lastPop;
  pops[lastPop % kPopsKept] = {site, lastPop};
  return lastPop;
}

int32_t Issuer::checkPopped(Call &call, SiteId site) {
  int32_t status = 0;
  for (const bool written : {false, true})
    for (size_t i = 0; i < call.operands.tiles; ++i) {
      TileRef &tile = call.operands.tile[i].ref;
      const Role role = call.record->tile[i].role;
      if (tile.storage == 0 || !(written ? writes(role) : reads(role)))
        continue;
      for (Landing &landing : landings) {
        if (landing.location != tile.location || landing.address != tile.address || landing.pop == tile.storage)
          continue;
        if (written) {
          landing.pop = 0; // both tiles name what is written now
        } else if (landing.pop && checksRaces(core) && !isLeftOut(tile)) {
          const Pop &old = pops[tile.storage % kPopsKept], &now = pops[landing.pop % kPopsKept];
          auto textOf = [&](const Pop &pop, uint32_t number) {
            return pop.number == number ? placeText(core, pop.site) : std::string(say::kEarlierLine);
          };
          status = reportAt(core, site,
                            say::kQueueStale(nameOf(call, i), textOf(old, tile.storage), textOf(now, landing.pop)),
                            /*fatal=*/false);
        }
      }
    }
  // From here on the field says which storage is read.
  for (size_t i = 0; i < call.operands.tiles; ++i)
    call.operands.tile[i].ref.storage = 0;
  return status;
}

} // namespace ptoscope::tile
