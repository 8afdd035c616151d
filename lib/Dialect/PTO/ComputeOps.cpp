//===- ComputeOps.cpp - lane-wise arithmetic ------------------------------===//

#include "LaneRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Counts have the type of the data, or are signed or signless integers of its width.
template <typename Op> static LogicalResult verifyShift(Op op) {
  VRegType data = vregOf(op.getLhs()), count = vregOf(op.getRhs());
  if (op.getResult().getType() != data)
    return breaks(op, "LANE-1") << "registers must have one type, got " << data << " and " << op.getResult().getType();
  if (failed(verifyElement(op, data.getElement(), "LANE-2")))
    return failure();
  auto number = dyn_cast<IntegerType>(count.getElement());
  if (count != data && (!number || number.isUnsigned() || count.getLanes() != data.getLanes()))
    return breaks(op, "SHIFT-3") << "counts are " << count << ", but " << data << " needs its own type or si"
                                 << bitsOf(data.getElement()) << " elements";
  return verifyMasks(op, data);
}

#include "ptoscope/Dialect/PTO/ComputeOps.defs.inc"
