//===- ScopeShadow.cpp - order of accesses inside a vector scope ----------===//
//
// Per 32 bytes: the last store and every load since it. An older store needs no
// memory of its own: the newer one was checked against it, so whoever is
// ordered after the newer is ordered after both.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/ScopeShadow.h"

#include <algorithm>
#include <bit>

namespace ptoscope {

namespace {

constexpr uint32_t kScalarTag = ScopeShadow::kScalarTag;

SiteId siteOf(uint32_t tag) {
  uint32_t site = tag & ~kScalarTag;
  return site == (kNoSite & ~kScalarTag) ? kNoSite : site;
}
AccessClass storeClass(uint32_t tag) { return tag & kScalarTag ? ScalarStore : VectorStore; }
AccessClass loadClass(uint32_t tag) { return tag & kScalarTag ? ScalarLoad : VectorLoad; }

void addConflict(std::vector<ScopeConflict> &list, SiteId first, AccessClass firstClass, uint64_t base, uint32_t mask,
                 uint32_t number) {
  while (mask) {
    unsigned start = unsigned(std::countr_zero(mask));
    unsigned length = unsigned(std::countr_one(mask >> start));
    uint64_t begin = base + start, end = begin + length;
    mask &= start + length >= 32 ? 0u : ~0u << (start + length);
    auto joins = [&](const ScopeConflict &c) {
      return c.first == first && c.firstClass == firstClass && c.begin <= begin && begin <= c.end;
    };
    auto it = std::find_if(list.begin(), list.end(), joins);
    if (it != list.end())
      it->end = std::max(it->end, end);
    else if (list.size() < 64)
      list.push_back({first, firstClass, begin, end, number});
  }
}

} // namespace

ScopeShadow::ScopeShadow(uint32_t bytes)
    : wholeLines(bytes / kLineBytes), lines((bytes + kLineBytes - 1) / kLineBytes), parts(wholeLines * kLineParts),
      cells((bytes + kBlockBytes - 1) / kBlockBytes) {
  begin();
}

void ScopeShadow::begin() {
  if (++generation == 0) { // wrapped: old cells could look current
    for (ZeroedVector<Cell> *all : {&lines, &parts, &cells})
      std::fill(all->begin(), all->end(), Cell());
    generation = 1;
  }
  next = 1;
  loopTurns = unwrittenCount = 0;
  exhausted = false;
  past = {};
  reached = {};
  lastLoad = lastStore = epoch = latestStored = pendingWords = 0;
  loadPasts.assign(1, LoadPast{});
  runs.assign(1, {1, 1, 0});
  merges.clear();
  loopLoads.clear();
  members.clear();
  older.clear();
  visited.clear();
  query = 0;
}

void ScopeShadow::reset() {
  loopTurns = unwrittenCount = 0;
  emptyForReuse(merges);
  emptyForReuse(loopLoads);
  emptyForReuse(members);
  emptyForReuse(older);
  for (std::vector<uint32_t> *numbers : {&late, &visited, &stack, &derived, &behindLoop})
    emptyForReuse(*numbers);
  emptyForReuse(behind);
}

bool ScopeShadow::pushOlder(uint32_t &head, uint32_t number, uint32_t mask, uint32_t tag) {
  if (older.size() >= kMaxOlder)
    return false;
  older.push_back({number, mask, tag, head});
  head = uint32_t(older.size());
  return true;
}

/// A list of its own with the same entries.
uint32_t ScopeShadow::copyOlder(uint32_t head) {
  uint32_t copy = 0, last = 0;
  for (uint32_t at = head; at && older.size() < kMaxOlder; at = older[at - 1].next) {
    Older entry = older[at - 1];
    entry.next = 0;
    older.push_back(entry);
    (last ? older[last - 1].next : copy) = uint32_t(older.size());
    last = uint32_t(older.size());
  }
  return copy;
}

void ScopeShadow::trim(uint32_t &head, uint32_t mask) {
  uint32_t *link = &head;
  while (*link) {
    Older &entry = older[*link - 1];
    entry.mask &= ~mask;
    if (entry.mask == 0)
      *link = entry.next;
    else
      link = &entry.next;
  }
}

bool ScopeShadow::afterStore(Request &request, uint32_t number, uint32_t mask, uint32_t tag, ConflictsOut out) {
  AccessClass prior = storeClass(tag), later = request.access.accessClass;
  if (mask == 0 || (isScalar(prior) && isScalar(later)) || inPast(request, prior, number))
    return true;
  if (out.list)
    addConflict(*out.list, siteOf(tag), prior, out.base, mask, number);
  return false;
}

bool ScopeShadow::afterLoad(Request &request, uint32_t number, uint32_t mask, uint32_t tag, ConflictsOut out) {
  AccessClass prior = loadClass(tag), later = request.access.accessClass;
  if (mask == 0 || (isScalar(prior) && isScalar(later)) || derivesDirectly(request, number) ||
      inPast(request, prior, number) || derives(request, number))
    return true;
  if (out.list)
    addConflict(*out.list, siteOf(tag), prior, out.base, mask, number);
  return false;
}

/// Is the access ordered after what the cell remembers of the bytes of `mask`?
template <bool Stores> bool ScopeShadow::check(Request &request, const Cell &cell, uint32_t mask, ConflictsOut out) {
  uint32_t storesOf = mask;
  if constexpr (Stores) {
    // Bytes loaded since their last store need no look at that store: the load
    // was checked against it, and this store is checked against the load.
    storesOf &= ~cell.loadMask;
    for (uint32_t at = cell.olderLoads; at; at = older[at - 1].next)
      storesOf &= ~older[at - 1].mask;
  }
  bool ordered = afterStore(request, cell.storeNumber, cell.storeMask & storesOf, cell.storeTag, out);
  for (uint32_t at = cell.olderStores; at; at = older[at - 1].next)
    ordered &= afterStore(request, older[at - 1].number, older[at - 1].mask & storesOf, older[at - 1].tag, out);
  if constexpr (Stores) {
    if (cell.loadMask & mask)
      ordered &= afterLoad(request, cell.loadNumber, cell.loadMask & mask, cell.loadTag, out);
    for (uint32_t at = cell.olderLoads; at; at = older[at - 1].next)
      ordered &= afterLoad(request, older[at - 1].number, older[at - 1].mask & mask, older[at - 1].tag, out);
  }
  return ordered;
}

template <bool Stores> void ScopeShadow::record(const Request &request, Cell &cell, uint32_t mask) {
  if constexpr (Stores) {
    cell.loadMask &= ~mask;
    if (cell.olderLoads)
      trim(cell.olderLoads, mask);
    if (cell.olderStores)
      trim(cell.olderStores, mask);
    if (cell.storeMask & ~mask)
      pushOlder(cell.olderStores, cell.storeNumber, cell.storeMask & ~mask, cell.storeTag);
    cell.storeNumber = request.number;
    cell.storeMask = mask;
    cell.storeTag = tagOf(request.access);
  } else {
    if (cell.loadMask && !pushOlder(cell.olderLoads, cell.loadNumber, cell.loadMask, cell.loadTag)) {
      // A forgotten load was checked against the stores before it: they go with it.
      cell.storeMask &= ~cell.loadMask;
      trim(cell.olderStores, cell.loadMask);
    }
    cell.loadNumber = request.number;
    cell.loadMask = mask;
    cell.loadTag = tagOf(request.access);
  }
}

template bool ScopeShadow::check<false>(Request &, const Cell &, uint32_t, ConflictsOut);
template bool ScopeShadow::check<true>(Request &, const Cell &, uint32_t, ConflictsOut);
template void ScopeShadow::record<false>(const Request &, Cell &, uint32_t);
template void ScopeShadow::record<true>(const Request &, Cell &, uint32_t);

/// Gives what a line or part of it consists of the state of the whole; when that is stale, they
/// know by themselves that they are. Lists are changed in place, so each gets its own.
void ScopeShadow::split(const Cell &whole, ZeroedVector<Cell> &into, uint64_t first, uint64_t count) {
  uint64_t end = std::min<uint64_t>(first + count, into.size());
  for (uint64_t i = first; i < end && whole.generation == generation; ++i) {
    into[i] = whole;
    into[i].olderLoads = copyOlder(whole.olderLoads);
    into[i].olderStores = copyOlder(whole.olderStores);
  }
}

void ScopeShadow::openLine(uint64_t line) {
  const uint64_t first = line * kLineGranules;
  if (lines[line].olderLoads != kParts)
    return split(lines[line], cells, first, kLineGranules);
  const uint32_t cut = cutOf(lines[line]) / kBlockBytes;
  split(parts[line * kLineParts], cells, first, cut);
  split(parts[line * kLineParts + 1], cells, first + cut, kLineGranules - cut);
}

ScopeShadow::Cell *ScopeShadow::partAt(uint64_t begin, uint64_t end) {
  const auto [line, isSecond, cut] = LinePart(begin, end);
  Cell &whole = lines[line];
  if (whole.generation != generation || whole.olderLoads < kParts) {
    split(whole, parts, line * kLineParts, kLineParts);
    whole.generation = generation;
    whole.olderLoads = kParts;
    cutOf(whole) = cut;
  }
  return whole.olderLoads == kParts && cutOf(whole) == cut ? &parts[line * kLineParts + isSecond] : nullptr;
}

ScopeShadow::Cell *ScopeShadow::untouchedPart(const LocalAccess &access) {
  const uint64_t begin = access.address, end = begin + access.windowBytes, line = begin / kLineBytes;
  if (access.active || exhausted || access.windowBytes >= kLineBytes || access.windowBytes == 0 || line >= wholeLines ||
      end > (line + 1) * kLineBytes || !isPart(begin, end))
    return nullptr;
  Cell *const part = partAt(begin, end);
  return part && part->generation != generation ? part : nullptr;
}

void ScopeShadow::loadAny(const LocalAccess &access, uint32_t number, std::vector<ScopeConflict> &conflicts) {
  uint32_t tag = tagOf(access);
  if (tag & kScalarTag)
    passScalar(access.accessClass, number);
  else
    lastLoad = number;
  if (Cell *part = untouchedPart(access))
    return part->setLoad(generation, number, tag);
  Request request(access, number, nullptr, 0);
  Cell fresh;
  fresh.setLoad(generation, number, tag);
  accessAny<false>(request, fresh, conflicts);
}

void ScopeShadow::storeAny(const LocalAccess &access, uint32_t number, const uint32_t *stamps, uint32_t stampCount,
                           std::vector<ScopeConflict> &conflicts) {
  uint32_t tag = tagOf(access);
  if (tag & kScalarTag)
    passScalar(access.accessClass, number);
  else
    lastStore = number;
  if (Cell *part = untouchedPart(access))
    return part->setStore(generation, number, tag);
  Request request(access, number, stamps, stampCount);
  Cell fresh;
  fresh.setStore(generation, number, tag);
  accessAny<true>(request, fresh, conflicts);
}

template <bool Stores>
void ScopeShadow::accessAny(Request &request, const Cell &fresh, std::vector<ScopeConflict> &conflicts) {
  const LocalAccess &access = request.access;
  uint64_t size = cells.size() * uint64_t(kBlockBytes);
  if (access.windowBytes == 0 || access.address >= size || exhausted)
    return;
  if (isInBlock(access.address, access.windowBytes) && !access.active) {
    open(access.address / kLineBytes);
    return blockAccess<Stores>(request, blockOf(access.address), maskInBlock(access.address, access.windowBytes), fresh,
                               conflicts);
  }
  uint64_t at = access.address, end = at + std::min<uint64_t>(access.windowBytes, size - at);
  if (access.active || neverWhole(at, end))
    return openAccess<Stores>(request, at, end, fresh, conflicts);
  while (at < end) { // as much at once as one cell can say
    const uint64_t line = at / kLineBytes, stop = std::min(end, (line + 1) * kLineBytes);
    if (line >= wholeLines || !isPart(at, stop)) {
      openAccess<Stores>(request, at, stop, fresh, conflicts);
    } else if (stop - at < kLineBytes) {
      partAccess<Stores>(request, at, stop, fresh, conflicts);
    } else if (inParts(lines[line])) {
      const uint64_t cut = at + cutOf(lines[line]);
      partAccess<Stores>(request, at, cut, fresh, conflicts);
      partAccess<Stores>(request, cut, stop, fresh, conflicts);
    } else if (!wholeAccess<Stores>(request, lines[line], fresh)) {
      openAccess<Stores>(request, at, stop, fresh, conflicts);
    }
    at = stop;
  }
}

template <bool Stores> bool ScopeShadow::wholeAccess(Request &request, Cell &whole, const Cell &fresh) {
  if (whole.generation != generation) {
    whole = fresh;
    return true;
  }
  if (whole.olderLoads >= kParts || !check<Stores>(request, whole, ~0u, {nullptr, 0}))
    return false;
  record<Stores>(request, whole, ~0u);
  return true;
}

template <bool Stores>
void ScopeShadow::partAccess(Request &request, uint64_t begin, uint64_t end, const Cell &fresh,
                             std::vector<ScopeConflict> &conflicts) {
  Cell *const part = partAt(begin, end);
  if (!part || !wholeAccess<Stores>(request, *part, fresh))
    openAccess<Stores>(request, begin, end, fresh, conflicts);
}

/// The bytes `mask` of `fresh`, field by field: a copy would be waited for.
template <bool Stores> void ScopeShadow::begin(Cell &cell, const Cell &fresh, uint32_t mask) {
  if constexpr (Stores)
    cell.setStore(fresh.generation, fresh.storeNumber, fresh.storeTag, mask);
  else
    cell.setLoad(fresh.generation, fresh.loadNumber, fresh.loadTag, mask);
}

/// The bytes `mask` of the block at `base`, whose line is open.
template <bool Stores>
void ScopeShadow::blockAccess(Request &request, uint64_t base, uint32_t mask, const Cell &fresh,
                              std::vector<ScopeConflict> &conflicts) {
  Cell &cell = cells[base / kBlockBytes];
  if (cell.generation != generation) {
    begin<Stores>(cell, fresh, mask);
    return;
  }
  check<Stores>(request, cell, mask, {&conflicts, base});
  record<Stores>(request, cell, mask);
}

template <bool Stores>
void ScopeShadow::partsAccess(Request &request, std::span<const BlockPart> parts, const Cell &fresh,
                              std::vector<ScopeConflict> &conflicts) {
  if (exhausted)
    return;
  // Nothing here moves them: they need not be looked up for each block.
  Cell *const all = cells.data(), *const allLines = lines.data();
  const uint64_t count = cells.size();
  const uint32_t now = generation;
  for (const BlockPart &part : parts) {
    const uint64_t index = part.address / kBlockBytes;
    if (index >= count || part.touched == 0)
      continue;
    if (const Cell &line = allLines[index / kLineGranules]; line.generation != now || line.olderLoads != kOpen)
      open(index / kLineGranules);
    if (Cell &cell = all[index]; cell.generation != now)
      begin<Stores>(cell, fresh, part.touched);
    else
      blockAccess<Stores>(request, part.address, part.touched, fresh, conflicts);
  }
}

uint32_t ScopeShadow::gather(SiteId site, std::span<const BlockPart> parts, std::vector<ScopeConflict> &conflicts) {
  settleLines(0, UINT64_MAX);
  LocalAccess access{site, Space::Ub, nullptr, 0, 0, nullptr, VectorLoad, true};
  Request request(access, nextNumber(), nullptr, 0);
  lastLoad = request.number;
  Cell fresh;
  fresh.setLoad(generation, request.number, tagOf(access));
  partsAccess<false>(request, parts, fresh, conflicts);
  return exhausted ? kAnyStamp : request.number;
}

void ScopeShadow::scatter(SiteId site, std::span<const BlockPart> parts, const uint32_t *stamps, uint32_t stampCount,
                          std::vector<ScopeConflict> &conflicts) {
  settleLines(0, UINT64_MAX);
  LocalAccess access{site, Space::Ub, nullptr, 0, 0, nullptr, VectorStore, true};
  Request request(access, nextNumber(), stamps, stampCount);
  lastStore = request.number;
  Cell fresh;
  fresh.setStore(generation, request.number, tagOf(access));
  partsAccess<true>(request, parts, fresh, conflicts);
  noteStored(request.number, stamps, stampCount);
}

/// Bytes [begin, end), whose lines are opened.
template <bool Stores>
void ScopeShadow::openAccess(Request &request, uint64_t begin, uint64_t end, const Cell &fresh,
                             std::vector<ScopeConflict> &conflicts) {
  const LocalAccess &access = request.access;
  for (uint64_t line = begin / kLineBytes; line * kLineBytes < end; ++line)
    open(line);
  // Half a word of `active` for each block where they are aligned to each other.
  bool halves = access.active && access.address % kBlockBytes == 0 && access.windowBytes % kBlockBytes == 0;
  for (uint64_t base = begin / kBlockBytes * kBlockBytes; base < end; base += kBlockBytes) {
    uint64_t k = (base - access.address) / kBlockBytes;
    bool whole = !access.active && base >= begin && base + kBlockBytes <= end;
    uint32_t mask = whole    ? ~0u
                    : halves ? uint32_t(access.active[k / 2] >> (k % 2 * 32))
                             : granuleMask(base, access.address, access.windowBytes, access.active);
    if (mask)
      blockAccess<Stores>(request, base, mask, fresh, conflicts);
  }
}

} // namespace ptoscope
