//===- Arithmetic.h - lane-wise arithmetic ----------------------*- C++ -*-===//
//
// Unary, binary and vector-scalar arithmetic (docs/isa/20-compute.md).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_ARITHMETIC_H
#define PTOSCOPE_MEANING_ARITHMETIC_H

#include "ptoscope/Meaning/Division.h"
#include "ptoscope/Meaning/Lists.h"
#include "ptoscope/Meaning/Transcendental.h"

namespace ptoscope::meaning {

PTOM_UNARY(canon, f16, bf16, f32)

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

/// The smallest integer is its own magnitude; unsigned lanes pass.
template <typename T> PTOM_INLINE Group<T> vabs(Group<T> a) {
  if constexpr (kIsFloat<T>)
    return fromBits<T>(toBits<T>(a) & typename T::Bits(~T::kSign));
  else if constexpr (kIsSigned<T>)
    return __builtin_elementwise_abs(a);
  else
    return a;
}
PTOM_UNARY(vabs, PTOM_INT32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vneg(Group<T> a) {
  if constexpr (kIsFloat<T>)
    return fromBits<T>(toBits<T>(a) ^ T::kSign);
  else
    return fromBits<T>(0 - toBits<T>(a));
}
PTOM_UNARY(vneg, PTOM_INT32, f16, f32)

template <typename T> PTOM_INLINE Group<T> vexp(Group<T> a) { return expLanes<T>(convert<float>(a)); }
PTOM_UNARY(vexp, f16, f32)

template <typename T> PTOM_INLINE Group<T> vln(Group<T> a) { return lnLanes<T>(convert<float>(a)); }
PTOM_UNARY(vln, f16, f32)

/// f16 by way of f32: a square root of 11 bits is either exact in 24 bits or so
/// far from every tie of 11 bits that the first rounding cannot reach one, since
/// 24 >= 2 * 11 + 2.
template <typename T> PTOM_INLINE Group<T> vsqrt(Group<T> a) {
  return convert<typename T::Elem>(__builtin_elementwise_sqrt(convert<float>(a)));
}
PTOM_UNARY(vsqrt, f16, f32)

template <typename T> PTOM_INLINE Group<T> vrec(Group<T> a) { return splat<T>(1) / a; }
PTOM_UNARY(vrec, f16, f32)

/// 1 / sqrt(-0) is -inf.
template <typename T> PTOM_INLINE Group<T> vrsqrt(Group<T> a) { return rsqrtLanes<T>(convert<float>(a)); }
PTOM_UNARY(vrsqrt, f16, f32)

/// NaN stays NaN, -0 gives +0: everything from -0 down to -inf becomes zero.
template <typename T> PTOM_INLINE Group<T> vrelu(Group<T> a) {
  if constexpr (kIsSame<T, f32>) {
    return select(a <= 0.0f, splat<T>(0), a);
  } else if constexpr (kIsFloat<T>) {
    BitsGroup<T> bits = toBits<T>(a);
    return fromBits<T>(select((bits ^ T::kSign) <= BitsGroup<T>(T::kInf), BitsGroup<T>(0), bits));
  } else {
    return __builtin_elementwise_max(a, splat<T>(0));
  }
}
PTOM_UNARY(vrelu, i32, f16, bf16, f32)

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

// f16 needs no detour: whether the host computes in f16, or in f32 and rounds,
// the result of one + - * / is the same, for the reason given at vsqrt.

template <typename T> PTOM_INLINE Group<T> vadd(Group<T> a, Group<T> b) {
  if constexpr (kIsSame<T, bf16>)
    return narrow(widen(a) + widen(b));
  else if constexpr (kIsFloat<T>)
    return a + b;
  else
    return fromBits<T>(toBits<T>(a) + toBits<T>(b));
}
PTOM_BINARY(vadd, PTOM_INT64, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vsub(Group<T> a, Group<T> b) {
  if constexpr (kIsSame<T, bf16>)
    return narrow(widen(a) - widen(b));
  else if constexpr (kIsFloat<T>)
    return a - b;
  else
    return fromBits<T>(toBits<T>(a) - toBits<T>(b));
}
PTOM_BINARY(vsub, PTOM_INT64, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vmul(Group<T> a, Group<T> b) {
  if constexpr (kIsSame<T, bf16>)
    return narrow(widen(a) * widen(b));
  else if constexpr (kIsFloat<T>)
    return a * b;
  else
    return fromBits<T>(toBits<T>(a) * toBits<T>(b));
}
PTOM_BINARY(vmul, i16, i32, u16, u32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vdiv(Group<T> a, Group<T> b) { return quotient<T>(a, b); }
PTOM_BINARY(vdiv, i16, i32, f16, f32)

/// Of the division that rounds toward zero: it has the sign of a. All ones where b
/// is 0 (VMOD-1).
template <typename T> PTOM_INLINE Group<T> vmod(Group<T> a, Group<T> b) {
  Group<T> divisor = select(b == 0, splat<T>(1), b);
  BitsGroup<T> rest = toBits<T>(a) - toBits<T>(wholeQuotient<T>(a, divisor)) * toBits<T>(divisor);
  return select(b == 0, splat<T>(typename T::Elem(-1)), fromBits<T>(rest));
}
PTOM_BINARY(vmod, PTOM_INT32)

/// A NaN in either operand gives a NaN; max(-0, +0) = +0 and min(-0, +0) = -0.
template <typename T> PTOM_INLINE Group<T> vmax(Group<T> a, Group<T> b) {
  if constexpr (kCompares<T>) {
    // Where the larger one is negative and a is not, both are zeros.
    Group<T> larger = select(a > b, a, b); // b when one is a NaN
    larger = fromBits<T>(toBits<T>(larger) & (toBits<T>(a) | typename T::Bits(~T::kSign)));
    return select(isNaN<T>(a), a, larger);
  } else if constexpr (kIsFloat<T>) {
    return fromOrder<T, NaNs::Highest>(
        __builtin_elementwise_max(toOrder<T, NaNs::Highest>(a), toOrder<T, NaNs::Highest>(b)));
  } else {
    return __builtin_elementwise_max(a, b);
  }
}
PTOM_BINARY(vmax, PTOM_INT32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vmin(Group<T> a, Group<T> b) {
  if constexpr (kCompares<T>) {
    Group<T> smaller = select(a < b, a, b);
    smaller = fromBits<T>(toBits<T>(smaller) | (toBits<T>(a) & T::kSign));
    return select(isNaN<T>(a), a, smaller);
  } else if constexpr (kIsFloat<T>) {
    return fromOrder<T, NaNs::Lowest>(
        __builtin_elementwise_min(toOrder<T, NaNs::Lowest>(a), toOrder<T, NaNs::Lowest>(b)));
  } else {
    return __builtin_elementwise_min(a, b);
  }
}
PTOM_BINARY(vmin, PTOM_INT32, f16, bf16, f32)

//===----------------------------------------------------------------------===//
// Vector and scalar
//===----------------------------------------------------------------------===//

template <typename T> PTOM_INLINE Group<T> vadds(Group<T> a, typename T::Elem b) { return vadd<T>(a, splat<T>(b)); }
PTOM_BINARY(vadds, PTOM_INT32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vsubs(Group<T> a, typename T::Elem b) { return vsub<T>(a, splat<T>(b)); }
PTOM_BINARY(vsubs, PTOM_INT32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vmuls(Group<T> a, typename T::Elem b) { return vmul<T>(a, splat<T>(b)); }
PTOM_BINARY(vmuls, PTOM_INT32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vdivs(Group<T> a, typename T::Elem b) { return vdiv<T>(a, splat<T>(b)); }
PTOM_BINARY(vdivs, f16, f32)

template <typename T> PTOM_INLINE Group<T> vmaxs(Group<T> a, typename T::Elem b) { return vmax<T>(a, splat<T>(b)); }
PTOM_BINARY(vmaxs, PTOM_INT32, f16, bf16, f32)

template <typename T> PTOM_INLINE Group<T> vmins(Group<T> a, typename T::Elem b) { return vmin<T>(a, splat<T>(b)); }
PTOM_BINARY(vmins, PTOM_INT32, f16, bf16, f32)

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_ARITHMETIC_H
