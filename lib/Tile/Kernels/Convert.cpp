//===- Convert.cpp - elements of one type from those of another -----------===//
//
// TCVT (TCVT-1 to TCVT-7; HostConvert.cpp has the rest of the host profile). Elements are brought into f32 or
// 64-bit integers, which hold every one of them exactly, and rounded once from
// there: floats to floats by their encoding, floats to integers by the rounding
// mode, integers to floats through f32 with a sticky last bit.
//
//===----------------------------------------------------------------------===//

#include "pto/detail/convert.hpp"
#include "HostConvert.h"
#include "Lanes.h"
#include "Walk.h"

#include "ptoscope/Meaning/Convert.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
using namespace ptoscope::meaning;

constexpr int kWidth = 16; ///< lanes of a group
constexpr int kChunk = 256;
using Wide = Vec<int64_t, kWidth>;

/// Elements on their way; one of the two holds them. 4-bit elements take a byte.
struct Chunk {
  alignas(64) uint8_t bytes[kChunk * 8];
  alignas(64) Floats<kWidth> floats[kChunk / kWidth];
  alignas(128) Wide ints[kChunk / kWidth];
};
using Step = void (*)(Chunk &, int groups);

template <typename T> [[gnu::always_inline]] inline Vec<typename T::Elem, kWidth> group(const Chunk &chunk, int g) {
  Vec<typename T::Elem, kWidth> result;
  __builtin_memcpy(&result, chunk.bytes + size_t(g) * kWidth * sizeof(typename T::Elem),
                   kWidth * sizeof(typename T::Elem));
  return result;
}
template <typename T, typename V> [[gnu::always_inline]] inline void put(Chunk &chunk, int g, V values) {
  __builtin_memcpy(chunk.bytes + size_t(g) * kWidth * sizeof(typename T::Elem), &values,
                   kWidth * sizeof(typename T::Elem));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

template <typename S> void widenGroups(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g)
    if constexpr (kIsFloat<S>)
      chunk.floats[g] = toFloat<S, kWidth>(group<S>(chunk, g));
    else
      chunk.ints[g] = convert<int64_t>(group<S>(chunk, g));
}

/// HMEAN-11: infinities become the largest number that both types have, and NaNs stay.
template <typename S, typename Limit> void widenClamped(Chunk &chunk, int groups) {
  widenGroups<S>(chunk, groups);
  constexpr float largest = Limit::kInf == f16::kInf ? 65504.0f : 0x1.fep127f;
  for (int g = 0; g < groups; ++g) {
    Floats<kWidth> &value = chunk.floats[g];
    value = select(value > largest, Floats<kWidth>(largest), value);
    value = select(value < -largest, Floats<kWidth>(-largest), value);
  }
}

/// NaN gives 0; beyond 64 bits clamped.
template <Rounding R> void floatsToInts(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g)
    chunk.ints[g] = toInt64<R, kWidth>(chunk.floats[g]);
}
/// HMEAN-12: what C++ makes of them on hosts of the reference, the least number where
/// there is none.
template <Rounding R, bool Of32> void floatsToHostInts(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g) {
    const Floats<kWidth> value = chunk.floats[g];
    const Wide whole = toInt64<R, kWidth>(value);
    if constexpr (Of32)
      chunk.ints[g] = select((whole >= Wide(INT32_MIN)) & (whole <= Wide(INT32_MAX)) & convert<int64_t>(value == value),
                             whole, Wide(INT32_MIN));
    else
      chunk.ints[g] = select(convert<int64_t>((value >= -0x1p63f) & (value < 0x1p63f)), whole, Wide(INT64_MIN));
  }
}
/// Integers beyond 24 bits rounded; Odd keeps what a later rounding needs.
template <Rounding R> void intsToFloats(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g)
    chunk.floats[g] = roundToFloat<R, kWidth>(int64ToDouble<kWidth>(chunk.ints[g]));
}
template <Rounding R> void floatsToIntegral(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g)
    chunk.floats[g] = integral<R, kWidth>(chunk.floats[g]);
}

template <typename D, bool Sat> void narrowInts(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g)
    put<D>(chunk, g, intToInt<i64, D, Sat, kWidth>(chunk.ints[g]));
}
template <typename D, Rounding R, bool Sat> void narrowFloats(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g)
    put<D>(chunk, g, fromFloat<D, R, Sat, kWidth>(chunk.floats[g]));
}
void keepFloats(Chunk &chunk, int groups) {
  for (int g = 0; g < groups; ++g)
    put<f32>(chunk, g, quiet<kWidth>(chunk.floats[g]));
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// n elements that lie together, without a stop on the way.
using Straight = void (*)(uint8_t *to, const uint8_t *from, int64_t n);

template <typename S, typename D, typename Fn>
[[gnu::always_inline]] inline void convertLine(uint8_t *to, const uint8_t *from, int64_t n, Fn fn) {
  Vec<typename S::Elem, kWidth> in = {};
  Vec<typename D::Elem, kWidth> out;
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    __builtin_memcpy(&in, from + i * int64_t(sizeof(typename S::Elem)), sizeof(in));
    out = fn(in);
    __builtin_memcpy(to + i * int64_t(sizeof(typename D::Elem)), &out, sizeof(out));
  }
  if (i == n)
    return;
  in = {};
  __builtin_memcpy(&in, from + i * int64_t(sizeof(typename S::Elem)), size_t(n - i) * sizeof(typename S::Elem));
  out = fn(in);
  __builtin_memcpy(to + i * int64_t(sizeof(typename D::Elem)), &out, size_t(n - i) * sizeof(typename D::Elem));
}

template <typename S> void widenLine(uint8_t *to, const uint8_t *from, int64_t n) {
  constexpr auto kPart = int64_t(kStretch / sizeof(typename S::Elem));
  for (; n > 0; n -= kPart, to += 2 * kStretch, from += kStretch) {
    const int64_t part = smaller(n, kPart);
    if (anyNaN<S>(from, size_t(part) * sizeof(typename S::Elem))) [[unlikely]]
      convertLine<S, f32>(to, from, part, [](auto v) { return quiet<kWidth>(toFloat<S, kWidth>(v)); });
    else
      convertLine<S, f32>(to, from, part, [](auto v) { return toFloat<S, kWidth>(v); });
  }
}

/// Few values have no half: those are found by the largest magnitude, and repaired in a second pass.
template <bool Sat> void narrowLine(uint8_t *to, const uint8_t *from, int64_t n) {
  constexpr auto kPart = int64_t(kStretch / sizeof(f16::Elem));
  using Bits = Vec<uint16_t, kWidth>;
  constexpr uint16_t kMagnitude = uint16_t(~f16::kSign), kLargest = f16::kInf - 1;
  for (; n > 0; n -= kPart, to += kStretch, from += 2 * kStretch) {
    const int64_t part = smaller(n, kPart);
    Bits largest{};
    convertLine<f32, u16>(to, from, part, [&](auto v) __attribute__((always_inline)) {
      const Bits half = bitcast<Bits>(convert<_Float16>(v));
      largest = __builtin_elementwise_max(largest, half & kMagnitude);
      return half;
    });
    if (__builtin_reduce_max(largest) > (Sat ? kLargest : f16::kInf)) [[unlikely]]
      convertLine<u16, u16>(to, to, part, [](auto v) {
        const Bits magnitude = v & kMagnitude;
        if constexpr (Sat)
          v = select(magnitude == Bits(f16::kInf), (v & uint16_t(f16::kSign)) | kLargest, v);
        return select(magnitude > Bits(f16::kInf), Bits(kNarrowNaN<f16, Sat>), v);
      });
  }
}

/// Null where elements go by steps.
Straight straightOf(Elem from, Elem to, uint32_t rounding, bool sat) {
  const bool toNearest = rounding < 2 || rounding > 6;
  if (to == Elem::f32 && from == Elem::f16)
    return widenLine<f16>;
  if (to == Elem::f32 && from == Elem::bf16)
    return widenLine<bf16>;
  if (to == Elem::f16 && from == Elem::f32 && toNearest)
    return sat ? narrowLine<true> : narrowLine<false>;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// fn.template operator()<Rounding>() for a pto::RoundMode.
template <typename Fn> Step chooseRounding(uint32_t mode, Fn fn) {
  switch (mode) {
  case 2:
    return fn.template operator()<Rounding::Away>();
  case 3:
    return fn.template operator()<Rounding::Floor>();
  case 4:
    return fn.template operator()<Rounding::Ceil>();
  case 5:
    return fn.template operator()<Rounding::Zero>();
  case 6:
    return fn.template operator()<Rounding::Odd>();
  default:
    return fn.template operator()<Rounding::Even>();
  }
}

Step widening(Elem from) {
  switch (from) {
  case Elem::i8:
    return widenGroups<i8>;
  case Elem::u8:
    return widenGroups<u8>;
  case Elem::i16:
    return widenGroups<i16>;
  case Elem::u16:
    return widenGroups<u16>;
  case Elem::i32:
    return widenGroups<i32>;
  case Elem::u32:
    return widenGroups<u32>;
  case Elem::i64:
    return widenGroups<i64>;
  case Elem::f16:
    return widenGroups<f16>;
  case Elem::bf16:
    return widenGroups<bf16>;
  case Elem::f32:
    return widenGroups<f32>;
  case Elem::e4m3:
    return widenGroups<e4m3>;
  case Elem::e5m2:
    return widenGroups<e5m2>;
  case Elem::hif8:
    return widenGroups<hif8>;
  case Elem::e2m1x2:
    return widenGroups<e2m1x2>;
  case Elem::e1m2x2:
    return widenGroups<e1m2x2>;
  default:
    __builtin_trap(); // refused when the program is compiled
  }
}

template <typename D> Step narrowingTo(uint32_t rounding, bool sat) {
  if (sat)
    return chooseRounding(rounding, []<Rounding R>() -> Step { return narrowFloats<D, R, true>; });
  return chooseRounding(rounding, []<Rounding R>() -> Step { return narrowFloats<D, R, false>; });
}
Step narrowing(Elem to, uint32_t rounding, bool sat) {
  switch (to) {
  case Elem::i8:
    return sat ? narrowInts<i8, true> : narrowInts<i8, false>;
  case Elem::u8:
    return sat ? narrowInts<u8, true> : narrowInts<u8, false>;
  case Elem::i16:
    return sat ? narrowInts<i16, true> : narrowInts<i16, false>;
  case Elem::u16:
    return sat ? narrowInts<u16, true> : narrowInts<u16, false>;
  case Elem::i32:
    return sat ? narrowInts<i32, true> : narrowInts<i32, false>;
  case Elem::u32:
    return sat ? narrowInts<u32, true> : narrowInts<u32, false>;
  case Elem::i64:
    return narrowInts<i64, false>;
  case Elem::f16:
    return narrowingTo<f16>(rounding, sat);
  case Elem::bf16:
    return narrowingTo<bf16>(rounding, sat);
  case Elem::f32:
    return keepFloats;
  case Elem::e4m3:
    return narrowingTo<e4m3>(rounding, sat);
  case Elem::e5m2:
    return narrowingTo<e5m2>(rounding, sat);
  case Elem::hif8: // has one rounding
    return sat ? narrowFloats<hif8, Rounding::Away, true> : narrowFloats<hif8, Rounding::Away, false>;
  // 4-bit floats have nothing beyond their largest value.
  case Elem::e2m1x2:
    return chooseRounding(rounding, []<Rounding R>() -> Step { return narrowFloats<e2m1x2, R, true>; });
  case Elem::e1m2x2:
    return chooseRounding(rounding, []<Rounding R>() -> Step { return narrowFloats<e1m2x2, R, true>; });
  default:
    __builtin_trap(); // refused when the program is compiled
  }
}

constexpr bool isFloatElem(Elem elem) { return elem >= Elem::f16 && elem != Elem::i4x2 && elem != Elem::i4; }

/// Three steps; the middle one may be none.
struct Plan {
  Step first, middle, last;
};
/// Where clamping of the result is not enough: to types with larger numbers, and to bf16, whose NaNs are kept.
bool clampsFirst(Elem from, Elem to, bool sat, bool host) {
  return host && sat && (from == Elem::f16 || (from == Elem::f32 && to == Elem::bf16));
}
Plan planOf(Elem from, Elem to, uint32_t rounding, bool sat, bool host) {
  constexpr uint32_t kOdd = 6, kEven = 1;
  const bool asked = sat;
  Step middle = nullptr;
  if (host && !sat && isFloatElem(from) && !isFloatElem(to) && !has(kByteFloats, from)) {
    if (to == Elem::u8 || to == Elem::u32 || to == Elem::i64)
      middle = chooseRounding(rounding, []<Rounding R>() -> Step { return floatsToHostInts<R, false>; });
    else
      middle = chooseRounding(rounding, []<Rounding R>() -> Step { return floatsToHostInts<R, true>; });
  } else if (isFloatElem(from) && !isFloatElem(to)) {
    middle = chooseRounding(rounding, []<Rounding R>() -> Step { return floatsToInts<R>; });
    sat |= to == Elem::i32; // clamps always
  } else if (!isFloatElem(from) && isFloatElem(to)) {
    middle = chooseRounding(to == Elem::f32 ? rounding : kOdd, []<Rounding R>() -> Step { return intsToFloats<R>; });
  } else if (from == to && isFloatElem(from)) {
    // The same type: to an integral value, which is exact from there.
    middle = chooseRounding(rounding, []<Rounding R>() -> Step { return floatsToIntegral<R>; });
    rounding = kEven;
    sat = false;
  } else if (isFloatElem(from) && bitsOf(from) < bitsOf(to)) {
    sat = false; // exact, infinities and NaNs too
  }
  if (clampsFirst(from, to, asked, host))
    return {from == Elem::f16 ? widenClamped<f16, f16> : widenClamped<f32, bf16>, middle,
            narrowing(to, rounding, sat && to != Elem::bf16)};
  return {widening(from), middle, narrowing(to, rounding, sat)};
}

void gather(unsigned bits, uint8_t *to, const uint8_t *from, int64_t offset, int64_t stride, int64_t n) {
  const size_t width = bits / 8;
  if (bits == 4) {
    for (int64_t k = 0; k < n; ++k)
      to[k] = uint8_t(loadElement(4, from, offset + k * stride));
  } else if (stride == 1) {
    __builtin_memcpy(to, from + offset * int64_t(width), size_t(n) * width);
  } else {
    for (int64_t k = 0; k < n; ++k)
      __builtin_memcpy(to + size_t(k) * width, from + (offset + k * stride) * int64_t(width), width);
  }
}
void scatter(unsigned bits, uint8_t *to, int64_t offset, int64_t stride, const uint8_t *from, int64_t n) {
  const size_t width = bits / 8;
  if (bits == 4) {
    for (int64_t k = 0; k < n; ++k)
      storeElement(4, to, offset + k * stride, from[k]);
  } else if (stride == 1) {
    __builtin_memcpy(to + offset * int64_t(width), from, size_t(n) * width);
  } else {
    for (int64_t k = 0; k < n; ++k)
      __builtin_memcpy(to + (offset + k * stride) * int64_t(width), from + size_t(k) * width, width);
  }
}
/// Rows are chunks.
void convertBySteps(const Plan &plan, unsigned toBits, const Side &dst, unsigned fromBits, const Side &src,
                    int64_t rows, int64_t cols) {
  Chunk chunk = {};
  forEachBlock(
      dst, src, rows, cols,
      [&](const Block &b) {
        const int groups = int((b.cols + kWidth - 1) / kWidth);
        for (int64_t r = 0; r < b.rows; ++r) {
          gather(fromBits, chunk.bytes, src.data, b.src + r * b.srcRow, b.srcCol, b.cols);
          plan.first(chunk, groups);
          if (plan.middle)
            plan.middle(chunk, groups);
          plan.last(chunk, groups);
          scatter(toBits, dst.data, b.dst + r * b.dstRow, b.dstCol, chunk.bytes, b.cols);
        }
      },
      kChunk);
}
} // namespace

// dst, src [, scratch]; mode as convert.hpp has it. In place is well as long as the
// destination's elements are no larger.
void tcvt(const Operands &ops) {
  const TileRef &to = ops.tile[0].ref, &from = ops.tile[1].ref;
  uint32_t rounding = ops.mode & 7;
  const bool sat = (ops.mode & kSaturateBit) != 0;
  if (ops.isHost()) {
    if (convertsByHostRules(from.elem, to.elem, rounding, sat))
      return convertOnHost(ops);
    rounding = hostRounding(from.elem, to.elem, rounding);
  } else if (convertsOnA3(from.elem, to.elem)) {
    return convertOnHost(ops); // the same numbers, two in a byte
  }
  Side dst = sideOf(ops.tile[0]), src = sideOf(ops.tile[1]);
  int64_t rows = from.validRows, cols = from.validCols;
  if (src.map.col.digit[0].stride != 1 && src.map.row.digit[0].stride == 1) {
    dst.map = dst.map.transposed();
    src.map = src.map.transposed();
    rows = from.validCols, cols = from.validRows;
  }
  const Straight straight =
      clampsFirst(from.elem, to.elem, sat, ops.isHost()) ? nullptr : straightOf(from.elem, to.elem, rounding, sat);
  if (!straight || src.map.col.digit[0].stride != 1 || dst.map.col.digit[0].stride != 1)
    return convertBySteps(planOf(from.elem, to.elem, rounding, sat, ops.isHost()), bitsOf(to.elem), dst,
                          bitsOf(from.elem), src, rows, cols);
  const auto toBytes = int64_t(bitsOf(to.elem) / 8), fromBytes = int64_t(bitsOf(from.elem) / 8);
  forEachBlock(dst, src, rows, cols, [&](Block b) {
    if (b.srcRow == b.cols && b.dstRow == b.cols)
      b.cols *= b.rows, b.rows = 1;
    for (int64_t r = 0; r < b.rows; ++r)
      straight(dst.data + (b.dst + r * b.dstRow) * toBytes, src.data + (b.src + r * b.srcRow) * fromBytes, b.cols);
  });
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
