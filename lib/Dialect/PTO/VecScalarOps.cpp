//===- VecScalarOps.cpp - lanes and a scalar ------------------------------===//

#include "LaneRules.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// The meaning takes counts modulo the width; one that is known to be outside is
/// a mistake.
template <typename Op> static LogicalResult verifyShift(Op op) {
  VRegType vreg = vregOf(op.getInput());
  if (failed(verifyOneType(op)) || failed(verifyElement(op, vreg.getElement(), "LANE-2")) ||
      failed(verifyMasks(op, vreg)))
    return failure();
  if (!isa<IntegerType>(op.getScalar().getType()))
    return breaks(op, "SHIFT-1") << "the count is " << op.getScalar().getType() << "; it must be `i16`";
  APInt count;
  unsigned width = bitsOf(vreg.getElement());
  if (matchPattern(op.getScalar(), m_ConstantInt(&count)) && count.uge(width))
    return breaks(op, "SHIFT-2") << "the count is " << count.getSExtValue() << ", but elements have " << width
                                 << " bits; it must be 0 to " << width - 1;
  return success();
}

#include "ptoscope/Dialect/PTO/VecScalarOps.defs.inc"
