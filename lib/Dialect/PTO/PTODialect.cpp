//===- PTODialect.cpp - registration, types and attributes ----------------===//

#include "TileInstr.h"
#include "VmiText.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

#include "ptoscope/Dialect/PTO/PTODialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ptoscope/Dialect/PTO/PTOTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ptoscope/Dialect/PTO/PTOAttributes.cpp.inc"

// Each family registers its operations where they are defined: in one file they would take a minute to compile.
#define PTOSCOPE_FAMILY(name) void add##name(PTODialect &dialect);
namespace ptoscope::pto {
#include "ptoscope/Dialect/PTO/Families.inc"
} // namespace ptoscope::pto
#undef PTOSCOPE_FAMILY

void PTODialect::initialize() {
  registerTypes();
  registerAttributes();
  addVmiTypes(*this);
#define PTOSCOPE_FAMILY(name) add##name(*this);
#include "ptoscope/Dialect/PTO/Families.inc"
#undef PTOSCOPE_FAMILY
  addTileInstrs(*this);
  addVmiInstrs(*this);
}

void PTODialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ptoscope/Dialect/PTO/PTOTypes.cpp.inc"
      >();
}

void PTODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ptoscope/Dialect/PTO/PTOAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Names that are no operation of the dialect
//===----------------------------------------------------------------------===//

/// `pto.mi.x` is a synonym of `pto.x`.
static StringRef bareName(StringRef name) {
  name.consume_front("pto.");
  name.consume_front("mi.");
  return name;
}

const InstrInfo *ptoscope::pto::infoOf(Operation *op) {
  return isa_and_nonnull<PTODialect>(op->getDialect()) ? findInstr(op->getName().stripDialect()) : nullptr;
}

/// Another name of an instruction: parse it under its own name.
static ParseResult parseAlias(OpAsmParser &parser, OperationState &result) {
  StringRef spelled = result.name.getStringRef(), name = bareName(spelled);
  if (spelled.starts_with("pto.mi."))
    remarkLoose(parser, parser.getNameLoc(), "`" + spelled + "` is taken as `pto." + name + "`");
  const AliasInfo *alias = findAlias(name);
  result.name = OperationName(("pto." + (alias ? StringRef(alias->name) : name)).str(), parser.getContext());
  if (alias) // profiles of a name may differ from those of its instruction
    result.location = NameLoc::get(StringAttr::get(parser.getContext(), name), result.location);
  return result.name.getRegisteredInfo()->getParseAssemblyFn()(parser, result);
}

std::string ptoscope::pto::refusalOf(StringRef spelled) {
  StringRef name = bareName(spelled);
  if (const NotModelledInfo *info = findNotModelled(name)) {
    StringRef more = "`ptoscope ops` lists what is";
    if (!info->reason.empty())
      more = info->reason;
    return ("[not-modelled] `pto." + spelled + "` (" + info->category + ") is not modelled; " + more).str();
  }
  const StringRef nearest = nearestName(name);
  const std::string more =
      nearest.empty() ? "`ptoscope ops` lists the names" : "the nearest name is `pto." + nearest.str() + "`";
  return ("[unknown-instruction] unknown instruction `pto." + spelled + "`; " + more).str();
}

static ParseResult refuseName(OpAsmParser &parser, OperationState &result) {
  StringRef spelled = result.name.getStringRef();
  spelled.consume_front("pto.");
  return parser.emitError(parser.getNameLoc()) << refusalOf(spelled);
}

// The hook is a reference to a function: it must not own anything.
std::optional<Dialect::ParseOpHook> PTODialect::getParseOperationHook(StringRef opName) const {
  StringRef name = bareName(opName);
  if (isVmiInstr(name)) // also those that print in the generic form
    return ParseOpHook(parseVmi);
  if (findInstr(name) || findAlias(name))
    return ParseOpHook(parseAlias);
  return ParseOpHook(refuseName);
}

LogicalResult PTODialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == "pto.target_arch" && !isa<StringAttr>(attr.getValue()))
    return op->emitError() << "`pto.target_arch` must be a string, one of \"a5\", \"a3\", \"a2\"";
  if (name == "pto.kernel_kind" && !isa<KernelKindAttr>(attr.getValue()))
    return op->emitError() << "`pto.kernel_kind` must be `#pto.kernel_kind<vector>` or `#pto.kernel_kind<cube>`";
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type PTODialect::parseType(DialectAsmParser &parser) const {
  StringRef mnemonic;
  Type type;
  llvm::SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult result = generatedTypeParser(parser, &mnemonic, type);
  if (result.has_value())
    return succeeded(*result) ? type : Type();
  if (OptionalParseResult vmi = parseVmiType(parser, mnemonic, type); vmi.has_value())
    return succeeded(*vmi) ? type : Type();
  if (mnemonic == "tile_view") {
    remarkLoose(parser, loc, "`!pto.tile_view` is taken as `!pto.partition_tensor_view`");
    return PartitionTensorViewType::parse(parser);
  }
  static constexpr StringLiteral known[] = {"async_session", "async_event", "prefetch_async_context"};
  if (llvm::is_contained(known, mnemonic))
    emitCoded(parser.emitError(loc), "not-modelled") << "type `!pto." << mnemonic << "` is not modelled";
  else
    parser.emitError(loc)
        << "unknown type `!pto." << mnemonic
        << "`; the types are `!pto.ptr`, `!pto.vreg`, `!pto.mask`, `!pto.align`, `!pto.eventid_array`, "
           "`!pto.tile_buf`, `!pto.multi_tile_buf`, `!pto.tensor_view`, `!pto.partition_tensor_view`, "
           "`!pto.local_array`, `!pto.pipe`, `!pto.struct`, `!pto.vmi.vreg` and `!pto.vmi.mask`";
  return {};
}

void PTODialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (failed(printVmiType(type, printer)))
    (void)generatedTypePrinter(type, printer);
}

unsigned PtrType::getElementBytes() const {
  if (!getElement())
    return 1;
  return std::max(1u, bitsOf(getElement()) / 8);
}

/// What follows the `<`.
static Type parsePtrParameters(AsmParser &parser) {
  Type element;
  if (failed(parser.parseOptionalQuestion())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parseElement(parser, element))
      return {};
    if (!bitsOf(element)) {
      parser.emitError(loc) << "pointer element " << element << " is not an integer or float type";
      return {};
    }
  }
  Space space = Space::Gm;
  if (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    AddressSpaceAttr attr;
    if (parser.parseOptionalKeyword(&word)) {
      if (parser.parseAttribute(attr))
        return {};
      word = attr.getValue();
    }
    std::optional<Space> parsed = parseSpace(word);
    if (!parsed) {
      parser.emitError(loc)
          << "unknown memory space `" << word
          << "`; the spaces are gm, ub (vec), l1 (mat), l0a (left), l0b (right), l0c (acc), bt (bias), "
             "fb (scaling)";
      return {};
    }
    space = *parsed;
  }
  if (parser.parseGreater())
    return {};
  return PtrType::get(parser.getContext(), element, space);
}

Type PtrType::parseBody(AsmParser &parser) { return parser.parseLess() ? Type() : parsePtrParameters(parser); }

// A bare `!pto.ptr` (its parameters were lost in some texts) is unresolved.
Type PtrType::parse(AsmParser &parser) {
  if (failed(parser.parseOptionalLess()))
    return PtrType::get(parser.getContext(), Type(), Space::None);
  return parsePtrParameters(parser);
}

void PtrType::print(AsmPrinter &printer) const {
  if (!isResolved())
    return;
  printer << "<";
  if (getElement())
    printer << getElement();
  else
    printer << "?";
  printer << ", " << nameOf(getSpace()) << ">";
}

Type VRegType::parse(AsmParser &parser) {
  SmallVector<int64_t, 1> dims;
  Type element;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(dims, /*allowDynamic=*/false) || parseElement(parser, element) ||
      parser.parseGreater())
    return {};
  if (dims.size() != 1) {
    parser.emitError(loc) << "a vector register is written `!pto.vreg<NxT>`, with one lane count";
    return {};
  }
  return VRegType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), dims[0], element);
}

void VRegType::print(AsmPrinter &printer) const { printer << "<" << getLanes() << "x" << getElement() << ">"; }

LogicalResult VRegType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t lanes, Type element) {
  unsigned bits = bitsOf(element);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return emitError() << "vector register element " << element << " breaks P7: it must have 8, 16, 32 or 64 bits";
  if (lanes != 2048 / int64_t(bits)) {
    std::string spelled;
    llvm::raw_string_ostream(spelled) << element;
    return emitError() << "`!pto.vreg<" << lanes << "x" << spelled
                       << ">` breaks P7: a vector register has 256 bytes, that is " << 2048 / bits << " lanes of "
                       << element;
  }
  return success();
}

LogicalResult EventIdArrayType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t size) {
  if (size >= 1 && size <= kMaxEventArray)
    return success();
  return emitError() << "`!pto.eventid_array<" << size << ">` holds 1 to " << kMaxEventArray << " event ids, not "
                     << size;
}

Type MaskType::parse(AsmParser &parser) {
  unsigned bytes = 0;
  if (succeeded(parser.parseOptionalLess())) {
    StringRef word;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word) || parser.parseGreater())
      return {};
    bytes = llvm::StringSwitch<unsigned>(word).Case("b8", 1).Case("b16", 2).Case("b32", 4).Case("G", 0).Default(~0u);
    if (bytes == ~0u) {
      parser.emitError(loc) << "unknown mask granularity `" << word << "`; it is b8, b16 or b32 (MASK-1)";
      return {};
    }
  }
  if (!bytes)
    remarkLoose(parser, parser.getNameLoc(), "a mask without granularity takes that of its instruction");
  return MaskType::get(parser.getContext(), bytes);
}

void MaskType::print(AsmPrinter &printer) const {
  if (getBytes())
    printer << "<b" << getBytes() * 8 << ">";
  else
    printer << "<G>";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute PTODialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  Attribute attr;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.getFullSymbolSpec() == PipeAttr::getMnemonic()) {
    remarkLoose(parser, loc, "`#pto.pipe` without a pipe is taken as PIPE_ALL");
    return PipeAttr::get(parser.getContext(), Pipe::All);
  }
  OptionalParseResult result = generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return succeeded(*result) ? attr : Attribute();
  if (OptionalParseResult vmi = parseVmiAttribute(parser, mnemonic, attr); vmi.has_value())
    return succeeded(*vmi) ? attr : Attribute();
  if (std::optional<Attribute> mode = ModeAttr::parseMode(parser, mnemonic)) {
    // MLIR reads `: TYPE` behind any attribute; behind these it is that of the instruction, which parseWordOperand
    // unpacks.
    if (*mode && type && mnemonic.starts_with("dcci_"))
      return ArrayAttr::get(getContext(), {*mode, TypeAttr::get(type)});
    return *mode;
  }
  parser.emitError(loc) << "unknown attribute `#pto." << mnemonic << "`";
  return {};
}

void PTODialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  if (auto mode = dyn_cast<ModeAttr>(attr))
    printer << mode.getKind() << "<" << mode.getValue() << ">";
  else if (failed(printVmiAttribute(attr, printer)))
    (void)generatedAttributePrinter(attr, printer);
}

Attribute PipeAttr::parse(AsmParser &parser, Type) {
  std::string word;
  bool bracket = succeeded(parser.parseOptionalLess()); // not in `#pto<pipe PIPE_V>`
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&word) || (bracket && parser.parseGreater()))
    return {};
  std::optional<Pipe> pipe = parsePipe(word);
  if (!pipe) {
    parser.emitError(loc)
        << "unknown pipe `" << word
        << "` (S1); the pipes are PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL";
    return {};
  }
  return PipeAttr::get(parser.getContext(), *pipe);
}

void PipeAttr::print(AsmPrinter &printer) const { printer << "<" << nameOf(getValue()) << ">"; }
