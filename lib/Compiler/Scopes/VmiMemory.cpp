//===- VmiMemory.cpp - loads and stores of vectors of any length ----------===//
//
// A run of elements is a window for each register, of exactly the bytes that
// exist. Rows that fill registers are such windows, too; other rows are one call.
// Indexed accesses go by slots as wide as the wider of element and index.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ExpandVmi.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static constexpr int64_t kBlock = 32;

/// Of a run (VUB-4).
static unsigned runAlignment(LaneShape shape) {
  return shape.lanes * shape.bytes >= kBlock ? unsigned(kBlock) : shape.bytes;
}

static LaneShape unsignedLanes(MLIRContext *context, int64_t lanes, unsigned bytes) {
  return {lanes, IntegerType::get(context, 8 * bytes, IntegerType::Unsigned), bytes};
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Value VmiExpander::loadRegister(Vmi op, LaneShape shape, Value offset, int64_t lanes, unsigned alignment) {
  return microValue("vlds", {scalar(op.getBase()), offset}, shape.type(),
                    {text("dist", "NORM"), number(kBytesAttr, lanes * shape.bytes), number(kAlignmentAttr, alignment)});
}

void VmiExpander::storeRegister(Vmi op, LaneShape shape, Value part, Value offset, Value mask, int64_t lanes,
                                unsigned alignment) {
  SmallVector<Value> operands = {part, scalar(op.getBase()), offset};
  if (mask)
    operands.push_back(mask);
  micro("vsts", operands, {},
        {text("dist", ("NORM_B" + Twine(8 * shape.bytes)).str()), number(kBytesAttr, lanes * shape.bytes),
         number(kAlignmentAttr, alignment)});
}

VmiExpander::Parts VmiExpander::loadRun(Vmi op, LaneShape shape) {
  Parts made;
  for (part = 0; part < shape.registers(); ++part)
    made.push_back(loadRegister(op, shape, addIndex(scalar(op.getOffset()), part * shape.perRegister()),
                                shape.lanesIn(part), runAlignment(shape)));
  part = -1;
  return made;
}

void VmiExpander::storeRun(Vmi op, LaneShape shape, const Parts &parts) {
  for (int64_t k = 0; k < shape.registers(); ++k) {
    Value offset = addIndex(scalar(op.getOffset()), k * shape.perRegister());
    Value mask = maskOf(op.getMask(), shape.bytes, k);
    part = k;
    storeRegister(op, shape, parts[size_t(k)], offset, mask, shape.lanesIn(k), runAlignment(shape));
    part = -1;
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Nothing when the access is a run.
std::optional<VmiExpander::Rows> VmiExpander::rowsOf(Vmi op, LaneShape shape) {
  if (Value step = op.getBlockStride()) {
    Value wide = b.create<arith::ExtUIOp>(loc, b.getI64Type(), scalar(step));
    Value blocks = b.create<arith::IndexCastOp>(loc, b.getIndexType(), wide);
    const int64_t lanes = kBlock / shape.bytes;
    Value stride = b.create<arith::MulIOp>(loc, blocks, index(lanes));
    return Rows{(shape.lanes + lanes - 1) / lanes, lanes, stride, unsigned(kBlock), op.getMask()};
  }
  if (!op.getStride())
    return std::nullopt;
  return Rows{op.getGroups(), shape.lanes / op.getGroups(), scalar(op.getStride()), shape.bytes};
}

Value VmiExpander::rowOffset(Vmi op, const Rows &rows, int64_t row, int64_t lane) {
  Value start = scalar(op.getOffset());
  if (row)
    start = b.create<arith::AddIOp>(loc, start, b.create<arith::MulIOp>(loc, rows.stride, index(row)));
  return addIndex(start, lane);
}

/// Each row begins in a register of its own.
static bool fillsRegisters(LaneShape shape, int64_t lanes) { return lanes % shape.perRegister() == 0; }

VmiExpander::Parts VmiExpander::loadRows(Vmi op, LaneShape shape, const Rows &rows) {
  if (!rows.mask && (rows.count == 1 || fillsRegisters(shape, rows.lanes))) {
    Parts made;
    for (int64_t at = 0; at < shape.lanes; at += shape.perRegister())
      made.push_back(loadRegister(op, shape, rowOffset(op, rows, at / rows.lanes, at % rows.lanes),
                                  std::min(shape.perRegister(), shape.lanes - at), rows.alignment));
    return made;
  }
  SmallVector<Value> operands = {scalar(op.getBase()), scalar(op.getOffset()), rows.stride};
  for (int64_t k = 0; k < shape.registers() && rows.mask; ++k)
    operands.push_back(exactMask(rows.mask, shape.bytes, k));
  return sequenceOf(sequence::kLoadRows, operands, shape,
                    {number("row", rows.lanes * shape.bytes), number("bytes", shape.lanes * shape.bytes),
                     number(kAlignmentAttr, rows.alignment)});
}

void VmiExpander::storeRows(Vmi op, LaneShape shape, const Parts &parts, const Rows &rows) {
  if (!rows.mask && (rows.count == 1 || fillsRegisters(shape, rows.lanes))) {
    for (int64_t at = 0; at < shape.lanes; at += shape.perRegister())
      storeRegister(op, shape, parts[size_t(at / shape.perRegister())],
                    rowOffset(op, rows, at / rows.lanes, at % rows.lanes), {},
                    std::min(shape.perRegister(), shape.lanes - at), rows.alignment);
    return;
  }
  SmallVector<Value> operands(parts);
  operands.append({scalar(op.getBase()), scalar(op.getOffset()), rows.stride});
  for (int64_t k = 0; k < shape.registers() && rows.mask; ++k)
    operands.push_back(exactMask(rows.mask, shape.bytes, k));
  sequence(sequence::kStoreRows, operands, {},
           {number("row", rows.lanes * shape.bytes), number("bytes", shape.lanes * shape.bytes),
            number(kAlignmentAttr, rows.alignment)});
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

LogicalResult VmiExpander::load(Vmi op) {
  LaneShape shape = shapeOf(op->getResult(0));
  StringRef mode = op.getDistMode();
  if (mode == "dintlv") {
    const Parts both = loadRun(op, shape.with(2 * shape.lanes));
    for (int64_t half : {0, 1})
      (void)give(op->getResult(unsigned(half)), shuffle(both, shape, [&](int64_t i) { return 2 * i + half; }));
    return success();
  }
  if (mode == "brc") {
    LaneShape slots = shape.with(op.getGroups());
    std::optional<Rows> rows = rowsOf(op, slots);
    const Parts one = rows ? loadRows(op, slots, *rows) : loadRun(op, slots);
    const int64_t size = shape.lanes / slots.lanes;
    return give(op->getResult(0), shuffle(one, shape, [&](int64_t i) { return i / size; }));
  }
  std::optional<Rows> rows = rowsOf(op, shape);
  return give(op->getResult(0), rows ? loadRows(op, shape, *rows) : loadRun(op, shape));
}

LogicalResult VmiExpander::store(Vmi op) {
  SmallVector<Value> values = op.getVectors();
  LaneShape shape = shapeOf(values[0]);
  Parts parts = partsOf(values[0]);
  if (values.size() == 2) { // dintlv
    const int64_t second = shape.registers() * shape.perRegister();
    llvm::append_range(parts, partsOf(values[1]));
    shape = shape.with(2 * shape.lanes);
    parts = shuffle(parts, shape, [&](int64_t i) { return i / 2 + i % 2 * second; });
  }
  const unsigned bytes = cast<PtrType>(op.getBase().getType()).getElementBytes();
  if (bytes < shape.bytes) { // the low byte of each lane (VUB-17)
    const int64_t ratio = shape.bytes / bytes;
    shape = unsignedLanes(b.getContext(), shape.lanes, bytes);
    parts = shuffle(parts, shape, [&](int64_t i) { return i * ratio; });
  }
  if (std::optional<Rows> rows = rowsOf(op, shape))
    storeRows(op, shape, parts, *rows);
  else
    storeRun(op, shape, parts);
  return success();
}

//===----------------------------------------------------------------------===//
// Indexed accesses
//===----------------------------------------------------------------------===//

/// The address of the first element.
Value VmiExpander::pointerOf(Vmi op) {
  Value base = scalar(op.getBase());
  return b.create<AddPtrOp>(loc, base.getType(), base, scalar(op.getOffset()));
}

/// Lanes extended with zeros.
VmiExpander::Parts VmiExpander::widened(const Parts &parts, LaneShape from, unsigned bytes) {
  if (from.bytes >= bytes)
    return parts;
  const int64_t ratio = bytes / from.bytes;
  const Parts apart =
      shuffle(parts, from.with(from.lanes * ratio), [&](int64_t i) { return i % ratio ? -1 : i / ratio; });
  Parts made;
  for (Value part : apart)
    made.push_back(microValue("vbitcast", part, unsignedLanes(b.getContext(), from.lanes, bytes).type()));
  return made;
}

VmiExpander::Parts VmiExpander::gathered(Value pointer, LaneShape data, const Parts &indices, LaneShape index,
                                         Value mask) {
  LaneShape slots = unsignedLanes(b.getContext(), data.lanes, std::max(data.bytes, index.bytes));
  const Parts places = widened(indices, index, slots.bytes);
  Type type = slots.bytes == data.bytes ? data.type() : slots.type();
  Parts made;
  for (int64_t k = 0; k < slots.registers(); ++k)
    made.push_back(microValue("vgather2", {pointer, places[size_t(k)], exactMask(mask, slots.bytes, k)}, type));
  const int64_t ratio = slots.bytes / data.bytes;
  return ratio == 1 ? made : shuffle(made, data, [&](int64_t i) { return i * ratio; });
}

/// From the last register to the first: of lanes with one place the lowest wins (VSC-4).
void VmiExpander::scattered(Value pointer, LaneShape data, const Parts &parts, const Parts &indices, LaneShape index,
                            Value mask) {
  const unsigned bytes = std::max(data.bytes, index.bytes);
  const Parts places = widened(indices, index, bytes), values = widened(parts, data, bytes);
  for (int64_t k = int64_t(places.size()); k-- > 0;) {
    micro("vscatter", {values[size_t(k)], pointer, places[size_t(k)], exactMask(mask, bytes, k)}, {});
    if (k) // registers of one operation are in order
      micro("mem_bar", {}, {}, text("kind", "VST_VST"));
  }
}

LogicalResult VmiExpander::gather(Vmi op) {
  SmallVector<Value> vectors = op.getVectors(); // indices, and what inactive lanes keep
  LaneShape shape = shapeOf(op->getResult(0));
  Parts made = gathered(scalar(op.getBase()), shape, partsOf(vectors[0]), shapeOf(vectors[0]), activeLanes(op));
  if (vectors.size() == 2)
    made = choose(activeLanes(op), shape, made, partsOf(vectors[1]));
  return give(op->getResult(0), std::move(made));
}

LogicalResult VmiExpander::scatter(Vmi op) {
  SmallVector<Value> vectors = op.getVectors(); // values, indices
  scattered(scalar(op.getBase()), shapeOf(vectors[0]), partsOf(vectors[0]), partsOf(vectors[1]), shapeOf(vectors[1]),
            activeLanes(op));
  return success();
}

LogicalResult VmiExpander::maskedLoad(Vmi op) {
  LaneShape shape = shapeOf(op->getResult(0)), index = unsignedLanes(b.getContext(), shape.lanes, 4);
  const Parts numbers = constantLanes(index, [](int64_t i) { return i; });
  const Parts made = gathered(pointerOf(op), shape, numbers, index, activeLanes(op));
  return give(op->getResult(0), choose(activeLanes(op), shape, made, partsOf(op.getVectors()[0])));
}

LogicalResult VmiExpander::expandLoad(Vmi op) {
  LaneShape shape = shapeOf(op->getResult(0)), index = unsignedLanes(b.getContext(), shape.lanes, 4);
  const Parts made = gathered(pointerOf(op), shape, rank(activeLanes(op), index), index, activeLanes(op));
  return give(op->getResult(0), choose(activeLanes(op), shape, made, partsOf(op.getVectors()[0])));
}

LogicalResult VmiExpander::compressStore(Vmi op) {
  Value value = op.getVectors()[0];
  LaneShape shape = shapeOf(value), index = unsignedLanes(b.getContext(), shape.lanes, 4);
  scattered(pointerOf(op), shape, partsOf(value), rank(activeLanes(op), index), index, activeLanes(op));
  return success();
}
