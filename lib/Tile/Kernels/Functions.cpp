//===- Functions.cpp - division, powers, transcendental functions ---------===//
//
// TEW-8 to TEW-11. What each instruction is stands in Functions.def.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "ptoscope/Meaning/Power.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
BINARY_OP(DivOp, ArithmeticTypes, leaveArithmetic<T>(quotient<T>(a, b)))
BINARY_OP(RemOp, ArithmeticTypes, leaveArithmetic<T>(remainder<SignOf::Divisor, T>(a, b)))
BINARY_OP(FmodOp, ArithmeticTypes, leaveArithmetic<T>(remainder<SignOf::Dividend, T>(a, b)))
BINARY_OP(PowOp, ArithmeticTypes, leaveArithmetic<T>(power<T>(a, b)))
UNARY_OP(ExpOp, HalfFloatTypes, leaveArithmetic<T>(vexp<T>(a)))
UNARY_OP(LogOp, HalfFloatTypes, leaveArithmetic<T>(vln<T>(a)))
UNARY_OP(SqrtOp, HalfFloatTypes, leaveArithmetic<T>(vsqrt<T>(a)))
UNARY_OP(RsqrtOp, HalfFloatTypes, leaveArithmetic<T>(vrsqrt<T>(a)))
UNARY_OP(RecipOp, HalfFloatTypes, leaveArithmetic<T>(vrec<T>(a)))
template <typename T> struct ExpdifOf;
template <> struct ExpdifOf<f16> { using Type = f16_f16; };
template <> struct ExpdifOf<f32> { using Type = f32_f32; };
BINARY_OP(ExpdifOp, HalfFloatTypes, leaveArithmetic<T>(vexpdif<typename ExpdifOf<T>::Type>(a, b)))
} // namespace

#include "Functions.def"

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
