//===- RaceReports.cpp - findings of the race check -----------------------===//

#include "ReportText.h"
#include "ptoscope/Checkers/Reporter.h"

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
      text += scopeTurn && bytes.end - bytes.begin > kVectorBytes ? " for the first of them" : "";
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
  Finding finding =
      makeFinding(kCodes[OrderDependent], sites.placeOf(late.site),
                  opText(sites, late.site) + " adds floats to " + spaceText(bytes) + " bytes to which " +
                      opText(sites, early.site) + " may add before or after it, and the rounding differs");
  finding.bytes = rangeOf(bytes);
  finding.iterations = log.iterations(late.slot, late.ordinal);
  finding.otherIterations = log.iterations(early.slot, early.ordinal);
  finding.notes.push_back({sites.placeOf(late.site), bytesText(bytes) + iterationText(late.site, finding.iterations)});
  finding.notes.push_back({sites.placeOf(early.site), "the other sum is formed here, on " +
                                                          std::string(nameOf(pipeOf(early.slot))) +
                                                          iterationText(early.site, finding.otherIterations)});
  describeOrder(finding, early, late);
  finding.help += ", or ignore this if the last bits do not matter";
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
    cause = "one turn touches " + std::to_string(second.windowBytes) + " bytes from " + hexText(before->begin) +
            ", the next begins at " + hexText(own.begin);
    repair = "make the step of the loop as large as what a turn touches";
  } else if (first.first != second.site && std::equal(now.begin(), now.end() - 1, then.begin()) &&
             (now.back() - then.back() > 1 || then.back() - now.back() > 1)) {
    cause = "two buffers overlap: turn " + std::to_string(then.back()) + " of one meets turn " +
            std::to_string(now.back()) + " of the other";
    repair = "move one of the two buffers";
  } else {
    return;
  }
  finding.notes.insert(finding.notes.begin(), {sites.placeOf(second.site), "likely cause: " + cause});
  finding.help = repair + "; if they are to share bytes, " + finding.help;
  finding.edits.clear();
}

void Reporter::scopeRace(const Instr &scope, const ScopeConflict &first, const LocalAccess &access) {
  SiteId second = access.site;
  AccessClass secondClass = access.accessClass;
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
  where += iterationText(second, finding.iterations);
  finding.notes.push_back({sites.placeOf(second), std::move(where)});
  std::string earlier = std::string("the earlier ") + (firstWrites ? "store" : "load") + " is here";
  earlier += iterationText(first.first, finding.otherIterations);
  finding.notes.push_back({sites.placeOf(first.first), std::move(earlier)});
  finding.notes.push_back(
      {sites.placeOf(scope.site), "both belong to one execution of the vector scope that starts here"});
  describeFence(finding, second, kind);
  describeScopeOverlap(finding, scope, first, access);
  emit(*entry, std::move(finding));
}

} // namespace ptoscope
