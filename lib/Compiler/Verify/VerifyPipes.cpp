//===- VerifyPipes.cpp - pipes between cores, over the module -------------===//
//
// Rules that tie calls to pipes, and pipes to buffers and targets (FIFO-71 to FIFO-73).
// Calls are inlined before they run, so that a pipe may be made by another function than
// the one that uses it: whether it was made before shows then (Program/Queues.cpp).
//
//===----------------------------------------------------------------------===//

#include "Verify/VerifyPipes.h"
#include "Program/PushEpilogue.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Machine/Queue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

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
                                   << (function ? " has no buffer of the name " : " is not a function, for the buffer ")
                                   << name;
}

/// A pipe whose other side the kernel does not run: it has a place, and nobody is there (FIFO-71).
static void warnOfPeers(ModuleOp module) {
  const Callees callees;
  llvm::DenseSet<Operation *> called;
  module.walk([&](func::CallOp call) { called.insert(callees.of(call)); });
  llvm::DenseSet<Operation *> told;
  for (func::FuncOp kernel : kernelsOf(module)) {
    if (called.contains(kernel))
      continue;
    SmallVector<ImportReservedBufferOp> imports;
    llvm::SetVector<func::FuncOp> functions = callees.walk(kernel, [&](Operation *op) -> func::FuncOp {
      if (auto import = dyn_cast<ImportReservedBufferOp>(op))
        imports.push_back(import);
      return nullptr;
    });
    for (ImportReservedBufferOp import : imports) {
      auto name = import->getAttrOfType<FlatSymbolRefAttr>("peer_func");
      func::FuncOp peer = callees.named(import, name);
      if (!functions.contains(peer) && told.insert(import).second)
        emitCoded(import->emitWarning(), "undefined-by-manual")
            << "`pto.import_reserved_buffer` breaks FIFO-71: kernel @" << kernel.getName() << " does not call @"
            << name.getValue() << ", which reserves the buffer";
    }
  }
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

/// A buffer that a function reserves holds the whole ring.
static LogicalResult verifyRoom(Operation *pipe, const Profile &profile) {
  const int64_t slots = numberOf(pipe, "slot_num", numberOf(pipe, "dir_mask", 1) == 3 ? 4 : 8);
  const int64_t needed =
      numberOf(pipe, "slot_size", 0) * (profile.pipeSemaphores ? slots : numberOf(pipe, "local_slot_num", slots));
  for (Value operand : pipe->getOperands())
    if (auto reserved = operand.getDefiningOp<ReserveBufferOp>())
      if (const int64_t size = numberOf(reserved, "size", needed); size < needed)
        return breaks(pipe, "FIFO-72") << "its slots take " << needed
                                       << " bytes, and the buffer that is reserved for them has " << size;
  return success();
}

/// A reserved buffer is in the memory of those who pop from it.
static LogicalResult verifyMemory(Operation *pipe, Value buffer, StringRef memory, StringRef otherName) {
  auto reserved = buffer ? buffer.getDefiningOp<ReserveBufferOp>() : nullptr;
  auto location = reserved ? reserved->getAttrOfType<AddressSpaceAttr>("location") : nullptr;
  if (!location || location.getValue() == memory || location.getValue() == otherName)
    return success();
  return breaks(pipe, "FIFO-72") << "the buffer that is reserved for its entries is in `" << location.getValue()
                                 << "`, and tiles are popped in `" << memory << "`";
}
template <typename Op> static LogicalResult verifyMemories(Op pipe) {
  if (!pipe || (succeeded(verifyMemory(pipe, pipe.getC2vConsumerBuf(), "vec", "ub")) &&
                succeeded(verifyMemory(pipe, pipe.getV2cConsumerBuf(), "mat", "l1"))))
    return success();
  return failure();
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

/// A function makes a pipe once; one that both ways of a branch make is made on one of them.
static LogicalResult verifyIds(func::FuncOp function) {
  std::map<std::pair<bool, int64_t>, SmallVector<Operation *, 1>> made; // by side and id
  bool ok = true;
  function.walk([&](Operation *op) {
    if (!isPipe(op))
      return;
    const int64_t id = numberOf(op, "id", 0);
    SmallVector<Operation *, 1> &same = made[{isa<AivInitializePipeOp>(op), id}];
    auto first = llvm::find_if(same, [&](Operation *other) {
      Region *around = other->getParentRegion();
      return around->isAncestor(op->getParentRegion()) || op->getParentRegion()->isAncestor(around);
    });
    if (first != same.end()) {
      ok = false;
      auto diag = breaks(op, "FIFO-72") << "the function has a pipe with id " << id
                                        << " already; each has an id of its own";
      diag.attachNote((*first)->getLoc()) << "it is made here";
    }
    same.push_back(op);
  });
  return success(ok);
}

/// Whether both vector cores take part is the same in all calls on a pipe, in one direction.
static LogicalResult verifySplits(func::FuncOp function) {
  std::map<std::pair<int64_t, int64_t>, Operation *> firsts; // by id and direction
  bool ok = true;
  function.walk([&](Operation *op) {
    const int64_t direction = directionOf(op), id = numberOf(op, "id", 0);
    if (!direction)
      return;
    Operation *first = firsts.try_emplace({id, direction}, op).first->second;
    if ((numberOf(op, "split", 0) == 0) == (numberOf(first, "split", 0) == 0))
      return;
    ok = false;
    auto diag = breaks(op, "FIFO-73") << "calls on the pipe with id " << id << " have split 0 or another one, not both";
    diag.attachNote(first->getLoc()) << "split " << numberOf(first, "split", 0) << " here";
  });
  return success(ok);
}

/// The side of the cube core of the pipe that a call names; one of its own function comes first.
static Operation *producerOf(Operation *call, ModuleOp module) {
  if (auto onHandle = dyn_cast<TPushOp>(call))
    return onHandle.getValues().back().getDefiningOp();
  Operation *found = nullptr;
  auto function = call->getParentOfType<func::FuncOp>();
  module.walk([&](AicInitializePipeOp pipe) {
    if (numberOf(pipe, "id", 0) == numberOf(call, "id", 0) &&
        (!found || pipe->getParentOfType<func::FuncOp>() == function))
      found = pipe;
  });
  return found;
}

/// FIFO-79: the elements of both sides are those of the conversion.
static LogicalResult verifyEpilogue(Operation *push, Value entry, ModuleOp module) {
  Operation *pipe = producerOf(push, module);
  AccPushEpilogueAttr epilogue = epilogueOf(pipe);
  auto tile = dyn_cast<TileBufType>(entry.getType());
  if (!epilogue || !tile)
    return success();
  const PushWay *way = wayOf(epilogue);
  if (epilogue.getLayout() != "nz2nd" && numberOf(push, "split", 0) != 0)
    return breaks(push, "FIFO-79") << "a pipe with the layout " << epilogue.getLayout() << " takes no split";
  if (way && way->quant != tile::Quant::None && isa<TPushOp>(push))
    return emitCoded(push->emitError(), "not-modelled")
           << "`" << push->getName() << "` on a handle whose epilogue quantises (" << way->name
           << ") is not modelled: `pto.set_quant_scalar` and `pto.set_quant_vector` name a pipe by its id";
  if (way && TileBufType::elemOf(tile.getElement()) != way->from)
    return breaks(push, "FIFO-79") << way->name << " does not take " << tile.getElement() << " elements";
  LogicalResult result = success();
  if (isa<TPushToAivOp>(push))
    module.walk([&](TPopFromAicOp pop) {
      auto popped = dyn_cast<TileBufType>(pop.getResult().getType());
      if (!popped || numberOf(pop, "id", 0) != numberOf(push, "id", 0) || failed(result))
        return;
      const std::optional<tile::Elem> own = TileBufType::elemOf(popped.getElement());
      if (way ? own != way->to && own != way->orTo : popped.getElement() != tile.getElement())
        result = breaks(push, "FIFO-79") << epilogue.getQuant() << " of " << tile.getElement() << " does not give "
                                         << popped.getElement() << ", which the vector cores pop";
    });
  return result;
}

/// FIFO-80: what is set is what the pipe takes.
static LogicalResult verifyScales(Operation *op, ModuleOp module, const Profile &profile) {
  AccPushEpilogueAttr epilogue = epilogueOf(producerOf(op, module));
  const PushWay *way = epilogue ? wayOf(epilogue) : nullptr;
  const bool vector = isa<SetQuantVectorOp>(op);
  if (!way || way->quant != (vector ? tile::Quant::Vector : tile::Quant::Scalar))
    return breaks(op, "FIFO-80") << "the cube core has made no pipe with id " << numberOf(op, "id", 0)
                                 << " and an `acc_push_epilogue` that quantises by "
                                 << (vector ? "a scale for each column" : "one scale");
  if (!vector)
    return success();
  Type element = cast<TileBufType>(op->getOperand(0).getType()).getElement();
  if (element.isInteger(64) || (profile.pipeSemaphores && isa<Float16Type, BFloat16Type, Float32Type>(element)))
    return success();
  return breaks(op, "FIFO-80") << "on " << profile.name << " its tile has elements of 64 bits"
                               << (profile.pipeSemaphores ? " or f16, bf16, f32" : "") << ", not " << element;
}

LogicalResult ptoscope::verifyPipes(ModuleOp module, const Profile &profile) {
  llvm::DenseMap<int64_t, int64_t> made[2]; // directions by id, of the cube core and of the vector cores
  bool ok = true;
  module.walk([&](Operation *op) {
    if (isPipe(op))
      made[isa<AivInitializePipeOp>(op)][numberOf(op, "id", 0)] |= numberOf(op, "dir_mask", 0);
    if (isPipe(op))
      ok &= succeeded(verifyRoom(op, profile)) && succeeded(verifyMemories(dyn_cast<AicInitializePipeOp>(op))) &&
            succeeded(verifyMemories(dyn_cast<AivInitializePipeOp>(op)));
    if (auto import = dyn_cast<ImportReservedBufferOp>(op))
      ok &= succeeded(verifyImport(import));
    else if (auto push = dyn_cast<TPushToAivOp>(op); push && push.getEntry())
      ok &= succeeded(verifyEpilogue(op, push.getEntry(), module));
    else if (auto push = dyn_cast<TPushOp>(op); push && !push.getValues().empty())
      ok &= succeeded(verifyEpilogue(op, push.getValues().front(), module));
    else if (isa<SetQuantScalarOp, SetQuantVectorOp>(op))
      ok &= succeeded(verifyScales(op, module, profile));
    else if (isPipe(op) || isa<InitializeL2LPipeOp>(op))
      ok &= succeeded(verifyRing(op, profile));
  });
  module.walk([&](func::FuncOp function) {
    for (auto *verify : {verifyIds, verifySplits, verifySignals})
      ok &= succeeded(verify(function));
  });
  module.walk([&](Operation *op) {
    const int64_t direction = directionOf(op), id = numberOf(op, "id", 0);
    const bool ofVectors = isa<TPushToAicOp, TPopFromAicOp, TFreeFromAicOp, TAllocToAicOp>(op);
    if (!direction || (made[ofVectors].lookup(id) & direction))
      return;
    ok = false;
    auto diag = breaks(op, "FIFO-73");
    if (made[ofVectors].contains(id))
      diag << "the pipe with id " << id << " goes the other way, from the "
           << (direction == 1 ? "vector cores to the cube core" : "cube core to the vector cores");
    else if (made[!ofVectors].contains(id))
      diag << "the pipe with id " << id << " was made for the other side only; this one needs `"
           << (ofVectors ? AivInitializePipeOp::getOperationName() : AicInitializePipeOp::getOperationName())
           << "`, too";
    else
      diag << "no pipe with id " << id << " was made before";
  });
  if (ok)
    warnOfPeers(module);
  return success(ok);
}
