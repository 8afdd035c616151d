//===- rearrange.hpp - transposes, padding, joins, sequences ----*- C++ -*-===//
//
// TMOV-10 to TMOV-15, TGEN-1, TGEN-2: what rearranges tiles within a memory, and tiles made from
// scalars.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_REARRANGE_HPP
#define PTO_DETAIL_INST_REARRANGE_HPP

#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

/// dst(c, r) = src(r, c) over the valid region of src.
template <typename D, typename S, typename T> RecordEvent TTRANS(D &dst, S &src, T &tmp, PTO_AFTER) {
  static_assert(
      ptoscope_detail::sameExtent(D::ValidRow, S::ValidCol) && ptoscope_detail::sameExtent(D::ValidCol, S::ValidRow),
      "TTRANS needs mirrored valid regions: RowValid of the destination is ColValid of the source, and the other "
      "way round");
  return PTO_ISSUE(TTRANS, dst, src, tmp);
}

// --- padding --------------------------------------------------------------------------------

namespace ptoscope_detail {
template <TFillPadMode M, typename D, typename S> constexpr void checkFillPad() {
  static_assert(D::Loc == S::Loc, "padding stays in one memory: both tiles need the same TileType");
  static_assert(M != TFillPadMode::Expand || (D::Rows >= S::Rows && D::Cols >= S::Cols),
                "TFILLPAD_EXPAND pads into a tile that is at least as large as its source");
  static_assert(M == TFillPadMode::Expand || (D::Rows == S::Rows && D::Cols == S::Cols),
                "both tiles need the same Rows and Cols; TFILLPAD_EXPAND pads into a larger tile");
}
template <const Record &R, TFillPadMode M, typename D, typename S>
RecordEvent fillPad(D &dst, S &src, PadValue pad, const Here &at) {
  checkFillPad<M, D, S>();
  Call call = makeCall<R>(at, dst, src);
  call.operands.tile[0].ref.pad = uint64_t(pad == PadValue::Null ? PadValue::Zero : pad);
  call.operands.mode = uint32_t(M);
  return finish(call);
}
} // namespace ptoscope_detail

// A Mat tile without a pad value is padded with zeros (HMEAN-41).
#define PTO_PAD_VALUE                                                                                                  \
  static_assert(D::Loc == TileType::Mat || uint64_t(D::PadVal) != uint64_t(PadValue::Null),                            \
                "the destination has no pad value: declare it with PadValue::Zero, Max, Min or PadCustom<…>")

/// dst = src inside the valid region of src, the pad value of dst in all the rest.
template <typename D, typename S> RecordEvent TFILLPAD(D &dst, S &src, PTO_AFTER) {
  PTO_PAD_VALUE;
  PTO_WAIT;
  return ptoscope_detail::fillPad<ptoscope_detail::record::TFILLPAD, TFillPadMode::Normal>(dst, src,
                                                                                           PadValue(D::PadVal), at);
}
/// Both tiles share their storage.
template <typename D, typename S> RecordEvent TFILLPAD_INPLACE(D &dst, S &src, PTO_AFTER) {
  PTO_PAD_VALUE;
  PTO_WAIT;
  return ptoscope_detail::fillPad<ptoscope_detail::record::TFILLPAD_INPLACE, TFillPadMode::InPlace>(
      dst, src, PadValue(D::PadVal), at);
}
/// dst may be larger.
template <typename D, typename S> RecordEvent TFILLPAD_EXPAND(D &dst, S &src, PTO_AFTER) {
  PTO_PAD_VALUE;
  PTO_WAIT;
  return ptoscope_detail::fillPad<ptoscope_detail::record::TFILLPAD_EXPAND, TFillPadMode::Expand>(
      dst, src, PadValue(D::PadVal), at);
}
#undef PTO_PAD_VALUE
template <TFillPadMode M, typename D, typename S> RecordEvent TFILLPAD(D &dst, S &src, PTO_AFTER) {
  if constexpr (M == TFillPadMode::InPlace)
    return TFILLPAD_INPLACE(dst, src, PTO_EVENTS, at);
  else if constexpr (M == TFillPadMode::Expand)
    return TFILLPAD_EXPAND(dst, src, PTO_EVENTS, at);
  else
    return TFILLPAD(dst, src, PTO_EVENTS, at);
}
/// The pad value as an argument, for tiles that do not carry one.
template <typename D, PadValue Pad, typename S> RecordEvent TFILLPAD(D &dst, S &src, PTO_AFTER) {
  static_assert(D::Loc == TileType::Mat || Pad != PadValue::Null,
                "TFILLPAD needs a pad value: PadValue::Zero, Max, Min or PadCustom<…>");
  PTO_WAIT;
  return ptoscope_detail::fillPad<ptoscope_detail::record::TFILLPAD, TFillPadMode::Normal>(dst, src, Pad, at);
}

// --- columns joined and mixed ---------------------------------------------------------------

/// Columns of src0, then those of src1, as far as the valid columns of dst go.
template <typename D, typename A, typename B> RecordEvent TCONCAT(D &dst, A &src0, B &src1, PTO_AFTER) {
  static_assert(ptoscope_detail::sameExtent(D::ValidRow, A::ValidRow) &&
                    ptoscope_detail::sameExtent(D::ValidRow, B::ValidRow),
                "the tiles of TCONCAT need the same RowValid");
  return PTO_ISSUE(TCONCAT, dst, src0, src1);
}
/// Column 0 of idx0 and idx1, divided by the size of its elements: how many elements of each
/// row (HMEAN-31).
template <typename D, typename A, typename B, typename I, typename J>
  requires(is_tile_data_v<I> && is_tile_data_v<J>)
RecordEvent TCONCAT(D &dst, A &src0, B &src1, I &idx0, J &idx1, PTO_AFTER) {
  return PTO_ISSUE(TCONCAT, dst, src0, src1, idx0, idx1);
}
/// Column 0 of dstIdx gets how much each row has afterwards, counted like this.
template <typename D, typename A, typename B, typename K, typename I, typename J>
  requires(is_tile_data_v<K> && is_tile_data_v<I> && is_tile_data_v<J>)
RecordEvent TCONCAT(D &dst, A &src0, B &src1, K &dstIdx, I &idx0, J &idx1, PTO_AFTER) {
  return PTO_ISSUE(TCONCAT, dst, src0, src1, dstIdx, idx0, idx1);
}
/// The back-end entry, which programs may call.
template <typename D, typename A, typename B>
RecordEvent TCONCAT_IMPL(D &dst, A &src0, B &src1, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  return TCONCAT(dst, src0, src1, PTO_NO_EVENTS, at);
}
template <typename D, typename A, typename B, typename I, typename J>
RecordEvent TCONCAT_IMPL(D &dst, A &src0, B &src1, I &idx0, J &idx1,
                         ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  return TCONCAT(dst, src0, src1, idx0, idx1, PTO_NO_EVENTS, at);
}
template <typename D, typename A, typename B, typename K, typename I, typename J>
RecordEvent TCONCAT_IMPL(D &dst, A &src0, B &src1, K &dstIdx, I &idx0, J &idx1,
                         ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  return TCONCAT(dst, src0, src1, dstIdx, idx0, idx1, PTO_NO_EVENTS, at);
}

/// Columns of src0 and src1 in turn; dst0 gets the first half.
template <typename D1, typename D0, typename S1, typename S0>
RecordEvent TINTERLEAVE(D1 &dst1, D0 &dst0, S1 &src1, S0 &src0, PTO_AFTER) {
  return PTO_ISSUE(TINTERLEAVE, dst1, dst0, src1, src0);
}
/// dst0 gets the even columns of src0 and then of src1, dst1 the odd ones.
template <typename D1, typename D0, typename S1, typename S0>
  requires is_tile_data_v<S0>
RecordEvent TDEINTERLEAVE(D1 &dst1, D0 &dst0, S1 &src1, S0 &src0, PTO_AFTER) {
  return PTO_ISSUE(TDEINTERLEAVE, dst1, dst0, src1, src0);
}
template <typename D1, typename D0, typename S> RecordEvent TDEINTERLEAVE(D1 &dst1, D0 &dst0, S &src, PTO_AFTER) {
  return PTO_ISSUE(TDEINTERLEAVE, dst1, dst0, src);
}

// --- sequences ------------------------------------------------------------------------------

/// Row 0 counts from `start`, up or down.
template <typename D, typename T = typename D::DType, auto Descending = false>
RecordEvent TCI(D &dst, std::type_identity_t<T> start, PTO_AFTER) {
  static_assert(D::ValidRow == 1 || D::ValidRow == DYNAMIC, "TCI makes one row: declare the tile with RowValid = 1");
  static_assert(std::is_integral_v<T>, "TCI counts in integers");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TCI>(at, dst);
  ptoscope_detail::setScalar(call, 0, static_cast<typename D::DType>(start));
  call.operands.mode = uint32_t(bool(Descending));
  return ptoscope_detail::finish(call);
}
/// With a scratch tile the vector unit does it: events name `Op::VECTOR`.
template <typename D, typename T = typename D::DType, auto Descending = false, typename S>
  requires is_tile_data_v<S>
RecordEvent TCI(D &dst, std::type_identity_t<T> start, S &tmp, PTO_AFTER) {
  static_assert(D::ValidRow == 1 || D::ValidRow == DYNAMIC, "TCI makes one row: declare the tile with RowValid = 1");
  static_assert(std::is_integral_v<T>, "TCI counts in integers");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TCI>(at, dst, tmp);
  ptoscope_detail::setScalar(call, 0, static_cast<typename D::DType>(start));
  call.operands.mode = uint32_t(bool(Descending));
  return ptoscope_detail::finish(call);
}

/// Ones on and below the diagonal c = r + `diagonal`, or on and above it.
template <typename D, auto Upper = 0> RecordEvent TTRI(D &dst, int diagonal, PTO_AFTER) {
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TTRI>(at, dst);
  ptoscope_detail::setScalar(call, 0, diagonal);
  call.operands.mode = uint32_t(bool(Upper));
  return ptoscope_detail::finish(call);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_REARRANGE_HPP
