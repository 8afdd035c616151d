//===- Fused.h - several lane-wise operations in one ------------*- C++ -*-===//
//
// FUSE-1 to FUSE-10. Where the manual says "fused", the result is rounded once.
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
template <typename T> PTOM_INLINE Group<T> vaddrelu(Group<T> a, Group<T> b) { return vrelu<T>(vadd<T>(a, b)); }
PTOM_BINARY(vaddrelu, f16, f32)

template <typename T> PTOM_INLINE Group<T> vsubrelu(Group<T> a, Group<T> b) { return vrelu<T>(vsub<T>(a, b)); }
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
    return roundOnce<T>(oddSum(convert<double>(widen(a)) * convert<double>(widen(b)), convert<double>(widen(c))));
}

template <typename T> PTOM_INLINE Group<T> vmula(Group<T> sum, Group<T> a, Group<T> b) {
  if constexpr (kIsFloat<T>)
    return multiplyAdd<T>(a, b, sum);
  else
    return fromBits<T>(toBits<T>(sum) + toBits<T>(a) * toBits<T>(b));
}
PTOM_TERNARY(vmula, PTOM_INT32, f16, bf16, f32)

/// The accumulator is a factor (FUSE-12).
template <typename T> PTOM_INLINE Group<T> vmadd(Group<T> acc, Group<T> a, Group<T> b) {
  return multiplyAdd<T>(a, acc, b);
}
PTOM_TERNARY(vmadd, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vaxpy(Group<T> x, Group<T> y, typename T::Elem alpha) {
  return multiplyAdd<T>(splat<T>(alpha), x, y);
}
PTOM_TERNARY(vaxpy, f16, f32)

//===----------------------------------------------------------------------===//
// e^(x - max)
//===----------------------------------------------------------------------===//

/// Lane i of the result belongs to lane First + Step * i of the operands.
template <typename From, typename To, int First, int Step> struct LanesFrom {
  using Operand = From;
  using Result = To;
  static constexpr int kFirst = First, kStep = Step;
};
using f16_f16 = LanesFrom<f16, f16, 0, 1>;
using f32_f32 = LanesFrom<f32, f32, 0, 1>;
using f16_f32_EVEN = LanesFrom<f16, f32, 0, 2>;
using f16_f32_ODD = LanesFrom<f16, f32, 1, 2>;

/// The difference is rounded to f32, the power to the result.
template <typename V> PTOM_INLINE auto vexpdif(Group<OperandOf<V>> x, Group<OperandOf<V>> max) {
  using R = typename V::Result;
  constexpr auto at = [](int i) { return V::kFirst + V::kStep * i; };
  return expLanes<R>(convert<float>(shuffle<kLanes<R>, at>(x, x)) - convert<float>(shuffle<kLanes<R>, at>(max, max)));
}
PTOM_BINARY(vexpdif, f16_f16, f32_f32, f16_f32_EVEN, f16_f32_ODD)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_FUSED_H
