//===- RegisterLoops.cpp - long vectors as loops over registers -----------===//
//
// A run on vectors of K registers has each instruction K times. Where that is
// much code, it becomes a loop: the instructions of the first register are its
// body, and what differs from register to register (slots, places in memory,
// counts of masks) comes from arrays or from the number of the turn.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Instructions that are unrolled over all registers, at most. Code for the rare case should be short.
static constexpr size_t kUnrolledInstructions = 4, kUnrolledRare = 1;

size_t ptoscope::weightOf(Operation *op) {
  const Timing timing = infoOf(op)->timing;
  const bool isLong = timing == Timing::vexp || timing == Timing::vexpdif || timing == Timing::vln ||
                      timing == Timing::vdiv || timing == Timing::vsqrt;
  return isLong ? 8 : 1;
}

static std::optional<int64_t> partOfVector(Operation *op) {
  auto part = op->getAttrOfType<IntegerAttr>(kPartAttr);
  return part ? std::optional(part.getInt()) : std::nullopt;
}

/// The same instruction, but for the register: a mask that is known to be full is left out of some.
static bool isSame(Operation *a, Operation *b) {
  auto attributesOf = [](Operation *op) {
    NamedAttrList attributes(op->getAttrDictionary());
    attributes.erase(kPartAttr);
    return attributes.getDictionary(op->getContext());
  };
  return a->getName() == b->getName() && a->getNumOperands() == b->getNumOperands() &&
         attributesOf(a) == attributesOf(b);
}

/// One instruction on every register of a vector; nothing when the run is not made of such.
struct ScopeLowering::Columns {
  SmallVector<SmallVector<RunOp *>> of;
  SmallVector<RunOp> others; ///< scalars in every lane, which all registers share
  size_t registers = 0;
};

size_t ptoscope::columnLength(ArrayRef<RunOp> run) {
  size_t length = 0;
  while (length < run.size() && partOfVector(run[length].op) == int64_t(length) && isSame(run[0].op, run[length].op))
    ++length;
  return std::max<size_t>(length, 1);
}

std::optional<ScopeLowering::Columns> ScopeLowering::columnsOf(MutableArrayRef<RunOp> run, Shape shape) {
  Columns columns;
  size_t weight = 0;
  for (size_t i = 0; i < run.size();) {
    weight += weightOf(run[i].op);
    std::optional<int64_t> part = partOfVector(run[i].op);
    if (!part) {
      if (!isa<VbrOp>(run[i].op))
        return std::nullopt;
      columns.others.push_back(run[i++]);
      continue;
    }
    SmallVector<RunOp *> column;
    for (size_t last = i + columnLength(run.drop_front(i)); i < last; ++i)
      column.push_back(&run[i]);
    if (column.size() < 2 || (columns.registers && column.size() != columns.registers))
      return std::nullopt;
    weight += (column.size() - 1) * weightOf(column[0]->op);
    columns.registers = column.size();
    columns.of.push_back(std::move(column));
  }
  if (weight <= (isRare || shape == Shape::PerOp ? kUnrolledRare : kUnrolledInstructions) || columns.of.empty())
    return std::nullopt;
  return columns;
}

/// A value for each turn, from an array.
static Value choose(CodeBuilder &b, Value turn, Value array, Type type, int64_t bytes) {
  return b.load(type, b.ptrAdd(array, b.mul(turn, b.const64(bytes))), unsigned(bytes));
}

static Value arrayOf(CodeBuilder &b, ArrayRef<Value> values, int64_t bytes) {
  // They may be in one already.
  SmallVector<Value> places;
  for (Value value : values)
    if (auto load = value.getDefiningOp<LLVM::LoadOp>())
      places.push_back(load.getAddr());
  if (places.size() == values.size())
    if (auto series = CodeBuilder::seriesOf(places); series && series->step == bytes)
      return series->first;
  Value array = b.stack(int64_t(values.size()) * bytes, unsigned(bytes));
  for (auto [i, value] : llvm::enumerate(values))
    b.store(value, b.ptrAdd(array, int64_t(i) * bytes), unsigned(bytes));
  return array;
}

/// What lies behind a local memory and its addresses of 32 bits is inaccessible for twice as many bytes
/// (LocalMemory.h): registers that are no further from the first one need no address of their own.
static constexpr int64_t kMostBytesBehind = 32 << 10;

std::optional<int64_t> ptoscope::distanceOf(size_t count, llvm::function_ref<const RunOp &(size_t)> access) {
  if (count < 2 || !access(0).isAccess())
    return std::nullopt;
  std::optional<int64_t> step = access(1).affine.minus(access(0).affine);
  for (size_t k = 2; step && k < count; ++k)
    if (access(k).affine.minus(access(0).affine) != *step * int64_t(k))
      return std::nullopt;
  return step;
}

/// From register to register, where that is known and small.
static std::optional<int64_t> stepOf(ArrayRef<RunOp *> column) {
  auto step = distanceOf(column.size(), [&](size_t k) -> const RunOp & { return *column[k]; });
  if (step && (*step < 0 || *step * int64_t(column.size()) > kMostBytesBehind))
    return std::nullopt;
  return step;
}

bool ScopeLowering::emitByRegister(MutableArrayRef<RunOp> run, Shape shape, DenseSet<Value> escaping) {
  std::optional<Columns> columns = columnsOf(run, shape);
  if (!columns)
    return false;
  const size_t all = columns->registers;
  // A last register that the vector does not fill has code of its own.
  bool partial = false;
  for (auto &column : columns->of)
    for (auto [r, item] : llvm::enumerate(column)) {
      if (item->bytes && r + 1 < all)
        return false;
      partial |= item->bytes != 0;
    }
  const size_t turns = partial ? all - 1 : all;
  if (turns < 2)
    return false;

  // What the first register's values are in other registers.
  DenseMap<Operation *, size_t> columnOf;
  for (auto [c, column] : llvm::enumerate(columns->of))
    for (RunOp *item : column)
      columnOf[item->op] = c;
  llvm::MapVector<Value, SmallVector<Value>> varying; // from outside
  for (auto &column : columns->of)
    for (unsigned i = 0; i < column[0]->op->getNumOperands(); ++i) {
      Value first = column[0]->op->getOperand(i);
      const bool isMask = isa<MaskType>(first.getType());
      if (!isMask && !isa<VRegType>(first.getType())) {
        // Addresses are in the item; other scalars are the same everywhere.
        for (RunOp *item : column)
          if (!item->isAccess() && item->op->getOperand(i) != first)
            return false;
        continue;
      }
      SmallVector<Value> values;
      bool same = true;
      for (auto [r, item] : llvm::enumerate(column)) {
        if (item->op->getOperand(i).getType() != first.getType())
          return false;
        values.push_back(item->op->getOperand(i));
        same &= values.back() == first;
      }
      auto own = first.getDefiningOp() ? columnOf.find(first.getDefiningOp()) : columnOf.end();
      if (own != columnOf.end()) {
        for (auto [r, value] : llvm::enumerate(values))
          if (value.getDefiningOp() != columns->of[own->second][r]->op)
            return false;
        continue;
      }
      if (same)
        continue;
      MaskValue mask = isMask ? masks.lookup(first) : MaskValue();
      for (Value value : values) {
        if (value.getDefiningOp() && columnOf.contains(value.getDefiningOp()))
          return false;
        if (isMask && (masks.lookup(value).kind != mask.kind || masks.lookup(value).bytes != mask.bytes ||
                       (mask.kind == MaskValue::Pattern && masks.lookup(value).pattern != mask.pattern)))
          return false;
      }
      auto [known, isNew] = varying.try_emplace(first, values);
      if (!isNew && known->second != values)
        return false;
    }
  for (RunOp &item : columns->others)
    escaping.insert(item.op->getResult(0));
  for (auto &column : columns->of)
    for (unsigned i = 0; i < column[0]->op->getNumResults(); ++i) {
      SmallVector<Value> values =
          llvm::map_to_vector(column, [&](RunOp *item) { return Value(item->op->getResult(i)); });
      if (!llvm::any_of(values, [&](Value value) { return escaping.contains(value); }))
        continue;
      escaping.insert(values.begin(), values.end());
      if (isa<VRegType>(values[0].getType()) && !registerOf(values[0]).slot)
        makeRoom(values);
      varying[values[0]] = values;
    }

  if (!columns->others.empty())
    emitGroups(columns->others, shape, escaping);
  // Values of each turn: from arrays, ready before the loop, where they are not the number of the turn times a step.
  struct Replaced {
    Value value, array;
    bool isCount;
  };
  SmallVector<Replaced> replaced;
  for (auto &[first, values] : varying) {
    if (isa<MaskType>(first.getType())) {
      MaskValue mask = masks.lookup(first);
      if (mask.kind == MaskValue::Prefix) {
        const bool steps = llvm::all_of(llvm::enumerate(values), [&](auto one) {
          MaskValue other = masks.lookup(one.value());
          return mask.vectorCount && other.vectorCount == mask.vectorCount && other.vectorLanes == mask.vectorLanes &&
                 other.first == mask.first + int64_t(one.index()) * mask.lanes();
        });
        Value counts = steps
                           ? Value()
                           : arrayOf(b, llvm::map_to_vector(values, [&](Value v) { return masks.lookup(v).count; }), 4);
        replaced.push_back({first, counts, true});
      }
      if (mask.kind != MaskValue::Bits)
        continue;
    }
    SmallVector<Value> slots = llvm::map_to_vector(values, [&](Value v) { return slotOf(v); });
    const bool steps = llvm::all_of(llvm::enumerate(values), [&](auto one) {
      const RegisterValue &value = registerOf(one.value()), &start = registerOf(first);
      return start.room && value.room == start.room && value.place == start.place + int64_t(one.index());
    });
    replaced.push_back({first, steps ? Value() : arrayOf(b, slots, 8), false});
  }
  // A turn performs its stores itself: they share the place where they are made ready.
  const bool finishes = shape == Shape::PerOp || shape == Shape::Staged;
  struct Own {
    size_t item;
    Value RunOp::*member;
    Value array;
    std::optional<int64_t> step; ///< without an array
  };
  SmallVector<RunOp> body;
  SmallVector<Own> owns;
  SmallVector<std::optional<int64_t>> steps; // of addresses
  for (auto [c, column] : llvm::enumerate(columns->of)) {
    body.push_back(*column[0]);
    steps.push_back(options.trackAccesses ? std::nullopt : stepOf(column));
    for (Value RunOp::*member : {&RunOp::pointer, finishes ? &RunOp::active : &RunOp::staging}) {
      SmallVector<Value> values = llvm::map_to_vector(column, [&](RunOp *item) { return (*item).*member; });
      if (!values[0] || (member == &RunOp::pointer && steps.back()) || (member == &RunOp::active && !body[c].staging))
        continue;
      if (auto series = CodeBuilder::seriesOf(values))
        owns.push_back({c, member, {}, series->step});
      else
        owns.push_back({c, member, arrayOf(b, values, 8), {}});
    }
  }
  auto loop = b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(int64_t(turns)), b.const64(1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value turn = loop.getInductionVar();
    SmallVector<std::pair<Value, Value>> before;
    for (const Replaced &one : replaced) {
      Value &place = one.isCount ? masks[one.value].count : registerOf(one.value).slot;
      before.push_back({one.value, place});
      if (one.array)
        place = choose(b, turn, one.array, one.isCount ? b.i32() : b.ptrType(), one.isCount ? 4 : 8);
      else if (one.isCount)
        place = countFrom(masks[one.value],
                          b.add(b.const64(masks[one.value].first), b.mul(turn, b.const64(masks[one.value].lanes()))));
      else
        place = b.ptrAdd(place, b.mul(turn, b.const64(int64_t(kVectorBytes))));
    }
    for (const Own &own : owns) {
      Value &value = body[own.item].*own.member;
      value =
          own.step ? b.ptrAdd(value, b.mul(turn, b.const64(*own.step))) : choose(b, turn, own.array, b.ptrType(), 8);
    }
    for (auto [item, step] : llvm::zip(body, steps))
      if (step)
        item.pointer = b.ptrAdd(item.pointer, b.mul(turn, b.const64(*step)));
    emitGroups(body, shape, escaping);
    if (finishes)
      finishStores(body, shape);
    for (auto [one, old] : llvm::zip(replaced, before))
      (one.isCount ? masks[one.value].count : registerOf(one.value).slot) = old.second;
  }
  if (partial) {
    SmallVector<RunOp> last = llvm::map_to_vector(columns->of, [](auto &column) { return *column.back(); });
    emitGroups(last, shape, escaping);
    if (finishes)
      finishStores(last, shape);
  }
  return true;
}
