//===- Reporter.cpp - findings of the race and init checks ----------------===//
//
// Messages hold only what is the same for every repeat of a cause (operations,
// pipes, memory), so that blocks that share a fault share a report; bytes and
// iterations of the first occurrence stand in the notes.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/Runtime.h"

#include <algorithm>
#include <cstdio>

namespace ptoscope {

namespace {

enum Code : unsigned {
  RaceRaw,
  RaceWar,
  RaceWaw,
  RaceScope,
  OrderDependent,
  InitRead,
  InitIndex,
  InitScalar,
  InitStoreGm,
  Overflow
};
constexpr const char *kCodes[] = {"race-raw",  "race-war",   "race-waw",    "race-scope",   "order-dependent",
                                  "init-read", "init-index", "init-scalar", "init-store-gm"};

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%04llx", static_cast<unsigned long long>(value));
  return text;
}

std::string count(uint64_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

unsigned coresOf(const RaceParty &a, const RaceParty &b) {
  return 1u << coreOf(a.slot).index | 1u << coreOf(b.slot).index;
}

} // namespace

std::string placeText(const Place &place) {
  return place.file.empty() ? "an unknown place" : place.file + ":" + std::to_string(place.line);
}

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

Reporter::Seen *Reporter::firstTime(unsigned code, SiteId first, SiteId second, unsigned cores) {
  auto [it, isNew] = seen.try_emplace({code, first, second});
  it->second.cores |= cores;
  if (isNew)
    return &it->second;
  ++it->second.repeats;
  return nullptr;
}

/// Core numbers as names, which sort alike.
static std::vector<std::string> coreNames(unsigned cores) {
  std::vector<std::string> names;
  for (uint8_t core = 0; core < kCoresPerBlock; ++core)
    if (cores >> core & 1)
      names.push_back(coreText({core}));
  return names;
}

void Reporter::emit(Seen &entry, Finding finding) {
  finding.cores = coreNames(entry.cores);
  entry.finding = finding;
  inOrder.push_back(&entry);
  findings.add(std::move(finding));
}

void Reporter::flushRepeats() {
  for (Seen *entry : inOrder)
    if (entry->repeats) {
      Finding repeat = entry->finding;
      repeat.cores = coreNames(entry->cores);
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

/// Loops around a site, outermost first; those of its scope come last.
std::vector<SiteId> Reporter::loopsAround(SiteId site) const {
  std::vector<SiteId> loops;
  auto climb = [&](SiteId from) {
    for (SiteId at = from < sites.size() ? sites[from].loop : kNoSite; at < sites.size() && loops.size() < 64;
         at = sites[at].loop)
      loops.push_back(at);
  };
  SiteId scope = outsideScope(site);
  if (scope != site)
    climb(site);
  climb(scope);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// "iteration 2 of the loop at add.pto:24", outermost first; empty outside loops.
std::string Reporter::iterationText(SiteId site, const std::vector<int64_t> &iterations) const {
  if (sites.isCpp())
    return iterations.empty() ? "" : executionText(iterations.front());
  std::vector<SiteId> loops = loopsAround(site);
  std::string text;
  for (size_t i = 0; i < std::min(loops.size(), iterations.size()); ++i) {
    text += i == 0 ? "iteration " : ", ";
    text += std::to_string(iterations[i]) + " of the loop at " + placeText(sites.placeOf(loops[i]));
  }
  if (text.empty() && !iterations.empty()) {
    for (size_t i = 0; i < iterations.size(); ++i)
      text += (i ? ", " : "iteration ") + std::to_string(iterations[i]);
  }
  return text;
}

std::optional<std::vector<int64_t>> Reporter::scopeTurns(const Instr &instr, SiteId site) const {
  if (!instr.scopeIterations || site >= sites.size())
    return std::nullopt;
  uint32_t depth = std::min<uint32_t>(sites[site].depth, PTO_MAX_LOOP_DEPTH);
  return std::vector<int64_t>(instr.scopeIterations, instr.scopeIterations + depth);
}

std::optional<std::vector<int64_t>> Reporter::loggedTurns(SiteId site, const ScopeLog::Turns *turns) const {
  uint32_t depth = site < sites.size() ? sites[site].depth : 0;
  if (!turns || depth > ScopeLog::kMaxDepth)
    return std::nullopt;
  return std::vector<int64_t>(turns->begin(), turns->begin() + depth);
}

/// Turns of the loops around an access: those of the scalar unit and, if they are
/// known, those of the scope.
std::vector<int64_t> Reporter::iterationsOf(Slot slot, uint64_t ordinal, SiteId site,
                                            std::optional<std::vector<int64_t>> inScope) const {
  std::vector<int64_t> all = log.iterations(slot, ordinal);
  SiteId scope = outsideScope(site);
  bool outerKnown = !all.empty() || scope >= sites.size() || sites[scope].loop >= sites.size();
  if (scope != site && outerKnown && inScope)
    all.insert(all.end(), inScope->begin(), inScope->end());
  return all;
}

/// Turns of the loops around an access of `site` that is made now.
std::vector<int64_t> Reporter::iterationsNow(const Instr &instr, SiteId site) const {
  return iterationsOf(slotOf(instr.core, instr.pipe), instr.ordinal, site, scopeTurns(instr, site));
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
  Seen *entry = firstTime(code, first.site, second.site, coresOf(first, second));
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
  // Of accesses in a scope's loop the first byte decides; a longer run of bytes
  // belongs to several turns.
  auto turns = [&](const RaceParty &party) {
    const ScopeLog &scopes = scopeLogs[coreOf(party.slot).index];
    return iterationsOf(party.slot, party.ordinal, party.site,
                        party.inScope
                            ? party.inScope
                            : loggedTurns(party.site, scopes.byPlace(party.ordinal, party.site, bytes.begin)));
  };
  auto turnsText = [&](const RaceParty &party, const std::vector<int64_t> &iterations) {
    std::string text = iterationText(party.site, iterations);
    bool scopeTurn = iterations.size() > loopsAround(outsideScope(party.site)).size();
    if (!text.empty())
      text = ", " + text + (scopeTurn && bytes.end - bytes.begin > kVectorBytes ? " for the first of them" : "");
    return text;
  };
  finding.iterations = turns(second);
  finding.otherIterations = turns(first);

  std::string where = bytesText(bytes) + turnsText(second, finding.iterations);
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
  because += turnsText(first, finding.otherIterations);
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

void Reporter::orderDependent(const RaceParty &first, const RaceParty &second, const ReportBytes &bytes) {
  // Which of the two comes first depends on the schedule; the report does not.
  bool swapped = first.site > second.site;
  const RaceParty &early = swapped ? second : first, &late = swapped ? first : second;
  Seen *entry = firstTime(OrderDependent, early.site, late.site, coresOf(early, late));
  if (!entry)
    return;
  Finding finding =
      makeFinding(kCodes[OrderDependent], sites.placeOf(late.site),
                  opText(sites, late.site) + " adds floats to " + spaceText(bytes) + " bytes to which " +
                      opText(sites, early.site) + " may add before or after it, and the rounding differs");
  finding.bytes = rangeOf(bytes);
  finding.iterations = log.iterations(late.slot, late.ordinal);
  finding.otherIterations = log.iterations(early.slot, early.ordinal);
  auto turn = [&](SiteId site, const std::vector<int64_t> &iterations) {
    std::string text = iterationText(site, iterations);
    return text.empty() ? text : ", " + text;
  };
  finding.notes.push_back({sites.placeOf(late.site), bytesText(bytes) + turn(late.site, finding.iterations)});
  finding.notes.push_back({sites.placeOf(early.site), "the other sum is formed here, on " +
                                                          std::string(nameOf(pipeOf(early.slot))) +
                                                          turn(early.site, finding.otherIterations)});
  describeOrder(finding, early, late);
  finding.help += ", or ignore this if the last bits do not matter";
  emit(*entry, std::move(finding));
}

void Reporter::scopeRace(const Instr &scope, const ScopeConflict &first, SiteId second,
                         AccessClass secondClass) {
  Seen *entry = firstTime(RaceScope, first.first, second, 1u << scope.core.index);
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
  finding.iterations = iterationsNow(scope, second);
  finding.otherIterations =
      iterationsOf(slotOf(scope.core, scope.pipe), scope.ordinal, first.first,
                   loggedTurns(first.first, scopeLogs[scope.core.index].byNumber(scope.ordinal, first.number)));
  std::string where = bytesText(bytes);
  if (std::string text = iterationText(second, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(second), std::move(where)});
  std::string earlier = std::string("the earlier ") + (firstWrites ? "store" : "load") + " is here";
  if (std::string text = iterationText(first.first, finding.otherIterations); !text.empty())
    earlier += ", " + text;
  finding.notes.push_back({sites.placeOf(first.first), std::move(earlier)});
  finding.notes.push_back(
      {sites.placeOf(scope.site), "both belong to one execution of the vector scope that starts here"});
  describeFence(finding, second, kind);
  emit(*entry, std::move(finding));
}

void Reporter::undefinedUse(const Instr &scope, SiteId site, uint32_t operand, bool isIndex, unsigned firstByte,
                            unsigned undefined, SiteId broughtBy) {
  Code code = isIndex ? InitIndex : InitRead;
  Seen *entry = firstTime(code, site, operand, 1u << scope.core.index);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[code], sites.placeOf(site),
                                "operand " + std::to_string(operand) + " of " + opText(sites, site) +
                                    (isIndex ? ", the index," : "") +
                                    " holds bytes nobody wrote, in an active lane");
  finding.iterations = iterationsNow(scope, site);
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
  Seen *entry = firstTime(InitRead, instr.site, kNoSite, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding =
      makeFinding(kCodes[InitRead], sites.placeOf(instr.site),
                  opText(sites, instr.site) + " computes with " + spaceText(bytes) + " bytes nobody wrote");
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, instr.site);
  std::string where = bytesText(bytes) + ", " + std::to_string(undefined) + " of them undefined";
  if (std::string text = iterationText(instr.site, finding.iterations); !text.empty())
    where += ", " + text;
  finding.notes.push_back({sites.placeOf(instr.site), std::move(where)});
  finding.help = "write or transfer the bytes before, and fill what is left of the last group";
  emit(*entry, std::move(finding));
}

void Reporter::undefinedScalar(const Instr &instr, SiteId site, const ReportBytes &bytes,
                               uint64_t undefined) {
  Seen *entry = firstTime(InitScalar, site, kNoSite, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[InitScalar], sites.placeOf(site),
                                opText(sites, site) + " reads " + spaceText(bytes) +
                                    (bytes.status ? ", which no instruction has written" : " bytes nobody wrote"));
  if (!bytes.status)
    finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, site);
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
  Seen *entry = firstTime(InitStoreGm, instr.site, kNoSite, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[InitStoreGm], sites.placeOf(instr.site),
                                opText(sites, instr.site) + " carries bytes nobody wrote to GM");
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, instr.site);
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
  Seen *entry = firstTime(Overflow, set.site, kNoSite, 1u << set.core.index);
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
