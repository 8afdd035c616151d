//===- ScopeFunctions.h - functions that run inside scopes ------*- C++ -*-===//
//
// A function that a vector scope calls has its instructions in that scope
// (VUSE-2), so it needs none of its own. So does one that takes or gives
// vectors of any length.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_VERIFY_SCOPEFUNCTIONS_H
#define PTOSCOPE_LIB_COMPILER_VERIFY_SCOPEFUNCTIONS_H

#include "ptoscope/Compiler/Callees.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace ptoscope {

class ScopeFunctions {
public:
  ScopeFunctions() = default;
  explicit ScopeFunctions(mlir::ModuleOp module);
  bool contains(mlir::Operation *function) const { return functions.contains(function); }
  /// Whether `op` is a call of such a function.
  bool calls(mlir::Operation *op) const;
  /// The function of that kind around `op`, or null.
  mlir::Operation *around(mlir::Operation *op) const;

private:
  Callees callees;
  llvm::DenseSet<mlir::Operation *> functions;
};

/// True when a parameter or result is a vector or mask of any length.
bool hasVmiTypes(mlir::func::FuncOp function);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_VERIFY_SCOPEFUNCTIONS_H
