//===- Partial.cpp - operations on sources of different extents -----------===//
//
// TPART-1: where both sources are valid the operation, where one is a
// copy of it, elsewhere zero, or in text what the operation leaves alone (IRPART-2). The extents of both cut the
// destination into nine cells, each of one kind.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "Walk.h"
#include "pto/detail/modes.hpp"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
int64_t larger(int64_t a, int64_t b) { return a < b ? b : a; }

/// Calls fn(row, col, rows, cols, in a, in b) for each cell that is not empty.
template <typename Fn> void forCells(const TileRef &dst, const TileRef &a, const TileRef &b, Fn fn) {
  const int64_t rowEnd[] = {smaller(smaller(a.validRows, b.validRows), dst.validRows),
                            smaller(larger(a.validRows, b.validRows), dst.validRows), dst.validRows};
  const int64_t colEnd[] = {smaller(smaller(a.validCols, b.validCols), dst.validCols),
                            smaller(larger(a.validCols, b.validCols), dst.validCols), dst.validCols};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      const int64_t row = i ? rowEnd[i - 1] : 0, col = k ? colEnd[k - 1] : 0;
      if (row < rowEnd[i] && col < colEnd[k])
        fn(row, col, rowEnd[i] - row, colEnd[k] - col, row < a.validRows && col < a.validCols,
           row < b.validRows && col < b.validCols);
    }
}

/// A cell that at most one source has.
void copyCell(const TileView &dst, const TileView *from, int64_t row, int64_t col, int64_t rows, int64_t cols,
              uint64_t otherwise = 0) {
  const unsigned bits = bitsOf(dst.ref.elem);
  if (from)
    moveElements(bits, sideOf(dst, row, col), sideOf(*from, row, col), rows, cols);
  else
    fillElements(bits, sideOf(dst, row, col), rows, cols, otherwise);
}

/// The finite number that loses every comparison.
uint64_t neutralOf(Elem elem, bool max) {
  switch (elem) {
  case Elem::f32:
    return max ? 0xff7fffff : 0x7f7fffff;
  case Elem::f16:
    return max ? 0xfbff : 0x7bff;
  case Elem::bf16:
    return max ? 0xff7f : 0x7f7f;
  default:
    return max ? rangeOf(elem).min : rangeOf(elem).max;
  }
}

template <typename Op> void partial(const Operands &ops, uint64_t otherwise = 0) {
  const TileView &a = ops.tile[1], &b = ops.tile[2];
  forCells(ops.tile[0].ref, a.ref, b.ref,
           [&](int64_t row, int64_t col, int64_t rows, int64_t cols, bool inA, bool inB) {
             constexpr Input inputs[] = {tile(1), tile(2)};
             if (inA && inB) // the first cell, at (0, 0)
               mapLines(ops, lineOf<Op, false, false>(ops.tile[0].ref.elem), inputs, 2, rows, cols);
             else
               copyCell(ops.tile[0], inA ? &a : inB ? &b : nullptr, row, col, rows, cols, otherwise);
           });
}

/// Lanes where b is taken: strictly better, or the only NaN.
template <typename T, bool Max> PTOM_INLINE MaskGroup<T> takesSecond(Group<T> a, Group<T> b) {
  MaskGroup<T> better = compare<Max ? Mode::gt : Mode::lt, T>(b, a);
  if constexpr (kIsFloat<T>)
    better |= isNaN<T>(b) & ~isNaN<T>(a);
  return better;
}

// dst, a, b, dstIdx, aIdx, bIdx
template <bool Max> void partialArg(const Operands &ops) {
  const TileView &dst = ops.tile[0], &a = ops.tile[1], &b = ops.tile[2];
  const TileView &dstIndex = ops.tile[3], &aIndex = ops.tile[4], &bIndex = ops.tile[5];
  auto both = [&]<typename T>(int64_t rows, int64_t cols) {
    constexpr int64_t kWidth = sizeof(typename T::Elem), kN = kLanes<T>;
    auto at = [](const TileView &tile, int64_t r, int64_t c, int64_t width) {
      return tile.data + (r * tile.ref.cols + c) * width;
    };
    using Indices = Vec<uint32_t, int(kN)>;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; c += kN) {
        const auto n = size_t(smaller(cols - c, kN));
        Group<T> x = loadGroup<T>(at(a, r, c, kWidth), n * kWidth), y = loadGroup<T>(at(b, r, c, kWidth), n * kWidth);
        MaskGroup<T> second = takesSecond<T, Max>(x, y);
        Indices i{}, k{};
        __builtin_memcpy(&i, at(aIndex, r, c, 4), 4 * n);
        __builtin_memcpy(&k, at(bIndex, r, c, 4), 4 * n);
        i = select(convert<int32_t>(second), k, i);
        storeGroup<T>(at(dst, r, c, kWidth), leaveArithmetic<T>(select(second, y, x)), n * kWidth);
        __builtin_memcpy(at(dstIndex, r, c, 4), &i, 4 * n);
      }
  };
  forCells(dst.ref, a.ref, b.ref, [&](int64_t row, int64_t col, int64_t rows, int64_t cols, bool inA, bool inB) {
    if (inA && inB) {
      forElem<i8, u8, i16, u16, i32, u32, f16, bf16, f32>(
          dst.ref.elem, [&]<typename T>() { both.template operator()<T>(rows, cols); });
      return;
    }
    copyCell(dst, inA ? &a : inB ? &b : nullptr, row, col, rows, cols);
    copyCell(dstIndex, inA ? &aIndex : inB ? &bIndex : nullptr, row, col, rows, cols);
  });
}
} // namespace

void tpartadd(const Operands &ops) { partial<AddOp>(ops); }
void tpartmul(const Operands &ops) { partial<MulOp>(ops); }
void tpartmax(const Operands &ops) { partial<MaxOp>(ops, ops.isText() ? neutralOf(ops.tile[0].ref.elem, true) : 0); }
void tpartmin(const Operands &ops) { partial<MinOp>(ops, ops.isText() ? neutralOf(ops.tile[0].ref.elem, false) : 0); }
void tpartargmax(const Operands &ops) { partialArg<true>(ops); }
void tpartargmin(const Operands &ops) { partialArg<false>(ops); }

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
