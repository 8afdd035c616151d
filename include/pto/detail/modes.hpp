//===- modes.hpp - variants of moving instructions --------------*- C++ -*-===//
//
// What a template argument of a moving instruction chooses, packed into the
// `mode` of its call, and which element types may meet.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_MODES_HPP
#define PTO_DETAIL_MODES_HPP

#include "pto/detail/layout.hpp"

namespace ptoscope::tile {

/// What TLOAD does outside the valid region (TLOAD-9, TLOAD-11).
enum class LoadMode : uint32_t {
  Hardware, ///< pads rows (ND) or columns (DN) to 32 bytes if the tile has a pad value
  FullFill, ///< fills the whole tile before, with 0 for Null and for custom values
};

/// Where the words of quantisation come from.
enum class Quant : uint8_t {
  None,
  Scalar, ///< scalar 2 of the call
  Vector, ///< a Scaling tile, a word per column of the result
};

/// Which part of the source a move takes: halves go to the two vector cores
/// (AccToVecMode), each at the start of its destination.
enum class Part : uint8_t { Whole, FirstRows, LastRows, FirstCols, LastCols };

/// Rows and columns of a part.
struct PartOfTile {
  int64_t row, col, rows, cols;
};

PTO_DETAIL_INLINE PartOfTile partOf(const TileRef &tile, Part part) {
  const int64_t rows = tile.validRows, cols = tile.validCols;
  switch (part) {
  case Part::Whole:
    break;
  case Part::FirstRows:
    return {0, 0, rows / 2, cols};
  case Part::LastRows:
    return {rows / 2, 0, rows - rows / 2, cols};
  case Part::FirstCols:
    return {0, 0, rows, cols / 2};
  case Part::LastCols:
    return {0, cols / 2, rows, cols - cols / 2};
  }
  return {0, 0, rows, cols};
}

/// The number of an AccPhase or STPhase in the mode of a product, a store or a move.
inline constexpr unsigned kPhaseShift = 26;
template <typename Phase> [[gnu::always_inline]] constexpr uint32_t phaseMode(Phase phase) {
  return uint32_t(phase) << kPhaseShift;
}
[[gnu::always_inline]] constexpr uint8_t phaseOf(uint32_t mode) { return uint8_t(mode >> kPhaseShift & 3); }

/// Everything that TSTORE, TMOV, TEXTRACT and TINSERT may add to a copy.
struct MoveMode {
  AtomicType atomic = AtomicType::AtomicNone;
  ReluPreMode relu = ReluPreMode::NoRelu;
  Quant quant = Quant::None;
  bool saturate = true; ///< of float results narrower than f32
  Part part = Part::Whole;
  uint8_t phase = 0; ///< number of an STPhase (TSTORE-14)

  [[gnu::always_inline]] constexpr uint32_t pack() const {
    return uint32_t(atomic) | uint32_t(relu) << 2 | uint32_t(quant) << 3 | uint32_t(!saturate) << 5 |
           uint32_t(part) << 6 | phaseMode(phase);
  }
  [[gnu::always_inline]] static constexpr MoveMode unpack(uint32_t mode) {
    MoveMode result;
    result.atomic = AtomicType(mode & 3);
    result.relu = ReluPreMode(mode >> 2 & 1);
    result.quant = Quant(mode >> 3 & 3);
    result.saturate = (mode >> 5 & 1) == 0;
    result.part = Part(mode >> 6 & 7);
    result.phase = phaseOf(mode);
    return result;
  }
};

/// Scalars of moving instructions: where a window begins, and the word.
inline constexpr size_t kRowScalar = 0, kColScalar = 1, kWordScalar = 2;

/// Whether the accumulator's path converts `from` into `to` (TSTORE-7, TSTORE-8).
/// Without quantisation equal types are copied.
PTO_DETAIL_INLINE bool accConverts(Elem from, Elem to, Quant quant) {
  if (from == Elem::f32) {
    if (quant == Quant::None)
      return to == Elem::f32 || to == Elem::f16 || to == Elem::bf16;
    switch (to) {
    case Elem::i8:
    case Elem::u8:
    case Elem::f16:
    case Elem::bf16:
    case Elem::f32:
    case Elem::e4m3:
    case Elem::e5m2:
    case Elem::hif8:
      return true;
    default:
      return false;
    }
  }
  if (from == Elem::i32) {
    if (quant == Quant::None)
      return to == Elem::i32;
    return to == Elem::i8 || to == Elem::u8 || to == Elem::i16 || to == Elem::f16 || to == Elem::bf16;
  }
  return false;
}

/// Whether elements can be updated in global memory (TSTORE-5).
PTO_DETAIL_INLINE bool hasAtomic(Elem elem) {
  return elem == Elem::f32 || elem == Elem::f16 || elem == Elem::bf16 || elem == Elem::i8 || elem == Elem::i16 ||
         elem == Elem::i32;
}
/// In the host profile, unsigned integers too (REPORT-1).
PTO_DETAIL_INLINE bool hasAtomicOnHost(Elem elem) {
  return hasAtomic(elem) || elem == Elem::u8 || elem == Elem::u16 || elem == Elem::u32;
}

//===----------------------------------------------------------------------===//
// Pad values
//===----------------------------------------------------------------------===//

/// Largest and smallest element: infinities where the format has them.
struct ElemRange {
  uint64_t max, min;
};

PTO_DETAIL_INLINE ElemRange rangeOf(Elem elem) {
  switch (elem) {
  case Elem::i4x2:
  case Elem::i4:
    return {0x7, 0x8};
  case Elem::i8:
    return {0x7f, 0x80};
  case Elem::i16:
    return {0x7fff, 0x8000};
  case Elem::i32:
    return {0x7fffffff, 0x80000000};
  case Elem::i64:
    return {uint64_t(INT64_MAX), uint64_t(1) << 63};
  case Elem::u8:
    return {0xff, 0};
  case Elem::u16:
    return {0xffff, 0};
  case Elem::u32:
    return {0xffffffff, 0};
  case Elem::u64:
    return {UINT64_MAX, 0};
  case Elem::f16:
    return {0x7c00, 0xfc00};
  case Elem::bf16:
    return {0x7f80, 0xff80};
  case Elem::f32:
    return {0x7f800000, 0xff800000};
  case Elem::e4m3:
    return {0x7e, 0xfe};
  case Elem::e5m2:
    return {0x7c, 0xfc};
  case Elem::hif8:
    return {0x6f, 0xef};
  case Elem::e8m0:
    return {0xfe, 0x00};
  case Elem::e2m1x2:
  case Elem::e1m2x2:
    return {0x7, 0xf};
  }
  return {0, 0};
}

/// The element that `pad` (pto::PadValue) stands for; 0 for Null.
PTO_DETAIL_INLINE uint64_t padBits(Elem elem, uint64_t pad) {
  if (pad >= uint64_t(PadValue::CustomBase)) {
    const uint64_t pattern = pad & 0xffffffff;
    return bitsOf(elem) >= 32 ? pattern : pattern & ((uint64_t(1) << bitsOf(elem)) - 1);
  }
  if (pad == uint64_t(PadValue::Max))
    return rangeOf(elem).max;
  return pad == uint64_t(PadValue::Min) ? rangeOf(elem).min : 0;
}

/// Columns (ND) or rows (DN) that a hardware load with a pad value also writes:
/// up to the next 32 bytes. Nothing for boxed tiles.
struct PadStrip {
  int32_t rows, cols;
};

PTO_DETAIL_INLINE PadStrip loadPadding(const TileRef &tile) {
  if (tile.pad == uint64_t(PadValue::Null) || SLayout(tile.innerLayout) != SLayout::NoneBox || tile.validRows <= 0 ||
      tile.validCols <= 0)
    return {0, 0};
  const int64_t unit = 32 * 8 / bitsOf(tile.elem);
  const Extents own = capacityOf(tile);
  if (BLayout(tile.blockLayout) == BLayout::RowMajor) {
    const int64_t end = roundUp(tile.validCols, unit);
    return {0, int32_t((end < own.cols ? end : own.cols) - tile.validCols)};
  }
  const int64_t end = roundUp(tile.validRows, unit);
  return {int32_t((end < own.rows ? end : own.rows) - tile.validRows), 0};
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_MODES_HPP
