//===- gather.hpp - modes of gathers and scatters ---------------*- C++ -*-===//
//
// How a mode of MGATHER and MSCATTER is packed, and which columns a mask pattern
// takes (TGATHER-3, TGATHER-8).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_GATHER_HPP
#define PTO_DETAIL_GATHER_HPP

#include "pto/detail/layout.hpp"

namespace ptoscope::tile {

/// Columns c with c % period == first.
struct Pattern {
  int64_t period, first;

  [[gnu::always_inline]] constexpr int64_t count(int64_t cols) const {
    return cols > first ? (cols - first + period - 1) / period : 0;
  }
};
/// `pattern` is a pto::MaskPattern.
PTO_DETAIL_INLINE Pattern patternOf(uint32_t pattern) {
  constexpr Pattern kPatterns[] = {{1, 0}, {2, 0}, {2, 1}, {4, 0}, {4, 1}, {4, 2}, {4, 3}, {1, 0}};
  return kPatterns[pattern & 7];
}

/// What happens to an index outside the view. Refuse is a finding, and the datum is 0
/// or not written.
enum class Outside : uint8_t { Refuse, Skip, Clamp, Wrap, Zero };

/// Bits 0 and 1 are where every store to global memory says its atomic operation.
struct IndexMode {
  uint32_t atomic = 0; ///< pto::ScatterAtomicOp, which counts like AtomicType
  bool byRow = false;  ///< an index per row; else one per element
  Outside outside = Outside::Refuse;

  [[gnu::always_inline]] constexpr uint32_t pack() const {
    return atomic | uint32_t(byRow) << 2 | uint32_t(outside) << 3;
  }
  [[gnu::always_inline]] static constexpr IndexMode unpack(uint32_t mode) {
    return {mode & 3, (mode >> 2 & 1) != 0, Outside(mode >> 3 & 7)};
  }
};

} // namespace ptoscope::tile

#endif // PTO_DETAIL_GATHER_HPP
