//===- ProgramLowering.h - the scalar unit's program ------------*- C++ -*-===//
//
// Scalars stay arithmetic, every instruction of a pipe becomes a call that issues
// it. Transfers and configuration registers are lowered by what their records say;
// every other instruction has an overload of `lower`, found through one table.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_PROGRAM_PROGRAMLOWERING_H
#define PTOSCOPE_LIB_COMPILER_PROGRAM_PROGRAMLOWERING_H

#include "Lowering/Lowering.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

namespace ptoscope {

class ProgramLowering : public Lowering {
public:
  using Lowering::Lowering;
  llvm::LogicalResult run(mlir::func::FuncOp function);
  /// Before a function of the module is lowered: pushes learn what the other side pops.
  static void notePopped(mlir::ModuleOp module);

  /// `sync.set` and `sync.wait` are messages (SEM-21).
  bool messages = false;

protected:
  llvm::LogicalResult lowerInstr(mlir::Operation *op) override;
  void beforeAutomatic(mlir::Operation *op) override;
  void newHome(mlir::Value carried) override;
  void assignHomes(mlir::ValueRange carried, mlir::ValueRange sources) override;
  void shareHome(mlir::Value result, mlir::Value carried) override;
  bool inScope() const override { return false; }
  void backEdge(mlir::Operation *loop, SiteId site, mlir::ValueRange carried, bool finite) override;

private:
  using Value = mlir::Value;
  using LogicalResult = llvm::LogicalResult;
  using LowerFunction = LogicalResult (*)(ProgramLowering &, mlir::Operation *);
  /// The table: from the operation's class to `lower`.
  template <typename... Ops> static llvm::DenseMap<mlir::TypeID, LowerFunction> lowerings();

  LogicalResult issue(mlir::Operation *op, llvm::StringRef function, llvm::ArrayRef<Value> arguments);
  // Transfers.cpp
  LogicalResult issueTransfer(pto::TransferOpInterface op);
  LogicalResult setRegister(mlir::Operation *op, PtoRegister reg);
  // UbVectors.cpp
  LogicalResult issueUbVector(mlir::Operation *op, const pto::InstrInfo &info);
  // Cube.cpp
  LogicalResult issueCube(mlir::Operation *op, const pto::CubeBinding &bound);

  // Instructions.cpp
  LogicalResult lower(pto::SetFlagOp op) { return lowerFlag(op, true); }
  LogicalResult lower(pto::WaitFlagOp op) { return lowerFlag(op, false); }
  LogicalResult lower(pto::SetFlagDynOp op) { return lowerDynamicFlag(op, true); }
  LogicalResult lower(pto::WaitFlagDynOp op) { return lowerDynamicFlag(op, false); }
  LogicalResult lower(pto::DeclareEventIdArrayOp op);
  LogicalResult lower(pto::EventIdArrayGetOp op);
  LogicalResult lower(pto::EventIdArraySetOp op);
  LogicalResult lower(pto::BarrierOp op);
  LogicalResult lower(pto::GetBufDynOp op) { return lowerBuffer(op, "ptosc_get_buf", false); }
  LogicalResult lower(pto::RlsBufDynOp op) { return lowerBuffer(op, "ptosc_rls_buf", true); }
  LogicalResult lower(pto::DsbOp op);
  LogicalResult lower(pto::DcciOp op);
  LogicalResult lower(pto::CmoCacheInvalidOp op);
  LogicalResult lower(pto::FenceBarrierAllOp op);
  /// Without an address everything.
  LogicalResult invalidate(mlir::Operation *op, Value address);
  LogicalResult lower(pto::GetBufOp op) { return lowerBuffer(op, "ptosc_get_buf", false); }
  LogicalResult lower(pto::RlsBufOp op) { return lowerBuffer(op, "ptosc_rls_buf", true); }
  LogicalResult lower(pto::VbitsortOp op);
  LogicalResult lower(pto::Vmrgsort4Op op);
  LogicalResult lower(pto::GetVms4SrOp op);
  LogicalResult lower(pto::Vsort32Op op) { return undefinedConfiguration(op); }
  LogicalResult lower(pto::VtransposeOp op) { return undefinedConfiguration(op); }
  LogicalResult lower(pto::GetCtrlOp op);
  LogicalResult lower(pto::SetCtrlOp op);
  /// Writes a field of CTRL.
  template <typename Op>
    requires requires { Op::kField; }
  LogicalResult lower(Op op) {
    return setControlField(op, Op::kField, Op::kValue);
  }
  LogicalResult setControlField(mlir::Operation *op, int64_t field, int64_t value);
  LogicalResult lower(pto::TrapOp op);
  LogicalResult lower(mlir::func::CallOp scope);
  // ClusterSync.cpp
  LogicalResult lower(pto::SyncAllOp op);
  LogicalResult lower(pto::SetCrossCoreOp op);
  LogicalResult lower(pto::WaitFlagDevOp op);
  LogicalResult lower(pto::SyncSetOp op) { return lowerSignal(op, true); }
  LogicalResult lower(pto::SetIntraBlockOp op) { return lowerSemaphore(op, true); }
  LogicalResult lower(pto::SyncWaitOp op) { return lowerSignal(op, false); }
  LogicalResult lower(pto::WaitIntraCoreOp op) { return lowerSemaphore(op, false); }
  LogicalResult lower(pto::SetCrossBlockOp op) { return lowerMessage(op, true, 0); }
  LogicalResult lower(pto::WaitCrossBlockOp op) { return lowerMessage(op, false, 0); }

  // Tiles.cpp
  LogicalResult lower(pto::AllocTileOp op);
  LogicalResult lower(pto::AllocMultiTileOp op);
  LogicalResult lower(pto::MultiTileGetOp op);
  LogicalResult lower(pto::SubviewOp op);
  LogicalResult lower(pto::BitcastOp op);
  LogicalResult lower(pto::TReshapeOp op);
  LogicalResult lower(pto::TAssignOp op);
  LogicalResult lower(pto::SetValidShapeOp op);
  LogicalResult lower(pto::GetValidShapeOp op);
  LogicalResult lower(pto::TileValidRowsOp op);
  LogicalResult lower(pto::TileValidColsOp op);
  LogicalResult lower(pto::TileBufAddrOp op);
  LogicalResult lower(pto::TPrintOp op);
  LogicalResult lower(pto::PrintOp op);
  LogicalResult lower(pto::TSyncOp op);
  LogicalResult lower(pto::TGetValOp op);
  LogicalResult lower(pto::TSetValOp op);
  LogicalResult lower(pto::MakeTensorViewOp op);
  LogicalResult lower(pto::PartitionViewOp op);
  LogicalResult lower(pto::GetTensorViewDimOp op) { return lowerViewQuery(op, false); }
  LogicalResult lower(pto::GetTensorViewStrideOp op) { return lowerViewQuery(op, true); }
  LogicalResult lower(pto::TensorViewAddrOp op);
  Value viewAddress(Value view);
  LogicalResult lowerTileInstr(mlir::Operation *op);
  template <typename Op> LogicalResult lowerAlloc(Op op, pto::TileBufType type);
  LogicalResult lowerViewQuery(mlir::Operation *op, bool stride);
  void storeTile(Value slot, pto::TileBufType type);
  Value newSlot(Value value);
  Value newTile(Value tile, mlir::Type type);
  Value scratch(Value &slot, int64_t bytes);
  Value numberOr(Value value, int64_t otherwise);
  Value validExtent(Value computed, int64_t given, int64_t unit, int64_t otherwise);
  Value validRows(Value computed, pto::TileBufType type, int64_t otherwise);
  Value validCols(Value computed, pto::TileBufType type, int64_t otherwise);
  Value extentOf(Value tile, bool rows);
  Value elementBits(Value scalar, mlir::Type element);
  Value modeOf(const pto::TileBinding &binding);
  Value scaled(Value number, int64_t unit);
  void failUnlessFixed(mlir::Operation *op, mlir::ValueRange values, llvm::ArrayRef<int64_t> fixed);
  template <typename Image> void setDims(Image &image, int64_t offset, mlir::ValueRange values);

  // Queues.cpp
  LogicalResult lower(pto::ReserveBufferOp op);
  LogicalResult lower(pto::ImportReservedBufferOp op);
  LogicalResult lower(pto::AicInitializePipeOp op);
  LogicalResult lower(pto::AivInitializePipeOp op);
  LogicalResult lower(pto::TPushToAivOp op);
  LogicalResult lower(pto::TPushToAicOp op);
  LogicalResult lower(pto::TPopFromAicOp op);
  LogicalResult lower(pto::TPopFromAivOp op);
  LogicalResult lower(pto::TAllocToAivOp op);
  LogicalResult lower(pto::TAllocToAicOp op);
  LogicalResult lower(pto::TFreeFromAicOp op);
  LogicalResult lower(pto::TFreeFromAivOp op);
  LogicalResult lower(pto::SetQuantScalarOp op);
  LogicalResult lower(pto::SetQuantVectorOp op);
  LogicalResult lower(pto::InitializeL2LPipeOp op);
  LogicalResult lower(pto::InitializeL2G2LPipeOp op);
  LogicalResult lower(pto::DeclareTileOp op);
  LogicalResult lower(pto::DeclareGlobalOp op);
  LogicalResult lower(pto::TAllocOp op);
  LogicalResult lower(pto::TPushOp op);
  LogicalResult lower(pto::TPopOp op);
  LogicalResult lower(pto::TFreeOp op);
  LogicalResult lowerReserved(mlir::Operation *op);
  LogicalResult makeQueue(mlir::Operation *op, int64_t flag, Value global, Value vectorBuffer, Value matBuffer,
                          Value &slot);
  LogicalResult lowerHandle(mlir::Operation *op, bool inGlobal);
  template <typename Op> LogicalResult lowerOnPipe(Op op, llvm::StringRef ofTile, llvm::StringRef ofView, bool fills);
  Value newEntry(Value entry);
  template <typename Op> LogicalResult lowerInitialize(Op op);
  template <typename Op> LogicalResult lowerPush(Op op);
  template <typename Op> LogicalResult lowerPop(Op op);
  template <typename Op> LogicalResult lowerEntry(Op op, llvm::StringRef function);
  template <typename Op> LogicalResult lowerFree(Op op);
  Value queueOf(mlir::Operation *op);
  Value queueUse(mlir::Operation *op, Value subblock, mlir::Operation *pipe = nullptr, Value scales = {});
  Value scalesOf(mlir::Operation *op);

  // ScalarStorage.cpp
  LogicalResult lower(pto::DeclareLocalArrayOp op);
  LogicalResult lower(pto::LocalArrayGetOp op);
  LogicalResult lower(pto::LocalArraySetOp op);
  LogicalResult lower(pto::DeclareStructOp op);
  LogicalResult lower(pto::StructGetOp op);
  LogicalResult lower(pto::StructSetOp op);
  LogicalResult declareScalars(mlir::Operation *op, int64_t count);
  Value indexIn(mlir::Operation *op, pto::LocalArrayType array, mlir::ValueRange indices);
  LogicalResult getScalar(mlir::Operation *op, Value storage, Value position);
  LogicalResult setScalar(mlir::Operation *op, Value storage, Value position, Value value);

  template <typename Op> LogicalResult lowerFlag(Op op, bool sets);
  template <typename Op> LogicalResult lowerDynamicFlag(Op op, bool sets);
  template <typename Op> LogicalResult lowerBuffer(Op op, llvm::StringRef function, bool releases);
  LogicalResult lowerSemaphore(mlir::Operation *op, bool sets);
  LogicalResult lowerSignal(mlir::Operation *op, bool sets);
  LogicalResult lowerMessage(mlir::Operation *op, bool sets, unsigned mode);
  Value semaphoreId(mlir::Operation *op);
  void nameSemaphore(mlir::Operation *op, bool sets);
  static LogicalResult undefinedConfiguration(mlir::Operation *op);

  Value pipe(pto::PipeAttr attr) { return b.const32(unsigned(attr.getValue())); }
  /// What the text names, for repairs that need a free id.
  void nameId(NamedIds &ids, std::optional<int64_t> id, bool sets, mlir::Operation *op);
  CoreKind coreKind = CoreKind::AIV;
  Value callSlot, partSlot, cubeSlot;               ///< of the last tile instruction, partition and cube instruction
  Value queueSlot;                                  ///< of the last use of a pipe
  Value ubSlot;                                     ///< of the last `ub` instruction
  llvm::DenseMap<int64_t, Value> queues;            ///< pipes by their ids, as made last
  llvm::DenseMap<int64_t, mlir::Operation *> pipes; ///< what made them
  llvm::DenseMap<int64_t, Value> scales;            ///< of those that quantise
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_PROGRAM_PROGRAMLOWERING_H
