//===- VerifyVector.h - rules of vector programs ----------------*- C++ -*-===//
//
// The parts of pto-verify-program that concern vector instructions.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_VERIFYVECTOR_H
#define PTOSCOPE_LIB_COMPILER_VERIFYVECTOR_H

#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptoscope {

/// ALIGN-1 to ALIGN-5: how the states of unaligned
/// streams pass from one instruction to the next.
llvm::LogicalResult verifyStreams(mlir::func::FuncOp function);

/// What the profile lacks is refused or, where the manuals list it all the same,
/// warned about; so is what no manual defines.
llvm::LogicalResult verifyVectorUse(mlir::Operation *op, const Profile &profile);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_VERIFYVECTOR_H
