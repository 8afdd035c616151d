//===- NormalizeScopes.cpp - pto-normalize-scopes -------------------------===//
//
// A vector scope has three carriers with one meaning. After this pass there is
// only `pto.vecscope`. It runs before any canonicalisation, which would remove
// a one-trip loop together with the attribute that makes it a scope. Queries of
// tiles move in front of the scope, and fusion regions are opened: their bodies
// run in place (TIR-10). A choice between tiles or views becomes a branch.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace {

struct NormalizeScopesPass : PassWrapper<NormalizeScopesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NormalizeScopesPass)
  StringRef getArgument() const final { return "pto-normalize-scopes"; }
  StringRef getDescription() const final { return "turn every carrier of a vector scope into pto.vecscope"; }

  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<scf::SCFDialect>(); }

  void runOnOperation() override {
    SmallVector<arith::SelectOp> choices;
    getOperation().walk([&](arith::SelectOp choice) {
      if (isDescriptor(choice.getType()))
        choices.push_back(choice);
    });
    llvm::for_each(choices, branch);
    SmallVector<FusionRegionOp> groups; // inner ones first
    getOperation().walk([&](FusionRegionOp group) { groups.push_back(group); });
    llvm::for_each(groups, [](FusionRegionOp group) { open(group); });
    SmallVector<Operation *> carriers;
    getOperation().walk([&](Operation *op) {
      if (isScope(op) && !isa<VecScopeOp>(op))
        carriers.push_back(op);
    });
    for (Operation *op : carriers) {
      if (Operation *outer = scopeAround(op)) {
        InFlightDiagnostic diag = op->emitError() << "`" << op->getName() << "` breaks P4: vector scopes do not nest";
        diag.attachNote(outer->getLoc()) << "the outer scope starts here";
        return signalPassFailure();
      }
    }
    for (Operation *op : carriers)
      if (failed(isa<scf::ForOp>(op) ? wrap(cast<scf::ForOp>(op)) : open(cast<StrictVecScopeOp>(op))))
        return signalPassFailure();
    getOperation().walk([](VecScopeOp scope) { askBefore(scope); });
  }

  static void branch(arith::SelectOp choice) {
    auto yields = [](Value value) {
      return [value](OpBuilder &inner, Location loc) { inner.create<scf::YieldOp>(loc, value); };
    };
    OpBuilder builder(choice);
    auto branch = builder.create<scf::IfOp>(choice.getLoc(), choice.getCondition(), yields(choice.getTrueValue()),
                                            yields(choice.getFalseValue()));
    choice.getResult().replaceAllUsesWith(branch.getResult(0));
    choice.erase();
  }

  static void open(FusionRegionOp group) {
    Block &body = group.getBody().front();
    Operation *yield = body.getTerminator();
    group->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    group->getBlock()->getOperations().splice(group->getIterator(), body.getOperations());
    group->erase();
  }

  /// Nothing inside a scope changes a tile value or a view.
  static void askBefore(VecScopeOp scope) {
    SmallVector<Operation *> questions;
    scope.walk([&](Operation *op) {
      bool outside = llvm::all_of(
          op->getOperands(), [&](Value operand) { return !scope.getBody().isAncestor(operand.getParentRegion()); });
      if (outside && isa<TileBufAddrOp, GetValidShapeOp, TileValidRowsOp, TileValidColsOp, TensorViewAddrOp,
                         GetTensorViewDimOp, GetTensorViewStrideOp>(op))
        questions.push_back(op);
    });
    for (Operation *op : questions)
      op->moveBefore(scope);
  }

  LogicalResult wrap(scf::ForOp loop) {
    for (Value result : loop.getResults())
      if (!result.use_empty())
        return loop.emitError() << "a loop that is a vector scope (`{" << kScopeLoopAttr
                                << "}`) breaks P5: its results do not leave the scope";
    OpBuilder builder(loop);
    auto scope = builder.create<VecScopeOp>(loop.getLoc());
    Block &block = scope.getBody().emplaceBlock();
    loop->moveBefore(&block, block.end());
    loop->removeAttr(kScopeLoopAttr);
    return success();
  }

  LogicalResult open(StrictVecScopeOp strict) {
    OpBuilder builder(strict);
    auto scope = builder.create<VecScopeOp>(strict.getLoc());
    Block &source = strict.getBody().front();
    for (auto [argument, operand] : llvm::zip(source.getArguments(), strict.getCaptures()))
      argument.replaceAllUsesWith(operand);
    Block &block = scope.getBody().emplaceBlock();
    block.getOperations().splice(block.end(), source.getOperations());
    strict.erase();
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createNormalizeScopesPass() { return std::make_unique<NormalizeScopesPass>(); }
