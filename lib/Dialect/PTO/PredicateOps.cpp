//===- PredicateOps.cpp - mask generators ---------------------------------===//

#include "Parsing.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// MASK-4: `!pto.mask<G>` takes the granularity of the name, others must have it.
static ParseResult checkMaskResult(OpAsmParser &parser, OperationState &result, llvm::SMLoc loc, Type &type,
                                   unsigned bytes) {
  type = resolveMask(type, bytes);
  if (type == MaskType::get(parser.getContext(), bytes))
    return success();
  return parser.emitError(loc) << "`" << result.name.getStringRef() << "` breaks MASK-4: it gives `!pto.mask<b" << bytes * 8
                               << ">`, not " << type;
}

static ParseResult parsePset(OpAsmParser &parser, OperationState &result, unsigned bytes) {
  // Not an attribute: MLIR would take the colon behind a string for its type.
  std::string pattern;
  Type type;
  if (parser.parseString(&pattern) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  result.addAttribute("pattern", parser.getBuilder().getStringAttr(pattern));
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(type) || checkMaskResult(parser, result, loc, type, bytes))
    return failure();
  result.addTypes(type);
  return success();
}

static void printPset(OpAsmPrinter &printer, Operation *op) {
  printer << " " << op->getAttr("pattern");
  printer.printOptionalAttrDict(op->getAttrs(), {"pattern"});
  printer << " : " << op->getResult(0).getType();
}

static ParseResult parsePlt(OpAsmParser &parser, OperationState &result, unsigned bytes) {
  OpAsmParser::UnresolvedOperand count;
  SmallVector<Type> inputs, results;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseOperand(count) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseTypes(parser, inputs) || parser.parseArrow() || parseTypes(parser, results))
    return failure();
  if (inputs.size() != 1 || results.size() != 2)
    return parser.emitError(loc) << "`" << result.name.getStringRef()
                                 << "` is written `%mask, %rest = ... %n : i32 -> !pto.mask<b" << bytes * 8 << ">, i32`";
  if (checkMaskResult(parser, result, loc, results[0], bytes) ||
      parser.resolveOperand(count, inputs[0], result.operands))
    return failure();
  result.addTypes(results);
  return success();
}

static void printPlt(OpAsmPrinter &printer, Operation *op) {
  printer << " " << op->getOperand(0);
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getOperand(0).getType() << " -> " << op->getResult(0).getType() << ", "
          << op->getResult(1).getType();
}

static LogicalResult verifyPset(Operation *op, StringRef pattern) {
  static constexpr StringLiteral patterns[] = {"PAT_ALL",  "PAT_ALLF", "PAT_VL1",  "PAT_VL2",   "PAT_VL3",
                                               "PAT_VL4",  "PAT_VL8",  "PAT_VL16", "PAT_VL32",  "PAT_VL64",
                                               "PAT_VL128", "PAT_M3",  "PAT_M4",   "PAT_H",     "PAT_Q"};
  if (llvm::is_contained(patterns, pattern))
    return success();
  // PAT_VL<n> with another n occurs in manuals; it means what it says.
  StringRef number = pattern;
  unsigned lanes = 256 / cast<MaskType>(op->getResult(0).getType()).getBytes(), n;
  if (number.consume_front("PAT_VL") && !number.getAsInteger(10, n) && n >= 1 && n <= lanes) {
    emitCoded(op->emitRemark(), "loose-spelling")
        << quoted(op) << ": \"" << pattern << "\" is not a listed pattern; taken as the first " << n << " lanes";
    return success();
  }
  return breaks(op, "PSET-1") << "unknown pattern \"" << pattern << "\"; the patterns are " << llvm::join(ArrayRef<StringLiteral>(patterns), ", ");
}
LogicalResult PsetB8Op::verify() { return verifyPset(*this, getPattern()); }
LogicalResult PsetB16Op::verify() { return verifyPset(*this, getPattern()); }
LogicalResult PsetB32Op::verify() { return verifyPset(*this, getPattern()); }
LogicalResult PltB8Op::verify() { return success(); }
LogicalResult PltB16Op::verify() { return success(); }
LogicalResult PltB32Op::verify() { return success(); }

#define GET_OP_CLASSES
#include "ptoscope/Dialect/PTO/PredicateOps.cpp.inc"
