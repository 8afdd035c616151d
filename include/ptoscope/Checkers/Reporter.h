//===- Reporter.h - findings of the race and init checks --------*- C++ -*-===//
//
// Turns conflicts into Findings: both places, the bytes, the iterations, the
// order that is missing and the lines that add it. One cause is one report: the
// key is (code, first site, second site); a repeat costs a lookup and no text.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_REPORTER_H
#define PTOSCOPE_CHECKERS_REPORTER_H

#include "ptoscope/Checkers/CacheLines.h"
#include "ptoscope/Checkers/InstructionLog.h"
#include "ptoscope/Checkers/ScopeShadow.h"
#include "ptoscope/Checkers/StorageShadow.h"
#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Gm.h"
#include "ptoscope/Machine/Words.h"
#include "ptoscope/Support/Finding.h"

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ptoscope {

struct FlagSlip;

/// Bytes a report is about; for GM, addresses are device addresses.
struct ReportBytes {
  Space space;
  const GmObject *object;
  uint64_t begin, end;
  std::optional<StatusRegister> status = std::nullopt; ///< instead of bytes
};

struct RaceParty {
  Slot slot;
  uint64_t ordinal;
  SiteId site;
  bool writes;
  /// Turns of the scope's loops, for an access that is made now.
  std::optional<std::vector<int64_t>> inScope = std::nullopt;
};

/// Undefined bytes that an instruction reads.
struct Undefined {
  uint64_t count = 0, first = 0;
  SiteId clobberer = kNoSite; ///< who left some of them undefined
  SiteId writer = kNoSite;    ///< who copied or stored the first of them
  bool neverWritten = false;  ///< that one
};

class Reporter {
public:
  Reporter(const SiteTable &sites, const Profile &profile, const HappensBefore &order, FindingList &findings)
      : sites(sites), words(&sites), profile(profile), order(order), findings(&findings) {}
  /// As it was made, for another block.
  void reset(FindingList &newFindings) {
    log.reset();
    for (ScopeLog &scopeLog : scopeLogs)
      scopeLog.reset();
    seen.clear();
    inOrder.clear();
    findings = &newFindings;
  }
  bool isCpp() const { return sites.isCpp(); }

  InstructionLog log;
  std::array<ScopeLog, kCoresPerBlock> scopeLogs;

  /// Nothing orders the two. The report has them in program order, whichever
  /// the schedule executed first.
  void race(RaceParty first, RaceParty second, const ReportBytes &bytes);
  /// The same for two atomic sums of floats.
  void orderDependent(const RaceParty &first, const RaceParty &second, const ReportBytes &bytes);
  void scopeRace(const Instr &scope, const ScopeConflict &first, const LocalAccess &second);
  /// `broughtBy` is the load site the undefined bytes came from, if known, and
  /// `clobberer` who left those undefined. `neverWritten`: no load of the scope
  /// brought bytes that had been written.
  void undefinedUse(const Instr &scope, SiteId site, const RegisterUse &use, unsigned firstByte, unsigned undefined,
                    SiteId broughtBy, SiteId clobberer, bool neverWritten);
  /// An instruction computes with bytes of UB itself.
  void undefinedDirect(const Instr &instr, const ReportBytes &bytes, const Undefined &undefined);
  void undefinedScalar(const Instr &instr, SiteId site, const ReportBytes &bytes, const Undefined &undefined);
  void undefinedStore(const Instr &instr, const ReportBytes &bytes, const Undefined &undefined, uint64_t total);
  /// An instruction reads bytes of a storage that another storage has taken.
  void clobbered(const Instr &instr, Space space, const StorageShadow::Loss &loss);
  /// The scalar unit loads what its cache held before memory changed.
  void staleLine(const Instr &instr, SiteId site, const GmObject *object, const CacheLines::Stale &stale);
  /// Set number `number` of a counter that holds kCounterLimit at most. `what`
  /// names it and `waiter` who has to wait.
  void overflow(const Instr &set, const char *code, const std::string &what, std::string_view waiter, uint64_t number);
  /// Turns of the loops of a running scope around `site`, as they stand now.
  std::optional<std::vector<int64_t>> scopeTurns(const Instr &instr, SiteId site) const;
  /// Hands the counts of repeats to the list of findings.
  void flushRepeats();

private:
  struct Seen {
    Finding finding; ///< what was added, to add its repeats
    uint64_t repeats = 0;
    unsigned cores = 0; ///< bit per core that showed it
  };
  /// Null when the key was seen before (and counts it).
  Seen *firstTime(unsigned code, SiteId first, SiteId second, unsigned cores);
  void emit(Seen &seen, Finding finding);
  void describeOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const;
  void describeSlip(Finding &finding, const FlagSlip &slip, SiteId secondSite) const;
  void describeOverlap(Finding &finding, const RaceParty &first, const RaceParty &second,
                       const ReportBytes &bytes) const;
  /// The same for accesses of one scope.
  void describeScopeOverlap(Finding &finding, const Instr &scope, const ScopeConflict &first,
                            const LocalAccess &second) const;
  void proposeFlags(Finding &finding, CoreId core, Pipe pipe, SiteId before) const;
  void describeCoreOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const;
  /// Names a semaphore that `from` sets for `to` and that nothing waits for. False: there is none.
  bool describeLostSemaphore(Finding &finding, CoreId from, CoreId to, Pipe pipe, SiteId before) const;
  bool areInOneBlock(SiteId a, SiteId b) const;
  void describeUnheard(Finding &finding, const Instr &instr) const;
  void describeSignals(Finding &finding, const RaceParty &first, const RaceParty &second) const;
  /// "bytes that were never written", or who left them undefined.
  std::string undefinedText(SiteId clobberer, bool neverWritten) const;
  std::string undefinedText(const Undefined &undefined) const {
    return undefinedText(undefined.clobberer, undefined.neverWritten);
  }
  /// Says where the bytes became undefined, and what to do about it.
  void describeClobberer(Finding &finding, SiteId clobberer) const;
  /// The same, or who wrote undefined bytes.
  void describeOrigin(Finding &finding, const Undefined &undefined) const;
  void describeFence(Finding &finding, SiteId second, Fence fence) const;
  void addScopeNote(Finding &finding, SiteId site, const char *which, bool writes) const;
  /// Where a line may stand that must come before the access of `site`.
  SiteId outsideScope(SiteId site) const;
  std::optional<std::vector<int64_t>> loggedTurns(SiteId site, const ScopeLog::Turns *turns) const;
  std::vector<SiteId> loopsAround(SiteId site) const;
  std::vector<int64_t> iterationsOf(Slot slot, uint64_t ordinal, SiteId site,
                                    std::optional<std::vector<int64_t>> inScope) const;
  std::vector<int64_t> iterationsNow(const Instr &instr, SiteId site) const;
  std::string iterationText(SiteId site, const std::vector<int64_t> &iterations) const;

  const SiteTable &sites;
  Words words;
  const Profile &profile;
  const HappensBefore &order;
  FindingList *findings;
  struct KeyHash {
    size_t operator()(const std::array<uint32_t, 3> &key) const {
      return (uint64_t(key[1]) * 0x9e3779b97f4a7c15u + key[2]) * 31 + key[0];
    }
  };
  std::unordered_map<std::array<uint32_t, 3>, Seen, KeyHash> seen;
  std::vector<Seen *> inOrder;
};

/// "UB bytes 0x0000..0x00ff (256 bytes)", or the name of a status register; GM bytes
/// count from the parameter's start.
std::string bytesText(const ReportBytes &bytes);
/// "UB", "GM parameter `%arg0`".
std::string spaceText(const ReportBytes &bytes);
ByteRange rangeOf(const ReportBytes &bytes);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_REPORTER_H
