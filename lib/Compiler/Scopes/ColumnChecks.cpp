//===- ColumnChecks.cpp - checks of all registers of a vector -------------===//
//
// One call announces the accesses of all registers of a vector. What it fills lies
// at equal distances: then one pointer says where it is for all of them, to stores
// and to uses of undefined bytes.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Machine/SequenceRuntime.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static bool isNull(Value pointer) { return bool(pointer.getDefiningOp<LLVM::ZeroOp>()); }

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Pointers of the registers: at equal distances, or null for all of them.
static std::optional<PointerSeries> seriesOrNull(CodeBuilder &b, ArrayRef<Value> pointers) {
  if (llvm::all_of(pointers, [](Value pointer) { return !pointer || isNull(pointer); }))
    return PointerSeries{b.nullPtr(), 0};
  if (llvm::is_contained(pointers, Value()))
    return std::nullopt;
  return CodeBuilder::seriesOf(pointers);
}

namespace {
struct StampSource {
  Value first;
  PtoStampSource places;
};
} // namespace

/// Where the stamps of all registers are; nothing when they are not at equal distances.
static std::optional<SmallVector<StampSource>> sourcesOf(ArrayRef<SmallVector<Value>> stamps) {
  SmallVector<StampSource> sources;
  for (size_t i = 0; i < stamps[0].size();) {
    SmallVector<Value> column;
    for (const SmallVector<Value> &own : stamps) {
      if (own.size() != stamps[0].size())
        return std::nullopt;
      column.push_back(own[i]);
    }
    std::optional<PointerSeries> registers = CodeBuilder::seriesOf(column);
    if (!registers)
      return std::nullopt;
    // Several stamps that all registers derive from may be at equal distances, too.
    size_t count = 1;
    std::optional<PointerSeries> all = registers;
    while (registers->step == 0 && i + count < stamps[0].size() &&
           llvm::all_of(stamps, [&](const SmallVector<Value> &own) { return own == stamps[0]; })) {
      auto more = CodeBuilder::seriesOf(ArrayRef(stamps[0]).slice(i, count + 1));
      if (!more)
        break;
      all = more;
      ++count;
    }
    sources.push_back(
        {stamps[0][i], {uint32_t(count), count > 1 ? uint32_t(all->step) : 0, uint32_t(registers->step), 0}});
    i += count;
  }
  return sources;
}

bool ScopeLowering::announceColumn(MutableArrayRef<RunOp> column, BitsCache &cache) {
  RunOp &first = column[0];
  const size_t count = column.size();
  const bool plain = first.load ? first.load->map == LoadMap::Copy : first.store && first.store->map == StoreMap::Copy;
  auto distance = distanceOf(count, [&](size_t k) -> const RunOp & { return column[k]; });
  if (count < 2 || !plain || !distance || *distance != int32_t(*distance))
    return false;
  for (RunOp &item : column)
    if (item.site != first.site || item.alignment != first.alignment ||
        (&item != &column.back() && item.window() != first.window()))
      return false;
  PtoRegisters registers{
      first.site, uint32_t(count), int32_t(*distance), first.window(), column.back().window(), first.alignment, 0, 0};
  Value hosts;
  auto planOf = [&](ArrayRef<StampSource> sources) {
    std::string plan(reinterpret_cast<const char *>(&registers), sizeof(registers));
    for (const StampSource &source : sources)
      plan.append(reinterpret_cast<const char *>(&source.places), sizeof(source.places));
    return b.constantBytes(plan);
  };
  if (first.load) {
    Value shadows = b.stack(int64_t(count) * abi::kLoadShadowBytes, 8);
    hosts = b.stack(8 * int64_t(count), 8);
    Value all = b.call("ptosc_check_loads", b.i64(), {b.context, planOf({}), narrow(first.address), shadows, hosts});
    definedLoads[shadows] = all;
    for (auto [k, item] : llvm::enumerate(column)) {
      RegisterValue &value = registerOf(item.op->getResult(0));
      Value shadow = b.ptrAdd(shadows, int64_t(k) * abi::kLoadShadowBytes);
      value.stamps = {b.ptrAdd(shadow, abi::kLoadShadowStamp)};
      if (options.trackDefined)
        value.defined = shadow;
    }
  } else {
    SmallVector<Value> active, defined;
    SmallVector<SmallVector<Value>> stamps;
    for (RunOp &item : column) {
      item.active = cachedBits(governingMask(item.op), first.store->maskBytes, cache);
      active.push_back(item.active);
      defined.push_back(registerOf(registersOf(item.op->getOperands())[0]).defined);
      stamps.push_back(stampsOf(item.op->getOperands()));
    }
    auto actives = seriesOrNull(b, active), defineds = seriesOrNull(b, defined);
    auto sources = sourcesOf(stamps);
    if (!actives || (!isNull(actives->first) && actives->step != int64_t(kVectorBytes / 8)) || !defineds || !sources)
      return false;
    registers.definedStep = uint32_t(defineds->step);
    registers.sourceCount = uint32_t(sources->size());
    Value places = b.nullPtr();
    if (!sources->empty())
      places = b.stack(8 * int64_t(sources->size()), 8);
    for (auto [i, source] : llvm::enumerate(*sources))
      b.store(source.first, b.ptrAdd(places, int64_t(8 * i)), 8);
    hosts = b.stack(8 * int64_t(count), 8);
    b.run("ptosc_check_stores",
          {b.context, planOf(*sources), narrow(first.address), actives->first, defineds->first, places, hosts});
  }
  for (auto [k, item] : llvm::enumerate(column))
    item.pointer = b.load(b.ptrType(), b.ptrAdd(hosts, int64_t(8 * k)), 8);
  return true;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

Value ScopeLowering::allDefined(ArrayRef<Value> sets) {
  llvm::SmallSetVector<Value, 8> distinct, words;
  for (Value set : sets) {
    Value known = definedLoads.lookup(CodeBuilder::baseOf(set));
    if (known)
      words.insert(known);
    else if (distinct.insert(set))
      for (int64_t w = 0; w < 4; ++w)
        words.insert(b.load(b.i64(), b.ptrAdd(set, 8 * w), 8));
  }
  Value all;
  for (Value word : words)
    all = all ? b.andi(all, word) : word;
  return b.cmp(arith::CmpIPredicate::eq, all, b.const64(-1));
}

void ScopeLowering::announceUse(SiteId site, unsigned position, Value defined, Value active) {
  uses.push_back({site, position, defined, active});
}

/// Uses of one register, which repeat for others at equal distances.
struct ScopeLowering::RepeatedUses {
  size_t period = 1, times = 1;

  /// Is turn k as far from the first one as the second one says?
  static bool goesOn(ArrayRef<Use> uses, size_t period, size_t k) {
    auto isFar = [&](Value first, Value second, Value own) {
      auto step = CodeBuilder::seriesOf({first, second}), all = CodeBuilder::seriesOf({first, own});
      return step && all && all->step == int64_t(k) * step->step;
    };
    for (size_t p = 0; p < period; ++p) {
      const Use &first = uses[p], &second = uses[period + p], &use = uses[k * period + p];
      if (second.site != first.site || use.site != first.site ||
          use.position - first.position != k * (second.position - first.position) ||
          !isFar(first.defined, second.defined, use.defined) ||
          !((isNull(first.active) && isNull(second.active) && isNull(use.active)) ||
            isFar(first.active, second.active, use.active)))
        return false;
    }
    return true;
  }

  /// The longest repetition at the beginning.
  explicit RepeatedUses(ArrayRef<Use> uses) {
    constexpr size_t kLongestPeriod = 4, kFewestTimes = 3;
    for (size_t some = 1; some <= kLongestPeriod; ++some) {
      size_t most = kFewestTimes - 1;
      while ((most + 1) * some <= uses.size() && goesOn(uses, some, most))
        ++most;
      if (most >= kFewestTimes && most * some > times * period) {
        period = some;
        times = most;
      }
    }
  }
};

void ScopeLowering::emitUses() {
  if (!uses.empty()) {
    // One branch for all of them: mostly every byte is defined.
    Value all = allDefined(llvm::map_to_vector(uses, [](const Use &use) { return use.defined; }));
    auto check = b.create<scf::IfOp>(b.loc, b.isFalse(all), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(check.thenYield());
    for (ArrayRef<Use> left = uses; !left.empty();) {
      const RepeatedUses repeated(left);
      emitUse(left, repeated);
      left = left.drop_front(repeated.period * repeated.times);
    }
  }
  uses.clear();
}

void ScopeLowering::emitUse(ArrayRef<Use> first, const RepeatedUses &repeated) {
  if (repeated.times == 1) {
    const Use &use = first[0];
    b.run("ptosc_undefined_use", {b.context, b.const32(use.site), b.const32(use.position), use.defined, use.active});
    return;
  }
  auto loop = b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(int64_t(repeated.times)), b.const64(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value turn = loop.getInductionVar();
  auto place = [&](Value one, Value next) {
    const int64_t step = isNull(one) ? 0 : CodeBuilder::seriesOf({one, next})->step;
    return step ? b.ptrAdd(one, b.mul(turn, b.const64(step))) : one;
  };
  for (const auto &[use, next] : llvm::zip(first.take_front(repeated.period), first.drop_front(repeated.period))) {
    const unsigned step = next.position - use.position;
    Value position = b.const32(use.position);
    if (step)
      position = b.add(position, b.mul(narrow(turn), b.const32(step)));
    b.run("ptosc_undefined_use",
          {b.context, b.const32(use.site), position, place(use.defined, next.defined), place(use.active, next.active)});
  }
}
