//===- RaceReports.cpp - findings of the race check -----------------------===//

#include "ReportText.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/Remedies.h"

#include <algorithm>
#include <utility>

namespace ptoscope {

namespace {
unsigned coresOf(const RaceParty &a, const RaceParty &b) {
  return 1u << coreOf(a.slot).index | 1u << coreOf(b.slot).index;
}
} // namespace

void Reporter::race(RaceParty first, RaceParty second, const ReportBytes &bytes) {
  // Schedules execute in other orders than the program's; the report, its kind
  // and its repair follow the program.
  uint64_t firstIssue = log.issueNumber(first.slot, first.ordinal);
  uint64_t secondIssue = log.issueNumber(second.slot, second.ordinal);
  // Of accesses in a scope's loop the first byte decides; a longer run of bytes
  // belongs to several turns.
  auto turns = [&](const RaceParty &party) {
    const ScopeLog &scopes = scopeLogs[coreOf(party.slot).index];
    return iterationsOf(party.slot, party.ordinal, party.site,
                        party.inScope
                            ? party.inScope
                            : loggedTurns(party.site, scopes.byPlace(party.ordinal, party.site, bytes.begin)));
  };
  const bool sameCore = coreOf(first.slot).index == coreOf(second.slot).index;
  bool swapped = first.slot == second.slot ? first.ordinal > second.ordinal
                                           : firstIssue && secondIssue && firstIssue > secondIssue;
  // Loops of two cores that go through the same tiles: what a later turn does comes later.
  std::vector<int64_t> firstTurns, secondTurns;
  if (!sameCore) {
    firstTurns = turns(first), secondTurns = turns(second);
    if (firstTurns.size() == secondTurns.size() && firstTurns != secondTurns)
      swapped = firstTurns > secondTurns;
  }
  if (swapped) {
    std::swap(first, second);
    std::swap(firstTurns, secondTurns);
  }
  Code code = !first.writes ? RaceWar : second.writes ? RaceWaw : RaceRaw;
  Seen *entry = firstTime(code, first.site, second.site, coresOf(first, second));
  if (!entry)
    return;

  auto pipeName = [&](const RaceParty &party) {
    std::string name(nameOf(pipeOf(party.slot)));
    return sameCore ? name : say::kOf(name, coreOf(party.slot));
  };
  Finding finding =
      words.finding(second.site, (bytes.status ? say::kRaceStatus : say::kRace)
                                     .as(kCodes[code])(pipeName(second), say::readsOrWrites(second.writes),
                                                       spaceText(bytes), words.opText(first.site), pipeName(first),
                                                       say::readingOrWriting(first.writes)));
  if (!bytes.status)
    finding.bytes = rangeOf(bytes);
  auto turnsText = [&](const RaceParty &party, const std::vector<int64_t> &iterations) {
    std::string text = iterationText(party.site, iterations);
    bool scopeTurn = iterations.size() > loopsAround(outsideScope(party.site)).size();
    if (!text.empty())
      text += scopeTurn && bytes.end - bytes.begin > kVectorBytes ? say::kForTheFirst() : "";
    return text;
  };
  finding.iterations = sameCore ? turns(second) : std::move(secondTurns);
  finding.otherIterations = sameCore ? turns(first) : std::move(firstTurns);

  std::string where = bytesText(bytes) + turnsText(second, finding.iterations);
  finding.notes.push_back({sites.placeOf(second.site), std::move(where)});
  addScopeNote(finding, second.site, "later", second.writes);

  bool inScope = outsideScope(first.site) != first.site;
  Pipe firstPipe = pipeOf(first.slot);
  const char *what = inScope                                              ? say::kScopeWork
                     : firstPipe == Pipe::S                               ? say::kScalarWork
                     : firstPipe >= Pipe::MTE1 && firstPipe <= Pipe::MTE3 ? say::kTransferWork
                                                                          : say::kOtherWork;
  std::string because =
      say::kIssuedHere(say::readOrWrite(first.writes), pipeName(first), turnsText(first, finding.otherIterations));
  because += first.slot == second.slot ? say::kOvertakes(pipeName(first), what)
                                       : say::kStartsEarly(pipeName(second), what, pipeName(first));
  finding.notes.push_back({sites.placeOf(first.site), std::move(because)});
  addScopeNote(finding, first.site, "earlier", first.writes);

  describeOrder(finding, first, second);
  describeOverlap(finding, first, second, bytes);
  emit(*entry, std::move(finding));
}

void Reporter::orderDependent(const RaceParty &first, const RaceParty &second, const ReportBytes &bytes) {
  // Which of the two comes first depends on the schedule; the report does not.
  bool swapped = first.site > second.site;
  const RaceParty &early = swapped ? second : first, &late = swapped ? first : second;
  Seen *entry = firstTime(OrderDependent, early.site, late.site, coresOf(early, late));
  if (!entry)
    return;
  Finding finding = words.finding(late.site, say::kSumsRounded(spaceText(bytes), words.opText(early.site)));
  finding.bytes = rangeOf(bytes);
  finding.iterations = log.iterations(late.slot, late.ordinal);
  finding.otherIterations = log.iterations(early.slot, early.ordinal);
  finding.notes.push_back({sites.placeOf(late.site), bytesText(bytes) + iterationText(late.site, finding.iterations)});
  finding.notes.push_back({sites.placeOf(early.site),
                           say::kOtherSum(pipeOf(early.slot), iterationText(early.site, finding.otherIterations))});
  describeOrder(finding, early, late);
  finding.help = say::kOrIgnore(finding.help);
  for (Remedy &remedy : finding.remedies)
    remedy.help = say::kOrIgnore(remedy.help);
  emit(*entry, std::move(finding));
}

void Reporter::describeScopeOverlap(Finding &finding, const Instr &scope, const ScopeConflict &first,
                                    const LocalAccess &second) const {
  const std::vector<int64_t> &now = finding.iterations, &then = finding.otherIterations;
  std::string cause, repair;
  std::optional<ByteHull> before = scopeLogs[scope.core.index].latestOf(scope.ordinal, second.site);
  ByteHull own{second.address, second.address + second.windowBytes};
  if (now.empty() || now.size() != then.size() || now == then || second.active)
    return;
  if (before && before->overlapsPartOf(own)) {
    cause = say::kStepTooSmall(second.windowBytes, before->begin, own.begin);
    repair = say::kWidenStep(finding.help);
  } else if (first.first != second.site && std::equal(now.begin(), now.end() - 1, then.begin()) &&
             (now.back() - then.back() > 1 || then.back() - now.back() > 1)) {
    cause = say::kTurnsMeet(then.back(), now.back());
    repair = say::kMoveBuffer(finding.help);
  } else {
    return;
  }
  nameCause(finding, sites.placeOf(second.site), cause);
  finding.help = repair;
  finding.remedies.clear();
  finding.missing.clear();
}

void Reporter::scopeRace(const Instr &scope, const ScopeConflict &first, const LocalAccess &access) {
  SiteId second = access.site;
  AccessClass secondClass = access.accessClass;
  Seen *entry = firstTime(RaceScope, first.first, second, 1u << scope.core.index);
  if (!entry)
    return;
  bool firstWrites = first.firstClass == VectorStore || first.firstClass == ScalarStore;
  bool secondWrites = secondClass == VectorStore || secondClass == ScalarStore;
  Fence fence = fenceFor(first.firstClass, secondClass);
  std::optional<std::vector<int64_t>> then =
      loggedTurns(first.first, scopeLogs[scope.core.index].byNumber(scope.ordinal, first.number));
  // An instruction that conflicts with itself in one turn stores rows: no fence can stand between them.
  const bool inLoop = second < sites.size() && sites[second].depth;
  const bool overlaps = firstWrites && secondWrites && first.first == second && !sites.isCpp() &&
                        (!inLoop || (then && then == scopeTurns(scope, second)));
  Finding finding =
      words.finding(second, overlaps ? say::kStoredRowsOverlap()
                                     : say::kScopeRace(say::readsOrWrites(secondWrites), words.opText(first.first),
                                                       firstWrites ? "written" : "read", nameOf(fence)));
  ReportBytes bytes{Space::Ub, nullptr, first.begin, first.end};
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(scope, second);
  finding.otherIterations = iterationsOf(slotOf(scope.core, scope.pipe), scope.ordinal, first.first, std::move(then));
  std::string where = bytesText(bytes);
  where += iterationText(second, finding.iterations);
  finding.notes.push_back({sites.placeOf(second), std::move(where)});
  if (overlaps)
    return emit(*entry, std::move(finding));
  finding.notes.push_back(
      {sites.placeOf(first.first),
       say::kEarlierInScope(firstWrites ? "store" : "load", iterationText(first.first, finding.otherIterations))});
  finding.notes.push_back({sites.placeOf(scope.site), say::kOneExecution()});
  describeFence(finding, second, fence);
  describeScopeOverlap(finding, scope, first, access);
  emit(*entry, std::move(finding));
}

} // namespace ptoscope
