//===- Print.h - tiles as people read them ----------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_PRINT_H
#define PTOSCOPE_LIB_TILE_PRINT_H

#include "pto/detail/abi.hpp"
#include "ptoscope/Machine/Direct.h"

namespace ptoscope::tile {

/// Lets the pipes go on, and prints the valid region of a tile that has both its
/// addresses. Nonzero: stop.
int32_t printTile(PtoContext *core, SiteId site, const TileView &tile);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_PRINT_H
