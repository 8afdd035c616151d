//===- Complete.cpp - pto-complete ----------------------------------------===//
//
// Writes out what a loose text leaves to its reader: the target, a mask for
// instructions that work on every lane, counts for patterns that no manual
// lists, `i16` for the counts of shifts, and numbers for the names of events. With
// scopes, types and event ids found before, the program prints as `--strict`
// wants it.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

std::string withSuffix(StringRef name, unsigned bytes) { return ("pto." + name + "_b" + Twine(bytes * 8)).str(); }

/// An instruction that gives a mask as its first result.
Operation *createMask(OpBuilder &builder, Location loc, StringRef name, ValueRange operands, TypeRange results,
                      ArrayRef<NamedAttribute> attributes = {}) {
  return builder.create(loc, StringAttr::get(builder.getContext(), name), operands, results, attributes);
}

void addMask(Operation *op) {
  auto dist = op->getAttrOfType<StringAttr>("dist");
  unsigned bytes = maskBytesOf(op->getName().getStringRef(), dist ? dist.getValue() : "", op->getOperandTypes(),
                               op->getResultTypes());
  OpBuilder builder(op);
  NamedAttribute all = builder.getNamedAttr("pattern", builder.getStringAttr("PAT_ALL"));
  Operation *mask =
      createMask(builder, op->getLoc(), withSuffix("pset", bytes), {}, MaskType::get(op->getContext(), bytes), all);
  op->insertOperands(op->getNumOperands(), mask->getResult(0));
}

/// `PAT_VL12` is the mask of the count 12.
void countLanes(Operation *op, unsigned lanes) {
  OpBuilder builder(op);
  auto type = cast<MaskType>(op->getResult(0).getType());
  Value count = builder.create<arith::ConstantOp>(op->getLoc(), builder.getI32IntegerAttr(int32_t(lanes)));
  Operation *mask =
      createMask(builder, op->getLoc(), withSuffix("plt", type.getBytes()), count, {type, builder.getI32Type()});
  op->getResult(0).replaceAllUsesWith(mask->getResult(0));
  op->erase();
}

/// SHIFT-1: the low bits of a count are taken.
void narrowCount(Operation *op) {
  Value count = op->getOperand(1);
  auto type = dyn_cast<IntegerType>(count.getType());
  if (!type || !type.isSignless() || type.getWidth() == 16)
    return;
  OpBuilder builder(op);
  Type narrow = builder.getI16Type();
  op->setOperand(1, type.getWidth() > 16 ? builder.create<arith::TruncIOp>(op->getLoc(), narrow, count).getResult()
                                         : builder.create<arith::ExtUIOp>(op->getLoc(), narrow, count).getResult());
}

void complete(Operation *op) {
  const InstrInfo *info = infoOf(op);
  if (!info)
    return;
  if (auto id = op->getAttrOfType<IntegerAttr>("id"); id && isa<SetFlagOp, WaitFlagOp>(op))
    op->setAttr("event", StringAttr::get(op->getContext(), "EVENT_ID" + Twine(id.getInt())));
  if (isa<VshlsOp, VshrsOp>(op))
    narrowCount(op);
  // The older `vexpdif` has neither mask nor part (FUSE-6).
  if (auto part = op->getAttrOfType<StringAttr>("part"); info->mayLackMask && !lastMask(op))
    if (!isa<VexpdifOp>(op) || !part || !part.empty())
      addMask(op);
  // Patterns of vectors of any length have every number (VMASK-3).
  if (auto pattern = op->getAttrOfType<StringAttr>("pattern"); pattern && op->getNumResults() &&
                                                               isa<MaskType>(op->getResult(0).getType()) &&
                                                               !isListedPattern(pattern.getValue())) {
    unsigned lanes;
    if (StringRef number = pattern.getValue(); number.consume_front("PAT_VL") && !number.getAsInteger(10, lanes))
      countLanes(op, lanes);
  }
}

struct CompletePass : PassWrapper<CompletePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompletePass)
  StringRef getArgument() const final { return "pto-complete"; }
  StringRef getDescription() const final { return "write out target, masks, counts and event ids"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    if (!getOperation()->hasAttr("pto.target_arch"))
      getOperation()->setAttr("pto.target_arch", StringAttr::get(&getContext(), "a5"));
    getOperation().walk([](Operation *op) { complete(op); });
  }
};

/// The verifier between any two passes goes through a long program again and again.
struct VerifyPass : PassWrapper<VerifyPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyPass)
  void runOnOperation() override {
    if (failed(verify(getOperation())))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createCompletePass() { return std::make_unique<CompletePass>(); }

void ptoscope::addCompletion(OpPassManager &passes) {
  passes.addPass(createResolveTypesPass());
  passes.addPass(std::make_unique<VerifyPass>());
  passes.addPass(createAutoScopePass());
  passes.addPass(createAssignEventsPass());
  passes.addPass(createCompletePass());
  passes.addPass(std::make_unique<VerifyPass>());
}
