//===- Pipeline.h - a verified module to a runnable kernel ------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_PIPELINE_H
#define PTOSCOPE_COMPILER_PIPELINE_H

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Jit.h"
#include "ptoscope/Compiler/Looks.h"
#include "ptoscope/Compiler/Parameter.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Timing/Scopes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace ptoscope {

/// Stages at which compilation can stop and print, in order.
inline constexpr const char *kStages[] = {"pto", "outlined", "lowered", "llvm-dialect", "llvm", "asm"};

struct CompiledKernel {
  std::string name;
  std::vector<Parameter> parameters;
  SiteTable sites;
  timing::ScopeSchedules schedules; ///< where turns are counted
  KernelImage image;
  std::unique_ptr<Jit> jit;
  std::string emitted; ///< text of the stage asked for
};

struct Steps; // Steps.h

struct CompileOptions {
  std::string kernel; ///< empty: the only one
  Checks checks;
  ScheduleKind schedule = ScheduleKind::Eager;
  bool asWritten = false;        ///< no order beyond what the program says, also without flags
  std::string emit;              ///< one of kStages: stop there
  std::vector<tile::Look> looks; ///< values that the kernel hands over
  Steps *steps = nullptr;        ///< filled in, and the code tells of each: someone debugs
  bool countsTurns = false;      ///< scopes count the turns of their loops: someone times
  bool ignoresWaits = false;     ///< the kernel gets past places where it hangs: someone asks what it touches
};

/// The parameters of a kernel, in order.
std::vector<Parameter> parametersOf(const ParsedProgram &program, mlir::func::FuncOp kernel);

/// Compiles one kernel. `program` is not changed. Null after adding an error.
std::unique_ptr<CompiledKernel> compileKernel(const ParsedProgram &program, const CompileOptions &options,
                                              FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_PIPELINE_H
