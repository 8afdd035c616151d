//===- assign.hpp - TASSIGN -------------------------------------*- C++ -*-===//
//
// Where a tile or a view is (TASSIGN-2 to TASSIGN-6).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_ASSIGN_HPP
#define PTO_DETAIL_INST_ASSIGN_HPP

#include "pto/detail/sync.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
template <typename T> constexpr void checkMemory() {
  static_assert(T::Loc <= TileType::ScaleRight,
                "the memory of this tile is not modelled: use TileType Vec, Mat, Left, Right, Acc, Bias, Scaling, "
                "ScaleLeft or ScaleRight");
}
} // namespace ptoscope_detail

/// A byte offset of the tile's memory, or a host address inside that memory.
template <typename T, typename A>
  requires(is_tile_data_v<T> && (std::is_integral_v<A> || std::is_enum_v<A>))
void TASSIGN(T &tile, A address, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  ptoscope_detail::checkMemory<T>();
  if constexpr (!ptoscope_detail::kAutomatic)
    tile.bind(ptoscope::tile::assign(uint8_t(T::Loc), uint64_t(address), ptoscope_detail::sourceOf(at)));
}
/// The memory of another tile.
template <typename T, typename E>
  requires is_tile_data_v<T>
void TASSIGN(T &tile, E *address, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  ptoscope_detail::checkMemory<T>();
  if constexpr (!ptoscope_detail::kAutomatic)
    tile.bind(
        ptoscope::tile::assign(uint8_t(T::Loc), reinterpret_cast<uintptr_t>(address), ptoscope_detail::sourceOf(at)));
}
/// A place known at compile time.
template <auto Address, typename T>
  requires is_tile_data_v<T>
void TASSIGN(T &tile, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  // REPORT-6: in the host profile the same is found when it runs.
  using ptoscope_detail::kHost;
  constexpr int64_t capacity = ptoscope_detail::kMemoryBytes[int(T::Loc)];
  static_assert(kHost || capacity > 0, "this target does not have the memory of the tile");
  static_assert(int64_t(Address) >= 0 && (kHost || int64_t(Address) % 32 == 0),
                "the address of a tile is a multiple of 32 bytes: place it at the next one");
  static_assert(kHost || T::kBytes <= capacity, "the tile is larger than its memory: make it smaller");
  static_assert(kHost || T::kBytes > capacity || int64_t(Address) + T::kBytes <= capacity,
                "the tile reaches beyond the end of its memory: place it lower, or make it smaller");
  TASSIGN(tile, int64_t(Address), at);
}
template <typename G>
  requires is_global_data_v<G>
void TASSIGN(G &global, std::type_identity_t<typename G::DType> *pointer) {
  global.rebind(pointer);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_ASSIGN_HPP
