//===- AssignEvents.cpp - pto-assign-events -------------------------------===//
//
// Gives every symbolic event name of a pipe pair a free event id of that pair,
// in order of first appearance. EVENT_IDn keep their number. Functions that
// call one another share their names, since calls are inlined later.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Callees.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// The event ids of one ordered pipe pair.
struct PairEvents {
  unsigned used = 0; ///< bit per id
  std::map<std::string, int64_t> symbols;
};

struct AssignEventsPass : PassWrapper<AssignEventsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignEventsPass)
  StringRef getArgument() const final { return "pto-assign-events"; }
  StringRef getDescription() const final { return "map symbolic event names to event ids"; }

  void runOnOperation() override {
    llvm::EquivalenceClasses<Operation *> callGroups;
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) {
      functions.push_back(function);
      callGroups.insert(function);
    });
    const Callees callees;
    getOperation().walk([&](func::CallOp call) {
      func::FuncOp callee = callees.of(call);
      if (auto caller = call->getParentOfType<func::FuncOp>(); caller && callee)
        callGroups.unionSets(caller, callee);
    });
    // In order of the text, whatever the order of the groups.
    llvm::MapVector<Operation *, SmallVector<func::FuncOp>> groups;
    for (func::FuncOp function : functions)
      groups[callGroups.getLeaderValue(function)].push_back(function);
    for (auto &[leader, group] : groups)
      if (failed(assign(group)))
        return signalPassFailure();
  }

  LogicalResult assign(ArrayRef<func::FuncOp> group) {
    std::map<std::pair<Pipe, Pipe>, PairEvents> pairs;
    auto pairOf = [&](Operation *op) -> PairEvents & {
      return pairs[{op->getAttrOfType<PipeAttr>("src").getValue(), op->getAttrOfType<PipeAttr>("dst").getValue()}];
    };
    SmallVector<Operation *> symbolic;
    auto collect = [&](Operation *op) {
      if (!isa<SetFlagOp, WaitFlagOp>(op))
        return;
      if (auto id = op->getAttrOfType<IntegerAttr>("id"))
        pairOf(op).used |= 1u << id.getInt();
      else
        symbolic.push_back(op);
    };
    for (func::FuncOp function : group)
      function.walk(collect);
    for (Operation *op : symbolic) {
      PairEvents &pair = pairOf(op);
      std::string name = op->getAttrOfType<StringAttr>("event").str();
      auto [it, isNew] = pair.symbols.try_emplace(name, 0);
      if (isNew) {
        int64_t id = 0;
        while (id < kEventIds && (pair.used >> id & 1))
          ++id;
        if (id == kEventIds)
          return op->emitError() << "`" << op->getName() << "` breaks S3: the pipe pair needs more than 8 event ids; \""
                                 << name << "\" gets none";
        pair.used |= 1u << id;
        it->second = id;
      }
      op->setAttr("id", IntegerAttr::get(IntegerType::get(op->getContext(), 64), it->second));
    }
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createAssignEventsPass() { return std::make_unique<AssignEventsPass>(); }
