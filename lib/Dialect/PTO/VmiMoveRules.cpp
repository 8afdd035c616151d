//===- VmiMoveRules.cpp - VPERM-1 to VPERM-7, VRED-1 to VRED-3 ------------===//

#include "VmiRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;
using namespace ptoscope::pto::vmi;

LogicalResult vmi::checkLaneIndices(VmiOp op, StringRef label) {
  SmallVector<VmiVRegType> vectors = only<VmiVRegType>(typesOf(op));
  Type element = vectors[0].getElement(), index = vectors[1].getElement();
  if (!isa<IntegerType>(index) || bitsOf(index) != bitsOf(element))
    return breaks(op, label) << "indices of " << element << " elements are integers of " << bitsOf(element)
                             << " bits, not " << index;
  if (vectors[2] != vectors[0])
    return breaks(op, label) << "source and result must have one type, got " << vectors[0] << " and " << vectors[2];
  return success();
}

LogicalResult vmi::checkShuffle(VmiOp op, StringRef label) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>("indices");
  int64_t from = op.getLanes(), to = op.getVectorType().getLanes();
  if (!numbers || numbers.size() != to)
    return breaks(op, label) << "the result has " << to << " lanes, but there are " << (numbers ? numbers.size() : 0)
                             << " numbers";
  for (int64_t number : numbers.asArrayRef())
    if (number < 0 || number >= from)
      return breaks(op, label) << "lane " << number << " is none of the " << from << " lanes of the source";
  return success();
}

LogicalResult vmi::checkChannels(VmiOp op, StringRef label) {
  bool split = VmiOp::is(op, "channel_split");
  TypeRange whole = split ? TypeRange(op->getOperandTypes()) : TypeRange(op->getResultTypes());
  TypeRange parts = split ? TypeRange(op->getResultTypes()) : TypeRange(op->getOperandTypes());
  bool vectors = llvm::all_of(typesOf(op), llvm::IsaPred<VmiVRegType>);
  if (!vectors || whole.size() != 1 || parts.size() < 2)
    return breaks(op, label) << "it has one vector and two or more channels, but here " << op->getNumOperands()
                             << " operands and " << op->getNumResults() << " results";
  for (Type part : parts)
    if (lanesOf(part) != lanesOf(parts[0]) || lanesOf(part) * int64_t(parts.size()) != lanesOf(whole[0]))
      return breaks(op, label) << parts.size() << " channels of " << whole[0] << " have "
                               << lanesOf(whole[0]) / int64_t(parts.size()) << " lanes each, not " << lanesOf(part);
  return checkAttributes(op, "VMI-11");
}

LogicalResult vmi::checkBroadcast(VmiOp op, StringRef label) {
  SmallVector<Value> vectors = op.getVectors();
  if (vectors.empty()) {
    if (op.hasGroups())
      return breaks(op, label) << "with `group` it broadcasts a vector, not a scalar";
    return success();
  }
  int64_t lanes = lanesOf(vectors[0].getType());
  if (lanes == op.getGroups())
    return success();
  return breaks(op, label) << "the vector has " << lanes << " lanes, but there "
                           << (op.getGroups() == 1 ? "is " : "are ") << op.getGroups() << " group"
                           << (op.getGroups() == 1 ? "" : "s");
}

LogicalResult vmi::checkOrder(VmiOp op, StringRef label) {
  if (!op->hasAttr("order"))
    return success();
  return checkWord(op, label, "order", {"ASC DESC"});
}

LogicalResult vmi::checkConstant(VmiOp op, StringRef label) {
  return checkLiteral(op, label, op.getVectorType().getElement());
}

LogicalResult vmi::checkRegisters(VmiOp op, StringRef label) {
  bool pack = VmiOp::is(op, "pack");
  TypeRange whole = pack ? TypeRange(op->getResultTypes()) : TypeRange(op->getOperandTypes());
  TypeRange parts = pack ? TypeRange(op->getOperandTypes()) : TypeRange(op->getResultTypes());
  auto vector = whole.size() == 1 ? dyn_cast<VmiVRegType>(whole[0]) : VmiVRegType();
  if (!vector)
    return breaks(op, label) << "it has one " << (pack ? "result" : "operand") << " of type `!pto.vmi.vreg<NxT>`";
  int64_t needed = vmiRegisters(vector);
  if (int64_t(parts.size()) != needed)
    return breaks(op, label) << vector << " takes " << needed << " register" << (needed == 1 ? "" : "s") << ", not "
                             << parts.size();
  for (Type part : parts)
    if (auto vreg = dyn_cast<VRegType>(part); !vreg || vreg.getElement() != vector.getElement())
      return breaks(op, label) << "registers of " << vector << " have its elements, but one is " << part;
  return checkAttributes(op, "VMI-11");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult vmi::checkReduction(VmiOp op, StringRef label) {
  int64_t lanes = op.getLanes(), masked = lanesOf(op.getMask().getType()), results = op.getVectorType().getLanes();
  if (masked != lanes)
    return breaks(op, label) << "the source has " << lanes << " lanes, its mask " << masked;
  if (results != op.getGroups())
    return breaks(op, label) << "the result has " << results << " lanes, but there "
                             << (op.getGroups() == 1 ? "is " : "are ") << op.getGroups() << " group"
                             << (op.getGroups() == 1 ? "" : "s");
  return success();
}

LogicalResult vmi::checkReassociation(VmiOp op, StringRef label) {
  if (!isa<FloatType>(op.getVectorOperandType().getElement()) || op->hasAttr("reassoc"))
    return success();
  return breaks(op, label) << "a sum of floats has no order of its own; write `{reassoc}`";
}

LogicalResult vmi::checkHistogram(VmiOp op, StringRef label) {
  SmallVector<Value> vectors = op.getVectors();
  auto counts = cast<VmiVRegType>(vectors[0].getType()), source = cast<VmiVRegType>(vectors[1].getType());
  auto unsignedOf = [](VmiVRegType type, unsigned bits) {
    auto integer = dyn_cast<IntegerType>(type.getElement());
    return integer && integer.getWidth() == bits && !integer.isSigned();
  };
  if (!unsignedOf(counts, 16) || (counts.getLanes() != 128 && counts.getLanes() != 256))
    return breaks(op, label) << "counts are 128 or 256 lanes of `ui16` or `i16`, not " << counts;
  if (op.getVectorType() != counts)
    return breaks(op, label) << "the result has the type of the counts, " << counts << ", not " << op.getVectorType();
  if (!unsignedOf(source, 8))
    return breaks(op, label) << "the source has `ui8` or `i8` elements, not " << source.getElement();
  if (lanesOf(op.getMask().getType()) != source.getLanes())
    return breaks(op, label) << "the source has " << source.getLanes() << " lanes, its mask "
                             << lanesOf(op.getMask().getType());
  return success();
}
