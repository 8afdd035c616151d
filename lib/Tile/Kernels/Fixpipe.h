//===- Fixpipe.h - moves that change elements -------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_FIXPIPE_H
#define PTOSCOPE_LIB_TILE_KERNELS_FIXPIPE_H

#include "../Operands.h"
#include "Walk.h"
#include "pto/detail/modes.hpp"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

/// Moves rows x cols elements of `from` to elements of `to`, with relu,
/// quantisation, conversion and atomic update as `mode` says. `word` serves
/// Quant::Scalar, `words` (a Scaling tile) Quant::Vector. Pairs of types are those
/// of accConverts; also f16 and bf16 to f32, as bias tables take them, and copies
/// of bits between types of equal width.
struct Conversion {
  Elem from, to;
  MoveMode mode;
  uint64_t word = 0;
  const TileView *words = nullptr;
};

void convertElements(const Conversion &conversion, const Side &dst, const Side &src, int64_t rows, int64_t cols);

/// dst = op(dst, src), element by element in `elem`, one of hasAtomic.
void updateElements(AtomicType op, Elem elem, const Side &dst, const Side &src, int64_t rows, int64_t cols);

/// The same of n elements that stand side by side on both sides.
void updateRun(AtomicType op, Elem elem, uint8_t *dst, const uint8_t *src, int64_t n);

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_FIXPIPE_H
