//===- TileOrder.h - functions that mean program order ----------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_TILEORDER_H
#define PTOSCOPE_COMPILER_TILEORDER_H

#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptoscope {

/// Executed by a pipe, or an access of the scalar unit.
bool isExecuted(mlir::Operation *op);
/// It pushes, pops, allocates or frees an entry of a pipe.
bool isPipeCall(mlir::Operation *op);
/// ORDER-4
bool isAutomatic(mlir::func::FuncOp function);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_TILEORDER_H
