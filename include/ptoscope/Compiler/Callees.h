//===- Callees.h - the functions that calls name ----------------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_CALLEES_H
#define PTOSCOPE_COMPILER_CALLEES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

#include <memory>

namespace ptoscope {

/// Looking up a name without a table goes through all functions of a module, so those who look
/// up many keep one of these. Functions may be added meanwhile, but not renamed or erased.
class Callees {
public:
  /// Null: there is no such function.
  mlir::func::FuncOp named(mlir::Operation *from, mlir::SymbolRefAttr name) const {
    return tables->lookupNearestSymbolFrom<mlir::func::FuncOp>(from, name);
  }
  mlir::func::FuncOp of(mlir::func::CallOp call) const { return named(call, call.getCalleeAttr()); }

  /// Every operation of `entries` and of the functions that they lead to, by calls or because
  /// `visit` names them; callers first, each once.
  llvm::SetVector<mlir::func::FuncOp> walk(llvm::ArrayRef<mlir::func::FuncOp> entries,
                                           llvm::function_ref<mlir::func::FuncOp(mlir::Operation *)> visit) const {
    llvm::SetVector<mlir::func::FuncOp> functions(entries.begin(), entries.end());
    for (size_t i = 0; i < functions.size(); ++i) // grows
      mlir::func::FuncOp(functions[i]).walk([&](mlir::Operation *op) {
        auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
        for (mlir::func::FuncOp next : {visit(op), call ? of(call) : nullptr})
          if (next)
            functions.insert(next);
      });
    return functions;
  }

private:
  std::shared_ptr<mlir::SymbolTableCollection> tables = std::make_shared<mlir::SymbolTableCollection>();
};

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_CALLEES_H
