//===- ScopeChecks.cpp - what generated code tells the checkers -----------===//
//
// Before a run or a single instruction executes, its accesses are announced in
// program order, uses of undefined bytes are looked for, and results get their
// definedness and the load instances they derive from.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Machine/SequenceRuntime.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Position in the runtime's tables.
static int64_t numberOf(const LoadDist &dist) { return &dist - kLoadDists; }
static int64_t numberOf(const StoreDist &dist) { return &dist - kStoreDists; }

static constexpr int64_t kWindowBitsBytes = abi::kWindowBytes / 8;

//===----------------------------------------------------------------------===//
// Stamps
//===----------------------------------------------------------------------===//

SmallVector<Value> ScopeLowering::stampsOf(ValueRange operands) {
  llvm::SmallSetVector<Value, 4> stamps;
  for (Value operand : operands)
    if (isVectorValue(operand.getType()))
      stamps.insert(registerOf(operand).stamps.begin(), registerOf(operand).stamps.end());
  // Long chains of instructions must not carry ever longer lists.
  if (stamps.size() <= PTO_MAX_REGISTER_STAMPS)
    return stamps.takeVector();
  Value merged = b.stack(4, 4), count = b.const32(int64_t(stamps.size()));
  b.store(b.call("ptosc_merge_stamps", b.i32(), {b.context, stampArray(stamps.getArrayRef()), count}), merged, 4);
  return {merged};
}

Value ScopeLowering::stampArray(ArrayRef<Value> stamps) {
  if (stamps.empty())
    return b.nullPtr();
  Value array = b.stack(4 * int64_t(stamps.size()), 4);
  for (auto [i, pointer] : llvm::enumerate(stamps))
    b.store(b.load(b.i32(), pointer, 4), b.ptrAdd(array, int64_t(4 * i)), 4);
  return array;
}

void ScopeLowering::deriveStamps(Operation *op) {
  SmallVector<Value> stamps = stampsOf(op->getOperands());
  for (Value result : op->getResults())
    if (isVectorValue(result.getType()))
      registerOf(result).stamps.assign(stamps.begin(), stamps.end());
}

//===----------------------------------------------------------------------===//
// Definedness
//===----------------------------------------------------------------------===//

Value ScopeLowering::cachedBits(Value mask, unsigned width, BitsCache &cache) {
  if (Value known = cache.lookup({mask, width}))
    return known;
  const MaskValue value = maskOf(mask, width);
  Value bits;
  if (value.kind == MaskValue::Prefix && value.vectorCount && width == value.bytes) {
    // All registers of a vector at once.
    const int64_t each = value.lanes();
    Value &all = cache[{value.vectorCount, width}];
    if (!all) {
      const int64_t registers = (value.vectorLanes + each - 1) / each;
      all = b.stack(registers * 32, 8);
      b.run("ptosc_prefix_bits", {value.vectorCount, b.const32(width), b.const32(registers), all});
    }
    bits = b.ptrAdd(all, value.first / each * 32);
  } else {
    bits = activeBits(mask, width);
  }
  return cache[{mask, width}] = bits;
}

/// A constant set of bits, as four words in memory.
static Value constantBits(CodeBuilder &b, int64_t word) {
  Value words = b.stack(32, 8);
  for (int64_t w = 0; w < 4; ++w)
    b.store(b.const64(word), b.ptrAdd(words, 8 * w), 8);
  return words;
}

/// A store whose distribution leaves nothing to the mask (SDIST-2, VSTX2-2).
static bool ignoresMask(Operation *op) {
  auto store = dyn_cast<VstsOp>(op);
  return isa<Vstsx2Op>(op) || (store && !findStoreDist(store.getDist())->maskBytes);
}

void ScopeLowering::announceUses(Operation *op, SiteId site, BitsCache &cache) {
  const InstrInfo &info = *infoOf(op);
  Value governing = lastMask(op);
  for (auto [position, operand] : llvm::enumerate(op->getOperands())) {
    // An operand that is used twice is one cause.
    if (llvm::is_contained(op->getOperands().take_front(position), operand) || !isVectorValue(operand.getType()))
      continue;
    Value defined = registerOf(operand).defined;
    if (!defined)
      continue;
    if (isa<MaskType>(operand.getType())) {
      // A mask is used wherever a lane looks at it; logic on masks and stores of them only carry it along.
      if (isa<PstuOp>(op) || ignoresMask(op) ||
          (info.definedness == Definedness::Copy && op->getNumResults() && isa<MaskType>(op->getResult(0).getType())))
        continue;
      unsigned width = maskWidth(RunOp{op});
      uint64_t lowest = width == 1 ? ~uint64_t(0) : ~uint64_t(0) / ((uint64_t(1) << width) - 1);
      announceUse(site, unsigned(position), defined, constantBits(b, int64_t(lowest)));
    } else if (info.definedness == Definedness::Use) {
      unsigned width = cast<VRegType>(operand.getType()).getElementBytes();
      // The counters of a histogram are read whatever the mask says.
      bool governed = governing && !(isa<VdhistOp, VchistOp, Dhistv2Op, Chistv2Op>(op) && position == 0);
      Value active = governed ? cachedBits(governing, width, cache) : b.nullPtr();
      SmallVector<Value> made = registersOf(op->getResults());
      if (!made.empty() && width < cast<VRegType>(made[0].getType()).getElementBytes())
        active = onlyPart(active, width, partOf(op));
      // Of a vector of several registers, its own byte is told.
      auto part = op->getAttrOfType<IntegerAttr>(kPartAttr);
      const unsigned mark = part ? unsigned(part.getInt() + 1) << PTO_OPERAND_PART_SHIFT : 0;
      announceUse(site, unsigned(position) | mark, defined, active);
    }
  }
}

/// Four words that can be read: a null pointer stands for all ones.
static Value presentBits(CodeBuilder &b, Value bits) {
  Value null = b.create<LLVM::ICmpOp>(b.loc, LLVM::ICmpPredicate::eq, bits, b.nullPtr());
  return b.select(null, constantBits(b, -1), bits);
}

/// Bits that are on, of lane `first` of every `step` lanes of `width`.
Value ScopeLowering::onlyPart(Value bits, unsigned width, std::pair<unsigned, unsigned> part) {
  auto [first, step] = part;
  if (step == 1)
    return bits;
  uint64_t pattern = 0;
  for (unsigned k = 0; k < 64; ++k)
    pattern |= uint64_t(k / width % step == first) << k;
  Value all = presentBits(b, bits), words = b.stack(32, 8);
  for (int64_t w = 0; w < 4; ++w)
    b.store(b.andi(b.load(b.i64(), b.ptrAdd(all, 8 * w), 8), b.const64(int64_t(pattern))), b.ptrAdd(words, 8 * w), 8);
  return words;
}

/// Lanes that are off are as defined as the operand they keep.
void ScopeLowering::keepDefined(Operation *op, Value kept, BitsCache &cache) {
  Value governing = governingMask(op), defined = registerOf(kept).defined;
  if (!governing || !defined)
    return;
  Value active = presentBits(b, cachedBits(governing, maskWidth(RunOp{op}), cache)), words = b.stack(32, 8);
  for (int64_t w = 0; w < 4; ++w)
    b.store(b.ori(b.load(b.i64(), b.ptrAdd(active, 8 * w), 8), b.load(b.i64(), b.ptrAdd(defined, 8 * w), 8)),
            b.ptrAdd(words, 8 * w), 8);
  registerOf(op->getResult(0)).defined = words;
}

void ScopeLowering::carryDefined(Operation *op, BitsCache &cache) {
  SmallVector<Value> sources;
  for (Value operand : op->getOperands())
    if (isVectorValue(operand.getType()) && registerOf(operand).defined)
      // One lane of a register has been spread already.
      sources.push_back(isa<VdupOp>(op) && isa<VRegType>(operand.getType()) ? op->getResult(0) : operand);
  if (sources.empty())
    return;
  Value result = b.stack(32, 8);
  auto word = [&](Value words, int64_t w) {
    return words ? b.load(b.i64(), b.ptrAdd(words, 8 * w), 8) : b.const64(-1);
  };
  Value mask = isa<VselOp>(op) ? lastMask(op) : governingMask(op);
  Value bits = mask ? presentBits(b, cachedBits(mask, maskWidth(RunOp{op}), cache)) : Value();
  for (int64_t w = 0; w < 4; ++w) {
    Value defined;
    if (auto choice = dyn_cast<VselOp>(op)) {
      Value active = word(bits, w);
      Value inactive = b.create<arith::XOrIOp>(b.loc, active, b.const64(-1));
      defined = b.ori(b.andi(active, word(registerOf(choice.getA()).defined, w)),
                      b.andi(inactive, word(registerOf(choice.getB()).defined, w)));
    } else {
      for (Value source : sources) {
        Value one = word(registerOf(source).defined, w);
        defined = defined ? b.andi(defined, one) : one;
      }
      // Zeros of inactive lanes are defined.
      if (mask && isa<VRegType>(op->getResult(0).getType())) {
        Value active = word(bits, w);
        defined = b.ori(defined, b.create<arith::XOrIOp>(b.loc, active, b.const64(-1)));
      }
    }
    b.store(defined, b.ptrAdd(result, 8 * w), 8);
  }
  for (Value made : op->getResults())
    if (isVectorValue(made.getType()))
      registerOf(made).defined = result;
}

//===----------------------------------------------------------------------===//
// Accesses of runs
//===----------------------------------------------------------------------===//

void ScopeLowering::announceLoad(RunOp &item) {
  const LoadDist &dist = *item.load;
  bool plain = dist.map == LoadMap::Copy;
  // Two registers take all of the window between them.
  bool whole = plain || registersOf(item.op->getResults()).size() == 2;
  Value used = whole ? b.nullPtr() : b.call("ptosc_load_bits", b.ptrType(), {b.const32(numberOf(dist))});
  Value shadow = b.stack(abi::kLoadShadowBytes, 8);
  item.pointer = b.call("ptosc_check_load", b.ptrType(),
                        {b.context, b.const32(item.site), narrow(item.address), b.const32(item.window()),
                         b.const32(item.alignment), used, shadow});
  for (auto [half, result] : llvm::enumerate(registersOf(item.op->getResults()))) {
    RegisterValue &value = registerOf(result);
    value.stamps = {b.ptrAdd(shadow, abi::kLoadShadowStamp)};
    if (!options.trackDefined)
      continue;
    value.defined = shadow;
    if (plain)
      continue;
    value.defined = b.stack(32, 8);
    b.run("ptosc_load_defined", {b.const32(numberOf(dist)), b.const32(int64_t(half)), shadow, value.defined});
  }
}

void ScopeLowering::announceStore(RunOp &item, BitsCache &cache) {
  const StoreDist &dist = *item.store;
  bool plain = dist.map == StoreMap::Copy;
  item.active = plain ? cachedBits(governingMask(item.op), dist.maskBytes, cache) : windowBits(item);
  SmallVector<Value> stamps = stampsOf(item.op->getOperands());
  Value array = stampArray(stamps);
  SmallVector<Value> words;
  bool tracked = false;
  for (Value reg : registersOf(item.op->getOperands())) {
    Value defined = registerOf(reg).defined;
    tracked |= bool(defined);
    words.push_back(defined ? defined : b.nullPtr());
  }
  Value defined = words[0];
  if (!plain && tracked)
    defined = b.call("ptosc_store_defined", b.ptrType(),
                     {b.const32(numberOf(dist)), words[0], words.back(), b.stack(kWindowBitsBytes, 8)});
  item.pointer = b.call("ptosc_check_store", b.ptrType(),
                        {b.context, b.const32(item.site), narrow(item.address), b.const32(item.window()),
                         b.const32(item.alignment), item.active, defined, array, b.const32(int64_t(stamps.size()))});
}

void ScopeLowering::checkCounts(Operation *op) {
  flush(); // the counts are read from their slot
  b.loc = op->getLoc();
  unsigned bytes = maskWidth(RunOp{op});
  b.run("ptosc_check_counts",
        {b.context, constSite(op), slotOf(op->getOperand(1)), b.const32(bytes), activeBits(lastMask(op), bytes)});
}

void ScopeLowering::announceAccesses(MutableArrayRef<RunOp> run) {
  BitsCache cache;
  for (size_t i = 0, announced = 0; i < run.size(); ++i) {
    RunOp &item = run[i];
    b.loc = item.op->getLoc();
    const InstrInfo &info = *infoOf(item.op);
    if (options.trackDefined)
      announceUses(item.op, item.site, cache);
    if (i < announced)
      continue;
    if (auto column = run.slice(i, columnLength(run.drop_front(i))); announceColumn(column, cache)) {
      announced = i + column.size();
    } else if (item.load) {
      announceLoad(item);
    } else if (item.store) {
      announceStore(item, cache);
    } else {
      deriveStamps(item.op);
      if (options.trackDefined && info.definedness == Definedness::Copy)
        carryDefined(item.op, cache);
      if (options.trackDefined && info.inactive == Inactive::Operand)
        keepDefined(item.op, item.op->getOperand(info.inactiveOperand), cache);
    }
  }
  b.loc = run.front().op->getLoc();
  emitUses();
}
