//===- Recovery.h - every parse error of a text in one go -------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_RECOVERY_H
#define PTOSCOPE_COMPILER_RECOVERY_H

#include "ptoscope/Compiler/Frontend.h"

namespace ptoscope {

/// Parses `text`, which is that of `program` in documented form. MLIR's parser
/// stops at its first error; here the statement at fault is taken out then, with
/// every statement that needs its values, and the rest is parsed again. Null after
/// an error.
mlir::OwningOpRef<mlir::ModuleOp> parseWithRecovery(mlir::MLIRContext &context, const ParsedProgram &program,
                                                    std::string text, bool strict, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_RECOVERY_H
