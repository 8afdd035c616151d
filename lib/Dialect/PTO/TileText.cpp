//===- TileText.cpp - reading and writing tile instructions ---------------===//
//
// `pto.NAME ins(values : types) outs(values : types) {attributes}` (TIR-3). The
// dictionary may stand in three places, and an operand may bring its own type.
//
//===----------------------------------------------------------------------===//

#include "TileInstr.h"

#include "ptoscope/Support/Text.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

class TileParser {
public:
  TileParser(OpAsmParser &parser, OperationState &result) : parser(parser), result(result) {}

  ParseResult parse() {
    int32_t ins = 0;
    if (succeeded(parser.parseOptionalKeyword("ins"))) {
      if (parseGroup())
        return failure();
      ins = int32_t(result.operands.size());
    }
    if (parser.parseOptionalKeyword("outs"))
      return refuse(parser.getNameLoc(), "has no `outs(…)`");
    if (parseGroup() || parseDictionary() || parseClauses())
      return failure();
    result.attributes.set(kSegments,
                          parser.getBuilder().getDenseI32ArrayAttr({ins, int32_t(result.operands.size()) - ins}));
    return success();
  }

private:
  ParseResult refuse(llvm::SMLoc loc, const Twine &what) {
    const StringRef name = result.name.getStringRef();
    return parser.emitError(loc) << "`" << name << "` " << what << "; it is written `"
                                 << tileFormsOf(result.name.stripDialect()).front().syntax << "`";
  }

  ParseResult parseDictionary() {
    NamedAttrList more;
    if (parser.parseOptionalAttrDict(more))
      return failure();
    for (NamedAttribute attribute : more)
      result.attributes.set(attribute.getName(), attribute.getValue());
    return success();
  }

  /// `(%a, %b {…} : T, T)`, `(%a : T, %b : T)`, `(%a : T fp %b : T pre_quant %c : i64)`
  ParseResult parseGroup() {
    if (parser.parseLParen())
      return failure();
    while (failed(parser.parseOptionalRParen())) {
      SmallVector<OpAsmParser::UnresolvedOperand> values;
      do {
        OpAsmParser::UnresolvedOperand value;
        for (StringRef word : {"fp", "pre_quant"})
          (void)parser.parseOptionalKeyword(word);
        OptionalParseResult operand = parser.parseOptionalOperand(value);
        if (operand.has_value() && failed(*operand))
          return failure();
        if (operand.has_value())
          values.push_back(value);
        if (parseDictionary())
          return failure();
      } while (succeeded(parser.parseOptionalComma()));
      if (values.empty())
        return parser.emitError(parser.getCurrentLocation()) << "expected a value";
      if (parser.parseOptionalColon())
        return refuse(parser.getCurrentLocation(), "expects `:` and types here");
      if (parseTypes(values))
        return failure();
      if (parseDictionary())
        return failure();
      (void)parser.parseOptionalComma();
    }
    return success();
  }

  /// A type for each value. Those that are missing are the last one again.
  ParseResult parseTypes(ArrayRef<OpAsmParser::UnresolvedOperand> values) {
    const llvm::SMLoc loc = parser.getCurrentLocation();
    const bool grouped = succeeded(parser.parseOptionalLParen());
    SmallVector<Type> types;
    do {
      if (parseTypeOrTile(parser, types.emplace_back()))
        return failure();
    } while (types.size() < values.size() && succeeded(parser.parseOptionalComma()));
    if (const size_t missing = values.size() - types.size()) {
      const std::string count = "x" + std::to_string(missing + 1), written = plural(types.size(), "type");
      if (succeeded(parser.parseOptionalKeyword(count)))
        remarkLoose(parser, loc, "`" + count + "` stands for that many types");
      else
        remarkLoose(parser, loc,
                    "`" + result.name.getStringRef() + "` writes " + written + " for " + Twine(values.size()) +
                        " operands");
      types.resize(values.size(), types.back());
    }
    if (grouped) {
      remarkLoose(parser, loc, "types of an instruction stand without parentheses");
      if (parser.parseRParen())
        return failure();
    }
    return parser.resolveOperands(values, types, loc, result.operands);
  }

  /// Clauses of `pto.tload`, of which only those without effect are modelled (TLOAD-11).
  ParseResult parseClauses() {
    StringRef word;
    llvm::SMLoc loc = parser.getCurrentLocation();
    while (succeeded(parser.parseOptionalKeyword(&word, {"pad_mode", "pad_value", "left_padding_num", "init_out_buffer",
                                                         "right_padding_num", "init_condition"}))) {
      if (parser.parseEqual())
        return failure();
      OpAsmParser::UnresolvedOperand value;
      OptionalParseResult operand = parser.parseOptionalOperand(value);
      Attribute attribute;
      Type type;
      SmallVector<Value, 1> unused;
      if (operand.has_value()
              ? failed(*operand) || parser.parseColonType(type) || parser.resolveOperand(value, type, unused)
              : failed(parser.parseAttribute(attribute)))
        return failure();
      if (word == "pad_mode") {
        std::string text;
        llvm::raw_string_ostream(text) << attribute;
        if (!StringRef(text).contains_insensitive("padnull"))
          return emitCoded(parser.emitError(loc), "not-modelled") << "clause `" << word << "` is not modelled";
      }
      loc = parser.getCurrentLocation();
    }
    return success();
  }

  OpAsmParser &parser;
  OperationState &result;
};

} // namespace

ParseResult ptoscope::pto::parseTileInstr(OpAsmParser &parser, OperationState &result) {
  return TileParser(parser, result).parse();
}

AttributePlace ptoscope::pto::placeOf(TileRule rule) {
  switch (rule) {
#define PTO_TILE_RULE(NAME, FUNCTION, PLACE, ...)                                                                      \
  case TileRule::NAME:                                                                                                 \
    return AttributePlace::PLACE;
#include "ptoscope/Dialect/PTO/TileRules.def"
#undef PTO_TILE_RULE
  }
  return AttributePlace::Behind;
}

void ptoscope::pto::printTileInstr(OpAsmPrinter &printer, TileInstr op) {
  Operation *operation = op.getOperation();
  FailureOr<TileBinding> bound = op.bind(/*emits=*/false);
  TileRule rule = succeeded(bound) ? bound->form->rule : TileRule::None;
  AttributePlace place = placeOf(rule);
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : operation->getAttrs())
    if (attribute.getName() != kSegments)
      attributes.push_back(attribute);
  auto dictionary = [&](AttributePlace here) {
    if (place != here || attributes.empty())
      return;
    printer << (here == AttributePlace::Operand ? ", {" : " {");
    llvm::interleaveComma(attributes, printer, [&](NamedAttribute attribute) {
      printer << attribute.getName().getValue();
      if (!isa<UnitAttr>(attribute.getValue()))
        printer << " = " << attribute.getValue();
    });
    printer << "}";
  };
  auto list = [&](ValueRange values) {
    printer << values << " : ";
    llvm::interleaveComma(values.getTypes(), printer);
  };
  if (!op.getIns().empty()) {
    ValueRange ins = op.getIns();
    // What moves may add has its own type.
    size_t extra = 0;
    if (rule == TileRule::Move || rule == TileRule::Store)
      extra = bound->form->ins.back().optional && ins.size() == bound->form->ins.size();
    printer << " ins(";
    ValueRange first = ins.drop_back(extra);
    printer << first;
    dictionary(AttributePlace::Inside);
    dictionary(AttributePlace::Operand);
    printer << " : ";
    llvm::interleaveComma(first.getTypes(), printer);
    for (Value value : ins.take_back(extra))
      printer << ", " << value << " : " << value.getType();
    printer << ")";
  }
  printer << " outs(";
  list(op.getOuts());
  printer << ")";
  dictionary(AttributePlace::Behind);
}
