//===- CubeProducts.cpp - matrix multiplication ---------------------------===//

#include "CubeText.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ptoscope::pto {

namespace cube = tile::cube;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The attributes behind the clauses, in their order.
static constexpr StringRef kClauses[] = {"unit_flag", "disable_gemv", "saturation", "tf32_mode", "n_dir"};
/// Those with a word in parentheses.
static bool hasWord(StringRef clause) { return clause == "unit_flag" || clause == "tf32_mode"; }
static bool isWordItself(StringRef clause) { return clause == "saturation"; }

ParseResult parseCubeProduct(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseOperandList(operands))
    return failure();
  ClauseOrder order;
  Builder &builder = parser.getBuilder();
  StringRef word;
  for (llvm::SMLoc loc = parser.getCurrentLocation(); succeeded(parser.parseOptionalKeyword(&word));
       loc = parser.getCurrentLocation()) {
    StringRef clause = word == "sat" || word == "nosat" ? "saturation" : word;
    const auto *place = llvm::find(kClauses, clause);
    if (place == std::end(kClauses) || !llvm::is_contained(result.name.getAttributeNames(), clause))
      return parser.emitError(loc) << "`" << result.name.getStringRef() << "` has no clause `" << word << "`";
    if (order.take(parser, loc, word, unsigned(place - kClauses)))
      return failure();
    std::string value = word.str();
    if (hasWord(clause) && (parser.parseLParen() || parser.parseKeywordOrString(&value) || parser.parseRParen()))
      return failure();
    result.addAttribute(clause, hasWord(clause) || isWordItself(clause) ? Attribute(builder.getStringAttr(value))
                                                                        : builder.getUnitAttr());
  }
  return parseCubeTypes(parser, result, operands);
}

void printCubeProduct(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printOperands(op->getOperands());
  for (StringRef clause : kClauses) {
    Attribute attr = op->getAttr(clause);
    if (!attr)
      continue;
    auto word = dyn_cast<StringAttr>(attr);
    printer << " " << (isWordItself(clause) ? word.getValue() : clause);
    if (hasWord(clause))
      printer << "(" << word.getValue() << ")";
  }
  printCubeTypes(printer, op, kClauses);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The pointers come first, the numbers behind them.
static void bindProduct(Operation *op, tile::CubeStart start, bool mx, CubeBinding &binding) {
  const size_t pointers = cast<CubeOpInterface>(op).getPointerSpaces().size();
  binding.known.op = tile::CubeOp::Mad;
  binding.known.dst = Space::L0C;
  binding.known.start = start;
  binding.known.mx = mx;
  for (size_t i = 0; i < pointers; ++i) {
    binding.pointer[i] = op->getOperand(unsigned(i));
    if (i < std::size(binding.known.elem))
      binding.known.elem[i] = pointeeOf(binding.pointer[i]);
  }
  for (auto [i, number] : llvm::enumerate(op->getOperands().drop_front(pointers)))
    bindNumber(binding, i, number);
}

bool bindMad(Operation *op, tile::CubeStart start, bool mx, CubeBinding &binding) {
  bindProduct(op, start, mx, binding);
  auto word = [&](StringRef clause) {
    auto attr = op->getAttrOfType<StringAttr>(clause);
    return attr ? attr.getValue() : StringRef();
  };
  PtoCubeCall &known = binding.known;
  known.disableGemv = op->hasAttr("disable_gemv");
  known.unitFlag = llvm::StringSwitch<UnitFlag>(word("unit_flag"))
                       .Case("check_only", UnitFlag::CheckOnly)
                       .Case("check_and_set", UnitFlag::CheckAndSet)
                       .Default(UnitFlag::None);
  known.saturation = llvm::StringSwitch<tile::CubeSaturation>(word("saturation"))
                         .Case("sat", tile::CubeSaturation::Saturate)
                         .Case("nosat", tile::CubeSaturation::None)
                         .Default(tile::CubeSaturation::Default);
  known.tf32 = llvm::StringSwitch<tile::CubeTf32>(word("tf32_mode"))
                   .Case("round_even", tile::CubeTf32::RoundEven)
                   .Case("round_away", tile::CubeTf32::RoundAway)
                   .Default(tile::CubeTf32::None);
  return true;
}

bool bindMadRaw(Operation *op, tile::CubeStart start, bool mx, CubeBinding &binding) {
  bindProduct(op, start, mx, binding);
  binding.known.form = tile::CubeForm::Word;
  return true;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Memories and elements. Empty names where pointers are not resolved yet.
static LogicalResult verifyFactors(Operation *op, bool mx) {
  if (failed(verifySpaces(op, "MAD-20")))
    return failure();
  std::string names[3];
  for (auto [i, name] : llvm::enumerate(names)) {
    Type element = elementOf(op->getOperand(unsigned(i)));
    if (!element)
      return success();
    name = elementName(element);
  }
  auto &[a, b, c] = names;
  auto types = [&](InFlightDiagnostic diag) -> LogicalResult {
    return diag << elementOf(op->getOperand(0)) << " x " << elementOf(op->getOperand(1)) << " -> "
                << elementOf(op->getOperand(2));
  };
  auto both = [&](std::initializer_list<StringRef> list) {
    return llvm::is_contained(list, a) && llvm::is_contained(list, b);
  };
  if (mx) {
    if (c != "f32" || !(both({"e4m3", "e5m2"}) || both({"e1m2x2", "e2m1x2"})))
      return types(
          breaks(op, "MAD-24") << "the sides are f8E4M3FN or f8E5M2, or f4E1M2x2 or f4E2M1x2, and the result is "
                                  "f32, not ");
  } else {
    if ((a == "hif8") != (b == "hif8"))
      return types(breaks(op, "MAD-22") << "both sides are hif8, or neither is: ");
    const bool floats = both({"f16"}) || both({"bf16"}) || both({"f32"}) || both({"e4m3", "e5m2"}) || both({"hif8"});
    const bool ints = both({"i8", "u8"}) || both({"i4"});
    if (!(floats && c == "f32") && !(ints && c == "i32"))
      return types(breaks(op, "MAD-25") << "there is no product ");
  }
  if (cast<CubeOpInterface>(op).getPointerSpaces().size() < 4)
    return success();
  if (Type bias = elementOf(op->getOperand(3)); bias && bias != elementOf(op->getOperand(2)))
    return breaks(op, "MAD-20") << "the bias has " << bias << " elements, the result " << elementOf(op->getOperand(2));
  return success();
}

LogicalResult verifyMad(Operation *op, bool mx) {
  if (failed(verifyFactors(op, mx)))
    return failure();
  OperandRange sizes = op->getOperands().take_back(3);
  constexpr StringLiteral kNames[] = {"m", "n", "k"};
  for (auto [what, size] : llvm::zip(kNames, sizes))
    if (failed(verifyRange(op, "MAD-18", what, size, 1, 4095)))
      return failure();
  Type left = elementOf(op->getOperand(0));
  if (left && op->hasAttr("tf32_mode") && !left.isF32())
    return breaks(op, "MAD-21") << "`tf32_mode` rounds f32 operands, these are " << left;
  if (left && op->hasAttr("saturation") && isa<IntegerType>(left))
    return breaks(op, "MAD-23") << "`sat` and `nosat` are for float types, the operands are " << left;
  return success();
}

LogicalResult verifyMadRaw(Operation *op, bool mx) {
  if (failed(verifyFactors(op, mx)))
    return failure();
  constexpr unsigned kBiasBit = 62;
  const bool hasBias = cast<CubeOpInterface>(op).getPointerSpaces().size() > 3;
  std::optional<int64_t> word = fixedNumber(op->getOperands().back());
  if (word && !hasBias && uint64_t(*word) >> kBiasBit & 1)
    return breaks(op, "MAD-26") << "bit " << kBiasBit << " of its word starts with a bias, and it has none";
  return success();
}

} // namespace ptoscope::pto
