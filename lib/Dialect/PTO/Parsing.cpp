//===- Parsing.cpp - text shared by the instruction families --------------===//

#include "Parsing.h"

#include "ptoscope/Dialect/PTO/VmiTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ptoscope::pto {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::optional<Pipe> parsePipe(StringRef word) {
  return llvm::StringSwitch<std::optional<Pipe>>(word)
      .Case("PIPE_S", Pipe::S)
      .Case("PIPE_V", Pipe::V)
      .Cases("PIPE_M", "PIPE_CUBE", Pipe::M)
      .Case("PIPE_MTE1", Pipe::MTE1)
      .Case("PIPE_MTE2", Pipe::MTE2)
      .Case("PIPE_MTE3", Pipe::MTE3)
      .Case("PIPE_ALL", Pipe::All)
      .Case("PIPE_MTE4", Pipe::MTE4)
      .Case("PIPE_MTE5", Pipe::MTE5)
      .Case("PIPE_V2", Pipe::V2)
      .Cases("PIPE_FIX", "PIPE_FIXP", Pipe::FIX)
      .Default(std::nullopt);
}

/// Tile-level event types stand for pipes (FLAG-12).
static std::optional<Pipe> pipeOfEventType(StringRef word) {
  return llvm::StringSwitch<std::optional<Pipe>>(word)
      .Case("TLOAD", Pipe::MTE2)
      .Case("TSTORE_VEC", Pipe::MTE3)
      .Cases("TSTORE_ACC", "TMOV_M2S", "TMOV_V2M", Pipe::FIX)
      .Cases("TMOV_M2L", "TMOV_M2B", Pipe::MTE1)
      .Cases("TMOV_M2V", "TVEC", "TVECWAIT_EVENT", Pipe::V)
      .Case("TMATMUL", Pipe::M)
      .Default(std::nullopt);
}

std::optional<Space> parseSpace(StringRef word) {
  return llvm::StringSwitch<std::optional<Space>>(word)
      .Case("gm", Space::Gm)
      .Cases("l1", "mat", Space::L1)
      .Cases("l0a", "left", Space::L0A)
      .Cases("l0b", "right", Space::L0B)
      .Cases("l0c", "acc", Space::L0C)
      .Cases("ub", "vec", Space::Ub)
      .Cases("bt", "bias", Space::Bt)
      .Cases("fb", "scaling", Space::Fb)
      .Default(std::nullopt);
}

std::optional<Fence> parseFence(StringRef word) {
  for (unsigned i = 0; i <= unsigned(Fence::ST_ST); ++i)
    if (word == StringRef(nameOf(Fence(i))))
      return Fence(i);
  return std::nullopt;
}

Domain domainOf(StringRef word) {
  return llvm::StringSwitch<Domain>(word).Case("DDR", Domain::Gm).Case("UB", Domain::Ub).Default(Domain::All);
}

ParseResult parseWord(AsmParser &parser, StringRef mnemonic, ArrayRef<StringRef> words, std::string &word) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  bool bracket = succeeded(parser.parseOptionalLess()); // not in `#pto<cmp lt>`
  if (parser.parseKeywordOrString(&word) || (bracket && parser.parseGreater()))
    return failure();
  if (words.front().empty() || llvm::is_contained(words, StringRef(word)))
    return success();
  return parser.emitError(loc) << "`#pto." << mnemonic << "<" << word << ">`: the word must be one of "
                               << llvm::join(words, ", ");
}

OptionalParseResult parseOptionalPipeOperand(AsmParser &parser, PipeAttr &pipe) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (succeeded(parser.parseOptionalString(&word))) {
    // "PIPE_X"
  } else if (succeeded(parser.parseOptionalLess())) {
    if (parser.parseKeywordOrString(&word) || parser.parseGreater())
      return failure();
  } else {
    Attribute attr;
    OptionalParseResult result = parser.parseOptionalAttribute(attr);
    if (!result.has_value())
      return std::nullopt;
    if (failed(*result))
      return failure();
    if ((pipe = dyn_cast<PipeAttr>(attr)))
      return success();
    if (auto type = dyn_cast<PipeEventTypeAttr>(attr))
      word = type.getValue().str();
    else if (auto type = dyn_cast<SyncOpTypeAttr>(attr))
      word = type.getValue().str();
    else
      return ParseResult(parser.emitError(loc) << "expected a pipe, got " << attr);
    std::optional<Pipe> mapped = pipeOfEventType(word);
    if (!mapped)
      return ParseResult(parser.emitError(loc) << "unknown event type `" << word << "`");
    pipe = PipeAttr::get(parser.getContext(), *mapped);
    return success();
  }
  std::optional<Pipe> parsed = parsePipe(word);
  if (!parsed)
    parsed = pipeOfEventType(word);
  if (!parsed)
    return ParseResult(parser.emitError(loc) << "unknown pipe `" << word
                                             << "` (S1); the pipes are PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, "
                                                "PIPE_MTE3, PIPE_FIX, PIPE_ALL");
  pipe = PipeAttr::get(parser.getContext(), *parsed);
  return success();
}

ParseResult parsePipeOperand(AsmParser &parser, PipeAttr &pipe) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult result = parseOptionalPipeOperand(parser, pipe);
  if (!result.has_value())
    return parser.emitError(loc) << "expected a pipe, such as \"PIPE_V\" or #pto.pipe<PIPE_V>";
  return *result;
}

ParseResult parseWordOperand(AsmParser &parser, StringRef what, std::string &word, Type *behind) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalString(&word)))
    return success();
  if (succeeded(parser.parseOptionalLess()))
    return failure(parser.parseKeywordOrString(&word) || parser.parseGreater());
  Attribute attr;
  OptionalParseResult result = parser.parseOptionalAttribute(attr);
  if (!result.has_value())
    return parser.emitError(loc) << "expected " << what;
  if (failed(*result))
    return failure();
  if (auto typed = dyn_cast<ArrayAttr>(attr); typed && behind && typed.size() == 2)
    if (auto type = dyn_cast<TypeAttr>(typed[1])) {
      attr = typed[0];
      *behind = type.getValue();
    }
  if (auto event = dyn_cast<EventAttr>(attr))
    word = event.getValue().str();
  else if (auto membar = dyn_cast<MembarAttr>(attr))
    word = membar.getValue().str();
  else if (auto mode = dyn_cast<ModeAttr>(attr))
    word = mode.getValue().str();
  else
    return parser.emitError(loc) << "expected " << what << ", got " << attr;
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `u8` to `u64` occur for `ui8` to `ui64`.
static OptionalParseResult parseOptionalUnsigned(AsmParser &parser, Type &type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  for (auto [word, width] : {std::pair("u8", 8u), {"u16", 16u}, {"u32", 32u}, {"u64", 64u}})
    if (succeeded(parser.parseOptionalKeyword(word))) {
      remarkLoose(parser, loc, Twine("`") + word + "` is taken as `ui" + Twine(width) + "`");
      type = IntegerType::get(parser.getContext(), width, IntegerType::Unsigned);
      return success();
    }
  return std::nullopt;
}

ParseResult parseElement(AsmParser &parser, Type &element) {
  OptionalParseResult unsignedWord = parseOptionalUnsigned(parser, element);
  return unsignedWord.has_value() ? *unsignedWord : parser.parseType(element);
}

ParseResult parseTypeOrPtr(AsmParser &parser, Type &type) {
  // `<T, space>` without the mnemonic is how some tools print a pointer.
  OptionalParseResult result = parser.parseOptionalType(type);
  if (result.has_value())
    return *result;
  if (OptionalParseResult unsignedWord = parseOptionalUnsigned(parser, type); unsignedWord.has_value())
    return *unsignedWord;
  llvm::SMLoc loc = parser.getCurrentLocation();
  type = PtrType::parseBody(parser);
  if (type)
    remarkLoose(parser, loc, "a pointer type without `!pto.ptr`");
  return failure(!type);
}

ParseResult parseTypes(AsmParser &parser, SmallVectorImpl<Type> &types) {
  auto one = [&] { return parseTypeOrPtr(parser, types.emplace_back()); };
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen())) {
    if (succeeded(parser.parseOptionalRParen()))
      return success();
    remarkLoose(parser, loc, "types of an instruction stand without parentheses");
    return failure(parser.parseCommaSeparatedList(one) || parser.parseRParen());
  }
  return parser.parseCommaSeparatedList(one);
}

Type resolveMask(Type type, unsigned bytes) {
  auto mask = dyn_cast<MaskType>(type);
  return mask && mask.getBytes() == 0 ? MaskType::get(type.getContext(), bytes) : type;
}

unsigned bitsOf(Type element) {
  if (!element)
    return 0;
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth();
  if (auto floating = dyn_cast<FloatType>(element))
    return floating.getWidth();
  return isa<Hif8Type, F8E8M0Type, F4E1M2x2Type, F4E2M1x2Type>(element) ? 8
         : isa<Hif8x2Type>(element)                                     ? 16
         : isa<BF16x2Type>(element)                                     ? 32
                                                                        : 0;
}

std::string elementName(Type element) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto integer = dyn_cast<IntegerType>(element))
    out << (integer.isUnsigned() ? "u" : "i") << integer.getWidth();
  else
    out << element;
  return llvm::StringSwitch<std::string>(text)
      .Case("f8E4M3FN", "e4m3")
      .Case("f8E5M2", "e5m2")
      .Case("!pto.hif8", "hif8")
      .Case("!pto.f4E1M2x2", "e1m2x2")
      .Case("!pto.f4E2M1x2", "e2m1x2")
      .Case("!pto.f8E8M0", "f8E8M0")
      .Case("!pto.hif8x2", "hif8x2")
      .Case("!pto.bf16x2", "bf16x2")
      .Default(text);
}

Value lastMask(Operation *op) {
  if (auto sum = dyn_cast<VaddcsOp>(op))
    return sum.getMask();
  if (auto difference = dyn_cast<VsubcsOp>(op))
    return difference.getMask();
  for (Value operand : llvm::reverse(op->getOperands()))
    if (isa<MaskType>(operand.getType()))
      return operand;
  return {};
}

bool isVectorValue(Type type) { return isa<VRegType, MaskType, AlignType, VmiVRegType, VmiMaskType>(type); }

bool isVectorOp(Operation *op) {
  return isa<MemBarOp, SprclrOp, SprstiOp, SprstsOp>(op) ||
         (isa_and_nonnull<PTODialect>(op->getDialect()) &&
          (llvm::any_of(op->getOperandTypes(), isVectorValue) || llvm::any_of(op->getResultTypes(), isVectorValue)));
}

bool isScope(Operation *op) {
  return isa<VecScopeOp, StrictVecScopeOp>(op) || (isa<scf::ForOp>(op) && op->hasAttr(kScopeLoopAttr));
}

Operation *scopeAround(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isScope(parent))
      return parent;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

InFlightDiagnostic emitCoded(InFlightDiagnostic diag, StringRef code) {
  diag << "[" << code << "] ";
  return diag;
}

std::pair<std::string, std::string> splitCode(StringRef message) {
  if (message.starts_with("[")) {
    size_t close = message.find("] ");
    if (close != StringRef::npos)
      return {message.substr(1, close - 1).str(), message.substr(close + 2).str()};
  }
  return {"", message.str()};
}

void remarkLoose(AsmParser &parser, llvm::SMLoc loc, const Twine &message) {
  emitCoded(mlir::emitRemark(parser.getEncodedSourceLoc(loc)), "loose-spelling") << message;
}

void remarkOlder(AsmParser &parser, llvm::SMLoc loc, const Twine &message) {
  emitCoded(mlir::emitRemark(parser.getEncodedSourceLoc(loc)), "older-form") << message;
}

std::string quoted(Operation *op) { return "`" + op->getName().getStringRef().str() + "`"; }

InFlightDiagnostic breaks(Operation *op, StringRef label, StringRef code) {
  InFlightDiagnostic diag = op->emitError();
  if (!code.empty())
    diag << "[" << code << "] ";
  diag << quoted(op) << " breaks " << label << ": ";
  return diag;
}

LogicalResult verifyElement(Operation *op, Type element, StringRef label) {
  const InstrInfo *info = findInstr(op->getName().stripDialect());
  if (info->takesElement(elementName(element)))
    return success();
  return breaks(op, label) << "it does not take " << element << " elements, only " << info->elements;
}

LogicalResult verifyMask(Operation *op, Value mask, VRegType vreg, StringRef label) {
  if (!mask)
    return success();
  unsigned bytes = std::min(vreg.getElementBytes(), 4u); // 64-bit lanes are governed by b32 masks
  unsigned given = cast<MaskType>(mask.getType()).getBytes();
  if (given == bytes)
    return success();
  return breaks(op, label, "mask-granularity")
         << "the mask is " << mask.getType() << ", but " << vreg << " needs `!pto.mask<b" << bytes * 8 << ">`";
}

unsigned granularityOfStore(StringRef dist) {
  return llvm::StringSwitch<unsigned>(dist)
      .Cases("PK_B16", "MRG2CHN_B8", 2)
      .Cases("PK_B32", "PK_B64", "PK4_B32", "MRG4CHN_B8", "MRG2CHN_B16", 4)
      .Default(0);
}

unsigned maskBytesOf(StringRef name, StringRef dist, TypeRange operands, TypeRange results) {
  for (auto [suffix, bytes] : {std::pair("_b8", 1u), {"_b16", 2u}, {"_b32", 4u}})
    if (name.ends_with(suffix))
      return bytes;
  if (name == "pto.vgatherb")
    return 4;
  if (unsigned bytes = name == "pto.vsts" ? granularityOfStore(dist) : 0)
    return bytes;
  // The wider of data and index, which share a slot; else the last register
  // operand, which is the one that is read lane by lane, or the result.
  bool widest = name.starts_with("pto.vgather2") || name == "pto.vscatter";
  unsigned bytes = 0;
  auto consider = [&](Type type) {
    auto vreg = dyn_cast<VRegType>(type);
    if (unsigned own = vreg ? std::min(vreg.getElementBytes(), 4u) : 0)
      bytes = widest ? std::max(bytes, own) : own;
  };
  llvm::for_each(operands, consider);
  if (!bytes || widest)
    llvm::for_each(results, consider);
  if (bytes || name == "pto.pbitcast")
    return bytes;
  for (TypeRange list : {operands, results})
    for (Type type : list)
      if (auto mask = dyn_cast<MaskType>(type); mask && mask.getBytes())
        return mask.getBytes();
  return 0;
}

LogicalResult verifyUb(Operation *op, Value pointer, StringRef label) {
  auto ptr = cast<PtrType>(pointer.getType());
  if (!ptr.isResolved() || ptr.getSpace() == Space::Ub)
    return success();
  return breaks(op, label, "not-ub") << "the pointer must address ub, it is " << ptr;
}

LogicalResult verifyNext(Operation *op, Value base, Value next, StringRef label) {
  if (!next || next.getType() == base.getType())
    return success();
  return breaks(op, label, "post-update-type")
         << "the pointer result is " << next.getType() << ", the base is " << base.getType();
}

LogicalResult verifyAccess(Operation *op, Value base, Value next, VRegType vreg, StringRef postLabel) {
  if (failed(verifyUb(op, base)))
    return failure();
  auto ptr = cast<PtrType>(base.getType());
  if (vreg && ptr.getElement() && ptr.getElementBytes() != vreg.getElementBytes())
    return breaks(op, "ADDR-1", "ptr-vreg-type-mismatch")
           << "pointer elements have " << ptr.getElementBytes() << " bytes, register elements "
           << vreg.getElementBytes() << " (" << ptr << " and " << vreg << ")";
  if (failed(verifyNext(op, base, next, postLabel)))
    return failure();
  return vreg ? verifyElement(op, vreg.getElement(), "LANE-2") : success();
}

LogicalResult verifyWord(Operation *op, StringRef what, StringRef word, ArrayRef<StringRef> words, StringRef label,
                         StringRef code) {
  if (llvm::is_contained(words, word))
    return success();
  return breaks(op, label, code) << "unknown " << what << " \"" << word << "\"; it is one of "
                                 << llvm::join(words, ", ");
}

} // namespace ptoscope::pto
