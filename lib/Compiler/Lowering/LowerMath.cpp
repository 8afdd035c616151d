//===- LowerMath.cpp - scalar functions -----------------------------------===//
//
// Functions of upstream `math` on scalars (STD-8): floats are computed by the runtime
// in f64 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Lowering/Lowering.h"
#include "Lowering/ScalarMath.h"

using namespace mlir;
using namespace ptoscope;

static constexpr StringLiteral kFunctions[] = {
#define PTO_MATH(NAME, VALUE) #NAME,
#include "ptoscope/math.def"
#undef PTO_MATH
};
static constexpr StringLiteral kOfIntegers[] = {"absi", "ctlz", "ctpop", "cttz"};

bool ptoscope::isScalarMath(Operation *op) {
  auto isFloat = [](Type type) { return type.isF16() || type.isBF16() || type.isF32(); };
  StringRef name = op->getName().stripDialect();
  return llvm::is_contained(kOfIntegers, name)
             ? op->getResult(0).getType().isSignlessIntOrIndex()
             : llvm::is_contained(kFunctions, name) && llvm::all_of(op->getOperandTypes(), isFloat);
}

LogicalResult Lowering::lowerMath(Operation *op) {
  StringRef name = op->getName().stripDialect();
  Type type = op->getResult(0).getType();
  if (llvm::is_contained(kOfIntegers, name)) {
    Value value = mapped(op->getOperand(0));
    if (name == "ctpop")
      return give(op, b.create<LLVM::CtPopOp>(b.loc, value.getType(), value));
    if (name == "ctlz")
      return give(op, b.create<LLVM::CountLeadingZerosOp>(b.loc, value.getType(), value, /*is_zero_poison=*/false));
    if (name == "cttz")
      return give(op, b.create<LLVM::CountTrailingZerosOp>(b.loc, value.getType(), value, /*is_zero_poison=*/false));
    Value zero = b.create<arith::ConstantIntOp>(b.loc, 0, value.getType());
    return give(op, b.select(b.cmp(arith::CmpIPredicate::slt, value, zero), b.sub(zero, value), value));
  }
  Type wide = b.getF64Type();
  SmallVector<Value> arguments = {b.const32(unsigned(llvm::find(kFunctions, name) - kFunctions))};
  for (Value operand : op->getOperands()) {
    Value value = operand.getType().isBF16() ? widenBf16(mapped(operand)) : mapped(operand);
    arguments.push_back(b.create<arith::ExtFOp>(b.loc, wide, value));
  }
  while (arguments.size() < 4)
    arguments.push_back(arguments.back());
  Value value = b.call("ptosc_math", wide, arguments);
  if (type.isF32())
    return give(op, b.create<arith::TruncFOp>(b.loc, type, value));
  value = oddF32(value);
  return give(op, type.isF16() ? b.create<arith::TruncFOp>(b.loc, type, value) : roundBf16(value));
}
