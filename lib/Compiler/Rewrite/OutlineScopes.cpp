//===- OutlineScopes.cpp - pto-outline-scopes -----------------------------===//
//
// Moves the body of every vector scope into a function of its own, which the
// Machine can run now or later, and leaves a call marked `pto.scope` in its
// place. Constants and addresses made of constants are copied into the body, so
// that its code knows them; everything else is captured by value.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// True for a scalar operation computed from constants alone.
bool isConstantLike(Value value, unsigned depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || op->getNumRegions() ||
      !(isa<arith::ArithDialect>(op->getDialect()) || isa<CastPtrOp, AddPtrOp>(op)))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return isConstantLike(operand, depth - 1); });
}

struct OutlineScopesPass : PassWrapper<OutlineScopesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineScopesPass)
  StringRef getArgument() const final { return "pto-outline-scopes"; }
  StringRef getDescription() const final { return "move vector scopes into functions"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      SmallVector<VecScopeOp> scopes;
      function.walk([&](VecScopeOp scope) { scopes.push_back(scope); });
      for (auto [i, scope] : llvm::enumerate(scopes))
        outline(function, scope, unsigned(i));
    }
  }

  static Value copyInto(OpBuilder &builder, Value value, IRMapping &copies) {
    if (Value known = copies.lookupOrNull(value))
      return known;
    for (Value operand : value.getDefiningOp()->getOperands())
      copyInto(builder, operand, copies);
    builder.clone(*value.getDefiningOp(), copies);
    return copies.lookup(value);
  }

  void outline(func::FuncOp function, VecScopeOp scope, unsigned number) {
    Block &body = scope.getBody().front();
    llvm::SetVector<Value> captureSet;
    IRMapping copies;
    OpBuilder inside = OpBuilder::atBlockBegin(&body);
    SmallVector<Operation *> ops;
    scope.getBody().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        if (scope.getBody().isAncestor(value.getParentRegion()))
          continue;
        if (isConstantLike(value))
          operand.set(copyInto(inside, value, copies));
        else
          captureSet.insert(value);
      }

    SmallVector<Value> captures = captureSet.takeVector();
    OpBuilder builder(function);
    auto type = builder.getFunctionType(llvm::map_to_vector(captures, [](Value value) { return value.getType(); }), {});
    auto outlined =
        builder.create<func::FuncOp>(scope.getLoc(), (function.getName() + ".scope" + Twine(number)).str(), type);
    outlined.setPrivate();
    outlined->setAttr("pto.scope", builder.getUnitAttr());
    Block *entry = outlined.addEntryBlock();
    entry->getOperations().splice(entry->end(), body.getOperations());
    for (auto [capture, argument] : llvm::zip(captures, entry->getArguments()))
      Value(capture).replaceUsesWithIf(argument,
                                       [&](OpOperand &use) { return outlined->isProperAncestor(use.getOwner()); });
    OpBuilder::atBlockEnd(entry).create<func::ReturnOp>(scope.getLoc());

    builder.setInsertionPoint(scope);
    auto call = builder.create<func::CallOp>(scope.getLoc(), outlined, captures);
    call->setAttr("pto.scope", builder.getUnitAttr());
    if (Attribute automatic = scope->getAttr(kAutomaticAttr))
      call->setAttr(kAutomaticAttr, automatic);
    scope.erase();
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createOutlineScopesPass() { return std::make_unique<OutlineScopesPass>(); }
