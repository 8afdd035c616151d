//===- LaneRuns.cpp - runs of lane-wise instructions as group code --------===//
//
// A run is emitted in up to three shapes, chosen when it executes: with prefix
// masks known to be full, with masks applied (which rare code has for both), and
// one for the rest. A masked store writes all of its window, which may reach past
// the memory: then it is made ready beside it. Where group order could be
// distinguished from program order (windows that overlap without being equal), one
// instruction executes after the other.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Instructions for each access; with more of them, a run waits for arithmetic rather than for memory.
static constexpr size_t kMemoryBound = 4;

/// Runs longer than this keep one general shape, to bound the size of the code.
static constexpr size_t kShapesLimit = 24;

SmallVector<Value> ptoscope::registersOf(ValueRange values) {
  SmallVector<Value> registers;
  for (Value value : values)
    if (isa<VRegType>(value.getType()))
      registers.push_back(value);
  return registers;
}

Value ptoscope::governingMask(Operation *op) { return infoOf(op)->inactive == Inactive::None ? Value() : lastMask(op); }

unsigned ptoscope::maskWidth(const RunOp &item) {
  if (item.store && item.store->maskBytes)
    return item.store->maskBytes;
  // That of what goes in; an instruction that makes a register has only the result.
  SmallVector<Value> registers = registersOf(item.op->getOperands());
  if (registers.empty())
    registers = registersOf(item.op->getResults());
  return registers.empty() ? 1 : cast<VRegType>(registers[0].getType()).getElementBytes();
}

std::pair<unsigned, unsigned> ptoscope::partOf(Operation *op) {
  auto part = op->getAttrOfType<StringAttr>("part");
  StringRef word = part ? part.getValue() : "";
  if (word == "EVEN" || word == "ODD")
    return {word == "ODD", 2};
  if (word.size() == 2 && word[0] == 'P')
    return {unsigned(word[1] - '0'), 4};
  // It has no such word: a wider result is made of the even lanes.
  return {0, isa<VaddreluconvOp>(op) ? 2 : 1};
}

//===----------------------------------------------------------------------===//
// Choosing the shape
//===----------------------------------------------------------------------===//

/// Group g touches exactly the g-th quarter of the window.
static bool inQuarters(const RunOp &item) {
  if (item.store)
    return item.store->map != StoreMap::First && item.store->map != StoreMap::Every;
  return item.load->map != LoadMap::Broadcast && item.load->map != LoadMap::Every;
}

std::optional<Value> ScopeLowering::groupOrderIsSafe(ArrayRef<RunOp> run) {
  Value safe;
  for (size_t i = 0; i < run.size(); ++i)
    for (size_t j = i + 1; j < run.size(); ++j) {
      const RunOp &first = run[i], &second = run[j];
      if (!first.isAccess() || !second.isAccess() || (!first.store && !second.store))
        continue;
      // Apart; or equal, when each group then touches what the same group did. Registers of a vector may be done one
      // after the other: those that touch the same bytes have to be of one turn.
      int64_t before = first.window(), after = second.window();
      bool equalIsSafe = before == after && inQuarters(first) && inQuarters(second) &&
                         first.op->getAttr(kPartAttr) == second.op->getAttr(kPartAttr);
      if (std::optional<int64_t> distance = second.affine.minus(first.affine)) {
        if (*distance < before && -*distance < after && !(*distance == 0 && equalIsSafe))
          return std::nullopt;
        continue;
      }
      Value distance = b.sub(second.address, first.address);
      Value pair =
          b.cmp(arith::CmpIPredicate::ugt, b.add(distance, b.const64(after - 1)), b.const64(before + after - 2));
      if (equalIsSafe)
        pair = b.ori(pair, b.cmp(arith::CmpIPredicate::eq, distance, b.const64(0)));
      safe = safe ? b.andi(safe, pair) : pair;
    }
  return safe;
}

namespace {
/// Masked stores at constant distances, which have room if `reach` bytes do.
struct MaskedStores {
  Value address;
  Affine affine;
  int64_t reach;
};
} // namespace

static bool isMemoryBound(ArrayRef<RunOp> run) {
  size_t accesses = 0, weight = 0;
  for (const RunOp &item : run)
    item.isAccess() ? ++accesses : weight += weightOf(item.op);
  return weight <= kMemoryBound * accesses;
}

/// Are masked stores the last accesses? Then nobody reads what they are about to write, or writes over it.
bool ScopeLowering::storesMaskedLast(ArrayRef<RunOp> run) {
  bool masked = false;
  for (const RunOp &item : run) {
    if (item.isAccess() && masked && !storesMasked(item))
      return false;
    masked |= storesMasked(item);
  }
  return true;
}

void ScopeLowering::flush() {
  if (pending.empty())
    return;
  SmallVector<RunOp> run = std::move(pending);
  pending.clear();
  b.loc = run.front().op->getLoc();

  // What the run needs to know before it starts.
  bool prefix = false, otherMasks = false;
  Value full, room;
  auto conjoin = [&](Value &all, Value one) { all = all ? b.andi(all, one) : one; };
  DenseSet<Value> counts;
  SmallVector<MaskedStores> maskedStores;
  const bool memoryBound = isMemoryBound(run);
  const auto ub = int64_t(options.profile->bytes[size_t(Space::Ub)]);
  for (RunOp &item : run) {
    for (Value operand : item.op->getOperands()) {
      if (!isa<MaskType>(operand.getType()))
        continue;
      MaskValue mask = masks.lookup(operand);
      if (mask.kind != MaskValue::Prefix)
        continue;
      prefix = true;
      if (!counts.insert(mask.vectorCount ? mask.vectorCount : mask.count).second)
        continue;
      conjoin(full, mask.vectorCount ? b.cmp(arith::CmpIPredicate::sge, mask.vectorCount, b.const64(mask.vectorLanes))
                                     : b.cmp(arith::CmpIPredicate::uge, mask.count, b.const32(mask.lanes())));
    }
    if (!item.isAccess())
      continue;
    item.pointer = localPtr(item.address, item.op);
    if (memoryBound)
      item.pastCaches = pastCaches.lookup(item.op);
    if (storesMasked(item)) {
      MaskValue mask = masks.lookup(governingMask(item.op));
      otherMasks |= mask.kind != MaskValue::Prefix || maskWidth(item) < mask.bytes;
      std::optional<int64_t> known = item.affine.minus(Affine()), behind;
      const auto window = int64_t(item.window());
      if (known && *known >= 0 && *known <= ub - window)
        continue;
      if (!maskedStores.empty())
        behind = item.affine.minus(maskedStores.back().affine);
      if (behind && *behind >= 0 && *behind <= ub - window)
        maskedStores.back().reach = std::max(maskedStores.back().reach, *behind + window);
      else
        maskedStores.push_back({item.address, item.affine, window});
    }
  }
  for (const MaskedStores &stores : maskedStores)
    conjoin(room, b.cmp(arith::CmpIPredicate::ule, b.andi(stores.address, b.const64(0xFFFFFFFF)),
                        b.const64(ub - stores.reach)));
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
    if (room && !condition && storesMaskedLast(run)) {
      for (RunOp &item : run)
        item.room = room;
      emitRun(run, Shape::Staged);
      return;
    }
    if (room)
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
    llvm::SaveAndRestore rare(isRare, true);
    emitRun(run, Shape::PerOp);
  };
  if (!prefix || isRare)
    return emitRest();
  Value condition = full;
  if (*safe)
    conjoin(condition, *safe);
  if (otherMasks && room)
    conjoin(condition, room);
  auto choice = b.create<scf::IfOp>(b.loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(choice.thenYield());
  emitRun(run, Shape::FusedFull);
  b.setInsertionPoint(choice.elseYield());
  if (run.size() > kShapesLimit)
    emitRun(run, Shape::PerOp);
  else
    emitRest();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

bool ScopeLowering::storesMasked(const RunOp &item) {
  if (!item.store || !item.store->maskBytes)
    return false;
  MaskValue mask = maskOf(governingMask(item.op), item.store->maskBytes);
  return mask.kind != MaskValue::All || item.store->maskBytes < mask.bytes;
}

bool ScopeLowering::storesPartially(const RunOp &item, Shape shape) {
  return item.store &&
         (options.bufferStores || ((shape == Shape::PerOp || shape == Shape::Staged) && storesMasked(item)));
}

void ScopeLowering::emitRun(MutableArrayRef<RunOp> run, Shape shape) {
  DenseSet<Operation *> members;
  for (RunOp &item : run)
    members.insert(item.op);
  DenseSet<Value> escaping;
  for (RunOp &item : run)
    for (Value result : item.op->getResults())
      if (isa<VRegType, MaskType>(result.getType()) &&
          (shape == Shape::PerOp ||
           llvm::any_of(result.getUsers(), [&](Operation *user) { return !members.contains(user); })))
        escaping.insert(result);
  for (RunOp &item : run)
    if (storesPartially(item, shape))
      item.staging = b.stack(int64_t(llvm::alignTo(item.window(), kGroupBytes)), kGroupBytes);
  if (shape == Shape::PerOp) {
    while (!run.empty()) {
      auto next = run.take_front(columnLength(run));
      if (!emitByRegister(next, shape, escaping)) {
        next = run.take_front();
        emitGroups(next, shape, escaping);
        finishStores(next, shape);
      }
      run = run.drop_front(next.size());
    }
    return;
  }
  const bool byRegister = emitByRegister(run, shape, escaping);
  if (!byRegister)
    emitGroups(run, shape, escaping);
  if (!byRegister || shape != Shape::Staged)
    finishStores(run, shape);
}

Value ScopeLowering::windowBits(const RunOp &item) {
  const StoreDist &dist = *item.store;
  Value mask = dist.maskBytes ? governingMask(item.op) : Value();
  if (dist.map == StoreMap::Copy)
    return activeBits(mask, dist.maskBytes);
  return b.call("ptosc_store_bits", b.ptrType(),
                {b.const32(&dist - kStoreDists), imageOf(mask), b.stack(abi::kWindowBytes / 8, 8)});
}

void ScopeLowering::finishStores(MutableArrayRef<RunOp> run, Shape shape) {
  for (RunOp &item : run) {
    if (!item.staging || !storesPartially(item, shape))
      continue;
    b.loc = item.op->getLoc();
    OpBuilder::InsertionGuard guard(b);
    if (item.room)
      b.setInsertionPoint(b.create<scf::IfOp>(b.loc, b.isFalse(item.room), false).thenYield());
    Value active = item.active ? item.active : windowBits(item);
    b.run(options.bufferStores ? "ptosc_buffered_store" : "ptosc_partial_store",
          {b.context, b.const32(item.site), item.pointer, b.const32(item.window()), item.staging, active});
    item.staging = {};
  }
}
