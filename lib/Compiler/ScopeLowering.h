//===- ScopeLowering.h - a vector scope as lane groups ----------*- C++ -*-===//
//
// Registers are 256 bytes, code is lane groups: a run of lane-wise instructions
// becomes one pass over four groups of 64 bytes, with each value in a host
// register for as long as the group lasts. Values that cross runs, loops or
// branches live in 256-byte slots. Masks stay symbolic (all lanes, the first n
// lanes, a fixed pattern) or live in slots as lanes of 0 and -1.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_SCOPELOWERING_H
#define PTOSCOPE_LIB_COMPILER_SCOPELOWERING_H

#include "Affine.h"
#include "Lowering.h"

#include <bitset>

namespace ptoscope {

inline constexpr unsigned kGroups = 4;
inline constexpr unsigned kGroupBytes = 64;

/// A vector register value outside the run that makes it.
struct RegisterValue {
  mlir::Value slot;    ///< 256 bytes; null while no one needs it in memory
  mlir::Value defined; ///< four words, a bit per byte; null = every byte is defined
  llvm::SmallVector<mlir::Value> stamps; ///< where the stamps of the loads it derives from are kept
};

struct MaskValue {
  enum Kind { All, Prefix, Pattern, Slot } kind = All;
  unsigned bytes = 4;       ///< granularity
  mlir::Value count;        ///< Prefix: number of lanes, i32 unsigned
  std::bitset<256> pattern; ///< Pattern: a bit per lane
  mlir::Value slot;         ///< Slot: 256 bytes of lanes that are 0 or -1

  unsigned lanes() const { return 256 / bytes; }
};

/// One instruction of a run, with its address if it has one.
struct RunOp {
  mlir::Operation *op;
  SiteId site = kNoSite;
  mlir::Value address = {}; ///< i64, of loads and stores
  Affine affine = {};
  mlir::Value pointer = {}; ///< where the bytes are: host pointer
  mlir::Value active = {};  ///< bits of the mask in memory, null pointer = all; only when asked for
  mlir::Value staging = {}; ///< 256 bytes, for stores the runtime performs
};

/// A value of the current group.
struct GroupValue {
  mlir::Value value;
  bool rawNaN = false; ///< NaNs are not canonical yet
};

class ScopeLowering : public Lowering {
public:
  using Lowering::Lowering;
  /// Replaces `function` by an llvm.func of the same name.
  llvm::LogicalResult run(mlir::func::FuncOp function);

protected:
  llvm::LogicalResult lowerInstr(Operation *op) override;
  void flush() override;
  bool inScope() const override { return true; }
  void newHome(Value carried) override;
  void assignHomes(mlir::ValueRange carried, mlir::ValueRange sources) override;
  void shareHome(Value result, Value carried) override;
  Value loopCondition(Operation *loop, SiteId site, Value condition) override;

private:
  /// Adds a vector load or store, with its address, to the pending run.
  template <typename Op> void queueAccess(Op op, Value base);

  // --- masks (ScopeMasks.cpp)
  MaskValue maskOf(Value mask, unsigned elementBytes);
  /// Lanes of group `g` as i1, for elements of `elementBytes`; null = all on.
  Value maskGroup(const MaskValue &mask, unsigned elementBytes, Value g, std::optional<unsigned> constG);
  /// Four words in memory, a bit per byte of a register; a null pointer = all.
  Value maskBits(const MaskValue &mask);
  void storeMask(const MaskValue &mask, Value slot);
  void lowerPset(Operation *op);
  void lowerPlt(Operation *op);

  // --- runs (LaneRuns.cpp)
  enum class Shape {
    FusedFull, ///< prefix masks cover the whole register
    Fused,     ///< masks are applied
    PerOp,     ///< one instruction after the other, values in slots
  };
  void announceAccesses(llvm::MutableArrayRef<RunOp> run);
  using BitsCache = llvm::DenseMap<Value, Value>;
  void announceUses(RunOp &item, BitsCache &cache);
  Value cachedBits(Value mask, unsigned elementBytes, BitsCache &cache);
  void emitRun(llvm::MutableArrayRef<RunOp> run, Shape shape);
  void emitGroups(llvm::MutableArrayRef<RunOp> run, Shape shape, const llvm::DenseSet<Value> &escaping);
  void emitGroup(llvm::MutableArrayRef<RunOp> run, Shape shape, const llvm::DenseSet<Value> &escaping, Value g,
                 std::optional<unsigned> constG);
  void finishStores(llvm::MutableArrayRef<RunOp> run, Shape shape);
  bool storesPartially(const RunOp &item, Shape shape);
  /// The condition under which group order cannot be told from program order;
  /// null = always; nothing = never.
  std::optional<Value> groupOrderIsSafe(llvm::ArrayRef<RunOp> run);
  Value groupPtr(Value base, Value g, std::optional<unsigned> constG);
  GroupValue groupOf(Value reg, llvm::DenseMap<Value, GroupValue> &values, Value g, std::optional<unsigned> constG);
  Value canonical(GroupValue value, Type element);

  mlir::VectorType groupType(Type element);
  mlir::VectorType laneType(unsigned elementBytes);
  Value splat(Value scalar, mlir::VectorType type);
  RegisterValue &registerOf(Value value) { return registers[value]; }
  Value slotOf(Value reg);

  Value localBase; ///< host address of UB
  llvm::SmallVector<RunOp> pending;
  llvm::DenseMap<Value, RegisterValue> registers;
  llvm::DenseMap<Value, MaskValue> masks;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_SCOPELOWERING_H
