//===- StreamOps.cpp - unaligned stores -----------------------------------===//

#include "Signature.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static LogicalResult verifyMode(Operation *op, std::optional<StringRef> mode) {
  return mode ? verifyWord(op, "mode", *mode, {"POST_UPDATE", "NO_POST_UPDATE"}, "MODE-1") : success();
}

static LogicalResult verifySprclr(SprclrOp op) {
  return verifyWord(op, "special register", op.getSpr(), {"AR"}, "SPR-1");
}

/// SPR-1, SPR-3, SPR-4 of a store of a special register.
template <typename Op> static LogicalResult verifySpecialStore(Op op) {
  if (failed(verifyWord(op, "special register", op.getSpr(), {"AR"}, "SPR-1")) ||
      failed(verifyAccess(op, op.getDst(), op.getNext(), {})))
    return failure();
  auto ptr = cast<PtrType>(op.getDst().getType());
  auto element = dyn_cast_or_null<IntegerType>(ptr.getElement());
  if (ptr.isResolved() && (!element || element.isSigned() || element.getWidth() != 32))
    return breaks(op, "SPR-3") << "the pointer has ui32 or i32 elements; it is " << ptr;
  if (!std::is_same_v<Op, SprstiOp>)
    return success();
  APInt offset;
  if (!matchPattern(op.getOffset(), m_ConstantInt(&offset)))
    return breaks(op, "SPR-4") << "the offset must be a constant; `pto.sprsts` takes any";
  if (offset.getSExtValue() < -128 || offset.getSExtValue() > 127)
    return breaks(op, "SPR-4") << "the offset is " << offset.getSExtValue() << ", outside -128 to 127";
  return success();
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
  if constexpr (std::is_same_v<Op, VstasOp>)
    if (failed(verifyNext(op, op.getDst(), op.getNext())))
      return failure();
  if (!std::is_same_v<Op, VstarOp> && !cast<PtrType>(op.getDst().getType()).getElement())
    return breaks(op, "ADDR-1", "ptr-vreg-type-mismatch")
           << "the offset counts elements, but the element of the pointer is not known; write it as "
              "`!pto.ptr<T, ub>`";
  return success();
}

#include "ptoscope/Dialect/PTO/StreamOps.defs.inc"
