//===- Instructions.cpp - instructions of the scalar unit's program -------===//

#include "Program/ProgramLowering.h"
#include "ptoscope/Dialect/PTO/CubeBinding.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

template <typename... Ops> DenseMap<TypeID, ProgramLowering::LowerFunction> ProgramLowering::lowerings() {
  return {
      {TypeID::get<Ops>(), [](ProgramLowering &lowering, Operation *op) { return lowering.lower(cast<Ops>(op)); }}...};
}

LogicalResult ProgramLowering::lowerInstr(Operation *op) {
  static const DenseMap<TypeID, LowerFunction> table =
      lowerings<SetFlagOp, WaitFlagOp, SetFlagDynOp, WaitFlagDynOp, DeclareEventIdArrayOp, EventIdArrayGetOp,
                EventIdArraySetOp, BarrierOp, GetBufOp, RlsBufOp, GetBufDynOp, RlsBufDynOp, DsbOp, DcciOp,
                CmoCacheInvalidOp, FenceBarrierAllOp, VbitsortOp, Vmrgsort4Op, GetVms4SrOp, Vsort32Op, VtransposeOp,
                GetCtrlOp, SetCtrlOp, SetAtomicNoneOp, SetAtomicF32Op, SetAtomicF16Op, SetAtomicS16Op, SetAtomicS32Op,
                SetAtomicS8Op, SetAtomicBf16Op, SetAtomicAddOp, SetAtomicMaxOp, SetAtomicMinOp, UbSetMaskCountOp,
                UbSetMaskNormOp, TrapOp, SyncAllOp, SetCrossCoreOp, WaitFlagDevOp, SyncSetOp, SetIntraBlockOp,
                SyncWaitOp, WaitIntraCoreOp, SetCrossBlockOp, WaitCrossBlockOp, func::CallOp, AllocTileOp,
                AllocMultiTileOp, MultiTileGetOp, SubviewOp, BitcastOp, TReshapeOp, TAssignOp, SetValidShapeOp,
                GetValidShapeOp, TileValidRowsOp, TileValidColsOp, TileBufAddrOp, TPrintOp, PrintOp, TSyncOp, TGetValOp,
                TSetValOp, DeclareLocalArrayOp, LocalArrayGetOp, LocalArraySetOp, DeclareStructOp, StructGetOp,
                StructSetOp, MakeTensorViewOp, PartitionViewOp, GetTensorViewDimOp, GetTensorViewStrideOp,
                TensorViewAddrOp, ReserveBufferOp, ImportReservedBufferOp, AicInitializePipeOp, AivInitializePipeOp,
                TPushToAivOp, TPushToAicOp, TPopFromAicOp, TPopFromAivOp, TAllocToAivOp, TAllocToAicOp, TFreeFromAicOp,
                TFreeFromAivOp, SetQuantScalarOp, SetQuantVectorOp, InitializeL2LPipeOp, InitializeL2G2LPipeOp,
                DeclareTileOp, DeclareGlobalOp, TAllocOp, TPushOp, TPopOp, TFreeOp>();
  if (isa<TileInstr>(op))
    return lowerTileInstr(op);
  if (CubeBinding bound; isa<CubeOpInterface>(op) && cast<CubeOpInterface>(op).bindCube(bound))
    return issueCube(op, bound);
  if (auto transfer = dyn_cast<TransferOpInterface>(op))
    return issueTransfer(transfer);
  if (const InstrInfo *info = infoOf(op); info && info->sets)
    return setRegister(op, *info->sets);
  if (const InstrInfo *info = infoOf(op); info && info->family == Family::UbVector)
    return issueUbVector(op, *info);
  if (LowerFunction lower = table.lookup(op->getName().getTypeID()))
    return lower(*this, op);
  return emitCoded(op->emitError(), "not-modelled") << "`" << op->getName() << "` is not modelled in a running kernel";
}

//===----------------------------------------------------------------------===//
// Synchronisation inside a core
//===----------------------------------------------------------------------===//

void ProgramLowering::nameId(NamedIds &ids, std::optional<int64_t> id, bool sets, Operation *op) {
  if (!id)
    ids.nameComputed(sets, siteOf(op));
  else if (*id >= 0 && *id < kBufferIds)
    ids.name(*id, sets, siteOf(op), sites[siteOf(op)].loop != kNoSite);
}

template <typename Op> LogicalResult ProgramLowering::lowerFlag(Op op, bool sets) {
  if (!op.getId())
    return op->emitError() << "`" << op->getName() << "`: event " << op->getAttr("event")
                           << " has no id; run pto-assign-events first";
  nameId(sites.events(op.getSrc().getValue(), op.getDst().getValue()), *op.getId(), sets, op);
  return issue(op, sets ? "ptosc_set_flag" : "ptosc_wait_flag",
               {pipe(op.getSrc()), pipe(op.getDst()), b.const64(*op.getId())});
}

template <typename Op> LogicalResult ProgramLowering::lowerDynamicFlag(Op op, bool sets) {
  nameId(sites.events(op.getSrc().getValue(), op.getDst().getValue()), std::nullopt, sets, op);
  return issue(op, sets ? "ptosc_set_flag" : "ptosc_wait_flag",
               {pipe(op.getSrc()), pipe(op.getDst()), mapped64(op.getEvent())});
}

template <typename Op> LogicalResult ProgramLowering::lowerBuffer(Op op, StringRef function, bool releases) {
  auto word = [&](Value operand, std::optional<int64_t> literal) {
    return operand ? mapped64(operand) : b.const64(literal.value_or(0));
  };
  std::optional<int64_t> id;
  if constexpr (requires { op.getStaticId(); })
    id = op.getId() ? std::nullopt : std::optional(int64_t(op.getStaticId().value_or(0)));
  nameId(sites.buffers, id, releases, op);
  nameId(sites.buffersOf(op.getTarget().getValue()), id, releases, op);
  return issue(op, function, {pipe(op.getTarget()), word(op.getId(), id), word(op.getMode(), op.getStaticMode())});
}

LogicalResult ProgramLowering::lower(BarrierOp op) { return issue(op, "ptosc_barrier", {pipe(op.getTarget())}); }

LogicalResult ProgramLowering::lower(DsbOp op) {
  return issue(op, "ptosc_memory_barrier", {b.const32(unsigned(domainOf(op.getMemory())))});
}

LogicalResult ProgramLowering::lower(FenceBarrierAllOp op) {
  return issue(op, "ptosc_barrier", {b.const32(unsigned(Pipe::All))});
}

LogicalResult ProgramLowering::invalidate(Operation *op, Value address) {
  return issue(op, "ptosc_cache_invalidate", {address ? address : b.const64(0), b.const32(!address)});
}

LogicalResult ProgramLowering::lower(DcciOp op) {
  // Lines of UB: the scalar unit does not cache them (CACHE-2).
  if (cast<PtrType>(op.getPtr().getType()).getSpace() == Space::Ub)
    return success();
  return invalidate(op, op.getLines() == "SINGLE_CACHE_LINE" ? mapped(op.getPtr()) : Value());
}

LogicalResult ProgramLowering::lower(CmoCacheInvalidOp op) {
  Value address = op.getAddress();
  if (!address)
    return invalidate(op, {});
  return invalidate(op, isa<PtrType>(address.getType()) ? mapped(address) : viewAddress(address));
}

static int64_t sizeOf(Value array) { return cast<EventIdArrayType>(array.getType()).getSize(); }

LogicalResult ProgramLowering::lower(DeclareEventIdArrayOp op) {
  Value array = b.stack(int64_t(sizeof(PtoEventId)) * sizeOf(op.getArray()), alignof(PtoEventId));
  mapping.map(op.getArray(), array);
  return issue(op, "ptosc_event_array", {array, b.const64(sizeOf(op.getArray()))});
}

LogicalResult ProgramLowering::lower(EventIdArraySetOp op) {
  return issue(
      op, "ptosc_event_array_set",
      {mapped(op.getArray()), b.const64(sizeOf(op.getArray())), mapped64(op.getIndex()), mapped64(op.getEvent())});
}

LogicalResult ProgramLowering::lower(EventIdArrayGetOp op) {
  Value result = b.stack(8, 8);
  (void)issue(op, "ptosc_event_array_get",
              {mapped(op.getArray()), b.const64(sizeOf(op.getArray())), mapped64(op.getIndex()), result});
  return give(op, b.load(b.i64(), result, 8));
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

static unsigned scoreBytes(Value pointer) { return cast<PtrType>(pointer.getType()).getElementBytes(); }

LogicalResult ProgramLowering::lower(VbitsortOp op) {
  return issue(op, "ptosc_bitsort",
               {b.const32(scoreBytes(op.getScores())), mapped(op.getDst()), mapped(op.getScores()),
                mapped(op.getIndices()), mapped64(op.getRepeat())});
}

LogicalResult ProgramLowering::lower(Vmrgsort4Op op) {
  SmallVector<Value> arguments = {b.const32(scoreBytes(op.getDst()))};
  for (Value operand : op->getOperands())
    arguments.push_back(mapped(operand));
  return issue(op, "ptosc_mrgsort4", arguments);
}

LogicalResult ProgramLowering::lower(GetVms4SrOp op) {
  Value word = b.stack(8, 8);
  (void)issue(op, "ptosc_get_vms4_sr", {word});
  // Four fields of 16 bits, or the word itself.
  for (auto [i, count] : llvm::enumerate(op->getResults()))
    mapping.map(count, b.load(count.getType(), b.ptrAdd(word, int64_t(2 * i)), 2));
  return success();
}

LogicalResult ProgramLowering::undefinedConfiguration(Operation *op) {
  return emitCoded(op->emitError(), "not-modelled")
         << "`" << op->getName() << "` is not modelled: its configuration word is undefined by the manual";
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

LogicalResult ProgramLowering::lower(GetCtrlOp op) { return give(op, b.call("ptosc_get_ctrl", b.i64(), {b.context})); }

LogicalResult ProgramLowering::setControlField(Operation *op, int64_t field, int64_t value) {
  Value old = b.call("ptosc_get_ctrl", b.i64(), {b.context});
  Value kept = b.andi(old, b.const64(~field));
  return issue(op, "ptosc_set_ctrl", {b.ori(kept, b.const64(value))});
}

LogicalResult ProgramLowering::lower(SetCtrlOp op) { return issue(op, "ptosc_set_ctrl", {mapped(op.getValue())}); }

LogicalResult ProgramLowering::lower(TrapOp op) {
  return issue(op, "ptosc_fail", {b.const32(PTO_FAIL_TRAP), b.const64(0)});
}

/// A vector scope, outlined before.
LogicalResult ProgramLowering::lower(func::CallOp call) {
  auto callee = b.module.lookupSymbol<LLVM::LLVMFuncOp>(call.getCallee());
  auto site = SiteId(callee->getAttrOfType<IntegerAttr>("pto.site").getInt());
  // The scope was lowered before anyone knew which loops it stands in.
  Site here = sites[siteOf(call)];
  sites[site].next = here.next;
  sites[site].block = here.block;
  sites[site].loop = here.loop;
  sites[site].depth = here.depth;
  Value captures = call.getNumOperands() ? b.stack(8 * int64_t(call.getNumOperands()), 8) : b.nullPtr();
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    b.store(b.toBits(mapped(operand)), b.ptrAdd(captures, int64_t(8 * i)), 8);
  Value code = b.create<LLVM::AddressOfOp>(b.loc, callee);
  b.callMayStop(callee->hasAttr(kPlacedAttr) ? "ptosc_placed_scope" : "ptosc_scope",
                {b.context, b.const32(site), code, captures, b.const32(call.getNumOperands())});
  return success();
}
