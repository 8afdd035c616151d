//===- mx.hpp - products with MX scales -------------------------*- C++ -*-===//
//
// MXT-5 to MXT-12: where scales are, and the products that take them. The phase steers
// a flag between M and FIX that has no effect on results.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_MX_HPP
#define PTO_DETAIL_INST_MX_HPP

#include "pto/detail/inst/assign.hpp"
#include "pto/detail/inst/matrix.hpp"
#include "pto/detail/mx_abi.hpp"

namespace pto {
PTO_MODE_BEGIN

/// Bits by which the address of a tile is shifted to that of its scales.
inline constexpr int SHIFT_MX_ADDR = 4;

/// The byte offset of the scales of a Left or Right tile, from its `data()`.
template <typename E> uint64_t GetScaleAddr(E *data, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  return ptoscope::tile::scaleAddress(data, ptoscope_detail::sourceOf(at));
}

/// Places the scales where the product of `data` looks for them.
template <typename S, typename D> RecordEvent TGET_SCALE_ADDR(S &scale, D &data, PTO_AFTER) {
  static_assert(is_tile_data_v<S> && is_tile_data_v<D>, "this operand has to be a tile");
  if constexpr (is_tile_data_v<S> && is_tile_data_v<D>) {
    constexpr bool left = S::Loc == TileType::ScaleLeft && D::Loc == TileType::Left,
                   right = S::Loc == TileType::ScaleRight && D::Loc == TileType::Right,
                   alias = ptoscope_detail::kHost && !left && !right;
    static_assert(left || right || alias,
                  "TGET_SCALE_ADDR places a ScaleLeft tile for a Left one, or a ScaleRight tile for a Right one");
    PTO_WAIT;
    const ptoscope::tile::TileView view = data.view(at);
    // Host simulators have one memory, where the scales are a reading of the data (MXT-5).
    if constexpr (alias)
      scale.bind(view.data);
    else if (!view.data)
      ptoscope::tile::notPlaced(ptoscope_detail::sourceOf(at));
    else
      scale.bind(ptoscope::tile::assign(uint8_t(S::Loc),
                                        ptoscope::tile::scaleAddress(view.data, ptoscope_detail::sourceOf(at)),
                                        ptoscope_detail::sourceOf(at)));
  }
  return {ptoscope_detail::sourceOf(at)};
}

namespace ptoscope_detail {
template <bool OneRow, typename C, typename A, typename AS, typename B, typename BS> constexpr void checkScaled() {
  using ptoscope::tile::Elem;
  constexpr auto byte = [](Elem elem) { return elem == Elem::e4m3 || elem == Elem::e5m2; };
  constexpr auto nibble = [](Elem elem) { return elem == Elem::e2m1x2 || elem == Elem::e1m2x2; };
#ifdef PTO_NPU_ARCH_A2A3
  static_assert(sizeof(C) == 0, "products with scales are for a5: this program is compiled for a3");
#endif
  static_assert(C::kElem == Elem::f32, "the accumulator of a product with scales has elements of type float");
  static_assert((byte(A::kElem) && byte(B::kElem)) || (nibble(A::kElem) && nibble(B::kElem)),
                "these elements are not multiplied: float8_e4m3_t and float8_e5m2_t by each other, float4_e2m1x2_t and "
                "float4_e1m2x2_t by each other");
  static_assert(A::Cols % 64 == 0, "the left tile has a multiple of 64 columns: raise Cols, and fill the rest with 0");
  static_assert(A::Rows == C::Rows, "the left tile has as many rows as the accumulator");
  static_assert(A::Cols == B::Rows, "the left tile has as many columns as the right one has rows");
  static_assert(B::Cols == C::Cols, "the right tile has as many columns as the accumulator");
  static_assert(A::ValidCol == DYNAMIC || B::ValidRow == DYNAMIC || B::ValidRow >= A::ValidCol,
                "the right tile has at least as many valid rows as the left one has valid columns");
  static_assert(A::isInnerRowMajor, "the left tile is boxed with row-major fractals: TileLeft");
  static_assert(GetTileLayoutCustom<B>() == TileLayoutCustom::ZN, "the right tile has the layout ZN: TileRight");
  static_assert(GetTileLayoutCustom<C>() == TileLayoutCustom::NZ && C::SFractalSize == 1024,
                "the accumulator has the layout NZ with fractals of 1024 bytes: TileAcc");
  static_assert(C::kBytes <= kMemoryBytes[int(TileType::Acc)], "the accumulator is larger than L0C: multiply in parts");
  static_assert(GetTileLayoutCustom<AS>() == TileLayoutCustom::ZZ && AS::SFractalSize == 32,
                "the scales of the left tile have the layout ZZ with fractals of 32 bytes: TileLeftScale");
  static_assert(GetTileLayoutCustom<BS>() == TileLayoutCustom::NN && BS::SFractalSize == 32,
                "the scales of the right tile have the layout NN with fractals of 32 bytes: TileRightScale");
  static_assert(!OneRow || A::ValidRow == 1 || A::ValidRow == DYNAMIC,
                "TGEMV_MX multiplies one row: give the left tile the valid row count 1, or use TMATMUL_MX");
}

template <typename T, TileType Loc> constexpr bool isIn() {
  if constexpr (is_tile_data_v<T>)
    return T::Loc == Loc;
  else
    return false;
}
inline RecordEvent finishScaled(Call &call, uint32_t left) {
  ptoscope::tile::issueScaled(call, left);
  return {call.source};
}
} // namespace ptoscope_detail

/// NAME(c, a, as, b, bs): c = sum. NAME(c, in, a, as, b, bs): c = in + sum.
/// NAME(c, a, as, b, bs, bias): c = sum + bias row.
#define PTO_SCALED_PRODUCT(NAME, ONE_ROW)                                                                              \
  template <AccPhase Phase = AccPhase::Unspecified, typename C, typename A, typename AS, typename B, typename BS>      \
  RecordEvent NAME(C &c, A &a, AS &as, B &b, BS &bs, PTO_AFTER) {                                                      \
    ptoscope_detail::checkScaled<ONE_ROW, C, A, AS, B, BS>();                                                          \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME>(at, c, a, as, b, bs);        \
    call.operands.mode = ptoscope::tile::phaseMode(Phase);                                                             \
    return ptoscope_detail::finishScaled(call, 1);                                                                     \
  }                                                                                                                    \
  template <AccPhase Phase = AccPhase::Unspecified, typename C, typename I, typename A, typename AS, typename B,       \
            typename BS>                                                                                               \
    requires(ptoscope_detail::isIn<I, TileType::Acc>())                                                                \
  RecordEvent NAME(C &c, I &in, A &a, AS &as, B &b, BS &bs, PTO_AFTER) {                                               \
    static_assert(I::Rows == C::Rows && I::Cols == C::Cols, "both accumulators have the same shape");                  \
    ptoscope_detail::checkScaled<ONE_ROW, C, A, AS, B, BS>();                                                          \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call =                                                                                       \
        ptoscope_detail::makeCall<ptoscope_detail::record::NAME##_ACC>(at, c, in, a, as, b, bs);                       \
    call.operands.mode = ptoscope::tile::phaseMode(Phase);                                                             \
    return ptoscope_detail::finishScaled(call, 2);                                                                     \
  }                                                                                                                    \
  template <AccPhase Phase = AccPhase::Unspecified, typename C, typename A, typename AS, typename B, typename BS,      \
            typename D>                                                                                                \
    requires(ptoscope_detail::isIn<D, TileType::Bias>())                                                               \
  RecordEvent NAME(C &c, A &a, AS &as, B &b, BS &bs, D &bias, PTO_AFTER) {                                             \
    static_assert(D::Cols >= C::Cols, "the bias has an element for each column of the accumulator");                   \
    ptoscope_detail::checkScaled<ONE_ROW, C, A, AS, B, BS>();                                                          \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call =                                                                                       \
        ptoscope_detail::makeCall<ptoscope_detail::record::NAME##_BIAS>(at, c, bias, a, as, b, bs);                    \
    call.operands.mode = ptoscope::tile::phaseMode(Phase);                                                             \
    return ptoscope_detail::finishScaled(call, 2);                                                                     \
  }
PTO_SCALED_PRODUCT(TMATMUL_MX, false)
PTO_SCALED_PRODUCT(TGEMV_MX, true)
#undef PTO_SCALED_PRODUCT

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_MX_HPP
