//===- ClusterOps.cpp - signals between cores, barriers over a launch -----===//

#include "Parsing.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// sync.set, sync.wait
//===----------------------------------------------------------------------===//

/// `1` or `%i`, and where `: T` follows, `%i` of that type.
static ParseResult parseSemaphoreId(OpAsmParser &parser, OperationState &result) {
  int64_t id;
  OptionalParseResult literal = parser.parseOptionalInteger(id);
  if (literal.has_value()) {
    if (failed(*literal))
      return failure();
    result.addAttribute("static_id", parser.getBuilder().getI64IntegerAttr(id));
    return parser.parseOptionalAttrDict(result.attributes);
  }
  OpAsmParser::UnresolvedOperand operand;
  SmallVector<Type> types = {parser.getBuilder().getIndexType()};
  if (parser.parseOperand(operand))
    return failure();
  if (succeeded(parser.parseOptionalComma()))
    return parser.emitError(parser.getNameLoc()) << "`" << result.name.getStringRef() << "` takes a pipe and one event";
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  // Some programs give the pipe a type, too.
  if (succeeded(parser.parseOptionalColon())) {
    types.clear();
    if (parseTypes(parser, types))
      return failure();
  }
  return parser.resolveOperand(operand, types.front(), result.operands);
}

/// `<PIPE_X>, 1` or `<PIPE_X>, %i`
static ParseResult parseSemaphore(OpAsmParser &parser, OperationState &result) {
  PipeAttr pipe;
  if (parsePipeOperand(parser, pipe) || parser.parseComma())
    return failure();
  result.addAttribute("target", pipe);
  return parseSemaphoreId(parser, result);
}

static void printSemaphore(OpAsmPrinter &printer, Operation *op) {
  printer << " " << op->getAttr("target") << ", ";
  if (op->getNumOperands())
    printer << op->getOperand(0);
  else
    printer << op->getAttrOfType<IntegerAttr>("static_id").getInt();
  printer.printOptionalAttrDict(op->getAttrs(), {"target", "static_id"});
  if (op->getNumOperands() && !op->getOperand(0).getType().isIndex())
    printer << " : " << op->getOperand(0).getType();
}

template <typename Op> static LogicalResult verifySemaphore(Op op) {
  if (!op.getId() && !op.getStaticId())
    return breaks(op, "S6") << "it names no semaphore";
  if (op.getId() && op.getStaticId())
    return breaks(op, "S6") << "it names a semaphore twice";
  constexpr bool between = std::is_same_v<Op, SetCrossBlockOp> || std::is_same_v<Op, WaitCrossBlockOp>;
  auto id = int64_t(op.getStaticId().value_or(0));
  if (id < 0 || id > (between ? 15 : 31))
    return breaks(op, "S6") << (between ? "id " : "semaphore id ") << id << " is outside 0 to " << (between ? 15 : 31);
  if (Attribute mode = op->getAttr("ffts_mode")) {
    auto number = dyn_cast<IntegerAttr>(mode);
    if (!number || number.getValue().ugt(2))
      return breaks(op, "S6") << "ffts_mode is " << mode << "; the modes are 0, 1 and 2";
  }
  return success();
}
LogicalResult SyncSetOp::verify() { return verifySemaphore(*this); }
LogicalResult SyncWaitOp::verify() { return verifySemaphore(*this); }
LogicalResult SetCrossBlockOp::verify() { return verifySemaphore(*this); }
LogicalResult WaitCrossBlockOp::verify() { return verifySemaphore(*this); }

//===----------------------------------------------------------------------===//
// The documented names
//===----------------------------------------------------------------------===//

/// One or two i64 operands with one or two types.
static ParseResult parseWords(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseTypes(parser, types))
    return failure();
  if (operands.empty() || operands.size() > 2)
    return parser.emitError(loc) << "`" << result.name.getStringRef() << "` takes a block or core and an event, got "
                                 << operands.size() << " operands";
  types.resize(operands.size(), types.front());
  return parser.resolveOperands(operands, types, loc, result.operands);
}

static ParseResult parseIntra(OpAsmParser &parser, OperationState &result) {
  PipeAttr pipe;
  OptionalParseResult named = parseOptionalPipeOperand(parser, pipe);
  if (!named.has_value())
    return parseWords(parser, result);
  if (failed(*named) || parser.parseComma())
    return failure();
  result.addAttribute("target", pipe);
  return parseSemaphoreId(parser, result);
}

static void printWords(OpAsmPrinter &printer, Operation *op) {
  printer.printOperands(op->getOperands());
  printer.printOptionalAttrDict(op->getAttrs(), {"target"});
  printer << " : ";
  llvm::interleaveComma(op->getOperandTypes(), printer);
}

static void printIntra(OpAsmPrinter &printer, Operation *op) {
  if (op->hasAttr("target"))
    return printSemaphore(printer, op);
  printer << " ";
  printWords(printer, op);
}

static LogicalResult verifyIntra(Operation *op) {
  auto literal = op->getAttrOfType<IntegerAttr>("static_id");
  size_t expected = op->hasAttr("target") ? 1 : 2;
  if (op->getNumOperands() + bool(literal) != expected)
    return op->emitError() << quoted(op) << " takes a block and an event, or a pipe and an event";
  if (literal && (literal.getInt() < 0 || literal.getInt() > 31))
    return breaks(op, "S6") << "semaphore id " << literal.getInt() << " is outside 0 to 31";
  return success();
}
LogicalResult SetIntraBlockOp::verify() { return verifyIntra(*this); }
LogicalResult WaitIntraCoreOp::verify() { return verifyIntra(*this); }

static ParseResult parseCrossCore(OpAsmParser &parser, OperationState &result) { return parseWords(parser, result); }

static void printCrossCore(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printWords(printer, op);
}

static LogicalResult verifyCrossCore(Operation *op) {
  if (op->getNumOperands() == 1 || op->getNumOperands() == 2)
    return success();
  return op->emitError() << quoted(op) << " takes an event, or a core and an event";
}
LogicalResult SetCrossCoreOp::verify() { return verifyCrossCore(*this); }
LogicalResult WaitFlagDevOp::verify() { return verifyCrossCore(*this); }

//===----------------------------------------------------------------------===//
// syncall
//===----------------------------------------------------------------------===//

static ParseResult parseSyncAll(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen())) {
    if (parser.parseOperandList(operands) || parser.parseColonTypeList(types) || parser.parseRParen())
      return failure();
  }
  SyncAllModeAttr mode;
  SyncCoreTypeAttr cores;
  if (parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) || parser.parseComma() ||
      parser.parseKeyword("core_type") || parser.parseEqual() || parser.parseAttribute(cores) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  result.addAttribute("mode", mode);
  result.addAttribute("core_type", cores);
  return success();
}

static void printSyncAll(OpAsmPrinter &printer, SyncAllOp op) {
  printer << "(";
  if (op->getNumOperands()) {
    printer.printOperands(op->getOperands());
    printer << " : ";
    llvm::interleaveComma(op->getOperandTypes(), printer);
  }
  printer << ") mode = " << op.getMode() << ", core_type = " << op.getCoreType();
  printer.printOptionalAttrDict(op->getAttrs(), {"mode", "core_type"});
}

/// Whether a work space in gm is large enough, as far as its type tells; nothing if it is none.
static std::optional<bool> isWorkspace(Type type) {
  if (auto ptr = dyn_cast<PtrType>(type)) {
    if (ptr.isResolved() && ptr.getSpace() != Space::Gm)
      return std::nullopt;
    return !ptr.getElement() || ptr.getElement().isInteger(32);
  }
  auto enough = [](auto view) {
    int64_t elements = 1;
    for (int64_t extent : view.getShape())
      elements *= ShapedType::isDynamic(extent) ? 16 : extent;
    return view.getElement().isInteger(32) && elements >= 16;
  };
  if (auto view = dyn_cast<TensorViewType>(type))
    return enough(view);
  if (auto window = dyn_cast<PartitionTensorViewType>(type))
    return enough(window);
  return std::nullopt;
}

LogicalResult SyncAllOp::verify() {
  if (getMode().getValue() == "hard") {
    if (getNumOperands())
      return breaks(*this, "S12") << "the hard form has no operands";
    return success();
  }
  StringRef cores = getCoreType().getValue();
  static constexpr Space kSpaces[] = {Space::Gm, Space::Ub, Space::L1};
  SmallVector<Space, 3> expected;
  for (Space space : kSpaces)
    if (!(space == Space::Ub && cores == "aic_only") && !(space == Space::L1 && cores == "aiv_only"))
      expected.push_back(space);
  SmallVector<Type> types(getWorkspaces().getTypes());
  if (!types.empty() && types.back().isInteger(32))
    types.pop_back();
  // One work space in gm serves every kind of core.
  if (types.size() == 1)
    if (std::optional<bool> enough = isWorkspace(types[0]))
      return *enough ? success()
                     : LogicalResult(breaks(*this, "S12")
                                     << "the work space has at least 16 i32 elements; it is " << types[0]);
  bool fits = types.size() == expected.size();
  for (auto [type, space] : llvm::zip(types, expected)) {
    auto ptr = dyn_cast<PtrType>(type);
    fits = fits && ptr && (!ptr.isResolved() || ptr.getSpace() == space);
  }
  if (fits)
    return success();
  InFlightDiagnostic diag = breaks(*this, "S12") << "the soft form takes a work space in gm; in the older form that of "
                                                 << cores << " takes ";
  llvm::interleaveComma(expected, diag, [&](Space space) { diag << nameOf(space); });
  return diag << ", then at most an i32 number of cores";
}

//===----------------------------------------------------------------------===//
// set_ffts
//===----------------------------------------------------------------------===//

LogicalResult SetFftsOp::verify() {
  auto ptr = cast<PtrType>(getArea().getType());
  const InstrInfo *info = findInstr("set_ffts");
  if (!ptr.isResolved())
    return success();
  if (ptr.getSpace() != Space::Gm || !ptr.getElement() || !info->takesElement(elementName(ptr.getElement())))
    return breaks(*this, "S15") << "the area is in gm and has elements of type " << info->elements << "; it is " << ptr;
  return success();
}

#include "ptoscope/Dialect/PTO/ClusterOps.defs.inc"
