//===- Kernels.h - which functions are kernels, and for which core -*- C++ -*-//

#ifndef PTOSCOPE_COMPILER_KERNELS_H
#define PTOSCOPE_COMPILER_KERNELS_H

#include "ptoscope/Compiler/Callees.h"
#include "ptoscope/Machine/Types.h"
#include "ptoscope/Support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace ptoscope {

/// On a definition that a function without a body of another module is bound to.
inline constexpr llvm::StringLiteral kBoundAttr = "pto.bound";

/// The function says that it is a kernel (FUNC-1, FUNC-2).
bool isMarked(mlir::func::FuncOp function);

/// FUNC-1: marked functions of the module and of modules nested in it, or in a program
/// without any mark every function that is not private and that no other module is bound
/// to; in program order.
llvm::SmallVector<mlir::func::FuncOp> kernelsOf(mlir::ModuleOp module);

/// What vector and cube cores run. A kernel with sections is both halves in one
/// function; a kernel of one kind has one half.
struct KernelHalves {
  mlir::func::FuncOp aiv, aic;
  mlir::func::FuncOp any() const { return aiv ? aiv : aic; }
};

/// The kernel called `name`, or the only one (or the only entry) when `name` is
/// empty; otherwise a finding `no-kernel` that lists what there is. Kernels of
/// one name in a cube and a vector module are halves of one.
Result<KernelHalves> findKernel(mlir::ModuleOp module, llvm::StringRef name, const std::string &path);

/// The kind that the function itself states (IRCORE-3).
std::optional<CoreKind> statedKind(mlir::Operation *function);

/// The kind of core that runs `op`: by the section around it, else by the
/// module's `pto.kernel_kind`, else by what its function contains; nothing for
/// the common part of a mixed kernel.
std::optional<CoreKind> coreKindOf(mlir::Operation *op);

/// The same for those who ask of every operation: functions are looked through once.
class CoreKinds {
public:
  std::optional<CoreKind> of(mlir::Operation *op);

private:
  /// What a function has, its callees included.
  struct Contents {
    bool sections = false, vectorTiles = false, cubeTiles = false;
    bool callsVector = false, callsCube = false; ///< functions that state their kind
    bool vectorSide = false, cubeSide = false;   ///< instructions that only such cores execute
    void add(const Contents &other);
    std::optional<CoreKind> kind() const;
  };
  Contents look(mlir::func::FuncOp function);

  llvm::DenseMap<mlir::Operation *, Contents> contents; ///< of functions that do not say their kind
  Callees callees;
};

/// What the module asks for; a5 where it does not say.
const Profile &profileOf(mlir::ModuleOp module);

/// Does this kind of core have the pipe (PIPE-10)? PIPE_ALL is on every core.
bool hasPipe(CoreKind kind, Pipe pipe);

/// The memory that a micro instruction loads from GM: MTE2 is on every core, and this tells which one; None for others.
Space loadedSpace(mlir::Operation *op);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_KERNELS_H
