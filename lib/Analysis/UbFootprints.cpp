//===- UbFootprints.cpp - bytes a `ub` instruction touches ----------------===//
//
// The runtime says what a call touches whose numbers, addresses and mask are known
// (tile::ubFootprint). CTRL is not followed: where the program may enter count mode, how
// far an instruction gets is not known.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "ptoscope/Dialect/PTO/UbBinding.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

/// Some instruction of the program may set CTRL[56].
static bool mayCount(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  return op
      ->walk([](Operation *each) {
        return isa<UbSetMaskCountOp, SetCtrlOp>(each) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void Footprints::ubVector(Operation *op, const InstrInfo &info, bool certain, Pieces &pieces) {
  const UbBinding bound = bindUbVector(op, info);
  PtoUbVector call = bound.known;
  const Words &mask = registers[PTO_REG_VECTOR_MASK];
  bool known = mask.first && mask.second && !mayCount(op);
  auto read = [&](Value value, int64_t &number) {
    std::optional<int64_t> constant = values.constant(value);
    known &= constant.has_value();
    number = constant.value_or(0);
  };
  read(bound.repeat, call.repeat);
  for (size_t i = 0; i < call.pointers; ++i) {
    read(bound.block[i], call.block[i]);
    read(bound.step[i], call.step[i]);
    const Known *address = values.find(bound.address[i]);
    known &= address && address->terms.empty() && !address->firstTurn && !address->array && address->base >= 0;
    call.address[i] = known ? uint64_t(address->base) : 0;
  }
  tile::UbFootprint footprint;
  const uint32_t size = profile.bytes[size_t(Space::Ub)];
  if (known)
    footprint = tile::ubFootprint(call, {{uint64_t(*mask.first), uint64_t(*mask.second)}, false}, size);
  if (footprint.problem.code && report)
    report->problem(op, footprint.problem, certain);
  known &= !footprint.problem.code;
  for (const DirectHull &hull : footprint.hulls) {
    const bool misaligned = hull.begin % hull.alignment != 0;
    if (!misaligned && hull.end <= size)
      continue;
    known = false;
    if (report && misaligned)
      report->misaligned(op, Space::Ub, int64_t(hull.begin), hull.alignment, hull.writes, certain);
    else if (report)
      report->outOfBounds(op, Space::Ub, int64_t(hull.begin), int64_t(hull.end), int64_t(size), hull.writes, certain);
  }
  if (known)
    for (const DirectRegion &region : footprint.regions)
      box(op, region.box, uint32_t(Space::Ub), writes(region.role), true, false, pieces);
  else
    for (size_t i = 0; i < call.pointers; ++i)
      pieces.push_back(somewhere(op, uint32_t(Space::Ub), i == 0));
}

} // namespace ptoscope
