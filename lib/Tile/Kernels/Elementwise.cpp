//===- Elementwise.cpp - arithmetic and logic, element by element ---------===//
//
// TEW-1 to TEW-7. What each instruction is stands in Elementwise.def.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
BINARY_OP(AndOp, IntTypes, a &b)
BINARY_OP(OrOp, IntTypes, a | b)
BINARY_OP(XorOp, IntTypes, a ^ b)
BINARY_OP(ShlOp, IntTypes, vshl<T>(a, b))
BINARY_OP(ShrOp, IntTypes, vshr<T>(a, b))
BINARY_OP(PreluOp, HalfFloatTypes, leaveArithmetic<T>(vprelu<T>(a, b)))
BINARY_OP(SubReluOp, ArithmeticTypes, leaveArithmetic<T>(vrelu<T>(vsub<T>(a, b))))
UNARY_OP(AbsOp, ArithmeticTypes, vabs<T>(a))
UNARY_OP(NegOp, ArithmeticTypes, vneg<T>(a))
UNARY_OP(NotOp, IntTypes, vnot<T>(a))
UNARY_OP(ReluOp, ArithmeticTypes, leaveArithmetic<T>(vrelu<T>(a)))
// a * b + c, rounded once; sums of three, rounded twice.
TERNARY_OP(MulAddOp, ArithmeticTypes, leaveArithmetic<T>(vmula<T>(c, a, b)))
TERNARY_OP(MulAddReluOp, ArithmeticTypes, leaveArithmetic<T>(vrelu<T>(vmula<T>(c, a, b))))
TERNARY_OP(AddAddOp, ArithmeticTypes, leaveArithmetic<T>(vadd<T>(vadd<T>(a, b), c)))
TERNARY_OP(SubAddOp, ArithmeticTypes, leaveArithmetic<T>(vadd<T>(vsub<T>(a, b), c)))
} // namespace

#include "Elementwise.def"

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
