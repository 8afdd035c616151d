//===- CompareOps.cpp - lanes that make masks -----------------------------===//

#include "LaneRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

template <typename Op> static LogicalResult verifyCompare(Op op) {
  return failure(failed(verifyLanes(op)) ||
                 failed(verifyWord(op, "mode", op.getCmp(), {"eq", "ne", "lt", "le", "gt", "ge", "one"}, "CMP-1")));
}

#define GET_OP_CLASSES
#include "ptoscope/Dialect/PTO/CompareOps.cpp.inc"
