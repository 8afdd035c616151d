//===- SyncOps.cpp - flags, barriers, buffer ids, fences ------------------===//

#include "Parsing.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static void printPipe(OpAsmPrinter &printer, PipeAttr pipe) { printer << "\"" << nameOf(pipe.getValue()) << "\""; }

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

/// The number in EVENT_IDn; nothing for a symbolic name.
static std::optional<uint64_t> eventNumber(StringRef name) {
  if (!name.consume_front("EVENT_ID") || name.empty() || !llvm::all_of(name, llvm::isDigit))
    return std::nullopt;
  uint64_t id;
  return name.getAsInteger(10, id) ? UINT64_MAX : id; // too large for any number is out of range too
}

static ParseResult parsePipePair(OpAsmParser &parser, OperationState &result) {
  PipeAttr src, dst;
  if (parser.parseLSquare() || parsePipeOperand(parser, src) || parser.parseComma() || parsePipeOperand(parser, dst) ||
      parser.parseComma())
    return failure();
  result.addAttribute("src", src);
  result.addAttribute("dst", dst);
  return success();
}

static ParseResult parseFlag(OpAsmParser &parser, OperationState &result) {
  std::string event;
  if (parsePipePair(parser, result))
    return failure();
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseWordOperand(parser, "an event id, such as \"EVENT_ID0\"", event) || parser.parseRSquare() ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (StringRef(event).contains('{'))
    return parser.emitError(loc) << "event name \"" << event << "\" depends on a loop variable; use `"
                                 << result.name.getStringRef() << "_dyn` with an index operand";
  std::optional<uint64_t> id = eventNumber(event);
  if (id && *id >= uint64_t(kEventIds))
    return parser.emitError(loc) << "`" << result.name.getStringRef() << "` breaks S3: " << event
                                 << " does not exist, the event ids of a pipe pair are EVENT_ID0 to EVENT_ID7";
  if (id)
    result.addAttribute("id", parser.getBuilder().getI64IntegerAttr(int64_t(*id)));
  else
    remarkLoose(parser, loc,
                "symbolic event name \"" + Twine(event) + "\" is mapped to a free event id of the pipe pair");
  result.addAttribute("event", parser.getBuilder().getStringAttr(event));
  return success();
}

static void printFlag(OpAsmPrinter &printer, Operation *op) {
  printer << "[";
  printPipe(printer, op->getAttrOfType<PipeAttr>("src"));
  printer << ", ";
  printPipe(printer, op->getAttrOfType<PipeAttr>("dst"));
  printer << ", " << op->getAttr("event") << "]";
  printer.printOptionalAttrDict(op->getAttrs(), {"src", "dst", "event", "id"});
}

static ParseResult parseFlagDyn(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand id;
  return failure(parsePipePair(parser, result) || parser.parseOperand(id) || parser.parseRSquare() ||
                 parser.parseOptionalAttrDict(result.attributes) ||
                 parser.resolveOperand(id, parser.getBuilder().getIndexType(), result.operands));
}

static void printFlagDyn(OpAsmPrinter &printer, Operation *op) {
  printer << "[";
  printPipe(printer, op->getAttrOfType<PipeAttr>("src"));
  printer << ", ";
  printPipe(printer, op->getAttrOfType<PipeAttr>("dst"));
  printer << ", " << op->getOperand(0) << "]";
  printer.printOptionalAttrDict(op->getAttrs(), {"src", "dst"});
}

static LogicalResult verifyFlag(Operation *op, PipeAttr src, PipeAttr dst) {
  if (src.getValue() == Pipe::All || dst.getValue() == Pipe::All)
    return breaks(op, "S2")
           << "PIPE_ALL cannot signal or wait; name the pipe, or use `pto.barrier #pto.pipe<PIPE_ALL>`";
  if (src == dst)
    return breaks(op, "S2") << "source and destination are both " << nameOf(src.getValue())
                            << "; order a pipe against itself with `pto.pipe_barrier \"" << nameOf(src.getValue())
                            << "\"`";
  return success();
}
LogicalResult SetFlagOp::verify() { return verifyFlag(*this, getSrc(), getDst()); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this, getSrc(), getDst()); }
LogicalResult SetFlagDynOp::verify() { return verifyFlag(*this, getSrc(), getDst()); }
LogicalResult WaitFlagDynOp::verify() { return verifyFlag(*this, getSrc(), getDst()); }

//===----------------------------------------------------------------------===//
// Event-id arrays
//===----------------------------------------------------------------------===//

// An array lives where it was declared: one that loops carry or calls pass on
// would need an identity of its own.
LogicalResult DeclareEventIdArrayOp::verify() {
  for (Operation *user : getArray().getUsers())
    if (!isa<EventIdArrayGetOp, EventIdArraySetOp>(user)) {
      InFlightDiagnostic diag = breaks(*this, "S13")
                                << "only `pto.eventid_array_get` and `pto.eventid_array_set` use an event-id array";
      diag.attachNote(user->getLoc()) << "it is passed on here";
      return diag;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static ParseResult parseBarrier(OpAsmParser &parser, OperationState &result) {
  PipeAttr pipe;
  bool bracket = succeeded(parser.parseOptionalLSquare()); // `barrier_sync[TYPE]`
  if (parsePipeOperand(parser, pipe) || (bracket && parser.parseRSquare()) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addAttribute("target", pipe);
  return success();
}

static void printBarrier(OpAsmPrinter &printer, BarrierOp op) {
  printer << " " << op.getTarget();
  printer.printOptionalAttrDict(op->getAttrs(), {"target"});
}

LogicalResult BarrierOp::verify() { return success(); }

//===----------------------------------------------------------------------===//
// Buffer ids
//===----------------------------------------------------------------------===//

namespace {
/// An id or mode: a literal or an operand.
struct BufWord {
  std::optional<int64_t> literal;
  std::optional<OpAsmParser::UnresolvedOperand> operand;
  bool present() const { return literal || operand; }
};
} // namespace

static ParseResult parseBufWord(OpAsmParser &parser, BufWord &word) {
  int64_t literal;
  OptionalParseResult number = parser.parseOptionalInteger(literal);
  if (number.has_value()) {
    word.literal = literal;
    return *number;
  }
  return parser.parseOperand(word.operand.emplace());
}

/// All spellings of docs/isa/03-sync.md, 5.
static ParseResult parseBuf(OpAsmParser &parser, OperationState &result) {
  PipeAttr pipe;
  BufWord id, mode;
  auto optionalMode = [&]() -> ParseResult {
    return succeeded(parser.parseOptionalComma()) ? parseBufWord(parser, mode) : success();
  };
  if (succeeded(parser.parseOptionalLSquare())) {
    if (parsePipeOperand(parser, pipe) || parser.parseComma() || parseBufWord(parser, id) || optionalMode() ||
        parser.parseRSquare())
      return failure();
  } else {
    OptionalParseResult first = parseOptionalPipeOperand(parser, pipe);
    if (first.has_value()) {
      if (failed(*first) || parser.parseComma() || parseBufWord(parser, id) || optionalMode())
        return failure();
    } else {
      llvm::SMLoc loc = parser.getCurrentLocation();
      if (parseBufWord(parser, id))
        return failure();
      if (succeeded(parser.parseOptionalLSquare()))
        return parser.emitError(loc) << "a buffer id takes no index; compute it with `arith` and pass the result";
      if (parser.parseComma() || parsePipeOperand(parser, pipe) || optionalMode())
        return failure();
      remarkLoose(parser, loc, "the buffer id stands before the pipe");
    }
  }
  SmallVector<Type> types;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      (succeeded(parser.parseOptionalColon()) && parseTypes(parser, types)))
    return failure();
  Type i64 = parser.getBuilder().getI64Type();
  size_t next = 0;
  auto resolve = [&](BufWord &word, StringRef name) -> ParseResult {
    if (word.literal)
      result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(*word.literal));
    if (!word.operand)
      return success();
    Type type = next < types.size() ? types[next] : i64;
    ++next;
    return parser.resolveOperand(*word.operand, type, result.operands);
  };
  if (resolve(id, "static_id") || resolve(mode, "static_mode"))
    return failure();
  result.addAttribute("target", pipe);
  result.addAttribute(GetBufOp::getOperandSegmentSizeAttr(),
                      parser.getBuilder().getDenseI32ArrayAttr({id.operand.has_value(), mode.operand.has_value()}));
  return success();
}

template <typename Op> static void printBufOp(OpAsmPrinter &printer, Op op) {
  printer << " ";
  printPipe(printer, op.getTarget());
  auto word = [&](Value operand, std::optional<int64_t> literal, int64_t fallback) {
    printer << ", ";
    if (operand)
      printer << operand;
    else
      printer << literal.value_or(fallback);
  };
  word(op.getId(), op.getStaticId(), 0);
  word(op.getMode(), op.getStaticMode(), 0);
  printer.printOptionalAttrDict(op->getAttrs(),
                                {"target", "static_id", "static_mode", Op::getOperandSegmentSizeAttr()});
  if (op->getNumOperands()) {
    printer << " : ";
    llvm::interleaveComma(op->getOperandTypes(), printer);
  }
}
/// `"PIPE_X", %id[, mode]`, or the same in brackets; the id is an index.
static ParseResult parseBufDyn(OpAsmParser &parser, OperationState &result) {
  PipeAttr pipe;
  OpAsmParser::UnresolvedOperand id;
  BufWord mode;
  Type modeType = parser.getBuilder().getI64Type();
  bool bracket = succeeded(parser.parseOptionalLSquare());
  if (parsePipeOperand(parser, pipe) || parser.parseComma() || parser.parseOperand(id) ||
      (succeeded(parser.parseOptionalComma()) && parseBufWord(parser, mode)) || (bracket && parser.parseRSquare()) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      (mode.operand && succeeded(parser.parseOptionalColon()) && parser.parseType(modeType)) ||
      parser.resolveOperand(id, parser.getBuilder().getIndexType(), result.operands) ||
      (mode.operand && parser.resolveOperand(*mode.operand, modeType, result.operands)))
    return failure();
  if (mode.literal)
    result.addAttribute("static_mode", parser.getBuilder().getI64IntegerAttr(*mode.literal));
  result.addAttribute("target", pipe);
  return success();
}

template <typename Op> static void printBufDyn(OpAsmPrinter &printer, Op op) {
  printer << " ";
  printPipe(printer, op.getTarget());
  printer << ", " << op.getId() << ", ";
  if (op.getMode())
    printer << op.getMode();
  else
    printer << op.getStaticMode().value_or(0);
  printer.printOptionalAttrDict(op->getAttrs(), {"target", "static_mode"});
  if (op.getMode())
    printer << " : " << op.getMode().getType();
}

static void printBuf(OpAsmPrinter &printer, GetBufOp op) { printBufOp(printer, op); }
static void printBuf(OpAsmPrinter &printer, RlsBufOp op) { printBufOp(printer, op); }

template <typename Op> static LogicalResult verifyBuf(Op op) {
  if (op.getTarget().getValue() == Pipe::All || op.getTarget().getValue() == Pipe::S)
    return breaks(op, "S4") << "a buffer is taken and released by a concrete pipe, not "
                            << nameOf(op.getTarget().getValue());
  if constexpr (requires { op.getStaticId(); })
    if (auto id = int64_t(op.getStaticId().value_or(0)); id < 0 || id >= kBufferIds)
      return breaks(op, "S4") << "buffer id " << id << " is outside 0 to 31";
  auto mode = int64_t(op.getStaticMode().value_or(0));
  if (mode != 0 && mode != 1)
    return breaks(op, "S4") << "mode " << mode << " does not exist; it is 0 or 1";
  return success();
}
LogicalResult GetBufOp::verify() { return verifyBuf(*this); }
LogicalResult RlsBufOp::verify() { return verifyBuf(*this); }
LogicalResult GetBufDynOp::verify() { return verifyBuf(*this); }
LogicalResult RlsBufDynOp::verify() { return verifyBuf(*this); }

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static ParseResult parseMemBar(OpAsmParser &parser, OperationState &result) {
  std::string kind;
  if (parseWordOperand(parser, "a barrier type, such as \"VST_VLD\"", kind) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addAttribute("kind", parser.getBuilder().getStringAttr(kind));
  return success();
}

static void printMemBar(OpAsmPrinter &printer, MemBarOp op) {
  printer << " " << op.getKindAttr();
  printer.printOptionalAttrDict(op->getAttrs(), {"kind"});
}

LogicalResult MemBarOp::verify() {
  if (parseFence(getKind()))
    return success();
  InFlightDiagnostic diag = emitError() << quoted(*this) << ": unknown barrier type \"" << getKind()
                                        << "\"; the types are ";
  for (unsigned i = 0; i <= unsigned(Fence::ST_ST); ++i)
    diag << (i ? ", " : "") << nameOf(Fence(i));
  return diag;
}

//===----------------------------------------------------------------------===//
// Memory as a whole, and the cache of the scalar unit
//===----------------------------------------------------------------------===//

/// A word as the attribute `name`: "WORD", <WORD> or #pto.<mnemonic><WORD>.
static ParseResult parseWordInto(OpAsmParser &parser, OperationState &result, StringRef what, StringRef name,
                                 Type *behind = nullptr) {
  std::string word;
  if (parseWordOperand(parser, what, word, behind))
    return failure();
  if (name == "dst" && !StringRef(word).starts_with("CACHELINE_"))
    word.insert(0, "CACHELINE_"); // some texts list them without (CACHE-4)
  result.addAttribute(name, parser.getBuilder().getStringAttr(word));
  return success();
}

static ParseResult parseDsb(OpAsmParser &parser, OperationState &result) {
  return failure(parseWordInto(parser, result, "a memory, such as \"DDR\"", "memory") ||
                 parser.parseOptionalAttrDict(result.attributes));
}
static void printDsb(OpAsmPrinter &printer, DsbOp op) {
  printer << " " << op.getMemoryAttr();
  printer.printOptionalAttrDict(op->getAttrs(), {"memory"});
}
LogicalResult DsbOp::verify() { return verifyWord(*this, "memory", getMemory(), {"ALL", "DDR", "UB", "SEQ"}, "DSB-1"); }

/// `%p "LINES"[, "TARGET"] : TYPE`; some texts have a comma behind the pointer.
static ParseResult parseDcci(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ptr;
  Type type;
  if (parser.parseOperand(ptr))
    return failure();
  (void)parser.parseOptionalComma();
  if (parseWordInto(parser, result, "lines, such as \"SINGLE_CACHE_LINE\"", "lines", &type) ||
      (!type && succeeded(parser.parseOptionalComma()) &&
       parseWordInto(parser, result, "a target, such as \"CACHELINE_OUT\"", "dst", &type)))
    return failure();
  if (!type && (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTypeOrPtr(parser, type)))
    return failure();
  return parser.resolveOperand(ptr, type, result.operands);
}
static void printDcci(OpAsmPrinter &printer, DcciOp op) {
  printer << " " << op.getPtr() << " " << op.getLinesAttr();
  if (op.getDst())
    printer << ", " << op.getDstAttr();
  printer.printOptionalAttrDict(op->getAttrs(), {"lines", "dst"});
  printer << " : " << op.getPtr().getType();
}
LogicalResult DcciOp::verify() {
  auto ptr = cast<PtrType>(getPtr().getType());
  if (ptr.isResolved() && ptr.getSpace() != Space::Gm && ptr.getSpace() != Space::Ub)
    return breaks(*this, "CACHE-3") << "the pointer is in gm or ub; it is " << ptr;
  return failure(
      failed(verifyWord(*this, "extent", getLines(), {"SINGLE_CACHE_LINE", "ENTIRE_DATA_CACHE"}, "CACHE-4")) ||
      failed(verifyWord(*this, "target", getDst().value_or("CACHELINE_ALL"),
                        {"CACHELINE_ALL", "CACHELINE_UB", "CACHELINE_OUT", "CACHELINE_ATOMIC"}, "CACHE-4")));
}

/// `all #pto.address_space<gm>` or `%p single_cache_line : TYPE`
static ParseResult parseCmo(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand address;
  OptionalParseResult one = parser.parseOptionalOperand(address);
  if (one.has_value()) {
    Type type;
    if (failed(*one) || parser.parseKeyword("single_cache_line") || parser.parseOptionalAttrDict(result.attributes) ||
        parser.parseColon() || parseTypeOrPtr(parser, type))
      return failure();
    return parser.resolveOperand(address, type, result.operands);
  }
  AddressSpaceAttr space;
  if (parser.parseKeyword("all") || parser.parseAttribute(space) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addAttribute("space", space);
  return success();
}
static void printCmo(OpAsmPrinter &printer, CmoCacheInvalidOp op) {
  if (op.getAddress())
    printer << " " << op.getAddress() << " single_cache_line";
  else
    printer << " all " << op.getSpaceAttr();
  printer.printOptionalAttrDict(op->getAttrs(), {"space"});
  if (op.getAddress())
    printer << " : " << op.getAddress().getType();
}
LogicalResult CmoCacheInvalidOp::verify() {
  if (!getAddress()) {
    if (getSpace() && getSpace()->getValue() == "gm")
      return success();
    return breaks(*this, "CACHE-5") << "it invalidates gm, not "
                                    << (getSpace() ? getSpace()->getValue() : StringRef("nothing"));
  }
  Type type = getAddress().getType();
  auto ptr = dyn_cast<PtrType>(type);
  if (isa<TensorViewType, PartitionTensorViewType>(type) || (ptr && (!ptr.isResolved() || ptr.getSpace() == Space::Gm)))
    return success();
  return breaks(*this, "CACHE-5") << "the address is a gm pointer or a view of gm; it is " << type;
}

static ParseResult parseFenceAll(OpAsmParser &parser, OperationState &result) {
  return failure(parseWordInto(parser, result, "a scope, such as #pto.fence_scope<gm>", "scope") ||
                 parser.parseOptionalAttrDict(result.attributes));
}
static void printFenceAll(OpAsmPrinter &printer, FenceBarrierAllOp op) {
  printer << " #pto.fence_scope<" << op.getScope() << ">";
  printer.printOptionalAttrDict(op->getAttrs(), {"scope"});
}
LogicalResult FenceBarrierAllOp::verify() {
  return verifyWord(*this, "scope", getScope(), {"gm", "all", "local_memory"}, "DSB-4");
}

#include "ptoscope/Dialect/PTO/SyncOps.defs.inc"
