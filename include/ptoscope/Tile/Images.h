//===- Images.h - tiles and registers as arrays, elements as text -*- C++ -*-=//

#ifndef PTOSCOPE_TILE_IMAGES_H
#define PTOSCOPE_TILE_IMAGES_H

#include "ptoscope/Tile/Looks.h"

#include <span>

namespace ptoscope::tile {

/// The valid region of a tile, taken out of memory; nothing when it is not all in there.
std::optional<Image> imageOf(const TileView &tile, uint64_t memoryBytes);
/// Elements that lie one behind the other, bytes of a register for one.
Image imageOf(Elem elem, std::span<const uint8_t> bytes);
/// A lane of each element: is it on? `image` has the 256 bits of a mask.
Image maskImageOf(Elem elem, const uint8_t *image);
/// The memory of a tile; Space::None where it is not modelled.
Space memoryOf(const TileRef &tile);

std::string elementText(Elem elem, uint64_t bits);
std::string scalarText(ElementType type, uint64_t bits);
/// "f32"
const char *elemName(Elem elem);
/// The element of that name; nothing for other words.
std::optional<Elem> parseElem(std::string_view name);

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_IMAGES_H
