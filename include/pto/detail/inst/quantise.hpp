//===- quantise.hpp - quantisation ------------------------------*- C++ -*-===//
//
// TQUANT (TQUANT-1, HMEAN-1 to HMEAN-9) and the functions of `pto::cpu_quant` that
// say what it does to one number.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_QUANTISE_HPP
#define PTO_DETAIL_INST_QUANTISE_HPP

#include "pto/detail/forms.hpp"
#include "pto/detail/inst/shapes.hpp"
#include "pto/detail/mean_abi.hpp"
#include "pto/detail/quant.hpp"

namespace pto {
PTO_MODE_BEGIN

// --- to bytes --------------------------------------------------------------------------------

/// int8 with a scale, and an offset, per row: dst = src * scale + offset, to nearest
/// even, clamped.
template <QuantType Q, typename D, typename S, typename F>
  requires(Q == QuantType::INT8_SYM)
RecordEvent TQUANT(D &dst, S &src, F &scale, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::i8, "symmetric quantisation gives int8_t");
  return PTO_ISSUE(TQUANT, dst, src, scale);
}
template <QuantType Q, typename D, typename S, typename F, typename T>
  requires(Q == QuantType::INT8_SYM && is_tile_data_v<T>)
RecordEvent TQUANT(D &dst, S &src, F &scale, T &tmp, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::i8, "symmetric quantisation gives int8_t");
  return PTO_ISSUE(TQUANT, dst, src, scale, tmp);
}
template <QuantType Q, typename D, typename S, typename F, typename O>
  requires(Q == QuantType::INT8_ASYM && is_tile_data_v<O>)
RecordEvent TQUANT(D &dst, S &src, F &scale, O &offset, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::u8, "asymmetric quantisation gives uint8_t");
  return PTO_ISSUE(TQUANT_ASYM, dst, src, scale, offset);
}
/// The offset by pointer, as the reference headers declare it; a symmetric one has none.
template <QuantType Q, typename D, typename S, typename F, typename O>
  requires((Q == QuantType::INT8_SYM || Q == QuantType::INT8_ASYM) && is_tile_data_v<O>)
RecordEvent TQUANT(D &dst, S &src, F &scale, O *offset, PTO_AFTER) {
  if constexpr (Q == QuantType::INT8_SYM) {
    return TQUANT<Q>(dst, src, scale, PTO_EVENTS, at);
  } else {
    if (!offset) [[unlikely]]
      return ptoscope::tile::refuseNull("TQUANT", "offset", ptoscope_detail::sourceOf(at)), RecordEvent{};
    return TQUANT<Q>(dst, src, scale, *offset, PTO_EVENTS, at);
  }
}
template <QuantType Q, typename D, typename S, typename F, typename T, typename O>
  requires(Q == QuantType::INT8_ASYM && is_tile_data_v<T> && is_tile_data_v<O>)
RecordEvent TQUANT(D &dst, S &src, F &scale, T &tmp, O *offset, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::u8, "asymmetric quantisation gives uint8_t");
  return PTO_ISSUE(TQUANT_ASYM, dst, src, scale, *offset, tmp);
}

// --- to MX formats ---------------------------------------------------------------------------

namespace ptoscope_detail {
using ptoscope::tile::mx::Kind;

template <QuantType Q, QuantScaleAlg A>
inline constexpr Kind kMxKind{Q == QuantType::MXFP4_E2M1, A == QuantScaleAlg::NV};
template <QuantType Q> inline constexpr bool kIsMx = Q == QuantType::MXFP8 || Q == QuantType::MXFP4_E2M1;

/// Groups of 32 share an e8m0 exponent: `exponent`, the largest magnitude of each group
/// `max`, and what a group was multiplied with `scaling`.
template <typename D, typename S, typename E, typename M, typename F, typename... Z>
RecordEvent quantiseMx(Kind kind, bool alongColumns, const Here &at, D &dst, S &src, E *exponent, M *max, F *scaling,
                       Z *...reordered) {
  checkRows<D, S>();
  static_assert(D::Rows == S::Rows && D::Cols == S::Cols,
                "TQUANT needs a source and a result of the same Rows and Cols");
  if (!exponent || !max || !scaling || (... || !reordered)) [[unlikely]]
    return ptoscope::tile::refuseNull("TQUANT",
                                      !exponent  ? "exponent"
                                      : !max     ? "max"
                                      : !scaling ? "scaling"
                                                 : "the reordered exponent",
                                      sourceOf(at)),
           RecordEvent{};
  checkTiles<record::TQUANT_MX, D, S, E, M, F>();
  Call call = collect<record::TQUANT_MX>(at, dst, src, *exponent, *max, *scaling, *reordered...);
  call.operands.mode = ptoscope::tile::mx::Mode{kind, alongColumns}.pack();
  return finish(call);
}
template <QuantType Q, typename D> constexpr void checkMxResult() {
  using ptoscope::tile::Elem;
  static_assert(Q == QuantType::MXFP8 ? D::kElem == Elem::i8 || D::kElem == Elem::e4m3 : D::kElem == Elem::e2m1x2,
                "MXFP8 gives bytes of int8_t or float8_e4m3_t, MXFP4_E2M1 gives float4_e2m1x2_t");
}
} // namespace ptoscope_detail

template <QuantType Q, QuantScaleAlg A = QuantScaleAlg::OCP, typename D, typename S, typename E, typename M, typename F>
  requires ptoscope_detail::kIsMx<Q>
RecordEvent TQUANT(D &dst, S &src, E *exponent, M *max, F *scaling, PTO_AFTER) {
  ptoscope_detail::checkMxResult<Q, D>();
  PTO_WAIT;
  return ptoscope_detail::quantiseMx(ptoscope_detail::kMxKind<Q, A>, false, at, dst, src, exponent, max, scaling);
}
/// The algorithm behind the types.
template <QuantType Q, typename D, typename S, typename E, typename M, typename F, QuantScaleAlg A>
  requires ptoscope_detail::kIsMx<Q>
RecordEvent TQUANT(D &dst, S &src, E *exponent, M *max, F *scaling, PTO_AFTER) {
  return TQUANT<Q, A>(dst, src, exponent, max, scaling, PTO_EVENTS, at);
}
/// NZ: the exponents once more, in the order of scales beside 16 x 2 fragments.
template <QuantType Q, VecStoreMode V, typename D, typename S, typename E, typename M, typename F>
  requires(ptoscope_detail::kIsMx<Q> && V == VecStoreMode::ND)
RecordEvent TQUANT(D &dst, S &src, E *exponent, M *max, F *scaling, PTO_AFTER) {
  return TQUANT<Q>(dst, src, exponent, max, scaling, PTO_EVENTS, at);
}
template <QuantType Q, VecStoreMode V, typename D, typename S, typename E, typename M, typename F, typename Z>
  requires(Q == QuantType::MXFP8 && V == VecStoreMode::NZ && is_tile_data_v<Z>)
RecordEvent TQUANT(D &dst, S &src, E *exponent, M *max, F *scaling, Z *reordered, PTO_AFTER) {
  ptoscope_detail::checkMxResult<Q, D>();
  static_assert(sizeof(typename Z::DType) == 1 && Z::Loc == TileType::Vec,
                "the reordered exponents are bytes of a Vec tile");
  PTO_WAIT;
  return ptoscope_detail::quantiseMx(ptoscope_detail::kMxKind<Q, QuantScaleAlg::OCP>, false, at, dst, src, exponent,
                                     max, scaling, reordered);
}
/// Axis 1: groups along a row; axis 0: along a column.
template <int Axis, MxQuantAlg A, typename D, typename S, typename E, typename M, typename F>
RecordEvent TQUANT(D &dst, S &src, E *exponent, M *max, F *scaling, PTO_AFTER) {
  static_assert(Axis == 0 || Axis == 1, "a group lies along axis 0 (columns) or axis 1 (rows)");
  static_assert(A != MxQuantAlg::Hif4, "TQUANT with MxQuantAlg::Hif4 is not modelled: nothing says what it computes");
  constexpr bool fp4 = A == MxQuantAlg::OcpMxFp4E2M1 || A == MxQuantAlg::NvMxFp4E2M1;
  constexpr bool nv = A == MxQuantAlg::NvMxFp8E4M3 || A == MxQuantAlg::NvMxFp4E2M1;
  ptoscope_detail::checkMxResult<fp4 ? QuantType::MXFP4_E2M1 : QuantType::MXFP8, D>();
  PTO_WAIT;
  return ptoscope_detail::quantiseMx(ptoscope_detail::Kind{fp4, nv}, Axis == 0, at, dst, src, exponent, max, scaling);
}
template <auto... Kinds, typename D, typename S, typename E, typename M, typename F, typename B>
  requires std::is_same_v<B, bool>
RecordEvent TQUANT(D &, S &, E *, M *, F *, B) {
  static_assert(sizeof(D) == 0, "TQUANT with interleaved results is not modelled: nothing says how they lie");
  return {};
}

// --- one number at a time, on the host -------------------------------------------------------

namespace cpu_quant {
inline uint16_t AbsBf16BitsFromFloat(float value) {
  return uint16_t(ptoscope::tile::mx::bitsOfFloat(value) >> 16 & 0x7fff);
}
inline float Bf16BitsToFloat(uint16_t bits) { return ptoscope::tile::mx::floatOfBits(uint32_t(bits) << 16); }
template <typename T> float ApplyE2M1ScaleForSource(T value, float scaling) {
  const float scaled = float(value) * scaling;
  return std::is_same_v<T, bfloat16_t> ? ptoscope::tile::mx::roundedToBf16(scaled) : scaled;
}
/// `lane` is the row for axis 1, the column for axis 0.
template <int Axis, QuantType Q, QuantScaleAlg A = QuantScaleAlg::OCP, typename T>
float ComputeMxGroupMax(T &tile, int lane, int group) {
  ptoscope::tile::mx::Maximum largest(ptoscope_detail::kMxKind<Q, A>);
  for (int k = 0; k < ptoscope::tile::mx::kGroup; ++k) {
    const int along = group * ptoscope::tile::mx::kGroup + k;
    largest.add(float(Axis == 1 ? tile.GetElement(lane, along) : tile.GetElement(along, lane)));
  }
  return largest.result();
}
template <QuantType Q, QuantScaleAlg A = QuantScaleAlg::OCP> uint8_t ComputeMxSharedExponent(float largest) {
  return ptoscope::tile::mx::exponentOf(ptoscope_detail::kMxKind<Q, A>, largest);
}
template <QuantType Q, QuantScaleAlg A = QuantScaleAlg::OCP>
float ComputeMxGroupScaling(float largest, uint8_t exponent) {
  return ptoscope::tile::mx::scalingOf(largest, exponent);
}
template <QuantScaleAlg A = QuantScaleAlg::OCP> uint8_t EncodeE4M3Fn(float value) {
  return ptoscope::tile::mx::encodeE4m3(A == QuantScaleAlg::NV, value);
}
inline uint8_t EncodeE2M1Magic(float value) { return ptoscope::tile::mx::encodeE2m1(value); }
} // namespace cpu_quant

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_QUANTISE_HPP
