//===- ConvertOps.cpp - conversion and rounding ---------------------------===//

#include "LaneRules.h"
#include "Words.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static LogicalResult verifyVcvt(VcvtOp op) {
  VRegType from = vregOf(op.getSrc()), to = vregOf(op.getResult());
  std::string source = elementName(from.getElement()), result = elementName(to.getElement());
  const Conversion *pair = findConversion<StringRef>(source, result);
  if (!pair) {
    InFlightDiagnostic diag = breaks(op, "CVT-1");
    diag << "there is no conversion from " << from.getElement() << " to " << to.getElement();
    SmallVector<StringRef> others;
    for (const Conversion &row : kConversions)
      if (source == row.source)
        others.push_back(row.result);
    if (!others.empty())
      diag << "; " << from.getElement() << " converts to " << llvm::join(others, ", ");
    return diag;
  }
  if (failed(verifyMasks(op, from, "CVT-5")))
    return failure();
  for (auto [attribute, label] : {std::pair("rnd", "CVT-2"), {"sat", "CVT-3"}, {"part", "CVT-4"}}) {
    SmallVector<std::string> tokens = conversionTokens(*pair, attribute);
    StringRef token = op->getAttrOfType<StringAttr>(attribute).getValue();
    if (tokens.empty() ? token.empty() : llvm::is_contained(tokens, token))
      continue;
    InFlightDiagnostic diag = breaks(op, label);
    diag << "from " << from.getElement() << " to " << to.getElement();
    if (tokens.empty())
      return diag << " there is no `" << attribute << "`, but it is \"" << token << "\"";
    return diag << " `" << attribute << "` is " << llvm::join(tokens, ", ") << ", not \"" << token << "\"";
  }
  return success();
}

static LogicalResult verifyVtrc(VtrcOp op) {
  return failure(failed(verifyLanes(op)) ||
                 failed(verifyWord(op, "rounding", op.getRnd(), {"R", "A", "F", "C", "Z", "O"}, "TRC-1")));
}

#include "ptoscope/Dialect/PTO/ConvertOps.defs.inc"
