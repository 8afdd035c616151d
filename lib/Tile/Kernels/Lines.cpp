//===- Lines.cpp - walking over the lines of tiles ------------------------===//

#include "Lines.h"

#include "Walk.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
bool isPlain(const TileRef &tile) { return SLayout(tile.innerLayout) == SLayout::NoneBox; }
bool isRowMajor(const TileRef &tile) { return BLayout(tile.blockLayout) == BLayout::RowMajor; }
size_t widthOf(const TileRef &tile) { return bitsOf(tile.elem) / 8; }

/// Rows of row-major tiles, columns of column-major ones: every tile has the same
/// lines, and a line without a gap to the next is one with it.
bool mapPlain(const Operands &ops, Line line, const Input *inputs, int count, int64_t rows, int64_t cols) {
  const TileRef &first = ops.tile[0].ref;
  const bool rowMajor = isRowMajor(first);
  const auto lines = size_t(rowMajor ? rows : cols), length = size_t(rowMajor ? cols : rows);
  auto pitch = [&](const TileRef &tile) { return size_t(rowMajor ? tile.cols : tile.rows); };
  bool gapless = pitch(first) == length;
  if (!isPlain(first))
    return false;
  size_t step[kMaxInputs];
  const uint8_t *src[kMaxInputs];
  for (int i = 0; i < count; ++i) {
    if (inputs[i].kind == Input::Scalar) {
      src[i] = reinterpret_cast<const uint8_t *>(&ops.scalar[inputs[i].index]);
      step[i] = 0;
      continue;
    }
    const TileView &tile = ops.tile[inputs[i].index];
    if (inputs[i].kind != Input::Tile || !isPlain(tile.ref) || isRowMajor(tile.ref) != rowMajor)
      return false;
    src[i] = tile.data;
    step[i] = pitch(tile.ref) * widthOf(tile.ref);
    gapless = gapless && pitch(tile.ref) == length;
  }
  uint8_t *dst = ops.tile[0].data;
  if (gapless) {
    line(dst, src, lines * length);
    return true;
  }
  for (size_t k = 0; k < lines; ++k, dst += pitch(first) * widthOf(first)) {
    line(dst, src, length);
    for (int i = 0; i < count; ++i)
      src[i] += step[i];
  }
  return true;
}

/// Elements in a line that is gathered, at most, and their bytes.
constexpr int64_t kChunk = 256;
using Staging = uint8_t[kChunk * 8];
} // namespace

void mapLines(const Operands &ops, Line line, const Input *inputs, int count, int64_t rows, int64_t cols) {
  if (rows <= 0 || cols <= 0 || mapPlain(ops, line, inputs, count, rows, cols))
    return;
  // Row by row; what does not lie in rows is gathered and scattered.
  auto inRows = [](const TileRef &tile) { return isPlain(tile) && isRowMajor(tile); };
  const TileView &dst = ops.tile[0];
  const Map dstMap = tileMap(dst.ref);
  Map maps[kMaxInputs];
  bool direct = inRows(dst.ref);
  for (int i = 0; i < count; ++i)
    if (inputs[i].kind != Input::Scalar) {
      const TileRef &ref = ops.tile[inputs[i].index].ref;
      maps[i] = tileMap(ref);
      direct = direct && (inputs[i].kind == Input::PerRow || inRows(ref));
    }
  alignas(64) Staging staged[kMaxInputs + 1];
  const int64_t longest = direct ? cols : kChunk;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; c += longest) {
      const int64_t n = smaller(cols - c, longest);
      const uint8_t *src[kMaxInputs];
      for (int i = 0; i < count; ++i) {
        const Input &input = inputs[i];
        if (input.kind == Input::Scalar) {
          src[i] = reinterpret_cast<const uint8_t *>(&ops.scalar[input.index]);
          continue;
        }
        const TileView &tile = ops.tile[input.index];
        const size_t width = widthOf(tile.ref);
        const int64_t row = input.kind == Input::PerColumn ? 0 : r, col = input.kind == Input::PerRow ? 0 : c;
        if (input.kind == Input::PerRow || inRows(tile.ref)) {
          src[i] = tile.data + size_t(maps[i].offset(row, col)) * width;
          continue;
        }
        for (int64_t k = 0; k < n; ++k)
          __builtin_memcpy(staged[i] + size_t(k) * width, tile.data + size_t(maps[i].offset(row, col + k)) * width,
                           width);
        src[i] = staged[i];
      }
      const size_t width = widthOf(dst.ref);
      if (inRows(dst.ref)) {
        line(dst.data + size_t(dstMap.offset(r, c)) * width, src, size_t(n));
        continue;
      }
      line(staged[kMaxInputs], src, size_t(n));
      for (int64_t k = 0; k < n; ++k)
        __builtin_memcpy(dst.data + size_t(dstMap.offset(r, c + k)) * width, staged[kMaxInputs] + size_t(k) * width,
                         width);
    }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
