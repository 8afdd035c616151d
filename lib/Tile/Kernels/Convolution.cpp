//===- Convolution.cpp - loads and moves of convolution tiles -------------===//
//
// CONVT-6 to CONVT-14. Loads and transposes are moves between two maps (ConvShape.h);
// img2col copies blocks of C0 channels, one for each position of the filter.
//
//===----------------------------------------------------------------------===//

#include "../ConvShape.h"
#include "Kernels.h"
#include "Walk.h"

#include "pto/detail/modes.hpp"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
void moveBox(const ConvMove &move, unsigned bits, uint8_t *dst, uint8_t *src) {
  const ConvBox &box = move.box;
  if (move.pads)
    __builtin_memset(dst, 0, size_t(move.written) * bits / 8);
  moveElements(bits, {dst, move.to.map(box)}, {src, move.from.map(box)}, box.n * box.d * box.h, box.c * box.g * box.w);
}
} // namespace

void tloadconv(const Operands &ops) {
  const ConvTensor tile = unpackConv(ops.scalar[0], ops.scalar[1], ops.mode);
  moveBox(convLoad(tile, ops.global.ref), bitsOf(ops.tile[0].ref.elem), ops.tile[0].data, ops.global.data);
}

void ttransconv(const Operands &ops) {
  const ConvTensor dst = unpackConv(ops.scalar[0], ops.scalar[1], ops.mode);
  const ConvTensor src = unpackConv(ops.scalar[2], ops.scalar[3], ops.mode >> 16);
  const unsigned bits = bitsOf(ops.tile[0].ref.elem);
  moveBox(convTranspose(dst, src, bits), bits, ops.tile[0].data, ops.tile[1].data);
}

void timg2col(const Operands &ops) {
  const Img2col conv(ops);
  const TileRef &left = ops.tile[0].ref;
  const int64_t bytes = int64_t(bitsOf(left.elem)) / 8, block = conv.c0;
  const int64_t outH = conv.outH(), outW = conv.outW();
  const int64_t cols = smaller(roundUp(left.validCols, block), left.cols);
  const Map map = tileMap(left);
  const uint64_t pad = padBits(left.elem, left.pad);
  uint8_t *const to = ops.tile[0].data;
  const uint8_t *const from = ops.tile[1].data;
  for (int64_t r = 0; r < left.validRows; ++r) {
    const int64_t m = conv.posM + r;
    const int64_t n = m / (conv.d * outH * outW), d = m / (outH * outW) % conv.d;
    const int64_t top = m / outW % outH * conv.strideH - conv.top, begin = m % outW * conv.strideW - conv.left;
    const int64_t row = map.row.offset(r);
    for (int64_t q = 0; q < cols;) {
      // A run of channels of one position.
      const int64_t k = conv.posK + q, run = smaller(block - k % block, cols - q);
      const int64_t position = k / block, c1 = position / (conv.kh * conv.kw);
      const int64_t h = top + position / conv.kw % conv.kh * conv.dilationH;
      const int64_t w = begin + position % conv.kw * conv.dilationW;
      const bool inside = n < conv.n && c1 < conv.c1 && h >= 0 && h < conv.h && w >= 0 && w < conv.w;
      const int64_t at = ((((n * conv.d + d) * conv.c1 + c1) * conv.h + h) * conv.w + w) * block + k % block;
      for (int64_t i = 0; i < run; ++i, ++q)
        storeElement(unsigned(bytes * 8), to, row + map.col.offset(q),
                     inside ? loadElement(unsigned(bytes * 8), from, at + i) : pad);
    }
  }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
