//===- Elementwise.cpp - arithmetic and logic, element by element ---------===//
//
// TEW-1 to TEW-7, TRED-11, TRED-12, HMEAN-17 to HMEAN-19. Each instruction: its
// meaning's name, the operation, where the arguments come from.
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
/// In text a count of the width or more leaves nothing, or the sign (IREW-5).
template <typename T> PTOM_INLINE MaskGroup<T> shiftsAll(Group<T> count) {
  return convert<typename T::Mask>(toBits<T>(count) >= typename T::Bits(8 * sizeof(typename T::Bits)));
}
BINARY_OP(ShlAllOp, IntTypes, select(shiftsAll<T>(b), Group<T>{}, vshl<T>(a, b)))
BINARY_OP(ShrAllOp, IntTypes,
          vshr<T>(select(shiftsAll<T>(b), kIsSigned<T> ? a : Group<T>{}, a),
                  select(shiftsAll<T>(b), splat<T>(typename T::Elem(8 * sizeof(typename T::Elem) - 1)), b)))
/// TEW-5: zeros are multiplied, too. Integers and bf16 are of the host profile (HMEAN-17, HMEAN-18).
template <typename T> PTOM_INLINE Group<T> slopeBelow(Group<T> a, Group<T> b) {
  if constexpr (kIsSame<T, bf16>) // as bits: neither 0 nor with a sign
    return select(Group<T>(a - uint16_t(1)) < uint16_t(bf16::kSign - 1), a, vmul<T>(a, b));
  else
    return select(a > splat<T>(0), a, vmul<T>(a, b));
}
using SlopeTypes = Types<i16, i32, f16, bf16, f32>;
BINARY_OP(PreluOp, SlopeTypes, slopeBelow<T>(a, b))
BINARY_OP(AddReluOp, ArithmeticTypes, vrelu<T>(vadd<T>(a, b)))
BINARY_OP(SubReluOp, ArithmeticTypes, vrelu<T>(vsub<T>(a, b)))
SIGN_OP(AbsOp, ArithmeticTypes, vabs<T>(a))
SIGN_OP(NegOp, ArithmeticTypes, vneg<T>(a))
UNARY_OP(NotOp, IntTypes, vnot<T>(a))
UNARY_OP(ReluOp, ArithmeticTypes, vrelu<T>(a))
// a * b + c, rounded once; sums of three, rounded twice.
TERNARY_OP(MulAddOp, ArithmeticTypes, vmula<T>(c, a, b))
/// HMEAN-19: of halves the product is rounded too.
template <typename T> PTOM_INLINE Group<T> mulThenAdd(Group<T> a, Group<T> b, Group<T> c) {
  if constexpr (kIsSame<T, f16>)
    return vadd<T>(vmul<T>(a, b), c);
  else
    return vmula<T>(c, a, b);
}
TERNARY_OP(MulThenAddOp, ArithmeticTypes, mulThenAdd<T>(a, b, c))
TERNARY_OP(MulAddReluOp, ArithmeticTypes, vrelu<T>(mulThenAdd<T>(a, b, c)))
TERNARY_OP(AddAddOp, ArithmeticTypes, vadd<T>(vadd<T>(a, b), c))
TERNARY_OP(SubAddOp, ArithmeticTypes, vadd<T>(vsub<T>(a, b), c))
/// In text a sum of halves is rounded once (IREW-12). In double it is exact.
template <typename T> PTOM_INLINE Group<T> sumOnce(Group<T> a, Group<T> b, Group<T> c, bool negative) {
  if constexpr (kIsSame<T, f16>)
    return roundOnce<T>(convert<double>(a) + convert<double>(negative ? -b : b) + convert<double>(c));
  else
    return vadd<T>(negative ? vsub<T>(a, b) : vadd<T>(a, b), c);
}
TERNARY_OP(AddAddOnceOp, ArithmeticTypes, sumOnce<T>(a, b, c, false))
TERNARY_OP(SubAddOnceOp, ArithmeticTypes, sumOnce<T>(a, b, c, true))
} // namespace

MAP(tadd, AddOp, tile(1), tile(2))
MAP(tsub, SubOp, tile(1), tile(2))
MAP(tmul, MulOp, tile(1), tile(2))
MAP(tmax, MaxOp, tile(1), tile(2))
MAP(tmin, MinOp, tile(1), tile(2))
MAP(tand, AndOp, tile(1), tile(2))
MAP(tor, OrOp, tile(1), tile(2))
MAP(txor, XorOp, tile(1), tile(2))
MAP_RULES(tshl, ShlOp, ShlAllOp, tile(1), tile(2))
MAP_RULES(tshr, ShrOp, ShrAllOp, tile(1), tile(2))
MAP(tprelu, PreluOp, tile(1), tile(2))
MAP(taddrelu, AddReluOp, tile(1), tile(2))
MAP(tsubrelu, SubReluOp, tile(1), tile(2))
MAP(tfusedmuladd, MulAddOp, tile(1), tile(0), tile(2))
MAP(tfusedmuladdrelu, MulAddReluOp, tile(1), tile(0), tile(2))
MAP(tmuladddst, MulThenAddOp, tile(1), tile(2), tile(0))
MAP_RULES(taddc, AddAddOp, AddAddOnceOp, tile(1), tile(2), tile(3))
MAP_RULES(tsubc, SubAddOp, SubAddOnceOp, tile(1), tile(2), tile(3))
MAP(tabs, AbsOp, tile(1))
MAP(tneg, NegOp, tile(1))
MAP(tnot, NotOp, tile(1))
MAP(trelu, ReluOp, tile(1))
MAP(tadds, AddOp, tile(1), scalar(0))
MAP(tsubs, SubOp, tile(1), scalar(0))
MAP(tmuls, MulOp, tile(1), scalar(0))
MAP(tmaxs, MaxOp, tile(1), scalar(0))
MAP(tmins, MinOp, tile(1), scalar(0))
MAP(tands, AndOp, tile(1), scalar(0))
MAP(tors, OrOp, tile(1), scalar(0))
MAP(txors, XorOp, tile(1), scalar(0))
MAP_RULES(tshls, ShlOp, ShlAllOp, tile(1), scalar(0))
MAP_RULES(tshrs, ShrOp, ShrAllOp, tile(1), scalar(0))
MAP(tlrelu, PreluOp, tile(1), scalar(0))
MAP_RULES(taddsc, AddAddOp, AddAddOnceOp, tile(1), scalar(0), tile(2))
MAP_RULES(tsubsc, SubAddOp, SubAddOnceOp, tile(1), scalar(0), tile(2))
MAP_EITHER(trowexpandadd, AddOp, (tile(1), perRow(2)), (perRow(2), tile(1)))
MAP_EITHER(trowexpandsub, SubOp, (tile(1), perRow(2)), (perRow(2), tile(1)))
MAP_EITHER(trowexpandmul, MulOp, (tile(1), perRow(2)), (perRow(2), tile(1)))
MAP_EITHER(trowexpandmax, MaxOp, (tile(1), perRow(2)), (perRow(2), tile(1)))
MAP_EITHER(trowexpandmin, MinOp, (tile(1), perRow(2)), (perRow(2), tile(1)))
MAP(tcolexpandadd, AddOp, tile(1), perColumn(2))
MAP(tcolexpandsub, SubOp, tile(1), perColumn(2))
MAP(tcolexpandmul, MulOp, tile(1), perColumn(2))
MAP(tcolexpandmax, MaxOp, tile(1), perColumn(2))
MAP(tcolexpandmin, MinOp, tile(1), perColumn(2))

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
