//===- ProgramOps.cpp - scopes, sections, pointers, scalars, queries ------===//

#include "Parsing.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// `{ body } [{attributes}]`
static ParseResult parseRegionOp(OpAsmParser &parser, OperationState &result) {
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, /*arguments=*/{}) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

static void printRegionOp(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
  printer.printOptionalAttrDict(op->getAttrs());
}

/// `(%a, %b) { ^bb0(%x: T, %y: T): body } : (T, T) -> ()`
static ParseResult parseStrictScope(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  llvm::SMLoc loc = parser.getCurrentLocation();
  Region *body = result.addRegion();
  FunctionType type;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parser.parseRegion(*body) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

static void printStrictScope(OpAsmPrinter &printer, Operation *op) {
  printer << "(";
  printer.printOperands(op->getOperands());
  printer << ") ";
  printer.printRegion(op->getRegion(0));
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  printer.printFunctionalType(op);
}

static LogicalResult verifyNotInScope(Operation *op) {
  if (Operation *outer = scopeAround(op)) {
    InFlightDiagnostic diag = breaks(op, "P4") << "vector scopes do not nest";
    diag.attachNote(outer->getLoc()) << "the outer scope starts here";
    return diag;
  }
  return success();
}

LogicalResult VecScopeOp::verify() { return verifyNotInScope(*this); }

LogicalResult StrictVecScopeOp::verify() {
  if (failed(verifyNotInScope(*this)))
    return failure();
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return breaks(*this, "P6") << getNumOperands() << " operands, but " << block.getNumArguments()
                               << " block arguments";
  for (auto [i, pair] : llvm::enumerate(llvm::zip(getOperandTypes(), block.getArgumentTypes())))
    if (std::get<0>(pair) != std::get<1>(pair))
      return breaks(*this, "P6") << "operand " << i << " has type " << std::get<0>(pair) << ", its block argument "
                                 << std::get<1>(pair);
  return success();
}

static LogicalResult verifySection(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<SectionCubeOp, SectionVectorOp>(parent) || isScope(parent))
      return breaks(op, "P1") << "a section may not stand inside " << quoted(parent);
  return success();
}
LogicalResult SectionCubeOp::verify() { return verifySection(*this); }
LogicalResult SectionVectorOp::verify() { return verifySection(*this); }

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// `%a [, %i] : T -> T`
static ParseResult parsePointerOp(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand input, index;
  bool hasIndex = result.name.getStringRef() == AddPtrOp::getOperationName();
  Type in, out;
  if (parser.parseOperand(input) || (hasIndex && (parser.parseComma() || parser.parseOperand(index))) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTypeOrPtr(parser, in))
    return failure();
  // Some tools repeat the type of the index.
  if (hasIndex && succeeded(parser.parseOptionalComma())) {
    Type type;
    if (parser.parseType(type))
      return failure();
  }
  if (parser.parseArrow() || parseTypeOrPtr(parser, out) || parser.resolveOperand(input, in, result.operands) ||
      (hasIndex && parser.resolveOperand(index, parser.getBuilder().getIndexType(), result.operands)))
    return failure();
  result.addTypes(out);
  return success();
}

static void printPointerOp(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printOperands(op->getOperands());
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getOperand(0).getType() << " -> " << op->getResult(0).getType();
}

LogicalResult CastPtrOp::verify() {
  Type in = getInput().getType(), out = getResult().getType();
  auto inPtr = dyn_cast<PtrType>(in), outPtr = dyn_cast<PtrType>(out);
  if (inPtr && outPtr) {
    if (inPtr.isResolved() && outPtr.isResolved() && inPtr.getSpace() != outPtr.getSpace())
      return breaks(*this, "P9") << "it cannot move a pointer from " << nameOf(inPtr.getSpace()) << " to "
                                 << nameOf(outPtr.getSpace()) << "; copy the data instead";
    return success();
  }
  if (!inPtr && !outPtr)
    return breaks(*this, "P9") << "neither side is a pointer (" << in << " -> " << out << ")";
  if (!(inPtr ? out : in).isIntOrIndex())
    return breaks(*this, "P9") << "the other side of a pointer cast is an integer, not " << (inPtr ? out : in);
  return success();
}
LogicalResult PtrToIntOp::verify() { return success(); }
LogicalResult IntToPtrOp::verify() {
  auto ptr = cast<PtrType>(getResult().getType());
  if (ptr.isResolved() && ptr.getSpace() != Space::Gm)
    return breaks(*this, "P9") << "it gives gm pointers only; use `pto.castptr` for on-chip addresses";
  for (Operation *user : getResult().getUsers())
    if (!isa<LoadScalarOp, StoreScalarOp, LdDevOp, StDevOp, DcciOp, CmoCacheInvalidOp>(user)) {
      InFlightDiagnostic diag = breaks(*this, "P9") << "its pointer is for scalar loads and stores; use `pto.castptr`";
      diag.attachNote(user->getLoc()) << "it is used here";
      return diag;
    }
  return success();
}
LogicalResult AddPtrOp::verify() {
  if (getPtr().getType() != getResult().getType())
    return breaks(*this, "P9") << "it turns " << getPtr().getType() << " into " << getResult().getType()
                               << "; the type must stay the same";
  auto ptr = cast<PtrType>(getPtr().getType());
  if (ptr.isResolved() && !ptr.getElement())
    return breaks(*this, "P9") << "nothing tells the element type of this pointer; write it as `!pto.ptr<T, space>`";
  return success();
}

//===----------------------------------------------------------------------===//
// Scalar memory
//===----------------------------------------------------------------------===//

/// Cache hints of the SIMT spelling change no value; accesses past the cache have none.
static ParseResult parseCacheHints(OpAsmParser &parser, const OperationState &result) {
  const StringRef name = result.name.getStringRef();
  for (StringRef keyword : {"l1cache", "l2cache"})
    if (llvm::SMLoc loc = parser.getCurrentLocation(); succeeded(parser.parseOptionalKeyword(keyword))) {
      if (name == LdDevOp::getOperationName() || name == StDevOp::getOperationName())
        return parser.emitError(loc) << "`" << name << "` breaks DEV-3: it passes the cache and takes no `" << keyword
                                     << "`";
      StringRef hint;
      if (parser.parseLParen() || parser.parseKeyword(&hint) || parser.parseRParen())
        return failure();
    }
  return success();
}

static ParseResult parseLoadScalar(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ptr, index;
  Type ptrType, valueType;
  if (parser.parseOperand(ptr) || parser.parseLSquare() || parser.parseOperand(index) || parser.parseRSquare() ||
      parseCacheHints(parser, result) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseTypeOrPtr(parser, ptrType) || parser.parseArrow() || parser.parseType(valueType) ||
      parser.resolveOperand(ptr, ptrType, result.operands) ||
      parser.resolveOperand(index, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  result.addTypes(valueType);
  return success();
}

template <typename Op> static void printScalarLoad(OpAsmPrinter &printer, Op op) {
  printer << " " << op.getPtr() << "[" << op.getIndex() << "]";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op.getPtr().getType() << " -> " << op.getValue().getType();
}

static ParseResult parseStoreScalar(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, ptr, index;
  Type ptrType, valueType;
  if (parser.parseOperand(value) || parser.parseComma() || parser.parseOperand(ptr) || parser.parseLSquare() ||
      parser.parseOperand(index) || parser.parseRSquare() || parseCacheHints(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTypeOrPtr(parser, ptrType) ||
      parser.parseComma() || parser.parseType(valueType) || parser.resolveOperand(value, valueType, result.operands) ||
      parser.resolveOperand(ptr, ptrType, result.operands) ||
      parser.resolveOperand(index, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  return success();
}

template <typename Op> static void printScalarStore(OpAsmPrinter &printer, Op op) {
  printer << " " << op.getValue() << ", " << op.getPtr() << "[" << op.getIndex() << "]";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op.getPtr().getType() << ", " << op.getValue().getType();
}

static LogicalResult verifyScalarAccess(Operation *op, PtrType ptr, Type value) {
  if (!ptr.isResolved())
    return success();
  if (ptr.getElement() != value)
    return breaks(op, "P10") << "the value is " << value << ", the pointer is " << ptr;
  if (ptr.getSpace() != Space::Gm && ptr.getSpace() != Space::Ub)
    return breaks(op, "P10") << "scalar access reaches gm and ub only, not " << nameOf(ptr.getSpace());
  unsigned bits = bitsOf(value);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return breaks(op, "P10") << "scalars have 8, 16, 32 or 64 bits, not " << value;
  return success();
}
LogicalResult LoadScalarOp::verify() {
  return verifyScalarAccess(*this, cast<PtrType>(getPtr().getType()), getValue().getType());
}
LogicalResult StoreScalarOp::verify() {
  return verifyScalarAccess(*this, cast<PtrType>(getPtr().getType()), getValue().getType());
}

/// DEV-1, and DEV-3 of hints that are written as attributes.
template <typename Op> static LogicalResult verifyDeviceAccess(Op op) {
  for (NamedAttribute named : op->getDiscardableAttrs()) {
    auto mode = dyn_cast<ModeAttr>(named.getValue());
    if (named.getName() == "l1cache" || named.getName() == "l2cache" || (mode && mode.getKind().contains("cache")))
      return breaks(op, "DEV-3") << "it passes the cache and takes no `" << named.getName().getValue() << "`";
  }
  auto ptr = cast<PtrType>(op.getPtr().getType());
  const Type value = op.getValue().getType();
  if (!ptr.isResolved())
    return success();
  const InstrInfo *info = findInstr(op->getName().stripDialect());
  if (ptr.getSpace() != Space::Gm || ptr.getElement() != value || !info->takesElement(elementName(value)))
    return breaks(op, "DEV-1") << "the pointer is in gm and has the type of the value, an integer of 8, 16, 32 or 64 "
                                  "bits; they are "
                               << ptr << " and " << value;
  return success();
}
LogicalResult LdDevOp::verify() { return verifyDeviceAccess(*this); }
LogicalResult StDevOp::verify() { return verifyDeviceAccess(*this); }

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

static ParseResult parseQuery(OpAsmParser &parser, OperationState &result) {
  Type type = parser.getBuilder().getI64Type();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseType(type))
      return failure();
    if (!type.isInteger(64))
      return parser.emitError(loc) << "`" << result.name.getStringRef() << "` gives i64, not " << type;
  }
  result.addTypes(type);
  return success();
}

#include "ptoscope/Dialect/PTO/ProgramOps.defs.inc"
