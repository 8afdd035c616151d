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
  children.clear();
  older.clear();
  visited.clear();
  query = 0;
}

void ScopeShadow::growNodes(uint32_t tag) {
  if (next >= kMaxNodes)
    return;
  nodes.resize(std::min<size_t>(kMaxNodes, std::max<size_t>(256, nodes.size() * 2)));
  nodes[next] = {tag, 0, 0};
}

void ScopeShadow::pushOlder(uint32_t &head, uint32_t number, uint32_t mask, uint32_t tag) {
  if (older.size() >= kMaxOlder)
    return;
  older.push_back({number, mask, tag, head});
  head = uint32_t(older.size());
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
  uint32_t number = nextNumber(0);
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
  if (next >= kMaxNodes || children.size() + count > kMaxNodes)
    return kAnyStamp;
  uint32_t first = uint32_t(children.size());
  for (uint32_t i = 0; i < count; ++i)
    if (stamps[i] != 0 && stamps[i] < next)
      children.push_back(stamps[i]);
  uint32_t number = nextNumber(0);
  nodes[number].children = first;
  nodes[number].childCount = uint32_t(children.size()) - first;
  return number;
}

/// Visits what `stack` reaches, as far as it may contain `load`: what a node
/// contains has lower numbers, so only nodes made after the load matter. True
/// when the load is among them.
bool ScopeShadow::search(uint32_t load) {
  visited.resize(nodeCount());
  ++query;
  bool found = false;
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    if (at < load || at >= nodeCount() || visited[at] == query)
      continue;
    visited[at] = query;
    if (at == load) {
      found = true;
      if (load != 0)
        break;
    }
    const Node &info = nodes[at];
    for (uint32_t i = 0; i < info.childCount; ++i)
      stack.push_back(children[info.children + i]);
  }
  return found;
}

bool ScopeShadow::derives(Request &request, uint32_t load) {
  for (uint32_t i = 0; i < request.stampCount; ++i)
    if (request.stamps[i] == load || request.stamps[i] == kAnyStamp)
      return true;
  // A few loads are looked up one by one, which is short for recent ones; for
  // many, everything the store derives from is marked once.
  constexpr uint32_t kSingleSearches = 4;
  if (request.searches > kSingleSearches)
    return visited[load] == query;
  stack.assign(request.stamps, request.stamps + request.stampCount);
  if (request.searches++ < kSingleSearches)
    return search(load);
  search(0);
  return visited[load] == query;
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
      ordered &= afterLoad(request, cell.loadNumber, cell.loadMask & mask, nodes[cell.loadNumber].tag, out);
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
  } else if (request.tracked) {
    if (cell.loadMask)
      pushOlder(cell.olderLoads, cell.loadNumber, cell.loadMask, nodes[cell.loadNumber].tag);
    cell.loadNumber = request.number;
    cell.loadMask = mask;
  }
}

/// Gives each cell of a line the state of the line. Lists are changed in place,
/// so each cell gets its own.
void ScopeShadow::open(uint64_t line) {
  Cell &whole = lines[line];
  if (whole.generation != generation) { // cells know by themselves that they are stale
    whole = Cell();
    whole.generation = generation;
  } else if (whole.olderLoads != kOpen) {
    uint64_t first = line * kLineGranules, last = std::min<uint64_t>(first + kLineGranules, cells.size());
    for (uint64_t i = first; i < last; ++i) {
      cells[i] = whole;
      cells[i].olderLoads = copyOlder(whole.olderLoads);
      cells[i].olderStores = copyOlder(whole.olderStores);
    }
  }
  whole.olderLoads = kOpen;
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

/// Bytes [begin, end), whose lines are opened. Neighbours are mostly alike: while
/// old states are the same and there is neither a conflict nor a list, the new
/// state is copied.
template <bool Stores>
void ScopeShadow::openAccess(Request &request, uint64_t begin, uint64_t end, const Cell &fresh,
                             std::vector<ScopeConflict> &conflicts) {
  const LocalAccess &access = request.access;
  for (uint64_t line = begin / kLineBytes; line * kLineBytes < end; ++line)
    open(line);
  Cell before, after;
  bool known = false;
  for (uint64_t base = begin / kBlockBytes * kBlockBytes; base < end; base += kBlockBytes) {
    Cell &cell = cells[base / kBlockBytes];
    bool whole = !access.active && base >= begin && base + kBlockBytes <= end;
    if (whole && cell.generation != generation) {
      cell = fresh;
      continue;
    }
    if (whole && known && cell == before) {
      cell = after;
      continue;
    }
    uint32_t mask = whole ? ~0u : granuleMask(base, access.address, access.windowBytes, access.active);
    if (mask == 0)
      continue;
    if (cell.generation != generation) {
      cell = Cell();
      cell.generation = generation;
    }
    before = after = cell;
    bool ordered = check<Stores>(request, before, mask, {&conflicts, base});
    record<Stores>(request, after, mask);
    cell = after;
    known = whole && ordered && !before.olderLoads && !before.olderStores && !after.olderLoads &&
            !after.olderStores;
  }
}

template void ScopeShadow::accessAny<false>(Request &, const Cell &, std::vector<ScopeConflict> &);
template void ScopeShadow::accessAny<true>(Request &, const Cell &, std::vector<ScopeConflict> &);

} // namespace ptoscope
