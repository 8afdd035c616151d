//===- LaneGroups.cpp - the code of one 64-byte group ---------------------===//

#include "Scopes/ScopeLowering.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Runs up to this many instructions are unrolled over their groups.
static constexpr size_t kUnrollLimit = 24;

/// What the code of a group knows.
struct ScopeLowering::GroupState {
  Shape shape;
  Value g;      ///< number of the group, when it is a run-time value
  Group constG; ///< and when it is not
  DenseMap<Value, GroupValue> values;
  DenseMap<Value, Value> madeMasks; ///< by this run, at the image's width; null = all on
  DenseMap<std::pair<Value, unsigned>, Value> maskLanes;
};

VectorType ScopeLowering::groupType(Type element) {
  unsigned bits = bitsOf(element);
  // bf16 and the integers are carried by their bits; f16 and f32 are host types.
  Type host = element.isF32() || element.isF16() ? element : Type(b.getIntegerType(bits));
  return VectorType::get(int64_t(kGroupBytes * 8 / bits), host);
}

Value ScopeLowering::groupPtr(Value base, Value g, Group constG, int64_t step) {
  return constG ? b.ptrAdd(base, int64_t(*constG) * step) : b.ptrAdd(base, b.mul(g, b.const64(step)));
}

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

static VectorType unitType(CodeBuilder &b, unsigned units, unsigned unitBytes) {
  return VectorType::get(int64_t(units), b.getIntegerType(unitBytes * 8));
}

/// Windows of a group beyond this are read and written datum by datum.
static constexpr unsigned kMaxShuffleBytes = 256;

Value ScopeLowering::loadGroup(const LoadDist &dist, unsigned half, VectorType type, Value pointer, Value g,
                               Group constG) {
  unsigned unit = std::min<unsigned>(dist.width, 8), units = kGroupBytes / unit;
  Value source = groupPtr(pointer, g, constG, sourceByte(dist, 0, kGroupBytes) - sourceByte(dist, 0, 0));
  if (dist.map == LoadMap::Copy)
    return b.load(type, source, 1);
  unsigned span = unit;
  for (unsigned i = 0; i < units; ++i)
    span = std::max(span, unsigned(std::max(0, sourceByte(dist, half, i * unit))) + unit);
  Value result;
  VectorType resultUnits = unitType(b, units, unit);
  if (span > kMaxShuffleBytes) {
    result = b.create<LLVM::UndefOp>(b.loc, resultUnits);
    for (unsigned i = 0; i < units; ++i) {
      Value datum =
          b.load(resultUnits.getElementType(), b.ptrAdd(source, int64_t(sourceByte(dist, half, i * unit))), 1);
      result = b.create<LLVM::InsertElementOp>(b.loc, result, datum, b.const32(i));
    }
  } else {
    // Whole powers of two, where they stay inside the window.
    int64_t step = sourceByte(dist, 0, kGroupBytes) - sourceByte(dist, 0, 0);
    if (int64_t whole = int64_t(llvm::PowerOf2Ceil(span)); (kGroups - 1) * step + whole <= dist.window)
      span = unsigned(whole);
    unsigned count = span / unit;
    VectorType raw = unitType(b, count, unit);
    Value bytes = b.load(raw, source, 1);
    Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(raw));
    SmallVector<int32_t> from;
    for (unsigned i = 0; i < units; ++i) {
      int byte = sourceByte(dist, half, i * unit);
      from.push_back(byte < 0 ? int32_t(count) : int32_t(unsigned(byte) / unit));
    }
    result = b.create<LLVM::ShuffleVectorOp>(b.loc, bytes, zero, from);
  }
  return b.create<LLVM::BitcastOp>(b.loc, type, result);
}

void ScopeLowering::storeGroup(const RunOp &item, ArrayRef<Value> groups, Value lanes, Value pointer, Value g,
                               Group constG) {
  const StoreDist &dist = *item.store;
  unsigned unit = dist.map == StoreMap::Pack ? dist.width / dist.factor : dist.width, units = kGroupBytes / unit;
  VectorType sourceUnits = unitType(b, units, unit);
  int64_t step = targetByte(dist, 0, kGroupBytes) - targetByte(dist, 0, 0);
  Value target = groupPtr(pointer, g, constG, step);
  if (dist.map == StoreMap::Copy) {
    Value value = groups[0];
    if (lanes) {
      Value raw = b.create<LLVM::BitcastOp>(b.loc, sourceUnits, value);
      value = b.select(lanes, raw, b.load(sourceUnits, target, 1));
    } else if (item.pastCaches) {
      auto choice = b.create<scf::IfOp>(b.loc, item.pastCaches, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(choice.thenYield());
      b.create<LLVM::StoreOp>(b.loc, value, target, kGroupBytes, /*isVolatile=*/false, /*isNonTemporal=*/true);
      b.setInsertionPoint(choice.elseYield());
      b.store(value, target, 1);
      return;
    }
    b.store(value, target, 1);
    return;
  }
  Value low = b.create<LLVM::BitcastOp>(b.loc, sourceUnits, groups[0]);
  if (dist.map == StoreMap::First) {
    assert(constG && "runs with a store of one datum are unrolled");
    if (*constG == 0)
      b.store(b.create<LLVM::ExtractElementOp>(b.loc, low, b.const32(0)), pointer, 1);
    return;
  }
  if (dist.map == StoreMap::Every) {
    for (unsigned i = 0; i < units; ++i)
      b.store(b.create<LLVM::ExtractElementOp>(b.loc, low, b.const32(i)),
              b.ptrAdd(target, int64_t(targetByte(dist, 0, i * unit))), 1);
    return;
  }
  Value high = groups.size() > 1 ? b.create<LLVM::BitcastOp>(b.loc, sourceUnits, groups[1]).getResult() : low;
  SmallVector<int32_t> from(size_t(step) / unit, 0);
  for (unsigned half = 0; half < groups.size(); ++half)
    for (unsigned i = 0; i < units; ++i)
      if (int byte = targetByte(dist, half, i * unit); byte >= 0)
        from[unsigned(byte) / unit] = int32_t(half * units + i);
  Value value = b.create<LLVM::ShuffleVectorOp>(b.loc, low, high, from);
  if (lanes) {
    // One lane of the mask per datum of the window.
    unsigned count = kGroupBytes / dist.maskBytes;
    VectorType data = unitType(b, count, unsigned(step) / count);
    value = b.create<LLVM::BitcastOp>(b.loc, data, value);
    value = b.select(lanes, value, b.load(data, target, 1));
  }
  b.store(value, target, 1);
}

/// Bytes of group g that a window has.
static int64_t bytesInGroup(unsigned window, unsigned g) {
  return std::clamp(int64_t(window) - int64_t(g) * kGroupBytes, int64_t(0), int64_t(kGroupBytes));
}

/// The first lanes of a vector.
static Value firstLanes(CodeBuilder &b, Value vector, int64_t count) {
  return b.create<LLVM::ShuffleVectorOp>(b.loc, vector, vector, llvm::to_vector(llvm::seq<int32_t>(0, int32_t(count))));
}

/// A group of a window that ends in it, or before it: what is missing is zero.
Value ScopeLowering::loadPart(unsigned bytes, VectorType type, Value pointer, unsigned g) {
  const int64_t own = bytesInGroup(bytes, g);
  if (own == 0)
    return b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(type));
  Value source = groupPtr(pointer, {}, g);
  if (own == kGroupBytes)
    return b.load(type, source, 1);
  const unsigned unit = own % 4 == 0 ? 4 : own % 2 == 0 ? 2 : 1;
  VectorType part = unitType(b, unsigned(own) / unit, unit);
  Value zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(part));
  SmallVector<int32_t> lanes;
  for (unsigned i = 0; i < kGroupBytes / unit; ++i)
    lanes.push_back(std::min(int32_t(i), int32_t(part.getNumElements())));
  Value whole = b.create<LLVM::ShuffleVectorOp>(b.loc, b.load(part, source, 1), zero, lanes);
  return b.create<LLVM::BitcastOp>(b.loc, type, whole);
}

/// `lanes` are those of a mask of the element's width; null = all on.
void ScopeLowering::storePart(unsigned bytes, Value group, Value lanes, Value pointer, unsigned g) {
  const int64_t own = bytesInGroup(bytes, g);
  if (own == 0)
    return;
  const unsigned unit = lanes          ? kGroupBytes / unsigned(cast<VectorType>(lanes.getType()).getNumElements())
                        : own % 4 == 0 ? 4
                        : own % 2 == 0 ? 2
                                       : 1;
  const int64_t count = own / unit;
  Value target = groupPtr(pointer, {}, g);
  Value value = firstLanes(b, b.create<LLVM::BitcastOp>(b.loc, laneType(unit), group), count);
  if (lanes)
    value = b.select(firstLanes(b, lanes, count), value, b.load(unitType(b, unsigned(count), unit), target, 1));
  b.store(value, target, 1);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ScopeLowering::canonical(GroupValue value, Type element) {
  if (!value.rawNaN)
    return value.value;
  return b.call("ptom_canon_" + elementName(element), value.value.getType(), {value.value});
}

GroupValue ScopeLowering::groupOf(Value reg, GroupState &state) {
  GroupValue &value = state.values[reg];
  if (!value.value)
    value = {b.load(groupType(cast<VRegType>(reg.getType()).getElement()), groupPtr(slotOf(reg), state.g, state.constG),
                    kGroupBytes),
             registerOf(reg).rawNaN};
  return value;
}

Value ScopeLowering::lanesOf(Value mask, unsigned width, GroupState &state) {
  MaskValue value = maskOf(mask, width);
  bool all = value.kind == MaskValue::All || (value.kind == MaskValue::Prefix && state.shape == Shape::FusedFull);
  if (all && width >= value.bytes)
    return {};
  if (all)
    value.kind = MaskValue::All;
  Value &lanes = state.maskLanes[{mask, width}];
  if (lanes)
    return lanes;
  auto made = state.madeMasks.find(mask);
  if (made != state.madeMasks.end()) {
    if (!made->second) {
      value.kind = MaskValue::All;
      return width >= value.bytes ? Value() : lanes = maskGroup(mask, value, width, state.g, state.constG);
    }
    return lanes = regrain(made->second, value.bytes, width);
  }
  return lanes = maskGroup(mask, value, width, state.g, state.constG);
}

std::string ScopeLowering::meaningSymbol(Operation *op, const InstrInfo &info) {
  SmallVector<Value> results = registersOf(op->getResults());
  auto placeholder = [&](StringRef name) -> std::string {
    if (name.consume_front("_")) {
      auto attr = op->getAttrOfType<StringAttr>(name);
      // There are no parts where the width stays.
      bool none = name == "part" && op->getOperand(0).getType() == results[0].getType();
      return attr && !attr.empty() && !none ? "_" + attr.str() : "";
    }
    bool width = name.consume_front("w");
    Type type;
    unsigned operand;
    if (name.empty() || name == "r")
      type = results.empty() ? Type() : results[0].getType();
    else if (!name.getAsInteger(10, operand))
      type = op->getOperand(operand).getType();
    if (auto vreg = dyn_cast_if_present<VRegType>(type))
      type = vreg.getElement();
    if (type)
      return width ? "b" + std::to_string(bitsOf(type)) : elementName(type);
    auto attr = op->getAttrOfType<StringAttr>(width ? "w" + name.str() : name);
    assert(attr && "a placeholder names a register, an operand or an attribute");
    return attr.str();
  };
  std::string symbol = "ptom_";
  StringRef rest = info.symbol;
  while (!rest.empty()) {
    auto [text, after] = rest.split('{');
    symbol += text;
    auto [name, tail] = after.split('}');
    if (!name.empty())
      symbol += placeholder(name);
    rest = tail;
  }
  return symbol;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Lanes of a mask that an instruction of the run makes; null = all on.
Value ScopeLowering::emitMaskOp(Operation *op, GroupState &state) {
  unsigned bytes = masks[op->getResult(0)].bytes;
  auto lanes = [&](Value mask) { return mask ? lanesOf(mask, bytes, state) : Value(); };
  auto type = VectorType::get(int64_t(kGroupBytes / bytes), b.getI1Type());
  auto all = [&](bool on) { return b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(type, on)).getResult(); };
  auto both = [&](Value x, Value y) { return !x ? y : !y ? x : b.andi(x, y); };
  auto inverse = [&](Value x) { return x ? b.create<arith::XOrIOp>(b.loc, x, all(true)).getResult() : all(false); };
  if (auto logic = dyn_cast<PandOp>(op))
    return both(both(lanes(logic.getA()), lanes(logic.getB())), lanes(logic.getGoverning()));
  if (auto logic = dyn_cast<PorOp>(op)) {
    Value x = lanes(logic.getA()), y = lanes(logic.getB());
    return both(x && y ? b.ori(x, y) : Value(), lanes(logic.getGoverning()));
  }
  if (auto logic = dyn_cast<PxorOp>(op)) {
    Value x = lanes(logic.getA()), y = lanes(logic.getB());
    Value differ = !x ? inverse(y) : !y ? inverse(x) : b.create<arith::XOrIOp>(b.loc, x, y).getResult();
    return both(differ, lanes(logic.getGoverning()));
  }
  if (auto logic = dyn_cast<PnotOp>(op))
    return both(inverse(lanes(logic.getA())), lanes(logic.getGoverning()));
  auto choice = cast<PselOp>(op);
  Value x = lanes(choice.getA()), y = lanes(choice.getB()), s = lanes(choice.getSelect());
  Value chosen = !s ? x : b.select(s, x ? x : all(true), y ? y : all(true));
  return both(chosen, lanes(choice.getGoverning()));
}

/// Base plus or minus the lane number: one addition, so one rounding.
Value ScopeLowering::emitNumbers(VciOp op, VectorType type, GroupState &state) {
  unsigned lanes = unsigned(type.getNumElements());
  Type element = type.getElementType();
  bool real = isa<FloatType>(element);
  SmallVector<Attribute> numbers;
  for (unsigned i = 0; i < lanes; ++i) {
    int64_t number = i + (state.constG ? int64_t(*state.constG) * lanes : 0);
    numbers.push_back(real ? Attribute(b.getFloatAttr(element, double(number))) : b.getIntegerAttr(element, number));
  }
  Value lane = b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(type, numbers));
  if (!state.constG) {
    Value first = b.mul(state.g, b.const64(lanes));
    first = real                 ? b.create<arith::UIToFPOp>(b.loc, element, first).getResult()
            : element == b.i64() ? first
                                 : b.create<arith::TruncIOp>(b.loc, element, first).getResult();
    first = splat(first, type);
    lane = real ? b.create<arith::AddFOp>(b.loc, lane, first).getResult() : b.add(lane, first);
  }
  Value base = splat(mapped(op.getBase()), type);
  bool down = op.getOrder() == "DESC";
  if (real)
    return down ? b.create<arith::SubFOp>(b.loc, base, lane).getResult()
                : b.create<arith::AddFOp>(b.loc, base, lane).getResult();
  return down ? b.sub(base, lane) : b.add(base, lane);
}

/// Puts into the inactive lanes of a result what belongs there.
Value ScopeLowering::applyMask(RunOp &item, Value value, GroupState &state) {
  const InstrInfo &info = *infoOf(item.op);
  Value governing = governingMask(item.op);
  unsigned width = maskWidth(item);
  Value lanes = governing && info.inactive != Inactive::Source ? lanesOf(governing, width, state) : Value();
  if (!lanes)
    return value;
  auto type = cast<VectorType>(value.getType());
  unsigned resultWidth = kGroupBytes / unsigned(type.getNumElements());
  VectorType lane = type;
  if (width < resultWidth) {
    // A wider result: the lane that was read decides.
    unsigned ratio = resultWidth / width, part = partOf(item.op).first;
    SmallVector<int32_t> from;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      from.push_back(int32_t(i * ratio + part));
    lanes = b.create<LLVM::ShuffleVectorOp>(b.loc, lanes, lanes, from);
  } else if (width > resultWidth) {
    lane = laneType(width); // the lanes of a narrower result that belong to one that was read
  }
  Value kept;
  if (info.inactive == Inactive::Operand)
    kept = canonical(groupOf(item.op->getOperand(info.inactiveOperand), state),
                     cast<VRegType>(item.op->getResult(0).getType()).getElement());
  else
    kept = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(lane));
  Value chosen = b.select(lanes, b.create<LLVM::BitcastOp>(b.loc, lane, value), kept);
  return b.create<LLVM::BitcastOp>(b.loc, type, chosen);
}

void ScopeLowering::emitLaneOp(RunOp &item, GroupState &state) {
  Operation *op = item.op;
  Value made = op->getResult(0);
  if (isa<PandOp, PorOp, PxorOp, PnotOp, PselOp>(op)) {
    state.madeMasks[made] = emitMaskOp(op, state);
    return;
  }
  auto resultRegister = dyn_cast<VRegType>(made.getType());
  VectorType type = resultRegister ? groupType(resultRegister.getElement()) : VectorType();
  GroupValue result;
  const InstrInfo &info = *infoOf(op);
  const bool arithmetic = info.nan == NanRule::Arith || info.nan == NanRule::Canonical;
  if (auto choice = dyn_cast<VselOp>(op)) {
    Type element = resultRegister.getElement();
    Value lanes = lanesOf(choice.getMask(), resultRegister.getElementBytes(), state);
    Value chosen = canonical(groupOf(choice.getA(), state), element);
    result.value = lanes ? b.select(lanes, chosen, canonical(groupOf(choice.getB(), state), element)) : chosen;
  } else if (isa<VbitcastOp, VmovOp>(op)) {
    Value source = op->getOperand(0);
    Value value = canonical(groupOf(source, state), cast<VRegType>(source.getType()).getElement());
    result.value = b.create<LLVM::BitcastOp>(b.loc, type, value);
  } else if (auto numbers = dyn_cast<VciOp>(op)) {
    result.value = emitNumbers(numbers, type, state);
    result.rawNaN = isa<FloatType>(resultRegister.getElement());
  } else if (isa<VbrOp, VdupOp>(op)) {
    result.value = splat(item.scalar ? item.scalar : mapped(op->getOperand(0)), type);
  } else {
    SmallVector<Value> operands;
    bool bitwise = info.symbol.contains("{w}"); // one function for all elements of a width
    unsigned width = maskWidth(item);
    Value governing = governingMask(op);
    // The last mask governs; the same value may come before it as data.
    unsigned governor = unsigned(op->getNumOperands());
    while (governing && !isa<MaskType>(op->getOperand(--governor).getType()))
      ;
    for (auto [position, operand] : llvm::enumerate(op->getOperands())) {
      if (auto vreg = dyn_cast<VRegType>(operand.getType())) {
        GroupValue value = groupOf(operand, state);
        Value group = arithmetic ? value.value : canonical(value, vreg.getElement());
        if (info.inactive == Inactive::Source && governing)
          if (Value lanes = lanesOf(governing, width, state))
            group =
                b.select(lanes, group, b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(groupType(vreg.getElement()))));
        operands.push_back(
            bitwise ? b.create<LLVM::BitcastOp>(b.loc, laneType(vreg.getElementBytes()), group).getResult() : group);
      } else if (!isa<MaskType>(operand.getType())) {
        operands.push_back(mapped(operand));
      } else if (!governing || position != governor) {
        VectorType lane = laneType(width);
        Value lanes = lanesOf(operand, width, state);
        auto ones = DenseElementsAttr::get(lane, APInt::getAllOnes(width * 8));
        operands.push_back(lanes ? b.create<arith::ExtSIOp>(b.loc, lane, lanes).getResult()
                                 : b.create<arith::ConstantOp>(b.loc, ones).getResult());
      }
    }
    std::string symbol = meaningSymbol(op, info);
    // A mask comes as lanes of 0 and -1; beside a register it has a function of its own.
    for (auto [i, mask] : llvm::enumerate(op->getResults())) {
      if (!isa<MaskType>(mask.getType()))
        continue;
      unsigned bytes = masks[mask].bytes;
      VectorType lane = laneType(bytes);
      Value lanes = b.call(i ? symbol + "_mask" : symbol, lane, operands);
      lanes = b.cmp(arith::CmpIPredicate::ne, lanes, b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(lane)));
      Value active = governing ? lanesOf(governing, bytes, state) : Value();
      state.madeMasks[mask] = active ? b.andi(lanes, active) : lanes;
    }
    if (!resultRegister)
      return;
    result.value = b.call(symbol, bitwise ? laneType(resultRegister.getElementBytes()) : type, operands);
    if (bitwise)
      result.value = b.create<LLVM::BitcastOp>(b.loc, type, result.value);
    result.rawNaN = info.nan == NanRule::Arith && isa<FloatType>(resultRegister.getElement());
    // Lanes that keep an operand keep its bits.
    if (info.inactive == Inactive::Operand)
      result = {canonical(result, resultRegister.getElement())};
    if (SmallVector<Value> made = registersOf(op->getResults()); made.size() == 2)
      state.values[made[1]] = {applyMask(item, b.call(symbol + "_high", type, operands), state)};
  }
  result.value = applyMask(item, result.value, state);
  state.values[made] = result;
}

void ScopeLowering::emitGroup(MutableArrayRef<RunOp> run, Shape shape, const DenseSet<Value> &escaping, Value g,
                              Group constG) {
  GroupState state;
  state.shape = shape;
  state.g = g;
  state.constG = constG;
  for (RunOp &item : run) {
    b.loc = item.op->getLoc();
    if (item.store) {
      SmallVector<Value> groups;
      for (Value reg : registersOf(item.op->getOperands()))
        groups.push_back(canonical(groupOf(reg, state), cast<VRegType>(reg.getType()).getElement()));
      Value lanes;
      if ((!item.staging || item.room) && item.store->maskBytes)
        lanes = lanesOf(governingMask(item.op), item.store->maskBytes, state);
      Value target = !item.staging ? item.pointer
                     : item.room   ? b.select(item.room, item.pointer, item.staging)
                                   : item.staging;
      if (item.bytes)
        storePart(item.bytes, groups[0], lanes, target, *constG);
      else
        storeGroup(item, groups, lanes, target, g, constG);
      continue;
    }
    if (item.load) {
      for (auto [half, reg] : llvm::enumerate(registersOf(item.op->getResults()))) {
        VectorType type = groupType(cast<VRegType>(reg.getType()).getElement());
        state.values[reg] = {item.bytes ? loadPart(item.bytes, type, item.pointer, *constG)
                                        : loadGroup(*item.load, unsigned(half), type, item.pointer, g, constG)};
      }
    } else {
      emitLaneOp(item, state);
    }
    for (Value made : item.op->getResults()) {
      if (!escaping.contains(made))
        continue;
      if (isa<MaskType>(made.getType()))
        b.store(maskWord(state.madeMasks[made], masks[made].bytes), groupPtr(slotOf(made), g, constG, 8), 8);
      else
        b.store(registerOf(made).rawNaN ? state.values[made].value
                                        : canonical(state.values[made], cast<VRegType>(made.getType()).getElement()),
                groupPtr(slotOf(made), g, constG), kGroupBytes);
    }
  }
}

void ScopeLowering::emitGroups(MutableArrayRef<RunOp> run, Shape shape, const DenseSet<Value> &escaping) {
  // Fixed patterns, single data and short windows differ from group to group.
  bool unrolled = llvm::any_of(run, [&](RunOp &item) {
    return item.bytes || (item.store && item.store->map == StoreMap::First) ||
           llvm::any_of(item.op->getOperands(), [&](Value operand) {
             return isa<MaskType>(operand.getType()) && masks.lookup(operand).kind == MaskValue::Pattern;
           });
  });
  if ((run.size() <= kUnrollLimit && !isRare) || unrolled) {
    for (unsigned g = 0; g < kGroups; ++g)
      emitGroup(run, shape, escaping, {}, g);
    return;
  }
  auto loop = b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(kGroups), b.const64(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  emitGroup(run, shape, escaping, loop.getInductionVar(), std::nullopt);
}
