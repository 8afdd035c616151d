//===- print.hpp - TPRINT ---------------------------------------*- C++ -*-===//

#ifndef PTO_DETAIL_INST_PRINT_HPP
#define PTO_DETAIL_INST_PRINT_HPP

#include "pto/detail/call.hpp"

namespace ptoscope::tile {
/// The valid region, a line per row, on the standard output.
PTO_API void printTile(const TileView &tile, const Source &source);
} // namespace ptoscope::tile

namespace pto {
PTO_MODE_BEGIN

/// Prints a tile, after what was issued before. A format that is asked for has no effect.
template <auto... Format, typename T> void TPRINT(T &src, detail::Here at = detail::Here::current()) {
  static_assert(is_tile_data_v<T>, "TPRINT prints tiles");
  static_assert(ptoscope::tile::bitsOf(T::kElem) >= 8, "TPRINT of two elements in a byte is not modelled: convert them with TCVT");
  src.data(at);
  ptoscope::tile::printTile(src.view(at), detail::sourceOf(at));
}
template <auto... Format, typename T, typename S>
  requires is_tile_data_v<S>
void TPRINT(T &src, S &, detail::Here at = detail::Here::current()) {
  TPRINT(src, at);
}
/// The back-end entry, which programs may call.
template <auto... Format, typename T> void TPRINT_IMPL(T &src, detail::Here at = detail::Here::current()) {
  TPRINT(src, at);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_PRINT_HPP
