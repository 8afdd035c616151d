//===- CompareOps.cpp - lanes that make masks -----------------------------===//

#include "LaneRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

template <typename Op> static LogicalResult verifyCompare(Op op) {
  return failure(failed(verifyLanes(op)) ||
                 failed(verifyWord(op, "mode", op.getCmp(), {"eq", "ne", "lt", "le", "gt", "ge", "one"}, "CMP-1")));
}

#include "ptoscope/Dialect/PTO/CompareOps.defs.inc"
