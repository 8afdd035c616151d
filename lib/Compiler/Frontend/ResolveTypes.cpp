//===- ResolveTypes.cpp - pto-resolve-types -------------------------------===//
//
// Some texts lost the parameters of their pointer types. This pass infers the
// space and the element of every bare `!pto.ptr` from where it comes from and
// how it is used (TYPE-12), and takes a memref for the pointer to its
// first element, or for a view where an instruction takes one (TIR-8). `left`
// tiles get the block layout of the target (TBUF-8). Other names of instructions in
// the generic form become those (VOP-9). It runs before verification.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// What is known about a class of pointers that must share one type.
struct Knowledge {
  Type element;
  Space space = Space::None;
};

class Resolver {
public:
  explicit Resolver(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    bool bare = false;
    auto consider = [&](Value value) {
      if (auto ptr = dyn_cast<PtrType>(value.getType())) {
        classes.insert(value.getAsOpaquePointer());
        bare |= !ptr.isResolved();
      }
    };
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), consider);
      llvm::for_each(op->getResults(), consider);
    });
    if (!bare)
      return success();
    function.walk([&](Operation *op) { relate(op); });
    function.walk([&](Operation *op) { demand(op); });
    for (BlockArgument argument : function.getArguments())
      know(argument, Type(), Space::Gm);
    // A cast between pointers keeps the space; the element is its own.
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [a, b] : sameSpace) {
        changed |= share(a, b);
        changed |= share(b, a);
      }
    }
    return failure(conflict || failed(assign()));
  }

private:
  void unite(Value a, Value b) {
    if (isa<PtrType>(a.getType()) && isa<PtrType>(b.getType()))
      classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  void uniteAll(ValueRange a, ValueRange b) {
    for (auto [x, y] : llvm::zip(a, b))
      unite(x, y);
  }

  /// What the terminator of a region hands on. Nothing has been verified yet:
  /// the region may be empty and the terminator missing.
  static ValueRange passedOn(Region &region) {
    if (region.empty() || region.front().empty())
      return {};
    Operation &last = region.front().back();
    if (auto condition = dyn_cast<scf::ConditionOp>(last))
      return condition.getNumOperands() ? ValueRange(condition.getArgs()) : ValueRange();
    return isa<scf::YieldOp>(last) ? ValueRange(last.getOperands()) : ValueRange();
  }

  void relate(Operation *op) {
    if (auto add = dyn_cast<AddPtrOp>(op)) {
      unite(add.getPtr(), add.getResult());
    } else if (isVectorOp(op)) {
      // The post-update forms: a pointer that follows the one they access.
      for (Value result : op->getResults())
        if (Value base = pointerOf(op); base && isa<PtrType>(result.getType()))
          unite(base, result);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      uniteAll(loop.getInitArgs(), loop.getRegionIterArgs());
      uniteAll(loop.getInitArgs(), passedOn(loop.getRegion()));
      uniteAll(loop.getInitArgs(), loop.getResults());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch.getNumResults()) {
        uniteAll(passedOn(branch.getThenRegion()), branch.getResults());
        uniteAll(passedOn(branch.getElseRegion()), branch.getResults());
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      uniteAll(loop.getInits(), loop.getBeforeArguments());
      uniteAll(loop.getInits(), passedOn(loop.getAfter()));
      ValueRange arguments = passedOn(loop.getBefore());
      uniteAll(arguments, loop.getAfterArguments());
      uniteAll(arguments, loop.getResults());
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      uniteAll(select.getTrueValue(), select.getResult());
      uniteAll(select.getFalseValue(), select.getResult());
    } else if (auto scope = dyn_cast<StrictVecScopeOp>(op)) {
      uniteAll(scope.getCaptures(), scope.getBody().front().getArguments());
    } else if (auto cast = dyn_cast<CastPtrOp>(op)) {
      if (isa<PtrType>(cast.getInput().getType()) && isa<PtrType>(cast.getResult().getType()))
        sameSpace.push_back({cast.getInput(), cast.getResult()});
    }
  }

  static Value pointerOf(Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<PtrType>(operand.getType()))
        return operand;
    return {};
  }

  /// The element of the register that is loaded or stored; masks and flushes
  /// leave the pointer's element open.
  static Type accessedElement(Operation *op) {
    for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getResults()), SmallVector<Value>(op->getOperands())))
      if (auto vreg = dyn_cast<VRegType>(value.getType()))
        return vreg.getElement();
      else if (auto vector = dyn_cast<VmiVRegType>(value.getType()))
        return vector.getElement();
    return {};
  }

  void demand(Operation *op) {
    if (isVectorOp(op)) {
      for (Value operand : op->getOperands())
        know(operand, accessedElement(op), Space::Ub);
    } else if (auto transfer = dyn_cast<TransferOpInterface>(op)) {
      know(transfer.get(TransferRole::Src), Type(), transfer.getInfo().src);
      know(transfer.get(TransferRole::Dst), Type(), transfer.getInfo().dst);
    } else if (auto cube = dyn_cast<CubeOpInterface>(op)) {
      for (auto [operand, space] : llvm::zip(op->getOperands(), cube.getPointerSpaces()))
        know(operand, Type(), space);
    } else if (const InstrInfo *info = infoOf(op); info && info->footprint == Footprint::Direct) {
      for (Value operand : op->getOperands())
        know(operand, Type(), Space::Ub);
    } else if (auto cast = dyn_cast<IntToPtrOp>(op))
      know(cast.getResult(), Type(), Space::Gm);
    else if (auto load = dyn_cast<LoadScalarOp>(op))
      know(load.getPtr(), load.getValue().getType(), Space::None);
    else if (auto store = dyn_cast<StoreScalarOp>(op))
      know(store.getPtr(), store.getValue().getType(), Space::None);
    else if (auto load = dyn_cast<LdDevOp>(op))
      know(load.getPtr(), load.getValue().getType(), Space::Gm);
    else if (auto store = dyn_cast<StDevOp>(op))
      know(store.getPtr(), store.getValue().getType(), Space::Gm);
    // What the text does say.
    for (Value value : op->getResults())
      knowType(value);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value value : block.getArguments())
          knowType(value);
  }

  void knowType(Value value) {
    if (auto ptr = dyn_cast<PtrType>(value.getType()))
      if (ptr.isResolved())
        know(value, ptr.getElement(), ptr.getSpace());
  }

  void *leader(Value value) { return const_cast<void *>(classes.getLeaderValue(value.getAsOpaquePointer())); }

  void know(Value value, Type element, Space space) {
    if (!isa<PtrType>(value.getType()))
      return;
    Knowledge &known = knowledge[leader(value)];
    if (space != Space::None && known.space != Space::None && known.space != space) {
      if (!isResolved(value))
        report(value) << "one use needs a pointer into " << nameOf(known.space) << ", another one into "
                      << nameOf(space);
      return;
    }
    if (element && known.element && known.element != element) {
      if (!isResolved(value))
        report(value) << "one use needs elements of type " << known.element << ", another one " << element;
      return;
    }
    if (space != Space::None)
      known.space = space;
    if (element)
      known.element = element;
  }

  static bool isResolved(Value value) { return cast<PtrType>(value.getType()).isResolved(); }

  bool share(Value from, Value to) {
    Space space = knowledge[leader(from)].space;
    Knowledge &known = knowledge[leader(to)];
    if (space == Space::None || known.space != Space::None)
      return false;
    known.space = space;
    return true;
  }

  InFlightDiagnostic report(Value value) {
    conflict = true;
    return mlir::emitError(value.getLoc()) << "the uses of this bare `!pto.ptr` disagree: ";
  }

  LogicalResult assign() {
    for (auto it = classes.begin(), end = classes.end(); it != end; ++it) {
      Value value = Value::getFromOpaquePointer(it->getData());
      if (isResolved(value))
        continue;
      const Knowledge &known = knowledge[leader(value)];
      if (known.space == Space::None)
        return mlir::emitError(value.getLoc())
               << "nothing tells which memory this bare `!pto.ptr` points into; write it as `!pto.ptr<T, space>`";
      emitCoded(mlir::emitRemark(value.getLoc()), "loose-spelling")
          << "bare `!pto.ptr` is taken as " << PtrType::get(value.getContext(), known.element, known.space);
      value.setType(PtrType::get(value.getContext(), known.element, known.space));
    }
    function.setType(FunctionType::get(function.getContext(),
                                       function.isExternal() ? TypeRange(function.getArgumentTypes())
                                                             : TypeRange(function.getBody().getArgumentTypes()),
                                       function.getResultTypes()));
    return success();
  }

  func::FuncOp function;
  llvm::EquivalenceClasses<void *> classes;
  DenseMap<void *, Knowledge> knowledge;
  SmallVector<std::pair<Value, Value>> sameSpace;
  bool conflict = false;
};

/// The pointer that stands for a memref; null for one with a layout of its own,
/// whose first element need not be at its base.
Type pointerOf(MemRefType memref) {
  Space space = Space::Gm;
  if (auto named = dyn_cast_or_null<AddressSpaceAttr>(memref.getMemorySpace()))
    space = parseSpace(named.getValue()).value_or(Space::None);
  else if (auto number = dyn_cast_or_null<IntegerAttr>(memref.getMemorySpace()))
    space = number.getInt() > 0 && number.getInt() < int64_t(kPointerSpaces) ? Space(number.getInt()) : Space::None;
  else if (memref.getMemorySpace())
    space = Space::None;
  if (space == Space::None || !memref.getLayout().isIdentity() || !bitsOf(memref.getElementType()))
    return {};
  return PtrType::get(memref.getContext(), memref.getElementType(), space);
}

/// The pointer that stands for a memref whose layout a view has; null if the view
/// would need numbers that the type does not have.
Type pointerOfView(MemRefType memref, SmallVectorImpl<int64_t> &strides, int64_t &offset) {
  if (!memref.hasStaticShape() || failed(getStridesAndOffset(memref, strides, offset)) ||
      ShapedType::isDynamic(offset) || llvm::any_of(strides, ShapedType::isDynamic))
    return {};
  Type pointer = pointerOf(MemRefType::get(memref.getShape(), memref.getElementType(), MemRefLayoutAttrInterface(),
                                           memref.getMemorySpace()));
  return pointer && cast<PtrType>(pointer).getSpace() == Space::Gm ? pointer : Type();
}

/// GM memrefs where an instruction takes a view (TIR-8).
class MemrefViews {
public:
  explicit MemrefViews(ModuleOp module) : module(module) {}

  /// Makes the views. Memrefs with a layout of their own that nothing else uses are
  /// added to `pointers`.
  void run(DenseMap<Type, Type> &pointers) {
    DenseSet<Type> otherwise; // layouts that something else uses too
    SmallVector<OpOperand *> uses;
    module.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<MemRefType>(operand.get().getType())) {
          if (op->hasTrait<TakesViews>() || isa<TileInstr>(op))
            uses.push_back(&operand);
          else
            otherwise.insert(operand.get().getType());
        }
    });
    for (OpOperand *use : uses) {
      auto memref = cast<MemRefType>(use->get().getType());
      SmallVector<int64_t> strides;
      int64_t offset = 0;
      Type pointer = pointerOfView(memref, strides, offset);
      if (!pointer || (!memref.getLayout().isIdentity() && otherwise.contains(memref)))
        continue; // the verifier refuses it
      pointers[memref] = pointer;
      use->set(viewOf(use->get(), memref, pointer, strides, offset));
    }
  }

private:
  Value viewOf(Value value, MemRefType memref, Type pointer, ArrayRef<int64_t> strides, int64_t offset) {
    Value &view = views[value];
    if (view)
      return view;
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    auto constants = [&](ArrayRef<int64_t> numbers) {
      SmallVector<Value> values;
      for (int64_t number : numbers)
        values.push_back(builder.create<arith::ConstantIndexOp>(loc, number));
      return values;
    };
    Value start = value;
    if (offset)
      start = builder.create<AddPtrOp>(loc, pointer, value, constants(offset).front());
    auto type = TensorViewType::get(module.getContext(), memref.getShape(), memref.getElementType());
    view = builder.create<MakeTensorViewOp>(loc, type, start, constants(memref.getShape()), constants(strides),
                                            ModeAttr());
    return view;
  }

  ModuleOp module;
  DenseMap<Value, Value> views;
};

/// `!pto.tensor_view<2xf32>` of a view with two extents has rank 2 (VIEW-11).
DenseMap<Type, Type> olderViews(ModuleOp module) {
  DenseMap<Type, Type> views;
  module.walk([&](MakeTensorViewOp op) {
    auto type = dyn_cast<TensorViewType>(op->getResult(0).getType());
    size_t rank = op->getNumOperands() / 2; // a pointer, extents, strides; not verified yet
    if (!type || type.getRank() != 1 || rank == 1 || type.getShape()[0] != int64_t(rank))
      return;
    SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
    Type full = TensorViewType::get(module.getContext(), shape, type.getElement());
    emitCoded(mlir::emitRemark(op.getLoc()), "loose-spelling") << type << " is taken as " << full;
    views[type] = full;
  });
  return views;
}

struct ResolveTypesPass : PassWrapper<ResolveTypesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ResolveTypesPass)
  explicit ResolveTypesPass(const Profile *profile) : isA5(!profile || profile->id == ProfileId::A5) {}
  StringRef getArgument() const final { return "pto-resolve-types"; }
  StringRef getDescription() const final { return "infer space and element of bare pointers"; }
  /// Of the extents of views.
  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<arith::ArithDialect>(); }

  void runOnOperation() override {
    if (failed(readOtherNames(getOperation())))
      return signalPassFailure();
    DenseMap<Type, Type> exact = olderViews(getOperation());
    MemrefViews(getOperation()).run(exact);
    AttrTypeReplacer types;
    types.addReplacement([&](Type type) -> std::optional<Type> {
      Type other = exact.lookup(type);
      return other ? std::optional(other) : std::nullopt;
    });
    types.addReplacement([this](TileBufType tile) -> std::optional<Type> {
      if (tile.getSpace() != Space::L0A)
        return std::nullopt;
      return tile.withBLayout(isA5 ? tile::BLayout::ColMajor : tile::BLayout::RowMajor);
    });
    types.addReplacement([](MemRefType memref) -> std::optional<Type> {
      Type pointer = pointerOf(memref);
      return pointer ? std::optional(pointer) : std::nullopt;
    });
    types.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                       /*replaceTypes=*/true);
    WalkResult result = getOperation().walk([](func::FuncOp function) {
      return function.isExternal() || succeeded(Resolver(function).run()) ? WalkResult::advance()
                                                                          : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  bool isA5;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createResolveTypesPass(const Profile *profile) {
  return std::make_unique<ResolveTypesPass>(profile);
}
