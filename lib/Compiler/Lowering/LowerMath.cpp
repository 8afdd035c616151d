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
  Value result = op->getResult(0);
  if (llvm::is_contained(kOfIntegers, name)) {
    Value value = mapped(op->getOperand(0));
    Type type = value.getType();
    if (name == "absi") {
      Value zero = b.create<arith::ConstantIntOp>(b.loc, 0, type);
      mapping.map(result, b.select(b.cmp(arith::CmpIPredicate::slt, value, zero), b.sub(zero, value), value));
    } else if (name == "ctpop") {
      mapping.map(result, b.create<LLVM::CtPopOp>(b.loc, type, value));
    } else if (name == "ctlz") {
      mapping.map(result, b.create<LLVM::CountLeadingZerosOp>(b.loc, type, value, /*is_zero_poison=*/false));
    } else {
      mapping.map(result, b.create<LLVM::CountTrailingZerosOp>(b.loc, type, value, /*is_zero_poison=*/false));
    }
    return success();
  }
  Type type = result.getType(), wide = b.getF64Type();
  SmallVector<Value> arguments = {b.const32(unsigned(llvm::find(kFunctions, name) - kFunctions))};
  for (Value operand : op->getOperands()) {
    Value value = operand.getType().isBF16() ? widenBf16(mapped(operand)) : mapped(operand);
    arguments.push_back(b.create<arith::ExtFOp>(b.loc, wide, value));
  }
  while (arguments.size() < 4)
    arguments.push_back(arguments.back());
  Value value = b.call("ptosc_math", wide, arguments).getResult();
  if (type.isF32())
    value = b.create<arith::TruncFOp>(b.loc, type, value);
  else if (type.isF16())
    value = b.create<arith::TruncFOp>(b.loc, type, oddF32(value));
  else
    value = roundBf16(oddF32(value));
  mapping.map(result, value);
  return success();
}
