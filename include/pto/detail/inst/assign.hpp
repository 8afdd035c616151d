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

namespace detail {
template <typename T> constexpr void checkMemory() {
  static_assert(T::Loc <= TileType::Scaling,
                "the memory of this tile is not modelled: use TileType Vec, Mat, Left, Right, Acc, Bias or Scaling; "
                "TMATMUL_MX, which takes ScaleLeft and ScaleRight, is not modelled either");
}
} // namespace detail

/// A byte offset of the tile's memory, or a host address inside that memory.
template <typename T, typename A>
  requires(is_tile_data_v<T> && (std::is_integral_v<A> || std::is_enum_v<A>))
void TASSIGN(T &tile, A address, detail::Here at = detail::Here::current()) {
  detail::checkMemory<T>();
  if constexpr (!detail::kAutomatic)
    tile.bind(ptoscope::tile::assign(uint8_t(T::Loc), uint64_t(address), detail::sourceOf(at)));
}
/// The memory of another tile.
template <typename T, typename E>
  requires is_tile_data_v<T>
void TASSIGN(T &tile, E *address, detail::Here at = detail::Here::current()) {
  detail::checkMemory<T>();
  if constexpr (!detail::kAutomatic)
    tile.bind(ptoscope::tile::assign(uint8_t(T::Loc), reinterpret_cast<uintptr_t>(address), detail::sourceOf(at)));
}
/// A place known at compile time.
template <auto Address, typename T>
  requires is_tile_data_v<T>
void TASSIGN(T &tile, detail::Here at = detail::Here::current()) {
  constexpr int64_t capacity = detail::kMemoryBytes[int(T::Loc)];
  static_assert(capacity > 0, "this target does not have the memory of the tile");
  static_assert(int64_t(Address) >= 0 && int64_t(Address) % 32 == 0,
                "the address of a tile is a multiple of 32 bytes: place it at the next one");
  static_assert(T::kBytes <= capacity, "the tile is larger than its memory: make it smaller");
  static_assert(T::kBytes > capacity || int64_t(Address) + T::kBytes <= capacity,
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
