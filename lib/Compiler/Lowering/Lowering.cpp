//===- Lowering.cpp - structured lowering of one function -----------------===//

#include "Lowering/Lowering.h"
#include "Lowering/ScalarMath.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Compiler/ScalarResults.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Values that do not fit into one of the host.
static bool hasHome(Type type) { return isVectorValue(type) || isDescriptor(type); }

Type Lowering::lowered(Type type) {
  if (isa<PtrType, IndexType>(type))
    return IntegerType::get(type.getContext(), 64);
  // bf16 is carried by its bits: what hosts offer for it flushes denormals.
  if (type.isBF16())
    return IntegerType::get(type.getContext(), 16);
  // Signed and unsigned scalars are carried by their bits.
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

SiteId Lowering::siteOf(Operation *op) {
  if (Operation *original = originals.lookup(op))
    op = original;
  auto shared = sharedSites.find(op);
  if (shared != sharedSites.end() && shared->second != kNoSite)
    return shared->second;
  // What one operation of the text became is one site.
  if (auto origin = op->getAttrOfType<IntegerAttr>(kOriginAttr)) {
    auto [known, isNew] = origins.try_emplace(origin.getInt(), SiteId(sites.size()));
    if (!isNew)
      return known->second;
  }
  Site site;
  if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    site.place = {file.getFilename().str(), file.getLine(), file.getColumn()};
  site.op = op->getName().getStringRef().str();
  if (const InstrInfo *info = pto::infoOf(op))
    site.timing = info->timing;
  if (auto id = op->getAttrOfType<IntegerAttr>("id"); id && isa<SetFlagOp, WaitFlagOp>(op))
    if (auto event = op->getAttrOfType<StringAttr>("event"); event != "EVENT_ID" + std::to_string(id.getInt()))
      site.event = event.str();
  for (StringRef name : {"dist", "stride", "format"})
    if (auto token = op->getAttrOfType<StringAttr>(name); token && !op->hasAttr(kOriginAttr))
      site.token = token.str();
  Operation *next = op->hasAttr("pto.last") ? nullptr : op->getNextNode();
  while (next && op->hasAttr(kOriginAttr) && next->getAttr(kOriginAttr) == op->getAttr(kOriginAttr))
    next = next->getNextNode();
  if (next)
    if (auto file = next->getLoc()->findInstanceOf<FileLineColLoc>())
      site.next = {file.getFilename().str(), file.getLine(), file.getColumn()};
  site.block = blockNumbers.try_emplace(op->getBlock(), blockNumbers.size() + 1).first->second;
  site.loop = currentLoop;
  site.scope = scopeSite;
  site.depth = depth;
  SiteId id = sites.add(std::move(site));
  if (shared != sharedSites.end())
    shared->second = id;
  return id;
}

void Lowering::bindArguments(Block &entry, Value array) {
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    Value bits = b.load(b.i64(), b.ptrAdd(array, int64_t(i) * 8), 8);
    mapping.map(argument, b.fromBits(bits, lowered(argument.getType())));
  }
}

Value Lowering::address(Value base, Value index) {
  auto ptr = cast<PtrType>(base.getType());
  Value offset = b.mul(mapped64(index), b.const64(ptr.getElementBytes()));
  return b.add(mapped(base), offset);
}

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    b.loc = op.getLoc();
    if (op.hasAttr(kAutomaticAttr))
      beforeAutomatic(&op);
    if (failed(lowerOp(&op)))
      return failure();
  }
  // Blocks of scopes and functions end without a terminator of their own.
  if (!block.empty() && !block.back().hasTrait<OpTrait::IsTerminator>())
    if (failed(lowerOp(&block.back())))
      return failure();
  flush();
  return success();
}

/// A choice between such values is a branch that yields one of them: each lives
/// in a home, not in a value of the host.
static scf::IfOp branchOf(arith::SelectOp select) {
  OpBuilder builder(select);
  auto yields = [](Value value) {
    return [value](OpBuilder &inner, Location loc) { inner.create<scf::YieldOp>(loc, value); };
  };
  auto branch = builder.create<scf::IfOp>(select.getLoc(), select.getCondition(), yields(select.getTrueValue()),
                                          yields(select.getFalseValue()));
  select.getResult().replaceAllUsesWith(branch.getResult(0));
  return branch;
}

LogicalResult Lowering::lowerOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lowerIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return lowerWhile(loop);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && hasHome(select.getType()))
    return lowerIf(branchOf(select));
  if (isa<arith::ArithDialect>(op->getDialect()))
    return lowerArith(op);
  if (isMath(op))
    return lowerMath(op);
  if (isa<UnrealizedConversionCastOp>(op))
    return give(op, mapped(op->getOperand(0)));
  if (isVectorOp(op) || isa<func::CallOp>(op))
    return lowerInstr(op);
  return lowerScalar(op);
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

Lowering::LoopNumber Lowering::beginLoop(Operation *loop, SiteId &site) {
  site = siteOf(loop);
  LoopNumber number;
  if (options.numberLoops && depth < PTO_MAX_LOOP_DEPTH && !loop->hasAttr(kFirstTurnsAttr)) {
    int64_t array = inScope() ? abi::kScopeIterations : abi::kSuIterations;
    number.slot = b.ptrAdd(b.context, array + 8 * int64_t(depth));
    if (!loop->hasAttr(kOtherTurnsAttr))
      b.store(b.const64(0), number.slot);
  }
  currentLoop = site;
  ++depth;
  return number;
}

void Lowering::nextIteration(const LoopNumber &number) {
  if (number.slot)
    b.store(b.add(b.load(b.i64(), number.slot), b.const64(1)), number.slot);
}

void Lowering::endLoop(SiteId outer) {
  currentLoop = outer;
  --depth;
}

/// Splits values into those that stay SSA and those that need a home.
static SmallVector<Value> scalarsOf(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return !hasHome(value.getType()); }));
}

void Lowering::newHomes(ValueRange values) {
  for (Value value : values)
    if (hasHome(value.getType()))
      newHome(value);
}

void Lowering::mapScalars(ValueRange values, ValueRange lowered) {
  for (auto [value, scalar] : llvm::zip(scalarsOf(values), lowered))
    mapping.map(value, scalar);
}

void Lowering::shareHomes(ValueRange results, ValueRange carried) {
  for (auto [result, argument] : llvm::zip(results, carried))
    if (hasHome(result.getType()))
      shareHome(result, argument);
}

SmallVector<Value> Lowering::yieldTo(ValueRange carried, ValueRange sources) {
  flush();
  SmallVector<Value> scalars, homes, vectors;
  for (auto [home, source] : llvm::zip(carried, sources)) {
    if (hasHome(home.getType())) {
      homes.push_back(home);
      vectors.push_back(source);
    } else {
      scalars.push_back(mapped(source));
    }
  }
  assignHomes(homes, vectors);
  return scalars;
}

/// Of a loop with a positive step, which may end next to the largest number: i64.
Value Lowering::turnsOf(Value lower, Value upper, Value step) {
  Value one = b.create<arith::ConstantIntOp>(b.loc, 1, lower.getType());
  Value last = b.sub(b.sub(upper, lower), one);
  Value turns = b.toBits(b.create<arith::DivUIOp>(b.loc, last, step));
  return b.select(b.cmp(arith::CmpIPredicate::slt, lower, upper), b.add(turns, b.const64(1)), b.const64(0));
}

LogicalResult Lowering::lowerFor(scf::ForOp loop) {
  flush();
  Value lower = mapped(loop.getLowerBound()), upper = mapped(loop.getUpperBound()), step = mapped(loop.getStep());
  APInt constant;
  SiteId outer = currentLoop, site;
  LoopNumber number = beginLoop(loop, site);
  if (!matchPattern(loop.getStep(), m_ConstantInt(&constant))) {
    // A step that is not positive makes the loop empty and is reported.
    auto make = [&](int64_t value) -> Value { return b.create<arith::ConstantIntOp>(b.loc, value, step.getType()); };
    Value bad = b.cmp(arith::CmpIPredicate::sle, step, make(0));
    failIf(loop, bad, PTO_FAIL_LOOP_STEP, b.toI64(step));
    step = b.select(bad, make(1), step);
    upper = b.select(bad, lower, upper);
  }
  newHomes(loop.getRegionIterArgs());
  SmallVector<Value> inits = yieldTo(loop.getRegionIterArgs(), loop.getInitArgs());
  /// Fills a loop of the host with the turns; its induction variable is `turn`, or
  /// else the first of the values it carries.
  auto fill = [&](scf::ForOp lowered, bool carriesTurn) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    // The builder adds a terminator only to loops that carry nothing.
    if (!lowered.getBody()->empty())
      lowered.getBody()->back().erase();
    b.setInsertionPointToEnd(lowered.getBody());
    Value turn = carriesTurn ? lowered.getRegionIterArgs()[0] : lowered.getInductionVar();
    mapping.map(loop.getInductionVar(), turn);
    mapScalars(loop.getRegionIterArgs(), lowered.getRegionIterArgs().drop_front(carriesTurn));
    beginTurns(loop);
    if (failed(lowerBlock(*loop.getBody())))
      return failure();
    b.loc = loop.getLoc();
    SmallVector<Value> next = yieldTo(loop.getRegionIterArgs(), loop.getYieldedValues());
    endTurns(loop);
    nextIteration(number);
    backEdge(loop, site, next, /*finite=*/true);
    if (carriesTurn)
      next.insert(next.begin(), b.add(turn, step));
    b.create<scf::YieldOp>(b.loc, next);
    return success();
  };
  SmallVector<Value> results;
  if (!asksForTurns(loop)) {
    auto lowered = b.create<scf::ForOp>(b.loc, lower, upper, step, inits);
    if (failed(fill(lowered, false)))
      return failure();
    results = lowered.getResults();
  } else {
    // A loop over as many turns as are granted, inside one that asks for them.
    Value turns = turnsOf(lower, upper, step);
    inits.insert(inits.begin(), {turns, lower});
    SmallVector<Type> types(ValueRange(inits).getTypes());
    auto asking = b.create<scf::WhileOp>(b.loc, types, inits);
    SmallVector<Location> places(types.size(), b.loc);
    {
      OpBuilder::InsertionGuard guard(b);
      Block *before = b.createBlock(&asking.getBefore(), {}, types, places);
      Value left = before->getArgument(0), granted = grantedTurns(loop, site, left);
      auto lowered =
          b.create<scf::ForOp>(b.loc, b.const64(0), granted, b.const64(1), before->getArguments().drop_front());
      if (failed(fill(lowered, true)))
        return failure();
      SmallVector<Value> carried = {b.sub(left, granted)};
      llvm::append_range(carried, lowered.getResults());
      auto isNotZero = [&](Value value) { return b.cmp(arith::CmpIPredicate::ne, value, b.const64(0)); };
      b.create<scf::ConditionOp>(b.loc, b.andi(isNotZero(granted), isNotZero(carried[0])), carried);
      Block *after = b.createBlock(&asking.getAfter(), {}, types, places);
      b.create<scf::YieldOp>(b.loc, after->getArguments());
    }
    results = asking.getResults().drop_front(2);
  }
  endLoop(outer);
  mapScalars(loop.getResults(), results);
  shareHomes(loop.getResults(), loop.getRegionIterArgs());
  endFor(loop);
  return success();
}

LogicalResult Lowering::lowerIf(scf::IfOp branch) {
  flush();
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    if (hasHome(result.getType()))
      newHome(result);
    else
      types.push_back(lowered(result.getType()));
  bool hasElse = !branch.getElseRegion().empty();
  auto result = b.create<scf::IfOp>(b.loc, types, mapped(branch.getCondition()), /*addThenBlock=*/true,
                                    /*addElseBlock=*/hasElse);
  auto fill = [&](Block &source, Block &target) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    if (!target.empty())
      target.back().erase();
    b.setInsertionPointToEnd(&target);
    if (failed(lowerBlock(source)))
      return failure();
    b.loc = branch.getLoc();
    b.create<scf::YieldOp>(b.loc, yieldTo(branch.getResults(), source.getTerminator()->getOperands()));
    return success();
  };
  if (failed(fill(*branch.thenBlock(), *result.thenBlock())) ||
      (hasElse && failed(fill(*branch.elseBlock(), *result.elseBlock()))))
    return failure();
  mapScalars(branch.getResults(), result.getResults());
  return success();
}

LogicalResult Lowering::lowerWhile(scf::WhileOp loop) {
  flush();
  SiteId outer = currentLoop, site;
  LoopNumber number = beginLoop(loop, site);
  newHomes(loop.getAfterArguments());
  newHomes(loop.getBeforeArguments());
  SmallVector<Value> inits = yieldTo(loop.getBeforeArguments(), loop.getInits());
  SmallVector<Type> resultTypes;
  for (Value result : scalarsOf(loop.getResults()))
    resultTypes.push_back(lowered(result.getType()));
  auto result = b.create<scf::WhileOp>(b.loc, resultTypes, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> beforeTypes(ValueRange(inits).getTypes());
    Block *before =
        b.createBlock(&result.getBefore(), {}, beforeTypes, SmallVector<Location>(beforeTypes.size(), b.loc));
    mapScalars(loop.getBeforeArguments(), before->getArguments());
    if (failed(lowerBlock(*loop.getBeforeBody())))
      return failure();
    b.loc = loop.getLoc();
    scf::ConditionOp condition = loop.getConditionOp();
    SmallVector<Value> passed = yieldTo(loop.getAfterArguments(), condition.getArgs());
    Value goesOn = mapped(condition.getCondition());
    if (asksForTurns(loop))
      goesOn = b.andi(goesOn, b.cmp(arith::CmpIPredicate::ne, grantedTurns(loop, site, b.const64(1)), b.const64(0)));
    b.create<scf::ConditionOp>(b.loc, goesOn, passed);

    Block *after = b.createBlock(&result.getAfter(), {}, resultTypes, SmallVector<Location>(resultTypes.size(), b.loc));
    mapScalars(loop.getAfterArguments(), after->getArguments());
    if (failed(lowerBlock(*loop.getAfterBody())))
      return failure();
    b.loc = loop.getLoc();
    SmallVector<Value> next = yieldTo(loop.getBeforeArguments(), loop.getYieldOp().getResults());
    nextIteration(number);
    backEdge(loop, site, next, /*finite=*/false);
    b.create<scf::YieldOp>(b.loc, next);
  }
  endLoop(outer);
  mapScalars(loop.getResults(), result.getResults());
  shareHomes(loop.getResults(), loop.getAfterArguments());
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void Lowering::failIf(Operation *op, Value bad, uint32_t failure, Value value) {
  auto check = b.create<scf::IfOp>(b.loc, bad, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(check.thenYield());
  callMayFail("ptosc_fail", {b.context, constSite(op), b.const32(failure), value});
}

/// A scope runs to its end; elsewhere a failure stops the block.
void Lowering::callMayFail(StringRef function, ArrayRef<Value> arguments) {
  if (inScope())
    b.call(function, b.i32(), arguments);
  else
    b.callMayStop(function, arguments);
}

void Lowering::look(Operation *print, Value bytes) {
  const int64_t number = print->getAttrOfType<IntegerAttr>(kLookAttr).getInt();
  b.run("ptosc_look", {b.context, b.const32(number), bytes});
}

void Lowering::lookAtScalar(Operation *print) {
  Value bits = b.stack(8, 8);
  b.store(b.toBits(mapped(print->getOperand(0))), bits, 8);
  look(print, bits);
}

LogicalResult Lowering::lowerScalar(Operation *op) {
  auto query = [&](int64_t offset) { return give(op, b.load(b.i64(), b.ptrAdd(b.context, offset))); };
  if (isa<GetBlockIdxOp>(op))
    return query(abi::kBlockIdx);
  if (isa<GetBlockNumOp>(op))
    return query(abi::kBlockNum);
  if (isa<GetSubblockIdxOp>(op))
    return query(abi::kSubblockIdx);
  if (isa<GetSubblockNumOp>(op))
    return query(abi::kSubblockNum);
  if (auto cast = dyn_cast<CastPtrOp>(op)) {
    Value input = mapped(cast.getInput());
    Type type = cast.getResult().getType();
    // Addresses are unsigned.
    Value value = isa<PtrType>(cast.getInput().getType()) ? input : b.toBits(input);
    return give(op, isa<PtrType>(type) ? value : b.fromBits(value, lowered(type)));
  }
  if (isa<PtrToIntOp>(op))
    return give(op, b.fromBits(mapped(op->getOperand(0)), lowered(op->getResult(0).getType())));
  if (isa<IntToPtrOp>(op))
    return give(op, b.toBits(mapped(op->getOperand(0))));
  if (auto add = dyn_cast<AddPtrOp>(op))
    return give(op, address(add.getPtr(), add.getIndex()));
  if (isa<SBitSet0Op, SBitSet1Op>(op)) {
    Value bit = b.create<arith::ShLIOp>(b.loc, b.const64(1), b.andi(mapped(op->getOperand(1)), b.const64(63)));
    Value input = mapped(op->getOperand(0));
    return give(op, isa<SBitSet1Op>(op) ? b.ori(input, bit)
                                        : b.andi(input, b.create<arith::XOrIOp>(b.loc, bit, b.const64(-1))));
  }
  if (auto load = dyn_cast<LoadScalarOp>(op))
    return lowerLoadScalar(load);
  if (auto store = dyn_cast<StoreScalarOp>(op))
    return lowerStoreScalar(store);
  if (isa<LdDevOp, StDevOp>(op))
    return lowerDeviceAccess(op);
  return lowerInstr(op);
}

/// The host address of `target` if plain memory suffices: inside a scope, when no one
/// watches. Null: the access goes through the Machine.
Value Lowering::plainPlace(PtrType ptr, Value target) {
  if (!inScope() || ptr.getSpace() != Space::Ub || options.trackAccesses || options.bufferStores)
    return {};
  Value base = b.load(b.ptrType(), b.ptrAdd(b.context, abi::localBase(ptr.getSpace())));
  return b.ptrAdd(base, b.andi(target, b.const64(0xFFFFFFFF)));
}

void Lowering::callScalar(StringRef function, Operation *op, PtrType ptr, Value target, Value last) {
  callMayFail(function, {b.context, constSite(op), b.const32(unsigned(ptr.getSpace())), target,
                         b.const32(ptr.getElementBytes()), b.const32(inScope()), last});
}

/// Element `index` behind `base`, both lowered. An index that no memory has must not come back to one that it has,
/// times the bytes of an element (SMEM-5).
static Value elementAt(CodeBuilder &b, Value base, Value index, PtrType type) {
  constexpr int64_t kFar = int64_t(1) << 59; // times 8 bytes, and behind every pointer
  Value low = b.create<arith::MaxSIOp>(b.loc, index, b.const64(-kFar));
  Value limited = b.create<arith::MinSIOp>(b.loc, low, b.const64(kFar));
  return b.add(base, b.mul(limited, b.const64(type.getElementBytes())));
}

LogicalResult Lowering::lowerLoadScalar(LoadScalarOp load) {
  flush();
  auto ptr = cast<PtrType>(load.getPtr().getType());
  Type type = lowered(load.getValue().getType());
  if (Value place = plainPlace(ptr, address(load.getPtr(), load.getIndex())))
    return give(load, b.load(type, place, 1));
  Value target = elementAt(b, mapped(load.getPtr()), mapped64(load.getIndex()), ptr);
  Value result = b.stack(8, 8);
  callScalar("ptosc_load_scalar", load, ptr, target, result);
  return give(load, b.fromBits(b.load(b.i64(), result, 8), type));
}

LogicalResult Lowering::lowerStoreScalar(StoreScalarOp store) {
  flush();
  auto ptr = cast<PtrType>(store.getPtr().getType());
  Value target = elementAt(b, mapped(store.getPtr()), mapped64(store.getIndex()), ptr);
  Value value = mapped(store.getValue());
  if (Value place = plainPlace(ptr, address(store.getPtr(), store.getIndex())))
    b.store(value, place, 1);
  else
    callScalar("ptosc_store_scalar", store, ptr, target, b.toBits(value));
  return success();
}

/// Past the cache, so never plain memory: the Machine is told.
LogicalResult Lowering::lowerDeviceAccess(Operation *op) {
  flush();
  auto load = dyn_cast<LdDevOp>(op);
  Value base = load ? load.getPtr() : cast<StDevOp>(op).getPtr();
  Value index = load ? load.getIndex() : cast<StDevOp>(op).getIndex();
  auto ptr = cast<PtrType>(base.getType());
  Value target = elementAt(b, mapped(base), mapped64(index), ptr), bytes = b.const32(ptr.getElementBytes());
  if (!load) {
    callMayFail("ptosc_store_dev",
                {b.context, constSite(op), target, bytes, b.toBits(mapped(cast<StDevOp>(op).getValue()))});
    return success();
  }
  Value result = b.stack(8, 8);
  callMayFail("ptosc_load_dev", {b.context, constSite(op), target, bytes, result});
  return give(op, b.fromBits(b.load(b.i64(), result, 8), lowered(load.getValue().getType())));
}
