//===- VmiOrder.cpp - operations that move or combine lanes ---------------===//

#include "Scopes/ExpandVmi.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Broadcasts, counters, constants
//===----------------------------------------------------------------------===//

LogicalResult VmiExpander::broadcast(Vmi op) {
  Value source = op->getOperand(0);
  LaneShape shape = shapeOf(op->getResult(0));
  if (!isVmiVector(source.getType()))
    return give(op->getResult(0), Parts(size_t(shape.registers()), splat(scalar(source), shape)));
  const int64_t size = shape.lanes / op.getGroups();
  return give(op->getResult(0), shuffle(partsOf(source), shape, [&](int64_t i) { return i / size; }));
}

/// The bits of a number as an element.
static int64_t bitsOfNumber(Type element, int64_t number) {
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return number;
  bool inexact;
  APFloat value(static_cast<double>(number));
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  return int64_t(value.bitcastToAPInt().getZExtValue());
}

LogicalResult VmiExpander::counters(Vmi op) {
  LaneShape shape = shapeOf(op->getResult(0));
  Value base = scalar(op->getOperand(0));
  const int64_t size = shape.lanes / op.getGroups();
  const Parts numbers = constantLanes(shape, [&](int64_t i) { return bitsOfNumber(shape.element, i % size); });
  Parts made;
  for (Value part : numbers)
    made.push_back(op.getWord("order") == "DESC" ? microValue("vsub", {splat(base, shape), part}, shape.type())
                                                 : microValue("vadds", {part, base}, shape.type()));
  return give(op->getResult(0), std::move(made));
}

LogicalResult VmiExpander::constant(Vmi op) {
  auto value = op->getAttrOfType<DenseElementsAttr>("value");
  LaneShape shape = shapeOf(op->getResult(0));
  SmallVector<int64_t> lanes;
  if (isa<FloatType>(value.getElementType()))
    for (const APFloat &number : value.getValues<APFloat>())
      lanes.push_back(int64_t(number.bitcastToAPInt().getZExtValue()));
  else
    for (const APInt &number : value.getValues<APInt>())
      lanes.push_back(int64_t(number.getZExtValue()));
  return give(op->getResult(0), constantLanes(shape, [&](int64_t i) { return lanes[size_t(i)]; }));
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

LogicalResult VmiExpander::interleave(Vmi op) {
  LaneShape shape = shapeOf(op->getResult(0));
  const int64_t lanes = shape.lanes, second = shape.registers() * shape.perRegister();
  Parts both = partsOf(op->getOperand(0));
  llvm::append_range(both, partsOf(op->getOperand(1)));
  const bool apart = op.getInfo().name == "vmi.vdintlv";
  for (int64_t half : {0, 1}) {
    auto from = [&](int64_t i) {
      if (!apart) { // a[0], b[0], a[1], b[1], …
        const int64_t place = half * lanes + i;
        return place / 2 + place % 2 * second;
      }
      const int64_t place = 2 * i + half; // in a followed by b
      return place < lanes ? place : second + place - lanes;
    };
    Parts made = zeroed(op.getMask(), shape, shuffle(both, shape, from));
    (void)give(op->getResult(unsigned(half)), std::move(made));
  }
  return success();
}

LogicalResult VmiExpander::shuffleOp(Vmi op) {
  ArrayRef<int64_t> indices = op->getAttrOfType<DenseI64ArrayAttr>("indices").asArrayRef();
  return give(op->getResult(0), shuffle(partsOf(op->getOperand(0)), shapeOf(op->getResult(0)),
                                        [&](int64_t i) { return indices[size_t(i)]; }));
}

LogicalResult VmiExpander::channels(Vmi op) {
  if (op->getNumResults() > 1) {
    const int64_t count = op->getNumResults();
    for (auto [c, result] : llvm::enumerate(op->getResults()))
      (void)give(result, shuffle(partsOf(op->getOperand(0)), shapeOf(result),
                                 [&](int64_t i) { return i * count + int64_t(c); }));
    return success();
  }
  const int64_t count = op->getNumOperands();
  LaneShape channel = shapeOf(op->getOperand(0));
  Parts all;
  for (Value operand : op->getOperands())
    llvm::append_range(all, partsOf(operand));
  const int64_t room = channel.registers() * channel.perRegister();
  return give(op->getResult(0),
              shuffle(all, shapeOf(op->getResult(0)), [&](int64_t i) { return i % count * room + i / count; }));
}

LogicalResult VmiExpander::lookup(Vmi op) {
  LaneShape shape = shapeOf(op->getResult(0));
  Parts operands = partsOf(op->getOperand(0));
  llvm::append_range(operands, partsOf(op->getOperand(1)));
  return give(op->getResult(0), sequenceOf(sequence::kLookup, operands, shape, number("lanes", shape.lanes)));
}

VmiExpander::Parts VmiExpander::rank(Value mask, LaneShape shape) {
  Parts lanes;
  for (int64_t k = 0; k < shape.registers(); ++k)
    lanes.push_back(exactMask(mask, shape.bytes, k));
  return sequenceOf(sequence::kRank, lanes, shape);
}

LogicalResult VmiExpander::prefixIndex(Vmi op) {
  return give(op->getResult(0), rank(op->getOperand(0), shapeOf(op->getResult(0))));
}

LogicalResult VmiExpander::compress(Vmi op) {
  LaneShape shape = shapeOf(op->getResult(0));
  Parts operands = partsOf(op->getOperand(0));
  for (int64_t k = 0; k < shape.registers(); ++k)
    operands.push_back(exactMask(activeLanes(op), shape.bytes, k));
  return give(op->getResult(0), sequenceOf(sequence::kCompress, operands, shape));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// Of each reduction: the lane-wise instruction of its tree, and what lanes that are off count as.
struct Reduction {
  StringLiteral name, combines;
  bool isSum, isMax;
};
} // namespace
static constexpr Reduction kReductions[] = {
    {"vmi.vcadd", "vadd", true, false}, {"vmi.vcmax", "vmax", false, true}, {"vmi.vcmin", "vmin", false, false}};

/// -inf or the smallest integer for a maximum, and the opposite for a minimum (VSUM-5).
static uint64_t extreme(LaneShape shape, bool lowest) {
  if (auto type = dyn_cast<FloatType>(shape.element))
    return APFloat::getInf(type.getFloatSemantics(), lowest).bitcastToAPInt().getZExtValue();
  const unsigned bits = 8 * shape.bytes;
  const bool isSigned = cast<IntegerType>(shape.element).isSigned();
  return (lowest ? APInt::getMinValue(bits) : APInt::getMaxValue(bits)).getZExtValue() ^
         (isSigned ? APInt::getSignMask(bits).getZExtValue() : 0);
}

LogicalResult VmiExpander::reduce(Vmi op) {
  const Reduction &reduction =
      *llvm::find_if(kReductions, [&](const Reduction &row) { return row.name == op.getInfo().name; });
  LaneShape shape = shapeOf(op->getOperand(0)), result = shapeOf(op->getResult(0));
  Parts parts = partsOf(op->getOperand(0));
  const bool real = !isa<IntegerType>(shape.element);
  const uint64_t off = reduction.isSum ? 0 : extreme(shape, reduction.isMax);
  if (governs(activeLanes(op), shape))
    parts = choose(activeLanes(op), shape, parts, Parts(parts.size(), splatBits(off, shape)));
  // Sums of f16 are kept in f32 (VSUM-3).
  LaneShape sums = shape;
  if (reduction.isSum && real) {
    sums = {shape.lanes, b.getF32Type(), 4};
    parts = converted(parts, shape, sums);
  }
  int64_t size = sums.lanes / result.lanes;
  const int64_t whole = int64_t(llvm::PowerOf2Ceil(uint64_t(size)));
  // What changes nothing: -0 does not, whatever it is added to.
  const uint64_t neutral = !reduction.isSum ? off : real ? 0x80000000 : 0;
  if (size == 1) {
    // A group of one lane is combined all the same: its lane has to be defined, and a NaN becomes the canonical one.
    const Value other = splatBits(neutral, sums);
    for (auto [k, one] : llvm::enumerate(parts)) {
      part = int64_t(k);
      one = microValue(reduction.combines, {one, other}, sums.type());
    }
    part = -1;
  } else if (size != whole) {
    // Groups grow to a power of two.
    const int64_t filler = int64_t(parts.size()) * sums.perRegister();
    parts.push_back(splatBits(neutral, sums));
    sums = sums.with(result.lanes * whole);
    parts = shuffle(parts, sums, [&](int64_t i) { return i % whole < size ? i / whole * size + i % whole : filler; });
    size = whole;
  }
  const unsigned levels = llvm::Log2_64(uint64_t(size));
  if (levels)
    parts = sequenceOf(sequence::kFold, parts, sums.with(result.lanes),
                       {text("symbol", reduction.combines), number("lanes", sums.lanes), number("levels", levels)});
  return give(op->getResult(0), converted(parts, sums.with(result.lanes), result, "R", "NOSAT"));
}

LogicalResult VmiExpander::histogram(Vmi op) {
  LaneShape source = shapeOf(op->getOperand(1)), counts = shapeOf(op->getResult(0));
  Parts made = partsOf(op->getOperand(0));
  for (int64_t k = 0; k < source.registers(); ++k) {
    Value lanes = exactMask(activeLanes(op), source.bytes, k);
    for (auto [half, count] : llvm::enumerate(made))
      count = microValue(op.getInfo().micro, {count, partsOf(op->getOperand(1))[size_t(k)], lanes}, counts.type(),
                         text("bin", half ? "BIN_N1" : "BIN_N0"));
  }
  return give(op->getResult(0), std::move(made));
}

//===----------------------------------------------------------------------===//
// Helpers of compilers
//===----------------------------------------------------------------------===//

LogicalResult VmiExpander::identity(Vmi op) {
  Value source = op->getOperand(0);
  if (isVmiVector(source.getType()))
    return give(op->getResult(0), Parts(partsOf(source)));
  return give(op->getResult(0), LaneMask(masks.find(source)->second));
}

LogicalResult VmiExpander::pack(Vmi op) {
  const bool packs = op.getInfo().name == "vmi.pack";
  auto type = cast<VmiVRegType>((packs ? op->getResult(0) : op->getOperand(0)).getType());
  LaneShape shape = shapeOf(type);
  auto placeOf = [&](int64_t lane) {
    VmiPlace place = vmiPlaceOf(type, lane);
    return place.part * shape.perRegister() + place.lane;
  };
  if (packs) {
    Parts registers;
    for (Value operand : op->getOperands())
      registers.push_back(scalar(operand));
    return give(op->getResult(0), shuffle(registers, shape, placeOf));
  }
  SmallVector<int64_t> from(op->getNumResults() * size_t(shape.perRegister()), -1);
  for (int64_t i = 0; i < shape.lanes; ++i)
    from[size_t(placeOf(i))] = i;
  const Parts made =
      shuffle(partsOf(op->getOperand(0)), shape.with(int64_t(from.size())), [&](int64_t i) { return from[size_t(i)]; });
  for (auto [result, part] : llvm::zip(op->getResults(), made))
    mapping.map(result, part);
  return success();
}
