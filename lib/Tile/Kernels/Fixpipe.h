//===- Fixpipe.h - moves that change elements -------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_FIXPIPE_H
#define PTOSCOPE_LIB_TILE_KERNELS_FIXPIPE_H

#include "../Matrix.h"
#include "../Operands.h"
#include "Walk.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

inline Matrix matrixOf(const TileView &tile) { return {tile.data, tileMap(tile.ref), tile.ref.elem}; }

/// Moves rows x cols elements.
void convertElements(const Conversion &conversion, const Side &dst, const Side &src, int64_t rows, int64_t cols);

/// dst = op(dst, src), element by element in `elem`, one of hasAtomic.
void updateElements(AtomicType op, Elem elem, const Side &dst, const Side &src, int64_t rows, int64_t cols);

/// The same of n elements that stand side by side on both sides.
void updateRun(AtomicType op, Elem elem, uint8_t *dst, const uint8_t *src, int64_t n);

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_FIXPIPE_H
