//===- mx_abi.hpp - what products with scales ask the library ---*- C++ -*-===//

#ifndef PTO_DETAIL_MX_ABI_HPP
#define PTO_DETAIL_MX_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// Issues a product whose left tile, its scales, the right tile and its scales are the
/// tiles from `left` on, after a look at their addresses (MXT-6, MXT-10).
PTO_API void issueScaled(Call &call, uint32_t left);
/// Where the scales of the Left or Right tile at this host address are (MXT-5).
PTO_API uint64_t scaleAddress(const void *data, const Source &source);

} // namespace ptoscope::tile

#endif // PTO_DETAIL_MX_ABI_HPP
