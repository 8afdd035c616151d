//===- ScopeRegisters.cpp - instructions on whole registers ---------------===//
//
// Rearrangements reach across lane groups. Their meaning functions take the
// slots of their operands and are inlined, so that what is left is a shuffle of
// host registers. Undefined bytes take the same way: a register of marks, 0 for
// defined and -1 for undefined, is put through the same function, whose zero
// fill is then "defined".
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "ptoscope/Machine/Runtime.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Operands that say where bytes go and are not moved themselves.
static bool steers(Operation *op, unsigned operand) {
  return isa<VselrOp, Vselrv2Op, VpermOp>(op) ? operand == 1 : isa<VsqzOp>(op) && operand == 1;
}

/// The meaning function of an instruction; forms that several spellings share
/// are brought to one list of operands.
std::string ScopeLowering::registerSymbol(Operation *op, const InstrInfo &info, SmallVectorImpl<Value> &operands) {
  auto width = [](Value reg) { return std::to_string(cast<VRegType>(reg.getType()).getElementBytes() * 8); };
  // A number that has to be within bounds; others end the block.
  auto bounded = [&](Value number, int64_t last) {
    Value wide = b.toI64(number);
    failIf(op, b.cmp(arith::CmpIPredicate::ugt, wide, b.const64(last)), PTO_FAIL_OPERAND, wide);
    return wide;
  };
  if (isa<VusqzOp>(op)) {
    operands.erase(operands.begin(), operands.end() - 1); // the register is not read
  } else if (isa<Dhistv2Op, Chistv2Op>(op)) {
    Value bank = operands.back();
    if (options.trackAccesses)
      failIf(op, b.cmp(arith::CmpIPredicate::ugt, bank, b.const32(1)), PTO_WARN_BANK, b.toI64(bank));
  } else if (isa<VslideOp, VshiftOp>(op)) {
    operands.back() = bounded(operands.back(), cast<VRegType>(op->getResult(0).getType()).getLanes());
  } else if (auto pack = dyn_cast<VpackOp>(op); pack && pack.getSecond()) {
    operands.truncate(2); // the index says nothing
    return "ptom_vpack2_b" + width(pack.getSrc());
  } else if (isa<VsunpackOp, VzunpackOp>(op)) {
    if (operands.size() == 2)
      operands[1] = bounded(operands[1], 1);
    else
      operands.push_back(b.const64(op->getAttrOfType<StringAttr>("half").getValue() == "HIGHER"));
  }
  return meaningSymbol(op, info);
}

LogicalResult ScopeLowering::lowerRegisterOp(Operation *op, const InstrInfo &info) {
  flush();
  b.loc = op->getLoc();
  SmallVector<Value> made, results, operands;
  for (Value result : op->getResults()) {
    if (!isVectorValue(result.getType()))
      continue;
    if (isa<MaskType>(result.getType()))
      masks[result] = MaskValue::bits();
    made.push_back(result);
    results.push_back(slotOf(result));
  }
  for (Value operand : op->getOperands()) {
    if (isa<VRegType>(operand.getType()))
      operands.push_back(slotOf(operand));
    else
      operands.push_back(isa<MaskType>(operand.getType()) ? imageOf(operand) : mapped(operand));
  }
  if ((info.family == Family::Reduce || isa<VdhistOp, VchistOp>(op)) && !lastMask(op))
    operands.push_back(b.nullPtr());
  std::string symbol = registerSymbol(op, info, operands);
  auto call = [&](ArrayRef<Value> to, ArrayRef<Value> from) {
    SmallVector<Value> arguments(to);
    arguments.append(from.begin(), from.end());
    b.run(symbol, arguments);
  };
  call(results, operands);
  if (!options.trackAccesses)
    return success();
  SiteId site = siteOf(op);
  deriveStamps(op);
  if (isa<VselrOp, Vselrv2Op>(op)) { // vperm is defined for every index
    unsigned bytes = cast<VRegType>(op->getOperand(1).getType()).getElementBytes();
    if (bytes > 1) // a byte names every lane there is
      b.run("ptosc_check_lookup", {b.context, b.const32(site), operands[1], b.const32(bytes)});
  }
  if (!options.trackDefined)
    return success();
  BitsCache cache;
  announceUses(op, site, cache);
  SmallVector<Value> sets;
  SmallVector<unsigned> moved;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (info.definedness != Definedness::Copy || !isVectorValue(operand.getType()))
      continue;
    Value defined = registerOf(operand).defined;
    if (steers(op, unsigned(i))) {
      if (defined && isa<VRegType>(operand.getType()))
        announceUse(site, unsigned(i) | PTO_OPERAND_INDEX, defined, b.nullPtr());
      continue;
    }
    moved.push_back(unsigned(i));
    if (defined)
      sets.push_back(defined);
  }
  emitUses();
  if (sets.empty())
    return success();
  Value all = allDefined(sets);
  for (Value result : made) {
    registerOf(result).defined = b.stack(32, 8);
    for (int64_t w = 0; w < 4; ++w)
      b.store(b.const64(-1), b.ptrAdd(registerOf(result).defined, 8 * w), 8);
  }
  auto marked = b.create<scf::IfOp>(b.loc, b.isFalse(all), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(marked.thenYield());
  bool onMasks = isa<MaskType>(made[0].getType());
  auto marks = [&] { return b.stack(onMasks ? 32 : kVectorBytes, kGroupBytes); };
  SmallVector<Value> from(operands), to;
  for (unsigned i : moved) {
    if (i >= from.size())
      continue;
    from[i] = marks();
    Value defined = registerOf(op->getOperand(i)).defined;
    if (!defined)
      defined = b.nullPtr();
    if (onMasks)
      b.run("ptosc_invert_bits", {defined, from[i]});
    else
      b.run("ptosc_mark_bytes", {defined, b.const32(kVectorBytes), from[i]});
  }
  for (size_t i = 0; i < made.size(); ++i)
    to.push_back(marks());
  call(to, from);
  for (auto [result, bytes] : llvm::zip(made, to)) {
    Value defined = registerOf(result).defined;
    if (onMasks)
      b.run("ptosc_invert_bits", {bytes, defined});
    else
      b.run("ptosc_unmark_bytes", {bytes, b.const32(kVectorBytes), defined});
  }
  return success();
}

void ScopeLowering::lowerDup(VdupOp op) {
  RunOp item{op, siteOf(op)};
  if (auto vreg = dyn_cast<VRegType>(op.getInput().getType())) {
    // The lane is read from the slot; what is left is the scalar form.
    flush();
    b.loc = op.getLoc();
    int64_t lane = op.getPosition() == "HIGHEST" ? vreg.getLanes() - 1 : 0;
    Type element = groupType(vreg.getElement()).getElementType();
    item.scalar = b.load(element, b.ptrAdd(slotOf(op.getInput()), lane * vreg.getElementBytes()));
    if (Value defined = registerOf(op.getInput()).defined) {
      registerOf(op.getResult()).defined = b.stack(32, 8);
      b.run("ptosc_dup_defined", {defined, b.const32(lane * vreg.getElementBytes()), b.const32(vreg.getElementBytes()),
                                  registerOf(op.getResult()).defined});
    }
  }
  queue(std::move(item));
}
