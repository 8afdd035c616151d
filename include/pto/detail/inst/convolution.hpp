//===- convolution.hpp - instructions on convolution tiles ------*- C++ -*-===//
//
// CONVT-6 to CONVT-14.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_CONVOLUTION_HPP
#define PTO_DETAIL_INST_CONVOLUTION_HPP

#include "pto/detail/conv_tile.hpp"
#include "pto/detail/inst/assign.hpp"
#include "pto/detail/inst/move.hpp"
#include "pto/detail/inst/rearrange.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
#ifdef PTO_NPU_ARCH_A2A3
inline constexpr bool kConvA5 = false;
#else
inline constexpr bool kConvA5 = true;
#endif

/// A call with a convolution tile among its operands, which records do not check.
template <const Record &R> Call convCall(const Here &at) { return Call(R, sourceOf(at), kRules, kAutomatic); }
inline void addTile(Call &call, const ptoscope::tile::TileView &view) {
  call.operands.tile[call.operands.tiles++] = view;
}

/// CONVT-6, CONVT-8: which layouts of global memory a convolution tile is loaded from.
constexpr bool convLoads(Layout to, Layout from) {
  switch (to) {
  case Layout::NC1HWC0:
    return from == to || (kConvA5 && (from == Layout::NCHW || from == Layout::NHWC));
  case Layout::FRACTAL_Z:
    return from == to || (kConvA5 && from == Layout::NCHW);
  case Layout::NDC1HWC0:
  case Layout::FRACTAL_Z_3D:
    return from == to || (kConvA5 && from == Layout::NCDHW);
  default:
    return false;
  }
}
} // namespace ptoscope_detail

// --- places ---------------------------------------------------------------------------------

template <typename T, typename A>
  requires(is_conv_tile_v<T> && (std::is_integral_v<A> || std::is_enum_v<A>))
void TASSIGN(T &tile, A address, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  if constexpr (!ptoscope_detail::kAutomatic)
    tile.bind(ptoscope::tile::assign(uint8_t(T::Loc), uint64_t(address), ptoscope_detail::sourceOf(at)));
}
template <typename T, typename E>
  requires is_conv_tile_v<T>
void TASSIGN(T &tile, E *address, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  if constexpr (!ptoscope_detail::kAutomatic)
    tile.bind(
        ptoscope::tile::assign(uint8_t(T::Loc), reinterpret_cast<uintptr_t>(address), ptoscope_detail::sourceOf(at)));
}
template <auto Address, typename T>
  requires is_conv_tile_v<T>
void TASSIGN(T &tile, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  static_assert(int64_t(Address) >= 0 && int64_t(Address) % 32 == 0,
                "the address of a tile is a multiple of 32 bytes: place it at the next one");
  TASSIGN(tile, int64_t(Address), at);
}

// --- loads ----------------------------------------------------------------------------------

/// tile[index] = global memory[index] for every index of the tile; plain channels are cut
/// into blocks of C0, with zeros behind the last.
template <typename T, typename G>
  requires is_conv_tile_v<T>
RecordEvent TLOAD(T &dst, const G &src, PTO_AFTER) {
  static_assert(is_global_data_v<G>, "this operand has to be a GlobalTensor");
  static_assert(ptoscope_detail::convLoads(T::layout, G::layout),
                "TLOAD cannot bring this layout of global memory into this convolution tile: NC1HWC0, NDC1HWC0, "
                "FRACTAL_Z and FRACTAL_Z_3D are loaded as they are, on a5 also NCHW and NHWC into NC1HWC0, NCHW into "
                "FRACTAL_Z, NCDHW into NDC1HWC0 and FRACTAL_Z_3D");
  static_assert(sizeof(typename T::DType) == sizeof(typename G::DType),
                "TLOAD copies bits: elements of tile and GlobalTensor need the same size");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::convCall<ptoscope_detail::record::TLOAD_CONV>(at);
  ptoscope_detail::addTile(call, dst.view(at));
  ptoscope_detail::setGlobal(call, src);
  const auto packed = dst.packed();
  call.operands.scalar[0] = packed.low;
  call.operands.scalar[1] = packed.high;
  call.operands.mode = packed.mode;
  return ptoscope_detail::finish(call);
}

// --- filters --------------------------------------------------------------------------------

/// right(i, j) = filter(row + i, col + j): K is C1, Hk, Wk, C0 from the outermost, columns are
/// output channels. A filter lies as a ZN tile does.
template <typename D, typename S, auto... Modes>
  requires(is_tile_data_v<D> && is_conv_tile_v<S>)
RecordEvent TEXTRACT(D &dst, S &src, int64_t row, int64_t col, PTO_AFTER) {
  static_assert(S::layout == Layout::FRACTAL_Z || S::layout == Layout::FRACTAL_Z_3D,
                "a filter is moved from FRACTAL_Z or FRACTAL_Z_3D; feature maps go to Left with TIMG2COL");
  static_assert(S::Loc == TileType::Mat && D::Loc == TileType::Right, "a filter is moved from Mat to Right");
  static_assert(D::kElem == S::kElem, "the element types of the tiles differ: convert with TCVT");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::convCall<ptoscope_detail::record::TEXTRACT>(at);
  ptoscope_detail::addTile(call, dst.view(at));
  ptoscope::tile::TileView filter = src.view(at);
  // Four extents end with 16 x C0; five are C1, Hk, Wk, N, C0.
  const int64_t columns = S::totalDimCount == 4 ? src.GetShape(1) * 16 : src.GetShape(3);
  filter.ref.blockLayout = uint8_t(BLayout::RowMajor);
  filter.ref.innerLayout = uint8_t(SLayout::ColMajor);
  filter.ref.cols = filter.ref.validCols = int32_t(columns);
  filter.ref.rows = filter.ref.validRows = int32_t(src.elements() / columns);
  ptoscope_detail::addTile(call, filter);
  if (row % S::C0 != 0 || col % 16 != 0) [[unlikely]]
    ptoscope::tile::checkFilterWindow(row, col, S::C0, ptoscope_detail::sourceOf(at));
  ptoscope_detail::setWindow(call, row, col);
  call.operands.mode = ptoscope_detail::MoveMode{}.pack();
  return ptoscope_detail::finish(call);
}
template <typename D, typename S, auto... Modes>
  requires(is_tile_data_v<D> && is_conv_tile_v<S>)
RecordEvent TMOV(D &dst, S &src, PTO_AFTER) {
  return TEXTRACT(dst, src, int64_t(0), int64_t(0), PTO_EVENTS, at);
}

// --- feature maps ---------------------------------------------------------------------------

namespace ptoscope_detail {
constexpr bool isManual(SetFmatrixMode mode) {
  return mode == SetFmatrixMode::FMATRIX_A_MANUAL || mode == SetFmatrixMode::FMATRIX_B_MANUAL;
}
constexpr bool isSecond(SetFmatrixMode mode) {
  return mode == SetFmatrixMode::FMATRIX_B_AUTO || mode == SetFmatrixMode::FMATRIX_B_MANUAL;
}
/// W | H << 16 | left << 32 | right << 40 | top << 48 | bottom << 56
template <typename C> uint64_t fmatrixWord(const C &conv) {
  uint64_t word = conv.GetFmapW() | uint64_t(conv.GetFmapH()) << 16;
  for (int i = 0; i < 4; ++i)
    word |= uint64_t(conv.GetPadList(i)) << (32 + 8 * i);
  return word;
}
/// stride | time << 16 | mode << 24, on a5 | dstStride << 32 | dstMposition << 48
template <typename C> uint64_t repeatWord(const C &conv) {
  uint64_t word = conv.GetRepeatStride() | uint64_t(conv.GetRepeatTime()) << 16 | uint64_t(conv.GetRepeatMode()) << 24;
#ifndef PTO_NPU_ARCH_A2A3
  word |= uint64_t(conv.GetDstStride()) << 32 | uint64_t(conv.GetDstMposition()) << 48;
#endif
  return word;
}
/// The bits of the element; eight of them twice.
template <typename C> uint64_t paddingWord(const C &conv) {
  const auto value = conv.GetPadValue();
  uint64_t word = 0;
  __builtin_memcpy(&word, &value, sizeof(value));
  return sizeof(value) == 1 ? word | word << 8 : word;
}
} // namespace ptoscope_detail

/// A register is written in a MANUAL mode; in others the call does nothing.
#define PTO_CONV_REGISTER(NAME, REGISTER, WORD)                                                                        \
  template <typename C, SetFmatrixMode M = SetFmatrixMode::FMATRIX_A_MANUAL> RecordEvent NAME(C &conv, PTO_AFTER) {    \
    static_assert(is_conv_tile_v<C>, "this operand has to be a ConvTile");                                             \
    PTO_WAIT;                                                                                                          \
    if constexpr (ptoscope_detail::isManual(M))                                                                        \
      ptoscope::tile::setConvRegister(ptoscope::tile::ConvRegister::REGISTER, ptoscope_detail::isSecond(M),            \
                                      ptoscope_detail::WORD(conv), ptoscope_detail::sourceOf(at));                     \
    return {ptoscope_detail::sourceOf(at)};                                                                            \
  }                                                                                                                    \
  template <SetFmatrixMode M, typename C> RecordEvent NAME(C &conv, PTO_AFTER) {                                       \
    return NAME<C, M>(conv, PTO_EVENTS, at);                                                                           \
  }
PTO_CONV_REGISTER(SETFMATRIX, Fmatrix, fmatrixWord)
PTO_CONV_REGISTER(SET_IMG2COL_RPT, Repeat, repeatWord)
PTO_CONV_REGISTER(SET_IMG2COL_PADDING, Padding, paddingWord)
#undef PTO_CONV_REGISTER

/// left(r, q) = the element that position q of the filter meets at point r of the result.
template <typename D, typename C, SetFmatrixMode M = SetFmatrixMode::FMATRIX_A_MANUAL>
RecordEvent TIMG2COL(D &left, C &conv, uint16_t posM = 0, uint16_t posK = 0, PTO_AFTER) {
  using ptoscope::tile::Elem, ptoscope::tile::elems;
  static_assert(is_tile_data_v<D> && is_conv_tile_v<C>, "TIMG2COL takes a Left tile and a ConvTile");
  static_assert(C::layout == Layout::NC1HWC0 || C::layout == Layout::NDC1HWC0,
                "TIMG2COL takes feature maps in NC1HWC0 or NDC1HWC0");
  static_assert(C::Loc == TileType::Mat && D::Loc == TileType::Left, "TIMG2COL goes from Mat to Left");
  static_assert(D::kElem == C::kElem, "the element types of the tiles differ: convert with TCVT");
  static_assert(D::isInnerRowMajor && D::SFractalSize == 512,
                "the left tile is boxed with row-major fractals: TileLeft");
  static_assert(ptoscope::tile::has(elems(Elem::i8, Elem::f16, Elem::bf16, Elem::f32) |
                                        (ptoscope_detail::kConvA5 ? ptoscope::tile::kInts8To32 : 0),
                                    C::kElem),
                "TIMG2COL takes int8_t, half, bfloat16_t and float, on a5 all integers of 8 to 32 bits");
  constexpr bool deep = C::layout == Layout::NDC1HWC0;
  static_assert(deep ? C::totalDimCount >= 5 : C::totalDimCount >= 4, "the feature map has all extents of its layout");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::convCall<ptoscope_detail::record::TIMG2COL>(at);
  ptoscope_detail::addTile(call, left.view(at));
  ptoscope_detail::addTile(call, conv.view(at));
  ptoscope::tile::ConvParameters p;
  p.n = conv.GetShape(0);
  p.d = deep ? conv.GetShape(1) : 1;
  p.c1 = conv.GetShape(deep ? 2 : 1);
  p.h = conv.GetShape(deep ? 3 : 2);
  p.w = conv.GetShape(deep ? 4 : 3);
  p.fmatrix = ptoscope_detail::fmatrixWord(conv);
  // Host simulators take the size from the tile, whatever registers say.
  if (ptoscope_detail::kHost && (p.fmatrix & 0xffffffff) == 0)
    p.fmatrix |= uint64_t(p.w) | uint64_t(p.h) << 16;
  p.repeat = ptoscope_detail::repeatWord(conv);
  p.padding = ptoscope_detail::paddingWord(conv);
  p.filter = conv.GetFilterW() | uint64_t(conv.GetFilterH()) << 16 | uint64_t(conv.GetStrideW()) << 32 |
             uint64_t(conv.GetStrideH()) << 40 | uint64_t(conv.GetDilationW()) << 48 |
             uint64_t(conv.GetDilationH()) << 56;
  p.posM = posM;
  p.posK = posK;
  p.transpose = conv.GetTranspose();
  p.second = ptoscope_detail::isSecond(M);
  p.setsItself = !ptoscope_detail::isManual(M);
  ptoscope::tile::issueImg2col(call, p);
  return {call.source};
}

// --- transposes -----------------------------------------------------------------------------

/// From one layout of a tensor to another, with zeros where the source has no channels or
/// images.
template <typename D, typename S, typename T>
  requires(is_conv_tile_v<D> && is_conv_tile_v<S>)
RecordEvent TTRANS(D &dst, S &src, T &tmp, PTO_AFTER) {
  static_assert(D::Loc == TileType::Vec && S::Loc == TileType::Vec, "TTRANS works on tiles in Vec");
  static_assert(D::kElem == S::kElem, "the element types of the tiles differ: convert with TCVT");
  constexpr auto is = [](Layout from, Layout to) { return S::layout == from && D::layout == to; };
  static_assert(
      is(Layout::NCHW, Layout::NC1HWC0) || is(Layout::NC1HWC0, Layout::NCHW) ||
          is(Layout::NC1HWC0, Layout::FRACTAL_Z) || is(Layout::GNCHW, Layout::GNC1HWC0) ||
          is(Layout::GNC1HWC0, Layout::FRACTAL_Z) || is(Layout::NCDHW, Layout::FRACTAL_Z_3D),
      "TTRANS between these layouts is not modelled: no document describes it; it goes from NCHW to NC1HWC0 "
      "and back, from NC1HWC0 to FRACTAL_Z, from GNCHW to GNC1HWC0, from GNC1HWC0 to FRACTAL_Z and from NCDHW "
      "to FRACTAL_Z_3D");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::convCall<ptoscope_detail::record::TTRANS_CONV>(at);
  ptoscope_detail::addTile(call, dst.view(at));
  ptoscope_detail::addTile(call, src.view(at));
  ptoscope_detail::addTile(call, tmp.view(at));
  const auto to = dst.packed();
  const auto from = src.packed();
  call.operands.scalar[0] = to.low;
  call.operands.scalar[1] = to.high;
  call.operands.scalar[2] = from.low;
  call.operands.scalar[3] = from.high;
  call.operands.mode = to.mode | from.mode << 16;
  return ptoscope_detail::finish(call);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_CONVOLUTION_HPP
