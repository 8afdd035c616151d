//===- RowReduce.cpp - what becomes of the elements of a row --------------===//
//
// TRED-1, TRED-2, TRED-5 to TRED-9. Sums and products of floats are taken in f32, in a fixed
// order: column c goes to lane c mod 64, each lane in the order of columns; then
// neighbouring lanes are combined until one is left, which is rounded to the
// element. Integers wrap. Sources lie in rows.
//
//===----------------------------------------------------------------------===//

#include "Lines.h"

#include "Walk.h"
#include "ptoscope/Meaning/Reduce.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
const uint8_t *rowOf(const TileView &tile, int64_t r) {
  return tile.data + size_t(r) * size_t(tile.ref.cols) * (bitsOf(tile.ref.elem) / 8);
}

/// Writes an element of column 0.
template <typename E> void storeInColumn0(const TileView &tile, int64_t r, E value) {
  __builtin_memcpy(tile.data + size_t(tileMap(tile.ref).offset(r, 0)) * sizeof(E), &value, sizeof(E));
}

//===----------------------------------------------------------------------===//
// Sums, products, extrema
//===----------------------------------------------------------------------===//

struct Add {
  static constexpr int kNeutral = 0;
  template <typename V> PTOM_INLINE V operator()(V a, V b) const { return a + b; }
};
struct Multiply {
  static constexpr int kNeutral = 1;
  template <typename V> PTOM_INLINE V operator()(V a, V b) const { return a * b; }
};

/// 64 elements as what they are accumulated in.
template <typename T> PTOM_INLINE auto widen64(lanes::Vec<typename T::Elem, 64> v) {
  if constexpr (lanes::kIsSame<T, lanes::bf16>)
    return lanes::bitcast<lanes::Vec<float, 64>>(lanes::convert<uint32_t>(v) << 16);
  else if constexpr (lanes::kIsFloat<T>)
    return lanes::convert<float>(v);
  else
    return lanes::bitcast<lanes::Vec<typename T::Bits, 64>>(v);
}

template <typename T, typename Op> typename T::Elem accumulate(const uint8_t *row, size_t n) {
  using Elem = typename T::Elem;
  using Elems = lanes::Vec<Elem, 64>;
  auto acc = widen64<T>(Elems{});
  using Acc = decltype(acc);
  acc = Acc(Op::kNeutral);
  size_t at = 0;
  for (; at + 64 <= n; at += 64) {
    Elems v;
    __builtin_memcpy(&v, row + at * sizeof(Elem), sizeof(v));
    acc = Op()(acc, widen64<T>(v));
  }
  if (at < n) {
    Elems v{};
    __builtin_memcpy(&v, row + at * sizeof(Elem), (n - at) * sizeof(Elem));
    auto inside = lanes::laneConstants<lanes::Vec<int32_t, 64>, [](int i) { return i; }>() < int32_t(n - at);
    if constexpr (lanes::kIsFloat<T>)
      acc = Op()(acc, lanes::select(inside, widen64<T>(v), Acc(Op::kNeutral)));
    else
      acc = Op()(acc, lanes::select(lanes::convert<typename T::Mask>(inside), widen64<T>(v), Acc(Op::kNeutral)));
  }
  auto one = lanes::fold<1>(Op(), acc)[0];
  if constexpr (!lanes::kIsFloat<T>) {
    return Elem(one);
  } else {
    lanes::Group<T> result;
    if constexpr (lanes::kIsSame<T, lanes::bf16>)
      result = lanes::narrow(lanes::WideGroup(one));
    else
      result = lanes::splat<T>(Elem(one));
    return leaveArithmetic<T>(result)[0];
  }
}

/// As vmax and vmin see it: a NaN wins, and the zeros are ordered.
template <typename T, bool Max> typename T::Elem extremum(const uint8_t *row, size_t n) {
  using Elem = typename T::Elem;
  constexpr size_t width = sizeof(Elem);
  auto better = [](lanes::Group<T> a, lanes::Group<T> b)
                    __attribute__((always_inline)) { return Max ? lanes::vmax<T>(a, b) : lanes::vmin<T>(a, b); };
  Elem first;
  __builtin_memcpy(&first, row, width);
  lanes::Group<T> best = lanes::splat<T>(first), rest = best;
  const size_t bytes = n * width;
  size_t at = 0;
  for (; at + 64 <= bytes; at += 64)
    best = better(best, loadGroup<T>(row + at));
  __builtin_memcpy(&rest, row + at, bytes - at);
  best = better(best, rest);
  for (int left = lanes::kLanes<T> / 2; left > 0; left /= 2) {
    // The upper half of what is left beside the lower one.
    alignas(64) uint8_t all[64];
    storeGroup<T>(all, best);
    best = better(best, loadGroup<T>(all + size_t(left) * width, size_t(left) * width));
  }
  return leaveArithmetic<T>(best)[0];
}

template <typename Fn> void reduceRows(const Operands &ops, Fn fn) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  if (src.ref.validCols <= 0)
    return;
  forElem<lanes::i8, lanes::u8, lanes::i16, lanes::u16, lanes::i32, lanes::u32, lanes::f16, lanes::bf16, lanes::f32>(
      src.ref.elem, [&]<typename T>() {
        for (int64_t r = 0; r < src.ref.validRows; ++r)
          storeInColumn0(dst, r, fn.template operator()<T>(rowOf(src, r), size_t(src.ref.validCols)));
      });
}

//===----------------------------------------------------------------------===//
// The place of an extremum
//===----------------------------------------------------------------------===//

/// The first of equals; the zeros are equal, and so are all NaNs, which win.
template <typename T, typename Op> uint32_t placeOfExtremum(const uint8_t *row, size_t n) {
  using Keys = lanes::KeyGroup<T>;
  constexpr size_t width = sizeof(typename T::Elem), kN = lanes::kLanes<T>;
  auto keysAt = [&](size_t at) __attribute__((always_inline)) {
    const size_t count = n - at < kN ? n - at : kN;
    lanes::Group<T> v;
    if (count == kN) {
      v = loadGroup<T>(row + at * width);
    } else { // the first element again: it cannot be better than itself
      typename T::Elem first;
      __builtin_memcpy(&first, row, width);
      v = lanes::splat<T>(first);
      __builtin_memcpy(&v, row + at * width, count * width);
    }
    return lanes::toTieKeys<T, Op>(v);
  };
  Keys best = keysAt(0);
  for (size_t at = kN; at < n; at += kN)
    best = Op()(best, keysAt(at));
  const Keys wanted = Keys(lanes::fold<1>(Op(), best)[0]);
  for (size_t at = 0; at < n; at += kN) {
    auto equal = lanes::bitcast<lanes::MaskGroup<T>>(keysAt(at) == wanted);
    if (!__builtin_reduce_or(equal))
      continue;
    for (size_t i = 0; i < kN; ++i)
      if (equal[int(i)])
        return uint32_t(at + i);
  }
  return 0;
}

// dstIdx, src, tmp, dstVal
template <typename Op> void placesInRows(const Operands &ops) {
  const TileView &src = ops.tile[1];
  if (src.ref.validCols <= 0)
    return;
  forElem<lanes::i8, lanes::u8, lanes::i16, lanes::u16, lanes::i32, lanes::u32, lanes::f16, lanes::bf16, lanes::f32>(
      src.ref.elem, [&]<typename T>() {
        for (int64_t r = 0; r < src.ref.validRows; ++r) {
          const uint8_t *row = rowOf(src, r);
          const uint32_t place = placeOfExtremum<T, Op>(row, size_t(src.ref.validCols));
          typename T::Elem value;
          __builtin_memcpy(&value, row + place * sizeof(value), sizeof(value));
          storeInColumn0(ops.tile[0], r, place);
          if (ops.tiles == 4)
            storeInColumn0(ops.tile[3], r, leaveArithmetic<T>(lanes::splat<T>(value))[0]);
        }
      });
}

/// Sums of neighbours; a last one without neighbour is taken alone.
template <typename T> void addPairs(uint8_t *dst, const uint8_t *src, size_t n) {
  using Elem = typename T::Elem;
  constexpr size_t width = sizeof(Elem), kN = lanes::kLanes<T>;
  const bool odd = n % 2 != 0;
  Elem last{};
  if (odd)
    __builtin_memcpy(&last, src + (n - 1) * width, width);
  // Reading goes ahead of writing: both may be the same row.
  for (size_t at = 0; at < n / 2; at += kN) {
    const size_t count = n / 2 - at < kN ? n / 2 - at : kN, bytes = 2 * count * width;
    lanes::Group<T> a = loadGroup<T>(src + 2 * at * width, bytes < 64 ? bytes : 64);
    lanes::Group<T> b = bytes > 64 ? loadGroup<T>(src + 2 * at * width + 64, bytes - 64) : lanes::Group<T>{};
    auto sum = lanes::combine([](auto x, auto y) __attribute__((always_inline)) { return lanes::vadd<T>(x, y); }, a, b);
    storeGroup<T>(dst + at * width, leaveArithmetic<T>(sum), count * width);
  }
  if (odd)
    __builtin_memcpy(dst + n / 2 * width, &last, width);
  __builtin_memset(dst + (n + 1) / 2 * width, 0, n / 2 * width);
}
} // namespace

void trowsum(const Operands &ops) {
  reduceRows(ops, []<typename T>(const uint8_t *row, size_t n) { return accumulate<T, Add>(row, n); });
}
void trowprod(const Operands &ops) {
  reduceRows(ops, []<typename T>(const uint8_t *row, size_t n) { return accumulate<T, Multiply>(row, n); });
}
void trowmax(const Operands &ops) {
  reduceRows(ops, []<typename T>(const uint8_t *row, size_t n) { return extremum<T, true>(row, n); });
}
void trowmin(const Operands &ops) {
  reduceRows(ops, []<typename T>(const uint8_t *row, size_t n) { return extremum<T, false>(row, n); });
}
void trowargmax(const Operands &ops) { placesInRows<lanes::Max>(ops); }
void trowargmin(const Operands &ops) { placesInRows<lanes::Min>(ops); }

void tpairreducesum(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1];
  forElem<lanes::i8, lanes::u8, lanes::i16, lanes::u16, lanes::i32, lanes::u32, lanes::f16, lanes::bf16, lanes::f32>(
      src.ref.elem, [&]<typename T>() {
        for (int64_t r = 0; r < src.ref.validRows; ++r)
          addPairs<T>(const_cast<uint8_t *>(rowOf(dst, r)), rowOf(src, r), size_t(src.ref.validCols));
      });
}

// dst(r, b): how many elements of row r have a byte up to b at place `mode`, of
// those whose higher bytes are the ones of idx: highest byte in row 0, for source
// row r in column r; or in row r of a column, if there is one higher byte.
void thistogram(const Operands &ops) {
  const TileView &dst = ops.tile[0], &src = ops.tile[1], &index = ops.tile[2];
  const unsigned bytes = bitsOf(src.ref.elem) / 8, place = ops.mode, higher = bytes - 1 - place;
  const Map dstMap = tileMap(dst.ref), indexMap = tileMap(index.ref);
  for (int64_t r = 0; r < src.ref.validRows; ++r) {
    uint32_t wanted = 0;
    for (unsigned k = 0; k < higher; ++k) {
      const bool column = higher == 1 && index.ref.validCols == 1;
      wanted = wanted << 8 | index.data[column ? indexMap.offset(r, 0) : indexMap.offset(k, r)];
    }
    uint32_t count[256] = {};
    const uint8_t *row = rowOf(src, r);
    for (int64_t c = 0; c < src.ref.validCols; ++c) {
      uint32_t value = 0;
      __builtin_memcpy(&value, row + size_t(c) * bytes, bytes);
      const uint32_t above = higher ? value >> 8 * (place + 1) : 0;
      count[value >> 8 * place & 255] += above == wanted;
    }
    uint32_t sum = 0;
    for (int64_t b = 0; b < 256; ++b) {
      sum += count[b];
      __builtin_memcpy(dst.data + size_t(dstMap.offset(r, b)) * 4, &sum, 4);
    }
  }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
