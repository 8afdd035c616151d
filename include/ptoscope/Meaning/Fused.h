//===- Fused.h - several lane-wise operations in one ------------*- C++ -*-===//
//
// isa/23 section 1. Where the manual says "fused", the result is rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_FUSED_H
#define PTOSCOPE_MEANING_FUSED_H

#include "ptoscope/Meaning/Arithmetic.h"

namespace ptoscope::meaning {

//===----------------------------------------------------------------------===//
// Rectifiers
//===----------------------------------------------------------------------===//

/// x where x >= 0, else alpha * x, rounded once. On bits: 0x8000... is -0, which
/// stays, and NaNs stay NaNs either way.
template <typename T> PTOM_INLINE Group<T> vprelu(Group<T> x, Group<T> alpha) {
  return select(toBits<T>(x) <= BitsGroup<T>(T::kSign), x, x * alpha);
}
PTOM_BINARY(vprelu, f16, f32)

template <typename T> PTOM_INLINE Group<T> vlrelu(Group<T> x, typename T::Elem alpha) {
  return vprelu<T>(x, splat<T>(alpha));
}
PTOM_BINARY(vlrelu, f16, f32)

/// The sum is rounded before it is compared with 0.
template <typename T> PTOM_INLINE Group<T> vaddrelu(Group<T> a, Group<T> b) {
  return vrelu<T>(vadd<T>(a, b));
}
PTOM_BINARY(vaddrelu, f16, f32)

template <typename T> PTOM_INLINE Group<T> vsubrelu(Group<T> a, Group<T> b) {
  return vrelu<T>(vsub<T>(a, b));
}
PTOM_BINARY(vsubrelu, f16, f32)

//===----------------------------------------------------------------------===//
// Multiply and add
//===----------------------------------------------------------------------===//

/// a * b + c of floats, rounded once.
///
/// In double a product of 16-bit floats is exact. A sum of f16 values and such
/// products is exact as well unless its bits lie more than 53 apart, and then it
/// overflows f16 or is nowhere near one of its ties. A product of bf16 values may
/// be such a tie, and what a tiny addend does to it must be kept.
template <typename T> PTOM_INLINE Group<T> multiplyAdd(Group<T> a, Group<T> b, Group<T> c) {
  if constexpr (kIsSame<T, f32>)
    return __builtin_elementwise_fma(a, b, c);
  else if constexpr (kIsSame<T, f16>)
    return roundOnce<T>(convert<double>(a) * convert<double>(b) + convert<double>(c));
  else
    return roundOnce<T>(
        oddSum(convert<double>(widen(a)) * convert<double>(widen(b)), convert<double>(widen(c))));
}

template <typename T> PTOM_INLINE Group<T> vmula(Group<T> sum, Group<T> a, Group<T> b) {
  if constexpr (kIsFloat<T>)
    return multiplyAdd<T>(a, b, sum);
  else
    return fromBits<T>(toBits<T>(sum) + toBits<T>(a) * toBits<T>(b));
}
PTOM_TERNARY(vmula, PTOM_INT32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vaxpy(Group<T> x, Group<T> y, typename T::Elem alpha) {
  return multiplyAdd<T>(splat<T>(alpha), x, y);
}
PTOM_TERNARY(vaxpy, f16, f32)

//===----------------------------------------------------------------------===//
// e^(x - max)
//===----------------------------------------------------------------------===//

/// Which lanes of a narrower operand: all of them, or those of one parity.
enum class Lanes { All, Even, Odd };
template <typename From, typename To, Lanes L> struct DifferenceOf {
  using Operand = From;
  using Result = To;
  static constexpr Lanes kLanesTaken = L;
};
using f16_f16 = DifferenceOf<f16, f16, Lanes::All>;
using f32_f32 = DifferenceOf<f32, f32, Lanes::All>;
using f16_f32_EVEN = DifferenceOf<f16, f32, Lanes::Even>;
using f16_f32_ODD = DifferenceOf<f16, f32, Lanes::Odd>;

/// The difference is rounded to f32, the power to the result.
template <typename V> PTOM_INLINE auto vexpdif(Group<OperandOf<V>> x, Group<OperandOf<V>> max) {
  auto taken = [](Group<OperandOf<V>> v) {
    if constexpr (V::kLanesTaken == Lanes::Even)
      return v.even;
    else if constexpr (V::kLanesTaken == Lanes::Odd)
      return v.odd;
    else
      return v;
  };
  return expLanes<typename V::Result>(convert<float>(taken(x)) - convert<float>(taken(max)));
}
PTOM_BINARY(vexpdif, f16_f16, f32_f32, f16_f32_EVEN, f16_f32_ODD)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_FUSED_H
