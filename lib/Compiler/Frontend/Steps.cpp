//===- Steps.cpp - code that tells of every instruction -------------------===//

#include "ptoscope/Compiler/Steps.h"

#include "ptoscope/Compiler/Looks.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace ptoscope::pto;
using ptoscope::tile::Look;

namespace ptoscope {

namespace {

class Inserter {
public:
  Inserter(const ParsedProgram &program, Steps &steps) : program(program), steps(steps) {}

  void instrument(func::FuncOp function) {
    SmallVector<Operation *> ops;
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    if (ops.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    // A step has no value of its own; what is handed over with it is not read.
    nothing = builder.create<arith::ConstantIntOp>(function.getLoc(), 0, 32);
    for (Operation *op : ops) {
      if (isStep(op)) {
        builder.setInsertionPoint(op);
        hand(builder, op->getLoc(), nothing, 2 * stepOf(op));
      }
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (isa<scf::ForOp, scf::WhileOp>(op)) {
            builder.setInsertionPointToStart(&block);
            for (BlockArgument argument : block.getArguments())
              show(builder, block.front().getLoc(), argument);
          }
      if (op->hasTrait<OpTrait::IsTerminator>())
        continue;
      builder.setInsertionPointAfter(op);
      // Findings name the place behind an instruction: it stays what it was.
      Operation *next = op->getNextNode();
      const Location behind = next ? next->getLoc() : op->getLoc();
      for (Value result : op->getResults())
        show(builder, behind, result);
      if (isa<SetValidShapeOp, TAssignOp>(op))
        show(builder, behind, op->getOperand(0));
    }
  }

private:
  static bool isStep(Operation *op) {
    if (placeOf(op->getLoc()).line == 0 || isa<arith::ConstantOp, func::CallOp>(op))
      return false;
    return isa<func::ReturnOp>(op) || !op->hasTrait<OpTrait::IsTerminator>();
  }

  uint32_t stepOf(Operation *op) {
    const Place place = placeOf(op->getLoc());
    const bool inScope = scopeAround(op) != nullptr;
    const std::string word = program.wordAt(place);
    const bool assumed = isScope(op) && !StringRef(word).contains("vecscope") && !isa<scf::ForOp>(op);
    auto [it, isNew] =
        stepNumbers.try_emplace({place.line, place.column, op->getName().getAsOpaquePointer()}, steps.steps.size());
    if (isNew)
      steps.steps.push_back({place.line, place.column,
                             assumed || word.empty() ? op->getName().getStringRef().str() : word, inScope, assumed});
    return uint32_t(it->second);
  }

  /// What can be shown of a type; nothing for the others.
  static std::optional<NamedValue> describe(Type type) {
    std::optional<tile::Shown> shown = shownOf(type);
    if (!shown)
      return std::nullopt;
    NamedValue value{*shown};
    if (auto pointer = dyn_cast<PtrType>(type))
      value.space = pointer.getSpace();
    llvm::raw_string_ostream(value.type) << type;
    return value;
  }

  void show(OpBuilder &builder, Location loc, Value value) {
    std::optional<NamedValue> known = describe(value.getType());
    if (!known)
      return;
    // An address that was chosen for a tile stands where the tile does.
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (!StringRef(program.wordAt(placeOf(constant.getLoc()))).contains("constant"))
        return;
    known->name = nameOf(program, value);
    if (known->name.empty())
      return;
    known->line = placeOf(value.getLoc()).line;
    auto [it, isNew] = valueNumbers.try_emplace({known->name, known->line}, steps.values.size());
    const auto number = uint32_t(it->second);
    if (isNew)
      steps.values.push_back(std::move(*known));
    hand(builder, loc, value, 2 * number + 1);
  }

  static void hand(OpBuilder &builder, Location loc, Value value, uint32_t number) {
    auto print = builder.create<TPrintOp>(loc, value);
    print->setAttr(kLookAttr, builder.getI32IntegerAttr(int32_t(number)));
  }

  const ParsedProgram &program;
  Steps &steps;
  Value nothing;
  // Both halves of a kernel, and calls that were inlined, share the text.
  std::map<std::tuple<uint32_t, uint32_t, const void *>, size_t> stepNumbers;
  std::map<std::pair<std::string, uint32_t>, size_t> valueNumbers;
};

} // namespace

void insertSteps(ModuleOp module, const ParsedProgram &program, Steps &steps) {
  for (uint32_t line = 1; line <= program.lineStarts.size(); ++line)
    if (std::optional<std::string> text = program.line(line);
        text && StringRef(*text).ltrim(" \t\"").starts_with("func.func"))
      steps.functions.push_back(line);
  Inserter inserter(program, steps);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.getBody().empty())
      inserter.instrument(function);
}

} // namespace ptoscope
