//===- matrix.hpp - products of matrices ------------------------*- C++ -*-===//
//
// TMATMUL-1 to TMATMUL-5. The phase is the unit flag of the product (TSTORE-14).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_MATRIX_HPP
#define PTO_DETAIL_INST_MATRIX_HPP

#include "pto/detail/host.hpp"
#include "pto/detail/inst/shapes.hpp"
#include "pto/detail/modes.hpp"
#include "pto/detail/paths.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
using ptoscope::tile::multiplies;

template <bool OneRow, typename C, typename A, typename B> void checkProduct([[maybe_unused]] Call &call) {
  // Tiles in other memories have their message already.
  if constexpr (kHost || (C::Loc == TileType::Acc && A::Loc == TileType::Left && B::Loc == TileType::Right)) {
    static_assert(A::Rows == C::Rows, "the left tile has as many rows as the accumulator");
    static_assert(A::Cols == B::Rows, "the left tile has as many columns as the right one has rows");
    static_assert(B::Cols == C::Cols, "the right tile has as many columns as the accumulator");
    static_assert(A::ValidCol == DYNAMIC || B::ValidRow == DYNAMIC || B::ValidRow >= A::ValidCol,
                  "the right tile has at least as many valid rows as the left one has valid columns");
    static_assert(
        multiplies(C::kElem, A::kElem, B::kElem),
        "these elements are not multiplied: int8_t by int8_t gives int32_t; half, bfloat16_t and float by their "
        "own kind give float, 8-bit floats too");
    static_assert(A::isInnerRowMajor, "the left tile is boxed with row-major fractals: TileLeft");
    static_assert(GetTileLayoutCustom<B>() == TileLayoutCustom::ZN, "the right tile has the layout ZN: TileRight");
    static_assert(GetTileLayoutCustom<C>() == TileLayoutCustom::NZ && C::SFractalSize == 1024,
                  "the accumulator has the layout NZ with fractals of 1024 bytes: TileAcc");
    PTO_DEVICE_RULE(call, (!OneRow || A::ValidRow == 1 || A::ValidRow == DYNAMIC),
                    "TGEMV multiplies one row: give the left tile the valid row count 1, or use TMATMUL");
  }
}
} // namespace ptoscope_detail

/// NAME: c = a * b. NAME_ACC: c = in + a * b, `in` being c if it is not given. NAME_BIAS: c = a * b + bias row.
#define PTO_PRODUCT(NAME, ONE_ROW)                                                                                     \
  template <AccPhase Phase = AccPhase::Unspecified, typename C, typename A, typename B>                                \
  RecordEvent NAME(C &c, A &a, B &b, PTO_AFTER) {                                                                      \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME>(at, c, a, b);                \
    call.operands.mode = ptoscope::tile::phaseMode(Phase);                                                             \
    ptoscope_detail::checkProduct<ONE_ROW, C, A, B>(call);                                                             \
    return ptoscope_detail::finish(call);                                                                              \
  }                                                                                                                    \
  template <AccPhase Phase = AccPhase::Unspecified, typename C, typename I, typename A, typename B>                    \
    requires is_tile_data_v<B>                                                                                         \
  RecordEvent NAME##_ACC(C &c, I &in, A &a, B &b, PTO_AFTER) {                                                         \
    static_assert(I::Rows == C::Rows && I::Cols == C::Cols, "both accumulators have the same shape");                  \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME##_ACC>(at, c, in, a, b);      \
    call.operands.mode = ptoscope::tile::phaseMode(Phase);                                                             \
    ptoscope_detail::checkProduct<ONE_ROW, C, A, B>(call);                                                             \
    return ptoscope_detail::finish(call);                                                                              \
  }                                                                                                                    \
  template <AccPhase Phase = AccPhase::Unspecified, typename C, typename A, typename B>                                \
  RecordEvent NAME##_ACC(C &c, A &a, B &b, PTO_AFTER) {                                                                \
    return NAME##_ACC<Phase>(c, c, a, b, PTO_EVENTS, at);                                                              \
  }                                                                                                                    \
  template <AccPhase Phase = AccPhase::Unspecified, typename C, typename A, typename B, typename D>                    \
  RecordEvent NAME##_BIAS(C &c, A &a, B &b, D &bias, PTO_AFTER) {                                                      \
    static_assert(D::Cols >= C::Cols, "the bias has an element for each column of the accumulator");                   \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME##_BIAS>(at, c, bias, a, b);   \
    call.operands.mode = ptoscope::tile::phaseMode(Phase);                                                             \
    ptoscope_detail::checkProduct<ONE_ROW, C, A, B>(call);                                                             \
    return ptoscope_detail::finish(call);                                                                              \
  }
PTO_PRODUCT(TMATMUL, false)
PTO_PRODUCT(TGEMV, true)
#undef PTO_PRODUCT

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_MATRIX_HPP
