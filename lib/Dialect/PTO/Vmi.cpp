//===- Vmi.cpp - look-ups and operands of virtual vector instructions -----===//

#include "ptoscope/Dialect/PTO/Vmi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr VmiInfo kInstrs[] = {
#define PTO_VMI(...) {__VA_ARGS__},
#define PTO_VMI_ALIAS(...)
#include "ptoscope/Dialect/PTO/InstrVmi.inc"
};

static constexpr VmiAlias kNames[] = {
#define PTO_VMI(...)
#define PTO_VMI_ALIAS(...) {__VA_ARGS__},
#include "ptoscope/Dialect/PTO/InstrVmi.inc"
};

/// Rows are sorted by name (the script sorts them).
template <typename Row> static const Row *lookUp(ArrayRef<Row> rows, StringRef name) {
  const Row *it = llvm::partition_point(rows, [&](const Row &row) { return row.name < name; });
  return it != rows.end() && it->name == name ? it : nullptr;
}

ArrayRef<VmiInfo> ptoscope::pto::vmiInstrs() { return kInstrs; }
const VmiInfo *ptoscope::pto::findVmi(StringRef name) { return lookUp(ArrayRef(kInstrs), name); }
const VmiAlias *ptoscope::pto::findVmiAlias(StringRef name) { return lookUp(ArrayRef(kNames), name); }

std::string ptoscope::pto::vmiElementName(Type element) {
  if (!isa<IntegerType>(element)) {
    const std::string full = elementName(element);
    StringRef name = full;
    name.consume_front("!pto.");
    return name.str();
  }
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

const VmiInfo &VmiOp::getInfo() { return *findVmi(getOperation()->getName().stripDialect()); }

bool VmiOp::is(Operation *op, StringRef name) {
  StringRef own = op->getName().getStringRef();
  return own.consume_front("pto.vmi.") && own == name;
}

//===----------------------------------------------------------------------===//
// Operands by what they are
//===----------------------------------------------------------------------===//

static SmallVector<Value> operandsOfKind(Operation *op, function_ref<bool(Type)> kind) {
  return llvm::to_vector(
      llvm::make_filter_range(op->getOperands(), [&](Value value) { return kind(value.getType()); }));
}

SmallVector<Value> VmiOp::getVectors() { return operandsOfKind(getOperation(), llvm::IsaPred<VmiVRegType>); }
SmallVector<Value> VmiOp::getMasks() { return operandsOfKind(getOperation(), llvm::IsaPred<VmiMaskType>); }

Value VmiOp::getMask() {
  VmiKind kind = getInfo().kind;
  SmallVector<Value> masks = getMasks();
  bool logic = kind == VmiKind::Elementwise && getVectors().empty();
  return masks.empty() || logic || kind == VmiKind::Select || kind == VmiKind::Identity ? Value() : masks.back();
}

Value VmiOp::getCarry() {
  SmallVector<Value> masks = getMasks();
  return getInfo().kind == VmiKind::Elementwise && masks.size() == 2 && !getVectors().empty() ? masks[0] : Value();
}

/// Number of the pointer among the operands, or of operands.
static unsigned baseOf(Operation *op) {
  unsigned at = 0;
  while (at < op->getNumOperands() && !isa<PtrType, MemRefType>(op->getOperand(at).getType()))
    ++at;
  return at;
}

/// The operand that many places behind the pointer, if it is a scalar of that kind.
static Value behindBase(Operation *op, unsigned places, function_ref<bool(Type)> kind) {
  unsigned at = baseOf(op) + places;
  return at < op->getNumOperands() && kind(op->getOperand(at).getType()) ? op->getOperand(at) : Value();
}

static bool isIndexType(Type type) { return type.isIndex(); }
static bool isStepType(Type type) { return type.isSignlessInteger(16); }

Value VmiOp::getBase() { return behindBase(getOperation(), 0, llvm::IsaPred<PtrType, MemRefType>); }
Value VmiOp::getOffset() { return behindBase(getOperation(), 1, isIndexType); }
Value VmiOp::getStride() { return behindBase(getOperation(), 2, isIndexType); }
Value VmiOp::getBlockStride() { return behindBase(getOperation(), 2, isStepType); }
Value VmiOp::getRepeatStride() { return behindBase(getOperation(), 3, isStepType); }

Value VmiOp::getScalar() {
  if (getBase())
    return {};
  SmallVector<Value> scalars = operandsOfKind(getOperation(), [](Type type) { return type.isIntOrIndexOrFloat(); });
  return scalars.empty() ? Value() : scalars[0];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::optional<int64_t> ptoscope::pto::vmiCount(Attribute attribute) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!number || !number.getType().isSignlessIntOrIndex() || number.getValue().getBitWidth() > 64)
    return std::nullopt;
  return number.getInt();
}

bool VmiOp::hasGroups() { return vmiCount(getOperation()->getAttr("group")).has_value(); }
int64_t VmiOp::getGroups() { return vmiCount(getOperation()->getAttr("group")).value_or(1); }

StringRef VmiOp::getWord(StringRef name) {
  auto word = getOperation()->getAttrOfType<StringAttr>(name);
  return word ? word.getValue() : StringRef();
}

StringRef VmiOp::getDistMode() {
  StringRef mode = getWord("dist_mode");
  return mode.empty() ? "continuous" : mode;
}

StringRef VmiOp::getComparison() {
  StringRef word = getWord("cmp");
  if (word.empty())
    word = getWord("predicate");
  // The letter before it says ordered, signed or unsigned.
  return word.size() == 3 ? word.drop_front() : word;
}

StringRef VmiOp::getRounding() {
  if (StringRef given = getWord("rounding"); !given.empty())
    return given;
  Type from = getVectorOperandType().getElement(), to = getVectorType().getElement();
  std::optional<VmiConversion> pair = findVmiConversion(from, to);
  return pair ? StringRef(pair->roundings).take_front(1) : StringRef();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static VmiVRegType firstVector(TypeRange types) {
  for (Type type : types)
    if (auto vector = dyn_cast<VmiVRegType>(type))
      return vector;
  return {};
}

VmiVRegType VmiOp::getVectorType() {
  VmiVRegType result = firstVector(getOperation()->getResultTypes());
  return result ? result : firstVector(getOperation()->getOperandTypes());
}

VmiVRegType VmiOp::getVectorOperandType() {
  VmiVRegType operand = firstVector(getOperation()->getOperandTypes());
  return operand ? operand : firstVector(getOperation()->getResultTypes());
}

int64_t VmiOp::getLanes() {
  if (VmiVRegType vector = getVectorOperandType())
    return vector.getLanes();
  for (Type type : llvm::concat<Type>(SmallVector<Type>(getOperation()->getOperandTypes()),
                                      SmallVector<Type>(getOperation()->getResultTypes())))
    if (auto mask = dyn_cast<VmiMaskType>(type))
      return mask.getLanes();
  return 0;
}
