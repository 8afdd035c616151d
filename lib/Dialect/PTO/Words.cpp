//===- Words.cpp - words of vector instructions ---------------------------===//

#include "Words.h"

#include "ptoscope/Meaning/Distribution.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ptoscope::pto {

SmallVector<std::string> conversionTokens(const Conversion &pair, StringRef attribute) {
  SmallVector<std::string> tokens;
  if (attribute == "rnd") {
    for (char token : StringRef(pair.rounding))
      tokens.push_back(std::string(1, token));
  } else if (attribute == "sat") {
    if (pair.saturation)
      tokens = {"NOSAT", "SAT"};
  } else if (pair.parts == ConversionParts::EvenOdd) {
    tokens = {"EVEN", "ODD"};
  } else if (pair.parts == ConversionParts::Quarters) {
    tokens = {"P0", "P1", "P2", "P3"};
  }
  return tokens;
}

namespace {

/// Spellings of other manuals (DIST-3) as the tables have them. The
/// element width completes the words that leave it to the register.
std::string canonicalDist(StringRef op, StringRef word, unsigned elementBytes) {
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

std::string canonicalWord(StringRef op, StringRef attribute, StringRef word, unsigned elementBytes) {
  bool converts = op == "pto.vcvt" || op == "pto.vexpdif" || op == "pto.vmulscvt";
  if (attribute == "dist")
    return canonicalDist(op, word, elementBytes);
  if (attribute == "stride" && findLoadDist(("STRIDE_" + word).str()))
    return ("STRIDE_" + word).str();
  if (attribute == "rnd")
    word.consume_front("ROUND_");
  else if (attribute == "part" && converts)
    word.consume_front("PART_");
  else if (attribute == "cmp") {
    std::string mode = word.lower(); // an ordered comparison is the plain one, except `one`
    return mode.size() == 3 && mode[0] == 'o' && mode != "one" ? mode.substr(1) : mode;
  }
  return llvm::StringSwitch<StringRef>(word)
      .Case("INC_ORDER", "ASC")
      .Case("DEC_ORDER", "DESC")
      .Case("RS_ENABLE", "SAT")
      .Case("RS_DISABLE", "NOSAT")
      .Default(word)
      .str();
}

/// Bytes of the element that completes a word: that of the first register.
unsigned elementBytesOf(ArrayRef<Type> operands, ArrayRef<Type> results) {
  for (ArrayRef<Type> list : {operands, results})
    for (Type type : list)
      if (auto vreg = dyn_cast<VRegType>(type))
        return vreg.getElementBytes();
  return 0;
}

class Completion {
public:
  Completion(OpAsmParser &parser, OperationState &result, ArrayRef<Type> operands, ArrayRef<Type> results)
      : parser(parser), result(result), name(result.name.getStringRef()), operands(operands), results(results) {}

  ParseResult run() {
    if (Attribute older = result.attributes.get("round_mode"); older && name == "pto.vcvt") {
      if (result.attributes.get("rnd"))
        return parser.emitError(loc()) << "`" << name << "` gives both `rnd` and `round_mode`, which are one attribute";
      result.attributes.erase("round_mode");
      result.attributes.set("rnd", older);
    }
    if (name == "pto.vsts" && !result.attributes.get("dist"))
      set("dist", "");
    for (StringRef attribute : {"dist", "stride", "order", "rnd", "sat", "part", "cmp"})
      if (auto word = dyn_cast_or_null<StringAttr>(result.attributes.get(attribute))) {
        std::string canonical = canonicalWord(name, attribute, word.getValue(), elementBytesOf(operands, results));
        if (attribute == "cmp" && canonical != word.getValue())
          remarkLoose(parser, loc(), "\"" + word.getValue() + "\" is taken as \"" + canonical + "\"");
        set(attribute, canonical);
      }
    if (name == "pto.vcvt")
      completeConversion();
    if (name == "pto.vexpdif")
      completeDifference();
    if (name == "pto.vtrc" && wordOf("rnd") == "O")
      remarkOlder(parser, loc(), "\"O\" is a rounding of older manuals only");
    if (name == "pto.vshls" || name == "pto.vshrs")
      remarkCount();
    return success();
  }

private:
  /// CVT-6 and CVT-7: what is missing has a default, what the pair does not
  /// have is ignored. Pairs that do not exist are left to the verifier.
  void completeConversion() {
    auto element = [](ArrayRef<Type> list) {
      auto vreg = dyn_cast<VRegType>(list[0]);
      return vreg ? vreg.getElement() : Type();
    };
    Type from = element(operands), to = element(results);
    std::string source = elementName(from), target = elementName(to);
    const Conversion *pair = findConversion<StringRef>(source, target);
    for (StringRef attribute : {"rnd", "sat", "part"}) {
      SmallVector<std::string> tokens = pair ? conversionTokens(*pair, attribute) : SmallVector<std::string>();
      bool given = result.attributes.get(attribute) != Attribute();
      if (!given && !tokens.empty())
        remarkLoose(parser, loc(), "`" + name + "` without `" + attribute + "` takes \"" + tokens[0] + "\"");
      if (!given)
        set(attribute, tokens.empty() ? "" : tokens[0]);
      if (given && pair && tokens.empty() && !wordOf(attribute).empty()) {
        emitCoded(mlir::emitWarning(parser.getEncodedSourceLoc(loc())), "undefined-by-manual")
            << "`" << name << "` from " << from << " to " << to << " has no `" << attribute << "`; it is ignored";
        set(attribute, "");
      }
    }
    if (pair && pair->surface == ConversionSurface::Older) {
      std::string text;
      llvm::raw_string_ostream(text) << "from `" << from << "` to `" << to << "` is a conversion of older manuals only";
      remarkOlder(parser, loc(), text);
    }
  }

  /// Only the older form has no part: it gives the type of its operands.
  void completeDifference() {
    if (result.attributes.get("part"))
      return;
    bool masked = llvm::any_of(operands, [](Type type) { return isa<MaskType>(type); });
    bool older = !masked && operands[0] == results[0];
    if (older)
      remarkOlder(parser, loc(), "`" + name + "` without mask and part is a form of older manuals only");
    else
      remarkLoose(parser, loc(), "`" + name + "` without a part takes \"EVEN\"");
    set("part", older ? "" : "EVEN");
  }

  void remarkCount() {
    if (auto count = dyn_cast<IntegerType>(operands[1]); count && !count.isSignlessInteger(16)) {
      std::string text;
      llvm::raw_string_ostream(text) << "the count of `" << name << "` is `i16`; the low bits of this `" << count
                                     << "` are taken";
      remarkLoose(parser, loc(), text);
    }
  }

  llvm::SMLoc loc() const { return parser.getNameLoc(); }
  void set(StringRef attribute, StringRef word) {
    result.attributes.set(attribute, parser.getBuilder().getStringAttr(word));
  }
  StringRef wordOf(StringRef attribute) const {
    auto word = dyn_cast_or_null<StringAttr>(result.attributes.get(attribute));
    return word ? word.getValue() : StringRef();
  }

  OpAsmParser &parser;
  OperationState &result;
  StringRef name;
  ArrayRef<Type> operands, results;
};

} // namespace

bool isOlderDifference(const OperationState &state) {
  auto part = dyn_cast_or_null<StringAttr>(state.attributes.get("part"));
  return state.name.getStringRef() == "pto.vexpdif" && part && part.empty();
}

ParseResult completeWords(OpAsmParser &parser, OperationState &result, ArrayRef<Type> operands,
                          ArrayRef<Type> results) {
  return Completion(parser, result, operands, results).run();
}

} // namespace ptoscope::pto
