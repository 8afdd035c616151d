//===- ParseText.cpp - reading vector instructions by their signature -----===//

#include "Signature.h"

#include "ptoscope/Meaning/Distribution.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// Spellings of other surfaces (isa/10 section 15) as the tables have them. The
/// element width completes the words that leave it to the register.
std::string canonicalWord(StringRef op, StringRef attribute, StringRef word, unsigned elementBytes) {
  if (attribute == "order")
    return word == "INC_ORDER" ? "ASC" : word == "DEC_ORDER" ? "DESC" : word.str();
  if (attribute == "stride")
    return findLoadDist(("STRIDE_" + word).str()) ? ("STRIDE_" + word).str() : word.str();
  bool store = op == "pto.vsts";
  if (store && (word.empty() || word == "NORM" || word == "NORMAL"))
    return "NORM_B" + std::to_string(std::min(elementBytes, 4u) * 8);
  if (store && word.starts_with("ONEPT_"))
    return ("1PT_" + word.drop_front(6)).str();
  if ((word == "DINTLV" && op == "pto.vldsx2") || (word == "INTLV" && op == "pto.vstsx2"))
    return word.str() + "_B" + std::to_string(elementBytes * 8);
  return llvm::StringSwitch<StringRef>(word)
      .Case("NORMAL", "NORM")
      .Case("BLK", "BRC_BLK")
      .Case("SPLT4CHN_B8", "SPLT4CHN")
      .Case("UNPK4_B8", "UNPK4")
      .Case("BD", "BDINTLV")
      .Default(word)
      .str();
}

/// What the text lists before its types.
struct Item {
  OpAsmParser::UnresolvedOperand operand;
  std::string word;
  llvm::SMLoc loc;
  bool isWord = false, bracket = false;
  Type type;
};

class TextParser {
public:
  TextParser(OpAsmParser &parser, OperationState &result, StringRef signature)
      : parser(parser), builder(parser.getBuilder()), result(result), name(result.name.getStringRef()),
        forms(readSignature(signature)) {}

  ParseResult parse() {
    if (parseItems() || parser.parseOptionalAttrDict(result.attributes) || parseTypeLists() || chooseForm())
      return failure();
    remarkForm();
    return failure(addWords() || resolveMasks() || resolveOperands());
  }

private:
  ParseResult parseItems() {
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
        return parser.emitError(item.loc) << "expected a value or a word in quotes";
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
        return parser.emitError(loc)
               << "an address has one index; compute the buffer with `pto.addptr` first";
    } while (succeeded(parser.parseOptionalComma()));
    return success();
  }

  ParseResult parseTypeLists() {
    if (failed(parser.parseOptionalColon()))
      return success();
    if (parseTypes(parser, types))
      return failure();
    if (succeeded(parser.parseOptionalArrow()))
      return parseTypes(parser, results);
    if (valueCount() == 0)
      std::swap(types, results);
    return success();
  }

  size_t valueCount() const {
    return size_t(llvm::count_if(items, [](const Item &item) { return !item.isWord; }));
  }

  //===--------------------------------------------------------------------===//
  // Which form it is
  //===--------------------------------------------------------------------===//

  /// Hands items and types out to slots, one by one, with a way back.
  bool match(ArrayRef<Slot> left, size_t item, size_t type) {
    if (left.empty())
      return item == items.size() && type == types.size();
    const Slot &slot = left.front();
    auto take = [&](bool typed, bool loose) {
      bool before = looseTypes;
      slots.push_back(&slot);
      looseTypes |= loose;
      if (match(left.drop_front(), item + 1, type + typed))
        return true;
      slots.pop_back();
      looseTypes = before;
      return false;
    };
    bool sameForm =
        item < items.size() && items[item].isWord == slot.word && items[item].bracket == slot.bracket;
    if (sameForm && slot.word && take(false, false))
      return true;
    if (sameForm && !slot.word) {
      if (type < types.size() && fits(slot.kind, types[type])) {
        items[item].type = types[type];
        if (take(true, slot.kind == "offset"))
          return true;
      }
      items[item].type = builder.getIndexType();
      if ((isImplied(slot.kind) || slot.kind == "index") && take(false, slot.kind == "index"))
        return true;
    }
    // A word may stand in the dictionary instead.
    bool optional = slot.optional || (slot.word && result.attributes.get(slot.kind));
    return optional && match(left.drop_front(), item, type);
  }

  ParseResult chooseForm() {
    for (const Form &candidate : forms) {
      slots.clear();
      looseTypes = false;
      if (!fitResults(candidate.results, results) || !match(candidate.items, 0, 0))
        continue;
      form = &candidate;
      return success();
    }
    auto list = [](ArrayRef<Type> types) {
      std::string text;
      llvm::raw_string_ostream out(text);
      llvm::interleaveComma(types, out);
      return text;
    };
    auto plural = [](size_t number) { return number == 1 ? "" : "s"; };
    InFlightDiagnostic diag = parser.emitError(parser.getNameLoc());
    diag << "`" << name << "` is not written with " << valueCount() << " value" << plural(valueCount());
    if (!types.empty())
      diag << " of type" << plural(types.size()) << " `" << list(types) << "`";
    if (!results.empty())
      diag << " and result" << plural(results.size()) << " `" << list(results) << "`";
    SmallVector<StringRef> written;
    findInstr(result.name.stripDialect())->syntax.split(written, '\n');
    return diag << "; it is `" << llvm::join(written, "` or `") << "`";
  }

  void remarkForm() {
    if (looseTypes)
      remarkLoose(parser, parser.getNameLoc(),
                  "`" + name + "` " + (types.size() == valueCount() ? "does not list" : "lists") +
                      " the type of its offset");
    for (const Slot &slot : form->items)
      if (slot.remark && !llvm::is_contained(slots, &slot))
        remarkLoose(parser, parser.getNameLoc(), "`" + name + "` without a mask stores every lane");
  }

  //===--------------------------------------------------------------------===//
  // What it says
  //===--------------------------------------------------------------------===//

  ParseResult addWords() {
    for (StringRef word : {"dist", "stride", "order", "position", "mode", "spr", "pattern", "part", "half"})
      if (Attribute given = result.attributes.get(word); given && !isa<StringAttr>(given))
        return parser.emitError(parser.getNameLoc())
               << "attribute `" << word << "` is a word in quotes, not " << given;
    for (auto [item, slot] : llvm::zip(items, slots)) {
      if (!slot->word)
        continue;
      result.addAttribute(slot->kind, builder.getStringAttr(item.word));
      StringRef word = item.word;
      if (slot->kind == "pattern" && word.starts_with("PAT_VL") && !isListedPattern(word))
        remarkLoose(parser, item.loc, "\"" + word + "\" is not a listed pattern; taken as a number of lanes");
    }
    for (auto [attribute, value] : form->sets)
      result.addAttribute(attribute, builder.getStringAttr(value));
    if (name == "pto.vsts" && !result.attributes.get("dist"))
      result.addAttribute("dist", builder.getStringAttr(""));
    for (StringRef attribute : {"dist", "stride", "order"})
      if (auto word = dyn_cast_or_null<StringAttr>(result.attributes.get(attribute)))
        result.attributes.set(attribute,
                              builder.getStringAttr(canonicalWord(name, attribute, word, elementBytes())));
    return success();
  }

  /// Bytes of the element that completes a word: that of the first register.
  unsigned elementBytes() const {
    for (ArrayRef<Type> list : {ArrayRef<Type>(types), ArrayRef<Type>(results)})
      for (Type type : list)
        if (auto vreg = dyn_cast<VRegType>(type))
          return vreg.getElementBytes();
    return 0;
  }

  /// The granularity that `!pto.mask<G>` stands for, 0 when nothing tells.
  unsigned maskBytes() const {
    for (auto [suffix, bytes] : {std::pair("_b8", 1u), {"_b16", 2u}, {"_b32", 4u}})
      if (name.ends_with(suffix))
        return bytes;
    if (name == "pto.vgatherb")
      return 4;
    if (auto dist = dyn_cast_or_null<StringAttr>(result.attributes.get("dist")); dist && name == "pto.vsts")
      if (unsigned bytes = granularityOfStore(dist.getValue()))
        return bytes;
    bool widest = name.starts_with("pto.vgather2") || name == "pto.vscatter"; // a slot holds data and index
    unsigned bytes = 0;
    for (ArrayRef<Type> list : {ArrayRef<Type>(results), ArrayRef<Type>(types)})
      for (Type type : list)
        if (auto vreg = dyn_cast<VRegType>(type))
          if (!bytes || widest)
            bytes = std::max(bytes, std::min(vreg.getElementBytes(), 4u));
    if (bytes || name == "pto.pbitcast")
      return bytes;
    for (ArrayRef<Type> list : {ArrayRef<Type>(types), ArrayRef<Type>(results)})
      for (Type type : list)
        if (auto mask = dyn_cast<MaskType>(type); mask && mask.getBytes())
          return mask.getBytes();
    return 0;
  }

  ParseResult resolveMasks() {
    unsigned bytes = maskBytes();
    auto unknown = [](Type type) { return isa<MaskType>(type) && cast<MaskType>(type).getBytes() == 0; };
    if (!bytes && (llvm::any_of(types, unknown) || llvm::any_of(results, unknown)))
      return parser.emitError(parser.getNameLoc())
             << "nothing tells the granularity of this mask; write `!pto.mask<b8>`, `!pto.mask<b16>` or "
                "`!pto.mask<b32>`";
    for (Item &item : items)
      if (!item.isWord)
        item.type = resolveMask(item.type, bytes);
    for (Type &type : results)
      type = resolveMask(type, bytes);
    return success();
  }

  /// Operands in the order of the record, absent ones left out.
  ParseResult resolveOperands() {
    SmallVector<int32_t> segments;
    for (const Form &each : forms)
      for (const Slot &slot : each.items)
        if (!slot.word)
          segments.resize(std::max(segments.size(), size_t(slot.operand) + 1));
    SmallVector<Value, 4> dropped;
    for (auto [operand, segment] : llvm::enumerate(segments))
      for (auto [item, slot] : llvm::zip(items, slots)) {
        if (slot->word || slot->operand != int(operand))
          continue;
        if (parser.resolveOperand(item.operand, item.type, slot->dropped ? dropped : result.operands))
          return failure();
        segment += !slot->dropped;
      }
    if (result.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
      result.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
    result.addTypes(results);
    return success();
  }

  OpAsmParser &parser;
  Builder &builder;
  OperationState &result;
  StringRef name;
  SmallVector<Form> forms;
  SmallVector<Item> items;
  SmallVector<Type> types, results;
  const Form *form = nullptr;
  SmallVector<const Slot *> slots; ///< of each item
  bool looseTypes = false;         ///< an index type is written, or missing, against the record
};

} // namespace

ParseResult ptoscope::pto::parseText(OpAsmParser &parser, OperationState &result, StringRef signature) {
  return TextParser(parser, result, signature).parse();
}
