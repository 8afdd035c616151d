//===- bits.hpp - how packed bits lie in a mask -----------------*- C++ -*-===//
//
// TCMP-1, and in the host profile HMEAN-21 and HMEAN-22: bits that do not care about rows.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_BITS_HPP
#define PTO_DETAIL_BITS_HPP

#include "pto/detail/layout.hpp"

namespace ptoscope::tile {

/// The mode of a TCMPS whose second operand is element 0 of a tile.
inline constexpr uint32_t kFirstElement = 8;
/// Scalar of element-wise instructions that is 1 where the more precise algorithm was asked for.
inline constexpr size_t kAlgorithmScalar = 3;

PTO_DETAIL_INLINE int64_t rowBytesOf(const TileRef &mask) { return int64_t(mask.validCols) * (bitsOf(mask.elem) / 8); }

/// Whether a row of bits ends elsewhere than a valid row of the mask: then the bits are
/// one stream in the host profile.
PTO_DETAIL_INLINE bool isStream(const Operands &ops, const TileRef &mask, const TileRef &data) {
  return ops.rules == Rules::Host && rowBytesOf(mask) * 8 != data.validCols;
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_BITS_HPP
