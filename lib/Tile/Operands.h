//===- Operands.h - a tile instruction while it executes --------*- C++ -*-===//
//
// What the meaning of a tile instruction gets: its tiles and its view of global
// memory in host memory, checked before (nothing it may touch lies outside), and
// its scalars. A meaning is a plain function of these; pipes, order, footprints
// and reports are the machine's affair.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_OPERANDS_H
#define PTOSCOPE_LIB_TILE_OPERANDS_H

#include "pto/detail/abi.hpp"

#include <bit>
#include <cstring>

namespace ptoscope::tile {

struct TileView {
  uint8_t *data = nullptr; ///< host address of the tile's first byte
  TileRef ref{};
};

struct GlobalView {
  uint8_t *data = nullptr; ///< host address of the element that `ref.pointer` names
  GlobalRef ref{};
};

/// In the order of the call: destinations first, as the instruction is written.
struct Operands {
  TileView tile[kMaxTiles];
  uint32_t tiles = 0;
  GlobalView global;
  uint64_t scalar[kMaxScalars] = {}; ///< raw bits, low bytes first
  uint32_t mode = 0;                 ///< of the instruction: rounding, comparison, pattern …

  template <typename T> T scalarAs(size_t i) const {
    T value;
    std::memcpy(&value, &scalar[i], sizeof(T));
    return value;
  }
};

/// The meaning of an instruction.
using RunFunction = void (*)(const Operands &);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_OPERANDS_H
