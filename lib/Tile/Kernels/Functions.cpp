//===- Functions.cpp - division, powers, transcendental functions ---------===//
//
// TEW-8 to TEW-11, HMEAN-17, HMEAN-18. Each instruction: its meaning's name, the operation,
// where the arguments come from.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "ptoscope/Meaning/Power.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
BINARY_OP(DivOp, ArithmeticTypes, quotient<T>(a, b))
BINARY_OP(RemOp, ArithmeticTypes, remainder<SignOf::Divisor, T>(a, b))
BINARY_OP(FmodOp, ArithmeticTypes, remainder<SignOf::Dividend, T>(a, b))
BINARY_OP(PowOp, ArithmeticTypes, power<T>(a, b))

/// HMEAN-18: bf16 is computed in f32 and rounded to nearest even.
template <typename T, typename Fn, typename... Args> PTOM_INLINE Group<T> asFloats(Fn fn, Args... args) {
  if constexpr (kIsSame<T, bf16>) {
    WideGroup result;
    for (int half = 0; half < 2; ++half) {
      const auto part = [half](Group<bf16> v) __attribute__((always_inline)) {
        const WideGroup wide = widen(v);
        Group<f32> narrowed;
        __builtin_memcpy(&narrowed, reinterpret_cast<const uint8_t *>(&wide) + half * 64, 64);
        return narrowed;
      };
      const Group<f32> done = fn.template operator()<f32>(part(args)...);
      __builtin_memcpy(reinterpret_cast<uint8_t *>(&result) + half * 64, &done, 64);
    }
    return narrow(result);
  } else {
    return fn.template operator()<T>(args...);
  }
}
#define FLOATS_OP(NAME, FN) UNARY_OP(NAME, FloatTypes, asFloats<T>([]<typename U>(Group<U> v) { return FN<U>(v); }, a))
FLOATS_OP(ExpOp, vexp)
FLOATS_OP(SqrtOp, vsqrt)
FLOATS_OP(RsqrtOp, vrsqrt)
#undef FLOATS_OP

/// HMEAN-17: integers of the host profile.
using HostTypes = Types<i16, i32, f16, bf16, f32>;
/// The least numbers whose natural logarithm is 1, 2, …: no power of e is whole.
inline constexpr int32_t kPowersOfE[] = {3,       8,       21,       55,       149,       404,       1097,
                                         2981,    8104,    22027,    59875,    162755,    442414,    1202605,
                                         3269018, 8886111, 24154953, 65659970, 178482301, 485165196, 1318815735};
template <typename T> PTOM_INLINE Group<T> logarithm(Group<T> a) {
  if constexpr (kIsFloat<T>) {
    return asFloats<T>([]<typename U>(Group<U> v) { return vln<U>(v); }, a);
  } else {
    Group<T> result{};
    for (const int32_t power : kPowersOfE)
      if (power <= (sizeof(typename T::Elem) == 2 ? INT16_MAX : INT32_MAX))
        result -= a >= splat<T>(typename T::Elem(power)); // lanes of -1
    return select(a > splat<T>(0), result, splat<T>(-1));
  }
}
template <typename T> PTOM_INLINE Group<T> reciprocal(Group<T> a) {
  if constexpr (kIsFloat<T>)
    return asFloats<T>([]<typename U>(Group<U> v) { return vrec<U>(v); }, a);
  else
    return quotient<T>(splat<T>(1), a);
}
UNARY_OP(LogOp, HostTypes, logarithm<T>(a))
UNARY_OP(RecipOp, HostTypes, reciprocal<T>(a))

template <typename T> struct ExpdifOf;
template <> struct ExpdifOf<f16> {
  using Type = f16_f16;
};
template <> struct ExpdifOf<f32> {
  using Type = f32_f32;
};
BINARY_OP(ExpdifOp, FloatTypes,
          asFloats<T>([]<typename U>(Group<U> x, Group<U> y) { return vexpdif<typename ExpdifOf<U>::Type>(x, y); }, a,
                      b))
} // namespace

MAP(tdiv, DivOp, tile(1), tile(2))
MAP(trem, RemOp, tile(1), tile(2))
MAP(tfmod, FmodOp, tile(1), tile(2))
MAP(tpow, PowOp, tile(1), tile(2))
MAP_EITHER(tdivs, DivOp, (tile(1), scalar(0)), (scalar(0), tile(1)))
MAP(trems, RemOp, tile(1), scalar(0))
MAP(tfmods, FmodOp, tile(1), scalar(0))
MAP(tpows, PowOp, tile(1), scalar(0))
MAP(texp, ExpOp, tile(1))
MAP(tlog, LogOp, tile(1))
MAP(tsqrt, SqrtOp, tile(1))
MAP(trsqrt, RsqrtOp, tile(1))
MAP(trecip, RecipOp, tile(1))
MAP_EITHER(trowexpanddiv, DivOp, (tile(1), perRow(2)), (perRow(2), tile(1)))
MAP_EITHER(trowexpandexpdif, ExpdifOp, (tile(1), perRow(2)), (perRow(2), tile(1)))
MAP(tcolexpanddiv, DivOp, tile(1), perColumn(2))
MAP(tcolexpandexpdif, ExpdifOp, tile(1), perColumn(2))

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
