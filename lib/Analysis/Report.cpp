//===- Report.cpp - findings of the static check --------------------------===//

#include "Report.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include <algorithm>
#include <cstdio>

using namespace mlir;

namespace ptoscope {

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%04llx", static_cast<unsigned long long>(value));
  return text;
}

static std::string memoryText(Space space) { return StringRef(nameOf(space)).upper(); }

static std::string placeText(const Place &place) {
  return place.file.empty() ? "an unknown place" : place.file + ":" + std::to_string(place.line);
}

static std::string plural(uint64_t n, const char *one) { return std::to_string(n) + " " + one + (n == 1 ? "" : "s"); }

std::string StaticReport::opText(Operation *op) const {
  std::string word = program.wordAt(placeOf(op->getLoc()));
  return "`" + (word.starts_with("pto.") ? word : op->getName().getStringRef().str()) + "`";
}

std::string StaticReport::flagText(Pipe src, Pipe dst, int64_t id, Operation *op) const {
  std::string number = "EVENT_ID" + std::to_string(id);
  auto name = op->getAttrOfType<StringAttr>("event");
  return std::string(nameOf(src)) + " -> " + std::string(nameOf(dst)) + ", " + number +
         (name && name != number ? " (`" + name.str() + "`)" : "");
}

/// Codes are literals of this file, so their addresses tell them apart.
bool StaticReport::firstTime(std::string_view code, Operation *op, Operation *other) {
  return seen.insert({code.data(), op, other}).second;
}

Finding StaticReport::make(std::string_view code, Operation *op, std::string message, bool certain) const {
  Finding finding = makeFinding(code, placeOf(op->getLoc()), std::move(message));
  if (!certain)
    finding.severity = std::max(finding.severity, Severity::Warning);
  return finding;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void StaticReport::outOfBounds(Operation *op, Space space, int64_t begin, int64_t end, int64_t size, bool writes,
                               bool certain) {
  std::string_view code = space == Space::Ub ? "ub-out-of-bounds" : "local-out-of-bounds";
  if (!firstTime(code, op))
    return;
  std::string memory = memoryText(space), verb = writes ? " writes " : " reads ";
  std::string message = opText(op) + verb;
  if (begin < 0)
    message += memory + " bytes from " + std::to_string(begin) + " on; addresses start at 0";
  else
    message += plural(uint64_t(end - std::max(begin, size)), "byte") + " beyond the end of " + memory + ": it covers bytes " +
               hex(uint64_t(begin)) + ".." + hex(uint64_t(end - 1)) + ", " + memory + " has " + std::to_string(size);
  Finding finding = make(code, op, std::move(message), certain);
  if (!certain)
    finding.notes.push_back({placeOf(op->getLoc()), "this holds whenever the instruction is executed, which depends on values nobody knows here"});
  finding.help = "check base, offset (in elements), row count, stride and loop bound";
  if (begin >= 0)
    finding.bytes = ByteRange{std::string(nameOf(space)), "", uint64_t(begin), uint64_t(end)};
  findings.add(std::move(finding));
}

void StaticReport::misaligned(Operation *op, Space space, int64_t address, int64_t alignment, bool writes, bool certain) {
  bool scalar = isa<pto::LoadScalarOp, pto::StoreScalarOp>(op);
  std::string_view code = scalar ? "scalar-misaligned" : "ub-misaligned";
  if (!firstTime(code, op))
    return;
  Finding finding = make(code, op,
                         opText(op) + (writes ? " writes " : " reads ") + memoryText(space) + " at byte " +
                             hex(uint64_t(address)) + ", which is no multiple of " + std::to_string(alignment),
                         certain);
  int64_t below = address / alignment * alignment;
  finding.help = "round the address to " + hex(uint64_t(below)) + " or " + hex(uint64_t(below + alignment)) +
                 (scalar || alignment == 0 ? "" : ", or use the instructions for unaligned access");
  finding.bytes = ByteRange{std::string(nameOf(space)), "", uint64_t(address), uint64_t(address + 1)};
  findings.add(std::move(finding));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static std::string turnText(const Instance &instance) {
  if (!instance.loop)
    return "";
  return ", turn " + std::to_string(instance.turn) + " of the loop at " + placeText(placeOf(instance.loop->getLoc()));
}

void StaticReport::race(const LoggedAccess &first, const LoggedAccess &second, Space space, uint64_t begin, uint64_t end,
                        bool certain) {
  std::string_view race = !first.piece.writes ? "race-war" : second.piece.writes ? "race-waw" : "race-raw";
  std::string_view code = certain ? race : "ub-overlap";
  // One missing order is one fault, however many accesses of a scope show it.
  if (!firstTime("race", first.instance.op, second.instance.op))
    return;
  std::string firstPipe(nameOf(first.instance.pipe)), secondPipe(nameOf(second.instance.pipe));
  Finding finding = make(code, second.piece.op,
                         opText(second.piece.op) + " on " + secondPipe + (second.piece.writes ? " writes " : " reads ") +
                             memoryText(space) + " bytes that " + opText(first.piece.op) + " on " + firstPipe +
                             (first.piece.writes ? " may still be writing" : " may still be reading"),
                         certain);
  finding.bytes = ByteRange{std::string(nameOf(space)), "", begin, end};
  std::string where = memoryText(space) + " bytes " + hex(begin) + ".." + hex(end - 1) + turnText(second.instance);
  if (!certain)
    where += "; both are executed only if branches or loop bounds nobody knows here say so (`" + std::string(race) + "` in a run)";
  finding.notes.push_back({placeOf(second.piece.op->getLoc()), std::move(where)});
  finding.notes.push_back({placeOf(first.piece.op->getLoc()),
                           std::string(first.piece.writes ? "the write" : "the read") + " is issued here on " + firstPipe +
                               turnText(first.instance) + "; nothing between the two makes " + secondPipe + " wait for it"});
  describeOrder(finding, first, second);
  const Piece &a = first.piece, &b = second.piece;
  if (a.begin < b.begin ? a.end < b.end : b.begin < a.begin && b.end < a.end) {
    finding.notes.insert(finding.notes.begin(),
                         {placeOf(b.op->getLoc()), std::string("likely cause: ") +
                                                       (a.op == b.op ? "one turn begins before the bytes of another end" : "two buffers overlap") +
                                                       ": bytes " + hex(a.begin) + ".." + hex(a.end - 1) + " there, " + hex(b.begin) + ".." +
                                                       hex(b.end - 1) + " here"});
    finding.help = (a.op == b.op ? "make the step from turn to turn as large as what a turn touches" : "move one of the two buffers") +
                   std::string("; if they are to share bytes, ") + finding.help;
    finding.edits.clear();
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
    return isa<BaseMemRefType>(type) || (pointer && pointer.getSpace() != Space::Gm);
  };
  const pto::InstrInfo *info = isa_and_nonnull<pto::PTODialect>(op->getDialect()) ? pto::findInstr(op->getName().stripDialect()) : nullptr;
  it->second = !info || info->footprint == pto::Footprint::None || info->footprint == pto::Footprint::Fence ||
               info->footprint == pto::Footprint::Status ||
               llvm::none_of(op->getOperandTypes(), isLocal);
}

size_t StaticReport::uncompared() const {
  return size_t(llvm::count_if(knownBytes, [](const auto &entry) { return !entry.second; }));
}

const SiteTable &StaticReport::flags() {
  if (flagTable)
    return *flagTable;
  flagTable.emplace();
  program.module.get().walk([&](Operation *op) {
    std::optional<FlagOp> flag = flagOf(op);
    if (!flag)
      return;
    NamedIds &ids = flagTable->events(flag->src, flag->dst);
    Site site;
    site.place = placeOf(op->getLoc());
    if (flag->id)
      ids.name(*flag->id, flag->isSet, flagTable->add(std::move(site)));
    else
      ids.computed = true;
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
  finding.notes.insert(finding.notes.begin(), {at, "likely cause: " + slipText(flags(), slip)});
  if (slip.wait != kNoSite)
    finding.help = slipHelp(flags(), slip);
}

/// The lines that add the missing order: set and wait apart when both places
/// stand in one block, else as a pair before the second place.
void StaticReport::describeOrder(Finding &finding, const LoggedAccess &first, const LoggedAccess &second) {
  Operation *from = first.instance.op, *to = second.instance.op;
  Place before = placeOf(to->getLoc());
  std::string src(nameOf(first.instance.pipe)), dst(nameOf(second.instance.pipe));
  auto quoted = [](const std::string &line) { return "`" + line + "`"; };
  if (src == dst) {
    std::string line = "pto.pipe_barrier \"" + src + "\"";
    finding.help = "add " + quoted(line) + " before " + placeText(before);
    finding.edits.push_back({before, false, line});
    return;
  }
  if (std::optional<FlagSlip> slip = slipOfOrder(flags(), first.instance.pipe, second.instance.pipe)) {
    finding.help = "wait for the flag before " + placeText(before);
    return blameSlip(finding, *slip);
  }
  int64_t freeId = freeEventId(first.instance.pipe, second.instance.pipe);
  if (freeId < 0) {
    std::string line = "pto.barrier #pto.pipe<PIPE_ALL>";
    finding.help = "order " + src + " before " + dst + " with a flag whose id is not in use there, or add " + quoted(line) +
                   " before " + placeText(before);
    finding.edits.push_back({before, false, line});
    return;
  }
  std::string operands = "[\"" + src + "\", \"" + dst + "\", \"EVENT_ID" + std::to_string(freeId) + "\"]";
  std::string set = "pto.set_flag" + operands, wait = "pto.wait_flag" + operands;
  std::string free = " (EVENT_ID" + std::to_string(freeId) + " is free for this pair)";
  Operation *next = from->getNextNode();
  Place behind = next ? placeOf(next->getLoc()) : Place{};
  bool apart = from != to && from->getBlock() == to->getBlock() && first.instance.turn == second.instance.turn &&
               from->isBeforeInBlock(to) && behind.line > placeOf(from->getLoc()).line && behind.line <= before.line;
  finding.help = apart ? "add " + quoted(set) + " before " + placeText(behind) + " and " + quoted(wait) + " before " +
                             placeText(before) + free
                       : "before " + placeText(before) + " add " + quoted(set) + " and then " + quoted(wait) + free;
  finding.edits.push_back({apart ? behind : before, false, set});
  finding.edits.push_back({before, false, wait});
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static std::string setLine(Pipe src, Pipe dst, int64_t id, Operation *op) {
  auto name = op->getAttrOfType<StringAttr>("event");
  return "pto.set_flag[\"" + std::string(nameOf(src)) + "\", \"" + std::string(nameOf(dst)) + "\", \"" +
         (name ? name.str() : "EVENT_ID" + std::to_string(id)) + "\"]";
}

void StaticReport::waitWithoutSet(Operation *wait, Pipe src, Pipe dst, int64_t id, std::string why, bool certain,
                                  Operation *set) {
  if (!firstTime("wait-without-set", wait))
    return;
  std::string who = dst == Pipe::S ? "the scalar unit" : std::string(nameOf(dst));
  Finding finding = make("wait-without-set", wait,
                         who + " waits for ever for flag " + flagText(src, dst, id, wait) + ": " + std::move(why), certain);
  if (set)
    finding.notes.push_back({placeOf(set->getLoc()), "this set comes too late"});
  if (!certain)
    finding.notes.push_back({placeOf(wait->getLoc()), "it hangs if it is executed, which depends on values nobody knows here"});
  std::string line = setLine(src, dst, id, wait);
  finding.help = "add `" + line + "` before " + placeText(placeOf(wait->getLoc())) + ", behind the work on " +
                 std::string(nameOf(src)) + " that " + std::string(nameOf(dst)) + " needs, or remove the wait";
  // Where the text has a set of the flag, another one is left over.
  NamedIds ids = flags().events(src, dst);
  if (!ids.computed && !(ids.set >> id & 1))
    finding.edits.push_back({placeOf(wait->getLoc()), false, std::move(line)});
  if (std::optional<FlagSlip> slip = slipOfWait(flags(), src, dst, id)) {
    blameSlip(finding, *slip);
    finding.edits.clear();
  }
  findings.add(std::move(finding));
}

void StaticReport::semaphoreWithoutSet(Operation *wait, int64_t id, std::string_view core, std::string help, bool certain) {
  if (!firstTime("wait-without-set", wait))
    return;
  Finding finding = make("wait-without-set", wait,
                         opText(wait) + " waits for ever for semaphore " + std::to_string(id) + " of " + std::string(core) +
                             ": no core of the kernel sets it",
                         certain);
  finding.help = std::move(help);
  findings.add(std::move(finding));
}

void StaticReport::cycle(ArrayRef<const ModelEntry *> waits, bool certain) {
  // The wait that comes first in the program is the root of it.
  const ModelEntry *root = *std::min_element(waits.begin(), waits.end(), [](const ModelEntry *a, const ModelEntry *b) {
    return a->instance.issue < b->instance.issue;
  });
  if (!firstTime("deadlock", root->instance.op))
    return;
  auto what = [&](const ModelEntry *entry) {
    return entry->kind == ModelEntry::Get ? "buffer id " + std::to_string(entry->id)
                                          : "flag " + flagText(entry->other, entry->instance.pipe, entry->id, entry->instance.op);
  };
  std::string pipes;
  for (const ModelEntry *entry : waits)
    pipes += std::string(nameOf(entry->instance.pipe)) + " -> ";
  pipes += std::string(nameOf(waits.front()->instance.pipe));
  Finding finding = make("deadlock", root->instance.op,
                         std::string(nameOf(root->instance.pipe)) + " waits for ever for " + what(root) +
                             ": the pipe that would end the wait stands behind a wait of its own" + turnText(root->instance),
                         certain);
  for (const ModelEntry *entry : waits)
    finding.notes.push_back({placeOf(entry->instance.op->getLoc()),
                             std::string(nameOf(entry->instance.pipe)) + " waits here for " + what(entry)});
  finding.notes.push_back({{}, "wait-for cycle: " + pipes});
  finding.help = root->instance.loop ? "set the flag once before the loop at " + placeText(placeOf(root->instance.loop->getLoc())) +
                                           ", or move a set before the wait that blocks its own pipe"
                                     : "move a set before the wait that blocks its own pipe, so that the circle of waits is broken";
  findings.add(std::move(finding));
}

void StaticReport::leftover(Operation *set, Pipe src, Pipe dst, int64_t id, uint64_t surplus) {
  if (!firstTime("flag-leftover", set))
    return;
  std::string often = surplus == 1 ? "once" : std::to_string(surplus) + " times";
  Finding finding = make("flag-leftover", set,
                         "flag " + flagText(src, dst, id, set) + " is still set when the kernel ends: " +
                             (surplus ? "it is set " + often + " more often than waited for" : "nothing waits for it"),
                         true);
  finding.help = "wait for it " + (surplus ? often : "once for every set") + " on " + std::string(nameOf(dst)) +
                 " before the kernel ends, or leave out the set";
  findings.add(std::move(finding));
}

void StaticReport::bounded(Operation *kernel) {
  findings.add(makeFinding("analysis-bounded", placeOf(kernel->getLoc()),
                           "the kernel is too entangled to be followed to its end without running it; what comes later is not checked here"));
}

} // namespace ptoscope
