//===- LowerProgram.cpp - pto-lower-program -------------------------------===//
//
// Turns the kernel function into the scalar unit's program: scalars stay
// arithmetic, every instruction of a pipe becomes a call that issues it, and a
// call that may end the block is marked for pto-split-stops.
//
//===----------------------------------------------------------------------===//

#include "Lowering/Lowering.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

class ProgramLowering : public Lowering {
public:
  using Lowering::Lowering;
  LogicalResult run(func::FuncOp function);

protected:
  LogicalResult lowerInstr(Operation *op) override;
  bool inScope() const override { return false; }
  void backEdge(Operation *loop, SiteId site, ValueRange carried, bool finite) override;

private:
  /// What a transfer's operands are; null values mean 0.
  struct Transfer {
    Pipe pipe;
    Value src, dst, len, count, srcStride, dstStride;
    ValueRange loops = {};
    Value pad = {}, padLeft = {}, padRight = {};
    Value padSelect = {}; ///< legacy: the registers apply, and this i1 enables padding
    bool registers = false;
    Value subblock = {}; ///< whose UB a cube core writes
    bool gaps = false; ///< lengths and steps count 32-byte blocks; a step is what is skipped
    Value sid = {}, l2 = {}, reserved = {}; ///< without effect on data
  };
  void issue(Operation *op, StringRef function, ArrayRef<Value> arguments);
  void issueTransfer(Operation *op, const Transfer &transfer);
  /// Rows of 32-byte blocks with gaps.
  template <typename Op> void issueGapCopy(Op op, Pipe pipe, Value sid, Value subblock) {
    Transfer t{pipe, op.getSrc(), op.getDst(), op.getLenBurst(), op.getNBurst(), op.getSrcGap(), op.getDstGap()};
    t.sid = sid;
    t.subblock = subblock;
    t.gaps = true;
    issueTransfer(op, t);
  }
  template <typename Op> void issueMte(Op op, Pipe pipe, bool gaps) {
    Transfer t{pipe, op.getSrc(), op.getDst(), op.getLen(), op.getN(), op.getSrcStride(), op.getDstStride(), op.getLoops()};
    t.gaps = gaps;
    issueTransfer(op, t);
  }
  void lowerEventArray(Operation *op);
  void lowerSort(Operation *op);
  LogicalResult lowerClusterSync(Operation *op);
  void issueScope(func::CallOp call);
  CoreKind coreKind = CoreKind::AIV;
  Value pipe(PipeAttr attr) { return b.const32(unsigned(attr.getValue())); }
  template <typename Op> void issueBuf(Op op, StringRef function);
  /// What the text names, for repairs that need a free id.
  void nameId(NamedIds &ids, std::optional<int64_t> id, bool sets, Operation *op) {
    if (!id)
      ids.computed = true;
    else if (*id >= 0 && *id < kBufferIds)
      ids.name(*id, sets, siteOf(op));
  }
  void nameFlag(PipeAttr src, PipeAttr dst, std::optional<int64_t> id, bool sets, Operation *op) {
    nameId(sites.events(src.getValue(), dst.getValue()), id, sets, op);
  }
};

} // namespace

LogicalResult ProgramLowering::run(func::FuncOp function) {
  b.loc = function.getLoc();
  std::string name = function.getName().str();
  if (auto core = function->getAttrOfType<StringAttr>("pto.core"); core && core == "aic")
    coreKind = CoreKind::AIC;
  auto lowered = b.beginFunction(name + ".code", b.i32(), {b.ptrType(), b.ptrType()});
  bindArguments(function.getBody().front(), lowered.getBody().front().getArgument(1));
  if (failed(lowerBlock(function.getBody().front())))
    return failure();
  b.create<LLVM::ReturnOp>(b.loc, b.const32(0));
  function.erase();
  lowered.setName(name);
  return success();
}

void ProgramLowering::issue(Operation *op, StringRef function, ArrayRef<Value> arguments) {
  SmallVector<Value> all = {b.context, constSite(op)};
  all.append(arguments.begin(), arguments.end());
  b.callMayStop(function, all);
}

/// True when the loop has to give way: it reads memory, or issues nothing to
/// a pipe other than the scalar unit.
static bool isYieldPoint(Operation *loop) {
  bool reads = false, issues = false;
  loop->walk([&](Operation *op) {
    reads |= isa<LoadScalarOp>(op);
    const InstrInfo *info = isa<PTODialect>(op->getDialect()) ? findInstr(op->getName().stripDialect()) : nullptr;
    issues |= isa<func::CallOp>(op) || (info && info->pipe != "S");
  });
  return reads || !issues;
}

void ProgramLowering::backEdge(Operation *loop, SiteId site, ValueRange carried, bool finite) {
  if (!isYieldPoint(loop))
    return;
  Value bytes = carried.empty() ? b.nullPtr() : b.stack(8 * int64_t(carried.size()), 8);
  for (auto [i, value] : llvm::enumerate(carried))
    b.store(b.toBits(value), b.ptrAdd(bytes, int64_t(8 * i)), 8);
  b.callMayStop("ptosc_yield",
                {b.context, b.const32(site), bytes, b.const64(8 * int64_t(carried.size())), b.const32(finite)});
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Registers that are set by one or two i64 words.
static std::optional<PtoRegister> registerOf(Operation *op) {
  static constexpr std::pair<StringLiteral, PtoRegister> kTable[] = {
      {SetLoopSizeOutToUbOp::getOperationName(), PTO_REG_LOOP_SIZE_OUTTOUB},
      {SetLoop1StrideOutToUbOp::getOperationName(), PTO_REG_LOOP1_STRIDE_OUTTOUB},
      {SetLoop2StrideOutToUbOp::getOperationName(), PTO_REG_LOOP2_STRIDE_OUTTOUB},
      {SetLoopSizeUbToOutOp::getOperationName(), PTO_REG_LOOP_SIZE_UBTOOUT},
      {SetLoop1StrideUbToOutOp::getOperationName(), PTO_REG_LOOP1_STRIDE_UBTOOUT},
      {SetLoop2StrideUbToOutOp::getOperationName(), PTO_REG_LOOP2_STRIDE_UBTOOUT},
      {SetLoopSizeOutToL1Op::getOperationName(), PTO_REG_LOOP_SIZE_OUTTOL1},
      {SetLoop1StrideOutToL1Op::getOperationName(), PTO_REG_LOOP1_STRIDE_OUTTOL1},
      {SetLoop2StrideOutToL1Op::getOperationName(), PTO_REG_LOOP2_STRIDE_OUTTOL1},
      {SetFftsOp::getOperationName(), PTO_REG_FFTS_BASE},
  };
  StringRef name = op->getName().getStringRef();
  for (const auto &[instruction, reg] : kTable)
    if (name == instruction)
      return reg;
  return std::nullopt;
}

template <typename Op> void ProgramLowering::issueBuf(Op op, StringRef function) {
  auto word = [&](Value operand, std::optional<int64_t> literal) {
    return operand ? mapped64(operand) : b.const64(literal.value_or(0));
  };
  nameId(sites.buffers, op.getId() ? std::nullopt : std::optional(op.getStaticId().value_or(0)), isa<RlsBufOp>(op), op);
  issue(op, function, {pipe(op.getTarget()), word(op.getId(), op.getStaticId()), word(op.getMode(), op.getStaticMode())});
}

LogicalResult ProgramLowering::lowerInstr(Operation *op) {
  if (auto reg = registerOf(op)) {
    Value second = op->getNumOperands() > 1 ? mapped(op->getOperand(1)) : b.const64(0);
    issue(op, "ptosc_set_register", {b.const32(*reg), mapped(op->getOperand(0)), second});
  } else if (auto set = dyn_cast<SetPadValOutToL1Op>(op)) {
    issue(op, "ptosc_set_register", {b.const32(PTO_REG_PAD_VAL_OUTTOL1), b.toBits(mapped(set.getValue())), b.const64(0)});
  } else if (auto set = dyn_cast<SetMovPadValOp>(op)) {
    Value value = mapped(set.getValue());
    issue(op, "ptosc_set_register",
          {b.const32(PTO_REG_MOV_PAD_VAL), b.toBits(value), b.const64(bitsOf(set.getValue().getType()) / 8)});
  } else if (auto copy = dyn_cast<CopyGmToUbufOp>(op)) {
    Transfer t{Pipe::MTE2, copy.getSrc(), copy.getDst(), copy.getLenBurst(), copy.getNBurst(), copy.getSrcStride(),
               copy.getDstStride(), {}, {}, copy.getLeft(), copy.getRight(), copy.getDataSelect(), true};
    t.sid = copy.getSid();
    t.l2 = copy.getL2();
    issueTransfer(op, t);
  } else if (auto copy = dyn_cast<CopyUbufToGmOp>(op)) {
    Transfer t{Pipe::MTE3, copy.getSrc(), copy.getDst(), copy.getLenBurst(), copy.getNBurst(), copy.getSrcStride(),
               copy.getDstStride(), {}, {}, {}, {}, {}, true};
    t.sid = copy.getSid();
    t.reserved = copy.getReserved();
    issueTransfer(op, t);
  } else if (auto mte = dyn_cast<MteGmUbOp>(op)) {
    Transfer t{Pipe::MTE2, mte.getSrc(), mte.getDst(), mte.getLen(), mte.getN(), mte.getSrcStride(),
               mte.getDstStride(), mte.getLoops(), mte.getPad(), mte.getLeft(), mte.getRight()};
    t.l2 = mte.getL2();
    issueTransfer(op, t);
  } else if (auto mte = dyn_cast<MteUbGmOp>(op)) {
    issueMte(mte, Pipe::MTE3, /*gaps=*/false);
  } else if (auto copy = dyn_cast<CopyUbufToCbufOp>(op)) {
    issueGapCopy(copy, Pipe::MTE3, copy.getThird(), {});
  } else if (auto copy = dyn_cast<CopyCbufToUbufOp>(op)) {
    issueGapCopy(copy, Pipe::MTE1, {}, copy.getThird());
  } else if (auto copy = dyn_cast<CopyGmToCbufOp>(op)) {
    Transfer t{Pipe::MTE2, copy.getSrc(), copy.getDst(), copy.getLenBurst(), copy.getNBurst(), copy.getSrcStride(),
               copy.getDstStride()};
    t.registers = true;
    issueTransfer(op, t);
  } else if (auto mte = dyn_cast<MteUbL1Op>(op)) {
    issueMte(mte, Pipe::MTE3, /*gaps=*/true);
  } else if (auto mte = dyn_cast<MteL1UbOp>(op)) {
    issueMte(mte, Pipe::MTE1, /*gaps=*/true);
  } else if (auto mte = dyn_cast<MteGmL1Op>(op)) {
    issueMte(mte, Pipe::MTE2, /*gaps=*/false);
  } else if (isa<SyncSetOp, SyncWaitOp, SetIntraBlockOp, WaitIntraCoreOp, SetCrossCoreOp, WaitFlagDevOp, SyncAllOp>(op)) {
    return lowerClusterSync(op);
  } else if (auto copy = dyn_cast<CopyUbufToUbufOp>(op)) {
    issueGapCopy(copy, Pipe::V, copy.getSid(), {});
  } else if (auto mte = dyn_cast<MteUbUbOp>(op)) {
    issueMte(mte, Pipe::V, /*gaps=*/true);
  } else if (isa<SetFlagOp, WaitFlagOp>(op) && !op->hasAttr("id")) {
    return op->emitError() << "`" << op->getName() << "`: event " << op->getAttr("event") << " has no id; run pto-assign-events first";
  } else if (auto set = dyn_cast<SetFlagOp>(op)) {
    nameFlag(set.getSrc(), set.getDst(), *set.getId(), true, op);
    issue(op, "ptosc_set_flag", {pipe(set.getSrc()), pipe(set.getDst()), b.const64(*set.getId())});
  } else if (auto wait = dyn_cast<WaitFlagOp>(op)) {
    nameFlag(wait.getSrc(), wait.getDst(), *wait.getId(), false, op);
    issue(op, "ptosc_wait_flag", {pipe(wait.getSrc()), pipe(wait.getDst()), b.const64(*wait.getId())});
  } else if (auto set = dyn_cast<SetFlagDynOp>(op)) {
    nameFlag(set.getSrc(), set.getDst(), std::nullopt, true, op);
    issue(op, "ptosc_set_flag", {pipe(set.getSrc()), pipe(set.getDst()), mapped64(set.getEvent())});
  } else if (auto wait = dyn_cast<WaitFlagDynOp>(op)) {
    nameFlag(wait.getSrc(), wait.getDst(), std::nullopt, false, op);
    issue(op, "ptosc_wait_flag", {pipe(wait.getSrc()), pipe(wait.getDst()), mapped64(wait.getEvent())});
  } else if (isa<DeclareEventIdArrayOp, EventIdArrayGetOp, EventIdArraySetOp>(op)) {
    lowerEventArray(op);
  } else if (auto barrier = dyn_cast<BarrierOp>(op)) {
    issue(op, "ptosc_barrier", {pipe(barrier.getTarget())});
  } else if (auto get = dyn_cast<GetBufOp>(op)) {
    issueBuf(get, "ptosc_get_buf");
  } else if (auto release = dyn_cast<RlsBufOp>(op)) {
    issueBuf(release, "ptosc_rls_buf");
  } else if (isa<VbitsortOp, Vmrgsort4Op, GetVms4SrOp>(op)) {
    lowerSort(op);
  } else if (isa<Vsort32Op, VtransposeOp>(op)) {
    return emitCoded(op->emitError(), "not-modelled")
           << "`" << op->getName() << "` is not modelled: its configuration word is undefined by the manual";
  } else if (isa<GetCtrlOp>(op)) {
    mapping.map(op->getResult(0), b.call("ptosc_get_ctrl", b.i64(), {b.context}).getResult());
  } else if (auto set = dyn_cast<SetCtrlOp>(op)) {
    issue(op, "ptosc_set_ctrl", {mapped(set.getValue())});
  } else if (isa<TrapOp>(op)) {
    issue(op, "ptosc_fail", {b.const32(PTO_FAIL_TRAP), b.const64(0)});
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    issueScope(call);
  } else {
    return emitCoded(op->emitError(), "not-modelled") << "`" << op->getName() << "` is not modelled in a running kernel";
  }
  return success();
}

void ProgramLowering::lowerEventArray(Operation *op) {
  auto typeOf = [](Value array) { return cast<EventIdArrayType>(array.getType()); };
  if (auto declare = dyn_cast<DeclareEventIdArrayOp>(op)) {
    int64_t size = typeOf(declare.getArray()).getSize();
    Value array = b.stack(int64_t(sizeof(PtoEventId)) * size, alignof(PtoEventId));
    mapping.map(declare.getArray(), array);
    issue(op, "ptosc_event_array", {array, b.const64(size)});
  } else if (auto set = dyn_cast<EventIdArraySetOp>(op)) {
    issue(op, "ptosc_event_array_set", {mapped(set.getArray()), b.const64(typeOf(set.getArray()).getSize()),
                                        mapped64(set.getIndex()), mapped64(set.getEvent())});
  } else {
    auto get = cast<EventIdArrayGetOp>(op);
    Value result = b.stack(8, 8);
    issue(op, "ptosc_event_array_get", {mapped(get.getArray()), b.const64(typeOf(get.getArray()).getSize()),
                                        mapped64(get.getIndex()), result});
    mapping.map(get.getEvent(), b.load(b.i64(), result, 8));
  }
}

void ProgramLowering::lowerSort(Operation *op) {
  auto scoreBytes = [&](Value pointer) { return b.const32(cast<PtrType>(pointer.getType()).getElementBytes()); };
  if (auto sort = dyn_cast<VbitsortOp>(op)) {
    issue(op, "ptosc_bitsort", {scoreBytes(sort.getScores()), mapped(sort.getDst()), mapped(sort.getScores()),
                                mapped(sort.getIndices()), mapped64(sort.getRepeat())});
  } else if (auto merge = dyn_cast<Vmrgsort4Op>(op)) {
    SmallVector<Value> arguments = {scoreBytes(merge.getDst())};
    for (Value operand : op->getOperands())
      arguments.push_back(mapped(operand));
    issue(op, "ptosc_mrgsort4", arguments);
  } else {
    Value word = b.stack(8, 8);
    issue(op, "ptosc_get_vms4_sr", {word});
    // Four fields of 16 bits, or the word itself.
    for (auto [i, count] : llvm::enumerate(op->getResults()))
      mapping.map(count, b.load(count.getType(), b.ptrAdd(word, int64_t(2 * i)), 2));
  }
}

/// True when the operand is absent or a constant that needs no look at run time.
static bool isPlainHint(Value value, uint64_t limit) {
  APInt constant;
  return !value || (matchPattern(value, m_ConstantInt(&constant)) && constant.ule(limit));
}

void ProgramLowering::issueTransfer(Operation *op, const Transfer &t) {
  Value record = b.stack(sizeof(PtoTransfer), 8);
  auto store32 = [&](size_t offset, Value value) { b.store(value, b.ptrAdd(record, int64_t(offset)), 4); };
  auto store64 = [&](size_t offset, Value value) {
    b.store(value ? mapped64(value) : b.const64(0), b.ptrAdd(record, int64_t(offset)), 8);
  };
  auto src = cast<PtrType>(t.src.getType()), dst = cast<PtrType>(t.dst.getType());
  // Only values that are not known to be harmless are worth a check.
  bool hints = !isPlainHint(t.sid, 15) || !isPlainHint(t.l2, 3) || !isPlainHint(t.reserved, 0);
  Value flags = b.const32((t.registers ? PTO_TRANSFER_REGISTERS : 0) | (t.pad ? PTO_TRANSFER_PAD : 0) |
                          (t.subblock ? PTO_TRANSFER_SUBBLOCK : 0) | (t.gaps ? PTO_TRANSFER_BLOCKS : 0) |
                          (hints ? PTO_TRANSFER_HINTS : 0));
  store64(offsetof(PtoTransfer, dstSubblock), t.subblock);
  if (hints) {
    store64(offsetof(PtoTransfer, sid), t.sid);
    store64(offsetof(PtoTransfer, l2), t.l2);
    store64(offsetof(PtoTransfer, reserved), t.reserved);
  }
  if (t.padSelect)
    flags = b.ori(flags, b.create<arith::ExtUIOp>(b.loc, b.i32(), mapped(t.padSelect)));
  store32(offsetof(PtoTransfer, srcSpace), b.const32(unsigned(src.getSpace())));
  store32(offsetof(PtoTransfer, dstSpace), b.const32(unsigned(dst.getSpace())));
  store32(offsetof(PtoTransfer, pipe), b.const32(unsigned(t.pipe)));
  store32(offsetof(PtoTransfer, flags), flags);
  store32(offsetof(PtoTransfer, elementBytes), b.const32(dst.getElementBytes()));
  store32(offsetof(PtoTransfer, padWidth), b.const32(t.pad ? bitsOf(t.pad.getType()) / 8 : 0));
  b.store(t.pad ? b.toBits(mapped(t.pad)) : b.const64(0), b.ptrAdd(record, offsetof(PtoTransfer, padValue)), 8);
  store64(offsetof(PtoTransfer, padLeft), t.padLeft);
  store64(offsetof(PtoTransfer, padRight), t.padRight);
  b.store(mapped(t.src), b.ptrAdd(record, offsetof(PtoTransfer, src)), 8);
  b.store(mapped(t.dst), b.ptrAdd(record, offsetof(PtoTransfer, dst)), 8);
  store64(offsetof(PtoTransfer, count), t.count);
  store64(offsetof(PtoTransfer, len), t.len);
  store64(offsetof(PtoTransfer, srcStride), t.srcStride);
  store64(offsetof(PtoTransfer, dstStride), t.dstStride);
  Value loops = t.loops.empty() ? b.nullPtr() : b.stack(8 * int64_t(t.loops.size()), 8);
  for (auto [i, value] : llvm::enumerate(t.loops))
    b.store(mapped64(value), b.ptrAdd(loops, int64_t(8 * i)), 8);
  b.store(b.const64(int64_t(t.loops.size()) / 3), b.ptrAdd(record, offsetof(PtoTransfer, loopCount)), 8);
  b.store(loops, b.ptrAdd(record, offsetof(PtoTransfer, loops)), 8);
  issue(op, "ptosc_transfer", {record});
}

/// The pipe of the older form `set_intra_block %block, %event`: a constant first
/// operand that numbers one, else all of them (SEM-10).
static Pipe pipeByNumber(Operation *op, CoreKind kind) {
  APInt number;
  Pipe pipe = Pipe::All;
  if (matchPattern(op->getOperand(0), m_ConstantInt(&number)) && number.ult(kPipeSlots) &&
      !nameOf(Pipe(number.getZExtValue())).empty() && Pipe(number.getZExtValue()) != Pipe::S &&
      hasPipe(kind, Pipe(number.getZExtValue())))
    pipe = Pipe(number.getZExtValue());
  emitCoded(op->emitWarning(), "undefined-by-manual")
      << "`" << op->getName() << "` names no pipe; taken as " << nameOf(pipe)
      << (pipe == Pipe::All ? " (a set drains every pipe, a wait stops the scalar unit)" : ", by its first operand");
  return pipe;
}

LogicalResult ProgramLowering::lowerClusterSync(Operation *op) {
  if (auto all = dyn_cast<SyncAllOp>(op)) {
    StringRef cores = all.getCoreType().getValue();
    PtoSyncCores kind = cores == "aiv_only" ? PTO_SYNC_AIV_ONLY : cores == "aic_only" ? PTO_SYNC_AIC_ONLY : PTO_SYNC_MIX;
    // The soft form may end with the number of cores that take part.
    Value used = b.const64(0);
    if (op->getNumOperands() && isa<IntegerType>(op->getOperands().back().getType()))
      used = mapped64(op->getOperands().back());
    issue(op, "ptosc_syncall", {b.const32(kind), used});
    return success();
  }
  if (isa<SetCrossCoreOp, WaitFlagDevOp>(op)) {
    issue(op, isa<SetCrossCoreOp>(op) ? "ptosc_cross_core_set" : "ptosc_wait_flag_dev", {mapped64(op->getOperands().back())});
    return success();
  }
  auto target = op->getAttrOfType<PipeAttr>("target");
  Pipe on = target ? target.getValue() : pipeByNumber(op, coreKind);
  Value id = op->getNumOperands() ? mapped64(op->getOperands().back())
                                  : b.const64(op->getAttrOfType<IntegerAttr>("static_id").getInt());
  issue(op, isa<SyncSetOp, SetIntraBlockOp>(op) ? "ptosc_sync_set" : "ptosc_sync_wait", {b.const32(unsigned(on)), id});
  return success();
}

void ProgramLowering::issueScope(func::CallOp call) {
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
  b.callMayStop("ptosc_scope", {b.context, b.const32(site), code, captures, b.const32(call.getNumOperands())});
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct LowerProgramPass : PassWrapper<LowerProgramPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerProgramPass)
  LowerProgramPass(CodeOptions options, SiteTable *sites) : options(options), sites(sites ? sites : &ownSites) {}
  LowerProgramPass(const LowerProgramPass &other)
      : PassWrapper(other), options(other.options), sites(other.sites == &other.ownSites ? &ownSites : other.sites) {}
  StringRef getArgument() const final { return "pto-lower-program"; }
  StringRef getDescription() const final { return "turn the kernel into the scalar unit's program"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(ProgramLowering(getOperation(), options, *sites).run(function)))
        return signalPassFailure();
  }

  CodeOptions options;
  SiteTable ownSites;
  SiteTable *sites;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createLowerProgramPass(CodeOptions options, SiteTable *sites) {
  return std::make_unique<LowerProgramPass>(options, sites);
}
