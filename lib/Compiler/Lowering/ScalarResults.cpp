//===- ScalarResults.cpp - scalars that vector instructions give ----------===//

#include "ptoscope/Compiler/ScalarResults.h"
#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ptoscope::pto;

/// rest = n < lanes ? 0 : n - lanes, n unsigned (PLT-2, PLT-3) or, for vectors of any length, signed (VGATE-5).
static Value restOf(OpBuilder &builder, Location loc, Value count, int64_t lanes,
                    arith::CmpIPredicate isBelow = arith::CmpIPredicate::ult) {
  auto constant = [&](int32_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 32); };
  Value below = builder.create<arith::CmpIOp>(loc, isBelow, count, constant(int32_t(lanes)));
  Value less = builder.create<arith::SubIOp>(loc, count, constant(int32_t(lanes)));
  return builder.create<arith::SelectOp>(loc, below, constant(0), less);
}

/// `base + amount` in units of the pointer's elements.
static Value advanced(OpBuilder &builder, Location loc, Value base, Value amount) {
  return builder.create<AddPtrOp>(loc, base.getType(), base, amount);
}

static Value advanced(OpBuilder &builder, Location loc, Value base, int64_t bytes) {
  return advanced(builder, loc, base,
                  builder.create<arith::ConstantIndexOp>(loc, bytes / cast<PtrType>(base.getType()).getElementBytes()));
}

/// `base + bytes`, whatever the pointer's element.
static Value advancedBytes(OpBuilder &builder, Location loc, Value base, Value amount, int64_t unit) {
  Type i64 = builder.getI64Type();
  if (amount.getType().isIndex())
    amount = builder.create<arith::IndexCastOp>(loc, i64, amount);
  else if (amount.getType() != i64)
    amount = builder.create<arith::ExtSIOp>(loc, i64, amount);
  Value bytes = builder.create<arith::MulIOp>(loc, amount, builder.create<arith::ConstantIntOp>(loc, unit, 64));
  Value address = builder.create<CastPtrOp>(loc, i64, base);
  return builder.create<CastPtrOp>(loc, base.getType(), builder.create<arith::AddIOp>(loc, address, bytes));
}

/// Blocks of 32 bytes behind `base`, by the unsigned 16-bit repeat stride of vsldb and vsstb.
template <typename Op> static Value advancedBlocks(OpBuilder &builder, Location loc, Op op, Value base) {
  Value stride = op.getRepeatStride() ? op.getRepeatStride() : op.getControl();
  if (!stride.getType().isInteger(32))
    stride = builder.create<arith::ExtUIOp>(loc, builder.getI32Type(), stride);
  stride = builder.create<arith::AndIOp>(loc, stride, builder.create<arith::ConstantIntOp>(loc, 0xFFFF, 32));
  Value blocks = builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), stride);
  int64_t elements = 32 / cast<PtrType>(base.getType()).getElementBytes();
  return advanced(builder, loc, base,
                  builder.create<arith::MulIOp>(loc, blocks, builder.create<arith::ConstantIndexOp>(loc, elements)));
}

static bool isPost(std::optional<StringRef> mode) { return mode && *mode == "POST_UPDATE"; }

/// The scalar result of an instruction and what it is; null when there is none
/// or no one looks at it.
static std::pair<Value, Value> scalarResult(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  if (op->getNumResults() == 0)
    return {};
  // It is always the last one.
  Value result = op->getResults().back();
  if (isVectorValue(result.getType()) || result.use_empty())
    return {};
  if (isa<PltB8Op, PltB16Op, PltB32Op>(op))
    return {result,
            restOf(builder, loc, op->getOperand(0), 256 / cast<MaskType>(op->getResult(0).getType()).getBytes())};
  if (VmiOp::is(op, "plt"))
    return {result, restOf(builder, loc, op->getOperand(0), cast<VmiMaskType>(op->getResult(0).getType()).getLanes(),
                           arith::CmpIPredicate::slt)};
  if (auto load = dyn_cast<VldsOp>(op))
    return {result, advanced(builder, loc, load.getSrc(), load.getOffset())};
  if (auto store = dyn_cast<VstsOp>(op))
    return {result, advanced(builder, loc, store.getDst(), store.getOffset())};
  if (auto load = dyn_cast<Vldsx2Op>(op))
    return {result, advanced(builder, loc, load.getSrc(), load.getOffset())};
  if (auto load = dyn_cast<VldusOp>(op))
    return {result, load.getIncrement() ? advanced(builder, loc, load.getSrc(), load.getIncrement())
                                        : advanced(builder, loc, load.getSrc(), 256)};
  if (isa<PldsOp, PldiOp, PstsOp, PstiOp, SprstiOp, SprstsOp>(op)) {
    const bool isLoad = isa<PldsOp, PldiOp>(op);
    Value base = op->getOperand(isLoad || isa<SprstiOp, SprstsOp>(op) ? 0 : 1);
    const int64_t unit = isa<SprstiOp>(op) ? 4 : unitOfMaskOffset(op);
    if (isLoad && op->getNumOperands() == 1) // without an offset
      return {result, base};
    return {result, advancedBytes(builder, loc, base, op->getOperands().back(), unit)};
  }
  if (auto flush = dyn_cast<VstasOp>(op))
    return {result, advancedBytes(builder, loc, flush.getDst(), flush.getOffset(),
                                  cast<PtrType>(flush.getDst().getType()).getElementBytes())};
  if (auto store = dyn_cast<PstuOp>(op))
    return {result, advanced(builder, loc, store.getBase(), 32 / cast<MaskType>(store.getMask().getType()).getBytes())};
  if (auto store = dyn_cast<VstusOp>(op)) {
    if (store.getMode() && !isPost(store.getMode()))
      return {result, store.getBase()};
    Value count = builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), store.getCount());
    return {result, advanced(builder, loc, store.getBase(), count)};
  }
  if (auto store = dyn_cast<VstuOp>(op)) {
    if (Value offset = store.getOffset()) {
      int64_t lanes = cast<VRegType>(store.getValue().getType()).getLanes();
      Value step = builder.create<arith::ConstantIndexOp>(loc, isPost(store.getMode()) ? lanes : 0);
      return {result, builder.create<arith::AddIOp>(loc, offset, step)};
    }
    // The index that says whether to advance is 0 or something else.
    Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
    Value lanes = builder.create<arith::ConstantIndexOp>(loc, cast<VRegType>(store.getValue().getType()).getLanes());
    Value stays = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, store.getPost(), zero);
    return {result, advanced(builder, loc, store.getBase(), builder.create<arith::SelectOp>(loc, stays, zero, lanes))};
  }
  if (auto load = dyn_cast<VsldbOp>(op))
    return {result, advancedBlocks(builder, loc, load, load.getSrc())};
  if (auto store = dyn_cast<VsstbOp>(op))
    return {result, advancedBlocks(builder, loc, store, store.getDst())};
  return {};
}

void ptoscope::detachScalarResults(Operation *op) {
  OpBuilder builder(op);
  if (auto [result, value] = scalarResult(builder, op); result)
    result.replaceAllUsesWith(value);
}
