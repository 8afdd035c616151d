//===- move.hpp - moves between tiles ---------------------------*- C++ -*-===//
//
// TMOV-1 to TMOV-7: TMOV, TEXTRACT and TINSERT in all their forms. Each side has
// its own layout; elements change on the way out of the accumulator only, and on
// the way into the bias table. Which pipe moves them follows from the memories.
//
// Template arguments are the types of the tiles and then, in any order, a
// ReluPreMode, an AccToVecMode and an STPhase; one of these may stand first.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_MOVE_HPP
#define PTO_DETAIL_INST_MOVE_HPP

#include "pto/detail/cluster_abi.hpp"
#include "pto/detail/inst/memory.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
using ptoscope::tile::moves, ptoscope::tile::Window;

/// Bias tables take half and bfloat16_t as float.
constexpr bool widens(TileType to, ptoscope::tile::Elem from, ptoscope::tile::Elem elem) {
  using ptoscope::tile::Elem;
  return to == TileType::Bias && elem == Elem::f32 && (from == Elem::f16 || from == Elem::bf16);
}

template <auto M, typename E> inline constexpr bool kIs = std::is_same_v<std::remove_cv_t<decltype(M)>, E>;
/// The one of Modes that is an E.
template <typename E, auto... Modes> constexpr E modeOf() {
  E result{};
  (
      [&] {
        if constexpr (kIs<Modes, E>)
          result = Modes;
      }(),
      ...);
  return result;
}

/// What is added to the copy that `call` is.
template <Window W, Quant Q, typename D, typename S, auto... Modes> MoveMode checkMove([[maybe_unused]] Call &call) {
  static_assert(((kIs<Modes, ReluPreMode> || kIs<Modes, AccToVecMode> || kIs<Modes, STPhase>) && ...),
                "behind the types of the tiles stand a ReluPreMode, an AccToVecMode and an STPhase, in any order");
  constexpr bool acc = S::Loc == TileType::Acc;
  constexpr auto relu = modeOf<ReluPreMode, Modes...>();
  constexpr auto split = modeOf<AccToVecMode, Modes...>();
  PTO_DEVICE_RULE(
      call, (moves(S::Loc, D::Loc, W)),
      "there is no path between these memories: tiles go from Vec to Vec or Mat, from Mat to Left, Right, Bias or "
      "Scaling, from Acc to Vec or Mat; TINSERT goes to Vec and Mat only; other ways lead through global memory "
      "(TSTORE, TLOAD)");
  PTO_DEVICE_RULE(
      call, (acc || S::kElem == D::kElem || widens(D::Loc, S::kElem, D::kElem)),
      "the element types of the tiles differ: only the accumulator's elements are converted on their way, and half "
      "and bfloat16_t to float for Bias; convert with TCVT");
  PTO_DEVICE_RULE(
      call, (!acc || ptoscope::tile::accConverts(S::kElem, D::kElem, Q)),
      "the accumulator cannot be moved as this element: float goes to float, half or bfloat16_t and int32_t to "
      "int32_t; other types need a quantisation scalar or a Scaling tile");
  PTO_DEVICE_RULE(call, (acc || (relu == ReluPreMode::NoRelu && Q == Quant::None)),
                  "relu and quantisation are for tiles in the accumulator");
  PTO_DEVICE_RULE(call,
                  (split == AccToVecMode::SingleModeVec0 || (acc && D::Loc == TileType::Vec && W == Window::None)),
                  "an AccToVecMode is for TMOV from Acc to Vec");
  // The dual modes take half of the source.
  constexpr int rows = split == AccToVecMode::DualModeSplitM ? (S::ValidRow + 1) / 2 : S::ValidRow;
  constexpr int cols = split == AccToVecMode::DualModeSplitN ? (S::ValidCol + 1) / 2 : S::ValidCol;
  static_assert(
      W == Window::OfSource || (rows <= D::Rows && cols <= D::Cols),
      "the destination is smaller than the valid region of the source: raise its Rows and Cols, or move a part "
      "with TEXTRACT");
  static_assert(W != Window::OfSource || (D::ValidRow <= S::Rows && D::ValidCol <= S::Cols),
                "the window is larger than the source: lower RowValid and ColValid of the destination");
  MoveMode mode;
  mode.relu = relu;
  mode.phase = uint8_t(modeOf<STPhase, Modes...>());
  mode.quant = Q;
  if constexpr (kHost) {
    mode.quant = hostQuant<S, D, Q>();
    mode.saturate = mode.quant != Quant::None && saturates();
  }
  return mode;
}

/// Whether words in a tile have nothing to say (HMOVE-10).
template <typename D, typename S> inline constexpr bool kWordless = kHost && !quantises(S::kElem, D::kElem, true);

/// Of two vector cores each gets its half; one that is alone is the first.
template <auto... Modes> ptoscope::tile::Part partOf() {
  using ptoscope::tile::Part;
  constexpr auto split = modeOf<AccToVecMode, Modes...>();
  if constexpr (split == AccToVecMode::DualModeSplitM)
    return ptoscope::tile::subblockIndex() == 0 ? Part::FirstRows : Part::LastRows;
  else if constexpr (split == AccToVecMode::DualModeSplitN)
    return ptoscope::tile::subblockIndex() == 0 ? Part::FirstCols : Part::LastCols;
  else
    return Part::Whole;
}

/// Finishes a TMOV.
template <Quant Q, typename D, typename S, auto... Modes> RecordEvent move(Call &call) {
  MoveMode mode = checkMove<Window::None, Q, D, S, Modes...>(call);
  mode.part = partOf<Modes...>();
  call.operands.mode = mode.pack();
  if constexpr (modeOf<AccToVecMode, Modes...>() == AccToVecMode::SingleModeVec1) {
    ptoscope::tile::issueToSecondVector(call);
    return {call.source};
  }
  return finish(call);
}

inline void setWindow(Call &call, int64_t row, int64_t col) {
  setScalar(call, ptoscope::tile::kRowScalar, row);
  setScalar(call, ptoscope::tile::kColScalar, col);
}
/// Finishes a TEXTRACT or TINSERT.
template <Window W, Quant Q, typename D, typename S, auto... Modes>
RecordEvent moveWindow(Call &call, int64_t row, int64_t col) {
  setWindow(call, row, col);
  call.operands.mode = checkMove<W, Q, D, S, Modes...>(call).pack();
  return finish(call);
}
/// The same with a tile of words: without a mode it is not an operand.
template <const Record &R, const Record &Plain, Window W, typename D, typename S, auto... Modes, typename F>
RecordEvent moveWithWords(const Here &at, D &dst, S &src, F &fp, int64_t row, int64_t col) {
  if constexpr (kWordless<D, S>) {
    Call call = makeOpenCall<Plain>(at, dst, src);
    return moveWindow<W, Quant::Vector, D, S, Modes...>(call, row, col);
  } else {
    checkWords<F>();
    Call call = makeOpenCall<R>(at, dst, src, fp);
    return moveWindow<W, Quant::Vector, D, S, Modes...>(call, row, col);
  }
}
} // namespace ptoscope_detail

// --- TMOV ---------------------------------------------------------------------------------------

/// dst = src over the valid region of src.
template <typename D, typename S, auto... Modes> RecordEvent TMOV(D &dst, S &src, PTO_AFTER) {
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TMOV>(at, dst, src);
  return ptoscope_detail::move<ptoscope_detail::Quant::None, D, S, Modes...>(call);
}
template <auto Mode, typename D, typename S, auto... Modes> RecordEvent TMOV(D &dst, S &src, PTO_AFTER) {
  return TMOV<D, S, Mode, Modes...>(dst, src, PTO_EVENTS, at);
}
/// One quantisation word for all columns.
template <typename D, typename S, auto... Modes> RecordEvent TMOV(D &dst, S &src, uint64_t preQuantScalar, PTO_AFTER) {
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TMOV>(at, dst, src);
  ptoscope_detail::setScalar(call, ptoscope::tile::kWordScalar, preQuantScalar);
  return ptoscope_detail::move<ptoscope_detail::Quant::Scalar, D, S, Modes...>(call);
}
template <auto Mode, typename D, typename S, auto... Modes>
RecordEvent TMOV(D &dst, S &src, uint64_t preQuantScalar, PTO_AFTER) {
  return TMOV<D, S, Mode, Modes...>(dst, src, preQuantScalar, PTO_EVENTS, at);
}
/// A Scaling tile holds a quantisation word for each column; a Vec tile is scratch.
template <typename D, typename S, typename F, auto... Modes>
  requires is_tile_data_v<F>
RecordEvent TMOV(D &dst, S &src, F &fp, PTO_AFTER) {
  using ptoscope_detail::Quant;
  constexpr bool words =
      F::Loc == TileType::Scaling || (ptoscope_detail::kHost && ptoscope_detail::quantises(S::kElem, D::kElem, true));
  constexpr auto quant = words ? Quant::Vector : Quant::None;
  PTO_WAIT;
  if constexpr (words && ptoscope_detail::kWordless<D, S>) {
    return TMOV<D, S, Modes...>(dst, src, PTO_NO_EVENTS, at);
  } else {
    static_assert(!words || F::kElem == ptoscope::tile::Elem::u64,
                  "a Scaling tile has elements of type uint64_t, one word for each column");
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TMOV>(at, dst, src, fp);
    return ptoscope_detail::move<quant, D, S, Modes...>(call);
  }
}
template <auto Mode, typename D, typename S, typename F, auto... Modes>
  requires is_tile_data_v<F>
RecordEvent TMOV(D &dst, S &src, F &fp, PTO_AFTER) {
  return TMOV<D, S, F, Mode, Modes...>(dst, src, fp, PTO_EVENTS, at);
}
template <typename D, typename S, typename F, auto... Modes> RecordEvent TMOV_FP(D &dst, S &src, F &fp, PTO_AFTER) {
  PTO_WAIT;
  if constexpr (ptoscope_detail::kWordless<D, S>) {
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TMOV>(at, dst, src);
    return ptoscope_detail::move<ptoscope_detail::Quant::Vector, D, S, Modes...>(call);
  } else {
    ptoscope_detail::checkWords<F>();
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TMOV_FP>(at, dst, src, fp);
    return ptoscope_detail::move<ptoscope_detail::Quant::Vector, D, S, Modes...>(call);
  }
}
/// HMOVE-8: of the host profile, a copy.
template <typename D, typename S>
  requires is_tile_data_v<S>
RecordEvent TPREFETCH(D &dst, S &src, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TMOV>(at, dst, src);
  PTO_DEVICE_RULE(call, (!is_tile_data_v<S>), "TPREFETCH takes a GlobalTensor; use TMOV between tiles");
  return ptoscope_detail::move<ptoscope_detail::Quant::None, D, S>(call);
}

// --- TEXTRACT, TINSERT --------------------------------------------------------------------------

/// TEXTRACT: dst(r, c) = src(row + r, col + c) over the valid region of dst.
/// TINSERT: dst(row + r, col + c) = src(r, c) over the valid region of src.
#define PTO_WINDOW(NAME, WINDOW)                                                                                       \
  template <typename D, typename S, auto... Modes>                                                                     \
  RecordEvent NAME(D &dst, S &src, int64_t row, int64_t col, PTO_AFTER) {                                              \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::NAME>(at, dst, src);           \
    return ptoscope_detail::moveWindow<ptoscope_detail::Window::WINDOW, ptoscope_detail::Quant::None, D, S, Modes...>( \
        call, row, col);                                                                                               \
  }                                                                                                                    \
  template <auto Mode, typename D, typename S, auto... Modes>                                                          \
  RecordEvent NAME(D &dst, S &src, int64_t row, int64_t col, PTO_AFTER) {                                              \
    return NAME<D, S, Mode, Modes...>(dst, src, row, col, PTO_EVENTS, at);                                             \
  }                                                                                                                    \
  /* From the first column, and from the first row. */                                                                 \
  template <typename D, typename S, auto... Modes> RecordEvent NAME(D &dst, S &src, int64_t row, PTO_AFTER) {          \
    return NAME<D, S, Modes...>(dst, src, row, int64_t(0), PTO_EVENTS, at);                                            \
  }                                                                                                                    \
  template <typename D, typename S, auto... Modes> RecordEvent NAME(D &dst, S &src, PTO_AFTER) {                       \
    return NAME<D, S, Modes...>(dst, src, int64_t(0), int64_t(0), PTO_EVENTS, at);                                     \
  }                                                                                                                    \
  template <typename D, typename S, auto... Modes>                                                                     \
  RecordEvent NAME(D &dst, S &src, uint64_t preQuantScalar, int64_t row, int64_t col, PTO_AFTER) {                     \
    PTO_WAIT;                                                                                                          \
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::NAME>(at, dst, src);           \
    ptoscope_detail::setScalar(call, ptoscope::tile::kWordScalar, preQuantScalar);                                     \
    return ptoscope_detail::moveWindow<ptoscope_detail::Window::WINDOW, ptoscope_detail::Quant::Scalar, D, S,          \
                                       Modes...>(call, row, col);                                                      \
  }                                                                                                                    \
  template <auto Mode, typename D, typename S, auto... Modes>                                                          \
  RecordEvent NAME(D &dst, S &src, uint64_t preQuantScalar, int64_t row, int64_t col, PTO_AFTER) {                     \
    return NAME<D, S, Mode, Modes...>(dst, src, preQuantScalar, row, col, PTO_EVENTS, at);                             \
  }                                                                                                                    \
  template <typename D, typename S, typename F, auto... Modes>                                                         \
    requires is_tile_data_v<F>                                                                                         \
  RecordEvent NAME(D &dst, S &src, F &fp, int64_t row, int64_t col, PTO_AFTER) {                                       \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::moveWithWords<ptoscope_detail::record::NAME, ptoscope_detail::record::NAME,                \
                                          ptoscope_detail::Window::WINDOW, D, S, Modes...>(at, dst, src, fp, row,      \
                                                                                           col);                       \
  }                                                                                                                    \
  template <auto Mode, typename D, typename S, typename F, auto... Modes>                                              \
    requires is_tile_data_v<F>                                                                                         \
  RecordEvent NAME(D &dst, S &src, F &fp, int64_t row, int64_t col, PTO_AFTER) {                                       \
    return NAME<D, S, F, Mode, Modes...>(dst, src, fp, row, col, PTO_EVENTS, at);                                      \
  }                                                                                                                    \
  template <typename D, typename S, typename F, auto... Modes>                                                         \
  RecordEvent NAME##_FP(D &dst, S &src, F &fp, int64_t row = 0, int64_t col = 0, PTO_AFTER) {                          \
    PTO_WAIT;                                                                                                          \
    return ptoscope_detail::moveWithWords<ptoscope_detail::record::NAME##_FP, ptoscope_detail::record::NAME,           \
                                          ptoscope_detail::Window::WINDOW, D, S, Modes...>(at, dst, src, fp, row,      \
                                                                                           col);                       \
  }
PTO_WINDOW(TEXTRACT, OfSource)
PTO_WINDOW(TINSERT, OfDestination)
#undef PTO_WINDOW

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_MOVE_HPP
