//===- TileOps.cpp - views, tiles, their parts, arrays, structs -----------===//

#include "Parsing.h"

#include "ptoscope/Support/Text.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

using Operands = SmallVector<OpAsmParser::UnresolvedOperand>;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult ptoscope::pto::parseTypeOrTile(AsmParser &parser, Type &type) {
  OptionalParseResult result = parser.parseOptionalType(type);
  if (result.has_value())
    return *result;
  llvm::SMLoc loc = parser.getCurrentLocation();
  type = TileBufType::parseBody(parser);
  if (type)
    remarkLoose(parser, loc, "a tile type without `!pto.tile_buf`");
  return failure(!type);
}

static ParseResult parseTileTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList([&] { return parseTypeOrTile(parser, types.emplace_back()); });
}

/// `%a, %i, ... : T -> R`, with the types of the other operands or without.
static ParseResult parseOnTile(OpAsmParser &parser, OperationState &result, Type rest) {
  Operands operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  llvm::SMLoc typesLoc = parser.getCurrentLocation();
  if (parseTileTypes(parser, types))
    return failure();
  if (types.size() > 1)
    remarkLoose(parser, typesLoc, "`" + result.name.getStringRef() + "` lists the type of its first operand only");
  else
    types.resize(operands.size(), rest);
  if (result.name.getStringRef() == GetValidShapeOp::getOperationName()) {
    result.addTypes({parser.getBuilder().getIndexType(), parser.getBuilder().getIndexType()});
  } else if (succeeded(parser.parseOptionalArrow())) {
    Type type;
    if (parseTypeOrTile(parser, type))
      return failure();
    result.addTypes(type);
  }
  return parser.resolveOperands(operands, types, loc, result.operands);
}

static void printOnTile(OpAsmPrinter &printer, Operation *op) {
  printer << " " << op->getOperands();
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getOperand(0).getType();
  if (op->getNumResults() == 1)
    printer << " -> " << op->getResult(0).getType();
}

/// `, WORD = [%a, ...]`
static ParseResult parseNamedList(OpAsmParser &parser, StringRef word, Operands &operands) {
  return failure(parser.parseComma() || parser.parseKeyword(word) || parser.parseEqual() ||
                 parser.parseOperandList(operands, OpAsmParser::Delimiter::Square));
}

static void printNamedList(OpAsmPrinter &printer, StringRef word, OperandRange operands) {
  printer << ", " << word << " = [" << operands << "]";
}

static void printAttributes(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> written = {}) {
  SmallVector<StringRef> hidden(written);
  hidden.push_back("operandSegmentSizes");
  printer.printOptionalAttrDict(op->getAttrs(), hidden);
}

static void setSegments(OpAsmParser &parser, OperationState &result, ArrayRef<size_t> sizes) {
  SmallVector<int32_t> segments(sizes.begin(), sizes.end());
  result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(segments));
}

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (value && matchPattern(value, m_ConstantInt(&number)) && number.getSignificantBits() <= 64)
    return number.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// `%ptr, shape = [...], strides = [...] {layout = ...} : TV`
static ParseResult parseMakeView(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ptr;
  Operands shape, strides;
  TensorViewType type;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(ptr) || parseNamedList(parser, "shape", shape) ||
      parseNamedList(parser, "strides", strides) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  // The text has no place for the type of the pointer.
  Type pointer = PtrType::get(parser.getContext(), type.getElement(), Space::Gm);
  Type index = parser.getBuilder().getIndexType();
  setSegments(parser, result, {1, shape.size(), strides.size()});
  result.addTypes(type);
  return failure(parser.resolveOperand(ptr, pointer, result.operands) ||
                 parser.resolveOperands(shape, index, loc, result.operands) ||
                 parser.resolveOperands(strides, index, loc, result.operands));
}

static void printMakeView(OpAsmPrinter &printer, MakeTensorViewOp op) {
  printer << " " << op.getPtr();
  printNamedList(printer, "shape", op.getShape());
  printNamedList(printer, "strides", op.getStrides());
  printAttributes(printer, op);
  printer << " : " << op.getResult().getType();
}

/// The type has the rank in place of its extents (VIEW-11), until pto-resolve-types
/// gives it its rank.
static bool isOlder(MakeTensorViewOp make) {
  auto view = cast<TensorViewType>(make.getResult().getType());
  size_t rank = make.getShape().size();
  return rank > 1 && rank == make.getStrides().size() && view.getRank() == 1 && view.getShape()[0] == int64_t(rank);
}
static bool isOlder(Value view) {
  auto make = view.getDefiningOp<MakeTensorViewOp>();
  return make && isOlder(make);
}

LogicalResult MakeTensorViewOp::verify() {
  auto view = cast<TensorViewType>(getResult().getType());
  auto ptr = cast<PtrType>(getPtr().getType());
  if (ptr.getElement() != view.getElement() || ptr.getSpace() != Space::Gm)
    return breaks(*this, "VIEW-1") << "the pointer is " << ptr << ", the view is " << view;
  if (isOlder(*this))
    return success();
  if (getShape().size() != size_t(view.getRank()) || getStrides().size() != size_t(view.getRank()))
    return breaks(*this, "VIEW-3") << plural(getShape().size(), "extent") << " and "
                                   << plural(getStrides().size(), "stride") << ", but " << view << " has "
                                   << plural(uint64_t(view.getRank()), "dimension");
  for (auto [value, extent] : llvm::zip(getShape(), view.getShape()))
    if (auto number = constantOf(value); number && !ShapedType::isDynamic(extent) && *number != extent)
      return breaks(*this, "VIEW-3") << "an extent is " << *number << ", but the type " << view << " has " << extent
                                     << " there";
  if (auto layout = getLayoutAttr(); layout && layout.getKind() != "layout")
    return breaks(*this, "TATTR-5") << "the layout is `#pto.layout<nd>`, `#pto.layout<dn>` or `#pto.layout<nz>`, not "
                                    << layout;
  return success();
}

/// `%v, offsets = [...], sizes = [...] : TV -> PV`; the part behind %v.
static ParseResult parsePartitionOf(OpAsmParser &parser, OperationState &result, OpAsmParser::UnresolvedOperand view) {
  Operands offsets, sizes;
  Type source, part, index = parser.getBuilder().getIndexType();
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseNamedList(parser, "offsets", offsets) || parseNamedList(parser, "sizes", sizes) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(source) ||
      (succeeded(parser.parseOptionalArrow()) && parser.parseType(part)))
    return failure();
  setSegments(parser, result, {1, offsets.size(), sizes.size()});
  if (parser.resolveOperand(view, source, result.operands) ||
      parser.resolveOperands(offsets, index, loc, result.operands) ||
      parser.resolveOperands(sizes, index, loc, result.operands))
    return failure();
  if (!part) { // VIEW-8
    SmallVector<int64_t> extents;
    for (Value size : ArrayRef<Value>(result.operands).take_back(sizes.size())) {
      std::optional<int64_t> number = constantOf(size);
      extents.push_back(number && *number > 0 ? *number : ShapedType::kDynamic);
    }
    Type element;
    if (auto memref = dyn_cast<MemRefType>(source))
      element = memref.getElementType();
    else if (auto whole = dyn_cast<TensorViewType>(source))
      element = whole.getElement();
    else if (auto part = dyn_cast<PartitionTensorViewType>(source))
      element = part.getElement();
    else
      return parser.emitError(loc) << "`pto.partition_view` takes a view, not " << source;
    part = PartitionTensorViewType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                               ArrayRef<int64_t>(extents), element);
    if (!part)
      return failure();
  }
  result.addTypes(part);
  return success();
}

static ParseResult parsePartition(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand view;
  return failure(parser.parseOperand(view) || parsePartitionOf(parser, result, view));
}

static void printPartition(OpAsmPrinter &printer, PartitionViewOp op) {
  printer << " " << op.getSource();
  printNamedList(printer, "offsets", op.getOffsets());
  printNamedList(printer, "sizes", op.getSizes());
  printAttributes(printer, op);
  printer << " : " << op.getSource().getType() << " -> " << op.getResult().getType();
}

/// Extents and element of a view of either type.
static std::pair<ArrayRef<int64_t>, Type> viewOf(Type type) {
  if (auto view = dyn_cast<TensorViewType>(type))
    return {view.getShape(), view.getElement()};
  if (auto memref = dyn_cast<MemRefType>(type))
    return {memref.getShape(), memref.getElementType()};
  auto part = cast<PartitionTensorViewType>(type);
  return {part.getShape(), part.getElement()};
}

LogicalResult PartitionViewOp::verify() {
  if (isOlder(getSource()))
    return success();
  auto [extents, element] = viewOf(getSource().getType());
  auto part = cast<PartitionTensorViewType>(getResult().getType());
  size_t rank = extents.size();
  if (getOffsets().size() != rank || getSizes().size() != rank || part.getShape().size() != rank)
    return breaks(*this, "VIEW-7") << getSource().getType() << " has " << plural(rank, "dimension")
                                   << ", but there are " << plural(getOffsets().size(), "offset") << ", "
                                   << plural(getSizes().size(), "size") << ", and "
                                   << plural(part.getShape().size(), "dimension") << " of the result";
  if (part.getElement() != element)
    return breaks(*this, "VIEW-7") << "it turns elements of " << element << " into " << part.getElement();
  for (size_t k = 0; k < rank; ++k) {
    std::optional<int64_t> offset = constantOf(getOffsets()[k]), size = constantOf(getSizes()[k]);
    int64_t fixed = part.getShape()[k];
    if (offset && *offset < 0)
      return breaks(*this, "VIEW-9") << "offset " << k << " is " << *offset;
    if (size && *size <= 0)
      return breaks(*this, "VIEW-9") << "size " << k << " is " << *size;
    if (size && !ShapedType::isDynamic(fixed) && *size != fixed)
      return breaks(*this, "VIEW-7") << "size " << k << " is " << *size << ", but the result has " << fixed << " there";
    if (ShapedType::isDynamic(extents[k]))
      continue;
    int64_t from = offset.value_or(0), length = size.value_or(ShapedType::isDynamic(fixed) ? 0 : fixed);
    if (from > extents[k] || length > extents[k] - from)
      return breaks(*this, "VIEW-9") << "dimension " << k << " ends at " << extents[k] << ", the part begins at "
                                     << from << " and has " << length << " elements";
  }
  return success();
}

static LogicalResult verifyDimension(Operation *op) {
  size_t rank = viewOf(op->getOperand(0).getType()).first.size();
  std::optional<int64_t> dim = constantOf(op->getOperand(1));
  if (dim && (*dim < 0 || *dim >= int64_t(rank)) && !isOlder(op->getOperand(0)))
    return breaks(op, "VIEW-12") << op->getOperand(0).getType() << " has dimensions 0 to " << rank - 1 << ", not "
                                 << *dim;
  return success();
}
LogicalResult GetTensorViewDimOp::verify() { return verifyDimension(*this); }
LogicalResult GetTensorViewStrideOp::verify() { return verifyDimension(*this); }

LogicalResult TensorViewAddrOp::verify() {
  auto ptr = dyn_cast<PtrType>(getResult().getType());
  if (ptr && ptr.isResolved() &&
      (ptr.getSpace() != Space::Gm || ptr.getElement() != viewOf(getView().getType()).second))
    return breaks(*this, "VIEW-13") << "the view is " << getView().getType() << ", the pointer is " << ptr;
  return success();
}

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
  if (window != tile.withShape(sizes[0], sizes[1], window.getValidRows(), window.getValidCols()))
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
// Scalars of tiles
//===----------------------------------------------------------------------===//

/// `(%a, %b : T, T)` behind `ins` or `outs`.
static ParseResult parseGroup(OpAsmParser &parser, OperationState &result, size_t count = 0) {
  Operands operands;
  SmallVector<Type> types;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(operands, count ? int(count) : -1) || parser.parseColon() ||
      parseTileTypes(parser, types) || parser.parseRParen())
    return failure();
  return parser.resolveOperands(operands, types, loc, result.operands);
}

/// `ins(%t, %i : T, index) outs : E`
static ParseResult parseGetVal(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseKeyword("ins") || parseGroup(parser, result, 2))
    return failure();
  if (failed(parser.parseOptionalArrow()) && (parser.parseKeyword("outs") || parser.parseColon()))
    return failure();
  if (parser.parseType(type) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addTypes(type);
  return success();
}

static void printGetVal(OpAsmPrinter &printer, TGetValOp op) {
  printer << " ins(" << op->getOperands() << " : " << op->getOperandTypes() << ") outs : " << op.getValue().getType();
  printer.printOptionalAttrDict(op->getAttrs());
}

/// `ins(%i, %x : index, E) outs(%t : T)`
static ParseResult parseSetVal(OpAsmParser &parser, OperationState &result) {
  if (parser.parseKeyword("ins") || parseGroup(parser, result, 2) || parser.parseKeyword("outs") ||
      parseGroup(parser, result, 1) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  std::rotate(result.operands.begin(), result.operands.end() - 1, result.operands.end()); // the tile first
  return success();
}

static void printSetVal(OpAsmPrinter &printer, TSetValOp op) {
  printer << " ins(" << op.getIndex() << ", " << op.getValue() << " : " << op.getIndex().getType() << ", "
          << op.getValue().getType() << ") outs(" << op.getTile() << " : " << op.getTile().getType() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
}

static LogicalResult verifyTileScalar(Operation *op, TileBufType tile, Value index, Type value) {
  if (tile.getSpace() != Space::Ub)
    return breaks(op, "TVAL-1") << "the scalar unit reaches `vec` tiles only, not " << tile;
  if (value != tile.getElement())
    return breaks(op, "TVAL-1") << "the value is " << value << ", the tile is " << tile;
  std::optional<int64_t> number = constantOf(index);
  if (number && (*number < 0 || *number >= tile.getRows() * tile.getCols()))
    return breaks(op, "TVAL-1") << tile << " has elements 0 to " << tile.getRows() * tile.getCols() - 1 << ", not "
                                << *number;
  return success();
}
LogicalResult TGetValOp::verify() {
  return verifyTileScalar(*this, cast<TileBufType>(getTile().getType()), getIndex(), getValue().getType());
}
LogicalResult TSetValOp::verify() {
  return verifyTileScalar(*this, cast<TileBufType>(getTile().getType()), getIndex(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// Arrays and structs
//===----------------------------------------------------------------------===//

/// `-> T`
static ParseResult parseDeclare(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseArrow() || parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

static void printDeclare(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " -> " << op->getResult(0).getType();
}

/// `%a[%i, ...] : A -> T`
static ParseResult parseElementOf(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand array;
  Operands indices;
  Type type, value;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(array) || parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) || parser.parseArrow() ||
      parseTypeOrTile(parser, value) || parser.resolveOperand(array, type, result.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(), loc, result.operands))
    return failure();
  result.addTypes(value);
  return success();
}

static void printElementOf(OpAsmPrinter &printer, Operation *op) {
  printer << " " << op->getOperand(0) << "[" << op->getOperands().drop_front() << "]";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getOperand(0).getType() << " -> " << op->getResult(0).getType();
}

/// `%a[%i, ...], %x : A, T`
static ParseResult parseElementSet(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand array, value;
  Operands indices;
  Type type, element;
  llvm::SMLoc loc = parser.getCurrentLocation();
  return failure(parser.parseOperand(array) || parser.parseOperandList(indices, OpAsmParser::Delimiter::Square) ||
                 parser.parseComma() || parser.parseOperand(value) || parser.parseOptionalAttrDict(result.attributes) ||
                 parser.parseColonType(type) || parser.parseComma() || parser.parseType(element) ||
                 parser.resolveOperand(array, type, result.operands) ||
                 parser.resolveOperands(indices, parser.getBuilder().getIndexType(), loc, result.operands) ||
                 parser.resolveOperand(value, element, result.operands));
}

static void printElementSet(OpAsmPrinter &printer, LocalArraySetOp op) {
  printer << " " << op.getArray() << "[" << op.getIndices() << "], " << op.getValue();
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op.getArray().getType() << ", " << op.getValue().getType();
}

/// They live on the stack of their function: a value that is handed on would outlive it.
static LogicalResult verifyUsers(Operation *op, StringRef label, StringRef get, StringRef set) {
  for (Operation *user : op->getUsers())
    if (user->getName().getStringRef() != get && user->getName().getStringRef() != set) {
      InFlightDiagnostic diag = breaks(op, label) << "only `" << get << "` and `" << set << "` use its result";
      diag.attachNote(user->getLoc()) << "it is used here";
      return diag;
    }
  return success();
}
LogicalResult DeclareLocalArrayOp::verify() {
  return verifyUsers(*this, "TVAL-2", LocalArrayGetOp::getOperationName(), LocalArraySetOp::getOperationName());
}
LogicalResult DeclareStructOp::verify() {
  return verifyUsers(*this, "TVAL-5", StructGetOp::getOperationName(), StructSetOp::getOperationName());
}

static LogicalResult verifyElementOf(Operation *op, LocalArrayType array, OperandRange indices, Type value) {
  if (indices.size() != array.getShape().size())
    return breaks(op, "TVAL-2") << array << " takes " << array.getShape().size() << " indices, not " << indices.size();
  for (auto [index, extent] : llvm::zip(indices, array.getShape()))
    if (auto number = constantOf(index); number && (*number < 0 || *number >= extent))
      return breaks(op, "TVAL-2") << "index " << *number << " is outside of " << array;
  if (value != array.getElement())
    return breaks(op, "TVAL-2") << "the value is " << value << ", the array is " << array;
  return success();
}
LogicalResult LocalArrayGetOp::verify() {
  return verifyElementOf(*this, cast<LocalArrayType>(getArray().getType()), getIndices(), getValue().getType());
}
LogicalResult LocalArraySetOp::verify() {
  return verifyElementOf(*this, cast<LocalArrayType>(getArray().getType()), getIndices(), getValue().getType());
}

/// `%s[0, 1]`
static ParseResult parseField(OpAsmParser &parser, OperationState &result, OpAsmParser::UnresolvedOperand &record) {
  SmallVector<int64_t> path;
  if (parser.parseOperand(record) || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(path.emplace_back());
      }))
    return failure();
  result.addAttribute("path", parser.getBuilder().getDenseI64ArrayAttr(path));
  return success();
}

static void printField(OpAsmPrinter &printer, Value record, ArrayRef<int64_t> path) {
  printer << " " << record << "[";
  llvm::interleaveComma(path, printer);
  printer << "]";
}

static ParseResult parseFieldGet(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand record;
  Type type, value;
  if (parseField(parser, result, record) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) || parser.parseArrow() || parser.parseType(value) ||
      parser.resolveOperand(record, type, result.operands))
    return failure();
  result.addTypes(value);
  return success();
}

static void printFieldGet(OpAsmPrinter &printer, StructGetOp op) {
  printField(printer, op.getRecord(), op.getPath());
  printer.printOptionalAttrDict(op->getAttrs(), {"path"});
  printer << " : " << op.getRecord().getType() << " -> " << op.getValue().getType();
}

static ParseResult parseFieldSet(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand record, value;
  Type type, field;
  return failure(parseField(parser, result, record) || parser.parseComma() || parser.parseOperand(value) ||
                 parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
                 parser.parseComma() || parser.parseType(field) ||
                 parser.resolveOperand(record, type, result.operands) ||
                 parser.resolveOperand(value, field, result.operands));
}

static void printFieldSet(OpAsmPrinter &printer, StructSetOp op) {
  printField(printer, op.getRecord(), op.getPath());
  printer << ", " << op.getValue();
  printer.printOptionalAttrDict(op->getAttrs(), {"path"});
  printer << " : " << op.getRecord().getType() << ", " << op.getValue().getType();
}

static LogicalResult verifyField(Operation *op, Type record, ArrayRef<int64_t> path, Type value) {
  Type field = record;
  for (int64_t index : path) {
    auto fields = dyn_cast<StructType>(field);
    if (!fields)
      return breaks(op, "TVAL-4") << "the path goes on behind " << field;
    if (index < 0 || index >= int64_t(fields.getFields().size()))
      return breaks(op, "TVAL-4") << fields << " has fields 0 to " << fields.getFields().size() - 1 << ", not "
                                  << index;
    field = fields.getFields()[index];
  }
  if (field != value)
    return breaks(op, "TVAL-4") << "the field is " << field << ", the value is " << value;
  return success();
}
LogicalResult StructGetOp::verify() {
  return verifyField(*this, getRecord().getType(), getPath(), getValue().getType());
}
LogicalResult StructSetOp::verify() {
  return verifyField(*this, getRecord().getType(), getPath(), getValue().getType());
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
