//===- gather.hpp - gather, scatter, sort -----------------------*- C++ -*-===//
//
// TGATHER-1 to TGATHER-9, TSORT-1 to TSORT-5, HMEAN-25 to HMEAN-36.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_GATHER_HPP
#define PTO_DETAIL_INST_GATHER_HPP

#include "pto/detail/forms.hpp"
#include "pto/detail/gather.hpp"
#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

/// dst(r, c) = element idx(r, c) of src, counted row by row.
template <typename D, typename S, typename I, typename T>
  requires is_tile_data_v<T>
RecordEvent TGATHER(D &dst, S &src, I &idx, T &tmp, PTO_AFTER) {
  return PTO_ISSUE(TGATHER, dst, src, idx, tmp);
}
template <typename D, typename S, typename I>
  requires is_tile_data_v<I>
RecordEvent TGATHER(D &dst, S &src, I &idx, PTO_AFTER) {
  return PTO_ISSUE(TGATHER, dst, src, idx);
}
/// The columns that the pattern takes, packed; along columns the rows (HMEAN-25). Elements
/// of equal size are copied as bits.
template <typename D, typename S, MaskPattern P, GatherAxis Axis = GatherAxis::GATHER_ROW>
RecordEvent TGATHER(D &dst, S &src, PTO_AFTER) {
  static_assert(ptoscope::tile::bitsOf(D::kElem) == ptoscope::tile::bitsOf(S::kElem),
                "TGATHER copies bits: give both tiles elements of the same size, or convert with TCVT");
  ptoscope_detail::checkTiles<ptoscope_detail::record::TGATHER_MASK, D>();
  static_assert(S::Loc == TileType::Vec, "TGATHER takes a source in Vec: move it there with TMOV");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::collect<ptoscope_detail::record::TGATHER_MASK>(at, dst, src);
  call.operands.mode = uint32_t(P) | (Axis == GatherAxis::GATHER_COL ? ptoscope::tile::kPatternOfRows : 0);
  return ptoscope_detail::finish(call);
}
/// Blocks of 32 bytes at the byte offsets of `offset`.
template <typename D, typename S, typename I> RecordEvent TGATHERB(D &dst, S &src, I &offset, PTO_AFTER) {
  static_assert(D::isRowMajor && !D::isBoxedLayout, "TGATHERB fills rows of 32-byte blocks: use a row-major tile");
  return PTO_ISSUE(TGATHERB, dst, src, offset);
}

/// Element idx(r, c) of dst, counted row by row, = src(r, c); the rest of dst stays.
template <typename D, typename S, typename I>
  requires is_tile_data_v<I>
RecordEvent TSCATTER(D &dst, S &src, I &idx, PTO_AFTER) {
  return PTO_ISSUE(TSCATTER, dst, src, idx);
}
/// The columns that the pattern takes get those of src in turn, the others 0; along columns
/// the same of rows (HMEAN-26).
template <MaskPattern P, ScatterAxis Axis = ScatterAxis::SCATTER_ROW, typename D, typename S>
RecordEvent TSCATTER(D &dst, S &src, PTO_AFTER) {
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TSCATTER_MASK>(at, dst, src);
  call.operands.mode = uint32_t(P) | (Axis == ScatterAxis::SCATTER_COL ? ptoscope::tile::kPatternOfRows : 0);
  return ptoscope_detail::finish(call);
}

namespace ptoscope_detail {
using ptoscope::tile::IndexMode;
using ptoscope::tile::Outside;

constexpr Outside outsideOf(GatherOOB oob) {
  constexpr Outside kOutside[] = {Outside::Refuse, Outside::Clamp, Outside::Wrap, Outside::Zero};
  return kOutside[unsigned(oob)];
}
constexpr Outside outsideOf(ScatterOOB oob) {
  constexpr Outside kOutside[] = {Outside::Refuse, Outside::Skip, Outside::Clamp, Outside::Wrap};
  return kOutside[unsigned(oob)];
}
template <typename T, typename G> constexpr void checkView() {
  static_assert(is_global_data_v<G>, "this operand has to be a GlobalTensor");
  static_assert(T::kElem == ptoscope::tile::elemOf<typename G::DType>,
                "tile and GlobalTensor need the same element type");
}
/// Without a Coalesce: an index per row if the indices have one row or column.
template <typename T, typename I> constexpr Coalesce coalesceOf() {
  return (I::ValidRow == 1 || I::ValidCol == 1) && !(T::ValidRow == I::ValidRow && T::ValidCol == I::ValidCol)
             ? Coalesce::Row
             : Coalesce::Elem;
}
template <Coalesce By, Outside Rule, typename T, typename G, typename I, typename... Scratch>
RecordEvent gatherView(const Here &at, T &dst, const G &src, I &idx, Scratch &...scratch) {
  checkView<T, G>();
  Call call = makeCall<record::MGATHER>(at, dst, idx, scratch...);
  setGlobal(call, src);
  call.operands.mode = IndexMode{0, By == Coalesce::Row, Rule}.pack();
  return finish(call);
}
/// Into L1, with indices in global memory (HMEAN-29): there is no tile of them.
template <Coalesce By, Outside Rule, typename T, typename G, typename I>
RecordEvent gatherToMat(const Here &at, T &dst, const G &src, const I &idx) {
  checkView<T, G>();
  static_assert(T::Loc == TileType::Mat, "MGATHER with a GlobalTensor of indices fills a Mat tile; for a Vec tile load "
                                         "the indices into a tile first");
  static_assert(sizeof(typename I::DType) == 4 && std::is_integral_v<typename I::DType>,
                "the GlobalTensor of indices has elements of int32_t or uint32_t");
  Call call = collect<record::MGATHER>(at, dst);
  setGlobal(call, src);
  ptoscope::tile::GlobalRef indices;
  idx.fill(indices);
  ptoscope::tile::setIndexView(call.operands, indices);
  call.operands.mode = IndexMode{0, By == Coalesce::Row, Rule, true}.pack();
  return finish(call);
}
} // namespace ptoscope_detail

/// Indices of global memory, for a Mat tile. A view of scratch is not touched.
template <Coalesce By, GatherOOB Oob = GatherOOB::Undefined, typename T, typename G, typename I>
  requires is_global_data_v<I>
RecordEvent MGATHER(T &dst, const G &src, const I &idx, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::gatherToMat<By, ptoscope_detail::outsideOf(Oob)>(at, dst, src, idx);
}
template <Coalesce By, GatherOOB Oob = GatherOOB::Undefined, typename T, typename G, typename I, typename S>
  requires(is_global_data_v<I> && is_global_data_v<S>)
RecordEvent MGATHER(T &dst, const G &src, const I &idx, const S &, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::gatherToMat<By, ptoscope_detail::outsideOf(Oob)>(at, dst, src, idx);
}

/// Rows or elements of global memory.
template <Coalesce By, GatherOOB Oob = GatherOOB::Undefined, typename T, typename G, typename I>
  requires is_tile_data_v<I>
RecordEvent MGATHER(T &dst, const G &src, I &idx, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::gatherView<By, ptoscope_detail::outsideOf(Oob)>(at, dst, src, idx);
}
template <Coalesce By, GatherOOB Oob = GatherOOB::Undefined, typename T, typename G, typename I, typename S>
  requires is_tile_data_v<S>
RecordEvent MGATHER(T &dst, const G &src, I &idx, S &scratch, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::gatherView<By, ptoscope_detail::outsideOf(Oob)>(at, dst, src, idx, scratch);
}
template <typename T, typename G, typename I>
  requires is_tile_data_v<I>
RecordEvent MGATHER(T &dst, const G &src, I &idx, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::gatherView<ptoscope_detail::coalesceOf<T, I>(), ptoscope_detail::Outside::Refuse>(at, dst,
                                                                                                            src, idx);
}

/// The last of several elements for one place stays, under either ScatterConflict.
template <Coalesce By, ScatterAtomicOp Atomic = ScatterAtomicOp::None, ScatterOOB Oob = ScatterOOB::Undefined,
          ScatterConflict Conflict = ScatterConflict::Last, typename G, typename T, typename I>
RecordEvent MSCATTER(G &dst, T &src, I &idx, PTO_AFTER) {
  ptoscope_detail::checkView<T, G>();
  static_assert(Atomic == ScatterAtomicOp::None || ptoscope::tile::hasAtomicOnHost(T::kElem),
                "atomic scatters exist for float, half, bfloat16_t and integers of 8 to 32 bits");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::MSCATTER>(at, src, idx);
  PTO_DEVICE_RULE(call, (Atomic == ScatterAtomicOp::None || ptoscope::tile::hasAtomic(T::kElem)),
                  "atomic scatters exist for float, half, bfloat16_t, int8_t, int16_t and int32_t");
  ptoscope_detail::setGlobal(call, dst);
  call.operands.mode =
      ptoscope_detail::IndexMode{uint32_t(Atomic), By == Coalesce::Row, ptoscope_detail::outsideOf(Oob)}.pack();
  return ptoscope_detail::finish(call);
}
template <typename G, typename T, typename I> RecordEvent MSCATTER(G &dst, T &src, I &idx, PTO_AFTER) {
  return MSCATTER<ptoscope_detail::coalesceOf<T, I>()>(dst, src, idx, PTO_EVENTS, at);
}

namespace ptoscope_detail {
template <typename T> constexpr void checkRecords() {
  static_assert(T::isRowMajor && !T::isBoxedLayout, "records of 8 bytes lie side by side: use a row-major tile");
}
/// A record for each valid column; dynamic extents are looked at in the run.
template <typename D, typename S> constexpr void checkRoom() {
  static_assert(D::Cols * int(sizeof(typename D::DType)) >= S::ValidCol * 8,
                "a record takes 8 bytes: raise Cols of the result");
}
} // namespace ptoscope_detail

/// Groups of 32 of each row by descending value, with their indices, as records of 8 bytes.
template <typename D, typename S, typename I> RecordEvent TSORT32(D &dst, S &src, I &idx, PTO_AFTER) {
  ptoscope_detail::checkRecords<D>();
  ptoscope_detail::checkRoom<D, S>();
  return PTO_ISSUE(TSORT32, dst, src, idx);
}
template <typename D, typename S, typename I, typename T>
  requires is_tile_data_v<T>
RecordEvent TSORT32(D &dst, S &src, I &idx, T &tmp, PTO_AFTER) {
  ptoscope_detail::checkRecords<D>();
  ptoscope_detail::checkRoom<D, S>();
  return PTO_ISSUE(TSORT32, dst, src, idx, tmp);
}

namespace ptoscope_detail {
/// Merges lists of one row each. How many records of each list were taken is known
/// when the instruction has run, so it is waited for.
template <bool Exhausted, typename D, typename E, typename T, typename... S>
RecordEvent mergeSorted(const Here &at, D &dst, E &executed, T &tmp, S &...src) {
  static_assert(sizeof(E) == 8 && std::is_trivially_copyable_v<E>, "the counts of a merge are four uint16_t");
  (checkRecords<S>(), ..., checkRecords<D>());
  static_assert(((S::Rows == 1) && ... && (D::Rows == 1)), "lists of records have one row");
  Call call = makeCall<record::TMRGSORT>(at, dst, tmp, src...);
  call.operands.mode = Exhausted;
  executed = E{};
  setScalar(call, 0, reinterpret_cast<uint64_t>(&executed));
  const RecordEvent result = finish(call);
  ptoscope::tile::openToHost(uint8_t(D::Loc), call.operands.tile[0].data, 0);
  return result;
}
} // namespace ptoscope_detail

/// `executed` gets the records that were taken of each list. The result may be shorter than
/// the lists together (HMEAN-34).
template <typename D, typename T, typename S0, typename S1, bool Exhausted = false, typename E>
RecordEvent TMRGSORT(D &dst, E &executed, T &tmp, S0 &src0, S1 &src1, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::mergeSorted<Exhausted>(at, dst, executed, tmp, src0, src1);
}
template <typename D, typename T, typename S0, typename S1, typename S2, bool Exhausted = false, typename E>
  requires is_tile_data_v<S2>
RecordEvent TMRGSORT(D &dst, E &executed, T &tmp, S0 &src0, S1 &src1, S2 &src2, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::mergeSorted<Exhausted>(at, dst, executed, tmp, src0, src1, src2);
}
template <typename D, typename T, typename S0, typename S1, typename S2, typename S3, bool Exhausted = false,
          typename E>
  requires(is_tile_data_v<S2> && is_tile_data_v<S3>)
RecordEvent TMRGSORT(D &dst, E &executed, T &tmp, S0 &src0, S1 &src1, S2 &src2, S3 &src3, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::mergeSorted<Exhausted>(at, dst, executed, tmp, src0, src1, src2, src3);
}
/// Columns that the scratch tile of a merge has.
template <typename S0, typename S1> constexpr uint32_t GETMRGSORTTMPSIZE() { return S0::Cols + S1::Cols; }
template <typename S0, typename S1, typename S2> constexpr uint32_t GETMRGSORTTMPSIZE() {
  return S0::Cols + S1::Cols + S2::Cols;
}
template <typename S0, typename S1, typename S2, typename S3> constexpr uint32_t GETMRGSORTTMPSIZE() {
  return S0::Cols + S1::Cols + S2::Cols + S3::Cols;
}
/// Every four runs of `blockLen` elements that follow each other in src become one.
template <typename D, typename S> RecordEvent TMRGSORT(D &dst, S &src, uint32_t blockLen, PTO_AFTER) {
  ptoscope_detail::checkRecords<D>();
  ptoscope_detail::checkRecords<S>();
  static_assert(D::Rows == 1 && S::Rows == 1, "lists of records have one row");
  return PTO_ISSUE_SCALAR(TMRGSORT_RUNS, blockLen, dst, src);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_GATHER_HPP
