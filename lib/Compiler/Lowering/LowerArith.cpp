//===- LowerArith.cpp - scalar arithmetic ---------------------------------===//
//
// Upstream `arith` on scalars: what it leaves undefined is reported or has a
// result of its own, and every result is rounded once, on any host.
//
//===----------------------------------------------------------------------===//

#include "Lowering/Lowering.h"
#include "ptoscope/Machine/Runtime.h"

#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace ptoscope;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// bf16 bits as f32, exactly.
Value Lowering::widenBf16(Value bits) {
  Value wide = b.create<arith::ShLIOp>(b.loc, b.create<arith::ExtUIOp>(b.loc, b.i32(), bits), b.const32(16));
  return b.create<arith::BitcastOp>(b.loc, b.getF32Type(), wide);
}

/// f32 rounded to the nearest bf16, ties to even, as bits; NaN becomes 0x7FC0.
Value Lowering::roundBf16(Value value) {
  Value bits = b.create<arith::BitcastOp>(b.loc, b.i32(), value);
  Value odd = b.andi(b.create<arith::ShRUIOp>(b.loc, bits, b.const32(16)), b.const32(1));
  Value rounded = b.add(bits, b.add(odd, b.const32(0x7FFF)));
  rounded = b.create<arith::ShRUIOp>(b.loc, rounded, b.const32(16));
  Value nan = b.create<arith::CmpFOp>(b.loc, arith::CmpFPredicate::UNO, value, value);
  return b.create<arith::TruncIOp>(b.loc, b.getI16Type(), b.select(nan, b.const32(0x7FC0), rounded));
}

/// f64 as f32, the odd neighbour where it is inexact: rounding that once more, to
/// fewer bits, gives what rounding the f64 would have given.
Value Lowering::oddF32(Value wide) {
  Value near = b.create<arith::TruncFOp>(b.loc, b.getF32Type(), wide);
  Value back = b.create<arith::ExtFOp>(b.loc, b.getF64Type(), near);
  auto magnitude = [&](Value value) -> Value {
    Value bits = b.create<arith::BitcastOp>(b.loc, b.i64(), value);
    return b.andi(bits, b.const64(std::numeric_limits<int64_t>::max()));
  };
  auto flag = [&](Value truth) -> Value { return b.create<arith::ExtUIOp>(b.loc, b.i32(), truth); };
  // Bit patterns of one sign are ordered like magnitudes.
  Value above = b.cmp(arith::CmpIPredicate::ugt, magnitude(back), magnitude(wide));
  Value inexact = b.create<arith::CmpFOp>(b.loc, arith::CmpFPredicate::ONE, back, wide);
  Value bits = b.create<arith::BitcastOp>(b.loc, b.i32(), near);
  bits = b.ori(b.sub(bits, flag(b.andi(above, inexact))), flag(inexact));
  return b.create<arith::BitcastOp>(b.loc, b.getF32Type(), bits);
}

/// An integer as f64, the odd neighbour (in units of 2^11) where 53 bits are too few.
Value Lowering::oddF64(Value integer, bool isSigned) {
  auto convert = [&](Value value) -> Value {
    return isSigned ? b.create<arith::SIToFPOp>(b.loc, b.getF64Type(), value).getResult()
                    : b.create<arith::UIToFPOp>(b.loc, b.getF64Type(), value).getResult();
  };
  if (integer.getType().getIntOrFloatBitWidth() < 64)
    return convert(integer);
  Value shift = b.const64(11);
  Value high = isSigned ? b.create<arith::ShRSIOp>(b.loc, integer, shift).getResult()
                        : b.create<arith::ShRUIOp>(b.loc, integer, shift).getResult();
  Value rest = b.cmp(arith::CmpIPredicate::ne, b.andi(integer, b.const64((1 << 11) - 1)), b.const64(0));
  Value odd = b.ori(high, b.create<arith::ExtUIOp>(b.loc, b.i64(), rest));
  Value scaled =
      b.create<arith::MulFOp>(b.loc, convert(odd), b.create<arith::ConstantOp>(b.loc, b.getF64FloatAttr(2048)));
  // Below 2^53 nothing is lost, and the low bits count.
  Value bound = b.const64(int64_t(1) << 53);
  Value small = isSigned ? b.cmp(arith::CmpIPredicate::ult, b.add(integer, bound), b.const64(int64_t(1) << 54))
                         : b.cmp(arith::CmpIPredicate::ult, integer, bound);
  return b.select(small, convert(integer), scaled);
}

/// Upstream leaves integers of floats that are out of range undefined; they
/// saturate here, and NaN gives 0 (STD-7).
Value Lowering::saturate(Value value, Type type, bool isSigned) {
  auto format = cast<FloatType>(value.getType());
  unsigned width = type.getIntOrFloatBitWidth();
  auto constant = [&](const APInt &number) -> Value {
    return b.create<arith::ConstantOp>(b.loc, b.getIntegerAttr(type, number));
  };
  auto power = [&](unsigned exponent, bool negative) -> Value {
    APFloat number = scalbn(APFloat(format.getFloatSemantics(), 1), int(exponent), APFloat::rmNearestTiesToEven);
    if (negative)
      number.changeSign();
    return b.create<arith::ConstantOp>(b.loc, b.getFloatAttr(format, number));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
    return b.create<arith::CmpFOp>(b.loc, predicate, value, bound);
  };
  Value inside = isSigned ? b.create<arith::FPToSIOp>(b.loc, type, value).getResult()
                          : b.create<arith::FPToUIOp>(b.loc, type, value).getResult();
  Value above = compare(arith::CmpFPredicate::OGE, power(isSigned ? width - 1 : width, false));
  Value below = compare(arith::CmpFPredicate::OLE, power(isSigned ? width - 1 : 0, true));
  Value nan = compare(arith::CmpFPredicate::UNO, value);
  Value result = b.select(nan, constant(APInt::getZero(width)), inside);
  result = b.select(below, constant(isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width)), result);
  return b.select(above, constant(isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width)), result);
}

/// Conversions that hosts do in two roundings, or not at all. Null for others.
Value Lowering::convertScalar(Operation *op, Value input) {
  Type result = op->getResult(0).getType();
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return saturate(input, result, isa<arith::FPToSIOp>(op));
  bool narrow = result.isF16() || result.isBF16();
  Value value;
  if (narrow && isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    value = oddF32(oddF64(input, isa<arith::SIToFPOp>(op)));
  else if (narrow && isa<arith::TruncFOp>(op) && input.getType().isF64())
    value = oddF32(input);
  else
    return {};
  return result.isBF16() ? roundBf16(value) : b.create<arith::TruncFOp>(b.loc, result, value).getResult();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The same operation on lowered values. `overflow<…>` and `fastmath<…>` would let the host's compiler assume that
/// nothing wraps and that floats may be rearranged; integers wrap (STD-2) and floats are rounded as written (ARITH-2),
/// so they stay behind.
static Operation *rebuild(CodeBuilder &b, Operation *op, ValueRange operands, TypeRange types) {
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op)) {
    // Hosts differ in what they make of a signalling NaN (ARITH-3).
    auto isNaN = [&](Value x) { return b.create<arith::CmpFOp>(b.loc, arith::CmpFPredicate::UNO, x, x).getResult(); };
    Value x = operands[0], y = operands[1];
    Value both = isa<arith::MaxNumFOp>(op) ? b.create<arith::MaximumFOp>(b.loc, x, y).getResult()
                                           : b.create<arith::MinimumFOp>(b.loc, x, y).getResult();
    return b.select(isNaN(x), y, b.select(isNaN(y), x, both)).getDefiningOp();
  }
  NamedAttrList attributes(op->getAttrs());
  attributes.erase("overflowFlags");
  attributes.erase("fastmath");
  return b.create(OperationState(op->getLoc(), op->getName(), operands, types, attributes));
}

/// Arithmetic with bf16 operands or results is done in f32 and rounded once.
LogicalResult Lowering::lowerBf16(Operation *op) {
  // Bits stay bits.
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return give(op,
                b.select(mapped(select.getCondition()), mapped(select.getTrueValue()), mapped(select.getFalseValue())));
  if (isa<arith::BitcastOp>(op))
    return give(op, mapped(op->getOperand(0)));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    APInt bits = cast<FloatAttr>(constant.getValue()).getValue().bitcastToAPInt();
    return give(op, b.create<arith::ConstantOp>(b.loc, b.getIntegerAttr(b.getI16Type(), bits)));
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operand.getType().isBF16() ? widenBf16(mapped(operand)) : mapped(operand));
  if (Value value = convertScalar(op, operands[0]))
    return give(op, value);
  Type result = op->getResult(0).getType(), wide = result.isBF16() ? b.getF32Type() : lowered(result);
  bool same = isa<arith::ExtFOp, arith::TruncFOp>(op) && operands[0].getType() == wide;
  Value value = same ? operands[0] : rebuild(b, op, operands, wide)->getResult(0);
  return give(op, result.isBF16() ? roundBf16(value) : value);
}

LogicalResult Lowering::lowerArith(Operation *op) {
  auto isBf16 = [](Type type) { return type.isBF16(); };
  if (llvm::any_of(op->getOperandTypes(), isBf16) || llvm::any_of(op->getResultTypes(), isBf16))
    return lowerBf16(op);
  // `index` is i64 from here on.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Value input = mapped(op->getOperand(0));
    Type type = lowered(op->getResult(0).getType());
    unsigned from = input.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    if (from > to)
      input = b.create<arith::TruncIOp>(b.loc, type, input);
    else if (from < to && isa<arith::IndexCastOp>(op))
      input = b.create<arith::ExtSIOp>(b.loc, type, input);
    else if (from < to)
      input = b.create<arith::ExtUIOp>(b.loc, type, input);
    return give(op, input);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto integer = dyn_cast<IntegerAttr>(value))
      value = b.getIntegerAttr(lowered(integer.getType()), integer.getValue());
    return give(op, b.create<arith::ConstantOp>(b.loc, cast<TypedAttr>(value)));
  }
  if (Value value = op->getNumResults() == 1 ? convertScalar(op, mapped(op->getOperand(0))) : Value())
    return give(op, value);
  // Results of upstream division and shifts are undefined for some operands;
  // those are reported and never reach the host's instruction.
  bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
                     arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
  bool shifts = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
  IRMapping local;
  for (Value operand : op->getOperands())
    local.map(operand, mapped(operand));
  if (divides || shifts) {
    Value rhs = mapped(op->getOperand(1));
    Type type = rhs.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    auto make = [&](const APInt &value) -> Value {
      return b.create<arith::ConstantOp>(b.loc, b.getIntegerAttr(type, value));
    };
    APInt constant;
    bool known = matchPattern(op->getOperand(1), m_ConstantInt(&constant));
    if (divides && !(known && !constant.isZero() && !constant.isAllOnes())) {
      Value zero = b.cmp(arith::CmpIPredicate::eq, rhs, make(APInt::getZero(width)));
      failIf(op, zero, PTO_FAIL_DIVISION, b.const64(0));
      Value bad = zero;
      if (isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op)) {
        Value lowest =
            b.cmp(arith::CmpIPredicate::eq, mapped(op->getOperand(0)), make(APInt::getSignedMinValue(width)));
        Value minusOne = b.cmp(arith::CmpIPredicate::eq, rhs, make(APInt::getAllOnes(width)));
        Value overflow = b.andi(lowest, minusOne);
        failIf(op, overflow, PTO_FAIL_DIVISION, b.const64(1));
        bad = b.ori(bad, overflow);
      }
      local.map(op->getOperand(1), b.select(bad, make(APInt(width, 1)), rhs));
    } else if (shifts && !(known && constant.ult(width))) {
      Value bad = b.cmp(arith::CmpIPredicate::uge, rhs, make(APInt(width, width)));
      failIf(op, bad, PTO_FAIL_SHIFT, b.toI64(rhs));
      local.map(op->getOperand(1), b.select(bad, make(APInt::getZero(width)), rhs));
    }
  }
  // A division of x by x shares one operand; map each by position.
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    operands.push_back(i == 0 ? mapped(operand) : local.lookup(operand));
  if (isa<arith::CeilDivSIOp, arith::FloorDivSIOp>(op)) {
    // From quotient and remainder: the upstream expansion overflows on its way.
    Value quotient = b.create<arith::DivSIOp>(b.loc, operands[0], operands[1]);
    Value rest = b.create<arith::RemSIOp>(b.loc, operands[0], operands[1]);
    Value zero = b.create<arith::ConstantIntOp>(b.loc, 0, rest.getType());
    Value one = b.create<arith::ConstantIntOp>(b.loc, 1, rest.getType());
    Value inexact = b.cmp(arith::CmpIPredicate::ne, rest, zero);
    bool ceiling = isa<arith::CeilDivSIOp>(op);
    Value sameSign = b.cmp(arith::CmpIPredicate::eq, b.cmp(arith::CmpIPredicate::slt, rest, zero),
                           b.cmp(arith::CmpIPredicate::slt, operands[1], zero));
    Value differs = b.create<arith::XOrIOp>(b.loc, sameSign, b.create<arith::ConstantIntOp>(b.loc, 1, 1));
    Value adjusts = b.andi(inexact, ceiling ? sameSign : differs);
    Value adjusted = ceiling ? b.add(quotient, one) : b.sub(quotient, one);
    return give(op, b.select(adjusts, adjusted, quotient));
  }
  SmallVector<Type> types(llvm::map_range(op->getResultTypes(), [&](Type type) { return lowered(type); }));
  mapping.map(op->getResults(), rebuild(b, op, operands, types)->getResults());
  return success();
}
