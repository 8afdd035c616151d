//===- gather.hpp - gather, scatter, sort -----------------------*- C++ -*-===//
//
// TGATHER-1 to TGATHER-9, TSORT-1 to TSORT-5.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_GATHER_HPP
#define PTO_DETAIL_INST_GATHER_HPP

#include "pto/detail/gather.hpp"
#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

/// dst(r, c) = element idx(r, c) of src, counted row by row.
template <typename D, typename S, typename I, typename T>
  requires is_tile_data_v<T>
RecordEvent TGATHER(D &dst, S &src, I &idx, T &tmp, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TGATHER>(at, dst, src, idx, tmp);
  return detail::finish(call);
}
template <typename D, typename S, typename I>
  requires is_tile_data_v<I>
RecordEvent TGATHER(D &dst, S &src, I &idx, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TGATHER>(at, dst, src, idx);
  return detail::finish(call);
}
/// The columns that the pattern takes, packed.
template <typename D, typename S, MaskPattern P, GatherAxis Axis = GatherAxis::GATHER_ROW>
RecordEvent TGATHER(D &dst, S &src, PTO_AFTER) {
  static_assert(Axis == GatherAxis::GATHER_ROW,
                "TGATHER with GatherAxis::GATHER_COL is not modelled: no document says which elements it takes");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TGATHER_MASK>(at, dst, src);
  call.operands.mode = uint32_t(P);
  return detail::finish(call);
}
/// Blocks of 32 bytes at the byte offsets of `offset`.
template <typename D, typename S, typename I> RecordEvent TGATHERB(D &dst, S &src, I &offset, PTO_AFTER) {
  static_assert(D::isRowMajor && !D::isBoxedLayout, "TGATHERB fills rows of 32-byte blocks: use a row-major tile");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TGATHERB>(at, dst, src, offset);
  return detail::finish(call);
}

/// Element idx(r, c) of dst, counted row by row, = src(r, c); the rest of dst stays.
template <typename D, typename S, typename I>
  requires is_tile_data_v<I>
RecordEvent TSCATTER(D &dst, S &src, I &idx, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSCATTER>(at, dst, src, idx);
  return detail::finish(call);
}
/// The columns that the pattern takes get those of src in turn, the others 0.
template <MaskPattern P, ScatterAxis Axis = ScatterAxis::SCATTER_ROW, typename D, typename S>
RecordEvent TSCATTER(D &dst, S &src, PTO_AFTER) {
  static_assert(Axis == ScatterAxis::SCATTER_ROW,
                "TSCATTER with ScatterAxis::SCATTER_COL is not modelled: no document says where elements go");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSCATTER_MASK>(at, dst, src);
  call.operands.mode = uint32_t(P);
  return detail::finish(call);
}

namespace detail {
using ptoscope::tile::IndexMode;
using ptoscope::tile::Outside;

constexpr Outside outsideOf(GatherOOB oob) {
  constexpr Outside kRules[] = {Outside::Refuse, Outside::Clamp, Outside::Wrap, Outside::Zero};
  return kRules[unsigned(oob)];
}
constexpr Outside outsideOf(ScatterOOB oob) {
  constexpr Outside kRules[] = {Outside::Refuse, Outside::Skip, Outside::Clamp, Outside::Wrap};
  return kRules[unsigned(oob)];
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
} // namespace detail

/// Rows or elements of global memory.
template <Coalesce By, GatherOOB Oob = GatherOOB::Undefined, typename T, typename G, typename I>
RecordEvent MGATHER(T &dst, const G &src, I &idx, PTO_AFTER) {
  PTO_WAIT;
  return detail::gatherView<By, detail::outsideOf(Oob)>(at, dst, src, idx);
}
template <Coalesce By, GatherOOB Oob = GatherOOB::Undefined, typename T, typename G, typename I, typename S>
  requires is_tile_data_v<S>
RecordEvent MGATHER(T &dst, const G &src, I &idx, S &scratch, PTO_AFTER) {
  PTO_WAIT;
  return detail::gatherView<By, detail::outsideOf(Oob)>(at, dst, src, idx, scratch);
}
template <typename T, typename G, typename I> RecordEvent MGATHER(T &dst, const G &src, I &idx, PTO_AFTER) {
  PTO_WAIT;
  return detail::gatherView<detail::coalesceOf<T, I>(), detail::Outside::Refuse>(at, dst, src, idx);
}

/// The last of several elements for one place stays, under either ScatterConflict.
template <Coalesce By, ScatterAtomicOp Atomic = ScatterAtomicOp::None, ScatterOOB Oob = ScatterOOB::Undefined,
          ScatterConflict Conflict = ScatterConflict::Last, typename G, typename T, typename I>
RecordEvent MSCATTER(G &dst, T &src, I &idx, PTO_AFTER) {
  detail::checkView<T, G>();
  static_assert(Atomic == ScatterAtomicOp::None || ptoscope::tile::hasAtomic(T::kElem),
                "atomic scatters exist for float, half, bfloat16_t, int8_t, int16_t and int32_t");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::MSCATTER>(at, src, idx);
  detail::setGlobal(call, dst);
  call.operands.mode = detail::IndexMode{uint32_t(Atomic), By == Coalesce::Row, detail::outsideOf(Oob)}.pack();
  return detail::finish(call);
}
template <typename G, typename T, typename I> RecordEvent MSCATTER(G &dst, T &src, I &idx, PTO_AFTER) {
  return MSCATTER<detail::coalesceOf<T, I>()>(dst, src, idx, e0, e1, e2, e3, at);
}

namespace detail {
template <typename T> constexpr void checkRecords() {
  static_assert(T::isRowMajor && !T::isBoxedLayout, "records of 8 bytes lie side by side: use a row-major tile");
}
} // namespace detail

/// Groups of 32 of each row by descending value, with their indices, as records of 8 bytes.
template <typename D, typename S, typename I> RecordEvent TSORT32(D &dst, S &src, I &idx, PTO_AFTER) {
  detail::checkRecords<D>();
  static_assert(D::Cols * int(sizeof(typename D::DType)) >= S::Cols * 8,
                "a record takes 8 bytes: raise Cols of the result");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSORT32>(at, dst, src, idx);
  return detail::finish(call);
}
template <typename D, typename S, typename I, typename T>
  requires is_tile_data_v<T>
RecordEvent TSORT32(D &dst, S &src, I &idx, T &tmp, PTO_AFTER) {
  detail::checkRecords<D>();
  static_assert(D::Cols * int(sizeof(typename D::DType)) >= S::Cols * 8,
                "a record takes 8 bytes: raise Cols of the result");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSORT32>(at, dst, src, idx, tmp);
  return detail::finish(call);
}

namespace detail {
/// Merges lists of one row each. How many records of each list were taken is known
/// when the instruction has run, so it is waited for.
template <bool Exhausted, typename D, typename E, typename T, typename... S>
RecordEvent mergeSorted(const Here &at, D &dst, E &executed, T &tmp, S &...src) {
  static_assert(sizeof(E) == 8 && std::is_trivially_copyable_v<E>, "the counts of a merge are four uint16_t");
  (checkRecords<S>(), ..., checkRecords<D>());
  static_assert(((S::Rows == 1) && ... && (D::Rows == 1)), "lists of records have one row");
  static_assert((S::Cols + ...) <= D::Cols, "the result has room for all records: raise its Cols");
  Call call = makeCall<record::TMRGSORT>(at, dst, tmp, src...);
  call.operands.mode = Exhausted;
  executed = E{};
  setScalar(call, 0, reinterpret_cast<uint64_t>(&executed));
  const RecordEvent result = finish(call);
  ptoscope::tile::openToHost(uint8_t(D::Loc), call.operands.tile[0].data, 0);
  return result;
}
} // namespace detail

/// `executed` gets the records that were taken of each list.
template <typename D, typename T, typename S0, typename S1, bool Exhausted = false, typename E>
RecordEvent TMRGSORT(D &dst, E &executed, T &tmp, S0 &src0, S1 &src1, PTO_AFTER) {
  PTO_WAIT;
  return detail::mergeSorted<Exhausted>(at, dst, executed, tmp, src0, src1);
}
template <typename D, typename T, typename S0, typename S1, typename S2, bool Exhausted = false, typename E>
  requires is_tile_data_v<S2>
RecordEvent TMRGSORT(D &dst, E &executed, T &tmp, S0 &src0, S1 &src1, S2 &src2, PTO_AFTER) {
  PTO_WAIT;
  return detail::mergeSorted<Exhausted>(at, dst, executed, tmp, src0, src1, src2);
}
template <typename D, typename T, typename S0, typename S1, typename S2, typename S3, bool Exhausted = false,
          typename E>
  requires(is_tile_data_v<S2> && is_tile_data_v<S3>)
RecordEvent TMRGSORT(D &dst, E &executed, T &tmp, S0 &src0, S1 &src1, S2 &src2, S3 &src3, PTO_AFTER) {
  PTO_WAIT;
  return detail::mergeSorted<Exhausted>(at, dst, executed, tmp, src0, src1, src2, src3);
}
/// Every four runs of `blockLen` elements that follow each other in src become one.
template <typename D, typename S> RecordEvent TMRGSORT(D &dst, S &src, uint32_t blockLen, PTO_AFTER) {
  detail::checkRecords<D>();
  detail::checkRecords<S>();
  static_assert(D::Rows == 1 && S::Rows == 1, "lists of records have one row");
  static_assert(D::Cols >= S::Cols, "the result has room for all records: raise its Cols");
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TMRGSORT_RUNS>(at, dst, src);
  detail::setScalar(call, 0, blockLen);
  return detail::finish(call);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_GATHER_HPP
