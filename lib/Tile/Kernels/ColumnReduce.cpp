//===- ColumnReduce.cpp - what becomes of the elements of a column --------===//
//
// TRED-3 to TRED-5: in the order of rows, in the element type; the
// binary form of the sum combines neighbouring rows, then neighbouring sums, and
// an odd one goes up alone. Many columns at a time, by the line functions of
// elementwise operations. Sources lie in rows.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "Walk.h"
#include "ptoscope/Meaning/Reduce.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
/// Columns that are done together, and their bytes at most.
constexpr int64_t kColumns = 256;
using Sums = uint8_t[kColumns * 4];

const uint8_t *at(const TileView &tile, int64_t r, int64_t c) {
  return tile.data + size_t(r * tile.ref.cols + c) * (bitsOf(tile.ref.elem) / 8);
}

/// Writes elements of row 0.
void storeInRow0(const TileView &tile, int64_t col, const uint8_t *from, int64_t n) {
  const Map map = tileMap(tile.ref);
  const size_t width = bitsOf(tile.ref.elem) / 8;
  for (int64_t k = 0; k < n; ++k)
    __builtin_memcpy(tile.data + size_t(map.offset(0, col + k)) * width, from + size_t(k) * width, width);
}

void combine(Line line, Sums &into, const uint8_t *first, const uint8_t *second, int64_t n) {
  const uint8_t *src[] = {first, second};
  line(into, src, size_t(n));
}

/// In the order of rows.
void reduceInOrder(Line line, const TileView &src, int64_t c, int64_t n, Sums &sums) {
  __builtin_memcpy(sums, at(src, 0, c), size_t(n) * (bitsOf(src.ref.elem) / 8));
  for (int64_t r = 1; r < src.ref.validRows; ++r)
    combine(line, sums, sums, at(src, r, c), n);
}

/// As a tree. Level k holds a sum of 2^k rows when bit k of the number of rows
/// seen is set, as in a binary counter.
void reduceAsTree(Line line, const TileView &src, int64_t c, int64_t n, Sums &sums) {
  constexpr int kLevels = 24;
  const size_t bytes = size_t(n) * (bitsOf(src.ref.elem) / 8);
  alignas(64) Sums level[kLevels];
  for (int64_t r = 0; r < src.ref.validRows; ++r) {
    __builtin_memcpy(sums, at(src, r, c), bytes);
    int k = 0;
    for (; r >> k & 1; ++k)
      combine(line, sums, level[k], sums, n);
    __builtin_memcpy(level[k], sums, bytes);
  }
  bool any = false;
  for (int k = 0; k < kLevels; ++k) {
    if (!(int64_t(src.ref.validRows) >> k & 1))
      continue;
    if (any)
      combine(line, sums, level[k], sums, n);
    else
      __builtin_memcpy(sums, level[k], bytes);
    any = true;
  }
}

template <typename Op> void reduceColumns(const Operands &ops, bool tree = false) {
  const TileView &src = ops.tile[1];
  if (src.ref.validRows <= 0)
    return;
  const Line line = lineOf<Op, false, false>(src.ref.elem);
  alignas(64) Sums sums;
  for (int64_t c = 0; c < src.ref.validCols; c += kColumns) {
    const int64_t n = smaller(src.ref.validCols - c, kColumns);
    (tree ? reduceAsTree : reduceInOrder)(line, src, c, n, sums);
    storeInRow0(ops.tile[0], c, sums, n);
  }
}

/// The first of equals in each column; the zeros are equal, and so are all NaNs,
/// which win. dstIdx, src, tmp, dstVal.
template <typename Op> void placesInColumns(const Operands &ops) {
  const TileView &src = ops.tile[1];
  if (src.ref.validRows <= 0)
    return;
  forElem<i8, u8, i16, u16, i32, u32, f16, bf16, f32>(src.ref.elem, [&]<typename T>() {
    constexpr int64_t kN = kLanes<T>;
    constexpr size_t width = sizeof(typename T::Elem);
    for (int64_t c = 0; c < src.ref.validCols; c += kN) {
      const int64_t n = smaller(src.ref.validCols - c, kN);
      Group<T> value = tile::PTOSCOPE_LEVEL::loadGroup<T>(at(src, 0, c), size_t(n) * width);
      KeyGroup<T> best = toTieKeys<T, Op>(value);
      Vec<uint32_t, int(kN)> place = 0;
      for (int64_t r = 1; r < src.ref.validRows; ++r) {
        Group<T> other = tile::PTOSCOPE_LEVEL::loadGroup<T>(at(src, r, c), size_t(n) * width);
        KeyGroup<T> key = toTieKeys<T, Op>(other);
        auto better = bitcast<MaskGroup<T>>(Op()(key, best) == key) & ~bitcast<MaskGroup<T>>(key == best);
        best = select(better, key, best);
        value = select(better, other, value);
        place = select(convert<int32_t>(better), Vec<uint32_t, int(kN)>(uint32_t(r)), place);
      }
      alignas(64) uint8_t bytes[kN * 4];
      __builtin_memcpy(bytes, &place, sizeof(place));
      storeInRow0(ops.tile[0], c, bytes, n);
      if (ops.tiles < 4)
        continue;
      value = tile::PTOSCOPE_LEVEL::leaveArithmetic<T>(value);
      __builtin_memcpy(bytes, &value, sizeof(value));
      storeInRow0(ops.tile[3], c, bytes, n);
    }
  });
}
} // namespace

void tcolsum(const Operands &ops) { reduceColumns<AddOp>(ops, ops.mode != 0); }
void tcolprod(const Operands &ops) { reduceColumns<MulOp>(ops); }
void tcolmax(const Operands &ops) { reduceColumns<MaxOp>(ops); }
void tcolmin(const Operands &ops) { reduceColumns<MinOp>(ops); }
void tcolargmax(const Operands &ops) { placesInColumns<lanes::Max>(ops); }
void tcolargmin(const Operands &ops) { placesInColumns<lanes::Min>(ops); }

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
