//===- CubeLoads.cpp - loads of L1, L0A, L0B and BT -----------------------===//

#include "CubeText.h"

using namespace mlir;

namespace ptoscope::pto {

namespace cube = tile::cube;

/// Both sides have one element, of the list of the record.
static LogicalResult verifyElements(Operation *op, Value src, Value dst, StringRef label) {
  Type from = elementOf(src), to = elementOf(dst);
  if (!from || !to) // a pointer that is not resolved yet
    return success();
  if (failed(verifyElement(op, from, label)))
    return failure();
  if (from != to)
    return breaks(op, label) << "elements of the source are " << from << ", of the destination " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// GM to NZ in L1
//===----------------------------------------------------------------------===//

namespace {
/// `word(%a, %b)` of the text, and `word i64, i64` of its types.
struct Group {
  StringLiteral word;
  size_t least, most;
  bool bracketed = false; ///< the types
};
constexpr Group kFracGroups[] = {{"shape", 2, 2}, {"src_layout", 1, 2, true}, {"dst_group", 4, 4}, {"ctrl", 2, 2}};
} // namespace

static ParseResult parseOrder(OpAsmParser &parser, std::string &order) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&order))
    return failure();
  if (order != "nd2nz" && order != "dn2nz")
    return parser.emitError(loc) << "expected `nd2nz` or `dn2nz`, got `" << order << "`";
  return success();
}

static ParseResult parseGroupTypes(OpAsmParser &parser, const Group &group, size_t count,
                                   SmallVectorImpl<Type> &types) {
  if (parser.parseComma() || parser.parseKeyword(group.word))
    return failure();
  llvm::SMLoc loc = parser.getCurrentLocation();
  bool open = succeeded(parser.parseOptionalLParen());
  if (open != group.bracketed)
    remarkLoose(parser, loc,
                "the types of `" + group.word + "` stand " + (open ? "without" : "in") + Twine(" parentheses"));
  for (size_t i = 0; i < count; ++i)
    if ((i && parser.parseComma()) || parser.parseType(types.emplace_back()))
      return failure();
  return open ? parser.parseRParen() : success();
}

ParseResult parseCubeFrac(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands(2);
  SmallVector<Type> types(2);
  size_t counts[std::size(kFracGroups)];
  std::string order, again;
  llvm::SMLoc loc = parser.getNameLoc();
  for (OpAsmParser::UnresolvedOperand &operand : operands) {
    if (parser.parseOperand(operand))
      return failure();
    (void)parser.parseOptionalComma();
  }
  if (parseOrder(parser, order))
    return failure();
  for (auto [group, count] : llvm::zip(kFracGroups, counts)) {
    SmallVector<OpAsmParser::UnresolvedOperand, 4> own;
    if (parser.parseComma() || parser.parseKeyword(group.word))
      return failure();
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseOperandList(own, OpAsmParser::Delimiter::Paren))
      return failure();
    if (own.size() < group.least || own.size() > group.most)
      return parser.emitError(at) << "`" << group.word << "(...)` takes " << group.least
                                  << (group.least < group.most ? " or 2" : "") << " operands, got " << own.size();
    count = own.size();
    operands.append(own);
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTypeOrPtr(parser, types[0]) ||
      parser.parseComma() || parseTypeOrPtr(parser, types[1]) || parser.parseComma() || parseOrder(parser, again))
    return failure();
  if (order != again)
    return parser.emitError(loc) << "the type list says `" << again << "`, the instruction `" << order << "`";
  for (auto [group, count] : llvm::zip(kFracGroups, counts))
    if (parseGroupTypes(parser, group, count, types))
      return failure();
  result.addAttribute("order", parser.getBuilder().getStringAttr(order));
  return parser.resolveOperands(operands, types, loc, result.operands);
}

void printCubeFrac(OpAsmPrinter &printer, MteGmL1FracOp op) {
  printer << " " << op.getSrc() << ", " << op.getDst() << ", " << op.getOrder() << ", shape(" << op.getRows() << ", "
          << op.getCols() << "), src_layout(" << op.getInner();
  if (op.getOuter())
    printer << ", " << op.getOuter();
  printer << "), dst_group(" << op.getGroups() << ", " << op.getL2() << ", " << op.getL3() << ", " << op.getL4()
          << "), ctrl(" << op.getCache() << ", " << op.getSmallC0() << ")";
  printer.printOptionalAttrDict(op->getAttrs(), {"order"});
  printer << " : " << op.getSrc().getType() << ", " << op.getDst().getType() << ", " << op.getOrder()
          << ", shape i64, i64, src_layout(i64" << (op.getOuter() ? ", i64" : "")
          << "), dst_group i64, i64, i64, i64, ctrl i64, i1";
}

bool bindFrac(MteGmL1FracOp op, CubeBinding &binding) {
  binding.known.op = tile::CubeOp::Frac;
  binding.known.dst = Space::L1;
  binding.known.elem[0] = pointeeOf(op.getSrc());
  binding.known.elem[1] = pointeeOf(op.getDst());
  binding.known.transpose = op.getOrder() == "dn2nz";
  binding.pointer[cube::kSrc] = op.getSrc();
  binding.pointer[cube::kDst] = op.getDst();
  for (auto [place, value] : {std::pair(cube::kRows, op.getRows()),
                              {cube::kCols, op.getCols()},
                              {cube::kInner, op.getInner()},
                              {cube::kOuter, op.getOuter()},
                              {cube::kGroups, op.getGroups()},
                              {cube::kL2, op.getL2()},
                              {cube::kL3, op.getL3()},
                              {cube::kL4, op.getL4()},
                              {cube::kCache, op.getCache()},
                              {cube::kSmallC0, op.getSmallC0()}})
    bindNumber(binding, place, value);
  return true;
}

LogicalResult verifyFrac(MteGmL1FracOp op) {
  constexpr StringLiteral kLabel = "FRAC-14";
  if (failed(verifySpaces(op, kLabel)) || failed(verifyElements(op, op.getSrc(), op.getDst(), kLabel)))
    return failure();
  if (std::optional<int64_t> groups = fixedNumber(op.getGroups()); groups && *groups < 1)
    return breaks(op, kLabel) << "the count of groups is " << *groups << "; it must be above 0";
  for (auto [what, stride] : {std::pair("the inner stride", op.getInner()),
                              {"the outer stride", op.getOuter()},
                              {"l2", op.getL2()},
                              {"l3", op.getL3()},
                              {"l4", op.getL4()}})
    if (std::optional<int64_t> fixed = fixedNumber(stride); fixed && *fixed < 0)
      return breaks(op, kLabel) << what << " is " << *fixed << "; strides are not negative";
  std::optional<int64_t> small = fixedNumber(op.getSmallC0()), cols = fixedNumber(op.getCols());
  if (small.value_or(0) && cols.value_or(0) > 4)
    return breaks(op, kLabel) << "with `smallc0` a row has at most 4 columns, not " << *cols;
  return success();
}

//===----------------------------------------------------------------------===//
// A word over L1
//===----------------------------------------------------------------------===//

/// The scalars: an offset where there is one, the word, three counts.
static OperandRange fillNumbers(Operation *op) { return op->getOperands().drop_front(); }
static int64_t fillBits(Operation *op) { return op->getAttrOfType<IntegerAttr>("fill_word_bits").getInt(); }

bool bindFill(Operation *op, CubeBinding &binding) {
  binding.known.op = tile::CubeOp::Fill;
  binding.known.dst = Space::L1;
  binding.known.elem[1] = fillBits(op) == 16 ? tile::Elem::u16 : tile::Elem::u32;
  binding.pointer[cube::kDst] = op->getOperand(0);
  OperandRange numbers = fillNumbers(op);
  for (auto [i, value] : llvm::enumerate(numbers)) // counted from the end: the offset comes first
    bindNumber(binding, cube::kGap + 1 - numbers.size() + i, value);
  return true;
}

LogicalResult verifyFill(Operation *op) {
  constexpr StringLiteral kLabel = "FILL-2";
  if (failed(verifySpaces(op, kLabel)))
    return failure();
  const int64_t bits = fillBits(op);
  if (bits != 16 && bits != 32)
    return breaks(op, kLabel) << "`fill_word_bits` is " << bits << "; a word has 16 or 32 bits";
  OperandRange numbers = fillNumbers(op);
  const bool hasOffset = numbers.size() == 5;
  if (std::optional<int64_t> offset = hasOffset ? fixedNumber(numbers[0]) : std::nullopt;
      offset && (*offset < 0 || *offset % 32))
    return breaks(op, kLabel) << "the offset is " << *offset << "; it must be a multiple of 32";
  constexpr StringLiteral kNames[] = {"the repeat count", "the count of blocks", "the gap"};
  for (auto [what, count] : llvm::zip(kNames, numbers.take_back(3)))
    if (failed(verifyRange(op, kLabel, what, count, 0, 32767)))
      return failure();
  Type element = elementOf(op->getOperand(0));
  if (!hasOffset && element && !element.isUnsignedInteger(unsigned(bits)))
    return breaks(op, "FILL-3") << "the pointer has " << element << " elements, the word is ui" << bits;
  return success();
}

//===----------------------------------------------------------------------===//
// L1 to L0A, L0B and the scales
//===----------------------------------------------------------------------===//

/// After the pointers: scalars, or the six of them by name, in any order.
static ParseResult parseNamedLoad(OpAsmParser &parser, OperationState &result, ArrayRef<StringRef> names) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<std::optional<OpAsmParser::UnresolvedOperand>> named(names.size());
  llvm::SMLoc loc = parser.getNameLoc();
  auto wrong = [&](llvm::SMLoc at) {
    return parser.emitError(at) << "`" << result.name.getStringRef() << "` breaks CUBE-11: ";
  };
  bool comma = false;
  if (parseCubeOperands(parser, operands, comma))
    return failure();
  size_t count = 0;
  while (comma) {
    llvm::SMLoc at = parser.getCurrentLocation();
    StringRef word;
    if (failed(parser.parseOptionalKeyword(&word)))
      return wrong(at) << "scalars have names, or none of them has";
    const auto *place = llvm::find(names, word);
    if (place == names.end())
      return wrong(at) << "it has no `" << word << "`; the names are " << llvm::join(names, ", ");
    auto &slot = named[size_t(place - names.begin())];
    if (slot)
      return wrong(at) << "`" << word << "` stands twice";
    if (parser.parseLParen() || parser.parseOperand(slot.emplace()) || parser.parseRParen())
      return failure();
    ++count;
    comma = succeeded(parser.parseOptionalComma());
  }
  if (count && operands.size() != 2)
    return wrong(loc) << "scalars have names, or none of them has";
  if (count && count != names.size())
    return wrong(loc) << "it has " << count << " of the names " << llvm::join(names, ", ");
  for (auto &value : named)
    if (value)
      operands.push_back(*value);
  return parseCubeTypes(parser, result, operands);
}

ParseResult parseCubeLoad(OpAsmParser &parser, OperationState &result) {
  return parseNamedLoad(parser, result, {"m_start", "k_start", "m_step", "k_step", "src_stride", "dst_stride"});
}
ParseResult parseCubeScales(OpAsmParser &parser, OperationState &result) {
  return parseNamedLoad(parser, result, {"x_start", "y_start", "x_step", "y_step", "src_stride", "dst_stride"});
}

bool bindL0Load(Operation *op, tile::CubeOp kind, CubeBinding &binding) {
  Value src = op->getOperand(0), dst = op->getOperand(1);
  OperandRange numbers = op->getOperands().drop_front(2);
  binding.known.op = kind;
  binding.known.form = numbers.size() == 6 ? tile::CubeForm::Steps : tile::CubeForm::Shape;
  binding.known.dst = cast<PtrType>(dst.getType()).getSpace();
  binding.known.elem[0] = pointeeOf(src);
  binding.known.elem[1] = pointeeOf(dst);
  auto transpose = op->getAttrOfType<BoolAttr>("transpose");
  binding.known.transpose = transpose && transpose.getValue();
  binding.pointer[cube::kSrc] = src;
  binding.pointer[cube::kDst] = dst;
  for (auto [i, value] : llvm::enumerate(numbers)) {
    // Of L0B the text has k first.
    const bool swapped = numbers.size() != 6 && i < 2 && binding.known.dst == Space::L0B;
    bindNumber(binding, swapped ? 1 - i : i, value);
  }
  return true;
}

LogicalResult verifyL0Load(Operation *op, std::initializer_list<size_t> counts) {
  Value src = op->getOperand(0), dst = op->getOperand(1);
  if (failed(verifySpaces(op, "CUBE-10")) || failed(verifyElements(op, src, dst, "CUBE-10")))
    return failure();
  OperandRange numbers = op->getOperands().drop_front(2);
  if (!llvm::is_contained(counts, numbers.size())) {
    InFlightDiagnostic diag = breaks(op, "CUBE-11") << "it has " << numbers.size() << " scalars, not ";
    llvm::interleave(counts, diag, " or ");
    return diag;
  }
  if (numbers.size() == 4)
    for (Value start : numbers.drop_front(2))
      if (fixedNumber(start) != 0)
        return breaks(op, "CUBE-6") << "the starts must be the constant 0; manuals disagree about what they count";
  if (numbers.size() != 6)
    return success();
  for (Value start : numbers.take_front(2))
    if (std::optional<int64_t> fixed = fixedNumber(start); fixed && *fixed < 0)
      return breaks(op, "CUBE-10") << "a start is " << *fixed << "; starts are not negative";
  constexpr std::tuple<StringLiteral, int64_t, int64_t> kRanges[] = {
      {"a start", 0, 65535}, {"a step", 1, 255}, {"a stride", 1, 65535}};
  for (auto [i, number] : llvm::enumerate(numbers)) {
    auto [what, low, high] = kRanges[i / 2];
    if (failed(verifyRange(op, "CUBE-12", what, number, low, high)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bias
//===----------------------------------------------------------------------===//

bool bindBias(TransferOpInterface op, CubeBinding &binding) {
  Value src = op.get(TransferRole::Src), dst = op.get(TransferRole::Dst);
  if (elementOf(src) == elementOf(dst))
    return false;
  binding.known.op = tile::CubeOp::Bias;
  binding.known.dst = Space::Bt;
  binding.known.elem[0] = pointeeOf(src);
  binding.known.elem[1] = pointeeOf(dst);
  binding.pointer[cube::kSrc] = src;
  binding.pointer[cube::kDst] = dst;
  for (auto [place, role] : {std::pair(cube::kBurst, TransferRole::Len),
                             {cube::kBursts, TransferRole::Count},
                             {cube::kSrcGap, TransferRole::SrcStep},
                             {cube::kDstGap, TransferRole::DstStep}})
    bindNumber(binding, place, op.get(role));
  return true;
}

LogicalResult verifyBias(TransferOpInterface op) {
  Type from = elementOf(op.get(TransferRole::Src)), to = elementOf(op.get(TransferRole::Dst));
  if (!from || !to)
    return breaks(op, "BIAS-5") << "nothing tells the element of its pointer; write it as `!pto.ptr<T, space>`";
  const std::string narrow = elementName(from), wide = elementName(to);
  const bool widens = wide == "f32" && (narrow == "f16" || narrow == "bf16");
  if (!widens && !(from == to && (wide == "f32" || wide == "i32")))
    return breaks(op, "BIAS-5") << "it copies f32 and i32 and widens f16 and bf16 to f32; it does not make " << to
                                << " of " << from;
  if (Value word = op.get(TransferRole::Widen); word && fixedNumber(word) != int64_t(widens))
    return breaks(op, "BIAS-4") << "its third operand must be the constant " << (widens ? "1: " : "0: ") << from
                                << " elements " << (widens ? "widen to " : "stay ") << to;
  return success();
}

} // namespace ptoscope::pto
