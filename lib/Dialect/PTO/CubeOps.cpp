//===- CubeOps.cpp - what cube instructions have in common ----------------===//

#include "CubeText.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ptoscope::pto {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult parseCubeOperands(OpAsmParser &parser, Operands &operands, bool &comma) {
  comma = false;
  do { // commas behind source and destination may be left out (DMA-35)
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed))
      return failure();
    operands.push_back(operand);
    comma = succeeded(parser.parseOptionalComma());
  } while (comma || operands.size() <= 2);
  return success();
}

ParseResult parseCubeTypes(OpAsmParser &parser, OperationState &result,
                           ArrayRef<OpAsmParser::UnresolvedOperand> operands) {
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTypes(parser, types))
    return failure();
  if (types.size() != operands.size())
    return parser.emitError(loc) << "`" << result.name.getStringRef() << "` has " << operands.size()
                                 << " operands, and the type list " << types.size() << " types";
  return parser.resolveOperands(operands, types, loc, result.operands);
}

void printCubeTypes(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> elided) {
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  llvm::interleaveComma(op->getOperandTypes(), printer);
}

ParseResult parseCubeFlat(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  return failure(parser.parseOperandList(operands) || parseCubeTypes(parser, result, operands));
}

void printCubeFlat(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printOperands(op->getOperands());
  printCubeTypes(printer, op);
}

ParseResult ClauseOrder::take(OpAsmParser &parser, llvm::SMLoc loc, StringRef word, unsigned rank) {
  if (seen >> rank & 1)
    return parser.emitError(loc) << "`" << word << "` is the second clause of its kind";
  if (seen >> rank)
    remarkLoose(parser, loc, "`" + word + "` stands behind a clause that it belongs before");
  seen |= 1u << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::optional<int64_t> fixedNumber(Value value) {
  APInt number;
  if (!value || !matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getBitWidth() < 64 ? int64_t(number.getZExtValue()) : number.getSExtValue();
}

void bindNumber(CubeBinding &binding, size_t place, Value value) {
  if (std::optional<int64_t> fixed = fixedNumber(value))
    binding.known.number[place] = *fixed;
  else if (value)
    binding.number[place] = value;
}

tile::Elem pointeeOf(Value pointer) {
  Type element = elementOf(pointer);
  if (element.isInteger(4))
    return tile::Elem::i4x2;
  return TileBufType::elemOf(element).value_or(tile::Elem::u8); // others are refused
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult verifySpaces(Operation *op, StringRef label) {
  static constexpr StringRef kSides[] = {"the source", "the destination"},
                             kFactors[] = {"the left operand", "the right operand", "the result", "the bias"};
  ArrayRef<Space> spaces = cast<CubeOpInterface>(op).getPointerSpaces();
  ArrayRef<StringRef> names = spaces.size() > 2 ? ArrayRef(kFactors) : ArrayRef(kSides).take_back(spaces.size());
  for (auto [name, space, operand] : llvm::zip(names, spaces, op->getOperands())) {
    auto pointer = cast<PtrType>(operand.getType());
    if (!pointer.isResolved()) // pto-verify-program refuses those that stay so
      continue;
    if (pointer.getSpace() != space)
      return breaks(op, label) << name << " must be in " << nameOf(space) << ", it is " << pointer;
    if (!pointer.getElement())
      return breaks(op, label) << "nothing tells the element of its pointer; write it as `!pto.ptr<T, " << nameOf(space)
                               << ">`";
  }
  return success();
}

LogicalResult verifyRange(Operation *op, StringRef label, StringRef what, Value value, int64_t low, int64_t high) {
  std::optional<int64_t> fixed = fixedNumber(value);
  if (!fixed || (*fixed >= low && *fixed <= high))
    return success();
  return breaks(op, label) << what << " is " << *fixed << "; it must be " << low << " to " << high;
}

} // namespace ptoscope::pto

using namespace ptoscope;
using namespace ptoscope::pto;

#include "ptoscope/Dialect/PTO/CubeInterface.cpp.inc"

#include "ptoscope/Dialect/PTO/CubeOps.defs.inc"
