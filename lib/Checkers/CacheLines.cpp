//===- CacheLines.cpp - what scalar units have cached of GM ---------------===//

#include "ptoscope/Checkers/CacheLines.h"

#include "ReportText.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/TileSentences.h"

#include <bit>

namespace ptoscope {

/// Bits of the bytes of a line that are in [begin, end).
static uint64_t bitsIn(uint64_t line, uint64_t begin, uint64_t end) {
  const uint64_t from = std::max(begin, line), to = std::min(end, line + kCacheLineBytes);
  if (from >= to)
    return 0;
  const uint64_t count = to - from;
  return (count == kCacheLineBytes ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << (from - line);
}

static uint64_t lineOf(uint64_t address) { return address & ~(kCacheLineBytes - 1); }

std::optional<CacheLines::Stale> CacheLines::load(CoreId core, SiteId site, uint64_t address, uint64_t bytes) {
  std::optional<Stale> found;
  for (uint64_t at = lineOf(address); at < address + bytes; at += kCacheLineBytes) {
    empty = false;
    const Line &line = lines[core.index].try_emplace(at, Line{site}).first->second;
    const uint64_t stale = line.stale & bitsIn(at, address, address + bytes);
    if (stale && !found)
      found = {at + uint64_t(std::countr_zero(stale)), at + 64 - uint64_t(std::countl_zero(stale)), line.cachedBy,
               line.writer};
  }
  return found;
}

void CacheLines::store(CoreId core, SiteId site, uint64_t address, uint64_t bytes) {
  for (uint64_t at = lineOf(address); at < address + bytes; at += kCacheLineBytes) {
    empty = false;
    Line &line = lines[core.index].try_emplace(at, Line{site}).first->second;
    line.stale &= ~bitsIn(at, address, address + bytes);
  }
}

void CacheLines::spoil(std::optional<CoreId> except, SiteId site, const Box &box) {
  if (box.empty())
    return;
  const uint64_t end = box.end();
  for (size_t core = 0; core < lines.size(); ++core) {
    if (except && except->index == core)
      continue;
    for (auto it = lines[core].lower_bound(lineOf(box.lowest())); it != lines[core].end() && it->first < end; ++it) {
      Box line;
      line.base = it->first;
      line.rowBytes = kCacheLineBytes;
      if (!box.overlaps(line))
        continue;
      uint64_t written = 0;
      if (box.dims.empty())
        written = bitsIn(it->first, box.base, end);
      else // rows with gaps: byte by byte
        for (uint64_t k = 0; k < kCacheLineBytes; ++k) {
          Box byte;
          byte.base = it->first + k;
          byte.rowBytes = 1;
          written |= uint64_t(box.overlaps(byte)) << k;
        }
      it->second.stale |= written;
      it->second.writer = site;
    }
  }
}

void CacheLines::invalidate(CoreId core, uint64_t begin, uint64_t end) {
  auto &own = lines[core.index];
  own.erase(own.lower_bound(begin), own.lower_bound(end));
}

void Reporter::staleLine(const Instr &instr, SiteId site, const GmObject *object, const CacheLines::Stale &stale) {
  Seen *entry = firstTime(StaleLine, site, stale.writer, 1u << instr.core.index);
  if (!entry)
    return;
  Finding finding = words.finding(site, say::kStaleLine(words.opText(stale.writer)));
  const ReportBytes bytes{Space::Gm, object, stale.begin, stale.end};
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, site);
  finding.notes.push_back(
      {sites.placeOf(site), say::kClobberedBytes(bytesText(bytes), iterationText(site, finding.iterations))});
  finding.notes.push_back({sites.placeOf(stale.cachedBy), say::kLineCached(words.opText(stale.cachedBy))});
  finding.notes.push_back({sites.placeOf(stale.writer), say::kLineWritten(words.opText(stale.writer))});
  emit(*entry, std::move(finding));
}

} // namespace ptoscope
