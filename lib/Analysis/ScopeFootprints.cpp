//===- ScopeFootprints.cpp - bytes a vector scope touches -----------------===//
//
// A scope is one instruction of PIPE_V. Its loops are looked at once for all
// turns: addresses are sums over turns. Values that a loop carries are those of
// its first turn, and so is what is said of them.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "Regions.h"

using namespace mlir;

namespace ptoscope {

void Footprints::scope(Operation *op, bool certain, bool counts, Pieces &pieces) {
  counting = counts && report;
  if (auto strict = dyn_cast<pto::StrictVecScopeOp>(op))
    values.set(strict->getRegion(0).getArguments(), values.get(strict->getOperands()));
  scan(op->getRegion(0), true, certain, pieces);
}

/// `sure`: executed whenever the scope is.
void Footprints::scan(Region &region, bool sure, bool certain, Pieces &pieces) {
  auto unknown = [](size_t count) { return SmallVector<MaybeKnown>(count); };
  if (region.empty())
    return;
  for (Operation &op : region.front()) {
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      scanLoop(inner, sure, certain, pieces);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::optional<int64_t> condition = values.constant(branch.getCondition());
      if (!condition || *condition)
        scan(branch.getThenRegion(), sure && condition, certain, pieces);
      if (!condition || !*condition)
        scan(branch.getElseRegion(), sure && condition, certain, pieces);
      values.set(branch.getResults(), unknown(branch.getNumResults()));
    } else if (isa<scf::WhileOp>(op)) {
      for (Region &inner : op.getRegions()) {
        values.set(inner.getArguments(), unknown(inner.getNumArguments()));
        scan(inner, false, certain, pieces);
      }
      values.set(op.getResults(), unknown(op.getNumResults()));
    } else {
      Fact problem;
      if (tiles.evaluate(&op, problem))
        continue;
      size_t before = pieces.size();
      access(&op, sure, certain, pieces);
      if (counting)
        report->looked(&op, llvm::any_of(llvm::drop_begin(pieces, before), [](const Piece &p) { return p.exact; }));
      values.evaluate(&op);
    }
  }
}

void Footprints::scanLoop(scf::ForOp own, bool sure, bool certain, Pieces &pieces) {
  auto low = values.constant(own.getLowerBound()), high = values.constant(own.getUpperBound());
  auto step = values.constant(own.getStep());
  std::optional<int64_t> trips = low && high && step ? tripsOf(*low, *high, *step) : std::nullopt;
  SmallVector<MaybeKnown> carried = values.get(own.getInitArgs());
  if (trips == 0)
    return values.set(own.getResults(), carried);
  MaybeKnown induction = values.get(own.getLowerBound());
  if (trips && *trips > 1)
    induction->terms.push_back({values.addLoop(*trips), *step});
  auto firstTurnOnly = [](MaybeKnown &number) {
    if (number) {
      number->firstTurn = true;
      number->terms.clear();
    }
  };
  if (!trips)
    firstTurnOnly(induction);
  if (trips != 1)
    llvm::for_each(carried, firstTurnOnly);
  values.set(own.getInductionVar(), induction);
  values.set(own.getRegionIterArgs(), carried);
  scan(own.getRegion(), sure && trips, certain, pieces);
  SmallVector<MaybeKnown> results(carried.size());
  if (trips == 1 && !own.getBody()->empty())
    results = values.get(own.getBody()->getTerminator()->getOperands());
  values.set(own.getResults(), results);
}

} // namespace ptoscope
