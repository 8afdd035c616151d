//===- layout.hpp - where the elements of a tile or view are ----*- C++ -*-===//
//
// Every layout of the tile API, on chip and in global memory, puts element (r, c)
// at R(r) + C(c): each coordinate is written in digits of fixed radices and each
// digit has a stride. A Map is these two lists of digits. It is all that
// transfers, footprints and bounds need to know about a layout.
//
// Offsets count elements; two 4-bit elements share a byte, the even one in its
// low half. Everything here can be evaluated at compile time, and is inlined
// always: the library compiles its users for several kinds of host, and no copy
// of a function may serve more than one.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_LAYOUT_HPP
#define PTO_DETAIL_LAYOUT_HPP

#include "pto/detail/abi.hpp"
#include "pto/detail/kinds.hpp"

#define PTO_DETAIL_INLINE [[gnu::always_inline]] inline constexpr

namespace ptoscope::tile {

/// `count` values of one digit, `stride` elements apart.
struct Digit {
  int64_t count;
  int64_t stride;
};

/// One coordinate, in digits, innermost first. The count of the last digit is not
/// used: it takes whatever is left, so nothing wraps at the end of a view.
struct Axis {
  static constexpr int kMaxDigits = 4;
  Digit digit[kMaxDigits] = {};
  int digits = 0;

  /// Adds the next digit outwards. Digits of one value are left out beside
  /// others; digits that continue the one before become part of it.
  [[gnu::always_inline]] constexpr void add(int64_t count, int64_t stride) {
    if (digits > 0) {
      if (count <= 1)
        return;
      Digit &inner = digit[digits - 1];
      if (inner.count <= 1) {
        inner = {count, stride};
        return;
      }
      // Strides are a program's numbers: products of large ones are left alone.
      constexpr int64_t kLarge = int64_t(1) << 31;
      if (inner.count < kLarge && inner.stride < kLarge && inner.stride > -kLarge && count < kLarge &&
          inner.count * inner.stride == stride) {
        inner.count *= count;
        return;
      }
    }
    digit[digits++] = {count, stride};
  }

  [[gnu::always_inline]] constexpr int64_t offset(int64_t index) const {
    int64_t result = 0;
    for (int k = 0; k + 1 < digits; ++k) {
      result += index % digit[k].count * digit[k].stride;
      index /= digit[k].count;
    }
    return result + index * digit[digits - 1].stride;
  }
};

struct Map {
  Axis row, col;
  [[gnu::always_inline]] constexpr int64_t offset(int64_t r, int64_t c) const { return row.offset(r) + col.offset(c); }
  /// Element (r, c) of the result is (c, r) of this.
  [[gnu::always_inline]] constexpr Map transposed() const { return {col, row}; }
};

/// Bytes that `elements` elements take, a half-filled byte counted whole.
PTO_DETAIL_INLINE int64_t bytesFor(Elem elem, int64_t elements) { return (elements * int64_t(bitsOf(elem)) + 7) / 8; }

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

struct Extents {
  int32_t rows, cols;
};

/// Rows and columns that are the tile's own: all of them, but for windows.
PTO_DETAIL_INLINE Extents capacityOf(const TileRef &tile) {
  return {tile.rows - tile.beyondRows, tile.cols - tile.beyondCols};
}

/// The box that a boxed layout repeats; 1 x 1 for layouts without (TILE-6).
PTO_DETAIL_INLINE Extents innerBox(Elem elem, SLayout inner, int fractalBytes) {
  if (inner == SLayout::NoneBox)
    return {1, 1};
  // 16 lines of equal bytes; those of 1024 and of 32 count elements.
  const int32_t line = fractalBytes / 16 * 8 >> __builtin_ctz(bitsOf(elem));
  const int32_t longSide = fractalBytes == 1024 ? 16 : fractalBytes == 32 ? 2 : line;
  return inner == SLayout::RowMajor ? Extents{16, longSide} : Extents{longSide, 16};
}

PTO_DETAIL_INLINE int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

/// Empty if the layout is modelled, else why not.
PTO_DETAIL_INLINE const char *layoutProblem(const TileRef &tile) {
  const auto compact = CompactMode(tile.compact);
  if (compact == CompactMode::RowAlignedPadding)
    return "`CompactMode::RowAlignedPadding` is not modelled: no document says where its elements are";
  if (compact == CompactMode::RowPlusOne &&
      (BLayout(tile.blockLayout) != BLayout::ColMajor || SLayout(tile.innerLayout) != SLayout::RowMajor))
    return "`CompactMode::RowPlusOne` is modelled for NZ tiles only";
  return "";
}

/// TILE-5. Compact tiles (TILE-7): Normal brings blocks together to
/// the valid extent, RowPlusOne puts the column blocks of NZ one row further apart.
PTO_DETAIL_INLINE Map tileMap(const TileRef &tile) {
  const bool rowMajor = BLayout(tile.blockLayout) == BLayout::RowMajor;
  const auto inner = SLayout(tile.innerLayout);
  Map map;
  if (inner == SLayout::NoneBox) {
    map.row.add(tile.rows, rowMajor ? tile.cols : 1);
    map.col.add(tile.cols, rowMajor ? 1 : tile.rows);
    return map;
  }
  const Extents box = innerBox(tile.elem, inner, tile.fractalBytes);
  // Scales of one row are contiguous (MXT-4).
  const bool oneRow = tile.fractalBytes == 32 && tile.rows == 1 && inner == SLayout::RowMajor;
  const int64_t ir = oneRow ? 1 : box.rows, ic = box.cols;
  // Extents of boxes are powers of two, and divisions are what is dear here.
  const auto boxes = [](int64_t extent, int64_t side) { return (extent + side - 1) >> __builtin_ctz(unsigned(side)); };
  const bool compact = CompactMode(tile.compact) == CompactMode::Normal;
  const int64_t rows =
      compact ? roundUp(tile.validRows, ir) : tile.rows + (CompactMode(tile.compact) == CompactMode::RowPlusOne);
  const int64_t cols = compact ? roundUp(tile.validCols, ic) : tile.cols;
  const bool innerRowMajor = inner == SLayout::RowMajor;
  map.row.add(ir, innerRowMajor ? ic : 1);
  map.row.add(boxes(tile.rows, ir), rowMajor ? cols * ir : ir * ic);
  map.col.add(ic, innerRowMajor ? 1 : ir);
  map.col.add(boxes(tile.cols, ic), rowMajor ? ir * ic : rows * ic);
  return map;
}

/// Places that a flat index can name, row by row; those of a window are counted with
/// the columns around it.
PTO_DETAIL_INLINE int64_t flatCount(const TileRef &tile) {
  const Extents own = capacityOf(tile);
  return own.rows <= 0 ? 0 : int64_t(own.rows - 1) * tile.cols + own.cols;
}

/// Coordinates of an element of a tile, the inverse of Map::offset.
struct Place {
  int64_t row, col;
};

PTO_DETAIL_INLINE Place placeOf(const TileRef &tile, int64_t offset) {
  const Map map = tileMap(tile);
  struct Weighed {
    int64_t count, stride, weight;
    bool ofRow;
  } all[2 * Axis::kMaxDigits] = {};
  int n = 0;
  for (int side = 0; side < 2; ++side) {
    const bool ofRow = side == 0;
    const Axis &axis = ofRow ? map.row : map.col;
    int64_t left = ofRow ? tile.rows : tile.cols, weight = 1;
    for (int k = 0; k < axis.digits; ++k) {
      const int64_t count = k + 1 < axis.digits ? axis.digit[k].count : left;
      if (count > 1)
        all[n++] = {count, axis.digit[k].stride, weight, ofRow};
      weight *= count;
      left = (left + count - 1) / count;
    }
  }
  // Largest stride first: the digits are then those of the offset itself.
  for (int i = 0; i < n; ++i)
    for (int j = i; j > 0 && all[j - 1].stride < all[j].stride; --j) {
      const Weighed swapped = all[j];
      all[j] = all[j - 1];
      all[j - 1] = swapped;
    }
  Place place = {0, 0};
  for (int i = 0; i < n; ++i) {
    (all[i].ofRow ? place.row : place.col) += offset / all[i].stride * all[i].weight;
    offset %= all[i].stride;
  }
  return place;
}

/// One past the last element of the prefix [0, rows) x [0, cols). In a tile's
/// layouts offsets grow with both coordinates.
PTO_DETAIL_INLINE int64_t tileEnd(const TileRef &tile, int64_t rows, int64_t cols) {
  return rows <= 0 || cols <= 0 ? 0 : tileMap(tile).offset(rows - 1, cols - 1) + 1;
}

//===----------------------------------------------------------------------===//
// Views of global memory
//===----------------------------------------------------------------------===//

/// Whether (r, c) has a meaning in that layout (GT-5).
PTO_DETAIL_INLINE bool hasGlobalMap(Layout layout) {
  switch (layout) {
  case Layout::ND:
  case Layout::DN:
  case Layout::NZ:
  case Layout::MX_A_ZZ:
  case Layout::MX_A_ND:
  case Layout::MX_A_DN:
  case Layout::MX_B_NN:
  case Layout::MX_B_ND:
  case Layout::MX_B_DN:
  case Layout::NC1HWC0:
  case Layout::NDC1HWC0:
  case Layout::FRACTAL_Z:
    return true;
  default:
    return false;
  }
}

/// GT-5. Digits of NZ and of the conv layouts are the extents of the view.
PTO_DETAIL_INLINE Map globalMap(const GlobalRef &view) {
  const int64_t *n = view.shape, *s = view.stride;
  Map map;
  switch (Layout(view.layout)) {
  case Layout::DN:
    map.row.add(n[3], s[3]);
    map.col.add(n[4], s[4]);
    map.col.add(n[2], s[2]);
    map.col.add(n[1], s[1]);
    map.col.add(n[0], s[0]);
    break;
  case Layout::NZ:
    map.row.add(n[3], s[3]);
    map.row.add(n[2], s[2]);
    map.col.add(n[4], s[4]);
    map.col.add(n[1], s[1]);
    map.col.add(n[0], s[0]);
    break;
  case Layout::MX_A_ZZ:
    map.row.add(16, s[3]);
    map.row.add(n[1], s[1]);
    map.col.add(2, s[4]);
    map.col.add(n[2], s[2]);
    break;
  case Layout::MX_A_ND:
  case Layout::MX_A_DN: {
    const bool nd = Layout(view.layout) == Layout::MX_A_ND;
    map.row.add(n[nd ? 2 : 3], s[nd ? 2 : 3]);
    map.col.add(2, s[4]);
    map.col.add(n[nd ? 3 : 2], s[nd ? 3 : 2]);
    break;
  }
  case Layout::MX_B_NN:
    map.row.add(2, s[4]);
    map.row.add(n[2], s[2]);
    map.col.add(16, s[3]);
    map.col.add(n[1], s[1]);
    break;
  case Layout::MX_B_ND:
  case Layout::MX_B_DN: {
    const bool nd = Layout(view.layout) == Layout::MX_B_ND;
    map.row.add(2, s[4]);
    map.row.add(n[nd ? 2 : 3], s[nd ? 2 : 3]);
    map.col.add(n[nd ? 3 : 2], s[nd ? 3 : 2]);
    break;
  }
  case Layout::NC1HWC0:
    map.row.add(n[3], s[3]);
    map.row.add(n[2], s[2]);
    map.row.add(n[0], s[0]);
    map.col.add(n[4], s[4]);
    map.col.add(n[1], s[1]);
    break;
  case Layout::NDC1HWC0:
    map.row.add(n[4], s[4]);
    map.row.add(n[3], s[3]);
    map.row.add(n[0], s[0]);
    map.col.add(32 * 8 / bitsOf(view.elem), 1);
    map.col.add(n[2], s[2]);
    map.col.add(n[1], s[1]);
    break;
  case Layout::FRACTAL_Z:
    map.row.add(n[4], s[4]);
    map.row.add(n[2], s[2]);
    map.row.add(n[1], s[1]);
    map.row.add(n[0], s[0]);
    map.col.add(n[3], s[3]);
    break;
  default: // ND
    map.row.add(n[3], s[3]);
    map.row.add(n[2], s[2]);
    map.row.add(n[1], s[1]);
    map.row.add(n[0], s[0]);
    map.col.add(n[4], s[4]);
    break;
  }
  return map;
}

/// Rows and columns that the view covers (GT-5, last column). Extents are a
/// program's numbers: a product beyond 64 bits is the largest one.
struct Coverage {
  int64_t rows, cols;
};

template <typename... T> PTO_DETAIL_INLINE int64_t extentProduct(T... extents) {
  int64_t result = 1;
  bool overflow = false;
  ((overflow = __builtin_mul_overflow(result, extents, &result) || overflow), ...);
  return overflow ? INT64_MAX : result;
}

PTO_DETAIL_INLINE Coverage coverage(const GlobalRef &view) {
  const int64_t *n = view.shape;
  switch (Layout(view.layout)) {
  case Layout::DN:
    return {n[3], extentProduct(n[0], n[1], n[2], n[4])};
  case Layout::NZ:
    return {extentProduct(n[2], n[3]), extentProduct(n[0], n[1], n[4])};
  case Layout::MX_A_ZZ:
    return {extentProduct(n[1], n[3]), extentProduct(n[2], n[4])};
  case Layout::MX_A_ND:
    return {n[2], extentProduct(n[3], n[4])};
  case Layout::MX_A_DN:
    return {n[3], extentProduct(n[2], n[4])};
  case Layout::MX_B_NN:
    return {extentProduct(n[2], n[4]), extentProduct(n[1], n[3])};
  case Layout::MX_B_ND:
    return {extentProduct(n[2], n[4]), n[3]};
  case Layout::MX_B_DN:
    return {extentProduct(n[3], n[4]), n[2]};
  case Layout::NC1HWC0:
    return {extentProduct(n[0], n[2], n[3]), extentProduct(n[1], n[4])};
  case Layout::NDC1HWC0:
    return {extentProduct(n[0], n[3], n[4]), extentProduct(n[1], n[2], int64_t(32 * 8 / bitsOf(view.elem)))};
  case Layout::FRACTAL_Z:
    return {extentProduct(n[0], n[1], n[2], n[4]), n[3]};
  default:
    return {extentProduct(n[0], n[1], n[2], n[3]), n[4]};
  }
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_LAYOUT_HPP
