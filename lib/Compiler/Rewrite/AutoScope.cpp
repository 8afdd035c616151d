//===- AutoScope.cpp - pto-auto-scope -------------------------------------===//
//
// Some texts show vector instructions without a scope. This pass puts maximal
// runs of them, with the scalar and structured operations between, into
// `pto.vecscope`. A run ends at any DMA or synchronising instruction and at the
// end of its block. Scalar results that leave the run (what remains of a plt
// count, post-update pointers) are recomputed by the scalar unit.
//
//===----------------------------------------------------------------------===//

#include "Verify/ScopeFunctions.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Compiler/ScalarResults.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

enum class Kind {
  Vector, ///< belongs into a scope
  Scalar, ///< may stand inside or outside
  Issue,  ///< ends a run
  Mixed,  ///< has regions that hold both: ends a run, and is looked into
};

Kind classify(Operation *op, const ScopeFunctions &inScopes) {
  if (isScope(op) || op->hasTrait<OpTrait::IsTerminator>())
    return Kind::Issue;
  if (isVectorOp(op) || inScopes.calls(op))
    return Kind::Vector;
  if (op->getNumRegions() == 0) {
    bool issues = isa<PTODialect>(op->getDialect()) && !isMemoryEffectFree(op) && !isa<LoadScalarOp, StoreScalarOp>(op);
    return issues || isa<func::CallOp>(op) ? Kind::Issue : Kind::Scalar;
  }
  bool vector = false, issue = false;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner == op || inner->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    if (isScope(inner)) {
      issue = true;
      return WalkResult::skip();
    }
    if (inner->getNumRegions())
      return WalkResult::advance();
    Kind kind = classify(inner, inScopes);
    vector |= kind == Kind::Vector;
    issue |= kind == Kind::Issue;
    return WalkResult::advance();
  });
  if (vector)
    return issue ? Kind::Mixed : Kind::Vector;
  return issue ? Kind::Issue : Kind::Scalar;
}

struct AutoScopePass : PassWrapper<AutoScopePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AutoScopePass)
  StringRef getArgument() const final { return "pto-auto-scope"; }
  StringRef getDescription() const final { return "put vector instructions that stand alone into scopes"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    inScopes = ScopeFunctions(getOperation());
    getOperation().walk([&](func::FuncOp function) {
      if (!inScopes.contains(function))
        functions.push_back(function);
    });
    for (func::FuncOp function : functions)
      for (Block &block : function.getBody())
        if (failed(process(block)))
          return signalPassFailure();
  }

  LogicalResult process(Block &block) {
    SmallVector<Operation *> run, trailing;
    auto close = [&]() -> LogicalResult {
      SmallVector<Operation *> ops = std::move(run);
      run.clear();
      trailing.clear();
      return ops.empty() ? success() : enclose(ops);
    };
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : ops) {
      switch (classify(op, inScopes)) {
      case Kind::Vector:
        run.append(trailing);
        trailing.clear();
        run.push_back(op);
        break;
      case Kind::Scalar:
        if (!run.empty())
          trailing.push_back(op);
        break;
      case Kind::Mixed:
        if (failed(close()))
          return failure();
        for (Region &region : op->getRegions())
          for (Block &inner : region)
            if (failed(process(inner)))
              return failure();
        break;
      case Kind::Issue:
        if (failed(close()))
          return failure();
        // Sections hold whole programs.
        if (isa<SectionCubeOp, SectionVectorOp>(op))
          for (Block &inner : op->getRegion(0))
            if (failed(process(inner)))
              return failure();
        break;
      }
    }
    return close();
  }

  LogicalResult enclose(SmallVector<Operation *> &ops) {
    for (Operation *op : ops)
      op->walk([](Operation *inner) { detachScalarResults(inner); });
    OpBuilder builder(ops.front());
    emitCoded(ops.front()->emitRemark(), "loose-spelling")
        << "vector instructions outside a scope: a `pto.vecscope` is assumed around this run";
    auto scope = builder.create<VecScopeOp>(ops.front()->getLoc());
    Block &body = scope.getBody().emplaceBlock();
    // detachScalarResults may have added operations between those of the run.
    for (auto it = Block::iterator(ops.front()), end = std::next(Block::iterator(ops.back())); it != end;) {
      Operation *op = &*it++;
      op->moveBefore(&body, body.end());
    }
    // Pure scalar operations that need nothing from the run go in front of it.
    for (Operation &op : llvm::make_early_inc_range(body)) {
      bool scalar = op.getNumRegions() == 0 && !isVectorOp(&op) && isMemoryEffectFree(&op);
      bool free =
          llvm::none_of(op.getOperands(), [&](Value value) { return value.getParentRegion() == &scope.getBody(); });
      if (scalar && free)
        op.moveBefore(scope);
    }
    for (Operation &op : body)
      for (Value result : op.getResults())
        for (Operation *user : result.getUsers())
          if (!scope->isProperAncestor(user)) {
            InFlightDiagnostic diag =
                op.emitError() << "`" << op.getName()
                               << "` breaks P5: this value depends on vector data and is used outside the vector scope "
                                  "assumed around it";
            diag.attachNote(user->getLoc()) << "it is used here";
            return diag;
          }
    return success();
  }

  ScopeFunctions inScopes;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createAutoScopePass() { return std::make_unique<AutoScopePass>(); }
