//===- Descriptors.cpp - what text does to tiles and views ----------------===//

#include "ptoscope/Tile/Descriptors.h"

#include "Footprint.h"

#include <algorithm>

namespace ptoscope::tile {

int32_t Descriptors::tell(const Fact &fact) const {
  if (core)
    return reportAt(core, site, fact, /*fatal=*/false);
  if (!problem->code)
    *problem = fact;
  return 0;
}
int32_t Descriptors::end(const Fact &fact) const {
  return core ? reportAt(core, site, fact, /*fatal=*/true) : (tell(fact), 1);
}

static bool fits(int64_t begin, int64_t n, int64_t end) { return begin >= 0 && n >= 0 && n <= end && begin <= end - n; }

/// Limits an extent to that of the tile. Nonzero: stop.
int32_t Descriptors::setExtent(int32_t &extent, int64_t value, int64_t capacity, const char *which) const {
  extent = int32_t(std::clamp<int64_t>(value, 0, capacity));
  if (value == extent) [[likely]]
    return 0;
  return tell(value < 0 ? say::kTileExtentNegative(value, which) : say::kTileExtent(value, which, capacity));
}

int32_t Descriptors::setValid(TileRef &tile, int64_t rows, int64_t cols) const {
  const Extents room = capacityOf(tile);
  if (int32_t status = setExtent(tile.validRows, rows, room.rows, "rows")) [[unlikely]]
    return status;
  return setExtent(tile.validCols, cols, room.cols, "columns");
}

int64_t storageBytes(const TileRef &tile) {
  const Extents room = capacityOf(tile);
  return bytesFor(tile.elem, tileEnd(tile, room.rows, room.cols));
}

int64_t Descriptors::bytesOf(Space space) const {
  if (space == Space::None)
    return 0;
  return core ? localBytes(core, space) : profile->bytes[size_t(space)];
}

int32_t Descriptors::setAddress(TileRef &tile, int64_t address) const {
  const Space space = spaceOf(tile.location);
  if (const Fact found = placeProblem(tile, address, bytesOf(space)); found.code)
    return end(found);
  tile.address = uint32_t(address);
  if (core)
    tile.storage =
        numberOf(core, {space, site, tile.address, uint64_t(address + storageBytes(tile)), bitsOf(tile.elem)});
  return 0;
}

int32_t Descriptors::alloc(TileRef &ref, int64_t address, int64_t validRows, int64_t validCols) const {
  const bool rowsKnown = validRows != PTO_EXTENT_UNSET, colsKnown = validCols != PTO_EXTENT_UNSET;
  int32_t status = setValid(ref, rowsKnown ? validRows : 0, colsKnown ? validCols : 0);
  if (!status)
    status = setAddress(ref, address);
  if (!rowsKnown)
    ref.validRows = -1;
  if (!colsKnown)
    ref.validCols = -1;
  return status;
}

int32_t Descriptors::subview(TileRef &result, const TileRef &source, int64_t row, int64_t col, int64_t rows,
                             int64_t cols, int64_t validRows, int64_t validCols) const {
  TileRef ref = source;
  const Extents room = roomOf(ref);
  if (!fits(row, rows, room.rows) || !fits(col, cols, room.cols))
    return end(say::kSubviewOutside(say::kShape(rows, cols), row, col, say::kShape(room.rows, room.cols)));
  const Extents box = innerBox(ref.elem, SLayout(ref.innerLayout), ref.fractalBytes);
  if (row % box.rows != 0 || col % box.cols != 0)
    return end(say::kSubviewBox(row, col, say::kShape(box.rows, box.cols), "ALIAS-4"));
  const int64_t bits = tileMap(ref).offset(row, col) * int64_t(bitsOf(ref.elem));
  if (bits % 8 != 0)
    return end(say::kSubviewByte(col));
  ref.address += uint32_t(bits / 8);
  // A compact tile is one whose extents are those of its valid boxes.
  if (CompactMode(ref.compact) == CompactMode::Normal && SLayout(ref.innerLayout) != SLayout::NoneBox) {
    ref.rows = room.rows;
    ref.cols = room.cols;
    ref.compact = uint8_t(CompactMode::Null);
  }
  ref.beyondRows = ref.rows - int32_t(rows);
  ref.beyondCols = ref.cols - int32_t(cols);
  int32_t status = setValid(ref, validRows, validCols);
  result = ref;
  return status;
}

int32_t Descriptors::reshape(TileRef &ref, const TileRef &from) const {
  const Extents had = capacityOf(from), has = {ref.rows, ref.cols};
  if (from.beyondRows || from.beyondCols) {
    const bool same = had.rows == has.rows && had.cols == has.cols && bitsOf(from.elem) == bitsOf(ref.elem) &&
                      from.blockLayout == ref.blockLayout && from.innerLayout == ref.innerLayout &&
                      from.fractalBytes == ref.fractalBytes && from.compact == ref.compact;
    if (same) {
      ref.rows = from.rows;
      ref.cols = from.cols;
      ref.beyondRows = from.beyondRows;
      ref.beyondCols = from.beyondCols;
    } else if (storageBytes(from) != bytesFor(from.elem, int64_t(had.rows) * had.cols)) {
      return end(say::kReshapeWindow(say::kShape(had.rows, had.cols), say::kShape(from.rows, from.cols)));
    }
  }
  ref.address = from.address;
  ref.storage = from.storage;
  if (ref.validRows < 0)
    ref.validRows = std::min(from.validRows, has.rows);
  if (ref.validCols < 0)
    ref.validCols = std::min(from.validCols, has.cols);
  return 0;
}

int32_t Descriptors::assign(TileRef &result, const TileRef &source, int64_t address) const {
  TileRef ref = source;
  int32_t status = setAddress(ref, address);
  result = ref;
  return status;
}

int32_t Descriptors::element(const TileRef &tile, int64_t index, std::optional<uint64_t> &address) const {
  const int64_t bytes = bitsOf(tile.elem) / 8, elements = bytes ? storageBytes(tile) / bytes : 0;
  if (index < 0 || index >= elements) [[unlikely]]
    return tell(say::kTileElement(index, elements));
  address = tile.address + uint64_t(index * bytes);
  return 0;
}

int32_t Descriptors::slot(TileRef &result, const TileRef &first, int64_t k, int64_t count) const {
  if (k < 0 || k >= count)
    return end(say::kNoSuchSlot(k, count));
  result = first;
  const int64_t address = first.address + k * bytesFor(first.elem, int64_t(first.rows) * first.cols);
  if (const Fact found = placeProblem(result, address, bytesOf(spaceOf(first.location))); found.code)
    return end(found);
  result.address = uint32_t(address);
  return 0;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// VIEW-5: the layouts that extents and strides allow.
struct Strides {
  bool nz, nd;
  bool rows, columns; ///< the last two dimensions are contiguous row by row, column by column; a vector is both
  bool isRow;         ///< of one row
  Layout layout() const { return nz ? Layout::NZ : !nd && columns && !isRow ? Layout::DN : Layout::ND; }
  /// VIEW-6; boxes may have any height (IRLOAD-4).
  bool contradict(Layout said) const {
    return said == Layout::ND ? columns && !rows : said == Layout::DN ? nd && !columns : false;
  }
};
static Strides stridesOf(const GlobalRef &view, bool rank5) {
  const int64_t *n = view.shape, *s = view.stride;
  const bool nz = rank5 && n[2] == 16 && n[3] == 512 * 8 / 16 / bitsOf(view.elem) && s[4] == 1 && s[3] == n[4];
  int64_t product = 1;
  bool nd = true;
  for (int k = 4; k >= 0 && nd; --k) {
    nd = n[k] == 1 || s[k] == product;
    product = extentProduct(product, n[k]);
  }
  const bool rows = (n[4] == 1 || s[4] == 1) && (n[3] == 1 || s[3] == n[4]);
  const bool columns = (n[3] == 1 || s[3] == 1) && (n[4] == 1 || s[4] == n[3]);
  return {nz, nd, rows, columns, n[3] == 1};
}

int32_t Descriptors::make(GlobalRef &ref) const {
  for (int k = 0; k < 5; ++k)
    if (ref.shape[k] < 0)
      return end(say::kViewExtent(say::dimension(k), ref.shape[k]));
  const Strides strides = stridesOf(ref, ref.layout != PTO_LAYOUT_OF_OTHERS);
  if (ref.layout >= PTO_LAYOUT_OF_OTHERS)
    ref.layout = uint8_t(strides.layout());
  else if (strides.contradict(Layout(ref.layout)))
    return tell(say::kLayoutContradicted());
  return 0;
}

int32_t Descriptors::part(GlobalRef &result, const GlobalRef &source, const int64_t *offsets,
                          const int64_t *sizes) const {
  GlobalRef ref = source;
  __int128 elements = 0;
  for (int k = 0; k < 5; ++k) {
    if (!fits(offsets[k], sizes[k], ref.shape[k]))
      return end(say::kPartition(sizes[k], say::dimension(k), offsets[k], ref.shape[k]));
    elements += __int128(offsets[k]) * ref.stride[k];
    ref.shape[k] = sizes[k];
  }
  constexpr __int128 kFar = __int128(1) << 56;
  if (elements > kFar || elements < -kFar)
    return end(say::kPartAddress());
  ref.pointer = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(ref.pointer) +
                                         uint64_t(int64_t(elements) * int64_t(bitsOf(ref.elem)) / 8));
  result = ref;
  return 0;
}

} // namespace ptoscope::tile
