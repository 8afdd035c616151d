//===- Generate.cpp - tiles made from scalars -----------------------------===//

#include "Kernels.h"
#include "Walk.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
uint64_t oneOf(Elem elem) {
  switch (elem) {
  case Elem::f16:
    return 0x3c00;
  case Elem::bf16:
    return 0x3f80;
  case Elem::f32:
    return 0x3f800000;
  case Elem::e4m3:
    return 0x38;
  case Elem::e5m2:
    return 0x3c;
  case Elem::hif8:
    return 0x08;
  case Elem::e8m0:
    return 127;
  case Elem::e2m1x2:
    return 2;
  case Elem::e1m2x2:
    return 4;
  default:
    return 1;
  }
}
} // namespace

// Scalar 0, an element's bits, everywhere in the valid region.
void texpands(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref;
  fillElements(bitsOf(dst.elem), {ops.tile[0].data, tileMap(dst)}, dst.validRows, dst.validCols, ops.scalar[0]);
}

// Row 0 counts from scalar 0, up, or down if mode is 1, modulo the element's range.
void tci(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref;
  const Axis axis = tileMap(dst).col;
  Walk walk(axis, 0);
  uint64_t value = ops.scalar[0];
  for (int64_t c = 0; c < dst.validCols; ++c, walk.advance(1)) {
    storeElement(bitsOf(dst.elem), ops.tile[0].data, walk.at(), value);
    value = ops.mode ? value - 1 : value + 1;
  }
}

// Ones on and below the diagonal c = r + scalar 0, or on and above it if mode is
// 1; zeros elsewhere in the valid region.
void ttri(const Operands &ops) {
  const TileRef &dst = ops.tile[0].ref;
  const unsigned bits = bitsOf(dst.elem);
  const bool upper = ops.mode != 0;
  const int64_t diagonal = int32_t(uint32_t(ops.scalar[0]));
  const Map map = tileMap(dst);
  const uint64_t one = oneOf(dst.elem);
  for (int64_t r = 0; r < dst.validRows; ++r) {
    // Columns before the change from one value to the other.
    int64_t head = r + diagonal + (upper ? 0 : 1);
    head = head < 0 ? 0 : smaller(head, dst.validCols);
    fillElements(bits, {ops.tile[0].data, map, r, 0}, 1, head, upper ? 0 : one);
    fillElements(bits, {ops.tile[0].data, map, r, head}, 1, dst.validCols - head, upper ? one : 0);
  }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
