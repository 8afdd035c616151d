//===- Matmul.h - products beside the plain ones ----------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_MATMUL_H
#define PTOSCOPE_LIB_TILE_KERNELS_MATMUL_H

#include "../Matrix.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

/// n packed numbers as a product takes them (MAD-15, MAD-16). Integers have no modes.
void takeOperands(const ProductMode &mode, float *numbers, int64_t n);
inline void takeOperands(const ProductMode &, uint32_t *, int64_t) {}
/// Infinities become the largest finite number of their sign, NaN becomes 0.
void makeFinite(float *numbers, int64_t n);
inline void makeFinite(uint32_t *, int64_t) {}

/// A product with MX scales (MAD-11, MXS-1).
void multiplyScaled(const MatrixProduct &product);

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_MATMUL_H
