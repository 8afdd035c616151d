//===- DeviceConflicts.cpp - reports about blocks that meet by signals ----===//

#include "ReportText.h"
#include "ptoscope/Checkers/BlockConflicts.h"
#include "ptoscope/Machine/CommSentences.h"

#include <map>

namespace ptoscope {

SiteId BlockConflicts::earlySignal(const Side &access, const Side &other) const {
  if (access.told.number == UINT64_MAX)
    return kNoSite;
  return signals->knows(other.block, other.after, access.block, CoreId{access.told.core}, access.told.number);
}

void BlockConflicts::reportDevices(const Side &a, const Side &b, const ReportBytes &bytes, FindingList &findings) {
  const Side *first = &a, *second = &b;
  // A signal that came too early tells which access was meant to come first.
  SiteId early = earlySignal(*first, *second);
  if (early == kNoSite) {
    early = earlySignal(*second, *first);
    if (early != kNoSite)
      std::swap(first, second);
  }
  Words words(&sites);
  std::string memory = spaceText(bytes), who = signals->nameOf(second->block), other = signals->nameOf(first->block);
  Finding finding = words.finding(
      second->site, early == kNoSite ? say::kDeviceRace(who, verb(second->kind), memory, words.opText(first->site),
                                                        other, verb(first->kind))
                                     : say::kEarlySignal(who, verb(second->kind), memory, words.opText(first->site),
                                                         other, verb(first->kind), words.lineText(early)));
  finding.bytes = rangeOf(bytes);
  finding.notes.push_back({sites.placeOf(second->site), say::kPartyDoes(who, verb(second->kind), bytesText(bytes))});
  finding.notes.push_back({sites.placeOf(first->site), say::kPartyDoesHere(other, verb(first->kind))});
  if (early != kNoSite)
    finding.notes.push_back({sites.placeOf(early), say::kNotifiesHere()});
  findings.add(std::move(finding));
}

/// One report for each site that touches signals by other means.
void BlockConflicts::checkSignals(const Footprint &footprint, FindingList &findings) {
  std::map<SiteId, bool> told;
  auto check = [&](SiteId site, AccessKind kind, const GmObject *object, uint64_t begin, uint64_t end) {
    SiteId user = kNoSite;
    uint64_t word = signals->wordIn(begin, end, user);
    if (word >= end || std::exchange(told[site], true))
      return;
    ReportBytes bytes{Space::Gm, object, word, std::min(word + SignalOrder::kSignalWordBytes, end)};
    Words words(&sites);
    Finding finding = words.finding(site, say::kPlainSignal(verb(kind), spaceText(bytes)));
    finding.bytes = rangeOf(bytes);
    finding.notes.push_back({sites.placeOf(user), say::kSignalUsed(words.opText(user))});
    findings.add(std::move(finding));
  };
  for (const FootprintPart &part : footprint.parts)
    for (const Box &box : part.boxes)
      box.forEachRow(
          [&](uint64_t start, uint64_t bytes) { check(part.site, part.kind, part.object, start, start + bytes); });
  footprint.cells.forEach([&](uint32_t number, uint64_t, uint64_t address, uint32_t mask) {
    const GmCells::Key &key = footprint.cells.key(number);
    for (uint32_t byte = 0; byte < kBlockBytes; byte += SignalOrder::kSignalWordBytes)
      if (mask >> byte & 0xf)
        check(key.site, key.kind, key.object, address + byte, address + byte + SignalOrder::kSignalWordBytes);
  });
}

} // namespace ptoscope
