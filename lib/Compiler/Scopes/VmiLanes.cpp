//===- VmiLanes.cpp - operations lane by lane, and conversions ------------===//

#include "Scopes/ExpandVmi.h"
#include "ptoscope/Meaning/Conversions.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// The integer type of the same width with another sign.
static LaneShape withSign(LaneShape shape, bool isSigned) {
  shape.element = IntegerType::get(shape.element.getContext(), 8 * shape.bytes,
                                   isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  return shape;
}

LogicalResult VmiExpander::lanewise(Vmi op) {
  if (isVmiMask(op->getResult(0).getType()))
    return maskLogic(op);
  StringRef name = op.getInfo().micro;
  LaneShape shape = shapeOf(op->getResult(0));
  if (name == "vmull") // its signless integers are signed (VSEQ-6)
    shape = withSign(shape, !cast<VmiVRegType>(op->getResult(0).getType()).getElement().isUnsignedInteger());
  Value governing = op.getMask(), carry = op.getCarry();
  // Counts of lanes that do not exist would be looked at.
  const bool existingOnly = name == "vshl" || name == "vshr";
  SmallVector<Parts> made(op->getNumResults());
  for (int64_t k = 0; k < shape.registers(); ++k) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      if (isVmiVector(operand.getType()))
        operands.push_back(partsOf(operand)[size_t(k)]);
      else if (!isVmiMask(operand.getType()))
        operands.push_back(scalar(operand));
    Value lanes = maskOf(governing, shape.bytes, k);
    if (carry) {
      operands.push_back(exactMask(carry, shape.bytes, k));
      lanes = exactMask(governing, shape.bytes, k);
    } else if (existingOnly && !shape.fills(k)) {
      lanes = governing ? exactMask(governing, shape.bytes, k) : existingMask(shape.lanesIn(k), shape.bytes);
    }
    if (lanes)
      operands.push_back(lanes);
    SmallVector<Type> types;
    for (Value result : op->getResults())
      types.push_back(isVmiMask(result.getType()) ? Type(MaskType::get(b.getContext(), shape.bytes)) : shape.type());
    part = k;
    Operation *one = micro(name, operands, types);
    part = -1;
    for (auto [parts, result] : llvm::zip(made, one->getResults()))
      parts.push_back(result);
    // Some micro instructions keep an operand where the mask is off (VGATE-8).
    if (lanes && infoOf(one)->inactive == Inactive::Operand)
      made[0].back() = microValue("vsel", {made[0].back(), splatBits(0, shape), lanes}, shape.type());
  }
  for (auto [result, parts] : llvm::zip(op->getResults(), made)) {
    if (isVmiMask(result.getType())) {
      LaneMask images;
      images.kind = LaneMask::Images;
      images.bytes = shape.bytes;
      images.images = parts;
      (void)give(result, std::move(images));
    } else {
      (void)give(result, parts);
    }
  }
  return success();
}

LogicalResult VmiExpander::expDifference(Vmi op) {
  LaneShape from = shapeOf(op->getOperand(0)), to = shapeOf(op->getResult(0));
  const Parts x = converted(partsOf(op->getOperand(0)), from, to),
              max = converted(partsOf(op->getOperand(1)), from, to);
  Parts made;
  for (int64_t k = 0; k < to.registers(); ++k) {
    SmallVector<Value> operands = {x[size_t(k)], max[size_t(k)]};
    if (Value lanes = maskOf(op.getMask(), to.bytes, k))
      operands.push_back(lanes);
    part = k;
    made.push_back(microValue("vexpdif", operands, to.type(), text("part", "")));
    part = -1;
  }
  return give(op->getResult(0), std::move(made));
}

LogicalResult VmiExpander::compare(Vmi op) {
  Value first = op.getVectors()[0];
  LaneShape shape = shapeOf(first);
  StringRef word = op.getWord("predicate").empty() ? op.getWord("cmp") : op.getWord("predicate");
  if (!isa<IntegerType>(shape.element)) {
    if (word != "one")
      word.consume_front("o");
  } else if (word.size() == 3) { // slt or ult: the word has the sign
    shape = withSign(shape, word.consume_front("s"));
    word.consume_front("u");
  }
  LaneMask images;
  images.kind = LaneMask::Images;
  images.bytes = shape.bytes;
  for (int64_t k = 0; k < shape.registers(); ++k) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      if (isVmiVector(operand.getType())) {
        Value part = partsOf(operand)[size_t(k)];
        operands.push_back(part.getType() == shape.type() ? part : microValue("vbitcast", part, shape.type()));
      } else if (!isVmiMask(operand.getType())) {
        operands.push_back(scalar(operand));
      }
    if (Value lanes = maskOf(op.getMask(), shape.bytes, k))
      operands.push_back(lanes);
    part = k;
    images.images.push_back(
        microValue(op.getInfo().micro, operands, MaskType::get(b.getContext(), shape.bytes), text("cmp", word)));
    part = -1;
  }
  return give(op->getResult(0), std::move(images));
}

LogicalResult VmiExpander::select(Vmi op) {
  const Parts yes = partsOf(op->getOperand(1)), no = partsOf(op->getOperand(2));
  return give(op->getResult(0), choose(op->getOperand(0), shapeOf(op->getResult(0)), yes, no));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

LogicalResult VmiExpander::reinterpret(Vmi op) {
  LaneShape to = shapeOf(op->getResult(0));
  Parts made;
  for (Value part : partsOf(op->getOperand(0)))
    made.push_back(part.getType() == to.type() ? part : microValue("vbitcast", part, to.type()));
  return give(op->getResult(0), std::move(made));
}

/// As symbols of meanings have it: pairs of bf16 are two of them.
static std::string meaningName(Type element) { return isa<BF16x2Type>(element) ? "bf16" : elementName(element); }

/// The function on lanes; empty when there is none.
static std::string conversionSymbol(Type from, Type to, StringRef rounding, StringRef saturate) {
  const std::string source = meaningName(from), result = meaningName(to);
  const Conversion *pair = findConversion(source, result);
  if (!pair)
    return "";
  StringRef sat = pair->saturation ? (saturate.empty() ? "NOSAT" : saturate) : "";
  StringRef rnd = StringRef(pair->rounding).empty() ? "" : rounding.empty() ? "R" : rounding;
  return ("ptom_shared_" + source + "_" + result + "_" + rnd + sat).str();
}

VmiExpander::Parts VmiExpander::converted(const Parts &parts, LaneShape from, LaneShape to, StringRef rounding,
                                          StringRef saturate) {
  if (from.element == to.element)
    return parts;
  std::string symbol;
  if (!isa<IntegerType>(from.element) || !isa<IntegerType>(to.element)) {
    symbol = conversionSymbol(from.element, to.element, rounding, saturate);
    if (symbol.empty()) {
      // An 8-bit float to 16 bits: exact by way of f32.
      LaneShape wide{from.lanes, b.getF32Type(), 4};
      return converted(converted(parts, from, wide), wide, to, "R", "NOSAT");
    }
  }
  return sequenceOf(sequence::kConvert, parts, to,
                    {text("symbol", symbol), text("saturate", saturate), number("lanes", from.lanes)});
}

LogicalResult VmiExpander::convert(Vmi op) {
  LaneShape from = shapeOf(op->getOperand(0)), to = shapeOf(op->getResult(0));
  StringRef rounding = op.getRounding();
  const bool tapered = isa<Hif8Type>(to.element);
  if (rounding == "H" && !tapered) // toward zero (VTO-3)
    rounding = "Z";
  return give(op->getResult(0), converted(partsOf(op->getOperand(0)), from, to, rounding, op.getWord("saturate")));
}
