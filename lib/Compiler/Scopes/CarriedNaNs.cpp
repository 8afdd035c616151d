//===- CarriedNaNs.cpp - NaNs of values that a loop carries ---------------===//
//
// Arithmetic leaves any NaN, and what leaves arithmetic has the canonical one. A
// sum or a maximum that a loop carries only leaves it behind the loop: looking for
// NaNs in each turn would make the chain from turn to turn twice as long.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static bool isArithmetic(Operation *op) {
  const InstrInfo *info = op ? infoOf(op) : nullptr;
  return info && info->meaning == MeaningKind::Lanes &&
         (info->nan == NanRule::Arith || info->nan == NanRule::Canonical) && info->inactive != Inactive::Operand;
}

/// Does it have no NaN but the canonical one, at the latest when it leaves its loop? A loop without turns gives what
/// it began with, which may have been moved from anywhere.
static bool isCanonical(Value value) {
  Operation *op = value.getDefiningOp();
  if (isArithmetic(op))
    return true;
  APFloat number(0.0);
  if (isa_and_nonnull<VbrOp, VdupOp>(op))
    return matchPattern(op->getOperand(0), m_ConstantFloat(&number)) && !number.isNaN();
  auto loop = dyn_cast_if_present<scf::ForOp>(op);
  if (!loop)
    return false;
  const unsigned position = cast<OpResult>(value).getResultNumber();
  return isArithmetic(loop.getYieldedValues()[position].getDefiningOp()) && isCanonical(loop.getInitArgs()[position]);
}

/// These take groups as they are, or make their NaNs canonical (groupOf).
static bool readsGroups(Operation *op) {
  const InstrInfo *info = infoOf(op);
  return info && (info->meaning == MeaningKind::Lanes || isa<VstsOp>(op)) && !op->hasAttr(kPartAttr);
}

Value ScopeLowering::rawNext(Value carried) {
  auto argument = dyn_cast<BlockArgument>(carried);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  auto type = dyn_cast<VRegType>(carried.getType());
  if (!loop || !type || !isa<FloatType>(type.getElement()) || !isCanonical(loop.getTiedLoopInit(argument)->get()))
    return {};
  Value next = loop.getTiedLoopYieldedValue(argument)->get();
  Operation *op = next.getDefiningOp();
  if (!isArithmetic(op) || infoOf(op)->nan != NanRule::Arith || op->getNumResults() != 1 || !readsGroups(op) ||
      op->getBlock() != loop.getBody() || !llvm::is_contained(op->getOperands(), carried))
    return {};
  auto isYield = [&](OpOperand &use) { return use.getOwner() == loop.getBody()->getTerminator(); };
  const bool escapes =
      llvm::any_of(carried.getUses(), [&](OpOperand &use) { return !readsGroups(use.getOwner()); }) ||
      llvm::any_of(next.getUses(), [&](OpOperand &use) { return !isYield(use) && !readsGroups(use.getOwner()); });
  return escapes || llvm::count_if(next.getUses(), isYield) != 1 ? Value() : next;
}

void ScopeLowering::makeCanonical(Value reg) {
  RegisterValue &value = registerOf(reg);
  Type element = cast<VRegType>(reg.getType()).getElement();
  for (unsigned g = 0; g < kGroups; ++g) {
    Value place = groupPtr(value.slot, {}, g), group = b.load(groupType(element), place, kGroupBytes);
    b.store(canonical({group, true}, element), place, kGroupBytes);
  }
  value.rawNaN = false;
}
