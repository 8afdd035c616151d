//===- gather.hpp - modes of gathers and scatters ---------------*- C++ -*-===//
//
// How a mode of MGATHER and MSCATTER is packed, and which columns, or rows, a mask
// pattern takes (TGATHER-3, TGATHER-8, HMEAN-25).
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
/// Beside the pattern in a mode: it takes rows (HMEAN-25, HMEAN-26).
inline constexpr uint32_t kPatternOfRows = 8;

/// What happens to an index outside the view. Refuse is a finding, and the datum is 0
/// or not written.
enum class Outside : uint8_t { Refuse, Skip, Clamp, Wrap, Zero };

/// Bits 0 and 1 are where every store to global memory says its atomic operation.
struct IndexMode {
  uint32_t atomic = 0; ///< pto::ScatterAtomicOp, which counts like AtomicType
  bool byRow = false;  ///< an index per row; else one per element
  Outside outside = Outside::Refuse;
  bool fromView = false; ///< indices come from a view of global memory (HMEAN-29)

  [[gnu::always_inline]] constexpr uint32_t pack() const {
    return atomic | uint32_t(byRow) << 2 | uint32_t(outside) << 3 | uint32_t(fromView) << 6;
  }
  [[gnu::always_inline]] static constexpr IndexMode unpack(uint32_t mode) {
    return {mode & 3, (mode >> 2 & 1) != 0, Outside(mode >> 3 & 7), (mode >> 6 & 1) != 0};
  }
};

/// Where a call without tiles of indices has their view: in the places of tiles that no
/// such call has. Scalar 0 is its first address, so that another view is another call.
inline constexpr size_t kIndexViewTile = kMaxTiles - 2;
static_assert(sizeof(GlobalRef) <= 2 * sizeof(TileView));
[[gnu::always_inline]] inline void setIndexView(Operands &ops, const GlobalRef &view) {
  __builtin_memcpy(static_cast<void *>(&ops.tile[kIndexViewTile]), &view, sizeof(view));
  ops.scalar[0] = uint64_t(reinterpret_cast<uintptr_t>(view.pointer));
  // What it covers and how it lies, so far as a sum tells.
  ops.scalar[1] = ops.scalar[2] = uint64_t(view.elem) << 8 | view.layout;
  for (int k = 0; k < 5; ++k) {
    ops.scalar[1] = ops.scalar[1] * 0x9e3779b97f4a7c15 + uint64_t(view.shape[k]);
    ops.scalar[2] = ops.scalar[2] * 0x9e3779b97f4a7c15 + uint64_t(view.stride[k]);
  }
}
[[gnu::always_inline]] inline GlobalRef indexViewOf(const Operands &ops) {
  GlobalRef view;
  __builtin_memcpy(&view, static_cast<const void *>(&ops.tile[kIndexViewTile]), sizeof(view));
  return view;
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_GATHER_HPP
