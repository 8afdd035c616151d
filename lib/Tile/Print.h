//===- Print.h - tiles, views and bytes as people read them -----*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_PRINT_H
#define PTOSCOPE_LIB_TILE_PRINT_H

#include "ptoscope/Machine/Onlooker.h"
#include "ptoscope/Tile/Images.h"

namespace ptoscope::tile {

class Context;

/// What stands at the beginning of each print: "add.pto:24: pto.tprint".
struct Title {
  std::string where; ///< file, line, and whose value it is
  std::string who;   ///< block and time, at the end of the line
};

/// What holds the first element of a view; null when nothing does.
inline const GmObject *objectOf(const PtoContext *core, const GlobalRef &view) {
  return objectAt(core, reinterpret_cast<uintptr_t>(view.pointer));
}

/// A view, taken out of memory.
std::optional<Image> imageOf(const GlobalRef &view, unsigned rank, const GmObject *object);

/// An element as a number, if it is a float.
std::optional<double> realOf(Elem elem, uint64_t bits);

/// A line that says what it is, and a line for each row.
std::string titleOf(const Title &title, const TileRef &tile);
std::string textOf(const Title &title, const TileRef &tile, const Image &image);
std::string textOf(const Title &title, const GlobalRef &view, const GmObject &object, const Image &image);
std::string textOf(const Title &title, const Image &image);
/// The same of bytes with addresses, one image for each row of them.
struct Row {
  uint64_t address;
  Image image;
};
std::string textOf(const Title &title, Space space, const std::string &object, std::span<const Row> rows);

/// The scalar in the place of the first conversion of a format as `printf` has them,
/// or behind the text; with a new line at the end.
std::string formatScalar(std::string_view format, ElementType type, uint64_t bits);

/// Lets the pipes go on, and takes the valid region of a tile that has both its addresses;
/// none when it is outside its memory, which is reported.
std::optional<Image> readTile(PtoContext *core, SiteId site, const TileView &tile);
/// Lets the pipes go on, and prints the valid region of a tile that has both its
/// addresses. Nonzero: stop.
int32_t printTile(PtoContext *core, SiteId site, const TileView &tile);
/// A tile that a C++ program prints, with its address, behind a barrier of all pipes; nothing when it has
/// none, which was reported.
std::optional<TileView> printedTile(Context &context, SiteId site, const TileView &tile);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_PRINT_H
