//===- convert.hpp - conversion and quantisation ----------------*- C++ -*-===//
//
// Conversion (TCVT-1 to TCVT-8) and quantisation (TQUANT-1 to TQUANT-4).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_CONVERT_HPP
#define PTO_DETAIL_INST_CONVERT_HPP

#include "pto/detail/convert.hpp"
#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace detail {
template <typename D, typename S> constexpr void checkConversion() {
  static_assert(ptoscope::tile::converts(S::kElem, D::kElem),
                "TCVT does not convert between these elements: 8- and 4-bit floats are converted from and to half, "
                "bfloat16_t and float only; go through one of them");
}
template <typename D, typename S>
constexpr SaturationMode kSaturation =
    ptoscope::tile::wrapsByDefault(S::kElem, D::kElem) ? SaturationMode::OFF : SaturationMode::ON;
inline RecordEvent convert(Call &call, RoundMode mode, SaturationMode saturation) {
  call.operands.mode = ptoscope::tile::convertMode(uint32_t(mode), saturation == SaturationMode::ON);
  return finish(call);
}
} // namespace detail

/// Without a SaturationMode the pair of types decides (TCVT-3).
/// NeedSetCtrl asks for a control register to be set around it, which has no effect here.
template <bool NeedSetCtrl = true, typename D, typename S>
RecordEvent TCVT(D &dst, S &src, RoundMode mode, SaturationMode saturation, PTO_AFTER) {
  detail::checkConversion<D, S>();
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TCVT>(at, dst, src);
  return detail::convert(call, mode, saturation);
}
template <bool NeedSetCtrl = true, typename D, typename S> RecordEvent TCVT(D &dst, S &src, RoundMode mode, PTO_AFTER) {
  return TCVT<NeedSetCtrl>(dst, src, mode, detail::kSaturation<D, S>, e0, e1, e2, e3, at);
}
template <bool NeedSetCtrl = true, typename D, typename S, typename T>
  requires is_tile_data_v<T>
RecordEvent TCVT(D &dst, S &src, T &tmp, RoundMode mode, SaturationMode saturation, PTO_AFTER) {
  detail::checkConversion<D, S>();
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TCVT>(at, dst, src, tmp);
  return detail::convert(call, mode, saturation);
}
template <bool NeedSetCtrl = true, typename D, typename S, typename T>
  requires is_tile_data_v<T>
RecordEvent TCVT(D &dst, S &src, T &tmp, RoundMode mode, PTO_AFTER) {
  return TCVT<NeedSetCtrl>(dst, src, tmp, mode, detail::kSaturation<D, S>, e0, e1, e2, e3, at);
}

/// int8 with a scale, and an offset, per row: dst = src * scale + offset, to nearest
/// even, clamped.
template <QuantType Q, typename D, typename S, typename F>
  requires(Q == QuantType::INT8_SYM)
RecordEvent TQUANT(D &dst, S &src, F &scale, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::i8, "symmetric quantisation gives int8_t");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TQUANT>(at, dst, src, scale);
  return detail::finish(call);
}
template <QuantType Q, typename D, typename S, typename F, typename T>
  requires(Q == QuantType::INT8_SYM && is_tile_data_v<T>)
RecordEvent TQUANT(D &dst, S &src, F &scale, T &tmp, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::i8, "symmetric quantisation gives int8_t");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TQUANT>(at, dst, src, scale, tmp);
  return detail::finish(call);
}
template <QuantType Q, typename D, typename S, typename F, typename O>
  requires(Q == QuantType::INT8_ASYM && is_tile_data_v<O>)
RecordEvent TQUANT(D &dst, S &src, F &scale, O &offset, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::u8, "asymmetric quantisation gives uint8_t");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TQUANT_ASYM>(at, dst, src, scale, offset);
  return detail::finish(call);
}
/// The offset by pointer, as the reference headers declare it.
template <QuantType Q, typename D, typename S, typename F, typename O>
  requires(Q == QuantType::INT8_ASYM && is_tile_data_v<O>)
RecordEvent TQUANT(D &dst, S &src, F &scale, O *offset, PTO_AFTER) {
  return TQUANT<Q>(dst, src, scale, *offset, e0, e1, e2, e3, at);
}
template <QuantType Q, typename D, typename S, typename F, typename T, typename O>
  requires(Q == QuantType::INT8_ASYM && is_tile_data_v<T> && is_tile_data_v<O>)
RecordEvent TQUANT(D &dst, S &src, F &scale, T &tmp, O *offset, PTO_AFTER) {
  static_assert(D::kElem == ptoscope::tile::Elem::u8, "asymmetric quantisation gives uint8_t");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TQUANT_ASYM>(at, dst, src, scale, *offset, tmp);
  return detail::finish(call);
}
/// Groups of 32 along a row share an e8m0 exponent (OCP microscaling): `exponent`, the
/// largest magnitude of each group `max`, and what a group was multiplied with
/// `scaling` have a column for each group.
template <QuantType Q, QuantScaleAlg A = QuantScaleAlg::OCP, typename D, typename S, typename E, typename M, typename F>
  requires(Q == QuantType::MXFP8 || Q == QuantType::MXFP4_E2M1)
RecordEvent TQUANT(D &dst, S &src, E *exponent, M *max, F *scaling, PTO_AFTER) {
  static_assert(A == QuantScaleAlg::OCP,
                "TQUANT with QuantScaleAlg::NV is not modelled: no document says how it scales");
  static_assert(D::kElem == (Q == QuantType::MXFP8 ? ptoscope::tile::Elem::e4m3 : ptoscope::tile::Elem::e2m1x2),
                "MXFP8 gives float8_e4m3_t, MXFP4_E2M1 gives float4_e2m1x2_t");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TQUANT_MX>(at, dst, src, *exponent, *max, *scaling);
  return detail::finish(call);
}
template <QuantType Q, QuantScaleAlg A = QuantScaleAlg::OCP, typename D, typename S, typename E, typename M, typename F,
          typename Z>
  requires(Q == QuantType::MXFP8 || Q == QuantType::MXFP4_E2M1)
RecordEvent TQUANT(D &, S &, E *, M *, F *, Z *) {
  static_assert(sizeof(D) == 0,
                "TQUANT with a second tile of exponents is not modelled: no document says which ones it "
                "gets; leave it out and move the exponents with TMOV");
  return {};
}

/// dst = (src - offset) * scale, both per row.
template <typename D, typename S, typename F, typename O>
RecordEvent TDEQUANT(D &dst, S &src, F &scale, O &offset, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TDEQUANT>(at, dst, src, scale, offset);
  return detail::finish(call);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_CONVERT_HPP
