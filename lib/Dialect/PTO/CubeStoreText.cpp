//===- CubeStoreText.cpp - the clauses of fixpipe stores ------------------===//

#include "CubeText.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ptoscope::pto {

/// Attributes that stand in clauses.
static constexpr StringRef kClauseAttrs[] = {"dst_mode",    "unit_flag", "quant",
                                             "relu",        "layout",    "saturation",
                                             "atomic_type", "atomic_op", "operandSegmentSizes"};

namespace {
class StoreParser {
public:
  StoreParser(OpAsmParser &parser, OperationState &result) : parser(parser), result(result) {}

  ParseResult parse() {
    bool comma = false;
    if (parseCubeOperands(parser, fixed, comma))
      return failure();
    // A comma behind the last fixed operand may be left out.
    for (bool first = true; comma || first; first = false) {
      llvm::SMLoc loc = parser.getCurrentLocation();
      StringRef word;
      if (failed(parser.parseOptionalKeyword(&word))) {
        if (comma)
          return parser.emitError(loc) << "expected a clause of `" << result.name.getStringRef() << "`";
        break;
      }
      if (clause(loc, word))
        return failure();
      comma = succeeded(parser.parseOptionalComma());
    }
    return finish();
  }

private:
  using Operand = OpAsmParser::UnresolvedOperand;

  void set(StringRef attr, StringRef word) { result.addAttribute(attr, parser.getBuilder().getStringAttr(word)); }
  ParseResult operand(std::optional<Operand> &place) { return parser.parseOperand(place.emplace()); }
  /// `key = word`, the word into an attribute.
  ParseResult keyWord(StringRef key, StringRef attr) {
    std::string word;
    if (parser.parseKeyword(key) || parser.parseEqual() || parser.parseKeywordOrString(&word))
      return failure();
    set(attr, word);
    return success();
  }

  ParseResult clause(llvm::SMLoc loc, StringRef word) {
    const int rank = llvm::StringSwitch<int>(word)
                         .Case("dst_mode", 0)
                         .Case("unit_flag", 1)
                         .Case("pre_quant", 2)
                         .Case("pre_relu", 3)
                         .Cases("nz2nd", "nz2dn", "nz2nz", 4)
                         .Case("loop3", 5)
                         .Cases("sat", "nosat", 6)
                         .Case("atomic", 7)
                         .Default(-1);
    if (rank < 0)
      return parser.emitError(loc) << "`" << result.name.getStringRef() << "` has no clause `" << word << "`";
    if (order.take(parser, loc, word, unsigned(rank)))
      return failure();
    std::string value;
    switch (rank) {
    case 0:
      return dstMode();
    case 1:
      if (parser.parseLParen() || parser.parseKeywordOrString(&value) || parser.parseRParen())
        return failure();
      set("unit_flag", value);
      return success();
    case 2:
      return failure(parser.parseLParen() || operand(scale) || parser.parseComma() || keyWord("mode", "quant") ||
                     parser.parseRParen());
    case 3:
      return preRelu();
    case 4:
      set("layout", word);
      if (failed(parser.parseOptionalLParen()))
        return success(); // FIX-35 refuses nz2dn without
      if (word == "nz2nd")
        return parser.emitError(loc) << "`" << result.name.getStringRef()
                                     << "` breaks FIX-36: `nz2nd` has no operand; a split goes with `nz2nz`, `loop0` "
                                        "with `nz2dn`";
      return failure(operand(word == "nz2dn" ? loop0 : split) || parser.parseRParen());
    case 5:
      return parser.parseOperandList(loop3, OpAsmParser::Delimiter::Paren);
    case 6:
      if (word == "sat" && succeeded(parser.parseOptionalLParen())) {
        if (parser.parseKeyword("preserve_nan") || parser.parseRParen())
          return failure();
        word = "preserve_nan";
      }
      set("saturation", word);
      return success();
    default:
      return atomic();
    }
  }

  /// A half that is missing is left to FIX-38.
  ParseResult atomic() {
    if (parser.parseLParen())
      return failure();
    if (failed(parser.parseOptionalKeyword("op")))
      return failure(keyWord("type", "atomic_type") ||
                     (succeeded(parser.parseOptionalComma()) && keyWord("op", "atomic_op")) || parser.parseRParen());
    std::string word;
    if (parser.parseEqual() || parser.parseKeywordOrString(&word) || parser.parseRParen())
      return failure();
    set("atomic_op", word);
    return success();
  }

  ParseResult dstMode() {
    if (parser.parseLParen())
      return failure();
    OptionalParseResult number = parser.parseOptionalOperand(subblock.emplace());
    if (number.has_value())
      return failure(failed(*number) || parser.parseRParen());
    subblock.reset();
    std::string word;
    if (parser.parseKeywordOrString(&word) || parser.parseRParen())
      return failure();
    set("dst_mode", word);
    return success();
  }

  ParseResult preRelu() {
    if (parser.parseLParen())
      return failure();
    OptionalParseResult payload = parser.parseOptionalOperand(slope.emplace());
    if (!payload.has_value())
      slope.reset();
    else if (failed(*payload) || parser.parseComma())
      return failure();
    if (keyWord("mode", "relu"))
      return failure();
    if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("clip") || parser.parseEqual() || operand(clip)))
      return failure();
    return parser.parseRParen();
  }

  /// Types stand in the order of the record, whatever the order of the clauses.
  ParseResult finish() {
    llvm::SMLoc loc = parser.getNameLoc();
    if (fixed.size() != 6 && fixed.size() != 8)
      return parser.emitError(loc) << "`" << result.name.getStringRef()
                                   << "` takes source, destination, m, n, the strides of both"
                                   << ", to GM sid and l2, got " << fixed.size() << " operands before its clauses";
    const int32_t hints = fixed.size() == 8;
    SmallVector<Operand> operands(fixed.begin(), fixed.end());
    SmallVector<int32_t> sizes = {1, 1, 1, 1, 1, 1, hints, hints};
    for (const std::optional<Operand> &own : {subblock, scale, slope, clip, split, loop0}) {
      sizes.push_back(own.has_value());
      if (own)
        operands.push_back(*own);
    }
    sizes.push_back(int32_t(loop3.size()));
    operands.append(loop3);
    result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(sizes));
    return parseCubeTypes(parser, result, operands);
  }

  OpAsmParser &parser;
  OperationState &result;
  ClauseOrder order;
  SmallVector<Operand> fixed, loop3;
  std::optional<Operand> subblock, scale, slope, clip, split, loop0;
};
} // namespace

ParseResult parseCubeStore(OpAsmParser &parser, OperationState &result) { return StoreParser(parser, result).parse(); }

void printStore(OpAsmPrinter &printer, const FixStore &s) {
  printer << " " << s.src << ", " << s.dst << ", " << s.m << ", " << s.n << ", " << s.srcRows << ", " << s.dstStep;
  if (s.sid)
    printer << ", " << s.sid << ", " << s.l2;
  if (s.subblock)
    printer << ", dst_mode(" << s.subblock << ")";
  if (!s.dstMode.empty())
    printer << ", dst_mode(" << s.dstMode << ")";
  if (!s.unitFlag.empty())
    printer << ", unit_flag(" << s.unitFlag << ")";
  if (!s.quant.empty())
    printer << ", pre_quant(" << s.scale << ", mode = " << s.quant << ")";
  if (!s.relu.empty()) {
    printer << ", pre_relu(";
    if (s.slope)
      printer << s.slope << ", ";
    printer << "mode = " << s.relu;
    if (s.clip)
      printer << ", clip = " << s.clip;
    printer << ")";
  }
  if (!s.layout.empty())
    printer << ", " << s.layout;
  if (Value own = s.loop0 ? s.loop0 : s.split)
    printer << "(" << own << ")";
  if (!s.loop3.empty()) {
    printer << ", loop3(";
    llvm::interleaveComma(s.loop3, printer);
    printer << ")";
  }
  if (!s.saturation.empty())
    printer << ", " << (s.saturation == "preserve_nan" ? "sat(preserve_nan)" : s.saturation);
  if (!s.atomicType.empty())
    printer << ", atomic(type = " << s.atomicType << ", op = " << s.atomicOp << ")";
  printCubeTypes(printer, s.op, kClauseAttrs);
}

} // namespace ptoscope::pto
