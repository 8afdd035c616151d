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
#include "ptoscope/Support/Half.h"

#include <cmath>
#include <cstring>

namespace ptoscope {

uint32_t bytesOf(AtomicType type) {
  constexpr uint32_t kBytes[] = {1, 4, 2, 2, 4, 1, 2};
  return kBytes[size_t(type)];
}

namespace {
struct F32 {
  using Raw = uint32_t;
  static float widen(Raw raw) { return std::bit_cast<float>(raw); }
  static Raw narrow(float v) { return std::isnan(v) ? kF32.canonicalNan() : std::bit_cast<uint32_t>(v); }
};
struct F16 {
  using Raw = uint16_t;
  static float widen(Raw raw) { return f16ToF32(raw); }
  static Raw narrow(float v) { return f32ToF16(v); }
};
struct BF16 {
  using Raw = uint16_t;
  static float widen(Raw raw) { return bf16ToF32(raw); }
  static Raw narrow(float v) { return f32ToBF16(v); }
};

template <typename Format> struct FloatElement {
  using Raw = typename Format::Raw;
  static Raw apply(AtomicOp op, Raw oldRaw, Raw newRaw) {
    float a = Format::widen(oldRaw), b = Format::widen(newRaw);
    if (op == AtomicOp::Add || std::isnan(a) || std::isnan(b))
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
