//===- Queues.cpp - pipes between the cores of a cluster ------------------===//
//
// A pipe is a descriptor on the stack of the generated function (FIFO-70 to FIFO-76).
// Ids of its signals follow from the pipes of the function, in the order of their ids: both
// sides have the same ones.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Tile/Queues.h"
#include "Program/Image.h"
#include "Program/ProgramLowering.h"
#include "Program/PushEpilogue.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Machine/Queue.h"
#include "ptoscope/Tile/Runtime.h"

#include <map>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static int64_t attributeOf(Operation *op, StringRef name, int64_t otherwise) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number ? number.getInt() : otherwise;
}
static int64_t queueIdOf(Operation *op) { return attributeOf(op, "id", 0); }

/// The place that the planner has found, or that the text gives.
LogicalResult ProgramLowering::lowerReserved(Operation *op) {
  const int64_t base = attributeOf(op, "base", -1);
  if (base < 0)
    return breaks(op, "FIFO-71") << "the buffer has no place; run pto-plan-memory first";
  return give(op, b.const32(base));
}

/// The first id of the signals of a pipe.
static int64_t flagOf(Operation *pipe) {
  std::map<int64_t, int64_t> ids; // of its signals, by pipe
  pipe->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (isa<AicInitializePipeOp, AivInitializePipeOp>(op))
      ids[queueIdOf(op)] = attributeOf(op, "dir_mask", 1) == 3 ? 4 : 2;
  });
  int64_t flag = 0;
  for (auto [id, count] : ids)
    if (id < queueIdOf(pipe))
      flag += count;
  return flag;
}

LogicalResult ProgramLowering::makeQueue(Operation *op, int64_t flag, Value global, Value vectorBuffer, Value matBuffer,
                                         Value &slot) {
  const int64_t directions = attributeOf(op, "dir_mask", 1);
  tile::Queue queue{};
  queue.flag = uint8_t(flag);
  queue.toVector = directions & 1;
  queue.toCube = directions & 2;
  queue.ring = global ? tile::QueueRing::Global : tile::QueueRing::Local;
  if (auto first = op->getAttrOfType<BoolAttr>("nosplit"))
    queue.first = first.getValue();
  queue.slots = uint32_t(attributeOf(op, "slot_num", directions == 3 ? 4 : 8));
  queue.slotBytes = uint32_t(attributeOf(op, "slot_size", 0));
  queue.localSlots = uint32_t(attributeOf(op, "local_slot_num", queue.slots));
  if (flag < 0 || flag + (directions == 3 ? 4 : 2) > kQueueIds)
    return breaks(op, "FIFO-72") << "the pipes of the function need more than " << kQueueIds << " signals";
  Image image(queue);
  if (global && isDescriptor(global.getType()))
    image.set(offsetof(tile::Queue, global),
              b.load(b.i64(),
                     b.ptrAdd(mapped(global), offsetof(tile::GlobalView, ref) + offsetof(tile::GlobalRef, pointer)),
                     8));
  else if (global)
    image.set(offsetof(tile::Queue, global), mapped(global));
  for (auto [value, offset] :
       {std::pair(vectorBuffer, offsetof(tile::Queue, vectorBuffer)), {matBuffer, offsetof(tile::Queue, matBuffer)}})
    if (value)
      image.set(int64_t(offset), b.create<arith::TruncIOp>(b.loc, b.i32(), mapped64(value)).getResult());
  slot = b.stack(sizeof(tile::Queue), 8);
  image.write(b, slot);
  return issue(op, "ptosc_queue_open", {slot});
}

template <typename Op> LogicalResult ProgramLowering::lowerInitialize(Op op) {
  Value global = op.getGmSlotBuffer() ? Value(op.getGmSlotBuffer()) : Value(op.getGmSlotTensor());
  pipes[queueIdOf(op)] = op;
  if (AccPushEpilogueAttr epilogue = epilogueOf(op))
    if (const PushWay *way = wayOf(epilogue); way && way->quant != tile::Quant::None) {
      Value &slot = scales[queueIdOf(op)];
      slot = b.stack(sizeof(PtoQueueQuant), 8);
      Image(PtoQueueQuant{}).write(b, slot);
    }
  return makeQueue(op, flagOf(op), global, op.getC2vConsumerBuf(), op.getV2cConsumerBuf(), queues[queueIdOf(op)]);
}

/// FIFO-78: of a two-way pipe the own buffer is that of what this core pops.
LogicalResult ProgramLowering::lowerHandle(Operation *op, bool inGlobal) {
  ValueRange buffers = op->getOperands();
  Value global = inGlobal ? buffers[0] : Value();
  buffers = buffers.drop_front(inGlobal);
  Value own = buffers.empty() ? Value() : buffers[0], other = buffers.size() > 1 ? buffers[1] : Value();
  const int64_t directions = attributeOf(op, "dir_mask", 1);
  Value vectorBuffer = directions == 1 || coreKind != CoreKind::AIC ? own : other;
  Value matBuffer = directions == 2 || coreKind == CoreKind::AIC ? own : other;
  int64_t flag = 0; // behind those that were made before
  op->getParentOfType<func::FuncOp>().walk([&](Operation *before) {
    if (before == op)
      return WalkResult::interrupt();
    if (isa<InitializeL2LPipeOp, InitializeL2G2LPipeOp>(before))
      flag += attributeOf(before, "dir_mask", 1) == 3 ? 4 : 2;
    return WalkResult::advance();
  });
  Value slot;
  if (failed(makeQueue(op, attributeOf(op, "flag_base", flag), global, directions & 1 ? vectorBuffer : Value(),
                       directions & 2 ? matBuffer : Value(), slot)))
    return failure();
  mapping.map(op->getResult(0), slot);
  return success();
}

/// The pipe of a call, and how it is used; null, with a diagnostic, where none was made.
Value ProgramLowering::queueOf(Operation *op) {
  Value queue = queues.lookup(queueIdOf(op));
  if (!queue)
    breaks(op, "FIFO-73") << "no pipe with id " << queueIdOf(op) << " was made before";
  return queue;
}

/// The scales of the pipe of this id; null, with a diagnostic, where it has none.
Value ProgramLowering::scalesOf(Operation *op) {
  Value slot = scales.lookup(queueIdOf(op));
  if (!slot)
    breaks(op, "FIFO-80") << "no pipe with id " << queueIdOf(op) << " that quantises was made before";
  return slot;
}
LogicalResult ProgramLowering::lower(SetQuantScalarOp op) {
  Value slot = scalesOf(op);
  if (!slot)
    return failure();
  b.store(b.toBits(mapped(op.getValue())), b.ptrAdd(slot, offsetof(PtoQueueQuant, scale)), 8);
  b.store(b.const64(1), b.ptrAdd(slot, offsetof(PtoQueueQuant, isSet)), 8);
  return success();
}
LogicalResult ProgramLowering::lower(SetQuantVectorOp op) {
  Value slot = scalesOf(op);
  if (!slot)
    return failure();
  b.copy(b.ptrAdd(slot, offsetof(PtoQueueQuant, tile)), mapped(op.getValue()), sizeof(tile::TileView));
  b.store(b.const64(1), b.ptrAdd(slot, offsetof(PtoQueueQuant, isSet)), 8);
  return success();
}

/// On a push to vector cores: the element that they pop from the pipe of its id.
static constexpr StringLiteral kPoppedAttr = "pto.popped";

void ProgramLowering::notePopped(ModuleOp module) {
  DenseMap<int64_t, int64_t> elements; // by id
  module.walk([&](TPopFromAicOp pop) {
    if (auto tile = dyn_cast<TileBufType>(pop.getResult().getType()))
      if (std::optional<tile::Elem> elem = TileBufType::elemOf(tile.getElement()))
        elements[queueIdOf(pop)] = int64_t(*elem);
  });
  module.walk([&](TPushToAivOp push) {
    if (auto known = elements.find(queueIdOf(push)); known != elements.end())
      push->setAttr(kPoppedAttr, IntegerAttr::get(IntegerType::get(module.getContext(), 64), known->second));
  });
}

/// `pipe`: what made the pipe of a push; its epilogue says how tiles change on the way.
Value ProgramLowering::queueUse(Operation *op, Value subblock, Operation *pipe, Value ownScales) {
  PtoQueueUse use{};
  use.split = uint32_t(attributeOf(op, "split", 0));
  use.subblock = -1;
  use.element = uint32_t(attributeOf(op, kPoppedAttr, ~0u));
  if (AccPushEpilogueAttr epilogue = epilogueOf(pipe)) {
    const PushWay *way = wayOf(epilogue);
    use.epilogue = 1;
    use.layout = epilogue.getLayout() == "nz2nz" ? 0 : epilogue.getLayout() == "nz2nd" ? 1 : 2;
    use.relu = uint8_t(epilogue.getRelu() == "normal_relu" ? tile::ReluPreMode::NormalRelu : tile::ReluPreMode::NoRelu);
    use.quant = uint8_t(way ? way->quant : tile::Quant::None);
    if (!way)
      use.element = ~0u;
    else if (use.element != uint32_t(way->orTo))
      use.element = uint32_t(way->to);
  }
  Image image(use);
  if (subblock)
    image.set(offsetof(PtoQueueUse, subblock), mapped64(subblock));
  if (ownScales)
    image.set(offsetof(PtoQueueUse, scales), ownScales);
  if (image.isConstant())
    return image.constant(b);
  Value slot = scratch(queueSlot, sizeof(PtoQueueUse));
  image.write(b, slot);
  return slot;
}

template <typename Op> LogicalResult ProgramLowering::lowerPush(Op op) {
  Value queue = queueOf(op);
  if (!queue)
    return failure();
  const bool toVector = isa<TPushToAivOp>(op.getOperation());
  Value use = queueUse(op, op.getSubblock(), toVector ? pipes.lookup(queueIdOf(op)) : nullptr,
                       toVector ? scales.lookup(queueIdOf(op)) : Value());
  if (isa<TileBufType>(op.getEntry().getType()))
    return issue(op, "ptosc_queue_push", {queue, use, mapped(op.getEntry())});
  return issue(op, "ptosc_queue_pass_entry", {queue, use});
}

/// A view without gaps, and without a place.
Value ProgramLowering::newEntry(Value entry) {
  Type type = entry.getType();
  auto whole = dyn_cast<TensorViewType>(type);
  ArrayRef<int64_t> shape = whole ? whole.getShape() : cast<PartitionTensorViewType>(type).getShape();
  tile::GlobalView view{};
  view.ref.elem = viewElemOf(whole ? whole.getElement() : cast<PartitionTensorViewType>(type).getElement());
  view.ref.layout = uint8_t(shape.size() == std::size(view.ref.shape) ? PTO_LAYOUT_OF_RANK5 : PTO_LAYOUT_OF_OTHERS);
  std::fill(std::begin(view.ref.shape), std::end(view.ref.shape), 1);
  int64_t stride = 1;
  for (size_t i = 0; i < std::size(view.ref.shape); ++i) {
    const size_t at = std::size(view.ref.shape) - 1 - i;
    view.ref.stride[at] = stride;
    if (i < shape.size())
      stride *= view.ref.shape[at] = shape[shape.size() - 1 - i];
  }
  Value slot = newSlot(entry);
  Image(view).write(b, slot);
  return slot;
}

template <typename Op> LogicalResult ProgramLowering::lowerEntry(Op op, StringRef function) {
  Value queue = queueOf(op);
  if (!queue)
    return failure();
  Value slot = newEntry(op.getResult());
  (void)issue(op, function, {queue, queueUse(op, op.getSubblock()), slot});
  return issue(op, "ptosc_view_make", {slot});
}

template <typename Op> LogicalResult ProgramLowering::lowerPop(Op op) {
  auto type = dyn_cast<TileBufType>(op.getResult().getType());
  if (!type)
    return lowerEntry(op, "ptosc_queue_pop_entry");
  Value queue = queueOf(op);
  if (!queue)
    return failure();
  Value slot = newTile(op.getResult(), type);
  if (op.getValid().size() == 2)
    (void)issue(op, "ptosc_tile_valid",
                {slot, validRows(op.getValid()[0], type, 0), validCols(op.getValid()[1], type, 0)});
  return issue(op, "ptosc_queue_pop", {queue, queueUse(op, op.getSubblock()), slot});
}

template <typename Op> LogicalResult ProgramLowering::lowerFree(Op op) {
  Value queue = queueOf(op);
  if (!queue)
    return failure();
  const bool isView = op.getEntry() && !isa<TileBufType>(op.getEntry().getType());
  return issue(op, isView ? "ptosc_queue_free_entry" : "ptosc_queue_free", {queue, queueUse(op, op.getSubblock())});
}

LogicalResult ProgramLowering::lower(ReserveBufferOp op) { return lowerReserved(op); }
LogicalResult ProgramLowering::lower(ImportReservedBufferOp op) { return lowerReserved(op); }
LogicalResult ProgramLowering::lower(AicInitializePipeOp op) { return lowerInitialize(op); }
LogicalResult ProgramLowering::lower(AivInitializePipeOp op) { return lowerInitialize(op); }
LogicalResult ProgramLowering::lower(TPushToAivOp op) { return lowerPush(op); }
LogicalResult ProgramLowering::lower(TPushToAicOp op) { return lowerPush(op); }
LogicalResult ProgramLowering::lower(TPopFromAicOp op) { return lowerPop(op); }
LogicalResult ProgramLowering::lower(TPopFromAivOp op) { return lowerPop(op); }
LogicalResult ProgramLowering::lower(TAllocToAivOp op) { return lowerEntry(op, "ptosc_queue_take_entry"); }
LogicalResult ProgramLowering::lower(TAllocToAicOp op) { return lowerEntry(op, "ptosc_queue_take_entry"); }
LogicalResult ProgramLowering::lower(TFreeFromAicOp op) { return lowerFree(op); }
LogicalResult ProgramLowering::lower(TFreeFromAivOp op) { return lowerFree(op); }
LogicalResult ProgramLowering::lower(InitializeL2LPipeOp op) { return lowerHandle(op, false); }
LogicalResult ProgramLowering::lower(InitializeL2G2LPipeOp op) { return lowerHandle(op, true); }

LogicalResult ProgramLowering::lower(DeclareTileOp op) {
  newTile(op.getResult(), op.getResult().getType());
  return success();
}
LogicalResult ProgramLowering::lower(DeclareGlobalOp op) {
  newEntry(op.getResult());
  return success();
}

/// Calls on a handle: the pipe is the last value.
template <typename Op>
LogicalResult ProgramLowering::lowerOnPipe(Op op, StringRef ofTile, StringRef ofView, bool fills) {
  ValueRange values = op.getValues();
  Value entry = values.size() == 2 ? values[0] : Value();
  Operation *pipe = isa<TPushOp>(op.getOperation()) ? values.back().getDefiningOp() : nullptr;
  Value queue = mapped(values.back()), use = queueUse(op, op.getSubblock(), pipe);
  const bool isTile = !entry || isa<TileBufType>(entry.getType());
  SmallVector<Value> arguments = {queue, use};
  if (entry && (isTile ? ofTile != "ptosc_queue_free" : fills))
    arguments.push_back(mapped(entry));
  if (failed(issue(op, isTile ? ofTile : ofView, arguments)))
    return failure();
  return fills && !isTile ? issue(op, "ptosc_view_make", {mapped(entry)}) : success();
}
LogicalResult ProgramLowering::lower(TAllocOp op) { return lowerOnPipe(op, "", "ptosc_queue_take_entry", true); }
LogicalResult ProgramLowering::lower(TPushOp op) {
  return lowerOnPipe(op, "ptosc_queue_push", "ptosc_queue_pass_entry", false);
}
LogicalResult ProgramLowering::lower(TPopOp op) {
  return lowerOnPipe(op, "ptosc_queue_pop", "ptosc_queue_pop_entry", true);
}
LogicalResult ProgramLowering::lower(TFreeOp op) {
  return lowerOnPipe(op, "ptosc_queue_free", "ptosc_queue_free_entry", false);
}
