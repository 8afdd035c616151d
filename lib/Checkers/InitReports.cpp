//===- InitReports.cpp - findings of the init check, and of counters ------===//

#include "ReportText.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/Runtime.h"

namespace ptoscope {

std::string Reporter::undefinedText(SiteId clobberer, bool neverWritten) const {
  if (clobberer != kNoSite)
    return "bytes that " + opText(sites, clobberer) + " left undefined";
  return neverWritten ? "bytes nobody wrote" : "undefined bytes";
}

void Reporter::describeClobberer(Finding &finding, SiteId clobberer) const {
  if (clobberer == kNoSite)
    return;
  finding.notes.push_back({sites.placeOf(clobberer), "they had been written, and are undefined since " +
                                                         opText(sites, clobberer) + " here"});
  finding.help = "write the bytes again after " + placeText(sites.placeOf(clobberer)) +
                 ", or keep them where this instruction does not touch them";
}

void Reporter::undefinedUse(const Instr &scope, SiteId site, uint32_t operand, bool isIndex, unsigned firstByte,
                            unsigned undefined, SiteId broughtBy, SiteId clobberer,
                            bool neverWritten) {
  Code code = clobberer != kNoSite ? InitClobbered : isIndex ? InitIndex : InitRead;
  Seen *entry = firstTime(code, site, operand, 1u << scope.core.index);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[code], sites.placeOf(site),
                                "operand " + std::to_string(operand) + " of " + opText(sites, site) +
                                    (isIndex ? ", the index," : "") +
                                    " holds " + undefinedText(clobberer, neverWritten) + ", in an active lane");
  finding.iterations = iterationsNow(scope, site);
  std::string where = countText(undefined, "undefined byte") + " in active lanes, the first is byte " +
                      std::to_string(firstByte) + " of the register";
  where += iterationText(site, finding.iterations);
  finding.notes.push_back({sites.placeOf(site), std::move(where)});
  if (broughtBy != kNoSite)
    finding.notes.push_back({sites.placeOf(broughtBy), "the undefined bytes were loaded here"});
  finding.help = "write the bytes before the load, pad the transfer, or mask the lanes";
  describeClobberer(finding, clobberer);
  emit(*entry, std::move(finding));
}

void Reporter::undefinedDirect(const Instr &instr, const ReportBytes &bytes, const Undefined &undefined) {
  Code code = undefined.clobberer != kNoSite ? InitClobbered : InitRead;
  Seen *entry = firstTime(code, instr.site, undefined.clobberer, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding =
      makeFinding(kCodes[code], sites.placeOf(instr.site),
                  opText(sites, instr.site) + " computes with " + spaceText(bytes) + " " + undefinedText(undefined.clobberer));
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, instr.site);
  std::string where = bytesText(bytes) + ", " + std::to_string(undefined.count) + " of them undefined";
  where += iterationText(instr.site, finding.iterations);
  finding.notes.push_back({sites.placeOf(instr.site), std::move(where)});
  finding.help = "write or transfer the bytes before, and fill what is left of the last group";
  describeClobberer(finding, undefined.clobberer);
  emit(*entry, std::move(finding));
}

void Reporter::undefinedScalar(const Instr &instr, SiteId site, const ReportBytes &bytes,
                               const Undefined &undefined) {
  Code code = undefined.clobberer != kNoSite ? InitClobbered : InitScalar;
  Seen *entry = firstTime(code, site, undefined.clobberer, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[code], sites.placeOf(site),
                                opText(sites, site) + " reads " + spaceText(bytes) +
                                    (bytes.status ? ", which no instruction has written"
                                                  : " " + undefinedText(undefined.clobberer)));
  if (!bytes.status)
    finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, site);
  std::string where = bytesText(bytes) + (bytes.status ? " holds 0 when a block begins"
                                                       : ", " + std::to_string(undefined.count) + " of them undefined");
  where += iterationText(site, finding.iterations);
  finding.notes.push_back({sites.placeOf(site), std::move(where)});
  finding.help = bytes.status ? "read it after an instruction that writes it"
                              : "transfer or store the value before this load";
  describeClobberer(finding, undefined.clobberer);
  emit(*entry, std::move(finding));
}

void Reporter::undefinedStore(const Instr &instr, const ReportBytes &bytes, const Undefined &undefined,
                              uint64_t total) {
  Seen *entry = firstTime(InitStoreGm, instr.site, kNoSite, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding = makeFinding(kCodes[InitStoreGm], sites.placeOf(instr.site),
                                opText(sites, instr.site) + " carries " + undefinedText(undefined.clobberer) + " to GM");
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, instr.site);
  std::string where = std::to_string(undefined.count) + " of " + countText(total, "byte") +
                      " are undefined, the first at " + spaceText(bytes) + " byte " + hexText(bytes.begin);
  where += iterationText(instr.site, finding.iterations);
  finding.notes.push_back({sites.placeOf(instr.site), std::move(where)});
  finding.help = "transfer only what was computed, or fill the rest before";
  describeClobberer(finding, undefined.clobberer);
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
      waited == 0 ? "no wait has" : "only " + countText(waited, "wait") + (waited == 1 ? " has" : " have");
  std::string where =
      "this is set number " + std::to_string(number) + ", and " + waits + " to come before it";
  where += iterationText(set.site, finding.iterations);
  finding.notes.push_back({sites.placeOf(set.site), std::move(where)});
  finding.help = "let " + waiter + " wait for it once for every set, and signal back before it is set " +
                 std::to_string(kCounterLimit + 1) + " times more often than waited for";
  emit(*entry, std::move(finding));
}

} // namespace ptoscope
