//===- VerifyStreams.cpp - chains of alignment states ---------------------===//
//
// A `!pto.align` value is a linear resource: each state is consumed once on
// every path, by the next instruction of its stream, a flush, or the loop or
// branch that carries it (ALIGN-1 to ALIGN-5). Where the stream stands, and
// whether a flush names its end, only a run can tell.
//
//===----------------------------------------------------------------------===//

#include "Verify/VerifyVector.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// What a state can be.
enum class Chain {
  Fresh,    ///< the empty state of init_align
  Store,    ///< may hold bytes to be flushed
  LoadRoot, ///< what vldas gives
  Load,     ///< what vldus gives
  Unknown,  ///< a region argument: the empty state on the older surface
  Mixed,    ///< of two paths, one loads and one stores
};

bool isFlush(Operation *op) { return isa<VstasOp, VstaOp, VstarOp>(op); }
bool isStreamStore(Operation *op) { return isa<VstusOp, VstuOp, VsturOp, PstuOp>(op); }

Chain join(Chain a, Chain b) {
  if (a == b)
    return a;
  auto loads = [](Chain chain) { return chain == Chain::Load || chain == Chain::LoadRoot; };
  if (a == Chain::Mixed || b == Chain::Mixed)
    return Chain::Mixed;
  if (a == Chain::Store || b == Chain::Store) // vldas may stand for the empty state
    return a == Chain::Load || b == Chain::Load ? Chain::Mixed : Chain::Store;
  if (loads(a) != loads(b) && a != Chain::Unknown && b != Chain::Unknown)
    return Chain::Mixed;
  if (a == Chain::Load || b == Chain::Load)
    return Chain::Load;
  return a == Chain::Unknown ? b : a;
}

Value yielded(Region &region, unsigned result) {
  auto yield = dyn_cast<scf::YieldOp>(region.front().getTerminator());
  return yield && result < yield.getNumOperands() ? yield.getOperand(result) : Value();
}

Chain chainOf(Value state) {
  if (!state)
    return Chain::Unknown;
  if (auto argument = dyn_cast<BlockArgument>(state)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument.getArgNumber() > 0 ? chainOf(loop.getInitArgs()[argument.getArgNumber() - 1])
                                               : Chain::Unknown;
  }
  Operation *op = state.getDefiningOp();
  unsigned result = cast<OpResult>(state).getResultNumber();
  if (isa<InitAlignOp>(op))
    return Chain::Fresh;
  if (isa<VldasOp>(op))
    return Chain::LoadRoot;
  if (isa<VldusOp>(op))
    return Chain::Load;
  if (isStreamStore(op))
    return Chain::Store;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return join(chainOf(loop.getInitArgs()[result]), chainOf(yielded(loop.getRegion(), result)));
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.elseBlock())
    return join(chainOf(yielded(branch.getThenRegion(), result)), chainOf(yielded(branch.getElseRegion(), result)));
  return Chain::Unknown;
}

class StreamVerifier {
public:
  LogicalResult verify(func::FuncOp function) {
    WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (isa<AlignType>(operand.getType()) && failed(verifyUse(op, operand)))
          return WalkResult::interrupt();
      for (Value value : op->getResults())
        if (isa<AlignType>(value.getType()) && failed(verifyState(value)))
          return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Value value : region.getArguments())
          if (isa<AlignType>(value.getType()) && failed(verifyState(value)))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

private:
  static InFlightDiagnostic breaks(Operation *op, StringRef label, StringRef code = "align-chain") {
    return pto::breaks(op, label, code);
  }

  /// With a note that tells where the state comes from.
  static LogicalResult told(InFlightDiagnostic diag, Value state) {
    if (Operation *op = state.getDefiningOp())
      diag.attachNote(op->getLoc()) << "`" << op->getName() << "` gives the state here";
    return diag;
  }

  /// ALIGN-1, ALIGN-3 and ALIGN-5: one use of a state.
  LogicalResult verifyUse(Operation *op, Value state) {
    bool carries = isa<scf::ForOp>(op) || (isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::IfOp>(op->getParentOp()));
    if (!carries && !isStreamStore(op) && !isFlush(op) && !isa<VldusOp>(op))
      return told(breaks(op, "ALIGN-5") << "it cannot carry the state of a stream; only `scf.for` and `scf.if` can",
                  state);
    for (Region *region = op->getParentRegion(); region != state.getParentRegion();
         region = region->getParentRegion()) {
      Operation *parent = region->getParentOp();
      if (!isa<scf::ForOp, scf::WhileOp>(parent))
        continue;
      InFlightDiagnostic diag = breaks(op, "ALIGN-3")
                                << "it uses a state from outside its loop in every iteration; carry the state in "
                                   "`iter_args` and yield the next one";
      diag.attachNote(parent->getLoc()) << "the loop starts here";
      return diag;
    }
    Chain chain = chainOf(state);
    if (chain == Chain::Mixed)
      return told(breaks(op, "ALIGN-1") << "its state loads on one path and stores on another", state);
    if (isa<VldusOp>(op) && (chain == Chain::Fresh || chain == Chain::Store))
      return told(breaks(op, "ALIGN-1") << "it loads, but its state stores; start a load with `pto.vldas`", state);
    if ((isFlush(op) && (chain == Chain::Load || chain == Chain::LoadRoot)) ||
        (isStreamStore(op) && chain == Chain::Load))
      return told(breaks(op, "ALIGN-1") << (isFlush(op) ? "it flushes" : "it stores")
                                        << ", but its state loads; start a store with `pto.init_align`",
                  state);
    if (isStreamStore(op) && (chain == Chain::LoadRoot || chain == Chain::Unknown) && isRoot(state))
      emitCoded(op->emitWarning(), "undefined-by-manual")
          << "`" << op->getName()
          << "` starts a stream from a state that is not `pto.init_align`; it is taken as empty";
    return success();
  }

  /// Whether nothing has been stored with this state: the first of a chain.
  static bool isRoot(Value state) { return isa<BlockArgument>(state) || isa<VldasOp>(state.getDefiningOp()); }

  /// ALIGN-2 and ALIGN-4: all uses of a state.
  LogicalResult verifyState(Value state) {
    SmallVector<Operation *> users(state.getUsers());
    for (size_t i = 0; i < users.size(); ++i)
      for (size_t j = i + 1; j < users.size(); ++j)
        if (!exclusive(users[i], users[j]))
          return reportReuse(users[i], users[j]);
    Chain chain = chainOf(state);
    if (chain != Chain::Store && !carriesStore(state))
      return success();
    if (consumed(state, state.getParentBlock()))
      return success();
    Operation *op = isa<BlockArgument>(state) ? state.getParentBlock()->getParentOp() : state.getDefiningOp();
    InFlightDiagnostic diag = breaks(op, "ALIGN-4", "align-not-flushed")
                              << "the bytes its state still holds are lost" << (users.empty() ? "" : " on one path")
                              << "; flush it with `pto.vstas` or `pto.vstar`";
    if (!users.empty())
      diag.attachNote(users.front()->getLoc()) << "another path uses the state here";
    return diag;
  }

  /// The state a loop hands from one iteration to the next.
  static bool carriesStore(Value state) {
    auto argument = dyn_cast<BlockArgument>(state);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    return loop && chainOf(yielded(loop.getRegion(), argument.getArgNumber() - 1)) == Chain::Store;
  }

  /// Whether every path through `block` uses the state.
  static bool consumed(Value state, Block *block) {
    for (Operation *user : state.getUsers()) {
      Operation *here = block->findAncestorOpInBlock(*user);
      if (!here)
        continue;
      if (here == user)
        return true;
      auto branch = dyn_cast<scf::IfOp>(here);
      if (branch && branch.elseBlock() && consumed(state, branch.thenBlock()) && consumed(state, branch.elseBlock()))
        return true;
    }
    return false;
  }

  /// In different branches of one `scf.if`.
  static bool exclusive(Operation *a, Operation *b) {
    for (Operation *parent = a->getParentOp(); parent; parent = parent->getParentOp())
      if (isa<scf::IfOp>(parent) && parent->isProperAncestor(b)) {
        Region *ofA = nullptr, *ofB = nullptr;
        for (Region &region : parent->getRegions()) {
          ofA = region.isAncestor(a->getParentRegion()) ? &region : ofA;
          ofB = region.isAncestor(b->getParentRegion()) ? &region : ofB;
        }
        if (ofA != ofB)
          return true;
      }
    return false;
  }

  static LogicalResult reportReuse(Operation *a, Operation *b) {
    Block *common = nullptr;
    for (Operation *op = a; op && !common; op = op->getParentOp())
      if (op->getBlock() && op->getBlock()->findAncestorOpInBlock(*b))
        common = op->getBlock();
    if (common->findAncestorOpInBlock(*b)->isBeforeInBlock(common->findAncestorOpInBlock(*a)))
      std::swap(a, b);
    InFlightDiagnostic diag = breaks(b, isFlush(a) ? "ALIGN-4" : "ALIGN-2");
    diag << (isFlush(a) ? "its state was flushed before" : "its state was used before; use the state that use gives");
    diag.attachNote(a->getLoc()) << (isFlush(a) ? "the flush is here" : "it was used here");
    return diag;
  }
};

} // namespace

LogicalResult ptoscope::verifyStreams(func::FuncOp function) { return StreamVerifier().verify(function); }
