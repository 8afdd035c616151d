//===- VerifyProgram.cpp - pto-verify-program -----------------------------===//
//
// Rules that concern an instruction's surroundings: scopes, sections, kernels,
// pipes of the core, what the profile has, and which upstream operations a
// program may use. Rules of a single instruction are in its own verifier.
//
//===----------------------------------------------------------------------===//

#include "Lowering/ScalarMath.h"
#include "Verify/ScopeFunctions.h"
#include "Verify/VerifyPipes.h"
#include "Verify/VerifyTiles.h"
#include "Verify/VerifyVector.h"
#include "Verify/VerifyVmi.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Compiler/TileLife.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

struct VerifyProgramPass : PassWrapper<VerifyProgramPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyProgramPass)
  explicit VerifyProgramPass(const Profile *profile) : profile(profile ? profile : findProfile("a5")) {}
  StringRef getArgument() const final { return "pto-verify-program"; }
  StringRef getDescription() const final { return "check the rules that span several instructions"; }

  void runOnOperation() override {
    coreKinds = {};
    callees = {};
    storesMat.reset();
    inlinedSizes.clear();
    kernels.clear();
    for (func::FuncOp kernel : kernelsOf(getOperation()))
      kernels.insert(kernel);
    inScopes = ScopeFunctions(getOperation());
    bool ok = succeeded(verifyVmi(getOperation(), *profile));
    getOperation().walk([&](func::FuncOp function) { ok &= succeeded(verifyFunction(function)); });
    getOperation().walk([&](Operation *op) {
      // One report per operation: the first rule it breaks.
      if (ok || op->getParentOfType<func::FuncOp>())
        ok &= succeeded(verifyOp(op));
    });
    getOperation().walk([&](func::FuncOp function) { ok = ok && succeeded(verifyStreams(function)); });
    ok = ok && succeeded(verifyLevels(getOperation())) && succeeded(ptoscope::verifyPipes(getOperation(), *profile));
    if (!ok)
      signalPassFailure();
  }

  /// Calls are inlined, so recursion has no meaning and a function that calls
  /// another twice doubles it. Tells the operations of `function` with everything
  /// it calls; each function is looked at once.
  FailureOr<uint64_t> verifyCalls(func::FuncOp function, SmallVectorImpl<func::FuncOp> &callers) {
    constexpr size_t kMaxDepth = 1024;
    constexpr uint64_t kMaxOperations = 1'000'000;
    if (auto known = inlinedSizes.find(function); known != inlinedSizes.end())
      return known->second;
    uint64_t size = 0;
    callers.push_back(function);
    WalkResult result = function.walk([&](Operation *op) {
      ++size;
      auto call = dyn_cast<func::CallOp>(op);
      if (!call)
        return WalkResult::advance();
      auto callee = callees.of(call);
      if (!callee || callee.isExternal())
        return WalkResult(call.emitError() << "@" << call.getCallee() << " has no body to call");
      if (llvm::is_contained(callers, callee))
        return WalkResult(call.emitError() << "@" << call.getCallee() << " calls itself; recursion is not allowed");
      if (callers.size() == kMaxDepth)
        return WalkResult(call.emitError() << "calls nest deeper than " << kMaxDepth << " levels");
      FailureOr<uint64_t> called = verifyCalls(callee, callers);
      if (failed(called))
        return WalkResult::interrupt();
      size += *called;
      if (size > kMaxOperations)
        return WalkResult(call.emitError()
                          << "calls are inlined, and with this one @" << function.getName() << " has more than "
                          << kMaxOperations << " operations; write the repetition as a loop (`scf.for`)");
      return WalkResult::advance();
    });
    callers.pop_back();
    if (result.wasInterrupted())
      return failure();
    inlinedSizes[function] = size;
    return size;
  }

  /// P1: at most one section of a kind.
  LogicalResult verifySections(func::FuncOp function) {
    DenseMap<OperationName, Operation *> first;
    WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<SectionCubeOp, SectionVectorOp>(op))
        return WalkResult::advance();
      auto [it, isNew] = first.try_emplace(op->getName(), op);
      if (isNew)
        return WalkResult::advance();
      InFlightDiagnostic diag = breaks(op, "P1") << "a function has at most one section of a kind";
      diag.attachNote(it->second->getLoc()) << "the first one is here";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult verifyFunction(func::FuncOp function) {
    SmallVector<func::FuncOp> callers;
    const bool kernel = kernels.contains(function);
    if (failed(verifySections(function)) || (kernel && failed(verifyCalls(function, callers))))
      return failure();
    if (kernel && function.getNumResults())
      return breaks(function, "P2") << "a kernel returns nothing";
    if (!function.isExternal() && !llvm::hasSingleElement(function.getBody()))
      return emitCoded(function.emitError(), "not-modelled")
             << "branches between blocks are not modelled; use `scf.for`, `scf.while` and `scf.if`";
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      if (isVectorValue(type) && !isVmiValue(type))
        return function.emitError() << "parameter " << i << " of @" << function.getName() << " breaks P5: " << type
                                    << " values do not leave their vector scope";
      if (isa<StructType, LocalArrayType>(type))
        return function.emitError() << "parameter " << i << " of @" << function.getName() << " breaks "
                                    << (isa<StructType>(type) ? "TVAL-5" : "TVAL-2") << ": " << type
                                    << " values stay in their function";
      auto ptr = dyn_cast<PtrType>(type);
      if (kernel && ptr && ptr.getSpace() != Space::Gm)
        return function.emitError() << "parameter " << i << " of kernel @" << function.getName() << " points into "
                                    << nameOf(ptr.getSpace()) << "; kernel parameters can point into gm only";
      if (kernel && !ptr && !type.isIntOrIndexOrFloat())
        return function.emitError() << "parameter " << i << " of kernel @" << function.getName() << " has type " << type
                                    << "; parameters are gm pointers, integers, index and floats";
    }
    return success();
  }

  LogicalResult verifyOp(Operation *op) {
    Dialect *dialect = op->getDialect();
    if (!isa<ModuleOp, func::FuncOp>(op) && !op->getParentOfType<func::FuncOp>())
      return op->emitError() << "`" << op->getName() << "` stands outside of any function";
    if (!isa_and_nonnull<PTODialect>(dialect))
      return verifyUpstream(op);
    if (failed(verifyProfile(op)))
      return failure();
    for (Type type :
         llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes())))
      if (failed(verifyElementOnProfile(op, type)))
        return failure();
    bool kept = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>) ||
                llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
    if (kept && infoOf(op)->family == Family::Tile)
      return breaks(op, "TIR-8")
             << "extents and strides of its memref must be numbers, and one with strides of its own "
                "must be used as a view only";
    if (isa<TileInstr>(op) && profile && failed(verifyTileInstr(op, *profile)))
      return failure();
    if (profile && failed(verifyTilePlace(op, *profile)))
      return failure();
    Operation *scope = scopeAround(op), *scopeFunction = inScopes.around(op);
    if (scopeFunction && isScope(op))
      return breaks(op, "P4") << "vector scopes do not nest, and one calls this function";
    if (!scope)
      scope = scopeFunction;
    if (isVectorOp(op) && !scope)
      return breaks(op, isa<MemBarOp>(op)                       ? "S5"
                        : isa<SprclrOp, SprstiOp, SprstsOp>(op) ? "SCOPE-1"
                                                                : "P3")
             << "it must stand inside a vector scope (`pto.vecscope`)";
    bool allowedInScope = isVectorOp(op) || isMemoryEffectFree(op) || isa<LoadScalarOp, StoreScalarOp>(op);
    if (scope && !isScope(op) && !allowedInScope) {
      InFlightDiagnostic diag = breaks(op, "S5") << "it may not stand inside a vector scope";
      diag.attachNote(scope->getLoc()) << "the scope starts here";
      return diag;
    }
    if (auto function = op->getParentOfType<func::FuncOp>(); isa<LdDevOp, StDevOp>(op) && !kernels.contains(function))
      return breaks(op, "DEV-2") << "it stands in @" << function.getName() << ", which is not a kernel";
    if (failed(verifyVectorUse(op, *profile)))
      return failure();
    return verifyPipes(op);
  }

  /// S11: the profile has the instruction, under the name that was written.
  LogicalResult verifyProfile(Operation *op) {
    const InstrInfo *info = findInstr(op->getName().stripDialect());
    auto written = op->getLoc()->findInstanceOf<NameLoc>();
    const AliasInfo *alias = written ? findAlias(written.getName()) : nullptr;
    if (alias && alias->name != info->name)
      alias = nullptr; // a location of the program's own
    const ProfileSet profiles = alias ? alias->profiles : info->profiles;
    if (!profiles.has(profile->id))
      return emitCoded(op->emitError(), "not-on-profile")
             << "`" << op->getName() << "` does not exist on " << profile->name << ", only on " << profiles.text();
    if (!info->profiles.has(profile->id))
      return emitCoded(op->emitError(), "not-modelled") << "`" << op->getName() << "` is not modelled on "
                                                        << profile->name << ", only on " << info->profiles.text();
    return success();
  }

  /// P13: 8- and 4-bit floats exist on a5 only.
  LogicalResult verifyElementOnProfile(Operation *op, Type type) {
    Type element = type;
    if (auto ptr = dyn_cast<PtrType>(type)) {
      if (!ptr.isResolved())
        return op->emitError() << "`" << op->getName() << "` has a bare `!pto.ptr`; write it as `!pto.ptr<T, space>`";
      element = ptr.getElement();
    } else if (auto vreg = dyn_cast<VRegType>(type))
      element = vreg.getElement();
    else if (auto tile = dyn_cast<TileBufType>(type))
      element = tile.getElement();
    else if (auto view = dyn_cast<TensorViewType>(type))
      element = view.getElement();
    if (profile->name == "a5" && element && element.isInteger(4) && infoOf(op)->pipe == Pipe::M)
      return emitCoded(op->emitError(), "not-on-profile")
             << "products of " << element << " do not exist on a5, only on a3 a2 (MAD-9)";
    if (profile->name == "a5" || !isa_and_nonnull<Float8E4M3FNType, Float8E5M2Type, Hif8Type, Hif8x2Type, F8E8M0Type,
                                                  F4E1M2x2Type, F4E2M1x2Type>(element))
      return success();
    return emitCoded(op->emitError(), "not-on-profile")
           << element << " does not exist on " << profile->name << ", only on a5";
  }

  /// S6: ids that the text gives, and what A2/A3 would make of a mode.
  LogicalResult verifySemaphore(Operation *op, CoreKind kind) {
    const bool intra = isa<SetIntraBlockOp, WaitIntraCoreOp>(op);
    if (auto id = op->getAttrOfType<IntegerAttr>("static_id"); id && (intra || isa<SyncSetOp, SyncWaitOp>(op)))
      if (!profile->pipeSemaphores && id.getInt() > 15)
        return breaks(op, "S6") << "semaphore id " << id.getInt() << " is outside 0 to 15 on a "
                                << (kind == CoreKind::AIC ? "cube" : "vector") << " core of " << profile->name;
    if (intra && !profile->pipeSemaphores && !op->hasAttr("target"))
      return emitCoded(op->emitError(), "not-on-profile")
             << "`" << op->getName() << "` breaks S11: without a pipe it does not exist on " << profile->name
             << ", only on a5";
    if (auto mode = op->getAttrOfType<IntegerAttr>("ffts_mode");
        mode && mode.getInt() == 1 && kind == CoreKind::AIC && isa<SyncSetOp>(op))
      return breaks(op, "S6") << "ffts_mode 1 joins the vector cores of a cluster; a cube core does not send it";
    return verifySemaphorePipe(op);
  }

  /// S6: on A5 only some pipes signal and wait between cores.
  LogicalResult verifySemaphorePipe(Operation *op) {
    auto target = op->getAttrOfType<PipeAttr>("target");
    if (!profile->pipeSemaphores || !target ||
        !isa<SyncSetOp, SyncWaitOp, SetIntraBlockOp, WaitIntraCoreOp, SetCrossBlockOp, WaitCrossBlockOp>(op))
      return success();
    Pipe pipe = target.getValue();
    bool set = isa<SyncSetOp, SetIntraBlockOp, SetCrossBlockOp>(op);
    if (llvm::is_contained({Pipe::FIX, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::V}, pipe))
      return success();
    return breaks(op, "S6") << nameOf(pipe) << " cannot " << (set ? "signal" : "wait for")
                            << " another core; use PIPE_FIX, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3 or PIPE_V";
  }

  /// IRSTORE-1: what MTE3 of a cube core is for.
  static bool isStoreOfMat(Operation *op) {
    if (!isa<TileInstr>(op) || !op->getName().stripDialect().starts_with("tstore"))
      return false;
    FailureOr<TileBinding> bound = TileInstr(op).bind(/*emits=*/false);
    return succeeded(bound) && bound->form->record->gm == tile::Gm::Store &&
           cast<TileBufType>(bound->tiles[0].getType()).getSpace() == Space::L1;
  }

  /// Does some instruction of the module? Few programs ask.
  bool hasStoreOfMat() {
    if (!storesMat)
      storesMat =
          getOperation()
              .walk([](Operation *op) { return isStoreOfMat(op) ? WalkResult::interrupt() : WalkResult::advance(); })
              .wasInterrupted();
    return *storesMat;
  }

  /// S1, P11: the core that runs `op` has the pipes it names.
  LogicalResult verifyPipes(Operation *op) {
    std::optional<CoreKind> kind = coreKinds.of(op);
    if (!kind) {
      // Both kinds of core run the common part; it is for the scalar unit alone.
      if (infoOf(op)->pipe == Pipe::S)
        return success();
      return breaks(op, "P1") << "it stands in the part that cube and vector cores share; it belongs into a section";
    }
    auto check = [&](Pipe pipe) -> LogicalResult {
      if (hasPipe(*kind, pipe) || (pipe == Pipe::MTE3 && hasStoreOfMat()))
        return success();
      return breaks(op, "S1") << "a " << (*kind == CoreKind::AIV ? "vector" : "cube") << " core has no "
                              << nameOf(pipe);
    };
    for (StringRef name : {"src", "dst", "target"})
      if (auto pipe = op->getAttrOfType<PipeAttr>(name))
        if (failed(check(pipe.getValue())))
          return failure();
    const InstrInfo *info = findInstr(op->getName().stripDialect());
    // MTE2 serves both kinds: its destination tells which one.
    std::optional<Pipe> pipe = info->pipe;
    Space loads = loadedSpace(op);
    if (FailureOr<TileBinding> bound = failure(); isa<TileInstr>(op) && succeeded(bound = TileInstr(op).bind(false))) {
      pipe = pipeOfTile(*bound, *profile);
      if (bound->form->record->gm == tile::Gm::Load)
        loads = cast<TileBufType>(bound->tiles[0].getType()).getSpace();
    }
    if (*kind != CoreKind::Unified && loads == (*kind == CoreKind::AIV ? Space::L1 : Space::Ub))
      return breaks(op, "P11") << "a " << (*kind == CoreKind::AIV ? "vector" : "cube") << " core cannot load into "
                               << (*kind == CoreKind::AIV ? "l1" : "ub");
    if (failed(verifySemaphore(op, *kind)))
      return failure();
    if (pipe && !hasPipe(*kind, *pipe) && !isStoreOfMat(op))
      return breaks(op, "P11") << "a " << (*kind == CoreKind::AIV ? "vector" : "cube")
                               << " core cannot execute it (it runs on " << nameOf(*pipe) << ")";
    return success();
  }

  /// IRCORE-3: a function of one kind runs on cores of its kind.
  LogicalResult verifyCall(func::CallOp call) {
    auto callee = callees.of(call);
    std::optional<CoreKind> stated = callee ? statedKind(callee) : std::nullopt, kind = coreKinds.of(call);
    auto text = [](CoreKind kind) { return kind == CoreKind::AIV ? "vector" : "cube"; };
    if (stated && kind && *stated != *kind)
      return breaks(call, "IRCORE-3") << "@" << call.getCallee() << " is of kind " << text(*stated)
                                      << ", and this is executed by a " << text(*kind) << " core";
    if (stated && !kind && call.getNumResults())
      return breaks(call, "IRCORE-3") << "@" << call.getCallee() << " is of kind " << text(*stated)
                                      << ": cores of the other kind, which execute this, too, would have no results";
    return success();
  }

  LogicalResult verifyUpstream(Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      return verifyCall(call);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      APInt step;
      if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && !step.isStrictlyPositive())
        return emitCoded(loop.emitError(), "loop-step")
               << "the loop's step is " << step.getSExtValue() << "; it must be positive";
      return success();
    }
    if (isa_and_nonnull<cf::ControlFlowDialect>(op->getDialect()))
      return success(); // the function was refused already
    bool structure = isa<ModuleOp, func::FuncOp, func::ReturnOp, func::CallOp, scf::IfOp, scf::WhileOp,
                         scf::ConditionOp, scf::YieldOp>(op);
    if (structure)
      return success();
    if (auto narrow = dyn_cast<arith::TruncFOp>(op);
        narrow &&
        narrow.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) != arith::RoundingMode::to_nearest_even)
      return emitCoded(op->emitError(), "not-modelled")
             << "`arith.truncf` is modelled with rounding to the nearest, not with `"
             << arith::stringifyRoundingMode(*narrow.getRoundingmode()) << "`";
    // TIR-9
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
      auto width = [](Type type) {
        return type.isIndex() ? 64 : type.isIntOrIndex() ? type.getIntOrFloatBitWidth() : 0;
      };
      if (cast.getNumOperands() == 1 && cast.getNumResults() == 1) {
        Type from = cast.getOperand(0).getType(), to = cast.getResult(0).getType();
        if (from == to || (width(from) && width(from) == width(to)))
          return success();
      }
      return emitCoded(op->emitError(), "not-modelled")
             << "`" << op->getName() << "` is modelled between integers of the same width only";
    }
    // Counts of records that `tmrgsort` leaves behind (IRSORT-4).
    if (isa<arith::ConstantOp>(op) && isa<VectorType>(op->getResult(0).getType()) && !op->use_empty() &&
        llvm::all_of(op->getUsers(), llvm::IsaPred<TileInstr>))
      return success();
    if (isMath(op))
      return isScalarMath(op) ? success()
                              : LogicalResult(emitCoded(op->emitError(), "not-modelled")
                                              << "`" << op->getName()
                                              << "` is not modelled; STD-8 lists the scalar functions, and lanes have "
                                                 "`pto.vexp`, `pto.vln`, `pto.vsqrt`");
    if (isa_and_nonnull<arith::ArithDialect>(op->getDialect())) {
      // Code for integers of millions of bits takes forever to compile.
      constexpr unsigned kMaxBits = 128;
      for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
        for (Type type : types)
          if (type.isSignlessInteger() && type.getIntOrFloatBitWidth() > kMaxBits)
            return emitCoded(op->emitError(), "not-modelled")
                   << "`" << op->getName() << "` on integers of more than " << kMaxBits
                   << " bits is not modelled; registers of the scalar unit have 64";
      // A scalar condition chooses between values of any type.
      bool chooses = isa<arith::SelectOp>(op);
      auto scalar = [&](Type type) {
        return type.isIntOrIndexOrFloat() || (chooses && (isa<PtrType>(type) || isVectorValue(type)));
      };
      if (llvm::all_of(op->getOperandTypes(), scalar) && llvm::all_of(op->getResultTypes(), scalar))
        return success();
      return emitCoded(op->emitError(), "not-modelled")
             << "`" << op->getName()
             << "` on vectors or tensors is not modelled; PTO programs use `pto.v*` instructions";
    }
    return emitCoded(op->emitError(), "not-modelled") << "`" << op->getName() << "` is not modelled in PTO programs";
  }

  const Profile *profile;
  ScopeFunctions inScopes;
  CoreKinds coreKinds;
  Callees callees;
  DenseSet<Operation *> kernels;
  std::optional<bool> storesMat;                ///< somewhere in the module; nothing until it is asked
  DenseMap<Operation *, uint64_t> inlinedSizes; ///< operations of a function and of what it calls
};

} // namespace

std::unique_ptr<Pass> ptoscope::createVerifyProgramPass(const Profile *profile) {
  return std::make_unique<VerifyProgramPass>(profile);
}
