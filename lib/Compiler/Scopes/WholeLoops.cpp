//===- WholeLoops.cpp - loops whose accesses are checked at once ----------===//
//
// An innermost loop that moves whole windows of UB by a constant stride, and has
// nothing else that a check looks at, is split: a call tells the checkers of all its
// accesses and gives back how many turns need no check of their own, those turns run
// as they would without checks, and the others as before. A store under a mask counts
// for turns in which every lane is on.
//
// Without checks, a call in front of such a loop asks where each access is made: the
// Machine need not have made the transfers (CopyElision.h).
//
//===----------------------------------------------------------------------===//

#include "Scopes/LoopAnalysis.h"
#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Machine/LoopRuntime.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// What the lowering has to know of a split loop. Values are operands of its call: bounds, counts, base and offset of
/// each access, values from outside.
struct ScopeLowering::WholeLoop {
  struct Place {
    Operation *op;
    bool writes;
    unsigned window, elementBytes;
    int64_t stride;
    uint64_t loads;
    SmallVector<unsigned> outside;    ///< by position
    SmallVector<Operation *> parts{}; ///< the other registers of a longer vector, which follow on this one
  };
  struct Carried {
    uint64_t loads;
    SmallVector<unsigned> outside;
  };
  Operation *loop = nullptr; ///< its checked turns
  int64_t step = 0;
  SmallVector<LoopAnalysis::Count> counts;
  SmallVector<Place> places;
  SmallVector<Carried> carried;
  unsigned outsideCount = 0;
  bool isPlaced = false; ///< it asks for its places, and is not split
  // Made by the call, for the turns behind it.
  Value done, stamps;
};

/// Is it the next register of the vector that `before` is a register of?
static bool isNextPart(const LoopAnalysis::Access &access, const LoopAnalysis::Access &before) {
  auto part = access.op->getAttrOfType<IntegerAttr>(kPartAttr),
       other = before.op->getAttrOfType<IntegerAttr>(kPartAttr);
  return part && other && part.getInt() == other.getInt() + 1 && access.op->getName() == before.op->getName() &&
         access.factor == before.factor && access.place.minus(before.place) == int64_t(before.window);
}

/// Describes the loop, and makes what the call in front of it needs. Registers of one vector are one access; null if
/// those of two turns overlap.
std::shared_ptr<ScopeLowering::WholeLoop> ScopeLowering::describe(const LoopAnalysis &analysis,
                                                                  SmallVectorImpl<Value> &operands) {
  scf::ForOp loop = analysis.loop;
  auto whole = std::make_shared<WholeLoop>();
  whole->loop = loop;
  whole->step = analysis.step;
  whole->counts = analysis.counts;
  OpBuilder builder(loop);
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  operands.append({loop.getLowerBound(), loop.getUpperBound()});
  for (const LoopAnalysis::Count &count : analysis.counts)
    operands.push_back(count.count);
  auto positions = [&](const LoopAnalysis::Sources &sources) {
    SmallVector<unsigned> result;
    for (Value value : sources.outside)
      result.push_back(unsigned(llvm::find(analysis.outside, value) - analysis.outside.begin()));
    return result;
  };
  SmallVector<unsigned> placeOf; // of accesses
  auto loadsOf = [&](const LoopAnalysis::Sources &sources) {
    uint64_t loads = 0;
    for (auto [i, place] : llvm::enumerate(placeOf))
      if (sources.loads >> i & 1)
        loads |= uint64_t(1) << place;
    return loads;
  };
  for (const LoopAnalysis::Access &access : analysis.accesses) {
    if (!whole->places.empty() && isNextPart(access, *(&access - 1))) {
      WholeLoop::Place &place = whole->places.back();
      place.window += access.window;
      place.loads |= loadsOf(access.sources);
      place.outside.append(positions(access.sources));
      place.parts.push_back(access.op);
      if (place.stride < int64_t(place.window))
        return nullptr;
    } else {
      operands.push_back(inFirstTurn(access.base, loop, builder, first));
      operands.push_back(inFirstTurn(access.offset, loop, builder, first));
      whole->places.push_back({access.op, access.writes, access.window, access.elementBytes,
                               access.factor * analysis.step, loadsOf(access.sources), positions(access.sources)});
    }
    placeOf.push_back(unsigned(whole->places.size()) - 1);
  }
  for (const LoopAnalysis::Sources &sources : analysis.carried)
    whole->carried.push_back({loadsOf(sources), positions(sources)});
  whole->outsideCount = unsigned(analysis.outside.size());
  operands.append(analysis.outside.begin(), analysis.outside.end());
  return whole;
}

/// The call in front of the loop.
ScopeLowering::Call ScopeLowering::announce(scf::ForOp loop, std::shared_ptr<WholeLoop> whole, ValueRange operands) {
  OpBuilder builder(loop);
  auto call = builder.create<func::CallOp>(loop.getLoc(), "pto.whole_loop", TypeRange(loop.getInductionVar().getType()),
                                           operands);
  call->setAttr(kWholeLoopAttr, builder.getI32IntegerAttr(int32_t(wholeLoops.size())));
  wholeLoops.push_back(std::move(whole));
  return call;
}

void ScopeLowering::splitLoops(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    LoopAnalysis analysis(loop);
    if (!analysis.run())
      continue;
    SmallVector<Value> operands;
    auto whole = describe(analysis, operands);
    if (!whole)
      continue;
    Call call = announce(loop, whole, operands);
    Attribute number = call->getAttr(kWholeLoopAttr);
    auto turns = cast<scf::ForOp>(OpBuilder(loop).clone(*loop));
    turns.setUpperBound(call.getResult(0));
    turns->setAttr(kFirstTurnsAttr, number);
    loop.setLowerBound(call.getResult(0));
    loop.getInitArgsMutable().assign(turns.getResults());
    loop->setAttr(kOtherTurnsAttr, number);
    shareSite(turns, loop);
    for (auto [copy, original] : llvm::zip(*turns.getBody(), *loop.getBody())) {
      shareSite(&copy, &original);
      if (analysis.fullMasks.contains(&original))
        copy.setAttr(kFullMaskAttr, UnitAttr::get(copy.getContext()));
    }
  }
}

/// Does it access no memory? Fences are for those who observe accesses, and then nothing is placed.
static bool isApartFromMemory(Operation &op) {
  if (op.getNumRegions() || isa<VldsOp, Vldsx2Op, VstsOp>(op))
    return false;
  if (isQuiet(op) || isa<MemBarOp, VdupOp>(op))
    return true;
  const InstrInfo *info = infoOf(&op);
  return info && info->meaning == MeaningKind::Register && info->footprint == Footprint::None;
}

bool ScopeLowering::placeLoops(func::FuncOp function) {
  std::vector<LoopAnalysis> found;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!found.emplace_back(loop).run())
        return false;
    } else if (!isApartFromMemory(op)) {
      return false;
    }
  }
  SmallVector<std::pair<std::shared_ptr<WholeLoop>, SmallVector<Value>>> described;
  for (const LoopAnalysis &analysis : found) {
    auto &[whole, operands] = described.emplace_back();
    whole = describe(analysis, operands);
    if (!whole)
      return false;
    whole->isPlaced = true;
  }
  for (auto &[whole, operands] : described)
    announce(cast<scf::ForOp>(whole->loop), whole, operands);
  return !found.empty();
}

static void appendBytes(std::string &bytes, const auto &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void ScopeLowering::lowerWholeLoop(Call call) {
  flush();
  b.loc = call.getLoc();
  WholeLoop &whole = *wholeLoops[size_t(call->getAttrOfType<IntegerAttr>(kWholeLoopAttr).getInt())];
  ValueRange operands = call.getOperands();
  Value lower = mapped(operands[0]), upper = mapped(operands[1]);
  Value all = turnsOf(lower, upper, b.const64(whole.step)), turns = all;
  auto onlyIf = [&](Value condition) { turns = b.select(condition, turns, b.const64(0)); };
  size_t next = 2;
  for (const LoopAnalysis::Count &count : whole.counts) {
    Value lanes = mapped64(operands[next++]);
    if (count.lanes) {
      Value some = b.create<arith::MaxSIOp>(b.loc, lanes, b.const64(0));
      turns = b.create<arith::MinUIOp>(b.loc, turns,
                                       b.create<arith::DivUIOp>(b.loc, some, b.const64(count.lanes)).getResult());
    } else {
      onlyIf(b.cmp(arith::CmpIPredicate::sge, lanes, b.const64(count.least)));
    }
  }
  // Sites as the turns will have them.
  SiteId outer = currentLoop;
  currentLoop = siteOf(whole.loop);
  ++depth;
  Value places = b.stack(16 * int64_t(whole.places.size()), 8);
  SmallVector<SiteId> sites;
  for (auto [i, place] : llvm::enumerate(whole.places)) {
    sites.push_back(siteOf(place.op));
    Value address = mapped(operands[next]);
    address = b.add(address, b.mul(mapped64(operands[next + 1]), b.const64(place.elementBytes)));
    next += 2;
    b.store(address, b.ptrAdd(places, int64_t(16 * i)), 8);
    b.store(b.const64(place.stride), b.ptrAdd(places, int64_t(16 * i + 8)), 8);
  }
  currentLoop = outer;
  --depth;
  if (whole.isPlaced) {
    std::string plan;
    appendBytes(plan, PtoLoopPlan{uint32_t(whole.places.size()), 0, 0, depth});
    for (auto [place, site] : llvm::zip(whole.places, sites))
      appendBytes(plan, PtoLoopAccess{site, place.writes, place.window, 0, place.loads, 0});
    Value hosts = b.stack(8 * int64_t(whole.places.size()), 8);
    Value past = b.call("ptosc_place_loop", b.i32(), {b.context, b.constantBytes(plan), all, turns, places, hosts});
    for (auto [i, place] : llvm::enumerate(whole.places)) {
      Value host = b.load(b.ptrType(), b.ptrAdd(hosts, int64_t(8 * i)), 8), isPast;
      // What one loop leaves to the next stays in the caches.
      if (place.writes && wholeLoops.size() == 1)
        isPast = b.cmp(arith::CmpIPredicate::ne, b.andi(past, b.const32(int64_t(1) << i)), b.const32(0));
      auto put = [&](Operation *op) {
        hostBases[op] = host;
        if (isPast)
          pastCaches[op] = isPast;
      };
      put(place.op);
      llvm::for_each(place.parts, put);
    }
    return;
  }
  // What comes in has to be defined; stamps are handed over once each.
  llvm::SetVector<Value> stamps;
  SmallVector<uint64_t> bitsOf(whole.outsideCount);
  for (unsigned i = 0; i < whole.outsideCount; ++i) {
    RegisterValue &value = registerOf(operands[next + i]);
    if (options.trackDefined && value.defined)
      onlyIf(allDefined(value.defined));
    for (Value stamp : value.stamps) {
      stamps.insert(stamp);
      size_t position = size_t(llvm::find(stamps, stamp) - stamps.begin());
      bitsOf[i] |= position < PTO_MAX_LOOP_STAMPS ? uint64_t(1) << position : 0;
    }
  }
  if (stamps.size() > PTO_MAX_LOOP_STAMPS)
    turns = b.const64(0);
  const size_t stampCount = std::min<size_t>(stamps.size(), PTO_MAX_LOOP_STAMPS);
  auto allBits = [&](ArrayRef<unsigned> positions) {
    uint64_t bits = 0;
    for (unsigned position : positions)
      bits |= bitsOf[position];
    return bits;
  };
  std::string plan;
  auto append = [&](const auto &value) { appendBytes(plan, value); };
  append(PtoLoopPlan{uint32_t(whole.places.size()), uint32_t(whole.carried.size()), uint32_t(stampCount), depth});
  for (auto [place, site] : llvm::zip(whole.places, sites))
    append(PtoLoopAccess{site, place.writes, place.window, 0, place.loads, allBits(place.outside)});
  for (const WholeLoop::Carried &value : whole.carried)
    append(PtoLoopValue{value.loads, allBits(value.outside)});

  whole.stamps = b.stack(std::max<int64_t>(8, 4 * int64_t(whole.carried.size())), 8);
  whole.done = b.call("ptosc_check_loop", b.i64(),
                      {b.context, b.constantBytes(plan), turns, places,
                       stampArray(stamps.getArrayRef().take_front(stampCount)), whole.stamps});
  if (options.numberLoops && depth < PTO_MAX_LOOP_DEPTH)
    b.store(whole.done, b.ptrAdd(b.context, abi::kScopeIterations + 8 * int64_t(depth)));
  Value behind = b.add(lower, b.mul(whole.done, b.const64(whole.step)));
  mapping.map(call.getResult(0), b.select(b.cmp(arith::CmpIPredicate::eq, whole.done, all), upper, behind));
}

void ScopeLowering::beginTurns(Operation *loop) {
  if (loop->hasAttr(kOtherTurnsAttr))
    isRare = true; // tails, and what there is something to say about
  if (!loop->hasAttr(kFirstTurnsAttr))
    return;
  checkedOptions = options;
  options.trackAccesses = options.trackDefined = false;
}

void ScopeLowering::endTurns(Operation *loop) {
  if (loop->hasAttr(kOtherTurnsAttr))
    isRare = false;
  if (loop->hasAttr(kFirstTurnsAttr))
    options = checkedOptions;
}

void ScopeLowering::endFor(Operation *loop) {
  auto number = loop->getAttrOfType<IntegerAttr>(kFirstTurnsAttr);
  if (!number)
    return;
  const WholeLoop &whole = *wholeLoops[size_t(number.getInt())];
  Value some = b.cmp(arith::CmpIPredicate::ne, whole.done, b.const64(0));
  int64_t position = 0;
  for (Value result : loop->getResults()) {
    if (!isVectorValue(result.getType()))
      continue;
    Value slot = registerOf(result).stamps[0], stamp = b.load(b.i32(), b.ptrAdd(whole.stamps, 4 * position++), 4);
    b.store(b.select(some, stamp, b.load(b.i32(), slot, 4)), slot, 4);
  }
}
