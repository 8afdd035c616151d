//===- Lowering.h - structured lowering of one function ---------*- C++ -*-===//
//
// Translates a function of pto, scf and arith into an llvm.func whose body is
// scf, arith and LLVM dialect: pointers become i64 addresses, scalar
// instructions become arithmetic and runtime calls. What differs between the
// scalar unit's program and a vector scope is in the two subclasses.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_LOWERING_H
#define PTOSCOPE_LIB_COMPILER_LOWERING_H

#include "Lowering/CodeBuilder.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace ptoscope {

/// A loop that was split: its first turns, which are neither checked nor numbered, and the others.
/// A scope whose loops ask where their accesses are made.
inline constexpr llvm::StringLiteral kPlacedAttr = "pto.placed";
inline constexpr llvm::StringLiteral kFirstTurnsAttr = "pto.first_turns", kOtherTurnsAttr = "pto.other_turns";

class Lowering {
public:
  Lowering(mlir::ModuleOp module, const CodeOptions &options, SiteTable &sites)
      : b(module), options(options), sites(sites) {}
  virtual ~Lowering() = default;

protected:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Operation = mlir::Operation;

  /// One instruction of the pto dialect that is not scalar; false = not ours.
  virtual llvm::LogicalResult lowerInstr(Operation *op) = 0;
  /// Emits what has been collected but not yet written out.
  virtual void flush() {}
  virtual bool inScope() const = 0;

  /// In a function that means program order, before what a pipe executes.
  virtual void beforeAutomatic(Operation *op) { (void)op; }

  // Vectors, tiles and views that cross a region boundary live in homes.
  virtual void newHome(Value carried) { (void)carried; }
  /// All at once: a source may be the old content of another home.
  virtual void assignHomes(mlir::ValueRange carried, mlir::ValueRange sources) { (void)carried, (void)sources; }
  virtual void shareHome(Value result, Value carried) { (void)result, (void)carried; }

  /// At the end of a loop body. `carried` are the scalars of the next
  /// iteration; `finite` is true for scf.for.
  virtual void backEdge(Operation *loop, SiteId site, mlir::ValueRange carried, bool finite) {}
  /// Does the loop have to ask for its turns? The scalar unit counts what it issues.
  virtual bool asksForTurns(Operation *) { return false; }
  /// Around the turns of a loop, and behind it.
  virtual void beginTurns(Operation *loop) { (void)loop; }
  virtual void endTurns(Operation *loop) { (void)loop; }
  virtual void endFor(Operation *loop) { (void)loop; }
  /// How many of `turns` turns such a loop may take before it asks again; 0: it ends.
  virtual Value grantedTurns(Operation *loop, SiteId, Value turns) { return turns; }

  llvm::LogicalResult lowerBlock(mlir::Block &block);
  llvm::LogicalResult lowerOp(Operation *op);

  /// Binds the function's arguments to words loaded from `array`.
  void bindArguments(mlir::Block &entry, Value array);

  /// Stops the block (or, in a scope, records why) when `bad` holds.
  void failIf(Operation *op, Value bad, uint32_t failure, Value value);

  SiteId siteOf(Operation *op);
  /// `copy` and `original` are one site.
  void shareSite(Operation *copy, Operation *original) {
    originals[copy] = original;
    sharedSites[original] = kNoSite;
  }
  /// The turns of a loop with a positive step.
  Value turnsOf(Value lower, Value upper, Value step);
  Value constSite(Operation *op) { return b.const32(siteOf(op)); }
  Value mapped(Value value) { return mapping.lookup(value); }
  Value mapped64(Value value) { return b.toI64(mapped(value)); }
  /// The result of `op` is `value`.
  llvm::LogicalResult give(Operation *op, Value value) {
    mapping.map(op->getResult(0), value);
    return llvm::success();
  }
  /// `base + index * bytes of an element`, as i64.
  Value address(Value base, Value index);
  /// Hands what lies at `bytes` to the onlooker of the run.
  void look(Operation *print, Value bytes);
  /// The same of a scalar.
  void lookAtScalar(Operation *print);
  Value widenBf16(Value bits);
  Value roundBf16(Value value);
  static Type lowered(Type type);

  CodeBuilder b;
  CodeOptions options;
  SiteTable &sites;
  mlir::IRMapping mapping;
  SiteId scopeSite = kNoSite;
  SiteId currentLoop = kNoSite;
  uint32_t depth = 0; ///< loops around the instruction

private:
  llvm::LogicalResult lowerFor(mlir::scf::ForOp loop);
  llvm::LogicalResult lowerIf(mlir::scf::IfOp branch);
  llvm::LogicalResult lowerWhile(mlir::scf::WhileOp loop);
  llvm::LogicalResult lowerArith(Operation *op);
  llvm::LogicalResult lowerMath(Operation *op);
  llvm::LogicalResult lowerBf16(Operation *op);
  Value oddF32(Value wide);
  Value oddF64(Value integer, bool isSigned);
  Value saturate(Value value, Type type, bool isSigned);
  Value convertScalar(Operation *op, Value input);
  llvm::LogicalResult lowerScalar(Operation *op);
  llvm::LogicalResult lowerLoadScalar(pto::LoadScalarOp load);
  llvm::LogicalResult lowerStoreScalar(pto::StoreScalarOp store);
  llvm::LogicalResult lowerDeviceAccess(Operation *op);
  Value plainPlace(pto::PtrType ptr, Value target);
  void callScalar(llvm::StringRef function, Operation *op, pto::PtrType ptr, Value target, Value last);
  void callMayFail(llvm::StringRef function, llvm::ArrayRef<Value> arguments);
  void newHomes(mlir::ValueRange values);
  void mapScalars(mlir::ValueRange values, mlir::ValueRange lowered);
  void shareHomes(mlir::ValueRange results, mlir::ValueRange carried);
  /// Yields scalars; assigns vector values to the homes of `carried`, all at once.
  llvm::SmallVector<Value> yieldTo(mlir::ValueRange carried, mlir::ValueRange sources);

  llvm::DenseMap<Operation *, Operation *> originals;
  llvm::DenseMap<Operation *, SiteId> sharedSites; ///< of originals; kNoSite until one asks

  struct LoopNumber {
    Value slot; ///< where the iteration number is kept; null when not numbered
  };
  LoopNumber beginLoop(Operation *loop, SiteId &site);
  void nextIteration(const LoopNumber &number);
  void endLoop(SiteId outer);

  llvm::DenseMap<int64_t, SiteId> origins; ///< sites of operations that became several instructions
  llvm::DenseMap<mlir::Block *, uint32_t> blockNumbers;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_LOWERING_H
