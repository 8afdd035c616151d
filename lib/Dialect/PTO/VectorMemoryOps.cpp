//===- VectorMemoryOps.cpp - UB to vector register and back ---------------===//

#include "LaneRules.h"

#include "ptoscope/Meaning/Distribution.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// The token is a row of `dists` for an instruction with so many registers.
template <typename Dist>
static LogicalResult verifyToken(Operation *op, StringRef token, llvm::ArrayRef<Dist> dists, uint8_t registers) {
  SmallVector<StringRef> names;
  for (const Dist &dist : dists) {
    if (!(dist.registers & registers))
      continue;
    if (dist.name == std::string_view(token))
      return success();
    names.push_back(dist.name);
  }
  return emitCoded(op->emitError(), "bad-dist-token")
         << quoted(op) << ": unknown distribution \"" << token << "\"; the tokens are " << llvm::join(names, ", ");
}

static LogicalResult verifyLoadToken(Operation *op, StringRef token, uint8_t registers) {
  return verifyToken(op, token, llvm::ArrayRef(kLoadDists), registers);
}
static LogicalResult verifyStoreToken(Operation *op, StringRef token, uint8_t registers) {
  return verifyToken(op, token, llvm::ArrayRef(kStoreDists), registers);
}

static LogicalResult verifyPair(Operation *op, Value low, Value high) {
  if (low.getType() == high.getType())
    return success();
  return breaks(op, "VLDX2-1") << "both registers must have one type, got " << low.getType() << " and "
                               << high.getType();
}

//===----------------------------------------------------------------------===//
// Contiguous and fixed strides
//===----------------------------------------------------------------------===//

static LogicalResult verifyVlds(VldsOp op) {
  return failure(failed(verifyAccess(op, op.getSrc(), op.getNext(), vregOf(op.getValue()), "VLD-2")) ||
                 failed(verifyLoadToken(op, op.getDist(), kOneRegister)));
}

static LogicalResult verifyVldsx2(Vldsx2Op op) {
  return failure(failed(verifyPair(op, op.getLow(), op.getHigh())) ||
                 failed(verifyAccess(op, op.getSrc(), op.getNext(), vregOf(op.getLow()))) ||
                 failed(verifyLoadToken(op, op.getDist(), kTwoRegisters)));
}

static LogicalResult verifyVldas(VldasOp op) { return verifyUb(op, op.getSrc()); }
static LogicalResult verifyVldus(VldusOp op) {
  if (op.getIncrement() && !op.getNext())
    return breaks(op, "POST-5") << "it has an increment, but no pointer result that it could advance";
  return verifyAccess(op, op.getSrc(), op.getNext(), vregOf(op.getValue()));
}
static LogicalResult verifyUvld(UvldOp op) { return verifyAccess(op, op.getSrc(), {}, vregOf(op.getValue())); }

static LogicalResult verifyVsld(VsldOp op) {
  return failure(failed(verifyAccess(op, op.getSrc(), {}, vregOf(op.getValue()))) ||
                 failed(verifyLoadToken(op, op.getStride(), kFixedStride)));
}

static LogicalResult verifyVsst(VsstOp op) {
  return failure(failed(verifyAccess(op, op.getDst(), {}, vregOf(op.getValue()))) ||
                 failed(verifyStoreToken(op, op.getStride(), kFixedStride)));
}

static LogicalResult verifyVsts(VstsOp op) {
  VRegType vreg = vregOf(op.getValue());
  if (failed(verifyAccess(op, op.getDst(), op.getNext(), vreg)) ||
      failed(verifyStoreToken(op, op.getDist(), kOneRegister)))
    return failure();
  unsigned bytes = granularityOfStore(op.getDist());
  if (!op.getMask() || !bytes)
    return verifyMask(op, op.getMask(), vreg, "VST-1");
  if (cast<MaskType>(op.getMask().getType()).getBytes() == bytes)
    return success();
  return breaks(op, "VST-1", "mask-granularity") << "the mask is " << op.getMask().getType() << ", but \""
                                                 << op.getDist() << "\" needs `!pto.mask<b" << bytes * 8 << ">`";
}

static LogicalResult verifyVstsx2(Vstsx2Op op) {
  VRegType vreg = vregOf(op.getLow());
  return failure(failed(verifyPair(op, op.getLow(), op.getHigh())) || failed(verifyAccess(op, op.getDst(), {}, vreg)) ||
                 failed(verifyStoreToken(op, op.getDist(), kTwoRegisters)) ||
                 failed(verifyMask(op, op.getMask(), vreg, "VST-1")));
}

//===----------------------------------------------------------------------===//
// Blocks at a stride
//===----------------------------------------------------------------------===//

/// vsldb and vsstb: two i16 strides, or one i32 word for both.
template <typename Op> static LogicalResult verifyBlocks(Op op, Value mask) {
  Value base;
  if constexpr (std::is_same_v<Op, VsldbOp>)
    base = op.getSrc();
  else
    base = op.getDst();
  VRegType vreg = vregOf(op.getValue());
  if (failed(verifyAccess(op, base, op.getNext(), vreg)))
    return failure();
  if (op.getControl().getType().isInteger(16) != bool(op.getRepeatStride()))
    return op.emitError() << quoted(op) << " takes two i16 strides, or one i32 word that holds both";
  // Blocks are whole bytes: 64-bit elements have no granularity of their own.
  return vreg.getElementBytes() == 8 ? success() : verifyMask(op, mask, vreg, "VSLDB-2");
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// ADDR-1 of indexed accesses: a lane holds the pointer's element, or more.
static LogicalResult verifyIndexed(Operation *op, Value base, VRegType data) {
  if (failed(verifyUb(op, base)) || failed(verifyElement(op, data.getElement(), "LANE-2")))
    return failure();
  auto ptr = cast<PtrType>(base.getType());
  if (!ptr.getElement())
    return breaks(op, "ADDR-1", "ptr-vreg-type-mismatch")
           << "the element of the pointer is not known; write it as `!pto.ptr<T, ub>`";
  if (ptr.getElementBytes() > data.getElementBytes())
    return breaks(op, "ADDR-1", "ptr-vreg-type-mismatch")
           << "pointer elements have " << ptr.getElementBytes() << " bytes, register elements "
           << data.getElementBytes() << " (" << ptr << " and " << data << ")";
  return success();
}

static LogicalResult verifyVgather2(Vgather2Op op) {
  VRegType data = vregOf(op.getValue()), index = vregOf(op.getIndex());
  auto number = dyn_cast<IntegerType>(index.getElement());
  if (!number || number.isSigned() || index.getLanes() != data.getLanes())
    return breaks(op, "VG2-1") << "indices are " << index << ", but " << data << " needs " << data.getLanes()
                               << " unsigned or signless integers of " << data.getElementBytes() * 8 << " bits";
  if (isa<MaskType>(op.getActive().getType()) && failed(verifyMask(op, op.getActive(), data, "VG2-3")))
    return failure();
  return verifyIndexed(op, op.getSrc(), data);
}

static LogicalResult verifyVgather2Bc(Vgather2BcOp op) {
  VRegType data = vregOf(op.getValue()), index = vregOf(op.getIndex());
  if (!index.getElement().isInteger(32))
    return breaks(op, "VGBC-1") << "indices are " << index << ", they must be 64 integers of 32 bits";
  // 16-bit results fill 32-bit slots, so both views of the mask read the same bits.
  bool wide = data.getElementBytes() == 2 && cast<MaskType>(op.getActive().getType()).getBytes() == 4;
  if (!wide && failed(verifyMask(op, op.getActive(), data, "VGBC-1")))
    return failure();
  return verifyIndexed(op, op.getSrc(), data);
}

static LogicalResult verifyVgatherb(VgatherbOp op) {
  VRegType data = vregOf(op.getValue()), offsets = vregOf(op.getIndex());
  if (!offsets.getElement().isInteger(32))
    return breaks(op, "VGB-2") << "offsets are " << offsets << ", they must be integers of 32 bits";
  if (auto mask = dyn_cast<MaskType>(op.getActive().getType()); mask && mask.getBytes() != 4)
    return breaks(op, "VGB-2", "mask-granularity")
           << "the mask is " << mask << ", lane b of a `!pto.mask<b32>` governs block b";
  return verifyAccess(op, op.getSrc(), {}, data);
}

static LogicalResult verifyVscatter(VscatterOp op) {
  VRegType data = vregOf(op.getValue()), index = vregOf(op.getIndex());
  unsigned bytes = index.getElementBytes();
  if (!isa<IntegerType>(index.getElement()) || (bytes != 2 && bytes != 4) || bytes < data.getElementBytes())
    return breaks(op, "VSC-1") << "indices are " << index << ", but " << data << " needs integers of "
                               << (data.getElementBytes() == 4 ? "32" : "16 or 32") << " bits";
  auto mask = dyn_cast<MaskType>(op.getActive().getType());
  if (mask && mask.getBytes() != data.getElementBytes() && failed(verifyMask(op, op.getActive(), index, "VSC-5")))
    return failure();
  if (failed(verifyIndexed(op, op.getDst(), data)))
    return failure();
  auto ptr = cast<PtrType>(op.getDst().getType());
  if (ptr.getElementBytes() == data.getElementBytes() && ptr.getElement() != data.getElement())
    return breaks(op, "VSC-6") << "the pointer has " << ptr.getElement() << " elements, the register "
                               << data.getElement() << "; use `pto.castptr`";
  return success();
}

#include "ptoscope/Dialect/PTO/VectorMemoryOps.defs.inc"
