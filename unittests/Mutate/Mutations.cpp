//===- Mutations.cpp - one synchronising instruction changed --------------===//

#include "Mutations.h"

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ptoscope::mutate {

namespace {

/// Sets an address that nothing reads, and a declaration whose uses are mutated.
constexpr llvm::StringLiteral kOrderNothing[] = {"set_ffts", "declare_eventid_array"};

/// Do only flags use what is read from the array? Ids that are stored or computed
/// with are data.
bool numbersFlags(Value array) {
  return llvm::all_of(array.getUsers(), [](Operation *user) {
    return isa<pto::EventIdArraySetOp>(user) || llvm::all_of(user->getUsers(), [](Operation *use) {
             return isa<pto::SetFlagDynOp, pto::WaitFlagDynOp>(use);
           });
  });
}

bool synchronises(const pto::InstrInfo &info) {
  return (info.family == pto::Family::Sync || info.family == pto::Family::ClusterSync) &&
         !llvm::is_contained(kOrderNothing, info.name);
}

const pto::InstrInfo *syncInfo(Operation *op) {
  if (isa<pto::EventIdArraySetOp, pto::EventIdArrayGetOp>(op) && !numbersFlags(op->getOperand(0)))
    return nullptr;
  const pto::InstrInfo *info = pto::infoOf(op);
  return info && synchronises(*info) ? info : nullptr;
}

std::vector<Operation *> syncOps(ModuleOp module) {
  std::vector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (syncInfo(op))
      ops.push_back(op);
  });
  return ops;
}

/// The next or previous operation of the block that does something.
Operation *neighbour(Operation *op, bool forwards) {
  do
    op = forwards ? op->getNextNode() : op->getPrevNode();
  while (op && isMemoryEffectFree(op));
  return op && !op->hasTrait<OpTrait::IsTerminator>() ? op : nullptr;
}

/// May `op` stand right before `place`, which comes earlier in its block?
bool mayRiseTo(Operation *op, Operation *place) {
  return llvm::none_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return source && source->getBlock() == place->getBlock() && !source->isBeforeInBlock(place);
  });
}

bool same(Operation *a, Operation *b) {
  return a->getName() == b->getName() && a->getAttrDictionary() == b->getAttrDictionary() &&
         llvm::equal(a->getOperands(), b->getOperands());
}

/// Where an instruction holds its number: an attribute, or an operand.
struct NumberOf {
  StringRef attribute;
  std::optional<int64_t> value; ///< of the attribute
  int operand = -1;
  int64_t limit = 0;
};

std::vector<NumberOf> numbersOf(Operation *op) {
  auto attribute = [&](StringRef name, int64_t limit) -> NumberOf {
    auto number = op->getAttrOfType<IntegerAttr>(name);
    return {name, number ? std::optional(number.getInt()) : std::nullopt, -1, limit};
  };
  auto operand = [](int k) -> NumberOf { return {"", std::nullopt, k, 0}; };
  int last = int(op->getNumOperands()) - 1;
  if (isa<pto::SetFlagOp, pto::WaitFlagOp>(op))
    return {attribute("id", kEventIds)};
  if (isa<pto::SetFlagDynOp, pto::WaitFlagDynOp>(op))
    return {operand(last)};
  if (isa<pto::GetBufOp, pto::RlsBufOp>(op))
    return {op->hasAttr("static_id") ? attribute("static_id", kBufferIds) : operand(0)};
  if (isa<pto::SyncSetOp, pto::SyncWaitOp>(op)) {
    int64_t ids = coreKindOf(op) == CoreKind::AIC ? 32 : 16;
    return {op->hasAttr("static_id") ? attribute("static_id", ids) : operand(last)};
  }
  if (isa<pto::SetIntraBlockOp, pto::WaitIntraCoreOp, pto::SetCrossCoreOp, pto::WaitFlagDevOp>(op))
    return {operand(last)};
  if (isa<pto::EventIdArraySetOp>(op))
    return {operand(1), operand(2)};
  if (isa<pto::EventIdArrayGetOp>(op))
    return {operand(1)};
  return {};
}

std::string pipeText(Operation *op, StringRef name) {
  auto pipe = op->getAttrOfType<pto::PipeAttr>(name);
  return pipe ? std::string(nameOf(pipe.getValue())) : "";
}

/// Instructions that share numbers: same kind of number, same pipes.
std::string poolOf(Operation *op) {
  if (isa<pto::SetFlagOp, pto::WaitFlagOp>(op))
    return "flag " + pipeText(op, "src") + " " + pipeText(op, "dst");
  return isa<pto::GetBufOp, pto::RlsBufOp>(op) ? "buffer" : isa<pto::SyncSetOp>(op) ? "set" : "wait";
}

/// The mode of a buffer id when it is known.
std::optional<int64_t> modeOf(Operation *op) {
  if (auto mode = op->getAttrOfType<IntegerAttr>("static_mode"))
    return mode.getInt();
  auto buffer = dyn_cast<pto::GetBufOp>(op);
  Value value = buffer ? buffer.getMode() : cast<pto::RlsBufOp>(op).getMode();
  if (!value)
    return 0;
  IntegerAttr constant;
  return matchPattern(value, m_Constant(&constant)) ? std::optional(constant.getInt()) : std::nullopt;
}

std::vector<Fence> weakerThan(StringRef kind) {
  auto find = [&](StringRef name) -> std::optional<Fence> {
    for (unsigned f = 0; f < 16; ++f)
      if (name == StringRef(nameOf(Fence(f))))
        return Fence(f);
    return std::nullopt;
  };
  std::vector<Fence> weaker;
  std::optional<Fence> own = find(kind);
  if (!own)
    return weaker;
  FenceClasses all = classesOf(*own);
  for (unsigned f = 0; f < 16; ++f) {
    FenceClasses part = classesOf(Fence(f));
    if (Fence(f) != *own && !(part.prior & ~all.prior) && !(part.later & ~all.later))
      weaker.push_back(Fence(f));
  }
  return weaker;
}

constexpr llvm::StringLiteral kCoreTypes[] = {"aiv_only", "aic_only", "mix"};

/// Lists the mutations of one instruction.
class Lister {
public:
  Lister(const ParsedProgram &program, const std::vector<Operation *> &ops, std::vector<Mutation> &list)
      : program(program), ops(ops), list(list) {}

  void visit(unsigned number) {
    op = ops[number];
    base = Mutation{number, Action::Remove, 0, -1, placeOf(op->getLoc()), "", "", {placeOf(op->getLoc())}};
    base.word = program.wordAt(base.place);
    if (op->getNumResults() == 0) {
      add(Action::Remove, 0, "removed");
      moves();
    }
    numbers();
    if (isa<pto::SetFlagOp, pto::WaitFlagOp, pto::SetFlagDynOp, pto::WaitFlagDynOp>(op))
      add(Action::Reverse, 0, "source and destination exchanged");
    if (isa<pto::GetBufOp, pto::RlsBufOp>(op))
      if (std::optional<int64_t> mode = modeOf(op))
        add(Action::Mode, 1 - *mode, "mode " + std::to_string(*mode) + " made " + std::to_string(1 - *mode));
    if (auto barrier = dyn_cast<pto::BarrierOp>(op))
      pipes(barrier.getTarget().getValue());
    if (auto fence = dyn_cast<pto::MemBarOp>(op))
      for (Fence weaker : weakerThan(fence.getKind()))
        add(Action::Kind, int64_t(weaker), fence.getKind().str() + " made " + std::string(nameOf(weaker)));
    if (auto all = dyn_cast<pto::SyncAllOp>(op); all && all.getWorkspaces().empty())
      for (int64_t k = 0; k < 3; ++k)
        if (kCoreTypes[k] != all.getCoreType().getValue())
          add(Action::Cores, k, "made " + kCoreTypes[k].str());
  }

private:
  Mutation &add(Action action, int64_t value, std::string text) {
    Mutation mutation = base;
    mutation.action = action;
    mutation.value = value;
    mutation.text = std::move(text);
    list.push_back(std::move(mutation));
    return list.back();
  }

  std::string describe(Operation *other) {
    Place place = placeOf(other->getLoc());
    std::string word = program.wordAt(place);
    return "`" + (word.empty() ? other->getName().getStringRef().str() : word) + "` of line " +
           std::to_string(place.line);
  }

  void moves() {
    Operation *next = neighbour(op, true), *previous = neighbour(op, false), *sync = next;
    while (sync && !syncInfo(sync))
      sync = neighbour(sync, true);
    if (sync && !same(op, sync) && sync->getNumResults() == 0 && mayRiseTo(sync, op))
      add(Action::Swap, 0, "swapped with " + describe(sync)).changed.push_back(placeOf(sync->getLoc()));
    // Neighbours that synchronise are swapped already.
    if (next && !syncInfo(next))
      add(Action::Lower, 0, "moved behind " + describe(next));
    if (previous && !syncInfo(previous) && mayRiseTo(op, previous))
      add(Action::Raise, 0, "moved before " + describe(previous));
  }

  void numbers() {
    for (const NumberOf &number : numbersOf(op)) {
      if (number.operand >= 0) {
        add(Action::Renumber, 1, "operand " + std::to_string(number.operand) + " plus 1").operand = number.operand;
        continue;
      }
      if (!number.value)
        continue;
      std::set<int64_t> others = {*number.value + 1 < number.limit ? *number.value + 1 : *number.value - 1};
      for (Operation *other : ops)
        if (other->getParentOfType<func::FuncOp>() == op->getParentOfType<func::FuncOp>() &&
            poolOf(other) == poolOf(op) && !numbersOf(other).empty())
          if (std::optional<int64_t> used = numbersOf(other)[0].value;
              used && used != number.value && others.size() < 2)
            others.insert(*used);
      for (int64_t other : others)
        add(Action::Renumber, other, "id " + std::to_string(*number.value) + " made " + std::to_string(other));
    }
  }

  void pipes(Pipe own) {
    CoreKind kind = coreKindOf(op).value_or(CoreKind::AIV);
    for (Pipe pipe : {Pipe::V, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::FIX})
      if (pipe != own && hasPipe(kind, pipe))
        add(Action::Pipe, int64_t(pipe), std::string(nameOf(own)) + " made " + std::string(nameOf(pipe)));
  }

  const ParsedProgram &program;
  const std::vector<Operation *> &ops;
  std::vector<Mutation> &list;
  Operation *op = nullptr;
  Mutation base;
};

void renumber(Operation *op, const Mutation &mutation) {
  OpBuilder builder(op);
  if (mutation.operand < 0) {
    op->setAttr(numbersOf(op)[0].attribute, builder.getI64IntegerAttr(mutation.value));
    if (op->hasAttr("event"))
      op->setAttr("event", builder.getStringAttr("EVENT_ID" + std::to_string(mutation.value)));
    return;
  }
  unsigned operand = unsigned(mutation.operand);
  Value old = op->getOperand(operand);
  Value step = builder.create<arith::ConstantOp>(op->getLoc(), builder.getIntegerAttr(old.getType(), mutation.value));
  op->setOperand(operand, builder.create<arith::AddIOp>(op->getLoc(), old, step));
}

void change(Operation *op, const Mutation &mutation) {
  MLIRContext *context = op->getContext();
  auto pipe = [&](int64_t number) { return pto::PipeAttr::get(context, Pipe(number)); };
  switch (mutation.action) {
  case Action::Remove:
    return op->erase();
  case Action::Swap: {
    Operation *other = neighbour(op, true);
    while (!syncInfo(other))
      other = neighbour(other, true);
    Operation *place = other->getPrevNode();
    other->moveBefore(op);
    if (place != op)
      op->moveAfter(place);
    return;
  }
  case Action::Lower:
    return op->moveAfter(neighbour(op, true));
  case Action::Raise:
    return op->moveBefore(neighbour(op, false));
  case Action::Renumber:
    return renumber(op, mutation);
  case Action::Mode: {
    OpBuilder builder(op);
    // An operand gives way to the attribute.
    auto set = [&](auto buffer) {
      buffer.getModeMutable().clear();
      buffer.setStaticModeAttr(builder.getI64IntegerAttr(mutation.value));
    };
    if (auto get = dyn_cast<pto::GetBufOp>(op))
      return set(get);
    return set(cast<pto::RlsBufOp>(op));
  }
  case Action::Reverse: {
    Attribute src = op->getAttr("src");
    op->setAttr("src", op->getAttr("dst"));
    return op->setAttr("dst", src);
  }
  case Action::Pipe:
    return op->setAttr("target", pipe(mutation.value));
  case Action::Kind:
    return op->setAttr("kind", StringAttr::get(context, nameOf(Fence(mutation.value))));
  case Action::Cores:
    return op->setAttr("core_type", pto::SyncCoreTypeAttr::get(context, kCoreTypes[mutation.value]));
  }
}

} // namespace

std::set<std::string> synchronisingNames() {
  std::set<std::string> names;
  for (const pto::InstrInfo &info : pto::instructions())
    if (synchronises(info))
      names.insert("pto." + info.name.str());
  for (const pto::AliasInfo &alias : pto::aliases())
    if (names.contains("pto." + alias.name.str()))
      names.insert("pto." + alias.alias.str());
  return names;
}

std::vector<Mutation> mutationsOf(const ParsedProgram &program, const SiteTable &sites) {
  std::set<std::pair<uint32_t, uint32_t>> places;
  for (SiteId id = 0; id < sites.size(); ++id)
    places.emplace(sites[id].place.line, sites[id].place.column);
  std::vector<Operation *> ops = syncOps(program.module.get());
  std::vector<Mutation> list;
  Lister lister(program, ops, list);
  for (unsigned k = 0; k < ops.size(); ++k)
    if (Place place = placeOf(ops[k]->getLoc()); places.contains({place.line, place.column}))
      lister.visit(k);
  return list;
}

std::unique_ptr<ParsedProgram> mutantOf(const ParsedProgram &program, const Mutation &mutation) {
  auto mutant = std::make_unique<ParsedProgram>();
  mutant->path = program.path;
  mutant->text = program.text;
  mutant->lineStarts = program.lineStarts;
  mutant->profile = program.profile;
  mutant->module = program.module.get().clone();
  change(syncOps(*mutant->module)[mutation.op], mutation);
  return mutant;
}

} // namespace ptoscope::mutate
