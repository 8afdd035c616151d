//===- AutomaticOrder.cpp - pto-automatic-order ---------------------------===//
//
// ORDER-4: a function that has a tile instruction and no flag means program order.
// Marks what its pipes execute, before calls are inlined into functions that may
// mean something else.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Callees.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Compiler/TileOrder.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Barriers and buffer ids alone do not say that the program orders itself.
static bool isFlag(Operation *op) { return isa<SetFlagOp, WaitFlagOp, SetFlagDynOp, WaitFlagDynOp>(op); }

bool ptoscope::isPipeCall(Operation *op) {
  return isa<TPushToAivOp, TPushToAicOp, TPushOp, TPopFromAicOp, TPopFromAivOp, TPopOp, TAllocToAivOp, TAllocToAicOp,
             TAllocOp, TFreeFromAicOp, TFreeFromAivOp, TFreeOp>(op);
}

bool ptoscope::isExecuted(Operation *op) {
  if (isa<TileInstr, VecScopeOp>(op) || isPipeCall(op))
    return true;
  const InstrInfo *info = pto::infoOf(op);
  return info && info->footprint != Footprint::None && !scopeAround(op);
}

bool ptoscope::isAutomatic(func::FuncOp function) {
  bool hasTile = false, hasFlag = false;
  function.walk([&](Operation *op) {
    hasTile |= isa<TileInstr>(op);
    hasFlag |= isFlag(op);
  });
  return hasTile && !hasFlag;
}

namespace {

struct AutomaticOrderPass : PassWrapper<AutomaticOrderPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AutomaticOrderPass)
  StringRef getArgument() const final { return "pto-automatic-order"; }
  StringRef getDescription() const final { return "mark instructions of functions that mean program order"; }

  void runOnOperation() override {
    getOperation().walk([&](func::FuncOp function) { automatic[function] = isAutomatic(function); });
    SmallVector<func::CallOp> borders;
    const Callees callees;
    getOperation().walk([&](func::FuncOp function) {
      function.walk([&](Operation *op) {
        if (automatic[function] && isExecuted(op))
          op->setAttr(kAutomaticAttr, UnitAttr::get(&getContext()));
        auto call = dyn_cast<func::CallOp>(op);
        func::FuncOp callee = call ? callees.of(call) : nullptr;
        if (callee && automatic[callee] != automatic[function] && executes(callee))
          borders.push_back(call);
      });
    });
    // ORDER-10
    for (func::CallOp call : borders)
      for (Block::iterator at : {call->getIterator(), std::next(call->getIterator())})
        OpBuilder(call->getBlock(), at).create<BarrierOp>(call.getLoc(), PipeAttr::get(&getContext(), Pipe::All));
    automatic.clear();
  }

  /// Something of a pipe, here or in a function that it calls.
  static bool executes(func::FuncOp function) {
    return function
        .walk([](Operation *op) {
          return isExecuted(op) || isFlag(op) || isa<func::CallOp>(op) ? WalkResult::interrupt()
                                                                       : WalkResult::advance();
        })
        .wasInterrupted();
  }

  DenseMap<Operation *, bool> automatic;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createAutomaticOrderPass() { return std::make_unique<AutomaticOrderPass>(); }
