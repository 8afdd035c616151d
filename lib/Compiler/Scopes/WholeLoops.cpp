//===- WholeLoops.cpp - loops whose accesses are checked at once ----------===//
//
// An innermost loop that moves whole windows of UB by a constant stride, and has
// nothing else that a check looks at, is split: a call tells the checkers of all its
// accesses and gives back how many turns need no check of their own, those turns run
// as they would without checks, and the others as before. A store under a mask counts
// for turns in which every lane is on.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Machine/LoopRuntime.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Longer bodies are not compiled twice.
static constexpr size_t kMaxBody = 64;

namespace {

/// What a value of the body derives from.
struct Sources {
  uint64_t loads = 0;             ///< of the same turn, by access
  uint64_t carried = 0;           ///< by number
  llvm::SetVector<Value> outside; ///< registers and masks

  void join(const Sources &other) {
    loads |= other.loads;
    carried |= other.carried;
    outside.insert(other.outside.begin(), other.outside.end());
  }
};

struct Access {
  Operation *op;
  bool writes;
  unsigned window;
  Value base, offset;
  unsigned elementBytes;
  int64_t factor; ///< of the induction variable
  Sources sources;
};

/// A count of lanes that has to be large enough: `lanes` in each turn, of which each takes
/// as many, or `least`.
struct Count {
  Value count;
  unsigned lanes = 0; ///< 0: it is the same in every turn
  unsigned least = 0;
};

/// Do the bytes of a register meet all of a window? `placeOf` is the byte of the window, or negative.
bool covers(unsigned window, llvm::function_ref<int(unsigned)> placeOf) {
  std::vector<bool> met(window);
  for (unsigned k = 0; k < kVectorBytes; ++k)
    if (int byte = placeOf(k); byte >= 0)
      met[size_t(byte)] = true;
  return llvm::all_of(met, [](bool one) { return one; });
}

/// Does a load into one register use all of its window?
bool usesAll(const LoadDist &dist) {
  return covers(dist.window, [&](unsigned k) { return sourceByte(dist, 0, k); });
}

/// Does a store of one register write all of its window when every lane is on?
bool writesAll(const StoreDist &dist) {
  return covers(dist.window, [&](unsigned k) { return targetByte(dist, 0, k); });
}

/// What checked code may report of the operation is only its accesses and undefined operands.
bool isQuiet(Operation &op) {
  if (isa<arith::ArithDialect>(op.getDialect()))
    return !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
                arith::FloorDivSIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) &&
           llvm::none_of(op.getResultTypes(), isVectorValue);
  if (isa<AddPtrOp, CastPtrOp, PsetB8Op, PsetB16Op, PsetB32Op, PltB8Op, PltB16Op, PltB32Op, PbitcastOp, VldsOp,
          Vldsx2Op, VstsOp, PandOp, PorOp, PxorOp, PnotOp, PselOp, VselOp, VbitcastOp, VmovOp, VbrOp, VciOp>(op))
    return true;
  if (auto dup = dyn_cast<VdupOp>(op))
    return !isa<VRegType>(dup.getInput().getType());
  const InstrInfo *info = isVectorOp(&op) ? infoOf(&op) : nullptr;
  return info && info->meaning == MeaningKind::Lanes && info->footprint == Footprint::None && info->name != "vshl" &&
         info->name != "vshr" && info->name != "vshls" && info->name != "vshrs";
}

class LoopAnalysis {
public:
  explicit LoopAnalysis(scf::ForOp loop) : loop(loop), body(*loop.getBody()) {}
  bool run();

  scf::ForOp loop;
  Block &body;
  int64_t step = 0;
  SmallVector<Access> accesses;
  SmallVector<Count> counts;
  SmallVector<Sources> carried;   ///< of the registers that the loop carries
  llvm::SetVector<Value> outside; ///< registers and masks that come in

private:
  bool addOperation(Operation &op);
  bool addAccess(Operation &op);
  bool addCount(Operation &op);
  bool addCarried();
  bool isFull(Value mask, unsigned readBytes);
  bool isInside(Value value) { return body.getParent()->isAncestor(value.getParentRegion()); }
  Sources sourcesOf(Value value);
  Sources sourcesOf(Operation &op);

  llvm::DenseMap<Value, Sources> known;
  llvm::DenseSet<Operation *> fullMasks; ///< plt whose mask has to be full
};

Sources LoopAnalysis::sourcesOf(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Sources sources;
  if (!isInside(value))
    sources.outside.insert(value);
  return sources;
}

Sources LoopAnalysis::sourcesOf(Operation &op) {
  Sources sources;
  for (Value operand : op.getOperands())
    if (isVectorValue(operand.getType()))
      sources.join(sourcesOf(operand));
  return sources;
}

/// Is every bit on that a store looks at, as far as `fullMasks` are full?
bool LoopAnalysis::isFull(Value mask, unsigned readBytes) {
  if (!mask)
    return true;
  Operation *maker = mask.getDefiningOp();
  while (maker && isa<PbitcastOp>(maker))
    maker = maker->getOperand(0).getDefiningOp();
  if (!maker || maker->getNumResults() == 0 || !isa<MaskType>(maker->getResult(0).getType()) ||
      readBytes < cast<MaskType>(maker->getResult(0).getType()).getBytes())
    return false;
  if (isa<PsetB8Op, PsetB16Op, PsetB32Op>(maker))
    return maker->getAttrOfType<StringAttr>("pattern") == "PAT_ALL";
  if (!isa<PltB8Op, PltB16Op, PltB32Op>(maker) || maker->getBlock() != &body)
    return false;
  fullMasks.insert(maker);
  return true;
}

bool LoopAnalysis::addAccess(Operation &op) {
  Access access{&op, false, 0, {}, {}, 0, 0, {}};
  bool whole = false;
  if (auto load = dyn_cast<VldsOp>(op)) {
    const LoadDist &dist = *findLoadDist(load.getDist());
    access.base = load.getSrc(), access.offset = load.getOffset();
    access.window = dist.window;
    access.elementBytes = cast<VRegType>(load.getValue().getType()).getElementBytes();
    whole = !load.getNext() && usesAll(dist);
  } else if (auto load = dyn_cast<Vldsx2Op>(op)) {
    access.base = load.getSrc(), access.offset = load.getOffset();
    access.window = findLoadDist(load.getDist())->window;
    access.elementBytes = cast<VRegType>(load.getLow().getType()).getElementBytes();
    whole = !load.getNext(); // two registers take all of it between them
  } else if (auto store = dyn_cast<VstsOp>(op)) {
    const StoreDist &dist = *findStoreDist(store.getDist());
    access.base = store.getDst(), access.offset = store.getOffset();
    access.window = dist.window, access.writes = true;
    access.elementBytes = cast<VRegType>(store.getValue().getType()).getElementBytes();
    whole = !store.getNext() && writesAll(dist) && (!dist.maskBytes || isFull(lastMask(&op), dist.maskBytes));
  } else {
    return true;
  }
  if (!whole || op.hasAttr(kBytesAttr) || op.hasAttr(kAlignmentAttr) || access.window % (kVectorBytes / 2) != 0)
    return false;
  Affine place = Affine::of(access.base);
  place += Affine::of(access.offset, access.elementBytes);
  std::optional<int64_t> factor = place.factorOf(cast<BlockArgument>(loop.getInductionVar()));
  int64_t stride = 0;
  if (!factor || llvm::MulOverflow(*factor, step, stride) || stride < int64_t(access.window))
    return false;
  access.factor = *factor;
  access.sources = sourcesOf(op);
  if (access.writes && access.sources.carried)
    return false;
  for (Value result : op.getResults())
    known[result].loads = uint64_t(1) << accesses.size();
  accesses.push_back(std::move(access));
  return accesses.size() <= PTO_MAX_LOOP_ACCESSES;
}

/// A mask of the first lanes: of a count that is the same in each turn, or goes down with them.
bool LoopAnalysis::addCount(Operation &op) {
  if (!isa<PltB8Op, PltB16Op, PltB32Op>(op))
    return true;
  Value count = op.getOperand(0);
  unsigned lanes = kVectorBytes / cast<MaskType>(op.getResult(0).getType()).getBytes();
  auto argument = dyn_cast<BlockArgument>(count);
  if (argument && argument.getOwner() == &body && argument != loop.getInductionVar()) {
    unsigned number = argument.getArgNumber() - 1;
    counts.push_back({loop.getInitArgs()[number], lanes, 0});
    return loop.getYieldedValues()[number] == op.getResult(1);
  }
  counts.push_back({count, 0, fullMasks.contains(&op) ? lanes : 0});
  return !isInside(count);
}

bool LoopAnalysis::addOperation(Operation &op) {
  if (op.getNumRegions() || !isQuiet(op) || !addAccess(op))
    return false;
  if (isa<VldsOp, Vldsx2Op>(op))
    return true;
  Sources sources = sourcesOf(op);
  for (Value result : op.getResults())
    if (isVectorValue(result.getType()))
      known[result] = sources;
  outside.insert(sources.outside.begin(), sources.outside.end());
  return true;
}

/// Each carried register has to derive from itself, and by way of others from no load that it does not derive from
/// directly: then the loads of all turns are what it derives from.
bool LoopAnalysis::addCarried() {
  SmallVector<unsigned> numbers;
  for (auto [number, value] : llvm::enumerate(loop.getYieldedValues())) {
    if (!isVectorValue(value.getType()))
      continue;
    Sources sources = sourcesOf(value);
    outside.insert(sources.outside.begin(), sources.outside.end());
    carried.push_back(std::move(sources));
    numbers.push_back(unsigned(number));
  }
  for (auto [number, sources] : llvm::enumerate(carried)) {
    if (!(sources.carried >> number & 1))
      return false;
    for (auto [other, others] : llvm::enumerate(carried))
      if ((sources.carried >> other & 1) && ((others.loads & ~sources.loads) || (others.carried & ~sources.carried)))
        return false;
  }
  for (auto [number, sources] : llvm::enumerate(carried)) {
    llvm::SetVector<Value> all = sources.outside;
    for (auto [other, others] : llvm::enumerate(carried))
      if (sources.carried >> other & 1)
        all.insert(others.outside.begin(), others.outside.end());
    for (auto [other, others] : llvm::enumerate(numbers))
      if (sources.carried >> other & 1)
        all.insert(loop.getInitArgs()[others]);
    sources.outside = std::move(all);
    outside.insert(sources.outside.begin(), sources.outside.end());
  }
  return true;
}

bool LoopAnalysis::run() {
  APInt constant;
  Type type = loop.getInductionVar().getType();
  if (!matchPattern(loop.getStep(), m_ConstantInt(&constant)) || !constant.isStrictlyPositive() ||
      !(type.isIndex() || type.isInteger(64)) || body.getOperations().size() > kMaxBody)
    return false;
  step = constant.getSExtValue();
  unsigned number = 0;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    if (!isVectorValue(argument.getType()))
      continue;
    if (!isa<VRegType>(argument.getType()) || number == PTO_MAX_LOOP_VALUES)
      return false;
    known[argument].carried = uint64_t(1) << number++;
  }
  for (Operation &op : body.without_terminator())
    if (!addOperation(op))
      return false;
  for (Operation &op : body.without_terminator()) // when it is known which masks have to be full
    if (!addCount(op))
      return false;
  return !accesses.empty() && addCarried();
}

/// `value` as it is in the first turn, computed in front of the loop.
Value inFirstTurn(Value value, scf::ForOp loop, OpBuilder &builder, IRMapping &first) {
  if (Value known = first.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return value;
  for (Value operand : op->getOperands())
    if (Value known = inFirstTurn(operand, loop, builder, first); known != operand)
      first.map(operand, known);
  builder.clone(*op, first);
  return first.lookup(value);
}

} // namespace

/// What the lowering has to know of a split loop. Values are operands of its call: bounds, counts, base and offset of
/// each access, values from outside.
struct ScopeLowering::WholeLoop {
  struct Place {
    Operation *op;
    bool writes;
    unsigned window, elementBytes;
    int64_t stride;
    uint64_t loads;
    SmallVector<unsigned> outside; ///< by position
  };
  struct Carried {
    uint64_t loads;
    SmallVector<unsigned> outside;
  };
  Operation *loop = nullptr; ///< its checked turns
  int64_t step = 0;
  SmallVector<Count> counts;
  SmallVector<Place> places;
  SmallVector<Carried> carried;
  unsigned outsideCount = 0;
  // Made by the call, for the turns behind it.
  Value done, stamps;
};

void ScopeLowering::splitLoops(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    LoopAnalysis analysis(loop);
    if (!analysis.run())
      continue;
    auto whole = std::make_shared<WholeLoop>();
    whole->loop = loop;
    whole->step = analysis.step;
    whole->counts = analysis.counts;
    OpBuilder builder(loop);
    IRMapping first;
    first.map(loop.getInductionVar(), loop.getLowerBound());
    SmallVector<Value> operands = {loop.getLowerBound(), loop.getUpperBound()};
    for (const Count &count : analysis.counts)
      operands.push_back(count.count);
    auto positions = [&](const Sources &sources) {
      SmallVector<unsigned> result;
      for (Value value : sources.outside)
        result.push_back(unsigned(llvm::find(analysis.outside, value) - analysis.outside.begin()));
      return result;
    };
    for (const Access &access : analysis.accesses) {
      operands.push_back(inFirstTurn(access.base, loop, builder, first));
      operands.push_back(inFirstTurn(access.offset, loop, builder, first));
      whole->places.push_back({access.op, access.writes, access.window, access.elementBytes,
                               access.factor * analysis.step, access.sources.loads, positions(access.sources)});
    }
    for (const Sources &sources : analysis.carried)
      whole->carried.push_back({sources.loads, positions(sources)});
    whole->outsideCount = unsigned(analysis.outside.size());
    operands.append(analysis.outside.begin(), analysis.outside.end());

    auto number = builder.getI32IntegerAttr(int32_t(wholeLoops.size()));
    auto call = builder.create<func::CallOp>(loop.getLoc(), "pto.whole_loop",
                                             TypeRange(loop.getInductionVar().getType()), operands);
    call->setAttr(kWholeLoopAttr, number);
    auto turns = cast<scf::ForOp>(builder.clone(*loop));
    turns.setUpperBound(call.getResult(0));
    turns->setAttr(kFirstTurnsAttr, number);
    loop.setLowerBound(call.getResult(0));
    loop.getInitArgsMutable().assign(turns.getResults());
    loop->setAttr(kOtherTurnsAttr, number);
    shareSite(turns, loop);
    for (auto [copy, original] : llvm::zip(*turns.getBody(), *loop.getBody()))
      shareSite(&copy, &original);
    wholeLoops.push_back(std::move(whole));
  }
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
  for (const Count &count : whole.counts) {
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
  auto append = [&](const auto &value) { plan.append(reinterpret_cast<const char *>(&value), sizeof(value)); };
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
  if (!loop->hasAttr(kFirstTurnsAttr))
    return;
  checkedOptions = options;
  options.trackAccesses = options.trackDefined = false;
}

void ScopeLowering::endTurns(Operation *loop) {
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
