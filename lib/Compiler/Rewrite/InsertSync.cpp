//===- InsertSync.cpp - pto-insert-sync -----------------------------------===//
//
// Prints what a function of automatic order means, as flags and barriers (ORDER-9):
// tells Plan which bytes its instructions touch, and writes down what that answers.
//
// Arrays of different pointer arguments have no byte in common. Parts of one array are
// told apart where offsets, sizes and strides are constants; so are places of tiles.
// Vector scopes, transfers and scalar accesses count as accesses to the whole memories
// that they name.
//
//===----------------------------------------------------------------------===//

#include "Rewrite/TileOrder.h"
#include "Verify/VerifyTiles.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Plan/InsertOrder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

constexpr uint64_t kEnd = UINT64_MAX;

bool isSection(Operation *op) { return isa<SectionCubeOp, SectionVectorOp>(op); }

/// Bytes of a tile, or of its memory where no one knows its place.
OrderAccess bytesOf(Value tile, bool writes, const DenseSet<Value> &moved) {
  auto multi = dyn_cast<MultiTileBufType>(tile.getType());
  auto type = multi ? multi.getTile() : cast<TileBufType>(tile.getType());
  const OrderAccess whole{uint32_t(type.getSpace()), 0, kEnd, writes};
  auto at = [&](Value address) {
    const std::optional<int64_t> begin = address ? getConstantIntValue(address) : std::nullopt;
    const uint64_t bytes = uint64_t(type.getBytes()) * (multi ? uint64_t(multi.getCount()) : 1);
    return begin && *begin >= 0 ? OrderAccess{whole.storage, uint64_t(*begin), uint64_t(*begin) + bytes, writes}
                                : whole;
  };
  Operation *op = tile.getDefiningOp();
  if (moved.contains(tile))
    return whole;
  if (auto alloc = dyn_cast_or_null<AllocTileOp>(op))
    return at(alloc.getAddr());
  if (auto alloc = dyn_cast_or_null<AllocMultiTileOp>(op))
    return at(alloc.getAddr());
  if (auto assign = dyn_cast_or_null<TAssignOp>(op))
    return at(assign->getOperand(1));
  if (auto get = dyn_cast_or_null<MultiTileGetOp>(op)) {
    OrderAccess all = bytesOf(get.getTiles(), writes, moved);
    const std::optional<int64_t> slot = getConstantIntValue(get.getIndex());
    if (!slot || *slot < 0 || all.end == kEnd)
      return all;
    const auto size = uint64_t(type.getBytes());
    return {all.storage, all.begin + uint64_t(*slot) * size, all.begin + uint64_t(*slot + 1) * size, writes};
  }
  if (isa_and_nonnull<SubviewOp, BitcastOp, TReshapeOp>(op))
    return bytesOf(op->getOperand(0), writes, moved);
  return whole;
}

class Reader {
public:
  Reader(const Profile &profile, func::FuncOp function) : profile(profile) {
    function.walk([&](TReshapeOp reshape) {
      if (reshape.getTarget())
        moved.insert(reshape.getTarget());
    });
  }

  OrderBlock read(Block &block) {
    OrderBlock nodes;
    for (Operation &op : block)
      read(&op, nodes);
    return nodes;
  }
  /// Storages of GM are numbered behind the memories. If one is not known, it is all of them.
  void finish(OrderBlock &nodes) const {
    if (allKnown)
      return;
    for (OrderNode &node : nodes) {
      for (OrderAccess &access : node.accesses)
        if (access.storage >= kFirstArray)
          access = {kFirstArray, 0, kEnd, access.writes};
      for (OrderBlock &block : node.blocks)
        finish(block);
    }
  }
  Operation *at(uint32_t tag) const { return ops[tag]; }
  bool any() const { return hasWork; }

private:
  static constexpr uint32_t kFirstArray = kSpaceSlots;

  OrderNode &add(OrderBlock &nodes, OrderNode::Kind kind, Pipe pipe, Operation *op) {
    hasWork |= kind == OrderNode::Work;
    ops.push_back(op);
    return nodes.emplace_back(OrderNode{kind, pipe, uint32_t(ops.size() - 1)});
  }

  void read(Operation *op, OrderBlock &nodes) {
    if (isa<TileInstr>(op))
      return readTile(op, nodes);
    if (isScope(op)) {
      OrderNode &node = add(nodes, OrderNode::Work, Pipe::V, op);
      node.accesses = {{uint32_t(Space::Ub), 0, kEnd, true}};
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (auto pointer = dyn_cast<PtrType>(operand.getType()); pointer && pointer.getSpace() == Space::Gm)
            node.accesses.push_back(pointed(operand, Space::Gm, true));
      });
      return;
    }
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      add(nodes, OrderNode::Barrier, barrier.getTarget().getValue(), op);
      return;
    }
    if (isa<TSyncOp>(op)) { // ORDER-11: with flags, a barrier
      add(nodes, OrderNode::Barrier, Pipe::All, op);
      return;
    }
    if (isSection(op)) { // a program of its own, behind a barrier
      add(nodes, OrderNode::Barrier, Pipe::All, op);
      return;
    }
    if (op->getNumRegions() > 0)
      return readRegions(op, nodes);
    const InstrInfo *info = infoOf(op);
    if (!info || info->footprint == Footprint::None)
      return;
    OrderNode &node = add(nodes, OrderNode::Work, info->pipe.value_or(Pipe::S), op);
    const bool reads = info->footprint == Footprint::ScalarLoad;
    if (info->transfer) {
      auto transfer = cast<TransferOpInterface>(op);
      node.accesses = {pointed(transfer.get(TransferRole::Src), info->transfer->src, false),
                       pointed(transfer.get(TransferRole::Dst), info->transfer->dst, true)};
      return;
    }
    // Sorts leave a status, which belongs to no memory.
    if (info->footprint == Footprint::Direct || info->footprint == Footprint::Status)
      node.accesses.push_back({uint32_t(Space::None), 0, 1, info->footprint == Footprint::Direct});
    for (Value operand : op->getOperands())
      if (isa<TileBufType>(operand.getType()))
        node.accesses.push_back(bytesOf(operand, !reads, moved));
      else if (auto pointer = dyn_cast<PtrType>(operand.getType()))
        node.accesses.push_back(pointed(operand, pointer.getSpace(), !reads));
  }

  void readTile(Operation *op, OrderBlock &nodes) {
    FailureOr<TileBinding> bound = TileInstr(op).bind(/*emits=*/false);
    if (failed(bound))
      return; // refused before
    const tile::Record &record = *bound->form->record;
    OrderNode &node = add(nodes, OrderNode::Work, pipeOfTile(*bound, profile), op);
    for (auto [i, value] : llvm::enumerate(bound->tiles)) {
      const tile::Role role = record.tile[i].role;
      if (role != tile::Role::Alias)
        node.accesses.push_back(bytesOf(
            value, role == tile::Role::Write || role == tile::Role::Update || role == tile::Role::Scratch, moved));
    }
    if (bound->view)
      node.accesses.push_back(part(bound->view, record.gm == tile::Gm::Store));
  }

  void readRegions(Operation *op, OrderBlock &nodes) {
    auto loop = dyn_cast<scf::WhileOp>(op);
    if (loop || isa<scf::ForOp>(op)) {
      // Where the condition executes something, barriers stand before both parts (enclose).
      OrderBlock inner = read(loop ? *loop.getBeforeBody() : *cast<scf::ForOp>(op).getBody());
      if (loop)
        llvm::append_range(inner, read(*loop.getAfterBody()));
      if (!inner.empty()) {
        OrderNode &node = add(nodes, OrderNode::Loop, Pipe::S, op);
        node.blocks.push_back(std::move(inner));
      }
      return;
    }
    std::vector<OrderBlock> ways;
    for (Region &region : op->getRegions())
      if (!region.empty())
        ways.push_back(read(region.front()));
    if (llvm::all_of(ways, [](const OrderBlock &way) { return way.empty(); }))
      return;
    OrderNode &node = add(nodes, OrderNode::Branch, Pipe::S, op);
    node.blocks = std::move(ways);
  }

  /// What a pointer may point to.
  OrderAccess pointed(Value pointer, Space space, bool writes) {
    return space == Space::Gm ? OrderAccess{array(pointer), 0, kEnd, writes}
                              : OrderAccess{uint32_t(space), 0, kEnd, writes};
  }
  uint32_t array(Value pointer) {
    while (pointer && pointer.getDefiningOp()) {
      Operation *op = pointer.getDefiningOp();
      if (!isa<AddPtrOp, CastPtrOp, TensorViewAddrOp, PartitionViewOp, MakeTensorViewOp>(op) ||
          op->getOperand(0).getType().isInteger())
        break;
      pointer = op->getOperand(0);
    }
    auto argument = dyn_cast_if_present<BlockArgument>(pointer);
    if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return allKnown = false, kFirstArray;
    return arrays.try_emplace(pointer, kFirstArray + uint32_t(arrays.size())).first->second;
  }
  /// Bytes of a view, counted from where its array begins.
  OrderAccess part(Value view, bool writes) {
    const OrderAccess whole{array(view), 0, kEnd, writes};
    auto partition = view.getDefiningOp<PartitionViewOp>();
    auto made = partition ? partition.getSource().getDefiningOp<MakeTensorViewOp>() : nullptr;
    if (!made || !isa<BlockArgument>(made.getPtr()) || made.getStrides().size() != partition.getOffsets().size())
      return whole;
    int64_t first = 0, last = 0;
    for (auto [offset, size, stride] :
         llvm::zip_equal(partition.getOffsets(), partition.getSizes(), made.getStrides())) {
      const std::optional<int64_t> o = getConstantIntValue(offset), n = getConstantIntValue(size),
                                   s = getConstantIntValue(stride);
      constexpr int64_t kMost = int64_t(1) << 30; // no product of two overflows
      if (!o || !n || !s || *o < 0 || *n < 1 || *s < 0 || *o > kMost || *n > kMost || *s > kMost)
        return whole;
      first += *o * *s;
      last += (*o + *n - 1) * *s;
    }
    const int64_t bits = bitsOf(cast<PartitionTensorViewType>(view.getType()).getElement());
    return {whole.storage, uint64_t(first) * uint64_t(bits) / 8, (uint64_t(last + 1) * uint64_t(bits) + 7) / 8, writes};
  }

  const Profile &profile;
  std::vector<Operation *> ops;
  DenseMap<Value, uint32_t> arrays;
  DenseSet<Value> moved; ///< tiles that treshape puts elsewhere
  bool allKnown = true, hasWork = false;
};

struct InsertSyncPass : PassWrapper<InsertSyncPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertSyncPass)
  StringRef getArgument() const final { return "pto-insert-sync"; }
  StringRef getDescription() const final { return "write down the flags and barriers that automatic order means"; }

  void runOnOperation() override {
    OpPassManager first(ModuleOp::getOperationName());
    addCompletion(first);
    first.addPass(createPlanMemoryPass());
    if (failed(runPipeline(first, getOperation())))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) {
      if (isAutomatic(function))
        functions.push_back(function);
    });
    for (func::FuncOp function : functions)
      insert(function);
  }

  static bool executes(Region &region) {
    bool any = false;
    region.walk([&](Operation *op) { any |= isExecuted(op); });
    return any;
  }

  /// What a call or a signal to others does is not known: everything before it has
  /// ended, and everything after it starts later. The condition of a loop is executed
  /// once more than its body, so no flag may lead from one to the other.
  void enclose(func::FuncOp function) {
    SmallVector<Operation *> opaque;
    function.walk([&](Operation *op) {
      const InstrInfo *info = infoOf(op);
      const bool signals = info && info->family == Family::Sync && !isa<BarrierOp, TSyncOp, MemBarOp>(op) &&
                           info->timing == Timing::sync;
      auto loop = dyn_cast<scf::WhileOp>(op);
      if (signals || isa<func::CallOp, TPrintOp>(op))
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

  void insert(func::FuncOp function) {
    enclose(function);
    SmallVector<Operation *> sections;
    function.walk([&](Operation *op) {
      if (isSection(op))
        sections.push_back(op);
    });
    for (Operation *section : sections)
      insert(function, section->getRegion(0).front());
    if (insert(function, function.getBody().front()))
      for (Operation *section : sections)
        barrier(OpBuilder(section), section->getLoc(), Pipe::All);
  }

  /// All pipes are empty where the block ends. Returns whether it does anything.
  bool insert(func::FuncOp function, Block &body) {
    const Profile &profile = profileOf(getOperation());
    Reader reader(profile, function);
    OrderBlock nodes = reader.read(body);
    reader.finish(nodes);
    DenseMap<Operation *, Operation *> lastBehind;
    for (const OrderInsertion &one : insertOrder(nodes, profile)) {
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
    if (!reader.any())
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
};

} // namespace

std::unique_ptr<Pass> ptoscope::createInsertSyncPass() { return std::make_unique<InsertSyncPass>(); }
