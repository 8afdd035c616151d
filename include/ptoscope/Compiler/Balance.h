//===- Balance.h - flags that do not depend on branches ---------*- C++ -*-===//
//
// A run takes one way through the branches of a program. A line that repairs this
// way and leaves a flag set, or waits for one too often, on another is no repair.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_BALANCE_H
#define PTOSCOPE_COMPILER_BALANCE_H

#include "mlir/IR/BuiltinOps.h"

namespace ptoscope {

/// Whether the flags and buffer ids of which `after` has other instructions than `before`
/// are set and waited for, or acquired and released, equally often in all branches.
/// Branches of one condition count together.
bool keepsBalance(mlir::ModuleOp before, mlir::ModuleOp after);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_BALANCE_H
