//===- VmiLanes.cpp - virtual vectors: arithmetic -----------------------===//

#include "VmiText.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

#include "ptoscope/Dialect/PTO/VmiLaneOps.defs.inc"
