//===- LaneRuns.cpp - runs of lane-wise instructions as group code --------===//
//
// A run is emitted in up to three shapes, chosen when it executes: with prefix
// masks known to be full, with masks applied, and instruction by instruction.
// The last one keeps program order where group order could be told from it
// (windows that overlap without being equal) and where a masked store's window
// reaches past the memory.
//
//===----------------------------------------------------------------------===//

#include "ScopeLowering.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Runs up to this many instructions are unrolled over their groups.
static constexpr size_t kUnrollLimit = 24;

static Value maskOperand(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<MaskType>(operand.getType()))
      return operand;
  return {};
}

static VRegType registerType(Operation *op) {
  if (auto store = dyn_cast<VstsOp>(op))
    return cast<VRegType>(store.getValue().getType());
  return cast<VRegType>(op->getResult(0).getType());
}

VectorType ScopeLowering::groupType(Type element) {
  unsigned bits = bitsOf(element);
  // bf16 and the integers are carried by their bits; f16 and f32 are host types.
  Type host = element.isF32() || element.isF16() ? element : Type(b.getIntegerType(bits));
  return VectorType::get(int64_t(kGroupBytes * 8 / bits), host);
}

Value ScopeLowering::groupPtr(Value base, Value g, std::optional<unsigned> constG) {
  return constG ? b.ptrAdd(base, int64_t(*constG) * kGroupBytes) : b.ptrAdd(base, b.mul(g, b.const64(kGroupBytes)));
}

//===----------------------------------------------------------------------===//
// Choosing the shape
//===----------------------------------------------------------------------===//

std::optional<Value> ScopeLowering::groupOrderIsSafe(ArrayRef<RunOp> run) {
  Value safe;
  for (size_t i = 0; i < run.size(); ++i)
    for (size_t j = i + 1; j < run.size(); ++j) {
      if (!run[i].address || !run[j].address || (!isa<VstsOp>(run[i].op) && !isa<VstsOp>(run[j].op)))
        continue;
      if (std::optional<int64_t> distance = run[i].affine.minus(run[j].affine)) {
        if (*distance != 0 && std::abs(*distance) < int64_t(kVectorBytes))
          return std::nullopt;
        continue;
      }
      // Equal, or at least a register apart.
      Value distance = b.sub(run[i].address, run[j].address);
      Value equal = b.cmp(arith::CmpIPredicate::eq, distance, b.const64(0));
      Value apart = b.cmp(arith::CmpIPredicate::ugt, b.add(distance, b.const64(kVectorBytes - 1)),
                          b.const64(2 * kVectorBytes - 2));
      Value pair = b.ori(equal, apart);
      safe = safe ? b.andi(safe, pair) : pair;
    }
  return safe;
}

void ScopeLowering::flush() {
  if (pending.empty())
    return;
  SmallVector<RunOp> run = std::move(pending);
  pending.clear();
  b.loc = run.front().op->getLoc();

  // What the run needs to know before it starts.
  bool prefix = false, maskedStore = false;
  Value full, room;
  auto conjoin = [&](Value &all, Value one) { all = all ? b.andi(all, one) : one; };
  DenseSet<Value> counts;
  for (RunOp &item : run) {
    VRegType vreg = registerType(item.op);
    MaskValue mask = maskOf(maskOperand(item.op), vreg.getElementBytes());
    if (mask.kind == MaskValue::Prefix) {
      prefix = true;
      if (counts.insert(mask.count).second)
        conjoin(full, b.cmp(arith::CmpIPredicate::uge, mask.count, b.const32(mask.lanes())));
    }
    if (!item.address)
      continue;
    Value offset = b.andi(item.address, b.const64(0xFFFFFFFF));
    item.pointer = b.ptrAdd(localBase, offset);
    if (isa<VstsOp>(item.op) && mask.kind != MaskValue::All) {
      maskedStore = true;
      int64_t last = int64_t(options.profile->bytes[size_t(Space::Ub)]) - int64_t(kVectorBytes);
      conjoin(room, b.cmp(arith::CmpIPredicate::ule, offset, b.const64(last)));
    }
  }
  if (options.trackAccesses)
    announceAccesses(run);

  if (options.bufferStores) {
    // Stores are handed over after the run, so nothing in it can alias.
    emitRun(run, Shape::Fused);
    return;
  }
  std::optional<Value> safe = groupOrderIsSafe(run);
  if (!safe) {
    emitRun(run, Shape::PerOp);
    return;
  }
  // if (safe && full) FusedFull else if (safe && room) Fused else PerOp
  auto emitRest = [&] {
    Value condition = *safe;
    if (maskedStore)
      conjoin(condition, room);
    if (!condition) {
      emitRun(run, Shape::Fused);
      return;
    }
    auto choice = b.create<scf::IfOp>(b.loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(choice.thenYield());
    emitRun(run, Shape::Fused);
    b.setInsertionPoint(choice.elseYield());
    emitRun(run, Shape::PerOp);
  };
  if (!prefix)
    return emitRest();
  Value condition = full;
  if (*safe)
    conjoin(condition, *safe);
  bool otherMasks = llvm::any_of(run, [&](RunOp &item) {
    MaskValue mask = maskOf(maskOperand(item.op), registerType(item.op).getElementBytes());
    return isa<VstsOp>(item.op) && mask.kind != MaskValue::All && mask.kind != MaskValue::Prefix;
  });
  if (otherMasks)
    conjoin(condition, room);
  auto choice = b.create<scf::IfOp>(b.loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(choice.thenYield());
  emitRun(run, Shape::FusedFull);
  b.setInsertionPoint(choice.elseYield());
  // Long runs keep one general shape, to bound the size of the code.
  if (run.size() > kUnrollLimit)
    emitRun(run, Shape::PerOp);
  else
    emitRest();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Definedness: "use" of an operand with undefined bytes in active lanes.
void ScopeLowering::announceUses(RunOp &item, BitsCache &cache) {
  unsigned number = 0;
  for (Value operand : item.op->getOperands()) {
    unsigned position = number++;
    // An operand that is used twice is one cause.
    bool again = llvm::is_contained(item.op->getOperands().take_front(position), operand);
    if (again || !isa<VRegType>(operand.getType()) || !registerOf(operand).defined)
      continue;
    Value defined = registerOf(operand).defined;
    Value all = b.load(b.i64(), defined, 8);
    for (int64_t w = 1; w < 4; ++w)
      all = b.andi(all, b.load(b.i64(), b.ptrAdd(defined, 8 * w), 8));
    Value active = cachedBits(maskOperand(item.op), registerType(item.op).getElementBytes(), cache);
    auto check = b.create<scf::IfOp>(b.loc, b.cmp(arith::CmpIPredicate::ne, all, b.const64(-1)), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(check.thenYield());
    b.call("ptosc_undefined_use", LLVM::LLVMVoidType::get(b.getContext()),
           {b.context, b.const32(item.site), b.const32(position), defined, active});
  }
}

/// One set of bits per mask of a run.
Value ScopeLowering::cachedBits(Value mask, unsigned elementBytes, BitsCache &cache) {
  Value &bits = cache[mask];
  if (!bits)
    bits = maskBits(maskOf(mask, elementBytes));
  return bits;
}

void ScopeLowering::announceAccesses(MutableArrayRef<RunOp> run) {
  BitsCache cache;
  auto narrow = [&](Value address) { return b.create<arith::TruncIOp>(b.loc, b.i32(), address).getResult(); };
  for (RunOp &item : run) {
    b.loc = item.op->getLoc();
    Value site = b.const32(item.site), window = b.const32(kVectorBytes), alignment = b.const32(kBlockBytes);
    const InstrInfo &info = *findInstr(item.op->getName().stripDialect());
    if (info.footprint == "vector-load") {
      auto load = cast<VldsOp>(item.op);
      Value shadow = b.stack(abi::kLoadShadowBytes, 8);
      item.pointer = b.call("ptosc_check_load", b.ptrType(),
                            {b.context, site, narrow(item.address), window, alignment, b.nullPtr(), shadow})
                         .getResult();
      RegisterValue &value = registerOf(load.getValue());
      if (options.trackDefined)
        value.defined = shadow;
      value.stamps = {b.ptrAdd(shadow, abi::kLoadShadowStamp)};
    } else if (info.footprint == "vector-store") {
      auto store = cast<VstsOp>(item.op);
      RegisterValue value = registerOf(store.getValue());
      item.active = cachedBits(store.getMask(), registerType(store).getElementBytes(), cache);
      Value stamps = b.nullPtr();
      if (!value.stamps.empty()) {
        stamps = b.stack(4 * int64_t(value.stamps.size()), 4);
        for (auto [i, pointer] : llvm::enumerate(value.stamps))
          b.store(b.load(b.i32(), pointer, 4), b.ptrAdd(stamps, int64_t(4 * i)), 4);
      }
      Value defined = value.defined ? value.defined : b.nullPtr();
      item.pointer = b.call("ptosc_check_store", b.ptrType(),
                            {b.context, site, narrow(item.address), window, alignment, item.active, defined, stamps,
                             b.const32(int64_t(value.stamps.size()))})
                         .getResult();
    } else {
      assert(info.footprint == "none" && info.definedness == "use" && "every record's rule has its code here");
      if (options.trackDefined)
        announceUses(item, cache);
      // The result is defined, and comes after every load it derives from.
      llvm::SmallSetVector<Value, 4> stamps;
      for (Value operand : item.op->getOperands())
        if (isa<VRegType>(operand.getType()))
          stamps.insert(registerOf(operand).stamps.begin(), registerOf(operand).stamps.end());
      registerOf(item.op->getResult(0)).stamps.assign(stamps.begin(), stamps.end());
    }
  }
  b.loc = run.front().op->getLoc();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

bool ScopeLowering::storesPartially(const RunOp &item, Shape shape) {
  auto store = dyn_cast<VstsOp>(item.op);
  if (!store)
    return false;
  MaskValue mask = maskOf(store.getMask(), registerType(item.op).getElementBytes());
  return options.bufferStores || (shape == Shape::PerOp && mask.kind != MaskValue::All);
}

void ScopeLowering::emitRun(MutableArrayRef<RunOp> run, Shape shape) {
  DenseSet<Operation *> members;
  for (RunOp &item : run)
    members.insert(item.op);
  DenseSet<Value> escaping;
  for (RunOp &item : run)
    for (Value result : item.op->getResults())
      if (isa<VRegType>(result.getType()) &&
          (shape == Shape::PerOp ||
           llvm::any_of(result.getUsers(), [&](Operation *user) { return !members.contains(user); })))
        escaping.insert(result);
  for (RunOp &item : run)
    if (storesPartially(item, shape))
      item.staging = b.stack(kVectorBytes, kGroupBytes);
  if (shape == Shape::PerOp) {
    for (size_t i = 0; i < run.size(); ++i) {
      emitGroups(run.slice(i, 1), shape, escaping);
      finishStores(run.slice(i, 1), shape);
    }
    return;
  }
  emitGroups(run, shape, escaping);
  finishStores(run, shape);
}

void ScopeLowering::emitGroups(MutableArrayRef<RunOp> run, Shape shape, const DenseSet<Value> &escaping) {
  bool patterns = llvm::any_of(run, [&](RunOp &item) {
    return maskOf(maskOperand(item.op), registerType(item.op).getElementBytes()).kind == MaskValue::Pattern;
  });
  if (run.size() <= kUnrollLimit || patterns) {
    for (unsigned g = 0; g < kGroups; ++g)
      emitGroup(run, shape, escaping, {}, g);
    return;
  }
  auto loop = b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(kGroups), b.const64(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  emitGroup(run, shape, escaping, loop.getInductionVar(), std::nullopt);
}

Value ScopeLowering::canonical(GroupValue value, Type element) {
  if (!value.rawNaN)
    return value.value;
  return b.call("ptom_canon_" + elementName(element), value.value.getType(), {value.value}).getResult();
}

GroupValue ScopeLowering::groupOf(Value reg, DenseMap<Value, GroupValue> &values, Value g,
                                  std::optional<unsigned> constG) {
  GroupValue &value = values[reg];
  if (!value.value)
    value.value = b.load(groupType(cast<VRegType>(reg.getType()).getElement()), groupPtr(slotOf(reg), g, constG),
                         kGroupBytes);
  return value;
}

void ScopeLowering::emitGroup(MutableArrayRef<RunOp> run, Shape shape, const DenseSet<Value> &escaping, Value g,
                              std::optional<unsigned> constG) {
  DenseMap<Value, GroupValue> values;
  DenseMap<std::pair<Value, unsigned>, Value> maskLanes; // per mask value and element width
  auto lanesOf = [&](Value mask, unsigned elementBytes) -> Value {
    MaskValue value = maskOf(mask, elementBytes);
    if (value.kind == MaskValue::All || (value.kind == MaskValue::Prefix && shape == Shape::FusedFull))
      return {};
    Value &lanes = maskLanes[{mask, elementBytes}];
    if (!lanes)
      lanes = maskGroup(value, elementBytes, g, constG);
    return lanes;
  };
  for (RunOp &item : run) {
    b.loc = item.op->getLoc();
    VRegType vreg = registerType(item.op);
    Type element = vreg.getElement();
    unsigned bytes = vreg.getElementBytes();
    VectorType type = groupType(element);
    if (auto store = dyn_cast<VstsOp>(item.op)) {
      Value value = canonical(groupOf(store.getValue(), values, g, constG), element);
      if (item.staging) {
        b.store(value, groupPtr(item.staging, g, constG), kGroupBytes);
        continue;
      }
      Value target = groupPtr(item.pointer, g, constG);
      // 64-bit data is stored word by word under its b32 mask.
      unsigned slotBytes = std::min(bytes, 4u);
      if (Value lanes = lanesOf(store.getMask(), slotBytes)) {
        VectorType words = laneType(slotBytes);
        Value raw = b.create<LLVM::BitcastOp>(b.loc, words, value);
        value = b.select(lanes, raw, b.load(words, target, 1));
      }
      b.store(value, target, 1);
      continue;
    }
    GroupValue result;
    if (isa<VldsOp>(item.op)) {
      result.value = b.load(type, groupPtr(item.pointer, g, constG), 1);
    } else {
      StringRef name = item.op->getName().stripDialect();
      bool arithmetic = findInstr(name)->nan == "arith";
      SmallVector<Value> operands;
      for (Value operand : item.op->getOperands())
        if (isa<VRegType>(operand.getType())) {
          GroupValue value = groupOf(operand, values, g, constG);
          operands.push_back(arithmetic ? value.value : canonical(value, element));
        }
      result.value = b.call(("ptom_" + name + "_" + elementName(element)).str(), type, operands).getResult();
      result.rawNaN = arithmetic && isa<FloatType>(element);
      if (Value lanes = lanesOf(maskOperand(item.op), bytes)) {
        Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(type));
        result.value = b.select(lanes, result.value, zero);
      }
    }
    Value reg = item.op->getResult(0);
    values[reg] = result;
    if (escaping.contains(reg))
      b.store(canonical(result, element), groupPtr(slotOf(reg), g, constG), kGroupBytes);
  }
}

void ScopeLowering::finishStores(MutableArrayRef<RunOp> run, Shape shape) {
  for (RunOp &item : run) {
    if (!item.staging || !storesPartially(item, shape))
      continue;
    auto store = cast<VstsOp>(item.op);
    b.loc = store.getLoc();
    Value active = item.active ? item.active : maskBits(maskOf(store.getMask(), registerType(store).getElementBytes()));
    b.call(options.bufferStores ? "ptosc_buffered_store" : "ptosc_partial_store",
           LLVM::LLVMVoidType::get(b.getContext()),
           {b.context, b.const32(item.site), item.pointer, b.const32(kVectorBytes), item.staging, active});
    item.staging = {};
  }
}
