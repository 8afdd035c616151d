//===- GatherFootprints.cpp - footprints of gathers, scatters and sorts ---===//
//
// When an instruction is issued its indices may not be there yet: bounds are those
// of everything an index can name. When it takes effect, observers get the very
// elements, and an index that names none is a finding.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "Indexed.h"
#include "pto/detail/modes.hpp"
#include "ptoscope/Support/Half.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ptoscope::tile {

namespace {
Extents validOf(const TileRef &tile) { return {tile.validRows, tile.validCols}; }
Region regionOf(Extents extents) { return {0, 0, extents.rows, extents.cols}; }

/// Joins elements that are neighbours in row-major order into one region.
class Runs {
public:
  template <typename Tell> void add(int64_t element, int64_t cols, Tell tell) {
    if (length > 0 && element == first + length && element % cols != 0) {
      ++length;
      return;
    }
    flush(cols, tell);
    first = element;
    length = 1;
  }
  template <typename Tell> void flush(int64_t cols, Tell tell) {
    if (length > 0)
      tell(Region{first / cols, first % cols, 1, length});
    length = 0;
  }

private:
  int64_t first = 0, length = 0;
};

/// Elements of tile `i` that the indices of tile 2 name over `shape`.
void tellIndexed(const Operands &ops, size_t i, Role role, Extents shape, Footprint &footprint) {
  const TileRef &tile = ops.tile[i].ref;
  footprint.tile(2, regionOf(shape), Role::Index);
  if (!footprint.exact())
    return footprint.tile(i, wholeTile(tile), role);
  const int64_t count = flatCount(tile);
  const auto tell = [&](const Region &region) { footprint.tile(i, region, role); };
  Runs runs;
  forEachIndex(ops.tile[2], shape, [&](int64_t r, int64_t c, uint64_t index) {
    if (index < uint64_t(count))
      runs.add(int64_t(index), tile.cols, tell);
    else
      footprint.outside(say::kIndexOutside("index", index, r, c, count, "elements in the tile"));
  });
  runs.flush(tile.cols, tell);
}

/// IRGATHER-6: the index is the row, the column stays.
void tellRowScatter(const Operands &ops, Extents shape, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref;
  const Extents own = capacityOf(dst);
  footprint.tile(2, regionOf(shape), Role::Index);
  if (!footprint.exact())
    return footprint.tile(0, wholeTile(dst), Role::Write);
  forEachIndex(ops.tile[2], shape, [&](int64_t r, int64_t c, uint64_t index) {
    if (index < uint64_t(own.rows) && c < own.cols)
      footprint.tile(0, {int64_t(index), c, 1, 1}, Role::Write);
    else
      footprint.outside(say::kIndexOutside("index", index, r, c, own.rows, "rows in the tile"));
  });
}

} // namespace

void tgatherFootprint(const Operands &ops, Footprint &footprint) {
  tellIndexed(ops, 1, Role::Read, validOf(ops.tile[0].ref), footprint);
}
void tscatterFootprint(const Operands &ops, Footprint &footprint) {
  const Extents shape = validOf(ops.tile[2].ref);
  footprint.tile(1, regionOf(shape), Role::Read);
  if (ops.rules == Rules::Text && shape.rows && shape.cols)
    footprint.tile(0, wholeTile(ops.tile[0].ref), Role::Write);
  if (ops.rules == Rules::TextOfA3)
    return tellRowScatter(ops, shape, footprint);
  tellIndexed(ops, 0, Role::Write, shape, footprint);
}

/// The elements that the pattern takes; the destination as far as they reach.
void tgathermaskFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  const Pattern pattern = patternOf(ops.mode);
  const int64_t perRow = pattern.count(src.validCols), cols = dst.validCols;
  const bool ofRows = ops.mode & kPatternOfRows;
  if (ops.isText() && !ofRows) { // IRGATHER-2: row by row
    const int64_t rows = std::min(dst.validRows, src.validRows), taken = std::min(perRow, cols);
    footprint.tile(0, {0, 0, rows, taken}, Role::Write);
    if (!footprint.exact() || pattern.period == 1)
      return footprint.tile(1, {0, 0, rows, taken > 0 ? pattern.first + (taken - 1) * pattern.period + 1 : 0},
                            Role::Read);
    for (int64_t k = 0; k < taken; ++k)
      footprint.tile(1, {0, pattern.first + k * pattern.period, rows, 1}, Role::Read);
    return;
  }
  if (ofRows) { // HMEAN-25
    const int64_t rows = std::min<int64_t>(pattern.count(src.validRows), dst.validRows);
    const int64_t width = std::min(src.validCols, dst.validCols);
    footprint.tile(0, {0, 0, rows, width}, Role::Write);
    for (int64_t k = 0; k < rows; ++k)
      footprint.tile(1, {pattern.first + k * pattern.period, 0, 1, width}, Role::Read);
    return;
  }
  const int64_t total = std::min<int64_t>(perRow * src.validRows, int64_t(dst.validRows) * cols);
  if (total <= 0)
    return;
  footprint.tile(0, {0, 0, total / cols, cols}, Role::Write);
  footprint.tile(0, {total / cols, 0, total % cols > 0, total % cols}, Role::Write);
  if (!footprint.exact() || pattern.period == 1)
    return footprint.tile(1, {0, 0, (total + perRow - 1) / perRow, src.validCols}, Role::Read);
  for (int64_t k = 0; k < perRow; ++k)
    footprint.tile(1, {0, pattern.first + k * pattern.period, (total - k + perRow - 1) / perRow, 1}, Role::Read);
}
void tscattermaskFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  if (ops.mode & kPatternOfRows) { // HMEAN-26
    const int64_t rows = std::min<int64_t>(patternOf(ops.mode).count(dst.validRows), src.validRows);
    return footprint.tile(1, {0, 0, rows, dst.validCols}, Role::Read);
  }
  footprint.tile(1, {0, 0, dst.validRows, patternOf(ops.mode).count(dst.validCols)}, Role::Read);
}

/// An element of up to 32 bits as a number.
static double numberOf(Elem elem, uint64_t bits) {
  const unsigned unused = 64 - bitsOf(elem);
  switch (elem) {
  case Elem::f32:
    return std::bit_cast<float>(uint32_t(bits));
  case Elem::f16:
    return f16ToF32(uint16_t(bits));
  case Elem::bf16:
    return bf16ToF32(uint16_t(bits));
  case Elem::i8:
  case Elem::i16:
  case Elem::i32:
    return double(int64_t(bits << unused) >> unused);
  default:
    return double(bits << unused >> unused);
  }
}

/// How far a row is written is known when the instruction takes effect.
void tgathercmpFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref;
  const TileView &src = ops.tile[2];
  const int64_t rows = src.ref.validRows, room = std::min(dst.validCols, src.ref.validCols);
  if (!footprint.exact())
    return footprint.tile(0, {0, 0, rows, room}, Role::Write);
  constexpr uint32_t kEqual = 0;
  const double wanted = numberOf(src.ref.elem, ops.scalar[0]);
  const Map map = tileMap(src.ref);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t found = 0;
    for (int64_t c = 0; c < src.ref.validCols; ++c) {
      const double value = numberOf(src.ref.elem, indexAt(src, map, r, c));
      found += ops.mode == kEqual ? value == wanted : value > wanted;
    }
    footprint.tile(0, {r, 0, 1, std::min(found, room)}, Role::Write);
  }
}

void tgatherbFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref, &offsets = ops.tile[2].ref;
  const int64_t blocks = blocksOf(dst), total = blocks * dst.validRows, cols = offsets.validCols;
  if (total <= 0 || cols <= 0)
    return;
  footprint.tile(2, {0, 0, total / cols, cols}, Role::Index);
  footprint.tile(2, {total / cols, 0, total % cols > 0, total % cols}, Role::Index);
  const int64_t room = bytesFor(src.elem, flatCount(src));
  if (!footprint.exact())
    return footprint.tile(1, wholeTile(src), Role::Read);
  const Map where = tileMap(offsets);
  const int64_t rowBytes = bytesFor(dst.elem, dst.validCols);
  for (int64_t b = 0; b < total; ++b) {
    const uint64_t offset = indexAt(ops.tile[2], where, b / cols, b % cols);
    const int64_t bytes = std::min<int64_t>(32, rowBytes - b % blocks * 32);
    if (room >= bytes && offset <= uint64_t(room - bytes))
      footprint.tileBytes(1, int64_t(offset), bytes, Role::Read);
    else
      footprint.outside(say::kIndexOutside("byte offset", offset, b / cols, b % cols, room - bytes + 1,
                                           "places for a block in the tile"));
  }
}

/// Elements of the view that the indices of tile 1 name for the region of tile 0.
static void tellViewIndices(const Operands &ops, DirectRole role, Footprint &footprint) {
  const IndexMode mode = IndexMode::unpack(ops.mode);
  const TileRef &data = ops.tile[0].ref;
  const TileView &indices = ops.tile[1];
  const Coverage view = coverage(ops.global.ref);
  const int64_t rows = data.validRows;
  const Region named = !mode.byRow                  ? validRegion(data)
                       : indices.ref.validCols == 1 ? Region{0, 0, rows, 1}
                                                    : Region{0, 0, rows > 0, rows};
  footprint.tile(1, named, Role::Index);
  if (rows <= 0 || data.validCols <= 0)
    return;
  if (!footprint.exact())
    return footprint.global({0, 0, view.rows, view.cols}, role);
  const bool refuses = mode.outside == Outside::Refuse;
  constexpr auto outsideView = say::kIndexOutside.as("gm-out-of-bounds");
  if (mode.byRow) {
    const Map where = tileMap(indices.ref);
    for (int64_t r = 0; r < rows; ++r) {
      const Place at = rowIndexPlace(indices.ref, r);
      const uint64_t index = indexAt(indices, where, at.row, at.col);
      const int64_t row = resolve(index, view.rows, mode.outside);
      if (row >= 0)
        footprint.global({row, 0, 1, std::min<int64_t>(data.validCols, view.cols)}, role);
      else if (refuses)
        footprint.outside(outsideView("index", index, at.row, at.col, view.rows, "rows in the view"));
    }
    return;
  }
  const int64_t count = view.rows * view.cols;
  std::vector<uint64_t> elements;
  if (footprint.tellsRegions())
    elements.reserve(size_t(rows) * size_t(data.validCols));
  forEachIndex(indices, validOf(data), [&](int64_t r, int64_t c, uint64_t index) {
    const int64_t i = resolve(index, count, mode.outside);
    if (i >= 0 && footprint.tellsRegions())
      elements.push_back(uint64_t(i));
    else if (i < 0 && refuses)
      footprint.outside(outsideView("index", index, r, c, count, "elements in the view"));
  });
  footprint.globalElements(elements, role);
}

/// HMEAN-29: indices in global memory, for the region of tile 0.
static void tellIndicesOfView(const Operands &ops, IndexMode mode, Footprint &footprint) {
  const TileRef &data = ops.tile[0].ref;
  const GlobalRef indices = indexViewOf(ops);
  const Coverage view = coverage(ops.global.ref), named = coverage(indices);
  const int64_t rows = data.validRows, cols = data.validCols;
  if (rows <= 0 || cols <= 0)
    return;
  if (mode.byRow) {
    const int64_t perRow = std::max<int64_t>(named.cols, 1);
    footprint.indexView(indices, {0, 0, rows / perRow, perRow});
    footprint.indexView(indices, {rows / perRow, 0, rows % perRow > 0, rows % perRow});
  } else {
    footprint.indexView(indices, {0, 0, rows, cols});
  }
  if (!footprint.exact())
    return footprint.global({0, 0, view.rows, view.cols}, DirectRole::Read);
  constexpr auto outsideView = say::kIndexOutside.as("gm-out-of-bounds");
  const Map where = globalMap(indices);
  const auto indexAt = [&](int64_t r, int64_t c) {
    uint32_t index;
    std::memcpy(&index, static_cast<const uint8_t *>(indices.pointer) + where.offset(r, c) * 4, 4);
    return index;
  };
  const int64_t count = mode.byRow ? view.rows : view.rows * view.cols;
  std::vector<uint64_t> elements;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < (mode.byRow ? 1 : cols); ++c) {
      const int64_t perRow = std::max<int64_t>(named.cols, 1);
      const Place at = mode.byRow ? Place{r / perRow, r % perRow} : Place{r, c};
      const uint32_t index = indexAt(at.row, at.col);
      const int64_t i = resolve(index, count, mode.outside);
      if (i >= 0 && mode.byRow)
        footprint.global({i, 0, 1, std::min(cols, view.cols)}, DirectRole::Read);
      else if (i >= 0)
        elements.push_back(uint64_t(i));
      else if (mode.outside == Outside::Refuse)
        footprint.outside(outsideView("index", index, at.row, at.col, count,
                                      mode.byRow ? "rows in the view" : "elements in the view"));
    }
  footprint.globalElements(elements, DirectRole::Read);
}

void mgatherFootprint(const Operands &ops, Footprint &footprint) {
  if (const IndexMode mode = IndexMode::unpack(ops.mode); mode.fromView)
    return tellIndicesOfView(ops, mode, footprint);
  tellViewIndices(ops, DirectRole::Read, footprint);
}
void mscatterFootprint(const Operands &ops, Footprint &footprint) {
  tellViewIndices(ops, IndexMode::unpack(ops.mode).atomic != 0 ? DirectRole::Atomic : DirectRole::Write, footprint);
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// Elements of a record of 8 bytes.
static int64_t recordElements(const TileRef &tile) { return 64 / bitsOf(tile.elem); }

void tsortFootprint(const Operands &ops, Footprint &footprint) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref, &indices = ops.tile[2].ref;
  const int64_t full = roundUp(src.validCols, 32), written = ops.isText() ? full : src.validCols;
  const Region numbers = {0, 0, indices.validRows == 1 ? src.validRows > 0 : src.validRows, src.validCols};
  // HMEAN-36: dynamic extents, which types do not show.
  if (const Extents room = capacityOf(dst); !ops.isText() && written * recordElements(dst) > room.cols)
    return footprint.outside(say::kTileTooSmall(footprint.name(0), say::kShape(room.rows, room.cols),
                                                say::kShape(src.validRows, written * recordElements(dst))));
  footprint.tile(0, {0, 0, src.validRows, written * recordElements(dst)}, Role::Write);
  footprint.tile(2, numbers, Role::Read);
  // TSORT-3, IRSORT-2: published results put records of a large number first.
  if (full == src.validCols)
    return;
  if (!ops.isText())
    return footprint.outside(say::kPartialGroup(src.validCols, src.validCols % 32));
  const int64_t known = std::min<int64_t>(full, capacityOf(indices).cols);
  footprint.tile(2, {0, src.validCols, numbers.rows, known - src.validCols}, Role::Copy);
  footprint.outside(say::kFilledGroup(src.validCols, src.validCols % 32));
}
/// Where a merge stops is known only afterwards, so everything it may write counts.
void tmrgsortFootprint(const Operands &ops, Footprint &footprint) {
  int64_t elements = 0;
  for (size_t i = 2; i < ops.tiles; ++i)
    elements += ops.tile[i].ref.validCols;
  if (!ops.isText())
    elements = std::min<int64_t>(elements, ops.tile[0].ref.validCols); // HMEAN-34
  footprint.tile(0, {0, 0, elements > 0, elements}, Role::Write);
}
void tmrgsortrunsFootprint(const Operands &ops, Footprint &footprint) {
  if (!ops.isText()) {
    const TileRef &dst = ops.tile[0].ref;
    const auto run = uint32_t(uint32_t(ops.scalar[0]) / recordElements(dst));
    const int64_t records = run == 0 ? 0 : mergedRecords(dst, ops.tile[1].ref, run);
    return footprint.tile(0, {0, 0, records > 0, records * recordElements(dst)}, Role::Write);
  }
  footprint.tile(0, {0, 0, ops.tile[1].ref.validCols > 0, ops.tile[1].ref.validCols}, Role::Write);
}

} // namespace ptoscope::tile
