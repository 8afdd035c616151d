//===- TileLife.cpp - from where to where tiles are in use ----------------===//
//
// One walk over the program, in its order and into calls. A storage is in use
// from its first use to its last one (PLAN-5). Loops make that longer: what is
// used before a loop and in it stays for all of it; and so does what a turn reads
// without having written it, since an earlier turn may have. "Written" means that
// one instruction before, on every path of the turn, has written the whole valid
// region of the same tile, or the whole storage.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/TileLife.h"

#include "ptoscope/Compiler/Callees.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <utility>

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

namespace {

using Roots = SmallVector<unsigned, 1>;

/// All valid elements of a tile, or at least all that reads of it see.
bool writesAll(const tile::Record &record, size_t operand, TileBufType type) {
  const tile::OperandSpec &spec = record.tile[operand];
  if (spec.role != tile::Role::Write)
    return false;
  switch (spec.area) {
  case tile::Area::Own:
  case tile::Area::Dst:
  case tile::Area::Whole:
  case tile::Area::Bits:
    return true;
  case tile::Area::PerRow:
  case tile::Area::Column0:
    return type.getValidCols() == 1;
  case tile::Area::PerColumn:
  case tile::Area::Row0:
    return type.getValidRows() == 1;
  case tile::Area::Custom:
    // Those that fill the valid region of their destination.
    return llvm::is_contained({&tile::record::TLOAD, &tile::record::TMATMUL, &tile::record::TMATMUL_BIAS,
                               &tile::record::TGEMV, &tile::record::TGEMV_BIAS, &tile::record::TMOV,
                               &tile::record::TMOV_FP, &tile::record::TEXTRACT, &tile::record::TEXTRACT_FP,
                               &tile::record::TTRANS},
                              &record);
  default:
    return false;
  }
}

bool reads(tile::Role role) {
  return role != tile::Role::Write && role != tile::Role::Scratch && role != tile::Role::None &&
         role != tile::Role::Alias;
}

class Walker {
public:
  explicit Walker(TileLife &life) : life(life) {}

  void entry(func::FuncOp function) {
    written.clear();
    hasSections = false;
    const uint32_t begin = step();
    const size_t first = life.storages.size();
    walkFunction(function);
    if (step() == begin) // no tile is used
      life.steps.push_back(function);
    finish(first, {begin, step()});
  }

private:
  struct Storage {
    bool isExposed = false;            ///< read where a write of the same turn is not certain
    bool isKept = false;               ///< later pushes read it (FIFO-80)
    SmallVector<StepRange> loops = {}; ///< outermost ones with a use
  };
  struct Loop {
    uint32_t begin;
    SmallVector<unsigned> kept; ///< storages in use all the time
    SmallVector<unsigned> used; ///< storages with a use, of the outermost loop
  };

  struct Written {
    uint32_t scope;
    std::optional<size_t> loops; ///< around it
  };

  uint32_t step() const { return uint32_t(life.steps.size()); }

  //===--------------------------------------------------------------------===//
  // What values stand for
  //===--------------------------------------------------------------------===//

  ArrayRef<unsigned> rootsOf(Value value) const {
    auto found = roots.find(value);
    return found == roots.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(found->second);
  }
  /// True when `value` has come to stand for more than before.
  bool alias(Value value, Value source) {
    bool grows = false;
    Roots more(rootsOf(source));
    Roots &own = roots[value];
    for (unsigned root : more)
      if (!llvm::is_contained(own, root)) {
        own.push_back(root);
        grows = true;
      }
    return grows;
  }

  void makeStorage(Operation *op, TileBufType type, int64_t count, Value address) {
    auto [known, isNew] = numbers.try_emplace(op, unsigned(life.storages.size()));
    roots[op->getResult(0)] = {known->second};
    if (!isNew)
      return;
    std::optional<uint64_t> constant;
    APInt value;
    if (address && matchPattern(address, m_ConstantInt(&value)))
      constant = value.getZExtValue();
    life.storages.push_back({op, type.getSpace(), uint64_t(type.getBytes() * count), {}, constant});
    own.emplace_back();
    made.push_back(step());
  }

  //===--------------------------------------------------------------------===//
  // Uses
  //===--------------------------------------------------------------------===//

  /// Every byte of the storages of `tile`.
  bool coversStorage(Value value) const {
    auto type = dyn_cast<TileBufType>(value.getType());
    ArrayRef<unsigned> list = rootsOf(value);
    return type && list.size() == 1 && type.getValidRows() == type.getRows() && type.getValidCols() == type.getCols() &&
           uint64_t(type.getBytes()) == life.storages[list[0]].bytes;
  }

  void use(Value value, bool isRead) {
    for (unsigned root : rootsOf(value)) {
      TileStorage &storage = life.storages[root];
      size_t from = loops.size(); // the outermost loop that keeps it
      if (!storage.used.empty())
        from = size_t(llvm::partition_point(loops, [&](const Loop &loop) { return loop.begin <= storage.used.begin; }) -
                      loops.begin());
      if (isRead) {
        size_t writtenIn = 0;
        bool isWritten = false;
        for (const void *key : {value.getAsOpaquePointer(), keyOf(root)})
          if (std::optional<size_t> depth = writtenAt(key)) {
            isWritten = true;
            writtenIn = std::max(writtenIn, *depth);
          }
        own[root].isExposed |= !isWritten;
        if (isWritten)
          from = std::min(from, writtenIn);
      }
      if (from < loops.size())
        loops[from].kept.push_back(root);
      if (!loops.empty())
        loops[0].used.push_back(root);
      storage.used.include({step(), step() + 1});
    }
  }

  void *keyOf(unsigned root) const { return life.storages[root].op; }

  void noteWritten(const void *key) {
    SmallVector<Written, 1> &entries = written[key];
    if (entries.empty() || entries.back().scope != scope) {
      entries.push_back({scope, {}});
      undo.push_back(key);
    }
    entries.back().loops = loops.size();
  }
  /// How many loops are around the write; nothing where none is certain.
  std::optional<size_t> writtenAt(const void *key) const {
    auto found = written.find(key);
    return found == written.end() || found->second.empty() ? std::nullopt : found->second.back().loops;
  }
  /// The valid region changes: what was written may be less than all of it.
  void forgetWritten(Value value) {
    if (auto found = written.find(value.getAsOpaquePointer()); found != written.end())
      for (Written &entry : found->second)
        entry.loops.reset();
  }
  /// What was written inside `walk` no longer counts after it.
  template <typename Fn> void scoped(Fn walk) {
    const size_t depth = undo.size();
    const uint32_t outer = std::exchange(scope, ++lastScope);
    walk();
    scope = outer;
    for (; undo.size() > depth; undo.pop_back())
      written[undo.back()].pop_back();
  }

  void useInstruction(TileInstr instr) {
    FailureOr<TileBinding> bound = instr.bind(/*emits=*/false);
    if (failed(bound)) {
      for (Value operand : instr->getOperands())
        use(operand, /*isRead=*/true);
      return;
    }
    const tile::Record &record = *bound->form->record;
    for (auto [i, value] : llvm::enumerate(bound->tiles))
      if (reads(record.tile[i].role))
        use(value, /*isRead=*/true);
    for (auto [i, value] : llvm::enumerate(bound->tiles)) {
      if (reads(record.tile[i].role) && record.tile[i].role != tile::Role::Update)
        continue;
      use(value, /*isRead=*/false);
      if (!writesAll(record, i, cast<TileBufType>(value.getType())))
        continue;
      noteWritten(value.getAsOpaquePointer());
      if (coversStorage(value))
        noteWritten(keyOf(rootsOf(value)[0]));
    }
  }

  //===--------------------------------------------------------------------===//
  // The walk
  //===--------------------------------------------------------------------===//

  void walkFunction(func::FuncOp function) {
    if (function.isExternal() || llvm::is_contained(callers, function))
      return;
    callers.push_back(function);
    walkRegion(function.getBody());
    callers.pop_back();
  }

  void walkRegion(Region &region) {
    if (region.empty())
      return;
    // Branches between blocks may go anywhere, so they count as a loop.
    if (!region.hasOneBlock())
      return walkLoop([&] {
        for (Block &block : region)
          scoped([&] { walkBlock(block); });
      });
    scoped([&] { walkBlock(region.front()); });
  }

  template <typename Fn> void walkLoop(Fn walk) {
    loops.push_back({step(), {}, {}});
    scoped(walk);
    Loop loop = loops.pop_back_val();
    const StepRange all{loop.begin, step()};
    if (all.empty())
      return;
    for (unsigned root : loop.kept)
      life.storages[root].used.include(all);
    if (loops.empty())
      for (unsigned root : loop.used)
        if (own[root].loops.empty() || own[root].loops.back().begin != all.begin)
          own[root].loops.push_back(all);
  }

  void walkBlock(Block &block) {
    for (Operation &op : block)
      walkOp(&op);
  }

  bool join(ValueRange targets, ValueRange sources) {
    bool grows = false;
    for (auto [target, source] : llvm::zip(targets, sources))
      if (!rootsOf(source).empty())
        grows |= alias(target, source);
    return grows;
  }
  /// Values that a loop carries, from before it; whether tiles are among them.
  bool aliasCarried(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      join(loop.getResults(), loop.getInitArgs());
      join(loop.getRegionIterArgs(), loop.getInitArgs());
      return llvm::any_of(loop.getInitArgs(), [&](Value init) { return !rootsOf(init).empty(); });
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      join(loop.getBeforeArguments(), loop.getInits());
      return llvm::any_of(loop.getInits(), [&](Value init) { return !rootsOf(init).empty(); });
    }
    return false;
  }
  /// The same values at the ends of its turns, or of branches.
  bool aliasYields(Operation *op) {
    bool grows = false;
    auto also = [&](ValueRange targets, ValueRange sources) { grows |= join(targets, sources); };
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      also(loop.getRegionIterArgs(), loop.getYieldedValues());
      also(loop.getResults(), loop.getYieldedValues());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      ValueRange handedOn = loop.getConditionOp().getArgs();
      also(loop.getAfterArguments(), handedOn);
      also(loop.getBeforeArguments(), loop.getYieldOp().getOperands());
      also(loop.getResults(), handedOn);
    } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && op->getNumResults()) {
      also(branch.getResults(), branch.thenYield().getOperands());
      also(branch.getResults(), branch.elseYield().getOperands());
    }
    return grows;
  }

  void walkOp(Operation *op) {
    if (auto alloc = dyn_cast<AllocTileOp>(op))
      return makeStorage(op, cast<TileBufType>(alloc.getResult().getType()), 1, alloc.getAddr());
    if (auto alloc = dyn_cast<AllocMultiTileOp>(op)) {
      auto type = cast<MultiTileBufType>(alloc.getResult().getType());
      return makeStorage(op, type.getTile(), type.getCount(), alloc.getAddr());
    }
    if (auto assign = dyn_cast<TAssignOp>(op))
      return makeStorage(op, cast<TileBufType>(assign.getResult().getType()), 1, assign.getAddr());
    if (auto reshape = dyn_cast<TReshapeOp>(op); reshape && reshape.getTarget()) {
      forgetWritten(reshape.getTarget());
      alias(reshape.getTarget(), reshape.getSource());
      return;
    }
    if (isa<SubviewOp, BitcastOp, TReshapeOp, MultiTileGetOp, TileBufAddrOp>(op)) {
      roots.erase(op->getResult(0));
      alias(op->getResult(0), op->getOperand(0));
      return;
    }
    if (auto valid = dyn_cast<SetValidShapeOp>(op)) {
      forgetWritten(valid.getTile());
      return;
    }
    if (isa<GetValidShapeOp, TileValidRowsOp, TileValidColsOp>(op))
      return;
    hasSections |= isa<SectionCubeOp, SectionVectorOp>(op);
    if (auto call = dyn_cast<func::CallOp>(op))
      return walkCall(call);
    if (isa<LoopLikeOpInterface>(op)) {
      auto turn = [&] {
        for (Region &region : op->getRegions())
          walkRegion(region);
      };
      // A loop that carries tiles is looked through first, for what they stand for.
      if (aliasCarried(op)) {
        const bool outer = std::exchange(isDry, true);
        do
          scoped(turn);
        while (aliasYields(op));
        isDry = outer;
      }
      walkLoop(turn);
      aliasYields(op);
      return;
    }
    if (op->getNumRegions() != 0) {
      for (Region &region : op->getRegions())
        walkRegion(region);
      aliasYields(op);
      return;
    }
    walkUse(op);
  }

  void walkUse(Operation *op) {
    if (llvm::all_of(op->getOperands(), [&](Value operand) { return rootsOf(operand).empty(); }) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    // Addresses that are computed from the address of a tile.
    if (!isa<TileInstr>(op) && isMemoryEffectFree(op)) {
      for (Value result : op->getResults())
        for (Value operand : op->getOperands())
          if (!rootsOf(operand).empty())
            alias(result, operand);
      return;
    }
    if (isDry)
      return;
    if (auto instr = dyn_cast<TileInstr>(op))
      useInstruction(instr);
    else
      for (Value operand : op->getOperands())
        use(operand, /*isRead=*/!isa<TSetValOp>(op));
    if (isa<SetQuantVectorOp>(op))
      for (unsigned root : rootsOf(op->getOperand(0)))
        own[root].isKept = true;
    life.steps.push_back(op);
  }

  void walkCall(func::CallOp call) {
    func::FuncOp callee = callees.of(call);
    if (!callee || callee.isExternal())
      return;
    for (auto [argument, operand] : llvm::zip(callee.getArguments(), call.getOperands())) {
      roots.erase(argument);
      if (!rootsOf(operand).empty())
        alias(argument, operand);
    }
    walkFunction(callee);
    if (auto end = dyn_cast<func::ReturnOp>(callee.getBody().back().getTerminator()))
      for (auto [result, operand] : llvm::zip(call.getResults(), end.getOperands()))
        if (!rootsOf(operand).empty())
          alias(result, operand);
  }

  void finish(size_t first, const StepRange &all) {
    for (size_t i = first; i < life.storages.size(); ++i) {
      TileStorage &storage = life.storages[i];
      if (storage.used.empty()) {
        const uint32_t at = std::clamp(made[i], all.begin, all.end - 1);
        storage.used = {at, at + 1};
      }
      if (own[i].isExposed)
        for (const StepRange &loop : own[i].loops)
          storage.used.include(loop);
      // Both kinds of core reach L1, and nothing tells the order between them.
      if ((hasSections && storage.space == Space::L1) || own[i].isKept)
        storage.used.include(all);
    }
  }

  TileLife &life;
  DenseMap<Value, Roots> roots;
  DenseMap<Operation *, unsigned> numbers;
  std::vector<Storage> own;   ///< by storage
  std::vector<uint32_t> made; ///< step of the allocation, by storage
  SmallVector<Loop> loops;
  /// Values and storages of which everything was written: a stack each, the innermost
  /// scope last.
  DenseMap<const void *, SmallVector<Written, 1>> written;
  SmallVector<const void *> undo; ///< whose stacks have entries of open scopes
  uint32_t scope = 0, lastScope = 0;
  const Callees callees;
  bool isDry = false; ///< looks for what values stand for, not for uses
  SmallVector<func::FuncOp> callers;
  bool hasSections = false;
};

} // namespace

TileLife tileLife(ArrayRef<func::FuncOp> entries) {
  TileLife life;
  Walker walker(life);
  for (func::FuncOp entry : entries)
    walker.entry(entry);
  return life;
}

} // namespace ptoscope
