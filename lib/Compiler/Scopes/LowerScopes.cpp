//===- LowerScopes.cpp - pto-lower-scopes ---------------------------------===//
//
// Turns every outlined vector scope into host code: this file has the scope's
// frame (captures, values that cross regions) and what becomes of each
// instruction: part of a run (LaneRuns.cpp, LaneGroups.cpp), a function of whole
// registers (ScopeRegisters.cpp), or an access of its own (ScopeMemory.cpp,
// ScopeStreams.cpp). ScopeMasks.cpp has the masks, ScopeChecks.cpp the checks,
// ScopeSchedules.cpp what timing needs. Vectors of any length become registers first
// (ExpandVmi.h), and what reaches across registers is in LowerSequences.cpp.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ExpandVmi.h"
#include "Scopes/ScopeLowering.h"
#include "Scopes/ScopeSchedules.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Compiler/ScalarResults.h"
#include "ptoscope/Compiler/ScopeSchedules.h"
#include "ptoscope/Machine/Runtime.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static uint64_t stepsOf(Region &region);

/// What instructions made ready and nobody needed: the less of it there is, the less has to be translated.
static void eraseUnused(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &inner : op.getRegions())
        eraseUnused(inner);
      if (isOpTriviallyDead(&op))
        op.erase();
    }
}

LogicalResult ScopeLowering::run(func::FuncOp function) {
  if (options.wholeLoops)
    splitLoops(function);
  const bool placed = options.placesLoops && placeLoops(function);
  function.walk([](Operation *op) {
    detachScalarResults(op);
    // Another view of the same image.
    if (auto view = dyn_cast<PbitcastOp>(op))
      view.getResult().replaceAllUsesWith(view.getSrc());
  });
  b.loc = function.getLoc();
  auto lowered = b.beginFunction((function.getName() + ".code").str(), b.voidType(), {b.ptrType(), b.ptrType()});
  scopeSite = siteOf(function);
  sites[scopeSite].op = "pto.vecscope";
  sites[scopeSite].timing = Timing::scope;
  sites[scopeSite].scope = kNoSite;
  lowered->setAttr("pto.site", b.getI32IntegerAttr(int32_t(scopeSite)));
  if (placed)
    lowered->setAttr(kPlacedAttr, b.getUnitAttr());
  bindArguments(function.getBody().front(), lowered.getBody().front().getArgument(1));
  localBase = b.load(b.ptrType(), b.ptrAdd(b.context, abi::localBase(Space::Ub)));
  prepareStreams(function);
  uint64_t steps = stepsOf(function.getBody());
  if (failed(lowerBlock(function.getBody().front())))
    return failure();
  takeSteps(steps);
  b.create<LLVM::ReturnOp>(b.loc, ValueRange());
  b.endFunction();
  eraseUnused(lowered.getBody());
  std::string name = function.getName().str();
  function.erase();
  lowered.setName(name);
  return success();
}

/// Instructions of a run, at most.
static constexpr size_t kMaxRun = 128;

void ScopeLowering::queue(RunOp item) {
  // Checks and buffered stores read a mask before the run that uses it.
  if (options.trackAccesses || options.bufferStores) {
    bool madeHere = llvm::any_of(item.op->getOperands(), [&](Value operand) {
      return isa<MaskType>(operand.getType()) &&
             llvm::any_of(pending, [&](RunOp &other) { return other.op == operand.getDefiningOp(); });
    });
    if (madeHere)
      flush();
  }
  for (Value result : item.op->getResults())
    if (isa<MaskType>(result.getType()))
      masks[result] = MaskValue::bits(imageBytes(item.op));
  // LLVM takes more than linear time for very long blocks.
  if (pending.size() == kMaxRun)
    flush();
  pending.push_back(std::move(item));
}

void ScopeLowering::queueAccess(Operation *op, const LoadDist *load, const StoreDist *store, Value base, Value offset,
                                Value reg, Value next) {
  RunOp item{op, siteOf(op), load, store};
  item.alignment = load ? load->alignment : store->alignment;
  item.address = mapped(base);
  item.affine = Affine::of(base);
  if (!next) {
    unsigned bytes = cast<VRegType>(reg.getType()).getElementBytes();
    item.address = b.add(item.address, b.mul(mapped64(offset), b.const64(bytes)));
    item.affine += Affine::of(offset, bytes);
  }
  // What a vector of another length than a register says of its window.
  if (auto own = op->getAttrOfType<IntegerAttr>(kBytesAttr); own && own.getInt() < int64_t(item.window()))
    item.bytes = unsigned(own.getInt());
  if (auto own = op->getAttrOfType<IntegerAttr>(kAlignmentAttr))
    item.alignment = unsigned(own.getInt());
  queue(std::move(item));
}

/// Instructions that have a meaning, on lanes or on whole registers.
LogicalResult ScopeLowering::lowerMeaning(Operation *op) {
  const InstrInfo *info = infoOf(op);
  auto bytes = [&] { return cast<VRegType>(op->getResult(0).getType()).getElementBytes(); };
  if (info && info->meaning == MeaningKind::Lanes) {
    if (options.trackAccesses && (info->name == "vshl" || info->name == "vshr"))
      checkCounts(op);
    if (options.trackAccesses && (info->name == "vshls" || info->name == "vshrs")) {
      Value count = mapped64(op->getOperand(1)), last = b.const64(8 * bytes() - 1);
      failIf(op, b.cmp(arith::CmpIPredicate::ugt, count, last), PTO_WARN_SHIFT_COUNT, count);
    }
    queue(RunOp{op, siteOf(op)});
    return success();
  }
  if (!info || info->meaning != MeaningKind::Register)
    return op->emitError() << "`" << op->getName() << "` cannot be lowered inside a vector scope";
  if (failed(lowerRegisterOp(op, *info)))
    return failure();
  if (lastSqueezed && isa<VsqzOp, VusqzOp>(op))
    lowerSqueezeCount(op, op->getOperands().back(), bytes());
  return success();
}

LogicalResult ScopeLowering::lowerInstr(Operation *op) {
  LogicalResult result = success();
  auto load = [&](StringRef dist, auto access, Value reg, Value next = {}) {
    queueAccess(op, findLoadDist(dist), nullptr, access.getSrc(), access.getOffset(), reg, next);
  };
  auto store = [&](StringRef dist, auto access, Value reg, Value next = {}) {
    queueAccess(op, nullptr, findStoreDist(dist), access.getDst(), access.getOffset(), reg, next);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<PsetB8Op, PsetB16Op, PsetB32Op>([&](auto set) { lowerPset(op, set.getPattern()); })
      .Case<PgeB8Op, PgeB16Op, PgeB32Op>([&](auto set) {
        if (set.getCount())
          lowerPlt(op, set.getCount());
        else
          lowerPset(op, *set.getPattern());
      })
      .Case<PltB8Op, PltB16Op, PltB32Op>([&](auto tail) { lowerPlt(op, tail.getCount()); })
      .Case<PltmB8Op, PltmB16Op, PltmB32Op>([&](auto tail) { lowerPltm(op, tail.getTurn(), tail.getBound()); })
      .Case([&](func::CallOp count) {
        if (isSequence(count))
          return void(result = lowerSequence(count));
        if (count->hasAttr(kWholeLoopAttr))
          return lowerWholeLoop(count);
        const int64_t region = count->getAttrOfType<IntegerAttr>(kRegionAttr).getInt();
        Value counters = b.load(b.ptrType(), b.ptrAdd(b.context, abi::kScopeTurns));
        Value slot = b.ptrAdd(counters, 8 * region);
        Value turns = count.getNumOperands() ? mapped64(count.getOperand(0)) : b.const64(1);
        b.store(b.add(b.load(b.i64(), slot), turns), slot);
      })
      .Case([&](TPrintOp print) {
        flush();
        Value value = print.getValue();
        if (isa<VRegType>(value.getType()))
          look(op, slotOf(value));
        else if (isa<MaskType>(value.getType()))
          look(op, imageOf(value));
        else
          lookAtScalar(op);
      })
      .Case([&](MemBarOp fence) {
        flush();
        if (options.trackAccesses || options.bufferStores)
          b.run("ptosc_fence", {b.context, constSite(op), b.const32(unsigned(*parseFence(fence.getKind())))});
      })
      .Case([&](VldsOp access) { load(access.getDist(), access, access.getValue(), access.getNext()); })
      .Case([&](Vldsx2Op access) { load(access.getDist(), access, access.getLow(), access.getNext()); })
      .Case([&](VsldOp access) { load(access.getStride(), access, access.getValue()); })
      .Case([&](UvldOp access) {
        load("NORM", access, access.getValue());
        pending.back().alignment = 1;
      })
      .Case([&](VstsOp access) { store(access.getDist(), access, access.getValue(), access.getNext()); })
      .Case([&](Vstsx2Op access) { store(access.getDist(), access, access.getLow()); })
      .Case([&](VsstOp access) { store(access.getStride(), access, access.getValue()); })
      .Case<Vgather2Op, Vgather2BcOp, VgatherbOp, VsldbOp>([&](auto) { lowerGather(op); })
      .Case<VscatterOp, VsstbOp>([&](auto) { lowerScatter(op); })
      .Case<PldsOp, PldiOp>(
          [&](auto access) { lowerPredicateLoad(op, access.getSrc(), access.getOffset(), access.getDist()); })
      .Case<SprstiOp, SprstsOp>(
          [&](auto access) { lowerSpecialStore(op, access.getDst(), access.getOffset(), access.getNext()); })
      .Case<PstsOp, PstiOp>([&](auto access) {
        lowerPredicateStore(op, access.getMask(), access.getDst(), access.getOffset(), access.getDist());
      })
      .Case<VldasOp, VldusOp, InitAlignOp, SprclrOp, VstusOp, VstuOp, VsturOp, PstuOp, VstasOp, VstaOp, VstarOp>(
          [&](auto) { result = lowerStream(op); })
      .Case([&](VdupOp dup) { lowerDup(dup); })
      .Case([&](PbitcastOp) {})
      .Case<PandOp, PorOp, PxorOp, PnotOp, PselOp, VselOp, VbitcastOp, VmovOp, VbrOp, VciOp>(
          [&](auto) { queue(RunOp{op, siteOf(op)}); })
      .Default([&](Operation *) { result = lowerMeaning(op); });
  return result;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Loops that take no more steps than this in all, as the text says, need not ask.
static constexpr uint64_t kShortLoop = 4096;

static uint64_t stepsOf(Operation *op);

/// Steps of the block's own instructions and short loops; of a branch the longer arm.
static uint64_t stepsOf(Region &region) {
  uint64_t steps = 0;
  for (Block &block : region)
    for (Operation &op : block)
      steps += stepsOf(&op);
  return steps;
}

/// A turn is a step, too.
static uint64_t stepsOfTurn(Operation *loop) {
  uint64_t steps = 1;
  for (Region &region : loop->getRegions())
    steps += stepsOf(region);
  return std::min<uint64_t>(steps, INT32_MAX);
}

/// What a short loop takes; nothing when the text does not say that it is one.
static std::optional<uint64_t> stepsOfShort(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  APInt lower, upper, step;
  if (!loop || !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  // Behind the last turn the counter must not pass the largest number.
  auto from = __int128(lower.getSExtValue()), to = __int128(upper.getSExtValue()), by = __int128(step.getSExtValue());
  if (by <= 0 || to + by > __int128(APInt::getSignedMaxValue(upper.getBitWidth()).getSExtValue()))
    return std::nullopt;
  __int128 turns = from < to ? (to - from + by - 1) / by : 0, steps = turns * stepsOfTurn(loop);
  return steps <= kShortLoop ? std::optional(uint64_t(steps)) : std::nullopt;
}

static uint64_t stepsOf(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return std::max(stepsOf(branch.getThenRegion()), stepsOf(branch.getElseRegion()));
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return stepsOfShort(op).value_or(0);
  return isa<PTODialect>(op->getDialect()) && !isa<TPrintOp>(op);
}

bool ScopeLowering::asksForTurns(Operation *loop) { return !stepsOfShort(loop); }

void ScopeLowering::takeSteps(uint64_t steps) {
  Value left = b.ptrAdd(b.context, abi::kScopeSteps);
  b.store(b.sub(b.load(b.i64(), left), b.const64(int64_t(steps))), left);
}

Value ScopeLowering::grantedTurns(Operation *loop, SiteId site, Value turns) {
  auto cost = int64_t(stepsOfTurn(loop));
  Value slot = b.ptrAdd(b.context, abi::kScopeSteps), left = b.load(b.i64(), slot);
  Value bounded = b.create<arith::MinUIOp>(b.loc, turns, b.const64(INT32_MAX));
  Value wanted = b.mul(bounded, b.const64(cost));
  auto choice = b.create<scf::IfOp>(b.loc, TypeRange(b.i64()), b.cmp(arith::CmpIPredicate::sle, wanted, left),
                                    /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(choice.thenBlock());
  b.store(b.sub(left, wanted), slot);
  b.create<scf::YieldOp>(b.loc, turns);
  b.setInsertionPointToEnd(choice.elseBlock());
  Value granted = b.call("ptosc_scope_turns", b.i64(), {b.context, b.const32(site), turns, b.const32(cost)});
  b.create<scf::YieldOp>(b.loc, granted);
  return choice.getResult(0);
}

//===----------------------------------------------------------------------===//
// Homes of values that cross regions
//===----------------------------------------------------------------------===//

static int64_t slotBytes(Type type) {
  return isa<VRegType>(type) ? int64_t(kVectorBytes) : isa<MaskType>(type) ? 32 : 64;
}

Value ScopeLowering::slotOf(Value reg) {
  RegisterValue &value = registerOf(reg);
  if (!value.slot)
    value.slot = b.stack(slotBytes(reg.getType()), kGroupBytes);
  return value.slot;
}

void ScopeLowering::newHome(Value carried) {
  if (isa<MaskType>(carried.getType())) {
    // nothing is known of the images that come in
    masks[carried] = MaskValue::bits();
  }
  slotOf(carried);
  if (Value next = rawNext(carried)) {
    registerOf(carried).rawNaN = true;
    registerOf(next).rawNaN = true;
  }
  if (options.trackDefined)
    registerOf(carried).defined = b.stack(32, 8);
  if (options.trackAccesses) {
    Value stamp = b.stack(4, 4);
    registerOf(carried).stamps = {stamp};
  }
}

void ScopeLowering::shareHome(Value result, Value carried) {
  if (isa<MaskType>(result.getType()))
    masks[result] = MaskValue(masks[carried]);
  registers[result] = RegisterValue(registers[carried]);
  if (registerOf(result).rawNaN)
    makeCanonical(result);
}

void ScopeLowering::assignHomes(ValueRange carried, ValueRange sources) {
  // Everything is read before anything is written: a source may be a home.
  SmallVector<std::pair<Value, Value>> pieces; // place, value
  auto copy = [&](Value to, Value from, int64_t bytes, VectorType type) {
    for (int64_t at = 0; at < bytes; at += kGroupBytes)
      pieces.push_back({b.ptrAdd(to, at), b.load(type, b.ptrAdd(from, at), std::min<int64_t>(bytes, kGroupBytes))});
  };
  for (auto [home, source] : llvm::zip(carried, sources)) {
    if (home == source)
      continue;
    bool mask = isa<MaskType>(home.getType());
    copy(slotOf(home), mask ? imageOf(source) : slotOf(source), slotBytes(home.getType()),
         mask ? VectorType::get(4, b.i64()) : laneType(4));
  }
  for (auto [to, value] : pieces)
    b.store(value, to);
  if (!options.trackAccesses)
    return;
  // The same for definedness and stamps.
  SmallVector<std::pair<Value, Value>> words;
  for (auto [home, source] : llvm::zip(carried, sources)) {
    if (home == source)
      continue;
    RegisterValue from = registers[source], to = registers[home];
    if (to.defined)
      for (int64_t w = 0; w < 4; ++w)
        words.push_back({b.ptrAdd(to.defined, 8 * w),
                         from.defined ? b.load(b.i64(), b.ptrAdd(from.defined, 8 * w), 8) : b.const64(-1)});
    Value stamp;
    if (from.stamps.empty()) {
      stamp = b.const32(0);
    } else if (from.stamps.size() == 1) {
      stamp = b.load(b.i32(), from.stamps[0], 4);
    } else {
      stamp = b.call("ptosc_merge_stamps", b.i32(),
                     {b.context, stampArray(from.stamps), b.const32(int64_t(from.stamps.size()))});
    }
    words.push_back({to.stamps[0], stamp});
  }
  for (auto [pointer, value] : words)
    b.store(value, pointer);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct LowerScopesPass : PassWrapper<LowerScopesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerScopesPass)
  LowerScopesPass(CodeOptions options, SiteTable *sites, timing::ScopeSchedules *schedules)
      : options(options), sites(sites ? sites : &ownSites), schedules(schedules) {}
  LowerScopesPass(const LowerScopesPass &other)
      : PassWrapper(other), options(other.options), sites(other.sites == &other.ownSites ? &ownSites : other.sites),
        schedules(other.schedules) {}
  StringRef getArgument() const final { return "pto-lower-scopes"; }
  StringRef getDescription() const final { return "turn vector scopes into lane groups"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr("pto.scope") && failed(lower(function)))
        return signalPassFailure();
  }

  LogicalResult lower(func::FuncOp function) {
    if (hasVmi(function) && failed(expandVmi(function)))
      return failure();
    if (!schedules)
      return ScopeLowering(getOperation(), options, *sites).run(function);
    std::string name = function.getName().str();
    SiteId first = SiteId(sites->size());
    timing::ScopeSchedule schedule = describeScope(function, *sites);
    SiteId last = SiteId(sites->size());
    if (failed(ScopeLowering(getOperation(), options, *sites).run(function)))
      return failure();
    auto lowered = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name);
    schedule.site = SiteId(lowered->getAttrOfType<IntegerAttr>("pto.site").getInt());
    schedule.regions[0].site = schedule.site;
    for (SiteId site = first; site < last; ++site)
      (*sites)[site].scope = schedule.site;
    schedules->add(std::move(schedule));
    return success();
  }

  CodeOptions options;
  SiteTable ownSites;
  SiteTable *sites;
  timing::ScopeSchedules *schedules;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createLowerScopesPass(CodeOptions options, SiteTable *sites) {
  return createLowerScopesPass(options, sites, nullptr);
}

std::unique_ptr<Pass> ptoscope::createLowerScopesPass(CodeOptions options, SiteTable *sites,
                                                      timing::ScopeSchedules *schedules) {
  return std::make_unique<LowerScopesPass>(options, sites, schedules);
}
