//===- ScopeFunctions.cpp - functions that run inside scopes --------------===//

#include "Verify/ScopeFunctions.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

bool ptoscope::hasVmiTypes(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), isVmiValue) || llvm::any_of(function.getResultTypes(), isVmiValue);
}

ScopeFunctions::ScopeFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> left;
  auto add = [&](func::FuncOp function) {
    if (function && functions.insert(function).second)
      left.push_back(function);
  };
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op); function && hasVmiTypes(function))
      add(function);
    if (auto call = dyn_cast<func::CallOp>(op); call && scopeAround(call))
      add(callees.of(call));
  });
  while (!left.empty())
    left.pop_back_val().walk([&](func::CallOp call) { add(callees.of(call)); });
}

bool ScopeFunctions::calls(Operation *op) const {
  auto call = dyn_cast<func::CallOp>(op);
  return call && contains(callees.of(call));
}

Operation *ScopeFunctions::around(Operation *op) const {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && contains(function) ? function.getOperation() : nullptr;
}
