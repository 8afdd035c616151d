//===- Runtime.h - tile instructions of generated code ----------*- C++ -*-===//
//
// What the code of a `.pto` program calls for its tiles, beside the functions of
// Machine/Runtime.h and with the same rule: nonzero means "stop", and nothing
// unwinds. Tiles and views are descriptors in memory of the generated code, whose
// `data` only this layer uses. A tile's `ref.address` is a byte address of its
// memory; a view's `ref.pointer` is a device address of GM.
//
// A number that the program computed and that cannot be used is a finding. The run
// goes on where there is an obvious way (an extent is limited to what there is);
// otherwise the block ends.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_RUNTIME_H
#define PTOSCOPE_TILE_RUNTIME_H

#include "pto/detail/record.hpp"
#include "ptoscope/Machine/Direct.h"
#include "ptoscope/Machine/Runtime.h"

extern "C" {

enum : int64_t {
  /// An extent of ptosc_tile_alloc that the program did not give: using the tile is an
  /// error until ptosc_tile_valid has set it.
  PTO_EXTENT_UNSET = INT64_MIN,
};

enum : uint8_t {
  /// For `layout` of ptosc_view_make: what extents and strides say (VIEW rules), for
  /// views of rank 5 and for others.
  PTO_LAYOUT_OF_RANK5 = 0xff,
  PTO_LAYOUT_OF_OTHERS = 0xfe,
};

enum : uint32_t {
  /// With the mode of TSTORE: the extents of tile and view are fixed by their types. If
  /// they differ, but not the number of elements, these go in row-major order (IRSTORE-2).
  PTO_STORE_FIXED_EXTENTS = uint32_t(1) << 31,
  /// With the mode of MGATHER and MSCATTER without `coalesce`: the valid extents of the
  /// indices say whether they name elements or rows (IRGATHER-8).
  PTO_INDEX_BY_EXTENTS = uint32_t(1) << 31,
  /// With the mode of TROWEXPANDADD and its variants: valid columns, which the types do not
  /// fix, say which source is the vector (IRRED-6).
  PTO_VECTOR_BY_EXTENTS = uint32_t(1) << 31,
  /// From this bit of the mode of TFILLPAD on: 1 + the pad value that the instruction
  /// gives, or 0 for that of the type (IRPAD-4).
  PTO_PAD_SHIFT = 8,
  /// With the mode of TMOV and TEXTRACT from Acc to Vec: into UB of the second vector core
  /// (IRMOV-3).
  PTO_MOVE_TO_SECOND = uint32_t(1) << 30,
};

/// One tile instruction, as the program executes it.
struct PtoTileCall {
  uint32_t record; ///< tile::indexOf
  uint32_t mode;
  uint32_t tiles;     ///< operands in the order of the record
  uint32_t automatic; ///< 1: the function means program order
  const ptoscope::tile::TileView *tile[ptoscope::tile::kMaxTiles];
  const ptoscope::tile::GlobalView *global; ///< or null
  uint64_t scalar[ptoscope::tile::kMaxScalars];
};

/// Tiles, scalars and mode as in the C++ call of the same record, with these exceptions:
///   TSHLS, TSHRS  scalar 0 is the count, extended to 64 bits by its sign
///   TLRELU        scalar 0 is an f32
///   TSTORE, TMOV, TEXTRACT, TINSERT with Quant::Scalar  scalar 2 is the word of IRSTORE-6
///   TREM, TREMS   keep their records: the rules of text apply
///   TMRGSORT      scalar 0 is not used
///   TGATHER_CMP   d, cnt, s [, tmp]; scalar 0 is the element, scalar 1 the offset, mode as of TCMP
/// Elements, memories and numbers of tiles that an instruction does not have are findings.
int32_t ptosc_tile(PtoContext *, uint32_t site, const PtoTileCall *);

/// Fields that the type gives are filled in: location, elem, layouts, fractalBytes,
/// compact, rows, cols, pad; all others are 0.
int32_t ptosc_tile_alloc(PtoContext *, uint32_t site, ptoscope::tile::TileView *tile, int64_t address,
                         int64_t validRows, int64_t validCols);
int32_t ptosc_tile_valid(PtoContext *, uint32_t site, ptoscope::tile::TileView *tile, int64_t validRows,
                         int64_t validCols);
/// The window of `rows` x `cols` from (row, col) on. Fills in all of `result`.
int32_t ptosc_tile_subview(PtoContext *, uint32_t site, ptoscope::tile::TileView *result,
                           const ptoscope::tile::TileView *source, int64_t row, int64_t col, int64_t rows, int64_t cols,
                           int64_t validRows, int64_t validCols);
/// treshape and bitcast. `result` has the fields of its type, and its static valid
/// extents; -1 keeps the source's, limited to what there is.
int32_t ptosc_tile_reshape(PtoContext *, uint32_t site, ptoscope::tile::TileView *result,
                           const ptoscope::tile::TileView *source);
/// The tile elsewhere. Fills in all of `result`.
int32_t ptosc_tile_assign(PtoContext *, uint32_t site, ptoscope::tile::TileView *result,
                          const ptoscope::tile::TileView *source, int64_t address);
/// Element `index` of the storage, counted from the tile's first.
int32_t ptosc_tile_get(PtoContext *, uint32_t site, const ptoscope::tile::TileView *tile, int64_t index,
                       uint64_t *bits);
int32_t ptosc_tile_set(PtoContext *, uint32_t site, const ptoscope::tile::TileView *tile, int64_t index, uint64_t bits);
/// Slot `k` of `count`, each as large as the first. Fills in all of `result`.
int32_t ptosc_tile_slot(PtoContext *, uint32_t site, ptoscope::tile::TileView *result,
                        const ptoscope::tile::TileView *first, int64_t k, int64_t count);

/// Pointer, elem, layout, extents and strides are filled in, right-aligned; leading
/// extents are 1.
int32_t ptosc_view_make(PtoContext *, uint32_t site, ptoscope::tile::GlobalView *view);
/// `offsets` and `sizes` have 5 elements each. Fills in all of `result`.
int32_t ptosc_view_part(PtoContext *, uint32_t site, ptoscope::tile::GlobalView *result,
                        const ptoscope::tile::GlobalView *source, const int64_t *offsets, const int64_t *sizes);

/// Before a micro instruction or a scalar access of a function that means program
/// order: waits for all that was issued, and lets the next tile instruction wait.
int32_t ptosc_tile_order(PtoContext *, uint32_t site);
/// The valid region on the standard output, after all that was issued.
int32_t ptosc_tile_print(PtoContext *, uint32_t site, const ptoscope::tile::TileView *tile);
int32_t ptosc_view_print(PtoContext *, uint32_t site, const ptoscope::tile::GlobalView *view, uint32_t rank);
/// A scalar in the format of the site; `type` is an ElementType.
void ptosc_print(PtoContext *, uint32_t site, uint32_t type, uint64_t bits);

} // extern "C"

namespace ptoscope::tile {

/// Records by their position in records/all.def; null beyond the last.
const Record *recordAt(uint32_t index);
/// What is wrong with a call that is not executed: elements, memories, layouts and, where
/// they are known, extents. Unknown extents of tiles are -1, those of the view negative;
/// tiles of one address are one. `scalars`: those that are numbers are known.
Fact staticProblem(const PtoTileCall &call, Rules rules, bool scalars);
/// PLAN-8: why a tile cannot be at this address of a memory of so many bytes.
Fact placeProblem(const TileRef &tile, int64_t address, int64_t bytes);
/// Who executes it (ORDER-2).
Pipe staticPipe(const PtoTileCall &call, Rules rules);

/// TSTORE-14: what the phase in the mode of a product, a store or a move means on its pipe.
UnitFlag unitFlag(uint32_t mode, Pipe pipe);

/// Bytes that a call would touch that is not executed. All descriptors are known; the
/// pointer of the view is any number that its regions count from.
struct StaticFootprint {
  std::vector<DirectRegion> regions;
  bool isExact = true;        ///< false: every byte is in the regions, which may hold more
  Fact problem{};             ///< what a run would say first
  bool isVectorFirst = false; ///< operands 1 and 2 are tiles 2 and 1 of the call (PTO_VECTOR_BY_EXTENTS)
};
StaticFootprint staticFootprint(const PtoTileCall &call, Rules rules);
/// What the record at this position touches depends on descriptors alone.
bool ignoresScalars(uint32_t record);
/// The position of the record with this name ("TADD"); ~0 when there is none.
uint32_t indexOf(const char *name);

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_RUNTIME_H
