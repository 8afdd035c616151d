//===- GmCells.cpp - accesses to global memory without a pattern ----------===//

#include "ptoscope/Checkers/GmCells.h"

#include <algorithm>

namespace ptoscope {

uint32_t GmCells::numberOf(const Key &key) {
  auto [it, isNew] = keyNumbers.try_emplace(key, uint32_t(keys.size()));
  if (isNew)
    keys.push_back(key);
  return it->second;
}

void GmCells::add(uint32_t key, uint64_t order, const Box &box) {
  forEachBlock(box, [&](uint64_t address, uint32_t mask) { add(key, order, address, mask); });
}

void GmCells::add(uint32_t key, uint64_t order, uint64_t address, uint32_t mask) {
  addTo(headOf(address), key, order, mask);
}

void GmCells::addTo(uint32_t &head, uint32_t key, uint64_t order, uint32_t mask) {
  uint64_t bits = order << kKeyBits | key;
  Cell *same = nullptr;
  for (uint32_t *link = &head; *link;) {
    Cell &cell = cells[*link - 1];
    if (cell.key() == key) {
      if (cell.bits == bits)
        same = &cell;
      else if (cell.order() > order)
        mask &= ~cell.mask;
      else
        cell.mask &= ~mask;
    }
    if (cell.mask == 0) {
      freeCells.push_back(*link);
      *link = cell.next;
    } else {
      link = &cell.next;
    }
  }
  if (same) {
    same->mask |= mask;
    return;
  }
  if (mask == 0)
    return;
  uint32_t number;
  if (freeCells.empty()) {
    cells.emplace_back();
    number = uint32_t(cells.size());
  } else {
    number = freeCells.back();
    freeCells.pop_back();
  }
  cells[number - 1] = {bits, mask, head};
  head = number;
}

} // namespace ptoscope
