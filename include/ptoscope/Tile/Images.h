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
/// The elements of a register, or for each lane of a mask whether it is on.
Image registerImageOf(const Shown &shown, std::span<const uint8_t> bytes);
/// Keeps what a program hands over of a value; true with the last part of it. A vector of many
/// registers has a part for each, a mask one for each 256 bits.
bool takePart(const Shown &shown, const void *part, std::vector<uint8_t> &value);
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
