//===- ScopeMasks.cpp - predicate registers in generated code -------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Machine/Runtime.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

void ScopeLowering::lowerPset(Operation *op, StringRef pattern) {
  MaskValue mask;
  mask.bytes = cast<MaskType>(op->getResult(0).getType()).getBytes();
  unsigned lanes = mask.lanes(), count = 0, period = 0;
  StringRef number = pattern;
  if (pattern == "PAT_ALL") {
    count = lanes;
  } else if (pattern == "PAT_H") {
    count = lanes / 2; // the first half, whatever its name says (PSET-5)
  } else if (pattern == "PAT_Q") {
    count = lanes / 4;
  } else if (number.consume_front("PAT_VL")) {
    number.getAsInteger(10, count); // of more than there are, every lane is on
  } else if (pattern == "PAT_M3" || pattern == "PAT_M4") {
    period = pattern == "PAT_M3" ? 3 : 4;
  }
  if (count < lanes) {
    mask.kind = MaskValue::Pattern;
    for (unsigned i = 0; i < lanes; ++i)
      mask.pattern[i] = period ? i % period == 0 : i < count;
  }
  masks[op->getResult(0)] = mask;
}

void ScopeLowering::lowerPlt(Operation *op, Value count) {
  MaskValue mask;
  mask.kind = op->hasAttr(kFullMaskAttr) ? MaskValue::All : MaskValue::Prefix;
  mask.bytes = cast<MaskType>(op->getResult(0).getType()).getBytes();
  mask.count = mapped(count);
  if (options.trackAccesses) {
    Value negative = b.cmp(arith::CmpIPredicate::slt, mask.count, b.const32(0));
    failIf(op, negative, PTO_WARN_TAIL_COUNT, b.toI64(mask.count));
  }
  masks[op->getResult(0)] = mask;
}

/// Lanes below bound - turn * lanes (PLTM-2).
void ScopeLowering::lowerPltm(Operation *op, Value turn, Value bound) {
  MaskValue mask;
  mask.kind = MaskValue::Prefix;
  mask.bytes = cast<MaskType>(op->getResult(0).getType()).getBytes();
  auto wide = [&](Value value) { return b.create<arith::ExtSIOp>(b.loc, b.i64(), mapped(value)).getResult(); };
  Value left = b.sub(wide(bound), b.mul(wide(turn), b.const64(mask.lanes())));
  left = b.create<arith::MaxSIOp>(b.loc, left, b.const64(0));
  mask.count = narrow(b.create<arith::MinSIOp>(b.loc, left, b.const64(mask.lanes())));
  masks[op->getResult(0)] = mask;
}

MaskValue ScopeLowering::maskOf(Value mask, unsigned elementBytes) {
  if (mask)
    return masks.lookup(mask);
  MaskValue all;
  all.bytes = std::min(elementBytes, 4u);
  return all;
}

unsigned ScopeLowering::imageBytes(Operation *op) {
  auto of = [&](Value mask) { return masks.lookup(mask).bytes; };
  if (auto logic = dyn_cast<PandOp>(op))
    return std::max({of(logic.getA()), of(logic.getB()), of(logic.getGoverning())});
  if (auto logic = dyn_cast<PorOp>(op))
    return std::max(std::min(of(logic.getA()), of(logic.getB())), of(logic.getGoverning()));
  if (auto logic = dyn_cast<PxorOp>(op))
    return std::max(std::min(of(logic.getA()), of(logic.getB())), of(logic.getGoverning()));
  if (auto logic = dyn_cast<PnotOp>(op))
    return of(logic.getGoverning());
  if (auto choice = dyn_cast<PselOp>(op)) {
    unsigned bytes = std::min(std::max(of(choice.getA()), of(choice.getSelect())), of(choice.getB()));
    return choice.getGoverning() ? std::max(bytes, of(choice.getGoverning())) : bytes;
  }
  // Comparisons and carries: a bit per element.
  for (Value operand : op->getOperands())
    if (auto vreg = dyn_cast<VRegType>(operand.getType()))
      return vreg.getElementBytes();
  return 1;
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

Value ScopeLowering::regrain(Value lanes, unsigned from, unsigned to) {
  if (from == to || !lanes)
    return lanes;
  auto type = cast<VectorType>(lanes.getType());
  Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(type));
  SmallVector<int32_t> source;
  for (unsigned i = 0; i < kGroupBytes / to; ++i)
    source.push_back(i * to % from == 0 ? int32_t(i * to / from) : int32_t(type.getNumElements()));
  return b.create<LLVM::ShuffleVectorOp>(b.loc, lanes, zero, source);
}

Value ScopeLowering::maskGroup(Value mask, const MaskValue &value, unsigned width, Value g, Group constG) {
  unsigned lanes = kGroupBytes / width;           // of this group, as the reader sees them
  unsigned maskLanes = kGroupBytes / value.bytes; // of this group, at the image's width
  if (width < value.bytes && value.kind != MaskValue::Pattern && value.kind != MaskValue::Bits) {
    Value own = maskGroup(mask, value, value.bytes, g, constG);
    if (!own) {
      auto type = VectorType::get(int64_t(maskLanes), b.getI1Type());
      own = b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(type, true));
    }
    return regrain(own, value.bytes, width);
  }
  VectorType lane = laneType(width);
  unsigned step = width / value.bytes;
  switch (value.kind) {
  case MaskValue::All:
    return {};
  case MaskValue::Pattern: {
    assert(constG && "runs with fixed patterns are unrolled");
    SmallVector<bool> bits;
    for (unsigned i = 0; i < lanes; ++i) {
      unsigned bit = *constG * kGroupBytes + i * width;
      bits.push_back(bit % value.bytes == 0 && value.pattern[bit / value.bytes]);
    }
    auto type = VectorType::get(int64_t(lanes), b.getI1Type());
    return b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
  }
  case MaskValue::Prefix: {
    // Lanes left for this group, at most maskLanes, then one narrow compare.
    Value first = constG ? b.const32(int64_t(*constG) * maskLanes)
                         : b.create<arith::TruncIOp>(b.loc, b.i32(), b.mul(g, b.const64(maskLanes))).getResult();
    Value left = b.sub(value.count, first);
    left = b.select(b.cmp(arith::CmpIPredicate::ult, value.count, first), b.const32(0), left);
    left = b.create<arith::MinUIOp>(b.loc, left, b.const32(maskLanes));
    Type element = lane.getElementType();
    if (width < 4)
      left = b.create<arith::TruncIOp>(b.loc, element, left);
    else if (width == 8)
      left = b.create<arith::ExtUIOp>(b.loc, element, left);
    SmallVector<Attribute> numbers;
    for (unsigned i = 0; i < lanes; ++i)
      numbers.push_back(b.getIntegerAttr(element, int64_t(i) * step));
    Value iota = b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(lane, numbers));
    return b.cmp(arith::CmpIPredicate::ult, iota, splat(left, lane));
  }
  case MaskValue::Bits: {
    Value word = b.load(b.i64(), groupPtr(slotOf(mask), g, constG, 8), 8);
    Value bits = b.create<LLVM::BitcastOp>(b.loc, VectorType::get(int64_t(kGroupBytes), b.getI1Type()), word);
    if (width == 1)
      return bits;
    // The bit of a lane's first byte decides: one byte of -1 or 0 per bit, then
    // the lowest bit of each lane.
    Value bytes = b.create<arith::ExtSIOp>(b.loc, laneType(1), bits);
    Value wide = b.create<LLVM::BitcastOp>(b.loc, lane, bytes);
    Value one =
        b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(lane, b.getIntegerAttr(lane.getElementType(), 1)));
    Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(lane));
    return b.cmp(arith::CmpIPredicate::ne, b.andi(wide, one), zero);
  }
  }
  llvm_unreachable("every kind of mask is handled");
}

/// Lanes as 64 bits, with `kept` of each lane's bytes.
static Value wordOf(CodeBuilder &b, Value lanes, VectorType lane, VectorType bytesType, int64_t kept) {
  if (lane == bytesType)
    return b.create<LLVM::BitcastOp>(b.loc, b.i64(), lanes);
  Value wide = b.create<arith::ExtSIOp>(b.loc, lane, lanes);
  if (kept != -1) {
    auto attr = DenseElementsAttr::get(lane, b.getIntegerAttr(lane.getElementType(), kept));
    wide = b.andi(wide, b.create<arith::ConstantOp>(b.loc, attr));
  }
  Value narrow = b.create<LLVM::BitcastOp>(b.loc, bytesType, wide);
  Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(bytesType));
  return b.create<LLVM::BitcastOp>(b.loc, b.i64(), b.cmp(arith::CmpIPredicate::ne, narrow, zero));
}

/// All lanes of `bytes` on, as a word of an image.
static int64_t fullWord(unsigned bytes) {
  return int64_t(bytes == 1 ? ~uint64_t(0) : ~uint64_t(0) / ((uint64_t(1) << bytes) - 1));
}

Value ScopeLowering::maskWord(Value lanes, unsigned bytes) {
  return lanes ? wordOf(b, lanes, laneType(bytes), laneType(1), 0xFF) : b.const64(fullWord(bytes));
}

Value ScopeLowering::imageOf(Value mask) {
  if (!mask)
    return b.nullPtr();
  return imageOf(mask, masks.lookup(mask));
}

Value ScopeLowering::imageOf(Value mask, const MaskValue &value) {
  if (value.kind == MaskValue::Bits)
    return slotOf(mask);
  Value words = b.stack(32, 32); // may be copied as one vector
  for (unsigned g = 0; g < kGroups; ++g)
    b.store(maskWord(maskGroup(mask, value, value.bytes, {}, g), value.bytes), b.ptrAdd(words, int64_t(g) * 8), 8);
  return words;
}

Value ScopeLowering::activeBits(Value mask, unsigned width) {
  MaskValue value = maskOf(mask, width);
  if (value.kind == MaskValue::All && width >= value.bytes)
    return b.nullPtr();
  Value words = b.stack(32, 8);
  auto storeWord = [&](unsigned g, Value word) { b.store(word, b.ptrAdd(words, int64_t(g) * 8), 8); };
  if (value.kind == MaskValue::Prefix && width == value.bytes) {
    // Word g holds the first clamp(bytes - 64 g, 0, 64) bits.
    Value lanes = b.create<arith::MinUIOp>(b.loc, value.count, b.const32(value.lanes()));
    Value bytes = b.mul(b.create<arith::ExtUIOp>(b.loc, b.i64(), lanes), b.const64(width));
    for (unsigned g = 0; g < kGroups; ++g) {
      Value left = b.sub(bytes, b.const64(int64_t(g) * kGroupBytes));
      Value bits = b.create<arith::ShLIOp>(b.loc, b.const64(1), b.andi(left, b.const64(63)));
      bits = b.sub(bits, b.const64(1));
      bits = b.select(b.cmp(arith::CmpIPredicate::sge, left, b.const64(kGroupBytes)), b.const64(-1), bits);
      storeWord(g, b.select(b.cmp(arith::CmpIPredicate::sle, left, b.const64(0)), b.const64(0), bits));
    }
    // A null pointer says "all" and saves its reader the look.
    Value full = b.cmp(arith::CmpIPredicate::uge, value.count, b.const32(value.lanes()));
    return b.select(full, b.nullPtr(), words);
  }
  for (unsigned g = 0; g < kGroups; ++g)
    storeWord(g, wordOf(b, maskGroup(mask, value, width, {}, g), laneType(width), laneType(1), -1));
  return words;
}
