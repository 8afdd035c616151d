//===- Report.h - findings of the static check ------------------*- C++ -*-===//
//
// Turns what the walk finds into findings. Each fault is told once, whatever
// number of turns or calls show it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_REPORT_H
#define PTOSCOPE_LIB_ANALYSIS_REPORT_H

#include "PipeModel.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Machine/FlagSlips.h"
#include "ptoscope/Machine/Words.h"

#include "llvm/ADT/DenseSet.h"

namespace ptoscope {

class StaticReport {
public:
  /// `module`: the program, with addresses of all tiles.
  StaticReport(const ParsedProgram &program, mlir::ModuleOp module, FindingList &findings)
      : program(program), module(module), findings(findings) {}

  /// Bytes [begin, end) of a memory, or a region of FB, of `size` bytes; `begin` may be negative.
  void outOfBounds(mlir::Operation *op, Space space, int64_t begin, int64_t end, int64_t size, bool writes,
                   bool certain);
  void misaligned(mlir::Operation *op, Space space, int64_t address, int64_t alignment, bool writes, bool certain);
  void race(const LoggedAccess &first, const LoggedAccess &second, Space space, uint64_t begin, uint64_t end,
            bool certain);
  /// What a run would say of an instruction on tiles.
  void problem(mlir::Operation *op, const Fact &fact, bool certain);
  /// An instruction of a local memory was looked at; `known`: with its bytes.
  void looked(mlir::Operation *op, bool known);
  /// Accesses whose bytes were never known, so that nothing was compared with them.
  size_t uncompared() const;

  /// `why` completes "… waits forever for flag X: ".
  void waitWithoutSet(mlir::Operation *wait, Pipe src, Pipe dst, int64_t id, std::string why, bool certain,
                      mlir::Operation *set = nullptr);
  /// `setter` would have to set semaphore `setId`.
  void semaphoreWithoutSet(mlir::Operation *wait, int64_t id, std::string_view core, std::string_view setter,
                           int64_t setId, bool certain);
  void cycle(llvm::ArrayRef<const ModelEntry *> waits, bool certain);
  /// `surplus` sets are never waited for; 0: nothing waits for the flag at all.
  void leftover(mlir::Operation *set, Pipe src, Pipe dst, int64_t id, uint64_t surplus);
  void bounded(mlir::Operation *kernel);

  /// The module selects atomic stores by CTRL, somewhere.
  bool storesMayCombine();
  std::string opText(mlir::Operation *op) const;

private:
  Finding make(mlir::Operation *op, const Fact &fact, bool certain) const;
  /// Faults are told apart by the addresses of their sentences.
  bool firstTime(const void *fault, mlir::Operation *op, mlir::Operation *other = nullptr);
  std::string flagText(Pipe src, Pipe dst, int64_t id, mlir::Operation *op);
  void describeOrder(Finding &finding, const LoggedAccess &first, const LoggedAccess &second);
  /// The likely cause in front, and help without lines that would hide it.
  void blameSlip(Finding &finding, const FlagSlip &slip);
  /// Every flag that the module names.
  const SiteTable &flags();
  /// Of an instruction on a flag, in `flags()`.
  SiteId siteOf(mlir::Operation *op);
  int64_t freeEventId(Pipe src, Pipe dst);

  const ParsedProgram &program;
  mlir::ModuleOp module;
  FindingList &findings;
  llvm::DenseSet<std::tuple<const void *, const void *, const void *>> seen;
  llvm::DenseMap<mlir::Operation *, bool> knownBytes; ///< at least once
  std::optional<SiteTable> flagTable;
  std::optional<bool> combines;
  llvm::DenseMap<mlir::Operation *, SiteId> flagSites;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_REPORT_H
