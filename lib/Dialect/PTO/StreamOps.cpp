//===- StreamOps.cpp - unaligned stores -----------------------------------===//

#include "Signature.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static LogicalResult verifyMode(Operation *op, std::optional<StringRef> mode) {
  return mode ? verifyWord(op, "mode", *mode, {"POST_UPDATE", "NO_POST_UPDATE"}, "MODE-1") : success();
}

static LogicalResult verifySprclr(SprclrOp op) {
  return verifyWord(op, "special register", op.getSpr(), {"AR"}, "SPR-1");
}

static LogicalResult verifyVstus(VstusOp op) {
  return failure(failed(verifyAccess(op, op.getBase(), op.getNext(), cast<VRegType>(op.getValue().getType()))) ||
                 failed(verifyMode(op, op.getMode())));
}

static LogicalResult verifyVstu(VstuOp op) {
  bool indexed = op.getNext().getType().isIndex();
  if (bool(op.getOffset()) != indexed || bool(op.getPost()) == indexed)
    return op.emitError() << quoted(op)
                          << " takes an offset and gives the next one, or takes a pointer and gives the next one";
  return failure(failed(verifyAccess(op, op.getBase(), indexed ? Value() : op.getNext(),
                                     cast<VRegType>(op.getValue().getType()))) ||
                 failed(verifyMode(op, op.getMode())));
}

static LogicalResult verifyVstur(VsturOp op) {
  return failure(failed(verifyAccess(op, op.getBase(), {}, cast<VRegType>(op.getValue().getType()))) ||
                 failed(verifyMode(op, op.getMode())));
}

static LogicalResult verifyPstu(PstuOp op) {
  if (failed(verifyAccess(op, op.getBase(), op.getNext(), {})))
    return failure();
  auto ptr = cast<PtrType>(op.getBase().getType());
  unsigned bytes = cast<MaskType>(op.getMask().getType()).getBytes();
  auto element = dyn_cast_or_null<IntegerType>(ptr.getElement());
  if (element && !element.isSigned() && element.getWidth() == bytes * 8)
    return success();
  return breaks(op, "PSTU-1") << op.getMask().getType() << " needs a pointer to ui" << bytes * 8 << " or i" << bytes * 8
                              << ", it is " << ptr;
}

/// A flush; the offset counts elements of the pointer.
template <typename Op> static LogicalResult verifyFlush(Op op) {
  if (failed(verifyUb(op, op.getDst())))
    return failure();
  if (!std::is_same_v<Op, VstarOp> && !cast<PtrType>(op.getDst().getType()).getElement())
    return breaks(op, "ADDR-1", "ptr-vreg-type-mismatch")
           << "the offset counts elements, but the element of the pointer is not known; write it as "
              "`!pto.ptr<T, ub>`";
  return success();
}

#include "ptoscope/Dialect/PTO/StreamOps.defs.inc"
