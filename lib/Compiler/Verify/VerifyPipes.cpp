//===- VerifyPipes.cpp - pipes between cores, over the module -------------===//
//
// Rules that tie calls to pipes, and pipes to buffers and targets (FIFO-71 to FIFO-73).
// Calls are inlined before they run, so that a pipe may be made by another function than
// the one that uses it: whether it was made before shows then (Program/Queues.cpp).
//
//===----------------------------------------------------------------------===//

#include "Verify/VerifyPipes.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Machine/Queue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static InFlightDiagnostic breaks(Operation *op, StringRef label) {
  return op->emitError() << "`" << op->getName() << "` breaks " << label << ": ";
}
static int64_t numberOf(Operation *op, StringRef name, int64_t otherwise) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number ? number.getInt() : otherwise;
}
static bool isPipe(Operation *op) { return isa<AicInitializePipeOp, AivInitializePipeOp>(op); }

/// Its bits are those of `dir_mask`: 1 from the cube core, 2 from the vector cores; 0 of others.
static int64_t directionOf(Operation *call) {
  if (isa<TPushToAivOp, TPopFromAicOp, TFreeFromAicOp, TAllocToAivOp>(call))
    return 1;
  return isa<TPushToAicOp, TPopFromAivOp, TFreeFromAivOp, TAllocToAicOp>(call) ? 2 : 0;
}

static LogicalResult verifyImport(ImportReservedBufferOp import) {
  auto name = import->getAttrOfType<StringAttr>("name");
  auto peer = import->getAttrOfType<FlatSymbolRefAttr>("peer_func");
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(import, peer);
  bool found = false;
  if (function)
    function.walk([&](ReserveBufferOp reserved) { found |= reserved->getAttrOfType<StringAttr>("name") == name; });
  if (found)
    return success();
  return breaks(import, "FIFO-71") << "@" << peer.getValue()
                                   << (function ? " has no buffer of the name " : " is no function, for the buffer ")
                                   << name;
}

/// On A2/A3 no path leads from one core into a memory of another.
static LogicalResult verifyRing(Operation *pipe, const Profile &profile) {
  if (profile.pipeSemaphores)
    return success();
  if (isa<InitializeL2LPipeOp>(pipe))
    return breaks(pipe, "FIFO-72") << "entries on chip are for a5; on " << profile.name
                                   << " they are in gm: `pto.initialize_l2g2l_pipe`";
  const auto inGlobal = [](auto op) { return op && (op.getGmSlotBuffer() || op.getGmSlotTensor()); };
  if (inGlobal(dyn_cast<AicInitializePipeOp>(pipe)) || inGlobal(dyn_cast<AivInitializePipeOp>(pipe)))
    return success();
  return breaks(pipe, "FIFO-72") << "on " << profile.name
                                 << " its entries are in gm: give it a `gm_slot_buffer` or a `gm_slot_tensor`";
}

/// The ids of all pipes of a function fit (FIFO-8).
static LogicalResult verifySignals(func::FuncOp function) {
  llvm::DenseMap<int64_t, int64_t> signals; // by pipe
  Operation *last = nullptr;
  function.walk([&](Operation *op) {
    if (isPipe(op))
      signals[numberOf(last = op, "id", 0)] = numberOf(op, "dir_mask", 1) == 3 ? 4 : 2;
  });
  int64_t sum = 0;
  for (auto [id, count] : signals)
    sum += count;
  if (sum <= kQueueIds)
    return success();
  return breaks(last, "FIFO-72") << "the pipes of the function need " << sum << " signals; there are " << kQueueIds;
}

LogicalResult ptoscope::verifyPipes(ModuleOp module, const Profile &profile) {
  llvm::DenseMap<int64_t, int64_t> made; // directions by id
  bool ok = true;
  module.walk([&](Operation *op) {
    if (isPipe(op))
      made[numberOf(op, "id", 0)] |= numberOf(op, "dir_mask", 0);
    if (auto import = dyn_cast<ImportReservedBufferOp>(op))
      ok &= succeeded(verifyImport(import));
    else if (isPipe(op) || isa<InitializeL2LPipeOp>(op))
      ok &= succeeded(verifyRing(op, profile));
  });
  module.walk([&](func::FuncOp function) { ok &= succeeded(verifySignals(function)); });
  module.walk([&](Operation *op) {
    const int64_t direction = directionOf(op), id = numberOf(op, "id", 0);
    if (!direction || (made.lookup(id) & direction))
      return;
    ok = false;
    auto diag = breaks(op, "FIFO-73");
    if (made.contains(id))
      diag << "the pipe with id " << id << " goes the other way, from the "
           << (direction == 1 ? "vector cores to the cube core" : "cube core to the vector cores");
    else
      diag << "no pipe with id " << id << " was made before";
  });
  return success(ok);
}
