//===- memory.hpp - TLOAD and TSTORE ----------------------------*- C++ -*-===//
//
// Loads (TLOAD) and stores (TSTORE).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_MEMORY_HPP
#define PTO_DETAIL_INST_MEMORY_HPP

#include "pto/detail/inst/shapes.hpp"
#include "pto/detail/paths.hpp"

namespace pto {
PTO_MODE_BEGIN

#define PTO_NO_MAP                                                                                                     \
  "this layout of global memory is not modelled: no document says where its elements are; describe the memory "        \
  "as ND, DN or NZ"

namespace detail {
/// What is filled around a loaded tile, unless the launch says otherwise.
#if defined(__CPU_SIM) || defined(PTO_FULL_FILL)
inline constexpr auto kLoadMode = ptoscope::tile::LoadMode::FullFill;
#else
inline constexpr auto kLoadMode = ptoscope::tile::LoadMode::Hardware;
#endif

template <typename T, typename G> constexpr bool sameWidth() {
  return ptoscope::tile::bitsOf(T::kElem) == ptoscope::tile::bitsOf(ptoscope::tile::elemOf<typename G::DType>);
}
/// TLOAD-2 to TLOAD-5: which layouts of global memory a tile can be loaded from.
template <typename T, typename G> constexpr bool loadable() {
  constexpr auto tile = GetTileLayoutCustom<T>();
  constexpr Layout gm = G::layout;
  using L = TileLayoutCustom;
  bool mat = T::Loc == TileType::Mat;
#ifdef PTO_NPU_ARCH_A5
  constexpr bool a5 = true;
#else
  constexpr bool a5 = false;
#endif
  switch (gm) {
  case Layout::MX_A_ZZ:
  case Layout::MX_A_ND:
  case Layout::MX_A_DN:
    return mat && tile == L::ZZ;
  case Layout::MX_B_NN:
  case Layout::MX_B_ND:
  case Layout::MX_B_DN:
    return mat && tile == L::NN;
  default:
    return ptoscope::tile::loads(T::Loc, T::isRowMajor ? BLayout::RowMajor : BLayout::ColMajor, T::SFractal, gm, a5);
  }
}
#ifdef PTO_LOOSE_LAYOUTS
inline constexpr bool kLooseLayouts = true;
#else
inline constexpr bool kLooseLayouts = false;
#endif

template <typename T, typename G> constexpr void checkLoad() {
  static_assert(ptoscope::tile::hasGlobalMap(G::layout), PTO_NO_MAP);
  static_assert(sameWidth<T, G>(), "TLOAD copies bits: elements of tile and GlobalTensor need the same size");
  static_assert(kLooseLayouts || loadable<T, G>(),
                "TLOAD cannot bring this layout of global memory into this layout of tile: a Vec tile takes ND into "
                "row-major, DN into column-major, NZ into NZ; a Mat tile also ND into NZ and DN into ZN "
                "(define PTO_LOOSE_LAYOUTS to allow any pair)");
}
} // namespace detail

template <typename T, typename G> RecordEvent TLOAD(T &dst, const G &src, PTO_AFTER) {
  detail::checkLoad<T, G>();
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TLOAD>(at, dst);
  detail::setGlobal(call, src);
  call.operands.mode = uint32_t(detail::kLoadMode);
  return detail::finish(call);
}
/// The back-end entry, which programs may call.
template <typename T, typename G>
RecordEvent TLOAD_IMPL(T &dst, const G &src, detail::Here at = detail::Here::current()) {
  return TLOAD(dst, src, {}, {}, {}, {}, at);
}
/// Staging is loading: the tile holds the data early.
template <typename T, typename G>
RecordEvent TPREFETCH(T &dst, const G &src, detail::Here at = detail::Here::current()) {
  detail::checkLoad<T, G>();
  detail::Call call = detail::makeCall<detail::record::TPREFETCH>(at, dst);
  detail::setGlobal(call, src);
  call.operands.mode = uint32_t(detail::kLoadMode);
  return detail::finish(call);
}

namespace detail {
using ptoscope::tile::MoveMode;
using ptoscope::tile::Quant;

/// TSTORE-2, TSTORE-3: which layouts of global memory a tile can be stored to.
template <typename T, typename G> constexpr bool storable() {
  constexpr auto tile = GetTileLayoutCustom<T>();
  using L = TileLayoutCustom;
  switch (G::layout) {
  case Layout::ND:
  case Layout::DN: {
#ifdef PTO_NPU_ARCH_A5
    // One row or one column lies the same way in both.
    if (T::Loc == TileType::Vec && !T::isBoxedLayout && (T::Rows == 1 || T::Cols == 1))
      return true;
#endif
    return T::Loc == TileType::Acc ? G::layout == Layout::ND : tile == (G::layout == Layout::ND ? L::ND : L::DN);
  }
  case Layout::NZ:
    return tile == L::NZ;
#ifdef PTO_NPU_ARCH_A5
  case Layout::NHWC:
  case Layout::NCHW:
  case Layout::NCDHW:
    return T::Loc == TileType::Acc;
#else
  case Layout::NC1HWC0:
  case Layout::NDC1HWC0:
    return T::Loc == TileType::Acc;
#endif
  default:
    return false;
  }
}

template <typename T, typename G, AtomicType A, ReluPreMode R, Quant Q> constexpr uint32_t storeMode() {
  constexpr auto to = ptoscope::tile::elemOf<typename G::DType>;
  static_assert(ptoscope::tile::hasGlobalMap(G::layout), PTO_NO_MAP);
  static_assert(T::Loc == TileType::Acc || sameWidth<T, G>(),
                "TSTORE copies bits from Vec and Mat tiles: elements of tile and GlobalTensor need the same size");
  static_assert(
      T::Loc != TileType::Acc || ptoscope::tile::accConverts(T::kElem, to, Q),
      "the accumulator cannot be stored as this element: float goes to float, half or bfloat16_t and int32_t to "
      "int32_t; other types need a quantisation scalar or TSTORE_FP");
  static_assert(T::Loc == TileType::Acc || (R == ReluPreMode::NoRelu && Q == Quant::None),
                "relu and quantisation are for tiles in the accumulator");
  static_assert(
      kLooseLayouts || storable<T, G>(),
      "TSTORE cannot bring this layout of tile into this layout of global memory: row-major goes to ND, "
      "column-major to DN, NZ to NZ; the accumulator to ND or NZ (define PTO_LOOSE_LAYOUTS to allow any pair)");
  static_assert(A == AtomicType::AtomicNone || ptoscope::tile::hasAtomic(to),
                "atomic stores exist for float, half, bfloat16_t, int8_t, int16_t and int32_t");
  MoveMode mode;
  mode.atomic = A;
  mode.relu = R;
  mode.quant = Q;
  return mode.pack();
}
} // namespace detail

template <typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE(G &dst, T &src, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSTORE>(at, src);
  detail::setGlobal(call, dst);
  call.operands.mode = detail::storeMode<T, G, A, R, detail::Quant::None>();
  return detail::finish(call);
}
template <typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE(G &dst, T &src, uint64_t preQuantScalar, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSTORE>(at, src);
  detail::setGlobal(call, dst);
  detail::setScalar(call, ptoscope::tile::kWordScalar, preQuantScalar);
  call.operands.mode = detail::storeMode<T, G, A, R, detail::Quant::Scalar>();
  return detail::finish(call);
}
template <typename T, typename G, typename F, AtomicType A = AtomicType::AtomicNone,
          ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE_FP(G &dst, T &src, F &fp, PTO_AFTER) {
  PTO_WAIT;
  detail::Call call = detail::makeCall<detail::record::TSTORE_FP>(at, src, fp);
  detail::setGlobal(call, dst);
  call.operands.mode = detail::storeMode<T, G, A, R, detail::Quant::Vector>();
  return detail::finish(call);
}
/// The phase steers a flag between M and FIX that has no effect on results.
template <STPhase, typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE(G &dst, T &src, PTO_AFTER) {
  return TSTORE<T, G, A, R>(dst, src, e0, e1, e2, e3, at);
}
template <STPhase, typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE(G &dst, T &src, uint64_t preQuantScalar, PTO_AFTER) {
  return TSTORE<T, G, A, R>(dst, src, preQuantScalar, e0, e1, e2, e3, at);
}
template <STPhase, typename T, typename G, typename F, AtomicType A = AtomicType::AtomicNone,
          ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE_FP(G &dst, T &src, F &fp, PTO_AFTER) {
  return TSTORE_FP<T, G, F, A, R>(dst, src, fp, e0, e1, e2, e3, at);
}
#undef PTO_NO_MAP

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_MEMORY_HPP
