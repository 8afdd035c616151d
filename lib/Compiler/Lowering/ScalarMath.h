//===- ScalarMath.h - functions of the math dialect -------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_COMPILER_SCALARMATH_H
#define PTOSCOPE_LIB_COMPILER_SCALARMATH_H

#include "mlir/IR/Operation.h"

namespace ptoscope {

inline bool isMath(mlir::Operation *op) { return op->getName().getDialectNamespace() == "math"; }
/// One of those that STD-8 lists, on scalars.
bool isScalarMath(mlir::Operation *op);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_SCALARMATH_H
