//===- Sort.cpp - what the sorting instructions compute -------------------===//
//
// Plain functions on bytes: SORT-9 to SORT-14.
//
//===----------------------------------------------------------------------===//

#include "Sort/Sort.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

uint32_t scoreKey(const uint8_t *score, uint32_t scoreBytes) {
  // An f16 score in the upper half of the word: the order is that of f32 then.
  uint32_t bits = 0;
  for (uint32_t i = 0; i < scoreBytes; ++i)
    bits |= uint32_t(score[i]) << (8 * (4 - scoreBytes + i));
  return bits >> 31 ? ~bits : bits | uint32_t(1) << 31;
}

void sortGroup(uint32_t scoreBytes, const uint8_t *scores, const uint8_t *indices, uint8_t *records) {
  struct Item {
    uint32_t key, from;
  };
  std::array<Item, kSortGroup> items;
  for (uint32_t i = 0; i < kSortGroup; ++i)
    items[i] = {scoreKey(scores + i * scoreBytes, scoreBytes), i};
  std::sort(items.begin(), items.end(),
            [](const Item &a, const Item &b) { return a.key != b.key ? a.key > b.key : a.from < b.from; });
  for (uint32_t k = 0; k < kSortGroup; ++k) {
    uint8_t *record = records + k * kRecordBytes;
    std::memset(record, 0, 4); // f16: the reserved half
    std::memcpy(record, scores + items[k].from * scoreBytes, scoreBytes);
    std::memcpy(record + 4, indices + items[k].from * 4, 4);
  }
}

uint32_t mergeLists(const Sort &sort, const std::array<const uint8_t *, kMergeLists> &lists, uint8_t *records,
                    std::array<uint32_t, kMergeLists> &taken) {
  taken = {};
  std::array<uint32_t, kMergeLists> head{};
  auto look = [&](size_t list) {
    if (taken[list] < sort.length[list])
      head[list] = scoreKey(lists[list] + taken[list] * kRecordBytes, sort.scoreBytes);
  };
  for (size_t list = 0; list < kMergeLists; ++list)
    look(list);
  for (uint32_t written = 0;; ++written) {
    size_t best = kMergeLists;
    for (size_t list = 0; list < kMergeLists; ++list)
      if (taken[list] < sort.length[list] && (best == kMergeLists || head[list] > head[best]))
        best = list;
    if (best == kMergeLists || written == sort.room)
      return written;
    std::memcpy(records + written * kRecordBytes, lists[best] + taken[best] * kRecordBytes, kRecordBytes);
    ++taken[best];
    if (sort.suspends && taken[best] == sort.length[best])
      return written + 1;
    look(best);
  }
}

} // namespace ptoscope
