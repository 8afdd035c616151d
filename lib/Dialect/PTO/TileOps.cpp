//===- TileOps.cpp - tiles, their parts, and regions of them --------------===//

#include "TileParsing.h"

#include "ptoscope/Support/Text.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// `addr = %a valid_row = %r valid_col = %c : T`, each optional, in any order.
static ParseResult parseAlloc(OpAsmParser &parser, OperationState &result) {
  std::optional<OpAsmParser::UnresolvedOperand> values[3];
  static constexpr StringRef words[] = {"addr", "valid_row", "valid_col"};
  StringRef word;
  llvm::SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&word, words))) {
    auto &value = values[llvm::find(words, word) - words];
    if (value)
      return parser.emitError(loc) << "`" << result.name.getStringRef() << "` gives `" << word << "` twice";
    if (parser.parseEqual() || parser.parseOperand(value.emplace()))
      return failure();
    (void)parser.parseOptionalComma();
    loc = parser.getCurrentLocation();
  }
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTypeOrTile(parser, type))
    return failure();
  setSegments(parser, result, {values[0].has_value(), values[1].has_value(), values[2].has_value()});
  for (auto [k, value] : llvm::enumerate(values))
    if (value &&
        parser.resolveOperand(*value, k ? Type(parser.getBuilder().getIndexType()) : parser.getBuilder().getI64Type(),
                              result.operands))
      return failure();
  result.addTypes(type);
  return success();
}

template <typename Op> static void printAlloc(OpAsmPrinter &printer, Op op) {
  for (auto [word, value] :
       {std::pair("addr", Value(op.getAddr())), {"valid_row", op.getValidRow()}, {"valid_col", op.getValidCol()}})
    if (value)
      printer << " " << word << " = " << value;
  printAttributes(printer, op);
  printer << " : " << op.getResult().getType();
}

/// TILE-3 and TILE-4, for a tile that has storage of its own.
static LogicalResult verifyLayout(Operation *op, TileBufType tile) {
  tile::Extents box = tile.box();
  unsigned bytes = bitsOf(tile.getElement()) / 8;
  bool rowMajor = tile.getBlayout() == tile::BLayout::RowMajor;
  // The layout of a `left` tile is the target's: either may be meant.
  bool either = tile.getSpace() == Space::L0A && (tile.getRows() * bytes % 32 == 0 || tile.getCols() * bytes % 32 == 0);
  int64_t extent = rowMajor ? tile.getCols() : tile.getRows();
  if (!tile.isBoxed() && !either && extent * bytes % 32)
    return breaks(op, "TBUF-9") << (rowMajor ? "a row" : "a column") << " of " << tile << " has " << extent * bytes
                                << " bytes, not a multiple of 32";
  if (!tile.isBoxed())
    return success();
  bool anyRows = tile.getSpace() == Space::Ub || tile.getFractal() == 32 || tile.getRows() == 1;
  if (tile.getCols() % box.cols || (!anyRows && tile.getRows() % box.rows))
    return breaks(op, "TBUF-9") << tile << " does not consist of whole boxes of " << box.rows << "x" << box.cols;
  return success();
}

/// TBUF-13, for extents that are constants.
static LogicalResult verifyExtents(Operation *op, TileBufType tile, Value rows, Value cols) {
  for (auto [value, capacity, what] : {std::tuple(rows, tile.getRows(), "rows"), {cols, tile.getCols(), "columns"}})
    if (auto number = constantOf(value); number && (*number < 0 || *number > capacity))
      return breaks(op, "TBUF-13") << *number << " valid " << what << ", but " << tile << " has " << capacity;
  return success();
}

/// PLAN-8, for an address that is a constant.
static LogicalResult verifyAddress(Operation *op, Value address) {
  std::optional<int64_t> number = constantOf(address);
  if (!number || (*number >= 0 && *number % 32 == 0))
    return success();
  return breaks(op, "PLAN-8") << "address " << *number << " is not a multiple of 32 from 0 on";
}

template <typename Op> static LogicalResult verifyAlloc(Op op, TileBufType tile) {
  // A tile that set_validshape gives its extents later (ALLOC-3).
  bool later = tile.hasDynamicRows() && tile.hasDynamicCols() && !op.getValidRow() && !op.getValidCol();
  for (auto [dynamic, value, word] : {std::tuple(tile.hasDynamicRows(), op.getValidRow(), "valid_row"),
                                      {tile.hasDynamicCols(), op.getValidCol(), "valid_col"}})
    if (!later && dynamic != bool(value))
      return breaks(op, "ALLOC-2") << "it " << (value ? "has" : "has no") << " `" << word << "`, but that extent of "
                                   << tile << " is " << (dynamic ? "dynamic" : "fixed");
  if (failed(verifyLayout(op, tile)) || failed(verifyExtents(op, tile, op.getValidRow(), op.getValidCol())))
    return failure();
  return verifyAddress(op, op.getAddr());
}
LogicalResult AllocTileOp::verify() { return verifyAlloc(*this, cast<TileBufType>(getResult().getType())); }
LogicalResult AllocMultiTileOp::verify() {
  return verifyAlloc(*this, cast<MultiTileBufType>(getResult().getType()).getTile());
}

LogicalResult MultiTileGetOp::verify() {
  auto tiles = cast<MultiTileBufType>(getTiles().getType());
  if (getResult().getType() != tiles.getTile())
    return breaks(*this, "ALLOC-6") << "the tiles are " << tiles.getTile() << ", the result is "
                                    << getResult().getType();
  std::optional<int64_t> index = constantOf(getIndex());
  if (index && (*index < 0 || *index >= tiles.getCount()))
    return breaks(*this, "ALLOC-6") << "there are tiles 0 to " << tiles.getCount() - 1 << ", not " << *index;
  return success();
}

/// `%t[%r, %c] sizes [R, C] valid [%vr, %vc] : T -> T`, or the older spelling of
/// partition_view.
static ParseResult parseSubview(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  Operands offsets, valid;
  SmallVector<int64_t> sizes;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(source))
    return failure();
  if (*parser.getCurrentLocation().getPointer() == ',') {
    remarkLoose(parser, loc, "`" + result.name.getStringRef() + "` of a view is taken as `pto.partition_view`");
    result.name = OperationName(PartitionViewOp::getOperationName(), parser.getContext());
    return parsePartitionOf(parser, result, source);
  }
  auto number = [&] { return parser.parseInteger(sizes.emplace_back()); };
  if (parser.parseOperandList(offsets, 2, OpAsmParser::Delimiter::Square) || parser.parseKeyword("sizes"))
    return failure();
  llvm::SMLoc sizesLoc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, number))
    return failure();
  if (sizes.size() != 2)
    return parser.emitError(sizesLoc) << "a window has two sizes, `sizes [ROWS, COLS]`";
  if (succeeded(parser.parseOptionalKeyword("valid")) &&
      parser.parseOperandList(valid, 2, OpAsmParser::Delimiter::Square))
    return failure();
  TileBufType tile;
  Type parent, window, index = parser.getBuilder().getIndexType();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  llvm::SMLoc typeLoc = parser.getCurrentLocation();
  if (parseTypeOrTile(parser, parent) || (succeeded(parser.parseOptionalArrow()) && parseTypeOrTile(parser, window)))
    return failure();
  if (!(tile = dyn_cast<TileBufType>(parent)))
    return parser.emitError(typeLoc) << "a window is part of a `!pto.tile_buf`, not of " << parent;
  setSegments(parser, result, {1, 1, 1, valid.size() / 2, valid.size() / 2});
  result.addAttribute("sizes", parser.getBuilder().getDenseI64ArrayAttr(sizes));
  if (parser.resolveOperand(source, tile, result.operands) ||
      parser.resolveOperands(offsets, index, loc, result.operands) ||
      parser.resolveOperands(valid, index, loc, result.operands))
    return failure();
  if (!window) { // ALIAS-3
    int64_t extents[2] = {sizes[0], sizes[1]};
    if (!valid.empty())
      for (auto [k, value] : llvm::enumerate(ArrayRef<Value>(result.operands).take_back(2))) {
        std::optional<int64_t> constant = constantOf(value);
        extents[k] = constant && *constant >= 0 && *constant <= sizes[k] ? *constant : ShapedType::kDynamic;
      }
    window = TileBufType::getChecked([&] { return parser.emitError(sizesLoc); }, parser.getContext(), tile.getSpace(),
                                     tile.getElement(), sizes[0], sizes[1], extents[0], extents[1], tile.getBlayout(),
                                     tile.getSlayout(), tile.getFractal(), tile.getPad(), tile.getCompact());
  }
  if (!window)
    return failure();
  result.addTypes(window);
  return success();
}

static void printSubview(OpAsmPrinter &printer, SubviewOp op) {
  printer << " " << op.getSource() << "[" << op.getRow() << ", " << op.getCol() << "] sizes [" << op.getSizes()[0]
          << ", " << op.getSizes()[1] << "]";
  if (op.getValidRow())
    printer << " valid [" << op.getValidRow() << ", " << op.getValidCol() << "]";
  printAttributes(printer, op, {"sizes"});
  printer << " : " << op.getSource().getType() << " -> " << op.getResult().getType();
}

LogicalResult SubviewOp::verify() {
  auto tile = cast<TileBufType>(getSource().getType()), window = cast<TileBufType>(getResult().getType());
  if (getSizes().size() != 2 || bool(getValidRow()) != bool(getValidCol()))
    return breaks(*this, "ALIAS-1") << "a window has two sizes, and two valid extents or none";
  int64_t sizes[2] = {getSizes()[0], getSizes()[1]}, capacity[2] = {tile.getRows(), tile.getCols()};
  // The sizes may be those of no tile.
  if (window.getRows() != sizes[0] || window.getCols() != sizes[1] ||
      window.withShape(1, 1, 1, 1) != tile.withShape(1, 1, 1, 1))
    return breaks(*this, "ALIAS-1") << "a window of " << sizes[0] << "x" << sizes[1] << " of " << tile << " is not a "
                                    << window;
  Value offsets[2] = {getRow(), getCol()}, valid[2] = {getValidRow(), getValidCol()};
  int64_t fixed[2] = {window.getValidRows(), window.getValidCols()};
  tile::Extents unit = tile.box();
  int64_t box[2] = {unit.rows, unit.cols};
  for (int k : {0, 1}) {
    StringRef what = k ? "column" : "row";
    std::optional<int64_t> offset = constantOf(offsets[k]), extent = constantOf(valid[k]);
    if (!valid[k] && ShapedType::isDynamic(fixed[k]))
      return breaks(*this, "ALIAS-3") << "nothing gives the dynamic valid " << what << "s of " << window;
    if (extent && (*extent < 0 || *extent > sizes[k] || (!ShapedType::isDynamic(fixed[k]) && *extent != fixed[k])))
      return breaks(*this, "ALIAS-3") << *extent << " valid " << what << "s, but the window is " << window;
    if (sizes[k] < 1 || sizes[k] > capacity[k])
      return breaks(*this, "ALIAS-5") << "a window of " << sizes[k] << " " << what << "s is not inside " << tile;
    if (offset && (*offset < 0 || *offset > capacity[k] - sizes[k]))
      return breaks(*this, "ALIAS-5") << sizes[k] << " " << what << "s from " << what << " " << *offset
                                      << " on are not inside " << tile;
    if (sizes[k] % box[k] || (offset && *offset % box[k]))
      return breaks(*this, "ALIAS-4") << sizes[k] << " " << what << "s"
                                      << (offset ? " from " + std::to_string(*offset) + " on" : std::string())
                                      << " are not whole boxes of " << box[0] << "x" << box[1];
  }
  return success();
}

LogicalResult SetValidShapeOp::verify() {
  auto tile = cast<TileBufType>(getTile().getType());
  if (!tile.hasDynamicRows() || !tile.hasDynamicCols())
    return breaks(*this, "ALIAS-7") << "the valid extents of " << tile << " are fixed; it needs `valid=?x?`";
  return verifyExtents(*this, tile, getRows(), getCols());
}

LogicalResult BitcastOp::verify() {
  auto from = cast<TileBufType>(getSource().getType()), to = cast<TileBufType>(getResult().getType());
  if (bitsOf(from.getElement()) != bitsOf(to.getElement()) || from.withElement(to.getElement()) != to)
    return breaks(*this, "ALIAS-9") << "from " << from << " to " << to
                                    << " it would change more than the element, or its size";
  return success();
}

/// `%t : T -> T`, or `ins(%t : T) outs(%u : T)`
static ParseResult parseReshape(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("ins")))
    return parseOnTile(parser, result, Type());
  OpAsmParser::UnresolvedOperand source, target;
  Type from, to;
  return failure(
      parser.parseLParen() || parser.parseOperand(source) || parser.parseColon() || parseTypeOrTile(parser, from) ||
      parser.parseRParen() || parser.parseKeyword("outs") || parser.parseLParen() || parser.parseOperand(target) ||
      parser.parseColon() || parseTypeOrTile(parser, to) || parser.parseRParen() ||
      parser.parseOptionalAttrDict(result.attributes) || parser.resolveOperand(source, from, result.operands) ||
      parser.resolveOperand(target, to, result.operands));
}

static void printReshape(OpAsmPrinter &printer, TReshapeOp op) {
  if (!op.getTarget())
    return printOnTile(printer, op);
  printer << " ins(" << op.getSource() << " : " << op.getSource().getType() << ") outs(" << op.getTarget() << " : "
          << op.getTarget().getType() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
}

LogicalResult TReshapeOp::verify() {
  if (bool(getTarget()) == bool(getResult()))
    return breaks(*this, "ALIAS-10") << "it has a result or `outs`, and not both";
  auto from = cast<TileBufType>(getSource().getType());
  auto to = cast<TileBufType>((getTarget() ? getTarget() : getResult()).getType());
  if (from.getSpace() != to.getSpace() || from.isBoxed() != to.isBoxed())
    return breaks(*this, "ALIAS-10") << from << " and " << to
                                     << " are not in one memory, or not both boxed or both unboxed";
  if (from.getBytes() != to.getBytes())
    return breaks(*this, "ALIAS-10") << from << " has " << from.getBytes() << " bytes, " << to << " has "
                                     << to.getBytes();
  return verifyLayout(*this, to);
}

LogicalResult TileBufAddrOp::verify() {
  auto tile = cast<TileBufType>(getTile().getType());
  auto ptr = dyn_cast<PtrType>(getResult().getType());
  if (ptr && ptr.isResolved() && (ptr.getSpace() != tile.getSpace() || ptr.getElement() != tile.getElement()))
    return breaks(*this, "ALIAS-12") << "the tile is " << tile << ", the pointer is " << ptr;
  return success();
}

LogicalResult TAssignOp::verify() {
  if (getSource().getType() != getResult().getType())
    return breaks(*this, "ALIAS-13") << "it turns " << getSource().getType() << " into " << getResult().getType();
  return verifyAddress(*this, getAddr());
}

//===----------------------------------------------------------------------===//
// Structure, order, output
//===----------------------------------------------------------------------===//

/// `{ body } : T, ...`
static ParseResult parseFusion(OpAsmParser &parser, OperationState &result) {
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, /*arguments=*/{}) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  Block &block = body->front();
  if (block.empty() || !isa<YieldOp>(block.back())) {
    OpBuilder builder(parser.getContext()); // the region is in no operation yet
    builder.setInsertionPointToEnd(&block);
    builder.create<YieldOp>(result.location, ValueRange());
  }
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalColon()) && parseTileTypes(parser, types))
    return failure();
  result.addTypes(types);
  return success();
}

static void printFusion(OpAsmPrinter &printer, FusionRegionOp op) {
  printer << " ";
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(op->getAttrs());
  if (op->getNumResults())
    printer << " : " << op->getResultTypes();
}

LogicalResult FusionRegionOp::verify() {
  Operation *yield = getBody().front().getTerminator();
  if (yield->getOperandTypes() != getResultTypes())
    return breaks(*this, "TIR-10") << "it yields " << plural(yield->getNumOperands(), "value") << " ("
                                   << yield->getOperandTypes() << ") for " << plural(getNumResults(), "result") << " ("
                                   << getResultTypes() << ")";
  return success();
}

/// `(%v, ...) : (T, ...) -> ()`, or nothing
static ParseResult parseYield(OpAsmParser &parser, OperationState &result) {
  Operands values;
  FunctionType type;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (*loc.getPointer() != '(')
    return parser.parseOptionalAttrDict(result.attributes);
  return failure(parser.parseOperandList(values, OpAsmParser::Delimiter::Paren) ||
                 parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
                 parser.resolveOperands(values, type.getInputs(), loc, result.operands));
}

static void printYield(OpAsmPrinter &printer, YieldOp op) {
  if (op->getNumOperands())
    printer << "(" << op->getOperands() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
  if (op->getNumOperands())
    printer << " : (" << op->getOperandTypes() << ") -> ()";
}

/// `ins(%a, ... : T, ...)`
static ParseResult parseInsOnly(OpAsmParser &parser, OperationState &result) {
  return failure(parser.parseKeyword("ins") || parseGroup(parser, result) ||
                 parser.parseOptionalAttrDict(result.attributes));
}

static void printInsOnly(OpAsmPrinter &printer, Operation *op) {
  printer << " ins(" << op->getOperands() << " : " << op->getOperandTypes() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
}

/// `ins("format", %x : T)`
static ParseResult parsePrint(OpAsmParser &parser, OperationState &result) {
  std::string format;
  OpAsmParser::UnresolvedOperand value;
  Type type;
  if (parser.parseKeyword("ins") || parser.parseLParen() || parser.parseString(&format) || parser.parseComma() ||
      parser.parseOperand(value) || parser.parseColonType(type) || parser.parseRParen() ||
      parser.parseOptionalAttrDict(result.attributes) || parser.resolveOperand(value, type, result.operands))
    return failure();
  result.addAttribute("format", parser.getBuilder().getStringAttr(format));
  return success();
}

static void printPrint(OpAsmPrinter &printer, PrintOp op) {
  printer << " ins(" << op.getFormatAttr() << ", " << op.getValue() << " : " << op.getValue().getType() << ")";
  printer.printOptionalAttrDict(op->getAttrs(), {"format"});
}

#include "ptoscope/Dialect/PTO/TileOps.defs.inc"
