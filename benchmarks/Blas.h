//===- Blas.h - what products of matrices are compared with -----*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_BLAS_H
#define PTOSCOPE_BENCHMARKS_BLAS_H

namespace bench {

using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                       int);

/// OpenBLAS on one thread; null when the host has none.
Sgemm openBlas();
/// z = x y of m x k and k x n, or of m x k and n x k, all row-major.
void multiply(Sgemm sgemm, const float *x, const float *y, float *z, int m, int n, int k, bool transposed = false);

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_BLAS_H
