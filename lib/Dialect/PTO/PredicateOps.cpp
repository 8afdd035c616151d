//===- PredicateOps.cpp - masks -------------------------------------------===//

#include "Signature.h"
#include "ptoscope/Dialect/PTO/Tokens.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static unsigned granularity(Value mask) { return cast<MaskType>(mask.getType()).getBytes(); }

static SmallVector<Value> masksOf(Operation *op) {
  SmallVector<Value> masks;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>(op->getResults())))
    if (isa<MaskType>(value.getType()))
      masks.push_back(value);
  return masks;
}

/// MASK-4: the name of the instruction says the granularity.
static LogicalResult verifySuffix(Operation *op) {
  StringRef name = op->getName().getStringRef();
  for (Value mask : masksOf(op))
    if (std::string suffix = "_b" + std::to_string(granularity(mask) * 8); !name.ends_with(suffix))
      return breaks(op, "MASK-4", "mask-granularity")
             << "its masks are `!pto.mask<" << name.drop_front(name.rfind('_') + 1) << ">`, not " << mask.getType();
  return success();
}

/// MASK-3: one granularity for all.
static LogicalResult verifyOneView(Operation *op) {
  Type view = op->getResult(0).getType();
  for (Value mask : masksOf(op))
    if (mask.getType() != view)
      return breaks(op, "MASK-3", "mask-granularity")
             << "operands and result must have one granularity, got " << mask.getType() << " and " << view
             << "; `pto.pbitcast` changes the view";
  return success();
}

/// MASK-6: ppack narrows and punpack widens by one step at most.
template <typename Op> static LogicalResult verifyViewStep(Op op) {
  if (failed(verifyWord(op, "part", op.getPart(), {"LOWER", "HIGHER"}, "PART-1")))
    return failure();
  bool pack = std::is_same_v<Op, PpackOp>;
  unsigned from = granularity(op.getSrc()), to = granularity(op.getResult());
  if (from == to || (pack ? from == 2 * to : 2 * from == to))
    return success();
  return breaks(op, "MASK-6", "mask-granularity")
         << "it turns " << op.getSrc().getType() << " into " << op.getResult().getType()
         << "; the result has the same granularity or is one step " << (pack ? "narrower" : "wider");
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kPatterns[] = {"PAT_ALL",   "PAT_ALLF", "PAT_VL1",  "PAT_VL2",  "PAT_VL3",
                                              "PAT_VL4",   "PAT_VL8",  "PAT_VL16", "PAT_VL32", "PAT_VL64",
                                              "PAT_VL128", "PAT_M3",   "PAT_M4",   "PAT_H",    "PAT_Q"};

ArrayRef<StringLiteral> ptoscope::pto::maskPatterns() { return kPatterns; }

bool ptoscope::pto::isListedPattern(StringRef pattern) { return llvm::is_contained(kPatterns, pattern); }

static LogicalResult verifyPattern(Operation *op) {
  if (failed(verifySuffix(op)))
    return failure();
  auto attr = op->getAttrOfType<StringAttr>("pattern");
  if (bool(attr) == bool(op->getNumOperands()))
    return op->emitError() << quoted(op) << " takes a pattern or a count";
  if (!attr || isListedPattern(attr.getValue()))
    return success();
  // PAT_VL<n> with an n that is not listed occurs in manuals; it means what it says.
  StringRef pattern = attr.getValue();
  unsigned n;
  if (pattern.consume_front("PAT_VL") && !pattern.getAsInteger(10, n) && n >= 1 &&
      n <= 256 / granularity(op->getResult(0)))
    return success();
  return breaks(op, "PSET-1") << "unknown pattern \"" << attr.getValue() << "\"; the patterns are "
                              << llvm::join(ArrayRef<StringLiteral>(kPatterns), ", ");
}

//===----------------------------------------------------------------------===//
// Mask to UB and back
//===----------------------------------------------------------------------===//

int64_t ptoscope::pto::unitOfMaskOffset(Operation *op) {
  if (!isa<PldiOp, PstiOp>(op))
    return 1;
  StringRef dist = op->getAttrOfType<StringAttr>("dist").getValue();
  return dist == "US" || dist == "PK" ? 16 : 32;
}

/// PLD-1 to PLD-3, POST-1; the offset counts bytes or units, so the pointer's element is any.
static LogicalResult verifyMaskAccess(Operation *op, Value pointer, Value offset, Value next, StringRef dist,
                                      ArrayRef<StringRef> dists) {
  if (failed(verifyUb(op, pointer, "PLD-3")) || failed(verifyNext(op, pointer, next)) ||
      failed(verifyWord(op, "distribution", dist, dists, "PLD-1", "bad-dist-token")))
    return failure();
  if (!isa<PldiOp, PstiOp>(op) || !offset || matchPattern(offset, m_Constant()))
    return success();
  return breaks(op, "PLD-2") << "the offset must be a constant; `pto." << (isa<PldiOp>(op) ? "plds" : "psts")
                             << "` takes any";
}

template <typename Op> static LogicalResult verifyPlds(Op op) {
  return verifyMaskAccess(op, op.getSrc(), op.getOffset(), op.getNext(), op.getDist(), {"NORM", "US", "DS"});
}
template <typename Op> static LogicalResult verifyPsts(Op op) {
  return verifyMaskAccess(op, op.getDst(), op.getOffset(), op.getNext(), op.getDist(), {"NORM", "PK"});
}

#include "ptoscope/Dialect/PTO/PredicateOps.defs.inc"
