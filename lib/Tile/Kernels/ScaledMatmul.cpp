//===- ScaledMatmul.cpp - rounded operands, and products with MX scales ---===//
//
// Scales are powers of two. The product of two small floats is exact in f32, and one
// fused multiply-add by the scale rounds once. The scale of a product may be out of
// the range of f32: what is beyond is multiplied before, where it is exact or the
// product is out of range anyway.
//
//===----------------------------------------------------------------------===//

#include "Fixpipe.h"
#include "Kernels.h"
#include "Matmul.h"
#include "Walk.h"

#include "ptoscope/Meaning/Convert.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

using namespace ptoscope::meaning;

void makeFinite(float *numbers, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = numbers[i], size = __builtin_fabsf(x);
    numbers[i] = x != x ? 0.0f : size > __FLT_MAX__ ? __builtin_copysignf(__FLT_MAX__, x) : x;
  }
}

void takeOperands(const ProductMode &mode, float *numbers, int64_t n) {
  if (mode.saturates)
    makeFinite(numbers, n);
  if (mode.tf32 == ProductMode::Tf32::None)
    return;
  const bool even = mode.tf32 == ProductMode::Tf32::RoundEven;
  for (int64_t i = 0; i < n; ++i) {
    const auto bits = __builtin_bit_cast(uint32_t, numbers[i]);
    const bool finite = (bits & f32::kInf) != f32::kInf;
    const uint32_t rounded = (bits + (even ? 0xfffu + (bits >> 13 & 1) : 0x1000u)) & 0xffffe000u;
    numbers[i] = __builtin_bit_cast(float, finite ? rounded : bits);
  }
}

namespace {
constexpr int64_t kGroup = 32, kColumns = 64; ///< of k with one scale; at a time

float valueOf(const Matrix &matrix, int64_t row, int64_t col) {
  const auto code = loadElement(ptoscope::tile::bitsOf(matrix.elem), matrix.data, matrix.map.offset(row, col));
  const Codes<4> codes = Codes<4>(Code(code));
  switch (matrix.elem) {
  case Elem::e4m3:
    return decode<e4m3, 4>(codes)[0];
  case Elem::e5m2:
    return decode<e5m2, 4>(codes)[0];
  case Elem::e2m1x2:
    return decode<e2m1x2, 4>(codes)[0];
  default:
    return decode<e1m2x2, 4>(codes)[0];
  }
}

/// 2^exponent, from -128 on.
float power(int32_t exponent) {
  return exponent < -126 ? 0x1p-126f * power(exponent + 126)
                         : __builtin_bit_cast(float, uint32_t(exponent + 127) << 23);
}

/// A product beyond the range of f32 is a number still: it does not meet an infinite sum as an infinity.
float bounded(float x) { return __builtin_isinf(x) ? __builtin_copysignf(__FLT_MAX__, x) : x; }
float term(float left, float right, float near) {
  const float product = left * right, scaled = product * near;
  return __builtin_isinf(product) ? scaled : bounded(scaled);
}

/// The same with finite operands: what was infinite has 24 bits, so the other factor takes the scale.
void addFinite(float left, const float *right, const float *near, const float *far, float *sums, int64_t n) {
  const bool large = __builtin_isinf(left);
  makeFinite(&left, 1);
  for (int64_t i = 0; i < n; ++i) {
    float factor = right[i];
    const bool exact = !large && !__builtin_isinf(factor);
    makeFinite(&factor, 1);
    const float rest = near[i] > 1 ? 1 : near[i]; // without it the product is as far out of range
    const float most = large ? left : factor, other = large ? factor : left;
    sums[i] = exact ? __builtin_fmaf(term(left, factor, near[i]), far[i], sums[i])
                    : __builtin_fmaf(most * rest, bounded(other * far[i]), sums[i]);
  }
}
int32_t limited(int32_t x) { return x < -126 ? -126 : x > 127 ? 127 : x; }
} // namespace

void multiplyScaled(const MatrixProduct &product) {
  const auto scaleAt = [](const Matrix &matrix, int64_t row, int64_t group) {
    return int32_t(matrix.data[matrix.map.offset(row, group)]);
  };
  alignas(64) float right[kGroup * kColumns], sums[kColumns], near[kColumns], far[kColumns];
  for (int64_t c0 = 0; c0 < product.n; c0 += kColumns) {
    const int64_t cols = smaller(kColumns, product.n - c0);
    for (int64_t k0 = 0; k0 < product.k; k0 += kGroup) {
      const int64_t deep = smaller(kGroup, product.k - k0);
      const bool first = k0 == 0;
      for (int64_t k = 0; k < deep; ++k)
        for (int64_t c = 0; c < cols; ++c)
          right[k * kColumns + c] = valueOf(product.right, k0 + k, c0 + c);
      for (int64_t r = 0; r < product.m; ++r) {
        const Matrix &old = first ? product.start : product.sum;
        const int32_t ofRow = scaleAt(product.leftScale, r, k0 / kGroup);
        for (int64_t c = 0; c < cols; ++c) {
          const int32_t ofColumn = scaleAt(product.rightScale, c0 + c, k0 / kGroup);
          const int32_t scale = ofRow + ofColumn - 254, main = limited(scale);
          near[c] = ofRow == 255 || ofColumn == 255 ? __builtin_nanf("") : power(scale - main);
          far[c] = power(main);
          sums[c] = first && product.fromZero
                        ? 0.0f
                        : __builtin_bit_cast(float, uint32_t(loadElement(32, old.data, old.map.offset(r, c0 + c))));
        }
        if (first && product.mode.saturates)
          makeFinite(sums, cols);
        for (int64_t k = 0; k < deep; ++k) {
          const float left = valueOf(product.left, r, k0 + k);
          if (product.mode.saturates)
            addFinite(left, right + k * kColumns, near, far, sums, cols);
          else
            for (int64_t c = 0; c < cols; ++c)
              sums[c] = __builtin_fmaf(term(left, right[k * kColumns + c], near[c]), far[c], sums[c]);
        }
        if (k0 + deep == product.k) {
          for (int64_t c = 0; c < cols; ++c)
            sums[c] = sums[c] == sums[c] ? sums[c] : __builtin_bit_cast(float, uint32_t(f32::kNaN));
          if (product.mode.saturates)
            makeFinite(sums, cols);
        }
        for (int64_t c = 0; c < cols; ++c)
          storeElement(32, product.sum.data, product.sum.map.offset(r, c0 + c), __builtin_bit_cast(uint32_t, sums[c]));
      }
    }
  }
}

/// A product of tiles: from `left` on the left one, its scales, the right one, its scales.
static void multiplyScaledTiles(const Operands &ops, size_t left, bool fromZero, const Matrix &start) {
  const TileView &a = ops.tile[left], &b = ops.tile[left + 2];
  MatrixProduct product = {matrixOf(ops.tile[0]), matrixOf(a),     matrixOf(b),    fromZero, start,
                           a.ref.validRows,       b.ref.validCols, a.ref.validCols};
  product.scaled = true;
  product.leftScale = matrixOf(ops.tile[left + 1]);
  product.rightScale = matrixOf(ops.tile[left + 3]);
  product.rightScale.map = product.rightScale.map.transposed();
  multiplyScaled(product);
}

// sum, left, scales, right, scales; behind the sum the old sum, or the bias
void tmatmulmx(const Operands &ops) { multiplyScaledTiles(ops, 1, true, {}); }
void tmatmulmxacc(const Operands &ops) { multiplyScaledTiles(ops, 2, false, matrixOf(ops.tile[1])); }
void tmatmulmxbias(const Operands &ops) {
  Matrix bias = matrixOf(ops.tile[1]);
  bias.map.row = Axis{{{1, 0}}, 1};
  multiplyScaledTiles(ops, 2, false, bias);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
