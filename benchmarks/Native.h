//===- Native.h - the same work by hand -------------------------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_NATIVE_H
#define PTOSCOPE_BENCHMARKS_NATIVE_H

#include <cstddef>
#include <cstdint>

namespace native {

/// sum[i] = a[i] + b[i], nothing else.
void addPlain(const float *a, const float *b, float *sum, size_t n);

/// The kernel's own way: each tile is copied into a scratch of UB's size at the
/// kernel's offsets, added there and copied out, in the kernel's order; `places` for
/// each array, in turn.
void addTiled(const float *a, const float *b, float *sum, size_t tiles, size_t elements, size_t places,
              uint8_t *scratch);
/// One of `sources` tiles after the other to the same place.
void copyTiles(const uint8_t *from, uint8_t *to, size_t bytes, size_t sources, size_t turns);
/// Adds the same tile to one of `tiles` after the other.
void addInto(float *sums, const float *tile, size_t elements, size_t tiles, size_t turns);
/// sum = a x b, square and row-major.
void multiply(const float *a, const float *b, float *sum, size_t side);

/// The shapes of dma.pto.
inline constexpr size_t kRows = 1024, kRowBytes = 128, kGmStride = 256, kUbStride = 160;
inline constexpr size_t kRowTileBytes = kRows * kGmStride, kTileBytes = 131072;

/// Rows with gaps into a scratch of UB's size, and out of it; turn i uses tile
/// i mod `tiles`.
void rowsIn(const uint8_t *gm, size_t turns, size_t tiles, uint8_t *scratch);
void rowsOut(uint8_t *gm, size_t turns, size_t tiles, const uint8_t *scratch);
/// Whole tiles through the scratch.
void tiles(const uint8_t *from, uint8_t *to, size_t turns, size_t tiles, uint8_t *scratch);

/// The kernels of shuffle.pto: tiles through a scratch of UB's size, 128
/// registers' worth each.
void deinterleave(const uint8_t *x, uint8_t *even, uint8_t *odd, size_t tiles, uint8_t *scratch);
void upsample(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch);
void unpack(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch);
void pack(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch);

/// The kernels of compute.pto, with the same polynomials and no contraction.
void expF32(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch);
void scaleAddF16(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch);
void expF16(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch);
/// Rows of kSoftmaxColumns, in the order of examples/softmax.pto (@two_pass).
inline constexpr size_t kSoftmaxColumns = 1024;
void softmax(const uint8_t *x, uint8_t *y, uint8_t *, size_t rows, uint8_t *scratch);
void sums(const uint8_t *x, uint8_t *y, uint8_t *, size_t tiles, uint8_t *scratch);

/// One tile after the other at the same place: f16 (conversions: and f32), `elements` of it, `turns` times.
using TileFunction = void (*)(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);
void addF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);
void subF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);
void mulF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);
void divF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);
void maxF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);
void widenF16(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);
void narrowF32(const uint8_t *x, const uint8_t *y, uint8_t *z, size_t elements, size_t turns);

/// Instructions that do next to nothing, through a queue and a table of functions; returns something.
uint64_t dispatch(size_t times);
/// Marks of UB compared and written, as many as `registers` lie on, one register after the other, and then one for
/// each of `elements` at any place; returns something.
uint64_t marks(size_t registers, size_t elements);

/// Sets and waits of eight counters, `times` in all, as threads would do them.
void handOver(size_t times);

} // namespace native

#endif // PTOSCOPE_BENCHMARKS_NATIVE_H
