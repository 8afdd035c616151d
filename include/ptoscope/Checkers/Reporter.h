//===- Reporter.h - findings of the race and init checks --------*- C++ -*-===//
//
// Turns conflicts into Findings: both places, the bytes, the iterations, the
// order that is missing and the lines that add it. One cause is one report: the
// key is (code, first site, second site); a repeat costs a lookup and no text.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_REPORTER_H
#define PTOSCOPE_CHECKERS_REPORTER_H

#include "ptoscope/Checkers/ScopeShadow.h"
#include "ptoscope/Checkers/VectorClock.h"
#include "ptoscope/Machine/Gm.h"
#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Support/Finding.h"

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ptoscope {

/// Bytes a report is about; for GM, addresses are device addresses.
struct ReportBytes {
  Space space;
  const GmObject *object;
  uint64_t begin, end;
  std::optional<StatusRegister> status = std::nullopt; ///< instead of bytes
};

/// Loop iterations of the instructions a report may still refer to: a ring of
/// the latest ones per pipe, so memory is constant.
class InstructionLog {
public:
  /// Called when the instruction is issued, or first seen; later calls for the
  /// same one change nothing.
  void note(Slot slot, const Instr &instr);
  /// Empty when the instruction is forgotten or stands in no loop.
  std::vector<int64_t> iterations(Slot slot, uint64_t ordinal) const;
  /// Its number in the order of issue, over all pipes; 0 when forgotten.
  uint64_t issueNumber(Slot slot, uint64_t ordinal) const;

private:
  static constexpr size_t kMaxDepth = 16, kFirstSize = 64, kLastSize = 4096; // powers of two
  /// Most loops nest no deeper; a record fills one line of the host's cache.
  static constexpr size_t kNearDepth = 5;
  struct Record {
    uint64_t ordinal = 0;
    uint64_t issue = 0;
    uint32_t depth = 0;
    std::array<int64_t, kNearDepth> iterations;
  };
  using Deep = std::array<int64_t, kMaxDepth - kNearDepth>;
  struct Log {
    std::vector<Record> ring;
    std::vector<Deep> deep; ///< beside `ring` once a deeper loop was seen
  };
  const Record *find(Slot slot, uint64_t ordinal) const;
  static void enlarge(Log &log);
  uint64_t issued = 0;
  std::array<Log, kClockSlots> logs;
};

struct RaceParty {
  Slot slot;
  uint64_t ordinal;
  SiteId site;
  bool writes;
};

class Reporter {
public:
  Reporter(const SiteTable &sites, const HappensBefore &order, FindingList &findings)
      : sites(sites), order(order), findings(findings) {}

  InstructionLog log;

  /// Nothing orders the two. The report has them in program order, whichever
  /// the schedule executed first.
  void race(RaceParty first, RaceParty second, const ReportBytes &bytes);
  /// Sums of floats meet, and nothing orders them.
  void orderDependent(SiteId first, const Instr &second, const ReportBytes &bytes);
  void scopeRace(const Instr &scope, const ScopeConflict &first, SiteId second, AccessClass secondClass);
  /// `broughtBy` is the load site the undefined bytes came from, if known.
  void undefinedUse(const Instr &scope, SiteId site, uint32_t operand, unsigned firstByte, unsigned undefined,
                    SiteId broughtBy);
  /// An instruction computes with bytes of UB itself.
  void undefinedDirect(const Instr &instr, const ReportBytes &bytes, uint64_t undefined);
  void undefinedScalar(const Instr &instr, SiteId site, const ReportBytes &bytes, uint64_t undefined);
  void undefinedStore(const Instr &instr, const ReportBytes &bytes, uint64_t undefined, uint64_t total);
  /// Set number `number` of a counter that holds kCounterLimit at most. `what`
  /// names it and `waiter` who has to wait.
  void overflow(const Instr &set, const char *code, const std::string &what, const std::string &waiter,
                uint64_t number);
  /// Hands the counts of repeats to the list of findings.
  void flushRepeats();

private:
  struct Seen {
    Finding finding; ///< what was added, to add its repeats
    uint64_t repeats = 0;
  };
  /// Null when the key was seen before (and counts it).
  Seen *firstTime(unsigned code, SiteId first, SiteId second);
  void emit(Seen &seen, Finding finding);
  void describeOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const;
  void describeCoreOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const;
  void addScopeNote(Finding &finding, SiteId site, const char *which) const;
  /// Where a line may stand that must come before the access of `site`.
  SiteId outsideScope(SiteId site) const;
  std::string iterationText(SiteId site, const std::vector<int64_t> &iterations) const;

  const SiteTable &sites;
  const HappensBefore &order;
  FindingList &findings;
  struct KeyHash {
    size_t operator()(const std::array<uint32_t, 3> &key) const {
      return (uint64_t(key[1]) * 0x9e3779b97f4a7c15u + key[2]) * 31 + key[0];
    }
  };
  std::unordered_map<std::array<uint32_t, 3>, Seen, KeyHash> seen;
  std::vector<Seen *> inOrder;
};

/// "AIC", "AIV0" or "AIV1".
std::string coreText(CoreId core);
/// "`pto.vlds`", or "an instruction" for an unknown site.
std::string opText(const SiteTable &sites, SiteId site);
/// "UB bytes 0x0000..0x00ff (256 bytes)", or the name of a status register; GM bytes
/// count from the parameter's start.
std::string bytesText(const ReportBytes &bytes);
/// "UB", "GM parameter `%arg0`".
std::string spaceText(const ReportBytes &bytes);
ByteRange rangeOf(const ReportBytes &bytes);

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_REPORTER_H
