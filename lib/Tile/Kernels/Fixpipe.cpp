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
  Ints<kColumns> low, high; ///< range of 8-bit results
  Ints<kColumns> shift;
};

Words readWords(const Conversion &conversion, int64_t col, int64_t cols) {
  Words words = {};
  const bool vector = conversion.mode.quant == Quant::Vector;
  const Map map = vector ? tileMap(conversion.words->ref) : Map{};
  for (int64_t i = 0; i < cols; ++i) {
    const uint64_t word = vector ? loadElement(64, conversion.words->data, map.offset(0, col + i)) : conversion.word;
    // A vector's words hold 19 bits of the scale, those behind them are not its own.
    const uint32_t bits = uint32_t(word) & (vector ? 0xffffe000u : 0xffffffffu);
    words.scale[i] = __builtin_bit_cast(float, bits);
    words.offset[i] = float(int32_t(int64_t(word << 18) >> 55)); // bits 45:37
    const bool isSigned = word >> 46 & 1;
    words.low[i] = isSigned ? -128 : 0;
    words.high[i] = isSigned ? 127 : 255;
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

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
