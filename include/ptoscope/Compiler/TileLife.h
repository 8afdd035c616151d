//===- TileLife.h - from where to where tiles are in use --------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_TILELIFE_H
#define PTOSCOPE_COMPILER_TILELIFE_H

#include "ptoscope/Plan/MemoryMap.h"
#include "ptoscope/Support/Finding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptoscope {

struct ParsedProgram;

/// What one `alloc_tile`, `alloc_multi_tile` or `tassign` makes, with all its windows
/// and casts (ALIAS-14).
struct TileStorage {
  mlir::Operation *op;
  Space space;
  uint64_t bytes;
  StepRange used;                  ///< PLAN-5; the step of `op` if nothing uses it
  std::optional<uint64_t> address; ///< if it is a constant
};

/// Operations that use tiles, as the program has them, calls included.
struct TileLife {
  std::vector<TileStorage> storages;
  std::vector<mlir::Operation *> steps;
};
TileLife tileLife(llvm::ArrayRef<mlir::func::FuncOp> entries);

/// PLAN-1, PLAN-3: addresses for all tiles of a kernel or for none. Reports what is
/// wrong.
mlir::LogicalResult verifyLevels(mlir::ModuleOp module);

/// The map of each kernel, or of the one called `kernel`; tiles without addresses
/// are placed. Nothing, with findings, where that fails.
std::vector<MemoryMap> memoryMaps(const ParsedProgram &program, const std::string &kernel, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_TILELIFE_H
