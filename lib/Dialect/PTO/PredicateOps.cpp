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

static constexpr StringLiteral kPatterns[] = {"PAT_ALL",   "PAT_ALLF", "PAT_VL1",  "PAT_VL2",  "PAT_VL3",
                                              "PAT_VL4",   "PAT_VL8",  "PAT_VL16", "PAT_VL32", "PAT_VL64",
                                              "PAT_VL128", "PAT_M3",   "PAT_M4",   "PAT_H",    "PAT_Q"};

/// PAT_VL<n> with an n that is not listed occurs in manuals; it means what it says.
static bool isOddPrefix(StringRef pattern, unsigned lanes) {
  unsigned n;
  return !llvm::is_contained(kPatterns, pattern) && pattern.consume_front("PAT_VL") && !pattern.getAsInteger(10, n) &&
         n >= 1 && n <= lanes;
}

static ParseResult parsePset(OpAsmParser &parser, OperationState &result, unsigned bytes) {
  // Not an attribute: MLIR would take the colon behind a string for its type.
  std::string pattern;
  Type type;
  llvm::SMLoc patternLoc = parser.getCurrentLocation();
  if (parser.parseString(&pattern) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  if (isOddPrefix(pattern, 256 / bytes))
    remarkLoose(parser, patternLoc, "\"" + Twine(pattern) + "\" is not a listed pattern; taken as a number of lanes");
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
  unsigned lanes = 256 / cast<MaskType>(op->getResult(0).getType()).getBytes();
  if (llvm::is_contained(kPatterns, pattern) || isOddPrefix(pattern, lanes))
    return success();
  return breaks(op, "PSET-1") << "unknown pattern \"" << pattern << "\"; the patterns are "
                              << llvm::join(ArrayRef<StringLiteral>(kPatterns), ", ");
}
LogicalResult PsetB8Op::verify() { return verifyPset(*this, getPattern()); }
LogicalResult PsetB16Op::verify() { return verifyPset(*this, getPattern()); }
LogicalResult PsetB32Op::verify() { return verifyPset(*this, getPattern()); }
LogicalResult PltB8Op::verify() { return success(); }
LogicalResult PltB16Op::verify() { return success(); }
LogicalResult PltB32Op::verify() { return success(); }

#define GET_OP_CLASSES
#include "ptoscope/Dialect/PTO/PredicateOps.cpp.inc"
