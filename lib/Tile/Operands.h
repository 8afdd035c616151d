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

namespace ptoscope::tile {

/// The meaning of an instruction.
using RunFunction = void (*)(const Operands &);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_OPERANDS_H
