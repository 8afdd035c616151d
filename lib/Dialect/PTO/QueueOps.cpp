//===- QueueOps.cpp - pipes between the cores of a cluster ----------------===//

#include "TileParsing.h"

#include "ptoscope/Machine/Queue.h"
#include "ptoscope/Support/Text.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// A number between braces.
static int64_t numberOf(Operation *op, StringRef name, int64_t otherwise) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number ? number.getInt() : otherwise;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `{...} -> i32`
static ParseResult parseReserved(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseArrow() || parseTypeOrTile(parser, type))
    return failure();
  result.addTypes(type);
  return success();
}
static void printReserved(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " -> " << op->getResult(0).getType();
}

static constexpr StringRef kBuffers[] = {"gm_slot_buffer", "gm_slot_tensor", "c2v_consumer_buf", "v2c_consumer_buf"};

/// `{...} (name = %x : T, ...)`, each name once, in any order.
static ParseResult parseInitialize(OpAsmParser &parser, OperationState &result) {
  std::optional<OpAsmParser::UnresolvedOperand> values[4];
  Type types[4];
  auto buffer = [&]() -> ParseResult {
    StringRef word;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    const StringRef *found = llvm::find(kBuffers, word);
    if (found == std::end(kBuffers))
      return parser.emitError(loc) << "`" << word << "` is not a buffer of a pipe: gm_slot_buffer, gm_slot_tensor, "
                                   << "c2v_consumer_buf or v2c_consumer_buf";
    const size_t at = size_t(found - kBuffers);
    if (values[at])
      return parser.emitError(loc) << "`" << result.name.getStringRef() << "` gives `" << word << "` twice";
    return failure(parser.parseEqual() || parser.parseOperand(values[at].emplace()) || parser.parseColon() ||
                   parser.parseType(types[at]));
  };
  if (parser.parseOptionalAttrDict(result.attributes) ||
      (succeeded(parser.parseOptionalLParen()) && failed(parser.parseOptionalRParen()) &&
       (parser.parseCommaSeparatedList(buffer) || parser.parseRParen())))
    return failure();
  setSegments(parser, result,
              {values[0].has_value(), values[1].has_value(), values[2].has_value(), values[3].has_value()});
  for (auto [value, type] : llvm::zip(values, types))
    if (value && parser.resolveOperand(*value, type, result.operands))
      return failure();
  return success();
}
template <typename Op> static void printInitialize(OpAsmPrinter &printer, Op op) {
  printAttributes(printer, op);
  printer << " (";
  StringRef comma = "";
  const Value buffers[] = {op.getGmSlotBuffer(), op.getGmSlotTensor(), op.getC2vConsumerBuf(), op.getV2cConsumerBuf()};
  for (auto [word, value] : llvm::zip(kBuffers, buffers))
    if (value) {
      printer << comma << word << " = " << value << " : " << value.getType();
      comma = ", ";
    }
  printer << ")";
}

/// ` aiv_subblockid(%i)`; resolved as an index, or as the type behind it.
static ParseResult parseSubblock(OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &value,
                                 Type &type) {
  if (value || failed(parser.parseOptionalKeyword("aiv_subblockid")))
    return success();
  type = parser.getBuilder().getIndexType();
  if (parser.parseLParen() || parser.parseOperand(value.emplace()) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(type)))
    return failure();
  return parser.parseRParen();
}
static void printSubblock(OpAsmPrinter &printer, Value value) {
  if (value)
    printer << " aiv_subblockid(" << value << " : " << value.getType() << ")";
}

/// `(%e : T) aiv_subblockid(%i) {...}`
static ParseResult parseOfEntry(OpAsmParser &parser, OperationState &result) {
  std::optional<OpAsmParser::UnresolvedOperand> entry, subblock;
  Type type, index;
  if (succeeded(parser.parseOptionalLParen()) && (parser.parseOperand(entry.emplace()) || parser.parseColon() ||
                                                  parseTypeOrTile(parser, type) || parser.parseRParen()))
    return failure();
  if (parseSubblock(parser, subblock, index) || parser.parseOptionalAttrDict(result.attributes) ||
      parseSubblock(parser, subblock, index))
    return failure();
  if (entry && parser.resolveOperand(*entry, type, result.operands))
    return failure();
  if (subblock && parser.resolveOperand(*subblock, index, result.operands))
    return failure();
  setSegments(parser, result, {entry.has_value(), subblock.has_value()});
  return success();
}
template <typename Op> static void printOfEntry(OpAsmPrinter &printer, Op op) {
  if (Value entry = op.getEntry())
    printer << "(" << entry << " : " << entry.getType() << ")";
  printSubblock(printer, op.getSubblock());
  printAttributes(printer, op);
}

/// `(%vr, %vc) aiv_subblockid(%i) {...} -> T`
static ParseResult parseToEntry(OpAsmParser &parser, OperationState &result) {
  Operands valid;
  std::optional<OpAsmParser::UnresolvedOperand> subblock;
  Type type, index;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(valid, OpAsmParser::Delimiter::OptionalParen) || parseSubblock(parser, subblock, index) ||
      parser.parseOptionalAttrDict(result.attributes) || parseSubblock(parser, subblock, index) ||
      parser.parseArrow() || parseTypeOrTile(parser, type) ||
      parser.resolveOperands(valid, parser.getBuilder().getIndexType(), loc, result.operands))
    return failure();
  if (subblock && parser.resolveOperand(*subblock, index, result.operands))
    return failure();
  setSegments(parser, result, {valid.size(), subblock.has_value()});
  result.addTypes(type);
  return success();
}
template <typename Op> static void printToEntry(OpAsmPrinter &printer, Op op) {
  if (!op.getValid().empty())
    printer << "(" << op.getValid() << ")";
  printSubblock(printer, op.getSubblock());
  printAttributes(printer, op);
  printer << " -> " << op.getResult().getType();
}

/// `(%a : T, %b : U)` or `(%a, %b : T, U)`
static ParseResult parseBuffers(OpAsmParser &parser, OperationState &result) {
  if (parser.parseLParen())
    return failure();
  do {
    SmallVector<OpAsmParser::UnresolvedOperand, 4> operands;
    SmallVector<Type, 4> types;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseOperandList(operands) || parser.parseColon())
      return failure();
    do {
      if (parser.parseType(types.emplace_back()))
        return failure();
    } while (types.size() < operands.size() && succeeded(parser.parseOptionalComma()));
    if (parser.resolveOperands(operands, types, loc, result.operands))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseRParen();
}
/// `{...} (%x, %y : T, T) -> !pto.pipe`
static ParseResult parseHandle(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parseBuffers(parser, result) || parser.parseArrow() ||
      parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}
static void printGroup(OpAsmPrinter &printer, ValueRange values) {
  printer << "(" << values << " : ";
  llvm::interleaveComma(values.getTypes(), printer);
  printer << ")";
}
static void printHandle(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " ";
  printGroup(printer, op->getOperands());
  printer << " -> " << op->getResult(0).getType();
}

/// `(%x : T) {...}`
static ParseResult parseOnPipe(OpAsmParser &parser, OperationState &result) {
  return failure(parseGroup(parser, result) || parser.parseOptionalAttrDict(result.attributes));
}
static void printOnPipe(OpAsmPrinter &printer, Operation *op) {
  printGroup(printer, op->getOperands());
  printer.printOptionalAttrDict(op->getAttrs());
}

/// `(%e, %p : T, !pto.pipe) aiv_subblockid(%i) {...}`
static ParseResult parseOnHandle(OpAsmParser &parser, OperationState &result) {
  std::optional<OpAsmParser::UnresolvedOperand> subblock;
  Type index;
  if (parseGroup(parser, result) || parseSubblock(parser, subblock, index) ||
      parser.parseOptionalAttrDict(result.attributes) || parseSubblock(parser, subblock, index))
    return failure();
  return subblock ? parser.resolveOperand(*subblock, index, result.operands) : success();
}
template <typename Op> static void printOnHandle(OpAsmPrinter &printer, Op op) {
  printGroup(printer, op.getValues());
  printSubblock(printer, op.getSubblock());
  printer.printOptionalAttrDict(op->getAttrs());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult ReserveBufferOp::verify() {
  Operation *op = *this;
  auto location = op->getAttrOfType<AddressSpaceAttr>("location");
  auto automatic = op->getAttrOfType<BoolAttr>("auto");
  if (!op->getAttrOfType<StringAttr>("name"))
    return breaks(op, "FIFO-71") << "it has no `name`";
  if (numberOf(op, "size", 0) <= 0)
    return breaks(op, "FIFO-71") << "`size` is a positive number of bytes";
  if (!location || !llvm::is_contained({"vec", "ub", "mat", "l1"}, location.getValue()))
    return breaks(op, "FIFO-71") << "`location` is `#pto.address_space<vec>` or `#pto.address_space<mat>`";
  const int64_t base = numberOf(op, "base", -1);
  if (base < 0 && (!automatic || !automatic.getValue()))
    return breaks(op, "FIFO-71") << "it has neither `auto = true` nor a `base`";
  if (base >= 0 && base % 32 != 0)
    return breaks(op, "FIFO-71") << "`base` is " << base << ", not a multiple of 32";
  return success();
}

LogicalResult ImportReservedBufferOp::verify() {
  if (!(*this)->getAttrOfType<StringAttr>("name") || !(*this)->getAttrOfType<FlatSymbolRefAttr>("peer_func"))
    return breaks(*this, "FIFO-71") << "it has no `name` or no `peer_func`";
  return success();
}

static LogicalResult verifyPipe(Operation *op) {
  const int64_t directions = numberOf(op, "dir_mask", 0), id = numberOf(op, "id", 0);
  if (directions < 1 || directions > 3)
    return breaks(op, "FIFO-72") << "`dir_mask` is 1 (cube to vector), 2 (vector to cube) or 3 (both)";
  if (numberOf(op, "slot_size", 0) <= 0)
    return breaks(op, "FIFO-72") << "`slot_size` is a positive number of bytes";
  const int64_t slots = numberOf(op, "slot_num", directions == 3 ? 4 : 8);
  if (slots < 1 || slots > int64_t(kMaxQueueSlots))
    return breaks(op, "FIFO-72") << "`slot_num` is " << slots << ", not 1 to " << kMaxQueueSlots;
  if (numberOf(op, "local_slot_num", slots) < 1)
    return breaks(op, "FIFO-72") << "`local_slot_num` is a positive number";
  if (id < 0 || id >= kQueueIds / 2)
    return breaks(op, "FIFO-72") << "`id` is " << id << ", not 0 to " << kQueueIds / 2 - 1;
  if (Attribute epilogue = op->getAttr("acc_push_epilogue")) {
    if (!isa<AccPushEpilogueAttr>(epilogue))
      return breaks(op, "FIFO-79") << "`acc_push_epilogue` is `#pto.acc_push_epilogue<…>`";
    if (!(directions & 1))
      return breaks(op, "FIFO-79") << "a pipe from the vector cores has no `acc_push_epilogue`";
  }
  return success();
}
/// Which pipe it is shows in the module (Verify/VerifyPipes.cpp).
LogicalResult SetQuantScalarOp::verify() { return success(); }
LogicalResult SetQuantVectorOp::verify() {
  if (cast<TileBufType>(getValue().getType()).getSpace() != Space::Fb)
    return breaks(*this, "FIFO-80") << "the tile is in `scaling`, not in " << getValue().getType();
  return success();
}
LogicalResult AicInitializePipeOp::verify() { return verifyPipe(*this); }
LogicalResult AivInitializePipeOp::verify() { return verifyPipe(*this); }

/// `label`: FIFO-73 of calls that name a pipe by its id, FIFO-78 of those with a handle.
static LogicalResult verifyUse(Operation *op, StringRef label) {
  const int64_t split = numberOf(op, "split", 0);
  if (split < 0 || split > 4)
    return breaks(op, label) << "`split` is " << split << ", not 0 to 4";
  return success();
}
static bool isView(Type type) { return isa<TensorViewType, PartitionTensorViewType, MemRefType>(type); }

static LogicalResult verifyEntry(Operation *op, Value entry, StringRef label) {
  if (entry && !isa<TileBufType>(entry.getType()) && !isView(entry.getType()))
    return breaks(op, label) << "it takes a tile or a view, not " << entry.getType();
  return verifyUse(op, label);
}
static LogicalResult verifyPush(Operation *op, Value entry) {
  return entry ? verifyEntry(op, entry, "FIFO-73") : breaks(op, "FIFO-73") << "it has no tile";
}
LogicalResult TPushToAivOp::verify() { return verifyPush(*this, getEntry()); }
LogicalResult TPushToAicOp::verify() { return verifyPush(*this, getEntry()); }
LogicalResult TFreeFromAicOp::verify() { return verifyEntry(*this, getEntry(), "FIFO-73"); }
LogicalResult TFreeFromAivOp::verify() { return verifyEntry(*this, getEntry(), "FIFO-73"); }

/// An entry is a view of fixed extents.
static LogicalResult verifyView(Operation *op, Type type, StringRef label, StringRef other = "") {
  ArrayRef<int64_t> shape;
  if (auto view = dyn_cast<TensorViewType>(type))
    shape = view.getShape();
  else if (auto part = dyn_cast<PartitionTensorViewType>(type))
    shape = part.getShape();
  if (shape.empty() || llvm::any_of(shape, ShapedType::isDynamic))
    return breaks(op, label) << "the result is " << other << "a view of fixed extents, not " << type;
  return success();
}

static LogicalResult verifyResult(Operation *op, Type type, size_t extents, bool takesTiles) {
  if (auto tile = dyn_cast<TileBufType>(type); tile && takesTiles) {
    const size_t dynamic = tile.hasDynamicRows() || tile.hasDynamicCols() ? 2 : 0;
    if (extents != dynamic && !(extents == 2 && !dynamic))
      return breaks(op, "FIFO-74") << "the extents of " << tile
                                   << " are dynamic, so that both are given: (%rows, %cols)";
    return verifyUse(op, "FIFO-73");
  }
  if (failed(verifyView(op, type, "FIFO-74", takesTiles ? "a tile or " : "")))
    return failure();
  if (extents)
    return breaks(op, "FIFO-74") << "an entry has the extents of its type; it takes none";
  return verifyUse(op, "FIFO-73");
}
LogicalResult TPopFromAicOp::verify() { return verifyResult(*this, getResult().getType(), getValid().size(), true); }
LogicalResult TPopFromAivOp::verify() { return verifyResult(*this, getResult().getType(), getValid().size(), true); }
LogicalResult TAllocToAivOp::verify() { return verifyResult(*this, getResult().getType(), getValid().size(), false); }
LogicalResult TAllocToAicOp::verify() { return verifyResult(*this, getResult().getType(), getValid().size(), false); }

LogicalResult DeclareTileOp::verify() {
  if (!isa<TileBufType>(getResult().getType()))
    return breaks(*this, "FIFO-78") << "it declares a tile, not " << getResult().getType();
  return success();
}
LogicalResult DeclareGlobalOp::verify() { return verifyView(*this, getResult().getType(), "FIFO-78"); }

/// Numbers behind what is in gm: at most the own buffer and that of the other side.
static LogicalResult verifyHandle(Operation *op, bool inGlobal) {
  ValueRange buffers = op->getOperands();
  if (inGlobal && (buffers.empty() || !(isa<PtrType>(buffers[0].getType()) || isView(buffers[0].getType()))))
    return breaks(op, "FIFO-78") << "the first buffer is a pointer or a view of gm";
  ValueRange local = buffers.drop_front(inGlobal);
  if (local.size() > 2 || (!inGlobal && local.empty()) ||
      llvm::any_of(local, [](Value value) { return !value.getType().isInteger(32); }))
    return breaks(op, "FIFO-78") << "the own buffer and that of the other side are i32 numbers";
  return verifyPipe(op);
}
LogicalResult InitializeL2LPipeOp::verify() { return verifyHandle(*this, false); }
LogicalResult InitializeL2G2LPipeOp::verify() { return verifyHandle(*this, true); }

template <typename Op> static LogicalResult verifyOnPipe(Op op, bool alone, bool viewOnly) {
  ValueRange values = op.getValues();
  const size_t count = values.size();
  if (count == 0 || count > 2 || !isa<PipeHandleType>(values[count - 1].getType()) || (count == 1 && !alone))
    return breaks(op, "FIFO-78") << "it takes " << (alone ? "an entry or nothing" : "a tile or a view")
                                 << ", then a pipe";
  if (count == 2 && viewOnly && !isView(values[0].getType()))
    return breaks(op, "FIFO-78") << "it takes a view, then a pipe";
  return verifyEntry(op, count == 2 ? values[0] : Value(), "FIFO-78");
}
LogicalResult TAllocOp::verify() { return verifyOnPipe(*this, false, true); }
LogicalResult TPushOp::verify() { return verifyOnPipe(*this, false, false); }
LogicalResult TPopOp::verify() { return verifyOnPipe(*this, false, false); }
LogicalResult TFreeOp::verify() { return verifyOnPipe(*this, true, false); }

#include "ptoscope/Dialect/PTO/QueueOps.defs.inc"
