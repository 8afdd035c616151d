//===- Rounding.h - rounding modes ------------------------------*- C++ -*-===//
//
// The modes RND-1 to RND-5, named by their tokens in programs. Includes
// nothing: the lane meanings, which see no library, use it too.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_ROUNDING_H
#define PTOSCOPE_SUPPORT_ROUNDING_H

namespace ptoscope {

enum class Rounding : char {
  None = 0,    ///< the conversion is exact, or there is nothing to round
  Even = 'R',  ///< to nearest, ties to even
  Away = 'A',  ///< to nearest, ties away from zero
  Floor = 'F', ///< toward minus infinity
  Ceil = 'C',  ///< toward plus infinity
  Zero = 'Z',  ///< toward zero
  Odd = 'O',   ///< truncated, and the last bit kept is set if anything was lost
  Hybrid = 'H' ///< its rule is not published: executed as Away to hif8, as Zero to other small floats
};

/// `token` is canonical: one letter, or empty.
constexpr Rounding roundingOf(const char *token) { return Rounding(token[0]); }

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_ROUNDING_H
