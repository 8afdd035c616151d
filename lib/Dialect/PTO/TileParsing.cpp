//===- TileParsing.cpp - text of views and tiles --------------------------===//

#include "TileParsing.h"

#include "ptoscope/Support/Text.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

ParseResult ptoscope::pto::parseTypeOrTile(AsmParser &parser, Type &type) {
  OptionalParseResult result = parser.parseOptionalType(type);
  if (result.has_value())
    return *result;
  llvm::SMLoc loc = parser.getCurrentLocation();
  type = TileBufType::parseBody(parser);
  if (type)
    remarkLoose(parser, loc, "a tile type without `!pto.tile_buf`");
  return failure(!type);
}

ParseResult ptoscope::pto::parseTileTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList([&] { return parseTypeOrTile(parser, types.emplace_back()); });
}

ParseResult ptoscope::pto::parseOnTile(OpAsmParser &parser, OperationState &result, Type rest) {
  Operands operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  llvm::SMLoc typesLoc = parser.getCurrentLocation();
  if (parseTileTypes(parser, types))
    return failure();
  if (types.size() > 1)
    remarkLoose(parser, typesLoc, "`" + result.name.getStringRef() + "` lists the type of its first operand only");
  else
    types.resize(operands.size(), rest);
  if (result.name.getStringRef() == GetValidShapeOp::getOperationName()) {
    result.addTypes({parser.getBuilder().getIndexType(), parser.getBuilder().getIndexType()});
  } else if (succeeded(parser.parseOptionalArrow())) {
    Type type;
    if (parseTypeOrTile(parser, type))
      return failure();
    result.addTypes(type);
  }
  return parser.resolveOperands(operands, types, loc, result.operands);
}

void ptoscope::pto::printOnTile(OpAsmPrinter &printer, Operation *op) {
  printer << " " << op->getOperands();
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getOperand(0).getType();
  if (op->getNumResults() == 1)
    printer << " -> " << op->getResult(0).getType();
}

ParseResult ptoscope::pto::parseNamedList(OpAsmParser &parser, StringRef word, Operands &operands) {
  return failure(parser.parseComma() || parser.parseKeyword(word) || parser.parseEqual() ||
                 parser.parseOperandList(operands, OpAsmParser::Delimiter::Square));
}

void ptoscope::pto::printNamedList(OpAsmPrinter &printer, StringRef word, OperandRange operands) {
  printer << ", " << word << " = [" << operands << "]";
}

void ptoscope::pto::printAttributes(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> written) {
  SmallVector<StringRef> hidden(written);
  hidden.push_back("operandSegmentSizes");
  printer.printOptionalAttrDict(op->getAttrs(), hidden);
}

void ptoscope::pto::setSegments(OpAsmParser &parser, OperationState &result, ArrayRef<size_t> sizes) {
  SmallVector<int32_t> segments(sizes.begin(), sizes.end());
  result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(segments));
}

std::optional<int64_t> ptoscope::pto::constantOf(Value value) {
  APInt number;
  if (value && matchPattern(value, m_ConstantInt(&number)) && number.getSignificantBits() <= 64)
    return number.getSExtValue();
  return std::nullopt;
}

ParseResult ptoscope::pto::parseGroup(OpAsmParser &parser, OperationState &result, size_t count) {
  Operands operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(operands, count ? int(count) : -1) || parser.parseColon() ||
      parseTileTypes(parser, types) || parser.parseRParen())
    return failure();
  return parser.resolveOperands(operands, types, loc, result.operands);
}

ParseResult ptoscope::pto::parseElementOf(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand array;
  Operands indices;
  Type type, value;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(array) || parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) || parser.parseArrow() ||
      parseTypeOrTile(parser, value) || parser.resolveOperand(array, type, result.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(), loc, result.operands))
    return failure();
  result.addTypes(value);
  return success();
}

void ptoscope::pto::printElementOf(OpAsmPrinter &printer, Operation *op) {
  printer << " " << op->getOperand(0) << "[" << op->getOperands().drop_front() << "]";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getOperand(0).getType() << " -> " << op->getResult(0).getType();
}

ParseResult ptoscope::pto::parsePartitionOf(OpAsmParser &parser, OperationState &result,
                                            OpAsmParser::UnresolvedOperand view) {
  Operands offsets, sizes;
  Type source, part, index = parser.getBuilder().getIndexType();
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseNamedList(parser, "offsets", offsets) || parseNamedList(parser, "sizes", sizes) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(source) ||
      (succeeded(parser.parseOptionalArrow()) && parser.parseType(part)))
    return failure();
  setSegments(parser, result, {1, offsets.size(), sizes.size()});
  if (parser.resolveOperand(view, source, result.operands) ||
      parser.resolveOperands(offsets, index, loc, result.operands) ||
      parser.resolveOperands(sizes, index, loc, result.operands))
    return failure();
  if (!part) { // VIEW-8
    SmallVector<int64_t> extents;
    for (Value size : ArrayRef<Value>(result.operands).take_back(sizes.size())) {
      std::optional<int64_t> number = constantOf(size);
      extents.push_back(number && *number > 0 ? *number : ShapedType::kDynamic);
    }
    Type element;
    if (auto memref = dyn_cast<MemRefType>(source))
      element = memref.getElementType();
    else if (auto whole = dyn_cast<TensorViewType>(source))
      element = whole.getElement();
    else if (auto part = dyn_cast<PartitionTensorViewType>(source))
      element = part.getElement();
    else
      return parser.emitError(loc) << "`pto.partition_view` takes a view, not " << source;
    part = PartitionTensorViewType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                               ArrayRef<int64_t>(extents), element);
    if (!part)
      return failure();
  }
  result.addTypes(part);
  return success();
}
