//===- LowerProgram.cpp - pto-lower-program -------------------------------===//
//
// Turns the kernel function into the scalar unit's program: scalars stay
// arithmetic, every instruction of a pipe becomes a call that issues it, and a
// call that may end the block is marked for pto-split-stops.
//
//===----------------------------------------------------------------------===//

#include "Program/ProgramLowering.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Kernels.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

LogicalResult ProgramLowering::run(func::FuncOp function) {
  b.loc = function.getLoc();
  std::string name = function.getName().str();
  if (auto core = function->getAttrOfType<StringAttr>("pto.core"); core && core == "aic")
    coreKind = CoreKind::AIC;
  auto lowered = b.beginFunction(name + ".code", b.i32(), {b.ptrType(), b.ptrType()});
  bindArguments(function.getBody().front(), lowered.getBody().front().getArgument(1));
  if (failed(lowerBlock(function.getBody().front())))
    return failure();
  b.create<LLVM::ReturnOp>(b.loc, b.const32(0));
  b.endFunction();
  function.erase();
  lowered.setName(name);
  return success();
}

LogicalResult ProgramLowering::issue(Operation *op, StringRef function, ArrayRef<Value> arguments) {
  SmallVector<Value> all = {b.context, constSite(op)};
  all.append(arguments.begin(), arguments.end());
  b.callMayStop(function, all);
  return success();
}

/// True when the loop has to give way: it reads memory, or issues nothing to
/// a pipe other than the scalar unit.
static bool isYieldPoint(Operation *loop) {
  bool reads = false, issues = false;
  loop->walk([&](Operation *op) {
    reads |= isa<LoadScalarOp, LdDevOp>(op);
    const InstrInfo *info = infoOf(op);
    issues |= isa<func::CallOp>(op) || (info && info->pipe != Pipe::S);
  });
  return reads || !issues;
}

void ProgramLowering::backEdge(Operation *loop, SiteId site, ValueRange carried, bool finite) {
  if (!isYieldPoint(loop))
    return;
  Value bytes = carried.empty() ? b.nullPtr() : b.stack(8 * int64_t(carried.size()), 8);
  for (auto [i, value] : llvm::enumerate(carried))
    b.store(b.toBits(value), b.ptrAdd(bytes, int64_t(8 * i)), 8);
  b.callMayStop("ptosc_yield",
                {b.context, b.const32(site), bytes, b.const64(8 * int64_t(carried.size())), b.const32(finite)});
}

/// SEM-21: where one instruction names a mode, all of the kernel are messages.
static bool signalsByMessages(ModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    return isa<SyncSetOp, SyncWaitOp>(op) && op->hasAttr("ffts_mode") ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct LowerProgramPass : PassWrapper<LowerProgramPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerProgramPass)
  LowerProgramPass(CodeOptions options, SiteTable *sites) : options(options), sites(sites ? sites : &ownSites) {}
  LowerProgramPass(const LowerProgramPass &other)
      : PassWrapper(other), options(other.options), sites(other.sites == &other.ownSites ? &ownSites : other.sites) {}
  StringRef getArgument() const final { return "pto-lower-program"; }
  StringRef getDescription() const final { return "turn the kernel into the scalar unit's program"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    ProgramLowering::notePopped(getOperation());
    const bool messages = signalsByMessages(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      ProgramLowering lowering(getOperation(), options, *sites);
      lowering.messages = messages;
      if (failed(lowering.run(function)))
        return signalPassFailure();
    }
  }

  CodeOptions options;
  SiteTable ownSites;
  SiteTable *sites;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createLowerProgramPass(CodeOptions options, SiteTable *sites) {
  return std::make_unique<LowerProgramPass>(options, sites);
}
