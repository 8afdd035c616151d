//===- memory.hpp - TLOAD and TSTORE ----------------------------*- C++ -*-===//
//
// Loads (TLOAD) and stores (TSTORE).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_MEMORY_HPP
#define PTO_DETAIL_INST_MEMORY_HPP

#include "pto/detail/host.hpp"
#include "pto/detail/inst/shapes.hpp"
#include "pto/detail/paths.hpp"

namespace pto {
PTO_MODE_BEGIN

#define PTO_NO_MAP                                                                                                     \
  "this layout of global memory is not modelled: no document says where its elements are; describe the memory "        \
  "as ND, DN or NZ"

namespace ptoscope_detail {
/// What is filled around a loaded tile, unless the launch says otherwise.
#if defined(__CPU_SIM) || defined(PTO_FULL_FILL)
inline constexpr auto kLoadMode = ptoscope::tile::LoadMode::FullFill;
#else
inline constexpr auto kLoadMode = ptoscope::tile::LoadMode::Hardware;
#endif

// The rules are functions of values: compilers read a template again for each pair of types.
constexpr bool sameWidth(const ptoscope::tile::TileRef &tile, ptoscope::tile::Elem elem) {
  return ptoscope::tile::bitsOf(tile.elem) == ptoscope::tile::bitsOf(elem);
}
/// TLOAD-2 to TLOAD-5: which layouts of global memory a tile can be loaded from.
constexpr bool loadable(const ptoscope::tile::TileRef &tile, Layout gm) {
  using L = TileLayoutCustom;
  const L layout = layoutOf(tile);
  const auto memory = TileType(tile.location);
  const bool mat = memory == TileType::Mat;
#ifdef PTO_NPU_ARCH_A5
  constexpr bool a5 = true;
#else
  constexpr bool a5 = false;
#endif
  switch (gm) {
  case Layout::MX_A_ZZ:
  case Layout::MX_A_ND:
  case Layout::MX_A_DN:
    return mat && layout == L::ZZ;
  case Layout::MX_B_NN:
  case Layout::MX_B_ND:
  case Layout::MX_B_DN:
    return mat && layout == L::NN;
  default:
    return ptoscope::tile::loads(memory, BLayout(tile.blockLayout), SLayout(tile.innerLayout), gm, a5);
  }
}
#ifdef PTO_LOOSE_LAYOUTS
inline constexpr bool kLooseLayouts = true;
#else
inline constexpr bool kLooseLayouts = false;
#endif

/// A load whose tile and view were found to fit.
template <const Record &R, typename T, typename G> RecordEvent load(T &dst, const G &src, const Here &at) {
  static_assert(ptoscope::tile::hasGlobalMap(G::layout), PTO_NO_MAP);
  Call call = makeOpenCall<R>(at, dst);
  PTO_DEVICE_RULE(call, (sameWidth(T::kFixed, G::kElem)),
                  "TLOAD copies bits: elements of tile and GlobalTensor need the same size");
  PTO_DEVICE_RULE(call, (kLooseLayouts || loadable(T::kFixed, G::layout)),
                  "TLOAD cannot bring this layout of global memory into this layout of tile: a Vec tile takes ND into "
                  "row-major, DN into column-major, NZ into NZ; a Mat tile also ND into NZ and DN into ZN "
                  "(define PTO_LOOSE_LAYOUTS to allow any pair)");
  setGlobal(call, src);
  call.operands.mode = uint32_t(kLoadMode);
  return finish(call);
}
} // namespace ptoscope_detail

template <typename T, typename G> RecordEvent TLOAD(T &dst, const G &src, PTO_AFTER) {
  static_assert(ptoscope_detail::kTransfers<T, G>, "TLOAD(tile, view): the tile comes first, then a GlobalTensor");
  PTO_WAIT;
  if constexpr (ptoscope_detail::kTransfers<T, G>)
    return ptoscope_detail::load<ptoscope_detail::record::TLOAD>(dst, src, at);
  else
    return {};
}
/// The back-end entry, which programs may call.
template <typename T, typename G>
RecordEvent TLOAD_IMPL(T &dst, const G &src, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  return TLOAD(dst, src, PTO_NO_EVENTS, at);
}
/// Staging is loading: the tile holds the data early.
template <typename T, typename G>
  requires(!is_tile_data_v<G>)
RecordEvent TPREFETCH(T &dst, const G &src, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  if constexpr (ptoscope_detail::kHost) // HMOVE-8: a hint
    return {ptoscope_detail::sourceOf(at)};
  else
    return ptoscope_detail::load<ptoscope_detail::record::TPREFETCH>(dst, src, at);
}

namespace ptoscope_detail {
using ptoscope::tile::MoveMode;
using ptoscope::tile::Quant;

template <typename F> constexpr void checkWords() {
  static_assert(is_tile_data_v<F>, "this operand has to be a tile");
  static_assert(F::kElem == ptoscope::tile::Elem::u64,
                "words of quantisation have the type uint64_t, one for each column");
}

/// TSTORE-2, TSTORE-3: which layouts of global memory a tile can be stored to.
constexpr bool storable(const ptoscope::tile::TileRef &tile, Layout gm) {
  using L = TileLayoutCustom;
  const L layout = layoutOf(tile);
  const bool acc = TileType(tile.location) == TileType::Acc;
  switch (gm) {
  case Layout::ND:
  case Layout::DN: {
#ifdef PTO_NPU_ARCH_A5
    // One row or one column lies the same way in both.
    if (TileType(tile.location) == TileType::Vec && SLayout(tile.innerLayout) == SLayout::NoneBox &&
        (tile.rows == 1 || tile.cols == 1))
      return true;
#endif
    return acc ? gm == Layout::ND : layout == (gm == Layout::ND ? L::ND : L::DN);
  }
  case Layout::NZ:
    return layout == L::NZ;
#ifdef PTO_NPU_ARCH_A5
  case Layout::NHWC:
  case Layout::NCHW:
  case Layout::NCDHW:
    return acc;
#else
  case Layout::NC1HWC0:
  case Layout::NDC1HWC0:
    return acc;
#endif
  default:
    return false;
  }
}

/// HMOVE-10: what is left of a quantisation in the host profile.
template <typename S, typename D, Quant Q> constexpr Quant hostQuant() {
  return Q != Quant::None && quantises(S::kElem, D::kElem, Q == Quant::Vector) ? Q : Quant::None;
}

/// What a store does beside copying.
struct StoreKind {
  bool acc, atomic, plain;
};
constexpr StoreKind storeKind(TileType from, AtomicType atomic, ReluPreMode relu, Quant quant) {
  return {from == TileType::Acc, atomic != AtomicType::AtomicNone, relu == ReluPreMode::NoRelu && quant == Quant::None};
}

/// A store of the tile in `call`.
template <typename T, typename G, AtomicType A, ReluPreMode R, Quant Q, STPhase P>
RecordEvent store(Call &call, G &dst) {
  static_assert(ptoscope::tile::hasGlobalMap(G::layout), PTO_NO_MAP);
  constexpr StoreKind kind = storeKind(T::Loc, A, R, Q);
  PTO_DEVICE_RULE(call, (kind.acc || sameWidth(T::kFixed, G::kElem)),
                  "TSTORE copies bits from Vec and Mat tiles: elements of tile and GlobalTensor need the same size");
  PTO_DEVICE_RULE(
      call, (!kind.acc || ptoscope::tile::accConverts(T::kElem, G::kElem, Q)),
      "the accumulator cannot be stored as this element: float goes to float, half or bfloat16_t and int32_t to "
      "int32_t; other types need a quantisation scalar or TSTORE_FP");
  PTO_DEVICE_RULE(call, (kind.acc || kind.plain), "relu and quantisation are for tiles in the accumulator");
  PTO_DEVICE_RULE(
      call, (kLooseLayouts || storable(T::kFixed, G::layout)),
      "TSTORE cannot bring this layout of tile into this layout of global memory: row-major goes to ND, "
      "column-major to DN, NZ to NZ; the accumulator to ND or NZ (define PTO_LOOSE_LAYOUTS to allow any pair)");
  static_assert(!kind.atomic || ptoscope::tile::hasAtomicOnHost(G::kElem),
                "atomic stores exist for float, half, bfloat16_t and integers of 8 to 32 bits");
  PTO_DEVICE_RULE(call, (!kind.atomic || ptoscope::tile::hasAtomic(G::kElem)),
                  "atomic stores exist for float, half, bfloat16_t, int8_t, int16_t and int32_t");
  MoveMode mode;
  mode.atomic = A;
  mode.relu = R;
  mode.quant = Q;
  mode.phase = uint8_t(P);
  if constexpr (kHost) {
    mode.quant = hostQuant<T, G, Q>();
    mode.saturate = mode.quant != Quant::None && saturates();
  }
  setGlobal(call, dst);
  call.operands.mode = mode.pack();
  return finish(call);
}
} // namespace ptoscope_detail

template <typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu,
          STPhase P = STPhase::Unspecified>
RecordEvent TSTORE(G &dst, T &src, PTO_AFTER) {
  static_assert(ptoscope_detail::kTransfers<T, G>, "TSTORE(view, tile): the GlobalTensor comes first, then the tile");
  PTO_WAIT;
  if constexpr (ptoscope_detail::kTransfers<T, G>) {
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TSTORE>(at, src);
    return ptoscope_detail::store<T, G, A, R, ptoscope_detail::Quant::None, P>(call, dst);
  } else {
    return {};
  }
}
template <typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu,
          STPhase P = STPhase::Unspecified>
RecordEvent TSTORE(G &dst, T &src, uint64_t preQuantScalar, PTO_AFTER) {
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TSTORE>(at, src);
  ptoscope_detail::setScalar(call, ptoscope::tile::kWordScalar, preQuantScalar);
  return ptoscope_detail::store<T, G, A, R, ptoscope_detail::Quant::Scalar, P>(call, dst);
}
template <typename T, typename G, typename F, AtomicType A = AtomicType::AtomicNone,
          ReluPreMode R = ReluPreMode::NoRelu, STPhase P = STPhase::Unspecified>
RecordEvent TSTORE_FP(G &dst, T &src, F &fp, PTO_AFTER) {
  PTO_WAIT;
  if constexpr (ptoscope_detail::kHost && !ptoscope_detail::quantises(T::kElem, G::kElem, true)) {
    // Without a mode the words say nothing.
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TSTORE>(at, src);
    return ptoscope_detail::store<T, G, A, R, ptoscope_detail::Quant::Vector, P>(call, dst);
  } else {
    ptoscope_detail::checkWords<F>();
    ptoscope_detail::Call call = ptoscope_detail::makeOpenCall<ptoscope_detail::record::TSTORE_FP>(at, src, fp);
    return ptoscope_detail::store<T, G, A, R, ptoscope_detail::Quant::Vector, P>(call, dst);
  }
}
/// The phase is the unit flag of the store (TSTORE-14); it may come first.
template <STPhase P, typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE(G &dst, T &src, PTO_AFTER) {
  return TSTORE<T, G, A, R, P>(dst, src, PTO_EVENTS, at);
}
template <STPhase P, typename T, typename G, AtomicType A = AtomicType::AtomicNone, ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE(G &dst, T &src, uint64_t preQuantScalar, PTO_AFTER) {
  return TSTORE<T, G, A, R, P>(dst, src, preQuantScalar, PTO_EVENTS, at);
}
template <STPhase P, typename T, typename G, typename F, AtomicType A = AtomicType::AtomicNone,
          ReluPreMode R = ReluPreMode::NoRelu>
RecordEvent TSTORE_FP(G &dst, T &src, F &fp, PTO_AFTER) {
  return TSTORE_FP<T, G, F, A, R, P>(dst, src, fp, PTO_EVENTS, at);
}
#undef PTO_NO_MAP

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_MEMORY_HPP
