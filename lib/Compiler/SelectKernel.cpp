//===- SelectKernel.cpp - pto-select-kernel -------------------------------===//
//
// Keeps one kernel and inlines what it calls, so that later passes see a single
// function per program. Recursion is refused.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ptoscope;

namespace {

struct SelectKernelPass : PassWrapper<SelectKernelPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SelectKernelPass)
  SelectKernelPass() = default;
  SelectKernelPass(const SelectKernelPass &other) : PassWrapper(other) { name = other.name.getValue(); }
  explicit SelectKernelPass(std::string kernel) { name = std::move(kernel); }
  StringRef getArgument() const final { return "pto-select-kernel"; }
  StringRef getDescription() const final { return "keep one kernel, with its calls inlined"; }
  Option<std::string> name{*this, "kernel", llvm::cl::desc("name of the kernel")};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Result<func::FuncOp> found = findKernel(module, name, "");
    if (!found) {
      pto::emitCoded(module.emitError(), found.finding().code) << found.finding().message;
      return signalPassFailure();
    }
    func::FuncOp kernel = *found;
    if (failed(inlineCalls(kernel)))
      return signalPassFailure();
    SmallVector<func::FuncOp> others;
    module.walk([&](func::FuncOp function) {
      if (function != kernel)
        others.push_back(function);
    });
    for (func::FuncOp function : others)
      function.erase();
    if (kernel->getParentOp() != module) {
      Operation *nested = kernel->getParentOp();
      kernel->moveBefore(module.getBody(), module.getBody()->end());
      nested->erase();
    }
  }

  /// Calls are few and small; each level inlines every call once.
  LogicalResult inlineCalls(func::FuncOp kernel) {
    constexpr unsigned kMaxDepth = 64;
    for (unsigned depth = 0;; ++depth) {
      SmallVector<func::CallOp> calls;
      kernel.walk([&](func::CallOp call) { calls.push_back(call); });
      if (calls.empty())
        return success();
      if (depth == kMaxDepth)
        return calls.front().emitError() << "calls nest deeper than " << kMaxDepth << " levels; recursion is not allowed";
      for (func::CallOp call : calls) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
        if (!callee || callee.isExternal())
          return call.emitError() << "@" << call.getCallee() << " has no body to call";
        if (callee == kernel)
          return call.emitError() << "@" << call.getCallee() << " calls itself; recursion is not allowed";
        OpBuilder builder(call);
        IRMapping mapping;
        mapping.map(callee.getArguments(), call.getOperands());
        for (Operation &op : callee.getBody().front().without_terminator())
          builder.clone(op, mapping);
        Operation *terminator = callee.getBody().front().getTerminator();
        for (auto [result, value] : llvm::zip(call.getResults(), terminator->getOperands()))
          result.replaceAllUsesWith(mapping.lookupOrDefault(value));
        call.erase();
      }
    }
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createSelectKernelPass(std::string name) {
  return std::make_unique<SelectKernelPass>(std::move(name));
}
