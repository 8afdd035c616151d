//===- SaturationMode.cpp - pto-saturation-mode ---------------------------===//
//
// CTRL[60] takes the saturation of `vcvt` away from its attribute and gives it to
// CTRL[59] and CTRL[48] (SATUR-2). Where a program may set that bit, CTRL
// is read as a scope is issued, and each conversion in the scope becomes a choice
// between its saturating form and the other one. CTRL starts as zero, so a program
// that never sets the bit is left as it is; those that clear it at their entry,
// as compilers do, are among them.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

constexpr unsigned kByControl = 60; ///< 1: the bits below decide, not the attribute
constexpr unsigned kWraps = 59;     ///< 1: no result saturates
constexpr unsigned kKeepsInf = 48;  ///< 1: f16 and bf16 results do not saturate

/// Whether bit 60 of a value for CTRL may be 1 while it is 0 in CTRL.
bool maySetMode(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number[kByControl];
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<GetCtrlOp>(op))
    return false;
  if (!isa_and_nonnull<SBitSet0Op, SBitSet1Op>(op))
    return true;
  bool known = matchPattern(op->getOperand(1), m_ConstantInt(&number));
  if (isa<SBitSet1Op>(op) && (!known || number == kByControl))
    return true;
  return !(known && number == kByControl) && maySetMode(op->getOperand(0));
}

struct SaturationModePass : PassWrapper<SaturationModePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SaturationModePass)
  StringRef getArgument() const final { return "pto-saturation-mode"; }
  StringRef getDescription() const final { return "let CTRL[60] override the saturation of conversions"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      WalkResult found = function.walk(
          [](SetCtrlOp set) { return maySetMode(set.getValue()) ? WalkResult::interrupt() : WalkResult::advance(); });
      if (found.wasInterrupted())
        function.walk([](VecScopeOp scope) { choose(scope); });
    }
  }

  static void choose(VecScopeOp scope) {
    SmallVector<VcvtOp> conversions;
    scope.walk([&](VcvtOp op) {
      if (!op.getSat().empty())
        conversions.push_back(op);
    });
    if (conversions.empty())
      return;
    OpBuilder su(scope);
    Location loc = scope.getLoc();
    Value ctrl = su.create<GetCtrlOp>(loc, su.getI64Type());
    auto isZero = [&](uint64_t bits) {
      Value zero = su.create<arith::ConstantIntOp>(loc, 0, 64);
      Value mask = su.create<arith::ConstantOp>(loc, su.getI64IntegerAttr(int64_t(bits)));
      Value field = su.create<arith::AndIOp>(loc, ctrl, mask);
      return su.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, field, zero).getResult();
    };
    auto bit = [](unsigned n) { return uint64_t(1) << n; };
    Value byAttribute = isZero(bit(kByControl));
    Value saturates = isZero(bit(kWraps)), halfSaturates = isZero(bit(kWraps) | bit(kKeepsInf));
    for (VcvtOp op : conversions) {
      Type element = cast<VRegType>(op.getResult().getType()).getElement();
      Value byControl = element.isF16() || element.isBF16() ? halfSaturates : saturates;
      Value written = su.create<arith::ConstantIntOp>(loc, op.getSat() == "SAT", 1);
      Value mode = su.create<arith::SelectOp>(loc, byAttribute, written, byControl);
      OpBuilder inScope(op);
      auto choice = inScope.create<scf::IfOp>(
          op.getLoc(), mode, [&](OpBuilder &b, Location at) { form(b, at, op, "SAT"); },
          [&](OpBuilder &b, Location at) { form(b, at, op, "NOSAT"); });
      op.getResult().replaceAllUsesWith(choice.getResult(0));
      op.erase();
    }
  }

  static void form(OpBuilder &builder, Location loc, VcvtOp op, StringRef saturation) {
    auto copy = cast<VcvtOp>(builder.clone(*op));
    copy.setSat(saturation);
    builder.create<scf::YieldOp>(loc, copy.getResult());
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createSaturationModePass() { return std::make_unique<SaturationModePass>(); }
