//===- pto_tile.hpp - GlobalTensor and Tile ---------------------*- C++ -*-===//
//
// A tile is a matrix at a place of an on-chip memory (TILE-1): its
// shape, layout and memory are its type, its place and dynamic valid extents its
// value. In auto mode (`__PTO_AUTO__`) the library finds the place.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_COMMON_PTO_TILE_HPP
#define PTO_COMMON_PTO_TILE_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/detail/global_tensor.hpp"
#include "pto/detail/modes.hpp"

#include <source_location>

// Modes may meet in one program: their tiles are different types.
#if defined(__PTO_AUTO__) && defined(__CPU_SIM)
#define PTO_MODE_BEGIN inline namespace automatic_on_host {
#define PTO_MODE_END }
#elif defined(__PTO_AUTO__)
#define PTO_MODE_BEGIN inline namespace automatic {
#define PTO_MODE_END }
#elif defined(__CPU_SIM)
#define PTO_MODE_BEGIN inline namespace on_host {
#define PTO_MODE_END }
#else
#define PTO_MODE_BEGIN
#define PTO_MODE_END
#endif

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
#ifdef __PTO_AUTO__
inline constexpr bool kAutomatic = true;
#else
inline constexpr bool kAutomatic = false;
#endif
/// The host profile: what host simulators do where devices do something else.
#ifdef __CPU_SIM
inline constexpr ptoscope::tile::Rules kRules = ptoscope::tile::Rules::Host;
#else
inline constexpr ptoscope::tile::Rules kRules = ptoscope::tile::Rules::Cpp;
#endif
inline constexpr bool kHost = kRules == ptoscope::tile::Rules::Host;
using ptoscope::tile::Source;
using Here = std::source_location;
inline Source sourceOf(const Here &at) { return {at.file_name(), at.line(), at.column()}; }

/// Bytes of each memory (TASSIGN-1), by TileType.
#ifdef PTO_NPU_ARCH_A2A3
inline constexpr int64_t kMemoryBytes[] = {196608, 524288, 65536, 65536, 131072, 1024, 2048, 0, 0, 0};
#else
inline constexpr int64_t kMemoryBytes[] = {262144, 524288, 65536, 65536, 262144, 4096, 4096, 4096, 4096, 0};
#endif
} // namespace ptoscope_detail

// `Tile<float, 16, 16>` of texts: chosen by a macro, since one name cannot take a type
// and a value in the same place. The full form is then called LocatedTile.
#ifdef PTO_SHORT_TILE
#define Tile LocatedTile
#endif

enum class TileLayoutCustom : uint8_t { ND, DN, NZ, ZN, ZZ, NN, NONE };

template <TileType Loc_, typename Element, int Rows_, int Cols_, BLayout BLayout_ = BLayout::RowMajor,
          int RowValid_ = Rows_, int ColValid_ = Cols_, SLayout SLayout_ = SLayout::NoneBox, int SFractalSize_ = 512,
          auto PadVal_ = PadValue::Null, CompactMode Compact_ = CompactMode::Null>
struct Tile {
  static_assert(ptoscope::tile::IsElement<Element>,
                "the element of a Tile has to be an integer, half, bfloat16_t, float or one of the small formats");
  static_assert(Rows_ > 0 && Cols_ > 0, "a tile needs at least one row and one column");
  static_assert(RowValid_ <= Rows_ && ColValid_ <= Cols_,
                "the valid region is larger than the tile: lower RowValid and ColValid, or raise Rows and Cols");
  static_assert(RowValid_ >= DYNAMIC && ColValid_ >= DYNAMIC, "a valid extent is 0 or more, or DYNAMIC");
  static_assert(SFractalSize_ == 512 || SFractalSize_ == 1024 || SFractalSize_ == 32,
                "a fractal has 512, 1024 or 32 bytes");

  using DType = Element;
  using TileDType = DType *;
  static constexpr ptoscope::tile::Elem kElem = ptoscope::tile::elemOf<Element>;
  static constexpr TileType Loc = Loc_;
  static constexpr int Rows = Rows_, Cols = Cols_, ValidRow = RowValid_, ValidCol = ColValid_;
  static constexpr BLayout BFractal = BLayout_;
  static constexpr SLayout SFractal = SLayout_;
  static constexpr int SFractalSize = SFractalSize_;
  static constexpr auto PadVal = PadVal_;
  static constexpr CompactMode Compact = Compact_;
  static constexpr int Numel = Rows * Cols;
  static constexpr bool isRowMajor = BFractal == BLayout::RowMajor;
  static constexpr bool isBoxedLayout = SFractal != SLayout::NoneBox;
  static constexpr bool isInnerRowMajor = SFractal == SLayout::RowMajor;
  static constexpr bool isInnerColMajor = SFractal == SLayout::ColMajor;
  /// Bytes of a box: of two elements in a byte it has as many as of one, and half the bytes (TILE-6).
  static constexpr int kBoxBytes = SFractalSize == 512 && ptoscope::tile::bitsOf(kElem) == 4 ? 256 : SFractalSize;
  static constexpr int InnerRows = ptoscope::tile::innerBox(kElem, SFractal, kBoxBytes).rows;
  static constexpr int InnerCols = ptoscope::tile::innerBox(kElem, SFractal, kBoxBytes).cols;
  static constexpr int InnerNumel = InnerRows * InnerCols;
  static constexpr int RowStride = isRowMajor ? Cols : 1;
  static constexpr int ColStride = isRowMajor ? 1 : Rows;
  static constexpr int64_t kBytes = ptoscope::tile::bytesFor(kElem, int64_t(Rows) * Cols);

  /// What its type says of it.
  static constexpr ptoscope::tile::TileRef kFixed = {/*address=*/0,
                                                     uint8_t(Loc),
                                                     kElem,
                                                     uint8_t(BFractal),
                                                     uint8_t(SFractal),
                                                     uint16_t(kBoxBytes),
                                                     uint8_t(Compact),
                                                     /*reserved=*/0,
                                                     Rows,
                                                     Cols,
                                                     ValidRow,
                                                     ValidCol,
                                                     /*beyondRows=*/0,
                                                     /*beyondCols=*/0,
                                                     /*storage=*/0,
                                                     uint64_t(PadVal)};

  static_assert(isBoxedLayout || !isRowMajor || Cols * int(sizeof(DType)) % 32 == 0,
                "a row of a row-major tile is a multiple of 32 bytes: raise Cols and set ColValid to what is used");
  static_assert(
      isBoxedLayout || isRowMajor || Rows * int(sizeof(DType)) % 32 == 0,
      "a column of a column-major tile is a multiple of 32 bytes: raise Rows and set RowValid to what is used");
  static_assert(!isBoxedLayout || Cols % InnerCols == 0, "the columns of a boxed tile are a multiple of its fractal's");
  static_assert(!isBoxedLayout || Rows % InnerRows == 0 || Loc == TileType::Vec || SFractalSize == 32 || Rows == 1,
                "the rows of a boxed tile are a multiple of its fractal's");

  unsigned RowMaskInternal = RowValid_ == DYNAMIC ? Rows_ : RowValid_;
  unsigned ColMaskInternal = ColValid_ == DYNAMIC ? Cols_ : ColValid_;

  Tile() = default;
  Tile(int rows, int cols, ptoscope_detail::Here at = ptoscope_detail::Here::current())
    requires(RowValid_ == DYNAMIC && ColValid_ == DYNAMIC)
  {
    SetValidShape(rows, cols, at);
  }
  explicit Tile(int n, ptoscope_detail::Here at = ptoscope_detail::Here::current())
    requires((RowValid_ == DYNAMIC) != (ColValid_ == DYNAMIC))
  {
    if constexpr (RowValid_ == DYNAMIC)
      SetValidRow(n, at);
    else
      SetValidCol(n, at);
  }
#ifdef __PTO_AUTO__
  Tile(const Tile &) = delete;
  Tile &operator=(const Tile &) = delete;
  ~Tile() { release(); }
#endif

  static constexpr unsigned GetValidRow()
    requires(RowValid_ != DYNAMIC)
  {
    return RowValid_;
  }
  unsigned GetValidRow() const
    requires(RowValid_ == DYNAMIC)
  {
    return RowMaskInternal;
  }
  static constexpr unsigned GetValidCol()
    requires(ColValid_ != DYNAMIC)
  {
    return ColValid_;
  }
  unsigned GetValidCol() const
    requires(ColValid_ == DYNAMIC)
  {
    return ColMaskInternal;
  }
  void SetValidRow(int64_t n, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    static_assert(RowValid_ == DYNAMIC, "the valid rows of this tile are fixed: declare it with RowValid = DYNAMIC");
    RowMaskInternal = extent("rows", n, Rows, at);
  }
  void SetValidCol(int64_t n, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    static_assert(ColValid_ == DYNAMIC, "the valid columns of this tile are fixed: declare it with ColValid = DYNAMIC");
    ColMaskInternal = extent("columns", n, Cols, at);
  }
  void SetValidShape(int64_t rows, int64_t cols, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    SetValidRow(rows, at);
    SetValidCol(cols, at);
  }

  /// The tile in memory; what the pipes are about to do to it is done first.
  TileDType &data(ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    open(at);
    return pointer;
  }
  TileDType data(ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    open(at);
    return pointer;
  }
  /// Element number `offset` in memory, by the scalar unit.
  DType GetValue(int64_t offset, ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    static_assert(Loc == TileType::Vec, "the scalar unit reads Vec tiles only");
    static_assert(ptoscope::tile::bitsOf(kElem) >= 8, "two elements share a byte: read it through data()");
    meetPipes(at);
    const uint64_t bits =
        ptoscope::tile::loadScalar(uint8_t(Loc), pointer + offset, sizeof(DType), ptoscope_detail::sourceOf(at));
    DType value;
    __builtin_memcpy(static_cast<void *>(&value), &bits, sizeof(DType));
    return value;
  }
  void SetValue(int64_t offset, DType value, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    static_assert(Loc == TileType::Vec, "the scalar unit writes Vec tiles only");
    static_assert(ptoscope::tile::bitsOf(kElem) >= 8, "two elements share a byte: write it through data()");
    place(at);
    meetPipes(at);
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(DType));
    ptoscope::tile::storeScalar(uint8_t(Loc), pointer + offset, sizeof(DType), bits, ptoscope_detail::sourceOf(at));
    meetPipes(at);
  }
  void SetKAligned(bool value) { kAligned = value; }
  bool GetKAligned() const { return kAligned; }

  // Host only: by row and column.
  DType GetElement(int64_t r, int64_t c, ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    return ptoscope::tile::elementAt<std::remove_cv_t<DType>>(data(at), size_t(offsetOf(r, c)));
  }
  void SetElement(int64_t r, int64_t c, DType value, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    ptoscope::tile::setElementAt(data(at), size_t(offsetOf(r, c)), value);
  }
  void AddToElement(int64_t r, int64_t c, DType value, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
    SetElement(r, c, DType(GetElement(r, c, at) + value), at);
  }
  static constexpr size_t GetSizeInBytes() { return size_t(kBytes); }

  /// As instructions see it, written in place.
  void view(ptoscope::tile::TileView &result, const ptoscope_detail::Here &at) const {
    place(at);
    result.data = reinterpret_cast<uint8_t *>(const_cast<std::remove_cv_t<DType> *>(pointer));
    fill(result.ref);
  }
  ptoscope::tile::TileView view(ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    ptoscope::tile::TileView result;
    view(result, at);
    return result;
  }
  ptoscope::tile::TileRef ref() const {
    ptoscope::tile::TileRef result;
    fill(result);
    return result;
  }
  /// The same memory as another tile, or a place that TASSIGN or a pop gave.
  void bind(void *memory, uint32_t pop = 0) {
    release();
    pointer = static_cast<TileDType>(memory);
    popped = pop;
  }
  TileDType memory() const { return pointer; }

private:
  void fill(ptoscope::tile::TileRef &result) const {
    // One constant to copy: a statement for each number takes compilers much longer.
    result = kFixed;
    if constexpr (RowValid_ == DYNAMIC)
      result.validRows = int32_t(RowMaskInternal);
    if constexpr (ColValid_ == DYNAMIC)
      result.validCols = int32_t(ColMaskInternal);
    result.storage = popped;
  }
  /// Storage that the library found goes back to it.
  void release() {
#ifdef __PTO_AUTO__
    if (owned)
      ptoscope::tile::release(uint8_t(Loc), pointer, kBytes);
    owned = false;
#endif
  }
  /// In auto mode the scalar unit meets pipes that no one ordered.
  static void meetPipes([[maybe_unused]] const ptoscope_detail::Here &at) {
#ifdef __PTO_AUTO__
    ptoscope::tile::barrier(PIPE_ALL, ptoscope_detail::sourceOf(at));
#endif
  }
  void place([[maybe_unused]] const ptoscope_detail::Here &at) const {
#ifdef __PTO_AUTO__
    if (pointer)
      return;
    pointer = static_cast<TileDType>(ptoscope::tile::allocate(uint8_t(Loc), kBytes, ptoscope_detail::sourceOf(at)));
    owned = true;
#endif
  }
  void open(const ptoscope_detail::Here &at) const {
    place(at);
    if (!pointer) [[unlikely]]
      ptoscope::tile::notPlaced(ptoscope_detail::sourceOf(at));
    ptoscope::tile::openToHost(uint8_t(Loc), pointer, kBytes);
  }
  static unsigned extent(const char *which, int64_t n, int capacity, const ptoscope_detail::Here &at) {
    if (n >= 0 && n <= capacity)
      return unsigned(n);
    ptoscope::tile::badExtent(which, n, capacity, ptoscope_detail::sourceOf(at));
    return unsigned(capacity);
  }
  int64_t offsetOf(int64_t r, int64_t c) const { return ptoscope::tile::tileMap(ref()).offset(r, c); }

#ifdef __PTO_AUTO__
  // A source that no one placed gets its place when it is first used.
  mutable TileDType pointer = nullptr;
  mutable bool owned = false;
#else
  TileDType pointer = nullptr;
#endif
  bool kAligned = false;
  uint32_t popped = 0; ///< the pop that gave it its place
};

// --- aliases --------------------------------------------------------------------------------------

template <typename T, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols,
          CompactMode Compact = CompactMode::Null>
using TileLeftOf = Tile<TileType::Left, T, Rows, Cols,
#if defined(PTO_NPU_ARCH_A2A3) && defined(__CCE_AICORE__)
                        BLayout::RowMajor,
#else
                        BLayout::ColMajor,
#endif
                        RowValid, ColValid, SLayout::RowMajor, 512, PadValue::Null, Compact>;
template <typename T, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>
using TileLeft = TileLeftOf<T, Rows, Cols, RowValid, ColValid>;
template <typename T, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>
using TileLeftCompact = TileLeftOf<T, Rows, Cols, RowValid, ColValid, CompactMode::Normal>;

#define PTO_TILE_ALIAS(NAME, LOC, BLOCK, INNER, FRACTAL)                                                               \
  template <typename T, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>                                  \
  using NAME = Tile<TileType::LOC, T, Rows, Cols, BLayout::BLOCK, RowValid, ColValid, SLayout::INNER, FRACTAL>;        \
  template <typename T, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>                                  \
  using NAME##Compact = Tile<TileType::LOC, T, Rows, Cols, BLayout::BLOCK, RowValid, ColValid, SLayout::INNER,         \
                             FRACTAL, PadValue::Null, CompactMode::Normal>;
PTO_TILE_ALIAS(TileRight, Right, RowMajor, ColMajor, 512)
PTO_TILE_ALIAS(TileAcc, Acc, ColMajor, RowMajor, 1024)
PTO_TILE_ALIAS(TileLeftScale, ScaleLeft, RowMajor, RowMajor, 32)
PTO_TILE_ALIAS(TileRightScale, ScaleRight, ColMajor, ColMajor, 32)
#undef PTO_TILE_ALIAS

// --- traits ---------------------------------------------------------------------------------------

template <typename T> struct is_tile_data : std::false_type {};
template <TileType Loc, typename E, int R, int C, BLayout B, int RV, int CV, SLayout S, int F, auto P, CompactMode M>
struct is_tile_data<Tile<Loc, E, R, C, B, RV, CV, S, F, P, M>> : std::true_type {};
template <typename T> inline constexpr bool is_tile_data_v = is_tile_data<std::remove_cv_t<T>>::value;
template <typename T> inline constexpr bool is_conv_tile_v = false;
template <typename T> inline constexpr bool is_boxed_data_v = is_tile_data_v<T> && T::isBoxedLayout;

namespace ptoscope_detail {
constexpr TileLayoutCustom layoutOf(const ptoscope::tile::TileRef &tile) {
  constexpr TileLayoutCustom kNames[2][3] = {{TileLayoutCustom::ND, TileLayoutCustom::ZZ, TileLayoutCustom::ZN},
                                             {TileLayoutCustom::DN, TileLayoutCustom::NZ, TileLayoutCustom::NN}};
  return kNames[BLayout(tile.blockLayout) != BLayout::RowMajor][tile.innerLayout];
}
} // namespace ptoscope_detail
template <typename T> constexpr TileLayoutCustom GetTileLayoutCustom() {
  if constexpr (is_tile_data_v<T>)
    return ptoscope_detail::layoutOf(T::kFixed);
  else
    return TileLayoutCustom::NONE;
}
template <typename T> inline constexpr bool is_Nz_layout = GetTileLayoutCustom<T>() == TileLayoutCustom::NZ;
template <typename T> inline constexpr bool is_Zn_layout = GetTileLayoutCustom<T>() == TileLayoutCustom::ZN;
template <typename T> inline constexpr bool is_Zz_layout = GetTileLayoutCustom<T>() == TileLayoutCustom::ZZ;

/// Where element (r, c) of a tile of this type lies, counted in elements (TILE-5). No
/// range is checked.
template <typename T> constexpr size_t GetTileElementOffset(size_t r, size_t c) {
  static_assert(is_tile_data_v<T>, "GetTileElementOffset names the type of a tile");
  using ptoscope::tile::Elem;
  ptoscope::tile::TileRef ref{};
  ref.elem = T::kElem;
  ref.blockLayout = uint8_t(T::BFractal);
  ref.innerLayout = uint8_t(T::SFractal);
  ref.fractalBytes = uint16_t(T::kBoxBytes);
  ref.rows = ref.validRows = T::Rows;
  ref.cols = ref.validCols = T::Cols;
  return size_t(ptoscope::tile::tileMap(ref).offset(int64_t(r), int64_t(c)));
}
template <typename T> constexpr size_t GetTileOffset(int r, int c) {
  return GetTileElementOffset<T>(size_t(r), size_t(c));
}

/// The element that the pad value of a tile stands for; 0 for Null.
template <typename T> constexpr typename T::DType GetPadValue() {
  struct Bits {
    unsigned char byte[sizeof(typename T::DType)];
  } bits{};
  for (unsigned i = 0; i < sizeof(bits); ++i)
    bits.byte[i] = static_cast<unsigned char>(ptoscope::tile::padBits(T::kElem, uint64_t(T::PadVal)) >> (8 * i));
  return std::bit_cast<typename T::DType>(bits);
}

#ifdef PTO_SHORT_TILE
#undef Tile
template <typename Element, int Rows, int Cols, BLayout BL = BLayout::RowMajor, int RowValid = Rows,
          int ColValid = Cols>
using Tile = LocatedTile<TileType::Vec, Element, Rows, Cols, BL, RowValid, ColValid>;
#endif

PTO_MODE_END
} // namespace pto

#include "pto/detail/letters_end.inc"

#endif // PTO_COMMON_PTO_TILE_HPP
