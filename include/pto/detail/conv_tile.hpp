//===- conv_tile.hpp - tiles of convolutions --------------------*- C++ -*-===//
//
// CONVT-1 to CONVT-5: a dense tensor of up to six dimensions at a place of L1 or UB, with
// the numbers of a convolution. To the library it is a tile of blocks: rows of C0
// elements where its layout ends with C0, one row of all elements otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_CONV_TILE_HPP
#define PTO_DETAIL_CONV_TILE_HPP

#include "pto/common/pto_tile.hpp"
#include "pto/detail/conv_abi.hpp"

namespace pto {
PTO_MODE_BEGIN

/// Which registers TIMG2COL reads, and who writes them.
enum class SetFmatrixMode : uint8_t { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };
using enum SetFmatrixMode;

/// One to six extents, each fixed or DYNAMIC.
template <int64_t... N> struct ConvTileShape {
  static constexpr int totalDimCount = sizeof...(N);
  static_assert(totalDimCount >= 1 && totalDimCount <= 6, "a convolution tile has one to six dimensions");
  static_assert(((N == DYNAMIC || (N > 0 && N <= int64_t(ptoscope::tile::kConvMax))) && ...),
                "an extent is DYNAMIC, or from 1 to 2097151");
  static constexpr int64_t staticShape[6] = {N...};
  static constexpr int dynamicDimCount = (0 + ... + (N == DYNAMIC));
  int64_t shape[6] = {(N == DYNAMIC ? 1 : N)...};

  constexpr ConvTileShape() = default;
  template <typename... V>
    requires(sizeof...(V) >= 1 && (std::is_convertible_v<V, int64_t> && ...))
  constexpr ConvTileShape(V... values) {
    set(values...);
  }
  /// One value for each DYNAMIC extent, or six: those of fixed ones are ignored.
  template <typename... V> constexpr void set(V... values) {
    constexpr int count = sizeof...(V);
    static_assert(count == dynamicDimCount || count == 6,
                  "pass one value for each DYNAMIC extent, or six for all of them");
    const int64_t given[count + 1] = {int64_t(values)...};
    for (int i = 0, next = 0; i < totalDimCount; ++i) {
      const bool dynamic = staticShape[i] == DYNAMIC;
      if (dynamic)
        shape[i] = count == 6 && count != dynamicDimCount ? given[i] : given[next];
      next += dynamic;
    }
  }
};

template <TileType Loc_, typename Element, int BufferSize, Layout L, typename ShapeT> struct ConvTile {
  static_assert(ptoscope::tile::IsElement<Element> && sizeof(Element) <= 4 &&
                    ptoscope::tile::bitsOf(ptoscope::tile::elemOf<Element>) >= 8,
                "the element of a ConvTile has 8, 16 or 32 bits");
  static_assert(Loc_ == TileType::Mat || Loc_ == TileType::Vec, "a ConvTile is in Mat or Vec");

  using DType = Element;
  using TileDType = DType *;
  using Shape = ShapeT;
  static constexpr ptoscope::tile::Elem kElem = ptoscope::tile::elemOf<Element>;
  static constexpr TileType Loc = Loc_;
  static constexpr Layout layout = L;
  static constexpr int bufferSize = BufferSize;
  static constexpr int totalDimCount = ShapeT::totalDimCount;
  static constexpr const int64_t (&staticShape)[6] = ShapeT::staticShape;
  static constexpr int64_t C0 = 32 / sizeof(Element);
  /// A shape of four extents implies C0.
  static constexpr bool kImplied = L == Layout::NC1HWC0 && totalDimCount == 4;

  ConvTile() = default;
  template <typename... V>
    requires(sizeof...(V) >= 1 && (std::is_convertible_v<V, int64_t> && ...))
  explicit ConvTile(V... dynamic) {
    SetDynamicShape(int64_t(dynamic)...);
  }
#ifdef __PTO_AUTO__
  ConvTile(const ConvTile &) = delete;
  ConvTile &operator=(const ConvTile &) = delete;
  ~ConvTile() { release(); }
#endif

  template <typename... V> void SetDynamicShape(V... dynamic) { extents.set(int64_t(dynamic)...); }
  int64_t GetShape(int dim) const { return dim >= 0 && dim < totalDimCount ? extents.shape[dim] : -1; }

  TileDType &data(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    place(at);
    if (!pointer) [[unlikely]]
      ptoscope::tile::notPlaced(ptoscope_detail::sourceOf(at));
    ptoscope::tile::openToHost(uint8_t(Loc), pointer, uint64_t(bytes()));
    return pointer;
  }

  // --- the numbers of a convolution ---------------------------------------------------------
#define PTO_CONV_MEMBER(TYPE, NAME, DEFAULT)                                                                           \
  TYPE Get##NAME() const { return m##NAME; }                                                                           \
  void Set##NAME(TYPE value) { m##NAME = value; }                                                                      \
  TYPE m##NAME = DEFAULT;
  PTO_CONV_MEMBER(uint16_t, FmapH, 0)
  PTO_CONV_MEMBER(uint16_t, FmapW, 0)
  PTO_CONV_MEMBER(uint16_t, FilterH, 1)
  PTO_CONV_MEMBER(uint16_t, FilterW, 1)
  PTO_CONV_MEMBER(uint8_t, DilationH, 1)
  PTO_CONV_MEMBER(uint8_t, DilationW, 1)
  PTO_CONV_MEMBER(uint8_t, StrideH, 1)
  PTO_CONV_MEMBER(uint8_t, StrideW, 1)
  PTO_CONV_MEMBER(DType, PadValue, DType(0))
  PTO_CONV_MEMBER(uint16_t, ChannelSize, 0)
  PTO_CONV_MEMBER(uint16_t, RepeatStride, 0)
  PTO_CONV_MEMBER(uint8_t, RepeatTime, 1)
  PTO_CONV_MEMBER(uint8_t, RepeatMode, 0)
  PTO_CONV_MEMBER(bool, Transpose, false)
#ifndef PTO_NPU_ARCH_A2A3
  PTO_CONV_MEMBER(uint16_t, DstStride, 0)
  PTO_CONV_MEMBER(uint16_t, DstMposition, 0)
#endif
#undef PTO_CONV_MEMBER
  /// left, right, top, bottom
  void SetPadListArray(const uint8_t *list) {
    for (int i = 0; i < 4; ++i)
      mPadList[i] = list[i];
  }
  const uint8_t *GetPadListArray() const { return mPadList; }
  void SetPadList(int i, uint8_t value) { mPadList[i & 3] = value; }
  uint8_t GetPadList(int i) const { return mPadList[i & 3]; }

  // --- as instructions see it ---------------------------------------------------------------
  int64_t elements() const {
    int64_t count = kImplied ? C0 : 1;
    for (int i = 0; i < totalDimCount; ++i)
      count *= extents.shape[i];
    return count;
  }
  int64_t bytes() const { return elements() * int64_t(sizeof(DType)); }
  ptoscope::tile::TileView view(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    constexpr bool blocks = L != Layout::NCHW && L != Layout::NHWC && L != Layout::NCDHW && L != Layout::GNCHW;
    place(at);
    for (int i = 0; i < totalDimCount; ++i)
      if (extents.shape[i] < 1 || extents.shape[i] > int64_t(ptoscope::tile::kConvMax)) [[unlikely]] {
        ptoscope::tile::badConvExtent(extents.shape[i], ptoscope_detail::sourceOf(at));
        extents.shape[i] = 1;
      }
    ptoscope::tile::TileRef ref{};
    ref.location = uint8_t(Loc);
    ref.elem = kElem;
    ref.fractalBytes = 512;
    ref.rows = ref.validRows = int32_t(blocks ? elements() / C0 : 1);
    ref.cols = ref.validCols = int32_t(blocks ? C0 : elements());
    return {reinterpret_cast<uint8_t *>(pointer), ref};
  }
  /// Two scalars, and 16 bits of a mode.
  struct Packed {
    uint64_t low, high;
    uint32_t mode;
  };
  Packed packed() const {
    int64_t dim[7] = {};
    for (int i = 0; i < totalDimCount; ++i)
      dim[i] = extents.shape[i];
    if (kImplied)
      dim[totalDimCount] = C0;
    const auto three = [&](int first) {
      return uint64_t(dim[first]) | uint64_t(dim[first + 1]) << ptoscope::tile::kConvBits |
             uint64_t(dim[first + 2]) << 2 * ptoscope::tile::kConvBits;
    };
    return {three(0), three(3), uint32_t(L) | uint32_t(totalDimCount + kImplied) << 8};
  }
  void bind(void *memory) {
    release();
    pointer = static_cast<TileDType>(memory);
  }
  TileDType memory() const { return pointer; }

private:
  void release() {
#ifdef __PTO_AUTO__
    if (owned)
      ptoscope::tile::release(uint8_t(Loc), pointer, owned);
    owned = 0;
#endif
  }
  void place([[maybe_unused]] const ptoscope_detail::Here &at) {
#ifdef __PTO_AUTO__
    if (pointer)
      return;
    owned = uint64_t(bytes());
    pointer = static_cast<TileDType>(ptoscope::tile::allocate(uint8_t(Loc), owned, ptoscope_detail::sourceOf(at)));
#endif
  }

  TileDType pointer = nullptr;
  ShapeT extents;
  uint8_t mPadList[4] = {};
#ifdef __PTO_AUTO__
  uint64_t owned = 0; ///< bytes that the library found
#endif
};

template <TileType Loc, typename E, int B, Layout L, typename S>
inline constexpr bool is_conv_tile_v<ConvTile<Loc, E, B, L, S>> = true;
template <TileType Loc, typename E, int B, Layout L, typename S>
inline constexpr bool is_conv_tile_v<const ConvTile<Loc, E, B, L, S>> = true;

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_CONV_TILE_HPP
