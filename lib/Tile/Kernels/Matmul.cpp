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

#include "Matmul.h"
#include "Fixpipe.h"
#include "Kernels.h"

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

template <typename S, typename E, int N = kAtOnce>
[[gnu::always_inline]] inline Vec<E, N> widenLanes(Vec<typename S::Elem, N> v) {
  if constexpr (kIsFloat<S>)
    return toFloat<S, N>(v);
  else
    return __builtin_bit_cast(Vec<uint32_t, N>, convert<int32_t>(v));
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

/// kAtOnce elements of each of `Lanes` lanes, transposed in registers: every round puts
/// elements of even places before those of odd ones.
template <typename S, typename E, int Lanes>
[[gnu::always_inline]] inline void packLanes(E *to, int width, const uint8_t *const *lane, int64_t at) {
  constexpr int kWide = Lanes < kLane ? kAtOnce : kAtOnce * 2, kVectors = Lanes * kAtOnce / kWide;
  Vec<typename S::Elem, kWide> in;
  Vec<E, kWide> v[kVectors], next[kVectors];
  for (int i = 0; i < kVectors; ++i) {
    for (int part = 0; part < kWide / kAtOnce; ++part)
      __builtin_memcpy(reinterpret_cast<uint8_t *>(&in) + part * sizeof(in) * kAtOnce / kWide,
                       lane[i * (kWide / kAtOnce) + part] + at, sizeof(in) * kAtOnce / kWide);
    v[i] = widenLanes<S, E, kWide>(in);
  }
  for (int round = 1; round < kAtOnce; round *= 2) {
    for (int i = 0; i < kVectors / 2; ++i) {
      next[i] = shuffle<kWide, [](int k) { return 2 * k; }>(v[2 * i], v[2 * i + 1]);
      next[i + kVectors / 2] = shuffle<kWide, [](int k) { return 2 * k + 1; }>(v[2 * i], v[2 * i + 1]);
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
      for (; kLane == 16 && i + 16 <= lanes; i += 16)
        packLanes<S, E, 16>(to + i, width, lane + i, at);
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

/// The same of numbers of 4 bits.
void packNibbles(uint32_t *out, const Side &side, int64_t first, int lanes, int width, int64_t k0, int64_t deep) {
  for (int64_t k = 0; k < deep; ++k)
    for (int i = 0; i < width; ++i) {
      const uint64_t bits = i < lanes ? loadElement(4, side.data, side.map.offset(first + i, k0 + k)) : 0;
      out[k * width + i] = uint32_t(int32_t(bits << 28) >> 28);
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
    if (elem == Elem::i4x2)
      return packNibbles;
    return elem == Elem::u8 ? pack<u8, uint32_t> : pack<i8, uint32_t>;
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Where elements of a block of the left factor are: kAtOnce columns in a group.
struct Packing {
  static constexpr int kRow = 1, kColumn = kHigh;
};
/// As a tile of f32 has them where boxes hold rows of kAtOnce: nothing is gained by packing.
struct Boxes {
  static constexpr int kRow = kAtOnce, kColumn = 1;
};

/// A block of sums: rows of two vectors.
template <typename E> struct Sums {
  E *at;
  int64_t row, second; ///< strides
};

/// The block's place in a tile, if its vectors are whole there.
template <typename E>
bool findSums(Sums<E> &sums, const Side &tile, int64_t row, int64_t col, int64_t rows, int64_t cols) {
  const Map &map = tile.map;
  const Digit &inner = map.col.digit[0];
  if (rows != kHigh || cols != kBroad || map.row.digits != 1 || inner.stride != 1 ||
      (map.col.digits != 1 && inner.count % kLane != 0))
    return false;
  const int64_t at = map.col.offset(col);
  sums = {reinterpret_cast<E *>(tile.data) + map.row.offset(row) + at, map.row.digit[0].stride,
          map.col.offset(col + kLane) - at};
  return true;
}

/// kHigh x kBroad sums go on by `deep` products each, from 0 if `from` is null; groups of the left
/// factor are `apart`. One NaN leaves the unit with the last products.
template <typename Sum, typename At, typename E = typename Sum::Elem>
void sumBlock(const Sums<E> *from, const Sums<E> &to, const E *left, int64_t apart, const E *right, int64_t deep,
              bool last) {
  using V = typename Sum::V;
  V sum[kHigh][2] = {};
  if (from)
    for (int i = 0; i < kHigh; ++i)
      for (int h = 0; h < 2; ++h)
        __builtin_memcpy(&sum[i][h], from->at + i * from->row + h * from->second, sizeof(V));
  for (; deep > 0; deep -= kAtOnce, left += apart)
    for (int64_t k = 0; k < smaller(deep, kAtOnce); ++k, right += kBroad) {
      V b[2];
      __builtin_memcpy(b, right, sizeof(b));
#pragma clang loop unroll(full)
      for (int i = 0; i < kHigh; ++i) {
        const V a = V(left[k * At::kColumn + i * At::kRow]);
        sum[i][0] = Sum::add(a, b[0], sum[i][0]);
        sum[i][1] = Sum::add(a, b[1], sum[i][1]);
      }
    }
  if constexpr (kIsSame<E, float>)
    if (last)
      for (int i = 0; i < kHigh; ++i)
        for (int h = 0; h < 2; ++h)
          sum[i][h] = select(sum[i][h] == sum[i][h], sum[i][h], V(__builtin_bit_cast(float, uint32_t(f32::kNaN))));
  for (int i = 0; i < kHigh; ++i)
    for (int h = 0; h < 2; ++h)
      __builtin_memcpy(to.at + i * to.row + h * to.second, &sum[i][h], sizeof(V));
}

/// Whether rows lie kAtOnce apart and columns are in groups of kAtOnce.
template <typename E> bool isBoxes(const Side &left, Elem elem) {
  const Axis &row = left.map.row, &col = left.map.col;
  return kIsSame<E, float> && elem == Elem::f32 && row.digits == 1 && row.digit[0].stride == kAtOnce &&
         col.digits == 2 && col.digit[0].stride == 1 && col.digit[0].count == kAtOnce;
}

/// `n` elements between places `stride` apart in a tile and neighbours in the block of sums.
template <bool Store, typename E, int64_t N = 0>
[[gnu::always_inline]] inline void moveRun(E *sum, uint8_t *place, int64_t stride, int64_t n) {
  constexpr int64_t kSize = sizeof(E);
  if (stride == 1 && N != 0)
    return void(Store ? __builtin_memcpy(place, sum, N * kSize) : __builtin_memcpy(sum, place, N * kSize));
  for (int64_t t = 0; t < n; ++t)
    Store ? __builtin_memcpy(place + t * stride * kSize, sum + t, kSize)
          : __builtin_memcpy(sum + t, place + t * stride * kSize, kSize);
}

/// Between the block of sums and rows x cols elements of a tile. A run of columns at a time;
/// those of an accumulator's boxes are 16 long.
template <bool Store, typename E>
void moveSums(E *sums, const Side &tile, int64_t row, int64_t col, int64_t rows, int64_t cols) {
  constexpr int64_t kBox = 16;
  int64_t at[kHigh];
  for (int64_t r = 0; r < rows; ++r)
    at[r] = tile.map.row.offset(row + r);
  Walk walk(tile.map.col, col);
  for (int64_t c = 0; c < cols;) {
    const int64_t n = smaller(smaller(walk.run(), cols - c), kBox), stride = walk.stride();
    uint8_t *place = tile.data + walk.at() * int64_t(sizeof(E));
    for (int64_t r = 0; r < rows; ++r)
      if (n == kBox)
        moveRun<Store, E, kBox>(sums + r * kBroad + c, place + at[r] * int64_t(sizeof(E)), stride, n);
      else
        moveRun<Store, E>(sums + r * kBroad + c, place + at[r] * int64_t(sizeof(E)), stride, n);
    c += n;
    if (c < cols)
      walk.advance(n);
  }
}

template <typename Sum> void multiply(const MatrixProduct &product) {
  using E = typename Sum::Elem;
  const int64_t rows = product.m, cols = product.n, deep = product.k;
  const auto side = [](const Matrix &matrix) { return Side{matrix.data, matrix.map}; };
  const Side result = side(product.sum), left = side(product.left), start = side(product.start);
  const Side right = {product.right.data, product.right.map.transposed()}; // lanes are columns
  const Pack<E> packLeft = packing<E>(product.left.elem), packRight = packing<E>(product.right.elem);
  const bool plain = product.mode.isPlain(), boxes = plain && isBoxes<E>(left, product.left.elem);
  /// Rows that are whole blocks stay where they are.
  const auto stays = [&](int64_t row) { return boxes && row + kHigh <= rows; };
  Packed<Sum> packed;
  for (int64_t k0 = 0; k0 == 0 || k0 < deep; k0 += kDeep) {
    const int64_t k = smaller(kDeep, deep - k0);
    for (int64_t r0 = 0; r0 < rows; r0 += kRows) {
      const int64_t high = smaller(kRows, rows - r0);
      for (int64_t r = 0; r < high; r += kHigh)
        if (!stays(r0 + r))
          packLeft(packed.left + r * k, left, r0 + r, int(smaller(kHigh, high - r)), kHigh, k0, k);
      if (!plain)
        takeOperands(product.mode, packed.left, (high + kHigh - 1) / kHigh * kHigh * k);
      for (int64_t c = 0; c < cols; c += kBroad) {
        const int64_t broad = smaller(kBroad, cols - c);
        packRight(packed.right, right, c, int(broad), kBroad, k0, k);
        if (!plain)
          takeOperands(product.mode, packed.right, kBroad * k);
        for (int64_t r = 0; r < high; r += kHigh) {
          const int64_t n = smaller(kHigh, high - r);
          const Side &old = k0 == 0 ? start : result;
          const bool fromZero = k0 == 0 && product.fromZero, last = k0 + k == deep;
          const Sums<E> staged = {packed.sums, kBroad, kLane};
          Sums<E> from = staged, to = staged;
          if (!fromZero && !(plain && findSums(from, old, r0 + r, c, n, broad)))
            moveSums<false>(packed.sums, old, r0 + r, c, n, broad);
          if (k0 == 0 && product.mode.saturates)
            makeFinite(packed.sums, kHigh * kBroad);
          const bool inPlace = plain && findSums(to, result, r0 + r, c, n, broad);
          if (stays(r0 + r))
            sumBlock<Sum, Boxes>(fromZero ? nullptr : &from, to,
                                 reinterpret_cast<const E *>(left.data) + left.map.offset(r0 + r, k0),
                                 left.map.col.digit[1].stride, packed.right, k, last);
          else
            sumBlock<Sum, Packing>(fromZero ? nullptr : &from, to, packed.left + r * k, kAtOnce * kHigh, packed.right,
                                   k, last);
          if (last && product.mode.saturates)
            makeFinite(packed.sums, kHigh * kBroad);
          if (!inPlace)
            moveSums<true>(packed.sums, result, r0 + r, c, n, broad);
        }
      }
    }
  }
}

/// A product of tiles, the left one at `left` and the right one behind it.
void multiplyTiles(const Operands &ops, size_t left, bool fromZero, const Matrix &start) {
  const TileView &a = ops.tile[left], &b = ops.tile[left + 1];
  multiplyMatrices({matrixOf(ops.tile[0]), matrixOf(a), matrixOf(b), fromZero, start, a.ref.validRows, b.ref.validCols,
                    a.ref.validCols});
}
} // namespace

void multiplyMatrices(const MatrixProduct &product) {
  if (product.scaled)
    return multiplyScaled(product);
  product.sum.elem == Elem::i32 ? multiply<IntSum>(product) : multiply<FloatSum>(product);
}

// sum, left, right
void tmatmul(const Operands &ops) { multiplyTiles(ops, 1, true, {}); }

// sum, old sum, left, right
void tmatmulacc(const Operands &ops) { multiplyTiles(ops, 2, false, matrixOf(ops.tile[1])); }

// sum, bias, left, right
void tmatmulbias(const Operands &ops) {
  Matrix bias = matrixOf(ops.tile[1]);
  bias.map.row = Axis{{{1, 0}}, 1};
  multiplyTiles(ops, 2, false, bias);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
