//===- RearrangeOps.cpp - making and rearranging registers ----------------===//

#include "LaneRules.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static LogicalResult verifySameLanes(Operation *op, StringRef label) {
  return failure(failed(verifyOneType(op, label)) ||
                 failed(verifyElement(op, vregOf(op->getResult(0)).getElement(), "LANE-2")));
}

template <typename Op> static LogicalResult verifyMasked(Op op) {
  return failure(failed(verifySameLanes(op, "LANE-1")) ||
                 failed(verifyMask(op, op.getMask(), vregOf(op.getResult()), "MASK-2")));
}

static LogicalResult verifyPart(Operation *op, StringRef part) {
  return verifyWord(op, "part", part, {"LOWER", "HIGHER"}, "PART-1");
}

//===----------------------------------------------------------------------===//
// Materialisation
//===----------------------------------------------------------------------===//

static LogicalResult verifyFilled(Operation *op, Value scalar, StringRef elementLabel = "LANE-2") {
  VRegType vreg = vregOf(op->getResult(0));
  return failure(failed(verifyElement(op, vreg.getElement(), elementLabel)) || failed(verifyScalar(op, scalar, vreg)));
}

static LogicalResult verifyVdup(VdupOp op) {
  VRegType vreg = vregOf(op.getResult());
  if (failed(verifyWord(op, "position", op.getPosition().value_or("LOWEST"), {"LOWEST", "HIGHEST"}, "VDUP-2")) ||
      failed(verifyMask(op, op.getMask(), vreg, "VDUP-1")))
    return failure();
  if (!isa<VRegType>(op.getInput().getType())) {
    if (op.getPosition())
      return breaks(op, "VDUP-2") << "a position chooses a lane, but the input is a scalar (" << op.getInput().getType()
                                  << ")";
    return verifyFilled(op, op.getInput());
  }
  if (op.getInput().getType() != vreg)
    return breaks(op, "VDUP-3") << "the register is " << op.getInput().getType() << ", the result " << vreg;
  return verifyElement(op, vreg.getElement(), "LANE-2");
}

static LogicalResult verifyVci(VciOp op) {
  return failure(failed(verifyWord(op, "order", op.getOrder(), {"ASC", "DESC"}, "VCI-1")) ||
                 failed(verifyFilled(op, op.getBase(), "VCI-1")) ||
                 failed(verifyMask(op, op.getMask(), vregOf(op.getResult()), "MASK-2")));
}

//===----------------------------------------------------------------------===//
// Rearrangement
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyHalfPair(Op op) {
  return failure(failed(verifySameLanes(op, "INTLV-1")) || failed(verifyPart(op, op.getPart())));
}

template <typename Op> static LogicalResult verifyLookup(Op op) {
  VRegType value = vregOf(op.getValue()), index = vregOf(op.getIndex());
  if (op.getResult().getType() != value)
    return breaks(op, "VSELR-1") << "the result is " << op.getResult().getType() << ", the value " << value;
  if (!isa<IntegerType>(index.getElement()) || index.getLanes() != value.getLanes())
    return breaks(op, "VSELR-1") << "indices are " << index << ", but " << value << " needs integers of "
                                 << value.getElementBytes() * 8 << " bits";
  return verifyElement(op, value.getElement(), "LANE-2");
}

static LogicalResult verifyVusqz(VusqzOp op) {
  VRegType vreg = vregOf(op.getResult());
  if (op.getValue() && op.getValue().getType() != vreg)
    return breaks(op, "VUSQZ-1") << "the register is " << op.getValue().getType() << ", the result " << vreg;
  return verifyElement(op, vreg.getElement(), "VUSQZ-1");
}

static LogicalResult verifyVpack(VpackOp op) {
  VRegType from = vregOf(op.getSrc()), to = vregOf(op.getResult());
  if (failed(verifyElement(op, from.getElement(), "VPACK-1")))
    return failure();
  if (!to.getElement().isUnsignedInteger() || to.getLanes() != 2 * from.getLanes())
    return breaks(op, "VPACK-1") << "it turns " << from << " into ui" << from.getElementBytes() * 4
                                 << " elements, not into " << to;
  if (op.getSecond() && op.getSecond().getType() != from)
    return breaks(op, "VPACK-1") << "the sources must have one type, got " << from << " and "
                                 << op.getSecond().getType();
  if (bool(op.getSecond()) != bool(op.getPartIndex()) || bool(op.getSecond()) == bool(op.getPart()))
    return op.emitError() << quoted(op) << " takes one register and a part, or two registers and an index";
  return op.getPart() ? verifyPart(op, *op.getPart()) : success();
}

template <typename Op> static LogicalResult verifyUnpack(Op op) {
  VRegType from = vregOf(op.getSrc()), to = vregOf(op.getResult());
  if (failed(verifyElement(op, from.getElement(), "UNPK-1")))
    return failure();
  if (!isa<IntegerType>(to.getElement()) || from.getLanes() != 2 * to.getLanes())
    return breaks(op, "UNPK-1") << "it turns " << from << " into " << from.getLanes() / 2 << " integers of "
                                << from.getElementBytes() * 16 << " bits, not into " << to;
  if (bool(op.getPart()) == bool(op.getHalf()))
    return op.emitError() << quoted(op) << " takes a part, as an index or as a word";
  APInt part;
  if (op.getPart() && matchPattern(op.getPart(), m_ConstantInt(&part)) && part.ugt(1))
    return breaks(op, "UNPK-1") << "the part is " << part.getSExtValue()
                                << "; it must be 0 (lower half) or 1 (upper half)";
  return op.getHalf() ? verifyPart(op, *op.getHalf()) : success();
}

#include "ptoscope/Dialect/PTO/RearrangeOps.defs.inc"
