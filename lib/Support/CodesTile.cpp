//===- CodesTile.cpp - codes of the tile API ------------------------------===//
//
// What types of tiles and views cannot say and the run finds.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"tile-unassigned", Severity::Error, Category::Program, "a tile has no place in memory",
     R"(An instruction uses a tile that was never placed, or that was placed by a kernel on
another core: its address means nothing here. The instruction does nothing.

Example:
  Tile<TileType::Vec, float, 16, 16> a;
  TLOAD(a, ga);                        // where is a?

Repair: place the tile with TASSIGN(a, 0x0) before it is used, in the kernel that uses
it. Compiled with -D__PTO_AUTO__ the library finds places by itself.

Ignore: never.

Assumes: TASSIGN gets a byte offset of the tile's memory, or the data() of another tile
in the same memory.)"},

    {"tile-shape", Severity::Error, Category::Program, "shapes of operands do not agree",
     R"(The valid regions of the operands differ where the instruction needs them equal, or the
extents of a GlobalTensor are not those of the tile's valid region. The instruction does
nothing.

Example:
  Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC> a(16, 12);
  TLOAD(a, ga);                        // ga has the shape 1, 1, 1, 16, 16

Repair: set the valid rows and columns of the tile, or the shape of the view, to what is
really moved. In ND the leading extents multiply the rows, in DN the columns.

Ignore: never; hardware moves as much as one of the two says.

Assumes: element-wise instructions cover the valid region of their destination.)"},

    {"tile-window", Severity::Error, Category::Program, "a window leaves its tile",
     R"(TEXTRACT, TINSERT and TSUBVIEW name a window of a tile by its first row and column, and
it reaches beyond the rows or columns that the tile has; or a tile is moved that is
larger than its destination. Nothing is moved.

Example:
  Tile<TileType::Mat, half, 64, 64> a;
  TileLeft<half, 32, 32> b;
  TEXTRACT(b, a, 48, 0);               // rows 48 to 79 of 64

Repair: let the window begin at Rows - RowValid and Cols - ColValid at most, or lower the
valid extents of the smaller tile where the last window is cut off.

Ignore: never; on hardware the instruction reaches into what lies beside the tile.

Assumes: Rows and Cols of the tile's type are its capacity; those of a compact tile are
its valid extents, rounded up to whole boxes.)"},

    {"tile-overlap", Severity::Warning, Category::Program, "a destination shares bytes with another operand",
     R"(An instruction writes a tile that lies, in part or in another shape, over a tile that it
reads or writes too. Which elements are read before they are overwritten depends on the
order in which the unit takes them, and no document says it.

Example:
  TASSIGN(square, 0x0);
  TTRANS(square, square, scratch);     // elements change their places

Repair: place the tiles apart. Element-wise work in place is fine, with the same type and
address: TADD(a, a, b).

Ignore: when the order of the target is known and meant, as in narrowing conversions at
one address. Here rows are taken in rising order.

Assumes: scratch tiles are not looked at; of gathers and scatters everything that indices
could name counts.)"},

    {"tile-extent", Severity::Error, Category::Program, "a valid extent exceeds the tile",
     R"(More valid rows or columns are set than the tile has, or a negative number. The run goes
on with the whole extent.

Example:
  Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC> a(20, 16);

Repair: bound the number before it is set: min(rows left, Rows).

Ignore: never; on hardware the instruction reaches into what lies behind the tile.

Assumes: Rows and Cols of the tile's type are its capacity.)"},

    {"tile-memory-full", Severity::Error, Category::Program, "no room for a tile",
     R"(In auto mode the library finds a place for each tile when it is first used, and there
is none left that is large enough. The block ends.

Example:
  Tile<TileType::Vec, float, 256, 256> a, b;   // 2 x 256 KiB in 256 KiB

Repair: use smaller tiles, or let the life of a tile end (a closing brace) when it is no
longer needed: its place is free again then.

Ignore: never.

Assumes: sizes of memories are those of the target. Places are found first fit; memory
can be free in parts too small for a large tile.)"},
};

std::span<const CodeInfo> tileCodes() { return kRows; }

} // namespace ptoscope::codetables
