//===- ComputeOps.cpp - lane-wise arithmetic ------------------------------===//

#include "LaneRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

#define GET_OP_CLASSES
#include "ptoscope/Dialect/PTO/ComputeOps.cpp.inc"
