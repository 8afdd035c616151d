//===- ScopeSchedules.cpp - what timing knows of a vector scope -----------===//
//
// Describes a scope before it is lowered: its regions, their instructions and who
// uses whose results, also through values that loops carry and branches yield.
// Calls in the scope then count how often each region is entered: a loop adds its
// turns before it begins, where their number follows from a constant step; others
// add one each time.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeSchedules.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;
using namespace ptoscope::timing;

namespace {

/// Views of a register cost nothing, nor does what only a reader of the run sees.
bool isInstruction(Operation &op) {
  if (isSequence(&op))
    return !costOf(cast<func::CallOp>(op)).empty();
  return isVectorOp(&op) ? infoOf(&op) && !isa<TPrintOp, PbitcastOp, VbitcastOp>(op) : isa<MemBarOp>(op);
}

/// An arm of a branch without these takes no time.
bool takesTime(Region &region) {
  return region
      .walk([](Operation *op) {
        return isInstruction(*op) || isa<scf::ForOp, scf::WhileOp>(op) ? WalkResult::interrupt()
                                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isUsed(Type type) { return isa<VRegType, MaskType>(type); }

class Describer {
public:
  explicit Describer(SiteTable &sites) : sites(sites) {}

  ScopeSchedule describe(func::FuncOp function) {
    schedule.site = kNoSite;
    schedule.regions.push_back({});
    blocks.push_back(&function.getBody().front());
    addBlock(function.getBody().front(), 0);
    for (auto [op, place] : places)
      addUses(op, place);
    for (auto [number, block] : llvm::enumerate(blocks))
      count(*block, unsigned(number));
    return std::move(schedule);
  }

private:
  struct Position {
    uint32_t region, index;
  };
  /// A result that comes from the turn before, or from this one.
  using Source = std::pair<Value, unsigned>;

  uint32_t addRegion(uint32_t parent, Block &block, Operation *owner, bool isLoop) {
    const auto number = uint32_t(schedule.regions.size());
    ScopeRegion region;
    region.parent = parent;
    region.before = uint32_t(schedule.regions[parent].instructions.size());
    region.isLoop = isLoop;
    region.site = siteOf(owner);
    schedule.regions.push_back(std::move(region));
    blocks.push_back(&block);
    addBlock(block, number);
    return number;
  }

  void addBlock(Block &block, uint32_t region) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        addRegion(region, *loop.getBody(), loop, true);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region &arm : branch->getRegions())
          if (!arm.empty() && takesTime(arm))
            addRegion(region, arm.front(), branch, false);
      } else if (auto repeated = dyn_cast<scf::WhileOp>(op)) {
        const uint32_t condition = addRegion(region, *repeated.getBeforeBody(), repeated, true);
        addRegion(condition, *repeated.getAfterBody(), repeated, false);
      } else if (isInstruction(op)) {
        addInstructions(op, region);
      }
    }
  }

  /// A sequence call is several micro instructions, step after step; who uses it waits for the last of them.
  void addInstructions(Operation &op, uint32_t region) {
    auto &instructions = schedule.regions[region].instructions;
    const bool several = isSequence(&op);
    SmallVector<SequenceCost> steps = {{several ? Timing::none : infoOf(&op)->timing, 1}};
    if (several)
      steps = costOf(cast<func::CallOp>(op));
    for (auto [step, cost] : llvm::enumerate(steps)) {
      const auto before = uint32_t(instructions.size());
      for (unsigned i = 0; i < cost.count; ++i) {
        instructions.push_back(instructionOf(op, cost.timing));
        if (step == 0)
          places.push_back({&op, {region, before + i}});
        else
          instructions.back().uses.push_back({region, before - 1});
      }
    }
    placeOf[&op] = {region, uint32_t(instructions.size() - 1)};
  }

  ScopeInstr instructionOf(Operation &op, Timing timing) {
    ScopeInstr instr;
    instr.site = siteOf(&op);
    instr.timing = timing;
    auto element = [](TypeRange types) {
      for (Type type : types)
        if (auto reg = dyn_cast<VRegType>(type))
          return reg.getElement();
      return Type();
    };
    Type from = element(op.getOperandTypes()), to = element(op.getResultTypes());
    if (!from)
      from = to;
    if (from) {
      instr.bits = uint8_t(bitsOf(from));
      instr.isFloat = !isa<IntegerType>(from);
    }
    if (from && to && bitsOf(to) != bitsOf(from))
      instr.toBits = uint8_t(bitsOf(to));
    return instr;
  }

  void addUses(Operation *op, Position place) {
    llvm::SetVector<Source> sources;
    for (Value operand : op->getOperands())
      if (isUsed(operand.getType()))
        sources.insert({operand, false});
    auto &uses = schedule.regions[place.region].instructions[place.index].uses;
    // Sources that are made elsewhere become those that they are made of; each is looked at once.
    for (size_t i = 0; i < sources.size(); ++i) {
      auto [value, carried] = sources[i];
      if (auto producer = placeOf.find(value.getDefiningOp()); value.getDefiningOp() && producer != placeOf.end())
        uses.push_back({producer->second.region, producer->second.index, carried != 0});
      else
        addSources(value, carried, sources);
    }
  }

  void addSources(Value value, bool carried, llvm::SetVector<Source> &sources) {
    auto add = [&](Value source, bool isCarried) { sources.insert({source, isCarried}); };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      const unsigned number = argument.getArgNumber();
      if (auto loop = dyn_cast<scf::ForOp>(owner)) {
        add(loop.getInitArgs()[number - 1], carried);
        add(loop.getYieldedValues()[number - 1], true);
      } else if (auto repeated = dyn_cast<scf::WhileOp>(owner)) {
        if (argument.getOwner() == repeated.getAfterBody()) {
          add(repeated.getConditionOp().getArgs()[number], carried);
        } else {
          add(repeated.getInits()[number], carried);
          add(repeated.getYieldOp().getResults()[number], true);
        }
      }
      return;
    }
    Operation *op = value.getDefiningOp();
    const unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add(loop.getInitArgs()[number], carried);
      add(loop.getYieldedValues()[number], carried);
    } else if (auto repeated = dyn_cast<scf::WhileOp>(op)) {
      add(repeated.getConditionOp().getArgs()[number], carried);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      add(branch.thenYield().getOperand(number), carried);
      add(branch.elseYield().getOperand(number), carried);
    } else {
      // Choices and views.
      for (Value operand : op->getOperands())
        if (isUsed(operand.getType()))
          add(operand, carried);
    }
  }

  /// A loop's turns, if its step is a positive constant; null otherwise.
  static Value turnsOf(scf::ForOp loop, OpBuilder &builder) {
    APInt step;
    if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
      return {};
    Location loc = loop.getLoc();
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    auto constant = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(lower.getType(), value));
    };
    // Next to the largest number, too: (upper - lower - 1) / step + 1.
    Value last = builder.create<arith::SubIOp>(loc, builder.create<arith::SubIOp>(loc, upper, lower), constant(1));
    Value turns = builder.create<arith::AddIOp>(
        loc, builder.create<arith::DivUIOp>(loc, last, constant(step.getSExtValue())), constant(1));
    Value some = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lower, upper);
    return builder.create<arith::SelectOp>(loc, some, turns, constant(0));
  }

  static void count(Block &block, unsigned number) {
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    SmallVector<Value> turns;
    Location loc = block.getParentOp()->getLoc();
    if (auto loop = dyn_cast<scf::ForOp>(block.getParentOp())) {
      builder.setInsertionPoint(loop);
      if (Value known = turnsOf(loop, builder))
        turns.push_back(known);
      else
        builder.setInsertionPointToStart(&block);
    }
    auto call = builder.create<func::CallOp>(loc, "pto.count", TypeRange(), turns);
    call->setAttr(kRegionAttr, builder.getI32IntegerAttr(int32_t(number)));
  }

  SiteId siteOf(Operation *op) {
    Site site;
    if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
      site.place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    site.op = op->getName().getStringRef().str();
    if (const InstrInfo *info = infoOf(op))
      site.timing = info->timing;
    return sites.add(std::move(site));
  }

  SiteTable &sites;
  ScopeSchedule schedule;
  std::vector<Block *> blocks;                          ///< of the regions
  std::vector<std::pair<Operation *, Position>> places; ///< in the order of the text
  llvm::DenseMap<Operation *, Position> placeOf;
};

} // namespace

ScopeSchedule ptoscope::describeScope(func::FuncOp function, SiteTable &sites) {
  return Describer(sites).describe(function);
}
