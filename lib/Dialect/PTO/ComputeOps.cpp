//===- ComputeOps.cpp - lane-wise arithmetic ------------------------------===//

#include "Parsing.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// `%a[, %b][, %mask] : types -> type`. The mask may be missing (all lanes), and
/// so may types that the first one implies.
static ParseResult parseLaneOp(OpAsmParser &parser, OperationState &result, unsigned vectors) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types, results;
  llvm::SMLoc loc = parser.getNameLoc();
  StringRef name = result.name.getStringRef();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseTypes(parser, types) || parser.parseArrow() || parseTypes(parser, results))
    return failure();
  bool hasMask = operands.size() == vectors + 1;
  if (operands.size() != vectors && !hasMask)
    return parser.emitError(loc) << "`" << name << "` takes " << vectors << (vectors == 1 ? " register" : " registers")
                                 << " and a mask, got " << operands.size() << " operands";
  if (results.size() != 1)
    return parser.emitError(loc) << "`" << name << "` gives one register, got " << results.size() << " result types";
  auto vreg = dyn_cast<VRegType>(types.empty() ? Type() : types[0]);
  if (!vreg)
    return parser.emitError(loc) << "`" << name << "` works on `!pto.vreg` values";
  if (types.size() > operands.size())
    return parser.emitError(loc) << "`" << name << "` has " << operands.size() << " operands but " << types.size() << " types";
  Type mask = MaskType::get(parser.getContext(), std::min(vreg.getElementBytes(), 4u));
  for (auto [i, operand] : llvm::enumerate(operands)) {
    bool isMask = i == vectors;
    Type type = i < types.size() ? types[i] : isMask ? mask : vreg;
    if (isMask && types.size() < operands.size())
      type = isa<MaskType>(types.back()) ? types.back() : mask;
    else if (!isMask && isa<MaskType>(type))
      type = vreg; // one register type stands for all, the mask type follows it
    if (parser.resolveOperand(operand, resolveMask(type, std::min(vreg.getElementBytes(), 4u)), result.operands))
      return failure();
  }
  if (!hasMask)
    remarkLoose(parser, loc, "`" + name + "` without a mask works on every lane");
  if (types.size() < operands.size())
    remarkLoose(parser, loc, "`" + name + "` writes " + Twine(types.size()) + " types for " + Twine(operands.size()) +
                                 " operands");
  result.addTypes(results);
  return success();
}

static void printLaneOp(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printOperands(op->getOperands());
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  llvm::interleaveComma(op->getOperandTypes(), printer);
  printer << " -> " << op->getResult(0).getType();
}

static LogicalResult verifyLaneOp(Operation *op) {
  auto vreg = cast<VRegType>(op->getResult(0).getType());
  Value mask;
  for (Value operand : op->getOperands()) {
    if (isa<MaskType>(operand.getType()))
      mask = operand;
    else if (operand.getType() != vreg)
      return breaks(op, "LANE-1") << "operands and result must have one type, got " << operand.getType() << " and " << vreg;
  }
  if (failed(verifyElement(op, vreg.getElement(), "LANE-2")))
    return failure();
  return verifyMask(op, mask, vreg);
}

#define GET_OP_CLASSES
#include "ptoscope/Dialect/PTO/ComputeOps.cpp.inc"
