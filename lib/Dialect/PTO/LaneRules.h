//===- LaneRules.h - rules that vector instructions share -------*- C++ -*-===//
//
// In the order of LANE-7: types that agree, element types, masks,
// scalars.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_LANERULES_H
#define PTOSCOPE_LIB_DIALECT_PTO_LANERULES_H

#include "Signature.h"

namespace ptoscope::pto {

inline VRegType vregOf(mlir::Value value) { return mlir::cast<VRegType>(value.getType()); }

/// Every register operand and result has the type of the first one.
llvm::LogicalResult verifyOneType(mlir::Operation *op, llvm::StringRef label = "LANE-1");
/// P8: every mask operand and result has the granularity of `vreg`.
llvm::LogicalResult verifyMasks(mlir::Operation *op, VRegType vreg, llvm::StringRef label = "P8");
/// SCAL-1: the scalar goes with the elements.
llvm::LogicalResult verifyScalar(mlir::Operation *op, mlir::Value scalar, VRegType vreg);
/// LANE-1, LANE-2, P8, SCAL-1: all of the above.
llvm::LogicalResult verifyLanes(mlir::Operation *op);

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_LANERULES_H
