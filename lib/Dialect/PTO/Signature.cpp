//===- Signature.cpp - text of vector instructions ------------------------===//

#include "Signature.h"
#include "Words.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ptoscope::pto {
namespace {

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

struct Slot {
  StringRef kind; ///< of a value; the attribute's name of a word
  bool word = false, bracket = false, optional = false, remark = false, dropped = false;
  int operand = -1;
};

struct Alternative {
  SmallVector<Slot> items, results;
  SmallVector<std::pair<StringRef, StringRef>> sets; ///< attributes it stands for
};

Slot readSlot(StringRef text, int &next) {
  Slot slot;
  slot.bracket = text.consume_front("[");
  slot.word = text.consume_front("@");
  slot.remark = text.consume_back("!");
  slot.optional = text.consume_back("?") || slot.remark;
  if (!slot.word) {
    auto [kind, number] = text.split(':');
    text = kind;
    slot.dropped = number.consume_front("=");
    if (number.getAsInteger(10, slot.operand))
      slot.operand = next;
    if (!slot.dropped)
      next = slot.operand + 1;
  }
  slot.kind = text;
  return slot;
}

SmallVector<Alternative> readSignature(StringRef signature) {
  SmallVector<Alternative> alternatives;
  SmallVector<StringRef> texts;
  signature.split(texts, '|');
  for (StringRef text : texts) {
    Alternative &alternative = alternatives.emplace_back();
    SmallVector<StringRef> words;
    text.split(words, ' ', -1, /*KeepEmpty=*/false);
    SmallVector<Slot> *into = &alternative.items;
    int next = 0;
    for (StringRef word : words) {
      if (word == "->")
        into = &alternative.results;
      else if (auto [name, value] = word.split('='); !value.empty() && !name.ends_with(":"))
        alternative.sets.push_back({name, value});
      else
        into->push_back(readSlot(word, next));
    }
  }
  return alternatives;
}

/// Operands of the record, absent ones included.
unsigned operandCount(ArrayRef<Alternative> alternatives) {
  int count = 0;
  for (const Alternative &alternative : alternatives)
    for (const Slot &slot : alternative.items)
      if (!slot.word)
        count = std::max(count, slot.operand + 1);
  return unsigned(count);
}

bool isImplied(StringRef kind) { return kind == "offset" || kind == "part"; }

/// Kinds whose type follows from a register type that is written.
bool followsRegister(StringRef kind) { return kind == "vreg" || kind == "mask" || kind == "scalar" || kind == "i16"; }

bool fits(StringRef kind, Type type) {
  bool scalar = isa<IntegerType, FloatType>(type);
  return llvm::StringSwitch<bool>(kind)
      .Case("ptr", isa<PtrType>(type))
      .Case("buffer", isa<PtrType, MemRefType>(type))
      .Case("vreg", isa<VRegType>(type))
      .Case("mask", isa<MaskType>(type))
      .Case("align", isa<AlignType>(type))
      .Cases("index", "offset", "part", type.isIndex())
      .Case("i16", type.isSignlessInteger(16))
      .Case("i32", type.isSignlessInteger(32))
      .Case("i64", type.isSignlessInteger(64))
      .Case("scalar", scalar)
      .Case("input", scalar || isa<VRegType>(type))
      .Case("active", type.isIndex() || isa<MaskType>(type))
      .Default(false);
}

bool fitResults(ArrayRef<Slot> slots, TypeRange types) {
  if (types.size() > slots.size())
    return false;
  for (auto [i, slot] : llvm::enumerate(slots))
    if (i < types.size() ? !fits(slot.kind, types[i]) : !slot.optional)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

struct Item {
  OpAsmParser::UnresolvedOperand operand;
  std::string word;
  llvm::SMLoc loc;
  bool isWord = false, bare = false, bracket = false;
  Type type; ///< null while it is only implied
};

ParseResult parseItems(OpAsmParser &parser, SmallVectorImpl<Item> &items) {
  do {
    Item item;
    item.loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalString(&item.word))) {
      item.isWord = true;
      items.push_back(std::move(item));
      continue;
    }
    OptionalParseResult operand = parser.parseOptionalOperand(item.operand);
    if (!operand.has_value()) {
      if (items.empty())
        return success();
      if (StringRef keyword; succeeded(parser.parseOptionalKeyword(&keyword))) {
        item.word = keyword.str();
        item.isWord = item.bare = true;
        items.push_back(std::move(item));
        continue;
      }
      return parser.emitError(parser.getCurrentLocation()) << "expected a value or a word in quotes";
    }
    if (failed(*operand))
      return failure();
    items.push_back(item);
    if (failed(parser.parseOptionalLSquare()))
      continue;
    Item offset;
    offset.bracket = true;
    if (parser.parseOperand(offset.operand) || parser.parseRSquare())
      return failure();
    items.push_back(offset);
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalLSquare()))
      return parser.emitError(loc) << "an address has one index; compute the buffer with `pto.addptr` first";
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

/// Which slot each item is; types are handed out on the way.
struct Match {
  Type index;
  bool imply = false; ///< types that follow from a register may be missing
  SmallVector<const Slot *> slots;
  bool looseTypes = false; ///< an index type is written, or missing, against the record
};

bool match(ArrayRef<Slot> slots, MutableArrayRef<Item> items, ArrayRef<Type> types, Match &found) {
  if (slots.empty())
    return items.empty() && types.empty();
  const Slot &slot = slots.front();
  bool sameForm = !items.empty() && items.front().isWord == slot.word && items.front().bracket == slot.bracket;
  auto take = [&](bool typed, bool loose) {
    size_t depth = found.slots.size();
    bool before = found.looseTypes;
    found.slots.push_back(&slot);
    found.looseTypes |= loose;
    if (match(slots.drop_front(), items.drop_front(), types.drop_front(typed), found))
      return true;
    found.slots.truncate(depth);
    found.looseTypes = before;
    return false;
  };
  if (sameForm && slot.word && take(false, false))
    return true;
  if (sameForm && !slot.word) {
    items.front().type = types.empty() ? Type() : types.front();
    if (!types.empty() && fits(slot.kind, types.front()) && take(true, slot.kind == "offset"))
      return true;
    items.front().type = found.index;
    if ((isImplied(slot.kind) || slot.kind == "index") && take(false, slot.kind == "index"))
      return true;
    items.front().type = Type();
    if (found.imply && followsRegister(slot.kind) && take(false, false))
      return true;
  }
  return slot.optional && match(slots.drop_front(), items, types, found);
}

/// The granularity that `!pto.mask<G>` stands for, 0 when nothing tells.
unsigned maskBytesOf(StringRef op, ArrayRef<Type> types, ArrayRef<Type> results, StringRef dist) {
  for (auto [suffix, bytes] : {std::pair("_b8", 1u), {"_b16", 2u}, {"_b32", 4u}})
    if (op.ends_with(suffix))
      return bytes;
  if (op == "pto.vgatherb")
    return 4;
  if (unsigned bytes = granularityOfStore(dist))
    return bytes;
  // The wider of data and index; else the last register operand, which is the one
  // that is read lane by lane, or the result.
  bool slots = op.starts_with("pto.vgather2") || op == "pto.vscatter";
  unsigned bytes = 0;
  auto consider = [&](Type type) {
    auto vreg = dyn_cast<VRegType>(type);
    if (unsigned own = vreg ? std::min(vreg.getElementBytes(), 4u) : 0)
      bytes = slots ? std::max(bytes, own) : own;
  };
  llvm::for_each(types, consider);
  if (!bytes || slots)
    llvm::for_each(results, consider);
  if (bytes || op == "pto.pbitcast")
    return bytes;
  for (ArrayRef<Type> list : {types, results})
    for (Type type : list)
      if (auto mask = dyn_cast<MaskType>(type); mask && mask.getBytes())
        return mask.getBytes();
  return 0;
}

/// The types of the items. Those that are not written follow from the first
/// register that is.
SmallVector<Type> operandTypes(MutableArrayRef<Item> items, ArrayRef<const Slot *> slots, ArrayRef<Type> written) {
  SmallVector<Type> types;
  auto *reg = llvm::find_if(written, [](Type type) { return isa<VRegType>(type); });
  for (auto [item, slot] : llvm::zip(items, slots)) {
    if (item.isWord)
      continue;
    if (!item.type) {
      MLIRContext *context = (*reg).getContext();
      Type element = cast<VRegType>(*reg).getElement();
      if (slot->kind == "vreg")
        item.type = *reg;
      else if (slot->kind == "mask")
        item.type = MaskType::get(context, 0);
      else if (slot->kind == "i16")
        item.type = IntegerType::get(context, 16);
      else
        item.type = isa<IntegerType>(element) ? IntegerType::get(context, bitsOf(element)) : element;
    }
    types.push_back(item.type);
  }
  return types;
}

} // namespace

ParseResult parseText(OpAsmParser &parser, OperationState &result, StringRef signature) {
  StringRef name = result.name.getStringRef();
  llvm::SMLoc loc = parser.getNameLoc();
  SmallVector<Item> items;
  SmallVector<Type> types, results;
  if (parseItems(parser, items) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  auto values = llvm::count_if(items, [](const Item &item) { return !item.isWord; });
  auto parseLateAttributes = [&]() -> ParseResult {
    llvm::SMLoc dictionary = parser.getCurrentLocation();
    if (!result.attributes.empty())
      return success();
    if (parser.parseOptionalAttrDict(result.attributes))
      return failure();
    if (!result.attributes.empty())
      remarkLoose(parser, dictionary, "attributes stand before the types");
    return success();
  };
  if (succeeded(parser.parseOptionalColon())) {
    if (parseTypes(parser, types) || parseLateAttributes())
      return failure();
    if (succeeded(parser.parseOptionalArrow())) {
      if (parseTypes(parser, results) || parseLateAttributes())
        return failure();
    } else if (!values) {
      std::swap(types, results);
    }
  }

  SmallVector<Alternative> alternatives = readSignature(signature);
  Match found;
  const Alternative *chosen = nullptr;
  auto choose = [&](const Alternative &alternative, bool imply) {
    // A word may stand in the dictionary instead.
    SmallVector<Slot> slots(alternative.items);
    for (Slot &slot : slots)
      slot.optional |= slot.word && result.attributes.get(slot.kind);
    found = {parser.getBuilder().getIndexType(), imply, {}, false};
    if (!fitResults(alternative.results, results) || !match(slots, items, types, found))
      return false;
    for (const Slot *&slot : found.slots)
      slot = alternative.items.begin() + (slot - slots.begin());
    chosen = &alternative;
    return true;
  };
  bool hasRegister = llvm::any_of(types, [](Type type) { return isa<VRegType>(type); });
  (void)(llvm::any_of(alternatives, [&](const Alternative &form) { return choose(form, false); }) ||
         (hasRegister && llvm::any_of(alternatives, [&](const Alternative &form) { return choose(form, true); })));
  if (!chosen) {
    SmallVector<StringRef> forms;
    findInstr(result.name.stripDialect())->syntax.split(forms, '\n');
    auto list = [](ArrayRef<Type> types) {
      std::string text;
      llvm::raw_string_ostream out(text);
      llvm::interleaveComma(types, out);
      return text;
    };
    auto plural = [](auto number) { return number == 1 ? " " : "s "; };
    InFlightDiagnostic diag = parser.emitError(loc);
    diag << "`" << name << "` is not written with " << values << " value" << plural(values) << "of type" << plural(types.size()) << "`"
         << list(types) << "`";
    if (!results.empty())
      diag << " and results `" << list(results) << "`";
    return diag << "; it is `" << llvm::join(forms, "` or `") << "`";
  }
  if (found.looseTypes)
    remarkLoose(parser, loc, "`" + name + "` " + (types.size() > items.size() - 1 ? "does not list" : "lists") +
                                 " the type of its offset");
  for (const Slot &slot : chosen->items)
    if (slot.remark && !llvm::is_contained(found.slots, &slot))
      remarkLoose(parser, loc, "`" + name + "` without a mask " + (results.empty() ? "stores" : "works on") + " every lane");
  if (found.imply)
    remarkLoose(parser, loc, "`" + name + "` writes " + Twine(types.size()) + (types.size() == 1 ? " type" : " types") + " for " +
                                 Twine(values) + " operands");

  for (auto [item, slot] : llvm::zip(items, found.slots)) {
    if (!slot->word)
      continue;
    result.addAttribute(slot->kind, parser.getBuilder().getStringAttr(item.word));
    if (item.bare && slot->kind != "rnd")
      remarkLoose(parser, item.loc, "`" + Twine(item.word) + "` is taken as \"" + item.word + "\"");
    if (slot->kind == "pattern" && StringRef(item.word).starts_with("PAT_VL") && !isListedPattern(item.word))
      remarkLoose(parser, item.loc, "\"" + Twine(item.word) + "\" is not a listed pattern; taken as a number of lanes");
  }
  for (auto [attribute, value] : chosen->sets)
    result.addAttribute(attribute, parser.getBuilder().getStringAttr(value));
  if (completeWords(parser, result, operandTypes(items, found.slots, types), results))
    return failure();

  auto dist = dyn_cast_or_null<StringAttr>(result.attributes.get("dist"));
  unsigned maskBytes = maskBytesOf(name, types, results, dist && name == "pto.vsts" ? dist.getValue() : "");
  auto resolved = [&](Type type) { return maskBytes ? resolveMask(type, maskBytes) : type; };
  for (Type type : llvm::concat<Type>(types, results))
    if (auto mask = dyn_cast<MaskType>(type); mask && !mask.getBytes() && !maskBytes)
      return parser.emitError(loc) << "nothing tells the granularity of this mask; write `!pto.mask<b8>`, `!pto.mask<b16>` or "
                                      "`!pto.mask<b32>`";

  unsigned count = operandCount(alternatives);
  SmallVector<int32_t> segments(count, 0);
  SmallVector<Value, 4> dropped;
  for (unsigned operand = 0; operand < count; ++operand)
    for (auto [item, slot] : llvm::zip(items, found.slots))
      if (!slot->word && slot->operand == int(operand)) {
        if (parser.resolveOperand(item.operand, resolved(item.type), slot->dropped ? dropped : result.operands))
          return failure();
        segments[operand] += !slot->dropped;
      }
  if (result.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
    result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(segments));
  for (Type type : results)
    result.addTypes(resolved(type));
  return success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The operand of each slot, null where it is absent.
static bool assign(const Alternative &alternative, Operation *op, SmallVectorImpl<Value> &values) {
  for (const Slot &slot : alternative.items)
    if (slot.word && !slot.optional && !op->getAttr(slot.kind))
      return false;
  // Operands stand in the order of the record.
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < alternative.items.size(); ++i)
    if (!alternative.items[i].word && !alternative.items[i].dropped)
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) { return alternative.items[a].operand < alternative.items[b].operand; });
  values.assign(alternative.items.size(), Value());
  unsigned next = 0, left = op->getNumOperands(), needed = 0;
  for (unsigned i : order)
    needed += !alternative.items[i].optional;
  for (unsigned i : order) {
    const Slot &slot = alternative.items[i];
    bool here = left && fits(slot.kind, op->getOperand(next).getType()) && (!slot.optional || left > needed);
    if (!here && !slot.optional)
      return false;
    needed -= !slot.optional;
    if (!here)
      continue;
    values[i] = op->getOperand(next++);
    --left;
  }
  if (left)
    return false;
  for (auto [i, slot] : llvm::enumerate(alternative.items))
    if (slot.dropped)
      values[i] = op->getOperand(unsigned(slot.operand));
  return fitResults(alternative.results, op->getResultTypes());
}

void printText(OpAsmPrinter &printer, Operation *op, StringRef signature) {
  SmallVector<Alternative> alternatives = readSignature(signature);
  SmallVector<Value> values;
  auto *chosen = llvm::find_if(alternatives, [&](const Alternative &form) { return assign(form, op, values); });
  if (chosen == alternatives.end())
    return printer.printGenericOp(op, /*printOpName=*/false);
  SmallVector<StringRef> elided = {"operandSegmentSizes"};
  SmallVector<Type> types;
  bool first = true;
  for (auto [slot, value] : llvm::zip(chosen->items, values)) {
    auto word = slot.word ? op->getAttrOfType<StringAttr>(slot.kind) : StringAttr();
    if (!value && (!word || word.empty()))
      continue;
    if (!slot.bracket)
      printer << (first ? " " : ", ");
    first = false;
    if (word) {
      printer << word;
      elided.push_back(slot.kind);
      continue;
    }
    if (slot.bracket)
      printer << "[" << value << "]";
    else
      printer << value;
    if (!isImplied(slot.kind))
      types.push_back(value.getType());
  }
  for (auto [name, value] : {std::pair("position", "LOWEST"), {"order", "ASC"}})
    if (auto word = op->getAttrOfType<StringAttr>(name); word && word.getValue() == value)
      elided.push_back(name);
  for (NamedAttribute attribute : op->getAttrs()) // words that the instruction does not have with these types
    if (auto word = dyn_cast<StringAttr>(attribute.getValue()); word && word.empty())
      elided.push_back(attribute.getName());
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  if (types.empty() && op->getNumResults() == 0)
    return;
  printer << " : ";
  llvm::interleaveComma(types, printer);
  if (op->getNumResults() && !types.empty())
    printer << " -> ";
  llvm::interleaveComma(op->getResultTypes(), printer);
}

} // namespace ptoscope::pto
