//===- Fixpipe.cpp - moves that change elements ---------------------------===//
//
// The accumulator's way out (TSTORE-10, FIX-2): scale, offset,
// relu, conversion, in that order, 16 columns at a time. Products and sums are
// formed in f32, each rounded once; an int32 becomes f32 first. Results that are
// integers are rounded to nearest even and clamped, NaN gives 0; saturating float
// results have no infinity, and 0 for NaN.
//
//===----------------------------------------------------------------------===//

#include "Fixpipe.h"

#include "pto/detail/record.hpp"
#include "ptoscope/Meaning/Arithmetic.h"
#include "ptoscope/Meaning/Convert.h"

#include <cstring>

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
using namespace ptoscope::meaning;

constexpr int kColumns = 16;
template <typename T> using Row = Vec<typename T::Elem, kColumns>;

/// What the words of 16 columns say (TSTORE-9).
struct Words {
  Floats<kColumns> scale, offset;
  Ints<kColumns> low, high; ///< range of 4- and 8-bit results
  Ints<kColumns> shift;
};

/// FIFO-80: the word of a scale that is an element of a float type.
uint64_t wordOfScale(Elem elem, uint64_t bits, Elem to) {
  const uint32_t scale = elem == Elem::f32 ? uint32_t(bits)
                         : elem == Elem::bf16
                             ? uint32_t(bits) << 16
                             : __builtin_bit_cast(uint32_t, float(__builtin_bit_cast(_Float16, uint16_t(bits))));
  return scale | uint64_t(to == Elem::i8) << 46;
}

Words readWords(const Conversion &conversion, int64_t col, int64_t cols) {
  Words words = {};
  const bool vector = conversion.mode.quant == Quant::Vector;
  const Matrix *table = conversion.words;
  const unsigned width = vector ? ptoscope::tile::bitsOf(table->elem) : 0;
  const int64_t first = conversion.firstWord + col;
  for (int64_t i = 0; i < cols; ++i) {
    const uint64_t own = vector ? loadElement(width, table->data, table->map.offset(0, first + i)) : conversion.word;
    const uint64_t word = vector && width < 64 ? wordOfScale(table->elem, own, conversion.to) : own;
    // A vector's words hold 19 bits of the scale, those behind them are not its own.
    const uint32_t bits = uint32_t(word) & (width == 64 ? 0xffffe000u : 0xffffffffu);
    words.scale[i] = __builtin_bit_cast(float, bits);
    words.offset[i] = float(int32_t(int64_t(word << 18) >> 55)); // bits 45:37
    const bool isSigned = conversion.signOfType ? conversion.to == Elem::i8 : (word >> 46 & 1) != 0;
    const int32_t range = conversion.to == Elem::i4x2 ? 16 : 256;
    words.low[i] = isSigned ? -range / 2 : 0;
    words.high[i] = words.low[i] + range - 1;
    words.shift[i] = int32_t(word >> 32 & 15) + 1;
  }
  return words;
}

template <typename V> [[gnu::always_inline]] inline V clamp(V v, V low, V high) {
  return __builtin_elementwise_min(__builtin_elementwise_max(v, low), high);
}

template <typename S, typename D, bool Scaled, bool Sat>
[[gnu::always_inline]] inline Row<D> convertRow(Row<S> x, const Words &words, bool relu) {
  using I = Ints<kColumns>;
  if constexpr (kIsSame<S, i32> && kIsSame<D, i32>) {
    return relu ? vrelu<i32>(x) : x;
  } else if constexpr (kIsSame<S, i32> && kIsSame<D, i16>) {
    I shifted = x >> words.shift;
    if (relu)
      shifted = vrelu<i32>(shifted);
    return convert<int16_t>(clamp(shifted, I(INT16_MIN), I(INT16_MAX)));
  } else {
    Floats<kColumns> value;
    if constexpr (kIsSame<S, i32>)
      value = convert<float>(x);
    else
      value = toFloat<S, kColumns>(x);
    if constexpr (Scaled)
      value = value * words.scale;
    if constexpr (kIsFloat<D>) {
      if (relu)
        value = vrelu<f32>(value);
      if constexpr (kIsSame<D, f32>)
        return Scaled ? canon<f32>(value) : value;
      else
        return fromFloat<D, Rounding::Even, Sat, kColumns>(value);
    } else {
      value = value + words.offset;
      if (relu)
        value = vrelu<f32>(value);
      return convert<typename D::Elem>(clamp(toInt32<Rounding::Even>(value), words.low, words.high));
    }
  }
}

template <typename S, typename D, bool Scaled, bool Sat>
void convertBlocks(const Conversion &conversion, const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  using In = typename S::Elem;
  using Out = typename D::Elem;
  const MoveMode mode = conversion.mode;
  const bool relu = mode.relu == ReluPreMode::NormalRelu;
  const bool plain = mode.atomic == AtomicType::AtomicNone;
  auto block = [&](const Block &b) {
    const Words words = Scaled ? readWords(conversion, b.col, b.cols) : Words{};
    const uint8_t *from = src.data + b.src * int64_t(sizeof(In));
    uint8_t *to = dst.data + b.dst * int64_t(sizeof(Out));
    const int64_t fromStride = b.srcRow * int64_t(sizeof(In)), toStride = b.dstRow * int64_t(sizeof(Out));
    if (plain && b.cols == kColumns && b.srcCol == 1 && b.dstCol == 1) {
      for (int64_t r = 0; r < b.rows; ++r) {
        Row<S> in;
        std::memcpy(&in, from + r * fromStride, sizeof(In) * kColumns);
        const Row<D> out = convertRow<S, D, Scaled, Sat>(in, words, relu);
        std::memcpy(to + r * toStride, &out, sizeof(Out) * kColumns);
      }
      return;
    }
    for (int64_t r = 0; r < b.rows; ++r) {
      In in[kColumns] = {};
      for (int64_t c = 0; c < b.cols; ++c)
        std::memcpy(&in[c], from + r * fromStride + c * b.srcCol * int64_t(sizeof(In)), sizeof(In));
      const Row<D> result = convertRow<S, D, Scaled, Sat>(__builtin_bit_cast(Row<S>, in), words, relu);
      uint8_t out[sizeof(Out) * kColumns];
      std::memcpy(out, &result, sizeof(out));
      uint8_t *rowTo = to + r * toStride;
      // An element that occurs twice in the destination is updated twice.
      const int64_t together = b.dstCol == 1 ? b.cols : 1;
      for (int64_t c = 0; c < b.cols; c += together) {
        uint8_t *at = rowTo + c * b.dstCol * int64_t(sizeof(Out));
        if (plain)
          std::memcpy(at, out + c * int64_t(sizeof(Out)), size_t(together) * sizeof(Out));
        else
          updateRun(mode.atomic, conversion.to, at, out + c * int64_t(sizeof(Out)), together);
      }
    }
  };
  forEachBlock(dst, src, rows, cols, block, kColumns);
}

template <typename S, typename D, bool Scaled>
void convertTo(const Conversion &conversion, const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  if (kIsFloat<D> && !conversion.mode.saturate)
    return convertBlocks<S, D, Scaled, false>(conversion, dst, src, rows, cols);
  convertBlocks<S, D, Scaled, true>(conversion, dst, src, rows, cols);
}

//===----------------------------------------------------------------------===//
// With what only micro stores have
//===----------------------------------------------------------------------===//

using F = Floats<kColumns>;
using I = Ints<kColumns>;

template <typename D, Rounding R = Rounding::Even> Row<D> narrow(F value, bool saturate, bool keepsNan) {
  const Row<D> ieee = fromFloat<D, R, false, kColumns>(value);
  if (!saturate)
    return ieee;
  Row<D> result = fromFloat<D, R, true, kColumns>(value);
  if (keepsNan)
    for (int i = 0; i < kColumns; ++i)
      if (value[i] != value[i])
        result[i] = ieee[i];
  return result;
}

/// 16 results, as elements of the destination side by side; a 4-bit one has a byte.
template <typename D> void put(uint8_t *out, Row<D> row) { std::memcpy(out, &row, sizeof(row)); }

void finishRow(const Conversion &conversion, const Words &words, F slope, const uint8_t *in, uint8_t *out) {
  const Finish &finish = *conversion.finish;
  const MoveMode mode = conversion.mode;
  const bool whole = conversion.from == Elem::i32, toFloats = has(kFloats | kByteFloats, conversion.to);
  I numbers = {};
  F value;
  if (whole) {
    std::memcpy(&numbers, in, sizeof(numbers));
    value = convert<float>(numbers);
  } else {
    std::memcpy(&value, in, sizeof(value));
  }
  if (finish.viaHalf)
    value = toFloat<f16, kColumns>(fromFloat<f16, Rounding::Even, false, kColumns>(value));
  if (mode.quant != Quant::None) {
    value = value * words.scale;
    if (!toFloats)
      value = integral<Rounding::Even, kColumns>(value) + words.offset;
  }
  if (finish.slope != Finish::Slope::None)
    value = select(value < 0.0f, value * slope, value);
  else if (mode.relu == ReluPreMode::NormalRelu)
    value = vrelu<f32>(value);
  switch (conversion.to) {
  case Elem::f32:
    return put<f32>(out, mode.quant != Quant::None ? canon<f32>(value) : value);
  case Elem::i32: // FIX-8: only the slope of negative numbers
    return put<i32>(out, select(numbers < 0, toInt32<Rounding::Even>(value), numbers));
  case Elem::f16: {
    Row<f16> row = narrow<f16>(value, mode.saturate, finish.keepsNan);
    if (finish.clips) {
      const F bound = F(float(__builtin_bit_cast(_Float16, uint16_t(finish.bound))));
      row = select(convert<f16::Mask>(toFloat<f16, kColumns>(row) > bound),
                   Row<f16>(__builtin_bit_cast(_Float16, uint16_t(finish.bound))), row);
    }
    return put<f16>(out, row);
  }
  case Elem::bf16:
    return put<bf16>(out, narrow<bf16>(value, mode.saturate, finish.keepsNan));
  case Elem::e4m3:
    return put<e4m3>(out, narrow<e4m3>(value, mode.saturate, finish.keepsNan));
  case Elem::e5m2:
    return put<e5m2>(out, narrow<e5m2>(value, mode.saturate, finish.keepsNan));
  case Elem::hif8:
    return put<hif8>(out, narrow<hif8>(value, mode.saturate, finish.keepsNan));
  default: { // integers of 4 and 8 bits
    I result = clamp(toInt32<Rounding::Even>(value), words.low, words.high);
    if (finish.clips)
      result = __builtin_elementwise_min(result, I(int32_t(finish.bound)));
    return put<u8>(out, convert<uint8_t>(result));
  }
  }
}

void finishElements(const Conversion &conversion, const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  const Finish &finish = *conversion.finish;
  const MoveMode mode = conversion.mode;
  const unsigned bits = ptoscope::tile::bitsOf(conversion.to);
  const int64_t bytes = bits < 8 ? 1 : bits / 8; // of an element beside others
  forEachBlock(
      dst, src, rows, cols,
      [&](const Block &b) {
        const Words words = mode.quant != Quant::None ? readWords(conversion, b.col, b.cols) : Words{};
        F slope = F(finish.factor);
        for (int64_t c = 0; finish.slope == Finish::Slope::Vector && c < b.cols; ++c)
          slope[c] = __builtin_bit_cast(
              float, uint32_t(loadElement(32, finish.factors.data, finish.factors.map.offset(0, b.col + c))) &
                         0xffffe000u); // PARAM-4
        for (int64_t r = 0; r < b.rows; ++r) {
          uint32_t in[kColumns] = {};
          for (int64_t c = 0; c < b.cols; ++c)
            in[c] = uint32_t(loadElement(32, src.data, b.src + r * b.srcRow + c * b.srcCol));
          uint8_t out[4 * kColumns];
          finishRow(conversion, words, slope, reinterpret_cast<const uint8_t *>(in), out);
          for (int64_t c = 0; c < b.cols; ++c) {
            const int64_t at = b.dst + r * b.dstRow + c * b.dstCol;
            if (mode.atomic != AtomicType::AtomicNone)
              updateRun(mode.atomic, conversion.to, dst.data + at * bytes, out + c * bytes, 1);
            else
              storeElement(bits, dst.data, at, loadElement(unsigned(bytes) * 8, out, c));
          }
        }
      },
      kColumns);
}

using ConvertFunction = void (*)(const Conversion &, const Side &, const Side &, int64_t, int64_t);

struct ConvertEntry {
  Elem from, to;
  bool scaled;
  ConvertFunction run;
};

constexpr ConvertEntry kConversions[] = {
    {Elem::f32, Elem::f32, false, convertTo<f32, f32, false>},
    {Elem::f32, Elem::f16, false, convertTo<f32, f16, false>},
    {Elem::f32, Elem::bf16, false, convertTo<f32, bf16, false>},
    {Elem::i32, Elem::i32, false, convertTo<i32, i32, false>},
    {Elem::f16, Elem::f32, false, convertTo<f16, f32, false>},
    {Elem::bf16, Elem::f32, false, convertTo<bf16, f32, false>},
    {Elem::f32, Elem::i8, true, convertTo<f32, i8, true>},
    {Elem::f32, Elem::u8, true, convertTo<f32, u8, true>},
    {Elem::f32, Elem::f16, true, convertTo<f32, f16, true>},
    {Elem::f32, Elem::bf16, true, convertTo<f32, bf16, true>},
    {Elem::f32, Elem::f32, true, convertTo<f32, f32, true>},
    {Elem::f32, Elem::e4m3, true, convertTo<f32, e4m3, true>},
    {Elem::f32, Elem::e5m2, true, convertTo<f32, e5m2, true>},
    {Elem::f32, Elem::hif8, true, convertTo<f32, hif8, true>},
    {Elem::i32, Elem::i8, true, convertTo<i32, i8, true>},
    {Elem::i32, Elem::u8, true, convertTo<i32, u8, true>},
    {Elem::i32, Elem::i16, true, convertTo<i32, i16, true>},
    {Elem::i32, Elem::f16, true, convertTo<i32, f16, true>},
    {Elem::i32, Elem::bf16, true, convertTo<i32, bf16, true>},
};
} // namespace

void convertElements(const Conversion &conversion, const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  const MoveMode mode = conversion.mode;
  const bool scaled = mode.quant != Quant::None, relu = mode.relu != ReluPreMode::NoRelu;
  const unsigned bits = bitsOf(conversion.to);
  if (conversion.finish)
    return finishElements(conversion, dst, src, rows, cols);
  if (!scaled && !relu && bits == bitsOf(conversion.from)) {
    if (mode.atomic != AtomicType::AtomicNone)
      return updateElements(mode.atomic, conversion.to, dst, src, rows, cols);
    return moveElements(bits, dst, src, rows, cols);
  }
  for (const ConvertEntry &entry : kConversions)
    if (entry.from == conversion.from && entry.to == conversion.to && entry.scaled == scaled)
      return entry.run(conversion, dst, src, rows, cols);
  __builtin_trap(); // refused when the instruction is issued
}

void moveMatrix(const MatrixMove &move, const Conversion &conversion) {
  if (move.rows == 0 || move.cols == 0)
    return; // a matrix without elements may have no place
  const auto side = [](const Matrix &matrix, Place at) { return Side{matrix.data, matrix.map, at.row, at.col}; };
  convertElements(conversion, side(move.dst, move.to), side(move.src, move.from), move.rows, move.cols);
}

void fillMatrix(const Matrix &matrix, Place at, int64_t rows, int64_t cols, uint64_t pattern) {
  fillElements(ptoscope::tile::bitsOf(matrix.elem), {matrix.data, matrix.map, at.row, at.col}, rows, cols, pattern);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
