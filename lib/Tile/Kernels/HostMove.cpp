//===- HostMove.cpp - moves of the host profile ---------------------------===//
//
// HMOVE-1: any layout to any layout, any element to any element, by value as a C++
// conversion does it. Equal elements are copied by the way that devices have.
//
//===----------------------------------------------------------------------===//

#include "HostMove.h"

#include "../HostNumbers.h"
#include "pto/detail/small_floats.hpp"
#include "ptoscope/Meaning/Convert.h"

#include <cstring>

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
using namespace ptoscope::meaning;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// HMOVE-3: towards zero; what has no such number is the lowest of 32 or 64 bits.
int64_t wholePart(double value, bool wide) {
  const double limit = wide ? 0x1p63 : 0x1p31;
  if (value < limit && value > -limit - 1 && value >= -0x1p63)
    return int64_t(value);
  return wide ? INT64_MIN : INT32_MIN;
}

//===----------------------------------------------------------------------===//
// From memory, and back
//===----------------------------------------------------------------------===//

/// Where n elements are: `offset` and `stride` in elements.
struct Run {
  uint8_t *data;
  int64_t offset, stride, n;
};

template <typename T, typename To> void readAs(const Run &run, To *out) {
  for (int64_t i = 0; i < run.n; ++i) {
    T value;
    std::memcpy(&value, run.data + (run.offset + i * run.stride) * int64_t(sizeof(T)), sizeof(T));
    out[i] = To(value);
  }
}

void readRun(Elem elem, const Run &run, Staged &out) {
  out.isWhole = true;
  switch (elem) {
  case Elem::i8:
    return readAs<int8_t>(run, out.whole);
  case Elem::u8:
    return readAs<uint8_t>(run, out.whole);
  case Elem::i16:
    return readAs<int16_t>(run, out.whole);
  case Elem::u16:
    return readAs<uint16_t>(run, out.whole);
  case Elem::i32:
    return readAs<int32_t>(run, out.whole);
  case Elem::u32:
    return readAs<uint32_t>(run, out.whole);
  case Elem::i64:
  case Elem::u64:
    return readAs<int64_t>(run, out.whole);
  case Elem::i4:
  case Elem::i4x2:
    for (int64_t i = 0; i < run.n; ++i)
      out.whole[i] = int64_t(loadElement(bitsOf(elem), run.data, run.offset + i * run.stride) << 60) >> 60;
    return;
  default:
    break;
  }
  out.isWhole = false;
  switch (elem) {
  case Elem::f32:
    return readAs<float>(run, out.real);
  case Elem::f16:
    return readAs<_Float16>(run, out.real);
  case Elem::bf16:
    for (int64_t i = 0; i < run.n; ++i)
      out.real[i] =
          double(__builtin_bit_cast(float, uint32_t(loadElement(16, run.data, run.offset + i * run.stride)) << 16));
    return;
  case Elem::hif8:
    for (int64_t i = 0; i < run.n; ++i)
      out.real[i] =
          double(toFloat<hif8, 4>(Vec<uint8_t, 4>(uint8_t(loadElement(8, run.data, run.offset + i * run.stride))))[0]);
    return;
  default:
    for (int64_t i = 0; i < run.n; ++i)
      out.real[i] = smallValue(elem, uint32_t(loadElement(bitsOf(elem), run.data, run.offset + i * run.stride)));
    return;
  }
}

/// The same number in the bits of `elem`; `isUnsigned`: the source has 64 bits without a sign.
uint64_t bitsOfWhole(Elem elem, int64_t value, bool isUnsigned) {
  const auto asFloat = [&] { return isUnsigned ? float(uint64_t(value)) : float(value); };
  switch (elem) {
  case Elem::f32:
    return __builtin_bit_cast(uint32_t, asFloat());
  case Elem::f16:
    return __builtin_bit_cast(uint16_t, isUnsigned ? _Float16(double(uint64_t(value))) : _Float16(double(value)));
  default:
    return uint64_t(value);
  }
}

uint64_t bitsOfReal(Elem elem, double value) {
  switch (elem) {
  case Elem::f32:
    return __builtin_bit_cast(uint32_t, float(value));
  case Elem::f16:
    return __builtin_bit_cast(uint16_t, _Float16(value));
  case Elem::bf16: {
    const uint32_t bits = __builtin_bit_cast(uint32_t, float(value));
    if (value != value)
      return bits >> 16 | 0x40;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
  case Elem::hif8:
    return nearestHif8(value);
  case Elem::e4m3:
  case Elem::e5m2:
  case Elem::e8m0:
  case Elem::e2m1x2:
  case Elem::e1m2x2:
    return cutFloat(elem, value); // HMOVE-2
  case Elem::u32:
  case Elem::i64:
    return uint64_t(wholePart(value, true));
  case Elem::u64:
    return value >= 0x1p63 && value < 0x1p64 ? uint64_t(value) : uint64_t(wholePart(value, true));
  default:
    return uint64_t(wholePart(value, false));
  }
}

constexpr bool isWholeElem(Elem elem) { return elem <= Elem::u64 || elem == Elem::i4x2 || elem == Elem::i4; }

void writeRun(const Conversion &conversion, const Staged &values, const Run &run) {
  const Elem to = conversion.to;
  const unsigned bits = bitsOf(to);
  const bool isUnsigned = conversion.from == Elem::u64, plain = conversion.mode.atomic == AtomicType::AtomicNone;
  const bool byNumber = values.isWhole && (isWholeElem(to) || to == Elem::f32 || to == Elem::f16);
  for (int64_t i = 0; i < run.n; ++i) {
    const double real =
        values.isWhole ? (isUnsigned ? double(uint64_t(values.whole[i])) : double(values.whole[i])) : values.real[i];
    uint64_t code = byNumber ? bitsOfWhole(to, values.whole[i], isUnsigned) : bitsOfReal(to, real);
    if (to == Elem::i4)
      code &= 15;
    const int64_t at = run.offset + i * run.stride;
    if (plain)
      storeElement(bits, run.data, at, code);
    else
      updateRun(conversion.mode.atomic, to, run.data + at * int64_t(bits / 8), reinterpret_cast<uint8_t *>(&code), 1);
  }
}

/// HMOVE-7: max(x, 0) before anything is converted.
void relu(int64_t n, Staged &values) {
  for (int64_t i = 0; i < n; ++i)
    if (values.isWhole)
      values.whole[i] = values.whole[i] < 0 ? 0 : values.whole[i];
    else
      values.real[i] = values.real[i] < 0 ? 0 : values.real[i];
}
} // namespace

void hostElements(const Conversion &conversion, const WordAxis &axis, const Side &dst, const Side &src, int64_t rows,
                  int64_t cols) {
  const MoveMode mode = conversion.mode;
  const bool scaled = mode.quant != Quant::None, rectified = mode.relu != ReluPreMode::NoRelu;
  if (!scaled && !rectified && conversion.from == conversion.to)
    return convertElements(conversion, dst, src, rows, cols);
  Staged values;
  uint64_t words[kStaged];
  forEachBlock(
      dst, src, rows, cols,
      [&](const Block &b) {
        for (int64_t r = 0; r < b.rows; ++r) {
          readRun(conversion.from, {src.data, b.src + r * b.srcRow, b.srcCol, b.cols}, values);
          if (scaled) {
            readWords(conversion, axis, b.row + r, b.col, b.cols, words);
            quantise(conversion, words, b.cols, values);
          } else if (rectified && conversion.from != Elem::u64) {
            relu(b.cols, values);
          }
          writeRun(conversion, values, {dst.data, b.dst + r * b.dstRow, b.dstCol, b.cols});
        }
      },
      kStaged);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
