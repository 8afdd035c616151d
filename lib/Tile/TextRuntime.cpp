//===- TextRuntime.cpp - tiles and views of generated code ----------------===//

#include "Print.h"
#include "TextIssuer.h"

#include <algorithm>

using namespace ptoscope;
using namespace ptoscope::tile;

namespace {
int32_t tell(PtoContext *core, SiteId site, const Fact &fact) { return reportAt(core, site, fact, /*fatal=*/false); }
int32_t end(PtoContext *core, SiteId site, const Fact &fact) { return reportAt(core, site, fact, /*fatal=*/true); }

bool fits(int64_t begin, int64_t n, int64_t end) { return begin >= 0 && n >= 0 && n <= end && begin <= end - n; }

/// Limits an extent to that of the tile. Nonzero: stop.
int32_t setExtent(PtoContext *core, SiteId site, int32_t &extent, int64_t value, int64_t capacity, const char *which) {
  extent = int32_t(std::clamp<int64_t>(value, 0, capacity));
  if (value == extent) [[likely]]
    return 0;
  return tell(core, site,
              value < 0 ? say::kTileExtentNegative(value, which) : say::kTileExtent(value, which, capacity));
}

int32_t setValid(PtoContext *core, SiteId site, TileRef &tile, int64_t rows, int64_t cols) {
  const Extents room = capacityOf(tile);
  if (int32_t status = setExtent(core, site, tile.validRows, rows, room.rows, "rows")) [[unlikely]]
    return status;
  return setExtent(core, site, tile.validCols, cols, room.cols, "columns");
}

/// Bytes from the first element to the last one of the storage.
int64_t storageBytes(const TileRef &tile) {
  const Extents room = capacityOf(tile);
  return bytesFor(tile.elem, tileEnd(tile, room.rows, room.cols));
}

int32_t setAddress(PtoContext *core, SiteId site, TileRef &tile, int64_t address) {
  const Space space = spaceOf(tile.location);
  const int64_t bytes = space == Space::None ? 0 : localBytes(core, space);
  if (const Fact problem = placeProblem(tile, address, bytes); problem.code)
    return end(core, site, problem);
  tile.address = uint32_t(address);
  tile.storage = numberOf(core, {space, site, tile.address, uint64_t(address + storageBytes(tile)), bitsOf(tile.elem)});
  return 0;
}
} // namespace

int32_t ptosc_tile(PtoContext *core, uint32_t site, const PtoTileCall *call) {
  return TextIssuer::of(core).issue(site, *call);
}

int32_t ptosc_tile_alloc(PtoContext *core, uint32_t site, TileView *tile, int64_t address, int64_t validRows,
                         int64_t validCols) {
  TileRef &ref = tile->ref;
  const bool rowsKnown = validRows != PTO_EXTENT_UNSET, colsKnown = validCols != PTO_EXTENT_UNSET;
  int32_t status = setValid(core, site, ref, rowsKnown ? validRows : 0, colsKnown ? validCols : 0);
  if (!status)
    status = setAddress(core, site, ref, address);
  if (!rowsKnown)
    ref.validRows = -1;
  if (!colsKnown)
    ref.validCols = -1;
  return status;
}

int32_t ptosc_tile_valid(PtoContext *core, uint32_t site, TileView *tile, int64_t validRows, int64_t validCols) {
  return setValid(core, site, tile->ref, validRows, validCols);
}

int32_t ptosc_tile_subview(PtoContext *core, uint32_t site, TileView *result, const TileView *source, int64_t row,
                           int64_t col, int64_t rows, int64_t cols, int64_t validRows, int64_t validCols) {
  TileRef ref = source->ref;
  const Extents room = roomOf(ref);
  if (!fits(row, rows, room.rows) || !fits(col, cols, room.cols))
    return end(core, site, say::kSubviewOutside(say::kShape(rows, cols), row, col, say::kShape(room.rows, room.cols)));
  const Extents box = innerBox(ref.elem, SLayout(ref.innerLayout), ref.fractalBytes);
  if (row % box.rows != 0 || col % box.cols != 0)
    return end(core, site, say::kSubviewBox(row, col, say::kShape(box.rows, box.cols), "ALIAS-4"));
  const int64_t bits = tileMap(ref).offset(row, col) * int64_t(bitsOf(ref.elem));
  if (bits % 8 != 0)
    return end(core, site, say::kSubviewByte(col));
  ref.address += uint32_t(bits / 8);
  // A compact tile is one whose extents are those of its valid boxes.
  if (CompactMode(ref.compact) == CompactMode::Normal && SLayout(ref.innerLayout) != SLayout::NoneBox) {
    ref.rows = room.rows;
    ref.cols = room.cols;
    ref.compact = uint8_t(CompactMode::Null);
  }
  ref.beyondRows = ref.rows - int32_t(rows);
  ref.beyondCols = ref.cols - int32_t(cols);
  int32_t status = setValid(core, site, ref, validRows, validCols);
  result->ref = ref;
  return status;
}

int32_t ptosc_tile_reshape(PtoContext *core, uint32_t site, TileView *result, const TileView *source) {
  TileRef &ref = result->ref;
  const TileRef &from = source->ref;
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
      return end(core, site, say::kReshapeWindow(say::kShape(had.rows, had.cols), say::kShape(from.rows, from.cols)));
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

int32_t ptosc_tile_assign(PtoContext *core, uint32_t site, TileView *result, const TileView *source, int64_t address) {
  TileRef ref = source->ref;
  int32_t status = setAddress(core, site, ref, address);
  result->ref = ref;
  return status;
}

/// The address of an element of the storage; false: there is none, which was reported.
static bool elementAddress(PtoContext *core, SiteId site, const TileRef &tile, int64_t index, uint64_t &address,
                           int32_t &status) {
  const int64_t bytes = bitsOf(tile.elem) / 8, elements = bytes ? storageBytes(tile) / bytes : 0;
  address = tile.address + uint64_t(index * bytes);
  if (index >= 0 && index < elements)
    return true;
  status = tell(core, site, say::kTileElement(index, elements));
  return false;
}

int32_t ptosc_tile_get(PtoContext *core, uint32_t site, const TileView *tile, int64_t index, uint64_t *bits) {
  uint64_t address;
  int32_t status = 0;
  *bits = 0;
  if (!elementAddress(core, site, tile->ref, index, address, status))
    return status;
  return ptosc_load_scalar(core, site, uint32_t(spaceOf(tile->ref.location)), address, bitsOf(tile->ref.elem) / 8, 0,
                           bits);
}

int32_t ptosc_tile_set(PtoContext *core, uint32_t site, const TileView *tile, int64_t index, uint64_t bits) {
  uint64_t address;
  int32_t status = 0;
  if (!elementAddress(core, site, tile->ref, index, address, status))
    return status;
  return ptosc_store_scalar(core, site, uint32_t(spaceOf(tile->ref.location)), address, bitsOf(tile->ref.elem) / 8, 0,
                            bits);
}

int32_t ptosc_tile_slot(PtoContext *core, uint32_t site, TileView *result, const TileView *first, int64_t k,
                        int64_t count) {
  if (k < 0 || k >= count)
    return end(core, site, say::kNoSuchSlot(k, count));
  TileRef &ref = result->ref = first->ref;
  const int64_t address = ref.address + k * bytesFor(ref.elem, int64_t(ref.rows) * ref.cols);
  if (const Fact problem = placeProblem(ref, address, localBytes(core, spaceOf(ref.location))); problem.code)
    return end(core, site, problem);
  ref.address = uint32_t(address);
  return 0;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// VIEW-5: the layouts that extents and strides allow.
struct Strides {
  bool nz, nd, dn;
  Layout layout() const { return nz ? Layout::NZ : !nd && dn ? Layout::DN : Layout::ND; }
  /// VIEW-6; boxes may have any height (IRLOAD-4).
  bool contradict(Layout said) const { return said == Layout::ND ? dn && !nd : said == Layout::DN ? nd && !dn : false; }
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
  const bool dn = (n[3] == 1 || s[3] == 1) && (n[4] == 1 || s[4] == n[3]);
  return {nz, nd, dn};
}

int32_t ptosc_view_make(PtoContext *core, uint32_t site, GlobalView *view) {
  GlobalRef &ref = view->ref;
  for (int k = 0; k < 5; ++k)
    if (ref.shape[k] < 0)
      return end(core, site, say::kViewExtent(k, ref.shape[k]));
  const Strides strides = stridesOf(ref, ref.layout != PTO_LAYOUT_OF_OTHERS);
  if (ref.layout >= PTO_LAYOUT_OF_OTHERS)
    ref.layout = uint8_t(strides.layout());
  else if (strides.contradict(Layout(ref.layout)))
    return tell(core, site, say::kLayoutContradicted());
  return 0;
}

int32_t ptosc_view_part(PtoContext *core, uint32_t site, GlobalView *result, const GlobalView *source,
                        const int64_t *offsets, const int64_t *sizes) {
  GlobalRef ref = source->ref;
  __int128 elements = 0;
  for (int k = 0; k < 5; ++k) {
    if (!fits(offsets[k], sizes[k], ref.shape[k]))
      return end(core, site, say::kPartition(sizes[k], k, offsets[k], ref.shape[k]));
    elements += __int128(offsets[k]) * ref.stride[k];
    ref.shape[k] = sizes[k];
  }
  constexpr __int128 kFar = __int128(1) << 56;
  if (elements > kFar || elements < -kFar)
    return end(core, site, say::kPartAddress());
  ref.pointer = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(ref.pointer) +
                                         uint64_t(int64_t(elements) * int64_t(bitsOf(ref.elem)) / 8));
  result->ref = ref;
  return 0;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

int32_t ptosc_tile_order(PtoContext *core, uint32_t site) { return TextIssuer::of(core).orderAll(site); }

int32_t ptosc_tile_print(PtoContext *core, uint32_t site, const TileView *tile) {
  TextIssuer &issuer = TextIssuer::of(core);
  uint8_t *data = issuer.hostAddress(tile->ref, site);
  return data ? printTile(core, site, {data, tile->ref}) : 1;
}
