//===- LoopAnalysis.cpp - loops that say what they touch ------------------===//

#include "Scopes/LoopAnalysis.h"
#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Machine/LoopRuntime.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Longer bodies are not compiled twice.
static constexpr size_t kMaxBody = 64;

/// Do the bytes of a register meet all of a window? `placeOf` is the byte of the window, or negative.
static bool covers(unsigned window, llvm::function_ref<int(unsigned)> placeOf) {
  std::vector<bool> met(window);
  for (unsigned k = 0; k < kVectorBytes; ++k)
    if (int byte = placeOf(k); byte >= 0)
      met[size_t(byte)] = true;
  return llvm::all_of(met, [](bool one) { return one; });
}

/// Does a load into one register use all of its window?
static bool usesAll(const LoadDist &dist) {
  return covers(dist.window, [&](unsigned k) { return sourceByte(dist, 0, k); });
}

/// Does a store of one register write all of its window when every lane is on?
static bool writesAll(const StoreDist &dist) {
  return covers(dist.window, [&](unsigned k) { return targetByte(dist, 0, k); });
}

static bool isSequence(Operation &op, ArrayRef<StringRef> names) {
  return isSequence(&op) && llvm::is_contained(names, cast<func::CallOp>(op).getCallee());
}

/// The lanes of a longer vector that a count leaves on, in one of its registers.
static bool isPrefix(Operation &op) { return isSequence(op, {sequence::kPrefix}); }

/// All lanes of its results are defined if those of its operands are, and it has nothing else to report.
static bool isQuietSequence(Operation &op) {
  return isSequence(op,
                    {sequence::kPrefix, sequence::kConvert, sequence::kConstant, sequence::kShuffle, sequence::kFold});
}

bool ptoscope::isQuiet(Operation &op) {
  if (isa<arith::ArithDialect>(op.getDialect()))
    return !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
                arith::FloorDivSIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) &&
           llvm::none_of(op.getResultTypes(), isVectorValue);
  if (isa<AddPtrOp, CastPtrOp, PsetB8Op, PsetB16Op, PsetB32Op, PltB8Op, PltB16Op, PltB32Op, PbitcastOp, VldsOp,
          Vldsx2Op, VstsOp, PandOp, PorOp, PxorOp, PnotOp, PselOp, VselOp, VbitcastOp, VmovOp, VbrOp, VciOp>(op))
    return true;
  if (isQuietSequence(op))
    return true;
  if (auto dup = dyn_cast<VdupOp>(op))
    return !isa<VRegType>(dup.getInput().getType());
  const InstrInfo *info = isVectorOp(&op) ? infoOf(&op) : nullptr;
  return info && info->meaning == MeaningKind::Lanes && info->footprint == Footprint::None && info->name != "vshl" &&
         info->name != "vshr" && info->name != "vshls" && info->name != "vshrs";
}

LoopAnalysis::Sources LoopAnalysis::sourcesOf(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Sources sources;
  if (!isInside(value))
    sources.outside.insert(value);
  return sources;
}

LoopAnalysis::Sources LoopAnalysis::sourcesOf(Operation &op) {
  Sources sources;
  for (Value operand : op.getOperands())
    if (isVectorValue(operand.getType()))
      sources.join(sourcesOf(operand));
  return sources;
}

/// Is every bit on that a store looks at, as far as the masks are full that are wanted so?
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
  if (!(isa<PltB8Op, PltB16Op, PltB32Op>(maker) || isPrefix(*maker)) || maker->getBlock() != &body)
    return false;
  wantedFull.insert(maker);
  return true;
}

bool LoopAnalysis::addAccess(Operation &op) {
  Access access{&op, false, 0, {}, {}, 0, {}, 0, {}};
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
  // Alignment needs no look: places have to be multiples of half a register.
  if (auto own = op.getAttrOfType<IntegerAttr>(kBytesAttr); own && own.getInt() != int64_t(access.window))
    return false;
  if (!whole || access.window % (kVectorBytes / 2) != 0)
    return false;
  access.place = Affine::of(access.base);
  access.place += Affine::of(access.offset, access.elementBytes);
  std::optional<int64_t> factor = access.place.factorOf(cast<BlockArgument>(loop.getInductionVar()));
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

/// By how much does each turn lower the carried count, as far as it goes? 0 if it does something else.
unsigned LoopAnalysis::loweredBy(BlockArgument count) {
  Value next = loop.getYieldedValues()[count.getArgNumber() - 1];
  Operation *maker = next.getDefiningOp();
  if (maker && isa<PltB8Op, PltB16Op, PltB32Op>(maker) && maker->getOperand(0) == count && next == maker->getResult(1))
    return kVectorBytes / cast<MaskType>(maker->getResult(0).getType()).getBytes();
  auto rest = dyn_cast_or_null<arith::SubIOp>(maker);
  auto taken = rest && rest.getLhs() == count ? rest.getRhs().getDefiningOp<arith::MinSIOp>() : nullptr;
  APInt lanes;
  if (!taken || taken.getLhs() != count || !matchPattern(taken.getRhs(), m_ConstantInt(&lanes)))
    return 0;
  return unsigned(lanes.getLimitedValue(UINT32_MAX));
}

/// A mask of the first lanes: of a count that is the same in each turn, or goes down with them.
bool LoopAnalysis::addCount(Operation &op) {
  const bool prefix = isPrefix(op), full = wantedFull.contains(&op);
  if (!prefix && !isa<PltB8Op, PltB16Op, PltB32Op>(op))
    return true;
  if (prefix && !full) // no count is wrong
    return true;
  Value count = op.getOperand(0);
  unsigned lanes = kVectorBytes / cast<MaskType>(op.getResult(0).getType()).getBytes();
  if (prefix)
    lanes += unsigned(op.getAttrOfType<IntegerAttr>("first").getInt());
  auto argument = dyn_cast<BlockArgument>(count);
  Count found{count, 0, full ? lanes : 0};
  if (argument && argument.getOwner() == &body && argument != loop.getInductionVar())
    found = {loop.getInitArgs()[argument.getArgNumber() - 1], loweredBy(argument), 0};
  else if (isInside(count))
    return false;
  if (found.lanes ? found.lanes < lanes : found.count != count)
    return false;
  if (!llvm::is_contained(counts, found))
    counts.push_back(found);
  if (full || found.lanes)
    fullMasks.insert(&op);
  return true;
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

Value ptoscope::inFirstTurn(Value value, scf::ForOp loop, OpBuilder &builder, IRMapping &first) {
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
