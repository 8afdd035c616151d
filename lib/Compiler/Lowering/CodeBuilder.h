//===- CodeBuilder.h - short names for the IR that lowering emits -*- C++ -*-===//
//
// An OpBuilder with the context pointer of the function under construction and
// the few idioms that lowering repeats. Everything is scf, arith and LLVM
// dialect; addresses are i64 until they are used.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_CODEBUILDER_H
#define PTOSCOPE_LIB_COMPILER_CODEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace ptoscope {

/// Calls that may end the block carry this attribute until pto-split-stops.
inline constexpr llvm::StringLiteral kMayStopAttr = "pto.may_stop";

/// Pointers at equal distances.
struct PointerSeries {
  mlir::Value first;
  int64_t step;
};

class CodeBuilder : public mlir::OpBuilder {
public:
  CodeBuilder(mlir::ModuleOp module) : OpBuilder(module.getContext()), loc(module.getLoc()), module(module) {}

  using Value = mlir::Value;
  using Type = mlir::Type;

  mlir::Location loc;
  mlir::ModuleOp module;
  Value context; ///< PtoContext *

  /// Starts an llvm.func with the insertion point in its entry block.
  mlir::LLVM::LLVMFuncOp beginFunction(llvm::StringRef name, Type result, llvm::ArrayRef<Type> arguments);
  /// Adds the constant bytes of the function to the module.
  void endFunction();

  Type ptrType() { return mlir::LLVM::LLVMPointerType::get(getContext()); }
  Type voidType() { return mlir::LLVM::LLVMVoidType::get(getContext()); }
  Type i64() { return getI64Type(); }
  Type i32() { return getI32Type(); }

  Value const64(int64_t value) { return create<mlir::arith::ConstantIntOp>(loc, value, 64); }
  Value const32(int64_t value) { return create<mlir::arith::ConstantIntOp>(loc, value, 32); }
  Value nullPtr() { return create<mlir::LLVM::ZeroOp>(loc, ptrType()); }

  Value add(Value a, Value b) { return create<mlir::arith::AddIOp>(loc, a, b); }
  Value sub(Value a, Value b) { return create<mlir::arith::SubIOp>(loc, a, b); }
  Value mul(Value a, Value b) { return create<mlir::arith::MulIOp>(loc, a, b); }
  Value andi(Value a, Value b) { return create<mlir::arith::AndIOp>(loc, a, b); }
  Value ori(Value a, Value b) { return create<mlir::arith::OrIOp>(loc, a, b); }
  Value select(Value c, Value a, Value b) { return create<mlir::arith::SelectOp>(loc, c, a, b); }
  Value cmp(mlir::arith::CmpIPredicate p, Value a, Value b) { return create<mlir::arith::CmpIOp>(loc, p, a, b); }

  /// An i1, negated.
  Value isFalse(Value c) { return create<mlir::arith::XOrIOp>(loc, c, create<mlir::arith::ConstantIntOp>(loc, 1, 1)); }

  /// `base + offset` bytes.
  Value ptrAdd(Value base, int64_t offset);
  Value ptrAdd(Value base, Value offset);
  Value load(Type type, Value ptr, unsigned alignment = 0);
  void store(Value value, Value ptr, unsigned alignment = 0);
  /// The address of bytes that are known now, a multiple of 8 of them; equal ones are kept once.
  Value constantBytes(llvm::StringRef bytes);
  void copy(Value to, Value from, int64_t bytes);
  /// Stack memory, allocated once in the entry block.
  Value stack(int64_t bytes, unsigned alignment);

  /// Calls an external function, declaring it at first use; run: one without a result.
  Value call(llvm::StringRef name, Type result, mlir::ValueRange arguments) {
    return callOf(name, result, arguments).getResult();
  }
  void run(llvm::StringRef name, mlir::ValueRange arguments) { callOf(name, voidType(), arguments); }
  /// The same for functions whose int32_t result may end the block.
  void callMayStop(llvm::StringRef name, mlir::ValueRange arguments);

  /// What ptrAdd made of one base by constants, if the pointers are at equal distances; the same pointer has distance
  /// 0.
  static std::optional<PointerSeries> seriesOf(llvm::ArrayRef<Value> pointers);
  static Value baseOf(Value pointer);

  /// Any scalar as the i64 that carries its bits, and back.
  Value toBits(Value value);
  Value fromBits(Value bits, Type type);
  /// An index or integer as i64, sign-extended.
  Value toI64(Value value);

private:
  mlir::LLVM::CallOp callOf(llvm::StringRef name, Type result, mlir::ValueRange arguments);

  mlir::Block *entry = nullptr;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> callees; ///< declared before
  // All constant bytes of a function are one global: symbols cost more than bytes.
  std::string constants, constantsName;
  llvm::StringMap<int64_t> constantAt;
  Value constantsBase;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_CODEBUILDER_H
