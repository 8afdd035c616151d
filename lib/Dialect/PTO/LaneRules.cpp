//===- LaneRules.cpp - rules that vector instructions share ---------------===//

#include "LaneRules.h"

using namespace mlir;

namespace ptoscope::pto {

static SmallVector<Value> valuesOf(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  values.append(op->result_begin(), op->result_end());
  return values;
}

LogicalResult verifyOneType(Operation *op, StringRef label) {
  VRegType first;
  for (Value value : valuesOf(op)) {
    auto vreg = dyn_cast<VRegType>(value.getType());
    if (!first)
      first = vreg;
    else if (vreg && vreg != first)
      return breaks(op, label) << "registers must have one type, got " << first << " and " << vreg;
  }
  return success();
}

LogicalResult verifyMasks(Operation *op, VRegType vreg, StringRef label) {
  for (Value value : valuesOf(op))
    if (isa<MaskType>(value.getType()) && failed(verifyMask(op, value, vreg, label)))
      return failure();
  return success();
}

/// A signless integer feeds elements of its width, whatever their sign.
LogicalResult verifyScalar(Operation *op, Value scalar, VRegType vreg) {
  Type given = scalar.getType(), element = vreg.getElement();
  if (given == element || (given.isSignlessInteger() && isa<IntegerType>(element) && bitsOf(given) == bitsOf(element)))
    return success();
  return breaks(op, "SCAL-1") << "the scalar is " << given << ", but " << vreg << " needs " << element;
}

LogicalResult verifyLanes(Operation *op) {
  VRegType vreg = vregOf(op->getOperand(0));
  if (failed(verifyOneType(op)) || failed(verifyElement(op, vreg.getElement(), "LANE-2")) ||
      failed(verifyMasks(op, vreg)))
    return failure();
  for (Value operand : op->getOperands())
    if (!isVectorValue(operand.getType()) && failed(verifyScalar(op, operand, vreg)))
      return failure();
  return success();
}

} // namespace ptoscope::pto
