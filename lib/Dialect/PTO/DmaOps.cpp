//===- DmaOps.cpp - transfers between GM, UB and L1 -----------------------===//

#include "CubeText.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static const TransferInfo &transferOf(OperationName name) { return *findInstr(name.stripDialect())->transfer; }

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
  size_t expected = transferOf(result.name).operands, superseded = expected + 2;
  // `i64 x5` stands for five of them in one text.
  if (succeeded(parser.parseOptionalKeyword("x5"))) {
    remarkLoose(parser, loc, "`i64 x5` stands for five types");
    types.append(4, types.back());
  }
  if (operands.size() != expected) {
    InFlightDiagnostic diag = parser.emitError(loc) << "`" << result.name.getStringRef() << "` takes " << expected
                                                    << " operands, got " << operands.size();
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

/// Where MLIR keeps how many values stand for each operand of the record.
static constexpr llvm::StringLiteral kSegmentSizes = "operandSegmentSizes";

/// Operands with a comma behind each, which may be missing (DMA-35).
static ParseResult parseLooseOperands(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed))
      return failure();
    operands.push_back(operand);
    (void)parser.parseOptionalComma();
  }
}

static ParseResult parseMte(OpAsmParser &parser, OperationState &result) {
  const TransferInfo &info = transferOf(result.name);
  const bool hints = info.has(TransferRole::L2);
  StringRef name = result.name.getStringRef();
  SmallVector<OpAsmParser::UnresolvedOperand> head, burst, cache, loops, pad;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parseLooseOperands(parser, head))
    return failure();
  if (head.size() != 3 && !(hints && head.size() == 4))
    return parser.emitError(loc) << "`" << name << "` takes "
                                 << (hints ? "source, destination, l2 and length" : "source, destination and length")
                                 << " before `nburst`, got " << head.size() << " operands";
  llvm::SMLoc burstLoc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("nburst")))
    return parser.emitError(burstLoc) << "`" << name << "` needs `nburst(count, source stride, destination stride)`";
  if (parseGroup(parser, "nburst", 3, burst))
    return failure();
  llvm::SMLoc cacheLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("l2_cache_ctl"))) {
    if (!info.segments || !info.has(TransferRole::Cache))
      return parser.emitError(cacheLoc) << "`" << name << "` takes no `l2_cache_ctl`";
    if (parser.parseOperandList(cache, 1, OpAsmParser::Delimiter::Paren))
      return failure();
  }
  while (parseLoopKeyword(parser))
    if (parseGroup(parser, "loop", 3, loops))
      return failure();
  if (!loops.empty() && !info.has(TransferRole::Loops))
    return emitCoded(parser.emitError(loc), "verify-error") << "`" << name << "` takes no `loop`";
  if (succeeded(parser.parseOptionalKeyword("pad"))) {
    llvm::SMLoc padLoc = parser.getCurrentLocation();
    if (!info.has(TransferRole::Pad))
      return parser.emitError(padLoc) << "`" << name << "` breaks D12: only transfers to UB can pad";
    if (parser.parseOperandList(pad, OpAsmParser::Delimiter::Paren))
      return failure();
    if (pad.size() != 1 && pad.size() != 3)
      return parser.emitError(padLoc) << "`" << name
                                      << "` breaks D12: `pad` takes a value, or a value and both counts, got "
                                      << pad.size() << " operands";
    llvm::SMLoc after = parser.getCurrentLocation();
    if (parseLoopKeyword(parser))
      return parser.emitError(after) << "`" << name << "` breaks D12: `pad` comes last";
  }
  SmallVector<Type> pointers;
  Type padType;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseMteTypes(parser, hints || !cache.empty() ? 5 : 4, pointers, padType))
    return failure();
  if (!pad.empty() && !padType)
    return parser.emitError(loc) << "`" << name << "` has a pad value but the type list has no `pad T`";

  Type i64 = parser.getBuilder().getI64Type();
  SmallVector<OpAsmParser::UnresolvedOperand> scalars(head.begin() + 2, head.end());
  scalars.append(burst);
  scalars.append(cache);
  scalars.append(loops);
  if (parser.resolveOperand(head[0], pointers[0], result.operands) ||
      parser.resolveOperand(head[1], pointers[1], result.operands) ||
      parser.resolveOperands(scalars, i64, result.operands))
    return failure();
  for (auto [i, operand] : llvm::enumerate(pad))
    if (parser.resolveOperand(operand, i ? i64 : padType, result.operands))
      return failure();
  if (!info.segments)
    return success();
  SmallVector<int32_t> sizes(info.operands, 1);
  auto size = [&](TransferRole role, size_t count) {
    if (info.has(role))
      sizes[size_t(info.operand[size_t(role)])] = int32_t(count);
  };
  size(TransferRole::L2, head.size() - 3);
  size(TransferRole::Cache, cache.size());
  size(TransferRole::Loops, loops.size());
  size(TransferRole::Pad, !pad.empty());
  size(TransferRole::Left, pad.size() == 3);
  size(TransferRole::Right, pad.size() == 3);
  result.addAttribute(kSegmentSizes, parser.getBuilder().getDenseI32ArrayAttr(sizes));
  return success();
}

static void printMte(OpAsmPrinter &printer, TransferOpInterface op) {
  auto get = [&](TransferRole role) { return op.get(role); };
  Value l2 = get(TransferRole::L2), pad = get(TransferRole::Pad), left = get(TransferRole::Left);
  Value cache = get(TransferRole::Cache);
  printer << " " << get(TransferRole::Src) << ", " << get(TransferRole::Dst) << ", ";
  if (l2)
    printer << l2 << ", ";
  printer << get(TransferRole::Len) << " nburst(" << get(TransferRole::Count) << ", " << get(TransferRole::SrcStep)
          << ", " << get(TransferRole::DstStep) << ")";
  if (cache)
    printer << " l2_cache_ctl(" << cache << ")";
  OperandRange loops = op.getRole(TransferRole::Loops);
  for (size_t i = 0; i + 2 < loops.size(); i += 3)
    printer << " loop(" << loops[i] << ", " << loops[i + 1] << ", " << loops[i + 2] << ")";
  if (pad) {
    printer << " pad(" << pad;
    if (left)
      printer << ", " << left << ", " << get(TransferRole::Right);
    printer << ")";
  }
  printer.printOptionalAttrDict(op->getAttrs(), {kSegmentSizes});
  printer << " : " << get(TransferRole::Src).getType() << ", " << get(TransferRole::Dst).getType();
  for (size_t i = 0; i < (l2 || cache ? 5 : 4); ++i)
    printer << ", i64";
  for (size_t i = 0; i + 2 < loops.size(); i += 3)
    printer << ", loop i64, i64, i64";
  if (pad)
    printer << ", pad " << pad.getType() << (left ? ", i64, i64" : "");
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

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

/// D1, D2, D12: the spaces are those of the record's path, elements are as wide on
/// both sides, loops have three operands each, and a pad value has a type for it.
static LogicalResult verifyTransfer(TransferOpInterface op) {
  if (op.getRole(TransferRole::Loops).size() % 3)
    return breaks(op, "D12") << "every `loop` takes three operands";
  const TransferInfo &info = op.getInfo();
  auto from = cast<PtrType>(op.get(TransferRole::Src).getType()),
       to = cast<PtrType>(op.get(TransferRole::Dst).getType());
  // Bare pointers: pto-verify-program refuses those that stay so.
  if (from.isResolved() && to.isResolved()) {
    if (from.getSpace() != info.src)
      return breaks(op, "D1") << "the source must be in " << nameOf(info.src) << ", it is " << from;
    if (to.getSpace() != info.dst)
      return breaks(op, "D1") << "the destination must be in " << nameOf(info.dst) << ", it is " << to;
    if (isa<CubeOpInterface>(op.getOperation()) && failed(verifyBias(op)))
      return failure();
    if (info.sameSize && from.getElement() && to.getElement() && from.getElementBytes() != to.getElementBytes())
      return breaks(op, "D2") << "elements of the source have " << from.getElementBytes()
                              << " bytes, of the destination " << to.getElementBytes();
  }
  Value pad = op.get(TransferRole::Pad);
  return pad ? verifyPadValue(op, pad.getType()) : success();
}

#include "ptoscope/Dialect/PTO/TransferInterface.cpp.inc"

#include "ptoscope/Dialect/PTO/DmaOps.defs.inc"
