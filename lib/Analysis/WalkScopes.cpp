//===- WalkScopes.cpp - bytes a vector scope touches ----------------------===//
//
// A scope is one instruction of PIPE_V. Its loops are looked at once for all
// turns: addresses are sums over turns. Values that a loop carries are those of
// its first turn, and so is what is said of them.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "ptoscope/Dialect/PTO/PTO.h"

using namespace mlir;

namespace ptoscope {

void ProgramWalk::visitScope(Operation *scope) {
  if (auto strict = dyn_cast<pto::StrictVecScopeOp>(scope))
    values.set(strict->getRegion(0).getArguments(), values.get(strict->getOperands()));
  SmallVector<Piece, 2> pieces;
  scanScope(scope->getRegion(0), true, pieces);
  if (boundsOnly)
    return;
  ModelEntry work = entry(ModelEntry::Work, Pipe::V, *scope);
  work.pieces = std::move(pieces);
  model.issue(std::move(work));
}

/// `sure`: executed whenever the scope is.
void ProgramWalk::scanScope(Region &region, bool sure, SmallVectorImpl<Piece> &pieces) {
  if (region.empty())
    return;
  for (Operation &op : region.front()) {
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      scanLoop(inner, sure, pieces);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::optional<int64_t> condition = values.constant(branch.getCondition());
      if (!condition || *condition)
        scanScope(branch.getThenRegion(), sure && condition, pieces);
      if (!condition || !*condition)
        scanScope(branch.getElseRegion(), sure && condition, pieces);
      values.set(branch.getResults(), Numbers(branch.getNumResults()));
    } else if (isa<scf::WhileOp>(op)) {
      for (Region &inner : op.getRegions()) {
        values.set(inner.getArguments(), Numbers(inner.getNumArguments()));
        scanScope(inner, false, pieces);
      }
      values.set(op.getResults(), Numbers(op.getNumResults()));
    } else {
      size_t before = pieces.size();
      footprints.access(&op, sure, certain(), pieces);
      if (!boundsOnly)
        report.looked(&op, pieces.size() > before);
      values.evaluate(&op);
    }
  }
}

void ProgramWalk::scanLoop(scf::ForOp own, bool sure, SmallVectorImpl<Piece> &pieces) {
  auto low = values.constant(own.getLowerBound()), high = values.constant(own.getUpperBound());
  auto step = values.constant(own.getStep());
  std::optional<int64_t> trips = low && high && step ? tripsOf(*low, *high, *step) : std::nullopt;
  Numbers carried = values.get(own.getInitArgs());
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
  scanScope(own.getRegion(), sure && trips, pieces);
  Numbers results(carried.size());
  if (trips == 1 && !own.getBody()->empty())
    results = values.get(own.getBody()->getTerminator()->getOperands());
  values.set(own.getResults(), results);
}

} // namespace ptoscope
