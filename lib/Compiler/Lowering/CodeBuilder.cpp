//===- CodeBuilder.cpp - short names for the IR that lowering emits -------===//

#include "Lowering/CodeBuilder.h"

using namespace mlir;
using namespace ptoscope;

LLVM::LLVMFuncOp CodeBuilder::beginFunction(StringRef name, Type result, ArrayRef<Type> arguments) {
  setInsertionPointToEnd(module.getBody());
  auto function = create<LLVM::LLVMFuncOp>(loc, name, LLVM::LLVMFunctionType::get(result, arguments));
  entry = function.addEntryBlock(*this);
  setInsertionPointToStart(entry);
  context = entry->getArgument(0);
  return function;
}

Value CodeBuilder::ptrAdd(Value base, int64_t offset) {
  if (offset == 0)
    return base;
  return create<LLVM::GEPOp>(loc, ptrType(), getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value CodeBuilder::ptrAdd(Value base, Value offset) {
  return create<LLVM::GEPOp>(loc, ptrType(), getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
}

Value CodeBuilder::load(Type type, Value ptr, unsigned alignment) {
  return create<LLVM::LoadOp>(loc, type, ptr, alignment);
}

void CodeBuilder::store(Value value, Value ptr, unsigned alignment) {
  create<LLVM::StoreOp>(loc, value, ptr, alignment);
}

Value CodeBuilder::stack(int64_t bytes, unsigned alignment) {
  InsertionGuard guard(*this);
  setInsertionPointToStart(entry);
  Value count = create<LLVM::ConstantOp>(loc, getI64Type(), getI64IntegerAttr(bytes));
  return create<LLVM::AllocaOp>(loc, ptrType(), getI8Type(), count, alignment);
}

LLVM::CallOp CodeBuilder::call(StringRef name, Type result, ValueRange arguments) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    SmallVector<Type> types(arguments.getTypes());
    function = create<LLVM::LLVMFuncOp>(module.getLoc(), name, LLVM::LLVMFunctionType::get(result, types));
  }
  return create<LLVM::CallOp>(loc, function, arguments);
}

void CodeBuilder::callMayStop(StringRef name, ValueRange arguments) {
  call(name, i32(), arguments)->setAttr(kMayStopAttr, getUnitAttr());
}

Value CodeBuilder::toBits(Value value) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    value = create<LLVM::BitcastOp>(loc, getIntegerType(width), value);
  return width == 64 ? value : create<arith::ExtUIOp>(loc, i64(), value).getResult();
}

Value CodeBuilder::fromBits(Value bits, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 64)
    bits = create<arith::TruncIOp>(loc, getIntegerType(width), bits);
  return isa<FloatType>(type) ? create<LLVM::BitcastOp>(loc, type, bits).getResult() : bits;
}

Value CodeBuilder::toI64(Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width == 64)
    return value;
  return width < 64 ? create<arith::ExtSIOp>(loc, i64(), value).getResult()
                    : create<arith::TruncIOp>(loc, i64(), value).getResult();
}
