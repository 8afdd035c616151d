//===- UbVectorOps.cpp - vector instructions of A2 and A3 on UB -----------===//

#include "Parsing.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Dialect/PTO/UbBinding.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// `%d, %a, ... : T, T, ..., i64 x7`: a count behind a type repeats it.
static ParseResult parseUbVector(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  do {
    // Only a count: what follows the last type is the next instruction.
    StringRef count;
    if (parseTypeOrPtr(parser, types.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalKeyword(&count, {"x2", "x3", "x4", "x5", "x6", "x7"})))
      types.append(size_t(count.back() - '1'), types.back());
  } while (succeeded(parser.parseOptionalComma()));
  return parser.resolveOperands(operands, types, loc, result.operands);
}

static void printUbVector(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printOperands(op->getOperands());
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  llvm::interleaveComma(op->getOperandTypes(), printer);
}

/// UBV-2: numbers that the text fixes. Words of two sources have 8 bits for each of them,
/// the others 16 bits for a block stride.
static LogicalResult verifyNumbers(Operation *op, ValueRange numbers, size_t pointers) {
  const size_t strides = numbers.size() / 2;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    APInt fixed;
    const bool isBlock = i >= 1 && i <= strides;
    const int64_t most = isBlock && pointers < 3 ? 65535 : 255;
    if (matchPattern(number, m_ConstantInt(&fixed)) && (fixed.isNegative() || fixed.ugt(uint64_t(most))))
      return breaks(op, "UBV-2") << (i == 0    ? "the repeat count"
                                     : isBlock ? "a block stride"
                                               : "a repeat stride")
                                 << " is " << fixed.getSExtValue() << "; it must be 0 to " << most;
  }
  return success();
}

static LogicalResult verifyUbVector(Operation *op) {
  Type element;
  size_t pointers = 0;
  for (Value operand : op->getOperands()) {
    auto pointer = dyn_cast<PtrType>(operand.getType());
    if (!pointer)
      break;
    ++pointers;
    if (failed(verifyUb(op, operand)))
      return failure();
    if (!pointer.isResolved())
      continue;
    if (!pointer.getElement())
      return breaks(op, "UBV-1") << "nothing tells the element of its pointer; write it as `!pto.ptr<T, ub>`";
    if (failed(verifyElement(op, pointer.getElement(), "UBV-1")))
      return failure();
    if (element && element != pointer.getElement())
      return breaks(op, "UBV-1") << "its pointers have " << element << " and " << pointer.getElement() << " elements";
    element = pointer.getElement();
  }
  // A scalar stands before an odd number of numbers: a count and pairs or triples of strides.
  ValueRange numbers = op->getOperands().drop_front(pointers);
  return verifyNumbers(op, numbers.size() % 2 ? numbers : numbers.drop_front(), pointers);
}

/// Instructions without a source have strides of one nevertheless.
UbBinding ptoscope::pto::bindUbVector(Operation *op, const InstrInfo &info) {
  UbBinding binding;
  binding.known.record = tileFormsOf(info.symbol.lower()).front().recordNumber;
  size_t pointers = 0;
  for (Value operand : op->getOperands())
    if (isa<PtrType>(operand.getType()))
      binding.address[pointers++] = operand;
  binding.known.pointers = uint8_t(pointers);
  binding.known.elem = *TileBufType::elemOf(cast<PtrType>(binding.address[0].getType()).getElement());
  ValueRange numbers = op->getOperands().drop_front(pointers);
  if (numbers.size() % 2 == 0) {
    binding.scalar = numbers.front();
    numbers = numbers.drop_front();
  }
  binding.repeat = numbers.front();
  const size_t strides = numbers.size() / 2;
  for (size_t i = 0; i < pointers; ++i) {
    binding.block[i] = numbers[1 + i];
    binding.step[i] = numbers[1 + strides + i];
  }
  return binding;
}

#include "ptoscope/Dialect/PTO/UbVectorOps.defs.inc"
