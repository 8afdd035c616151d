//===- DmaOps.cpp - transfers between GM, UB and L1 -----------------------===//

#include "Parsing.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Legacy copies: a flat operand list
//===----------------------------------------------------------------------===//

static ParseResult parseCopy(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseTypes(parser, types))
    return failure();
  StringRef name = result.name.getStringRef();
  size_t expected = name == CopyGmToUbufOp::getOperationName()   ? 11
                    : name == CopyUbufToGmOp::getOperationName() ? 8
                    : name == CopyGmToCbufOp::getOperationName() ? 6
                                                                 : 7;
  size_t superseded = expected + 2;
  // `i64 x5` stands for five of them in one text.
  if (succeeded(parser.parseOptionalKeyword("x5"))) {
    remarkLoose(parser, loc, "`i64 x5` stands for five types");
    types.append(4, types.back());
  }
  if (operands.size() != expected) {
    InFlightDiagnostic diag = parser.emitError(loc)
                              << "`" << result.name.getStringRef() << "` takes " << expected << " operands, got "
                              << operands.size();
    if (operands.size() == superseded && expected > 7)
      diag << "; this is a superseded form, drop the operands that follow the pointers (valid rows and columns)";
    return diag;
  }
  return parser.resolveOperands(operands, types, loc, result.operands);
}

static void printCopy(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printOperands(op->getOperands());
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  llvm::interleaveComma(op->getOperandTypes(), printer);
}

//===----------------------------------------------------------------------===//
// Grouped transfers
//===----------------------------------------------------------------------===//

/// `keyword(%a, %b, %c)`, the keyword already taken.
static ParseResult parseGroup(OpAsmParser &parser, StringRef keyword, size_t count,
                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand, 3> group;
  if (parser.parseOperandList(group, OpAsmParser::Delimiter::Paren))
    return failure();
  if (group.size() != count)
    return parser.emitError(loc) << "`" << keyword << "(...)` takes " << count
                                 << " operands (count, source step, destination step), got " << group.size();
  operands.append(group);
  return success();
}

static bool parseLoopKeyword(OpAsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("loop")))
    return true;
  llvm::SMLoc loc = parser.getCurrentLocation();
  for (StringRef keyword : {"loop1", "loop2"})
    if (succeeded(parser.parseOptionalKeyword(keyword))) {
      remarkLoose(parser, loc, "`" + keyword + "` is taken as `loop`; the order of appearance counts");
      return true;
    }
  return false;
}

/// The type list: two pointers, any number of i64, then `loop i64, i64, i64`
/// groups and `pad T[, i64, i64]`. Texts differ in how many i64 they write.
static ParseResult parseMteTypes(OpAsmParser &parser, size_t canonicalScalars, SmallVectorImpl<Type> &pointers,
                                 Type &padType) {
  size_t scalars = 0;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseTypeOrPtr(parser, pointers.emplace_back()) || parser.parseComma() ||
      parseTypeOrPtr(parser, pointers.emplace_back()))
    return failure();
  Type i64 = parser.getBuilder().getI64Type();
  bool inGroup = false;
  for (llvm::SMLoc comma = loc; comma = parser.getCurrentLocation(), succeeded(parser.parseOptionalComma());) {
    llvm::SMLoc typeLoc = parser.getCurrentLocation();
    if (parseLoopKeyword(parser)) {
      inGroup = true;
    } else if (succeeded(parser.parseOptionalKeyword("pad"))) {
      inGroup = true;
      if (parser.parseType(padType))
        return failure();
      continue;
    }
    Type type;
    OptionalParseResult parsed = parser.parseOptionalType(type);
    if (!parsed.has_value()) {
      remarkLoose(parser, comma, "a comma ends the type list");
      break;
    }
    if (failed(*parsed))
      return failure();
    if (type != i64)
      return parser.emitError(typeLoc) << "counts and strides are i64, not " << type;
    scalars += !inGroup;
  }
  if (scalars != canonicalScalars)
    remarkLoose(parser, loc,
                "the type list has " + Twine(scalars) + " i64 before the first group, " + Twine(canonicalScalars) +
                    " are canonical");
  return success();
}

static ParseResult parseMte(OpAsmParser &parser, OperationState &result) {
  bool load = result.name.getStringRef() == MteGmUbOp::getOperationName();
  StringRef name = result.name.getStringRef();
  SmallVector<OpAsmParser::UnresolvedOperand> head, burst, loops, pad;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseOperandList(head))
    return failure();
  if (head.size() != 3 && !(load && head.size() == 4))
    return parser.emitError(loc) << "`" << name << "` takes " << (load ? "source, destination, l2 and length" : "source, destination and length")
                                 << " before `nburst`, got " << head.size() << " operands";
  llvm::SMLoc burstLoc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("nburst")))
    return parser.emitError(burstLoc) << "`" << name << "` needs `nburst(count, source stride, destination stride)`";
  if (parseGroup(parser, "nburst", 3, burst))
    return failure();
  while (parseLoopKeyword(parser))
    if (parseGroup(parser, "loop", 3, loops))
      return failure();
  if (succeeded(parser.parseOptionalKeyword("pad"))) {
    llvm::SMLoc padLoc = parser.getCurrentLocation();
    if (!load)
      return parser.emitError(padLoc) << "`" << name << "` breaks D12: only transfers to UB can pad";
    if (parser.parseOperandList(pad, OpAsmParser::Delimiter::Paren))
      return failure();
    if (pad.size() != 1 && pad.size() != 3)
      return parser.emitError(padLoc) << "`" << name << "` breaks D12: `pad` takes a value, or a value and both counts, got "
                                      << pad.size() << " operands";
    llvm::SMLoc after = parser.getCurrentLocation();
    if (parseLoopKeyword(parser))
      return parser.emitError(after) << "`" << name << "` breaks D12: `pad` comes last";
  }
  SmallVector<Type> pointers;
  Type padType;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseMteTypes(parser, load ? 5 : 4, pointers, padType))
    return failure();
  if (!pad.empty() && !padType)
    return parser.emitError(loc) << "`" << name << "` has a pad value but the type list has no `pad T`";

  Type i64 = parser.getBuilder().getI64Type();
  SmallVector<OpAsmParser::UnresolvedOperand> scalars(head.begin() + 2, head.end());
  scalars.append(burst);
  scalars.append(loops);
  if (parser.resolveOperand(head[0], pointers[0], result.operands) ||
      parser.resolveOperand(head[1], pointers[1], result.operands) ||
      parser.resolveOperands(scalars, i64, result.operands))
    return failure();
  if (!load)
    return success();
  bool hasPad = !pad.empty(), hasCounts = pad.size() == 3;
  if (hasPad && (parser.resolveOperand(pad[0], padType, result.operands) ||
                 (hasCounts && (parser.resolveOperand(pad[1], i64, result.operands) ||
                                parser.resolveOperand(pad[2], i64, result.operands)))))
    return failure();
  result.addAttribute(MteGmUbOp::getOperandSegmentSizesAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr({1, 1, int32_t(head.size() - 3), 1, 1, 1, 1,
                                                                int32_t(loops.size()), hasPad, hasCounts, hasCounts}));
  return success();
}

template <typename Op> static void printMteCommon(OpAsmPrinter &printer, Op op, ArrayRef<Value> head) {
  printer << " ";
  printer.printOperands(head);
  printer << " nburst(" << op.getN() << ", " << op.getSrcStride() << ", " << op.getDstStride() << ")";
  OperandRange loops = op.getLoops();
  for (size_t i = 0; i + 2 < loops.size(); i += 3)
    printer << " loop(" << loops[i] << ", " << loops[i + 1] << ", " << loops[i + 2] << ")";
}

static void printMteTypes(OpAsmPrinter &printer, Type src, Type dst, size_t scalars, size_t loops) {
  printer << " : " << src << ", " << dst;
  for (size_t i = 0; i < scalars; ++i)
    printer << ", i64";
  for (size_t i = 0; i < loops; ++i)
    printer << ", loop i64, i64, i64";
}

static void printMte(OpAsmPrinter &printer, MteGmUbOp op) {
  SmallVector<Value> head = {op.getSrc(), op.getDst()};
  if (op.getL2())
    head.push_back(op.getL2());
  head.push_back(op.getLen());
  printMteCommon(printer, op, head);
  if (op.getPad()) {
    printer << " pad(" << op.getPad();
    if (op.getLeft())
      printer << ", " << op.getLeft() << ", " << op.getRight();
    printer << ")";
  }
  printer.printOptionalAttrDict(op->getAttrs(), {op.getOperandSegmentSizesAttrName()});
  printMteTypes(printer, op.getSrc().getType(), op.getDst().getType(), op.getL2() ? 5 : 4, op.getLoops().size() / 3);
  if (op.getPad())
    printer << ", pad " << op.getPad().getType() << (op.getLeft() ? ", i64, i64" : "");
}

template <typename Op> static void printMte(OpAsmPrinter &printer, Op op) {
  printMteCommon(printer, op, {op.getSrc(), op.getDst(), op.getLen()});
  printer.printOptionalAttrDict(op->getAttrs());
  printMteTypes(printer, op.getSrc().getType(), op.getDst().getType(), 4, op.getLoops().size() / 3);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// D1, D2: the spaces are those of the record's path.
static LogicalResult verifyTransfer(Operation *op) {
  auto from = cast<PtrType>(op->getOperand(0).getType()), to = cast<PtrType>(op->getOperand(1).getType());
  if (!from.isResolved() || !to.isResolved())
    return success(); // bare pointers: pto-verify-program refuses those that stay so
  SmallVector<StringRef, 3> path;
  findInstr(op->getName().stripDialect())->path.split(path, ' ');
  if (from.getSpace() != parseSpace(path[0]))
    return breaks(op, "D1") << "the source must be in " << path[0] << ", it is " << from;
  if (to.getSpace() != parseSpace(path[1]))
    return breaks(op, "D1") << "the destination must be in " << path[1] << ", it is " << to;
  if (from.getElement() && to.getElement() && from.getElementBytes() != to.getElementBytes())
    return breaks(op, "D2") << "elements of the source have " << from.getElementBytes() << " bytes, of the destination "
                            << to.getElementBytes();
  return success();
}

static LogicalResult verifyPadValue(Operation *op, Type type, StringRef rule = "set_mov_pad_val") {
  const InstrInfo *info = findInstr(rule);
  if (type.isIndex() || !info->takesElement(elementName(type)))
    return breaks(op, "D12") << "a pad value is one of " << info->elements << ", not " << type;
  return success();
}

LogicalResult SetMovPadValOp::verify() { return verifyPadValue(*this, getValue().getType()); }
LogicalResult SetPadValOutToL1Op::verify() {
  return verifyPadValue(*this, getValue().getType(), "set_pad_val_outtol1");
}

/// `loop` groups are triples; gap copies have none.
template <typename Op> static LogicalResult verifyLoops(Op op) {
  if (op.getLoops().size() % 3)
    return breaks(op, "D12") << "every `loop` takes three operands";
  if (!op.getLoops().empty() && isa<MteUbUbOp, MteUbL1Op>(op.getOperation()))
    return op->emitError() << quoted(op) << " takes no `loop`";
  return verifyTransfer(op);
}

LogicalResult MteGmUbOp::verify() {
  if (failed(verifyLoops(*this)))
    return failure();
  return getPad() ? verifyPadValue(*this, getPad().getType()) : success();
}
LogicalResult MteUbGmOp::verify() { return verifyLoops(*this); }
LogicalResult MteUbUbOp::verify() { return verifyLoops(*this); }
LogicalResult MteUbL1Op::verify() { return verifyLoops(*this); }
LogicalResult MteL1UbOp::verify() { return verifyLoops(*this); }
LogicalResult MteGmL1Op::verify() { return verifyLoops(*this); }

#include "ptoscope/Dialect/PTO/DmaOps.defs.inc"
