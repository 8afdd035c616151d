//===- VmiTypes.cpp - vectors and masks of any length, their layouts ------===//
//
// VMI-1 to VMI-3, and where a layout puts lanes (VSEQ-9).
//
//===----------------------------------------------------------------------===//

#include "Parsing.h"
#include "VmiText.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

#define GET_TYPEDEF_CLASSES
#include "ptoscope/Dialect/PTO/VmiTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ptoscope/Dialect/PTO/VmiAttributes.cpp.inc"

namespace {
/// Their storage is known here alone, and a dialect lets only its own class add types.
struct Registration : PTODialect {
  static void run(PTODialect &dialect) {
    (dialect.*&Registration::addTypes<VmiVRegType, VmiMaskType>)();
    (dialect.*&Registration::addAttributes<VmiLayoutAttr>)();
  }
};
} // namespace

void ptoscope::pto::addVmiTypes(PTODialect &dialect) { Registration::run(dialect); }

// The generated parsers read the word, too; it has been read when it turns out that it is one of these.
OptionalParseResult ptoscope::pto::parseVmiType(AsmParser &parser, StringRef mnemonic, Type &type) {
  (void)generatedTypeParser;
  if (mnemonic == VmiVRegType::getMnemonic())
    type = VmiVRegType::parse(parser);
  else if (mnemonic == VmiMaskType::getMnemonic())
    type = VmiMaskType::parse(parser);
  else
    return std::nullopt;
  return success(bool(type));
}

OptionalParseResult ptoscope::pto::parseVmiAttribute(AsmParser &parser, StringRef mnemonic, Attribute &attribute) {
  (void)generatedAttributeParser;
  if (mnemonic != VmiLayoutAttr::getMnemonic())
    return std::nullopt;
  attribute = VmiLayoutAttr::parse(parser, Type());
  return success(bool(attribute));
}

LogicalResult ptoscope::pto::printVmiType(Type type, AsmPrinter &printer) {
  return generatedTypePrinter(type, printer);
}
LogicalResult ptoscope::pto::printVmiAttribute(Attribute attribute, AsmPrinter &printer) {
  return generatedAttributePrinter(attribute, printer);
}

/// `, #pto.vmi.layout<...>` and the end of a type.
static ParseResult parseLayoutAndEnd(AsmParser &parser, Attribute &layout) {
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return failure();
  return parser.parseGreater();
}

static void printLayoutAndEnd(AsmPrinter &printer, Attribute layout) {
  if (layout)
    printer << ", " << layout;
  printer << ">";
}

static LogicalResult verifyLayout(function_ref<InFlightDiagnostic()> emitError, StringRef type, Attribute layout,
                                  int64_t lanes) {
  auto known = dyn_cast_or_null<VmiLayoutAttr>(layout);
  if (layout && !known)
    return emitError() << "`!pto." << type << "` breaks VMI-3: " << layout
                       << " is not a layout; write `#pto.vmi.layout<...>`";
  if (known && known.getKind() == "num_groups" && known.getCount() != lanes)
    return emitError() << "`!pto." << type << "` breaks VMI-3: " << known << " has " << known.getCount()
                       << " lanes, not " << lanes;
  return success();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

unsigned VmiVRegType::getElementBytes() const { return bitsOf(getElement()) / 8; }

Type VmiVRegType::parse(AsmParser &parser) {
  SmallVector<int64_t, 1> dims;
  Type element;
  Attribute layout;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(dims, /*allowDynamic=*/false) || parseElement(parser, element) ||
      parseLayoutAndEnd(parser, layout))
    return {};
  if (dims.size() != 1) {
    parser.emitError(loc) << "a vector is written `!pto.vmi.vreg<NxT>`, with one lane count";
    return {};
  }
  return VmiVRegType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), dims[0], element, layout);
}

void VmiVRegType::print(AsmPrinter &printer) const {
  printer << "<" << getLanes() << "x" << getElement();
  printLayoutAndEnd(printer, getLayout());
}

LogicalResult VmiVRegType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t lanes, Type element,
                                  Attribute layout) {
  unsigned bits = bitsOf(element);
  if (lanes < 1 || lanes > kMaxVmiLanes)
    return emitError() << "`!pto.vmi.vreg` breaks VMI-1: it has " << lanes << " lanes, not 1 to " << kMaxVmiLanes;
  if (bits != 8 && bits != 16 && bits != 32)
    return emitError() << "`!pto.vmi.vreg` breaks VMI-1: its elements have 8, 16 or 32 bits, but " << element
                       << " has not";
  return verifyLayout(emitError, getMnemonic(), layout, lanes);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Type VmiMaskType::parse(AsmParser &parser) {
  int64_t lanes = 0;
  unsigned bytes = 0;
  Attribute layout;
  StringRef word;
  if (parser.parseLess())
    return {};
  llvm::SMLoc loc = parser.getCurrentLocation();
  bool none = StringRef(loc.getPointer(), 2) == "0x"; // otherwise a hexadecimal number
  if (none || parser.parseInteger(lanes)) {
    if (none)
      parser.emitError(loc) << "`!pto.vmi.mask` breaks VMI-2: it has 0 lanes, not 1 to " << kMaxVmiLanes;
    return {};
  }
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    bytes =
        llvm::StringSwitch<unsigned>(word).Case("xpred", 0).Case("xb8", 1).Case("xb16", 2).Case("xb32", 4).Default(~0u);
    if (bytes == ~0u) {
      parser.emitError(loc) << "`!pto.vmi.mask` breaks VMI-2: it is written `<N>`, `<Nxpred>`, `<Nxb8>`, `<Nxb16>` or "
                               "`<Nxb32>`, not `<"
                            << lanes << word << ">`";
      return {};
    }
  }
  if (parseLayoutAndEnd(parser, layout))
    return {};
  return VmiMaskType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), lanes, bytes, layout);
}

void VmiMaskType::print(AsmPrinter &printer) const {
  printer << "<" << getLanes() << "x";
  if (getBytes())
    printer << "b" << getBytes() * 8;
  else
    printer << "pred";
  printLayoutAndEnd(printer, getLayout());
}

LogicalResult VmiMaskType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t lanes, unsigned bytes,
                                  Attribute layout) {
  if (lanes < 1 || lanes > kMaxVmiLanes)
    return emitError() << "`!pto.vmi.mask` breaks VMI-2: it has " << lanes << " lanes, not 1 to " << kMaxVmiLanes;
  if (!bytes && layout)
    return emitError() << "`!pto.vmi.mask` breaks VMI-2: a mask of the kind `pred` has no layout, but it has "
                       << layout;
  if (bytes && !layout)
    return emitError() << "`!pto.vmi.mask` breaks VMI-2: a mask of granularity b" << bytes * 8
                       << " has a layout; write `pred` for a mask without one";
  return verifyLayout(emitError, getMnemonic(), layout, lanes);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Attribute VmiLayoutAttr::parse(AsmParser &parser, Type) {
  std::string kind;
  int64_t count = 1, slots = 8, stride = 1;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeywordOrString(&kind))
    return {};
  if (kind != "contiguous" && (parser.parseEqual() || parser.parseInteger(count)))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    llvm::SMLoc at = parser.getCurrentLocation();
    int64_t value;
    if (parser.parseKeyword(&name) || parser.parseEqual() || parser.parseInteger(value))
      return {};
    if (name == "slots" && kind == "num_groups")
      slots = value;
    else if (name == "lane_stride" && kind != "block_deinterleaved")
      stride = value;
    else {
      parser.emitError(at) << "`#pto.vmi.layout` breaks VMI-3: `" << kind << "` takes no `" << name << "`";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return VmiLayoutAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), StringRef(kind), count,
                                   slots, stride);
}

void VmiLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<" << getKind();
  if (getKind() != "contiguous")
    printer << " = " << getCount();
  if (getKind() == "num_groups")
    printer << ", slots = " << getSlots();
  if (getLaneStride() != 1)
    printer << ", lane_stride = " << getLaneStride();
  printer << ">";
}

LogicalResult VmiLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef kind, int64_t count,
                                    int64_t slots, int64_t stride) {
  auto wrong = [&] { return emitError() << "`#pto.vmi.layout` breaks VMI-3: "; };
  static constexpr StringLiteral kinds[] = {"contiguous", "deinterleaved", "block_deinterleaved", "num_groups"};
  if (!llvm::is_contained(kinds, kind))
    return wrong() << "`" << kind << "` is not one of contiguous, deinterleaved, block_deinterleaved, num_groups";
  if (kind.ends_with("deinterleaved") && count != 2 && count != 4)
    return wrong() << "`" << kind << "` is 2 or 4, not " << count;
  if (count < 1 || stride < 1)
    return wrong() << "`" << (count < 1 ? "num_groups" : "lane_stride") << "` must be above 0, not "
                   << (count < 1 ? count : stride);
  if (slots != 1 && slots != 8)
    return wrong() << "`slots` is 1 or 8, not " << slots;
  return success();
}

namespace {

/// A layout as numbers: parts, and where lane i stands in its part.
struct Places {
  StringRef kind;
  int64_t parts, slots, stride, perRegister;

  explicit Places(VmiVRegType type) : perRegister(2048 / bitsOf(type.getElement())) {
    auto layout = dyn_cast_or_null<VmiLayoutAttr>(type.getLayout());
    kind = layout ? layout.getKind() : "contiguous";
    parts = kind.ends_with("deinterleaved") ? layout.getCount() : 1;
    slots = layout ? layout.getSlots() : 8;
    stride = layout ? layout.getLaneStride() : 1;
  }
  int64_t partOf(int64_t lane) const { return (kind == "block_deinterleaved" ? lane / block() : lane) % parts; }
  int64_t positionOf(int64_t lane) const {
    if (kind == "block_deinterleaved")
      return lane / block() / parts * block() + lane % block();
    return lane / parts * stride;
  }
  int64_t block() const { return perRegister / 8; }
};

} // namespace

int64_t ptoscope::pto::vmiRegisters(VmiVRegType type) {
  Places places(type);
  int64_t lanes = type.getLanes();
  if (places.kind == "num_groups")
    return (lanes + places.slots - 1) / places.slots;
  // Lane 0 is in the first part, which is the longest.
  int64_t last = 0;
  for (int64_t lane = lanes - 1, behind = 0; lane >= 0 && behind < places.parts * places.block() + 1; --lane, ++behind)
    last = std::max(last, places.positionOf(lane));
  return places.parts * (last / places.perRegister + 1);
}

VmiPlace ptoscope::pto::vmiPlaceOf(VmiVRegType type, int64_t lane) {
  Places places(type);
  if (places.kind == "num_groups")
    return {lane / places.slots, lane % places.slots};
  int64_t chunks = vmiRegisters(type) / places.parts, at = places.positionOf(lane);
  return {places.partOf(lane) * chunks + at / places.perRegister, at % places.perRegister};
}
