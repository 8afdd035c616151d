//===- VmiText.cpp - reading and printing virtual vector instructions -----===//
//
// A name has a signature; other names are read by theirs and become the
// instruction that they stand for. The generic form of other names becomes it
// in `readOtherNames`, which `pto-resolve-types` calls before anything is verified.
//
//===----------------------------------------------------------------------===//

#include "VmiText.h"

#include "Signature.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static StringRef bareName(StringRef name) {
  name.consume_front("pto.");
  return name;
}

bool ptoscope::pto::isVmiInstr(StringRef name) { return findVmi(name) || findVmiAlias(name); }

static bool has(StringRef words, StringRef word) {
  SmallVector<StringRef> list;
  words.split(list, ' ');
  return llvm::is_contained(list, word);
}

//===----------------------------------------------------------------------===//
// Other names
//===----------------------------------------------------------------------===//

static void mapAttributes(const VmiAlias &alias, NamedAttrList &attributes, MLIRContext *context) {
  SmallVector<StringRef> entries;
  alias.attributeMap.split(entries, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries)
    if (entry.contains('=')) {
      attributes.set(entry.split('=').first, StringAttr::get(context, entry.split('=').second));
    } else if (Attribute value = attributes.get(entry.split('>').first)) {
      attributes.erase(entry.split('>').first);
      attributes.set(entry.split('>').second, value);
    }
}

/// VLANE-6, VMEM-10, VCVT-5: what a name promises about its types.
static LogicalResult verifyName(const VmiAlias &alias, const NamedAttrList &attributes, TypeRange operands,
                                TypeRange results, function_ref<InFlightDiagnostic()> emitError) {
  auto wrong = [&](StringRef label) { return emitError() << "`pto." << alias.name << "` breaks " << label << ": "; };
  auto vectorOf = [](TypeRange types) {
    for (Type type : types)
      if (auto vector = dyn_cast<VmiVRegType>(type))
        return vector;
    return VmiVRegType();
  };
  VmiVRegType from = vectorOf(operands), to = vectorOf(results);
  VmiVRegType first = from ? from : to;
  if (first && !alias.elements.empty() && !has(alias.elements, vmiElementName(first.getElement())))
    return wrong("VLANE-6") << "it does not take " << first.getElement() << " elements, only " << alias.elements;
  if (alias.needs == "slots") {
    std::optional<int64_t> groups = vmiCount(attributes.get("group"));
    if (to && groups && *groups != to.getLanes())
      return wrong("VMEM-10") << "it loads one lane for each group, but has " << to.getLanes() << " lanes and "
                              << *groups << " groups";
  } else if (!alias.needs.empty() && from && to) {
    std::optional<VmiConversion> pair = findVmiConversion(from.getElement(), to.getElement());
    if (pair && pair->direction != alias.needs)
      return wrong("VCVT-5") << "from " << from.getElement() << " to " << to.getElement() << " is " << pair->direction
                             << ", not " << alias.needs;
  }
  return success();
}

static void remarkHelper(StringRef name, Location loc) {
  emitCoded(mlir::emitRemark(loc), "loose-spelling")
      << "`pto." << name << "` is a helper of a compiler, which programs do not have (VMI-16)";
}

LogicalResult ptoscope::pto::readOtherNames(Operation *root) {
  SmallVector<Operation *> found;
  root->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (!op->isRegistered() && isVmiName(name) && findVmiAlias(bareName(name)))
      found.push_back(op);
  });
  for (Operation *op : found) {
    const VmiAlias &alias = *findVmiAlias(bareName(op->getName().getStringRef()));
    NamedAttrList attributes(op->getAttrs());
    mapAttributes(alias, attributes, op->getContext());
    if (failed(verifyName(alias, attributes, op->getOperandTypes(), op->getResultTypes(),
                          [&] { return op->emitError(); })))
      return failure();
    if (alias.helper)
      remarkHelper(alias.name, op->getLoc());
    OperationState state(op->getLoc(), ("pto." + alias.target).str());
    state.addOperands(op->getOperands());
    // Operands in the order of the instruction.
    if (Form form = readSignature(alias.signature).front(); form.items.size() == op->getNumOperands())
      for (auto [item, operand] : llvm::zip(form.items, op->getOperands()))
        state.operands[size_t(item.operand)] = operand;
    state.addTypes(op->getResultTypes());
    state.addAttributes(attributes);
    OpBuilder builder(op);
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The lines of a record that are of this name.
static std::string syntaxOf(StringRef name, StringRef lines) {
  SmallVector<StringRef> all, own;
  lines.split(all, '\n');
  std::string written = ("pto." + name).str();
  for (StringRef line : all)
    for (StringRef end : {" ", "\""})
      if (line.contains(written + end.str()))
        own.push_back(line);
  return llvm::join(own, "\n");
}

ParseResult ptoscope::pto::parseVmi(OpAsmParser &parser, OperationState &result) {
  StringRef name = bareName(result.name.getStringRef());
  const VmiAlias *alias = findVmiAlias(name);
  const VmiInfo *info = findVmi(alias ? StringRef(alias->target) : name);
  auto syntax = [&] { return alias ? alias->syntax.str() : syntaxOf(name, findInstr(name)->syntax); };
  StringRef signature = alias ? alias->signature : info->signature;
  if (signature.empty())
    return parser.emitError(parser.getNameLoc())
           << "`pto." << name << "` breaks VMI-11: it has the generic form only, `" << syntax() << "`";
  if (parseTextAs(parser, result, signature, syntax))
    return failure();
  if (!alias)
    return success();
  result.name = OperationName(("pto." + alias->target).str(), parser.getContext());
  mapAttributes(*alias, result.attributes, parser.getContext());
  if (alias->helper)
    remarkHelper(name, parser.getEncodedSourceLoc(parser.getNameLoc()));
  SmallVector<Type> operands = llvm::map_to_vector(result.operands, [](Value value) { return value.getType(); });
  return verifyName(*alias, result.attributes, operands, result.types,
                    [&] { return parser.emitError(parser.getNameLoc()); });
}

void ptoscope::pto::printVmi(OpAsmPrinter &printer, Operation *op) {
  printText(printer, op, cast<VmiOp>(op).getInfo().signature);
}

ParseResult ptoscope::pto::parseVmiShuffle(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<int64_t> lanes;
  Type from, to;
  auto lane = [&] { return parser.parseInteger(lanes.emplace_back()); };
  if (parser.parseOperand(source) || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, lane) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(from) || parser.parseArrow() ||
      parser.parseType(to) || parser.resolveOperand(source, from, result.operands))
    return failure();
  result.addAttribute("indices", parser.getBuilder().getDenseI64ArrayAttr(lanes));
  result.addTypes(to);
  return success();
}

void ptoscope::pto::printVmiShuffle(OpAsmPrinter &printer, Operation *op) {
  auto lanes = op->getAttrOfType<DenseI64ArrayAttr>("indices");
  printer << " " << op->getOperand(0) << "[";
  llvm::interleaveComma(lanes ? lanes.asArrayRef() : ArrayRef<int64_t>(), printer);
  printer << "]";
  printer.printOptionalAttrDict(op->getAttrs(), {"indices"});
  printer << " : " << op->getOperand(0).getType() << " -> " << op->getResult(0).getType();
}
