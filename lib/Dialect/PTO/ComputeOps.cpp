//===- ComputeOps.cpp - lane-wise arithmetic ------------------------------===//

#include "LaneRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

#include "ptoscope/Dialect/PTO/ComputeOps.defs.inc"
