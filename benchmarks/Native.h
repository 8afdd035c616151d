//===- Native.h - the same work by hand -------------------------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_NATIVE_H
#define PTOSCOPE_BENCHMARKS_NATIVE_H

#include <cstddef>
#include <cstdint>

namespace native {

/// sum[i] = a[i] + b[i], nothing else.
void addPlain(const float *a, const float *b, float *sum, size_t n);

/// The kernel's own way: each tile is copied into a scratch of UB's size at the
/// kernel's offsets, added there and copied out, in the kernel's order.
void addTiled(const float *a, const float *b, float *sum, size_t tiles, uint8_t *scratch);

} // namespace native

#endif // PTOSCOPE_BENCHMARKS_NATIVE_H
