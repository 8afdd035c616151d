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

/// Both vector cores run the same text; on a5 the cube core adds 16 for the second one.
void ProgramLowering::nameSemaphore(Operation *op, bool sets) {
  const bool cube = coreKind == CoreKind::AIC;
  NamedIds &ids = sets == cube ? sites.semaphores.ofVectors : sites.semaphores.ofCube;
  std::optional<int64_t> id;
  APInt number;
  if (auto literal = op->getAttrOfType<IntegerAttr>("static_id"))
    id = literal.getInt();
  else if (op->getNumOperands() && matchPattern(op->getOperands().back(), m_ConstantInt(&number)))
    id = number.getSExtValue();
  if (!id || cube || !options.profile->pipeSemaphores)
    return nameId(ids, id, sets, op);
  for (int64_t vector : {0, 16})
    nameId(ids, *id % 16 + vector, sets, op);
}

LogicalResult ProgramLowering::lower(SetCrossCoreOp op) {
  nameSemaphore(op, true);
  return issue(op, "ptosc_cross_core_set", {mapped64(op->getOperands().back())});
}

LogicalResult ProgramLowering::lower(WaitFlagDevOp op) {
  nameSemaphore(op, false);
  return issue(op, "ptosc_wait_flag_dev", {mapped64(op->getOperands().back())});
}

Value ProgramLowering::semaphoreId(Operation *op) {
  return op->getNumOperands() ? mapped64(op->getOperands().back())
                              : b.const64(op->getAttrOfType<IntegerAttr>("static_id").getInt());
}

LogicalResult ProgramLowering::lowerSemaphore(Operation *op, bool sets) {
  auto target = op->getAttrOfType<PipeAttr>("target");
  Pipe on = target ? target.getValue() : pipeByNumber(op, coreKind);
  nameSemaphore(op, sets);
  return issue(op, sets ? "ptosc_sync_set" : "ptosc_sync_wait", {b.const32(unsigned(on)), semaphoreId(op)});
}

LogicalResult ProgramLowering::lowerSignal(Operation *op, bool sets) {
  if (!messages)
    return lowerSemaphore(op, sets);
  auto mode = op->getAttrOfType<IntegerAttr>("ffts_mode");
  return lowerMessage(op, sets, mode ? unsigned(mode.getInt()) : unsigned(SignalMode::Cluster));
}

LogicalResult ProgramLowering::lowerMessage(Operation *op, bool sets, unsigned mode) {
  // Who hears of it is known in the run.
  sites.semaphores.ofCube.computed = sites.semaphores.ofVectors.computed = true;
  Value on = pipe(op->getAttrOfType<PipeAttr>("target")), id = semaphoreId(op);
  if (sets)
    return issue(op, "ptosc_message_set", {on, b.const32(mode), id});
  return issue(op, "ptosc_message_wait", {on, id}); // the sender's mode decides
}
