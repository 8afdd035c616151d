//===- ClusterSync.cpp - synchronisation between cores --------------------===//

#include "Program/ProgramLowering.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Machine/Cores.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

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

LogicalResult ProgramLowering::lower(SyncAllOp op) {
  StringRef cores = op.getCoreType().getValue();
  PtoSyncCores kind = cores == "aiv_only" ? PTO_SYNC_AIV_ONLY : cores == "aic_only" ? PTO_SYNC_AIC_ONLY : PTO_SYNC_MIX;
  // The soft form may end with the number of cores that take part.
  Value used = b.const64(0);
  if (op->getNumOperands() && isa<IntegerType>(op->getOperands().back().getType()))
    used = mapped64(op->getOperands().back());
  return issue(op, "ptosc_syncall", {b.const32(kind), used});
}

LogicalResult ProgramLowering::lower(SetCrossCoreOp op) {
  return issue(op, "ptosc_cross_core_set", {mapped64(op->getOperands().back())});
}

LogicalResult ProgramLowering::lower(WaitFlagDevOp op) {
  return issue(op, "ptosc_wait_flag_dev", {mapped64(op->getOperands().back())});
}

Value ProgramLowering::semaphoreId(Operation *op) {
  return op->getNumOperands() ? mapped64(op->getOperands().back())
                              : b.const64(op->getAttrOfType<IntegerAttr>("static_id").getInt());
}

LogicalResult ProgramLowering::lowerSemaphore(Operation *op, bool sets) {
  auto target = op->getAttrOfType<PipeAttr>("target");
  Pipe on = target ? target.getValue() : pipeByNumber(op, coreKind);
  return issue(op, sets ? "ptosc_sync_set" : "ptosc_sync_wait", {b.const32(unsigned(on)), semaphoreId(op)});
}

LogicalResult ProgramLowering::lowerSignal(Operation *op, bool sets) {
  if (!messages)
    return lowerSemaphore(op, sets);
  auto mode = op->getAttrOfType<IntegerAttr>("ffts_mode");
  return lowerMessage(op, sets, mode ? unsigned(mode.getInt()) : unsigned(SignalMode::Cluster));
}

LogicalResult ProgramLowering::lowerMessage(Operation *op, bool sets, unsigned mode) {
  Value on = pipe(op->getAttrOfType<PipeAttr>("target")), id = semaphoreId(op);
  if (sets)
    return issue(op, "ptosc_message_set", {on, b.const32(mode), id});
  return issue(op, "ptosc_message_wait", {on, id}); // the sender's mode decides
}
