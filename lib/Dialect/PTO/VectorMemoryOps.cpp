//===- VectorMemoryOps.cpp - UB to vector register and back ---------------===//

#include "Parsing.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// `%base[%offset]`
static ParseResult parseAddress(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &base,
                                OpAsmParser::UnresolvedOperand &offset) {
  if (parser.parseOperand(base) || parser.parseLSquare() || parser.parseOperand(offset) || parser.parseRSquare())
    return failure();
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLSquare()))
    return parser.emitError(loc) << "an address has one index; compute the buffer with `pto.addptr` first";
  return success();
}

static ParseResult parseVlds(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand base, offset;
  Type ptr;
  SmallVector<Type> results;
  if (parseAddress(parser, base, offset) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseTypeOrPtr(parser, ptr))
    return failure();
  if (succeeded(parser.parseOptionalComma())) { // `, index` as the dual forms write it
    Type type;
    if (parser.parseType(type))
      return failure();
  }
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseArrow() || parseTypes(parser, results) || parser.resolveOperand(base, ptr, result.operands) ||
      parser.resolveOperand(offset, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  if (results.empty() || results.size() > 2)
    return parser.emitError(loc) << "`pto.vlds` gives a register and, in the post-update form, a pointer; got "
                                 << results.size() << " result types";
  result.addTypes(results);
  return success();
}

static void printVlds(OpAsmPrinter &printer, VldsOp op) {
  printer << " " << op.getSrc() << "[" << op.getOffset() << "]";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op.getSrc().getType() << " -> ";
  llvm::interleaveComma(op->getResultTypes(), printer);
}

static ParseResult parseVsts(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, base, offset, mask;
  bool hasMask = false;
  if (parser.parseOperand(value) || parser.parseComma() || parseAddress(parser, base, offset))
    return failure();
  if (succeeded(parser.parseOptionalComma())) {
    hasMask = true;
    if (parser.parseOperand(mask))
      return failure();
  }
  SmallVector<Type> types, results;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTypes(parser, types))
    return failure();
  if (succeeded(parser.parseOptionalArrow()) && parseTypes(parser, results))
    return failure();
  if (types.size() != 2u + hasMask)
    return parser.emitError(loc) << "`pto.vsts` needs the types of register, pointer" << (hasMask ? " and mask" : "")
                                 << ", got " << types.size();
  auto vreg = dyn_cast<VRegType>(types[0]);
  if (!vreg)
    return parser.emitError(loc) << "`pto.vsts` stores a `!pto.vreg`, not " << types[0];
  if (parser.resolveOperand(value, vreg, result.operands) || parser.resolveOperand(base, types[1], result.operands) ||
      parser.resolveOperand(offset, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  if (!hasMask)
    remarkLoose(parser, parser.getNameLoc(), "`pto.vsts` without a mask stores every lane");
  if (hasMask &&
      parser.resolveOperand(mask, resolveMask(types[2], std::min(vreg.getElementBytes(), 4u)), result.operands))
    return failure();
  result.addTypes(results);
  return success();
}

static void printVsts(OpAsmPrinter &printer, VstsOp op) {
  printer << " " << op.getValue() << ", " << op.getDst() << "[" << op.getOffset() << "]";
  if (op.getMask())
    printer << ", " << op.getMask();
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op.getValue().getType() << ", " << op.getDst().getType();
  if (op.getMask())
    printer << ", " << op.getMask().getType();
  if (op.getNext())
    printer << " -> " << op.getNext().getType();
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static LogicalResult verifyAddress(Operation *op, Value base, Value next, VRegType vreg, StringRef postLabel) {
  auto ptr = cast<PtrType>(base.getType());
  if (ptr.isResolved() && ptr.getSpace() != Space::Ub)
    return breaks(op, "ADDR-2") << "the pointer must address ub, it is " << ptr;
  if (ptr.getElement() && ptr.getElementBytes() != vreg.getElementBytes())
    return breaks(op, "ADDR-1") << "pointer elements have " << ptr.getElementBytes() << " bytes, register elements "
                                << vreg.getElementBytes() << " (" << ptr << " and " << vreg << ")";
  if (next && next.getType() != ptr)
    return breaks(op, postLabel) << "the pointer result is " << next.getType() << ", the base is " << ptr;
  return verifyElement(op, vreg.getElement(), "LANE-2");
}

LogicalResult VldsOp::verify() {
  if (failed(verifyAddress(*this, getSrc(), getNext(), cast<VRegType>(getValue().getType()), "VLD-2")))
    return failure();
  static constexpr StringLiteral tokens[] = {
      "BRC_B8",  "BRC_B16",     "BRC_B32",     "BRC_BLK",      "BLK",        "US_B8",      "US_B16",    "DS_B8",
      "DS_B16",  "UNPK_B8",     "UNPK_B16",    "UNPK_B32",     "UNPK4",      "UNPK4_B8",   "E2B_B16",   "E2B_B32",
      "SPLT4CHN", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "DINTLV_B32", "DINTLV_B16", "DINTLV_B8"};
  if (getDist() == "NORM" || getDist() == "NORMAL")
    return success();
  if (llvm::is_contained(tokens, getDist()))
    return emitCoded(emitError(), "not-modelled") << "`pto.vlds` with distribution \"" << getDist() << "\" is not modelled";
  return emitError() << "`pto.vlds`: unknown distribution \"" << getDist() << "\"; the tokens are NORM, "
                     << llvm::join(ArrayRef<StringLiteral>(tokens), ", ");
}

LogicalResult VstsOp::verify() {
  auto vreg = cast<VRegType>(getValue().getType());
  if (failed(verifyAddress(*this, getDst(), getNext(), vreg, "POST-1")) || failed(verifyMask(*this, getMask(), vreg)))
    return failure();
  static constexpr StringLiteral tokens[] = {"1PT_B8",   "1PT_B16",    "1PT_B32",    "PK_B16",      "PK_B32",
                                             "PK_B64",   "PK4_B32",    "MRG4CHN_B8", "MRG2CHN_B8",  "MRG2CHN_B16",
                                             "ONEPT_B8", "ONEPT_B16",  "ONEPT_B32"};
  unsigned width = std::min(vreg.getElementBytes(), 4u) * 8;
  unsigned asked = llvm::StringSwitch<unsigned>(getDist())
                       .Cases("NORM", "NORMAL", width)
                       .Case("NORM_B8", 8)
                       .Case("NORM_B16", 16)
                       .Case("NORM_B32", 32)
                       .Default(0);
  if (asked == width)
    return success();
  if (asked || llvm::is_contained(tokens, getDist()))
    return emitCoded(emitError(), "not-modelled")
           << "`pto.vsts` with distribution \"" << getDist() << "\" on " << vreg << " is not modelled";
  return emitError() << "`pto.vsts`: unknown distribution \"" << getDist()
                     << "\"; the tokens are NORM, NORM_B8, NORM_B16, NORM_B32, " << llvm::join(ArrayRef<StringLiteral>(tokens), ", ");
}

#define GET_OP_CLASSES
#include "ptoscope/Dialect/PTO/VectorMemoryOps.cpp.inc"
