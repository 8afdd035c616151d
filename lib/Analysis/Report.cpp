//===- Report.cpp - findings of the static check --------------------------===//

#include "Report.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/Remedies.h"

#include <algorithm>

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

bool StaticReport::storesMayCombine() {
  if (!combines)
    combines = module
                   .walk([](Operation *op) {
                     // A type is what makes a store atomic; which operation is another field.
                     return isa<SetCtrlOp, SetAtomicF32Op, SetAtomicF16Op, SetAtomicS16Op, SetAtomicS32Op,
                                SetAtomicS8Op, SetAtomicBf16Op>(op)
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   })
                   .wasInterrupted();
  return *combines;
}

std::string StaticReport::opText(Operation *op) const {
  std::string word = program.wordAt(placeOf(op->getLoc()));
  return quoted(word.starts_with("pto.") ? word : op->getName().getStringRef().str());
}

bool StaticReport::firstTime(const void *fault, Operation *op, Operation *other) {
  return seen.insert({fault, op, other}).second;
}

Finding StaticReport::make(Operation *op, const Fact &fact, bool certain) const {
  Finding finding = findingOf(fact, placeOf(op->getLoc()), opText(op));
  if (!certain)
    finding.severity = std::max(finding.severity, Severity::Warning);
  return finding;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void StaticReport::outOfBounds(Operation *op, Space space, int64_t begin, int64_t end, int64_t size, bool writes,
                               bool certain) {
  if (!firstTime(say::boundsCode(space), op))
    return;
  const char *code = say::boundsCode(space), *verb = say::readsOrWrites(writes);
  const int64_t limit = begin < 0 ? 0 : int64_t(endOf(space, uint64_t(size), uint64_t(begin)));
  const std::string beyond = plural(uint64_t(end - std::max(begin, limit)), "byte");
  Finding finding =
      make(op,
           begin < 0            ? say::kBelowZero.as(code)(verb, space, begin)
           : space == Space::Fb ? say::kFbTransferBounds(verb, beyond, space, begin, hex(uint64_t(end - 1)), size)
                                : say::kAccessBounds.as(code)(verb, beyond, space, begin, end - 1, size),
           certain);
  if (!certain)
    finding.notes.push_back({placeOf(op->getLoc()), say::kWheneverExecuted()});
  if (begin >= 0)
    finding.bytes = ByteRange{std::string(nameOf(space)), "", uint64_t(begin), uint64_t(end)};
  findings.add(std::move(finding));
}

void StaticReport::misaligned(Operation *op, Space space, int64_t address, int64_t alignment, bool writes,
                              bool certain) {
  if (!firstTime(&say::kAccessMisaligned, op))
    return;
  int64_t below = address / alignment * alignment;
  bool scalar = isa<pto::LoadScalarOp, pto::StoreScalarOp, pto::LdDevOp, pto::StDevOp>(op);
  // Only vectors, of UB, have instructions for unaligned access.
  const auto misaligned = scalar               ? say::kStaticMisaligned
                          : space != Space::Ub ? say::kStaticMisaligned.as(say::kAccessMisaligned.code)
                                               : say::kAccessMisaligned;
  Finding finding =
      make(op, misaligned(say::readsOrWrites(writes), space, address, alignment, below, below + alignment), certain);
  finding.bytes = ByteRange{std::string(nameOf(space)), "", uint64_t(address), uint64_t(address + 1)};
  findings.add(std::move(finding));
}

void StaticReport::problem(Operation *op, const Fact &fact, bool certain) {
  if (!firstTime(fact.message, op))
    return;
  Finding finding = make(op, fact, certain);
  if (!certain)
    finding.notes.push_back({placeOf(op->getLoc()), say::kWheneverExecuted()});
  findings.add(std::move(finding));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static std::string turnText(const Instance &instance) {
  if (!instance.loop)
    return "";
  return say::kIteration(instance.turn) + say::kOfLoop(placeOf(instance.loop->getLoc()));
}

void StaticReport::race(const LoggedAccess &first, const LoggedAccess &second, Space space, uint64_t begin,
                        uint64_t end, bool certain) {
  const char *race = say::raceCode(first.piece.writes, second.piece.writes);
  // One missing order is one fault, however many accesses of a scope show it.
  if (!firstTime(&say::kRace, first.instance.op, second.instance.op))
    return;
  Pipe firstPipe = first.instance.pipe, secondPipe = second.instance.pipe;
  Finding finding = make(second.piece.op,
                         say::kRace.as(certain ? race : "ub-overlap")(
                             secondPipe, say::readsOrWrites(second.piece.writes), space, opText(first.piece.op),
                             firstPipe, say::readingOrWriting(first.piece.writes)),
                         certain);
  finding.bytes = ByteRange{std::string(nameOf(space)), "", begin, end};
  std::string where = say::kRange(space, begin, end - 1) + turnText(second.instance);
  if (!certain)
    where += say::kOnlyIfBoth(race);
  finding.notes.push_back({placeOf(second.piece.op->getLoc()), std::move(where)});
  finding.notes.push_back({placeOf(first.piece.op->getLoc()),
                           say::kIssuedHere(say::readOrWrite(first.piece.writes), firstPipe, turnText(first.instance)) +
                               say::kNothingBetween(secondPipe)});
  describeOrder(finding, first, second);
  const Piece &a = first.piece, &b = second.piece;
  if (a.begin < b.begin ? a.end < b.end : b.begin < a.begin && b.end < a.end) {
    auto bytes = [](const Piece &piece) { return say::kRangeOnly(piece.begin, piece.end - 1); };
    bool turns = a.op == b.op;
    std::string cause = (turns ? say::kTurnsOverlap : say::kBuffersShare)(bytes(a), bytes(b));
    nameCause(finding, placeOf(b.op->getLoc()), cause);
    finding.help = (turns ? say::kWidenTurns : say::kMoveBuffer)(finding.help);
    finding.remedies.clear();
  }
  findings.add(std::move(finding));
}

void StaticReport::looked(Operation *op, bool known) {
  auto [it, isNew] = knownBytes.try_emplace(op, known);
  if (!isNew || known) {
    it->second |= known;
    return;
  }
  // What touches no memory of a core has nothing to compare.
  auto isLocal = [](Type type) {
    auto pointer = dyn_cast<pto::PtrType>(type);
    return isa<BaseMemRefType, pto::TileBufType>(type) || (pointer && pointer.getSpace() != Space::Gm);
  };
  const pto::InstrInfo *info =
      isa_and_nonnull<pto::PTODialect>(op->getDialect()) ? pto::findInstr(op->getName().stripDialect()) : nullptr;
  it->second = !info || info->footprint == pto::Footprint::None || info->footprint == pto::Footprint::Fence ||
               info->footprint == pto::Footprint::Status || llvm::none_of(op->getOperandTypes(), isLocal);
}

size_t StaticReport::uncompared() const {
  return size_t(llvm::count_if(knownBytes, [](const auto &entry) { return !entry.second; }));
}

const SiteTable &StaticReport::flags() {
  if (flagTable)
    return *flagTable;
  flagTable.emplace();
  module.walk([&](Operation *op) {
    std::optional<FlagOp> flag = flagOf(op);
    if (!flag)
      return;
    NamedIds &ids = flagTable->events(flag->src, flag->dst);
    Site site;
    site.place = placeOf(op->getLoc());
    if (auto name = op->getAttrOfType<StringAttr>("event"))
      site.event = name.str();
    SiteId at = flagSites[op] = flagTable->add(std::move(site));
    if (flag->id)
      ids.name(*flag->id, flag->isSet, at);
    else
      ids.nameComputed(flag->isSet, at);
  });
  return *flagTable;
}

/// An event id of the pair that no instruction of the module uses; -1 = none.
int64_t StaticReport::freeEventId(Pipe src, Pipe dst) {
  NamedIds ids = flags().events(src, dst);
  for (int64_t id = 0; id < kEventIds && !ids.computed; ++id)
    if (!(ids.all() >> id & 1))
      return id;
  return -1;
}

void StaticReport::blameSlip(Finding &finding, const FlagSlip &slip) {
  Place at = flags().placeOf(slip.wait == kNoSite ? slip.set : slip.wait);
  nameCause(finding, at, slipText(flags(), slip));
  if (slip.wait != kNoSite)
    finding.help = slipHelp(flags(), slip);
}

/// Lines that may add the missing order: set and wait apart if both places stand in
/// one block, and as a pair before the second place.
void StaticReport::describeOrder(Finding &finding, const LoggedAccess &first, const LoggedAccess &second) {
  Operation *from = first.instance.op, *to = second.instance.op;
  Place before = placeOf(to->getLoc());
  Pipe src = first.instance.pipe, dst = second.instance.pipe;
  Words words(&flags());
  if (src == dst) {
    std::string line = words.barrierLine(src);
    finding.help = say::kBarrierBetween(src);
    finding.remedies.push_back({say::kAdd(line, before), {{before, false, line}}});
    return;
  }
  finding.help = say::kWaitBetween(dst, src);
  if (std::optional<FlagSlip> slip = slipOfOrder(flags(), src, dst)) {
    finding.help = say::kWaitForFlag(before);
    return blameSlip(finding, *slip);
  }
  int64_t freeId = freeEventId(src, dst);
  if (freeId < 0) {
    std::string line = words.barrierLine(Pipe::All);
    finding.remedies.push_back({say::kFlagOrBarrier(src, dst, line, before), {{before, false, line}}});
    return;
  }
  std::string set = words.flagLine("set_flag", src, dst, freeId), wait = words.flagLine("wait_flag", src, dst, freeId);
  Operation *next = from->getNextNode();
  Place behind = next ? placeOf(next->getLoc()) : Place{};
  if (from != to && from->getBlock() == to->getBlock() && behind.line > placeOf(from->getLoc()).line &&
      behind.line <= before.line)
    finding.remedies.push_back(
        {say::kAddApart(set, behind, wait, before, freeId), {{behind, false, set}, {before, false, wait}}});
  finding.remedies.push_back(
      {say::kAddTogether(before, set, wait, freeId), {{before, false, set}, {before, false, wait}}});
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

SiteId StaticReport::siteOf(Operation *op) {
  flags();
  auto it = flagSites.find(op);
  return it == flagSites.end() ? kNoSite : it->second;
}

std::string StaticReport::flagText(Pipe src, Pipe dst, int64_t id, Operation *op) {
  return Words(&flags()).flagText(src, dst, id, siteOf(op));
}

void StaticReport::waitWithoutSet(Operation *wait, Pipe src, Pipe dst, int64_t id, std::string why, bool certain,
                                  Operation *set) {
  if (!firstTime(&say::kWaitWithoutSet, wait))
    return;
  std::string_view who = dst == Pipe::S ? say::kScalarUnit : nameOf(dst);
  Finding finding = make(wait, say::kWaitWithoutSet(who, say::kForFlag(flagText(src, dst, id, wait)), why), certain);
  if (set)
    finding.notes.push_back({placeOf(set->getLoc()), say::kSetTooLate()});
  if (!certain)
    finding.notes.push_back({placeOf(wait->getLoc()), say::kHangsIfExecuted()});
  std::string line = Words(&flags()).flagLine("set_flag", src, dst, id, siteOf(wait));
  Place before = placeOf(wait->getLoc());
  finding.help = say::kIssueSet(line, say::kKernelEnds, src, dst);
  if (std::optional<FlagSlip> slip = slipOfWait(flags(), src, dst, id))
    blameSlip(finding, *slip);
  else
    finding.remedies.push_back({say::kAddSetOrRemove(line, before, src, dst), {{before, false, line}}});
  findings.add(std::move(finding));
}

void StaticReport::semaphoreWithoutSet(Operation *wait, int64_t id, std::string_view core, std::string_view setter,
                                       int64_t setId, bool certain) {
  if (firstTime(&say::kWaitWithoutSet, wait))
    findings.add(make(wait, say::kSemaphoreWithoutSet(id, core, setter, setId), certain));
}

void StaticReport::cycle(ArrayRef<const ModelEntry *> waits, bool certain) {
  // The wait that comes first in the program is the root of it.
  const ModelEntry *root = *std::min_element(waits.begin(), waits.end(), [](const ModelEntry *a, const ModelEntry *b) {
    return a->instance.issue < b->instance.issue;
  });
  if (!firstTime(&say::kDeadlock, root->instance.op))
    return;
  auto what = [&](const ModelEntry *entry) {
    return entry->kind == ModelEntry::Get
               ? say::kForBuffer(entry->id)
               : say::kForFlag(flagText(entry->other, entry->instance.pipe, entry->id, entry->instance.op));
  };
  std::string pipes;
  for (const ModelEntry *entry : waits)
    pipes += std::string(nameOf(entry->instance.pipe)) + " -> ";
  pipes += std::string(nameOf(waits.front()->instance.pipe));
  Finding finding =
      make(root->instance.op,
           say::kDeadlock(root->instance.pipe, what(root), say::kBehindOwnWait(turnText(root->instance))), certain);
  for (const ModelEntry *entry : waits)
    finding.notes.push_back(
        {placeOf(entry->instance.op->getLoc()), say::kWaitsHereFor(entry->instance.pipe, what(entry))});
  finding.notes.push_back({{}, say::kCycle(pipes)});
  if (root->instance.loop)
    finding.help = say::kPrimeLoop(placeOf(root->instance.loop->getLoc()));
  findings.add(std::move(finding));
}

void StaticReport::leftover(Operation *set, Pipe src, Pipe dst, int64_t id, uint64_t surplus) {
  if (!firstTime(&say::kFlagLeftover, set))
    return;
  std::string flag = flagText(src, dst, id, set);
  findings.add(
      make(set, surplus ? say::kFlagSurplus(flag, timesText(surplus), dst) : say::kFlagUnwaited(flag, dst), true));
}

void StaticReport::bounded(Operation *kernel) { findings.add(make(kernel, say::kBounded(), true)); }

} // namespace ptoscope
