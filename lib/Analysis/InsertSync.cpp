//===- InsertSync.cpp - pto-insert-sync -----------------------------------===//
//
// Prints what a function of automatic order means, as flags and barriers (ORDER-9):
// tells Plan which bytes its instructions touch, and writes down what that answers.
//
// Arrays of different pointer arguments have no byte in common (ORDER-13). Which bytes
// of them, and of the memories, an instruction touches is what the static check knows of
// it (Footprints.h), for all turns of the loops around it at once.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Analysis/InsertSync.h"
#include "Footprints.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Compiler/TileOrder.h"
#include "ptoscope/Plan/InsertOrder.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

bool isSection(Operation *op) { return isa<SectionCubeOp, SectionVectorOp>(op); }

bool executes(Region &region) {
  auto stop = [](Operation *op) {
    return isExecuted(op) || isa<func::CallOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return region.walk(stop).wasInterrupted();
}

/// The function that a call runs; null where that executes nothing.
Region *calleeOf(Operation *op, Regions &regions) {
  Region *callee = regions.calleeOf(op);
  return callee && executes(*callee) ? callee : nullptr;
}

/// Functions that have their flags and barriers by now, and the event ids in them. They
/// end with a barrier of all pipes.
using Finished = DenseMap<Operation *, FlagIds>;

class Reader {
public:
  Reader(const Profile &profile, Regions &regions, const Finished &finished, func::FuncOp function)
      : regions(regions), finished(finished), profile(profile) {
    values.setArrays(function.getArguments());
  }

  OrderBlock read(Block &block) {
    OrderBlock nodes;
    for (Operation &op : block)
      read(&op, nodes);
    return nodes;
  }
  /// If one array is not known, it is all of them.
  void finish(OrderBlock &nodes) const {
    if (allKnown)
      return;
    for (OrderNode &node : nodes) {
      for (OrderAccess &access : node.accesses)
        if (spaceOf(access.storage) == Space::Gm)
          access = {uint32_t(Space::Gm), 0, UINT64_MAX, access.writes};
      for (OrderBlock &block : node.blocks)
        finish(block);
    }
  }
  Operation *at(uint32_t tag) const { return ops[tag]; }
  /// Each is a program of its own, behind a barrier.
  std::vector<std::pair<Operation *, OrderBlock>> sections;

private:
  OrderNode &add(OrderBlock &nodes, OrderNode::Kind kind, Pipe pipe, Operation *op) {
    ops.push_back(op);
    return nodes.emplace_back(OrderNode{kind, pipe, uint32_t(ops.size() - 1)});
  }

  void work(OrderBlock &nodes, Pipe pipe, Operation *op, ArrayRef<Piece> pieces) {
    OrderNode &node = add(nodes, OrderNode::Work, pipe, op);
    for (const Piece &piece : pieces) {
      allKnown &= piece.storage != uint32_t(Space::Gm);
      node.accesses.push_back({piece.storage, piece.begin, piece.end, piece.writes});
    }
  }

  void read(Operation *op, OrderBlock &nodes) {
    SmallVector<Piece> pieces;
    if (isScope(op)) {
      footprints.scope(op, true, false, pieces);
      return work(nodes, Pipe::V, op, pieces);
    }
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      add(nodes, OrderNode::Barrier, barrier.getTarget().getValue(), op);
      return;
    }
    if (isSection(op)) {
      OrderBlock inner = read(op->getRegion(0).front());
      forget(op->getRegion(0));
      sections.push_back({op, std::move(inner)});
    }
    if (Region *callee = calleeOf(op, regions))
      return readCall(cast<func::CallOp>(op), *callee, nodes);
    // ORDER-11: with flags, a barrier.
    if (isa<TSyncOp>(op) || isSection(op)) {
      add(nodes, OrderNode::Barrier, Pipe::All, op);
      return;
    }
    if (op->getNumRegions() > 0)
      return readRegions(op, nodes);
    Fact problem; // not asked for here
    if (tiles.evaluate(op, problem) || footprints.setRegister(op))
      return;
    const InstrInfo *info = infoOf(op);
    // Sorts leave a status, which belongs to no memory.
    if (info && (info->footprint == Footprint::Direct || info->footprint == Footprint::Status))
      pieces.push_back({0, 1, info->footprint == Footprint::Direct, true, op, uint32_t(Space::None)});
    if (std::optional<Pipe> pipe = footprints.instruction(op, true, pieces))
      work(nodes, *pipe, op, pieces);
    else if (!pieces.empty())
      work(nodes, info->pipe.value_or(Pipe::S), op, pieces);
    values.evaluate(op);
  }

  void readCall(func::CallOp call, Region &callee, OrderBlock &nodes) {
    auto known = finished.find(callee.getParentOp());
    const bool isKnown = known != finished.end();
    std::vector<OrderBlock> blocks;
    SmallVector<MaybeKnown> results(call.getNumResults());
    if (isKnown) {
      values.set(callee.getArguments(), values.get(call.getOperands()));
      blocks.push_back(read(callee.front()));
      results = values.get(callee.front().getTerminator()->getOperands());
      for (Value changed : regions.effects(callee).changed)
        if (auto argument = dyn_cast<BlockArgument>(changed); argument && argument.getOwner() == &callee.front())
          values.set(call.getOperand(argument.getArgNumber()), values.get(argument));
    } else {
      forget(callee);
    }
    values.set(call.getResults(), results);
    // Behind others there is a barrier (enclose).
    OrderNode &node = add(nodes, isKnown ? OrderNode::Call : OrderNode::Barrier, Pipe::All, call);
    node.blocks = std::move(blocks);
    if (isKnown)
      node.ids = known->second;
  }

  /// What the region changes is not known where it may have run before.
  void forget(Region &region) {
    const RegionEffects &effects = regions.effects(region);
    for (Value tile : effects.changed)
      values.set(tile, std::nullopt);
    footprints.forgetRegisters(effects.registers);
  }
  OrderBlock readTurns(Region &region) {
    forget(region);
    values.set(region.getArguments(), SmallVector<MaybeKnown>(region.getNumArguments()));
    if (auto loop = dyn_cast<scf::ForOp>(region.getParentOp()))
      setInduction(loop);
    OrderBlock nodes = read(region.front());
    forget(region);
    return nodes;
  }
  /// All turns at once.
  void setInduction(scf::ForOp loop) {
    auto low = values.constant(loop.getLowerBound()), high = values.constant(loop.getUpperBound());
    auto step = values.constant(loop.getStep());
    std::optional<int64_t> trips = low && high && step ? tripsOf(*low, *high, *step) : std::nullopt;
    if (!trips)
      return;
    Known induction(*low);
    if (*trips > 1)
      induction.terms.push_back({values.addLoop(*trips), *step});
    values.set(loop.getInductionVar(), induction);
  }

  void readRegions(Operation *op, OrderBlock &nodes) {
    std::vector<OrderBlock> blocks;
    auto loop = dyn_cast<scf::WhileOp>(op);
    if (loop || isa<scf::ForOp>(op)) {
      for (Region &region : op->getRegions())
        forget(region);
      OrderBlock inner = readTurns(op->getRegion(0));
      // Where the condition executes something, barriers stand before both parts (enclose).
      if (loop)
        llvm::append_range(inner, readTurns(loop.getAfter()));
      blocks.push_back(std::move(inner));
    } else if (isa<FusionRegionOp>(op)) { // runs in place
      llvm::append_range(nodes, read(op->getRegion(0).front()));
      return values.set(op->getResults(), values.get(op->getRegion(0).front().getTerminator()->getOperands()));
    } else {
      for (Region &region : op->getRegions())
        if (!region.empty()) {
          blocks.push_back(read(region.front()));
          forget(region);
        }
    }
    values.set(op->getResults(), SmallVector<MaybeKnown>(op->getNumResults()));
    if (llvm::all_of(blocks, [](const OrderBlock &block) { return block.empty(); }))
      return;
    const bool loops = loop || isa<scf::ForOp>(op);
    add(nodes, loops ? OrderNode::Loop : OrderNode::Branch, Pipe::S, op).blocks = std::move(blocks);
  }

  Regions &regions;
  const Finished &finished;
  const Profile &profile;
  Values values;
  Tiles tiles{values, profile};
  Footprints footprints{values, tiles, profile, nullptr};
  std::vector<Operation *> ops;
  bool allKnown = true;
};

struct InsertSyncPass : PassWrapper<InsertSyncPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertSyncPass)
  StringRef getArgument() const final { return "pto-insert-sync"; }
  StringRef getDescription() const final { return "write down the flags and barriers that automatic order means"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    PassManager first(&getContext());
    first.enableVerifier(false); // completion verifies
    addCompletion(first);
    first.addPass(createPlanMemoryPass());
    if (failed(first.run(getOperation())))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) {
      if (isAutomatic(function))
        functions.push_back(function);
    });
    kernels.clear();
    for (func::FuncOp kernel : kernelsOf(getOperation()))
      kernels.insert(kernel);
    // A function comes after those that it calls.
    Regions regions;
    DenseSet<Operation *> left(functions.begin(), functions.end());
    finished.clear();
    std::function<void(func::FuncOp)> visit = [&](func::FuncOp function) {
      if (!left.erase(function))
        return;
      function.walk([&](func::CallOp call) {
        if (Region *callee = regions.calleeOf(call))
          visit(cast<func::FuncOp>(callee->getParentOp()));
      });
      insert(function, regions);
    };
    llvm::for_each(functions, visit);
  }

  /// What a call, a queue or a signal to others does is not known: everything before it has
  /// ended, and everything after it starts later. A function that is finished is known.
  /// The condition of a loop is executed
  /// once more than its body, so no flag may lead from one to the other.
  void enclose(func::FuncOp function, Regions &regions) {
    SmallVector<Operation *> opaque;
    function.walk([&](Operation *op) {
      const InstrInfo *info = infoOf(op);
      const bool signals = info && info->family == Family::Sync && !isa<BarrierOp, TSyncOp, MemBarOp>(op) &&
                           info->timing == Timing::sync;
      auto loop = dyn_cast<scf::WhileOp>(op);
      Region *callee = calleeOf(op, regions);
      // Where the entries of a queue lie is known in the run.
      const bool queues = info && info->family == Family::Pipe &&
                          !isa<ReserveBufferOp, ImportReservedBufferOp, DeclareTileOp, DeclareGlobalOp>(op);
      if (signals || queues || isa<TPrintOp>(op) || (callee && !finished.contains(callee->getParentOp())))
        opaque.push_back(op);
      else if (loop && executes(loop.getBefore()))
        opaque.push_back(op);
    });
    for (Operation *op : opaque) {
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        for (Block *block : {loop.getBeforeBody(), loop.getAfterBody()})
          barrier(OpBuilder::atBlockBegin(block), op->getLoc(), Pipe::All);
      barrier(OpBuilder(op), op->getLoc(), Pipe::All);
      if (!isa<TPrintOp>(op))
        barrier(OpBuilder(op->getBlock(), std::next(op->getIterator())), op->getLoc(), Pipe::All);
    }
  }

  void insert(func::FuncOp function, Regions &regions) {
    enclose(function, regions);
    const Profile &profile = profileOf(getOperation());
    Reader reader(profile, regions, finished, function);
    OrderBlock nodes = reader.read(function.getBody().front());
    const bool isCalled = !kernels.contains(function);
    FlagIds ids;
    for (auto &[section, inner] : reader.sections)
      insert(reader, inner, section->getRegion(0).front(), profile, isCalled, ids);
    if (insert(reader, nodes, function.getBody().front(), profile, isCalled, ids))
      for (auto &[section, inner] : reader.sections)
        barrier(OpBuilder(section), section->getLoc(), Pipe::All);
    if (reader.sections.empty())
      finished[function] = ids;
  }

  static bool hasWork(const OrderBlock &nodes) {
    return llvm::any_of(nodes, [](const OrderNode &node) {
      return node.kind == OrderNode::Work || node.kind == OrderNode::Call ||
             llvm::any_of(node.blocks, [](const OrderBlock &b) { return hasWork(b); });
    });
  }

  /// All pipes are empty where the block ends. Returns whether it does anything.
  bool insert(const Reader &reader, OrderBlock &nodes, Block &body, const Profile &profile, bool isCalled,
              FlagIds &ids) {
    reader.finish(nodes);
    DenseMap<Operation *, Operation *> lastBehind;
    for (const OrderInsertion &one : insertOrder(nodes, profile, &ids, isCalled)) {
      Operation *op = reader.at(one.tag);
      OpBuilder builder(op);
      if (one.after) {
        Operation *&behind = lastBehind.try_emplace(op, op).first->second;
        builder.setInsertionPointAfter(behind);
        behind = write(builder, op->getLoc(), one);
      } else {
        write(builder, op->getLoc(), one);
      }
    }
    if (!hasWork(nodes))
      return false;
    Operation *last = &body.back();
    const bool ends = last->hasTrait<OpTrait::IsTerminator>();
    barrier(OpBuilder(&body, ends ? last->getIterator() : body.end()), last->getLoc(), Pipe::All);
    return true;
  }

  Operation *write(OpBuilder builder, Location loc, const OrderInsertion &one) {
    if (one.kind == OrderInsertion::Barrier)
      return barrier(builder, loc, one.src);
    auto src = PipeAttr::get(&getContext(), one.src), dst = PipeAttr::get(&getContext(), one.dst);
    auto event = builder.getStringAttr("EVENT_ID" + std::to_string(one.id));
    auto id = builder.getI64IntegerAttr(one.id);
    if (one.kind == OrderInsertion::Set)
      return builder.create<SetFlagOp>(loc, src, dst, event, id);
    return builder.create<WaitFlagOp>(loc, src, dst, event, id);
  }
  Operation *barrier(OpBuilder builder, Location loc, Pipe pipe) {
    return builder.create<BarrierOp>(loc, PipeAttr::get(&getContext(), pipe));
  }

  Finished finished;
  DenseSet<Operation *> kernels;
};

} // namespace

std::unique_ptr<Pass> ptoscope::createInsertSyncPass() { return std::make_unique<InsertSyncPass>(); }
