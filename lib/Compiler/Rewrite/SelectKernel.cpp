//===- SelectKernel.cpp - pto-select-kernel -------------------------------===//
//
// Keeps one kernel as a set of programs, one function per kind of core, marked
// `pto.core = "aiv"` or `"aic"`, with everything it calls inlined. A mixed
// kernel becomes two functions: the common code with its vector section, and
// with its cube section.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ptoscope;

namespace {

struct SelectKernelPass : PassWrapper<SelectKernelPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SelectKernelPass)
  SelectKernelPass() = default;
  SelectKernelPass(const SelectKernelPass &other) : PassWrapper(other), profile(other.profile) {
    name = other.name.getValue();
  }
  SelectKernelPass(std::string kernel, const Profile *profile) : profile(profile ? profile : findProfile("a5")) {
    name = std::move(kernel);
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, scf::SCFDialect>();
  }
  StringRef getArgument() const final { return "pto-select-kernel"; }
  StringRef getDescription() const final { return "keep one kernel, a function per kind of core, calls inlined"; }
  Option<std::string> name{*this, "kernel", llvm::cl::desc("name of the kernel")};

  const Profile *profile = findProfile("a5");

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (profile->id == ProfileId::A5)
      module.walk([](Operation *op) {
        if (isa<pto::SectionVectorOp>(op))
          leaveToFirst(op->getRegion(0));
        else if (auto function = dyn_cast<func::FuncOp>(op); function && statedKind(function) == CoreKind::AIV)
          leaveToFirst(function.getBody());
      });
    Result<KernelHalves> found = findKernel(module, name, "");
    if (!found) {
      pto::emitCoded(module.emitError(), found.finding().code) << found.finding().message;
      return signalPassFailure();
    }
    // Where the halves are two functions, each has its calls to inline.
    SmallVector<func::FuncOp> halves;
    for (func::FuncOp half : {found->aiv, found->aic})
      if (half && !llvm::is_contained(halves, half))
        halves.push_back(half);
    for (func::FuncOp half : halves)
      if (failed(inlineCalls(half, /*isMixed=*/!coreKindOf(half))))
        return signalPassFailure();
    if (found->aiv && found->aic) {
      func::FuncOp aiv = program(found->aiv, ".aiv"), aic = program(found->aic, ".aic");
      keepSection(aiv, CoreKind::AIV);
      keepSection(aic, CoreKind::AIC);
      keepOnly({aiv, aic});
    } else {
      func::FuncOp only = found->aiv ? found->aiv : found->aic;
      only->moveBefore(module.getBody(), module.getBody()->end());
      only->setAttr("pto.core", StringAttr::get(&getContext(), found->aiv ? "aiv" : "aic"));
      keepOnly({only});
    }
  }

  /// FIFO-81: a body whose pipes are not split is the first vector core's alone.
  static void leaveToFirst(Region &body) {
    bool nosplit = false, pipes = false, splits = false, asks = false;
    body.walk([&](Operation *op) {
      if (isa<pto::AivInitializePipeOp, pto::InitializeL2LPipeOp, pto::InitializeL2G2LPipeOp>(op)) {
        auto given = op->getAttrOfType<BoolAttr>("nosplit");
        pipes = true;
        nosplit |= given && given.getValue();
        splits |= given && !given.getValue();
      } else if (isa<pto::GetSubblockIdxOp>(op)) {
        asks = true;
      } else if (auto split = op->getAttrOfType<IntegerAttr>("split")) {
        splits |= split.getInt() != 0;
      }
    });
    if (body.empty() || !(nosplit || (pipes && !splits && !asks)))
      return;
    Block &block = body.front();
    Operation *end = block.mightHaveTerminator() ? block.getTerminator() : nullptr;
    if (end && end->getNumOperands() != 0)
      return; // both cores need the results
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    const Location loc = body.getLoc();
    OperationState query(loc, pto::GetSubblockIdxOp::getOperationName());
    query.addTypes(builder.getI64Type());
    Value subblock = builder.create(query)->getResult(0);
    Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 64);
    Value isFirst = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, subblock, zero);
    auto guard = builder.create<scf::IfOp>(loc, isFirst, /*withElseRegion=*/false);
    Block *inner = guard.thenBlock();
    inner->getOperations().splice(inner->begin(), block.getOperations(), std::next(Block::iterator(guard)),
                                  end ? Block::iterator(end) : block.end());
  }

  /// A copy of a half at the top of the module.
  func::FuncOp program(func::FuncOp half, StringRef suffix) {
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto copy = cast<func::FuncOp>(builder.clone(*half));
    copy.setName((half.getName() + suffix).str());
    return copy;
  }

  /// What follows the last instruction is elsewhere in the text, so no line
  /// goes between them (Site::next).
  static void markLast(Block &block) {
    for (Operation &op : llvm::reverse(block))
      if (!op.hasTrait<OpTrait::IsTerminator>()) {
        op.setAttr("pto.last", UnitAttr::get(op.getContext()));
        return;
      }
  }

  /// Opens the section of this kind and drops the other one.
  void keepSection(func::FuncOp function, CoreKind kind) {
    function->setAttr("pto.core", StringAttr::get(&getContext(), kind == CoreKind::AIV ? "aiv" : "aic"));
    SmallVector<Operation *> sections;
    function.walk([&](Operation *op) {
      if (isa<pto::SectionCubeOp, pto::SectionVectorOp>(op))
        sections.push_back(op);
    });
    for (Operation *section : sections) {
      markLast(section->getRegion(0).front());
      if (isa<pto::SectionVectorOp>(section) == (kind == CoreKind::AIV))
        section->getBlock()->getOperations().splice(Block::iterator(section),
                                                    section->getRegion(0).front().getOperations());
      section->erase();
    }
  }

  void keepOnly(ArrayRef<func::FuncOp> kept) {
    SmallVector<Operation *> others;
    for (Operation &op : *getOperation().getBody())
      if (!llvm::is_contained(kept, dyn_cast<func::FuncOp>(op)))
        others.push_back(&op);
    for (Operation *op : others)
      op->erase();
  }

  /// IRCORE-3: in the part that both kinds of core run, a function of one kind is a section.
  static void enterSection(func::FuncOp callee, OpBuilder &builder) {
    std::optional<CoreKind> kind = statedKind(callee);
    Operation *parent = builder.getInsertionBlock()->getParentOp();
    while (parent && !isa<func::FuncOp, pto::SectionCubeOp, pto::SectionVectorOp>(parent))
      parent = parent->getParentOp();
    if (!kind || !isa<func::FuncOp>(parent))
      return;
    OperationState section(callee.getLoc(), *kind == CoreKind::AIV ? pto::SectionVectorOp::getOperationName()
                                                                   : pto::SectionCubeOp::getOperationName());
    section.addRegion()->emplaceBlock();
    builder.setInsertionPointToStart(&builder.create(section)->getRegion(0).front());
  }

  /// The verifier has refused recursion, so every level inlines some calls for good.
  LogicalResult inlineCalls(func::FuncOp kernel, bool isMixed) {
    constexpr unsigned kMaxDepth = 1024;
    const Callees callees;
    for (unsigned depth = 0;; ++depth) {
      SmallVector<func::CallOp> calls;
      kernel.walk([&](func::CallOp call) { calls.push_back(call); });
      if (calls.empty())
        return success();
      if (depth == kMaxDepth)
        return calls.front().emitError() << "calls nest deeper than " << kMaxDepth << " levels";
      for (func::CallOp call : calls) {
        func::FuncOp callee = callees.of(call);
        if (!callee || callee.isExternal())
          return call.emitError() << "@" << call.getCallee() << " has no body to call";
        if (callee == kernel)
          return call.emitError() << "@" << call.getCallee() << " calls itself; recursion is not allowed";
        markLast(callee.getBody().front());
        OpBuilder builder(call);
        if (isMixed)
          enterSection(callee, builder);
        IRMapping mapping;
        mapping.map(callee.getArguments(), call.getOperands());
        for (Operation &op : callee.getBody().front().without_terminator())
          builder.clone(op, mapping);
        Operation *terminator = callee.getBody().front().getTerminator();
        for (auto [result, value] : llvm::zip(call.getResults(), terminator->getOperands()))
          result.replaceAllUsesWith(mapping.lookupOrDefault(value));
        call.erase();
      }
    }
  }
};

} // namespace

std::unique_ptr<Pass> ptoscope::createSelectKernelPass(std::string name, const Profile *profile) {
  return std::make_unique<SelectKernelPass>(std::move(name), profile);
}
