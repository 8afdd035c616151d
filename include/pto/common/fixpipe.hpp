//===- fixpipe.hpp - what the fixpipe does to a tile that is pushed -*- C++ -*-===//
//
// FIFO-50 to FIFO-52: the options of TPUSH for tiles in the accumulator.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_FIXPIPE_HPP
#define PTO_COMMON_FIXPIPE_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/common/pto_tile.hpp"

namespace pto {

enum class LayoutMode_t : uint8_t { NZ2NZ = 0, NZ2ND = 1, NZ2DN = 2 };
/// Not scoped, like those of device compilers.
enum QuantMode_t : uint8_t {
  NoQuant = 0,
  F322F16 = 1,
  VREQ8 = 2,
  REQ8 = 3,
  VDEQF16 = 4,
  DEQF16 = 5,
  VSHIFTS322S16 = 12,
  SHIFTS322S16 = 13,
  F322BF16 = 16,
  VQF322B8_PRE = 23,
  QF322B8_PRE = 24,
  QF322F16_PRE = 32,
  QF322BF16_PRE = 34,
  QS322BF16_PRE = 35,
  VQS322BF16_PRE = 36
};
enum ClipReluMode_t : uint8_t { NOCLIP_RELU = 0 };

template <LayoutMode_t Layout_ = LayoutMode_t::NZ2ND, QuantMode_t Quant_ = QuantMode_t::NoQuant,
          ReluPreMode Relu_ = ReluPreMode::NoRelu, STPhase Phase_ = STPhase::Unspecified, uint8_t SubBlockId_ = 0,
          AtomicType Atomic_ = AtomicType::AtomicNone, ClipReluMode_t Clip_ = ClipReluMode_t::NOCLIP_RELU,
          bool ChannelSplit_ = false>
struct FixpipeParams {
  static constexpr LayoutMode_t layout = Layout_;
  static constexpr QuantMode_t quantPre = Quant_;
  static constexpr ReluPreMode reluPreMode = Relu_;
  static constexpr STPhase phase = Phase_;
  static constexpr uint8_t subBlockId = SubBlockId_;
  static constexpr AtomicType atomicType = Atomic_;
  static constexpr ClipReluMode_t clipReluMode = Clip_;
  static constexpr bool channelSplit = ChannelSplit_;
};

namespace ptoscope_detail {
template <typename T> inline constexpr bool kIsFixpipe = false;
template <LayoutMode_t L, QuantMode_t Q, ReluPreMode R, STPhase P, uint8_t S, AtomicType A, ClipReluMode_t C, bool H>
inline constexpr bool kIsFixpipe<FixpipeParams<L, Q, R, P, S, A, C, H>> = true;

/// FIFO-51: what the entry holds, and where the words come from.
struct Quantised {
  ptoscope::tile::Elem to;
  ptoscope::tile::Quant quant;
  bool known;
};
constexpr Quantised quantised(QuantMode_t mode, ptoscope::tile::Elem acc) {
  using ptoscope::tile::Elem, ptoscope::tile::Quant;
  switch (mode) {
  case NoQuant:
    return {acc, Quant::None, true};
  case F322F16:
    return {Elem::f16, Quant::None, acc == Elem::f32};
  case F322BF16:
    return {Elem::bf16, Quant::None, acc == Elem::f32};
  case QF322F16_PRE:
    return {Elem::f16, Quant::Scalar, acc == Elem::f32};
  case QF322BF16_PRE:
    return {Elem::bf16, Quant::Scalar, acc == Elem::f32};
  case QF322B8_PRE:
    return {Elem::i8, Quant::Scalar, acc == Elem::f32};
  case VQF322B8_PRE:
    return {Elem::i8, Quant::Vector, acc == Elem::f32};
  case DEQF16:
    return {Elem::f16, Quant::Scalar, acc == Elem::i32};
  case VDEQF16:
    return {Elem::f16, Quant::Vector, acc == Elem::i32};
  case QS322BF16_PRE:
    return {Elem::bf16, Quant::Scalar, acc == Elem::i32};
  case VQS322BF16_PRE:
    return {Elem::bf16, Quant::Vector, acc == Elem::i32};
  case REQ8:
    return {Elem::i8, Quant::Scalar, acc == Elem::i32};
  case VREQ8:
    return {Elem::i8, Quant::Vector, acc == Elem::i32};
  default:
    return {acc, Quant::None, false};
  }
}
} // namespace ptoscope_detail

} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_COMMON_FIXPIPE_HPP
