//===- ReduceOps.cpp - reductions and histograms --------------------------===//

#include "LaneRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static LogicalResult verifyVcadd(VcaddOp op) {
  VRegType from = vregOf(op.getInput()), sum = from;
  if (failed(verifyElement(op, from.getElement(), "LANE-2")))
    return failure();
  if (auto integer = dyn_cast<IntegerType>(from.getElement()); integer && integer.getWidth() < 32)
    sum = VRegType::get(op.getContext(), from.getLanes() / 2,
                        IntegerType::get(op.getContext(), integer.getWidth() * 2, integer.getSignedness()));
  if (op.getResult().getType() != sum)
    return breaks(op, "RED-1") << "the sum of " << from << " is " << sum << ", not " << op.getResult().getType();
  return verifyMasks(op, from);
}

/// Counts are unsigned, whatever their type; the older spelling has no signed ones.
template <typename Op> static LogicalResult verifyHistogram(Op op) {
  constexpr bool older = requires { op.getBin(); };
  auto isCount = [](Value value, unsigned bits) {
    auto element = dyn_cast<IntegerType>(vregOf(value).getElement());
    return element && element.getWidth() == bits && !(older && element.isSigned());
  };
  if (!isCount(op.getSrc(), 8))
    return breaks(op, "HIST-1") << "the source is " << op.getSrc().getType() << "; it must be `!pto.vreg<256xui8>`";
  if (!isCount(op.getAcc(), 16) || op.getResult().getType() != op.getAcc().getType())
    return breaks(op, "HIST-1") << "accumulator and result are " << op.getAcc().getType() << " and "
                                << op.getResult().getType() << "; both must be `!pto.vreg<128xui16>`";
  if (failed(verifyMasks(op, vregOf(op.getSrc()))))
    return failure();
  if constexpr (older)
    return verifyWord(op, "bank", op.getBin(), {"BIN_N0", "BIN_N1"}, "HIST-2");
  return success();
}

#include "ptoscope/Dialect/PTO/ReduceOps.defs.inc"
