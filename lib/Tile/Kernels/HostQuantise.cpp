//===- HostQuantise.cpp - quantisation of the host profile ----------------===//
//
// HMOVE-11, HMOVE-12. The accumulator's way out on devices (Fixpipe.cpp) differs from it
// in the offset, which is signed there, and in what infinities and NaN become.
//
//===----------------------------------------------------------------------===//

#include "HostMove.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
constexpr float kMaxHalf = 65504.0f, kMaxFloat = 0x1.fffffep127f;

double clamped(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

/// To a whole number, ties to even.
float rounded(float value) {
  constexpr float kLarge = 8388608.0f; // 2^23: whole from here on
  if (!(__builtin_fabsf(value) < kLarge))
    return value;
  return value < 0 ? value - kLarge + kLarge : value + kLarge - kLarge;
}

int64_t toByte(float scaled, uint64_t word) {
  const float offset = float(word >> 37 & 511);
  const float sum = rounded(scaled + offset);
  if (sum != sum)
    return 0;
  const bool isSigned = word >> 46 & 1;
  return int64_t(clamped(double(sum), isSigned ? -128 : 0, isSigned ? 127 : 255));
}

double toHalfRange(float scaled, bool saturate) {
  if (scaled != scaled)
    return saturate ? 0.0 : double(scaled);
  if (__builtin_isinf(scaled) && !saturate)
    return double(scaled);
  return clamped(double(scaled), -double(kMaxHalf), double(kMaxHalf));
}

double toBfloatRange(float scaled, bool saturate) {
  if (!saturate)
    return double(scaled);
  if (scaled != scaled)
    return 0.0;
  return __builtin_isinf(scaled) ? __builtin_copysign(double(kMaxFloat), double(scaled)) : double(scaled);
}

int64_t shifted(int64_t value, uint64_t word) {
  const int64_t result = value >> ((word >> 32 & 15) + 1);
  return result < -32768 ? -32768 : result > 32767 ? 32767 : result;
}
} // namespace

void readWords(const Conversion &conversion, const WordAxis &axis, int64_t row, int64_t col, int64_t n,
               uint64_t *words) {
  const Matrix *table = conversion.words;
  for (int64_t i = 0; i < n; ++i)
    words[i] = conversion.mode.quant == Quant::Scalar
                   ? conversion.word
                   : loadElement(64, table->data, table->map.offset(0, axis.first + (axis.isRow ? row : col + i)));
}

void quantise(const Conversion &conversion, const uint64_t *words, int64_t n, Staged &values) {
  const MoveMode mode = conversion.mode;
  const uint32_t kept = mode.quant == Quant::Vector ? 0xffffe000u : 0xffffffffu;
  const bool relu = mode.relu == ReluPreMode::NormalRelu, isWhole = values.isWhole;
  values.isWhole = conversion.to != Elem::f16 && conversion.to != Elem::bf16;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t word = words[i];
    if (conversion.to == Elem::i16) {
      const int64_t result = shifted(values.whole[i], word);
      values.whole[i] = relu && result < 0 ? 0 : result;
      continue;
    }
    const float scale = __builtin_bit_cast(float, uint32_t(word) & kept);
    const float scaled = (isWhole ? float(values.whole[i]) : float(values.real[i])) * scale;
    if (values.isWhole) {
      const int64_t result = toByte(scaled, word);
      values.whole[i] = relu && result < 0 ? 0 : result;
      continue;
    }
    const double result = conversion.to == Elem::bf16 ? toBfloatRange(scaled, mode.saturate)
                          : isWhole                   ? clamped(double(scaled), -double(kMaxHalf), double(kMaxHalf))
                                                      : toHalfRange(scaled, mode.saturate);
    values.real[i] = relu && !(result > 0) ? 0.0 : result;
  }
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
