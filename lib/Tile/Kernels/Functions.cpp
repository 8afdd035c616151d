//===- Functions.cpp - division, powers, transcendental functions ---------===//
//
// TEW-8 to TEW-11. Each instruction: its meaning's name, the operation,
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
UNARY_OP(ExpOp, HalfFloatTypes, vexp<T>(a))
UNARY_OP(LogOp, HalfFloatTypes, vln<T>(a))
UNARY_OP(SqrtOp, HalfFloatTypes, vsqrt<T>(a))
UNARY_OP(RsqrtOp, HalfFloatTypes, vrsqrt<T>(a))
UNARY_OP(RecipOp, HalfFloatTypes, vrec<T>(a))
template <typename T> struct ExpdifOf;
template <> struct ExpdifOf<f16> {
  using Type = f16_f16;
};
template <> struct ExpdifOf<f32> {
  using Type = f32_f32;
};
BINARY_OP(ExpdifOp, HalfFloatTypes, vexpdif<typename ExpdifOf<T>::Type>(a, b))
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
