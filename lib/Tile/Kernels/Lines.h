//===- Lines.h - one operation over the lines of tiles ----------*- C++ -*-===//
//
// An elementwise instruction is an operation on lane groups (Ops.h) and a list of
// where its arguments come from. The operation is compiled into a line function
// for each element type; walking over tiles in any layout is one function for all
// of them (Lines.cpp). A group is read as a whole before anything of it is
// written, so a destination may be a source.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_LINES_H
#define PTOSCOPE_LIB_TILE_KERNELS_LINES_H

#include "Lanes.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

/// `n` elements of a destination from the same number of each source; a source
/// that does not vary along the line is one element.
using Line = void (*)(uint8_t *dst, const uint8_t *const *src, size_t n);

/// Where an argument of the operation comes from.
struct Input {
  enum Kind : uint8_t {
    Tile,      ///< element (r, c)
    Scalar,    ///< the call's scalar
    PerRow,    ///< element (r, 0)
    PerColumn, ///< element (0, c)
  } kind;
  uint8_t index; ///< of the tile or scalar

  constexpr bool fixed() const { return kind == Scalar || kind == PerRow; }
};
constexpr Input tile(uint8_t i) { return {Input::Tile, i}; }
constexpr Input scalar(uint8_t i) { return {Input::Scalar, i}; }
constexpr Input perRow(uint8_t i) { return {Input::PerRow, i}; }
constexpr Input perColumn(uint8_t i) { return {Input::PerColumn, i}; }

inline constexpr int kMaxInputs = 4;

/// Applies `line` to the first rows x cols elements of tile 0.
void mapLines(const Operands &ops, Line line, const Input *inputs, int count, int64_t rows, int64_t cols);

//===----------------------------------------------------------------------===//
// Line functions
//===----------------------------------------------------------------------===//

/// Op on every group; Fixed says which arguments do not vary.
template <typename T, typename Op, bool... Fixed> void line(uint8_t *dst, const uint8_t *const *src, size_t n) {
  constexpr size_t width = sizeof(typename T::Elem);
  constexpr bool kFixed[] = {Fixed...};
  constexpr int kInputs = sizeof...(Fixed);
  lanes::Group<T> constant[kInputs];
  const uint8_t *from[kInputs]; // a copy: what is written could be the list, for all the compiler knows
  for (int i = 0; i < kInputs; ++i) {
    from[i] = src[i];
    if (kFixed[i])
      constant[i] = loadSplat<T>(src[i]);
  }
  auto spread = [&]<int... I>(lanes::Sequence<int, I...>) __attribute__((always_inline)) {
    size_t at = 0;
    const size_t bytes = n * width, whole = bytes / 64 * 64;
    if constexpr (Op::template kLeaves<T>) {
      while (at < whole) {
        const size_t start = at, end = whole - at < kStretch ? whole : at + kStretch;
        for (; at < end; at += 64)
          storeGroup<T>(dst + at, Op::template raw<T>((kFixed[I] ? constant[I] : loadGroup<T>(from[I] + at))...));
        if (anyNaN<T>(dst + start, end - start)) [[unlikely]]
          for (size_t again = start; again < end; again += 64)
            storeGroup<T>(dst + again, lanes::canon<T>(loadGroup<T>(dst + again)));
      }
    } else {
      for (; at < whole; at += 64)
        storeGroup<T>(dst + at, Op::template run<T>((kFixed[I] ? constant[I] : loadGroup<T>(from[I] + at))...));
    }
    if (at < bytes)
      storeGroup<T>(dst + at,
                    Op::template run<T>((kFixed[I] ? constant[I] : loadGroup<T>(from[I] + at, bytes - at))...),
                    bytes - at);
  };
  spread(__make_integer_seq<lanes::Sequence, int, kInputs>());
}

template <typename... T> struct Types {};
using IntTypes = Types<lanes::i8, lanes::u8, lanes::i16, lanes::u16, lanes::i32, lanes::u32>;
using FloatTypes = Types<lanes::f16, lanes::bf16, lanes::f32>;
using HalfFloatTypes = Types<lanes::f16, lanes::f32>;
using ArithmeticTypes =
    Types<lanes::i8, lanes::u8, lanes::i16, lanes::u16, lanes::i32, lanes::u32, lanes::f16, lanes::bf16, lanes::f32>;

/// The line function for `elem`; null if the operation does not have it.
template <typename Op, bool... Fixed> Line lineOf(Elem elem) {
  Line result = nullptr;
  auto each = [&]<typename... T>(Types<T...>) {
    forElem<T...>(elem, [&]<typename E>() { result = line<E, Op, Fixed...>; });
  };
  each(typename Op::Elems());
  return result;
}

template <Input... In> struct Inputs {};

/// Tile 0 = Op(inputs …) over its valid region.
template <typename Op, Input... In> void mapTiles(const Operands &ops, Inputs<In...>) {
  const TileRef &dst = ops.tile[0].ref;
  constexpr Input inputs[] = {In...};
  mapLines(ops, lineOf<Op, In.fixed()...>(dst.elem), inputs, sizeof...(In), dst.validRows, dst.validCols);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_LINES_H
