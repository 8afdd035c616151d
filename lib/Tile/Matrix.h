//===- Matrix.h - matrices in memories, and what is done with them *- C++ -*-===//
//
// The unit of work of everything around the cube, whoever asks for it: elements go
// from one layout to another, possibly through the fixpipe, and products go into an
// accumulator. A layout is a Map; tiles and micro instructions differ only in how
// they come to theirs.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_MATRIX_H
#define PTOSCOPE_LIB_TILE_MATRIX_H

#include "pto/detail/modes.hpp"

namespace ptoscope::tile {

struct Matrix {
  uint8_t *data; ///< of element (0, 0) of the layout
  Map map;
  Elem elem;
};

/// What micro stores may add to a conversion (FIX-2).
struct Finish {
  enum class Slope : uint8_t { None, Scalar, Vector };
  Slope slope = Slope::None; ///< of negative values; None: as MoveMode::relu says
  bool clips = false;
  bool keepsNan = false; ///< although results saturate
  bool viaHalf = false;  ///< rounds to f16 first (FIX-15)
  /// The offset is added to what was rounded (FIX-14), not before it is rounded (TSTORE-10).
  bool roundsFirst = false;
  float factor = 0;    ///< Slope::Scalar
  int64_t bound = 0;   ///< of clips: a number, or the bits of an f16
  Matrix factors = {}; ///< Slope::Vector: an f32 for each column

  bool isNeeded() const { return roundsFirst || slope != Slope::None || clips || keepsNan || viaHalf; }
};

/// From elements to elements, with relu, quantisation, conversion and atomic update as
/// `mode` says. `word` serves Quant::Scalar, `words` (64 bits for each column)
/// Quant::Vector. Pairs of types are those of accConverts; also f16 and bf16 to f32, as
/// bias tables take them, and copies of bits between types of equal width.
struct Conversion {
  Elem from, to;
  MoveMode mode;
  uint64_t word = 0;
  const Matrix *words = nullptr;
  const Finish *finish = nullptr; ///< null: none is needed
  int64_t firstWord = 0;          ///< of the first column (TSTORE-13)
  bool signOfType = false;        ///< 8-bit results are signed if `to` is, whatever the words say (IRSTORE-8)
};

/// rows x cols elements of `src` from `from` on to `dst` from `to` on.
struct MatrixMove {
  Matrix dst, src;
  Place to, from;
  int64_t rows, cols;
};

/// How operands of a product are taken.
struct ProductMode {
  enum class Tf32 : uint8_t { None, RoundEven, RoundAway };
  Tf32 tf32 = Tf32::None;
  bool saturates = false; ///< MAD-15
  bool isPlain() const { return tf32 == Tf32::None && !saturates; }
};

/// m x n sums of k products. Rows of `start` are all the same for a bias.
struct MatrixProduct {
  Matrix sum, left, right; ///< m x n, m x k, k x n
  bool fromZero;
  Matrix start; ///< where the chains start, otherwise
  int64_t m, n, k;
  ProductMode mode = {};
  bool scaled = false;
  Matrix leftScale = {}, rightScale = {}; ///< m and n rows, a column for 32 of k (MXS-1)
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_MATRIX_H
