//===- Signature.cpp - text of vector instructions ------------------------===//

#include "Signature.h"

#include "ptoscope/Meaning/Distribution.h"

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
// Words
//===----------------------------------------------------------------------===//

/// Spellings of other surfaces (isa/10 section 15) as the tables have them. The
/// element width completes the words that leave it to the register.
std::string canonicalWord(StringRef op, StringRef attribute, StringRef word, unsigned elementBytes) {
  std::string width = "_B" + std::to_string(elementBytes * 8);
  if (attribute == "order")
    return word == "INC_ORDER" ? "ASC" : word == "DEC_ORDER" ? "DESC" : word.str();
  if (attribute == "stride")
    return findLoadDist(("STRIDE_" + word).str()) ? ("STRIDE_" + word).str() : word.str();
  if (attribute != "dist")
    return word.str();
  bool store = op == "pto.vsts";
  if (store && (word.empty() || word == "NORM" || word == "NORMAL"))
    return "NORM_B" + std::to_string(std::min(elementBytes, 4u) * 8);
  if (store && word.starts_with("ONEPT_"))
    return ("1PT_" + word.drop_front(6)).str();
  if ((word == "DINTLV" && op == "pto.vldsx2") || (word == "INTLV" && op == "pto.vstsx2"))
    return word.str() + width;
  return llvm::StringSwitch<StringRef>(word)
      .Case("NORMAL", "NORM")
      .Case("BLK", "BRC_BLK")
      .Case("SPLT4CHN_B8", "SPLT4CHN")
      .Case("UNPK4_B8", "UNPK4")
      .Case("BD", "BDINTLV")
      .Default(word)
      .str();
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

struct Item {
  OpAsmParser::UnresolvedOperand operand;
  std::string word;
  llvm::SMLoc loc;
  bool isWord = false, bracket = false;
  Type type;
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
  SmallVector<const Slot *> slots;
  bool looseTypes = false; ///< an index type is written, or missing, against the record
};

bool match(ArrayRef<Slot> slots, MutableArrayRef<Item> items, ArrayRef<Type> types, Type index, Match &found) {
  if (slots.empty())
    return items.empty() && types.empty();
  const Slot &slot = slots.front();
  bool sameForm = !items.empty() && items.front().isWord == slot.word && items.front().bracket == slot.bracket;
  auto take = [&](bool typed, bool loose) {
    size_t depth = found.slots.size();
    bool before = found.looseTypes;
    found.slots.push_back(&slot);
    found.looseTypes |= loose;
    if (match(slots.drop_front(), items.drop_front(), types.drop_front(typed), index, found))
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
    items.front().type = index;
    if ((isImplied(slot.kind) || slot.kind == "index") && take(false, slot.kind == "index"))
      return true;
  }
  return slot.optional && match(slots.drop_front(), items, types, index, found);
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
  bool slots = op.starts_with("pto.vgather2") || op == "pto.vscatter"; // the wider of data and index
  unsigned bytes = 0;
  for (ArrayRef<Type> list : {results, types})
    for (Type type : list)
      if (auto vreg = dyn_cast<VRegType>(type))
        if (!bytes || slots)
          bytes = std::max(bytes, std::min(vreg.getElementBytes(), 4u));
  if (bytes || op == "pto.pbitcast")
    return bytes;
  for (ArrayRef<Type> list : {types, results})
    for (Type type : list)
      if (auto mask = dyn_cast<MaskType>(type); mask && mask.getBytes())
        return mask.getBytes();
  return 0;
}

/// Bytes of the element that completes a word: that of the first register.
unsigned elementBytesOf(ArrayRef<Type> types, ArrayRef<Type> results) {
  for (ArrayRef<Type> list : {types, results})
    for (Type type : list)
      if (auto vreg = dyn_cast<VRegType>(type))
        return vreg.getElementBytes();
  return 0;
}

} // namespace

ParseResult parseText(OpAsmParser &parser, OperationState &result, StringRef signature) {
  StringRef name = result.name.getStringRef();
  llvm::SMLoc loc = parser.getNameLoc();
  SmallVector<Item> items;
  SmallVector<Type> types, results;
  if (parseItems(parser, items) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  bool hasOperands = llvm::any_of(items, [](const Item &item) { return !item.isWord; });
  if (succeeded(parser.parseOptionalColon())) {
    if (parseTypes(parser, types))
      return failure();
    if (succeeded(parser.parseOptionalArrow())) {
      if (parseTypes(parser, results))
        return failure();
    } else if (!hasOperands) {
      std::swap(types, results);
    }
  }

  SmallVector<Alternative> alternatives = readSignature(signature);
  Match found;
  Type index = parser.getBuilder().getIndexType();
  const Alternative *chosen = nullptr;
  for (const Alternative &alternative : alternatives) {
    // A word may stand in the dictionary instead.
    SmallVector<Slot> slots(alternative.items);
    for (Slot &slot : slots)
      slot.optional |= slot.word && result.attributes.get(slot.kind);
    found = {};
    if (fitResults(alternative.results, results) && match(slots, items, types, index, found)) {
      for (const Slot *&slot : found.slots)
        slot = alternative.items.begin() + (slot - slots.begin());
      chosen = &alternative;
      break;
    }
  }
  if (!chosen) {
    SmallVector<StringRef> forms;
    findInstr(result.name.stripDialect())->syntax.split(forms, '\n');
    auto list = [](ArrayRef<Type> types) {
      std::string text;
      llvm::raw_string_ostream out(text);
      llvm::interleaveComma(types, out);
      return text;
    };
    auto count = llvm::count_if(items, [](const Item &item) { return !item.isWord; });
    auto plural = [](auto number) { return number == 1 ? " " : "s "; };
    InFlightDiagnostic diag = parser.emitError(loc);
    diag << "`" << name << "` is not written with " << count << " value" << plural(count) << "of type" << plural(types.size()) << "`"
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
      remarkLoose(parser, loc, "`" + name + "` without a mask stores every lane");

  for (auto [item, slot] : llvm::zip(items, found.slots)) {
    if (!slot->word)
      continue;
    result.addAttribute(slot->kind, parser.getBuilder().getStringAttr(item.word));
    if (slot->kind == "pattern" && StringRef(item.word).starts_with("PAT_VL") && !isListedPattern(item.word))
      remarkLoose(parser, item.loc, "\"" + Twine(item.word) + "\" is not a listed pattern; taken as a number of lanes");
  }
  for (auto [attribute, value] : chosen->sets)
    result.addAttribute(attribute, parser.getBuilder().getStringAttr(value));
  unsigned elementBytes = elementBytesOf(types, results);
  if (name == "pto.vsts" && !result.attributes.get("dist"))
    result.addAttribute("dist", parser.getBuilder().getStringAttr(""));
  for (StringRef attribute : {"dist", "stride", "order"})
    if (auto word = dyn_cast_or_null<StringAttr>(result.attributes.get(attribute)))
      result.attributes.set(attribute, parser.getBuilder().getStringAttr(
                                           canonicalWord(name, attribute, word.getValue(), elementBytes)));

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
    Attribute word = slot.word ? op->getAttr(slot.kind) : Attribute();
    if (!value && !word)
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
