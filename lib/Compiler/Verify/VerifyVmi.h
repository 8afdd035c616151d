//===- VerifyVmi.h - vectors of any length in a program ---------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYVMI_H
#define PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYVMI_H

#include "ptoscope/Machine/Types.h"

#include "mlir/IR/BuiltinOps.h"

namespace ptoscope {

/// VMI-13, VMI-14 and VMI-16; remarks of VSEQ-7 and VGATE-10.
llvm::LogicalResult verifyVmi(mlir::ModuleOp module, const Profile &profile);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYVMI_H
