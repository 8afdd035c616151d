//===- VerifyVmi.cpp - vectors of any length in a program -----------------===//
//
// What may take and give such values, and where published compilers differ
// from the manuals: masks that they drop, targets that they do not have.
//
//===----------------------------------------------------------------------===//

#include "Verify/VerifyVmi.h"

#include "Verify/ScopeFunctions.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

//===----------------------------------------------------------------------===//
// Uses, functions, types
//===----------------------------------------------------------------------===//

LogicalResult verifyUse(Operation *op) {
  if (isa<VmiOp, func::CallOp, func::ReturnOp>(op) ||
      isa_and_nonnull<scf::SCFDialect, cf::ControlFlowDialect>(op->getDialect()) ||
      llvm::none_of(op->getOperandTypes(), isVmiValue))
    return success();
  InFlightDiagnostic diag = op->emitError();
  diag << "`" << op->getName() << "` breaks VMI-13: it cannot take a vector or mask of any length; ";
  if (isa_and_nonnull<PTODialect>(op->getDialect()))
    return diag << "store it with `pto.vmi.vstore` and load it with a micro instruction";
  return diag << "only `pto.vmi.*`, `scf`, `cf` and calls can";
}

LogicalResult verifySignature(func::FuncOp function) {
  if (!hasVmiTypes(function) || (function.isPrivate() && !function.isExternal()))
    return success();
  return function.emitError() << "@" << function.getName() << " breaks VMI-14: "
                              << (function.isExternal() ? "a declaration has no parameter or result"
                                                        : "only a private function has parameters or results")
                              << " of type `!pto.vmi.vreg` or `!pto.vmi.mask`";
}

/// VMI-16: helpers, layouts and granularities are a compiler's business.
void remarkInternal(VmiOp op) {
  if (op.getInfo().helper) {
    emitCoded(op->emitRemark(), "loose-spelling")
        << "`" << op->getName() << "` is a helper of a compiler, which programs do not have (VMI-16)";
    return;
  }
  for (Type type :
       llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes()))) {
    auto vector = dyn_cast<VmiVRegType>(type);
    auto mask = dyn_cast<VmiMaskType>(type);
    if ((vector && vector.getLayout()) || (mask && mask.getBytes())) {
      emitCoded(op->emitRemark(), "loose-spelling")
          << type << " is a type of a compiler; programs write it without layout and granularity (VMI-16)";
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Masks that published compilers drop (VGATE-10)
//===----------------------------------------------------------------------===//

bool isFull(Value mask) {
  Operation *op = mask.getDefiningOp();
  int64_t lanes = cast<VmiMaskType>(mask.getType()).getLanes();
  APInt count;
  if (!op)
    return false;
  if (VmiOp::is(op, "pset"))
    return true;
  if (VmiOp::is(op, "create_mask"))
    return matchPattern(op->getOperand(0), m_ConstantInt(&count)) && count.getSExtValue() >= lanes;
  auto value = VmiOp::is(op, "constant_mask") ? op->getAttrOfType<DenseElementsAttr>("value") : nullptr;
  return value && value.isSplat() && value.getSplatValue<bool>();
}

/// Follows lanes that a mask turns off to an instruction that looks at them.
class LaneTrace {
public:
  explicit LaneTrace(Value mask) : mask(mask) {}

  /// Null when nothing does.
  Operation *sink(ValueRange values) {
    for (Value value : values)
      push(value, /*sameLanes=*/true);
    while (!left.empty() && seen.size() < kMaxValues) {
      auto [value, sameLanes] = left.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (Operation *found = visit(use, sameLanes))
          return found;
    }
    return nullptr;
  }

private:
  void push(Value value, bool sameLanes) {
    if (isVmiValue(value.getType()) && seen.insert(value).second)
      left.push_back({value, sameLanes});
  }

  Operation *visit(OpOperand &use, bool sameLanes) {
    Operation *op = use.getOwner();
    if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
      passOn(op->getParentOp());
      return nullptr;
    }
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      passOn(op);
      return nullptr;
    }
    auto instr = dyn_cast<VmiOp>(op);
    if (!instr)
      return nullptr; // a call; its body is looked at for itself
    bool off = sameLanes && instr.getMask() == mask;
    switch (instr.getInfo().kind) {
    case VmiKind::Store:
    case VmiKind::Scatter:
    case VmiKind::Gather:
    case VmiKind::Reduce:
    case VmiKind::Histogram:
    case VmiKind::Compare:
      return off ? nullptr : op;
    case VmiKind::Elementwise:
    case VmiKind::Convert:
      if (!off) // otherwise lanes are zero, or that instruction gets a remark of its own
        for (Value result : op->getResults())
          push(result, sameLanes);
      return nullptr;
    case VmiKind::Select:
      if (!sameLanes || op->getOperand(0) != mask || use.getOperandNumber() != 1)
        push(op->getResult(0), sameLanes);
      return nullptr;
    default: // lanes change their places
      for (Value result : op->getResults())
        push(result, /*sameLanes=*/false);
      return nullptr;
    }
  }

  /// Whatever a loop or branch carries: which value becomes which is not looked at.
  void passOn(Operation *op) {
    for (Value result : op->getResults())
      push(result, false);
    if (isa<scf::ForOp, scf::WhileOp>(op))
      for (Region &region : op->getRegions())
        for (Value argument : region.getArguments())
          push(argument, false);
  }

  static constexpr size_t kMaxValues = 256; ///< a remark need not be found at any price

  Value mask;
  SmallVector<std::pair<Value, bool>> left;
  llvm::DenseSet<Value> seen;
};

void remarkDropped(VmiOp op) {
  Value mask = op.getInfo().maskDropped ? op.getMask() : Value();
  if (!mask || isFull(mask))
    return;
  Operation *sink = LaneTrace(mask).sink(op->getResults());
  if (!sink)
    return;
  InFlightDiagnostic diag = emitCoded(op->emitRemark(), "published-differs");
  diag << "`" << op->getName() << "` is zero where its mask is false; published compilers compute these lanes "
       << "(VGATE-10)";
  diag.attachNote(sink->getLoc()) << "`" << sink->getName() << "` looks at them here";
}

} // namespace

LogicalResult ptoscope::verifyVmi(ModuleOp module, const Profile &profile) {
  bool ok = true;
  Operation *first = nullptr;
  module.walk([&](Operation *op) {
    ok &= succeeded(verifyUse(op));
    if (auto function = dyn_cast<func::FuncOp>(op))
      ok &= succeeded(verifySignature(function));
    if (auto instr = dyn_cast<VmiOp>(op)) {
      first = first ? first : instr;
      remarkInternal(instr);
      remarkDropped(instr);
    }
  });
  if (first && profile.name != "a5")
    emitCoded(first->emitRemark(), "published-differs") << "`" << first->getName() << "` is published for a5 only; on "
                                                        << profile.name << " it gives the same results (VSEQ-7)";
  return success(ok);
}
