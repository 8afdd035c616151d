//===- Reporter.cpp - findings of the race and init checks ----------------===//
//
// Messages hold only what is the same for every repeat of a cause (operations,
// pipes, memory), so that blocks that share a fault share a report; bytes and
// iterations of the first occurrence stand in the notes.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Reporter.h"

#include <algorithm>
#include <cstdio>

namespace ptoscope {

namespace {

enum Code : unsigned { RaceRaw, RaceWar, RaceWaw, RaceScope, InitRead, InitScalar, InitStoreGm, OrderDependent, Overflow };
constexpr const char *kCodes[] = {"race-raw",  "race-war",    "race-waw",     "race-scope",
                                  "init-read", "init-scalar", "init-store-gm", "order-dependent"};

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%04llx", static_cast<unsigned long long>(value));
  return text;
}

std::string count(uint64_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string placeText(const Place &place) {
  return place.file.empty() ? "an unknown place" : place.file + ":" + std::to_string(place.line);
}

/// The pipes that may set and wait (isa/03 section 8.1); others need a flag to
/// or from the one named here.
Pipe settingPipe(CoreId core) { return core.index == 0 ? Pipe::FIX : Pipe::MTE3; }
Pipe waitingPipe(Pipe pipe, CoreId core) {
  if (pipe == Pipe::S || pipe == Pipe::M)
    return core.index == 0 ? Pipe::MTE1 : Pipe::V;
  return pipe;
}

} // namespace

std::string coreText(CoreId core) { return core.index == 0 ? "AIC" : core.index == 1 ? "AIV0" : "AIV1"; }

std::string opText(const SiteTable &sites, SiteId site) {
  return site < sites.size() && !sites[site].op.empty() ? quoted(sites[site].op) : "an instruction";
}

std::string spaceText(const ReportBytes &bytes) {
  if (bytes.status)
    return std::string(nameOf(*bytes.status));
  if (bytes.space == Space::Gm)
    return bytes.object ? "GM parameter " + quoted(bytes.object->name) : "GM";
  std::string name(nameOf(bytes.space));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return name;
}

ByteRange rangeOf(const ReportBytes &bytes) {
  ByteRange range;
  range.space = nameOf(bytes.space);
  uint64_t base = 0;
  if (bytes.space == Space::Gm && bytes.object) {
    range.parameter = bytes.object->name;
    base = bytes.object->base;
  }
  range.begin = bytes.begin - base;
  range.end = bytes.end - base;
  return range;
}

std::string bytesText(const ReportBytes &bytes) {
  if (bytes.status)
    return spaceText(bytes);
  ByteRange range = rangeOf(bytes);
  return spaceText(bytes) + " bytes " + hex(range.begin) + ".." + hex(range.end - 1) + " (" +
         count(range.end - range.begin, "byte") + ")";
}

void InstructionLog::enlarge(Log &log) {
  Log bigger{std::vector<Record>(log.ring.empty() ? kFirstSize : log.ring.size() * 4), {}};
  if (!log.deep.empty())
    bigger.deep.resize(bigger.ring.size());
  for (size_t i = 0; i < log.ring.size(); ++i) {
    size_t to = log.ring[i].ordinal & (bigger.ring.size() - 1);
    if (log.ring[i].ordinal != 0)
      bigger.ring[to] = log.ring[i];
    if (log.ring[i].ordinal != 0 && !log.deep.empty())
      bigger.deep[to] = log.deep[i];
  }
  log = std::move(bigger);
}

void InstructionLog::note(Slot slot, const Instr &instr) {
  Log &log = logs[slot];
  if (instr.ordinal >= log.ring.size() && log.ring.size() < kLastSize) [[unlikely]]
    enlarge(log);
  size_t at = instr.ordinal & (log.ring.size() - 1);
  Record &record = log.ring[at];
  if (record.ordinal == instr.ordinal)
    return;
  record.ordinal = instr.ordinal;
  record.issue = ++issued;
  record.depth = instr.iterations ? std::min<uint32_t>(instr.depth, kMaxDepth) : 0;
  for (uint32_t i = 0; i < std::min<uint32_t>(record.depth, kNearDepth); ++i)
    record.iterations[i] = instr.iterations[i];
  if (record.depth <= kNearDepth) [[likely]]
    return;
  log.deep.resize(log.ring.size());
  std::copy(instr.iterations + kNearDepth, instr.iterations + record.depth, log.deep[at].begin());
}

std::vector<int64_t> InstructionLog::iterations(Slot slot, uint64_t ordinal) const {
  const Record *record = find(slot, ordinal);
  if (!record)
    return {};
  size_t near = std::min<size_t>(record->depth, kNearDepth);
  std::vector<int64_t> result(record->iterations.begin(), record->iterations.begin() + near);
  if (record->depth > near) {
    const Deep &deep = logs[slot].deep[size_t(record - logs[slot].ring.data())];
    result.insert(result.end(), deep.begin(), deep.begin() + (record->depth - near));
  }
  return result;
}

uint64_t InstructionLog::issueNumber(Slot slot, uint64_t ordinal) const {
  const Record *record = find(slot, ordinal);
  return record ? record->issue : 0;
}

const InstructionLog::Record *InstructionLog::find(Slot slot, uint64_t ordinal) const {
  const auto &ring = logs[slot].ring;
  if (ring.empty())
    return nullptr;
  const Record &record = ring[ordinal & (ring.size() - 1)];
  return record.ordinal == ordinal ? &record : nullptr;
}

Reporter::Seen *Reporter::firstTime(unsigned code, SiteId first, SiteId second) {
  auto [it, isNew] = seen.try_emplace({code, first, second});
  if (isNew)
    return &it->second;
  ++it->second.repeats;
  return nullptr;
}

void Reporter::emit(Seen &entry, Finding finding) {
  entry.finding = finding;
  inOrder.push_back(&entry);
  findings.add(std::move(finding));
}

void Reporter::flushRepeats() {
  for (Seen *entry : inOrder)
    if (entry->repeats) {
      Finding repeat = entry->finding;
      repeat.count = entry->repeats;
      entry->repeats = 0;
      findings.add(std::move(repeat));
    }
}

SiteId Reporter::outsideScope(SiteId site) const {
  if (site < sites.size() && sites[site].scope < sites.size())
    return sites[site].scope;
  return site;
}

/// "iteration 2 of the loop at add.pto:24", outermost first; empty outside loops.
std::string Reporter::iterationText(SiteId site, const std::vector<int64_t> &iterations) const {
  if (sites.isCpp())
    return iterations.empty() ? "" : executionText(iterations.front());
  std::vector<SiteId> loops;
  SiteId at = outsideScope(site);
  for (at = at < sites.size() ? sites[at].loop : kNoSite; at < sites.size() && loops.size() < 64;
       at = sites[at].loop)
    loops.push_back(at);
  std::string text;
  size_t depth = std::min(loops.size(), iterations.size());
  for (size_t i = 0; i < depth; ++i) {
    // loops: innermost first; iterations: outermost first.
    text += i == 0 ? "iteration " : ", ";
    text += std::to_string(iterations[i]) + " of the loop at " +
            placeText(sites.placeOf(loops[loops.size() - 1 - i]));
  }
  if (text.empty() && !iterations.empty()) {
    for (size_t i = 0; i < iterations.size(); ++i)
      text += (i ? ", " : "iteration ") + std::to_string(iterations[i]);
  }
  return text;
}

void Reporter::addScopeNote(Finding &finding, SiteId site, const char *which) const {
  if (outsideScope(site) != site)
    finding.notes.push_back({sites.placeOf(outsideScope(site)),
                             std::string(which) + " belongs to the vector scope that starts here"});
}

void Reporter::race(RaceParty first, RaceParty second, const ReportBytes &bytes) {
  // Schedules execute in other orders than the program's; the report, its kind
  // and its repair follow the program.
  uint64_t firstIssue = log.issueNumber(first.slot, first.ordinal);
  uint64_t secondIssue = log.issueNumber(second.slot, second.ordinal);
  bool swapped = first.slot == second.slot ? first.ordinal > second.ordinal
                                           : firstIssue && secondIssue && firstIssue > secondIssue;
  if (swapped)
    std::swap(first, second);
  Code code = !first.writes ? RaceWar : second.writes ? RaceWaw : RaceRaw;
  Seen *entry = firstTime(code, first.site, second.site);
  if (!entry)
    return;

  bool sameCore = coreOf(first.slot).index == coreOf(second.slot).index;
  auto pipeName = [&](const RaceParty &party) {
    std::string name(nameOf(pipeOf(party.slot)));
    return sameCore ? name : name + " of " + coreText(coreOf(party.slot));
  };
  std::string message = opText(sites, second.site) + " on " + pipeName(second) +
                        (second.writes ? " writes " : " reads ") + spaceText(bytes) +
                        (bytes.status ? ", which " : " bytes that ") +
                        opText(sites, first.site) + " on " + pipeName(first) +
                        (first.writes ? " may still be writing" : " may still be reading");
  Finding finding = makeFinding(kCodes[code], sites.placeOf(second.site), std::move(message));
  if (!bytes.status)
    finding.bytes = rangeOf(bytes);
  finding.iterations = log.iterations(second.slot, second.ordinal);

  std::string where = bytesText(bytes);
  if (std::string text = iterationText(second.site, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(second.site), std::move(where)});
  addScopeNote(finding, second.site, second.writes ? "the later write" : "the later read");

  bool inScope = outsideScope(first.site) != first.site;
  Pipe firstPipe = pipeOf(first.slot);
  const char *what = inScope                                              ? "vector scope"
                     : firstPipe == Pipe::S                               ? "scalar access"
                     : firstPipe >= Pipe::MTE1 && firstPipe <= Pipe::MTE3 ? "transfer"
                                                                          : "instruction";
  std::string because =
      std::string(first.writes ? "the write" : "the read") + " is issued here on " + pipeName(first);
  if (std::string text = iterationText(first.site, log.iterations(first.slot, first.ordinal)); !text.empty())
    because += ", " + text;
  if (first.slot == second.slot)
    because +=
        "; a later instruction of " + pipeName(first) + " may take effect before this " + what + " has ended";
  else
    because +=
        "; " + pipeName(second) + " may start before the " + what + " of " + pipeName(first) + " has ended";
  finding.notes.push_back({sites.placeOf(first.site), std::move(because)});
  addScopeNote(finding, first.site, first.writes ? "the earlier write" : "the earlier read");

  describeOrder(finding, first, second);
  emit(*entry, std::move(finding));
}

void Reporter::orderDependent(SiteId first, const Instr &second, const ReportBytes &bytes) {
  // Which of the two comes first depends on the schedule; the report does not.
  SiteId upper = std::min(first, second.site), lower = std::max(first, second.site);
  Seen *entry = firstTime(OrderDependent, upper, lower);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[OrderDependent], sites.placeOf(lower),
                                opText(sites, lower) + " adds floats to " + spaceText(bytes) + " bytes to which " +
                                    opText(sites, upper) + " may add before or after it, and the rounding differs");
  finding.bytes = rangeOf(bytes);
  finding.notes.push_back({sites.placeOf(lower), bytesText(bytes)});
  finding.notes.push_back({sites.placeOf(upper), "the other sum is formed here"});
  finding.help = "add `pto.pipe_barrier \"" + std::string(nameOf(second.pipe)) + "\"` before " +
                 placeText(sites.placeOf(lower)) + ", or ignore this if the last bits do not matter";
  emit(*entry, std::move(finding));
}

/// The lines that add the missing order. Set and wait stand apart only when
/// both places execute equally often, the first one above the second; else the
/// pair goes before the second place, which is balanced wherever that is.
void Reporter::describeOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const {
  SiteId firstSite = outsideScope(first.site), secondSite = outsideScope(second.site);
  Place before = sites.placeOf(secondSite), after = sites.placeOf(firstSite);
  std::string src(nameOf(pipeOf(first.slot))), dst(nameOf(pipeOf(second.slot)));
  if (coreOf(first.slot).index != coreOf(second.slot).index)
    return describeCoreOrder(finding, first, second);
  if (first.slot == second.slot) {
    std::string line = sites.isCpp() ? "pipe_barrier(" + src + ");" : "pto.pipe_barrier \"" + src + "\"";
    finding.help = "add " + quoted(line) + " before " + placeText(before);
    finding.edits.push_back({before, false, std::move(line)});
    return;
  }
  int64_t id = order.freeEventId(coreOf(first.slot), pipeOf(first.slot), pipeOf(second.slot));
  if (id < 0) {
    std::string all = sites.isCpp() ? "pipe_barrier(PIPE_ALL);" : "pto.barrier #pto.pipe<PIPE_ALL>";
    finding.help =
        "order " + src + " before " + dst + " between " + placeText(after) + " and " + placeText(before) +
        " with a flag; all " + std::to_string(kEventIds) +
        " event ids of this pair are in use, so reuse one whose wait comes before, or add " + quoted(all) +
        " before " + placeText(before);
    finding.edits.push_back({before, false, std::move(all)});
    return;
  }
  std::string event = "EVENT_ID" + std::to_string(id);
  std::string operands = sites.isCpp() ? "(" + src + ", " + dst + ", " + event + ");"
                                       : "[\"" + src + "\", \"" + dst + "\", \"" + event + "\"]";
  std::string prefix = sites.isCpp() ? "" : "pto.";
  std::string set = prefix + "set_flag" + operands, wait = prefix + "wait_flag" + operands;
  auto loopOf = [&](SiteId site) { return site < sites.size() ? sites[site].loop : kNoSite; };
  // An instruction may span lines: what goes behind it stands before the next one.
  Place behind = firstSite < sites.size() ? sites[firstSite].next : Place{};
  bool apart = behind.line > after.line && behind.line <= before.line && firstSite == first.site && firstSite != secondSite &&
               loopOf(firstSite) == loopOf(secondSite) && after.file == before.file &&
               after.line < before.line &&
               log.iterations(first.slot, first.ordinal) == log.iterations(second.slot, second.ordinal);
  std::string free = " (EVENT_ID" + std::to_string(id) + " is free for this pair)";
  if (apart) {
    finding.help = "add " + quoted(set) + " before " + placeText(behind) + " and " + quoted(wait) + " before " +
                   placeText(before) + free;
    finding.edits.push_back({behind, false, std::move(set)});
    finding.edits.push_back({before, false, std::move(wait)});
    return;
  }
  finding.help = "before " + placeText(before) + " add " + quoted(set) + " and then " + quoted(wait) + free;
  finding.edits.push_back({before, false, std::move(set)});
  finding.edits.push_back({before, false, std::move(wait)});
}

/// The semaphore that orders two cores of a cluster, and the lines that use it.
void Reporter::describeCoreOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const {
  CoreId from = coreOf(first.slot), to = coreOf(second.slot);
  SiteId firstSite = outsideScope(first.site), secondSite = outsideScope(second.site);
  Place after = sites.placeOf(firstSite), before = sites.placeOf(secondSite);
  if (from.index != 0 && to.index != 0) {
    finding.help = "vector cores have no semaphores between them: let " + coreText(from) +
                   " signal AIC after " + placeText(after) + " and AIC signal " + coreText(to) + " before " +
                   placeText(before) + ", or keep their parts of " +
                   (finding.bytes && finding.bytes->space == "gm" ? "GM" : "the memory") + " apart";
    return;
  }
  int64_t id = order.freeSemaphore(from, to);
  if (id < 0) {
    finding.help = "signal " + coreText(to) + " from " + coreText(from) + " after " + placeText(after) +
                   " and wait before " + placeText(before) +
                   "; all semaphores between them are in use, so reuse one whose wait comes before";
    return;
  }
  if (!order.pipeSemaphores()) {
    finding.help = "signal id " + std::to_string(id) + " with `pto.set_cross_core` on " + coreText(from) +
                   (to.index == 0 ? " and the other vector core" : "") + " after " + placeText(after) +
                   " and add `pto.wait_flag_dev` of that id on " + coreText(to) + " before " +
                   placeText(before) + " (id " + std::to_string(id) + " is free)";
    return;
  }
  // The cube core names what belongs to AIV1 with an offset of 16.
  int64_t setId = id + (to.index == 2 ? 16 : 0), waitId = id + (from.index == 2 ? 16 : 0);
  Pipe firstPipe = pipeOf(first.slot), secondPipe = pipeOf(second.slot);
  Pipe setPipe = settingPipe(from), waitPipe = waitingPipe(secondPipe, to);
  auto line = [](const char *op, Pipe pipe, int64_t number) {
    return std::string(op) + " <" + std::string(nameOf(pipe)) + ">, " + std::to_string(number);
  };
  std::string set = line("pto.sync.set", setPipe, setId), wait = line("pto.sync.wait", waitPipe, waitId);
  auto flag = [](Pipe src, Pipe dst) {
    return "a flag " + std::string(nameOf(src)) + " -> " + std::string(nameOf(dst));
  };
  finding.help = "add " + quoted(set) + " on " + coreText(from) + " after " + placeText(after) +
                 (firstPipe == setPipe ? "" : ", behind " + flag(firstPipe, setPipe)) + ", and " +
                 quoted(wait) + " on " + coreText(to) + " before " + placeText(before) +
                 (secondPipe == waitPipe ? "" : ", followed by " + flag(waitPipe, secondPipe)) +
                 " (semaphore " + std::to_string(waitId) + " of " + coreText(to) + " is free)";
  // Both vector cores run the same lines: the cube core signals both of them.
  // In loops the lines may not run equally often, so nothing is offered there.
  auto inLoop = [&](SiteId site) { return site < sites.size() && sites[site].loop != kNoSite; };
  if (firstPipe != setPipe || secondPipe != waitPipe || inLoop(firstSite) || inLoop(secondSite) ||
      after.file.empty() || before.file.empty())
    return;
  if (from.index == 0) {
    finding.edits.push_back({after, true, line("pto.sync.set", setPipe, id)});
    finding.edits.push_back({after, true, line("pto.sync.set", setPipe, id + 16)});
  } else {
    finding.edits.push_back({after, true, set});
  }
  finding.edits.push_back({before, false, wait});
}

void Reporter::scopeRace(const Instr &scope, const ScopeConflict &first, SiteId second,
                         AccessClass secondClass) {
  Seen *entry = firstTime(RaceScope, first.first, second);
  if (!entry)
    return;
  bool firstWrites = first.firstClass == VectorStore || first.firstClass == ScalarStore;
  bool secondWrites = secondClass == VectorStore || secondClass == ScalarStore;
  std::string kind(nameOf(fenceFor(first.firstClass, secondClass)));
  std::string message = opText(sites, second) + (secondWrites ? " writes" : " reads") + " UB bytes that " +
                        opText(sites, first.first) + " of the same vector scope may not have " +
                        (firstWrites ? "written" : "read") + " yet: no " + kind + " fence between them";
  Finding finding = makeFinding(kCodes[RaceScope], sites.placeOf(second), std::move(message));
  ReportBytes bytes{Space::Ub, nullptr, first.begin, first.end};
  finding.bytes = rangeOf(bytes);
  Slot slot = slotOf(scope.core, scope.pipe);
  finding.iterations = log.iterations(slot, scope.ordinal);
  std::string where = bytesText(bytes);
  if (std::string text = iterationText(second, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(second), std::move(where)});
  finding.notes.push_back({sites.placeOf(first.first),
                           std::string("the earlier ") + (firstWrites ? "store" : "load") + " is here"});
  finding.notes.push_back(
      {sites.placeOf(scope.site), "both belong to one execution of the vector scope that starts here"});
  std::string line = "pto.mem_bar \"" + kind + "\"";
  finding.help = "add " + quoted(line) + " before " + placeText(sites.placeOf(second));
  finding.edits.push_back({sites.placeOf(second), false, std::move(line)});
  emit(*entry, std::move(finding));
}

void Reporter::undefinedUse(const Instr &scope, SiteId site, uint32_t operand, unsigned firstByte,
                            unsigned undefined, SiteId broughtBy) {
  Seen *entry = firstTime(InitRead, site, operand);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[InitRead], sites.placeOf(site),
                                "operand " + std::to_string(operand) + " of " + opText(sites, site) +
                                    " holds bytes nobody wrote, in an active lane");
  finding.iterations = log.iterations(slotOf(scope.core, scope.pipe), scope.ordinal);
  std::string where = count(undefined, "undefined byte") + " in active lanes, the first is byte " +
                      std::to_string(firstByte) + " of the register";
  if (std::string text = iterationText(site, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(site), std::move(where)});
  if (broughtBy != kNoSite)
    finding.notes.push_back({sites.placeOf(broughtBy), "the undefined bytes were loaded here"});
  finding.help = "write the bytes before the load, pad the transfer, or mask the lanes";
  emit(*entry, std::move(finding));
}

void Reporter::undefinedDirect(const Instr &instr, const ReportBytes &bytes, uint64_t undefined) {
  Seen *entry = firstTime(InitRead, instr.site, kNoSite);
  if (!entry)
    return;
  Finding finding =
      makeFinding(kCodes[InitRead], sites.placeOf(instr.site),
                  opText(sites, instr.site) + " computes with " + spaceText(bytes) + " bytes nobody wrote");
  finding.bytes = rangeOf(bytes);
  finding.iterations = log.iterations(slotOf(instr.core, instr.pipe), instr.ordinal);
  std::string where = bytesText(bytes) + ", " + std::to_string(undefined) + " of them undefined";
  if (std::string text = iterationText(instr.site, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(instr.site), std::move(where)});
  finding.help = "write or transfer the bytes before, and fill what is left of the last group";
  emit(*entry, std::move(finding));
}

void Reporter::undefinedScalar(const Instr &instr, SiteId site, const ReportBytes &bytes,
                               uint64_t undefined) {
  Seen *entry = firstTime(InitScalar, site, kNoSite);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[InitScalar], sites.placeOf(site),
                                opText(sites, site) + " reads " + spaceText(bytes) +
                                    (bytes.status ? ", which no instruction has written" : " bytes nobody wrote"));
  if (!bytes.status)
    finding.bytes = rangeOf(bytes);
  finding.iterations = log.iterations(slotOf(instr.core, instr.pipe), instr.ordinal);
  std::string where = bytesText(bytes) + (bytes.status ? " holds 0 when a block begins"
                                                       : ", " + std::to_string(undefined) + " of them undefined");
  if (std::string text = iterationText(site, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(site), std::move(where)});
  finding.help = bytes.status ? "read it after an instruction that writes it"
                              : "transfer or store the value before this load";
  emit(*entry, std::move(finding));
}

void Reporter::undefinedStore(const Instr &instr, const ReportBytes &bytes, uint64_t undefined,
                              uint64_t total) {
  Seen *entry = firstTime(InitStoreGm, instr.site, kNoSite);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[InitStoreGm], sites.placeOf(instr.site),
                                opText(sites, instr.site) + " carries bytes nobody wrote to GM");
  finding.bytes = rangeOf(bytes);
  finding.iterations = log.iterations(slotOf(instr.core, instr.pipe), instr.ordinal);
  std::string where = std::to_string(undefined) + " of " + count(total, "byte") +
                      " are undefined, the first at " + spaceText(bytes) + " byte " + hex(bytes.begin);
  if (std::string text = iterationText(instr.site, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(instr.site), std::move(where)});
  finding.help = "transfer only what was computed, or fill the rest before";
  emit(*entry, std::move(finding));
}

void Reporter::overflow(const Instr &set, const char *code, const std::string &what,
                        const std::string &waiter, uint64_t number) {
  Seen *entry = firstTime(Overflow, set.site, kNoSite);
  if (!entry)
    return;
  uint64_t waited = number - kCounterLimit - 1;
  Finding finding = makeFinding(code, sites.placeOf(set.site),
                                opText(sites, set.site) + " may raise " + what + " to " +
                                    std::to_string(kCounterLimit + 1) + "; its counter has 4 bits");
  finding.iterations = log.iterations(slotOf(set.core, set.pipe), set.ordinal);
  std::string waits =
      waited == 0 ? "no wait has" : "only " + count(waited, "wait") + (waited == 1 ? " has" : " have");
  std::string where =
      "this is set number " + std::to_string(number) + ", and " + waits + " to come before it";
  if (std::string text = iterationText(set.site, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(set.site), std::move(where)});
  finding.help = "let " + waiter + " wait for it once for every set, and signal back before it is set " +
                 std::to_string(kCounterLimit + 1) + " times more often than waited for";
  emit(*entry, std::move(finding));
}

} // namespace ptoscope
