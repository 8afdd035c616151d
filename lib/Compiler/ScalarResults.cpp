//===- ScalarResults.cpp - scalars that vector instructions give ----------===//

#include "ptoscope/Compiler/ScalarResults.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ptoscope::pto;

/// rest = n < lanes ? 0 : n - lanes, n unsigned (isa/11 section 3).
static Value restOf(OpBuilder &builder, Location loc, Value count, unsigned lanes) {
  auto constant = [&](int32_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 32); };
  Value below = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, count, constant(int32_t(lanes)));
  Value less = builder.create<arith::SubIOp>(loc, count, constant(int32_t(lanes)));
  return builder.create<arith::SelectOp>(loc, below, constant(0), less);
}

void ptoscope::detachScalarResults(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (isa<PltB8Op, PltB16Op, PltB32Op>(op)) {
    if (!op->getResult(1).use_empty())
      op->getResult(1).replaceAllUsesWith(
          restOf(builder, loc, op->getOperand(0), 256 / cast<MaskType>(op->getResult(0).getType()).getBytes()));
  } else if (auto load = dyn_cast<VldsOp>(op)) {
    if (load.getNext() && !load.getNext().use_empty())
      load.getNext().replaceAllUsesWith(
          builder.create<AddPtrOp>(loc, load.getNext().getType(), load.getSrc(), load.getOffset()));
  } else if (auto store = dyn_cast<VstsOp>(op)) {
    if (store.getNext() && !store.getNext().use_empty())
      store.getNext().replaceAllUsesWith(
          builder.create<AddPtrOp>(loc, store.getNext().getType(), store.getDst(), store.getOffset()));
  }
}
