//===- memory.hpp - TLOAD and TSTORE ----------------------------*- C++ -*-===//
//
// isa/30 sections 6 and 7.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_MEMORY_HPP
#define PTO_DETAIL_INST_MEMORY_HPP

#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace detail {
/// What is filled around a loaded tile, unless the launch says otherwise.
#if defined(__CPU_SIM) || defined(PTO_FULL_FILL)
inline constexpr auto kLoadMode = ptoscope::tile::LoadMode::FullFill;
#else
inline constexpr auto kLoadMode = ptoscope::tile::LoadMode::Hardware;
#endif

template <typename T, typename G> constexpr bool sameWidth() {
  return ptoscope::tile::bitsOf(T::kElem) == ptoscope::tile::bitsOf(ptoscope::tile::elemOf<typename G::DType>);
}
/// isa/30 section 6: which layouts of global memory a tile can be loaded from.
template <typename T, typename G> constexpr bool loadable() {
  constexpr auto tile = GetTileLayoutCustom<T>();
  constexpr Layout gm = G::layout;
  using L = TileLayoutCustom;
  bool mat = T::Loc == TileType::Mat;
  switch (gm) {
  case Layout::ND: return tile == L::ND || (mat && tile == L::NZ);
  case Layout::DN:
#ifdef PTO_NPU_ARCH_A5
    if (mat && tile == L::NZ)
      return true;
#endif
    return tile == L::DN || (mat && tile == L::ZN);
  case Layout::NZ: return tile == L::NZ;
  case Layout::MX_A_ZZ: case Layout::MX_A_ND: case Layout::MX_A_DN: return mat && tile == L::ZZ;
  case Layout::MX_B_NN: case Layout::MX_B_ND: case Layout::MX_B_DN: return mat && tile == L::NN;
  default: return false;
  }
}
#ifdef PTO_LOOSE_LAYOUTS
inline constexpr bool kLooseLayouts = true;
#else
inline constexpr bool kLooseLayouts = false;
#endif
} // namespace detail

template <typename T, typename G> RecordEvent TLOAD(T &dst, const G &src, PTO_AFTER) {
  static_assert(detail::sameWidth<T, G>(), "TLOAD copies bits: elements of tile and GlobalTensor need the same size");
  static_assert(detail::kLooseLayouts || detail::loadable<T, G>(),
                "TLOAD cannot bring this layout of global memory into this layout of tile: a Vec tile takes ND into "
                "row-major, DN into column-major, NZ into NZ; a Mat tile also ND into NZ and DN into ZN "
                "(define PTO_LOOSE_LAYOUTS to allow any pair)");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TLOAD>(at, dst);
  detail::setGlobal(call, src);
  call.operands.mode = uint32_t(detail::kLoadMode);
  return detail::finish(call);
}

template <typename T, typename G> RecordEvent TSTORE(G &dst, T &src, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSTORE>(at, src);
  detail::setGlobal(call, dst);
  return detail::finish(call);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_MEMORY_HPP
