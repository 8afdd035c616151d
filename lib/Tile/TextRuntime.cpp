//===- TextRuntime.cpp - tiles and views of generated code ----------------===//

#include "Print.h"
#include "TextIssuer.h"
#include "ptoscope/Tile/Descriptors.h"

using namespace ptoscope;
using namespace ptoscope::tile;

int32_t ptosc_tile(PtoContext *core, uint32_t site, const PtoTileCall *call) {
  return TextIssuer::of(core).issue(site, *call);
}

int32_t ptosc_tile_alloc(PtoContext *core, uint32_t site, TileView *tile, int64_t address, int64_t validRows,
                         int64_t validCols) {
  return Descriptors(core, site).alloc(tile->ref, address, validRows, validCols);
}
int32_t ptosc_tile_valid(PtoContext *core, uint32_t site, TileView *tile, int64_t validRows, int64_t validCols) {
  return Descriptors(core, site).setValid(tile->ref, validRows, validCols);
}
int32_t ptosc_tile_subview(PtoContext *core, uint32_t site, TileView *result, const TileView *source, int64_t row,
                           int64_t col, int64_t rows, int64_t cols, int64_t validRows, int64_t validCols) {
  return Descriptors(core, site).subview(result->ref, source->ref, row, col, rows, cols, validRows, validCols);
}
int32_t ptosc_tile_reshape(PtoContext *core, uint32_t site, TileView *result, const TileView *source) {
  return Descriptors(core, site).reshape(result->ref, source->ref);
}
int32_t ptosc_tile_assign(PtoContext *core, uint32_t site, TileView *result, const TileView *source, int64_t address) {
  return Descriptors(core, site).assign(result->ref, source->ref, address);
}
int32_t ptosc_tile_slot(PtoContext *core, uint32_t site, TileView *result, const TileView *first, int64_t k,
                        int64_t count) {
  return Descriptors(core, site).slot(result->ref, first->ref, k, count);
}
int32_t ptosc_view_make(PtoContext *core, uint32_t site, GlobalView *view) {
  return Descriptors(core, site).make(view->ref);
}
int32_t ptosc_view_part(PtoContext *core, uint32_t site, GlobalView *result, const GlobalView *source,
                        const int64_t *offsets, const int64_t *sizes) {
  return Descriptors(core, site).part(result->ref, source->ref, offsets, sizes);
}

int32_t ptosc_tile_get(PtoContext *core, uint32_t site, const TileView *tile, int64_t index, uint64_t *bits) {
  std::optional<uint64_t> address;
  *bits = 0;
  const int32_t status = Descriptors(core, site).element(tile->ref, index, address);
  return !address ? status
                  : ptosc_load_scalar(core, site, uint32_t(spaceOf(tile->ref.location)), *address,
                                      bitsOf(tile->ref.elem) / 8, 0, bits);
}

int32_t ptosc_tile_set(PtoContext *core, uint32_t site, const TileView *tile, int64_t index, uint64_t bits) {
  std::optional<uint64_t> address;
  const int32_t status = Descriptors(core, site).element(tile->ref, index, address);
  return !address ? status
                  : ptosc_store_scalar(core, site, uint32_t(spaceOf(tile->ref.location)), *address,
                                       bitsOf(tile->ref.elem) / 8, 0, bits);
}

int32_t ptosc_tile_order(PtoContext *core, uint32_t site) { return TextIssuer::of(core).orderAll(site); }

int32_t ptosc_tile_print(PtoContext *core, uint32_t site, const TileView *tile) {
  TextIssuer &issuer = TextIssuer::of(core);
  uint8_t *data = issuer.hostAddress(tile->ref, site);
  return data ? printTile(core, site, {data, tile->ref}) : 1;
}

int32_t ptosc_view_print(PtoContext *core, uint32_t site, const GlobalView *view, uint32_t rank) {
  openToHost(core, Space::Ub, 0, 0);
  const GmObject *object = objectOf(core, view->ref);
  const std::optional<Image> image = imageOf(view->ref, rank, object);
  if (!image || !object)
    return reportAt(core, site, say::kPrintView(), /*fatal=*/false);
  print(core, textOf({siteText(core, site), whoText(core)}, view->ref, *object, *image));
  return isStopped(core);
}

void ptosc_print(PtoContext *core, uint32_t site, uint32_t type, uint64_t bits) {
  print(core, say::kPrinted(placeText(core, site), whoText(core),
                            formatScalar(tokenOf(core, site), ElementType(type), bits)));
}
