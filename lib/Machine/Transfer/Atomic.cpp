//===- Atomic.cpp - read-modify-write of GM elements ----------------------===//
//
// Integers wrap. Floats follow the vector instructions of the same name
// (FP-1, FP-3, VMAX-2): one rounding to nearest even, any NaN gives the canonical NaN,
// max(-0, +0) = +0 and min(-0, +0) = -0. f16 and bf16 sums are formed in f32
// and rounded once more, which is exact because f32 has more than twice their
// precision.
//
//===----------------------------------------------------------------------===//

#include "Transfer/Transfer.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace ptoscope {

uint32_t bytesOf(AtomicType type) {
  constexpr uint32_t kBytes[] = {1, 4, 2, 2, 4, 1, 2};
  return kBytes[size_t(type)];
}

namespace {
float widenHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 31, mantissa = bits & 0x3ff;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    // mantissa * 2^-24 is exact in f32.
    float value = float(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t narrowHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return 0x7e00;
  if (magnitude >= 0x477ff000u) // from 65520 on nearest even gives infinity
    return sign | 0x7c00;
  if (magnitude < 0x38800000u) {
    // Subnormal: a multiple of 2^-24, rounded to nearest even by hand.
    uint32_t exponent = magnitude >> 23;
    if (exponent < 102)
      return sign;
    uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    uint32_t shift = 126 - exponent;
    uint32_t result = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    if (rest > half || (rest == half && (result & 1)))
      ++result;
    return uint16_t(sign | result);
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return uint16_t(sign | ((rounded >> 13) - (112u << 10)));
}

struct F32 {
  using Raw = uint32_t;
  static float widen(Raw raw) { return std::bit_cast<float>(raw); }
  static Raw narrow(float v) { return std::isnan(v) ? 0x7fc00000u : std::bit_cast<uint32_t>(v); }
};
struct F16 {
  using Raw = uint16_t;
  static float widen(Raw raw) { return widenHalf(raw); }
  static Raw narrow(float v) { return narrowHalf(v); }
};
struct BF16 {
  using Raw = uint16_t;
  static float widen(Raw raw) { return std::bit_cast<float>(uint32_t(raw) << 16); }
  static Raw narrow(float v) {
    if (std::isnan(v))
      return 0x7fc0;
    uint32_t bits = std::bit_cast<uint32_t>(v);
    return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
};

template <typename Format> struct FloatElement {
  using Raw = typename Format::Raw;
  static Raw apply(AtomicOp op, Raw oldRaw, Raw newRaw) {
    float a = Format::widen(oldRaw), b = Format::widen(newRaw);
    if (op == AtomicOp::Add)
      return Format::narrow(a + b);
    if (std::isnan(a) || std::isnan(b))
      return Format::narrow(a + b);
    bool takeB =
        a == b ? (op == AtomicOp::Max ? std::signbit(a) : std::signbit(b)) : (op == AtomicOp::Max ? b > a : b < a);
    return takeB ? newRaw : oldRaw;
  }
};

template <typename Signed, typename Unsigned> struct IntElement {
  using Raw = Unsigned;
  static Raw apply(AtomicOp op, Raw a, Raw b) {
    if (op == AtomicOp::Add)
      return Raw(a + b);
    return (op == AtomicOp::Max) == (Signed(b) > Signed(a)) ? b : a;
  }
};

template <typename Element> void applyAll(AtomicOp op, uint8_t *dst, const uint8_t *src, uint64_t elements) {
  using Raw = typename Element::Raw;
  for (uint64_t i = 0; i < elements; ++i) {
    Raw a, b;
    std::memcpy(&a, dst + i * sizeof(Raw), sizeof(Raw));
    std::memcpy(&b, src + i * sizeof(Raw), sizeof(Raw));
    Raw result = Element::apply(op, a, b);
    std::memcpy(dst + i * sizeof(Raw), &result, sizeof(Raw));
  }
}
} // namespace

void applyAtomic(AtomicType type, AtomicOp op, uint8_t *dst, const uint8_t *src, uint64_t elements) {
  switch (type) {
  case AtomicType::Off:
    std::memcpy(dst, src, elements);
    return;
  case AtomicType::F32:
    return applyAll<FloatElement<F32>>(op, dst, src, elements);
  case AtomicType::F16:
    return applyAll<FloatElement<F16>>(op, dst, src, elements);
  case AtomicType::BF16:
    return applyAll<FloatElement<BF16>>(op, dst, src, elements);
  case AtomicType::S32:
    return applyAll<IntElement<int32_t, uint32_t>>(op, dst, src, elements);
  case AtomicType::S16:
    return applyAll<IntElement<int16_t, uint16_t>>(op, dst, src, elements);
  case AtomicType::S8:
    return applyAll<IntElement<int8_t, uint8_t>>(op, dst, src, elements);
  }
}

} // namespace ptoscope
