//===- VmiMoves.cpp - virtual vectors: moves, reductions, conversions ---===//

#include "VmiText.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

#include "ptoscope/Dialect/PTO/VmiConvertOps.defs.inc"
#include "ptoscope/Dialect/PTO/VmiMoveOps.defs.inc"
