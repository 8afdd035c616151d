//===- ViewOps.cpp - views of global memory -------------------------------===//

#include "TileParsing.h"

#include "ptoscope/Support/Text.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

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

#include "ptoscope/Dialect/PTO/ViewOps.defs.inc"
