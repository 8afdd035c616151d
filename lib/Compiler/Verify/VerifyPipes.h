//===- VerifyPipes.h - pipes between cores, over the module -----*- C++ -*-===//

#ifndef PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYPIPES_H
#define PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYPIPES_H

#include "ptoscope/Machine/Types.h"

#include "mlir/IR/BuiltinOps.h"

namespace ptoscope {

/// Buffers that imports name, pipes that calls name, and what the profile has of them.
llvm::LogicalResult verifyPipes(mlir::ModuleOp module, const Profile &profile);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYPIPES_H
