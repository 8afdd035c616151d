//===- InitReports.cpp - findings of the init check, and of counters ------===//

#include "ReportText.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/Runtime.h"

namespace ptoscope {

std::string Reporter::undefinedText(SiteId clobberer, bool neverWritten) const {
  if (clobberer != kNoSite)
    return say::kLeftUndefined(words.opText(clobberer));
  return (neverWritten ? say::kNeverWritten : say::kUndefinedBytes)();
}

void Reporter::describeClobberer(Finding &finding, SiteId clobberer) const {
  if (clobberer == kNoSite)
    return;
  finding.notes.push_back({sites.placeOf(clobberer), say::kClobberedHere(words.opText(clobberer))});
  finding.help = say::kWriteAgain(sites.placeOf(clobberer));
}

void Reporter::describeOrigin(Finding &finding, const Undefined &undefined) const {
  if (undefined.clobberer != kNoSite || undefined.writer == kNoSite)
    return describeClobberer(finding, undefined.clobberer);
  finding.notes.push_back({sites.placeOf(undefined.writer), say::kWrittenUndefined(words.opText(undefined.writer))});
  finding.help = say::kDefineBefore(sites.placeOf(undefined.writer));
}

void Reporter::undefinedUse(const Instr &scope, SiteId site, const RegisterUse &use, unsigned firstByte,
                            unsigned undefined, SiteId broughtBy, SiteId clobberer, bool neverWritten) {
  Code code = clobberer != kNoSite ? InitClobbered : use.isIndex ? InitIndex : InitRead;
  Seen *entry = firstTime(code, site, use.operand, 1u << scope.core.index);
  if (!entry)
    return;
  const auto &holds = use.isIndex ? say::kIndexUndefined : say::kOperandUndefined;
  Finding finding = words.finding(site, holds.as(kCodes[code])(use.operand, undefinedText(clobberer, neverWritten)));
  finding.iterations = iterationsNow(scope, site);
  finding.notes.push_back(
      {sites.placeOf(site),
       say::kLanesUndefined(undefined, use.part.value_or(0) * kVectorBytes + firstByte,
                            use.part ? "vector" : "register", iterationText(site, finding.iterations))});
  if (broughtBy != kNoSite)
    finding.notes.push_back({sites.placeOf(broughtBy), say::kLoadedHere()});
  describeClobberer(finding, clobberer);
  if (clobberer == kNoSite)
    describeUnheard(finding, scope);
  emit(*entry, std::move(finding));
}

/// Another core may write the bytes: it signals, and nothing here waits for it.
void Reporter::describeUnheard(Finding &finding, const Instr &instr) const {
  for (uint8_t from = 0; from < kCoresPerBlock; ++from)
    if ((from == 0) != (instr.core.index == 0) &&
        describeLostSemaphore(finding, CoreId{from}, instr.core, instr.pipe, instr.site))
      return;
}

void Reporter::undefinedDirect(const Instr &instr, const ReportBytes &bytes, const Undefined &undefined) {
  Code code = undefined.clobberer != kNoSite ? InitClobbered : InitRead;
  Seen *entry = firstTime(code, instr.site, undefined.clobberer, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding =
      words.finding(instr.site, say::kDirectUndefined.as(kCodes[code])(spaceText(bytes), undefinedText(undefined)));
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, instr.site);
  finding.notes.push_back(
      {sites.placeOf(instr.site),
       say::kSomeUndefined(bytesText(bytes), undefined.count, iterationText(instr.site, finding.iterations))});
  describeOrigin(finding, undefined);
  if (undefined.clobberer == kNoSite)
    describeUnheard(finding, instr);
  emit(*entry, std::move(finding));
}

void Reporter::undefinedScalar(const Instr &instr, SiteId site, const ReportBytes &bytes, const Undefined &undefined) {
  Code code = undefined.clobberer != kNoSite ? InitClobbered : InitScalar;
  Seen *entry = firstTime(code, site, undefined.clobberer, 1u << instr.core.index);
  if (!entry)
    return;
  std::string memory = spaceText(bytes);
  Finding finding =
      words.finding(site, bytes.status ? say::kStatusUnwritten.as(kCodes[code])(memory)
                                       : say::kScalarUndefined.as(kCodes[code])(memory, undefinedText(undefined)));
  if (!bytes.status)
    finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, site);
  std::string turns = iterationText(site, finding.iterations);
  finding.notes.push_back({sites.placeOf(site), bytes.status
                                                    ? say::kHoldsZero(memory, turns)
                                                    : say::kSomeUndefined(bytesText(bytes), undefined.count, turns)});
  describeOrigin(finding, undefined);
  emit(*entry, std::move(finding));
}

void Reporter::undefinedStore(const Instr &instr, const ReportBytes &bytes, const Undefined &undefined,
                              uint64_t total) {
  Seen *entry = firstTime(InitStoreGm, instr.site, kNoSite, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding = words.finding(instr.site, say::kStoreUndefined(undefinedText(undefined)));
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, instr.site);
  finding.notes.push_back(
      {sites.placeOf(instr.site), say::kPartUndefined(undefined.count, total, spaceText(bytes), bytes.begin,
                                                      iterationText(instr.site, finding.iterations))});
  describeOrigin(finding, undefined);
  emit(*entry, std::move(finding));
}

void Reporter::overflow(const Instr &set, const char *code, const std::string &what, std::string_view waiter,
                        uint64_t number) {
  Seen *entry = firstTime(Overflow, set.site, kNoSite, 1u << set.core.index);
  if (!entry)
    return;
  uint64_t waited = number - kCounterLimit - 1;
  Finding finding = words.finding(set.site, say::kOverflow.as(code)(what, kCounterLimit + 1, waiter));
  finding.iterations = log.iterations(slotOf(set.core, set.pipe), set.ordinal);
  std::string turns = iterationText(set.site, finding.iterations);
  finding.notes.push_back(
      {sites.placeOf(set.site), waited > 1 ? say::kFewWaitsBefore(number, turns, waited)
                                           : (waited == 0 ? say::kNoWaitBefore : say::kOneWaitBefore)(number, turns)});
  emit(*entry, std::move(finding));
}

} // namespace ptoscope
