//===- VmiRules.cpp - what virtual vector instructions may be -------------===//
//
// docs/isa/40b-vmi-constraints.md. A rule has one check, whichever instructions
// name it in their records; `verifyVmi` runs those of the record, in its order.
// VMI-11 comes first: the others rely on operands of a known form.
//
//===----------------------------------------------------------------------===//

#include "VmiRules.h"
#include "Signature.h"
#include "VmiText.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;
using namespace ptoscope::pto::vmi;

LogicalResult vmi::checkAttributes(VmiOp op, StringRef label) {
  SmallVector<StringRef> entries;
  op.getInfo().attributes.split(entries, ' ', -1, /*KeepEmpty=*/false);
  for (NamedAttribute given : op->getAttrs()) {
    StringRef name = given.getName();
    if (name.contains('.'))
      continue;
    auto *entry = llvm::find_if(entries, [&](StringRef each) { return each.rtrim("#!*") == name; });
    if (entry == entries.end()) {
      InFlightDiagnostic diag = breaks(op, label);
      diag << "it has no attribute `" << name << "`";
      if (!entries.empty())
        diag << ", only "
             << llvm::join(llvm::map_to_vector(entries, [](StringRef each) { return each.rtrim("#!*"); }), ", ");
      return diag;
    }
    Attribute value = given.getValue();
    char kind = entry->back();
    bool fits = kind == '*'   ? true
                : kind == '#' ? vmiCount(value).has_value()
                : kind == '!' ? isa<UnitAttr>(value)
                              : isa<StringAttr>(value);
    if (!fits)
      return breaks(op, label) << "attribute `" << name << "` is "
                               << (kind == '#'   ? "a number"
                                   : kind == '!' ? "written without a value"
                                                 : "a word in quotes")
                               << ", not " << value;
  }
  return success();
}

LogicalResult vmi::checkLiteral(VmiOp op, StringRef label, Type element) {
  auto value = op->getAttrOfType<DenseElementsAttr>("value");
  int64_t lanes = lanesOf(op->getResult(0).getType());
  if (value && value.getElementType() == element && value.getNumElements() == lanes)
    return success();
  InFlightDiagnostic diag = breaks(op, label);
  diag << "`value` must be `dense<...>` of " << lanes << " elements " << element;
  if (value)
    diag << ", not of " << value.getNumElements() << " elements " << value.getElementType();
  return diag;
}

LogicalResult vmi::checkWord(VmiOp op, StringRef label, StringRef attribute, ArrayRef<StringRef> lists) {
  SmallVector<StringRef> words;
  for (StringRef list : lists)
    list.split(words, ' ');
  StringRef word = op.getWord(attribute);
  if (llvm::is_contained(words, word))
    return success();
  InFlightDiagnostic diag = breaks(op, label);
  diag << "`" << attribute << "` is one of " << llvm::join(words, ", ");
  if (!word.empty())
    diag << ", not \"" << word << "\"";
  return diag;
}

namespace {

//===----------------------------------------------------------------------===//
// Types and forms
//===----------------------------------------------------------------------===//

LogicalResult checkForm(VmiOp op, StringRef label) {
  if (!fitsSignature(op, op.getInfo().signature)) {
    InFlightDiagnostic diag = breaks(op, label);
    diag << "it has operands (" << op->getOperandTypes() << ") and results (" << op->getResultTypes() << "); it is `";
    SmallVector<StringRef> lines;
    infoOf(op)->syntax.split(lines, '\n');
    return diag << lines.front() << "`";
  }
  return checkAttributes(op, label);
}

LogicalResult checkLayouts(VmiOp op, StringRef label) {
  SmallVector<Type> types = typesOf(op);
  SmallVector<VmiVRegType> vectors = only<VmiVRegType>(types);
  SmallVector<VmiMaskType> masks = only<VmiMaskType>(types);
  for (VmiVRegType vector : vectors)
    if (vector.getLayout() != vectors[0].getLayout())
      return breaks(op, label) << vectors[0] << " and " << vector << " have different layouts";
  for (VmiMaskType mask : masks)
    if (mask.getLayout() && mask.getLayout() != (vectors.empty() ? masks[0].getLayout() : vectors[0].getLayout()))
      return breaks(op, label) << mask << " has another layout than "
                               << (vectors.empty() ? Type(masks[0]) : Type(vectors[0]));
  return success();
}

LogicalResult checkLanes(VmiOp op, StringRef label) {
  Type first;
  for (Type type : typesOf(op)) {
    if (!isVmiValue(type))
      continue;
    if (!first)
      first = type;
    if (lanesOf(type) != lanesOf(first))
      return breaks(op, label) << first << " has " << lanesOf(first) << " lanes, " << type << " has " << lanesOf(type);
  }
  return success();
}

LogicalResult checkTypes(VmiOp op, StringRef label) {
  SmallVector<VmiVRegType> vectors = only<VmiVRegType>(typesOf(op));
  for (VmiVRegType vector : vectors)
    if (vector.getElement() != vectors[0].getElement())
      return breaks(op, label) << "vectors must have one element type, got " << vectors[0].getElement() << " and "
                               << vector.getElement();
  return success();
}

LogicalResult checkElement(VmiOp op, StringRef label) {
  VmiVRegType vector = op.getVectorOperandType();
  const InstrInfo *info = infoOf(op);
  if (!vector || info->takesElement(vmiElementName(vector.getElement())))
    return success();
  return breaks(op, label) << "it does not take " << vector.getElement() << " elements, only " << info->elements;
}

/// The vector whose lanes the masks are about.
VmiVRegType governedBy(VmiOp op) {
  SmallVector<Value> vectors = op.getVectors();
  if (op.getInfo().kind == VmiKind::Gather)
    return op.getVectorType();
  if (op.getInfo().kind == VmiKind::Histogram)
    return cast<VmiVRegType>(vectors[1].getType());
  return op.getVectorOperandType();
}

LogicalResult checkMaskWidth(VmiOp op, StringRef label) {
  SmallVector<VmiMaskType> masks = only<VmiMaskType>(typesOf(op));
  VmiVRegType vector = masks.empty() ? VmiVRegType() : governedBy(op);
  for (VmiMaskType mask : masks)
    if (vector && mask.getBytes() && mask.getBytes() != vector.getElementBytes())
      return breaks(op, label) << mask << " does not govern " << vector << "; it must have granularity b"
                               << vector.getElementBytes() * 8 << " or `pred`";
  return success();
}

LogicalResult checkMode(VmiOp op, StringRef label) {
  auto mode = op->getAttrOfType<StringAttr>("pmode");
  bool merges = op.getInfo().kind == VmiKind::Select;
  if (!mode || mode.getValue() == "zero" || mode.getValue() == "zeroing" || (merges && mode.getValue() == "merge"))
    return success();
  if (mode.getValue() == "merge")
    return breaks(op, label) << "`pmode = \"merge\"` keeps what a destination had, and there is none; use "
                                "`pto.vmi.vsel` to choose between two vectors";
  return breaks(op, label) << "`pmode` is \"zero\", not " << mode;
}

LogicalResult checkScalar(VmiOp op, StringRef label) {
  Value scalar = op.getScalar();
  if (!scalar)
    return success();
  Type given = scalar.getType(), element = op.getVectorOperandType().getElement();
  if (given == element || (given.isSignlessInteger() && isa<IntegerType>(element) && bitsOf(given) == bitsOf(element)))
    return success();
  return breaks(op, label) << "the scalar is " << given << ", but the vector needs " << element;
}

LogicalResult checkGroups(VmiOp op, StringRef label) {
  if (!op.hasGroups())
    return success();
  bool source = op.getInfo().kind == VmiKind::Reduce || op->getNumResults() == 0;
  Type whole = source ? Type(op.getVectorOperandType()) : op->getResult(0).getType();
  int64_t groups = op.getGroups(), lanes = lanesOf(whole);
  if (groups > 0 && lanes % groups == 0)
    return success();
  return breaks(op, label) << lanes << " lanes do not divide into " << groups << " groups";
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

LogicalResult checkGroupMask(VmiOp op, StringRef label) {
  std::optional<int64_t> groups = vmiCount(op->getAttr("num_groups")), size = vmiCount(op->getAttr("group_size"));
  if (!groups || !size)
    return breaks(op, label) << "`num_groups` and `group_size` must be given";
  int64_t lanes = lanesOf(op->getResult(0).getType());
  // Neither may exceed the lanes, so the product cannot overflow.
  if (*groups > 0 && *size > 0 && *groups <= lanes && *size <= lanes && *groups * *size == lanes)
    return success();
  return breaks(op, label) << *groups << " groups of " << *size << " lanes do not make " << lanes << " lanes";
}

LogicalResult checkAllPattern(VmiOp op, StringRef label) {
  if (op.getWord("pattern") == "PAT_ALL")
    return success();
  return breaks(op, label) << "the pattern is \"PAT_ALL\", not \"" << op.getWord("pattern") << "\"";
}

LogicalResult checkCountPattern(VmiOp op, StringRef label) {
  StringRef word = op.getWord("pattern"), number = word;
  int64_t count = 0, lanes = lanesOf(op->getResult(0).getType());
  if (number.consume_front("PAT_VL") && !number.getAsInteger(10, count) && count > 0 && count <= lanes)
    return success();
  return breaks(op, label) << "the pattern is \"PAT_VLn\" with n from 1 to " << lanes << ", not \"" << word << "\"";
}

LogicalResult checkMaskLiteral(VmiOp op, StringRef label) {
  return checkLiteral(op, label, IntegerType::get(op.getContext(), 1));
}

LogicalResult checkMaskLogic(VmiOp op, StringRef label) {
  if (op.getVectors().empty() && op->hasAttr("pmode"))
    return breaks(op, label) << "logic on masks takes no `pmode`";
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic and comparison
//===----------------------------------------------------------------------===//

LogicalResult checkShiftCount(VmiOp op, StringRef label) {
  if (op.getScalar().getType().isSignlessInteger(16))
    return success();
  return breaks(op, label) << "the count is `i16`, not " << op.getScalar().getType();
}

LogicalResult checkWideProduct(VmiOp op, StringRef label) {
  int64_t lanes = op.getLanes();
  if (lanes == 64 || lanes == 128 || lanes == 256)
    return success();
  return breaks(op, label) << "vectors have 64, 128 or 256 lanes, not " << lanes;
}

LogicalResult checkDifference(VmiOp op, StringRef label) {
  SmallVector<VmiVRegType> vectors = only<VmiVRegType>(typesOf(op));
  if (vectors[0].getElement() != vectors[1].getElement())
    return breaks(op, label) << "both operands must have one type, got " << vectors[0] << " and " << vectors[1];
  if (!vectors[2].getElement().isF32())
    return breaks(op, label) << "the result has `f32` elements, not " << vectors[2].getElement();
  return success();
}

constexpr StringLiteral kComparisons = "eq ne lt le gt ge";
constexpr StringLiteral kOrdered = "oeq one olt ole ogt oge";
constexpr StringLiteral kIntegers = "eq ne slt sle sgt sge ult ule ugt uge";

LogicalResult checkComparison(VmiOp op, StringRef label) {
  if (isa<FloatType>(op.getVectorOperandType().getElement()))
    return checkWord(op, label, "cmp", {kComparisons, kOrdered});
  return checkWord(op, label, "cmp", {kComparisons});
}
LogicalResult checkPredicate(VmiOp op, StringRef label) {
  return checkWord(op, label, "predicate", {VmiOp::is(op, "cmpf") ? kOrdered : kIntegers});
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct Rule {
  StringLiteral label;
  Check *check;
};
constexpr Rule kRules[] = {
    {"VMI-4", checkLayouts},        {"VMI-5", checkLanes},         {"VMI-6", checkTypes},
    {"VMI-7", checkElement},        {"VMI-8", checkMaskWidth},     {"VMI-9", checkMode},
    {"VMI-10", checkScalar},        {"VMI-11", checkForm},         {"VMI-12", checkGroups},
    {"VMEM-1", checkSpace},         {"VMEM-2", checkPointer},      {"VMEM-3", checkStride},
    {"VMEM-4", checkGroupMode},     {"VMEM-5", checkBlocks},       {"VMEM-6", checkPair},
    {"VMEM-7", checkDistMode},      {"VMEM-8", checkStoreMask},    {"VMEM-9", checkIndices},
    {"VMASK-1", checkGroupMask},    {"VMASK-2", checkAllPattern},  {"VMASK-3", checkCountPattern},
    {"VMASK-4", checkMaskLiteral},  {"VMASK-5", checkMaskLogic},   {"VLANE-1", checkShiftCount},
    {"VLANE-2", checkWideProduct},  {"VLANE-3", checkDifference},  {"VLANE-4", checkComparison},
    {"VLANE-5", checkPredicate},    {"VPERM-1", checkLaneIndices}, {"VPERM-2", checkShuffle},
    {"VPERM-3", checkChannels},     {"VPERM-4", checkBroadcast},   {"VPERM-5", checkOrder},
    {"VPERM-6", checkConstant},     {"VPERM-7", checkRegisters},   {"VRED-1", checkReduction},
    {"VRED-2", checkReassociation}, {"VRED-3", checkHistogram},    {"VCVT-1", checkConversion},
    {"VCVT-2", checkConversion},    {"VCVT-3", checkConversion},   {"VCVT-4", checkConversion},
};

} // namespace

LogicalResult ptoscope::pto::verifyVmi(Operation *op) {
  auto instr = cast<VmiOp>(op);
  SmallVector<StringRef> labels;
  instr.getInfo().labels.split(labels, ' ');
  for (StringRef label : labels) {
    const auto *rule = llvm::find_if(kRules, [&](const Rule &each) { return each.label == label; });
    if (rule != std::end(kRules) && failed(rule->check(instr, label)))
      return failure();
  }
  return success();
}
