//===- Matmul.cpp - products of matrices ----------------------------------===//
//
// TMATMUL and TGEMV (TMATMUL-1, TMATMUL-4). Every element of the result is a chain of
// its own: it starts with 0, the old accumulator or the bias, and takes the
// products in ascending k, each by one fused multiply-add in f32 (or wrapping
// int32). The chain is the same on every host, however the work is blocked, and
// splitting K over several accumulating instructions does not change it.
//
// Both factors are packed into the order in which the innermost loop reads them,
// widened to the type of the sum; that loop keeps its sums in registers.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Walk.h"

#include "ptoscope/Meaning/Convert.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
using namespace ptoscope::meaning;

// A block of sums has kHigh rows and two vectors of columns; with the vectors of a
// row of the right factor and a broadcast they fill the host's registers.
#if defined(__AVX512F__)
constexpr int kLane = 16, kHigh = 12;
#elif defined(__AVX2__)
constexpr int kLane = 8, kHigh = 6;
#else
constexpr int kLane = 4, kHigh = 4;
#endif
constexpr int kBroad = 2 * kLane;

/// Extents of what is packed at a time, 128 KiB of the left factor.
constexpr int64_t kDeep = 256, kRows = (128 + kHigh - 1) / kHigh * kHigh;

struct FloatSum {
  using Elem = float;
  using V = Vec<float, kLane>;
  [[gnu::always_inline]] static V add(V a, V b, V sum) { return __builtin_elementwise_fma(a, b, sum); }
};
struct IntSum {
  using Elem = uint32_t;
  using V = Vec<uint32_t, kLane>;
  [[gnu::always_inline]] static V add(V a, V b, V sum) { return sum + a * b; }
};

template <typename Sum> struct Packed {
  alignas(64) typename Sum::Elem left[kRows * kDeep];
  alignas(64) typename Sum::Elem right[kBroad * kDeep];
  alignas(64) typename Sum::Elem sums[kHigh * kBroad];
};

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Elements of k that stand side by side in every boxed layout, or a multiple.
constexpr int kAtOnce = 8;

template <typename S, typename E>
[[gnu::always_inline]] inline Vec<E, kAtOnce> widenLanes(Vec<typename S::Elem, kAtOnce> v) {
  if constexpr (kIsFloat<S>)
    return toFloat<S, kAtOnce>(v);
  else
    return __builtin_bit_cast(Vec<uint32_t, kAtOnce>, convert<int32_t>(v));
}

/// n elements of one lane, `width` apart in the result.
template <typename S, typename E>
[[gnu::always_inline]] inline void packPiece(E *to, int width, const uint8_t *from, int64_t stride, int64_t n) {
  using In = typename S::Elem;
  Vec<In, kAtOnce> in = {};
  for (int64_t t = 0; t < n; ++t)
    __builtin_memcpy(reinterpret_cast<uint8_t *>(&in) + t * int64_t(sizeof(In)),
                     from + t * stride * int64_t(sizeof(In)), sizeof(In));
  const Vec<E, kAtOnce> wide = widenLanes<S, E>(in);
  for (int t = 0; t < n; ++t)
    to[t * width] = wide[t];
}

/// kAtOnce elements of each of `Lanes` lanes, transposed in registers: every round deals
/// the first and the second half of the vectors out in turns.
template <typename S, typename E, int Lanes>
[[gnu::always_inline]] inline void packLanes(E *to, int width, const uint8_t *const *lane, int64_t at) {
  Vec<typename S::Elem, kAtOnce> in;
  Vec<E, kAtOnce> v[Lanes], next[Lanes];
  for (int i = 0; i < Lanes; ++i) {
    __builtin_memcpy(&in, lane[i] + at, sizeof(in));
    v[i] = widenLanes<S, E>(in);
  }
  for (int round = 1; round < Lanes; round *= 2) {
    for (int i = 0; i < Lanes / 2; ++i) {
      next[2 * i] = __builtin_shufflevector(v[i], v[i + Lanes / 2], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(v[i], v[i + Lanes / 2], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    __builtin_memcpy(v, next, sizeof(v));
  }
  const E *dealt = reinterpret_cast<const E *>(v);
  for (int t = 0; t < kAtOnce; ++t)
    __builtin_memcpy(to + t * width, dealt + t * Lanes, sizeof(E) * Lanes);
}

/// out[k * width + i] = element (first + i, k0 + k) of `side`, whose rows are the
/// packed lanes and whose columns are k. Lanes from `lanes` on are 0.
template <typename S, typename E>
void pack(E *out, const Side &side, int64_t first, int lanes, int width, int64_t k0, int64_t deep) {
  constexpr int64_t kSize = int64_t(sizeof(typename S::Elem));
  if (lanes < width)
    __builtin_memset(out, 0, size_t(deep) * size_t(width) * sizeof(E));
  const uint8_t *lane[kBroad > kHigh ? kBroad : kHigh];
  for (int i = 0; i < lanes; ++i)
    lane[i] = side.data + side.map.row.offset(first + i) * kSize;
  Walk walk(side.map.col, k0);
  for (int64_t k = 0; k < deep;) {
    const int64_t n = smaller(smaller(walk.run(), deep - k), kAtOnce), at = walk.at() * kSize, stride = walk.stride();
    E *to = out + k * width;
    int i = 0;
    if (n == kAtOnce && stride == 1) {
      for (; i + 8 <= lanes; i += 8)
        packLanes<S, E, 8>(to + i, width, lane + i, at);
      for (; i + 4 <= lanes; i += 4)
        packLanes<S, E, 4>(to + i, width, lane + i, at);
    }
    for (; i < lanes; ++i)
      packPiece<S, E>(to + i, width, lane[i] + at, stride, n);
    k += n;
    if (k < deep)
      walk.advance(n);
  }
}

template <typename E> using Pack = void (*)(E *, const Side &, int64_t, int, int, int64_t, int64_t);

template <typename E> Pack<E> packing(Elem elem) {
  if constexpr (kIsSame<E, float>) {
    switch (elem) {
    case Elem::f16:
      return pack<f16, float>;
    case Elem::bf16:
      return pack<bf16, float>;
    case Elem::f32:
      return pack<f32, float>;
    case Elem::e4m3:
      return pack<e4m3, float>;
    case Elem::e5m2:
      return pack<e5m2, float>;
    case Elem::hif8:
      return pack<hif8, float>;
    default:
      __builtin_trap(); // refused when the program is compiled
    }
  } else {
    return elem == Elem::u8 ? pack<u8, uint32_t> : pack<i8, uint32_t>;
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// kHigh x kBroad sums go on by `deep` products each.
template <typename Sum>
void sumBlock(typename Sum::Elem *sums, const typename Sum::Elem *left, const typename Sum::Elem *right, int64_t deep) {
  using V = typename Sum::V;
  V sum[kHigh][2];
  __builtin_memcpy(sum, sums, sizeof(sum));
  for (int64_t k = 0; k < deep; ++k) {
    V b[2];
    __builtin_memcpy(b, right + k * kBroad, sizeof(b));
#pragma clang loop unroll(full)
    for (int i = 0; i < kHigh; ++i) {
      const V a = V(left[k * kHigh + i]);
      sum[i][0] = Sum::add(a, b[0], sum[i][0]);
      sum[i][1] = Sum::add(a, b[1], sum[i][1]);
    }
  }
  __builtin_memcpy(sums, sum, sizeof(sum));
}

/// Between the block of sums and rows x cols elements of a tile.
template <bool Store, typename E>
void moveSums(E *sums, const Side &tile, int64_t row, int64_t col, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = tile.map.row.offset(row + r);
    Walk walk(tile.map.col, col);
    for (int64_t c = 0; c < cols;) {
      const int64_t n = smaller(walk.run(), cols - c), stride = walk.stride();
      uint8_t *place = tile.data + (at + walk.at()) * int64_t(sizeof(E));
      E *sum = sums + r * kBroad + c;
      const int64_t together = stride == 1 ? n : 1;
      for (int64_t t = 0; t < n; t += together)
        if constexpr (Store)
          __builtin_memcpy(place + t * stride * int64_t(sizeof(E)), sum + t, size_t(together) * sizeof(E));
        else
          __builtin_memcpy(sum + t, place + t * stride * int64_t(sizeof(E)), size_t(together) * sizeof(E));
      c += n;
      if (c < cols)
        walk.advance(n);
    }
  }
}

/// One NaN leaves the unit.
template <typename E> void finishSums(E *sums) {
  if constexpr (kIsSame<E, float>)
    for (int i = 0; i < kHigh * kBroad; ++i)
      sums[i] = sums[i] == sums[i] ? sums[i] : __builtin_bit_cast(float, uint32_t(f32::kNaN));
}

/// Where chains start: at 0, or with the elements of a tile. The rows of a bias are
/// all the same.
struct Start {
  bool zero;
  Side side;
};

template <typename Sum>
void multiply(const Side &result, const Start &start, const Side &left, const Side &right, Elem leftElem,
              Elem rightElem, int64_t rows, int64_t cols, int64_t deep) {
  using E = typename Sum::Elem;
  const Pack<E> packLeft = packing<E>(leftElem), packRight = packing<E>(rightElem);
  Packed<Sum> packed;
  for (int64_t k0 = 0; k0 == 0 || k0 < deep; k0 += kDeep) {
    const int64_t k = smaller(kDeep, deep - k0);
    for (int64_t r0 = 0; r0 < rows; r0 += kRows) {
      const int64_t high = smaller(kRows, rows - r0);
      for (int64_t r = 0; r < high; r += kHigh)
        packLeft(packed.left + r * k, left, r0 + r, int(smaller(kHigh, high - r)), kHigh, k0, k);
      for (int64_t c = 0; c < cols; c += kBroad) {
        const int64_t broad = smaller(kBroad, cols - c);
        packRight(packed.right, right, c, int(broad), kBroad, k0, k);
        for (int64_t r = 0; r < high; r += kHigh) {
          const int64_t n = smaller(kHigh, high - r);
          if (k0 == 0 && start.zero)
            __builtin_memset(packed.sums, 0, sizeof(packed.sums));
          else
            moveSums<false>(packed.sums, k0 == 0 ? start.side : result, r0 + r, c, n, broad);
          sumBlock<Sum>(packed.sums, packed.left + r * k, packed.right, k);
          if (k0 + k == deep)
            finishSums(packed.sums);
          moveSums<true>(packed.sums, result, r0 + r, c, n, broad);
        }
      }
    }
  }
}

void product(const Operands &ops, size_t left, const Start &start) {
  const TileView &a = ops.tile[left], &b = ops.tile[left + 1];
  Side right = sideOf(b);
  right.map = right.map.transposed(); // lanes are columns
  const auto run = ops.tile[0].ref.elem == Elem::i32 ? multiply<IntSum> : multiply<FloatSum>;
  run(sideOf(ops.tile[0]), start, sideOf(a), right, a.ref.elem, b.ref.elem, a.ref.validRows, b.ref.validCols,
      a.ref.validCols);
}
} // namespace

// sum, left, right
void tmatmul(const Operands &ops) { product(ops, 1, {true, {}}); }

// sum, old sum, left, right
void tmatmulacc(const Operands &ops) { product(ops, 2, {false, sideOf(ops.tile[1])}); }

// sum, bias, left, right
void tmatmulbias(const Operands &ops) {
  Side bias = sideOf(ops.tile[1]);
  bias.map.row = Axis{{{1, 0}}, 1};
  product(ops, 2, {false, bias});
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
