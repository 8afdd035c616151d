//===- SplitStops.cpp - pto-split-stops -----------------------------------===//
//
// Nothing unwinds through generated code: after a call that may end the block,
// the code tests the status and branches to the function's end.
//
//===----------------------------------------------------------------------===//

#include "Lowering/CodeBuilder.h"
#include "ptoscope/Compiler/Passes.h"

using namespace mlir;
using namespace ptoscope;

namespace {

Value numberIn(OpBuilder &builder, Location loc, int32_t number) {
  return builder.create<LLVM::ConstantOp>(loc, builder.getI32Type(), builder.getI32IntegerAttr(number));
}

struct SplitStopsPass : PassWrapper<SplitStopsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitStopsPass)
  StringRef getArgument() const final { return "pto-split-stops"; }
  StringRef getDescription() const final { return "branch to the end after a call that asks to stop"; }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      SmallVector<LLVM::CallOp> calls;
      function.walk([&](LLVM::CallOp call) {
        if (call->hasAttr(kMayStopAttr))
          calls.push_back(call);
      });
      if (calls.empty())
        continue;
      OpBuilder builder(function.getContext());
      // Without the status as an argument: code generation looks through all calls for that of each.
      Block *end = builder.createBlock(&function.getBody(), function.getBody().end());
      builder.create<LLVM::ReturnOp>(function.getLoc(), numberIn(builder, function.getLoc(), 1));
      // From the last to the first: what is behind a call moves to another block.
      for (LLVM::CallOp call : llvm::reverse(calls)) {
        call->removeAttr(kMayStopAttr);
        Location loc = call.getLoc();
        Block *block = call->getBlock();
        Block *rest = block->splitBlock(std::next(Block::iterator(call)));
        builder.setInsertionPointToEnd(block);
        Value zero = numberIn(builder, loc, 0);
        Value stop = builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, call.getResult(), zero);
        builder.create<LLVM::CondBrOp>(loc, stop, end, ValueRange(), rest, ValueRange());
      }
    }
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createSplitStopsPass() { return std::make_unique<SplitStopsPass>(); }
