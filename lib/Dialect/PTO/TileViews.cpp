//===- TileViews.cpp - types of views, arrays and structs -----------------===//

#include "Parsing.h"
#include "ptoscope/Dialect/PTO/Tokens.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static ParseResult parseShaped(AsmParser &parser, bool allowDynamic, SmallVectorImpl<int64_t> &shape, Type &element) {
  return failure(parser.parseLess() || parser.parseDimensionList(shape, allowDynamic) ||
                 parseElement(parser, element) || parser.parseGreater());
}

template <typename T> static Type parseShapedType(AsmParser &parser, bool allowDynamic) {
  SmallVector<int64_t> shape;
  Type element;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseShaped(parser, allowDynamic, shape, element))
    return {};
  return T::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), ArrayRef<int64_t>(shape), element);
}

template <typename T> static void printShapedType(AsmPrinter &printer, T type) {
  printer << "<";
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent))
      printer << "?x";
    else
      printer << extent << "x";
  }
  printer << type.getElement() << ">";
}

static LogicalResult verifyView(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                Type element) {
  auto breaks = [&](StringRef label) { return emitError() << "the view type breaks " << label << ": "; };
  if (shape.empty() || shape.size() > 5)
    return breaks("VIEW-1") << "a view has 1 to 5 extents, not " << shape.size();
  if (!isTileElement(element))
    return breaks("TATTR-1") << element << " is not an element of a view";
  for (int64_t extent : shape)
    if (extent == 0)
      return breaks("VIEW-1") << "an extent of 0 elements";
  return success();
}

Type TensorViewType::parse(AsmParser &parser) { return parseShapedType<TensorViewType>(parser, true); }
void TensorViewType::print(AsmPrinter &printer) const { printShapedType(printer, *this); }
LogicalResult TensorViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                     Type element) {
  return verifyView(emitError, shape, element);
}

Type PartitionTensorViewType::parse(AsmParser &parser) {
  return parseShapedType<PartitionTensorViewType>(parser, true);
}
void PartitionTensorViewType::print(AsmPrinter &printer) const { printShapedType(printer, *this); }
LogicalResult PartitionTensorViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                              ArrayRef<int64_t> shape, Type element) {
  return verifyView(emitError, shape, element);
}

Type LocalArrayType::parse(AsmParser &parser) { return parseShapedType<LocalArrayType>(parser, false); }
void LocalArrayType::print(AsmPrinter &printer) const { printShapedType(printer, *this); }
LogicalResult LocalArrayType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                     Type element) {
  auto breaks = [&]() { return emitError() << "`!pto.local_array` breaks TVAL-2: "; };
  if (!element.isIntOrIndexOrFloat() || bitsOf(element) > 64)
    return breaks() << element << " is not a scalar";
  int64_t size = 1;
  for (int64_t extent : shape)
    if (extent < 1 || extent > kMaxLocalScalars || (size *= extent) > kMaxLocalScalars)
      return breaks() << "it holds 1 to " << kMaxLocalScalars << " scalars";
  if (shape.empty() || shape.size() > 5)
    return breaks() << "it has 1 to 5 extents, not " << shape.size();
  return success();
}

/// A list without fields is read, so that the verifier tells what is wrong with it.
Type StructType::parse(AsmParser &parser) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> fields;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parser.parseType(fields.emplace_back()); }))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), ArrayRef<Type>(fields));
}
void StructType::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getFields(), printer);
  printer << ">";
}

int64_t StructType::getScalars() const {
  int64_t scalars = 0;
  for (Type field : getFields())
    if (auto inner = llvm::dyn_cast<StructType>(field))
      scalars += inner.getScalars();
    else
      ++scalars;
  return scalars;
}

LogicalResult StructType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<Type> fields) {
  auto breaks = [&]() { return emitError() << "`!pto.struct` breaks TVAL-3: "; };
  if (fields.empty())
    return breaks() << "a struct has at least one field";
  int64_t scalars = 0;
  for (Type field : fields) {
    auto inner = llvm::dyn_cast<StructType>(field);
    unsigned bits = bitsOf(field);
    bool scalar = field.isSignlessInteger() ? bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits)
                                            : llvm::isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(field);
    if (!inner && !scalar)
      return breaks() << "a field is i8 to i64, f16, bf16, f32, f64 or a struct, not " << field;
    scalars += inner ? inner.getScalars() : 1;
  }
  if (scalars > kMaxLocalScalars)
    return breaks() << "it holds 1 to " << kMaxLocalScalars << " scalars";
  return success();
}
