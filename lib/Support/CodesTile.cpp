//===- CodesTile.cpp - codes of the tile API ------------------------------===//
//
// Faults that the types of tiles and views cannot express, found at run time.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"tile-unassigned", Severity::Error, Category::Program, "a tile has no place in memory",
     R"(An instruction uses a tile that has no address, or whose address was set by a kernel on
another core and means nothing here. The instruction does nothing.

Example:
  Tile<TileType::Vec, float, 16, 16> a;
  TLOAD(a, ga);                        // where is a?

Repair: place the tile with TASSIGN(a, 0x0) before its first use, in the kernel that
uses it. With -D__PTO_AUTO__ the library places tiles itself.

Ignore: never.

Assumes: TASSIGN gets a byte offset into the tile's memory, or the data() of another
tile in the same memory.)"},

    {"tile-shape", Severity::Error, Category::Program, "the shapes of operands do not match",
     R"(The valid regions of the operands differ although the instruction needs equal ones, or
the extents of a GlobalTensor differ from those of the tile's valid region. The
instruction does nothing.

Example:
  Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC> a(16, 12);
  TLOAD(a, ga);                        // ga has the shape 1, 1, 1, 16, 16

Repair: set the valid rows and columns of the tile, or the shape of the view, to the
part that is actually moved. The leading extents multiply the rows in ND and the columns
in DN.

Ignore: never; hardware follows one of the two.

Assumes: element-wise instructions cover the valid region of their destination.)"},

    {"tile-window", Severity::Error, Category::Program, "a window leaves its tile",
     R"(TEXTRACT, TINSERT and TSUBVIEW name a window of a tile by its first row and column. This
window reaches beyond the rows or columns of the tile, or the tile that is moved is
larger than its destination. Nothing is moved.

Example:
  Tile<TileType::Mat, half, 64, 64> a;
  TileLeft<half, 32, 32> b;
  TEXTRACT(b, a, 48, 0);               // rows 48 to 79 of 64

Repair: start the window at Rows - RowValid and Cols - ColValid at most, or reduce the
valid extents of the smaller tile for the last window.

Ignore: never; on hardware the instruction touches the memory next to the tile.

Assumes: Rows and Cols of the tile's type are its capacity. For a compact tile, the
capacity is its valid extents, rounded up to whole boxes.)"},

    {"tile-overlap", Severity::Warning, Category::Program, "a destination shares bytes with another operand",
     R"(An instruction writes a tile that overlaps another of its operands, in part or with
another shape. Which elements are read before they are overwritten depends on the order
in which the unit processes them, and no document gives that order.

Example:
  TASSIGN(square, 0x0);
  TTRANS(square, square, scratch);     // elements change their places

Repair: place the tiles so that they do not overlap. Element-wise instructions may work
in place, with the same type and address: TADD(a, a, b).

Ignore: if the order of the target is known and intended, as in narrowing conversions at
one address. PTOScope processes rows in ascending order.

Assumes: scratch tiles are not checked. For gathers and scatters, everything that an
index could name counts.)"},

    {"tile-clobbered", Severity::Error, Category::Program, "a tile is read after another one was written over it",
     R"(Tiles with addresses may overlap, so that memory is used again. Here a tile is read that
was written, and whose bytes another tile has overwritten since. The report names who
wrote the tile, who overwrote it, and who reads it. It is a warning where both tiles
cover the same bytes with elements of the same size: two readings of one tile do so.

Example:
  %a = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 16x64xf32>
  %b = pto.alloc_tile addr = %c2048 : !pto.tile_buf<vec, 16x64xf32>   // %a ends at 4096
  pto.tload ins(%x : …) outs(%a : …)
  pto.tload ins(%y : …) outs(%b : …)
  pto.tadd ins(%a, %b : …) outs(%c : …)

Repair: give the tiles addresses that are apart, or none: then they are planned. Another
reading of the same bytes is pto.treshape, pto.bitcast or pto.subview.

Ignore: the warning, if the tiles are two readings of the same values.

Assumes: a tile is what one pto.alloc_tile or pto.tassign makes at one address. What
scopes, transfers and scalar stores write belongs to the tile that is read there.)"},

    {"tile-extent", Severity::Error, Category::Program, "a valid extent exceeds the tile",
     R"(The program sets more valid rows or columns than the tile has, or a negative number of
them. The run continues with the whole extent.

Example:
  Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC> a(20, 16);

Repair: limit the number before it is set: min(rows left, Rows).

Ignore: never; on hardware the instruction touches the memory after the tile.

Assumes: Rows and Cols of the tile's type are its capacity.)"},

    {"tile-memory-full", Severity::Error, Category::Program, "no room for a tile",
     R"(A tile without an address is placed, and there is no room. In C++ (auto mode) that
happens when the tile is first used, and the block ends. In a .pto program all tiles are
placed before the run: the report is at the line with most bytes in use, and lists the
tiles in use there.

Example:
  Tile<TileType::Vec, float, 256, 256> a, b;   // 2 x 256 KiB in 256 KiB

Repair: use smaller tiles. In C++, end the lifetime of a tile (with a closing brace) when
it is no longer needed; in .pto, let its last use come before the first use of another.
`ptoscope memory` draws from where to where each tile is in use.

Ignore: never.

Assumes: the target gives the sizes of the memories. Placement is not optimal: free memory
can be too fragmented for a large tile.)"},
};

std::span<const CodeInfo> tileCodes() { return kRows; }

} // namespace ptoscope::codetables
