//===- FlagSlips.cpp - sets and waits that were meant for each other ------===//

#include "ptoscope/Machine/FlagSlips.h"
#include "ptoscope/Machine/Sentences.h"

#include <bit>

namespace ptoscope {

namespace {

/// The text names every id of the pair, and it is `.pto`: of C++ only what has run
/// is known.
bool isKnown(const SiteTable &sites, Pipe src, Pipe dst) { return !sites.isCpp() && !sites.events(src, dst).computed; }

/// `id` if it is among `ids`, otherwise the lowest one; -1 when there is none.
int64_t nearest(uint32_t ids, int64_t id) {
  if (ids == 0)
    return -1;
  return ids >> id & 1 ? id : std::countr_zero(ids);
}

std::string pairText(Pipe src, Pipe dst) { return std::string(nameOf(src)) + " -> " + std::string(nameOf(dst)); }

} // namespace

std::optional<FlagSlip> slipOfWait(const SiteTable &sites, Pipe src, Pipe dst, int64_t id) {
  if (!isKnown(sites, src, dst) || !isKnown(sites, dst, src))
    return std::nullopt;
  NamedIds own = sites.events(src, dst), reverse = sites.events(dst, src);
  SiteId wait = own.waitedAt[size_t(id)];
  if (wait == kNoSite || own.set >> id & 1)
    return std::nullopt;
  if (reverse.lost() >> id & 1)
    return FlagSlip{dst, src, src, dst, id, id, reverse.setAt[size_t(id)], wait};
  if (int64_t other = nearest(own.lost(), id); other >= 0)
    return FlagSlip{src, dst, src, dst, other, id, own.setAt[size_t(other)], wait};
  return std::nullopt;
}

std::optional<FlagSlip> slipOfOrder(const SiteTable &sites, Pipe src, Pipe dst) {
  if (!isKnown(sites, src, dst) || !isKnown(sites, dst, src))
    return std::nullopt;
  NamedIds own = sites.events(src, dst), reverse = sites.events(dst, src);
  if (!own.lost() && !own.unset()) {
    const int64_t id = nearest(own.lostByTurns(), 0);
    return id < 0 ? std::nullopt
                  : std::optional(FlagSlip{src, dst, src, dst, id, id, own.turnSetAt[size_t(id)], kNoSite, true});
  }
  // The set is right and the wait is reversed; or the other way round.
  for (int64_t id = 0; id < kEventIds; ++id) {
    if (own.lost() >> id & 1 && reverse.unset() >> id & 1)
      return FlagSlip{src, dst, dst, src, id, id, own.setAt[size_t(id)], reverse.waitedAt[size_t(id)]};
    if (own.unset() >> id & 1 && reverse.lost() >> id & 1)
      return FlagSlip{dst, src, src, dst, id, id, reverse.setAt[size_t(id)], own.waitedAt[size_t(id)]};
  }
  int64_t set = nearest(own.lost(), 0);
  if (set < 0)
    return std::nullopt;
  int64_t wait = nearest(own.unset(), set);
  return FlagSlip{src,
                  dst,
                  src,
                  dst,
                  set,
                  wait < 0 ? set : wait,
                  own.setAt[size_t(set)],
                  wait < 0 ? kNoSite : own.waitedAt[size_t(wait)]};
}

std::string slipText(const SiteTable &sites, const FlagSlip &slip) {
  std::string setId = "EVENT_ID" + std::to_string(slip.setId), set = pairText(slip.setSrc, slip.setDst);
  if (slip.wait == kNoSite)
    return (slip.byTurns ? say::kSlipTurns : say::kSlipUnwaited)(set + ", " + setId);
  Place at = sites.placeOf(slip.set);
  return slip.reversed() ? say::kSlip(at, set, pairText(slip.waitSrc, slip.waitDst), setId)
                         : say::kSlip(at, setId, "EVENT_ID" + std::to_string(slip.waitId), set);
}

std::string slipHelp(const SiteTable &sites, const FlagSlip &slip) {
  return (slip.reversed() ? say::kSlipReversedHelp : say::kSlipIdHelp)(sites.placeOf(slip.set),
                                                                       sites.placeOf(slip.wait));
}

} // namespace ptoscope
