//===- Gm.cpp - lookup of global-memory objects ---------------------------===//
//
// A sorted table with binary search. Objects of size 0 hold no byte: they are
// never found, but can be the nearest.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Gm.h"

#include <algorithm>
#include <iterator>

namespace ptoscope {

uint64_t GmTable::add(uint8_t *host, uint64_t bytes, std::string name, bool readOnly) {
  uint64_t base = (uint64_t(nextIndex) + 1) * kSpacing;
  addAt(base, host, bytes, std::move(name), readOnly);
  return base;
}

void GmTable::addAt(uint64_t base, uint8_t *host, uint64_t bytes, std::string name, bool readOnly) {
  GmObject object{base, bytes, host, std::move(name), readOnly, nextIndex++};
  auto at = std::upper_bound(table.begin(), table.end(), base,
                             [](uint64_t address, const GmObject &o) { return address < o.base; });
  table.insert(at, std::move(object));
}

/// The last object that starts at or below `address`, as an iterator one past it.
static auto above(const std::vector<GmObject> &table, uint64_t address) {
  return std::upper_bound(table.begin(), table.end(), address,
                          [](uint64_t a, const GmObject &o) { return a < o.base; });
}

const GmObject *GmTable::find(uint64_t address) const {
  auto it = above(table, address);
  if (it != table.begin() && address - std::prev(it)->base < std::prev(it)->bytes)
    return &*std::prev(it);
  return address - other.base < other.bytes ? &other : nullptr;
}

void GmTable::admitOthers(std::string name) {
  constexpr uint64_t kFirst = 1 << 16, kLast = uint64_t(1) << 56;
  other = {kFirst, kLast - kFirst, reinterpret_cast<uint8_t *>(kFirst), std::move(name), false, nextIndex++};
}

const GmObject *GmTable::nearest(uint64_t address) const {
  if (table.empty())
    return nullptr;
  auto it = above(table, address);
  if (it == table.begin())
    return &*it;
  const GmObject *below = &*(it - 1);
  uint64_t past = address - below->base;
  uint64_t distanceBelow = past < below->bytes ? 0 : past - below->bytes;
  if (it == table.end() || distanceBelow <= it->base - address)
    return below;
  return &*it;
}

} // namespace ptoscope
