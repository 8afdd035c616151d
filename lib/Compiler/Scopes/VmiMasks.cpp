//===- VmiMasks.cpp - masks of any length ---------------------------------===//

#include "Scopes/ExpandVmi.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static int64_t perRegister(unsigned bytes) { return LaneShape::kRegisterBytes / bytes; }
static int64_t registersFor(int64_t lanes, unsigned bytes) {
  return (lanes + perRegister(bytes) - 1) / perRegister(bytes);
}

LogicalResult VmiExpander::give(Value mask, LaneMask known) {
  known.lanes = vmiLanes(mask.getType());
  masks[mask] = std::move(known);
  return success();
}

/// The lanes of `fixed` that register k of that width has; those beyond N are off.
static SmallVector<bool> lanesOfRegister(ArrayRef<bool> fixed, unsigned bytes, int64_t k) {
  SmallVector<bool> lanes(size_t(perRegister(bytes)), false);
  for (int64_t i = 0; i < perRegister(bytes) && k * perRegister(bytes) + i < int64_t(fixed.size()); ++i)
    lanes[size_t(i)] = fixed[size_t(k * perRegister(bytes) + i)];
  return lanes;
}

Value VmiExpander::fixedMask(ArrayRef<bool> lanes, unsigned bytes) {
  return sequence(sequence::kFixed, {}, MaskType::get(b.getContext(), bytes),
                  b.getNamedAttr("value", b.getDenseBoolArrayAttr(lanes)))
      ->getResult(0);
}

Value VmiExpander::existingMask(int64_t lanes, unsigned bytes) {
  SmallVector<bool> existing(size_t(perRegister(bytes)), false);
  std::fill_n(existing.begin(), std::min(lanes, perRegister(bytes)), true);
  return fixedMask(existing, bytes);
}

const VmiExpander::Parts &VmiExpander::imagesOf(Value mask, unsigned bytes) {
  const LaneMask &known = masks.find(mask)->second;
  if (known.kind == LaneMask::Images && known.bytes == bytes)
    return known.images;
  Parts &images = widths[{mask.getAsOpaquePointer(), bytes, b.getInsertionBlock()}];
  if (!images.empty())
    return images;
  const int64_t count = registersFor(known.lanes, bytes);
  Type type = MaskType::get(b.getContext(), bytes);
  if (known.kind == LaneMask::Images) {
    SmallVector<Type> types(size_t(count), type);
    images = Parts(sequence(sequence::kRegrain, known.images, types)->getResults());
    return images;
  }
  for (int64_t k = 0; k < count; ++k)
    images.push_back(known.kind == LaneMask::Fixed
                         ? fixedMask(lanesOfRegister(known.fixed, bytes, k), bytes)
                         : sequence(sequence::kPrefix, known.count, type,
                                    {number("first", k * perRegister(bytes)), number("lanes", known.lanes)})
                               ->getResult(0));
  return images;
}

Value VmiExpander::maskOf(Value mask, unsigned bytes, int64_t k) {
  if (!mask)
    return {};
  const LaneMask &known = masks.find(mask)->second;
  if (known.kind == LaneMask::Fixed) {
    ArrayRef<bool> own = ArrayRef(known.fixed).drop_front(size_t(k * perRegister(bytes)));
    if (llvm::all_of(own.take_front(size_t(perRegister(bytes))), [](bool on) { return on; }))
      return {};
  }
  return imagesOf(mask, bytes)[size_t(k)];
}

Value VmiExpander::exactMask(Value mask, unsigned bytes, int64_t k) {
  const int64_t each = perRegister(bytes), left = vmiLanes(mask.getType()) - k * each;
  Value own = maskOf(mask, bytes, k);
  if (own && (left >= each || masks.find(mask)->second.kind == LaneMask::Fixed))
    return own;
  Value exists = existingMask(left, bytes);
  return own ? microValue("pand", {own, exists, exists}, exists.getType()) : exists;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static LaneMask fixedLanes(int64_t lanes, llvm::function_ref<bool(int64_t)> on) {
  LaneMask mask;
  for (int64_t i = 0; i < lanes; ++i)
    mask.fixed.push_back(on(i));
  return mask;
}

LogicalResult VmiExpander::createMask(Vmi op) {
  Value count = scalar(op->getOperand(0)), mask = op->getResult(0);
  if (APInt known; matchPattern(count, m_ConstantInt(&known)))
    return give(mask, fixedLanes(vmiLanes(mask.getType()), [&](int64_t i) { return i < known.getSExtValue(); }));
  LaneMask prefix;
  prefix.kind = LaneMask::Prefix;
  prefix.count = count;
  return give(mask, std::move(prefix));
}

LogicalResult VmiExpander::createGroupMask(Vmi op) {
  Value count = scalar(op->getOperand(0)), mask = op->getResult(0);
  const int64_t lanes = vmiLanes(mask.getType()), size = op->getAttrOfType<IntegerAttr>("group_size").getInt();
  if (APInt known; matchPattern(count, m_ConstantInt(&known)))
    return give(mask, fixedLanes(lanes, [&](int64_t i) { return i % size < known.getSExtValue(); }));
  // Numbers of lanes in their group, compared with the count.
  LaneShape shape{lanes, b.getIntegerType(32, /*isSigned=*/false), 4};
  Value wide = count.getType().isIndex() ? b.create<arith::IndexCastOp>(loc, b.getI64Type(), count).getResult() : count;
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64).getResult(); };
  wide = b.create<arith::MinSIOp>(loc, b.create<arith::MaxSIOp>(loc, wide, constant(0)), constant(size));
  Value limit = b.create<arith::TruncIOp>(loc, b.getI32Type(), wide);
  LaneMask images;
  images.kind = LaneMask::Images;
  images.bytes = shape.bytes;
  for (Value part : constantLanes(shape, [&](int64_t i) { return i % size; }))
    images.images.push_back(microValue("vcmps", {part, limit}, MaskType::get(b.getContext(), 4), text("cmp", "lt")));
  return give(mask, std::move(images));
}

/// PAT_ALL, or PAT_VL and a number.
LogicalResult VmiExpander::patternMask(Vmi op) {
  Value mask = op->getResult(0);
  const int64_t lanes = vmiLanes(mask.getType());
  StringRef pattern = op.getWord("pattern");
  int64_t count = lanes;
  if (pattern.consume_front("PAT_VL"))
    pattern.getAsInteger(10, count);
  const int64_t size = lanes / op.getGroups();
  return give(mask, fixedLanes(lanes, [&](int64_t i) { return i % size < count; }));
}

LogicalResult VmiExpander::countMask(Vmi op) {
  Value rest = scalar(op->getOperand(0)), mask = op->getResult(0);
  const int64_t lanes = vmiLanes(mask.getType());
  Value all = b.create<arith::ConstantIntOp>(loc, lanes, 32);
  Value taken = b.create<arith::MinSIOp>(loc, rest, all);
  if (op->getNumResults() == 2)
    mapping.map(op->getResult(1), b.create<arith::SubIOp>(loc, rest, taken).getResult());
  LaneMask prefix;
  prefix.kind = LaneMask::Prefix;
  prefix.count = rest;
  return give(mask, std::move(prefix));
}

LogicalResult VmiExpander::constantMask(Vmi op) {
  auto value = op->getAttrOfType<DenseElementsAttr>("value");
  LaneMask mask;
  for (bool on : value.getValues<bool>())
    mask.fixed.push_back(on);
  return give(op->getResult(0), std::move(mask));
}

/// vand, vor, vxor and vnot of masks.
LogicalResult VmiExpander::maskLogic(Vmi op) {
  Value result = op->getResult(0);
  const int64_t lanes = vmiLanes(result.getType());
  SmallVector<Value> operands(op->getOperands());
  StringRef name = op->getName().stripDialect();
  name = name.substr(name.size() - 3); // and, xor, not, and "vor" or "_or"
  name = name.ends_with("or") && name != "xor" ? "or" : name;
  auto combine = [&](bool x, bool y) {
    return name == "and" ? x && y : name == "or" ? x || y : name == "xor" ? x != y : !x;
  };
  const LaneMask first = masks.find(operands[0])->second, second = masks.find(operands.back())->second;
  if (first.kind == LaneMask::Fixed && second.kind == LaneMask::Fixed)
    return give(result,
                fixedLanes(lanes, [&](int64_t i) { return combine(first.fixed[size_t(i)], second.fixed[size_t(i)]); }));
  LaneMask images;
  images.kind = LaneMask::Images;
  images.bytes = first.bytes ? first.bytes : second.bytes ? second.bytes : 4;
  const Parts a = imagesOf(operands[0], images.bytes), c = imagesOf(operands.back(), images.bytes);
  Type type = MaskType::get(b.getContext(), images.bytes);
  Value all = fixedMask(SmallVector<bool>(size_t(perRegister(images.bytes)), true), images.bytes);
  for (size_t k = 0; k < a.size(); ++k)
    images.images.push_back(name == "not" ? microValue("pnot", {a[k], all}, type)
                                          : microValue(("p" + name).str(), {a[k], c[k], all}, type));
  return give(result, std::move(images));
}
