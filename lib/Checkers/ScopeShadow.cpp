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
#include <utility>

namespace ptoscope {

namespace {

constexpr uint32_t kScalarTag = ScopeShadow::kScalarTag;

bool isScalar(AccessClass accessClass) { return accessClass == ScalarLoad || accessClass == ScalarStore; }

SiteId siteOf(uint32_t tag) {
  uint32_t site = tag & ~kScalarTag;
  return site == (kNoSite & ~kScalarTag) ? kNoSite : site;
}
AccessClass storeClass(uint32_t tag) { return tag & kScalarTag ? ScalarStore : VectorStore; }
AccessClass loadClass(uint32_t tag) { return tag & kScalarTag ? ScalarLoad : VectorLoad; }
size_t indexOf(AccessClass accessClass) { return size_t(std::countr_zero(unsigned(accessClass))); }

void addConflict(std::vector<ScopeConflict> &list, SiteId first, AccessClass firstClass, uint64_t base,
                 uint32_t mask, uint32_t number) {
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

Fence fenceFor(AccessClass prior, AccessClass later) {
  for (unsigned f = 0; f < 16; ++f) {
    FenceClasses classes = classesOf(Fence(f));
    if (classes.prior == prior && classes.later == later)
      return Fence(f);
  }
  return Fence::VV_ALL;
}

ScopeShadow::ScopeShadow(uint32_t bytes)
    : wholeLines(bytes / kLineBytes), lines((bytes + kLineBytes - 1) / kLineBytes),
      cells((bytes + kBlockBytes - 1) / kBlockBytes) {
  begin();
}

void ScopeShadow::begin() {
  if (++generation == 0) { // wrapped: old cells could look current
    std::fill(lines.begin(), lines.end(), Cell());
    std::fill(cells.begin(), cells.end(), Cell());
    generation = 1;
  }
  next = 1;
  exhausted = false;
  fences = {};
  merges.clear();
  members.clear();
  older.clear();
  visited.clear();
  query = 0;
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

bool ScopeShadow::fenced(AccessClass prior, AccessClass later, uint32_t number) const {
  return fences[indexOf(prior)][indexOf(later)] > number;
}

void ScopeShadow::fence(FenceClasses classes) {
  uint32_t number = nextNumber();
  for (unsigned prior = 0; prior < 4; ++prior)
    for (unsigned later = 0; later < 4; ++later)
      if ((classes.prior >> prior & 1) && (classes.later >> later & 1))
        fences[prior][later] = number;
}

uint32_t ScopeShadow::merge(const uint32_t *stamps, uint32_t count) {
  uint32_t only = 0, distinct = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (stamps[i] == 0 || stamps[i] == only)
      continue;
    if (stamps[i] == kAnyStamp)
      return kAnyStamp;
    only = stamps[i];
    ++distinct;
  }
  if (distinct <= 1)
    return only;
  if (merges.size() >= kMaxMerges || members.size() + count > kMaxMembers)
    return kAnyStamp;
  uint32_t first = uint32_t(members.size());
  for (uint32_t i = 0; i < count; ++i)
    if (stamps[i] != 0)
      members.push_back(stamps[i]);
  merges.push_back({nextNumber(), first, uint32_t(members.size()) - first});
  return kMergeBit | uint32_t(merges.size() - 1);
}

bool ScopeShadow::search(uint32_t load, bool all) {
  visited.resize(merges.size());
  ++query;
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    if (!(at & kMergeBit)) {
      if (all)
        reached.push_back(at);
      else if (at == load)
        return true;
      continue;
    }
    // What a merge contains has lower numbers: older ones cannot hold the load.
    const Merge &merge = merges[at & ~kMergeBit];
    if (merge.number < load || std::exchange(visited[at & ~kMergeBit], query) == query)
      continue;
    stack.insert(stack.end(), members.begin() + merge.members, members.begin() + merge.members + merge.count);
  }
  return false;
}

bool ScopeShadow::derives(Request &request, uint32_t load) {
  for (uint32_t i = 0; i < request.stampCount; ++i)
    if (request.stamps[i] == load || request.stamps[i] == kAnyStamp)
      return true;
  // A few loads are looked up one by one, which is short for recent ones; for
  // many, everything the store derives from is listed once.
  constexpr uint32_t kSingleSearches = 4;
  if (request.searches <= kSingleSearches)
    stack.assign(request.stamps, request.stamps + request.stampCount);
  if (request.searches < kSingleSearches) {
    ++request.searches;
    return search(load, false);
  }
  if (request.searches == kSingleSearches) {
    ++request.searches;
    reached.clear();
    search(0, true);
    std::sort(reached.begin(), reached.end());
  }
  return std::binary_search(reached.begin(), reached.end(), load);
}

bool ScopeShadow::afterStore(Request &request, uint32_t number, uint32_t mask, uint32_t tag,
                             ConflictsOut out) {
  AccessClass prior = storeClass(tag), later = request.access.accessClass;
  if (mask == 0 || (isScalar(prior) && isScalar(later)) || fenced(prior, later, number))
    return true;
  if (out.list)
    addConflict(*out.list, siteOf(tag), prior, out.base, mask, number);
  return false;
}

bool ScopeShadow::afterLoad(Request &request, uint32_t number, uint32_t mask, uint32_t tag,
                            ConflictsOut out) {
  AccessClass prior = loadClass(tag), later = request.access.accessClass;
  if (mask == 0 || (isScalar(prior) && isScalar(later)) || fenced(prior, later, number) ||
      derives(request, number))
    return true;
  if (out.list)
    addConflict(*out.list, siteOf(tag), prior, out.base, mask, number);
  return false;
}

/// Is the access ordered after what the cell remembers of the bytes of `mask`?
template <bool Stores>
bool ScopeShadow::check(Request &request, const Cell &cell, uint32_t mask, ConflictsOut out) {
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
    ordered &=
        afterStore(request, older[at - 1].number, older[at - 1].mask & storesOf, older[at - 1].tag, out);
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

/// Gives each cell of a line the state of the line. Lists are changed in place,
/// so each cell gets its own.
void ScopeShadow::openLine(uint64_t line) {
  Cell &whole = lines[line];
  if (whole.generation != generation) { // cells know by themselves that they are stale
    whole = Cell();
    whole.generation = generation;
  } else {
    uint64_t first = line * kLineGranules, last = std::min<uint64_t>(first + kLineGranules, cells.size());
    for (uint64_t i = first; i < last; ++i) {
      cells[i] = whole;
      cells[i].olderLoads = copyOlder(whole.olderLoads);
      cells[i].olderStores = copyOlder(whole.olderStores);
    }
  }
  whole.olderLoads = kOpen;
}

void ScopeShadow::loadAny(const LocalAccess &access, uint32_t number, uint32_t tag,
                          std::vector<ScopeConflict> &conflicts) {
  Request request{access, number, nullptr, 0, 0};
  Cell fresh;
  fresh.setLoad(generation, number, tag);
  accessAny<false>(request, fresh, conflicts);
}

void ScopeShadow::storeAny(const LocalAccess &access, uint32_t number, uint32_t tag, const uint32_t *stamps,
                           uint32_t stampCount, std::vector<ScopeConflict> &conflicts) {
  Request request{access, number, stamps, stampCount, 0};
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
  uint64_t end = access.address + std::min<uint64_t>(access.windowBytes, size - access.address);
  uint64_t firstWhole = (access.address + kLineBytes - 1) / kLineBytes, endWhole = end / kLineBytes;
  if (access.active || firstWhole >= endWhole)
    return openAccess<Stores>(request, access.address, end, fresh, conflicts);
  openAccess<Stores>(request, access.address, firstWhole * kLineBytes, fresh, conflicts);
  for (uint64_t line = firstWhole; line < endWhole; ++line)
    if (!lineAccess<Stores>(request, lines[line]))
      openAccess<Stores>(request, line * kLineBytes, (line + 1) * kLineBytes, fresh, conflicts);
  openAccess<Stores>(request, endWhole * kLineBytes, end, fresh, conflicts);
}

/// All of a line as one cell; false when it has to be done cell by cell.
template <bool Stores> bool ScopeShadow::lineAccess(Request &request, Cell &line) {
  Cell current = line;
  if (line.generation != generation) {
    current = Cell();
    current.generation = generation;
  } else if (line.olderLoads == kOpen) {
    return false;
  }
  if (!check<Stores>(request, current, ~0u, {nullptr, 0}))
    return false;
  record<Stores>(request, current, ~0u);
  line = current;
  return true;
}

/// The bytes `mask` of the block at `base`, whose line is open.
template <bool Stores>
void ScopeShadow::blockAccess(Request &request, uint64_t base, uint32_t mask, const Cell &fresh,
                              std::vector<ScopeConflict> &conflicts) {
  Cell &cell = cells[base / kBlockBytes];
  if (cell.generation != generation) {
    cell = fresh;
    cell.loadMask &= mask;
    cell.storeMask &= mask;
    return;
  }
  check<Stores>(request, cell, mask, {&conflicts, base});
  record<Stores>(request, cell, mask);
}

template <bool Stores>
void ScopeShadow::partsAccess(Request &request, std::span<const BlockPart> parts, const Cell &fresh,
                              std::vector<ScopeConflict> &conflicts) {
  for (const BlockPart &part : parts) {
    if (part.address / kBlockBytes >= cells.size() || part.touched == 0 || exhausted)
      continue;
    open(part.address / kLineBytes);
    blockAccess<Stores>(request, part.address, part.touched, fresh, conflicts);
  }
}

uint32_t ScopeShadow::gather(SiteId site, std::span<const BlockPart> parts, std::vector<ScopeConflict> &conflicts) {
  LocalAccess access{site, Space::Ub, nullptr, 0, 0, nullptr, VectorLoad, true};
  Request request{access, nextNumber(), nullptr, 0, 0};
  Cell fresh;
  fresh.setLoad(generation, request.number, tagOf(access));
  partsAccess<false>(request, parts, fresh, conflicts);
  return exhausted ? kAnyStamp : request.number;
}

void ScopeShadow::scatter(SiteId site, std::span<const BlockPart> parts, const uint32_t *stamps, uint32_t stampCount,
                          std::vector<ScopeConflict> &conflicts) {
  LocalAccess access{site, Space::Ub, nullptr, 0, 0, nullptr, VectorStore, true};
  Request request{access, nextNumber(), stamps, stampCount, 0};
  Cell fresh;
  fresh.setStore(generation, request.number, tagOf(access));
  partsAccess<true>(request, parts, fresh, conflicts);
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
