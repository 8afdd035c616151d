//===- WalkRegions.cpp - loops, branches and calls ------------------------===//
//
// What is said after a branch or a loop no one can follow to its end rests on
// two facts. The first turns of a loop happen as they are followed, whatever the
// number of turns. And knowledge only grows: a pipe that would learn more in
// further turns is told everything issued before the last turn that was looked at.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace ptoscope {

/// Turns that are looked at when a loop is not followed to its end: in the third
/// one a double buffer comes round.
static constexpr unsigned kTurns = 3;

bool ProgramWalk::affordable(uint64_t steps) {
  if (steps > slack)
    return false;
  slack -= steps;
  return true;
}

unsigned ProgramWalk::affordableTurns(uint64_t bodySize) {
  for (unsigned turns = kTurns; turns > 1; --turns)
    if (affordable((turns - 1) * bodySize))
      return turns;
  return 1;
}

ProgramWalk::Numbers ProgramWalk::visit(Region &region) {
  if (region.empty())
    return {};
  for (Operation &op : region.front()) {
    if (halted)
      return {};
    if (op.hasTrait<OpTrait::IsTerminator>())
      return values.get(op.getOperands());
    visit(op);
  }
  return {};
}

void ProgramWalk::visit(Operation &op) {
  if (pto::isScope(&op))
    visitScope(&op);
  else if (auto inner = dyn_cast<scf::ForOp>(op))
    visitFor(inner);
  else if (auto inner = dyn_cast<scf::WhileOp>(op))
    visitWhile(inner);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    visitIf(branch);
  else if (auto call = dyn_cast<func::CallOp>(op))
    visitCall(call);
  else if (isa<pto::SectionCubeOp, pto::SectionVectorOp>(op)) {
    if (isa<pto::SectionVectorOp>(op) == (role.kind == CoreKind::AIV))
      visit(op.getRegion(0));
  } else if (isa<pto::FusionRegionOp>(op)) {
    Numbers results = visit(op.getRegion(0));
    results.resize(op.getNumResults());
    values.set(op.getResults(), results);
  } else if (isa_and_nonnull<pto::PTODialect>(op.getDialect()))
    instruction(op);
  else
    values.evaluate(&op);
  if (brokenCycle) {
    brokenCycle = false;
    model.releaseStalled();
  }
  if (model.looked() > mostLooked && !halted) {
    halted = true;
    report.bounded(kernel);
  }
}

/// A region whose executions no one can count ends. `lastTurn` is what had been
/// issued before its last turn, for a loop that may have had more of them.
void ProgramWalk::leave(Region &region, uint32_t everything, const OrderClock *lastTurn) {
  if (boundsOnly || halted)
    return;
  const RegionEffects &effects = regions.effects(region);
  bool family = false;
  for (size_t src = 0; src < kPipeSlots; ++src)
    for (size_t dst = 0; effects.families[src] >> dst; ++dst)
      if (effects.families[src] >> dst & 1) {
        model.forgetFamily(Pipe(src), Pipe(dst));
        family = true;
      }
  for (const auto &[key, effect] : effects.flags)
    if (effect.net != 0 || effect.uneven)
      model.forget(key.src, key.dst, key.id);
  if (family || !effects.flags.empty() || effects.acquiring || effects.releases)
    model.releaseStalled();
  model.keepEverything(everything);
  if (lastTurn)
    model.raise(effects, *lastTurn);
  footprints.forgetRegisters(effects.registers);
  forgetTiles(region);
}

/// Those that the region changes, perhaps more than once.
void ProgramWalk::forgetTiles(Region &region) {
  for (Value tile : regions.effects(region).changed)
    values.set(tile, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A number that the end of a loop never exceeds: its own, or that of a minimum with an unknown one.
static std::optional<int64_t> mostOf(const Values &values, Value end) {
  Operation *op = end.getDefiningOp();
  if (values.constant(end) || !isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op))
    return values.constant(end);
  std::optional<int64_t> number = values.constant(op->getOperand(0));
  if (!number)
    number = values.constant(op->getOperand(1));
  return isa<arith::MinUIOp>(op) && number < 0 ? std::nullopt : number;
}

void ProgramWalk::visitFor(scf::ForOp own) {
  auto low = values.constant(own.getLowerBound()), high = values.constant(own.getUpperBound());
  auto step = values.constant(own.getStep());
  std::optional<int64_t> trips = low && high && step ? tripsOf(*low, *high, *step) : std::nullopt;
  std::optional<int64_t> end = mostOf(values, own.getUpperBound());
  std::optional<int64_t> most = low && end && step ? tripsOf(*low, *end, *step) : std::nullopt;
  Numbers carried = values.get(own.getInitArgs());
  Numbers unknown(carried.size());
  Region &body = own.getRegion();
  if (most == 0)
    return values.set(own.getResults(), carried);
  if (boundsOnly) {
    uint32_t outer = context;
    if (!trips)
      openContext();
    lookAtOnce(own, trips ? low : std::nullopt, step, trips.value_or(1));
    closeContext(outer);
    return values.set(own.getResults(), unknown);
  }

  uint64_t size = regions.size(body), whole = regions.unrolled(body, kTurns), cost = 0;
  bool paid = prepaid && tripsInText(own) == trips;
  bool exact = trips && (paid || (!__builtin_mul_overflow(whole, uint64_t(*trips), &cost) && affordable(cost - size)));
  int64_t turns = exact ? *trips : affordableTurns(size);
  if (most)
    turns = std::min(turns, *most);

  llvm::SaveAndRestore keepLoop(loop, own.getOperation());
  llvm::SaveAndRestore keepPaid(prepaid, exact);
  llvm::SaveAndRestore keepTurn(turn, 0u);
  uint32_t everything = model.knowingEverything(), outer = context;
  OrderClock lastTurn;
  for (int64_t t = 0; t < turns && !halted; ++t) {
    turn = uint32_t(t);
    if (!trips)
      openContext();
    lastTurn = model.issuedSoFar();
    int64_t at;
    bool known = low && step && !__builtin_mul_overflow(*step, t, &at) && !__builtin_add_overflow(*low, at, &at);
    values.set(own.getInductionVar(), known ? MaybeKnown(Known(at)) : std::nullopt);
    values.set(own.getRegionIterArgs(), carried);
    carried = visit(body);
    carried.resize(unknown.size());
  }
  closeContext(outer);
  if (trips && turns == *trips)
    return values.set(own.getResults(), carried);
  leave(body, everything, &lastTurn);
  values.set(own.getResults(), unknown);
  if (trips && !halted && affordable(size)) {
    boundsOnly = true;
    lookAtOnce(own, low, step, *trips);
    boundsOnly = false;
  }
}

/// Bounds of every turn at once.
void ProgramWalk::lookAtOnce(scf::ForOp own, std::optional<int64_t> low, std::optional<int64_t> step, int64_t trips) {
  MaybeKnown induction;
  if (low && step) {
    induction = Known(*low);
    if (trips > 1)
      induction->terms.push_back({values.addLoop(trips), *step});
  }
  values.set(own.getInductionVar(), induction);
  values.set(own.getRegionIterArgs(), Numbers(own.getNumRegionIterArgs()));
  forgetTiles(own.getRegion());
  visit(own.getRegion());
  forgetTiles(own.getRegion());
}

void ProgramWalk::visitWhile(scf::WhileOp own) {
  Numbers unknown(own.getNumResults());
  if (boundsOnly)
    return values.set(own.getResults(), unknown);
  uint64_t size = regions.size(own.getBefore()) + regions.size(own.getAfter());
  llvm::SaveAndRestore keepLoop(loop, own.getOperation());
  llvm::SaveAndRestore keepPaid(prepaid, false);
  llvm::SaveAndRestore keepTurn(turn, 0u);
  uint32_t everything = model.knowingEverything(), outer = context;
  Numbers carried = values.get(own.getInits());
  OrderClock lastTurn;
  unsigned turns = affordableTurns(size);
  for (unsigned t = 0; t < turns && !halted; ++t) {
    turn = t;
    lastTurn = model.issuedSoFar();
    values.set(own.getBeforeArguments(), carried);
    Numbers passed = visit(own.getBefore()); // condition first, then what goes on
    if (halted)
      break;
    MaybeKnown goesOn = passed.front();
    passed.erase(passed.begin());
    if (goesOn && goesOn->isConstant() && goesOn->base == 0 && context == outer) {
      // Every turn so far was certain.
      return values.set(own.getResults(), passed);
    }
    if (!goesOn || !goesOn->isConstant())
      openContext();
    values.set(own.getAfterArguments(), passed);
    carried = visit(own.getAfter());
  }
  closeContext(outer);
  leave(own.getBefore(), everything, &lastTurn);
  leave(own.getAfter(), everything, &lastTurn);
  values.set(own.getResults(), unknown);
}

//===----------------------------------------------------------------------===//
// Branches and calls
//===----------------------------------------------------------------------===//

void ProgramWalk::visitIf(scf::IfOp branch) {
  if (std::optional<int64_t> condition = values.constant(branch.getCondition())) {
    Numbers results = visit(*condition ? branch.getThenRegion() : branch.getElseRegion());
    results.resize(branch.getNumResults());
    return values.set(branch.getResults(), results);
  }
  uint32_t everything = model.knowingEverything();
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    if (region->empty())
      continue;
    uint32_t outer = openContext();
    visit(*region);
    closeContext(outer);
    // The other branch must not find the flags as this one leaves them.
    leave(*region, everything, nullptr);
  }
  values.set(branch.getResults(), Numbers(branch.getNumResults()));
}

void ProgramWalk::visitCall(func::CallOp call) {
  Numbers results(call.getNumResults());
  Region *callee = regions.calleeOf(call);
  // IRCORE-3
  std::optional<CoreKind> kind = callee ? statedKind(callee->getParentOp()) : std::nullopt;
  if (callee && !boundsOnly && (!kind || *kind == role.kind)) {
    bool otherOrder = meansProgramOrder(callee->getParentOp()) != automatic;
    if (otherOrder) // ORDER-10
      drain(*call);
    llvm::SaveAndRestore keepOrder(automatic, automatic != otherOrder);
    values.set(callee->getArguments(), values.get(call.getOperands()));
    results = visit(*callee);
    results.resize(call.getNumResults());
    // A tile that was changed there is the caller's.
    for (Value changed : regions.effects(*callee).changed)
      if (auto argument = dyn_cast<BlockArgument>(changed); argument && argument.getOwner() == &callee->front())
        values.set(call.getOperand(argument.getArgNumber()), values.get(argument));
    if (otherOrder && !halted)
      drain(*call);
  }
  values.set(call.getResults(), results);
}

} // namespace ptoscope
