//===- LocalShadow.cpp - who touched each byte of a local memory ----------===//
//
// One fast path for granules with a single writer and reader, one exact path
// for everything else. See LocalShadow.h for why "last" is enough.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/LocalShadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace ptoscope {

void ConflictList::add(Epoch other, bool otherWrites, uint64_t base, uint32_t mask) {
  while (mask) {
    unsigned first = unsigned(std::countr_zero(mask));
    unsigned length = unsigned(std::countr_one(mask >> first));
    uint64_t begin = base + first, end = begin + length;
    mask &= length + first >= 32 ? 0u : ~0u << (first + length);
    auto joins = [&](const ShadowConflict &c) {
      return c.other == other && c.otherWrites == otherWrites && c.end == begin;
    };
    // Only the newest few can be adjacent: accesses go up in address.
    size_t oldest = list.size() > 8 ? list.size() - 8 : 0;
    auto it = std::find_if(list.begin() + ptrdiff_t(oldest), list.end(), joins);
    if (it != list.end())
      it->end = end;
    else
      list.push_back({other, otherWrites, begin, end});
  }
}

uint32_t granuleMask(uint64_t granuleBase, uint64_t address, uint64_t bytes, const uint64_t *active) {
  uint64_t begin = std::max(granuleBase, address);
  uint64_t end = std::min(granuleBase + kBlockBytes, address + bytes);
  if (begin >= end)
    return 0;
  uint32_t count = uint32_t(end - begin);
  uint32_t bits = ~0u >> (32 - count);
  if (active) {
    uint64_t at = begin - address;
    uint64_t word = active[at / 64] >> (at % 64);
    if (at % 64 + count > 64)
      word |= active[at / 64 + 1] << (64 - at % 64);
    bits &= uint32_t(word);
  }
  return bits << (begin - granuleBase);
}

uint32_t leadingBlocks(const uint64_t *active, uint32_t bytes) {
  uint32_t word = 0;
  const uint32_t words = bytes / 64;
  while (word < words && active[word] == ~uint64_t(0))
    ++word;
  if (bytes % 64 != 0 || word == words)
    return bytes % 64 == 0 ? bytes : 0;
  const auto rest = uint32_t(std::countr_one(active[word]));
  const bool areFirst = active[word] >> rest == 0 && std::all_of(active + word + 1, active + words, std::logical_not());
  return areFirst && rest % kBlockBytes == 0 ? word * 64 + rest : 0;
}

LocalShadow::LocalShadow(uint32_t bytes, bool byTiles)
    : wholeLines(bytes / kLineBytes), pages(byTiles ? wholeLines / kPageLines : 0),
      lines((bytes + kLineBytes - 1) / kLineBytes), parts(wholeLines * kLineParts),
      granules((bytes + kBlockBytes - 1) / kBlockBytes) {
  for (Granule &page : pages)
    page.exact = kOpen;
}

void LocalShadow::reset() {
  for (Granule &page : pages) {
    page = {};
    page.exact = kOpen;
  }
  zeroForReuse(lines);
  emptyForReuse(lists);
  emptyForReuse(freeLists);
}

void LocalShadow::openPage(uint64_t page) {
  if (pages[page].exact == kOpen)
    return;
  std::fill_n(lines.begin() + ptrdiff_t(page * kPageLines), kPageLines, pages[page]);
  pages[page].exact = kOpen;
}

void LocalShadow::openLine(uint64_t line) {
  const uint64_t begin = line * kLineGranules, end = std::min<uint64_t>(begin + kLineGranules, granules.size());
  const auto from = granules.begin() + ptrdiff_t(begin), to = granules.begin() + ptrdiff_t(end);
  leavePage(line);
  if (lines[line].exact != kParts) {
    std::fill(from, to, lines[line]);
  } else {
    const auto cut = from + cutOf(lines[line]) / kBlockBytes;
    std::fill(from, cut, parts[line * kLineParts]);
    std::fill(cut, to, parts[line * kLineParts + 1]);
  }
  lines[line].exact = kOpen;
}

SiteId LocalShadow::writerOf(uint64_t address) {
  const uint64_t index = address / kBlockBytes;
  if (index >= granules.size())
    return kNoSite;
  open(index / kLineGranules);
  const Granule &granule = granules[index];
  const uint32_t bit = 1u << address % kBlockBytes;
  if (!granule.exact)
    return granule.writerMask & bit ? granule.writer.site() : kNoSite;
  SiteId last = kNoSite;
  for (const Entry &entry : lists[granule.exact - 1])
    if (entry.writes && entry.mask & bit)
      last = entry.epoch.site();
  return last;
}

template <bool Writes>
void LocalShadow::accessAny(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes,
                            const uint64_t *active, ConflictList &conflicts) {
  uint64_t size = granules.size() * uint64_t(kBlockBytes);
  if (bytes == 0 || address >= size)
    return;
  if (isInBlock(address, bytes) && !active)
    return accessBlock<Writes>(self, clock, address, maskInBlock(address, bytes), conflicts);
  uint64_t end = address + std::min(bytes, size - address);
  uint64_t firstWhole = (address + kLineBytes - 1) / kLineBytes, endWhole = end / kLineBytes;
  if (active || neverWhole(address, end))
    return openAccess<Writes>(self, clock, address, end, active, conflicts);
  // As much at once as one record can say.
  auto partOfLine = [&](uint64_t begin, uint64_t stop) {
    if (isPart(begin, stop) && begin / kLineBytes < wholeLines)
      partAccess<Writes>(self, clock, begin, stop, conflicts);
    else
      openAccess<Writes>(self, clock, begin, stop, nullptr, conflicts);
  };
  if (address % kLineBytes != 0)
    partOfLine(address, std::min(end, firstWhole * kLineBytes));
  for (uint64_t line = firstWhole; line < endWhole; ++line) {
    if (line % kPageLines == 0 && endWhole - line >= kPageLines && line / kPageLines < pages.size()) {
      pageAccess<Writes>(self, clock, line / kPageLines, conflicts);
      line += kPageLines - 1;
    } else if (!simpleAccess<Writes>(lines[line], self, clock, ~0u)) {
      lineAccess<Writes>(self, clock, line, conflicts);
    }
  }
  if (end % kLineBytes != 0 && endWhole >= firstWhole)
    partOfLine(endWhole * kLineBytes, end);
}

template <bool Writes> bool LocalShadow::isSimple(const Granule &granule, Epoch self, const VectorClock &clock) {
  auto isPassed = [&](Epoch other) { return other.endedIn(clock) || other.sameInstruction(self); };
  if (granule.exact)
    return false;
  if constexpr (Writes)
    return ((granule.writerMask & ~granule.readerMask) == 0 || isPassed(granule.writer)) &&
           (granule.readerMask == 0 || isPassed(granule.reader));
  else
    return (granule.writerMask == 0 || isPassed(granule.writer)) &&
           (granule.readerMask == 0 || granule.reader.endedIn(clock) || coversEarlierRead(self, granule.reader));
}

/// Bytes up to the first part that is not simple.
template <bool Writes>
uint64_t LocalShadow::plainBytes(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes) const {
  uint64_t at = address;
  const uint64_t end = std::min(address + bytes, wholeLines * kLineBytes);
  if (at % kLineBytes == 0) { // lines are mostly in the state of the one before
    const Granule *known = nullptr;
    for (; at + kLineBytes <= end; at += kLineBytes) {
      const Granule &line = lines[at / kLineBytes];
      if (known && std::memcmp(&line, known, sizeof(Granule)) == 0) // padding may differ: looked at again
        continue;
      if (!isSimple<Writes>(line, self, clock))
        break;
      known = &line;
    }
  }
  while (at < end) {
    const Granule &line = lines[at / kLineBytes];
    if (line.exact == kInPage) {
      const uint64_t page = at / (kPageLines * kLineBytes);
      if (!isSimple<Writes>(pages[page], self, clock))
        break;
      at = (page + 1) * kPageLines * kLineBytes;
      continue;
    }
    const uint64_t in = at % kLineBytes, cut = line.exact == kParts ? cutOf(line) : 0;
    if (!isSimple<Writes>(cut ? parts[at / kLineBytes * kLineParts + (in >= cut)] : line, self, clock))
      break;
    at += (in < cut ? cut : kLineBytes) - in;
  }
  return std::min(at, end) - address;
}

template <bool Writes>
uint64_t LocalShadow::plainTurns(Epoch self, const VectorClock &clock, uint64_t address, uint64_t stride,
                                 uint32_t windowBytes, uint64_t turns) const {
  if (address >= wholeLines * kLineBytes)
    return 0;
  if (stride == windowBytes)
    return plainBytes<Writes>(self, clock, address, turns * stride) / stride;
  for (uint64_t turn = 0; turn < turns; ++turn)
    if (plainBytes<Writes>(self, clock, address + turn * stride, windowBytes) < windowBytes)
      return turn;
  return turns;
}

template <bool Writes>
void LocalShadow::recordPlain(Epoch self, const VectorClock &clock, uint64_t address, uint64_t bytes,
                              ConflictList &conflicts) {
  const uint64_t end = address + bytes, firstPage = (address / kLineBytes + kPageLines - 1) / kPageLines;
  const bool hasPage = !pages.empty() && (firstPage + 1) * kPageLines * kLineBytes <= end;
  if (hasPage || (address | bytes) % kLineBytes != 0)
    return access<Writes>(self, clock, address, bytes, nullptr, conflicts);
  // As simpleAccess leaves a record, which is known to allow it.
  for (uint64_t line = address / kLineBytes; line < end / kLineBytes; ++line) {
    Granule &granule = lines[line];
    if (granule.exact) {
      access<Writes>(self, clock, line * kLineBytes, kLineBytes, nullptr, conflicts);
    } else if constexpr (Writes) {
      granule.writer = self;
      granule.writerMask = ~0u;
      granule.reader = Epoch();
      granule.readerMask = 0;
    } else {
      granule.reader = self;
      granule.readerMask = ~0u;
    }
  }
}

/// All of a page. It becomes one record where its lines agree.
template <bool Writes>
void LocalShadow::pageAccess(Epoch self, const VectorClock &clock, uint64_t page, ConflictList &conflicts) {
  if (simpleAccess<Writes>(pages[page], self, clock, ~0u))
    return;
  openPage(page);
  const auto first = lines.begin() + ptrdiff_t(page * kPageLines), last = first + kPageLines;
  for (uint64_t line = page * kPageLines; line < (page + 1) * kPageLines; ++line)
    if (!simpleAccess<Writes>(lines[line], self, clock, ~0u))
      lineAccess<Writes>(self, clock, line, conflicts);
  if (first->exact != 0 || !std::all_of(first, last, [&](const Granule &line) { return line == *first; }))
    return;
  pages[page] = *first;
  std::for_each(first, last, [](Granule &line) { line.exact = kInPage; });
}

/// All of a line that is not one record, or does not stay one.
template <bool Writes>
void LocalShadow::lineAccess(Epoch self, const VectorClock &clock, uint64_t line, ConflictList &conflicts) {
  if (lines[line].exact == kInPage) {
    leavePage(line);
    if (simpleAccess<Writes>(lines[line], self, clock, ~0u))
      return;
  }
  Granule *const both = &parts[line * kLineParts];
  // An access that one part has seen already changes nothing there.
  if (lines[line].exact == kParts && simpleAccess<Writes>(both[0], self, clock, ~0u) &&
      simpleAccess<Writes>(both[1], self, clock, ~0u)) {
    if (both[0] == both[1])
      lines[line] = both[0];
    return;
  }
  open(line);
  wholeGranules<Writes>(self, clock, line * kLineGranules, (line + 1) * kLineGranules, conflicts);
  const Granule *const all = &granules[line * kLineGranules];
  bool agree = all[0].exact == 0;
  for (uint32_t i = 1; i < kLineGranules; ++i)
    agree = agree && all[i] == all[0];
  if (agree)
    lines[line] = all[0];
}

/// Bytes [begin, end) of a line, of which isPart is true.
template <bool Writes>
void LocalShadow::partAccess(Epoch self, const VectorClock &clock, uint64_t begin, uint64_t end,
                             ConflictList &conflicts) {
  const auto [line, isSecond, cut] = LinePart(begin, end);
  leavePage(line);
  Granule &whole = lines[line], *const both = &parts[line * kLineParts];
  if (whole.exact == 0) {
    std::fill_n(both, kLineParts, whole);
    whole.exact = kParts;
    cutOf(whole) = cut;
  }
  if (whole.exact == kParts && cutOf(whole) == cut && simpleAccess<Writes>(both[isSecond], self, clock, ~0u))
    return;
  open(line);
  wholeGranules<Writes>(self, clock, begin / kBlockBytes, end / kBlockBytes, conflicts);
}

/// Bytes [address, end), whose lines are opened.
template <bool Writes>
void LocalShadow::openAccess(Epoch self, const VectorClock &clock, uint64_t address, uint64_t end,
                             const uint64_t *active, ConflictList &conflicts) {
  for (uint64_t line = address / kLineBytes; line * kLineBytes < end; ++line)
    open(line);
  auto partial = [&](uint64_t index) {
    uint64_t base = index * kBlockBytes;
    uint32_t mask = granuleMask(base, address, end - address, active);
    if (mask && !simpleAccess<Writes>(granules[index], self, clock, mask))
      exactAccess<Writes>(granules[index], self, clock, mask, base, conflicts);
  };
  uint64_t first = address / kBlockBytes, last = (end + kBlockBytes - 1) / kBlockBytes;
  if (active && address % kBlockBytes == 0 && end % kBlockBytes == 0) { // half a word of `active` for each
    Granule *const all = granules.data();
    for (uint64_t index = first; index < last; ++index) {
      const uint64_t k = index - first;
      const auto mask = uint32_t(active[k / 2] >> (k % 2 * 32));
      if (mask && !simpleAccess<Writes>(all[index], self, clock, mask)) [[unlikely]]
        exactAccess<Writes>(all[index], self, clock, mask, index * kBlockBytes, conflicts);
    }
    return;
  }
  if (active) {
    for (uint64_t index = first; index < last; ++index)
      partial(index);
    return;
  }
  if (address % kBlockBytes != 0)
    partial(first++);
  bool shortEnd = end % kBlockBytes != 0 && first < last;
  wholeGranules<Writes>(self, clock, first, last - shortEnd, conflicts);
  if (shortEnd)
    partial(last - 1);
}

template <bool Writes>
void LocalShadow::accessBlocks(Epoch self, const VectorClock &clock, std::span<const BlockPart> parts,
                               ConflictList &conflicts) {
  // Nothing here moves them: they need not be looked up for each block.
  Granule *const all = granules.data(), *const allLines = lines.data();
  const uint64_t count = granules.size();
  for (const BlockPart &part : parts) {
    const uint64_t index = part.address / kBlockBytes;
    if (part.touched == 0 || index >= count)
      continue;
    if (allLines[index / kLineGranules].exact != kOpen)
      openLine(index / kLineGranules);
    if (!simpleAccess<Writes>(all[index], self, clock, part.touched)) [[unlikely]]
      exactAccess<Writes>(all[index], self, clock, part.touched, index * kBlockBytes, conflicts);
  }
}

template <bool Writes>
void LocalShadow::wholeGranules(Epoch self, const VectorClock &clock, uint64_t first, uint64_t last,
                                ConflictList &conflicts) {
  for (; first < last; ++first)
    if (!simpleAccess<Writes>(granules[first], self, clock, ~0u))
      exactAccess<Writes>(granules[first], self, clock, ~0u, first * kBlockBytes, conflicts);
}

/// One more access of an instruction that has an entry, as loops over the words of a
/// granule make them: without conflict, and the list stays as long as it is. Changes
/// nothing and returns false otherwise.
template <bool Writes>
bool LocalShadow::knownAccess(std::vector<Entry> &entries, Epoch self, const VectorClock &clock, uint32_t mask) {
  Entry *own = nullptr;
  for (Entry &entry : entries) {
    if (entry.epoch == self && entry.writes == Writes) {
      own = &entry;
      continue;
    }
    if ((entry.mask & mask) == 0)
      continue;
    // An instruction that was started later can have ended before.
    const bool later = entry.epoch.slot() == self.slot() && entry.epoch.ordinal() > self.ordinal();
    const bool mine = (Writes || entry.writes) && entry.epoch.sameInstruction(self);
    if (later || (!mine && !entry.epoch.endedIn(clock)) || ((Writes || !entry.writes) && (entry.mask & ~mask) == 0))
      return false;
  }
  if (!own)
    return false;
  for (Entry &entry : entries)
    if (Writes || !entry.writes)
      entry.mask &= ~mask;
  own->mask |= mask;
  return true;
}

template <bool Writes>
void LocalShadow::exactAccess(Granule &granule, Epoch self, const VectorClock &clock, uint32_t mask, uint64_t base,
                              ConflictList &conflicts) {
  uint32_t listIndex = granule.exact;
  if (listIndex && knownAccess<Writes>(lists[listIndex - 1], self, clock, mask))
    return;
  std::vector<Entry> &entries = scratch;
  entries.clear();
  if (listIndex) {
    entries.swap(lists[listIndex - 1]);
  } else {
    if (granule.writerMask)
      entries.push_back({granule.writer, granule.writerMask, true});
    if (granule.readerMask)
      entries.push_back({granule.reader, granule.readerMask, false});
  }

  uint32_t newMask = mask, readMask = 0;
  for (const Entry &entry : entries)
    readMask |= entry.writes ? 0 : entry.mask;
  for (Entry &entry : entries) {
    uint32_t common = entry.mask & mask;
    if (common == 0)
      continue;
    bool ended = entry.epoch.endedIn(clock);
    uint32_t checked = Writes ? (entry.writes ? common & ~readMask : common) : entry.writes ? common : 0;
    if (checked && !ended && !entry.epoch.sameInstruction(self))
      conflicts.add(entry.epoch, entry.writes, base, checked);
    if (Writes) {
      entry.mask &= ~mask;
    } else if (!entry.writes) {
      bool samePipe = entry.epoch.slot() == self.slot();
      if (samePipe && entry.epoch.ordinal() > self.ordinal())
        newMask &= ~common; // started out of order: the higher ordinal stays
      else if (ended || coversEarlierRead(self, entry.epoch))
        entry.mask &= ~mask;
      else if (samePipe) // of V's unended reads, the latest besides the instruction's own stays
        for (const Entry &later : entries)
          if (!later.writes && later.epoch.slot() == self.slot() && !later.epoch.sameInstruction(self) &&
              later.epoch.ordinal() > entry.epoch.ordinal())
            entry.mask &= ~(later.mask & mask);
    }
  }
  if (newMask) {
    auto same = std::find_if(entries.begin(), entries.end(),
                             [&](const Entry &e) { return e.epoch == self && e.writes == Writes; });
    if (same != entries.end())
      same->mask |= newMask;
    else
      entries.push_back({self, newMask, Writes});
  }
  std::erase_if(entries, [](const Entry &e) { return e.mask == 0; });

  size_t writers = size_t(std::count_if(entries.begin(), entries.end(), [](const Entry &e) { return e.writes; }));
  if (writers <= 1 && entries.size() - writers <= 1) {
    if (listIndex)
      freeLists.push_back(listIndex - 1);
    granule = Granule();
    for (const Entry &entry : entries) {
      (entry.writes ? granule.writer : granule.reader) = entry.epoch;
      (entry.writes ? granule.writerMask : granule.readerMask) = entry.mask;
    }
    return;
  }
  if (!listIndex) {
    if (freeLists.empty()) {
      lists.emplace_back();
      listIndex = uint32_t(lists.size());
    } else {
      listIndex = freeLists.back() + 1;
      freeLists.pop_back();
    }
    granule.exact = listIndex;
  }
  lists[listIndex - 1].swap(entries);
}

template void LocalShadow::exactAccess<false>(Granule &, Epoch, const VectorClock &, uint32_t, uint64_t,
                                              ConflictList &);
template void LocalShadow::exactAccess<true>(Granule &, Epoch, const VectorClock &, uint32_t, uint64_t, ConflictList &);
template uint64_t LocalShadow::plainTurns<false>(Epoch, const VectorClock &, uint64_t, uint64_t, uint32_t,
                                                 uint64_t) const;
template uint64_t LocalShadow::plainTurns<true>(Epoch, const VectorClock &, uint64_t, uint64_t, uint32_t,
                                                uint64_t) const;
template void LocalShadow::accessBlocks<false>(Epoch, const VectorClock &, std::span<const BlockPart>, ConflictList &);
template void LocalShadow::accessBlocks<true>(Epoch, const VectorClock &, std::span<const BlockPart>, ConflictList &);
template void LocalShadow::recordPlain<false>(Epoch, const VectorClock &, uint64_t, uint64_t, ConflictList &);
template void LocalShadow::recordPlain<true>(Epoch, const VectorClock &, uint64_t, uint64_t, ConflictList &);
template void LocalShadow::accessAny<false>(Epoch, const VectorClock &, uint64_t, uint64_t, const uint64_t *,
                                            ConflictList &);
template void LocalShadow::accessAny<true>(Epoch, const VectorClock &, uint64_t, uint64_t, const uint64_t *,
                                           ConflictList &);

} // namespace ptoscope
