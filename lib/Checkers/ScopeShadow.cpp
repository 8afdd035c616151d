//===- ScopeShadow.cpp - order of accesses inside a vector scope ----------===//
//
// Per 32 bytes: the last store and every load since it. An older store needs no
// memory of its own: the newer one was checked against it, so whoever is
// ordered after the newer is ordered after both.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/ScopeShadow.h"
#include "ptoscope/Checkers/LocalShadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ptoscope {

namespace {

constexpr uint32_t kScalarTag = 1u << 31;
/// Past this number a scope execution is no longer checked.
constexpr uint32_t kLastNumber = ~0u - 1;

bool isScalar(AccessClass accessClass) { return accessClass == ScalarLoad || accessClass == ScalarStore; }

uint32_t tagOf(const LocalAccess &access) {
  return (access.site & ~kScalarTag) | (isScalar(access.accessClass) ? kScalarTag : 0);
}
SiteId siteOf(uint32_t tag) {
  uint32_t site = tag & ~kScalarTag;
  return site == (kNoSite & ~kScalarTag) ? kNoSite : site;
}
AccessClass storeClass(uint32_t tag) { return tag & kScalarTag ? ScalarStore : VectorStore; }
AccessClass loadClass(uint32_t tag) { return tag & kScalarTag ? ScalarLoad : VectorLoad; }
size_t indexOf(AccessClass accessClass) { return size_t(std::countr_zero(unsigned(accessClass))); }

void addConflict(std::vector<ScopeConflict> &list, SiteId first, AccessClass firstClass, uint64_t base,
                 uint32_t mask) {
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
      list.push_back({first, firstClass, begin, end});
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

ScopeShadow::ScopeShadow(uint32_t bytes) : cells((bytes + kBlockBytes - 1) / kBlockBytes) { begin(); }

void ScopeShadow::begin() {
  if (++generation == 0) { // wrapped: old cells could look current
    std::fill(cells.begin(), cells.end(), Cell());
    generation = 1;
  }
  next = 1;
  exhausted = false;
  fences = {};
  nodes.assign(1, Node());
  children.clear();
  older.clear();
  visited.clear();
  query = 0;
}

uint32_t ScopeShadow::nextNumber(Node node) {
  if (next < kMaxNodes)
    nodes.push_back(node);
  if (next == kLastNumber)
    exhausted = true;
  else
    ++next;
  return next - 1;
}

void ScopeShadow::pushOlder(uint32_t &head, uint32_t number, uint32_t mask, uint32_t tag) {
  if (older.size() >= kMaxOlder)
    return;
  older.push_back({number, mask, tag, head});
  head = uint32_t(older.size());
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
  uint32_t number = nextNumber(Node());
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
  Node node;
  node.children = uint32_t(children.size());
  for (uint32_t i = 0; i < count; ++i)
    if (stamps[i] != 0 && stamps[i] < next)
      children.push_back(stamps[i]);
  node.childCount = uint32_t(children.size()) - node.children;
  return nextNumber(node);
}

/// Visits what `stack` reaches, as far as it may contain `load`: what a node
/// contains has lower numbers, so only nodes made after the load matter. True
/// when the load is among them.
bool ScopeShadow::search(uint32_t load) {
  visited.resize(nodes.size());
  ++query;
  bool found = false;
  while (!stack.empty()) {
    uint32_t at = stack.back();
    stack.pop_back();
    if (at < load || at >= nodes.size() || visited[at] == query)
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

void ScopeShadow::checkStore(Request &request, uint32_t number, uint32_t mask, uint32_t tag, uint64_t base) {
  AccessClass prior = storeClass(tag), later = request.access.accessClass;
  if (mask == 0 || (isScalar(prior) && isScalar(later)) || fenced(prior, later, number))
    return;
  ++conflictCount;
  addConflict(request.conflicts, siteOf(tag), prior, base, mask);
}

void ScopeShadow::checkLoad(Request &request, uint32_t number, uint32_t mask, uint32_t tag, uint64_t base) {
  AccessClass prior = loadClass(tag), later = request.access.accessClass;
  if (mask == 0 || (isScalar(prior) && isScalar(later)) || fenced(prior, later, number) ||
      derives(request, number))
    return;
  ++conflictCount;
  addConflict(request.conflicts, siteOf(tag), prior, base, mask);
}

/// Calls fn(cell, mask, base) for every cell the access touches. A whole cell
/// that this scope execution has not touched becomes `fresh` without a call.
/// Neighbours are mostly alike: while old states are the same and fn found
/// nothing and made no list, the new state is copied.
template <typename Fn> void ScopeShadow::forEachCell(const LocalAccess &access, const Cell &fresh, Fn fn) {
  uint64_t size = cells.size() * uint64_t(kBlockBytes);
  if (access.windowBytes == 0 || access.address >= size || exhausted)
    return;
  uint64_t bytes = std::min<uint64_t>(access.windowBytes, size - access.address);
  uint64_t first = access.address / kBlockBytes, last = (access.address + bytes - 1) / kBlockBytes;
  bool aligned = !access.active && access.address % kBlockBytes == 0 && bytes % kBlockBytes == 0;
  Cell *const all = cells.data();
  if (aligned) {
    const Cell value = fresh;
    while (first <= last && all[first].generation != value.generation)
      std::memcpy(&all[first++], &value, sizeof(Cell));
  }
  Cell before, after;
  bool known = false;
  for (uint64_t index = first; index <= last; ++index) {
    Cell &cell = all[index];
    bool untouched = cell.generation != fresh.generation;
    if (aligned && untouched) {
      cell = fresh;
      continue;
    }
    if (known && std::memcmp(&cell, &before, sizeof(Cell)) == 0) {
      cell = after;
      continue;
    }
    uint64_t base = index * kBlockBytes;
    uint32_t mask = aligned ? ~0u : granuleMask(base, access.address, bytes, access.active);
    if (mask == 0)
      continue;
    if (untouched) {
      cell = Cell();
      cell.generation = fresh.generation;
    }
    before = cell;
    uint64_t conflictsBefore = conflictCount;
    fn(cell, mask, base);
    after = cell;
    known = aligned && conflictCount == conflictsBefore && !before.olderLoads && !before.olderStores &&
            !after.olderLoads && !after.olderStores;
  }
}

uint32_t ScopeShadow::load(const LocalAccess &access, std::vector<ScopeConflict> &conflicts) {
  uint32_t tag = tagOf(access);
  bool tracked = next < kMaxNodes;
  Node node;
  node.tag = tag;
  Request request{access, nextNumber(node), nullptr, 0, 0, conflicts};
  Cell fresh;
  fresh.generation = generation;
  if (tracked) {
    fresh.loadNumber = request.number;
    fresh.loadMask = ~0u;
  }
  forEachCell(access, fresh, [&](Cell &cell, uint32_t mask, uint64_t base) {
    checkStore(request, cell.storeNumber, cell.storeMask & mask, cell.storeTag, base);
    for (uint32_t at = cell.olderStores; at; at = older[at - 1].next)
      checkStore(request, older[at - 1].number, older[at - 1].mask & mask, older[at - 1].tag, base);
    if (!tracked)
      return;
    if (cell.loadMask)
      pushOlder(cell.olderLoads, cell.loadNumber, cell.loadMask, nodes[cell.loadNumber].tag);
    cell.loadNumber = request.number;
    cell.loadMask = mask;
  });
  return tracked ? request.number : kAnyStamp;
}

void ScopeShadow::store(const LocalAccess &access, const uint32_t *stamps, uint32_t stampCount,
                        std::vector<ScopeConflict> &conflicts) {
  uint32_t tag = tagOf(access);
  Request request{access, nextNumber(Node()), stamps, stampCount, 0, conflicts};
  Cell fresh;
  fresh.generation = generation;
  fresh.storeNumber = request.number;
  fresh.storeMask = ~0u;
  fresh.storeTag = tag;
  forEachCell(access, fresh, [&](Cell &cell, uint32_t mask, uint64_t base) {
    // Bytes loaded since their last store need no look at that store: the load
    // was checked against it, and this store is checked against the load.
    uint32_t loaded = cell.loadMask;
    for (uint32_t at = cell.olderLoads; at; at = older[at - 1].next)
      loaded |= older[at - 1].mask;
    uint32_t notLoaded = mask & ~loaded;
    checkStore(request, cell.storeNumber, cell.storeMask & notLoaded, cell.storeTag, base);
    for (uint32_t at = cell.olderStores; at; at = older[at - 1].next)
      checkStore(request, older[at - 1].number, older[at - 1].mask & notLoaded, older[at - 1].tag, base);
    if (cell.loadMask & mask)
      checkLoad(request, cell.loadNumber, cell.loadMask & mask, nodes[cell.loadNumber].tag, base);
    for (uint32_t at = cell.olderLoads; at; at = older[at - 1].next)
      checkLoad(request, older[at - 1].number, older[at - 1].mask & mask, older[at - 1].tag, base);

    cell.loadMask &= ~mask;
    if (cell.olderLoads)
      trim(cell.olderLoads, mask);
    if (cell.olderStores)
      trim(cell.olderStores, mask);
    if (cell.storeMask & ~mask)
      pushOlder(cell.olderStores, cell.storeNumber, cell.storeMask & ~mask, cell.storeTag);
    cell.storeNumber = request.number;
    cell.storeMask = mask;
    cell.storeTag = tag;
  });
}

} // namespace ptoscope
