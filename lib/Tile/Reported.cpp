//===- Reported.cpp - what is reported, then computed ---------------------===//
//
// REPORT-2 to REPORT-9: faults of a call that leave its result defined. Each is a
// finding; the call goes on without the part that is broken.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "Issuer.h"

#include "pto/detail/modes.hpp"
#include "ptoscope/Machine/ReportSentences.h"

#include <algorithm>
#include <atomic>

namespace ptoscope::tile {

bool isScratch(const Call &call, size_t i) {
  if (call.record->tile[i].role == Role::Scratch)
    return true;
  // The third tile of a move is one unless it has words of quantisation.
  const Meaning *meaning = call.meaning ? call.meaning : findMeaning(call.record->name);
  return i == 2 && meaning && meaning->footprint == &tmovFootprint &&
         MoveMode::unpack(call.operands.mode).quant != Quant::Vector;
}

Fact viewProblem(const Call &call) {
  const Operands &ops = call.operands;
  // Views that indices reach into have a shape of their own, convolution tiles have more
  // dimensions; in text what is moved was chosen before.
  if (!ops.hasGlobal || ops.isText() || call.record->gm == Gm::None || call.meaning->indexed ||
      call.meaning->footprint == &tloadconvFootprint)
    return {};
  const TileRef &first = ops.tile[0].ref;
  const GlobalRef &view = ops.global.ref;
  Coverage covered = coverage(view);
  // A pair of layouts that was let pass loosely: what the tile's orientation says.
  bool loose = (Layout(view.layout) == Layout::DN) != (BLayout(first.blockLayout) == BLayout::ColMajor) &&
               SLayout(first.innerLayout) == SLayout::NoneBox;
  if (loose && Layout(view.layout) == Layout::DN)
    covered = {view.shape[0] * view.shape[1] * view.shape[2] * view.shape[3], view.shape[4]};
  if (covered.rows == first.validRows && covered.cols == first.validCols)
    return {};
  return say::kViewDiffers(say::kShape(first.validRows, first.validCols), say::kShape(covered.rows, covered.cols));
}

//===----------------------------------------------------------------------===//
// Scratch tiles
//===----------------------------------------------------------------------===//

uint64_t Issuer::targetEnd(Space space, uint64_t address) const {
  return endOf(space, targetBytes ? targetBytes[size_t(space)] : localBytes(core, space), address);
}

/// A byte of tile `i`, a scratch tile, that another operand has too.
static Fact sharedScratch(const Call &call, size_t i, const Hulls &hulls, uint64_t begin, uint64_t end) {
  const Space space = spaceOf(call.operands.tile[i].ref.location);
  const size_t first = call.operands.hasGlobal && call.record->gm == Gm::Store; // operand number of tile 0
  const auto meets = [&](const DirectHull &hull) {
    return hull.space == space && hull.operand != i + first && hull.begin < end && begin < hull.end &&
           !isScratch(call, hull.operand - first);
  };
  if (std::none_of(hulls.all().begin(), hulls.all().end(), meets)) [[likely]]
    return {};
  std::vector<DirectRegion> regions;
  regionsOf(&call, regions);
  const Box own{begin, end - begin, {}};
  for (const DirectRegion &region : regions)
    if (uint64_t byte = 0; region.space == space && region.operand != i + first &&
                           !isScratch(call, region.operand - first) && region.box.overlaps(own, &byte))
      return say::kScratchShared(nameOf(call, i), nameOf(call, region.operand - first), byte, space);
  return {};
}

bool Issuer::checkScratch(Call &call, SiteId site, const Hulls &hulls) {
  Operands &ops = call.operands;
  bool changed = false;
  for (size_t i = 1; i < ops.tiles; ++i) {
    TileRef &tile = ops.tile[i].ref;
    if (!isScratch(call, i) || isLeftOut(tile))
      continue;
    const Space space = spaceOf(tile.location);
    const Hull hull = hullOf(tile, wholeTile(tile));
    const uint64_t begin = tile.address, end = begin + uint64_t(hull.end);
    Fact problem;
    if (const uint64_t limit = targetEnd(space, begin); end > limit)
      problem = say::kScratchOutside.as(say::boundsCode(space))(nameOf(call, i), space, begin, end - 1, limit);
    else
      problem = sharedScratch(call, i, hulls, begin, end);
    if (!problem.code) [[likely]]
      continue;
    leaveOut(tile);
    changed = true;
    if (reportAt(core, site, problem, /*fatal=*/false))
      break;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Memories of the target, and memory of the host
//===----------------------------------------------------------------------===//

/// Once in a program: nothing else would be new about it.
static bool isFirstUnbounded() {
  static std::atomic<bool> told = false;
  return !told.exchange(true);
}

bool Issuer::admitsHost(const Call &call, SiteId site, const Hulls &hulls) {
  const bool host = call.operands.isHost();
  for (const DirectHull &hull : hulls.all()) {
    const char *verb = say::readsOrWrites(hull.writes);
    if (hull.space == Space::Gm) {
      if (!call.operands.global.ref.pointer)
        return reportAt(core, site, say::kNullGm(), /*fatal=*/false), false;
      if (!isUnregistered(core, hull.begin)) [[likely]]
        continue;
      // Strides may be negative: what ends in a buffer has to begin there.
      if (hull.end > hull.begin && !isUnregistered(core, hull.end - 1)) {
        const GmObject *last = objectAt(core, hull.end - 1);
        return reportAt(core, site, say::kViewBeforeGm(verb, last->base - hull.begin, last->name), false), false;
      }
      if (!host)
        return reportAt(core, site, say::kUnregistered(verb, hull.end - hull.begin), /*fatal=*/false), false;
      if (isFirstUnbounded() && reportAt(core, site, say::kUnboundedGm(verb), /*fatal=*/false))
        return false;
      continue;
    }
    const uint64_t limit = targetEnd(hull.space, hull.begin);
    if (hull.end <= limit || (host && call.automatic)) [[likely]]
      continue;
    const auto &sentence = host ? say::kBeyondTarget : say::kOperandBounds;
    const Fact fact =
        sentence.as(say::boundsCode(hull.space))(hull.operand, verb, hull.space, hull.begin, hull.end - 1, limit);
    if ((memory || !host) && (reportAt(core, site, fact, /*fatal=*/false) || !host))
      return false;
  }
  return true;
}

} // namespace ptoscope::tile
