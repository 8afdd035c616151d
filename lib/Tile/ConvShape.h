//===- ConvShape.h - where elements of convolution tiles are ----*- C++ -*-===//
//
// Every layout of a convolution names the same six coordinates: group, image, channel,
// depth, height, width. Images and channels may be cut into blocks. A ConvMap gives
// each a stride; loads and transposes copy a box of coordinates from one map to
// another (CONVT-6, CONVT-14). Shapes travel in scalars, three extents of 21 bits each.
//
// Everything is inlined always, since the library compiles its users for several kinds
// of host.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_CONVSHAPE_H
#define PTOSCOPE_LIB_TILE_CONVSHAPE_H

#include "pto/detail/conv_abi.hpp"
#include "pto/detail/layout.hpp"

namespace ptoscope::tile {

/// Coordinates and how many there are of each.
struct ConvBox {
  int64_t g = 1, n = 1, c = 1, d = 1, h = 1, w = 1;
  [[gnu::always_inline]] constexpr int64_t count() const { return g * n * c * d * h * w; }
};

/// Strides in elements. Blocks of `nBlock` images and `cBlock` channels; 0: not cut.
struct ConvMap {
  int64_t g = 0, n = 0, c = 0, d = 0, h = 0, w = 0;
  int64_t nBlock = 0, nOuter = 0, cBlock = 0, cOuter = 0;

  /// Rows are (h, d, n), columns (w, g, c): the coordinates that are cut come last, where
  /// their count need not be that of whole blocks.
  [[gnu::always_inline]] constexpr Map map(const ConvBox &box) const {
    Map result;
    result.row.add(box.h, h);
    result.row.add(box.d, d);
    result.row.add(nBlock ? nBlock : box.n, n);
    if (nBlock)
      result.row.add((box.n + nBlock - 1) / nBlock, nOuter);
    result.col.add(box.w, w);
    result.col.add(box.g, g);
    result.col.add(cBlock ? cBlock : box.c, c);
    if (cBlock)
      result.col.add((box.c + cBlock - 1) / cBlock, cOuter);
    return result;
  }
};

/// A tile, or a view, of a convolution.
struct ConvTensor {
  Layout layout = Layout::MAX;
  int dims = 0;
  int64_t dim[6] = {};
};

PTO_DETAIL_INLINE int64_t elementsOf(const ConvTensor &tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.dims; ++i)
    count *= tensor.dim[i];
  return count;
}

/// From two scalars and 16 bits of the mode: dims << 8 | layout.
PTO_DETAIL_INLINE ConvTensor unpackConv(uint64_t low, uint64_t high, uint32_t mode) {
  ConvTensor tensor;
  tensor.layout = Layout(mode & 0xff);
  tensor.dims = int(mode >> 8 & 0xff);
  for (int i = 0; i < 3; ++i) {
    tensor.dim[i] = int64_t(low >> (i * kConvBits) & kConvMax);
    tensor.dim[3 + i] = int64_t(high >> (i * kConvBits) & kConvMax);
  }
  return tensor;
}

/// What is copied from where to where.
struct ConvMove {
  const char *problem = ""; ///< why it cannot be
  ConvBox box;
  ConvMap to, from;
  int64_t written = 0; ///< elements of the destination, from its first on
  bool pads = false;   ///< zeros outside the box
};

PTO_DETAIL_INLINE int64_t blocksOf(int64_t n, int64_t block) { return (n + block - 1) / block; }

/// Strides of a dense FRACTAL_Z: [g, d, c1, h, w, n, c0].
PTO_DETAIL_INLINE ConvMap fractalZ(int64_t d, int64_t c1, int64_t h, int64_t w, int64_t n, int64_t c0) {
  ConvMap map;
  map.c = 1, map.cBlock = c0;
  map.n = c0;
  map.w = n * c0;
  map.h = w * map.w;
  map.cOuter = h * map.h;
  map.d = c1 * map.cOuter;
  map.g = d * map.d;
  return map;
}
/// Strides of a dense [g, n, d, c1, h, w, c0].
PTO_DETAIL_INLINE ConvMap blockedChannels(int64_t n, int64_t d, int64_t c1, int64_t h, int64_t w, int64_t c0) {
  ConvMap map;
  map.c = 1, map.cBlock = c0;
  map.w = c0;
  map.h = w * c0;
  map.cOuter = h * map.h;
  map.d = c1 * map.cOuter;
  map.n = d * map.d;
  map.g = n * map.n;
  return map;
}
/// Strides of a dense [g, n, c, d, h, w].
PTO_DETAIL_INLINE ConvMap planes(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  ConvMap map;
  map.w = 1;
  map.h = w;
  map.d = h * w;
  map.c = d * map.d;
  map.n = c * map.c;
  map.g = n * map.n;
  return map;
}

/// A tile with blocked channels, as N, D, C1, H, W, C0; a shape without C0 implies it.
struct BlockedShape {
  int64_t g, n, d, c1, h, w, c0;
  bool ok;
};
PTO_DETAIL_INLINE BlockedShape blockedShape(const ConvTensor &t, int64_t c0) {
  const int64_t *v = t.dim;
  BlockedShape s = {1, 1, 1, 1, 1, 1, c0, false};
  switch (t.layout) {
  case Layout::NC1HWC0:
    s = {1, v[0], 1, v[1], v[2], v[3], t.dims == 5 ? v[4] : c0, t.dims == 4 || t.dims == 5};
    break;
  case Layout::NDC1HWC0:
    s = {1, v[0], v[1], v[2], v[3], v[4], t.dims == 6 ? v[5] : c0, t.dims == 5 || t.dims == 6};
    break;
  case Layout::GNC1HWC0:
    s = {v[0], v[1], 1, v[2], v[3], v[4], t.dims == 6 ? v[5] : c0, t.dims == 5 || t.dims == 6};
    break;
  default:
    break;
  }
  s.ok = s.ok && s.c0 == c0;
  return s;
}

//===----------------------------------------------------------------------===//
// Loads (CONVT-6 to CONVT-9)
//===----------------------------------------------------------------------===//

/// Where the extents of a view of four dimensions begin: behind a leading 1, or at its
/// first dimension when only that has room for the tile.
PTO_DETAIL_INLINE int firstOfFour(const GlobalRef &view, int hAt, int64_t h, int64_t w) {
  // No function without a name: it would be one symbol for all levels of the host.
  const int64_t *first = view.shape + hAt, *next = first + 1;
  const bool behind = view.shape[0] == 1 && first[1] >= h && next[1] >= w;
  return behind || view.shape[4] != 1 || first[0] < h || next[0] < w ? 1 : 0;
}

PTO_DETAIL_INLINE ConvMove convLoad(const ConvTensor &tile, const GlobalRef &view) {
  ConvMove move;
  const int64_t c0 = 32 * 8 / int64_t(bitsOf(view.elem)), *n = view.shape, *s = view.stride;
  const auto from = Layout(view.layout);
  move.written = elementsOf(tile);
  const BlockedShape b = blockedShape(tile, c0);
  const bool blocked = tile.layout == Layout::NC1HWC0 || tile.layout == Layout::NDC1HWC0;
  const bool three = tile.layout == Layout::FRACTAL_Z_3D;
  const bool filter = tile.layout == Layout::FRACTAL_Z || three;
  if (blocked && !b.ok) {
    move.problem = "its tile ends with C0 elements of 32 bytes";
    return move;
  }
  if (from == tile.layout) {
    if (blocked) {
      move.box = {1, b.n, b.c1 * c0, b.d, b.h, b.w};
      move.to = blockedChannels(b.n, b.d, b.c1, b.h, b.w, c0);
      const bool deep = tile.layout == Layout::NDC1HWC0;
      move.from.n = s[0];
      move.from.d = deep ? s[1] : 0;
      move.from.cOuter = s[deep ? 2 : 1];
      move.from.h = s[deep ? 3 : 2];
      move.from.w = s[deep ? 4 : 3];
      move.from.c = deep ? 1 : s[4];
      move.from.cBlock = c0;
      const int64_t has[] = {n[0], deep ? n[1] : 1, n[deep ? 2 : 1], n[deep ? 3 : 2], n[deep ? 4 : 3]};
      const int64_t wants[] = {b.n, b.d, b.c1, b.h, b.w};
      for (int i = 0; i < 5; ++i)
        if (wants[i] > has[i])
          move.problem = "the view is smaller than the tile";
      return move;
    }
    if (!filter) {
      move.problem = "this layout is not loaded as it is";
      return move;
    }
    // FRACTAL_Z of five: C1, H, W, N, C0. Of four: blocks of k, N / 16, 16, C0, behind a leading 1.
    if (tile.dims == 5 && !three) {
      const int64_t *t = tile.dim;
      move.box = {1, t[3], t[0] * c0, 1, t[1], t[2]};
      move.to = fractalZ(1, t[0], t[1], t[2], t[3], c0);
      move.from.cOuter = s[0], move.from.h = s[1], move.from.w = s[2], move.from.n = s[3], move.from.c = s[4];
      move.from.cBlock = c0;
      if (t[4] != c0 || n[4] != c0)
        move.problem = "tile and view end with C0 elements of 32 bytes";
      else if (n[1] != t[1] || n[2] != t[2])
        move.problem = "the filters of tile and view have the same height and width";
      else if (n[0] < t[0] || n[3] < t[3])
        move.problem = "the view is smaller than the tile";
      return move;
    }
    const int64_t *t = tile.dim;
    move.box = {1, t[1] * 16, t[0] * c0, 1, 1, 1};
    move.to = fractalZ(1, t[0], 1, 1, t[1] * 16, c0);
    move.from.cOuter = s[1], move.from.nOuter = s[2], move.from.n = s[3], move.from.c = s[4];
    move.from.cBlock = c0, move.from.nBlock = 16;
    move.to.nBlock = 16, move.to.nOuter = 16 * c0;
    if (tile.dims != 4 || t[2] != 16 || t[3] != c0 || n[3] != 16 || n[4] != c0)
      move.problem = "tile and view end with 16 x C0 elements, C0 of them in 32 bytes";
    else if (n[0] != 1 || n[1] < t[0] || n[2] < t[1])
      move.problem = "the view is smaller than the tile";
    return move;
  }
  // From plain channels: what the view does not have is 0.
  move.pads = true;
  int64_t images, channels, depth = 1, height, width;
  if (from == Layout::NCDHW) {
    images = n[0], channels = n[1], depth = n[2], height = n[3], width = n[4];
    move.from.n = s[0], move.from.c = s[1], move.from.d = s[2], move.from.h = s[3], move.from.w = s[4];
  } else {
    const bool last = from == Layout::NHWC;
    const int i = firstOfFour(view, last ? 1 : 2, blocked ? b.h : 1, blocked ? b.w : 1);
    images = n[i], channels = n[i + (last ? 3 : 1)], height = n[i + (last ? 1 : 2)], width = n[i + (last ? 2 : 3)];
    move.from.n = s[i], move.from.c = s[i + (last ? 3 : 1)];
    move.from.h = s[i + (last ? 1 : 2)], move.from.w = s[i + (last ? 2 : 3)];
  }
  const auto least = [](int64_t a, int64_t b) { return a < b ? a : b; };
  if (blocked) {
    if (b.d > depth || b.h > height || b.w > width || b.n > images)
      move.problem = "the view is smaller than the tile";
    move.box = {1, b.n, least(channels, b.c1 * c0), b.d, b.h, b.w};
    move.to = blockedChannels(b.n, b.d, b.c1, b.h, b.w, c0);
    return move;
  }
  // Filters keep all of their height, width and depth.
  const bool folded = tile.dims == 4;
  const int64_t *t = tile.dim, each = depth * height * width;
  const int64_t c1 = folded ? t[0] / each : t[0], rows = folded ? t[1] * 16 : t[3];
  const bool fits = folded ? t[2] == 16 && t[3] == c0 && t[0] == c1 * each
                           : tile.dims == 5 && !three && t[1] == height && t[2] == width && t[4] == c0;
  if (!fits)
    move.problem = "a filter has whole blocks of C0 channels for each of its positions";
  move.box = {1, least(images, rows), least(channels, c1 * c0), depth, height, width};
  move.to = fractalZ(depth, c1, height, width, rows, c0);
  return move;
}

//===----------------------------------------------------------------------===//
// Transposes (CONVT-14)
//===----------------------------------------------------------------------===//

PTO_DETAIL_INLINE ConvMove convTranspose(const ConvTensor &dst, const ConvTensor &src, unsigned bits) {
  ConvMove move;
  const int64_t c0 = 32 * 8 / int64_t(bits), *v = src.dim, *t = dst.dim;
  const int64_t room = elementsOf(dst);
  move.written = room;
  const bool grouped = src.layout == Layout::GNCHW || src.layout == Layout::GNC1HWC0;
  const auto is = [&](Layout a, Layout b) { return src.layout == a && dst.layout == b; };
  if (is(Layout::NCHW, Layout::NC1HWC0) || is(Layout::GNCHW, Layout::GNC1HWC0)) {
    const BlockedShape b = blockedShape(dst, c0);
    const int64_t *p = v + grouped;
    if (src.dims != 4 + grouped || !b.ok || b.g != (grouped ? v[0] : 1) || b.n != p[0] || b.h != p[2] || b.w != p[3] ||
        b.c1 < blocksOf(p[1], c0))
      move.problem = "the destination has the groups, images, height and width of the source, and C1 blocks of C0";
    move.box = {b.g, p[0], p[1], 1, p[2], p[3]};
    move.from = planes(p[0], p[1], 1, p[2], p[3]);
    move.to = blockedChannels(b.n, 1, b.c1, b.h, b.w, c0);
    move.pads = b.c1 * c0 > p[1];
  } else if (is(Layout::NC1HWC0, Layout::NCHW)) {
    const BlockedShape b = blockedShape(src, c0);
    if (dst.dims != 4 || !b.ok || t[0] != b.n || t[1] != b.c1 * c0 || t[2] != b.h || t[3] != b.w)
      move.problem = "the destination has the images, height and width of the source, and C = C1 * C0";
    move.box = {1, b.n, b.c1 * c0, 1, b.h, b.w};
    move.from = blockedChannels(b.n, 1, b.c1, b.h, b.w, c0);
    move.to = planes(b.n, b.c1 * c0, 1, b.h, b.w);
  } else if (is(Layout::NC1HWC0, Layout::FRACTAL_Z) || is(Layout::GNC1HWC0, Layout::FRACTAL_Z)) {
    // The destination may write its extents in several ways; its size says how many images.
    const BlockedShape b = blockedShape(src, c0);
    const int64_t each = b.g * b.c1 * b.h * b.w * c0, images = each > 0 ? room / each : 0;
    if (!b.ok || images * each != room || images % 16 != 0 || images < b.n)
      move.problem = "the destination has 16 images in each block, for each position of the source";
    move.box = {b.g, b.n, b.c1 * c0, 1, b.h, b.w};
    move.from = blockedChannels(b.n, 1, b.c1, b.h, b.w, c0);
    move.to = fractalZ(1, b.c1, b.h, b.w, images, c0);
    move.pads = images > b.n;
  } else if (is(Layout::NCDHW, Layout::FRACTAL_Z_3D)) {
    const int64_t c1 = blocksOf(v[1], c0), each = v[2] * c1 * v[3] * v[4] * c0, images = each > 0 ? room / each : 0;
    if (src.dims != 5 || images * each != room || images % 16 != 0 || images < v[0])
      move.problem = "the destination has 16 images and C0 channels in each block, for each position of the source";
    move.box = {1, v[0], v[1], v[2], v[3], v[4]};
    move.from = planes(v[0], v[1], v[2], v[3], v[4]);
    move.to = fractalZ(v[2], c1, v[3], v[4], images, c0);
    move.pads = images > v[0] || c1 * c0 > v[1];
  } else {
    move.problem = "no document describes this pair of layouts";
  }
  return move;
}

//===----------------------------------------------------------------------===//
// img2col (CONVT-11)
//===----------------------------------------------------------------------===//

/// What TIMG2COL reads, from its scalars.
struct Img2col {
  int64_t h, w, left, right, top, bottom;
  int64_t kh, kw, strideH, strideW, dilationH, dilationW;
  int64_t posM, posK, n, d, c1, c0;

  [[gnu::always_inline]] constexpr explicit Img2col(const Operands &ops) {
    const auto field = [&](int scalar, int low, int bits) {
      return int64_t(ops.scalar[scalar] >> low & ((uint64_t(1) << bits) - 1));
    };
    w = field(0, 0, 16), h = field(0, 16, 16);
    left = field(0, 32, 8), right = field(0, 40, 8), top = field(0, 48, 8), bottom = field(0, 56, 8);
    kw = field(1, 0, 16), kh = field(1, 16, 16);
    strideW = field(1, 32, 8), strideH = field(1, 40, 8), dilationW = field(1, 48, 8), dilationH = field(1, 56, 8);
    posM = field(2, 0, 16), posK = field(2, 16, 16), n = field(2, 32, 32);
    d = field(3, 0, 32), c1 = field(3, 32, 32);
    c0 = 32 * 8 / int64_t(bitsOf(ops.tile[0].ref.elem));
  }
  [[gnu::always_inline]] constexpr int64_t outH() const {
    return (h + top + bottom - dilationH * (kh - 1) - 1) / strideH + 1;
  }
  [[gnu::always_inline]] constexpr int64_t outW() const {
    return (w + left + right - dilationW * (kw - 1) - 1) / strideW + 1;
  }
  /// The filter is larger than the padded image, or something is 0.
  [[gnu::always_inline]] constexpr bool empty() const {
    return h < 1 || w < 1 || kh < 1 || kw < 1 || strideH < 1 || strideW < 1 || dilationH < 1 || dilationW < 1 ||
           h + top + bottom < dilationH * (kh - 1) + 1 || w + left + right < dilationW * (kw - 1) + 1;
  }
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_CONVSHAPE_H
