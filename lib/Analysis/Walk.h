//===- Walk.h - follows the scalar unit through one program -----*- C++ -*-===//
//
// Goes through what one core executes, in order, with what is known of its
// values. Loops whose length and size allow it are followed to their end, others
// for a few turns; of a branch no one can decide both ways are looked at. The
// number of steps is bounded by a multiple of the program's size.
//
// A *context* is a part of the program that is executed only if something no one
// knows says so: executing it implies executing its parent. Context 0 is executed
// whenever the kernel is.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_WALK_H
#define PTOSCOPE_LIB_ANALYSIS_WALK_H

#include "Footprints.h"
#include "PipeModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/SaveAndRestore.h"

namespace ptoscope {

/// A set or wait of a cluster semaphore.
struct SemaphoreUse {
  mlir::Operation *op;
  std::optional<int64_t> id;
  bool isSet;
  bool certain;
  bool isMessage; ///< one of SEM-20 or SEM-21: who may answer depends on modes
};

/// Who runs the program.
struct CoreRole {
  CoreKind kind = CoreKind::AIV;
  bool cluster = false; ///< other cores run beside it
};

class ProgramWalk : ModelListener {
public:
  ProgramWalk(const Profile &profile, CoreRole role, Regions &regions, StaticReport &report);

  void run(mlir::func::FuncOp kernel);

  /// What was seen of semaphores; `complete` unless the walk ended early.
  llvm::ArrayRef<SemaphoreUse> semaphores() const { return semaphoreUses; }
  bool complete() const { return !halted; }

private:
  using Numbers = llvm::SmallVector<MaybeKnown>;

  // Structure (WalkRegions.cpp).
  Numbers visit(mlir::Region &region);
  void visit(mlir::Operation &op);
  void visitFor(mlir::scf::ForOp loop);
  void visitWhile(mlir::scf::WhileOp loop);
  void visitIf(mlir::scf::IfOp branch);
  void visitCall(mlir::func::CallOp call);
  bool affordable(uint64_t steps);
  unsigned affordableTurns(uint64_t bodySize);
  void lookAtOnce(mlir::scf::ForOp loop, std::optional<int64_t> low, std::optional<int64_t> step, int64_t trips);
  void forgetTiles(mlir::Region &region);
  /// A region whose executions no one can count ends.
  void leave(mlir::Region &region, uint32_t everything, const OrderClock *lastTurn);

  // Instructions.
  void visitScope(mlir::Operation *scope);
  void work(mlir::Operation &op, Pipe pipe, llvm::SmallVectorImpl<Piece> &pieces);
  void instruction(mlir::Operation &op);
  void flagInstruction(mlir::Operation &op, const FlagOp &flag);
  void bufferInstruction(mlir::Operation &op, mlir::Value id, std::optional<int64_t> staticId, mlir::Value mode,
                         std::optional<int64_t> staticMode, Pipe pipe, ModelEntry::Kind kind);
  bool semaphoreInstruction(mlir::Operation &op);
  void drain(mlir::Operation &op);
  bool owns(uint32_t storage) const;
  bool meansProgramOrder(mlir::Operation *function);
  ModelEntry entry(ModelEntry::Kind kind, Pipe pipe, mlir::Operation &op);
  void finish();

  // What the model tells.
  void conflict(const LoggedAccess &earlier, const LoggedAccess &later, uint64_t begin, uint64_t end) override;
  void cycle(llvm::ArrayRef<const ModelEntry *> waits) override;

  // Contexts.
  uint32_t openContext();
  void closeContext(uint32_t outer);
  bool implies(uint32_t inner, uint32_t outer) const;
  bool certain() const { return context == 0; }

  const Profile &profile;
  CoreRole role;
  Regions &regions;
  StaticReport &report;
  Values values;
  Tiles tiles{values, profile};
  Footprints footprints;
  PipeModel model;

  mlir::func::FuncOp kernel;
  std::vector<uint32_t> contextEnds; ///< last descendant of each context
  llvm::SmallVector<uint32_t> openContexts;
  uint32_t context = 0;
  uint32_t issueCount = 0;
  mlir::Operation *loop = nullptr; ///< innermost around what is visited
  uint32_t turn = 0;
  uint64_t slack = 0;      ///< steps that may be spent on further turns and calls
  uint64_t mostLooked = 0; ///< intervals that may be looked at
  bool prepaid = false;    ///< the turns of loops inside have been paid for
  bool boundsOnly = false; ///< addresses are looked at, nothing is issued
  bool automatic = false;  ///< the function means program order: nothing can be missing
  llvm::DenseMap<mlir::Operation *, bool> automaticFunctions;
  bool halted = false;
  bool signalsOthers = false; ///< the program sets a semaphore of another core
  bool brokenCycle = false;   ///< the model has told of pipes that wait for each other
  llvm::SmallVector<SemaphoreUse> semaphoreUses;
  bool messages = false; ///< `sync.set` and `sync.wait` are messages
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_WALK_H
