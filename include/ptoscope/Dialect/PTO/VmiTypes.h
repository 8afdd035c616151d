//===- VmiTypes.h - vectors and masks of any length -------------*- C++ -*-===//

#ifndef PTOSCOPE_DIALECT_PTO_VMITYPES_H
#define PTOSCOPE_DIALECT_PTO_VMITYPES_H

#include "ptoscope/Dialect/PTO/PTO.h"

#define GET_TYPEDEF_CLASSES
#include "ptoscope/Dialect/PTO/VmiTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ptoscope/Dialect/PTO/VmiAttributes.h.inc"

namespace ptoscope::pto {

inline bool isVmiValue(mlir::Type type) { return mlir::isa<VmiVRegType, VmiMaskType>(type); }

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_VMITYPES_H
