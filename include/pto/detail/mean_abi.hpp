//===- mean_abi.hpp - functions of the library for some forms ---*- C++ -*-===//
//
// What forms of instructions need beside `issue` (abi.hpp).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_MEAN_ABI_HPP
#define PTO_DETAIL_MEAN_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// An operand that is given by a pointer is null: a finding, and the instruction is left out.
PTO_API void refuseNull(const char *instruction, const char *operand, const Source &source);

/// Writes the valid region of a tile to `std::cout`, as host simulators have it (HMEAN-37):
/// numbers of `width` characters at least, floats with `precision` digits behind the point.
PTO_API void printTileOnHost(const TileView &tile, int width, int precision, const Source &source);

} // namespace ptoscope::tile

#endif // PTO_DETAIL_MEAN_ABI_HPP
