//===- ToLlvm.cpp - pto-to-llvm -------------------------------------------===//
//
// scf to branches, then arith and branches to the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace {

/// Turns an scf.if without results into branches, in place.
void branchOn(scf::IfOp op) {
  Block *before = op->getBlock(), *after = before->splitBlock(std::next(op->getIterator()));
  Block *targets[] = {after, after};
  for (auto [target, region] : llvm::zip(targets, op->getRegions())) {
    if (region.empty())
      continue;
    target = &region.front();
    Operation *yield = region.back().getTerminator();
    OpBuilder(yield).create<cf::BranchOp>(yield->getLoc(), after);
    yield->erase();
    before->getParent()->getBlocks().splice(after->getIterator(), region.getBlocks());
  }
  OpBuilder(op).create<cf::CondBranchOp>(op.getLoc(), op.getCondition(), targets[0], targets[1]);
  op->erase();
}

/// The conversion of scf moves everything after an scf.if, so that many of
/// them in one block take quadratic time; from the last to the first they do
/// not.
void branchOnIfs(ModuleOp module) {
  SmallVector<scf::IfOp> ifs;
  module.walk<WalkOrder::PreOrder>([&](scf::IfOp op) {
    // The conversion of scf.while wants regions of one block.
    if (op.getNumResults() == 0 && !op->getParentOfType<scf::WhileOp>())
      ifs.push_back(op);
  });
  for (scf::IfOp op : llvm::reverse(ifs))
    branchOn(op);
}

struct ToLlvmPass : PassWrapper<ToLlvmPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLlvmPass)
  StringRef getArgument() const final { return "pto-to-llvm"; }
  StringRef getDescription() const final { return "convert scf, arith and cf to the LLVM dialect"; }
  void getDependentDialects(DialectRegistry &registry) const override { ptoscope::registerDialects(registry); }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter types(context, options);
    branchOnIfs(getOperation());
    {
      RewritePatternSet patterns(context);
      arith::populateCeilFloorDivExpandOpsPatterns(patterns);
      populateSCFToControlFlowConversionPatterns(patterns);
      ConversionTarget target(*context);
      target.addIllegalDialect<scf::SCFDialect>();
      target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>();
      target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
      if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
        return signalPassFailure();
    }
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createToLlvmPass() { return std::make_unique<ToLlvmPass>(); }
