//===- elementwise.hpp - element by element ---------------------*- C++ -*-===//
//
// TEW-1: over the destination's valid region, on Vec tiles. Template
// arguments named Algorithm choose precision on devices; here every operation is
// rounded once, whichever is named, and only times differ.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_ELEMENTWISE_HPP
#define PTO_DETAIL_INST_ELEMENTWISE_HPP

#include "pto/detail/bits.hpp"
#include "pto/detail/sync.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
template <typename T>
concept IsTile = is_tile_data_v<T>;
template <typename T> using ScalarOf = std::type_identity_t<typename T::DType>;

/// Tiles that are read by rows, whatever their place in the call.
template <typename... T> constexpr void checkRows() { static_assert((kInRows<T> && ...), PTO_NOT_IN_ROWS); }
/// The same of sources, which the host profile brings there.
template <typename... T> constexpr void checkSources() { static_assert(kHost || (kInRows<T> && ...), PTO_NOT_IN_ROWS); }
template <typename A, typename B> constexpr void checkSameElements() {
  static_assert(A::kElem == B::kElem, "the element types of the operands differ: convert one of them with TCVT");
}
/// What the more precise algorithm costs depends on it (TIME-23), and nothing else.
template <typename A> void setAlgorithm(Call &call, A algorithm) {
  call.operands.scalar[ptoscope::tile::kAlgorithmScalar] = algorithm == A::HIGH_PRECISION;
}
/// A bit for each element of T's valid region, as far as it is known.
template <typename M, typename T, bool Stream = false> constexpr void checkMask() {
  checkRows<M>();
  // Bits of a stream do not care about rows (HMEAN-22): the library looks at their number.
  static_assert(Stream || (M::Rows >= T::ValidRow && M::Cols * 8 * int(sizeof(typename M::DType)) >= T::ValidCol),
                "the mask is too small: give it a row for each row of the tile, with a bit for each column");
}
} // namespace ptoscope_detail

// --- with a choice of algorithm ------------------------------------------------------------

#define PTO_UNARY_BY(NAME, ALGORITHM)                                                                                  \
  template <ALGORITHM By = ALGORITHM::DEFAULT, typename D, typename A> RecordEvent NAME(D &dst, A &src, PTO_AFTER) {   \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME>(at, dst, src);               \
    ptoscope_detail::setAlgorithm(call, By);                                                                           \
    return ptoscope_detail::finish(call);                                                                              \
  }
#define PTO_BINARY_BY(NAME, ALGORITHM)                                                                                 \
  template <ALGORITHM By = ALGORITHM::DEFAULT, typename D, typename A, typename B>                                     \
  RecordEvent NAME(D &dst, A &src0, B &src1, PTO_AFTER) {                                                              \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME>(at, dst, src0, src1);        \
    ptoscope_detail::setAlgorithm(call, By);                                                                           \
    return ptoscope_detail::finish(call);                                                                              \
  }
/// NAME(dst, src0, src1, tmp, events …)
#define PTO_BINARY_TMP_BY(NAME, ALGORITHM)                                                                             \
  template <ALGORITHM By = ALGORITHM::DEFAULT, typename D, typename A, typename B, typename S>                         \
  RecordEvent NAME(D &dst, A &src0, B &src1, S &tmp, PTO_AFTER) {                                                      \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME>(at, dst, src0, src1, tmp);   \
    ptoscope_detail::setAlgorithm(call, By);                                                                           \
    return ptoscope_detail::finish(call);                                                                              \
  }
/// NAME(dst, src, scalar, events …)
#define PTO_SCALAR_BY(NAME, ALGORITHM)                                                                                 \
  template <ALGORITHM By = ALGORITHM::DEFAULT, typename D, ptoscope_detail::IsTile A>                                  \
  RecordEvent NAME(D &dst, A &src, ptoscope_detail::ScalarOf<D> scalar, PTO_AFTER) {                                   \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME>(at, dst, src);               \
    ptoscope_detail::setScalar(call, 0, scalar);                                                                       \
    ptoscope_detail::setAlgorithm(call, By);                                                                           \
    return ptoscope_detail::finish(call);                                                                              \
  }
/// NAME(dst, src, scalar, tmp, events …)
#define PTO_SCALAR_TMP_BY(NAME, ALGORITHM)                                                                             \
  template <ALGORITHM By = ALGORITHM::DEFAULT, typename D, typename A, typename S>                                     \
  RecordEvent NAME(D &dst, A &src, ptoscope_detail::ScalarOf<D> scalar, S &tmp, PTO_AFTER) {                           \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::NAME>(at, dst, src, tmp);          \
    ptoscope_detail::setScalar(call, 0, scalar);                                                                       \
    ptoscope_detail::setAlgorithm(call, By);                                                                           \
    return ptoscope_detail::finish(call);                                                                              \
  }
PTO_UNARY_BY(TEXP, ExpAlgorithm)
PTO_UNARY_BY(TLOG, LogAlgorithm)
PTO_UNARY_BY(TSQRT, SqrtAlgorithm)
PTO_UNARY_BY(TRECIP, RecipAlgorithm)
PTO_UNARY_BY(TRSQRT, RsqrtAlgorithm)
PTO_BINARY_BY(TDIV, DivAlgorithm)
PTO_BINARY_BY(TFMOD, FmodAlgorithm)
PTO_BINARY_TMP_BY(TREM, RemAlgorithm)
PTO_BINARY_TMP_BY(TPOW, PowAlgorithm)
PTO_SCALAR_BY(TDIVS, DivAlgorithm)
PTO_SCALAR_BY(TFMODS, FmodSAlgorithm)
PTO_SCALAR_TMP_BY(TREMS, RemSAlgorithm)
PTO_SCALAR_TMP_BY(TPOWS, PowAlgorithm)
#undef PTO_SCALAR_TMP_BY
#undef PTO_SCALAR_BY
#undef PTO_BINARY_TMP_BY
#undef PTO_BINARY_BY
#undef PTO_UNARY_BY

template <RsqrtAlgorithm By = RsqrtAlgorithm::DEFAULT, typename D, typename A, ptoscope_detail::IsTile S>
RecordEvent TRSQRT(D &dst, A &src, S &tmp, PTO_AFTER) {
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TRSQRT>(at, dst, src, tmp);
  ptoscope_detail::setAlgorithm(call, By);
  return ptoscope_detail::finish(call);
}
/// dst = scalar / src
template <DivAlgorithm By = DivAlgorithm::DEFAULT, typename D, ptoscope_detail::IsTile A>
RecordEvent TDIVS(D &dst, ptoscope_detail::ScalarOf<D> scalar, A &src, PTO_AFTER) {
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TDIVS>(at, dst, src);
  ptoscope_detail::setScalar(call, 0, scalar);
  ptoscope_detail::setAlgorithm(call, By);
  call.operands.mode = 1;
  return ptoscope_detail::finish(call);
}
template <typename D> RecordEvent TEXPANDS(D &dst, ptoscope_detail::ScalarOf<D> scalar, PTO_AFTER) {
  return PTO_ISSUE_SCALAR(TEXPANDS, scalar, dst);
}

// --- with a change of type -----------------------------------------------------------------

/// dst = dst + scalar * src
template <typename D, typename A> RecordEvent TAXPY(D &dst, A &src, ptoscope_detail::ScalarOf<D> scalar, PTO_AFTER) {
  using ptoscope::tile::Elem;
  static_assert(D::kElem == A::kElem || (D::kElem == Elem::f32 && A::kElem == Elem::f16),
                "TAXPY takes operands of one element type, or a half source for a float destination: convert "
                "with TCVT");
  return PTO_ISSUE_SCALAR(TAXPY, scalar, dst, src);
}

namespace ptoscope_detail {
template <typename D, typename A, typename B> constexpr void checkReluConversion() {
  using ptoscope::tile::Elem;
  checkSameElements<A, B>();
  static_assert((A::kElem == Elem::f32 && D::kElem == Elem::f16) || (A::kElem == Elem::f16 && D::kElem == Elem::f32) ||
                    (A::kElem == Elem::f16 && D::kElem == Elem::i8) || (A::kElem == Elem::i16 && D::kElem == Elem::i8),
                "the conversion goes from float to half, half to float, half to int8_t or int16_t to int8_t: for other "
                "types use TADD or TSUB, TRELU and TCVT");
}
} // namespace ptoscope_detail
template <typename D, typename A, typename B> RecordEvent TADDRELUCONV(D &dst, A &src0, B &src1, PTO_AFTER) {
  ptoscope_detail::checkReluConversion<D, A, B>();
  return PTO_ISSUE(TADDRELUCONV, dst, src0, src1);
}
template <typename D, typename A, typename B> RecordEvent TSUBRELUCONV(D &dst, A &src0, B &src1, PTO_AFTER) {
  ptoscope_detail::checkReluConversion<D, A, B>();
  return PTO_ISSUE(TSUBRELUCONV, dst, src0, src1);
}
/// dst = max(scale * (src0 + src1), 0)
template <typename D, typename A, typename B, typename S>
RecordEvent TADDDEQRELU(D &dst, A &src0, B &src1, float scale, S &tmp, PTO_AFTER) {
  ptoscope_detail::checkSameElements<A, B>();
  static_assert(A::kElem == ptoscope::tile::Elem::i32 || A::kElem == D::kElem,
                "TADDDEQRELU takes int32_t sources, or sources of the destination's type: convert with TCVT");
  return PTO_ISSUE_SCALAR(TADDDEQRELU, scale, dst, src0, src1, tmp);
}

// --- packed bits -----------------------------------------------------------------------------

template <typename M, typename A, typename B> RecordEvent TCMP(M &dst, A &src0, B &src1, CmpMode mode, PTO_AFTER) {
  ptoscope_detail::checkSameElements<A, B>();
  ptoscope_detail::checkMask<M, A>();
  ptoscope_detail::checkSources<A, B>();
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TCMP>(at, dst, src0, src1);
  call.operands.mode = uint32_t(mode);
  return ptoscope_detail::finish(call);
}
/// With element 0 of src1 (HMEAN-24).
template <typename M, typename A, ptoscope_detail::IsTile B>
RecordEvent TCMPS(M &dst, A &src0, B &src1, CmpMode mode, PTO_AFTER) {
  ptoscope_detail::checkSameElements<A, B>();
  ptoscope_detail::checkMask<M, A, ptoscope_detail::kHost>();
  ptoscope_detail::checkSources<A>();
  ptoscope_detail::checkRows<B>();
  static_assert(B::Loc == TileType::Vec, "TCMPS takes tiles in Vec: move it there with TMOV");
  PTO_WAIT;
  ptoscope_detail::checkTiles<ptoscope_detail::record::TCMPS, M, A>();
  ptoscope_detail::Call call = ptoscope_detail::collect<ptoscope_detail::record::TCMPS>(at, dst, src0, src1);
  call.operands.mode = uint32_t(mode) | ptoscope::tile::kFirstElement;
  return ptoscope_detail::finish(call);
}
template <typename M, typename A>
RecordEvent TCMPS(M &dst, A &src, ptoscope_detail::ScalarOf<A> scalar, CmpMode mode, PTO_AFTER) {
  ptoscope_detail::checkMask<M, A, ptoscope_detail::kHost>();
  ptoscope_detail::checkSources<A>();
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TCMPS>(at, dst, src);
  ptoscope_detail::setScalar(call, 0, scalar);
  call.operands.mode = uint32_t(mode);
  return ptoscope_detail::finish(call);
}
template <typename D, typename M, typename A, typename B, typename S>
RecordEvent TSEL(D &dst, M &mask, A &src0, B &src1, S &tmp, PTO_AFTER) {
  ptoscope_detail::checkMask<M, D, ptoscope_detail::kHost>();
  ptoscope_detail::checkRows<D>();
  ptoscope_detail::checkSources<A, B>();
  return PTO_ISSUE(TSEL, dst, mask, src0, src1, tmp);
}
template <typename D, typename M, typename A, typename S>
RecordEvent TSELS(D &dst, M &mask, A &src, S &tmp, ptoscope_detail::ScalarOf<D> scalar, PTO_AFTER) {
  ptoscope_detail::checkMask<M, D>();
  ptoscope_detail::checkRows<D>();
  ptoscope_detail::checkSources<A>();
  return PTO_ISSUE_SCALAR(TSELS, scalar, dst, mask, src, tmp);
}

// --- partial, with indices -------------------------------------------------------------------

#define PTO_PARTIAL_ARG(NAME)                                                                                          \
  template <typename D, typename A, typename B, typename DI, typename AI, typename BI>                                 \
  RecordEvent NAME(D &dst, A &src0, B &src1, DI &dstIdx, AI &idx0, BI &idx1, PTO_AFTER) {                              \
    ptoscope_detail::checkRows<D, A, B, DI, AI, BI>();                                                                 \
    return PTO_ISSUE(NAME, dst, src0, src1, dstIdx, idx0, idx1);                                                       \
  }
PTO_PARTIAL_ARG(TPARTARGMAX)
PTO_PARTIAL_ARG(TPARTARGMIN)
#undef PTO_PARTIAL_ARG

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_ELEMENTWISE_HPP
