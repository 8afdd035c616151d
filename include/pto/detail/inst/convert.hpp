//===- convert.hpp - conversion ---------------------------------*- C++ -*-===//
//
// Conversion (TCVT-1 to TCVT-8, HMEAN-10 to HMEAN-16), and what undoes a quantisation
// (TQUANT-2).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_CONVERT_HPP
#define PTO_DETAIL_INST_CONVERT_HPP

#include "pto/detail/convert.hpp"
#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
#ifdef PTO_NPU_ARCH_A5
inline constexpr bool kOfA3 = false;
#else
inline constexpr bool kOfA3 = true;
#endif
template <typename D, typename S> constexpr void checkConversion() {
  static_assert(
      ptoscope::tile::converts(S::kElem, D::kElem) || (kOfA3 && ptoscope::tile::convertsOnA3(S::kElem, D::kElem)) ||
          (kHost && ptoscope::tile::convertsOnHost(S::kElem, D::kElem)),
      "TCVT does not convert between these elements: integers of 8 to 32 bits and int64_t are converted from and to "
      "each other and floats, 8- and 4-bit floats from and to half, bfloat16_t and float only, int4b_t from and "
      "to half on A2 and A3, uint64_t not at all; go through one of them");
}
template <typename D, typename S>
constexpr SaturationMode kSaturation =
    kHost || ptoscope::tile::wrapsByDefault(S::kElem, D::kElem) ? SaturationMode::OFF : SaturationMode::ON;
inline RecordEvent convert(Call &call, RoundMode mode, SaturationMode saturation) {
  call.operands.mode = ptoscope::tile::convertMode(uint32_t(mode), saturation == SaturationMode::ON);
  return finish(call);
}
} // namespace ptoscope_detail

/// Without a SaturationMode the pair of types decides (TCVT-3), in the host profile it is OFF
/// (HMEAN-11).
/// NeedSetCtrl asks for a control register to be set around it, which has no effect here.
template <bool NeedSetCtrl = true, typename D, typename S>
RecordEvent TCVT(D &dst, S &src, RoundMode mode, SaturationMode saturation, PTO_AFTER) {
  ptoscope_detail::checkConversion<D, S>();
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TCVT>(at, dst, src);
  return ptoscope_detail::convert(call, mode, saturation);
}
template <bool NeedSetCtrl = true, typename D, typename S> RecordEvent TCVT(D &dst, S &src, RoundMode mode, PTO_AFTER) {
  return TCVT<NeedSetCtrl>(dst, src, mode, ptoscope_detail::kSaturation<D, S>, PTO_EVENTS, at);
}
template <bool NeedSetCtrl = true, typename D, typename S, typename T>
  requires is_tile_data_v<T>
RecordEvent TCVT(D &dst, S &src, T &tmp, RoundMode mode, SaturationMode saturation, PTO_AFTER) {
  ptoscope_detail::checkConversion<D, S>();
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TCVT>(at, dst, src, tmp);
  return ptoscope_detail::convert(call, mode, saturation);
}
template <bool NeedSetCtrl = true, typename D, typename S, typename T>
  requires is_tile_data_v<T>
RecordEvent TCVT(D &dst, S &src, T &tmp, RoundMode mode, PTO_AFTER) {
  return TCVT<NeedSetCtrl>(dst, src, tmp, mode, ptoscope_detail::kSaturation<D, S>, PTO_EVENTS, at);
}

/// dst = (src - offset) * scale, both per row.
template <typename D, typename S, typename F, typename O>
RecordEvent TDEQUANT(D &dst, S &src, F &scale, O &offset, PTO_AFTER) {
  return PTO_ISSUE(TDEQUANT, dst, src, scale, offset);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_CONVERT_HPP
