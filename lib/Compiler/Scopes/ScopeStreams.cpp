//===- ScopeStreams.cpp - unaligned loads and stores ----------------------===//
//
// An alignment state is 64 bytes in a slot. Loads are inlined when no one
// checks them; stores are always made by the runtime, which knows whether a
// stream is broken and which bytes leave now.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "ptoscope/Compiler/RuntimeAbi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static Value elementOffset(CodeBuilder &b, Value base, Value count, unsigned bytes) {
  return b.add(base, b.mul(count, b.const64(bytes)));
}

static unsigned pointerBytes(Value base) { return cast<PtrType>(base.getType()).getElementBytes(); }

/// Special registers that the scope's streams use get their memory up front; AR begins at 0 (SPR-2).
void ScopeLowering::prepareStreams(func::FuncOp function) {
  WalkResult used = function.walk([&](Operation *op) {
    return isa<VsturOp, VstarOp, SprclrOp, SprstiOp, SprstsOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!used.wasInterrupted())
    return;
  displacement = b.stack(8, 8);
  b.store(b.const64(0), displacement, 8);
  lastSqueezed = b.stack(8, 8);
  b.store(b.const64(kVectorBytes), lastSqueezed, 8);
}

void ScopeLowering::lowerSqueezeCount(Operation *op, Value mask, unsigned elementBytes) {
  Value count = b.call("ptosc_count_bits", b.i64(), {activeBits(mask, elementBytes)});
  b.store(count, lastSqueezed, 8);
  if (!isa<VsqzOp>(op))
    return;
  Value own = b.stack(8, 8);
  b.store(count, own, 8);
  registerOf(op->getResult(0)).squeezed = own;
}

void ScopeLowering::pushStream(Operation *op, Value state, Value next, Value address, Value bytes, Value count,
                               Value defined) {
  SmallVector<Value> stamps;
  if (options.trackAccesses) {
    stamps = stampsOf(op->getOperands());
    registerOf(next).stamps = stamps;
  }
  b.run("ptosc_stream_push", {b.context, constSite(op), narrow(address), slotOf(state), slotOf(next), bytes, count,
                              defined ? defined : b.nullPtr(), stampArray(stamps), b.const32(int64_t(stamps.size()))});
}

void ScopeLowering::flushStream(Operation *op, Value state, Value address, Value other) {
  SmallVector<Value> stamps;
  if (options.trackAccesses)
    stamps = stampsOf(op->getOperands());
  b.run("ptosc_stream_flush", {b.context, constSite(op), narrow(address), narrow(other), slotOf(state),
                               stampArray(stamps), b.const32(int64_t(stamps.size()))});
}

LogicalResult ScopeLowering::lowerStream(Operation *op) {
  flush();
  b.loc = op->getLoc();
  if (options.trackDefined) {
    BitsCache cache;
    announceUses(op, siteOf(op), cache);
    emitUses();
  }
  if (auto load = dyn_cast<VldasOp>(op)) {
    Value address = narrow(mapped(load.getSrc())), slot = slotOf(load.getState());
    if (options.trackAccesses)
      b.run("ptosc_stream_prime", {b.context, constSite(op), address, slot});
    else
      b.run("ptom_vldas", {slot, localBase, address});
  } else if (auto load = dyn_cast<VldusOp>(op)) {
    Value address = narrow(mapped(load.getSrc())), slot = slotOf(load.getValue()), next = slotOf(load.getNextState());
    if (options.trackAccesses) {
      Value state = slotOf(load.getState());
      Value shadow = b.stack(abi::kLoadShadowBytes, 8);
      Value ahead = b.const32(kVectorBytes);
      if (Value increment = load.getIncrement())
        ahead = narrow(b.mul(mapped64(increment), b.const64(pointerBytes(load.getSrc()))));
      b.run("ptosc_stream_load", {b.context, constSite(op), address, ahead, state, next, slot, shadow});
      RegisterValue &value = registerOf(load.getValue());
      if (options.trackDefined)
        value.defined = shadow;
      value.stamps = {b.ptrAdd(shadow, abi::kLoadShadowStamp)};
    } else {
      Value size = b.const32(int64_t(options.profile->bytes[size_t(Space::Ub)]));
      b.run("ptom_vldus", {slot, next, localBase, address, size});
    }
  } else if (auto init = dyn_cast<InitAlignOp>(op)) {
    b.store(b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(laneType(4))), slotOf(init.getState()), kGroupBytes);
  } else if (isa<SprclrOp>(op)) {
    b.store(b.const64(0), displacement, 8);
  } else if (auto store = dyn_cast<VstusOp>(op)) {
    Value count =
        b.mul(mapped64(store.getCount()), b.const64(cast<VRegType>(store.getValue().getType()).getElementBytes()));
    pushStream(op, store.getState(), store.getNextState(), mapped(store.getBase()), slotOf(store.getValue()), count,
               registerOf(store.getValue()).defined);
  } else if (auto store = dyn_cast<VstuOp>(op)) {
    Value address = mapped(store.getBase());
    if (store.getOffset())
      address = elementOffset(b, address, mapped64(store.getOffset()), pointerBytes(store.getBase()));
    pushStream(op, store.getState(), store.getNextState(), address, slotOf(store.getValue()), b.const64(kVectorBytes),
               registerOf(store.getValue()).defined);
  } else if (auto store = dyn_cast<VsturOp>(op)) {
    Value squeezed = registerOf(store.getValue()).squeezed;
    if (!squeezed) {
      emitCoded(op->emitWarning(), "undefined-by-manual") << "`pto.vstur` stores a register that no `pto.vsqz` made; "
                                                             "it takes the length of the last squeeze before it, "
                                                             "or 256 bytes";
      squeezed = lastSqueezed;
    }
    Value count = b.load(b.i64(), squeezed, 8), ar = b.load(b.i64(), displacement, 8);
    pushStream(op, store.getState(), store.getNextState(), b.add(mapped(store.getBase()), ar), slotOf(store.getValue()),
               count, registerOf(store.getValue()).defined);
    if (store.getMode() == "POST_UPDATE")
      b.store(b.add(ar, count), displacement, 8);
  } else if (auto store = dyn_cast<PstuOp>(op)) {
    unsigned width = cast<MaskType>(store.getMask().getType()).getBytes();
    if (!maskBytes)
      maskBytes = b.stack(kVectorBytes, kGroupBytes);
    Value bytes = maskBytes;
    std::string symbol = "ptom_pstu_b" + std::to_string(8 * width);
    b.run(symbol, {bytes, imageOf(store.getMask())});
    Value defined;
    if (Value words = registerOf(store.getMask()).defined; words && options.trackDefined) {
      // Marks of bits become marks of the bytes they are packed into.
      Value bits = b.stack(32, 8), marks = b.stack(kVectorBytes, kGroupBytes);
      defined = b.stack(32, 8);
      b.run("ptosc_invert_bits", {words, bits});
      b.run(symbol, {marks, bits});
      b.run("ptosc_unmark_bytes", {marks, b.const32(kVectorBytes), defined});
    }
    pushStream(op, store.getState(), store.getNextState(), mapped(store.getBase()), bytes, b.const64(32 / width),
               defined);
  } else if (auto end = dyn_cast<VstasOp>(op)) {
    Value base = mapped(end.getDst()), offset = mapped64(end.getOffset());
    Value past = elementOffset(b, base, offset, pointerBytes(end.getDst()));
    // The form with a pointer result may end at either (FLUSH-3).
    if (end.getNext())
      flushStream(op, end.getState(), base, past);
    else
      flushStream(op, end.getState(), past, b.add(base, offset));
  } else if (auto end = dyn_cast<VstaOp>(op)) {
    Value base = mapped(end.getDst()), offset = mapped64(end.getOffset());
    flushStream(op, end.getState(), elementOffset(b, base, offset, pointerBytes(end.getDst())), b.add(base, offset));
  } else {
    auto last = cast<VstarOp>(op);
    Value address = b.add(mapped(last.getDst()), b.load(b.i64(), displacement, 8));
    flushStream(op, last.getState(), address, b.const64(PTO_STREAM_AR));
  }
  return success();
}
