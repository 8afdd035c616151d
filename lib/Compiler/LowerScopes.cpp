//===- LowerScopes.cpp - pto-lower-scopes ---------------------------------===//
//
// Turns every outlined vector scope into host code: this file has the scope's
// frame (captures, values that cross regions); ScopeMasks.cpp has the masks,
// LaneRuns.cpp the lane groups.
//
//===----------------------------------------------------------------------===//

#include "ScopeLowering.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/RuntimeAbi.h"
#include "ptoscope/Compiler/ScalarResults.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

LogicalResult ScopeLowering::run(func::FuncOp function) {
  function.walk([](Operation *op) { detachScalarResults(op); });
  b.loc = function.getLoc();
  auto lowered = b.beginFunction((function.getName() + ".code").str(), LLVM::LLVMVoidType::get(b.getContext()),
                                 {b.ptrType(), b.ptrType()});
  scopeSite = siteOf(function);
  sites[scopeSite].op = "pto.vecscope";
  sites[scopeSite].timingClass = "scope";
  sites[scopeSite].scope = kNoSite;
  lowered->setAttr("pto.site", b.getI32IntegerAttr(int32_t(scopeSite)));
  bindArguments(function.getBody().front(), lowered.getBody().front().getArgument(1));
  localBase = b.load(b.ptrType(), b.ptrAdd(b.context, abi::localBase(Space::Ub)));
  if (failed(lowerBlock(function.getBody().front())))
    return failure();
  b.create<LLVM::ReturnOp>(b.loc, ValueRange());
  std::string name = function.getName().str();
  function.erase();
  lowered.setName(name);
  return success();
}

template <typename Op> void ScopeLowering::queueAccess(Op op, Value base) {
  RunOp item{op, siteOf(op)};
  item.address = mapped(base);
  item.affine = Affine::of(base);
  // The post-update form accesses the base itself.
  if (!op.getNext()) {
    unsigned bytes = cast<VRegType>(op.getValue().getType()).getElementBytes();
    item.address = b.add(item.address, b.mul(mapped64(op.getOffset()), b.const64(bytes)));
    item.affine += Affine::of(op.getOffset(), bytes);
  }
  pending.push_back(std::move(item));
}

LogicalResult ScopeLowering::lowerInstr(Operation *op) {
  if (isa<PsetB8Op, PsetB16Op, PsetB32Op>(op)) {
    lowerPset(op);
  } else if (isa<PltB8Op, PltB16Op, PltB32Op>(op)) {
    lowerPlt(op);
  } else if (auto fence = dyn_cast<MemBarOp>(op)) {
    flush();
    if (options.trackAccesses || options.bufferStores)
      b.call("ptosc_fence", LLVM::LLVMVoidType::get(b.getContext()),
             {b.context, constSite(op), b.const32(unsigned(*parseFence(fence.getKind())))});
  } else if (auto load = dyn_cast<VldsOp>(op)) {
    queueAccess(load, load.getSrc());
  } else if (auto store = dyn_cast<VstsOp>(op)) {
    queueAccess(store, store.getDst());
  } else if (isVectorOp(op)) {
    pending.push_back(RunOp{op, siteOf(op)});
  } else {
    return op->emitError() << "`" << op->getName() << "` cannot be lowered inside a vector scope";
  }
  return success();
}

Value ScopeLowering::loopCondition(Operation *loop, SiteId site, Value condition) {
  Value asked = b.call("ptosc_scope_poll", b.i32(), {b.context, b.const32(site)}).getResult();
  return b.andi(condition, b.cmp(arith::CmpIPredicate::eq, asked, b.const32(0)));
}

//===----------------------------------------------------------------------===//
// Homes of values that cross regions
//===----------------------------------------------------------------------===//

Value ScopeLowering::slotOf(Value reg) {
  RegisterValue &value = registerOf(reg);
  if (!value.slot)
    value.slot = b.stack(kVectorBytes, kGroupBytes);
  return value.slot;
}

void ScopeLowering::newHome(Value carried) {
  if (auto mask = dyn_cast<MaskType>(carried.getType())) {
    MaskValue value;
    value.kind = MaskValue::Slot;
    value.bytes = mask.getBytes();
    value.slot = b.stack(kVectorBytes, kGroupBytes);
    masks[carried] = value;
    return;
  }
  slotOf(carried);
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
  else
    registers[result] = RegisterValue(registers[carried]);
}

void ScopeLowering::assignHomes(ValueRange carried, ValueRange sources) {
  // Group by group: everything is read before anything of that group is written.
  SmallVector<std::pair<Value, Value>> registersToCopy;
  for (auto [home, source] : llvm::zip(carried, sources)) {
    if (isa<MaskType>(home.getType())) {
      MaskValue mask = maskOf(source, 0);
      // A mask home may be the source of another one; go through a copy.
      Value copy = b.stack(kVectorBytes, kGroupBytes);
      storeMask(mask, copy);
      registersToCopy.push_back({masks[home].slot, copy});
    } else if (home != source) {
      registersToCopy.push_back({slotOf(home), slotOf(source)});
    }
  }
  VectorType type = laneType(4);
  for (unsigned g = 0; g < kGroups; ++g) {
    SmallVector<Value> values;
    for (auto [to, from] : registersToCopy)
      values.push_back(b.load(type, b.ptrAdd(from, int64_t(g) * kGroupBytes), kGroupBytes));
    for (auto [pair, value] : llvm::zip(registersToCopy, values))
      b.store(value, b.ptrAdd(pair.first, int64_t(g) * kGroupBytes), kGroupBytes);
  }
  if (!options.trackAccesses)
    return;
  // The same for definedness and stamps.
  SmallVector<std::pair<Value, Value>> words;
  for (auto [home, source] : llvm::zip(carried, sources)) {
    if (isa<MaskType>(home.getType()) || home == source)
      continue;
    RegisterValue from = registers[source], to = registers[home];
    if (to.defined)
      for (int64_t w = 0; w < 4; ++w)
        words.push_back({b.ptrAdd(to.defined, 8 * w), from.defined ? b.load(b.i64(), b.ptrAdd(from.defined, 8 * w), 8)
                                                                   : b.const64(-1)});
    Value stamp;
    if (from.stamps.empty()) {
      stamp = b.const32(0);
    } else if (from.stamps.size() == 1) {
      stamp = b.load(b.i32(), from.stamps[0], 4);
    } else {
      Value array = b.stack(4 * int64_t(from.stamps.size()), 4);
      for (auto [i, pointer] : llvm::enumerate(from.stamps))
        b.store(b.load(b.i32(), pointer, 4), b.ptrAdd(array, int64_t(4 * i)), 4);
      stamp = b.call("ptosc_merge_stamps", b.i32(), {b.context, array, b.const32(int64_t(from.stamps.size()))}).getResult();
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
  LowerScopesPass(CodeOptions options, SiteTable *sites) : options(options), sites(sites ? sites : &ownSites) {}
  LowerScopesPass(const LowerScopesPass &other)
      : PassWrapper(other), options(other.options), sites(other.sites == &other.ownSites ? &ownSites : other.sites) {}
  StringRef getArgument() const final { return "pto-lower-scopes"; }
  StringRef getDescription() const final { return "turn vector scopes into lane groups"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr("pto.scope") && failed(ScopeLowering(getOperation(), options, *sites).run(function)))
        return signalPassFailure();
  }

  CodeOptions options;
  SiteTable ownSites;
  SiteTable *sites;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createLowerScopesPass(CodeOptions options, SiteTable *sites) {
  return std::make_unique<LowerScopesPass>(options, sites);
}
