//===- LowerSequences.cpp - calls on several registers as lane groups -----===//
//
// What a call of Sequences.h becomes: shuffles, conversions and trees of 64-byte
// groups that are read from the slots of its operands and written to those of its
// results. The results of a call follow each other in memory.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static int64_t numberOf(Operation *op, StringRef name) { return op->getAttrOfType<IntegerAttr>(name).getInt(); }

static VRegType registerType(Value value) { return cast<VRegType>(value.getType()); }

LogicalResult ScopeLowering::lowerSequence(func::CallOp call) {
  using Handler = void (ScopeLowering::*)(func::CallOp);
  auto handler = llvm::StringSwitch<Handler>(call.getCallee())
                     .Case(sequence::kConstant, &ScopeLowering::lowerConstantLanes)
                     .Case(sequence::kShuffle, &ScopeLowering::lowerShuffle)
                     .Case(sequence::kConvert, &ScopeLowering::lowerConversion)
                     .Case(sequence::kFold, &ScopeLowering::lowerFold)
                     .Case(sequence::kLookup, &ScopeLowering::lowerLookup)
                     .Case(sequence::kRank, &ScopeLowering::lowerRank)
                     .Case(sequence::kCompress, &ScopeLowering::lowerCompress)
                     .Case(sequence::kLoadRows, &ScopeLowering::lowerLoadRows)
                     .Case(sequence::kStoreRows, &ScopeLowering::lowerStoreRows)
                     .Case(sequence::kPrefix, &ScopeLowering::lowerPrefix)
                     .Case(sequence::kFixed, &ScopeLowering::lowerFixed)
                     .Case(sequence::kRegrain, &ScopeLowering::lowerRegrain)
                     .Default(nullptr);
  // Masks that need no code join the run that uses them.
  if (call.getCallee() != sequence::kPrefix && call.getCallee() != sequence::kFixed)
    flush();
  b.loc = call.getLoc();
  (this->*handler)(call);
  return success();
}

/// The table of VUSE-4. A register of the wider side is one conversion, and halves are joined; a tree is a reduction of
/// each register, and sums of those; rows are accesses.
SmallVector<SequenceCost> ptoscope::costOf(func::CallOp call) {
  const unsigned results = call.getNumResults(), operands = call.getNumOperands();
  StringRef name = call.getCallee();
  auto rows = [&] { return unsigned((numberOf(call, "bytes") + numberOf(call, "row") - 1) / numberOf(call, "row")); };
  if (name == sequence::kPrefix || name == sequence::kFixed)
    return {{Timing::predicate, 1}};
  if (name == sequence::kRegrain)
    return {{Timing::predicate, std::max(results, operands)}};
  if (name == sequence::kConvert) {
    SmallVector<SequenceCost> cost = {{Timing::vcvt, std::max(results, operands)}};
    if (operands > results)
      cost.push_back({Timing::vand, operands - results});
    return cost;
  }
  if (name == sequence::kFold) {
    const bool sum = call->getAttrOfType<StringAttr>("symbol") == "vadd";
    // Groups of a register or more are reduced as one.
    const bool whole = int64_t(1) << numberOf(call, "levels") >= registerType(call.getOperand(0)).getLanes();
    SmallVector<SequenceCost> cost = {
        {whole ? (sum ? Timing::vcadd : Timing::vcmax) : (sum ? Timing::vcgadd : Timing::vcgmax), operands}};
    if (operands > results)
      cost.push_back({sum ? Timing::vadd : Timing::vmax, operands - results});
    return cost;
  }
  if (name == sequence::kLoadRows)
    return {{Timing::vld, rows()}};
  if (name == sequence::kStoreRows)
    return {{Timing::vst, rows()}};
  return {{Timing::rearrange, results}};
}

//===----------------------------------------------------------------------===//
// Groups in memory
//===----------------------------------------------------------------------===//

/// Slots of the results, one after the other.
Value ScopeLowering::makeRoom(ValueRange results) {
  Value bytes = b.stack(int64_t(results.size()) * kVectorBytes, kGroupBytes);
  // Beside it: several forms of a run use the slots.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(bytes.getDefiningOp());
  for (auto [k, result] : llvm::enumerate(results)) {
    RegisterValue &value = registerOf(result);
    value.slot = b.ptrAdd(bytes, int64_t(k) * kVectorBytes);
    value.room = bytes;
    value.place = int64_t(k);
  }
  return bytes;
}

/// The first groups of registers in a row.
SmallVector<Value> ScopeLowering::loadGroups(ArrayRef<Value> slots, VectorType type, size_t count) {
  SmallVector<Value> groups;
  for (size_t i = 0; i < count; ++i)
    groups.push_back(b.load(type, b.ptrAdd(slots[i / kGroups], int64_t(i % kGroups * kGroupBytes)), kGroupBytes));
  return groups;
}

/// The rest of the registers is zero.
void ScopeLowering::storeGroups(ArrayRef<Value> groups, Value bytes, size_t registers) {
  Value zero;
  for (size_t i = 0; i < registers * kGroups; ++i) {
    if (i >= groups.size() && !zero)
      zero = b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(laneType(1)));
    b.store(i < groups.size() ? groups[i] : zero, b.ptrAdd(bytes, int64_t(i * kGroupBytes)), kGroupBytes);
  }
}

/// Registers in a row, as memory that is read lane by lane.
Value ScopeLowering::inOneRow(ValueRange registers) {
  bool already = bool(registerOf(registers[0]).room);
  for (auto [k, reg] : llvm::enumerate(registers))
    already &= registerOf(reg).room == registerOf(registers[0]).room && registerOf(reg).place == int64_t(k);
  if (already)
    return registerOf(registers[0]).room;
  Value bytes = b.stack(int64_t(registers.size()) * kVectorBytes, kGroupBytes);
  storeGroups(loadGroups(slotsOf(registers), laneType(1), registers.size() * kGroups), bytes, registers.size());
  return bytes;
}

SmallVector<Value> ScopeLowering::slotsOf(ValueRange registers) {
  return llvm::map_to_vector(registers, [&](Value reg) { return slotOf(reg); });
}

/// Operands whose lanes are used up to `lanes` of them, all of one vector of the text.
void ScopeLowering::announceLanes(Operation *op, ValueRange registers, int64_t lanes, unsigned position) {
  if (!options.trackDefined)
    return;
  SiteId site = siteOf(op);
  for (auto [k, reg] : llvm::enumerate(registers)) {
    Value defined = registerOf(reg).defined;
    if (!defined)
      continue;
    const int64_t each = registerType(reg).getLanes(), left = lanes - int64_t(k) * each;
    Value active = b.nullPtr();
    if (left < each) {
      active = b.stack(32, 8);
      for (int64_t w = 0; w < 4; ++w) {
        const int64_t bits = std::clamp<int64_t>(left * registerType(reg).getElementBytes() - 64 * w, 0, 64);
        b.store(b.const64(bits == 64 ? -1 : int64_t((uint64_t(1) << bits) - 1)), b.ptrAdd(active, 8 * w), 8);
      }
    }
    announceUse(site, position, defined, active);
  }
  emitUses();
}

/// Undefined bytes take the way of the bytes: `move` fills the slots of results from
/// those of operands (ScopeRegisters.cpp).
void ScopeLowering::moveDefined(Operation *op, ValueRange moved,
                                llvm::function_ref<void(ArrayRef<Value> from, Value to)> move) {
  if (!options.trackAccesses)
    return;
  deriveStamps(op);
  SmallVector<Value> sets;
  for (Value reg : moved)
    if (Value defined = registerOf(reg).defined; defined && options.trackDefined)
      sets.push_back(defined);
  if (sets.empty())
    return;
  Value all = allDefined(sets);
  const size_t count = op->getNumResults();
  Value defined = b.stack(int64_t(count) * 32, 8);
  for (size_t w = 0; w < 4 * count; ++w)
    b.store(b.const64(-1), b.ptrAdd(defined, int64_t(8 * w)), 8);
  for (auto [k, result] : llvm::enumerate(op->getResults()))
    registerOf(result).defined = b.ptrAdd(defined, int64_t(32 * k));
  auto marked = b.create<scf::IfOp>(b.loc, b.isFalse(all), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(marked.thenYield());
  SmallVector<Value> from;
  for (Value reg : moved) {
    from.push_back(b.stack(kVectorBytes, kGroupBytes));
    Value own = registerOf(reg).defined;
    b.run("ptosc_mark_bytes", {own ? own : b.nullPtr(), b.const32(kVectorBytes), from.back()});
  }
  const int64_t bytes = int64_t(count) * kVectorBytes;
  Value to = b.stack(bytes, kGroupBytes);
  move(from, to);
  b.run("ptosc_unmark_bytes", {to, b.const32(bytes), defined});
}

//===----------------------------------------------------------------------===//
// Constants and shuffles
//===----------------------------------------------------------------------===//

void ScopeLowering::lowerConstantLanes(func::CallOp call) {
  StringRef bytes = call->getAttrOfType<StringAttr>("value").getValue();
  for (auto [k, result] : llvm::enumerate(call.getResults())) {
    // Copied: constants are aligned to 8.
    Value slot = slotOf(result);
    for (unsigned g = 0; g < kGroups; ++g) {
      StringRef group = bytes.substr(k * kVectorBytes + g * kGroupBytes, kGroupBytes);
      auto value = DenseElementsAttr::getFromRawBuffer(laneType(1), ArrayRef(group.data(), group.size()));
      b.store(b.create<arith::ConstantOp>(b.loc, value), b.ptrAdd(slot, int64_t(g * kGroupBytes)), kGroupBytes);
    }
  }
}

/// One group of lanes that come from several groups: the first two are shuffled, then each other one comes in.
static Value gatherLanes(CodeBuilder &b, ArrayRef<Value> groups, VectorType type, ArrayRef<int32_t> from) {
  const auto lanes = int32_t(type.getNumElements());
  auto sourceOf = [&](int32_t lane) { return lane < 0 ? -1 : lane / lanes; };
  auto groupOf = [&](int32_t source) {
    return source < 0 ? b.create<arith::ConstantOp>(b.loc, b.getZeroAttr(type)).getResult() : groups[size_t(source)];
  };
  llvm::SmallSetVector<int32_t, 4> sources;
  for (int32_t lane : from)
    sources.insert(sourceOf(lane));
  Value made = groupOf(sources[0]);
  bool placed = false; // are the lanes of the first source where they belong?
  for (size_t s = sources.size() > 1 ? 1 : 0; s < sources.size(); ++s) {
    SmallVector<int32_t> shuffle;
    for (auto [i, lane] : llvm::enumerate(from)) {
      const int32_t at = lane < 0 ? 0 : lane % lanes;
      if (sourceOf(lane) == sources[s])
        shuffle.push_back(lanes + at);
      else
        shuffle.push_back(!placed && sourceOf(lane) == sources[0] ? at : int32_t(i));
    }
    made = b.create<LLVM::ShuffleVectorOp>(b.loc, made, groupOf(sources[s]), shuffle);
    placed = true;
  }
  return made;
}

/// From the lane that fills a register to that which fills the next, if each register is one lane.
static std::optional<int64_t> stepOfSpread(ArrayRef<int32_t> from, size_t lanes) {
  if (from[0] < 0 || from.size() % lanes)
    return std::nullopt;
  const int64_t step = from.size() > lanes ? from[lanes] - from[0] : 0;
  for (auto [i, lane] : llvm::enumerate(from))
    if (lane != from[0] + int64_t(i / lanes) * step)
      return std::nullopt;
  return step;
}

void ScopeLowering::lowerShuffle(func::CallOp call) {
  ArrayRef<int32_t> from = call->getAttrOfType<DenseI32ArrayAttr>("from").asArrayRef();
  const int64_t bytes = numberOf(call, "bytes");
  VectorType type = laneType(unsigned(bytes));
  const auto lanes = size_t(type.getNumElements());
  const std::optional<int64_t> spread = stepOfSpread(from, lanes * kGroups);
  auto move = [&](ArrayRef<Value> slots, Value to) {
    auto row = CodeBuilder::seriesOf(slots);
    if (spread && from.size() > lanes * kGroups && row && (slots.size() == 1 || row->step == int64_t(kVectorBytes))) {
      // A lane for each register.
      auto loop =
          b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(int64_t(from.size() / lanes / kGroups)), b.const64(1));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      Value turn = loop.getInductionVar();
      Value source = b.ptrAdd(b.ptrAdd(row->first, from[0] * bytes), b.mul(turn, b.const64(*spread * bytes)));
      Value all = splat(b.load(type.getElementType(), source, unsigned(bytes)), type);
      Value target = b.ptrAdd(to, b.mul(turn, b.const64(int64_t(kVectorBytes))));
      return storeGroups(SmallVector<Value>(kGroups, all), target, 1);
    }
    SmallVector<Value> groups = loadGroups(slots, type, slots.size() * kGroups), made;
    for (size_t i = 0; i < from.size(); i += lanes)
      made.push_back(gatherLanes(b, groups, type, from.slice(i, lanes)));
    storeGroups(made, to, call.getNumResults());
  };
  move(slotsOf(call.getOperands()), makeRoom(call.getResults()));
  moveDefined(call, call.getOperands(), move);
}

//===----------------------------------------------------------------------===//
// Conversions and trees
//===----------------------------------------------------------------------===//

/// Lanes first to first + count of a vector.
static Value slice(CodeBuilder &b, Value vector, int64_t first, int64_t count) {
  if (count == cast<VectorType>(vector.getType()).getNumElements())
    return vector;
  SmallVector<int32_t> lanes;
  for (int64_t i = 0; i < count; ++i)
    lanes.push_back(int32_t(first + i));
  return b.create<LLVM::ShuffleVectorOp>(b.loc, vector, vector, lanes);
}

/// Vectors of one type in a row; a power of two of them.
static Value concatenate(CodeBuilder &b, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i < parts.size(); i += 2) {
      const int64_t lanes = 2 * cast<VectorType>(parts[i].getType()).getNumElements();
      next.push_back(b.create<LLVM::ShuffleVectorOp>(b.loc, parts[i], parts[i + 1],
                                                     llvm::to_vector(llvm::seq<int32_t>(0, int32_t(lanes)))));
    }
    parts = std::move(next);
  }
  return parts[0];
}

/// Integers: extended by the sign if both sides have one, or cut, clamped first with SAT (VTO-5, VTO-6).
static Value convertIntegers(CodeBuilder &b, Value lanes, IntegerType from, IntegerType to, bool saturate) {
  auto source = cast<VectorType>(lanes.getType());
  auto result = VectorType::get(source.getNumElements(), b.getIntegerType(to.getWidth()));
  if (to.getWidth() > from.getWidth())
    return from.isSigned() && to.isSigned() ? b.create<arith::ExtSIOp>(b.loc, result, lanes).getResult()
                                            : b.create<arith::ExtUIOp>(b.loc, result, lanes).getResult();
  if (saturate) {
    auto bound = [&](const APInt &value) {
      return b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(source, value)).getResult();
    };
    const unsigned width = to.getWidth(), all = from.getWidth();
    const APInt high = to.isSigned() ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
    const APInt low = to.isSigned() ? APInt::getSignedMinValue(width) : APInt(width, 0);
    if (from.isSigned()) {
      lanes = b.create<arith::MaxSIOp>(b.loc, lanes, bound(to.isSigned() ? low.sext(all) : low.zext(all)));
      lanes = b.create<arith::MinSIOp>(b.loc, lanes, bound(high.zext(all)));
    } else {
      lanes = b.create<arith::MinUIOp>(b.loc, lanes, bound(high.zext(all)));
    }
  }
  return b.create<arith::TruncIOp>(b.loc, result, lanes);
}

void ScopeLowering::lowerConversion(func::CallOp call) {
  Type from = registerType(call.getOperand(0)).getElement(), to = registerType(call.getResult(0)).getElement();
  StringRef symbol = call->getAttrOfType<StringAttr>("symbol").getValue();
  const int64_t sourceBytes = bitsOf(from) / 8, resultBytes = bitsOf(to) / 8, lanes = numberOf(call, "lanes");
  const int64_t chunk = kGroupBytes / std::max(sourceBytes, resultBytes); // lanes that are converted at once
  // Two bf16 are one lane of this layer, and two of the meaning.
  auto host = [&](Type element) { return isa<BF16x2Type>(element) ? b.getBF16Type() : element; };
  VectorType sourceType = groupType(host(from)), resultType = groupType(host(to));
  const int64_t perGroup = kGroupBytes / sourceBytes, inGroup = kGroupBytes / resultBytes / chunk;
  const int64_t scale = sourceType.getNumElements() / perGroup;
  auto converted = [&](Value source) {
    if (symbol.empty())
      return convertIntegers(b, source, cast<IntegerType>(from), cast<IntegerType>(to),
                             call->getAttrOfType<StringAttr>("saturate") == "SAT");
    return b.call(symbol, VectorType::get(resultType.getNumElements() / inGroup, resultType.getElementType()),
                  {source});
  };
  auto finish = [&] {
    announceLanes(call, call.getOperands(), lanes, 0);
    if (options.trackAccesses)
      deriveStamps(call);
  };
  if (isRare && lanes * resultBytes == int64_t(call.getNumResults()) * kVectorBytes) {
    Value sources = inOneRow(call.getOperands()), results = makeRoom(call.getResults());
    auto loop = b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(lanes), b.const64(chunk));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      auto at = [&](Value base, int64_t bytes) {
        return b.ptrAdd(base, b.mul(loop.getInductionVar(), b.const64(bytes)));
      };
      auto type = VectorType::get(chunk * scale, sourceType.getElementType());
      b.store(converted(b.load(type, at(sources, sourceBytes), chunk * sourceBytes)), at(results, resultBytes),
              chunk * resultBytes);
    }
    return finish();
  }
  SmallVector<Value> groups = loadGroups(slotsOf(call.getOperands()), sourceType,
                                         size_t((lanes * sourceBytes + kGroupBytes - 1) / kGroupBytes));
  SmallVector<Value> made, chunks;
  for (int64_t first = 0; first < lanes || !chunks.empty(); first += chunk) {
    Value own = groups[size_t(std::min(first / perGroup, int64_t(groups.size()) - 1))];
    chunks.push_back(converted(slice(b, own, first % perGroup * scale, chunk * scale)));
    if (int64_t(chunks.size()) == inGroup) {
      made.push_back(concatenate(b, chunks));
      chunks.clear();
    }
  }
  storeGroups(made, makeRoom(call.getResults()), call.getNumResults());
  finish();
}

void ScopeLowering::lowerFold(func::CallOp call) {
  Type element = registerType(call.getOperand(0)).getElement();
  VectorType type = groupType(element);
  const int64_t lanes = numberOf(call, "lanes"), each = type.getNumElements();
  const std::string symbol =
      ("ptom_" + call->getAttrOfType<StringAttr>("symbol").getValue() + "_").str() + elementName(element);
  auto every = [&](int32_t first) {
    return llvm::map_to_vector(llvm::seq<int32_t>(0, int32_t(each)), [&](int32_t i) { return 2 * i + first; });
  };
  auto fold = [&](SmallVector<Value> groups) {
    for (int64_t level = numberOf(call, "levels"); level-- > 0;) {
      SmallVector<Value> next;
      for (size_t i = 0; i < groups.size(); i += 2) {
        Value low = groups[i], high = groups[std::min(i + 1, groups.size() - 1)];
        Value even = b.create<LLVM::ShuffleVectorOp>(b.loc, low, high, every(0));
        Value odd = b.create<LLVM::ShuffleVectorOp>(b.loc, low, high, every(1));
        next.push_back(b.call(symbol, type, {even, odd}));
      }
      groups = std::move(next);
    }
    if (isa<FloatType>(element))
      for (Value &group : groups)
        group = canonical({group, true}, element);
    return groups;
  };
  // Many sums of a register or more become a loop over them.
  const int64_t size = int64_t(1) << numberOf(call, "levels"), sums = lanes / size;
  Value to = makeRoom(call.getResults());
  if (sums >= 4 && size >= kGroups * each) {
    storeGroups({}, to, call.getNumResults());
    Value from = inOneRow(call.getOperands());
    const int64_t bytes = kGroupBytes / each;
    auto loop = b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(sums), b.const64(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value first = b.ptrAdd(from, b.mul(loop.getInductionVar(), b.const64(size * bytes)));
    SmallVector<Value> groups;
    for (int64_t i = 0; i < size / each; ++i)
      groups.push_back(b.load(type, b.ptrAdd(first, i * int64_t(kGroupBytes)), kGroupBytes));
    Value sum = b.create<LLVM::ExtractElementOp>(b.loc, fold(groups)[0], b.const32(0));
    b.store(sum, b.ptrAdd(to, b.mul(loop.getInductionVar(), b.const64(bytes))), unsigned(bytes));
  } else {
    storeGroups(fold(loadGroups(slotsOf(call.getOperands()), type, size_t((lanes + each - 1) / each))), to,
                call.getNumResults());
  }
  announceLanes(call, call.getOperands(), lanes, 0);
  if (options.trackAccesses)
    deriveStamps(call);
}

//===----------------------------------------------------------------------===//
// Places that lanes name
//===----------------------------------------------------------------------===//

static std::string ofWidth(StringRef name, unsigned bytes) { return ("ptom_" + name + "_b" + Twine(8 * bytes)).str(); }

void ScopeLowering::lowerLookup(func::CallOp call) {
  const size_t count = call.getNumResults();
  ValueRange sources = call.getOperands().take_front(count), indices = call.getOperands().drop_front(count);
  const unsigned bytes = registerType(sources[0]).getElementBytes();
  Value places = inOneRow(indices), lanes = b.const64(numberOf(call, "lanes"));
  if (options.trackAccesses)
    b.run("ptosc_check_lanes", {b.context, constSite(call), places, b.const32(bytes), narrow(lanes)});
  announceLanes(call, indices, numberOf(call, "lanes"), 1 | PTO_OPERAND_INDEX);
  auto move = [&](ArrayRef<Value> slots, Value to) {
    Value from = b.stack(int64_t(count) * kVectorBytes, kGroupBytes);
    storeGroups(loadGroups(slots, laneType(1), count * kGroups), from, count);
    storeGroups({}, to, count);
    b.run(ofWidth("lookup", bytes), {to, from, places, lanes});
  };
  move(slotsOf(sources), makeRoom(call.getResults()));
  moveDefined(call, sources, move);
}

void ScopeLowering::lowerRank(func::CallOp call) {
  const unsigned bytes = registerType(call.getResult(0)).getElementBytes();
  VectorType type = laneType(bytes);
  Value to = makeRoom(call.getResults()), before;
  for (auto [k, mask] : llvm::enumerate(call.getOperands())) {
    Value slot = b.ptrAdd(to, int64_t(k) * kVectorBytes), image = imageOf(mask);
    b.run(ofWidth("vusqz", bytes), {slot, image});
    if (before) {
      Value lane = bytes == 4 ? before : b.create<arith::TruncIOp>(b.loc, type.getElementType(), before).getResult();
      for (unsigned g = 0; g < kGroups; ++g) {
        Value place = b.ptrAdd(slot, int64_t(g * kGroupBytes));
        b.store(b.add(b.load(type, place, kGroupBytes), splat(lane, type)), place, kGroupBytes);
      }
    }
    Value count = b.call(ofWidth("countOn", bytes), b.i32(), {image});
    before = before ? b.add(before, count) : count;
  }
  if (options.trackAccesses)
    deriveStamps(call);
}

void ScopeLowering::lowerCompress(func::CallOp call) {
  const size_t count = call.getNumResults();
  ValueRange sources = call.getOperands().take_front(count);
  const unsigned bytes = registerType(sources[0]).getElementBytes();
  SmallVector<Value> images =
      llvm::map_to_vector(call.getOperands().drop_front(count), [&](Value mask) { return imageOf(mask); });
  auto move = [&](ArrayRef<Value> slots, Value to) {
    // What one register keeps goes behind what those before it kept; its zeros are overwritten by the next.
    Value room = b.stack(int64_t(count + 1) * kVectorBytes, kGroupBytes), kept = b.stack(kVectorBytes, kGroupBytes);
    storeGroups({}, room, count + 1);
    Value at = b.const64(0);
    for (size_t k = 0; k < count; ++k) {
      b.run(ofWidth("vsqz", bytes), {kept, slots[k], images[k]});
      b.copy(b.ptrAdd(room, at), kept, kVectorBytes);
      Value lanes = b.create<arith::ExtUIOp>(b.loc, b.i64(), b.call(ofWidth("countOn", bytes), b.i32(), {images[k]}));
      at = b.add(at, b.mul(lanes, b.const64(bytes)));
    }
    for (size_t i = 0; i < count * kGroups; ++i)
      b.store(b.load(laneType(1), b.ptrAdd(room, int64_t(i * kGroupBytes)), kGroupBytes),
              b.ptrAdd(to, int64_t(i * kGroupBytes)), kGroupBytes);
  };
  move(slotsOf(sources), makeRoom(call.getResults()));
  moveDefined(call, sources, move);
}
