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
  constantsName = (name + ".constants").str();
  return function;
}

void CodeBuilder::endFunction() {
  if (constants.empty())
    return;
  InsertionGuard guard(*this);
  setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMArrayType::get(getI8Type(), unsigned(constants.size()));
  create<LLVM::GlobalOp>(loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, constantsName,
                         getStringAttr(constants), /*alignment=*/8);
}

Value CodeBuilder::constantBytes(StringRef bytes) {
  auto [known, isNew] = constantAt.try_emplace(bytes, int64_t(constants.size()));
  if (isNew)
    constants += bytes;
  if (!constantsBase) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(entry);
    constantsBase = create<LLVM::AddressOfOp>(loc, ptrType(), constantsName);
  }
  return ptrAdd(constantsBase, known->second);
}

void CodeBuilder::copy(Value to, Value from, int64_t bytes) {
  create<LLVM::MemcpyInlineOp>(loc, to, from, getI64IntegerAttr(bytes), /*isVolatile=*/false);
}

Value CodeBuilder::ptrAdd(Value base, int64_t offset) {
  if (offset == 0)
    return base;
  return create<LLVM::GEPOp>(loc, ptrType(), getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value CodeBuilder::ptrAdd(Value base, Value offset) {
  return create<LLVM::GEPOp>(loc, ptrType(), getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
}

/// The base that constants were added to, and their sum.
static std::pair<Value, int64_t> behindBase(Value pointer) {
  int64_t offset = 0;
  for (auto step = pointer.getDefiningOp<LLVM::GEPOp>(); step && step.getDynamicIndices().empty();
       step = pointer.getDefiningOp<LLVM::GEPOp>()) {
    offset += step.getRawConstantIndices()[0];
    pointer = step.getBase();
  }
  return {pointer, offset};
}

Value CodeBuilder::baseOf(Value pointer) { return behindBase(pointer).first; }

std::optional<PointerSeries> CodeBuilder::seriesOf(ArrayRef<Value> pointers) {
  const auto [base, first] = behindBase(pointers[0]);
  const int64_t step = pointers.size() > 1 ? behindBase(pointers[1]).second - first : 0;
  for (auto [k, pointer] : llvm::enumerate(pointers))
    if (behindBase(pointer) != std::pair(base, first + int64_t(k) * step))
      return std::nullopt;
  return PointerSeries{pointers[0], step};
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
  // One array, not many bytes: SROA looks at nothing else.
  Value one = create<LLVM::ConstantOp>(loc, getI64Type(), getI64IntegerAttr(1));
  return create<LLVM::AllocaOp>(loc, ptrType(), LLVM::LLVMArrayType::get(getI8Type(), unsigned(bytes)), one, alignment);
}

LLVM::CallOp CodeBuilder::callOf(StringRef name, Type result, ValueRange arguments) {
  LLVM::LLVMFuncOp &function = callees[name]; // a module finds its symbols one by one
  if (!function)
    function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    SmallVector<Type> types(arguments.getTypes());
    function = create<LLVM::LLVMFuncOp>(module.getLoc(), name, LLVM::LLVMFunctionType::get(result, types));
  }
  return create<LLVM::CallOp>(loc, function, arguments);
}

void CodeBuilder::callMayStop(StringRef name, ValueRange arguments) {
  callOf(name, i32(), arguments)->setAttr(kMayStopAttr, getUnitAttr());
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
