//===- SortOps.cpp - instructions that compute on UB themselves -----------===//

#include "Signature.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static Type elementOf(Value pointer) { return cast<PtrType>(pointer.getType()).getElement(); }

static LogicalResult verifyInUb(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<PtrType>(operand.getType()) && failed(verifyUb(op, operand)))
      return failure();
  return success();
}

static LogicalResult verifyPointee(Operation *op, Value pointer, StringRef label) {
  if (Type element = elementOf(pointer))
    return verifyElement(op, element, label);
  return breaks(op, label) << "nothing tells the element of its pointer; write it as `!pto.ptr<T, ub>`";
}

static LogicalResult verifyVbitsort(VbitsortOp op) {
  if (failed(verifyInUb(op)) || failed(verifyPointee(op, op.getScores(), "SORT-1")))
    return failure();
  if (Type index = elementOf(op.getIndices()); index && !(isa<IntegerType>(index) && bitsOf(index) == 32))
    return breaks(op, "SORT-2") << "the indices are " << index << "; they must be 32-bit integers";
  APInt repeat;
  if (matchPattern(op.getRepeat(), m_ConstantInt(&repeat)) && (repeat.isNegative() || repeat.ugt(255)))
    return breaks(op, "SORT-3") << "the repeat count is " << repeat.getSExtValue()
                                << "; one instruction sorts 0 to 255 groups";
  return success();
}

static LogicalResult verifyVmrgsort4(Vmrgsort4Op op) {
  if (failed(verifyInUb(op)) || failed(verifyPointee(op, op.getDst(), "SORT-1")))
    return failure();
  for (Value list : {op.getList0(), op.getList1(), op.getList2(), op.getList3()})
    if (list.getType() != op.getDst().getType())
      return breaks(op, "SORT-5") << "the pointers must have one type, got " << op.getDst().getType() << " and "
                                  << list.getType();
  return success();
}

static LogicalResult verifyGetVms4Sr(GetVms4SrOp op) {
  TypeRange types = op.getResultTypes();
  if (types.size() == 1 ? types[0].isInteger(64)
                        : types.size() == 4 && llvm::all_of(types, [](Type type) { return type.isInteger(16); }))
    return success();
  return breaks(op, "SORT-7") << "it gives four i16 or one i64, not " << types.size()
                              << (types.size() == 1 ? " value" : " values");
}

template <typename Op> static LogicalResult verifyUbPointers(Op op) {
  return failure(failed(verifyInUb(op)) || failed(verifyPointee(op, op.getDst(), "LANE-2")) ||
                 failed(verifyPointee(op, op.getSrc(), "LANE-2")));
}

#include "ptoscope/Dialect/PTO/SortOps.defs.inc"
