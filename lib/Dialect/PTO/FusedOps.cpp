//===- FusedOps.cpp - several lane-wise operations in one -----------------===//

#include "LaneRules.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static LogicalResult verifyVexpdif(VexpdifOp op) {
  VRegType x = vregOf(op.getX()), result = vregOf(op.getResult());
  if (op.getMax().getType() != x)
    return breaks(op, "EXPD-1") << "the operands must have one type, got " << x << " and " << op.getMax().getType();
  if (failed(verifyElement(op, x.getElement(), "LANE-2")))
    return failure();
  bool older = !op.getMask() && op.getPart().empty();
  if (!(older && result == x) && (older || !result.getElement().isF32()))
    return breaks(op, "EXPD-1") << "the result is " << result << "; it must be `!pto.vreg<64xf32>`, or " << x
                                << " in the form without mask and part";
  if (failed(verifyMasks(op, x)))
    return failure();
  return older ? success() : verifyWord(op, "part", op.getPart(), {"EVEN", "ODD"}, "EXPD-2");
}

static LogicalResult verifyVmulscvt(VmulscvtOp op) {
  VRegType from = vregOf(op.getInput()), to = vregOf(op.getResult());
  if (!from.getElement().isF32() || !to.getElement().isF16())
    return breaks(op, "MULSCVT-1") << "it does not convert " << from << " into " << to << ", only f32 to f16";
  return failure(failed(verifyMasks(op, from)) || failed(verifyScalar(op, op.getScalar(), from)) ||
                 failed(verifyWord(op, "rounding", op.getRnd(), {"A"}, "MULSCVT-2")) ||
                 failed(verifyWord(op, "part", op.getPart(), {"EVEN", "ODD"}, "MULSCVT-3")));
}

/// No table of `vcvt` has these: one page gives them.
template <typename Op> static ArrayRef<StringRef> fusedPairs() {
  static constexpr StringRef sums[] = {"f32 to f16", "f16 to i8", "i16 to i8", "f16 to f32"},
                             products[] = {"f16 to i8"};
  return std::is_same_v<Op, VaddreluconvOp> ? ArrayRef<StringRef>(sums) : ArrayRef<StringRef>(products);
}

template <typename Op> static LogicalResult verifyFusedConvert(Op op) {
  VRegType from = vregOf(op.getLhs()), to = vregOf(op.getResult());
  if (op.getRhs().getType() != from)
    return breaks(op, "CONV-1") << "the operands must have one type, got " << from << " and " << op.getRhs().getType();
  std::string pair = elementName(from.getElement()) + " to " + elementName(to.getElement());
  if (!llvm::is_contained(fusedPairs<Op>(), pair))
    return breaks(op, "CONV-1") << "it does not convert " << from << " into " << to << ", only "
                                << llvm::join(fusedPairs<Op>(), ", ");
  return verifyMasks(op, from);
}

#include "ptoscope/Dialect/PTO/FusedOps.defs.inc"
