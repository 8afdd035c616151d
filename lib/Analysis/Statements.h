//===- Statements.h - a kernel as statements over symbols -------*- C++ -*-===//
//
// For `check --prove`: the loops, branches, accesses and synchronising instructions of
// what one core executes, with addresses, lengths and flags as sums over symbols. The
// bytes come from the footprints that `check` uses (Footprints.h, TransferRows.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_STATEMENTS_H
#define PTOSCOPE_LIB_ANALYSIS_STATEMENTS_H

#include "Footprints.h"
#include "Regions.h"
#include "Symbols.h"
#include "ptoscope/Analysis/Prove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace ptoscope {

/// Bytes [begin, end) of a storage (ByteLog.h); all of them, or some of them.
struct SymbolicPiece {
  uint32_t storage;
  bool writes, atomic;
  Sum begin, end;
  mlir::Operation *op;
};

struct Statement {
  enum Kind : uint8_t {
    Work,   ///< an instruction of a pipe; a scope has its accesses in `body`
    Access, ///< of a scope
    Fence,  ///< of a scope
    Sync,
    Loop,
    Branch,
  };
  Kind kind;
  mlir::Operation *op;
  Statement *parent = nullptr;
  std::vector<std::unique_ptr<Statement>> body, otherwise; ///< of a loop, branch or scope
  bool isScope = false;

  Pipe pipe = Pipe::S; ///< Work, Sync: where it is queued
  std::vector<SymbolicPiece> pieces;

  // Access, Fence
  uint8_t accessClass = 0;
  FenceClasses fence{};

  // Sync
  SyncKind sync = SyncKind::CoreBarrier;
  Pipe other = Pipe::S; ///< of a flag
  Sum id;               ///< of a flag or buffer
  uint32_t pipes = 0;   ///< of a memory barrier, a bit each

  // Loop: the turn is a symbol that counts from `first` in ones.
  SymbolId turn = 0;
  Sum first, value, low, step, high;
  int64_t period = 1;       ///< ids repeat after so many turns
  bool branches = false;    ///< a branch on its turn synchronises
  bool alwaysTurns = false; ///< at least once, by its constants

  // Branch: facts where they are sums.
  std::vector<Sum> whenTrue, whenFalse;
  bool synchronises = false;

  const std::vector<std::unique_ptr<Statement>> &listOf(const Statement *child) const;
};

/// Something that is not followed; the proof is then undecided.
struct NotFollowed {
  mlir::Operation *op = nullptr;
  std::string why;
};

struct SymbolicProgram {
  Symbols symbols;
  std::vector<std::unique_ptr<Statement>> body;
  std::vector<std::pair<SymbolId, size_t>> arguments; ///< symbol and number of the parameter
  SymbolId block = 0, blocks = 0;
  bool usesBlocks = false, hasSyncAll = false, usesUnsigned = false, isAffine = true;
  mlir::Operation *notAffine = nullptr; ///< an address, length or id that is not
  std::optional<NotFollowed> problem;
};

/// `kernel` has no calls and no sections. Facts of `assumptions` are about its parameters.
SymbolicProgram readProgram(mlir::func::FuncOp kernel, const Profile &profile, llvm::ArrayRef<Assumption> assumptions,
                            llvm::ArrayRef<std::string> parameterNames);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_STATEMENTS_H
