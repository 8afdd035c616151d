//===- Sort.cpp - records by descending score -----------------------------===//
//
// TSORT32 and TMRGSORT (TSORT-1 to TSORT-5) on the sorting of
// the Machine. A record is 8 bytes of a row: score, then index.
//
//===----------------------------------------------------------------------===//

#include "../../Machine/Sort/Sort.h"
#include "../Indexed.h"
#include "Kernels.h"
#include "Walk.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
/// Merges lists of records at `from` into at most `room` of them at `records`.
void merge(uint32_t scoreBytes, const uint8_t *const (&from)[kMergeLists], const uint32_t (&length)[kMergeLists],
           bool suspends, uint32_t room, uint8_t *records, uint32_t (&taken)[kMergeLists]) {
  // No function of <array>: it would be compiled for this level only, and shared.
  const Sort sort = {.merges = true,
                     .scoreBytes = scoreBytes,
                     .length = {length[0], length[1], length[2], length[3]},
                     .suspends = suspends,
                     .room = room};
  const std::array<const uint8_t *, kMergeLists> lists = {from[0], from[1], from[2], from[3]};
  std::array<uint32_t, kMergeLists> counts = {};
  mergeLists(sort, lists, records, counts);
  __builtin_memcpy(taken, &counts, sizeof(taken));
}
} // namespace

// dst, src, indices [, scratch]: each 32 columns of a row. Of a last group that is
// not full, what it has is sorted and written; in text missing scores are large numbers
// (IRSORT-2). One row of indices serves all rows.
void tsort(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1], &indices = ops.tile[2];
  const Map to = tileMap(dst.ref), from = tileMap(src.ref), where = tileMap(indices.ref);
  const unsigned bits = bitsOf(src.ref.elem);
  const uint32_t width = bits / 8;
  // What a compiler makes of the bits of -inf: 4286578688 and 64512, as numbers.
  const uint64_t missing = bits == 32 ? 0x4f7f8000 : 0x7be0;
  for (int64_t r = 0; r < src.ref.validRows; ++r)
    for (int64_t c = 0; c < src.ref.validCols; c += kSortGroup) {
      const int64_t there = smaller(kSortGroup, src.ref.validCols - c), n = ops.isText() ? kSortGroup : there;
      uint8_t scores[kSortGroup * 4], numbers[kSortGroup * 4] = {}, records[kSortGroup * kRecordBytes];
      // Negative NaNs come last, and the missing ones after those that are there.
      __builtin_memset(scores, 0xff, sizeof(scores));
      for (int64_t k = 0; k < n; ++k) {
        const uint64_t score = k < there ? loadElement(bits, src.data, from.offset(r, c + k)) : missing;
        const int64_t row = indices.ref.validRows == 1 ? 0 : r;
        const bool numbered = k < there || c + k < capacityOf(indices.ref).cols;
        const uint64_t number = numbered ? loadElement(32, indices.data, where.offset(row, c + k)) : 0;
        __builtin_memcpy(scores + k * width, &score, width);
        __builtin_memcpy(numbers + k * 4, &number, 4);
      }
      sortGroup(width, scores, numbers, records);
      const int64_t elements = kRecordBytes / width;
      __builtin_memcpy(dst.data + to.offset(r, c * elements) * width, records, size_t(n) * kRecordBytes);
    }
}

// dst, scratch, lists …; mode 1 ends with the first list that is used up. Scalar 0
// is where four counts of 16 bits go, if anywhere.
void tmrgsort(const Operands &ops) {
  const uint32_t width = bitsOf(ops.tile[0].ref.elem) / 8;
  const uint8_t *lists[kMergeLists] = {};
  uint32_t length[kMergeLists] = {}, taken[kMergeLists];
  for (size_t i = 0; i < kMergeLists && i + 2 < ops.tiles; ++i) {
    lists[i] = ops.tile[i + 2].data;
    length[i] = uint32_t(ops.tile[i + 2].ref.validCols) * width / kRecordBytes;
  }
  // HMEAN-34: a short result ends the merge; in text it has room for all.
  const uint32_t room = ops.isText() ? UINT32_MAX : uint32_t(ops.tile[0].ref.validCols) * width / kRecordBytes;
  merge(width, lists, length, ops.mode != 0, room, ops.tile[0].data, taken);
  if (auto *counts = reinterpret_cast<uint16_t *>(ops.scalar[0]))
    for (size_t i = 0; i < kMergeLists; ++i) {
      const uint16_t count = uint16_t(taken[i]);
      __builtin_memcpy(counts + i, &count, sizeof(count));
    }
}

// dst, src; scalar 0 is the length of a run in elements. Every four runs that
// follow each other become one; in text the last ones may be fewer or shorter, in C++ they
// are left alone (HMEAN-35).
void tmrgsortruns(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  const uint32_t width = bitsOf(dst.ref.elem) / 8, run = uint32_t(ops.scalar[0]) * width / kRecordBytes;
  uint32_t total = uint32_t(src.ref.validCols) * width / kRecordBytes;
  if (!ops.isText())
    total = run == 0 ? 0 : mergedRecords(dst.ref, src.ref, run);
  for (uint32_t first = 0; run > 0 && first < total; first += kMergeLists * run) {
    const uint8_t *lists[kMergeLists] = {};
    uint32_t length[kMergeLists] = {}, taken[kMergeLists];
    for (uint32_t i = 0, at = first; i < kMergeLists && at < total; ++i, at += run) {
      lists[i] = src.data + size_t(at) * kRecordBytes;
      length[i] = uint32_t(smaller(run, total - at));
    }
    merge(width, lists, length, false, UINT32_MAX, dst.data + size_t(first) * kRecordBytes, taken);
  }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
