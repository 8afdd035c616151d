//===- Statements.cpp - a kernel as statements over symbols ---------------===//

#include "Statements.h"
#include "IssueOrder.h"
#include "SymbolicValues.h"
#include "ptoscope/Compiler/TileOrder.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

const std::vector<std::unique_ptr<Statement>> &Statement::listOf(const Statement *child) const {
  const bool inBody = llvm::any_of(body, [&](const auto &own) { return own.get() == child; });
  return inBody ? body : otherwise;
}

namespace {

/// Integers given as arguments fit into 32 bits; a proof says so.
constexpr int64_t kMaxArgument = INT32_MAX, kMaxBlocks = 65535;
/// Loops of so many turns are written out where their flags differ from turn to turn.
constexpr int64_t kMaxUnrolled = 4;

using List = std::vector<std::unique_ptr<Statement>>;

/// Lowest and highest value, as far as facts about single symbols tell.
class Ranges {
public:
  explicit Ranges(const Symbols &symbols) : symbols(symbols) {}
  std::optional<int64_t> end(const Sum &sum, bool high, int depth = 0) const {
    __int128 total = sum.base;
    for (auto [id, factor] : sum.terms) {
      std::optional<int64_t> own = depth < 6 ? end(id, high == factor > 0, depth + 1) : std::nullopt;
      if (!own)
        return std::nullopt;
      total += __int128(*own) * factor;
    }
    return total <= INT64_MAX / 2 && total >= INT64_MIN / 2 ? std::optional(int64_t(total)) : std::nullopt;
  }

private:
  std::optional<int64_t> end(SymbolId id, bool high, int depth) const {
    std::optional<int64_t> best;
    // factor * id + rest >= 0 bounds id from above where the factor is negative.
    for (const Sum &fact : symbols[id].facts) {
      auto own = fact.terms.find(id);
      if (own == fact.terms.end() || (own->second < 0) != high)
        continue;
      Sum rest = fact;
      rest.terms.erase(id);
      std::optional<int64_t> most = end(rest, true, depth + 1);
      if (!most)
        continue;
      const int64_t by = std::abs(own->second);
      const int64_t bound = high ? (*most >= 0 ? *most / by : -((-*most + by - 1) / by))
                                 : -(*most >= 0 ? *most / by : -((-*most + by - 1) / by));
      best = !best ? bound : high ? std::min(*best, bound) : std::max(*best, bound);
    }
    return best;
  }
  const Symbols &symbols;
};

class Reader : PlaceSums {
public:
  Reader(SymbolicProgram &program, const Profile &profile)
      : program(program), symbols(program.symbols), profile(profile), sums(symbols), tiles(values, profile),
        footprints(values, tiles, profile, nullptr) {
    values.places = this;
    places.push_back({});
  }

  void read(func::FuncOp kernel, ArrayRef<Assumption> assumptions, ArrayRef<std::string> names);

private:
  struct SymbolicPlace {
    uint32_t storage = 0;
    Sum sum;
  };
  struct SymbolicView {
    uint32_t storage;
    Sum begin;
    SmallVector<Sum, 5> shape, strides; ///< in elements
    int64_t bytes;                      ///< of an element
  };
  /// Operands of transfers.
  struct SymbolicNumbers {
    using Number = Sum;
    Reader &reader;
    std::optional<Sum> get(Value value) { return reader.sums.get(value); }
    std::optional<Sum> word(PtoRegister reg, size_t index) {
      return index ? reader.registers[reg].second : reader.registers[reg].first;
    }
    static bool isOne(const Sum &number) { return number.isConstant() && number.base <= 1; }
    static bool isZero(const Sum &number) { return number.isConstant() && number.base == 0; }
    static Sum times(const Sum &number, int64_t factor) { return number * factor; }
    static Sum sum(const Sum &a, const Sum &b) { return a + b; }
    Sum most(const Sum &a, const Sum &b) { return reader.symbols.most(a, b); }
    Sum roundUp(const Sum &number, int64_t unit) {
      return reader.symbols.floorDiv(number + Sum(unit - 1), unit) * unit;
    }
  };

  uint32_t addPlace(uint32_t storage, Sum sum) {
    places.push_back({storage, std::move(sum)});
    return uint32_t(places.size() - 1);
  }
  uint32_t sum(uint32_t array, uint32_t offset, int64_t factor) override {
    return addPlace(places[array].storage, places[array].sum + places[offset].sum * factor);
  }
  uint32_t start(uint32_t storage) override { return addPlace(storage, Sum(0)); }

  void readRegion(Region &region, List &list, Statement *parent);
  void readOp(Operation &op, List &list, Statement *parent);
  void readFor(scf::ForOp loop, List &list, Statement *parent);
  void readIf(scf::IfOp branch, List &list, Statement *parent);
  void readResults(scf::IfOp branch, SymbolId known);
  void readScope(Operation &op, List &list, Statement *parent);
  bool readSync(Operation &op, List &list, Statement *parent);
  void readBuffer(Operation &op, Value id, std::optional<int64_t> staticId, Value mode,
                  std::optional<int64_t> staticMode, Pipe pipe, bool releases, List &list, Statement *parent);
  void transfer(TransferOpInterface op, Statement &statement);
  void side(TransferOpInterface op, const TransferRows<Sum> *rows, bool source, Statement &statement);
  using Dim = std::pair<Sum, Sum>; ///< how many, and how far apart
  void addRows(Statement &statement, SymbolicPiece piece, Sum length, ArrayRef<Dim> dims);
  void readView(Operation &op);
  void addView(Operation &op, SmallVectorImpl<Piece> &pieces, Statement &statement);
  void lift(Operation &op, ArrayRef<Piece> pieces, bool hull, Statement &statement);
  bool setOperands(Operation &op, bool inScope);
  void addPiece(Statement &statement, SymbolicPiece piece);
  Statement &add(List &list, Statement *parent, Statement::Kind kind, Operation &op) {
    list.push_back(std::make_unique<Statement>());
    list.back()->kind = kind;
    list.back()->op = &op;
    list.back()->parent = parent;
    return *list.back();
  }
  uint32_t storageOf(Value pointer) {
    const Space space = cast<PtrType>(pointer.getType()).getSpace();
    const uint32_t array = sums.arrayOf(pointer);
    return space == Space::Gm && array ? kFirstArray + array : uint32_t(space);
  }
  void notFollowed(Operation &op, std::string why) {
    if (!program.problem)
      program.problem = NotFollowed{&op, std::move(why)};
  }
  void noteAffine(const Sum &sum, Operation &op) {
    const bool plain = !symbols.mentions(sum, Symbol::Product) && !symbols.mentions(sum, Symbol::Quotient) &&
                       !symbols.mentions(sum, Symbol::Unknown);
    if (!plain && program.isAffine)
      program.notAffine = &op;
    program.isAffine &= plain;
  }
  void notePeriod(const Sum &id, Statement *parent, int64_t times = 1);

  SymbolicProgram &program;
  Symbols &symbols;
  const Profile &profile;
  SymbolicValues sums;
  Values values;
  Tiles tiles;
  Footprints footprints;
  Regions regions;
  std::vector<SymbolicPlace> places;
  llvm::DenseMap<Value, SymbolicView> views;
  using Words = std::pair<std::optional<Sum>, std::optional<Sum>>;
  std::map<PtoRegister, Words> registers;
};

void Reader::read(func::FuncOp kernel, ArrayRef<Assumption> assumptions, ArrayRef<std::string> names) {
  auto assume = [&](SymbolId id, StringRef name) {
    for (const Assumption &assumption : assumptions)
      if (assumption.parameter == name)
        symbols[id].facts.push_back(symbol(id) * assumption.factor + Sum(assumption.base));
  };
  program.blocks = symbols.add({Symbol::Blocks, Varies::Never, "blocks", {}, {}, 0, {}});
  symbols[program.blocks].facts = {symbol(program.blocks) - Sum(1), Sum(kMaxBlocks) - symbol(program.blocks)};
  assume(program.blocks, "blocks");
  program.block = symbols.add({Symbol::Block, Varies::ByBlock, "block", {}, {}, 0, {}});
  symbols[program.block].facts = {symbol(program.block), symbol(program.blocks) - symbol(program.block) - Sum(1)};
  uint32_t arrays = 0;
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments())) {
    if (auto pointer = dyn_cast<PtrType>(argument.getType()); pointer && pointer.getSpace() == Space::Gm) {
      sums.setArray(argument, ++arrays);
      sums.set(argument, Sum(0));
    } else if (argument.getType().isIntOrIndex()) {
      const SymbolId id = symbols.add({Symbol::Argument, Varies::Never, names[i], {}, {}, 0, {}});
      symbols[id].facts = {symbol(id) + Sum(kMaxArgument), Sum(kMaxArgument) - symbol(id)};
      assume(id, names[i]);
      sums.set(argument, symbol(id));
      program.arguments.push_back({id, i});
    }
  }
  values.setArrays(kernel.getArguments());
  registers[PTO_REG_LOOP_SIZE_OUTTOUB] = registers[PTO_REG_LOOP_SIZE_UBTOOUT] = {Sum(1), Sum(1)};
  for (PtoRegister stride : {PTO_REG_LOOP1_STRIDE_OUTTOUB, PTO_REG_LOOP2_STRIDE_OUTTOUB, PTO_REG_LOOP1_STRIDE_UBTOOUT,
                             PTO_REG_LOOP2_STRIDE_UBTOOUT})
    registers[stride] = {Sum(0), Sum(0)};
  readRegion(kernel.getBody(), program.body, nullptr);
  putSetsBeforeWaits(program.body);
  program.usesUnsigned = sums.usesUnsigned;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

void Reader::readRegion(Region &region, List &list, Statement *parent) {
  if (region.empty())
    return;
  for (Operation &op : region.front())
    if (!op.hasTrait<OpTrait::IsTerminator>())
      readOp(op, list, parent);
}

void Reader::readFor(scf::ForOp own, List &list, Statement *parent) {
  Sum low = sums.get(own.getLowerBound()), high = sums.get(own.getUpperBound()), step = sums.get(own.getStep());
  Region &body = own.getRegion();
  for (PtoRegister reg = PtoRegister(0); reg < PTO_REG_COUNT; reg = PtoRegister(reg + 1))
    if (regions.effects(body).registers >> reg & 1)
      registers[reg] = {};
  footprints.forgetRegisters(regions.effects(body).registers);
  for (Value tile : regions.effects(body).changed)
    values.set(tile, std::nullopt);
  std::optional<int64_t> trips = low.isConstant() && high.isConstant() && step.isConstant()
                                     ? tripsOf(low.base, high.base, step.base)
                                     : std::nullopt;
  if (trips == 0)
    return;
  if (step.isConstant() && step.base <= 0)
    return notFollowed(*own, "the step of this loop is not positive");
  // Prologues that set a flag in each turn.
  const bool uneven = llvm::any_of(regions.effects(body).flags, [](const auto &f) { return f.second.net != 0; }) ||
                      llvm::any_of(regions.effects(body).families, [](uint32_t f) { return f != 0; });
  if (trips && *trips <= kMaxUnrolled && uneven && own.getNumRegionIterArgs() == 0) {
    for (int64_t t = 0; t < *trips; ++t) {
      sums.set(own.getInductionVar(), low + step * t);
      values.set(own.getInductionVar(), Known(low.base + step.base * t));
      readRegion(body, list, parent);
    }
    return;
  }
  Statement &loop = add(list, parent, Statement::Loop, *own);
  loop.turn = symbols.add({Symbol::Turn, Varies::ByInstance, "", {}, {}, 0, {}});
  const Sum turn = symbol(loop.turn);
  // In steps of one the turn is the induction variable itself: what is known of its remainder then holds
  // whatever the first one is.
  const bool ones = step.isConstant() && step.base == 1;
  loop.first = ones ? low : Sum(0);
  loop.value = ones ? turn : low + symbols.product(turn, step);
  loop.low = low;
  loop.step = step;
  loop.high = high;
  symbols[loop.turn].facts = {turn - loop.first, high - loop.value - Sum(1)};
  loop.alwaysTurns = trips && *trips > 0;
  if (!step.isConstant())
    symbols[loop.turn].facts.push_back(step - Sum(1));
  sums.set(own.getInductionVar(), loop.value);
  values.set(own.getInductionVar(), std::nullopt);
  for (Value carried : own.getRegionIterArgs())
    values.set(carried, std::nullopt);
  sums.carry(own, turn - loop.first);
  readRegion(body, loop.body, &loop);
  for (auto [result, init] : llvm::zip(own.getResults(), own.getInitArgs()))
    if (isa<PtrType>(result.getType()))
      sums.setArray(result, sums.arrayOf(init));
}

static bool synchronises(const List &list) {
  return llvm::any_of(list, [](const auto &own) {
    return own->kind == Statement::Sync || own->kind == Statement::Fence || synchronises(own->body) ||
           synchronises(own->otherwise);
  });
}

void Reader::readIf(scf::IfOp own, List &list, Statement *parent) {
  const Sum condition = sums.get(own.getCondition());
  if (condition.isConstant())
    return readRegion(condition.base ? own.getThenRegion() : own.getElseRegion(), list, parent);
  Statement &branch = add(list, parent, Statement::Branch, *own);
  sums.condition(own.getCondition(), branch.whenTrue, branch.whenFalse);
  auto before = registers;
  const SymbolId known = SymbolId(symbols.size());
  readRegion(own.getThenRegion(), branch.body, &branch);
  readRegion(own.getElseRegion(), branch.otherwise, &branch);
  readResults(own, known);
  branch.synchronises = synchronises(branch.body) || synchronises(branch.otherwise);
  if (std::optional<Sum> is = sums.truth(own.getCondition()); is && branch.synchronises)
    notePeriod(*is, parent);
  auto decides = [&](const Statement &loop) {
    auto mentions = [&](const Sum &sum) { return symbols.mentions(sum, loop.turn); };
    return llvm::any_of(branch.whenTrue, mentions) || llvm::any_of(branch.whenFalse, mentions);
  };
  for (Statement *around = parent; around && branch.synchronises; around = around->parent)
    around->branches |= around->kind == Statement::Loop && decides(*around);
  for (auto &[reg, words] : registers)
    if (words != before[reg])
      words = {};
  for (Region &region : own->getRegions())
    footprints.forgetRegisters(regions.effects(region).registers);
}

/// What a branch gives, where symbols tell that were there before it.
void Reader::readResults(scf::IfOp own, SymbolId known) {
  for (auto [i, result] : llvm::enumerate(own.getResults())) {
    Value yes = own.thenYield().getOperand(unsigned(i)), no = own.elseYield().getOperand(unsigned(i));
    const bool isPointer = isa<PtrType>(result.getType());
    if (isPointer && sums.arrayOf(yes) == sums.arrayOf(no))
      sums.setArray(result, sums.arrayOf(yes));
    if (!isPointer && (!result.getType().isIntOrIndex() || result.getType().isInteger(1)))
      continue;
    const Sum a = sums.get(yes), b = sums.get(no);
    auto isOlder = [&](const Sum &sum) {
      return llvm::all_of(sum.terms, [&](const auto &term) { return term.first < known; });
    };
    if (isOlder(a) && isOlder(b))
      if (std::optional<Sum> sum = sums.choose(own.getCondition(), a, b))
        sums.set(result, std::move(*sum));
  }
}

void Reader::readScope(Operation &op, List &list, Statement *parent) {
  Statement *scope = parent;
  if (isScope(&op)) {
    scope = &add(list, parent, Statement::Work, op);
    scope->pipe = Pipe::V;
    scope->isScope = true;
    if (auto strict = dyn_cast<StrictVecScopeOp>(op))
      for (auto [argument, operand] : llvm::zip(op.getRegion(0).getArguments(), strict->getOperands())) {
        if (isa<PtrType>(argument.getType()))
          sums.setArray(argument, sums.arrayOf(operand));
        if (argument.getType().isIntOrIndex() || isa<PtrType>(argument.getType()))
          sums.set(argument, sums.get(operand));
      }
    readRegion(op.getRegion(0), scope->body, scope);
  }
}

static bool insideScope(const Statement *parent) {
  for (; parent; parent = parent->parent)
    if (parent->isScope)
      return true;
  return false;
}

void Reader::readOp(Operation &op, List &list, Statement *parent) {
  if (program.problem)
    return;
  if (isScope(&op))
    return readScope(op, list, parent);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return readFor(loop, list, parent);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return readIf(branch, list, parent);
  if (isa<scf::WhileOp>(op))
    return notFollowed(op, "the end of this loop depends on data");
  if (isa<FusionRegionOp>(op))
    return readRegion(op.getRegion(0), list, parent);
  if (op.getNumRegions())
    return notFollowed(op, "regions of this kind are not followed");
  if (isa<GetBlockIdxOp, GetBlockNumOp>(op)) {
    program.usesBlocks = true;
    return sums.set(op.getResult(0), symbol(isa<GetBlockIdxOp>(op) ? program.block : program.blocks));
  }
  if (!isa_and_nonnull<PTODialect>(op.getDialect())) {
    sums.evaluate(&op);
    return;
  }
  if (auto bar = dyn_cast<MemBarOp>(op)) {
    add(list, parent, Statement::Fence, op).fence = classesOf(*parseFence(bar.getKind()));
    return;
  }
  if (readSync(op, list, parent))
    return;
  const bool inScope = insideScope(parent);
  const bool allKnown = setOperands(op, inScope);
  Fact problem;
  if (tiles.evaluate(&op, problem))
    return readView(op);
  if (const InstrInfo *info = infoOf(&op); info && info->sets && !inScope) {
    registers[*info->sets] =
        op.getNumOperands() == 2 ? Words(sums.get(op.getOperand(0)), sums.get(op.getOperand(1))) : Words();
    footprints.setRegister(&op);
    return;
  }
  SmallVector<Piece, 4> pieces;
  if (inScope) {
    footprints.scopeAccess(&op, pieces);
    if (!pieces.empty()) {
      Statement &access = add(list, parent, Statement::Access, op);
      const bool scalar = isa<LoadScalarOp, StoreScalarOp, LdDevOp, StDevOp>(op);
      for (const Piece &piece : pieces)
        access.accessClass |=
            scalar ? (piece.writes ? ScalarStore : ScalarLoad) : (piece.writes ? VectorStore : VectorLoad);
      lift(op, pieces, false, access);
    }
    sums.evaluate(&op);
    values.evaluate(&op);
    return;
  }
  auto transferred = dyn_cast<TransferOpInterface>(op);
  const bool isCube = isa<CubeOpInterface>(op);
  if (transferred && !isCube) {
    Statement &work = add(list, parent, Statement::Work, op);
    work.pipe = *infoOf(&op)->pipe;
    transfer(transferred, work);
  } else if (std::optional<Pipe> pipe = footprints.instruction(&op, true, pieces)) {
    Statement &work = add(list, parent, Statement::Work, op);
    work.pipe = *pipe;
    addView(op, pieces, work);
    lift(op, pieces, !allKnown && isCube, work);
  } else if (const InstrInfo *info = infoOf(&op); info && info->footprint != Footprint::None) {
    return notFollowed(op, "what this instruction touches is not followed");
  }
  sums.evaluate(&op);
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

/// A loop repeats its ids after as many turns as the remainders in them say; those of a quotient take as many times
/// longer.
void Reader::notePeriod(const Sum &id, Statement *parent, int64_t times) {
  for (auto [inner, factor] : id.terms) {
    const Symbol &own = symbols[inner];
    if (own.kind != Symbol::Floor || own.divisor > INT32_MAX / times)
      continue;
    for (Statement *around = parent; around; around = around->parent)
      if (around->kind == Statement::Loop && around->period <= INT32_MAX && symbols.mentions(own.a, around->turn))
        around->period = std::lcm(around->period, own.divisor * times);
    notePeriod(own.a, parent, times * own.divisor);
  }
}

void Reader::readBuffer(Operation &op, Value id, std::optional<int64_t> staticId, Value mode,
                        std::optional<int64_t> staticMode, Pipe pipe, bool releases, List &list, Statement *parent) {
  const Sum way = mode ? sums.get(mode) : Sum(staticMode.value_or(0));
  if (!way.isConstant())
    return notFollowed(op, "the mode is not a constant");
  Statement &sync = add(list, parent, Statement::Sync, op);
  sync.sync = releases ? releaseOf(way.base) : getOf(way.base);
  sync.pipe = pipe;
  sync.id = id ? sums.get(id) : Sum(staticId.value_or(0));
  noteAffine(sync.id, op);
  notePeriod(sync.id, parent);
}

bool Reader::readSync(Operation &op, List &list, Statement *parent) {
  auto sync = [&](SyncKind kind, Pipe pipe) -> Statement & {
    Statement &own = add(list, parent, Statement::Sync, op);
    own.sync = kind;
    own.pipe = pipe;
    return own;
  };
  if (std::optional<FlagOp> flag = flagOf(&op)) {
    Statement &own = sync(flag->isSet ? SyncKind::SetFlag : SyncKind::WaitFlag, flag->isSet ? flag->src : flag->dst);
    own.other = flag->isSet ? flag->dst : flag->src;
    own.id = flag->id ? Sum(*flag->id) : sums.get(flag->dynamicId);
    noteAffine(own.id, op);
    notePeriod(own.id, parent);
    return true;
  }
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    const Pipe pipe = barrier.getTarget().getValue();
    sync(barrierOf(pipe), pipe);
  } else if (isa<SyncAllOp>(op)) {
    program.hasSyncAll = true;
    sync(SyncKind::SyncAll, Pipe::All);
  } else if (isa<FenceBarrierAllOp>(op)) {
    sync(SyncKind::CoreBarrier, Pipe::All);
  } else if (auto barrier = dyn_cast<DsbOp>(op)) {
    sync(SyncKind::MemoryBarrier, Pipe::S).pipes = pipesOf(domainOf(barrier.getMemory()));
  } else if (auto get = dyn_cast<GetBufDynOp>(op)) {
    readBuffer(op, get.getId(), {}, get.getMode(), get.getStaticMode(), get.getTarget().getValue(), false, list,
               parent);
  } else if (auto release = dyn_cast<RlsBufDynOp>(op)) {
    readBuffer(op, release.getId(), {}, release.getMode(), release.getStaticMode(), release.getTarget().getValue(),
               true, list, parent);
  } else if (auto get = dyn_cast<GetBufOp>(op)) {
    readBuffer(op, get.getId(), get.getStaticId(), get.getMode(), get.getStaticMode(), get.getTarget().getValue(),
               false, list, parent);
  } else if (auto release = dyn_cast<RlsBufOp>(op)) {
    readBuffer(op, release.getId(), release.getStaticId(), release.getMode(), release.getStaticMode(),
               release.getTarget().getValue(), true, list, parent);
  } else if (isa<SyncSetOp, SetIntraBlockOp, SetCrossCoreOp, SetCrossBlockOp, SyncWaitOp, WaitIntraCoreOp,
                 WaitFlagDevOp, WaitCrossBlockOp>(op)) {
    notFollowed(op, "order between cores is not followed");
  } else if (isa<TSyncOp>(op)) {
    notFollowed(op, "events of tiles are not followed");
  } else if (isa<TrapOp>(op)) {
    notFollowed(op, "a trap ends the program where this is reached");
  } else {
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

void Reader::addPiece(Statement &statement, SymbolicPiece piece) {
  if (piece.begin.overflows || piece.end.overflows) {
    piece.begin = symbols.unknown(Varies::ByInstance);
    piece.end = symbols.unknown(Varies::ByInstance);
  }
  noteAffine(piece.begin, *piece.op);
  noteAffine(piece.end, *piece.op);
  statement.pieces.push_back(std::move(piece));
}

/// Tells the footprints what is known of the operands: numbers, and each pointer as a place
/// of its own. False when a number is only known to be at most what they are told.
bool Reader::setOperands(Operation &op, bool inScope) {
  bool known = true;
  const bool hasOffset = (inScope || isa<LoadScalarOp, StoreScalarOp, LdDevOp, StDevOp>(op)) &&
                         llvm::any_of(op.getOperandTypes(), [](Type type) { return isa<PtrType>(type); });
  for (Value operand : op.getOperands()) {
    auto setPlace = [&](uint32_t storage, Sum sum) {
      Known place(0);
      place.array = addPlace(storage, std::move(sum));
      values.set(operand, place);
    };
    if (isa<PtrType>(operand.getType())) {
      setPlace(storageOf(operand), sums.get(operand));
    } else if (operand.getType().isIntOrIndex()) {
      const Sum number = sums.get(operand);
      if (number.isConstant()) {
        values.set(operand, Known(number.base));
      } else if (isa<CubeOpInterface>(op)) {
        known = false;
        std::optional<int64_t> most = Ranges(symbols).end(number, true);
        values.set(operand, most ? MaybeKnown(Known(*most)) : std::nullopt);
      } else if (std::optional<uint32_t> storage = tiles.storageOfPlace(&op, operand)) {
        setPlace(*storage, number);
      } else if (!hasOffset) {
        known = false;
        values.set(operand, std::nullopt);
      } else {
        known = false;
        setPlace(0, number);
      }
    }
  }
  return known;
}

/// Pieces that count from places become sums. `hull`: sizes were upper bounds, so that
/// only the extent of what is touched is known.
void Reader::lift(Operation &op, ArrayRef<Piece> pieces, bool hull, Statement &statement) {
  std::vector<SymbolicPiece> lifted;
  for (const Piece &piece : pieces) {
    const bool placed = piece.storage >= kFirstArray && piece.storage - kFirstArray < places.size();
    const bool anywhere = piece.end == UINT64_MAX;
    const SymbolicPlace place = placed ? places[piece.storage - kFirstArray] : SymbolicPlace{piece.storage, Sum(0)};
    SymbolicPiece own{place.storage,
                      piece.writes,
                      piece.atomic,
                      place.sum + Sum(int64_t(piece.begin)),
                      anywhere ? Sum(0) : place.sum + Sum(int64_t(piece.end)),
                      piece.op};
    if (anywhere) {
      const bool onChip = spaceOf(own.storage) != Space::Gm;
      own.begin = onChip ? Sum(0) : symbols.unknown(Varies::ByInstance);
      own.end = onChip ? Sum(profile.reachOf(spaceOf(own.storage))) : symbols.unknown(Varies::ByInstance);
    }
    auto same = llvm::find_if(lifted, [&](const SymbolicPiece &other) {
      return hull && other.storage == own.storage && other.writes == own.writes &&
             (other.begin - own.begin).isConstant() && (other.end - own.end).isConstant();
    });
    if (same == lifted.end()) {
      lifted.push_back(std::move(own));
      continue;
    }
    same->begin = symbols.least(same->begin, own.begin);
    same->end = symbols.most(same->end, own.end);
  }
  for (SymbolicPiece &piece : lifted)
    addPiece(statement, std::move(piece));
}

void Reader::transfer(TransferOpInterface op, Statement &statement) {
  SymbolicNumbers numbers{*this};
  std::optional<TransferRows<Sum>> rows = transferRows(op, profile, numbers);
  for (bool source : {true, false})
    side(op, rows ? &*rows : nullptr, source, statement);
}

void Reader::side(TransferOpInterface op, const TransferRows<Sum> *rows, bool source, Statement &statement) {
  Value pointer = op.get(source ? TransferRole::Src : TransferRole::Dst);
  SymbolicPiece piece{storageOf(pointer), !source, false, sums.get(pointer), {}, op};
  if (!rows) {
    const bool onChip = spaceOf(piece.storage) != Space::Gm;
    piece.begin = onChip ? Sum(0) : symbols.unknown(Varies::ByInstance);
    piece.end = onChip ? Sum(profile.reachOf(spaceOf(piece.storage))) : symbols.unknown(Varies::ByInstance);
    return addPiece(statement, std::move(piece));
  }
  SmallVector<Dim, 4> dims;
  for (const TransferRows<Sum>::Dim &dim : rows->dims)
    dims.push_back({dim.count, source ? dim.src : dim.dst});
  addRows(statement, std::move(piece), source ? rows->len : rows->fillEnd, dims);
}

/// `length` bytes, once for each position in `dims`; inner ones come first.
void Reader::addRows(Statement &statement, SymbolicPiece piece, Sum length, ArrayRef<Dim> dims) {
  for (const auto &[count, step] : dims) {
    if (count == Sum(1))
      continue;
    if (step == length) { // rows that follow each other are one
      length = symbols.product(length, count);
      continue;
    }
    const SymbolId row = symbols.add({Symbol::Row, Varies::ByInstance, "", {}, {}, 0, {}});
    symbols[row].facts = {symbol(row), count - symbol(row) - Sum(1)};
    piece.begin = piece.begin + symbols.product(symbol(row), step);
  }
  piece.end = piece.begin + length;
  addPiece(statement, std::move(piece));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Views of GM whose extents, strides and offsets are sums.
void Reader::readView(Operation &op) {
  auto list = [&](ValueRange given) {
    return llvm::to_vector<5>(llvm::map_range(given, [&](Value value) { return sums.get(value); }));
  };
  if (auto make = dyn_cast<MakeTensorViewOp>(op)) {
    const int64_t bits = tile::bitsOf(viewElemOf(cast<TensorViewType>(make.getResult().getType()).getElement()));
    if (bits % 8 == 0)
      views[make.getResult()] = {storageOf(make.getPtr()), sums.get(make.getPtr()), list(make.getShape()),
                                 list(make.getStrides()), bits / 8};
  } else if (auto part = dyn_cast<PartitionViewOp>(op)) {
    auto source = views.find(part.getSource());
    if (source == views.end())
      return;
    SymbolicView own = source->second;
    for (auto [offset, stride] : llvm::zip_equal(part.getOffsets(), own.strides))
      own.begin = own.begin + symbols.product(sums.get(offset), stride) * own.bytes;
    own.shape = list(part.getSizes());
    views[part.getResult()] = std::move(own);
  } else if (isa<GetTensorViewDimOp, GetTensorViewStrideOp>(op)) {
    auto source = views.find(op.getOperand(0));
    const Sum index = sums.get(op.getOperand(1));
    if (source == views.end() || !index.isConstant())
      return;
    const SmallVector<Sum, 5> &list = isa<GetTensorViewDimOp>(op) ? source->second.shape : source->second.strides;
    if (index.base >= 0 && size_t(index.base) < list.size())
      sums.set(op.getResult(0), list[size_t(index.base)]);
  } else if (isa<TileBufAddrOp>(op)) {
    if (const KnownTile *own = tiles.tile(op.getOperand(0)); own && own->reach == 0)
      sums.set(op.getResult(0), places[own->place].sum + Sum(own->ref.address));
  }
}

/// What a tile is loaded from or stored to: the elements of its view, which is more exact than what `pieces` have.
void Reader::addView(Operation &op, SmallVectorImpl<Piece> &pieces, Statement &statement) {
  if (!TileInstr::classof(&op) || !llvm::is_contained({"pto.tload", "pto.tstore"}, op.getName().getStringRef()))
    return;
  const bool stores = op.getName().getStringRef() == "pto.tstore";
  auto own = views.find(stores ? TileInstr(&op).getOuts()[0] : TileInstr(&op).getIns()[0]);
  if (own == views.end())
    return;
  const SymbolicView &view = own->second;
  bool atomic = true;
  llvm::erase_if(pieces, [&](const Piece &piece) {
    const bool isGm = piece.storage >= kFirstArray && spaceOf(places[piece.storage - kFirstArray].storage) == Space::Gm;
    atomic &= !isGm || piece.atomic;
    return isGm;
  });
  SmallVector<Dim, 5> dims;
  for (auto [count, stride] : llvm::zip_equal(llvm::reverse(view.shape), llvm::reverse(view.strides)))
    dims.push_back({count, stride * view.bytes});
  addRows(statement, {view.storage, stores, stores && atomic, view.begin, {}, &op}, Sum(view.bytes), dims);
}

} // namespace

SymbolicProgram readProgram(func::FuncOp kernel, const Profile &profile, ArrayRef<Assumption> assumptions,
                            ArrayRef<std::string> parameterNames) {
  SymbolicProgram program;
  Reader(program, profile).read(kernel, assumptions, parameterNames);
  return program;
}

} // namespace ptoscope
