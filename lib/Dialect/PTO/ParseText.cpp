//===- ParseText.cpp - reading vector instructions by their signature -----===//

#include "Signature.h"
#include "VmiText.h"
#include "Words.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// Kinds whose type follows from a register type that is written.
bool followsRegister(StringRef kind) {
  static constexpr StringLiteral kinds[] = {"vreg", "bytes", "mask", "scalar", "count", "i16", "i32"};
  return llvm::is_contained(kinds, kind);
}

bool isNameChar(char c) { return isalnum(static_cast<unsigned char>(c)) || (c && strchr("_$.-", c)); }

/// The statement that goes on at the beginning of `text`: lines of its types follow it.
StringRef restOfStatement(StringRef text) {
  size_t end = text.find('\n');
  while (end != StringRef::npos && text.drop_front(end).ltrim().find_first_of(":,->!)") == 0)
    end = text.find('\n', end + 1);
  return text.take_front(end);
}

/// The granularity that a statement says for its masks, or that its registers have; 0 = none.
unsigned granularityIn(StringRef statement) {
  for (auto [word, bytes] : {std::pair("!pto.mask<b8>", 1u), {"!pto.mask<b16>", 2u}, {"!pto.mask<b32>", 4u}})
    if (statement.contains(word))
      return bytes;
  unsigned lanes = 0;
  StringRef after = statement.split("!pto.vreg<").second;
  return statement.contains("!pto.mask") && !after.consumeInteger(10, lanes) && lanes
             ? std::clamp(unsigned(kVectorBytes) / lanes, 1u, 4u)
             : 0;
}

/// What the first use that says it says of the granularity of `%name`; 0 = none does. Looks for so many characters.
unsigned granularityOfUse(StringRef name, const char *text) {
  constexpr size_t kFarthest = 1 << 16;
  const StringRef rest(text, strnlen(text, kFarthest));
  for (size_t at = rest.find('%'); at != StringRef::npos; at = rest.find('%', at + 1)) {
    StringRef behind = rest.drop_front(at + 1);
    if (!behind.consume_front(name) || (!behind.empty() && isNameChar(behind[0])))
      continue;
    if (rest.take_front(at).rsplit('\n').second.contains("//"))
      continue;
    if (unsigned bytes = granularityIn(restOfStatement(behind)))
      return bytes;
  }
  return 0;
}

/// What the text lists before its types.
struct Item {
  OpAsmParser::UnresolvedOperand operand;
  std::string word;
  llvm::SMLoc loc;
  bool isWord = false, bare = false, bracket = false;
  Type type;                   ///< null while it is only implied
  SmallVector<Type, 2> others; ///< that the value may have as well, where its type is implied
};

class TextParser {
public:
  TextParser(OpAsmParser &parser, OperationState &result, StringRef signature, function_ref<std::string()> syntax)
      : parser(parser), builder(parser.getBuilder()), result(result), name(result.name.getStringRef()), syntax(syntax),
        forms(readSignature(signature)), vmi(isVmiName(name)) {}

  ParseResult parse() {
    if (parseItems() || parser.parseOptionalAttrDict(result.attributes) || parseTypeLists() || chooseForm() ||
        addWords())
      return failure();
    remarkForm();
    return failure(resolveMasks() || resolveOperands());
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
        if (StringRef keyword; succeeded(parser.parseOptionalKeyword(&keyword))) {
          item.word = keyword.str();
          item.isWord = item.bare = true;
          items.push_back(std::move(item));
          continue;
        }
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
        return parser.emitError(loc) << "an address has one index; compute the buffer with `pto.addptr` first";
    } while (succeeded(parser.parseOptionalComma()));
    return success();
  }

  ParseResult parseTypeLists() {
    if (failed(parser.parseOptionalColon()))
      return success();
    if (parseTypes(parser, types) || parseLateAttributes())
      return failure();
    if (succeeded(parser.parseOptionalArrow()))
      return failure(parseTypes(parser, results) || parseLateAttributes());
    if (valueCount() == 0)
      std::swap(types, results);
    return success();
  }

  ParseResult parseLateAttributes() {
    llvm::SMLoc dictionary = parser.getCurrentLocation();
    if (!result.attributes.empty())
      return success();
    if (parser.parseOptionalAttrDict(result.attributes))
      return failure();
    if (!result.attributes.empty())
      remarkLoose(parser, dictionary, "attributes stand before the types");
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
    bool sameForm = item < items.size() && items[item].isWord == slot.word && items[item].bracket == slot.bracket;
    if (sameForm && slot.word && take(false, false))
      return true;
    if (sameForm && !slot.word) {
      auto written = [&] {
        if (type == types.size() || !fits(slot.kind, types[type]))
          return false;
        items[item].type = types[type];
        return take(true, slot.kind == "offset");
      };
      auto implied = [&] {
        items[item].type = slot.kind == "step" ? Type(builder.getI16Type()) : Type(builder.getIndexType());
        return (isImplied(slot.kind) || slot.kind == "index") && take(false, slot.kind == "index");
      };
      // A written index is rather that of a stride than that of the offset before it.
      if (vmi ? implied() || written() : written() || implied())
        return true;
      items[item].type = Type();
      if (imply && followsRegister(slot.kind) && take(false, false))
        return true;
    }
    // A word may stand in the dictionary instead.
    bool optional = slot.optional || (slot.word && result.attributes.get(slot.kind));
    return optional && match(left.drop_front(), item, type);
  }

  ParseResult chooseForm() {
    // First as it is written, then with types that a register implies.
    bool hasRegister = llvm::any_of(types, [](Type type) { return isa<VRegType>(type); });
    for (bool implied : {false, true})
      for (const Form &candidate : forms) {
        slots.clear();
        looseTypes = false;
        imply = implied;
        if ((imply && !hasRegister) || !fitResults(candidate.results, results) || !match(candidate.items, 0, 0))
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
    diag << "`" << name << "` ";
    if (StringRef label = vmi ? "VMI-11" : forms.front().label; !label.empty())
      diag << "breaks " << label << ": it ";
    diag << "is not written with " << valueCount() << " value" << plural(valueCount());
    if (!types.empty())
      diag << " of type" << plural(types.size()) << " `" << list(types) << "`";
    if (!results.empty())
      diag << " and result" << plural(results.size()) << " `" << list(results) << "`";
    SmallVector<StringRef> written;
    const std::string lines = syntax();
    StringRef(lines).split(written, '\n');
    return diag << "; it is `" << llvm::join(written, "` or `") << "`";
  }

  void remarkForm() {
    if (looseTypes)
      remarkLoose(parser, parser.getNameLoc(),
                  "`" + name + "` " + (types.size() == valueCount() ? "does not list" : "lists") +
                      " the type of its offset");
    for (const Slot &slot : form->items)
      if (slot.remark && !llvm::is_contained(slots, &slot) && !isOlderDifference(result))
        remarkLoose(parser, parser.getNameLoc(),
                    "`" + name + "` without a mask " + (results.empty() ? "stores" : "works on") + " every lane");
    if (imply)
      remarkLoose(parser, parser.getNameLoc(),
                  "`" + name + "` writes " + Twine(types.size()) + (types.size() == 1 ? " type" : " types") + " for " +
                      Twine(valueCount()) + " operands");
  }

  //===--------------------------------------------------------------------===//
  // What it says
  //===--------------------------------------------------------------------===//

  ParseResult addWords() {
    for (NamedAttribute given : result.attributes)
      if (isWordAttribute(given.getName()) && !isa<StringAttr>(given.getValue()))
        return parser.emitError(parser.getNameLoc())
               << "attribute `" << given.getName().getValue() << "` is a word in quotes, not " << given.getValue();
    for (auto [item, slot] : llvm::zip(items, slots)) {
      if (!slot->word)
        continue;
      result.addAttribute(slot->kind, builder.getStringAttr(item.word));
      StringRef word = item.word;
      if (item.bare && slot->kind != "rnd")
        remarkLoose(parser, item.loc, "`" + word + "` is taken as \"" + word + "\"");
      if (slot->kind == "pattern" && word.starts_with("PAT_VL") && !isListedPattern(word) && !vmi)
        remarkLoose(parser, item.loc, "\"" + word + "\" is not a listed pattern; taken as a number of lanes");
    }
    for (auto [attribute, value] : form->sets)
      result.addAttribute(attribute, builder.getStringAttr(value));
    SmallVector<Type> operands = operandTypes();
    return vmi ? success() : completeWords(parser, result, operands, results);
  }

  /// Words stand in quotes also in a dictionary.
  bool isWordAttribute(StringRef attribute) const {
    static constexpr StringLiteral words[] = {"dist", "stride", "order", "position", "mode", "spr", "pattern",
                                              "part", "half",   "rnd",   "sat",      "cmp",  "bin"};
    return llvm::is_contained(words, attribute);
  }

  /// The types of the values. Those that are not written follow from the first
  /// register that is.
  SmallVector<Type> operandTypes() {
    SmallVector<Type> all;
    auto *written = llvm::find_if(types, [](Type type) { return isa<VRegType>(type); });
    for (auto [item, slot] : llvm::zip(items, slots)) {
      if (item.isWord)
        continue;
      if (!item.type)
        implyType(item, slot->kind, cast<VRegType>(*written));
      all.push_back(item.type);
    }
    return all;
  }

  void implyType(Item &item, StringRef kind, VRegType written) {
    Type element = written.getElement();
    Type scalar = isa<IntegerType>(element) ? builder.getIntegerType(bitsOf(element)) : element;
    if (kind == "vreg") {
      item.type = written;
    } else if (kind == "bytes") {
      auto lanes = [&](IntegerType::SignednessSemantics sign) {
        return VRegType::get(builder.getContext(), 256, IntegerType::get(builder.getContext(), 8, sign));
      };
      item.type = lanes(IntegerType::Unsigned);
      item.others = {lanes(IntegerType::Signless), lanes(IntegerType::Signed)};
    } else if (kind == "mask") {
      item.type = MaskType::get(builder.getContext(), 0);
    } else if (kind == "count") {
      item.type = builder.getI16Type();
      item.others = {scalar};
    } else if (kind == "i16" || kind == "i32") {
      item.type = builder.getIntegerType(kind == "i16" ? 16 : 32);
    } else {
      item.type = scalar;
    }
  }

  ParseResult resolveMasks() {
    auto dist = dyn_cast_or_null<StringAttr>(result.attributes.get("dist"));
    unsigned bytes = maskBytesOf(name, dist ? dist.getValue() : "", operandTypes(), results);
    auto unknown = [](Type type) { return isa<MaskType>(type) && cast<MaskType>(type).getBytes() == 0; };
    for (size_t i = 0; !bytes && i < std::min(results.size(), parser.getNumResults()); ++i)
      if (unknown(results[i]))
        bytes = granularityOfUse(parser.getResultName(i).first, parser.getCurrentLocation().getPointer());
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
        if (resolve(item, *slot, slot->dropped ? dropped : result.operands))
          return failure();
        segment += !slot->dropped;
      }
    if (result.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
      result.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
    result.addTypes(results);
    return success();
  }

  /// MLIR refuses a value of another type without the rule of the instruction.
  ParseResult resolve(Item &item, const Slot &slot, SmallVectorImpl<Value> &into) {
    std::string why;
    auto tried = [&](Type type) {
      ScopedDiagnosticHandler keep(builder.getContext(), [&](Diagnostic &diag) { why = diag.str(); });
      return parser.resolveOperand(item.operand, type, into);
    };
    if (!item.others.empty() &&
        (succeeded(tried(item.type)) || llvm::any_of(item.others, [&](Type other) { return succeeded(tried(other)); })))
      return success();
    if (form->label.empty() || !isImplied(slot.kind))
      return parser.resolveOperand(item.operand, item.type, into);
    ParseResult done = tried(item.type);
    if (failed(done))
      parser.emitError(item.operand.location) << "`" << name << "` breaks " << form->label << ": " << why;
    return done;
  }

  OpAsmParser &parser;
  Builder &builder;
  OperationState &result;
  StringRef name;
  function_ref<std::string()> syntax;
  SmallVector<Form> forms;
  bool vmi;
  SmallVector<Item> items;
  SmallVector<Type> types, results;
  const Form *form = nullptr;
  SmallVector<const Slot *> slots; ///< of each item
  bool imply = false;              ///< types that follow from a register are missing
  bool looseTypes = false;         ///< an index type is written, or missing, against the record
};

} // namespace

ParseResult ptoscope::pto::parseText(OpAsmParser &parser, OperationState &result, StringRef signature) {
  auto syntax = [&] { return findInstr(result.name.stripDialect())->syntax.str(); };
  return TextParser(parser, result, signature, syntax).parse();
}

ParseResult ptoscope::pto::parseTextAs(OpAsmParser &parser, OperationState &result, StringRef signature,
                                       function_ref<std::string()> syntax) {
  return TextParser(parser, result, signature, syntax).parse();
}
