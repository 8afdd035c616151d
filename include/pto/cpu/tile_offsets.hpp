//===- tile_offsets.hpp - GetTileElementOffset ------------------*- C++ -*-===//

#ifndef PTO_CPU_TILE_OFFSETS_HPP
#define PTO_CPU_TILE_OFFSETS_HPP

#include "pto/common/pto_tile.hpp"

#endif // PTO_CPU_TILE_OFFSETS_HPP
