//===- print.hpp - TPRINT ---------------------------------------*- C++ -*-===//

#ifndef PTO_DETAIL_INST_PRINT_HPP
#define PTO_DETAIL_INST_PRINT_HPP

#include "pto/detail/call.hpp"
#include "pto/detail/forms.hpp"
#include "pto/detail/mean_abi.hpp"

namespace ptoscope::tile {
/// The valid region, a line per row, on the standard output. What pipes are about to
/// do is done first; the checks do not see the reads.
PTO_API void printTile(const TileView &tile, const Source &source);
} // namespace ptoscope::tile

namespace pto {
PTO_MODE_BEGIN

/// Prints a tile, after what was issued before. A format that is asked for has no effect.
namespace ptoscope_detail {
/// The width and the digits that a PrintFormat stands for (HMEAN-37).
template <auto... Format> struct PrintDigits {
  static constexpr int kWidth = 8, kPrecision = 4;
};
template <auto Format, auto... Rest> struct PrintDigits<Format, Rest...> {
  static constexpr int kWidth = int(Format) == int(PrintFormat::Width10_Precision6) ? 10 : 8;
  static constexpr int kPrecision = int(Format) == int(PrintFormat::Width10_Precision6)  ? 6
                                    : int(Format) == int(PrintFormat::Width8_Precision2) ? 2
                                                                                         : 4;
};
} // namespace ptoscope_detail

/// What is printed is free but in the host profile (TGEN-6, HMEAN-37); a second operand, a
/// tile or a view, is not used.
template <auto... Format, typename T> void TPRINT(T &src, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  static_assert(is_tile_data_v<T>, "TPRINT prints tiles");
  if constexpr (ptoscope_detail::kHost)
    ptoscope::tile::printTileOnHost(src.view(at), ptoscope_detail::PrintDigits<Format...>::kWidth,
                                    ptoscope_detail::PrintDigits<Format...>::kPrecision, ptoscope_detail::sourceOf(at));
  else
    ptoscope::tile::printTile(src.view(at), ptoscope_detail::sourceOf(at));
}
template <auto... Format, typename T, typename S>
  requires(is_tile_data_v<S> || is_global_data_v<S>)
void TPRINT(T &src, S &, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  TPRINT<Format...>(src, at);
}
template <auto... Format, typename T>
void TPRINT_IMPL(T &src, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  TPRINT<Format...>(src, at);
}
template <auto... Format, typename T, typename S>
  requires(is_tile_data_v<S> || is_global_data_v<S>)
void TPRINT_IMPL(T &src, S &, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  TPRINT<Format...>(src, at);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_PRINT_HPP
