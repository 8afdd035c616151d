//===- HostMove.h - moves of the host profile -------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_HOSTMOVE_H
#define PTOSCOPE_LIB_TILE_KERNELS_HOSTMOVE_H

#include "Fixpipe.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

/// Elements on their way by value: integers as 64-bit ones, floats as double.
inline constexpr int64_t kStaged = 64;
struct Staged {
  bool isWhole; ///< `whole` holds them
  alignas(64) int64_t whole[kStaged];
  alignas(64) double real[kStaged];
};

/// Which word of a vector belongs to element (r, c): that of `first` + c, or of `first` + r.
struct WordAxis {
  int64_t first = 0;
  bool isRow = false;
};

/// Words of n elements from (row, col) on, those beside each other in a row.
void readWords(const Conversion &conversion, const WordAxis &axis, int64_t row, int64_t col, int64_t n,
               uint64_t *words);
/// HMOVE-11: n elements that became what their words say. The result is what is stored.
void quantise(const Conversion &conversion, const uint64_t *words, int64_t n, Staged &values);

/// HMOVE-1: what convertElements does, by the rules of the host profile.
void hostElements(const Conversion &conversion, const WordAxis &axis, const Side &dst, const Side &src, int64_t rows,
                  int64_t cols);

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_HOSTMOVE_H
