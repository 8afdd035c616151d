//===- ScopeMasks.cpp - predicate registers in generated code -------------===//

#include "ScopeLowering.h"
#include "ptoscope/Machine/Runtime.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

void ScopeLowering::lowerPset(Operation *op) {
  StringRef pattern = op->getAttrOfType<StringAttr>("pattern").getValue();
  MaskValue mask;
  mask.bytes = cast<MaskType>(op->getResult(0).getType()).getBytes();
  unsigned lanes = mask.lanes(), count = 0;
  StringRef number = pattern;
  if (pattern == "PAT_ALL") {
    count = lanes;
  } else if (pattern == "PAT_H") {
    count = lanes / 2; // the first half, whatever its name says (isa/11 section 2)
  } else if (pattern == "PAT_Q") {
    count = lanes / 4;
  } else if (number.consume_front("PAT_VL")) {
    number.getAsInteger(10, count);
    if (count > lanes)
      emitCoded(op->emitWarning(), "undefined-by-manual")
          << "`" << op->getName() << "`: \"" << pattern << "\" asks for more than the " << lanes
          << " lanes there are; every lane is on";
    count = std::min(count, lanes);
  } else if (pattern != "PAT_ALLF") {
    unsigned period = pattern == "PAT_M3" ? 3 : 4;
    mask.kind = MaskValue::Pattern;
    for (unsigned i = 0; i < lanes; i += period)
      mask.pattern.set(i);
    masks[op->getResult(0)] = mask;
    return;
  }
  if (count != lanes) {
    mask.kind = MaskValue::Pattern;
    for (unsigned i = 0; i < count; ++i)
      mask.pattern.set(i);
  }
  masks[op->getResult(0)] = mask;
}

void ScopeLowering::lowerPlt(Operation *op) {
  MaskValue mask;
  mask.kind = MaskValue::Prefix;
  mask.bytes = cast<MaskType>(op->getResult(0).getType()).getBytes();
  mask.count = mapped(op->getOperand(0));
  if (options.trackAccesses) {
    Value negative = b.cmp(arith::CmpIPredicate::slt, mask.count, b.const32(0));
    failIf(op, negative, PTO_WARN_TAIL_COUNT, b.toI64(mask.count));
  }
  masks[op->getResult(0)] = mask;
}

MaskValue ScopeLowering::maskOf(Value mask, unsigned elementBytes) {
  if (mask)
    return masks.lookup(mask);
  MaskValue all;
  all.bytes = std::min(elementBytes, 4u);
  return all;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

VectorType ScopeLowering::laneType(unsigned elementBytes) {
  return VectorType::get(int64_t(kGroupBytes / elementBytes), b.getIntegerType(elementBytes * 8));
}

Value ScopeLowering::splat(Value scalar, VectorType type) {
  Value undef = b.create<LLVM::UndefOp>(b.loc, type);
  Value one = b.create<LLVM::InsertElementOp>(b.loc, undef, scalar, b.const32(0));
  SmallVector<int32_t> zeros(type.getNumElements(), 0);
  return b.create<LLVM::ShuffleVectorOp>(b.loc, one, undef, zeros);
}

Value ScopeLowering::maskGroup(const MaskValue &mask, unsigned elementBytes, Value g, std::optional<unsigned> constG) {
  // 64-bit lanes are governed by every second b32 lane.
  unsigned step = elementBytes / mask.bytes;
  unsigned lanes = kGroupBytes / elementBytes;        // of this group, at the element's width
  unsigned maskLanes = kGroupBytes / mask.bytes;      // of this group, at the mask's
  VectorType lane = laneType(elementBytes);
  switch (mask.kind) {
  case MaskValue::All:
    return {};
  case MaskValue::Pattern: {
    assert(constG && "runs with fixed patterns are unrolled");
    SmallVector<bool> bits;
    for (unsigned i = 0; i < lanes; ++i)
      bits.push_back(mask.pattern[*constG * maskLanes + i * step]);
    auto type = VectorType::get(int64_t(lanes), b.getI1Type());
    return b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
  }
  case MaskValue::Prefix: {
    // Lanes left for this group, at most maskLanes, then one narrow compare.
    Value first = constG ? b.const32(int64_t(*constG) * maskLanes)
                         : b.create<arith::TruncIOp>(b.loc, b.i32(), b.mul(g, b.const64(maskLanes))).getResult();
    Value left = b.sub(mask.count, first);
    left = b.select(b.cmp(arith::CmpIPredicate::ult, mask.count, first), b.const32(0), left);
    left = b.create<arith::MinUIOp>(b.loc, left, b.const32(maskLanes));
    Type element = lane.getElementType();
    if (elementBytes < 4)
      left = b.create<arith::TruncIOp>(b.loc, element, left);
    else if (elementBytes == 8)
      left = b.create<arith::ExtUIOp>(b.loc, element, left);
    SmallVector<Attribute> numbers;
    for (unsigned i = 0; i < lanes; ++i)
      numbers.push_back(b.getIntegerAttr(element, int64_t(i) * step));
    Value iota = b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(lane, numbers));
    return b.cmp(arith::CmpIPredicate::ult, iota, splat(left, lane));
  }
  case MaskValue::Slot: {
    VectorType stored = laneType(mask.bytes);
    Value value = b.load(stored, groupPtr(mask.slot, g, constG), kGroupBytes);
    if (step > 1) {
      SmallVector<int32_t> even;
      for (unsigned i = 0; i < lanes; ++i)
        even.push_back(int32_t(i * step));
      value = b.create<LLVM::ShuffleVectorOp>(b.loc, value, value, even);
    }
    auto type = cast<VectorType>(value.getType());
    Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(type));
    return b.cmp(arith::CmpIPredicate::ne, value, zero);
  }
  }
  llvm_unreachable("every kind of mask is handled");
}

void ScopeLowering::storeMask(const MaskValue &mask, Value slot) {
  VectorType lane = laneType(mask.bytes);
  for (unsigned g = 0; g < kGroups; ++g) {
    Value bits = maskGroup(mask, mask.bytes, {}, g);
    Value lanes = bits ? b.create<arith::ExtSIOp>(b.loc, lane, bits).getResult()
                       : b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(lane, APInt::getAllOnes(mask.bytes * 8)))
                             .getResult();
    b.store(lanes, b.ptrAdd(slot, int64_t(g) * kGroupBytes), kGroupBytes);
  }
}

Value ScopeLowering::maskBits(const MaskValue &mask) {
  if (mask.kind == MaskValue::All)
    return b.nullPtr();
  Value words = b.stack(32, 8);
  auto storeWord = [&](unsigned g, Value word) { b.store(word, b.ptrAdd(words, int64_t(g) * 8), 8); };
  if (mask.kind == MaskValue::Prefix) {
    // Word g holds the first clamp(bytes - 64 g, 0, 64) bits.
    Value lanes = b.create<arith::MinUIOp>(b.loc, mask.count, b.const32(mask.lanes()));
    Value bytes = b.mul(b.create<arith::ExtUIOp>(b.loc, b.i64(), lanes), b.const64(mask.bytes));
    for (unsigned g = 0; g < kGroups; ++g) {
      Value left = b.sub(bytes, b.const64(int64_t(g) * kGroupBytes));
      Value bits = b.create<arith::ShLIOp>(b.loc, b.const64(1), b.andi(left, b.const64(63)));
      bits = b.sub(bits, b.const64(1));
      bits = b.select(b.cmp(arith::CmpIPredicate::sge, left, b.const64(kGroupBytes)), b.const64(-1), bits);
      storeWord(g, b.select(b.cmp(arith::CmpIPredicate::sle, left, b.const64(0)), b.const64(0), bits));
    }
    // A null pointer says "all" and saves its reader the look.
    Value full = b.cmp(arith::CmpIPredicate::uge, mask.count, b.const32(mask.lanes()));
    return b.select(full, b.nullPtr(), words);
  }
  for (unsigned g = 0; g < kGroups; ++g) {
    if (mask.kind == MaskValue::Pattern) {
      uint64_t bits = 0;
      for (unsigned i = 0; i < kGroupBytes; ++i)
        bits |= uint64_t(mask.pattern[(g * kGroupBytes + i) / mask.bytes]) << i;
      storeWord(g, b.const64(int64_t(bits)));
      continue;
    }
    Value lanes = maskGroup(mask, mask.bytes, {}, g);
    Value wide = b.create<arith::ExtSIOp>(b.loc, laneType(mask.bytes), lanes);
    auto bytes = VectorType::get(int64_t(kGroupBytes), b.getI8Type());
    Value narrow = b.create<LLVM::BitcastOp>(b.loc, bytes, wide);
    Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(bytes));
    Value bits = b.cmp(arith::CmpIPredicate::ne, narrow, zero);
    storeWord(g, b.create<LLVM::BitcastOp>(b.loc, b.i64(), bits));
  }
  return words;
}
