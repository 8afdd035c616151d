//===- Walk.cpp - instructions of one program, and what they show ---------===//

#include "Walk.h"
#include "ptoscope/Compiler/TileOrder.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Machine/Order.h"
#include "ptoscope/Machine/OrderSentences.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

namespace {
/// Steps beyond one look at every operation, as a multiple of the program's
/// size and for small programs.
constexpr uint64_t kSlackFactor = 6, kSlack = 20000;
/// Intervals of memory that may be looked at, likewise.
constexpr uint64_t kLookFactor = 40, kLooks = 400000;
/// Calls can make a short program huge; beyond this nothing is followed.
constexpr uint64_t kMaxSteps = uint64_t(1) << 22;
} // namespace

ProgramWalk::ProgramWalk(const Profile &profile, CoreRole role, Regions &regions, StaticReport &report)
    : profile(profile), role(role), regions(regions), report(report), footprints(values, tiles, profile, &report),
      model(profile, *this) {
  contextEnds.push_back(UINT32_MAX);
  openContexts.push_back(0);
}

void ProgramWalk::run(func::FuncOp function) {
  kernel = function;
  uint64_t size = regions.size(function.getBody());
  slack = kSlackFactor * size + kSlack;
  mostLooked = kLookFactor * size + kLooks;
  if (size > kMaxSteps) {
    halted = true;
    return report.bounded(function);
  }
  // Other kernels of the module may be meant; then fewer waits are reported.
  function->getParentOfType<ModuleOp>().walk(
      [&](Operation *op) { messages |= isa<SyncSetOp, SyncWaitOp>(op) && op->hasAttr("ffts_mode"); });
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<SectionCubeOp, SectionVectorOp>(op) && isa<SectionVectorOp>(op) != (role.kind == CoreKind::AIV))
      return WalkResult::skip(); // of another core
    signalsOthers |= isa<SyncSetOp, SetIntraBlockOp, SetCrossCoreOp, SetCrossBlockOp, func::CallOp>(op);
    return WalkResult::advance();
  });
  values.setArrays(function.getArguments());
  automatic = meansProgramOrder(function);
  visit(function.getBody());
  if (!halted)
    finish();
}

bool ProgramWalk::meansProgramOrder(Operation *function) {
  auto [it, isNew] = automaticFunctions.try_emplace(function, false);
  if (isNew)
    it->second = isAutomatic(cast<func::FuncOp>(function));
  return it->second;
}

/// Order between cores is not looked at: bytes of a memory of another core are its affair.
bool ProgramWalk::owns(uint32_t storage) const {
  Space space = spaceOf(storage);
  return role.kind == CoreKind::Unified || space == Space::Gm || (space == Space::Ub) == (role.kind == CoreKind::AIV);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Numbers rise in the order of opening, so descendants are an interval.
uint32_t ProgramWalk::openContext() {
  uint32_t outer = context;
  context = uint32_t(contextEnds.size());
  contextEnds.push_back(UINT32_MAX);
  openContexts.push_back(context);
  return outer;
}

void ProgramWalk::closeContext(uint32_t outer) {
  for (; openContexts.back() != outer; openContexts.pop_back())
    contextEnds[openContexts.back()] = uint32_t(contextEnds.size() - 1);
  context = outer;
}

bool ProgramWalk::implies(uint32_t inner, uint32_t outer) const {
  return inner >= outer && inner <= contextEnds[outer];
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

ModelEntry ProgramWalk::entry(ModelEntry::Kind kind, Pipe pipe, Operation &op) {
  ModelEntry result;
  result.kind = kind;
  result.instance = {&op, pipe, 0, ++issueCount, context, loop, turn};
  return result;
}

/// The core waits until every queue is empty.
void ProgramWalk::drain(Operation &op) {
  if (model.drain())
    return;
  for (size_t slot = 0; slot < kPipeSlots; ++slot) {
    const ModelEntry *head = model.head(Pipe(slot));
    if (!head || head->kind != ModelEntry::Wait || model.setQueued(head->other, Pipe(slot), head->id))
      continue;
    report.waitWithoutSet(head->instance.op, head->other, Pipe(slot), head->id, say::kStopsAtIdle(report.opText(&op)),
                          certain() && head->instance.context == 0);
  }
  halted |= certain();
  model.releaseStalled();
  model.drain();
}

void ProgramWalk::flagInstruction(Operation &op, const FlagOp &flag) {
  std::optional<int64_t> id = flag.id ? flag.id : values.constant(flag.dynamicId);
  const bool outside = id && (*id < 0 || *id >= kEventIds);
  if (outside)
    report.problem(&op, say::kEventIdRange(*id), certain());
  if (!id || outside) {
    // It could be any of the pair's flags.
    model.forgetFamily(flag.src, flag.dst);
    if (!flag.isSet)
      model.issue(entry(ModelEntry::AcquireAll, flag.dst, op));
    return;
  }
  ModelFlag &state = model.flag(flag.src, flag.dst, *id);
  if (flag.isSet) {
    ++state.issuedSets;
    state.lastSet = &op;
    ModelEntry set = entry(ModelEntry::Set, flag.src, op);
    set.other = flag.dst;
    set.id = *id;
    return model.issue(std::move(set));
  }
  ++state.issuedWaits;
  if (!state.firstWait)
    state.firstWait = &op;
  if (flag.dst == Pipe::S) {
    if (model.scalarWait(flag.src, *id))
      return;
    bool queued = model.setQueued(flag.src, flag.dst, *id);
    report.waitWithoutSet(&op, flag.src, flag.dst, *id, queued ? say::kSetBehindWait(flag.src) : say::kStopsHere(),
                          certain());
    halted |= certain();
    return model.forget(flag.src, flag.dst, *id);
  }
  ModelEntry wait = entry(ModelEntry::Wait, flag.dst, op);
  wait.other = flag.src;
  wait.id = *id;
  model.issue(std::move(wait));
}

void ProgramWalk::bufferInstruction(Operation &op, Value id, std::optional<int64_t> staticId, Value mode,
                                    std::optional<int64_t> staticMode, Pipe pipe, ModelEntry::Kind kind) {
  std::optional<int64_t> number = id ? values.constant(id) : staticId;
  std::optional<int64_t> way = mode ? values.constant(mode) : std::optional(staticMode.value_or(0));
  const bool outside = number && (*number < 0 || *number >= kBufferIds), strange = way && *way != 0 && *way != 1;
  if (outside || strange)
    report.problem(&op, outside ? say::kBufferIdRange(*number) : say::kBufferMode(*way), certain());
  if (!number || outside || !way || strange) {
    if (kind == ModelEntry::Release)
      model.forgetBuffers();
    else
      model.issue(entry(ModelEntry::AcquireAll, pipe, op));
    return;
  }
  if (kind == ModelEntry::Get && ruleOf(getOf(*way)).learns == Reach::Nothing)
    return;
  ModelEntry bracket = entry(kind, pipe, op);
  bracket.id = *number;
  bracket.legacy = *way == 1;
  model.issue(std::move(bracket));
}

bool ProgramWalk::semaphoreInstruction(Operation &op) {
  bool isSet = isa<SyncSetOp, SetIntraBlockOp, SetCrossCoreOp, SetCrossBlockOp>(op);
  if (!isSet && !isa<SyncWaitOp, WaitIntraCoreOp, WaitFlagDevOp, WaitCrossBlockOp>(op))
    return false;
  std::optional<int64_t> id;
  if (op.getNumOperands())
    id = values.constant(op.getOperands().back());
  else if (auto number = op.getAttrOfType<IntegerAttr>("static_id"))
    id = number.getInt();
  // Those of a vector core count modulo 16 below (SEM-19).
  if (id && (*id < 0 || *id >= (profile.pipeSemaphores ? 32 : 16))) {
    const auto &range = profile.pipeSemaphores ? say::kSemaphoreIdRange : say::kClusterIdRange;
    const bool cube = role.kind == CoreKind::AIC;
    report.problem(&op, range(*id, cube && profile.pipeSemaphores ? 31 : 15, cube ? "cube core" : "vector core"),
                   certain());
    id.reset();
  }
  const bool isMessage =
      isa<SetCrossBlockOp, WaitCrossBlockOp>(op) || (messages && isa<SyncSetOp, SyncWaitOp>(op) && id.value_or(0) < 16);
  if (id && *id < 32 && role.kind == CoreKind::AIV && profile.pipeSemaphores)
    id = *id % 16; // SEM-19
  semaphoreUses.push_back({&op, id, isSet, certain(), isMessage});
  auto target = op.getAttrOfType<PipeAttr>("target");
  if (isSet) {
    // Without a pipe it signals when every pipe is idle.
    if (!target && !model.drain()) {
      model.releaseStalled();
      model.drain();
    }
    return true;
  }
  if (!signalsOthers)
    return true;
  // Another core may pass on what this one has told it, at any time. A wait that
  // stops the scalar unit tells every pipe.
  Pipe waits = target && profile.pipeSemaphores ? target.getValue() : Pipe::S;
  if (ruleOf(semaphoreWaitOn(waits)).learns == Reach::OwnPipe)
    model.issue(entry(ModelEntry::AcquireAll, target.getValue(), op));
  else
    for (Pipe pipe : {Pipe::S, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::FIX})
      model.issue(entry(ModelEntry::AcquireAll, pipe, op));
  return true;
}

/// Something that touches memory, with all bytes that it may touch.
void ProgramWalk::work(Operation &op, Pipe pipe, SmallVectorImpl<Piece> &pieces) {
  if (boundsOnly)
    return;
  ModelEntry work = entry(ModelEntry::Work, pipe, op);
  for (bool writes : {false, true}) // what it reads is told first
    for (const Piece &piece : pieces)
      if (!automatic && piece.writes == writes && piece.exact && owns(piece.storage))
        work.pieces.push_back(piece);
  work.unit = unitOf(&op).flag;
  if (work.unit != UnitFlag::None) {
    const uint64_t size = profile.bytes[size_t(Space::L0C)];
    work.tileBegin = size;
    for (const Piece &piece : pieces)
      if (piece.storage == uint32_t(Space::L0C)) {
        work.tileBegin = std::min(work.tileBegin, piece.begin);
        work.tileEnd = std::max(work.tileEnd, std::min(piece.end, size));
      }
  }
  model.issue(std::move(work));
}

void ProgramWalk::visitScope(Operation *scope) {
  SmallVector<Piece, 2> pieces;
  footprints.scope(scope, certain(), !boundsOnly && !automatic, pieces);
  work(*scope, Pipe::V, pieces);
}

void ProgramWalk::instruction(Operation &op) {
  SmallVector<Piece, 2> pieces;
  if (Fact problem; tiles.evaluate(&op, problem)) {
    if (problem.code)
      report.problem(&op, problem, certain());
    return;
  }
  if (std::optional<Pipe> pipe = footprints.instruction(&op, certain(), pieces)) {
    if (!boundsOnly && !automatic)
      report.looked(&op, llvm::any_of(pieces, [](const Piece &piece) {
        return piece.exact && spaceOf(piece.storage) != Space::Gm;
      }));
    work(op, *pipe, pieces);
    values.evaluate(&op);
    return;
  }
  if (boundsOnly || footprints.setRegister(&op)) {
    values.evaluate(&op);
    return;
  }
  if (std::optional<FlagOp> flag = flagOf(&op))
    return flagInstruction(op, *flag);
  if (semaphoreInstruction(op))
    return;
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    Pipe pipe = barrier.getTarget().getValue();
    if (ruleOf(barrierOf(pipe)).learns == Reach::Core)
      drain(op);
    else if (pipe != Pipe::S)
      model.issue(entry(ModelEntry::Barrier, pipe, op));
  } else if (isa<SyncAllOp, FenceBarrierAllOp>(op) || (isa<TSyncOp>(op) && !automatic)) {
    drain(op);
  } else if (auto barrier = dyn_cast<DsbOp>(op)) {
    const uint32_t pipes = pipesOf(domainOf(barrier.getMemory()));
    if (!model.learnFrom(pipes, entry(ModelEntry::AcquireAll, Pipe::S, op)))
      drain(op);
  } else if (auto get = dyn_cast<GetBufDynOp>(op)) {
    bufferInstruction(op, get.getId(), {}, get.getMode(), get.getStaticMode(), get.getTarget().getValue(),
                      ModelEntry::Get);
  } else if (auto release = dyn_cast<RlsBufDynOp>(op)) {
    bufferInstruction(op, release.getId(), {}, release.getMode(), release.getStaticMode(),
                      release.getTarget().getValue(), ModelEntry::Release);
  } else if (auto get = dyn_cast<GetBufOp>(op)) {
    bufferInstruction(op, get.getId(), get.getStaticId(), get.getMode(), get.getStaticMode(),
                      get.getTarget().getValue(), ModelEntry::Get);
  } else if (auto release = dyn_cast<RlsBufOp>(op)) {
    bufferInstruction(op, release.getId(), release.getStaticId(), release.getMode(), release.getStaticMode(),
                      release.getTarget().getValue(), ModelEntry::Release);
  } else if (isa<TrapOp>(op)) {
    halted |= certain();
  } else if (!role.cluster && isa<GetSubblockIdxOp, GetSubblockNumOp>(op)) {
    values.set(op.getResult(0), Known(isa<GetSubblockNumOp>(op)));
  } else {
    values.evaluate(&op);
  }
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

void ProgramWalk::conflict(const LoggedAccess &earlier, const LoggedAccess &later, uint64_t begin, uint64_t end) {
  // Queues may execute in another order than the program's; the report follows the program.
  bool swapped = earlier.instance.issue > later.instance.issue;
  const LoggedAccess &first = swapped ? later : earlier, &second = swapped ? earlier : later;
  uint32_t a = first.instance.context, b = second.instance.context;
  // Both have to be executed if one of them is.
  if (!implies(b, a) && !implies(a, b))
    return;
  if (!first.piece.certain && (!second.piece.certain || !implies(a, b)))
    return;
  if (!second.piece.certain && !implies(b, a))
    return;
  begin = std::max({begin, first.piece.begin, second.piece.begin});
  end = std::min({end, first.piece.end, second.piece.end});
  bool sure = a == 0 && b == 0 && first.piece.certain && second.piece.certain;
  report.race(first, second, spaceOf(first.piece.storage), begin, end, sure);
}

void ProgramWalk::cycle(ArrayRef<const ModelEntry *> waits) {
  bool sure = llvm::all_of(waits, [](const ModelEntry *wait) { return wait->instance.context == 0; });
  report.cycle(waits, sure);
  halted |= sure;
  brokenCycle = true;
}

/// What is left when the program has ended.
void ProgramWalk::finish() {
  for (size_t slot = 0; slot < kPipeSlots; ++slot) {
    const ModelEntry *head = model.head(Pipe(slot));
    if (!head || head->kind != ModelEntry::Wait || model.setQueued(head->other, Pipe(slot), head->id))
      continue;
    const ModelFlag &state = model.flag(head->other, Pipe(slot), head->id);
    uint32_t missing = state.issuedWaits - std::min(state.issuedWaits, state.issuedSets);
    std::string why = state.issuedSets == 0 ? say::kNoSetExists() : say::kWaitedTooOften(timesText(missing));
    report.waitWithoutSet(head->instance.op, head->other, Pipe(slot), head->id, std::move(why),
                          head->instance.context == 0);
  }
  for (const auto &[key, state] : model.allFlags()) {
    if (model.isForgotten(key.src, key.dst))
      continue;
    if (state.firstWait && state.issuedSets == 0)
      report.waitWithoutSet(state.firstWait, key.src, key.dst, key.id, say::kNoSetExists(), false);
    if (!state.lastSet)
      continue;
    if (state.issuedWaits == 0)
      report.leftover(state.lastSet, key.src, key.dst, key.id, 0);
    else if (!state.unknown && !state.sets.empty() && !model.head(key.dst))
      report.leftover(state.lastSet, key.src, key.dst, key.id, state.sets.size());
  }
}

} // namespace ptoscope
