//===- LinkFunctions.cpp - pto-link-functions -----------------------------===//
//
// Gives a function without a body that is called the body of the one public definition of
// its name in another module (FUNC-8). What that body calls in its own module comes with
// it, under names of its own: later passes find every callee in the module of the call.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

struct LinkFunctionsPass : PassWrapper<LinkFunctionsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LinkFunctionsPass)
  StringRef getArgument() const final { return "pto-link-functions"; }
  StringRef getDescription() const final { return "bind functions without a body to those of other modules"; }

  void runOnOperation() override {
    callees = {};
    definitions.clear();
    imported.clear();
    SmallVector<func::CallOp> calls;
    bool ok = true;
    getOperation().walk([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        // A call of it would give it the body of another module, and the program a second kernel.
        if (function.isExternal() && isMarked(function)) {
          breaks(function, "FUNC-1") << "@" << function.getName() << " is a kernel without a body";
          ok = false;
        } else if (!function.isExternal() && !function.isPrivate()) {
          definitions[function.getName()].push_back(function);
        }
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        calls.push_back(call);
      }
    });
    if (!ok)
      return signalPassFailure();
    for (func::CallOp call : calls)
      if (failed(link(call)))
        return signalPassFailure();
  }

  LogicalResult link(func::CallOp call) {
    func::FuncOp declared = callees.of(call);
    if (!declared || !declared.isExternal())
      return success();
    SmallVector<func::FuncOp, 1> &found = definitions[declared.getName()];
    if (found.size() == 1 && found[0].getFunctionType() == declared.getFunctionType()) {
      fill(declared, found[0]);
      return success();
    }
    InFlightDiagnostic diag = call.emitError() << "the call of @" << call.getCallee() << " breaks FUNC-8: ";
    if (found.empty())
      diag << "it has no body, and no module has a public definition of that name";
    else if (found.size() > 1)
      diag << "it has no body, and " << found.size() << " modules have a public definition of that name";
    else
      diag << "it is declared as " << declared.getFunctionType() << " and defined as " << found[0].getFunctionType();
    for (func::FuncOp each : found)
      diag.attachNote(each.getLoc()) << "a definition is here";
    return failure();
  }

  /// The kind of core that the modules around a definition give it goes with it.
  void fill(func::FuncOp declared, func::FuncOp definition) {
    imported[{definition, moduleOf(declared)}] = declared;
    definition->setAttr(kBoundAttr, UnitAttr::get(&getContext()));
    IRMapping mapping;
    definition.getBody().cloneInto(&declared.getBody(), mapping);
    declared.setPrivate();
    for (Operation *parent = definition; parent; parent = parent->getParentOp())
      if (Attribute kind = parent->getAttr("pto.kernel_kind")) {
        declared->setAttr("pto.kernel_kind", kind);
        break;
      }
    declared->setLoc(definition.getLoc());
    SmallVector<func::CallOp> calls;
    declared.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      bring(call, definition);
  }

  static ModuleOp moduleOf(func::FuncOp function) { return function->getParentOfType<ModuleOp>(); }

  /// A call in a body that came from `origin`: its callee is one of that module.
  void bring(func::CallOp call, func::FuncOp origin) {
    func::FuncOp callee = callees.named(origin, call.getCalleeAttr());
    ModuleOp here = call->getParentOfType<ModuleOp>();
    if (!callee || moduleOf(callee) == here)
      return;
    if (callee.isExternal()) { // whoever it is bound to
      if (ArrayRef<func::FuncOp> found = definitions[callee.getName()]; found.size() == 1)
        callee = found[0];
    }
    func::FuncOp &copy = imported[{callee, here}];
    if (!copy && moduleOf(callee) == here)
      copy = callee;
    if (!copy) {
      OpBuilder builder = OpBuilder::atBlockEnd(here.getBody());
      auto made = func::FuncOp::create(callee.getLoc(), uniqueName(here, callee.getName()), callee.getFunctionType());
      builder.insert(made);
      copy = made;
      fill(made, callee);
    }
    call.setCallee(imported[{callee, here}].getName());
  }

  static std::string uniqueName(ModuleOp module, StringRef name) {
    std::string result = name.str();
    for (unsigned i = 0; module.lookupSymbol(result); ++i)
      result = (name + "." + Twine(i)).str();
    return result;
  }

  Callees callees;
  llvm::StringMap<SmallVector<func::FuncOp, 1>> definitions;                  ///< public ones, by name
  llvm::DenseMap<std::pair<Operation *, Operation *>, func::FuncOp> imported; ///< by definition and module
};

} // namespace

std::unique_ptr<Pass> ptoscope::createLinkFunctionsPass() { return std::make_unique<LinkFunctionsPass>(); }
