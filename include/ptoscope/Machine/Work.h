//===- Work.h - how much an instruction has to do ---------------*- C++ -*-===//
//
// What costs are computed from: shapes and paths, never data. Whoever gives an
// instruction its meaning fills it in; the Machine passes it on.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_WORK_H
#define PTOSCOPE_MACHINE_WORK_H

#include "ptoscope/Machine/Types.h"
#include "ptoscope/timing.hpp"

#include <compare>

namespace ptoscope {

/// Numbers that mean nothing to an instruction are 0.
struct Work {
  enum class Kind : uint8_t {
    Nothing,  ///< known to cost what its timing class costs
    Transfer, ///< bytes from one memory to another
    Vector,   ///< a tile instruction of the vector unit
    Product,  ///< of the matrix unit
    Drain,    ///< out of L0C through the fixpipe
  };
  Kind kind = Kind::Nothing;
  Timing timing = Timing::none;
  /// Name of the tile instruction or of the transfer, static: "TADD", "mte_gm_ub".
  const char *name = nullptr;
  Space from = Space::None, to = Space::None;
  uint8_t fromBits = 0, toBits = 0; ///< of an element; 4, 8, 16, 32, 64
  bool isFloat = false;             ///< of the source's elements
  bool isScalarForm = false;        ///< one of two operands is a scalar
  bool isInPlace = false;           ///< a source begins where the destination does
  bool isAccumulating = false;      ///< a product is added to what L0C holds
  bool isExact = false;             ///< a slower, more precise algorithm was asked for
  uint32_t rows = 0, cols = 0;      ///< valid region; m and n of products and drains
  uint32_t depth = 0;               ///< k of a product
  bool isContiguous = false;        ///< rows follow each other without a gap in every tile operand
  uint64_t bytes = 0;               ///< moved, padding not counted
  uint32_t bursts = 0;              ///< runs of bytes that follow each other, on the side that has more of them
  uint32_t transfers = 0;           ///< outer dimensions that do not fold into one transfer
  bool isUnaligned = false;         ///< a burst's distance in GM is not a multiple of 32 bytes

  auto operator<=>(const Work &) const = default;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_WORK_H
