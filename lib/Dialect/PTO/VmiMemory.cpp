//===- VmiMemory.cpp - virtual vectors: memory and masks ----------------===//

#include "VmiText.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

#include "ptoscope/Dialect/PTO/VmiMaskOps.defs.inc"
#include "ptoscope/Dialect/PTO/VmiMemoryOps.defs.inc"
