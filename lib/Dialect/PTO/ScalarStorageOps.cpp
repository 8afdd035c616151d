//===- ScalarStorageOps.cpp - scalars in tiles, arrays, structs -----------===//

#include "TileParsing.h"

#include "ptoscope/Support/Text.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Elements of tiles
//===----------------------------------------------------------------------===//

/// `ins(%t, %i : T, index) outs : E`
static ParseResult parseGetVal(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseKeyword("ins") || parseGroup(parser, result, 2))
    return failure();
  if (failed(parser.parseOptionalArrow()) && (parser.parseKeyword("outs") || parser.parseColon()))
    return failure();
  if (parser.parseType(type) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addTypes(type);
  return success();
}

static void printGetVal(OpAsmPrinter &printer, TGetValOp op) {
  printer << " ins(" << op->getOperands() << " : " << op->getOperandTypes() << ") outs : " << op.getValue().getType();
  printer.printOptionalAttrDict(op->getAttrs());
}

/// `ins(%i, %x : index, E) outs(%t : T)`
static ParseResult parseSetVal(OpAsmParser &parser, OperationState &result) {
  return failure(parser.parseKeyword("ins") || parseGroup(parser, result, 2) || parser.parseKeyword("outs") ||
                 parseGroup(parser, result, 1) || parser.parseOptionalAttrDict(result.attributes));
}

static void printSetVal(OpAsmPrinter &printer, TSetValOp op) {
  printer << " ins(" << op.getIndex() << ", " << op.getValue() << " : " << op.getIndex().getType() << ", "
          << op.getValue().getType() << ") outs(" << op.getTile() << " : " << op.getTile().getType() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
}

static LogicalResult verifyTileScalar(Operation *op, Value of, Value index, Type value) {
  auto tile = cast<TileBufType>(of.getType());
  if (tile.getSpace() != Space::Ub)
    return breaks(op, "TVAL-1") << "the scalar unit reaches `vec` tiles only, not " << tile;
  if (value != tile.getElement())
    return breaks(op, "TVAL-1") << "the value is " << value << ", the tile is " << tile;
  std::optional<int64_t> number = constantOf(index);
  // A window has the pitch of the tile that it is in, which its type does not tell.
  const bool isOwn = of.getDefiningOp<AllocTileOp>() != nullptr;
  if (number && (*number < 0 || (isOwn && *number >= tile.getRows() * tile.getCols())))
    return breaks(op, "TVAL-1") << tile << " has elements 0 to " << tile.getRows() * tile.getCols() - 1 << ", not "
                                << *number;
  return success();
}
LogicalResult TGetValOp::verify() { return verifyTileScalar(*this, getTile(), getIndex(), getValue().getType()); }
LogicalResult TSetValOp::verify() { return verifyTileScalar(*this, getTile(), getIndex(), getValue().getType()); }

//===----------------------------------------------------------------------===//
// Arrays and structs
//===----------------------------------------------------------------------===//

/// `-> T`
static ParseResult parseDeclare(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseArrow() || parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

static void printDeclare(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " -> " << op->getResult(0).getType();
}

/// `%a[%i, ...], %x : A, T`
static ParseResult parseElementSet(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand array, value;
  Operands indices;
  Type type, element;
  llvm::SMLoc loc = parser.getCurrentLocation();
  return failure(parser.parseOperand(array) || parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
                 parser.parseComma() || parser.parseOperand(value) || parser.parseOptionalAttrDict(result.attributes) ||
                 parser.parseColonType(type) || parser.parseComma() || parser.parseType(element) ||
                 parser.resolveOperand(array, type, result.operands) ||
                 parser.resolveOperands(indices, parser.getBuilder().getIndexType(), loc, result.operands) ||
                 parser.resolveOperand(value, element, result.operands));
}

static void printElementSet(OpAsmPrinter &printer, LocalArraySetOp op) {
  printer << " " << op.getArray() << "[" << op.getIndices() << "], " << op.getValue();
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op.getArray().getType() << ", " << op.getValue().getType();
}

/// They live on the stack of their function: a value that is handed on would outlive it.
static LogicalResult verifyUsers(Operation *op, StringRef label, StringRef get, StringRef set) {
  for (Operation *user : op->getUsers())
    if (user->getName().getStringRef() != get && user->getName().getStringRef() != set) {
      InFlightDiagnostic diag = breaks(op, label) << "only `" << get << "` and `" << set << "` use its result";
      diag.attachNote(user->getLoc()) << "it is used here";
      return diag;
    }
  return success();
}
LogicalResult DeclareLocalArrayOp::verify() {
  return verifyUsers(*this, "TVAL-2", LocalArrayGetOp::getOperationName(), LocalArraySetOp::getOperationName());
}
LogicalResult DeclareStructOp::verify() {
  return verifyUsers(*this, "TVAL-5", StructGetOp::getOperationName(), StructSetOp::getOperationName());
}

static LogicalResult verifyElementOf(Operation *op, LocalArrayType array, OperandRange indices, Type value) {
  if (indices.size() != array.getShape().size())
    return breaks(op, "TVAL-2") << array << " takes " << array.getShape().size() << " indices, not " << indices.size();
  for (auto [index, extent] : llvm::zip(indices, array.getShape()))
    if (auto number = constantOf(index); number && (*number < 0 || *number >= extent))
      return breaks(op, "TVAL-2") << "index " << *number << " is outside of " << array;
  if (value != array.getElement())
    return breaks(op, "TVAL-2") << "the value is " << value << ", the array is " << array;
  return success();
}
LogicalResult LocalArrayGetOp::verify() {
  return verifyElementOf(*this, cast<LocalArrayType>(getArray().getType()), getIndices(), getValue().getType());
}
LogicalResult LocalArraySetOp::verify() {
  return verifyElementOf(*this, cast<LocalArrayType>(getArray().getType()), getIndices(), getValue().getType());
}

/// `%s[0, 1]`
static ParseResult parseField(OpAsmParser &parser, OperationState &result, OpAsmParser::UnresolvedOperand &record) {
  SmallVector<int64_t> path;
  if (parser.parseOperand(record) || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(path.emplace_back());
      }))
    return failure();
  result.addAttribute("path", parser.getBuilder().getDenseI64ArrayAttr(path));
  return success();
}

static void printField(OpAsmPrinter &printer, Value record, ArrayRef<int64_t> path) {
  printer << " " << record << "[";
  llvm::interleaveComma(path, printer);
  printer << "]";
}

static ParseResult parseFieldGet(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand record;
  Type type, value;
  if (parseField(parser, result, record) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) || parser.parseArrow() || parser.parseType(value) ||
      parser.resolveOperand(record, type, result.operands))
    return failure();
  result.addTypes(value);
  return success();
}

static void printFieldGet(OpAsmPrinter &printer, StructGetOp op) {
  printField(printer, op.getRecord(), op.getPath());
  printer.printOptionalAttrDict(op->getAttrs(), {"path"});
  printer << " : " << op.getRecord().getType() << " -> " << op.getValue().getType();
}

static ParseResult parseFieldSet(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand record, value;
  Type type, field;
  return failure(parseField(parser, result, record) || parser.parseComma() || parser.parseOperand(value) ||
                 parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
                 parser.parseComma() || parser.parseType(field) ||
                 parser.resolveOperand(record, type, result.operands) ||
                 parser.resolveOperand(value, field, result.operands));
}

static void printFieldSet(OpAsmPrinter &printer, StructSetOp op) {
  printField(printer, op.getRecord(), op.getPath());
  printer << ", " << op.getValue();
  printer.printOptionalAttrDict(op->getAttrs(), {"path"});
  printer << " : " << op.getRecord().getType() << ", " << op.getValue().getType();
}

static LogicalResult verifyField(Operation *op, Type record, ArrayRef<int64_t> path, Type value) {
  Type field = record;
  for (int64_t index : path) {
    auto fields = dyn_cast<StructType>(field);
    if (!fields)
      return breaks(op, "TVAL-4") << "the path goes on behind " << field;
    if (index < 0 || index >= int64_t(fields.getFields().size()))
      return breaks(op, "TVAL-4") << fields << " has fields 0 to " << fields.getFields().size() - 1 << ", not "
                                  << index;
    field = fields.getFields()[index];
  }
  if (field != value)
    return breaks(op, "TVAL-4") << "the field is " << field << ", the value is " << value;
  return success();
}
LogicalResult StructGetOp::verify() {
  return verifyField(*this, getRecord().getType(), getPath(), getValue().getType());
}
LogicalResult StructSetOp::verify() {
  return verifyField(*this, getRecord().getType(), getPath(), getValue().getType());
}

#include "ptoscope/Dialect/PTO/ScalarStorageOps.defs.inc"
