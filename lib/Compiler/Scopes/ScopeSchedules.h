//===- ScopeSchedules.h - what timing knows of a vector scope ---*- C++ -*-===//

#ifndef PTOSCOPE_LIB_COMPILER_SCOPESCHEDULES_H
#define PTOSCOPE_LIB_COMPILER_SCOPESCHEDULES_H

#include "ptoscope/Timing/Scopes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptoscope {

/// On a `func.call` inside a scope: the number of the region that it counts. Its operand says how
/// often the region is entered; without one it is entered once.
inline constexpr llvm::StringLiteral kRegionAttr = "pto.region";

/// Describes an outlined scope that is not lowered yet, and puts calls into it that count its
/// regions. Sites of its instructions are appended to `sites`; its own is left open.
timing::ScopeSchedule describeScope(mlir::func::FuncOp function, SiteTable &sites);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_SCOPESCHEDULES_H
